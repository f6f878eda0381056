//! The whole air, held against closed forms.

mod captures;
mod cards;
mod channel_load;
mod counters;
mod coverage;
mod draws;
mod drivers;
mod exchanges;
mod generations;
mod golden;
mod history;
mod hosts;
mod interference;
mod legacy_properties;
mod missed_preambles;
mod mu_edca;
mod multi_user;
mod plans;
mod properties;
mod radios;
mod random_access;
mod random_plans;
mod records;
mod refusals;
mod schedulers;
mod selective_fading;
mod spectrum;
mod timeline;
mod uplink;

use airtcp_plan::{
    AccessParameters, Aggregation, AirPlan, CodeChoice, McsFormat, Mode, Propagation, QueuePlan,
    RadioChannel, RateControlPlan, Reception, Standard,
};
use airtcp_testing::plans::AMPDU;
use airtcp_units::{BitRate, Dbm, Duration, Instant};

use super::{Outbox, World};
use crate::WorldOptions;
use crate::high::{Action, Frame};
use crate::linux_mac::NoMac80211;
use crate::phy::{Coding, Format, Guard, TxVector, Width};
use crate::trace::PpduRecord;
use crate::{FrameHandle, NicId, PpduKind};

pub(crate) fn best_effort(cw_min: u32) -> Vec<AccessParameters> {
    vec![AccessParameters { aifsn: 3, cw_min, cw_max: 1023, txop_us: 0 }; 4]
}

pub(crate) fn mcs(format: McsFormat, mcs: u32, width_mhz: u32) -> Mode {
    Mode::Mcs { format, mcs, streams: 1, width_mhz, guard_ns: 800 }
}

/// One access point (NIC 0) and `stations` stations at 5 GHz, everybody in range.
pub(crate) fn plan(
    standard: Standard,
    mode: Mode,
    stations: usize,
    aggregation: Option<Aggregation>,
) -> AirPlan {
    let width_mhz = match mode {
        Mode::Mcs { width_mhz, .. } => width_mhz,
        Mode::Legacy { .. } => 20,
    };
    let centre_mhz = match width_mhz {
        80 => 5210,
        40 => 5190,
        _ => 5180,
    };
    let mut plan = airtcp_testing::plans::cell(stations as u32);
    let cell = &mut plan.cells[0];
    (cell.standard, cell.channel) = (standard, RadioChannel { primary_mhz: 5180, centre_mhz, width_mhz });
    if standard != Standard::Ofdm {
        cell.access = best_effort(15);
    }
    plans::allow_attempts(cell, 1_000_000);
    cell.rts_threshold_bytes = 1_000_000;
    for nic in &mut plan.nics {
        nic.rate_control = RateControlPlan::Fixed { mode };
        nic.queue = QueuePlan::Fifo { packets: 1000 };
        nic.aggregation = aggregation;
    }
    plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-45.0) };
    plan
}

const fn options(end: Instant, ppdu_trace: bool) -> WorldOptions {
    WorldOptions { epoch: Instant::ZERO, end, sample_interval: Duration::ZERO, ppdu_trace }
}

/// Goodput in Mbit/s of stations that always have frames of `bytes` octets for the access point; `payload` counts.
fn goodput(plan: &AirPlan, bytes: u32, payload: u32, seconds: u64) -> f64 {
    let (_, _, delivered) = saturated(plan, bytes, seconds, false);
    delivered as f64 * f64::from(payload) * 8.0 / (seconds as f64 * 1e6)
}

/// The air after stations always had frames of `bytes` octets for the access point, the records, if wanted, and how many
/// frames arrived.
fn saturated(plan: &AirPlan, bytes: u32, seconds: u64, ppdu_trace: bool) -> (World, Outbox, u64) {
    let end = Instant::from_nanos(seconds * 1_000_000_000);
    let mut scene = World::new(plan, 1, options(end, ppdu_trace)).expect("a legal plan");
    let (mut out, mut now, mut delivered, mut next) = (Outbox::default(), Instant::ZERO, 0_u64, 0_u64);
    let mut feed = |scene: &mut World, now, nic: usize, out: &mut Outbox| {
        next += 1;
        let frame = Frame {
            handle: FrameHandle(next),
            bytes,
            source: plan.nics[nic].mac,
            destination: plan.nics[0].mac,
            priority: 0,
            flow: nic as u32,
            ect: false,
        };
        scene.transmit(now, NicId(nic as u32), frame, out);
    };
    for nic in 1..plan.nics.len() {
        for _ in 0..200 {
            feed(&mut scene, now, nic, &mut out);
        }
    }
    while scene.next_wakeup() <= end {
        now = scene.next_wakeup();
        scene.run(now, &mut NoMac80211, &mut out);
        let done: Vec<Action> = std::mem::take(&mut out.actions);
        for action in done {
            match action {
                Action::Deliver { .. } => delivered += 1,
                Action::Sent { nic, .. } | Action::Dropped { nic, .. } => {
                    feed(&mut scene, now, nic.index(), &mut out);
                }
                _ => {}
            }
        }
    }
    scene.finish(end, &mut NoMac80211, &mut out);
    (scene, out, delivered)
}

