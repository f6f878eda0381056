//! The radiotap header before each MPDU: how its PPDU was sent and received (radiotap.org).
//!
//! Fields are in the order of their bits, each aligned to its own size, counted from the header's beginning.

use airtcp_air::phy::{Band, Coding, Extent, Format, Guard, ResourceUnit, TxVector, Width};
use airtcp_units::Dbm;

/// Most octets of a header: that of an EHT PPDU.
pub(crate) const RADIOTAP_BYTES_MAX: u32 = 96;

/// Bits of the fields.
const TSFT: u32 = 0;
const FLAGS: u32 = 1;
const RATE: u32 = 2;
const CHANNEL: u32 = 3;
const SIGNAL_DBM: u32 = 5;
const MCS: u32 = 19;
const A_MPDU: u32 = 20;
const VHT: u32 = 21;
const HE: u32 = 23;
const TLV: u32 = 28;
/// Types of fields that come as TLV.
const TLV_U_SIG: u16 = 33;
const TLV_EHT: u16 = 34;

/// The place of an MPDU in its A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subframe {
    /// Number of the A-MPDU in the capture.
    pub(crate) reference: u32,
    /// This MPDU is its last.
    pub(crate) last: bool,
    /// Whether the MPDU is the only one of its A-MPDU: the EOF bit of its delimiter is set (IEEE 802.11-2020, 9.7.1).
    pub(crate) alone: bool,
}

/// The contents of a header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Radiotap {
    /// Start of the PPDU, from the epoch.
    pub(crate) start_ns: u64,
    pub(crate) tx: TxVector,
    /// Centre of the primary channel.
    pub(crate) channel_mhz: u32,
    /// At the receiver.
    pub(crate) power: Option<Dbm>,
    /// The receiver could not read it.
    pub(crate) bad_fcs: bool,
    /// It answers a trigger frame.
    pub(crate) is_triggered: bool,
    pub(crate) subframe: Option<Subframe>,
}

impl Radiotap {
    /// Writes the header into an empty list.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        debug_assert!(out.is_empty(), "fields are aligned to the header's beginning");
        // Version, padding, length and presence, which are known at the end.
        out.extend_from_slice(&[0; 8]);
        let mut header = Header { out, present: 0 };
        header.add(TSFT, 8, &(self.start_ns / 1000).to_le_bytes());
        header.add(FLAGS, 1, &[self.flags()]);
        if matches!(self.tx.format, Format::HrDsss | Format::Ofdm) {
            header.add(RATE, 1, &[(self.tx.bit_rate().as_bps() / 500_000) as u8]);
        }
        // The two highest channels of 60 GHz don't fit into the field.
        if let Ok(mhz) = u16::try_from(self.channel_mhz) {
            let [a, b] = mhz.to_le_bytes();
            let [c, d] = self.channel_flags().to_le_bytes();
            header.add(CHANNEL, 2, &[a, b, c, d]);
        }
        if let Some(power) = self.power {
            header.add(SIGNAL_DBM, 1, &(power.get().round() as i8).to_le_bytes());
        }
        if self.tx.format == Format::Ht {
            header.add(MCS, 1, &ht(self.tx));
        }
        if let Some(subframe) = self.subframe {
            header.add(A_MPDU, 4, &a_mpdu(subframe));
        }
        match self.tx.format {
            Format::Vht => header.add(VHT, 2, &vht(self.tx)),
            Format::He => header.add(HE, 2, &he(self.tx, self.is_triggered)),
            Format::Eht => header.add(TLV, 4, &eht(self.tx)),
            _ => {}
        }
        header.close();
    }

    fn flags(&self) -> u8 {
        const SHORT_PREAMBLE: u8 = 0x02;
        const FCS_AT_END: u8 = 0x10;
        const BAD_FCS: u8 = 0x40;
        let preamble = if self.tx.has_short_preamble() { SHORT_PREAMBLE } else { 0 };
        FCS_AT_END | preamble | if self.bad_fcs { BAD_FCS } else { 0 }
    }

    /// Modulation and band; 6 GHz counts as 5 GHz, as Linux has it.
    fn channel_flags(&self) -> u16 {
        const CCK: u16 = 0x0020;
        const OFDM: u16 = 0x0040;
        const GHZ_2: u16 = 0x0080;
        const GHZ_5: u16 = 0x0100;
        let band = match Band::of_mhz(self.channel_mhz) {
            Some(Band::Ghz2_4) => GHZ_2,
            Some(Band::Ghz5 | Band::Ghz6) => GHZ_5,
            _ => 0,
        };
        let modulation = match self.tx.format {
            Format::HrDsss => CCK,
            Format::Dmg => 0,
            _ => OFDM,
        };
        band | modulation
    }
}

