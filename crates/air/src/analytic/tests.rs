//! Closed forms against arithmetic by hand and against published numbers.

use airtcp_plan::{AccessParameters, Aggregation, ErpProtection, RtsPolicy};
use airtcp_units::Duration;

use super::{AfterBusy, FrameLengths, Link, Saturation, goodput};
use crate::border::Protection;
use crate::phy::{Band, BasicRates, Format, Guard, InterFrame, SlotTime, TxVector, Width};

const DCF: AccessParameters = AccessParameters { aifsn: 2, cw_min: 15, cw_max: 1023, txop_us: 0 };
const BEST_EFFORT: AccessParameters = AccessParameters { aifsn: 3, ..DCF };
const PLAIN: FrameLengths =
    FrameLengths { around: 28, mesh_control: 0, amsdu_bytes: 0, mpdu_bytes: 0, amsdu_frames: 1 };
const QOS: FrameLengths = FrameLengths { around: 30, ..PLAIN };

/// DCF at 5 GHz.
fn ofdm(index: u8) -> Link {
    Link {
        tx: TxVector::ofdm(index),
        band: Band::Ghz5,
        times: InterFrame::new(Band::Ghz5, SlotTime::Short),
        basic: BasicRates::OFDM_MANDATORY,
        access: DCF,
        edca: false,
        short_retry_limit: 7,
        long_retry_limit: 4,
        subframe_retry_limit: 7,
        lengths: PLAIN,
        aggregation: None,
        rts_threshold_bytes: 10_000_000,
        rts_threshold: None,
        rts_policy: RtsPolicy::RateControl,
        erp: ErpProtection::None,
        short_preamble: false,
        ht: Protection::None,
    }
}

/// 11b with long preamble; 1 and 2 Mbit/s are basic.
fn hr_dsss(index: u8) -> Link {
    let tx = |index| TxVector::hr_dsss(index, false);
    Link {
        tx: tx(index),
        times: InterFrame::new(Band::Ghz2_4, SlotTime::Long),
        basic: BasicRates::NONE.with(tx(0)).with(tx(1)),
        access: AccessParameters { cw_min: 31, ..DCF },
        ..ofdm(0)
    }
}

/// EDCA's best effort at 5 GHz in one stream with long guard interval; A-MPDUs and A-MSDUs up to these lengths.
fn mimo(format: Format, mcs: u8, width: Width, (ampdu_bytes, longest_amsdu): (u32, u32)) -> Link {
    let limits = Aggregation {
        ampdu_bytes,
        ampdu_us: 5_484,
        block_ack_window: 64,
        start_spacing_ns: 0,
        amsdu_bytes: longest_amsdu,
        amsdu_frames: 0,
        voice: false,
    };
    let mpdu_bytes = if ampdu_bytes > 0 { 4_095 } else { u32::MAX };
    Link {
        tx: TxVector::mimo(format, mcs, 1, width, Guard::Ns800),
        access: BEST_EFFORT,
        edca: true,
        lengths: FrameLengths { amsdu_bytes: longest_amsdu, mpdu_bytes, amsdu_frames: u32::MAX, ..QOS },
        aggregation: Some(limits),
        ..ofdm(0)
    }
}

/// Mbit/s of UDP payload in full Ethernet frames.
fn udp_mbps(link: &Link) -> f64 {
    goodput(link, 1514).bits_per_second(1472) / 1e6
}

/// The same in ns-3's examples, whose access points send a beacon every 102.4 ms: 195 octets at 6 Mbit/s, 284 us, and PIFS.
fn udp_mbps_beside_beacons(link: &Link) -> f64 {
    udp_mbps(link) * (1.0 - (284.0 + 25.0) / 102_400.0)
}

fn us(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e3
}

