//! ICMP echo (RFC 792, RFC 4443) by the agent: sent on schedule, timed by the kernel.
//!
//! One thread sends for all; it never waits for an answer. Answers wait in
//! their socket with the kernel's timestamp until the next request, or the end.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_plan::report::{Failure, PingReport};
use airtcp_plan::{Ping, Plan};
use airtcp_workload::first_request_ns;
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
use crate::sys::icmp::{self, EchoSocket, EchoTypes};
use crate::sys::namespace::enter_network;

/// Identifiers of requests begin here, so that they are not those of a user's `ping` by chance of a small number.
const FIRST_IDENTIFIER: u16 = 0xa100;
/// A request sent later than this is worth a warning.
const LATE_NS: i64 = 1_000_000;

/// One stream of requests.
#[derive(Debug)]
struct Stream {
    plan: Ping,
    socket: EchoSocket,
    /// Network namespace of the node, if requests must be sent from there: the kernel draws random numbers for the node of the
    /// thread.
    namespace: Option<OwnedFd>,
    identifier: u16,
    first_ns: u64,
    end_ns: u64,
    requests: PacketLog,
    late: u64,
    send_error: Option<String>,
}

/// Every ping of the plan.
#[derive(Clone, Debug)]
pub(crate) struct Pings {
    streams: Arc<Mutex<Vec<Stream>>>,
    timeline: Timeline,
    /// Realtime minus the traffic clock.
    realtime_offset_ns: i64,
}

airtcp_plan::record! {
    /// The table of `records/pings.rec`: `time_ns` is when the request was sent, from the epoch.
    pub(super) fn table() = "pings", key [ping], Keep;
    fn write_row(sent_ns: i64, ping: u32, sequence: u32, rtt_ns: i64) {
        time_ns: i64 = sent_ns,
        ping: u32 = ping,
        sequence: u32 = sequence,
        rtt_ns: i64 = rtt_ns,
    }
}

impl Pings {
    /// Makes the sockets of every ping.
    ///
    /// # Errors
    /// The kernel has no raw ICMP sockets.
    pub(crate) fn open(
        plan: &Plan,
        part: Part,
        network: &Network,
        timeline: Timeline,
        records: &Path,
    ) -> Outcome<Self> {
        let mut streams = Vec::new();
        for (number, ping) in plan.pings.iter().enumerate() {
            network.enter(&ping.from)?;
            let remedy = "give its node an address and a route";
            let socket = icmp::open(ping.to_address, ping.dscp << ECN_BITS);
            let socket = socket.map_err(cannot_open(ping, number, remedy))?;
            let stream = Stream::new(plan, number, socket, records);
            // One that another guest sends is over before it begins.
            let end_ns = if part.has(plan, &ping.from) { stream.end_ns } else { 0 };
            let namespace = plan.split.as_ref().map(|_| network.namespace(&ping.from).try_clone_to_owned());
            let namespace =
                namespace.transpose().map_err(because("is not there", &ping.from, "report this"))?;
            streams.push(Stream { namespace, end_ns, ..stream });
        }
        Ok(Self::of(streams, timeline))
    }

    /// Makes the sockets of those pings that this node sends, in the namespace of the calling thread.
    ///
    /// # Errors
    /// The process may use neither kind of ICMP sockets.
    pub(crate) fn open_at(node: &str, plan: &Plan, timeline: Timeline, records: &Path) -> Outcome<Self> {
        let mut streams = Vec::new();
        for (number, ping) in plan.pings.iter().enumerate().filter(|(_, ping)| ping.from == node) {
            let (to, traffic_class) = (ping.to_address, ping.dscp << ECN_BITS);
            let socket =
                icmp::open_unprivileged(to, traffic_class).or_else(|_| icmp::open(to, traffic_class));
            let remedy = "allow the user's group in net.ipv4.ping_group_range, and check the route";
            let socket = socket.map_err(cannot_open(ping, number, remedy))?;
            streams.push(Stream::new(plan, number, socket, records));
        }
        Ok(Self::of(streams, timeline))
    }

    fn of(streams: Vec<Stream>, timeline: Timeline) -> Self {
        let realtime_offset_ns = timeline.realtime_offset_ns();
        Self { streams: Arc::new(Mutex::new(streams)), timeline, realtime_offset_ns }
    }