struct Header<'a> {
    out: &'a mut Vec<u8>,
    present: u32,
}

impl Header<'_> {
    fn add(&mut self, field: u32, alignment: usize, value: &[u8]) {
        self.out.resize(self.out.len().next_multiple_of(alignment), 0);
        self.out.extend_from_slice(value);
        self.present |= 1 << field;
    }

    fn close(self) {
        let length = self.out.len() as u16;
        self.out[2..4].copy_from_slice(&length.to_le_bytes());
        self.out[4..8].copy_from_slice(&self.present.to_le_bytes());
    }
}

/// Known, flags, index; there are no STBC and no extension streams. The index counts the streams too (IEEE 802.11-2020, 19.5).
fn ht(tx: TxVector) -> [u8; 3] {
    const EVERYTHING_KNOWN: u8 = 0x7f;
    let wide = u8::from(tx.width() == Width::Mhz40);
    let short_guard = u8::from(tx.guard == Guard::Ns400) << 2;
    let ldpc = u8::from(tx.has_chosen_ldpc()) << 4;
    [EVERYTHING_KNOWN, wide | short_guard | ldpc, tx.index + 8 * (tx.streams - 1)]
}

/// Reference number, flags, delimiter CRC (not known).
fn a_mpdu(subframe: Subframe) -> [u8; 8] {
    const LAST_KNOWN: u8 = 0x04;
    const LAST: u8 = 0x08;
    const EOF: u8 = 0x40;
    const EOF_KNOWN: u8 = 0x80;
    let last = if subframe.last { LAST } else { 0 };
    let eof = if subframe.alone { EOF } else { 0 };
    let [a, b, c, d] = subframe.reference.to_le_bytes();
    [a, b, c, d, LAST_KNOWN | EOF_KNOWN | last | eof, 0, 0, 0]
}

/// Known (2), flags, bandwidth, MCS and streams of four users, coding, group (not known), partial AID (2, not known).
fn vht(tx: TxVector) -> [u8; 12] {
    const STBC_GUARD_BANDWIDTH_KNOWN: u8 = 0x45;
    let bandwidth = match tx.width() {
        Width::Mhz20 => 0,
        Width::Mhz40 => 1,
        Width::Mhz80 => 4,
        _ => 11,
    };
    let short_guard = u8::from(tx.guard == Guard::Ns400) << 2;
    let user = tx.index << 4 | tx.streams;
    [
        STBC_GUARD_BANDWIDTH_KNOWN,
        0,
        short_guard,
        bandwidth,
        user,
        0,
        0,
        0,
        u8::from(tx.has_chosen_ldpc()),
        0,
        0,
        0,
    ]
}

/// 20, 40, 80, 160 and 320 MHz from 0 on.
fn width_number(width: Width) -> u16 {
    match width {
        Width::Mhz20 => 0,
        Width::Mhz40 => 1,
        Width::Mhz80 => 2,
        Width::Mhz160 => 3,
        _ => 4,
    }
}

/// 0.8, 1.6 and 3.2 us from 0 on.
fn guard_number(guard: Guard) -> u16 {
    match guard {
        Guard::Ns1600 => 1,
        Guard::Ns3200 => 2,
        _ => 0,
    }
}

/// The resource unit of a user of several.
fn unit_of(tx: TxVector) -> Option<ResourceUnit> {
    match tx.allocation.extent() {
        Extent::Ru(unit) => Some(unit),
        Extent::Whole | Extent::Punctured(_) => None,
    }
}

