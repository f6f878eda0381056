//! One saturated station: the simulated air against cycles added up by hand and against published values, so that an error that the
//! closed form shares with the model would show.
//!
//! Tolerance 1 % for the simulated air (chance 0.2 %), 0.001 % for the closed form against the arithmetic; published values as each
//! test says. Sources of the arithmetic: the equations for TXTIME (IEEE 802.11-2020, 16.2.3.5, 17.4.3, 19.4.3, 20.6.3.2.3.3, 21.4.3;
//! IEEE 802.11ax-2021, 27.4.3; IEEE 802.11be, 36.4.3) and lengths of frames (9.3).

use airtcp_plan::{AccessParameters, Aggregation, AirPlan, BeaconPlan, Standard};

use crate::scene::{
    AMPDU, Direction, Down, FRAME_BYTES, PAYLOAD_BYTES, Up, Worst, aggregate, closed_form, dmg, legacy, mbps,
    mcs, plan, run_saturated, seconds_alone,
};

/// Bits of UDP payload in a full Ethernet frame.
const PAYLOAD_BITS: f64 = 8.0 * 1472.0;

/// A-MPDUs with the octets that HT allows.
const HT_AMPDU: Aggregation = Aggregation { ampdu_bytes: 65_535, ..AMPDU };
/// 64 MPDUs of 1538 octets: delimiters of 4, each but the last padded by 2.
const PSDU_OF_64_BITS: f64 = 8.0 * (63.0 * 1544.0 + 1542.0);

/// Goodput of station 1 alone. With beacons at least four seconds, forty of them.
fn measured_mbps(air: &AirPlan, direction: Direction) -> f64 {
    let expected = closed_form(air, direction, FRAME_BYTES);
    let cell = &air.cells[0];
    let access = cell.access.get(1).unwrap_or(&cell.access[0]);
    let seconds = seconds_alone(&expected, access.cw_min, 0.002);
    let seconds = if cell.beacon.is_some() { seconds.max(4.0) } else { seconds };
    mbps(&run_saturated(air.clone(), direction, seconds, 1), PAYLOAD_BYTES)
}

/// The plan's closed form and its simulation, each against so many frames in a cycle of so many microseconds.
#[track_caller]
fn hold(worst: &mut Worst, what: &str, air: &AirPlan, (frames, cycle_us): (f64, f64)) {
    let by_hand = frames * PAYLOAD_BITS / cycle_us;
    for direction in [Up, Down] {
        let formula = closed_form(air, direction, FRAME_BYTES).bits_per_second(PAYLOAD_BYTES) / 1e6;
        assert!((formula / by_hand - 1.0).abs() < 1e-5, "{what}: {formula} Mbit/s, by hand {by_hand}");
        worst.note(what, measured_mbps(air, direction), by_hand);
    }
}

/// DIFS, half of `CWmin` slots, data of 1536 octets, SIFS, Ack.
#[test]
fn legacy_standards() {
    let mut worst = Worst::default();
    // 1118 = 12288 bits / 11, rounded up; Ack of 56 us at 2 Mbit/s, with the preamble of the data.
    let mut b = plan(legacy(Standard::HrDsss, 11_000), 1);
    let us = |preamble: f64| 50.0 + 15.5 * 20.0 + preamble + 1118.0 + 10.0 + preamble + 56.0;
    hold(&mut worst, "11b, long preamble", &b, (1.0, us(192.0)));
    b.cells[0].short_preamble = true;
    hold(&mut worst, "11b, short preamble", &b, (1.0, us(96.0)));
    // 57 symbols of 216 bits hold 16 + 12288 + 6; the Ack has 134 bits in two symbols of 96.
    let a = plan(legacy(Standard::Ofdm, 54_000), 1);
    hold(&mut worst, "11a", &a, (1.0, 34.0 + 67.5 + (20.0 + 57.0 * 4.0) + 16.0 + (20.0 + 2.0 * 4.0)));
    let g = plan(legacy(Standard::Erp, 54_000), 1);
    hold(&mut worst, "11g", &g, (1.0, 28.0 + 67.5 + (20.0 + 57.0 * 4.0 + 6.0) + 10.0 + (28.0 + 6.0)));
    worst.within(0.01, "one station by hand, 11b, 11a, 11g");
}

