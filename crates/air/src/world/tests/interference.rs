//! Sources that are no NICs, by hand: when they silence NICs, and which PPDUs they spoil.

use airtcp_plan::{
    AirPlan, BandwidthOperation, CodeChoice, EmissionPattern, EmissionPower, Interferer, McsFormat, Mode,
    RadioChannel, RateControlPlan, ReceivedEmission, Reception, Standard,
};
use airtcp_testing::plans::{AMPDU, cell, mac};
use airtcp_units::{Dbm, Duration};

use super::hosts::{Hosts, us};
use super::plans::{AT_ONCE, Cliff, no_backoff};
use crate::low::Ppdu;
use crate::phy::Width;
use crate::trace::PpduOutcome;
use crate::{NicId, PpduKind};

const AP: NicId = NicId(0);
const STA: NicId = NicId(1);

/// A burst of this length in each period, the first at `first_us`, over 20 MHz at 5180 MHz.
fn source(dbm: f64, first_us: u64, length_us: u64, every_us: u64) -> Interferer {
    let [phase_ns, on_ns, period_ns] = [first_us, length_us, every_us].map(|us| us * 1000);
    Interferer {
        name: "source".to_owned(),
        power: EmissionPower::Received { levels: Vec::new(), default_dbm: Dbm::new(dbm) },
        bandwidth_khz: 20_000,
        centres_khz: vec![5_180_000],
        pattern: EmissionPattern::Periodic { period_ns, on_ns, phase_ns, jitter_ns: 0 },
    }
}

/// One burst in the first second.
fn burst(dbm: f64, from_us: u64, until_us: u64) -> Interferer {
    source(dbm, from_us, until_us - from_us, 1_000_000)
}

fn with(mut plan: AirPlan, source: Interferer) -> AirPlan {
    plan.channel.interferers.push(source);
    plan
}

fn data(h: &Hosts) -> Vec<&Ppdu> {
    h.journal().iter().filter(|ppdu| ppdu.from == STA && ppdu.kind == PpduKind::Data).collect()
}

/// The beginning of the first PPDU of a frame that comes at 200 us.
fn starts_at(plan: AirPlan) -> u64 {
    let mut h = Hosts::new(plan, 1);
    h.send_at(200, STA, mac(0));
    h.advance_to(us(20_000));
    data(&h)[0].start.as_nanos() / 1000
}

/// A burst until 600 us: from -62 dBm on the station waits for its end and DIFS (34 us), without EIFS.
#[test]
fn energy_silences_a_station_and_no_eifs_follows() {
    let starts = |dbm| starts_at(with(no_backoff(1, 7), burst(dbm, 100, 600)));
    assert_eq!([-60.0, -61.9, -62.1, -65.0].map(starts), [634, 634, 200, 200]);
}

/// What counts is the power in the primary channel: all of a narrow signal, half of one that is half outside.
#[test]
fn only_energy_in_the_primary_channel_counts() {
    let starts = |bandwidth_khz, centre_khz, dbm| {
        let source = Interferer { bandwidth_khz, centres_khz: vec![centre_khz], ..burst(dbm, 100, 600) };
        starts_at(with(no_backoff(1, 7), source))
    };
    assert_eq!(starts(1_000, 5_172_000, -61.9), 634);
    assert_eq!(starts(20_000, 5_190_000, -59.1), 200);
    assert_eq!(starts(20_000, 5_190_000, -58.9), 634);
    assert_eq!(starts(80_000, 5_210_000, -56.1), 200);
    assert_eq!(starts(80_000, 5_210_000, -55.9), 634);
}

/// Only the access point senses it: each NIC has its own power.
#[test]
fn each_nic_has_its_power() {
    let mut source = burst(-50.0, 100, 600);
    source.power = EmissionPower::Received {
        levels: vec![ReceivedEmission { nic: 1, rssi_dbm: Dbm::new(-90.0) }],
        default_dbm: Dbm::new(-50.0),
    };
    assert_eq!(starts_at(with(no_backoff(1, 7), source)), 200);
}

/// Bursts of 500 us every 560 us leave 60 us, of which DIFS takes 34: two slots of 9 us pass in each pause. What would start within a
/// slot of the next burst cannot sense it.
#[test]
fn slots_go_on_after_each_burst() {
    for seed in 1..20 {
        let starts = |source| {
            let mut h = Hosts::new(with(cell(1), source), seed);
            h.send_at(200, STA, mac(0));
            h.advance_to(us(20_000));
            data(&h)[0].start.as_nanos() / 1000
        };
        let mut slots = (starts(burst(-60.0, 100, 600)) - 634) / 9;
        let mut idle_at = 600;
        while slots > 3 {
            slots -= 2;
            idle_at += 560;
        }
        assert_eq!(starts(source(-60.0, 100, 500, 560)), idle_at + 34 + 9 * slots, "seed {seed}");
    }
}

