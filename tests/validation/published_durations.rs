//! Durations of PPDUs of every format against published values.
//!
//! The values are those that ns-3 asserts in `tx-duration-test.cc`, for 1536, 76 and 14 octets. Where its
//! arithmetic differs from TXTIME of the standard, the row says by how much and why:
//! - ns-3 leaves VHT-SIG-B out of VHT SU PPDUs: 4 us (IEEE 802.11-2020, Figure 21-4 and 21.4.3 have it);
//! - with a short guard interval TXTIME is rounded up to 4 us (19.4.3, 21.4.3), which ns-3 does not do;
//! - it lets an HE-LTF last 8 us with every guard interval: 2x HE-LTF lasts 7.2 us with 0.8 us, 8 us with 1.6 us,
//!   4x HE-LTF 16 us with 3.2 us (IEEE 802.11ax-2021, Table 27-12);
//! - it gives EHT-SIG of a single user fields for the allocation of RUs from 80 MHz on: 1, 3 symbols at 80 and 320 MHz.

use airtcp_air::phy::{ACK_BYTES, Band, Format, Guard, InterFrame, SlotTime, TxVector, Width};
use airtcp_units::Duration;

const BYTES: [u32; 3] = [1536, 76, 14];

fn durations(tx: TxVector) -> [u64; 3] {
    BYTES.map(|bytes| tx.ppdu_duration(bytes).as_nanos())
}

/// Tenths of microseconds as nanoseconds.
fn nanos(tenths: [u64; 3]) -> [u64; 3] {
    tenths.map(|t| t * 100)
}

fn mimo(format: Format, mcs: u8, width: u32, guard: u32) -> TxVector {
    let width = Width::from_mhz(width).expect("a width");
    TxVector::mimo(format, mcs, 1, width, Guard::from_nanos(guard).expect("a guard interval"))
}

#[test]
fn dsss() {
    assert_eq!(TxVector::hr_dsss(0, false).ppdu_duration(14), Duration::from_micros(304));
    assert_eq!(durations(TxVector::hr_dsss(3, false)), nanos([13_100, 2_480, 2_030]));
    assert_eq!(durations(TxVector::hr_dsss(3, true)), nanos([12_140, 1_520, 1_070]));
}

/// Gast, "802.11 Wireless Networks", table of the length field at 11 Mbit/s.
#[test]
fn dsss_rounds_up_to_a_microsecond() {
    let payload = [1023, 1024, 1025, 1026].map(|bytes| {
        TxVector::hr_dsss(3, false).ppdu_duration(bytes).saturating_sub(Duration::from_micros(192))
    });
    assert_eq!(payload, [744, 745, 746, 747].map(Duration::from_micros));
}

#[test]
fn ofdm_with_and_without_signal_extension() {
    assert_eq!(durations(TxVector::ofdm(7)), nanos([2_480, 320, 240]));
    let erp = InterFrame::new(Band::Ghz2_4, SlotTime::Short);
    let with_extension = BYTES.map(|b| erp.ppdu_duration(TxVector::ofdm(7), b).as_nanos());
    assert_eq!(with_extension, nanos([2_540, 380, 300]));
}

#[test]
fn ht_with_the_long_guard_interval() {
    assert_eq!(durations(mimo(Format::Ht, 7, 20, 800)), nanos([2_280, 480, 400]));
    assert_eq!(durations(mimo(Format::Ht, 7, 40, 800)), nanos([1_280, 440, 400]));
}

/// ns-3's value without its preamble, rounded up to 4 us.
fn rounded(ns3: [u64; 3], preamble_us: u64) -> [u64; 3] {
    let preamble = preamble_us * 1_000;
    nanos(ns3).map(|t| preamble + (t - preamble).next_multiple_of(4_000))
}

#[test]
fn ht_with_the_short_guard_interval() {
    let rows = [
        (mimo(Format::Ht, 0, 20, 400), [17_424, 1_260, 576], [17_440, 1_280, 600]),
        (mimo(Format::Ht, 6, 20, 400), [2_268, 468, 396], [2_280, 480, 400]),
        (mimo(Format::Ht, 7, 40, 400), [1_188, 432, 396], [1_200, 440, 400]),
    ];
    for (tx, ns3, standard) in rows {
        assert_eq!(durations(tx), nanos(standard), "{tx}");
        assert_eq!(durations(tx), rounded(ns3, 36), "{tx}");
    }
}