#[test]
fn legacy_rates_give_what_others_computed() {
    // The project's collection of published numbers; INET's throughput showcase makes the same assumptions. Two decimals.
    let published = [5.27, 7.60, 9.83, 13.80, 17.28, 23.11, 27.68, 29.93];
    for (index, published) in published.into_iter().enumerate() {
        let a = ofdm(index as u8);
        let times = InterFrame::new(Band::Ghz2_4, SlotTime::Short);
        let g = Link { times, ..a };
        assert!((udp_mbps(&a) - published).abs() < 0.006, "{}: {}", a.tx, udp_mbps(&a));
        assert!((udp_mbps(&g) - published).abs() < 0.006, "{}: {}", g.tx, udp_mbps(&g));
    }
    for (index, published) in [0.895, 1.693, 3.867, 6.108].into_iter().enumerate() {
        let mbps = udp_mbps(&hr_dsss(index as u8));
        assert!((mbps / published - 1.0).abs() < 0.001, "{index}: {mbps} against {published}");
    }
}

#[test]
fn the_cycle_of_11b_is_that_of_jun_et_al() {
    // "Theoretical maximum throughput": a x + b microseconds for an MSDU of x octets, with 34 octets around it and an Ack at
    // 1 Mbit/s. At 11 Mbit/s: 50 + 310 + 192 + 272 / 11 + 10 + 192 + 112 = 890.73.
    let only_1_mbps = BasicRates::NONE.with(TxVector::hr_dsss(0, false));
    let parameters = [(8.0, 1138.0), (4.0, 1002.0), (1.45455, 915.45), (0.72727, 890.73)];
    for (index, (a, b)) in parameters.into_iter().enumerate() {
        let link = Link { basic: only_1_mbps, ..hr_dsss(index as u8) };
        // 1514 octets of Ethernet are 1536 on the air: as an MSDU of 1502.
        let cycle = us(goodput(&link, 1514).cycle);
        // The PPDU ends with a whole microsecond (IEEE 802.11-2020, 16.2.3.5), which the paper leaves out.
        let expected = a * 1502.0 + b;
        assert!((0.0..1.02).contains(&(cycle - expected)), "{index}: {cycle} against {expected}");
    }
}

#[test]
fn what_goes_before_data() {
    // 11a at 54 Mbit/s: 34 + 67.5 + RTS 28 + 16 + CTS 28 + 16 + 248 + 16 + 28.
    let rts = Link { rts_threshold_bytes: 0, ..ofdm(7) };
    assert!((us(goodput(&rts, 1514).cycle) - 481.5).abs() < 1e-9);
    // The same for a PPDU that lasts longer than 247 us, and not for one longer than 248.
    let by_duration = |us| Link { rts_threshold: Some(Duration::from_micros(us)), ..ofdm(7) };
    assert_eq!(goodput(&by_duration(247), 1514).cycle, goodput(&rts, 1514).cycle);
    assert_eq!(goodput(&by_duration(248), 1514).cycle, goodput(&ofdm(7), 1514).cycle);
    // 11g beside 11b, long slots: 50 + 150 + CTS at 11 Mbit/s (highest basic rate not above: 2 Mbit/s, 192 + 56) + 10 + 254 + 10
    // and the Ack at 24 Mbit/s with signal extension.
    let times = InterFrame::new(Band::Ghz2_4, SlotTime::Long);
    let basic = hr_dsss(3).basic;
    let mixed = Link { times, basic, erp: ErpProtection::CtsToSelf, ..ofdm(7) };
    let cycle = us(goodput(&mixed, 1514).cycle);
    assert!((cycle - (50.0 + 150.0 + 248.0 + 10.0 + 254.0 + 10.0 + 34.0)).abs() < 1e-9, "{cycle}");
    // RTS instead: 20 octets at 2 Mbit/s, 192 + 80.
    let rts = Link { erp: ErpProtection::RtsCts, ..mixed };
    let longer = us(goodput(&rts, 1514).cycle) - cycle;
    assert!((longer - (272.0 + 10.0)).abs() < 1e-9, "{longer}");
}