    /// Starts the sending thread, if there is anything to send.
    pub(crate) fn start(&self) -> Outcome<()> {
        if self.next_ns().is_none() {
            return Ok(());
        }
        let own = self.clone();
        spawn("pings".to_owned(), move || {
            while let Some(due_ns) = own.next_ns() {
                own.timeline.sleep_until(due_ns);
                if let Err(failure) = own.send_due(due_ns) {
                    ending::fail(failure);
                }
            }
        })
    }

    fn next_ns(&self) -> Option<u64> {
        self.locked().iter().filter_map(Stream::next_ns).min()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Vec<Stream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_due(&self, due_ns: u64) -> Outcome<()> {
        for stream in self.locked().iter_mut().filter(|s| s.next_ns() == Some(due_ns)) {
            stream.record_replies(self.realtime_offset_ns)?;
            stream.send(due_ns, self.realtime_offset_ns)?;
        }
        Ok(())
    }

    /// Records the last replies and writes everything to `records/pings.rec`.
    ///
    /// # Errors
    /// The disk is full.
    pub(crate) fn finish(&self, records: &Path) -> Outcome<(Vec<PingReport>, Vec<String>)> {
        let mut streams = self.locked();
        if streams.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        streams.iter_mut().try_for_each(|stream| stream.record_replies(self.realtime_offset_ns))?;
        write_packets(records, &table(), write_row, streams.iter().map(|stream| &stream.requests))?;
        let warnings = streams.iter().flat_map(Stream::warnings).collect();
        Ok((streams.iter().map(Stream::report).collect(), warnings))
    }
}

/// The failure of a ping of the plan, by its number.
fn cannot_open(ping: &Ping, number: usize, remedy: &'static str) -> impl FnOnce(Errno) -> Failure {
    let what = format!("ping {} can't open a socket to {}", ping.name, ping.to_address);
    move |error| because(&what, &format!("pings[{number}]"), remedy)(error)
}

impl Stream {
    fn new(plan: &Plan, number: usize, socket: EchoSocket, records: &Path) -> Self {
        let ping = &plan.pings[number];
        Self {
            plan: ping.clone(),
            socket,
            namespace: None,
            identifier: FIRST_IDENTIFIER.wrapping_add(number as u16),
            first_ns: first_request_ns(ping, plan.seed, number as u32),
            end_ns: ping.stop_ns.min(plan.duration_ns),
            requests: PacketLog::new(records, &format!("pings-{number}")),
            late: 0,
            send_error: None,
        }
    }

    /// When the next request is due.
    fn next_ns(&self) -> Option<u64> {
        let due_ns = self.first_ns + self.requests.sent() as u64 * self.plan.interval_ns;
        (due_ns < self.end_ns).then_some(due_ns)
    }

    fn send(&mut self, due_ns: u64, realtime_offset_ns: i64) -> Outcome<()> {
        let sequence = self.requests.sent();
        let mut packet = echo_request(self.identifier, sequence as u16, self.plan.payload_bytes as usize);
        packet[0] = self.socket.types.request;
        if self.socket.types == EchoTypes::V4 {
            sum(&mut packet);
        }
        if let Some(namespace) = &self.namespace {
            enter_network(namespace.as_fd())?;
        }
        let now_ns = realtime_ns();
        if let Err(error) = send(&self.socket, &packet, SendFlags::DONTWAIT) {
            self.send_error.get_or_insert_with(|| format!("request {sequence}: {error}"));
        }
        let sent_ns = now_ns.cast_signed() - realtime_offset_ns;
        self.late += u64::from(sent_ns - due_ns.cast_signed() > LATE_NS);
        self.requests.send(sent_ns)
    }

    fn record_replies(&mut self, realtime_offset_ns: i64) -> Outcome<()> {
        let (requests, mut noted) = (&mut self.requests, Ok(()));
        let (socket, identifier) = (&self.socket, self.identifier);
        let drained = drain(socket.as_fd(), |received| {
            let Some(sequence) = answered(requests.sent(), identifier, socket, &received) else { return };
            let at_ns = received.realtime_ns.cast_signed() - realtime_offset_ns;
            let arrived = requests.arrive(sequence, at_ns);
            noted = std::mem::replace(&mut noted, Ok(())).and(arrived);
        });
        if let Err(error) = drained {
            self.send_error.get_or_insert_with(|| format!("replies can't be read: {error}"));
        }
        noted
    }

    fn report(&self) -> PingReport {
        let (name, requests) = (self.plan.name.clone(), &self.requests);
        PingReport { name, sent: requests.sent() as u64, received: requests.arrived() }
    }

