//! The summaries that the agent and the air write at the end of a run, one JSON file each.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the border between kernel and guest library (`AIRTCP_ABI` of the kernel patches).
pub const KERNEL_ABI: u32 = 15;
/// Exit status of the guest library when a record could not be written.
pub const EXIT_RECORD: i32 = 74;
/// Name of the agent's report in the run's working folder.
pub const AGENT_REPORT: &str = "agent.json";
/// Name of the air's report in the run's working folder.
pub const AIR_REPORT: &str = "air.json";
/// Name of the report on the connections and UDP flows of programs, in the run's working folder.
pub const SOCKETS_REPORT: &str = "sockets.json";
/// Name of the file in which the air shows how far it is: three u64, little-endian, virtual
/// nanoseconds since boot, events handled, and CPU nanoseconds until the guest's first frame.
pub const PROGRESS_FILE: &str = "progress";
/// Name of the file in which the agent shows how far a run without radios is, where no air shows it: one u64, little-endian,
/// virtual nanoseconds since boot.
pub const AGENT_PROGRESS_FILE: &str = "agent-progress";
/// Name of the plan in the run's working folder.
pub const PLAN_FILE: &str = "plan.json";
/// Folder in the working folder for record files; each is `NAME.rec`.
pub const RECORDS_FOLDER: &str = "records";
/// The guest's console in the run's working folder.
pub const CONSOLE_FILE: &str = "console.log";
/// Folder for captures, in the working folder and in the run folder; each is `NAME.pcapng`.
pub const CAPTURES_FOLDER: &str = "pcap";
/// Name of the file, in the working folder and in the run folder, that has what entered a session and what its jobs said: one
/// JSON object per line, each with its time.
pub const TRANSCRIPT: &str = "session.jsonl";
/// File descriptors of the guest's process: what the user of a session orders, and what it is answered.
pub const FD_SESSION_ORDERS: i32 = 7;
/// See above.
pub const FD_SESSION_ANSWERS: i32 = 8;
/// Name of the file in the working folder of a guest of a split network: the number of the part that it computes, or [`BOTH_PARTS`].
pub const PART_FILE: &str = "part";
/// See above.
pub const BOTH_PARTS: &str = "both";
/// File descriptor of the guest's process: the memory that both guests of a split network share.
pub const FD_EXCHANGE: i32 = 9;
/// Bytes of this memory: both guests' frames of the wires between the parts, many lookaheads of them. Pages that are not used
/// take no room.
pub const EXCHANGE_BYTES: u64 = 32 << 20;
/// Follows the working folder in the guest library's arguments if a user has those descriptors.
pub const WITH_USER: &str = ",user";
/// Folder in the working folder for the output of programs.
pub const PROGRAMS_FOLDER: &str = "programs";

/// The agent's report. It exists only if the agent ended in the regular way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentReport {
    /// What ended the run too early, if anything did.
    pub failure: Option<Failure>,
    /// Release of the guest's kernel (`uname -r`).
    pub kernel_release: String,
    /// Virtual time from boot when the network was ready.
    pub ready_ns: u64,
    /// When the run ended, from the epoch: the planned time, or the end of the last of the flows that end it.
    pub end_ns: u64,
    /// One entry per flow of the plan.
    pub flows: Vec<FlowReport>,
    /// One entry per stream of datagrams of the plan.
    pub datagrams: Vec<DatagramReport>,
    /// One entry per ping of the plan.
    pub pings: Vec<PingReport>,
    /// One entry per program of the plan.
    pub programs: Vec<ProgramReport>,
    /// Every queueing discipline of every node, as it was at the end.
    pub qdiscs: Vec<QdiscReport>,
    /// Every end of a wire that has a trace, as it was at the end; left out if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wires: Vec<WireReport>,
    /// Limits that all hosts of the guest share, and that were met: hosts felt each other as real ones do not. Empty if none was.
    #[serde(default)]
    pub limits: Vec<LimitReport>,
    /// Warnings that concern the validity of the results.
    pub warnings: Vec<String>,
}

/// How often a limit was met that all hosts of the guest share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitReport {
    /// The node whose kernel counted; `null` of what the kernel counts for all.
    pub node: Option<String>,
    /// The kernel's counter, as `nstat` calls it or the file below `/proc/net` that has it, for example
    /// `TcpExtTCPMemoryPressures`.
    pub counter: String,
    /// Value of the counter at the end.
    pub times: u64,
}

/// A failure as users read it: what is wrong, where, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What went wrong, naming the thing.
    pub what: String,
    /// Place of the failure: a key of the plan or a node and a step.
    pub place: String,
    /// What to do about it.
    pub remedy: String,
}