#[test]
fn one_11a_station_gets_the_closed_form() {
    // numbers.md 2: DIFS + 7.5 slots + data of 1536 octets + SIFS + Ack, 1472 octets of payload. 11a has no extension,
    // so: 34 + 67.5 + 248 + 16 + 28 us.
    let legacy = Mode::Legacy { rate_bps: BitRate::from_mbps(54) };
    let expected = 1472.0 * 8.0 / (34.0 + 67.5 + 248.0 + 16.0 + 28.0);
    let measured = goodput(&plan(Standard::Ofdm, legacy, 1, None), 1514, 1472, 10);
    assert!((measured / expected - 1.0).abs() < 0.01, "{measured} against {expected}");
}

#[test]
fn one_11ad_station_gets_the_closed_form() {
    let mode = Mode::Mcs { format: McsFormat::Dmg, mcs: 12, streams: 1, width_mhz: 2160, guard_ns: 800 };
    let mut plan = plan(Standard::Dmg, mode, 1, None);
    plan.cells[0].channel = RadioChannel { primary_mhz: 60_480, centre_mhz: 60_480, width_mhz: 2160 };
    plan.cells[0].basic_rates_bps.clear();
    plan.cells[0].group_rate_bps = BitRate::from_bps(27_500_000);
    // AIFS 3 + 3 * 5 us, 7.5 slots. Preamble and header are 17 * 128 + 9 * 128 + 1024 chips of 1 / 1.76 us. 1524 octets are
    // 25 codewords of 504 bits at rate 3/4, in ten blocks of 448 symbols of 16-QAM; the Ack of 14 octets in MCS 4 is one
    // codeword in two blocks of BPSK. A block has 512 chips, and 64 end the last.
    let chips = |blocks: f64| (17.0 * 128.0 + 9.0 * 128.0 + 1024.0 + 512.0 * blocks + 64.0) / 1760.0;
    let expected = 1472.0 * 8.0 / (18.0 + 37.5 + chips(10.0) + 3.0 + chips(2.0));
    let measured = goodput(&plan, 1514, 1472, 1);
    assert!((measured / expected - 1.0).abs() < 0.01, "{measured} against {expected}");
}

#[test]
fn stations_collide_as_bianchi_says() {
    // ns-3's `bianchiResultsEifs`: 54 Mbit/s; a PSDU of 28 + 1500 + 6 octets there, 36 + 1498 here.
    let legacy = Mode::Legacy { rate_bps: BitRate::from_mbps(54) };
    for (stations, expected) in [(5, 29.2861), (10, 27.3763), (50, 22.4162)] {
        let measured = goodput(&plan(Standard::Ofdm, legacy, stations, None), 1512, 1500, 20);
        assert!((measured / expected - 1.0).abs() < 0.02, "{stations}: {measured} against {expected}");
    }
}

#[test]
fn an_aggregate_fills_the_air() {
    // 65 Mbit/s, A-MPDU of 65535 octets in at most 5484 us: 28 MPDUs of 1538 octets (QoS) and a BlockAck.
    let measured = goodput(&plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 1, Some(AMPDU)), 1514, 1472, 10);
    // numbers.md 1: ns-3 documents 59.55, and asserts 59 to 60.
    assert!((59.0..60.0).contains(&measured), "{measured}");
    let plain = goodput(&plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 1, None), 1514, 1472, 10);
    assert!((30.0..31.0).contains(&plain), "{plain}");
}

