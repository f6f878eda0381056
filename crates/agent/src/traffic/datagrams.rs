//! UDP datagrams: sent on schedule, their arrival timed by the kernel.
//!
//! One thread for each stream sends; no thread waits for datagrams. They wait in the receiver's socket with the
//! kernel's timestamp, and are read in batches.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airtcp_plan::report::DatagramReport;
use airtcp_plan::{DatagramStream, Plan};
use airtcp_workload::Departures;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use super::packet_log::{PacketLog, write_packets};
use super::sockets::ECN_BITS;
use crate::clock::{Timeline, realtime_ns};
use crate::ending;
use crate::failure::{Outcome, because};
use crate::network::Network;
use crate::part::Part;
use crate::process::spawn;
use crate::sys::arrivals::{Received, drain};
use crate::sys::udp;

/// The receiver's socket is read each time so many datagrams were sent: few system calls, and little memory.
const RECEIVE_EVERY: usize = 64;
/// A datagram sent later than this is worth a warning.
const LATE_NS: i64 = 1_000_000;

/// The datagrams so far, and counters of problems.
#[derive(Debug)]
struct Counters {
    datagrams: PacketLog,
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
    /// `None`: on another machine.
    receiver: Option<OwnedFd>,
    /// Whether this guest computes the sender.
    sends_here: bool,
    counters: Mutex<Counters>,
    /// Realtime minus the traffic clock.
    realtime_offset_ns: i64,
}

airtcp_plan::record! {
    /// The table of `records/datagrams.rec`: `time_ns` is when the datagram was sent, from the epoch.
    pub(super) fn table() = "datagrams", key [stream], Keep;
    fn write_row(sent_ns: i64, stream: u32, sequence: u32, delay_ns: i64) {
        time_ns: i64 = sent_ns,
        stream: u32 = stream,
        sequence: u32 = sequence,
        delay_ns: i64 = delay_ns,
    }
}

impl DatagramState {
    /// Makes the sockets of every stream of the plan.
    ///
    /// # Errors
    /// A port that can't be used, or a node without a route.
    pub(crate) fn open_all(
        plan: &Plan,
        part: Part,
        network: &Network,
        timeline: Timeline,
        records: &Path,
    ) -> Outcome<Vec<Arc<Self>>> {
        let offset_ns = timeline.realtime_offset_ns();
        let streams = plan.datagrams.iter().zip(0..);
        let opened = streams.map(|(stream, number)| {
            let datagrams = PacketLog::new(records, &format!("datagrams-{number}"));
            let state = Self::open(stream, number, network, datagrams, offset_ns)?;
            Ok(Arc::new(Self { sends_here: part.has(plan, &stream.from), ..state }))
        });
        opened.collect()
    }

    fn open(
        plan: &DatagramStream,
        number: u32,
        network: &Network,
        datagrams: PacketLog,
        realtime_offset_ns: i64,
    ) -> Outcome<Self> {
        let place = place_of(number);
        network.enter(&plan.to)?;
        let receiver = Some(open_receiver(plan, &place)?);
        network.enter(&plan.from)?;
        Self::with(plan, number, receiver, datagrams, realtime_offset_ns)
    }

    /// Opens the sender of a stream in the namespace of the calling thread.
    fn with(
        plan: &DatagramStream,
        number: u32,
        receiver: Option<OwnedFd>,
        datagrams: PacketLog,
        realtime_offset_ns: i64,
    ) -> Outcome<Self> {
        let sender = open_sender(plan, &place_of(number))?;
        let counters = Mutex::new(Counters { datagrams, refused: 0, late: 0, error: None });
        Ok(Self {
            plan: plan.clone(),
            number,
            sender,
            receiver,
            sends_here: true,
            counters,
            realtime_offset_ns,
        })
    }