    fn warnings(&self) -> Vec<String> {
        let name = &self.plan.name;
        let late = (self.late > 0)
            .then(|| format!("ping {name}: {} requests were sent late by more than 1 ms", self.late));
        let error = self.send_error.as_ref().map(|e| format!("ping {name}: {e}"));
        late.into_iter().chain(error).collect()
    }
}

/// An echo request with a payload of zeros, without type and checksum.
fn echo_request(identifier: u16, sequence: u16, payload_bytes: usize) -> Vec<u8> {
    let mut packet = vec![0; 4];
    packet.extend(identifier.to_be_bytes());
    packet.extend(sequence.to_be_bytes());
    packet.resize(8 + payload_bytes, 0);
    packet
}

/// Sets the checksum of an ICMP message. That of `ICMPv6`, which covers addresses, is the kernel's (RFC 3542, 3.1).
fn sum(packet: &mut [u8]) {
    let checksum = internet_checksum(packet);
    packet[2..4].copy_from_slice(&checksum.to_be_bytes());
}

/// RFC 1071.
fn internet_checksum(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
    let mut sum: u32 = bytes.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// The number of the request that is answered, of `count` requests with this identifier.
fn answered(count: usize, identifier: u16, socket: &EchoSocket, received: &Received) -> Option<usize> {
    let header_bytes = if socket.receives_header { usize::from(received.head[0] & 0xf) * 4 } else { 0 };
    let icmp = received.head.get(header_bytes..header_bytes + 8)?;
    let number = |at: usize| u16::from_be_bytes([icmp[at], icmp[at + 1]]);
    let is_own = socket.has_identifier || number(4) == identifier;
    if is_own && icmp[0] == socket.types.reply { unwrapped(number(6), count) } else { None }
}

/// The latest of `count` requests whose sequence number has these low 16 bits.
fn unwrapped(low: u16, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    let back = usize::from((last as u16).wrapping_sub(low));
    last.checked_sub(back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_a_valid_checksum() {
        for (sequence, payload_bytes) in [(7, 56), (2, 3)] {
            let mut packet = echo_request(0xa100, sequence, payload_bytes);
            packet[0] = EchoTypes::V4.request;
            sum(&mut packet);
            assert_eq!((packet.len(), &packet[..2]), (8 + payload_bytes, &[8, 0][..]));
            // RFC 1071: the checksum over a packet that contains its own checksum is zero.
            assert_eq!(internet_checksum(&packet), 0);
        }
    }

    #[test]
    fn sequence_numbers_beyond_16_bits_are_found() {
        assert_eq!(unwrapped(5, 6), Some(5));
        assert_eq!(unwrapped(0, 6), Some(0));
        assert_eq!(unwrapped(6, 6), None);
        assert_eq!(unwrapped(0, 0), None);
        assert_eq!(unwrapped(65_535, 65_540), Some(65_535));
        assert_eq!(unwrapped(3, 65_540), Some(65_539));
    }

    fn socket(types: EchoTypes, receives_header: bool, has_identifier: bool) -> EchoSocket {
        let socket = std::fs::File::open("/dev/null").unwrap().into();
        EchoSocket::of(socket, types, receives_header, has_identifier)
    }

    #[test]
    fn strangers_answers_are_ignored() {
        let raw = socket(EchoTypes::V4, true, false);
        let received = |identifier: u16, sequence: u16| {
            let mut head = [0; 68];
            head[0] = 0x45;
            // Type 0 of an answer is there already.
            head[24..26].copy_from_slice(&identifier.to_be_bytes());
            head[26..28].copy_from_slice(&sequence.to_be_bytes());
            Received { head, realtime_ns: 0 }
        };
        assert_eq!(answered(2, 0xa100, &raw, &received(0xa101, 1)), None);
        assert_eq!(answered(2, 0xa100, &raw, &received(0xa100, 1)), Some(1));
    }

    #[test]
    fn an_answer_without_ip_header_is_read_from_its_beginning() {
        for types in [EchoTypes::V4, EchoTypes::V6] {
            let mut head = [0; 68];
            (head[0], head[7]) = (types.reply, 1);
            let own = socket(types, false, true);
            assert_eq!(answered(2, 0xa100, &own, &Received { head, realtime_ns: 0 }), Some(1));
            assert_eq!(
                answered(2, 0xa100, &socket(types, false, false), &Received { head, realtime_ns: 0 }),
                None
            );
            head[0] = types.request;
            assert_eq!(answered(2, 0xa100, &own, &Received { head, realtime_ns: 0 }), None);
        }
    }
}