/// AIFS of 43 us, 7.5 slots, 28 MPDUs of 1538 octets in 5.484 ms, SIFS, a `BlockAck` of 32 octets at 24 Mbit/s.
#[test]
fn ht_and_vht() {
    let mut worst = Worst::default();
    let around = 43.0 + 67.5 + 16.0 + 32.0;
    let mut ht = plan(mcs(Standard::Ht, 7, 1, 20, 800), 1);
    aggregate(&mut ht, HT_AMPDU);
    // 8 (27 x 1544 + 1542) + 22 = 345862 bits in symbols of 260.
    hold(&mut worst, "11n, 20 MHz", &ht, (28.0, around + 36.0 + 1331.0 * 4.0));
    let mut wide = plan(mcs(Standard::Ht, 7, 2, 40, 400), 1);
    aggregate(&mut wide, HT_AMPDU);
    // 42 MPDUs in 65535 octets: 518790 bits in 481 symbols of 1080, 1731.6 us, rounded up to 4 us; two HT-LTFs.
    hold(&mut worst, "11n, 40 MHz", &wide, (42.0, around + 40.0 + 1732.0));
    for (width, bits_per_symbol) in [(80, 1560.0), (160, 3120.0)] {
        let mut vht = plan(mcs(Standard::Vht, 9, 1, width, 800), 1);
        aggregate(&mut vht, AMPDU);
        // Two encoders at 160 MHz: 6 more tail bits.
        let tail = if width == 160 { 12.0 } else { 6.0 };
        let symbols = ((PSDU_OF_64_BITS + 16.0 + tail) / bits_per_symbol).ceil();
        hold(&mut worst, &format!("11ac, {width} MHz"), &vht, (64.0, around + 40.0 + 4.0 * symbols));
    }
    worst.within(0.01, "one station by hand, 11n, 11ac");
}

/// HE MCS 11 at 80 MHz: 790528 bits in 97 symbols of 8166, the last of them full, so LDPC adds none; preamble 36 + 7.2 us. EHT MCS 13
/// at 320 MHz: 21 symbols of 39200; 47.2 us.
#[test]
fn he_and_eht() {
    let mut worst = Worst::default();
    let around = 43.0 + 67.5 + 16.0 + 32.0;
    let cases = [
        ("11ax, 80 MHz", mcs(Standard::He, 11, 1, 80, 800), 8166.0, 43.2, 97.0),
        ("11be, 320 MHz", mcs(Standard::Eht, 13, 1, 320, 800), 39_200.0, 47.2, 21.0),
    ];
    for (what, phy, bits_per_symbol, preamble, symbols) in cases {
        assert_eq!(((PSDU_OF_64_BITS + 16.0) / bits_per_symbol).ceil() as u32, symbols as u32, "{what}");
        let mut air = plan(phy, 1);
        aggregate(&mut air, AMPDU);
        hold(&mut worst, what, &air, (64.0, around + preamble + 13.6 * symbols));
    }
    worst.within(0.01, "one station by hand, 11ax, 11be");
}

/// MCS 12: 98814 octets in 1569 codewords of 504 data bits, 589 blocks of 512 chips; the `BlockAck` at MCS 4 in 2 blocks.
#[test]
fn single_carrier_at_60_ghz() {
    let mut worst = Worst::default();
    let mut air = plan(dmg(12), 1);
    aggregate(&mut air, Aggregation { ampdu_bytes: 262_143, ampdu_us: 2_000, ..AMPDU });
    let us = |blocks: f64| (26.0 * 128.0 + 1024.0 + 512.0 * blocks + 64.0) / 1760.0;
    // AIFS 3 + 3 x 5, backoff 7.5 x 5.
    hold(&mut worst, "11ad", &air, (64.0, 18.0 + 37.5 + us(589.0) + 3.0 + us(2.0)));
    worst.within(0.01, "one station by hand, 11ad");
}

