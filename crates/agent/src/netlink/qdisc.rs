//! Queueing disciplines (Linux `include/uapi/linux/pkt_sched.h`): the ones that
//! a scenario names by itself, and the statistics of any.

use airtcp_plan::DualPi2;
use rustix::io;

use super::dualpi2;
use super::message::{find, text, u32_at, u64_at};
use super::{Netlink, Request};

/// `TC_H_ROOT`: the place directly at the device.
pub(crate) const ROOT: u32 = 0xffff_ffff;

const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
/// `NLA_F_NESTED`, which newer disciplines insist on.
const NESTED: u16 = 1 << 15;
const TCA_STATS2: u16 = 7;
const TCA_STATS_BASIC: u16 = 1;
const TCA_STATS_QUEUE: u16 = 3;
const TCA_STATS_PKT64: u16 = 8;
/// Bytes of `struct tcmsg`.
const TCMSG_BYTES: usize = 20;

/// A discipline that is set without the `tc` program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Discipline {
    /// Nothing between the stack and the device.
    Noqueue,
    /// Drop-tail in packets.
    Pfifo {
        /// Maximum queue length in packets.
        limit: u32,
    },
    /// Drop-tail in bytes.
    Bfifo {
        /// Maximum queue length in bytes.
        limit: u32,
    },
    /// The coupled dual-queue AQM.
    Dualpi2(DualPi2),
}

impl Discipline {
    /// The kernel's name.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Noqueue => "noqueue",
            Self::Pfifo { .. } => "pfifo",
            Self::Bfifo { .. } => "bfifo",
            Self::Dualpi2(_) => "dualpi2",
        }
    }

    fn options(self, request: Request) -> Request {
        match self {
            Self::Noqueue => request,
            Self::Pfifo { limit } | Self::Bfifo { limit } => request.u32(TCA_OPTIONS, limit),
            Self::Dualpi2(settings) => {
                request.nest(TCA_OPTIONS | NESTED, &[], |options| dualpi2::write(options, &settings))
            }
        }
    }

    /// Whether what the kernel reports is this discipline with these settings.
    pub(crate) fn is(self, reported: Option<Self>) -> bool {
        match (self, reported) {
            (Self::Dualpi2(wanted), Some(Self::Dualpi2(kept))) => dualpi2::is_kept(&wanted, &kept),
            _ => Some(self) == reported,
        }
    }
}

/// `struct tcmsg`.
fn tcmsg(index: u32, handle: u32, parent: u32) -> [u8; TCMSG_BYTES] {
    let mut bytes = [0; TCMSG_BYTES];
    bytes[4..8].copy_from_slice(&index.to_ne_bytes());
    bytes[8..12].copy_from_slice(&handle.to_ne_bytes());
    bytes[12..16].copy_from_slice(&parent.to_ne_bytes());
    bytes
}

/// Sets a discipline at a handle of an interface.
pub(crate) fn set_qdisc(index: u32, handle: u32, parent: u32, discipline: Discipline) -> Request {
    let flags = (libc::NLM_F_CREATE | libc::NLM_F_REPLACE) as u16;
    let request = Request::new(libc::RTM_NEWQDISC, flags, &tcmsg(index, handle, parent));
    discipline.options(request.text(TCA_KIND, discipline.kind()))
}

/// A discipline as the kernel reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Installed {
    /// Interface.
    pub(crate) index: u32,
    /// Handle.
    pub(crate) handle: u32,
    /// Place.
    pub(crate) parent: u32,
    /// The kernel's name.
    pub(crate) kind: String,
    /// Options of the discipline, as the kernel encodes them.
    pub(crate) options: Vec<u8>,
    /// Bytes sent.
    pub(crate) bytes: u64,
    /// Packets sent.
    pub(crate) packets: u64,
    /// Packets dropped.
    pub(crate) drops: u32,
    /// Times that a limit was exceeded, as the discipline defines it.
    pub(crate) overlimits: u32,
    /// Packets waiting.
    pub(crate) backlog_packets: u32,
    /// Bytes waiting.
    pub(crate) backlog_bytes: u32,
}

impl Installed {
    fn read(body: &[u8]) -> Option<Self> {
        let attributes = body.get(TCMSG_BYTES..)?;
        let statistics = find(attributes, TCA_STATS2).unwrap_or_default();
        let basic = find(statistics, TCA_STATS_BASIC).unwrap_or_default();
        let queue = find(statistics, TCA_STATS_QUEUE).unwrap_or_default();
        let packets64 = find(statistics, TCA_STATS_PKT64).map(|v| u64_at(v, 0));
        Some(Self {
            index: u32_at(body, 4),
            handle: u32_at(body, 8),
            parent: u32_at(body, 12),
            kind: text(find(attributes, TCA_KIND)?),
            options: find(attributes, TCA_OPTIONS).unwrap_or_default().to_vec(),
            bytes: u64_at(basic, 0),
            packets: packets64.unwrap_or_else(|| u64::from(u32_at(basic, 8))),
            backlog_packets: u32_at(queue, 0),
            backlog_bytes: u32_at(queue, 4),
            drops: u32_at(queue, 8),
            overlimits: u32_at(queue, 16),
        })
    }

    /// The discipline with its settings, if it is of a kind that the agent sets itself; `None` for another.
    pub(crate) fn discipline(&self) -> Option<Discipline> {
        let options = &self.options;
        Some(match self.kind.as_str() {
            "noqueue" => Discipline::Noqueue,
            "pfifo" => Discipline::Pfifo { limit: u32_at(options, 0) },
            "bfifo" => Discipline::Bfifo { limit: u32_at(options, 0) },
            "dualpi2" => Discipline::Dualpi2(dualpi2::read(options)?),
            _ => return None,
        })
    }

    /// The handle as `tc` prints it.
    pub(crate) fn handle_text(&self) -> String {
        format!("{:x}:", self.handle >> 16)
    }
}

/// Every discipline of the namespace.
pub(crate) fn qdiscs(netlink: &mut Netlink) -> io::Result<Vec<Installed>> {
    let mut found = Vec::new();
    netlink.dump(libc::RTM_GETQDISC, &tcmsg(0, 0, 0), |body| found.extend(Installed::read(body)))?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::replies;

    fn round_trip(discipline: Discipline) -> Option<Discipline> {
        let bytes = set_qdisc(10, 0x3_0000, ROOT, discipline).finish(1, 0);
        let installed = Installed::read(replies(&bytes).next().unwrap().body).unwrap();
        assert_eq!((installed.index, installed.handle_text().as_str(), installed.parent), (10, "3:", ROOT));
        installed.discipline()
    }

    #[test]
    fn disciplines_are_read_as_they_are_written() {
        for discipline in
            [Discipline::Noqueue, Discipline::Pfifo { limit: 20 }, Discipline::Bfifo { limit: 30_280 }]
        {
            assert_eq!(round_trip(discipline), Some(discipline));
        }
    }
}
