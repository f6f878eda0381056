//! Commands whose output is a sample, again and again: `iw dev wlan0 station dump`.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use airtcp_plan::measurement::{Poll, Polled};

use super::command::execute;
use crate::clock::Timeline;
use crate::failure::{Outcome, because};
use crate::process::spawn;

/// Starts the thread that runs the command from traffic time zero to the end. A command that fails gives no sample.
///
/// # Errors
/// The file of the samples can't be written.
pub(super) fn start(poll: &Poll, folder: &Path, timeline: Timeline, ended: &Arc<AtomicBool>) -> Outcome<()> {
    let file = File::create(folder.join(format!("{}.jsonl", poll.name)));
    let mut file = file.map_err(because("samples can't be written", &poll.name, "make room for files"))?;
    let (poll, ended) = (poll.clone(), Arc::clone(ended));
    spawn(poll.name.clone(), move || {
        timeline.at_multiples(poll.interval_ns, &ended, |time_ns| {
            let executed = execute(&poll.command, "");
            if executed.status == Some(0) {
                let sample = Polled { time_ns, output: executed.output };
                let mut line = serde_json::to_vec(&sample).expect("plain data");
                line.push(b'\n');
                // A full disk shows at the records.
                let _ = file.write_all(&line);
            }
        });
    })
}
