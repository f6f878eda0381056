//! UDP datagrams: sent on schedule, their arrival timed by the kernel.
//!
//! One thread for each stream sends; no thread waits for datagrams. They wait in the receiver's socket with the
//! kernel's timestamp, and are read in batches.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airtcp_plan::record::{EarlyEndRule, Kind, Table};
use airtcp_plan::report::DatagramReport;
use airtcp_plan::{DatagramStream, Plan};
use airtcp_workload::Departures;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use super::records::write_packets;
use super::sockets::ECN_BITS;
use crate::clock::{Timeline, realtime_ns};
use crate::failure::{Outcome, because};
use crate::network::Network;
use crate::process::spawn;
use crate::sys::arrivals::{Received, drain};
use crate::sys::udp;

/// The receiver's socket is read each time so many datagrams were sent: few system calls, and little memory.
const RECEIVE_EVERY: usize = 64;
/// A datagram sent later than this is worth a warning.
const LATE_NS: i64 = 1_000_000;
/// `delay_ns` of a datagram that has not arrived.
const NOT_RECEIVED: i64 = -1;

/// One datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Datagram {
    /// From the epoch.
    sent_ns: i64,
    delay_ns: i64,
}

/// The datagrams so far, and counters of problems.
#[derive(Debug, Default)]
struct Counters {
    datagrams: Vec<Datagram>,
    refused: u64,
    late: u64,
    error: Option<String>,
}

/// One stream of datagrams.
#[derive(Debug)]
pub(crate) struct DatagramState {
    plan: DatagramStream,
    number: u32,
    sender: OwnedFd,
    receiver: OwnedFd,
    counters: Mutex<Counters>,
    /// Realtime minus the traffic clock.
    realtime_offset_ns: i64,
}

/// The table of `records/datagrams.rec`: `time_ns` is when the datagram was sent, from the epoch.
pub(super) fn table() -> Table {
    let columns =
        [("time_ns", Kind::I64), ("stream", Kind::U32), ("sequence", Kind::U32), ("delay_ns", Kind::I64)];
    Table::new("datagrams", &["stream"], EarlyEndRule::Keep, &columns)
}

impl DatagramState {
    /// Makes the sockets of every stream of the plan.
    ///
    /// # Errors
    /// A port that can't be used, or a node without a route.
    pub(crate) fn open_all(plan: &Plan, network: &Network, timeline: Timeline) -> Outcome<Vec<Arc<Self>>> {
        let offset_ns = timeline.realtime_offset_ns();
        let streams = plan.datagrams.iter().enumerate();
        streams.map(|(i, stream)| Self::open(stream, i as u32, network, offset_ns).map(Arc::new)).collect()
    }

    fn open(plan: &DatagramStream, number: u32, network: &Network, offset_ns: i64) -> Outcome<Self> {
        let place = format!("datagrams[{number}]");
        network.enter(&plan.to)?;
        let what = format!("stream {} can't use port {} of {}", plan.name, plan.port, plan.to);
        let receiver =
            udp::open_receiver(plan.port).map_err(because(&what, &place, "choose another port"))?;
        network.enter(&plan.from)?;
        let what = format!("stream {} can't open a socket to {}", plan.name, plan.address);
        let sender = udp::open_sender(plan.address, plan.port, plan.dscp << ECN_BITS);
        let sender = sender.map_err(because(&what, &place, "give its node an address and a route"))?;
        let counters = Mutex::new(Counters::default());
        Ok(Self { plan: plan.clone(), number, sender, receiver, counters, realtime_offset_ns: offset_ns })
    }

    /// Starts the thread that sends.
    pub(crate) fn start(self: &Arc<Self>, seed: u64, timeline: Timeline) -> Outcome<()> {
        let own = Arc::clone(self);
        spawn(format!("datagrams[{}]", self.number), move || {
            let mut packet = vec![0; own.plan.payload_bytes as usize];
            for due_ns in Departures::new(&own.plan, seed, own.number) {
                timeline.sleep_until(due_ns);
                own.send(due_ns, &mut packet);
            }
        })
    }