/// Data at 54 Mbit/s and -50 dBm lasts from 200 to 448 us and needs 20 dB. A burst inside spoils it from -70 dBm on (noise is at -94 dBm:
/// 19.98 dB); the repetition comes through. Bursts before and after spoil nothing.
#[test]
fn a_burst_spoils_what_it_meets_and_that_is_no_collision() {
    for (dbm, from, until, attempts) in
        [(-70.0, 300, 310, 2), (-70.2, 300, 310, 1), (-70.0, 100, 200, 1), (-70.0, 448, 460, 1)]
    {
        let plan = with(no_backoff(1, 7), burst(dbm, from, until));
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        h.send_at(200, STA, mac(0));
        h.advance_to(us(20_000));
        assert_eq!(data(&h).len(), attempts, "{dbm} dBm from {from}");
        let counters = h.world.low.notes.counters(STA);
        assert_eq!((counters.collisions, counters.corrupted), (0, attempts as u64 - 1));
        if attempts == 2 {
            let first = h.ppdus.iter().find(|ppdu| ppdu.nic == STA).expect("its data");
            assert_eq!(first.outcome, PpduOutcome::Corrupted);
        }
        assert_eq!(h.unended, 0);
    }
}

/// A station that could not decode the PPDU (until 448 us) waits for EIFS, 94 us, from its end or that of a longer burst on.
#[test]
fn eifs_of_a_spoiled_ppdu_follows_the_burst() {
    for (until, expected) in [(310, 542), (600, 694)] {
        let plan = with(no_backoff(2, 1), burst(-60.0, 300, until));
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        h.send_at(200, STA, mac(0));
        h.send_at(250, NicId(2), mac(0));
        h.advance_to(us(20_000));
        let other = h.journal().iter().find(|ppdu| ppdu.from == NicId(2)).expect("its data");
        assert_eq!(other.start, us(expected));
    }
}

/// With ideal reception energy spoils a PPDU if it would silence its receiver.
#[test]
fn without_noise_energy_that_is_sensed_spoils() {
    for (dbm, attempts) in [(-61.0, 2), (-63.0, 1)] {
        let mut h = Hosts::new(with(no_backoff(1, 7), burst(dbm, 300, 310)), 1);
        h.send_at(200, STA, mac(0));
        h.advance_to(us(20_000));
        assert_eq!(data(&h).len(), attempts, "{dbm}");
    }
}

/// Of a PSDU of several MPDUs a short burst spoils one or two.
#[test]
fn a_short_burst_spoils_few_mpdus() {
    let mut plan = super::plans::aggregating(1, 7);
    plan.channel.interferers = vec![burst(-55.0, 3_000, 3_010)];
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    for _ in 0..30 {
        h.send_at(1_000, STA, mac(0));
    }
    h.advance_to(us(50_000));
    let hit = h.journal().iter().find(|ppdu| ppdu.from == STA && ppdu.mpdus.first().len() > 20);
    let hit = hit.expect("an aggregate");
    assert!(hit.start < us(3_000) && hit.end > us(3_010), "{} {}", hit.start, hit.end);
    let lost = hit.received.first().iter().filter(|r| **r == crate::low::Reception::Lost).count();
    assert!((1..=2).contains(&lost), "{lost}");
    assert_eq!(h.unended, 0);
}

/// 20 MHz of energy in the secondary channels of an 80 MHz cell: -62 dBm in the secondary 20 MHz, -59 dBm in the secondary 40 MHz.
#[test]
fn energy_in_secondary_channels() {
    for (centre_khz, dbm, width) in [
        (5_200_000, -61.0, Width::Mhz20),
        (5_200_000, -63.0, Width::Mhz80),
        (5_240_000, -58.0, Width::Mhz40),
        (5_240_000, -60.0, Width::Mhz80),
    ] {
        let mut plan = no_backoff(1, 7);
        plan.cells[0].standard = Standard::Vht;
        plan.cells[0].access = vec![AT_ONCE; 4];
        plan.cells[0].channel = RadioChannel { primary_mhz: 5180, centre_mhz: 5210, width_mhz: 80 };
        plan.cells[0].bandwidth_operation = BandwidthOperation::Dynamic;
        let mode = Mode::Mcs { format: McsFormat::Vht, mcs: 4, streams: 1, width_mhz: 80, guard_ns: 800 };
        plan.nics.iter_mut().for_each(|nic| nic.rate_control = RateControlPlan::Fixed { mode });
        let source = Interferer { centres_khz: vec![centre_khz], ..burst(dbm, 100, 600) };
        let mut h = Hosts::new(with(plan, source), 1);
        h.send_at(200, STA, mac(0));
        h.advance_to(us(20_000));
        let first = data(&h)[0];
        assert_eq!((first.start, first.width), (us(200), width), "{centre_khz} {dbm}");
    }
}

