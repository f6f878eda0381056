//! Lengths of control frames with their frame check sequence, in octets (IEEE 802.11-2020, 9.3.1).

use super::Format;

/// RTS (9.3.1.2).
pub const RTS_BYTES: u32 = 20;
/// CTS (9.3.1.3), also a CTS to oneself.
pub const CTS_BYTES: u32 = 14;
/// Ack (9.3.1.4).
pub const ACK_BYTES: u32 = 14;
/// CF-End (9.3.1.6).
pub const CF_END_BYTES: u32 = 20;
/// `BlockAckReq` of the compressed variant (9.3.1.7.2): header 16, control 2, starting sequence 2, FCS 4.
pub const BLOCK_ACK_REQ_BYTES: u32 = 24;
/// `BlockAck` of the compressed variant with a bitmap of 64 MPDUs (9.3.1.8.2): header 16, control 2, starting
/// sequence 2, bitmap 8, FCS 4.
pub const BLOCK_ACK_64_BYTES: u32 = 32;
/// `BlockAck` with a bitmap of 256 MPDUs (IEEE 802.11ax-2021, 9.3.1.8.2).
pub const BLOCK_ACK_256_BYTES: u32 = 56;
/// `BlockAck` with a bitmap of 1024 MPDUs (IEEE 802.11be, 9.3.1.8.2).
pub const BLOCK_ACK_1024_BYTES: u32 = 152;
/// `BlockAck` of the compressed variant with a bitmap for this window.
pub const fn block_ack_bytes(window: u16) -> u32 {
    match window {
        ..=64 => BLOCK_ACK_64_BYTES,
        65..=256 => BLOCK_ACK_256_BYTES,
        _ => BLOCK_ACK_1024_BYTES,
    }
}
/// Trigger frame for so many stations (IEEE 802.11ax-2021, 9.3.1.22): header 16, common information 8, FCS 4; for each station 5, and what
/// the variant adds. Nobody asks for padding.
const fn trigger_bytes(stations: u32, added: u32) -> u32 {
    16 + 8 + (5 + added) * stations + 4
}
/// Special User Info field of a trigger frame that EHT TB PPDUs answer (IEEE 802.11be, 9.3.1.22.3).
const fn special_user_info_bytes(answer: Format) -> u32 {
    if matches!(answer, Format::Eht) { 5 } else { 0 }
}
/// Trigger frame of the MU-BAR variant, which adds `BAR Control` 2 and `BAR Information` 2.
pub const fn mu_bar_trigger_bytes(stations: u32, answer: Format) -> u32 {
    trigger_bytes(stations, 2 + 2) + special_user_info_bytes(answer)
}
/// Trigger frame of the MU-RTS variant.
pub const fn mu_rts_bytes(stations: u32) -> u32 {
    trigger_bytes(stations, 0)
}
/// Trigger frame of the Basic variant, which adds 1.
pub const fn basic_trigger_bytes(stations: u32, answer: Format) -> u32 {
    trigger_bytes(stations, 1) + special_user_info_bytes(answer)
}
/// Trigger frame of the BSRP variant.
pub const fn bsrp_trigger_bytes(stations: u32, answer: Format) -> u32 {
    trigger_bytes(stations, 0) + special_user_info_bytes(answer)
}
/// `BlockAck` of the Multi-STA variant without its entries (IEEE 802.11ax-2021, 9.3.1.8.6): header 16, control 2, FCS 4.
pub const MULTI_STA_BLOCK_ACK_BYTES: u32 = 16 + 2 + 4;
/// An entry of it that acknowledges one MPDU: AID and TID 2.
pub const MULTI_STA_ACK_ENTRY_BYTES: u32 = 2;
/// An entry of it with a bitmap for this window: AID and TID 2, starting sequence 2, and the bitmap, which that of the compressed variant
/// has beside 24 octets.
pub const fn multi_sta_bitmap_entry_bytes(window: u16) -> u32 {
    2 + 2 + block_ack_bytes(window) - 24
}
/// DMG CTS, which names its sender too (9.3.1.13).
pub const DMG_CTS_BYTES: u32 = 20;
