//! Nodes, interfaces, wires and queues: the parts that Linux itself provides.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{DualPi2, Mptcp, WireTrace};

/// Longest interface name Linux takes (`IFNAMSIZ` minus the final zero).
pub const INTERFACE_NAME_MAX: usize = 15;

/// One network namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Unique name; also the name of the namespace.
    pub name: String,
    /// Network interfaces of the node, besides `lo`.
    pub interfaces: Vec<Interface>,
    /// Bridges of the node.
    pub bridges: Vec<Bridge>,
    /// Routes of the node beyond those that addresses imply.
    pub routes: Vec<Route>,
    /// Settings below `/proc/sys`, written in this order before interfaces come up.
    pub sysctls: Vec<Sysctl>,
    /// Lines for `tc -batch`, run last, in the node.
    pub tc: Vec<String>,
    /// Path manager of MPTCP; `null`: as the kernel begins, with two subflows beside the first and no endpoints.
    #[serde(default)]
    pub mptcp: Option<Mptcp>,
    /// Difference of the node's clocks from virtual time.
    pub clock: HostClock,
    /// Offloads that devices of the node do for its network stack.
    pub offloads: Offloads,
    /// Namespaces that the node's programs have of the node's own beside its network; none twice.
    #[serde(default)]
    pub namespaces: Vec<Namespace>,
}

/// A namespace (namespaces(7)) that all programs of a node share, and no others have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Namespace {
    /// Namespace of processes: programs see, and can signal, those of their node alone; its process 1 is the agent's.
    Pid,
    /// Namespace of mounts: what one program mounts is there for those that follow. Without it each program has its own.
    Mount,
}

/// Offloads of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Offloads {
    /// No offloads: every packet of the node's queues is one frame.
    #[default]
    None,
    /// Offloads of a host: TCP builds packets of several segments, which devices of wires cut into frames (TSO) and the kernel
    /// does above radios (GSO); devices of wires merge what they receive in one interrupt (GRO). Only for a node that forwards
    /// nothing.
    Host,
}

/// Most that a wall clock may be off: a day.
pub const CLOCK_OFFSET_MOST_NS: u64 = 86_400_000_000_000;
/// Most that a clock may be fast or slow, in parts per 1e9: 500 ppm, the tolerance of NTP (RFC 5905, section 10, PHI and MAXFREQ).
pub const CLOCK_SKEW_MOST_PPB: u64 = 500_000;

/// The clocks of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostClock {
    /// How far the wall clock is ahead when the machine starts; negative: behind.
    pub offset_ns: i64,
    /// How much faster than virtual time all its clocks run, in parts per 1e9; negative: slower.
    pub skew_ppb: i64,
}

impl Node {
    /// Number of the device of this name: interfaces first, then bridges, in their order.
    pub fn device(&self, name: &str) -> Option<usize> {
        self.device_names().position(|own| own == name)
    }

    /// Names of its interfaces, then of its bridges.
    pub fn device_names(&self) -> impl Iterator<Item = &str> {
        self.interfaces.iter().map(|i| i.name.as_str()).chain(self.bridges.iter().map(|b| b.name.as_str()))
    }
}

/// A network interface of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// Name inside the node, at most 15 characters.
    pub name: String,
    /// Hardware address.
    pub mac: MacAddress,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Addresses with prefix length, `10.0.0.1/24`.
    pub addresses: Vec<String>,
    /// The node's bridge of which this interface is a port.
    pub bridge: Option<String>,
    /// What the interface is connected to.
    pub attachment: Attachment,
    /// How packets leave.
    pub egress: Egress,
    /// When the end of a wire interrupts its host for frames that have arrived; `null`: at once, and at a NIC of the air, whose
    /// card says it.
    pub rx_interrupt: Option<WireInterrupt>,
}

/// Moderation of the interrupts of an Ethernet NIC. What arrives until one comes is received in one poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireInterrupt {
    /// From one interrupt to the next, at least.
    pub interval_ns: u64,
    /// From the first frame that waits to the interrupt, unless `interval_ns` is longer.
    pub after_first_ns: u64,
    /// Frames that raise it before `after_first_ns` has passed; `null`: no number does.
    pub frames: Option<u32>,
}

