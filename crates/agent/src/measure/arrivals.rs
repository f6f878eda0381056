//! Datagrams that arrive from another machine: when each came to this one.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_plan::Plan;

use crate::clock::Timeline;
use crate::ending;
use crate::failure::{Outcome, because};
use crate::process::spawn;
use crate::sys::arrivals::{Received, drain};
use crate::sys::tcp::wait_readable;
use crate::traffic::datagrams::{open_receiver, place_of, sequence_of};
use crate::traffic::records::RecordFile;

airtcp_plan::record! {
    /// The table of `records/arrivals.rec`.
    fn table() = "arrivals", key [stream], Keep;
    fn write_row(time_ns: i64, stream: u32, sequence: u64) {
        time_ns: i64 = time_ns,
        stream: u32 = stream,
        sequence: u64 = sequence,
    }
}

/// All arrivals at this node.
#[derive(Debug)]
pub(super) struct Arrivals {
    file: Arc<Mutex<Option<RecordFile>>>,
}

impl Arrivals {
    /// Opens the receiving ends of this node's streams, in the namespace of the calling thread, and times what comes.
    ///
    /// # Errors
    /// A port that can't be used.
    pub(super) fn start(node: &str, plan: &Plan, timeline: Timeline, records: &Path) -> Outcome<Self> {
        let own = || plan.datagrams.iter().zip(0..).filter(|(stream, _)| stream.to == node);
        let file = if own().next().is_some() { Some(RecordFile::create(records, &table())?) } else { None };
        let file = Arc::new(Mutex::new(file));
        let offset_ns = timeline.realtime_offset_ns();
        for (stream, number) in own() {
            let socket = open_receiver(stream, &place_of(number))?;
            let rows = Arc::clone(&file);
            spawn(format!("arrivals[{number}]"), move || {
                if let Err(failure) = receive(&socket, number, offset_ns, &rows) {
                    ending::fail(failure);
                }
            })?;
        }
        Ok(Self { file })
    }

    /// Writes all that has come so far.
    ///
    /// # Errors
    /// The disk is full.
    pub(super) fn finish(&self) -> Outcome<()> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).take();
        file.map_or(Ok(()), RecordFile::finish)
    }
}

/// The thread of a stream; it ends when the records are closed.
fn receive(socket: &OwnedFd, stream: u32, offset_ns: i64, file: &Mutex<Option<RecordFile>>) -> Outcome<()> {
    let remedy = "check the machine's network";
    loop {
        let failed = || because("datagrams can't be read", "datagrams", remedy);
        wait_readable(socket.as_fd()).map_err(failed())?;
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rows) = file.as_mut() else { return Ok(()) };
        let mut noted = Ok(());
        drain(socket.as_fd(), |received: Received| {
            let added = rows.add(|row| {
                let time_ns = received.realtime_ns.cast_signed() - offset_ns;
                write_row(row, time_ns, stream, sequence_of(&received) as u64);
            });
            noted = std::mem::replace(&mut noted, Ok(())).and(added);
        })
        .map_err(failed())?;
        noted?;
    }
}
