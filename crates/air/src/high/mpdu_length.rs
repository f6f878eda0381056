//! How long an MPDU is, and how long an A-MSDU of one sender may be.

use airtcp_plan::{Aggregation, CellKind, Standard};

use super::host::DropReason;
use crate::phy::{
    ADDRESS_BYTES, AMSDU_SUBFRAME_HEADER_BYTES, AmsduLengths, Band, ETHERNET_HEADER_BYTES, FCS_BYTES,
    LLC_SNAP_BYTES, MAC_HEADER_BYTES, MESH_CONTROL_BYTES, MSDU_BYTES_MAX, QOS_CONTROL_BYTES,
};

/// Octets of an MSDU: what an Ethernet frame carries, with LLC and SNAP header.
///
/// # Errors
/// [`DropReason::TooLong`] if no MSDU may be so long. Panics if the frame has no Ethernet header.
#[inline]
pub(super) fn msdu_bytes(frame_bytes: u32) -> Result<u32, DropReason> {
    assert!(frame_bytes >= ETHERNET_HEADER_BYTES, "a frame of {frame_bytes} bytes has no Ethernet header");
    let msdu = (frame_bytes - ETHERNET_HEADER_BYTES).saturating_add(LLC_SNAP_BYTES);
    if msdu > MSDU_BYTES_MAX { Err(DropReason::TooLong) } else { Ok(msdu) }
}

/// What an MPDU has around its MSDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Framing {
    /// MAC header and FCS.
    around: u32,
    /// Mesh Control, in front of each MSDU.
    mesh_control: u32,
}

impl Framing {
    /// Data frames of a cell. In an infrastructure cell three addresses do, whatever the direction; group frames of an
    /// access point go without `QoS` Control, as mac80211 sends them. Between mesh stations there is a fourth address
    /// but in group frames; a Mesh Control field needs `QoS` Control, in whose bits its presence is said, so without
    /// `QoS` these are plain 4-address frames. `proxied`: the source is no mesh station, and its address goes as a
    /// fifth and sixth (a fourth in group frames) in the Mesh Control field.
    pub(super) fn new(kind: CellKind, qos: bool, group: bool, proxied: bool) -> Self {
        let mesh = kind == CellKind::Mesh;
        let qos_control = if qos && (mesh || !group) { QOS_CONTROL_BYTES } else { 0 };
        let fourth = if mesh && !group { ADDRESS_BYTES } else { 0 };
        let extended = match (proxied, group) {
            (false, _) => 0,
            (true, false) => 2 * ADDRESS_BYTES,
            (true, true) => ADDRESS_BYTES,
        };
        Self {
            around: MAC_HEADER_BYTES + fourth + qos_control + FCS_BYTES,
            mesh_control: if mesh && qos { MESH_CONTROL_BYTES + extended } else { 0 },
        }
    }

    /// Octets of the MPDU with this one MSDU.
    #[inline]
    pub(super) const fn alone(self, msdu_bytes: u32) -> u32 {
        self.around + self.mesh_control + msdu_bytes
    }

    /// Octets of an A-MSDU after this MSDU was added to one of `amsdu_bytes` (0: none yet). Each subframe but the last
    /// is padded to a multiple of four (9.3.2.2.2).
    #[inline]
    pub(super) const fn extend(self, amsdu_bytes: u32, msdu_bytes: u32) -> u32 {
        amsdu_bytes.next_multiple_of(4) + AMSDU_SUBFRAME_HEADER_BYTES + self.mesh_control + msdu_bytes
    }

    /// Octets of the MPDU with this A-MSDU.
    #[inline]
    pub(super) const fn around(self, amsdu_bytes: u32) -> u32 {
        self.around + amsdu_bytes
    }
}

/// Limits of the A-MSDUs of one sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AmsduLimits {
    /// Most octets of the A-MSDU; 0: none is built.
    pub(super) amsdu_bytes: u32,
    /// Most octets of the MPDU around it.
    pub(super) mpdu_bytes: u32,
    /// Most frames.
    pub(super) frames: u32,
}

impl AmsduLimits {
    /// No A-MSDU.
    pub(super) const NONE: Self = Self { amsdu_bytes: 0, mpdu_bytes: 0, frames: 1 };

    /// The lower of what the plan and the standard allow; `in_ampdu`: the MPDU may be one of an A-MPDU.
    pub(super) fn new(plan: &Aggregation, standard: Standard, band: Band, in_ampdu: bool) -> Self {
        let Some(most) = AmsduLengths::of(standard, band, in_ampdu) else { return Self::NONE };
        Self {
            amsdu_bytes: plan.amsdu_bytes.min(most.amsdu_bytes),
            mpdu_bytes: most.mpdu_bytes,
            frames: if plan.amsdu_frames == 0 { u32::MAX } else { plan.amsdu_frames },
        }
    }