/// What the other side of an interface is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Attachment {
    /// One end of a pair of Ethernet devices; exactly two interfaces name each wire.
    Wire {
        /// Number of the wire.
        wire: u32,
    },
    /// A NIC of the air.
    Air {
        /// Index of the NIC in `air.nics`.
        nic: u32,
    },
}

/// The egress of an interface: queue, serialisation, propagation delay.
///
/// The queue is the root discipline of the device. An end of a wire with a rate takes the next
/// packet from it when the previous one has departed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Egress {
    /// One-way propagation delay; 0 for none, and at a NIC of the air.
    pub delay_ns: u64,
    /// Rate of the wire, of Ethernet frames without preamble and FCS; `null` for as fast as the kernel is, and at a NIC of
    /// the air.
    pub rate_bps: Option<u64>,
    /// How rate, delay and loss change over time; `null`: they do not, and at a NIC of the air.
    pub trace: Option<WireTrace>,
    /// The queue.
    pub queue: Queue,
}

impl Egress {
    /// Whether packets wait for others that are being sent: at all times, or at some of a trace.
    pub fn has_rate(&self) -> bool {
        let limits = |trace: &WireTrace| trace.points.iter().any(|point| point.rate_bps.is_some());
        self.rate_bps.is_some() || self.trace.as_ref().is_some_and(limits)
    }
}

/// A packet queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Queue {
    /// No queue: packets go straight to the device.
    None,
    /// Drop-tail, counted in packets.
    Packets {
        /// Most packets that wait.
        limit: u32,
    },
    /// Drop-tail, counted in bytes.
    Bytes {
        /// Most bytes that wait.
        limit: u32,
    },
    /// The coupled dual-queue AQM, which few versions of `tc` know.
    Dualpi2(DualPi2),
    /// Any discipline of the kernel, in the words of `tc`.
    Tc {
        /// Kind and options, for example `["fq_codel", "target", "5ms"]`.
        args: Vec<String>,
    },
}

/// A learning switch inside a node (no spanning tree).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bridge {
    /// Interface name of the bridge itself.
    pub name: String,
    /// Hardware address of the bridge itself.
    pub mac: MacAddress,
    /// Addresses with prefix length.
    pub addresses: Vec<String>,
}

/// A static route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Destination with prefix length; `0.0.0.0/0` is the default route.
    pub to: String,
    /// Next hop.
    pub via: IpAddr,
}

/// One setting of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sysctl {
    /// Dotted key, for example `net.ipv4.tcp_rmem`.
    pub key: String,
    /// The text to write.
    pub value: String,
}

impl Sysctl {
    /// The setting's file below `/proc/sys`. As in sysctl(8), a `/` in a key stands for a dot in a name (`conf.eth0/1`). `None`:
    /// the key would lead to another place.
    pub fn path(&self) -> Option<String> {
        let swap = |c| match c {
            '.' => '/',
            '/' => '.',
            other => other,
        };
        let relative: String = self.key.chars().map(swap).collect();
        let stays = relative.split('/').all(|part| !["", ".", ".."].contains(&part) && !part.contains('\0'));
        stays.then(|| format!("/proc/sys/{relative}"))
    }
}

/// A 48-bit hardware address, written `02:00:00:00:00:01`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// Every station.
    pub const BROADCAST: Self = Self([0xff; 6]);

    /// Whether more than one station may be meant (the group bit is set).
    #[inline]
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 != 0
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, rest @ ..] = self.0;
        write!(f, "{first:02x}")?;
        rest.iter().try_for_each(|octet| write!(f, ":{octet:02x}"))
    }
}

impl fmt::Debug for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for MacAddress {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not a hardware address such as 02:00:00:00:00:01");
        let mut octets = [0; 6];
        let mut parts = text.split(':');
        for octet in &mut octets {
            let part = parts.next().filter(|p| p.len() == 2).ok_or_else(wrong)?;
            *octet = u8::from_str_radix(part, 16).map_err(|_| wrong())?;
        }
        if parts.next().is_some() {
            return Err(wrong());
        }
        Ok(Self(octets))
    }
}

impl Serialize for MacAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MacAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for MacAddress {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MacAddress".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^([0-9a-f]{2}:){5}[0-9a-f]{2}$" })
    }
}
