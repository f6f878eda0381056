//! MPDUs of mac80211, whose first bytes are a real 802.11 header.

use airtcp_air::border::MpduHandle;
use airtcp_units::Duration;

use super::cut::CutMpdu;
use super::dot11::duration;

/// The first bytes of the MPDUs on their way.
pub trait MpduHeads {
    /// The first bytes of this MPDU, as many as are kept.
    fn head(&self, mpdu: MpduHandle) -> &[u8];
}

/// Frame Control of a PS-Poll, whose second field is no duration (IEEE 802.11-2020, 9.3.1.5).
const PS_POLL: u8 = 0xa4;
/// Frame Control of a beacon and of a probe response: they begin with a timestamp (9.3.3.2, 9.3.3.10).
const WITH_TIMESTAMP: [u8; 2] = [0x80, 0x50];
/// The Retry bit, in the second octet of Frame Control (9.2.4.1).
const RETRY: u8 = 0x08;
/// Octets of Frame Control and Duration.
const CONTROL_BYTES: usize = 4;
/// Octets of the header of a management frame (9.3.3.1), and of a timestamp (9.4.1.10).
const MANAGEMENT_HEADER_BYTES: usize = 24;
const TIMESTAMP_BYTES: usize = 8;
/// Octets of a frame check sequence (9.2.4.8).
const FCS_BYTES: u32 = 4;

/// An MPDU that went over the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentMpdu<'a> {
    /// First bytes of the MPDU, as mac80211 made them.
    pub(super) head: &'a [u8],
    /// Length of the MPDU with FCS.
    pub(super) bytes: u32,
    /// Start of the PPDU, in microseconds since the machine started.
    pub(super) start_us: u64,
    /// For how long others are to be silent after its PPDU.
    pub(super) nav: Duration,
    pub(super) retry: bool,
    pub(super) received: bool,
}

impl SentMpdu<'_> {
    /// Writes it as far as its bytes are known; returns its length.
    ///
    /// mac80211 leaves to the hardware what is only known when a frame is sent: whether it is a repetition, its Duration, the
    /// timestamp of beacons, for which the driver gives by how much the sender's timer is ahead. The encrypted form of a body is
    /// not computed: the body is written in the clear.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> u32 {
        let mut written = CutMpdu::new(out);
        let (control, rest) = self.head.split_at(CONTROL_BYTES);
        written.put(&[control[0], if self.retry { control[1] | RETRY } else { control[1] }]);
        written.put(&if control[0] == PS_POLL { [control[2], control[3]] } else { duration(self.nav) });
        let mut at = 0;
        let timestamp = MANAGEMENT_HEADER_BYTES - CONTROL_BYTES;
        if WITH_TIMESTAMP.contains(&control[0]) && rest.len() >= timestamp + TIMESTAMP_BYTES {
            written.put(&rest[..timestamp]);
            let ahead = rest[timestamp..].first_chunk().expect("it is long enough");
            written.put(&self.start_us.wrapping_add(u64::from_le_bytes(*ahead)).to_le_bytes());
            at = timestamp + TIMESTAMP_BYTES;
        }
        let left = self.bytes - FCS_BYTES - (CONTROL_BYTES + at) as u32;
        written.put_head(&rest[at..], left);
        written.end(!self.received)
    }
}

/// Octets of the LLC and SNAP headers before the type of what a data frame carries (RFC 1042).
const LLC_SNAP_BYTES: usize = 6;
/// Octets of a header of CCMP or GCMP (IEEE 802.11-2020, 12.5.3.2, 12.5.5.2).
const CIPHER_HEADER_BYTES: usize = 8;
/// Bits of the second octet of Frame Control: To DS and From DS, Protected, and `+HTC`.
const FOUR_ADDRESSES: u8 = 0x03;
const PROTECTED: u8 = 0x40;

/// The packet of a data MPDU behind an empty Ethernet header, as a filter reads it; `None` if it carries none. A-MSDUs and mesh
/// headers are not looked into.
pub(super) fn packet_of(head: &[u8]) -> Option<Vec<u8>> {
    let (kind, flags) = (*head.first()?, *head.get(1)?);
    let data_with_body = kind & 0x0c == 0x08 && kind & 0x40 == 0;
    if !data_with_body {
        return None;
    }
    let mut at = if flags & FOUR_ADDRESSES == FOUR_ADDRESSES { 30 } else { 24 };
    at += if kind & 0x80 != 0 { 2 } else { 0 };
    at += if flags & PROTECTED != 0 { CIPHER_HEADER_BYTES } else { 0 };
    let mut packet = vec![0; 12];
    packet.extend_from_slice(head.get(at + LLC_SNAP_BYTES..)?);
    Some(packet)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(head: &[u8], bytes: u32, retry: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let nav = Duration::from_micros(44);
        let sent = SentMpdu { head, bytes, start_us: 5000, nav, retry, received: true };
        assert_eq!(sent.write(&mut out), bytes);
        out
    }

    #[test]
    fn a_beacon_gets_the_time_of_its_sender_at_which_it_was_sent() {
        let mut head = vec![0; 40];
        head[0] = 0x80;
        head[24] = 7;
        let out = written(&head, 44, false);
        assert_eq!(out[24..32], 5007_u64.to_le_bytes());
        assert_eq!(out.len(), 44, "all of it is known, so its check sequence is there");
    }

    #[test]
    fn repetitions_have_the_retry_bit_and_what_is_not_known_is_left_out() {
        let head = [0x88, 0x01, 0, 0, 9];
        assert_eq!(written(&head, 1500, true), [0x88, 0x09, 44, 0, 9]);
        assert_eq!(written(&head, 1500, false), [0x88, 0x01, 44, 0, 9]);
        let poll = [0xa4, 0x10, 1, 0xc0, 9];
        assert_eq!(written(&poll, 20, false), poll, "a PS-Poll has no duration");
    }

    #[test]
    fn a_packet_is_found_behind_all_headers() {
        let mut head = vec![0; 24 + 2 + 8];
        (head[0], head[1]) = (0x88, PROTECTED | 1);
        head.extend([0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45]);
        assert_eq!(packet_of(&head).unwrap()[12..], [8, 0, 0x45]);
        head[0] = 0xc8;
        assert_eq!(packet_of(&head), None, "a null frame carries nothing");
        head[0] = 0x80;
        assert_eq!(packet_of(&head), None, "neither does a beacon");
        assert_eq!(packet_of(&[]), None);
    }
}