/// Six words of 16 bits: known and kind of PPDU (1), known and place of the RU (2), MCS and coding (3), bandwidth or size of the RU and
/// guard interval (5), streams (6). The place counts from 0 in each 80 MHz.
fn he(tx: TxVector, is_triggered: bool) -> [u8; 12] {
    const MULTI_USER: u16 = 2;
    const TRIGGER_BASED: u16 = 3;
    const UNIT_PLACE_KNOWN: u16 = 0x4000;
    const SMALLEST_UNIT: u16 = 4;
    const MCS_CODING_STBC_BANDWIDTH_KNOWN: u16 = 0x0020 | 0x0080 | 0x0200 | 0x4000;
    const GUARD_KNOWN: u16 = 0x0002;
    let ldpc = u16::from(tx.coding() == Coding::Ldpc) << 13;
    let (kind, place, size) = match unit_of(tx) {
        Some(ResourceUnit { size, index }) => {
            let in_80_mhz = size.count_in(Width::Mhz80).max(1) as u16;
            let place = (u16::from(index) - 1) % in_80_mhz;
            let kind = if is_triggered { TRIGGER_BASED } else { MULTI_USER };
            (kind, UNIT_PLACE_KNOWN | place << 8, SMALLEST_UNIT + size as u16)
        }
        None => (if is_triggered { TRIGGER_BASED } else { 0 }, 0, width_number(tx.width())),
    };
    let words = [
        MCS_CODING_STBC_BANDWIDTH_KNOWN | kind,
        GUARD_KNOWN | place,
        u16::from(tx.index) << 8 | ldpc,
        0,
        size | guard_number(tx.guard) << 4,
        u16::from(tx.streams),
    ];
    let mut octets = [0; 12];
    for (place, word) in octets.chunks_exact_mut(2).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    octets
}

/// U-SIG with the bandwidth, then EHT with the guard interval and one user. As in the user field on the air, NSS counts from 0
/// (IEEE 802.11be, 36.3.12.8.5).
fn eht(tx: TxVector) -> [u8; 16 + 48] {
    const VERSION_AND_BANDWIDTH_KNOWN: u32 = 0x3;
    const GUARD_KNOWN: u32 = 0x4;
    const UNIT_SIZE_AND_INDEX_KNOWN: u32 = 0x40_0000 | 0x80_0000;
    const MCS_CODING_NSS_KNOWN_AND_CAPTURED: u32 = 0x2 | 0x4 | 0x10 | 0x80;
    let mut words = [0_u32; 16];
    words[0] = u32::from(TLV_U_SIG) | 12 << 16;
    words[1] = VERSION_AND_BANDWIDTH_KNOWN | u32::from(width_number(tx.width())) << 15;
    words[4] = u32::from(TLV_EHT) | 44 << 16;
    words[5] = GUARD_KNOWN;
    words[6] = u32::from(guard_number(tx.guard)) << 7;
    if let Some(ResourceUnit { size, index }) = unit_of(tx) {
        words[5] |= UNIT_SIZE_AND_INDEX_KNOWN;
        words[7] = size as u32 | u32::from(index) << 5;
    }
    let ldpc = u32::from(tx.coding() == Coding::Ldpc) << 19;
    let (mcs, streams) = (u32::from(tx.index) << 20, u32::from(tx.streams - 1) << 24);
    words[15] = MCS_CODING_NSS_KNOWN_AND_CAPTURED | ldpc | mcs | streams;
    let mut octets = [0; 64];
    for (place, word) in octets.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    octets
}

#[cfg(test)]
mod tests {
    use airtcp_air::phy::{Allocation, RuSize};

    use super::*;

    fn written(tx: TxVector, change: impl FnOnce(&mut Radiotap)) -> Vec<u8> {
        let mut header = Radiotap {
            start_ns: 0x0102_0304_0506 * 1000 + 999,
            tx,
            channel_mhz: 5_180,
            power: None,
            bad_fcs: false,
            is_triggered: false,
            subframe: None,
        };
        change(&mut header);
        let mut out = Vec::new();
        header.write(&mut out);
        assert!(out.len() <= RADIOTAP_BYTES_MAX as usize);
        out
    }

    #[test]
    fn an_ofdm_ppdu_has_a_rate() {
        let header = written(TxVector::ofdm(7), |header| header.power = Some(Dbm::new(-50.4)));
        let expected = [
            0, 0, 23, 0, 0x2f, 0, 0, 0, // version, length, TSFT + flags + rate + channel + signal
            6, 5, 4, 3, 2, 1, 0, 0, // microseconds
            0x10, 108, 0x3c, 0x14, 0x40, 0x01, 0xce, // FCS, 54 Mbit/s, 5180 MHz OFDM at 5 GHz, -50 dBm
        ];
        assert_eq!(header, expected);
    }