    /// The sending end of a stream whose receiver is on another machine, in the namespace of the calling thread.
    ///
    /// # Errors
    /// A port that can't be used, or a node without a route.
    pub(crate) fn open_sending(
        plan: &Plan,
        number: u32,
        timeline: Timeline,
        records: &Path,
    ) -> Outcome<Arc<Self>> {
        let datagrams = PacketLog::new(records, &format!("datagrams-{number}"));
        let stream = &plan.datagrams[number as usize];
        Self::with(stream, number, None, datagrams, timeline.realtime_offset_ns()).map(Arc::new)
    }

    /// Starts the thread that sends, in its node, which `enter` enters.
    pub(crate) fn start(
        self: &Arc<Self>,
        seed: u64,
        timeline: Timeline,
        enter: impl Fn(&str) -> Outcome<()>,
    ) -> Outcome<()> {
        enter(&self.plan.from)?;
        let own = Arc::clone(self);
        spawn(format!("datagrams[{}]", self.number), move || {
            let mut packet = vec![0; own.plan.payload_bytes as usize];
            if !own.sends_here {
                return;
            }
            for due_ns in Departures::new(&own.plan, seed, own.number) {
                timeline.sleep_until(due_ns);
                if let Err(failure) = own.send(due_ns, &mut packet) {
                    ending::fail(failure);
                }
            }
        })
    }

    fn locked(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, due_ns: u64, packet: &mut [u8]) -> Outcome<()> {
        let mut counters = self.locked();
        let sequence = counters.datagrams.sent();
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
        counters.datagrams.send(sent_ns)?;
        if counters.datagrams.sent().is_multiple_of(RECEIVE_EVERY) {
            self.record_arrivals(&mut counters)?;
        }
        Ok(())
    }

    /// Records the datagrams that have arrived.
    fn record_arrivals(&self, counters: &mut Counters) -> Outcome<()> {
        let Some(receiver) = &self.receiver else { return Ok(()) };
        let (datagrams, mut noted) = (&mut counters.datagrams, Ok(()));
        let drained = drain(receiver.as_fd(), |received| {
            let at_ns = received.realtime_ns.cast_signed() - self.realtime_offset_ns;
            let arrived = datagrams.arrive(sequence_of(&received), at_ns);
            noted = std::mem::replace(&mut noted, Ok(())).and(arrived);
        });
        if let Err(error) = drained {
            counters.error.get_or_insert_with(|| format!("datagrams can't be read: {error}"));
        }
        noted
    }

    /// How the stream went so far, and what is worth a warning.
    fn report(&self) -> (DatagramReport, Vec<String>) {
        let counters = self.locked();
        let name = &self.plan.name;
        let (sent, received) = (counters.datagrams.sent() as u64, counters.datagrams.arrived());
        let refused = counters.refused;
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
    let mut all: Vec<_> = streams.iter().map(|stream| stream.locked()).collect();
    for (stream, counters) in streams.iter().zip(&mut all) {
        stream.record_arrivals(counters)?;
    }
    write_packets(records, &table(), write_row, all.iter().map(|counters| &counters.datagrams))?;
    drop(all);
    let (reports, warnings): (Vec<_>, Vec<_>) = streams.iter().map(|stream| stream.report()).unzip();
    Ok((reports, warnings.concat()))
}

/// The key of the plan.
pub(crate) fn place_of(number: u32) -> String {
    format!("datagrams[{number}]")
}

fn open_sender(plan: &DatagramStream, place: &str) -> Outcome<OwnedFd> {
    let what = format!("stream {} can't open a socket to {}", plan.name, plan.address);
    let sender = udp::open_sender(plan.address, plan.port, plan.dscp << ECN_BITS);
    sender.map_err(because(&what, place, "give its node an address and a route"))
}

pub(crate) fn open_receiver(plan: &DatagramStream, place: &str) -> Outcome<OwnedFd> {
    let what = format!("stream {} can't use port {} of {}", plan.name, plan.port, plan.to);
    udp::open_receiver(plan.address, plan.port).map_err(because(&what, place, "choose another port"))
}

/// The number that a datagram carries.
pub(crate) fn sequence_of(received: &Received) -> usize {
    let sequence = u64::from_be_bytes(received.head[..8].try_into().expect("eight bytes"));
    usize::try_from(sequence).unwrap_or(usize::MAX)
}