#[test]
fn a_txop_saves_contention() {
    // ns-3's wifi-80211e-txop asserts 28 to 29 Mbit/s without and 36.5 to 37 Mbit/s with a TXOP of 4096 us.
    let legacy = Mode::Legacy { rate_bps: BitRate::from_mbps(54) };
    let with_limit = |txop_us| {
        let mut plan = plan(Standard::Ofdm, legacy, 1, None);
        plan.cells[0].access = best_effort(15);
        plan.cells[0].access.iter_mut().for_each(|ac| ac.txop_us = txop_us);
        goodput(&plan, 1514, 1472, 10)
    };
    let (without, with) = (with_limit(0), with_limit(4096));
    assert!((28.0..29.5).contains(&without), "{without}");
    assert!((36.5..37.5).contains(&with), "{with}");
}

/// Two stations that hear the access point and not each other.
pub(crate) fn hidden(rts_threshold_bytes: u32) -> AirPlan {
    let legacy = Mode::Legacy { rate_bps: BitRate::from_mbps(54) };
    let mut plan = plan(Standard::Ofdm, legacy, 2, None);
    plan.cells[0].rts_threshold_bytes = rts_threshold_bytes;
    (plan.cells[0].short_retry_limit, plan.cells[0].long_retry_limit) = (7, 7);
    let links = vec![airtcp_plan::RssiLink { a: 1, b: 2, rssi_dbm: Dbm::new(-100.0) }];
    plan.channel.propagation = Propagation::Rssi { links, default_dbm: Dbm::new(-45.0) };
    plan
}

#[test]
fn rts_helps_hidden_stations() {
    let alone = goodput(&hidden(1_000_000), 1514, 1472, 10);
    let with_rts = goodput(&hidden(500), 1514, 1472, 10);
    // Undisturbed one station has 11776 bits in 393.5 us; with RTS, CTS and two SIFS in 28 + 16 + 28 + 16 us more. An RTS
    // is exposed to the hidden station for its 28 us and the SIFS, the data alone for 248 us.
    let undisturbed = |us: f64| 1472.0 * 8.0 / us;
    assert!(alone < 0.8 * undisturbed(393.5), "{alone}");
    assert!(with_rts > 0.9 * undisturbed(393.5 + 88.0), "{with_rts}");
    assert!(with_rts > alone, "{with_rts} with RTS, {alone} without");
}

/// One station and its access point this far apart in decibels: `es_n0_db` is wanted at a subcarrier of one stream, and
/// `gain_db` is its distance to the ratio of power to noise in the width (`docs/models/reception.md`).
fn noisy(plan: &mut AirPlan, reception: Reception, es_n0_db: f64, gain_db: f64) {
    // k T B F at 290 K and 7 dB: -93.965 dBm in 20 MHz.
    let width = f64::from(plan.cells[0].channel.width_mhz) / 20.0;
    let noise_dbm = -93.9649 + 10.0 * libm::log10(width);
    plan.channel.reception = reception;
    plan.channel.carrier_sense_dbm = Dbm::new(-90.0);
    plan.channel.propagation =
        Propagation::Rssi { links: vec![], default_dbm: Dbm::new(noise_dbm + es_n0_db - gain_db) };
}

/// Loss of the station's MPDUs within four standard deviations of the table's, which is for 1458 octets.
fn loses_as_the_table_says(plan: &AirPlan, mpdu_bytes: u32, per_of_1458: f64) {
    let expected = 1.0 - libm::pow(1.0 - per_of_1458, f64::from(mpdu_bytes) / 1458.0);
    let (world, _, delivered) = saturated(plan, 1514, 4, false);
    let counters = world.low.notes.counters(NicId(1));
    let measured = counters.mpdus_lost as f64 / counters.mpdus as f64;
    let deviation = (expected * (1.0 - expected) / counters.mpdus as f64).sqrt();
    assert!(counters.mpdus > 5_000 && delivered > 1_000, "{} MPDUs, {delivered} delivered", counters.mpdus);
    assert!(
        (measured - expected).abs() < 4.0 * deviation,
        "{measured} of {}, not {expected}",
        counters.mpdus
    );
}

const BCC: Reception = Reception::Table { code: CodeChoice::Bcc };
const LDPC: Reception = Reception::Table { code: CodeChoice::Ldpc };