#[test]
fn vht() {
    let sig_b = 4_000;
    let rows = [
        (8, 20, [1_960, 480, 400], [1_800, 468, 396]),
        (9, 40, [1_080, 400, 400], [1_008, 396, 396]),
        (0, 80, [4_600, 600, 440], [4_176, 576, 432]),
        (9, 80, [680, 400, 400], [648, 396, 396]),
        (8, 160, [560, 400, 400], [540, 396, 396]),
    ];
    for (mcs, width, long, short) in rows {
        let tx = mimo(Format::Vht, mcs, width, 800);
        assert_eq!(durations(tx), nanos(long).map(|t| t + sig_b), "{tx}");
        let tx = mimo(Format::Vht, mcs, width, 400);
        assert_eq!(durations(tx), rounded(short, 36).map(|t| t + sig_b), "{tx}");
    }
}

#[test]
fn he() {
    let rows = [
        (0, 20, 800, [14_856, 1_256, 712]),
        (0, 40, 800, [7_648, 848, 576]),
        (0, 80, 800, [3_976, 712, 576]),
        (0, 160, 800, [2_208, 576, 576]),
        (11, 20, 800, [1_392, 576, 576]),
        (11, 40, 800, [984, 576, 576]),
        (11, 80, 800, [712, 576, 576]),
        (11, 160, 800, [576, 576, 576]),
        (0, 20, 1600, [15_704, 1_304, 728]),
        (0, 20, 3200, [17_400, 1_400, 760]),
    ];
    for (mcs, width, guard, ns3) in rows {
        let tx = mimo(Format::He, mcs, width, guard);
        let training = match guard {
            800 => 7_200,
            1600 => 8_000,
            _ => 16_000,
        };
        assert_eq!(durations(tx), nanos(ns3).map(|t| t - 8_000 + training), "{tx}");
    }
}

#[test]
fn eht() {
    // (mcs, width, ns-3's values, symbols of EHT-SIG that a single user does not need)
    let rows = [
        (0, 20, [14_936, 1_336, 792], 0),
        (0, 80, [4_096, 832, 696], 1),
        (0, 320, [1_592, 776, 776], 3),
        (13, 20, [1_296, 616, 616], 0),
        (13, 80, [752, 616, 616], 0),
        (13, 320, [616, 616, 616], 0),
    ];
    for (mcs, width, ns3, allocation_symbols) in rows {
        let tx = mimo(Format::Eht, mcs, width, 800);
        let expected = nanos(ns3).map(|t| t - 800 - 4_000 * allocation_symbols);
        assert_eq!(durations(tx), expected, "{tx}");
    }
}

fn dmg(mcs: u8) -> TxVector {
    mimo(Format::Dmg, mcs, 2160, 800)
}

/// By hand, with chips of 1/1.76 ns. A single carrier PPDU begins with 17 + 9 Golay sequences of 128 chips and a
/// header of 1024 chips, and ends with 64 chips: 4416 in all. IEEE 802.11-2020, 20.6.3.2.3.3 and 20.6.4.
#[test]
fn dmg_single_carrier() {
    // (MCS, octets, codewords, blocks)
    let rows = [
        // 112 bits in codewords of 168 data bits sent twice: one codeword, 672 / 448 symbols.
        (1, ACK_BYTES, 1, 2),
        // 12288 bits / 336 = 36.6; 37 x 672 / 448 = 55.5.
        (2, 1536, 37, 56),
        // 12288 / 504 = 24.4; 25 x 672 / 448 = 37.5.
        (4, 1536, 25, 38),
        // 12288 / 546 = 22.5; 23 x 672 / 448 = 34.5.
        (5, 1536, 23, 35),
        // 12288 / 420 = 29.3; 30 x 672 / 896 = 22.5.
        (7, 1536, 30, 23),
        // 12288 / 504 = 24.4; 25 x 672 / 1792 = 9.4.
        (12, 1536, 25, 10),
        // 524280 / 504 = 1040.2; 1041 x 672 / 1792 = 390.4.
        (12, 65_535, 1041, 391),
    ];
    for (mcs, bytes, codewords, blocks) in rows {
        let chips: u64 = 17 * 128 + 9 * 128 + 1024 + 512 * blocks + 64;
        assert_eq!(dmg(mcs).ppdu_duration(bytes).as_nanos(), (chips * 1000).div_ceil(1760), "{codewords}");
    }
    // 4.62 Gb/s over 64 kB: 113.5 us of data.
    assert_eq!(dmg(12).ppdu_duration(65_535), Duration::from_nanos(116_255));
}

