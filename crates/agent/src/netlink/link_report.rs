//! Links as the kernel reports them.

use airtcp_plan::MacAddress;
use rustix::io;

use super::Netlink;
use super::link::{IFLA_GSO_MAX_SEGS, INFO_BYTES, info};
use super::message::{find, text, u32_at, u64_at};
use super::wire::WireEnd;

/// `IF_OPER_UNKNOWN`: the driver has never reported a carrier state.
const OPERATIONAL_UNKNOWN: u8 = 0;
/// `IF_OPER_UP`: the device has a carrier and the kernel has processed that (RFC 2863).
const OPERATIONAL_UP: u8 = 6;

/// `IFF_LOWER_UP`: the driver has a carrier.
const LOWER_UP: u32 = 1 << 16;

/// A link as the kernel reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// Number.
    pub(crate) index: u32,
    /// Name.
    pub(crate) name: String,
    /// Hardware address, if it is one of Ethernet.
    pub(crate) mac: Option<MacAddress>,
    /// Largest IP packet.
    pub(crate) mtu: u32,
    /// Most segments TCP may put into one packet.
    pub(crate) gso_max_segments: u32,
    /// Whether the driver reports a carrier, or has never reported its state.
    pub(crate) operational: bool,
    /// Whether the kernel has processed the carrier: its queue works only after that.
    pub(crate) carrier_noticed: bool,
    /// Settings of the end of a wire; `None` for another device.
    pub(crate) wire: Option<WireEnd>,
    /// Counters of what the device has sent.
    pub(crate) sent: Sent,
}

/// What a device has sent since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Packets.
    pub(crate) packets: u64,
    /// Bytes of the sent packets.
    pub(crate) bytes: u64,
    /// Packets that the device lost.
    pub(crate) dropped: u64,
}

impl Sent {
    /// From `struct rtnl_link_stats64`: a list of u64, in which these are the second, fourth and eighth.
    fn read(stats: &[u8]) -> Self {
        let [packets, bytes, dropped] = [1, 3, 7].map(|place| u64_at(stats, 8 * place));
        Self { packets, bytes, dropped }
    }
}

impl Link {
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let attributes = body.get(INFO_BYTES..)?;
        let number = |kind| find(attributes, kind).map_or(0, |v| u32_at(v, 0));
        let state = find(attributes, libc::IFLA_OPERSTATE);
        Some(Self {
            index: u32_at(body, 4),
            name: text(find(attributes, libc::IFLA_IFNAME)?),
            mac: find(attributes, libc::IFLA_ADDRESS).and_then(|v| v.try_into().ok()).map(MacAddress),
            mtu: number(libc::IFLA_MTU),
            gso_max_segments: number(IFLA_GSO_MAX_SEGS),
            operational: u32_at(body, 8) & LOWER_UP != 0
                && matches!(state, Some([OPERATIONAL_UP | OPERATIONAL_UNKNOWN])),
            carrier_noticed: state == Some(&[OPERATIONAL_UP]),
            wire: find(attributes, libc::IFLA_LINKINFO).and_then(WireEnd::read),
            sent: find(attributes, libc::IFLA_STATS64).map(Sent::read).unwrap_or_default(),
        })
    }
}

/// Every link of the namespace.
pub(crate) fn links(netlink: &mut Netlink) -> io::Result<Vec<Link>> {
    let mut links = Vec::new();
    netlink.dump(libc::RTM_GETLINK, &info(0, 0, 0), |body| links.extend(Link::read(body)))?;
    Ok(links)
}
