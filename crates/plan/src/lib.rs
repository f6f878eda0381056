//! The compiled plan and the records of a run.
//!
//! A **plan** is what is executed: every value explicit, no defaults, one
//! version number. It is written by the scenario compiler, and read by the
//! runner, by the agent (PID 1 of the guest) and by the air. Unknown keys are
//! errors. `schema()` gives its JSON schema.
//!
//! A **scene** ([`AirScene`]) is what is computed without a guest: the radio side and built-in sources;
//! [`scene_report`] is what comes out.
//!
//! A **record file** ([`record`]) is a table that the code inside the guest
//! writes: a self-describing header, then packed rows.
//!
//! A **report** ([`report`]) is the summary that the agent and the air write at the end.
//!
//! Times in a plan are nanoseconds of virtual time counted from the *epoch*,
//! the instant at which traffic may start; names end in their unit.

mod cake_tins;
mod capture;
mod check;
pub mod condition;
pub mod coverage;
mod datagrams;
mod dscp_map;
mod dualpi2;
pub mod explanation;
mod files;
mod flow;
mod flow_queueing;
mod host_programs;
pub mod kernel_layout;
pub mod measurement;
mod mptcp;
mod network;
mod qdisc_marks;
mod reading;
pub mod record;
pub mod report;
mod scene;
pub mod scene_report;
mod session;
pub mod session_messages;
mod split;
mod tcp_info;
mod traffic;
mod variate;
mod watched;
mod wifi;
mod wire_trace;
mod workload;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cake_tins::{CakeTin, cake_tins};
pub use capture::{Capture, CapturePoint, DEVICES_MAX, SNAP_BYTES_MAX, SNAP_BYTES_MIN};
pub use check::PlanError;
pub use datagrams::{DATAGRAM_BYTES_MAX, DATAGRAM_BYTES_MIN, DatagramStream, Phase, Spacing};
pub use dscp_map::DscpMap;
pub use dualpi2::{DualPi2, DualPi2State, LowLatency, StepThreshold};
pub use files::{FILES_BYTES_MAX, FileContent, ScenarioFile};
pub use flow::Flow;
pub use flow_queueing::FlowQueueing;
pub use host_programs::host_program_places;
pub use mptcp::{MPTCP_ADDRESSES_MAX, Mptcp, MptcpEndpoint, MptcpFlag};
pub use network::{
    Attachment, Bridge, CLOCK_OFFSET_MOST_NS, CLOCK_SKEW_MOST_PPB, Egress, HostClock, INTERFACE_NAME_MAX,
    Interface, MacAddress, Namespace, Node, Offloads, Queue, Route, Sysctl, WireInterrupt,
};
pub use qdisc_marks::marked_packets;
pub use scene::{
    AirScene, ETHERNET_HEADER_BYTES, LLC_SNAP_BYTES, MSDU_BYTES_MAX, Pace, SOURCE_FRAME_BYTES_MAX,
    SOURCE_FRAME_BYTES_MIN, Source, scene_schema,
};
pub use session::{
    JobEvent, SESSION_DATA_BYTES_MAX, SESSION_MESSAGE_BYTES_MAX, Session, SessionAct, SessionEvent,
    SessionFlow, SessionInput, TerminalSize,
};
pub use split::{PARTS, Split, computed_part};
pub use tcp_info::{TCP_INFO_FIELDS, TcpInfo, TcpInfoField, tcp_info_assertions};
pub use traffic::{Ping, Program, SAMPLING_INTERVAL_MIN_NS, Sampling};
pub use variate::Variate;
pub use watched::{Device, Points};
pub use wifi::*;
pub use wire_trace::{WIRE_POINTS_MAX, WIRE_TRACE_RATE_MAX_BPS, WirePoint, WireTrace};
pub use workload::{Adaptation, Burst, REQUEST_BYTES_MIN, Workload};

/// The version of the plan's format. Another version is refused.
pub const PLAN_VERSION: u32 = 18;

/// The latest date, in 2106: after it times of 32 bits wrap around.
pub const DATE_MAX_S: u64 = u32::MAX as u64;

/// Everything a run depends on besides the kernel and the model's version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Format of this plan, [`PLAN_VERSION`].
    #[schemars(extend("const" = PLAN_VERSION))]
    pub version: u32,
    /// The scenario's name, for people.
    pub name: String,
    /// Root of every random stream, the guest kernel's included.
    pub seed: u64,
    /// Kernel series, for example `6.12`, or `6.12-lab` with a flavour.
    pub kernel: String,
    /// How this kernel maps code points to user priorities, and so do radios.
    pub dscp_map: DscpMap,
    /// What programs may do in the guest.
    pub guest: Guest,
    /// Memory of the guest in MiB (sparse; at least 256).
    pub memory_mib: u32,
    /// The epoch: virtual time from the guest's boot to traffic time zero.
    pub epoch_ns: u64,
    /// Date of the wall clocks at traffic time zero: seconds since 1970, at most [`DATE_MAX_S`].
    pub date_s: u64,
    /// Length of the run from the epoch to its end, at most.
    pub duration_ns: u64,
    /// Numbers of flows in rising order: the run ends when all of them have ended at their receivers, and all programs of
    /// `ends_with_programs`. None of either: it ends at its planned time.
    pub ends_with: Vec<u32>,
    /// Numbers of programs in rising order, likewise.
    pub ends_with_programs: Vec<u32>,
    /// Every host, access point and switch: a network namespace each.
    pub nodes: Vec<Node>,
    /// The radio side: cells, NICs and the channel.
    pub air: AirPlan,
    /// TCP connections, numbered by their place.
    pub flows: Vec<Flow>,
    /// Streams of UDP datagrams, numbered by their place.
    pub datagrams: Vec<DatagramStream>,
    /// ICMP echo streams, numbered by their place.
    pub pings: Vec<Ping>,
    /// Commands of the user, run in a node.
    pub programs: Vec<Program>,
    /// Files that these commands find in the scenario's folder.
    pub files: Vec<ScenarioFile>,
    /// What is sampled, and how often.
    pub sampling: Sampling,
    /// Packets that are kept.
    pub captures: Vec<Capture>,
    /// What enters from outside while it runs; `null`: the run has no session.
    pub session: Option<Session>,
    /// How two guests may compute it; `null`: one guest does.
    pub split: Option<Split>,
}

/// The flavour of kernels in which programs may be privileged: its root is writable, and its networking complete.
pub const LAB_FLAVOUR: &str = "lab";

/// The guest as its programs find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guest {
    /// Whether programs may mount, make namespaces and trace, as root on a machine of its own; needs a kernel of
    /// [`LAB_FLAVOUR`].
    pub privileged: bool,
    /// The number of the node whose network is the kernel's first network namespace, as of a machine; `None`: no node's is.
    /// Settings of the whole kernel (`net.core.default_qdisc`) are in its `/proc/sys/net` alone. Its interfaces are radios of
    /// mac80211, and its clock is virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_node: Option<u32>,
}

/// The JSON schema of a plan.
pub fn schema() -> serde_json::Value {
    serde_json::to_value(schemars::schema_for!(Plan)).expect("a schema is plain JSON")
}