/// Control mode: 59 sequences of 128 chips, then 32 chips to a bit: header and data as they are, 168 parity bits for
/// the first codeword and for each 168 bits after 6 octets (20.4.4). A sector sweep frame of 26 octets takes 14.9 us.
#[test]
fn dmg_control_mode() {
    let nanos = |bits: u64| Duration::from_nanos(((59 * 128 + 32 * bits) * 1000).div_ceil(1760));
    assert_eq!(dmg(0).ppdu_duration(ACK_BYTES), nanos(88 + 64 + 2 * 168));
    assert_eq!(dmg(0).ppdu_duration(20), nanos(88 + 112 + 2 * 168));
    assert_eq!(dmg(0).ppdu_duration(26), nanos(88 + 160 + 2 * 168));
    assert_eq!(dmg(0).ppdu_duration(28), nanos(88 + 176 + 3 * 168));
    assert_eq!(dmg(0).ppdu_duration(26).as_nanos() / 100, 149);
}

/// VHT with more streams than the table above has, by hand (21.4.3): 36 us, 4 us for each VHT-LTF.
#[test]
fn vht_with_several_streams_and_encoders() {
    let tx = |mcs, streams, width| TxVector::mimo(Format::Vht, mcs, streams, width, Guard::Ns800);
    // 160 MHz, eight streams, MCS 9: N_DBPS = 24960, N_ES = 12; 8 VHT-LTFs; 524280 + 16 + 72 bits in 22 symbols.
    assert_eq!(tx(9, 8, Width::Mhz160).ppdu_duration(65_535), Duration::from_micros(36 + 32 + 88));
    // 80 MHz, seven streams, MCS 7: N_DBPS = 8190, N_ES = 6, although four would carry the rate. 3 symbols hold 24570
    // bits: 3064 octets with 16 bits of SERVICE and six tails of 6 bits (3066 with four).
    let seven = tx(7, 7, Width::Mhz80);
    assert_eq!(seven.ppdu_duration(3_064), Duration::from_micros(36 + 32 + 12));
    assert_eq!(seven.ppdu_duration(3_065), Duration::from_micros(36 + 32 + 16));
    // HT, 40 MHz, four streams, MCS 31: N_DBPS = 2160, N_ES = 2; 4 HT-LTFs; 12288 + 16 + 12 bits in 6 symbols.
    let ht = TxVector::mimo(Format::Ht, 7, 4, Width::Mhz40, Guard::Ns800);
    assert_eq!(ht.ppdu_duration(1_536), Duration::from_micros(32 + 16 + 24));
}

/// Longer PSDUs never take less time, and the longest that fits is limited by time or octets.
#[test]
fn limits_of_length() {
    let vht = mimo(Format::Vht, 0, 20, 800);
    let longest = vht.max_ppdu_duration().expect("VHT has a limit");
    assert_eq!(longest, Duration::from_micros(5_484));
    // 1361 symbols of 26 bits: 4420 octets.
    assert!(vht.ppdu_duration(4_420) <= longest && vht.ppdu_duration(4_421) > longest);
    assert_eq!(dmg(1).max_ppdu_duration(), Some(Duration::from_millis(2)));
    assert_eq!(TxVector::ofdm(0).max_ppdu_duration(), None);
    let octets = [Format::HrDsss, Format::Ht, Format::Vht, Format::He, Format::Eht, Format::Dmg]
        .map(|format| TxVector { format, ..TxVector::ofdm(0) }.max_psdu_bytes());
    assert_eq!(octets, [4_095, 65_535, 1_048_575, 6_500_631, 15_523_200, 262_143]);
    // The longest EHT PSDU does not overflow anything.
    let eht = mimo(Format::Eht, 13, 320, 800);
    assert!(eht.ppdu_duration(15_523_200) > Duration::from_millis(43));
}