/// A source that is always on, in bursts that follow each other, lets nobody send.
#[test]
fn a_source_that_never_stops_silences_for_ever() {
    let mut h = Hosts::new(with(no_backoff(1, 7), source(-60.0, 100, 1000, 1000)), 1);
    h.send_at(200, STA, mac(0));
    h.advance_to(us(100_000));
    assert!(data(&h).is_empty());
}

#[test]
fn hops_are_the_same_every_time() {
    let history = |seed| {
        let hopping = Interferer {
            bandwidth_khz: 1_000,
            centres_khz: (5_160..5_239).map(|mhz| 1_000 * mhz).collect(),
            ..source(-55.0, 0, 366, 625)
        };
        let mut h = Hosts::new(with(cell(2), hopping), seed);
        for n in 0..40 {
            h.send_at(100 + 500 * n, STA, mac(0));
            h.send_at(100 + 500 * n, AP, mac(2));
        }
        h.advance_to(us(200_000));
        assert_eq!(h.unended, 0);
        h.timeline()
    };
    assert_eq!(history(1), history(1));
    assert_ne!(history(1), history(2));
}

/// Signal -60 dBm, noise -94 dBm: MCS 7. Half of the time interference leaves 15 dB, in which MCS 4 (39 Mbit/s) comes through and MCS 7
/// (65 Mbit/s) does not: half of 65 is less than 39.
#[test]
fn minstrel_ht_leaves_a_rate_that_is_lost_half_of_the_time() {
    let fastest_share = |interferers: Vec<Interferer>| {
        let mode = super::mcs(McsFormat::Ht, 7, 20);
        let mut plan = super::plan(Standard::Ht, mode, 1, Some(AMPDU));
        let minstrel = RateControlPlan::MinstrelHt { interval_us: 50_000, ewma_percent: 75 };
        plan.nics.iter_mut().for_each(|nic| nic.rate_control = minstrel);
        plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
        plan.channel.propagation =
            airtcp_plan::Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-60.0) };
        plan.channel.interferers = interferers;
        let (world, _, delivered) = super::saturated(&plan, 1514, 3, false);
        let counters = world.low.notes.counters(STA);
        assert_eq!(counters.collisions, 0);
        let fastest = counters.modes.iter().filter(|(tx, _)| tx.index == 7).map(|(_, count)| count.mpdus);
        (fastest.sum::<u64>() as f64 / counters.mpdus as f64, delivered)
    };
    let (alone, most) = fastest_share(vec![]);
    let (disturbed, fewer) = fastest_share(vec![source(-75.0, 0, 10_000, 20_000)]);
    assert!(alone > 0.9, "{alone}");
    // What is lost at MCS 7 is counted each time it is sent.
    assert!(disturbed < 0.65, "{disturbed}");
    assert!(fewer * 10 < most * 8, "{fewer} of {most}");
}

/// Nothing of it is left when it is far away in the spectrum: no event, and uniform media.
#[test]
fn media_that_no_source_reaches_pay_nothing() {
    let mut plan = no_backoff(1, 7);
    let mut other = plan.cells[0].clone();
    other.name = "other".to_owned();
    other.channel = RadioChannel { primary_mhz: 5500, centre_mhz: 5500, width_mhz: 20 };
    plan.cells.push(other);
    for (place, role) in [(0, airtcp_plan::NicRole::AccessPoint), (1, airtcp_plan::NicRole::Station)] {
        let mut nic = plan.nics[place].clone();
        (nic.node, nic.mac, nic.role, nic.cell) = (format!("other{place}"), mac(70 + place as u32), role, 1);
        plan.nics.push(nic);
    }
    let h = Hosts::new(with(plan, burst(-50.0, 100, 600)), 1);
    let uniform: Vec<bool> = h.world.low.on_air.uniform().collect();
    assert_eq!(uniform, [false, true]);
    assert_eq!(h.world.next_wakeup(), us(0) + Duration::from_micros(100));
}