/// How one flow went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowReport {
    /// Name in the plan.
    pub name: String,
    /// Congestion control that the kernel said it used.
    pub congestion_control: String,
    /// When the connection was established, from the epoch; `null` if it never was.
    pub connected_ns: Option<u64>,
    /// When the receiver had read the end of the data; `null` if the run ended before.
    pub finished_ns: Option<u64>,
    /// Application bytes at the receiver.
    pub bytes_received: u64,
    /// Bytes acknowledged to the sender.
    pub bytes_acked: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// `tcp_info` of the sender: time busy sending.
    pub busy_us: u64,
    /// Busy time that was limited by the receiver's window.
    pub rwnd_limited_us: u64,
    /// Busy time that was limited by the send buffer.
    pub sndbuf_limited_us: u64,
    /// Error of the connection, if any.
    pub error: Option<String>,
}

/// TCP connections and UDP flows of programs: an entry for each direction of a connection and for each UDP flow that delivered
/// enough ([`crate::Sampling::sockets_least_bytes`]), in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketsReport {
    /// The flows.
    pub flows: Vec<SocketFlow>,
    /// MPTCP connections: an entry for each direction that delivered enough; left out if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mptcp: Vec<MptcpConnection>,
    /// TCP sockets that were not recorded because too many were open at a time, and datagrams of UDP flows beyond the number that
    /// is told apart.
    pub unseen: u64,
}

/// One end of a connection or UDP flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketPlace {
    /// Node that has the address; empty if no node has it.
    pub node: String,
    /// Address.
    pub address: Ipv4Addr,
    /// Port.
    pub port: u16,
}

/// How one direction of a connection, or one UDP flow, went. Byte counts of TCP are the kernel's: SYN and FIN are one each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketFlow {
    /// Number of the flow among those of programs in the records. In a run folder: its number in the series `flows`.
    pub number: u32,
    /// `tcp` or `udp`.
    pub protocol: String,
    /// Sender.
    pub from: SocketPlace,
    /// Receiver.
    pub to: SocketPlace,
    /// Whether the sender is the end that connected, or that sent first.
    pub connecting: bool,
    /// Process group that connected; 0 if it is not known.
    pub group: u32,
    /// Congestion control of the sender; empty for UDP.
    pub congestion_control: String,
    /// When the connection was established, or the first datagram was sent, from the epoch.
    pub connected_ns: i64,
    /// When both ends had closed, or the last datagram arrived; `null` if the run ended before.
    pub finished_ns: Option<i64>,
    /// Bytes at the receiver.
    pub bytes_received: u64,
    /// Bytes acknowledged to the sender.
    pub bytes_acked: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// `tcp_info` of the sender: time busy sending.
    pub busy_us: u64,
    /// Busy time that was limited by the receiver's window.
    pub rwnd_limited_us: u64,
    /// Busy time that was limited by the send buffer.
    pub sndbuf_limited_us: u64,
    /// For UDP: datagrams given to a device.
    pub datagrams_sent: u64,
    /// For UDP: datagrams that arrived.
    pub datagrams_received: u64,
    /// The direction of an MPTCP connection whose subflow it is, as [`MptcpConnection::number`]; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mptcp: Option<u32>,
}

/// How one direction of an MPTCP connection went (RFC 8684). Byte counts are those of data sequence numbers: the `DATA_FIN` is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MptcpConnection {
    /// Number among those of programs in the records. In a run folder: its number in the series `mptcp`.
    pub number: u32,
    /// Sender, by the address of the first subflow.
    pub from: SocketPlace,
    /// Receiver, likewise.
    pub to: SocketPlace,
    /// Whether the sender is the end that connected.
    pub connecting: bool,
    /// Process group that connected; 0 if it is not known.
    pub group: u32,
    /// When the first subflow was established, from the epoch.
    pub connected_ns: i64,
    /// When both ends of the last subflow had closed; `null` if the run ended before.
    pub finished_ns: Option<i64>,
    /// Most subflows that the sender had at a time.
    pub subflows: u32,
    /// Bytes in order at the receiver, of all subflows together.
    pub bytes_received: u64,
    /// Bytes that the connection sent again, on any subflow; `null` if the kernel does not count them (Linux before 6.5).
    pub bytes_reinjected: Option<u64>,
}

/// How one stream of datagrams went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatagramReport {
    /// Name in the plan.
    pub name: String,
    /// Datagrams that the application sent.
    pub sent: u64,
    /// Datagrams that the kernel refused, of those sent: the socket's send buffer was full.
    pub refused: u64,
    /// Datagrams that the receiver got before the end, of those sent.
    pub received: u64,
}

/// How one ping stream went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingReport {
    /// Name in the plan.
    pub name: String,
    /// Requests sent.
    pub sent: u64,
    /// Answers that came before the end.
    pub received: u64,
}

/// How one program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramReport {
    /// Name in the plan.
    pub name: String,
    /// Process group of the program, as [`SocketFlow::group`]; 0 if it was not started.
    pub group: u32,
    /// Exit status; `null` if a signal ended it.
    pub status: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
}

