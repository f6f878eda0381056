//! Control frames in bytes (IEEE 802.11-2020, 9.3.1), which the lower half of a MAC makes itself.

use airtcp_air::PpduKind;
use airtcp_air::border::{BlockAck, ControlFrame};
use airtcp_units::Duration;

/// First octet of the Frame Control field: subtype, type, version (9.2.4.1).
const BLOCK_ACK_REQ: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
const CONTROL_EXTENSION: u8 = 0x64;
/// Second octet of a control frame extension: which it is (Table 9-2).
const DMG_CTS: u8 = 0x05;
/// `BAR` and `BA` Control: the compressed variant (9.3.1.7.1, 9.3.1.8.1).
pub(super) const COMPRESSED: u16 = 2 << 1;

/// Writes an RTS, CTS, Ack, `BlockAck` or `BlockAckReq`, without its check sequence. A CTS of 60 GHz has a form of its own (`is_dmg`).
pub(crate) fn write(frame: &ControlFrame<'_>, is_dmg: bool, mut put: impl FnMut(&[u8])) {
    let dmg_cts = frame.kind == PpduKind::Cts && is_dmg;
    let kind = match frame.kind {
        PpduKind::Rts => RTS,
        PpduKind::Cts if dmg_cts => CONTROL_EXTENSION,
        PpduKind::Cts => CTS,
        PpduKind::Ack => ACK,
        PpduKind::BlockAck => BLOCK_ACK,
        PpduKind::BlockAckReq => BLOCK_ACK_REQ,
        other => unreachable!("{other:?} is an MPDU of its own"),
    };
    put(&[kind, if dmg_cts { DMG_CTS } else { 0 }]);
    put(&duration_us(frame.nav).to_le_bytes());
    put(&frame.addresses.receiver.0);
    if dmg_cts || matches!(frame.kind, PpduKind::Rts | PpduKind::BlockAck | PpduKind::BlockAckReq) {
        put(&frame.addresses.transmitter.0);
    }
    if let Some(BlockAck { tid, start, bitmap }) = frame.block_ack {
        put(&(COMPRESSED | u16::from(tid) << 12).to_le_bytes());
        put(&(start << 4 | bitmap_size(bitmap.len())).to_le_bytes());
        put(bitmap);
    }
}

/// The Duration field: microseconds, rounded up (9.2.5.1), 15 bits.
pub(crate) fn duration_us(nav: Duration) -> u16 {
    const LONGEST: u64 = 32_767;
    nav.as_nanos().div_ceil(1000).min(LONGEST) as u16
}

/// The Fragment Number field of a `BlockAck`, which encodes the length of its bitmap (IEEE 802.11be, Table 9-37); a `BlockAckReq` has none.
pub(super) fn bitmap_size(octets: usize) -> u16 {
    match octets {
        0 | 8 => 0,
        32 => 0b0100,
        128 => 0b1010,
        _ => unreachable!("a bitmap of {octets} octets"),
    }
}

#[cfg(test)]
mod tests {
    use airtcp_air::border::Addresses;
    use airtcp_plan::MacAddress;

    use super::*;

    const TO: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const FROM: [u8; 6] = [2, 0, 0, 0, 0, 2];

    fn written(kind: PpduKind, is_dmg: bool, block_ack: Option<BlockAck<'_>>) -> Vec<u8> {
        let addresses = Addresses { receiver: MacAddress(TO), transmitter: MacAddress(FROM) };
        let nav = Duration::from_nanos(300_001);
        let mut out = Vec::new();
        write(&ControlFrame { kind, addresses, nav, block_ack }, is_dmg, |octets| out.extend(octets));
        out
    }

    #[test]
    fn each_has_its_addresses_and_its_duration() {
        assert_eq!(written(PpduKind::Rts, false, None), [&[0xb4, 0, 45, 1][..], &TO, &FROM].concat());
        assert_eq!(written(PpduKind::Cts, false, None), [&[0xc4, 0, 45, 1][..], &TO].concat());
        assert_eq!(written(PpduKind::Ack, false, None), [&[0xd4, 0, 45, 1][..], &TO].concat());
        assert_eq!(written(PpduKind::Cts, true, None), [&[0x64, 5, 45, 1][..], &TO, &FROM].concat());
    }

    #[test]
    fn a_block_ack_says_how_long_its_bitmap_is() {
        for (octets, size) in [(8, 0), (32, 4), (128, 10)] {
            let bitmap = vec![0x81; octets];
            let said = BlockAck { tid: 5, start: 0xabc, bitmap: &bitmap };
            let expected =
                [&[0x94, 0, 45, 1][..], &TO, &FROM, &[4, 0x50, 0xc0 | size, 0xab], &bitmap].concat();
            assert_eq!(written(PpduKind::BlockAck, false, Some(said)), expected);
        }
    }

    #[test]
    fn a_block_ack_req_says_where_the_bitmap_shall_begin() {
        let asked = BlockAck { tid: 5, start: 0xabc, bitmap: &[] };
        let expected = [&[0x84, 0, 45, 1][..], &TO, &FROM, &[4, 0x50, 0xc0, 0xab]].concat();
        assert_eq!(written(PpduKind::BlockAckReq, false, Some(asked)), expected);
    }
}