    #[test]
    fn a_dsss_ppdu_has_its_preamble_and_a_lost_one_its_flag() {
        let header = written(TxVector::hr_dsss(2, true), |header| {
            (header.channel_mhz, header.bad_fcs) = (2_412, true);
        });
        assert_eq!(header[16..], [0x52, 11, 0x6c, 0x09, 0xa0, 0]);
    }

    #[test]
    fn ht_counts_streams_in_its_index() {
        let tx = TxVector::mimo(Format::Ht, 7, 2, Width::Mhz40, Guard::Ns400).with_ldpc();
        let subframe = Subframe { reference: 0x0a0b, last: true, alone: false };
        let header = written(tx, |header| header.subframe = Some(subframe));
        // TSFT, flags, channel; MCS, A-MPDU status.
        assert_eq!(header[4..8], [0x0b, 0, 0x18, 0]);
        // FCS, padding, channel, known, 40 MHz with short guard and LDPC, index 15, padding, reference, last.
        let expected = [0x10, 0, 0x3c, 0x14, 0x40, 0x01, 0x7f, 0x15, 15, 0, 0, 0];
        assert_eq!(header[16..28], expected);
        assert_eq!(header[28..], [0x0b, 0x0a, 0, 0, 0x8c, 0, 0, 0]);
    }

    #[test]
    fn vht_says_bandwidth_and_streams() {
        let tx = TxVector::mimo(Format::Vht, 9, 3, Width::Mhz80, Guard::Ns400);
        let header = written(tx, |header| {
            header.subframe = Some(Subframe { reference: 1, last: true, alone: true });
        });
        assert_eq!(header[4..8], [0x0b, 0, 0x30, 0]);
        assert_eq!(header[24..32], [1, 0, 0, 0, 0xcc, 0, 0, 0]);
        assert_eq!(header[32..], [0x45, 0, 4, 4, 0x93, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn he_has_six_words() {
        let tx = TxVector::mimo(Format::He, 11, 2, Width::Mhz160, Guard::Ns1600);
        let header = written(tx, |_| ());
        assert_eq!(header[4..8], [0x0b, 0, 0x80, 0]);
        assert_eq!(header[22..], [0xa0, 0x42, 2, 0, 0, 0x2b, 0, 0, 0x13, 0, 2, 0]);
    }

    /// The third RU of 106 tones of 80 MHz: multi-user, place 2, size 6.
    #[test]
    fn he_has_the_resource_unit_of_a_user() {
        let unit = Allocation::ru(Width::Mhz80, RuSize::Tones106, 3).expect("an RU");
        let tx = TxVector::mimo(Format::He, 7, 1, Width::Mhz80, Guard::Ns800).within(unit);
        assert_eq!(written(tx, |_| ())[22..], [0xa2, 0x42, 2, 0x42, 0, 0x27, 0, 0, 6, 0, 1, 0]);
        assert_eq!(written(tx, |header| header.is_triggered = true)[22], 0xa3);
        let eht = TxVector { format: Format::Eht, ..tx };
        let header = written(eht, |header| header.power = Some(Dbm::new(-60.0)));
        assert_eq!(header[40..56], [34, 0, 44, 0, 4, 0, 0xc0, 0, 0, 0, 0, 0, 0x62, 0, 0, 0]);
    }

    #[test]
    fn eht_comes_as_two_items() {
        let tx = TxVector::mimo(Format::Eht, 13, 2, Width::Mhz320, Guard::Ns3200);
        let header = written(tx, |header| header.power = Some(Dbm::new(-60.0)));
        assert_eq!(header[4..8], [0x2b, 0, 0, 0x10]);
        assert_eq!(header[24..40], [33, 0, 12, 0, 0x03, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(header[40..52], [34, 0, 44, 0, 4, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(header[84..], [0x96, 0, 0xd8, 1]);
        assert_eq!(header.len(), 88);
    }

    #[test]
    fn dmg_has_no_rate_and_its_highest_channels_no_frequency() {
        let tx = TxVector::mimo(Format::Dmg, 4, 1, Width::Mhz2160, Guard::Ns800);
        assert_eq!(written(tx, |header| header.channel_mhz = 60_480)[4..8], [0x0b, 0, 0, 0]);
        assert_eq!(written(tx, |header| header.channel_mhz = 69_120)[4..8], [0x03, 0, 0, 0]);
    }
}