#[test]
fn aggregates_are_in_the_ranges_that_ns3_asserts() {
    // wifi-aggregation.cc, 11n MCS 7 at 20 MHz: A-MPDU, none, A-MSDU, both.
    let ranges = [
        ((65_535, 0), 59.0..60.0),
        ((0, 0), 30.0..31.0),
        ((0, 7_935), 51.0..52.0),
        ((32_768, 3_839), 58.0..59.0),
    ];
    for (limits, range) in ranges {
        let mbps = udp_mbps_beside_beacons(&mimo(Format::Ht, 7, Width::Mhz20, limits));
        assert!(range.contains(&mbps), "{limits:?}: {mbps}");
    }
    // wifi-testing.rst: MCS 0 to 7 with A-MPDU.
    let documented = [5.81, 11.83, 17.79, 23.80, 35.73, 47.62, 53.61, 59.55];
    for (mcs, documented) in documented.into_iter().enumerate() {
        let mbps = udp_mbps_beside_beacons(&mimo(Format::Ht, mcs as u8, Width::Mhz20, (65_535, 0)));
        assert!((mbps / documented - 1.0).abs() < 0.01, "MCS {mcs}: {mbps} against {documented}");
    }
}

#[test]
fn an_aggregate_ends_where_its_first_limit_is() {
    let txop = |link: Link| link.txop(1514);
    // 65 Mbit/s: an MPDU of 1538 takes 1544 octets. 65535 octets hold 42; 5484 us hold 29 (44556 octets last 5.52 ms).
    let ht = txop(mimo(Format::Ht, 7, Width::Mhz20, (65_535, 0)));
    assert_eq!(ht.exchanges[0].mpdus, 28);
    // 300 Mbit/s: 42 in 65535 octets.
    let mut wide = mimo(Format::Ht, 7, Width::Mhz40, (65_535, 0));
    wide.tx.streams = 2;
    assert_eq!(txop(wide).exchanges[0].mpdus, 42);
    // VHT has longer PSDUs: the window.
    let vht = mimo(Format::Vht, 9, Width::Mhz80, (1_048_575, 0));
    assert_eq!(txop(vht).exchanges[0].mpdus, 64);
    // The plan may require less than the standard: 4 ms.
    let mut short = mimo(Format::Ht, 0, Width::Mhz20, (65_535, 0));
    short.aggregation.as_mut().expect("it aggregates").ampdu_us = 4_000;
    assert_eq!(txop(short).exchanges[0].mpdus, 2);
}

#[test]
fn a_txop_is_filled_with_exchanges() {
    // wifi-80211e-txop.cc, 11a at 54 Mbit/s (by its ideal rate control): BE and VI, without and with a TXOP of 4096 us.
    let video = AccessParameters { aifsn: 2, cw_min: 7, cw_max: 15, txop_us: 0 };
    let cases = [
        (BEST_EFFORT, 0, 28.0..29.0),
        (BEST_EFFORT, 4_096, 36.5..37.0),
        (video, 0, 31.5..32.5),
        (video, 4_096, 36.5..37.5),
    ];
    for (access, txop_us, range) in cases {
        let link =
            Link { lengths: QOS, access: AccessParameters { txop_us, ..access }, edca: true, ..ofdm(7) };
        let mbps = udp_mbps_beside_beacons(&link);
        assert!(range.contains(&mbps), "{access:?}, {txop_us} us: {mbps}");
    }
    // By hand: 252 + 16 + 28 = 296 us for 1538 octets at 54 Mbit/s, then 312 with the SIFS before it: 1 + 3800 / 312 = 13.
    let access = AccessParameters { txop_us: 4_096, ..BEST_EFFORT };
    let txop = Link { lengths: QOS, access, edca: true, ..ofdm(7) }.txop(1514);
    assert_eq!((txop.exchanges.len(), us(txop.duration)), (13, 296.0 + 12.0 * 312.0));
}

#[test]
fn the_first_exchange_may_be_longer_than_the_txop() {
    let access = AccessParameters { txop_us: 32, ..BEST_EFFORT };
    let link = Link { lengths: QOS, access, edca: true, ..ofdm(0) };
    assert_eq!(link.txop(1514).exchanges.len(), 1);
    let aggregating = Link { access, ..mimo(Format::Ht, 7, Width::Mhz20, (65_535, 0)) };
    let txop = aggregating.txop(1514);
    assert_eq!((txop.exchanges.len(), txop.exchanges[0].mpdus), (1, 1));
}