    /// Most octets of an MSDU that may still be added to an A-MSDU of this length with so many frames; 0 if none.
    #[inline]
    pub(super) fn room(&self, framing: Framing, amsdu_bytes: u32, frames: u32) -> u32 {
        if frames >= self.frames {
            return 0;
        }
        let empty = framing.extend(amsdu_bytes, 0);
        let most = self.amsdu_bytes.min(self.mpdu_bytes.saturating_sub(framing.around));
        most.saturating_sub(empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEGACY: Framing = Framing { around: 28, mesh_control: 0 };

    fn plan(amsdu_bytes: u32, amsdu_frames: u32) -> Aggregation {
        Aggregation {
            ampdu_bytes: 65_535,
            ampdu_us: 5_484,
            block_ack_window: 64,
            start_spacing_ns: 0,
            amsdu_bytes,
            amsdu_frames,
            voice: false,
        }
    }

    #[test]
    fn a_full_ethernet_frame_in_each_kind_of_cell() {
        let mpdu = |kind, qos, group, proxied| {
            Framing::new(kind, qos, group, proxied).alone(msdu_bytes(1514).expect("short enough"))
        };
        let (cell, mesh) = (CellKind::Infrastructure, CellKind::Mesh);
        assert_eq!(mpdu(cell, false, false, false), 1536);
        assert_eq!(mpdu(cell, true, false, false), 1538);
        assert_eq!(mpdu(cell, true, true, false), 1536);
        assert_eq!(mpdu(mesh, false, false, false), 1536 + 6);
        assert_eq!(mpdu(mesh, true, false, false), 1536 + 6 + 2 + 6);
        assert_eq!(mpdu(mesh, true, false, true), 1536 + 6 + 2 + 18);
        assert_eq!(mpdu(mesh, true, true, false), 1536 + 2 + 6);
        assert_eq!(mpdu(mesh, true, true, true), 1536 + 2 + 12);
    }

    #[test]
    fn around_the_longest_msdu() {
        assert_eq!(msdu_bytes(2310), Ok(2304));
        assert_eq!(msdu_bytes(2311), Err(DropReason::TooLong));
        assert_eq!(msdu_bytes(u32::MAX), Err(DropReason::TooLong));
        assert_eq!(msdu_bytes(14), Ok(8));
    }

    #[test]
    fn every_subframe_but_the_last_is_padded() {
        // 14 + 1508 = 1522, padded to 1524; twice, and the last as it is.
        let one = LEGACY.extend(0, 1508);
        let two = LEGACY.extend(one, 1508);
        assert_eq!((one, two, LEGACY.extend(two, 60)), (1522, 1524 + 1522, 2 * 1524 + 74));
        assert_eq!(LEGACY.around(two), 28 + 3046);
    }

    #[test]
    fn limits_of_the_standards() {
        let of = |standard, band, in_ampdu| {
            let limits = AmsduLimits::new(&plan(u32::MAX, 0), standard, band, in_ampdu);
            (limits.amsdu_bytes, limits.mpdu_bytes)
        };
        assert_eq!(of(Standard::Ht, Band::Ghz5, false), (7935, u32::MAX));
        assert_eq!(of(Standard::Ht, Band::Ghz5, true), (7935, 4095));
        assert_eq!(of(Standard::Vht, Band::Ghz5, true), (u32::MAX, 11_454));
        assert_eq!(of(Standard::He, Band::Ghz6, true), (u32::MAX, 11_454));
        assert_eq!(of(Standard::He, Band::Ghz2_4, true), (7935, 11_454));
        assert_eq!(of(Standard::Erp, Band::Ghz2_4, false), (0, 0));
        assert_eq!(AmsduLimits::new(&plan(3839, 0), Standard::Ht, Band::Ghz5, false).amsdu_bytes, 3839);
    }

    /// As many full frames as textbooks count: 2 in 3839 and 5 in 7935 octets, 7 in an MPDU of 11454.
    #[test]
    fn full_frames_in_an_amsdu() {
        let count = |limits: AmsduLimits| {
            let (mut amsdu, mut frames) = (0, 0);
            while limits.room(LEGACY, amsdu, frames) >= 1508 {
                amsdu = LEGACY.extend(amsdu, 1508);
                frames += 1;
            }
            frames
        };
        let new = |bytes, frames, standard, in_ampdu| {
            AmsduLimits::new(&plan(bytes, frames), standard, Band::Ghz5, in_ampdu)
        };
        assert_eq!(count(new(3839, 0, Standard::Ht, false)), 2);
        assert_eq!(count(new(7935, 0, Standard::Ht, false)), 5);
        assert_eq!(count(new(7935, 0, Standard::Ht, true)), 2);
        assert_eq!(count(new(11_454, 0, Standard::Vht, true)), 7);
        assert_eq!(count(new(11_454, 3, Standard::Vht, true)), 3);
        assert_eq!(count(AmsduLimits::NONE), 0);
    }
}
