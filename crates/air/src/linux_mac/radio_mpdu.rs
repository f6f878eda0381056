//! An MPDU of mac80211, without its bytes.

use airtcp_plan::MacAddress;

use crate::border::MpduHandle;

/// What an MPDU of mac80211 is to the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RadioMpduKind {
    /// A data frame under normal acknowledgement, or to a group.
    Data,
    /// A data frame under a block acknowledgement agreement (`IEEE80211_TX_CTL_AMPDU`).
    Aggregable,
    /// A management frame other than a beacon, or a control frame that is acknowledged (PS-Poll).
    Management,
    /// A `BlockAckReq`; its `sequence` is the new start of the window.
    BlockAckReq,
    /// A beacon.
    Beacon,
}

/// An MPDU as the driver describes it. Its handle is the driver's until `mpdu_done`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioMpdu {
    /// Handle of the MPDU: a small number that the driver gives, never an address in memory.
    pub handle: MpduHandle,
    /// Receiver address (address 1).
    pub receiver: MacAddress,
    /// Transmitter address (address 2).
    pub transmitter: MacAddress,
    /// Length of the MPDU with header, encryption and FCS.
    pub bytes: u32,
    /// TID of the MPDU; 0 without `QoS`.
    pub tid: u8,
    /// Sequence number of the MPDU, modulo 4096.
    pub sequence: u16,
    /// Kind of the MPDU.
    pub kind: RadioMpduKind,
    /// Nobody acknowledges it, though it is for one receiver (`IEEE80211_TX_CTL_NO_ACK`).
    pub no_ack: bool,
    /// Whether the MPDU is under a block acknowledgement agreement, even if it goes alone (`IEEE80211_TX_CTL_AMPDU`).
    pub agreed: bool,
    /// Whether the MPDU goes at the group rate (EAPOL and other frames with `IEEE80211_TX_CTL_USE_MINRATE`), as management frames
    /// do. Counts only where rate control is the library's.
    pub slow: bool,
}