/// One queueing discipline at the end of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QdiscReport {
    /// Node.
    pub node: String,
    /// Interface.
    pub interface: String,
    /// Kind, for example `pfifo`.
    pub kind: String,
    /// Handle, for example `3:`.
    pub handle: String,
    /// Bytes sent.
    pub bytes: u64,
    /// Packets sent.
    pub packets: u64,
    /// Packets dropped.
    pub drops: u64,
    /// Packets over a limit of the discipline (marked or delayed, as it defines).
    pub overlimits: u64,
    /// Packets waiting.
    pub backlog_packets: u64,
    /// Bytes waiting.
    pub backlog_bytes: u64,
}

/// What an end of a wire sent, if rate, delay or loss of the wire change over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireReport {
    /// Node.
    pub node: String,
    /// Interface.
    pub interface: String,
    /// Frames that it began to send.
    pub frames: u64,
    /// Bytes of the sent frames, with Ethernet headers.
    pub bytes: u64,
    /// Sent frames that do not arrive.
    pub lost: u64,
}

/// Most of [`AirReport::late_max_ns`] in a run that counts: a tenth of the shortest interframe space (SIFS of 10 us at 2.4 GHz, IEEE
/// 802.11-2020, table 15-6), so that no order of frames can depend on it.
pub const LATE_MOST_NS: u64 = 1_000;

/// The air's report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AirReport {
    /// Version of the model: results may change when it does.
    pub model_version: u32,
    /// Virtual time at the end, from boot.
    pub end_ns: u64,
    /// Events the model handled; 0 of a split network, because a guest that computes one part handles some of the other.
    pub events: u64,
    /// The longest time by which the kernel ran later than the air had requested. A run with more than
    /// [`LATE_MOST_NS`] is refused.
    pub late_max_ns: u64,
    /// Hash over every frame given to the air and every frame it delivered,
    /// with NIC, length, first bytes and virtual time; 16 hexadecimal digits.
    pub frame_hash: String,
    /// The frame hash over the NICs of each part of a split network; left out if it is not split.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub part_hashes: Vec<String>,
    /// One entry per NIC.
    pub nics: Vec<NicReport>,
    /// One entry per medium (cells on one frequency).
    pub media: Vec<MediumReport>,
}

/// Counters of one NIC. `accepted = sent + dropped + in_flight`, checked by the air.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NicReport {
    /// Node it belongs to.
    pub node: String,
    /// Frames taken from the kernel, or relayed by an access point.
    pub accepted: u64,
    /// Frames acknowledged, or group-addressed frames sent.
    pub sent: u64,
    /// Frames dropped, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Frames still queued or on the air at the end.
    pub in_flight: u64,
    /// Frames handed to the kernel.
    pub delivered: u64,
    /// Frames that an access point or a mesh station sent on.
    pub relayed: u64,
    /// Frames in which congestion was marked.
    pub marked: u64,
    /// Data PPDUs sent, retries included.
    pub transmissions: u64,
    /// Data PPDUs that were retries.
    pub retries: u64,
    /// Data PPDUs that ended in a collision at their receiver.
    pub collisions: u64,
    /// Data PPDUs that were lost to noise.
    pub corrupted: u64,
    /// MPDUs in its data PPDUs, repetitions included.
    pub mpdus: u64,
    /// MPDUs that were lost at their receiver.
    pub mpdus_lost: u64,
    /// MPDUs that carried more than one frame, repetitions not counted.
    pub amsdus: u64,
    /// RTS frames sent.
    pub rts: u64,
    /// RTS frames without an answer.
    pub rts_failed: u64,
    /// Requests for a block acknowledgement sent.
    pub block_ack_requests: u64,
    /// Most frames its queue held.
    pub queue_max: u64,
    /// Time its own PPDUs (data and control responses) took since traffic time zero.
    pub airtime_ns: u64,
}

/// How the time of one medium was spent; the parts add up to the time since traffic time zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediumReport {
    /// Frequency.
    pub frequency_mhz: u32,
    /// One PPDU with data or a beacon on the air, undisturbed.
    pub data_ns: u64,
    /// Control frames (Ack, `BlockAck`, RTS, CTS, `BlockAckReq`), and the SIFS inside exchanges and TXOPs.
    pub response_ns: u64,
    /// Two or more PPDUs on the air at once, and what is left of them until the medium is silent.
    pub collision_ns: u64,
    /// Nothing on the air while somebody waited for access (inter-frame spaces, backoff), or for a response that did not come.
    pub contention_ns: u64,
    /// Nothing on the air, and nothing to send.
    pub idle_ns: u64,
}

impl MediumReport {
    /// The sum of the parts.
    pub fn total_ns(&self) -> u64 {
        self.data_ns + self.response_ns + self.collision_ns + self.contention_ns + self.idle_ns
    }
}
