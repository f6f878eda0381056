//! Shows that virtual time moves in a run without radios.
//!
//! The air shows it at each of its events and ten times a virtual second besides (`crates/guest/src/heartbeat.rs`), from
//! the first frame of a radio on. Where there is no radio this thread does the same, in a file of its own.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use airtcp_plan::Plan;
use airtcp_plan::report::AGENT_PROGRESS_FILE;

use crate::clock::Timeline;
use crate::failure::Outcome;
use crate::guest_paths::WORK;
use crate::process::spawn;

/// Time between two beats.
const INTERVAL_NS: u64 = 100_000_000;
/// How long after the planned end beats go on: the agent's last steps take less.
const AFTER_END_NS: u64 = 120_000_000_000;

/// Starts the thread that beats, if nothing else shows that time moves.
pub(crate) fn start(plan: &Plan, timeline: Timeline) -> Outcome<()> {
    if !plan.air.nics.is_empty() {
        return Ok(());
    }
    let last_ns = plan.duration_ns.saturating_add(AFTER_END_NS);
    spawn("heartbeat".to_owned(), move || {
        for beat_ns in (0..last_ns).step_by(INTERVAL_NS as usize) {
            timeline.sleep_until(beat_ns);
            // Progress is reported less often then; the run is the same.
            let _ = show(Path::new(WORK), timeline.since_boot_ns(beat_ns));
        }
    })
}

/// Closing the file brings it to the host (hostfs); it is there, so nothing is cut.
fn show(folder: &Path, now_ns: u64) -> std::io::Result<()> {
    let path = folder.join(AGENT_PROGRESS_FILE);
    let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
    file.write_all(&now_ns.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_replaces_the_one_before() {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-heartbeat-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for ns in [u64::MAX, 3_100_000_000] {
            show(&folder, ns).unwrap();
            assert_eq!(std::fs::read(folder.join(AGENT_PROGRESS_FILE)).unwrap(), ns.to_le_bytes());
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