/// Published throughput of HE without aggregation, BE, no RTS, no retry limit (ns-3, `wifi-bianchi.cc`, the EIFS tables): 5, 10, 20
/// and 50 stations, 1500 octets of payload in a PSDU of 1538. Constants of that model: 44 us of preamble, 13.6 us symbols with
/// the tail bits of BCC, a DIFS and a slot after a success, and DIFS, SIFS and Ack after a collision.
const HE: [(f64, f64, [f64; 4]); 3] = [
    (117.0, 44.0, [6.3381, 5.8172, 5.3146, 4.6317]),
    (1950.0, 28.0, [41.8065, 39.2749, 36.4282, 32.2164]),
    (8166.0, 28.0, [58.0092, 55.0896, 51.4672, 45.8436]),
];
const STATIONS: [u32; 4] = [5, 10, 20, 50];

#[test]
fn bianchis_model_gives_its_published_values() {
    let duration = |us: f64| Duration::from_nanos((us * 1e3) as u64);
    for (data_bits, ack_us, published) in HE {
        let data_us = 44.0 + 13.6 * ((22.0 + 8.0 * 1538.0) / data_bits).ceil();
        for (stations, published) in STATIONS.into_iter().zip(published) {
            let model = Saturation {
                stations,
                cw_min: 15,
                cw_max: 1023,
                attempts: None,
                after_busy: AfterBusy::CountsAsSlot,
                slot: duration(9.0),
                success: duration(data_us + 16.0 + ack_us + 34.0 + 9.0),
                collision: duration(data_us + 34.0 + 16.0 + ack_us),
                head_start: Duration::ZERO,
                payload_bytes: 1500,
            };
            let mbps = model.solve().throughput_bps / 1e6;
            assert!((mbps / published - 1.0).abs() < 0.001, "{data_bits}, {stations}: {mbps}, {published}");
        }
    }
}

#[test]
fn one_station_alone_is_the_closed_form() {
    for link in [ofdm(0), ofdm(7), hr_dsss(3), mimo(Format::Ht, 7, Width::Mhz20, (65_535, 0))] {
        let alone = goodput(&link, 1514).bits_per_second(1472);
        let solved = Saturation::new(&link, 1, 1514, 1472).solve();
        assert!((solved.throughput_bps / alone - 1.0).abs() < 1e-9, "{}: {solved:?}, {alone}", link.tx);
        assert!(solved.collision_probability < 1e-12 && solved.collision_share < 1e-12);
    }
}

#[test]
fn shares_add_up_and_limits_drop_frames() {
    for stations in [2_i32, 10, 50] {
        let of_link = Saturation::new(&ofdm(7), stations as u32, 1514, 1472);
        // SIFS and an Ack at 6 Mbit/s less the timeout: 60 - 45 us.
        assert_eq!(of_link.head_start, Duration::from_micros(15));
        let endless = Saturation { attempts: None, head_start: Duration::ZERO, ..of_link };
        let limited = Saturation { attempts: Some(4), ..endless };
        let [a, b] = [endless, limited].map(|model| model.solve());
        for solved in [a, b] {
            let sum = solved.idle_share + solved.success_share + solved.collision_share;
            assert!((sum - 1.0).abs() < 1e-12);
            let others = (1.0 - solved.start_probability).powi(stations - 1);
            assert!((solved.collision_probability - (1.0 - others)).abs() < 1e-9);
        }
        assert!(a.give_up_probability.abs() < 1e-300);
        assert!((b.give_up_probability - b.collision_probability.powi(4)).abs() < 1e-12);
        // A station that discards a frame begins again with the smallest window, and collides more.
        assert!(b.collision_probability > a.collision_probability);
        // As many attempts as it takes are no limit.
        for head_start in [Duration::ZERO, of_link.head_start] {
            let endless = Saturation { head_start, ..endless };
            let patient = Saturation { attempts: Some(1_000_000), ..endless }.solve();
            assert!((patient.throughput_bps / endless.solve().throughput_bps - 1.0).abs() < 1e-9);
        }
    }
}