/// The published closed form (same assumptions as INET's throughput showcase): 1472 octets of payload in a PSDU of 1536, two decimals
/// (11b: four digits).
#[test]
fn published_closed_forms() {
    let mut worst = Worst::default();
    let ofdm = [5.27, 7.60, 9.83, 13.80, 17.28, 23.11, 27.68, 29.93];
    let rates = [6_000, 9_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
    for standard in [Standard::Ofdm, Standard::Erp] {
        for (kbps, published) in rates.into_iter().zip(ofdm) {
            let air = plan(legacy(standard, kbps), 1);
            worst.note(format!("{standard:?} {kbps}"), measured_mbps(&air, Up), published);
        }
    }
    for (kbps, published) in [1_000, 2_000, 5_500, 11_000].into_iter().zip([0.895, 1.693, 3.867, 6.108]) {
        let air = plan(legacy(Standard::HrDsss, kbps), 1);
        worst.note(format!("11b {kbps}"), measured_mbps(&air, Up), published);
    }
    worst.within(0.01, "one station, published closed forms");
}

/// Beacons as in ns-3's examples: 195 octets at 6 Mbit/s every 102.4 ms, after PIFS without backoff.
fn with_beacons(mut air: AirPlan) -> AirPlan {
    air.cells[0].beacon = Some(BeaconPlan { interval_us: 102_400, bytes: 195 });
    air
}

/// `wifi-testing.rst` of ns-3: one station at 1 m, A-MPDU, MCS 0 to 7 at 20 MHz, and MCS 15 at 40 MHz with short guard interval.
#[test]
fn documented_goodput_of_11n() {
    let mut worst = Worst::default();
    let documented = [5.81, 11.83, 17.79, 23.80, 35.73, 47.62, 53.61, 59.55];
    let narrow = (0..).zip(documented).map(|(index, mbps)| (mcs(Standard::Ht, index, 1, 20, 800), mbps));
    for (phy, documented) in narrow.chain([(mcs(Standard::Ht, 7, 2, 40, 400), 254.9)]) {
        let mut air = with_beacons(plan(phy, 1));
        aggregate(&mut air, HT_AMPDU);
        worst.note(format!("{:?}", phy.mode), measured_mbps(&air, Up), documented);
    }
    worst.within(0.01, "one station, ns-3's documented goodput of 11n");
}

/// `wifi-aggregation.cc` of ns-3 asserts ranges for 11n, MCS 7, 20 MHz: A-MPDU, none, A-MSDU, both.
#[test]
fn aggregation_is_in_the_asserted_ranges() {
    let ranges = [
        ((65_535, 0), 59.0..60.0),
        ((0, 0), 30.0..31.0),
        ((0, 7_935), 51.0..52.0),
        ((32_768, 3_839), 58.0..59.0),
    ];
    for ((ampdu_bytes, amsdu_bytes), range) in ranges {
        let mut air = with_beacons(plan(mcs(Standard::Ht, 7, 1, 20, 800), 1));
        aggregate(&mut air, Aggregation { ampdu_bytes, amsdu_bytes, ..AMPDU });
        let mbps = measured_mbps(&air, Up);
        println!("A-MPDU {ampdu_bytes}, A-MSDU {amsdu_bytes}: {mbps:.2} Mbit/s in {range:?}");
        assert!(range.contains(&mbps), "{ampdu_bytes}, {amsdu_bytes}: {mbps}");
    }
}

/// `wifi-80211e-txop.cc` of ns-3 asserts ranges for 11a (its ideal rate control: 54 Mbit/s) with BE and VI without and with a TXOP.
#[test]
fn a_txop_is_in_the_asserted_ranges() {
    let best_effort = AccessParameters { aifsn: 3, cw_min: 15, cw_max: 1023, txop_us: 0 };
    let video = AccessParameters { aifsn: 2, cw_min: 7, cw_max: 15, txop_us: 0 };
    let cases = [
        (best_effort, 0, 28.0..29.0),
        (best_effort, 4_096, 36.5..37.0),
        (video, 0, 31.5..32.5),
        (video, 4_096, 36.5..37.5),
    ];
    for (access, txop_us, range) in cases {
        let mut air = plan(legacy(Standard::Ofdm, 54_000), 1);
        air.cells[0].access = vec![AccessParameters { txop_us, ..access }; 4];
        let air = with_beacons(air);
        let mbps = measured_mbps(&air, Up);
        println!("{access:?}, TXOP {txop_us} us: {mbps:.2} Mbit/s in {range:?}");
        assert!(range.contains(&mbps), "{access:?}, {txop_us} us: {mbps}");
    }
}
