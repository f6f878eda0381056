//! Octets of the parts of data frames, and how long MSDUs, A-MSDUs and MPDUs may be (IEEE 802.11-2020, clause 9).

use airtcp_plan::Standard;
pub use airtcp_plan::{ETHERNET_HEADER_BYTES, LLC_SNAP_BYTES, MSDU_BYTES_MAX};

use super::Band;

/// Header of a data frame with three addresses, without `QoS` Control field (9.3.2.1).
pub const MAC_HEADER_BYTES: u32 = 24;
/// An address, where there is a fourth (9.3.2.1), or fifth and sixth in a Mesh Control field (9.2.4.7.3).
pub const ADDRESS_BYTES: u32 = 6;
/// `QoS` Control field (9.2.4.5). HT Control is never sent.
pub const QOS_CONTROL_BYTES: u32 = 2;
/// Mesh Control field without extended addresses: flags, TTL, sequence number (9.2.4.7.3).
pub const MESH_CONTROL_BYTES: u32 = 6;
/// Frame check sequence (9.2.4.8).
pub const FCS_BYTES: u32 = 4;
/// `QoS` Null frame: a header, and no MSDU.
pub const QOS_NULL_BYTES: u32 = MAC_HEADER_BYTES + QOS_CONTROL_BYTES + FCS_BYTES;
/// Header of an A-MSDU subframe: two addresses and the length (9.3.2.2.2).
pub const AMSDU_SUBFRAME_HEADER_BYTES: u32 = 14;
/// Delimiter of an A-MPDU subframe (9.7.1).
pub const DELIMITER_BYTES: u32 = 4;

/// Longest A-MSDU of HT (Table 9-25), and of HE and EHT at 2.4 GHz, where HT capabilities announce it (IEEE 802.11ax-2021,
/// Table 9-25).
const AMSDU_HT_BYTES_MAX: u32 = 7_935;
/// Longest MPDU inside an A-MPDU of HT: its delimiter has 12 bits for the length (9.7.1).
const MPDU_IN_HT_AMPDU_BYTES_MAX: u32 = 4_095;
/// Longest MPDU of VHT, HE and EHT (Table 9-25).
const MPDU_BYTES_MAX: u32 = 11_454;

/// How long the standard lets an A-MSDU and its MPDU be; `u32::MAX` where only the other is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmsduLengths {
    /// Most octets of the A-MSDU.
    pub amsdu_bytes: u32,
    /// Most octets of the MPDU around it.
    pub mpdu_bytes: u32,
}

impl AmsduLengths {
    /// Lengths of A-MSDUs of a standard in a band; `in_ampdu`: the MPDU may be one of an A-MPDU. `None`: the standard has no
    /// A-MSDU.
    pub const fn of(standard: Standard, band: Band, in_ampdu: bool) -> Option<Self> {
        let (amsdu_bytes, mpdu_bytes) = match standard {
            Standard::HrDsss | Standard::Ofdm | Standard::Erp => return None,
            Standard::Ht if in_ampdu => (AMSDU_HT_BYTES_MAX, MPDU_IN_HT_AMPDU_BYTES_MAX),
            Standard::Ht | Standard::Dmg => (AMSDU_HT_BYTES_MAX, u32::MAX),
            Standard::He | Standard::Eht if matches!(band, Band::Ghz2_4) => {
                (AMSDU_HT_BYTES_MAX, MPDU_BYTES_MAX)
            }
            Standard::Vht | Standard::He | Standard::Eht => (u32::MAX, MPDU_BYTES_MAX),
        };
        Some(Self { amsdu_bytes, mpdu_bytes })
    }
}
