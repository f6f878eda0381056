//! Octets from an Ethernet frame to a PSDU.

use airtcp_plan::{Aggregation, Cell, CellKind, Standard};
use airtcp_units::Duration;

use crate::phy::{
    ADDRESS_BYTES, AMSDU_SUBFRAME_HEADER_BYTES, AmsduLengths, Band, DELIMITER_BYTES, ETHERNET_HEADER_BYTES,
    FCS_BYTES, Format, LLC_SNAP_BYTES, MAC_HEADER_BYTES, MESH_CONTROL_BYTES, QOS_CONTROL_BYTES, TxVector,
};

/// Lengths of the MPDUs of one link whose frames are all equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameLengths {
    /// Header and frame check sequence around an MSDU or A-MSDU.
    pub around: u32,
    /// Mesh Control before each MSDU.
    pub mesh_control: u32,
    /// Longest A-MSDU; 0: none is built.
    pub amsdu_bytes: u32,
    /// Longest MPDU around an A-MSDU.
    pub mpdu_bytes: u32,
    /// Most frames in an A-MSDU.
    pub amsdu_frames: u32,
}

impl FrameLengths {
    /// Data frames of a cell from one member to another: three addresses, four in a mesh; `QoS` Control where the cell has four
    /// access categories; Mesh Control in a mesh with it (IEEE 802.11-2020, 9.3.2.1, 9.2.4.5, 9.2.4.7.3). `aggregation`: what
    /// both ends agree on; `standard`: the newest that both have.
    pub fn new(cell: &Cell, standard: Standard, band: Band, aggregation: Option<&Aggregation>) -> Self {
        let (mesh, qos) = (cell.kind == CellKind::Mesh, cell.access.len() == 4);
        let fourth = if mesh { ADDRESS_BYTES } else { 0 };
        let qos_control = if qos { QOS_CONTROL_BYTES } else { 0 };
        let around = MAC_HEADER_BYTES + fourth + qos_control + FCS_BYTES;
        let mesh_control = if mesh && qos { MESH_CONTROL_BYTES } else { 0 };
        let none = Self { around, mesh_control, amsdu_bytes: 0, mpdu_bytes: 0, amsdu_frames: 1 };
        let Some(aggregation) = aggregation else { return none };
        let Some(most) = AmsduLengths::of(standard, band, aggregation.ampdu_bytes > 0) else {
            return none;
        };
        let amsdu_frames = match aggregation.amsdu_frames {
            0 => u32::MAX,
            frames => frames,
        };
        let amsdu_bytes = aggregation.amsdu_bytes.min(most.amsdu_bytes);
        Self { amsdu_bytes, mpdu_bytes: most.mpdu_bytes, amsdu_frames, ..none }
    }

    /// Octets of an MSDU: the Ethernet frame without its 14 octets of header, with 8 octets of LLC and SNAP (RFC 1042).
    pub const fn msdu(frame_bytes: u32) -> u32 {
        frame_bytes - ETHERNET_HEADER_BYTES + LLC_SNAP_BYTES
    }

    /// The MPDU with this many frames of one length: alone as they are, together as an A-MSDU, in which each has 14 octets of
    /// subframe header, and all but the last are padded to a multiple of four (9.3.2.2).
    pub const fn mpdu(&self, frame_bytes: u32, frames: u32) -> u32 {
        let msdu = self.mesh_control + Self::msdu(frame_bytes);
        if frames == 1 {
            return self.around + msdu;
        }
        let subframe = AMSDU_SUBFRAME_HEADER_BYTES + msdu;
        self.around + (frames - 1) * subframe.next_multiple_of(4) + subframe
    }

    /// Frames of one length that fit into an A-MSDU; at least 1.
    pub fn frames_per_mpdu(&self, frame_bytes: u32) -> u32 {
        let fits = |frames: u32| {
            let mpdu = self.mpdu(frame_bytes, frames);
            mpdu <= self.mpdu_bytes && mpdu - self.around <= self.amsdu_bytes
        };
        (2..=self.amsdu_frames).take_while(|&frames| fits(frames)).last().unwrap_or(1)
    }

    /// The PSDU with this many MPDUs of one length. Each subframe of an A-MPDU has a delimiter of four octets, and all but the last
    /// are padded to a multiple of four (9.7.1). From VHT on even a single MPDU is framed so (10.12.7). `start_spacing`: from the start
    /// of an MPDU to that of the next (10.12.3).
    pub const fn psdu(tx: TxVector, mpdu_bytes: u32, mpdus: u32, start_spacing: Duration) -> u32 {
        let framed = matches!(tx.format, Format::Vht | Format::He | Format::Eht);
        if mpdus == 1 && !framed {
            return mpdu_bytes;
        }
        let subframe = DELIMITER_BYTES + mpdu_bytes;
        let spacing = tx.octets_lasting(start_spacing);
        let followed = if spacing > subframe { spacing } else { subframe };
        (mpdus - 1) * followed.next_multiple_of(4) + subframe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};

    const QOS: FrameLengths =
        FrameLengths { around: 30, mesh_control: 0, amsdu_bytes: 0, mpdu_bytes: 0, amsdu_frames: 1 };

    #[test]
    fn a_full_ethernet_frame() {
        // 24 + 2 + 1508 + 4.
        assert_eq!(QOS.mpdu(1514, 1), 1538);
        assert_eq!(FrameLengths { around: 28, ..QOS }.mpdu(1514, 1), 1536);
        assert_eq!(QOS.frames_per_mpdu(1514), 1);
    }

    #[test]
    fn frames_in_an_amsdu() {
        // Subframes of 1522 octets, padded to 1524: 1524 + 1522 = 3046 fit in 3839, three have 4570.
        let of = |amsdu_bytes, mpdu_bytes, amsdu_frames| {
            let lengths = FrameLengths { amsdu_bytes, mpdu_bytes, amsdu_frames, ..QOS };
            lengths.frames_per_mpdu(1514)
        };
        assert_eq!(of(3_839, u32::MAX, u32::MAX), 2);
        assert_eq!(of(7_935, u32::MAX, u32::MAX), 5);
        assert_eq!(of(7_935, 4_095, u32::MAX), 2);
        assert_eq!(of(11_398, 11_454, u32::MAX), 7);
        assert_eq!(of(11_398, 11_454, 3), 3);
        assert_eq!(QOS.mpdu(1514, 2), 30 + 3046);
    }

    #[test]
    fn subframes_of_an_ampdu() {
        let ht = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
        let vht = TxVector { format: Format::Vht, ..ht };
        let psdu =
            |tx, mpdu_bytes, mpdus, us| FrameLengths::psdu(tx, mpdu_bytes, mpdus, Duration::from_micros(us));
        assert_eq!(psdu(ht, 1538, 1, 0), 1538);
        assert_eq!(psdu(vht, 1538, 1, 0), 1542);
        assert_eq!(psdu(ht, 1538, 42, 0), 41 * 1544 + 1542);
        // 1201 Mbit/s: 600.5 octets in 4 us.
        let he = TxVector::mimo(Format::He, 11, 2, Width::Mhz80, Guard::Ns800);
        assert_eq!([psdu(he, 90, 3, 4), psdu(he, 90, 1, 4), psdu(he, 1538, 3, 4)], [1302, 94, 4630]);
    }
}