/// Rows of `bcc-awgn.csv` and `ldpc-awgn.csv`. A mode with two streams needs 3.01 dB more.
#[test]
fn mpdus_are_lost_as_the_tables_say() {
    let mut legacy = plan(Standard::Ofdm, Mode::Legacy { rate_bps: BitRate::from_mbps(54) }, 1, None);
    noisy(&mut legacy, LDPC, 17.50, 0.9018);
    loses_as_the_table_says(&legacy, 1_536, 0.340_67);

    let mut ht = plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 1, Some(AMPDU));
    noisy(&mut ht, BCC, 18.75, 0.5799);
    loses_as_the_table_says(&ht, 1_538, 0.392_00);
    noisy(&mut ht, LDPC, 17.50, 0.5799);
    loses_as_the_table_says(&ht, 1_538, 0.324_00);

    let mode = Mode::Mcs { format: McsFormat::Vht, mcs: 7, streams: 2, width_mhz: 80, guard_ns: 800 };
    let mut vht = plan(Standard::Vht, mode, 1, Some(AMPDU));
    vht.nics.iter_mut().for_each(|nic| nic.streams = 2);
    noisy(&mut vht, LDPC, 17.50, 0.2442 - 3.0103);
    loses_as_the_table_says(&vht, 1_538, 0.324_00);

    let mut he = plan(Standard::He, mcs(McsFormat::He, 11, 80), 1, Some(AMPDU));
    noisy(&mut he, BCC, 28.25, 0.1204);
    loses_as_the_table_says(&he, 1_538, 0.297_00);
}

/// ns-3 asserts success 0.410 of 2000 octets at 54 Mbit/s and 22 dB, a ratio in the channel, for the same formula.
#[test]
fn nist_can_be_chosen() {
    let mut plan = plan(Standard::Ofdm, Mode::Legacy { rate_bps: BitRate::from_mbps(54) }, 1, None);
    noisy(&mut plan, Reception::Nist, 22.0, 0.0);
    loses_as_the_table_says(&plan, 1_536, 1.0 - libm::pow(0.410, 1458.0 / 2000.0));
}

#[test]
fn nist_is_refused_in_60_ghz() {
    let mut plan = plan(Standard::Ofdm, Mode::Legacy { rate_bps: BitRate::from_mbps(54) }, 1, None);
    plan.channel.reception = Reception::Nist;
    plan.cells[0].standard = Standard::Dmg;
    plan.cells[0].channel = RadioChannel { primary_mhz: 58_320, centre_mhz: 58_320, width_mhz: 2160 };
    let refusal = World::new(&plan, 1, options(Instant::ZERO, false)).expect_err("NIST has no DMG");
    assert_eq!(
        refusal.to_string(),
        "air.channel.reception: the NIST formula is for OFDM, and cell 'cell' is 11ad with a single carrier; \
         choose the reception 'table' or 'ideal'"
    );
}

/// The code of HT decides about error rates and about durations: some lengths take another number of symbols.
#[test]
fn ppdus_last_as_long_as_their_code_needs() {
    let tx = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
    let lasts = |coding, bytes| tx.ppdu_duration_coded(coding, bytes).as_nanos().cast_signed();
    let differs = |mpdu_bytes: &u32| lasts(Coding::Bcc, *mpdu_bytes) != lasts(Coding::Ldpc, *mpdu_bytes);
    let mpdu_bytes = (1_000..1_500).find(differs).expect("such a length");
    for (reception, coding) in [(BCC, Coding::Bcc), (LDPC, Coding::Ldpc)] {
        let mut plan = plan(Standard::Ht, mcs(McsFormat::Ht, 7, 20), 1, None);
        noisy(&mut plan, reception, 40.0, 0.5799);
        // A QoS MPDU has 24 octets more than an Ethernet frame: 26 + 8 + 4 - 14.
        let (_, out, _) = saturated(&plan, mpdu_bytes - 24, 1, true);
        let data: Vec<_> = out.records.ppdus.iter().filter(|ppdu| ppdu.kind == PpduKind::Data).collect();
        assert!(data.len() > 1_000 && data.iter().all(|ppdu| ppdu.bytes == mpdu_bytes));
        let duration = |ppdu: &&PpduRecord| ppdu.end_ns - ppdu.start_ns;
        assert!(data.iter().map(duration).all(|nanos| nanos == lasts(coding, mpdu_bytes)), "{coding:?}");
    }
}