    fn locked(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, due_ns: u64, packet: &mut [u8]) {
        let mut counters = self.locked();
        let sequence = counters.datagrams.len();
        packet[..8].copy_from_slice(&(sequence as u64).to_be_bytes());
        let sent_ns = realtime_ns().cast_signed() - self.realtime_offset_ns;
        match send(&self.sender, packet, SendFlags::DONTWAIT) {
            Ok(_) => {}
            // The application sent it, and its own host dropped it.
            Err(Errno::AGAIN | Errno::NOBUFS) => counters.refused += 1,
            Err(error) => {
                counters.error.get_or_insert_with(|| format!("datagram {sequence}: {error}"));
            }
        }
        counters.late += u64::from(sent_ns - due_ns.cast_signed() > LATE_NS);
        counters.datagrams.push(Datagram { sent_ns, delay_ns: NOT_RECEIVED });
        if counters.datagrams.len().is_multiple_of(RECEIVE_EVERY) {
            self.record_arrivals(&mut counters);
        }
    }

    /// Records the datagrams that have arrived.
    fn record_arrivals(&self, counters: &mut Counters) {
        let datagrams = &mut counters.datagrams;
        let drained =
            drain(self.receiver.as_fd(), |received| arrive(datagrams, &received, self.realtime_offset_ns));
        if let Err(error) = drained {
            counters.error.get_or_insert_with(|| format!("datagrams can't be read: {error}"));
        }
    }

    /// How the stream went so far, and what is worth a warning.
    fn report(&self) -> (DatagramReport, Vec<String>) {
        let counters = self.locked();
        let name = &self.plan.name;
        let received = counters.datagrams.iter().filter(|d| d.delay_ns != NOT_RECEIVED).count() as u64;
        let (sent, refused) = (counters.datagrams.len() as u64, counters.refused);
        let late = (counters.late > 0)
            .then(|| format!("stream {name}: {} datagrams were sent late by more than 1 ms", counters.late));
        let full = (refused > 0)
            .then(|| format!("stream {name}: {refused} datagrams found their socket's send buffer full"));
        let error = counters.error.as_ref().map(|error| format!("stream {name}: {error}"));
        let warnings = late.into_iter().chain(full).chain(error).collect();
        (DatagramReport { name: name.clone(), sent, refused, received }, warnings)
    }
}

/// Records the last arrivals of all streams and writes everything to `records/datagrams.rec`, in the order of sending.
///
/// # Errors
/// The disk is full.
pub(crate) fn finish(
    streams: &[Arc<DatagramState>],
    records: &Path,
) -> Outcome<(Vec<DatagramReport>, Vec<String>)> {
    if streams.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut rows = Vec::new();
    for stream in streams {
        let mut counters = stream.locked();
        stream.record_arrivals(&mut counters);
        let sent = counters.datagrams.iter().enumerate();
        rows.extend(sent.map(|(sequence, d)| (d.sent_ns, stream.number, sequence as u32, d.delay_ns)));
    }
    write_packets(records, &table(), rows)?;
    let (reports, warnings): (Vec<_>, Vec<_>) = streams.iter().map(|stream| stream.report()).unzip();
    Ok((reports, warnings.concat()))
}

/// Records the arrival of a datagram; of duplicates the first one counts, and datagrams of other senders are ignored.
fn arrive(datagrams: &mut [Datagram], received: &Received, realtime_offset_ns: i64) {
    let sequence = u64::from_be_bytes(received.head[..8].try_into().expect("eight bytes"));
    let place = usize::try_from(sequence).unwrap_or(usize::MAX);
    let Some(datagram) = datagrams.get_mut(place) else { return };
    if datagram.delay_ns == NOT_RECEIVED {
        datagram.delay_ns = received.realtime_ns.cast_signed() - realtime_offset_ns - datagram.sent_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_is_timed_once_and_strangers_are_ignored() {
        let mut datagrams = [Datagram { sent_ns: 1_000, delay_ns: NOT_RECEIVED }; 2];
        let arrival = |sequence: u64, realtime_ns| {
            let mut head = [0; 68];
            head[..8].copy_from_slice(&sequence.to_be_bytes());
            Received { head, realtime_ns }
        };
        for (sequence, realtime_ns) in [(1, 51_250), (1, 60_000), (2, 51_000), (u64::MAX, 51_000)] {
            arrive(&mut datagrams, &arrival(sequence, realtime_ns), 50_000);
        }
        assert_eq!(datagrams.map(|d| d.delay_ns), [NOT_RECEIVED, 250]);
    }
}
