//! Uplink OFDMA random access by hand: 11ax at 20 MHz, as in [`super::uplink`], with one random access RU (RA-RU) in HE-MCS 0.
//!
//! A Basic trigger frame that names nobody has 34 octets: at 6 Mbit/s 72 us. Its RA-RU is the whole width, with 117 bits in a symbol of
//! 14.4 us. The 534 octets that are asked of an unknown station are 4288 bits, 37 symbols: 532.8 us, and 48 us before them. The multi-STA
//! `BlockAck` is at 6 Mbit/s, as a response to MCS 0 is: 56 us for one station.
//!
//! Windows of 0 make every station send by the first trigger frame.

use std::collections::BTreeMap;

use airtcp_plan::{AccessParameters, AirPlan, RandomAccessPlan, UplinkPlan};
use airtcp_units::{Decibel, Duration};

use super::hosts::{BEYOND, Hosts, OPTIONS, STA1, STA2, us};
use super::plans::{AT_ONCE, Cliff, allow_attempts, set_rssi};
use super::properties::check_steady;
use super::uplink::{NOISE_DBM, UPLINK, triggering};
use crate::low::ErrorRates;
use crate::phy::{Format, TxVector};
use crate::random::{Purpose, Stream};
use crate::trace::PpduOutcome;
use crate::{PpduKind, World};

const AT_FIRST: RandomAccessPlan = RandomAccessPlan { rus: 1, ocw_min: 0, ocw_max: 0 };

fn offering(stations: u32, random_access: RandomAccessPlan) -> AirPlan {
    triggering(stations, UplinkPlan { random_access: Some(random_access), ..UPLINK })
}

/// ```text
/// 100      172   188          768.8   784.8          840.8
///  | trigger |SIFS| data of sta1 |SIFS| multi-STA ack |
/// ```
/// A second frame does not fit. The station has reported its 400 octets, and is named by the next trigger frame, which has 40 octets: 80 us.
/// Each RU has 106 tones. 400 + 34 octets of the report are 3488 bits: they would fill the seventh symbol of 510, of which LDPC needs more,
/// so 8. 34 octets in the RA-RU are 288 bits, 6 symbols of 51.
#[test]
fn one_station_in_one_ru() {
    let mut h = Hosts::new(offering(2, AT_FIRST), 1);
    for _ in 0..2 {
        h.send_as(150, STA1, BEYOND, (400, 0));
    }
    h.advance_to(us(1_190));
    h.expect_ppdus(
        "100 172 ap>all trigger 6 1 received
         188 768.8 sta1>ap data 8.125 1 received
         784.8 840.8 ap>sta1 multistablockack 6 1 received
         874.8 954.8 ap>sta1 trigger 6 1 received
         874.8 954.8 ap>all trigger 6 1 received
         970.8 1134 sta1>ap data 35.416666 1 received
         1150 1182 ap>sta1 multistablockack 24 1 received",
    );
    let report = h.finish();
    assert_eq!(report.media[0].collision_ns, 0);
}

/// Both send in the only RU, and nothing is decoded. They are done after 45 us, and the access point asks again after EIFS, 94 us. With two
/// attempts both frames are given up.
#[test]
fn two_stations_collide_until_they_give_up() {
    let mut plan = offering(2, AT_FIRST);
    allow_attempts(&mut plan.cells[0], 2);
    let mut h = Hosts::new(plan, 1);
    for station in [STA1, STA2] {
        h.send_as(150, station, BEYOND, (400, 0));
    }
    h.advance_to(us(1_600));
    h.expect_ppdus(
        "100 172 ap>all trigger 6 1 received
         188 768.8 sta1>ap data 8.125 1 collision
         188 768.8 sta2>ap data 8.125 1 collision
         862.8 934.8 ap>all trigger 6 1 received
         950.8 1531.6 sta1>ap data 8.125 2 collision
         950.8 1531.6 sta2>ap data 8.125 2 collision",
    );
    h.expect_actions(
        "1576.6 dropped 0 of sta1: retry_limit
         1576.6 dropped 1 of sta2: retry_limit",
    );
    for station in [STA1, STA2] {
        let counters = h.world.low.notes.counters(station);
        assert_eq!((counters.transmissions, counters.collisions, counters.corrupted), (2, 2, 0));
    }
    let report = h.finish();
    assert_eq!(report.media[0].collision_ns, 2 * 580_800);
}

/// The stronger of two in an RU is decoded if it is more than 10 dB above the other; here it is 30 dB above. The header of the stronger one
/// is not disturbed.
#[test]
fn the_stronger_of_two_is_decoded() {
    let mut plan = offering(2, AT_FIRST);
    set_rssi(&mut plan, &[(0, 1, NOISE_DBM + 60.0), (0, 2, NOISE_DBM + 30.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
    for station in [STA1, STA2] {
        h.send_as(150, station, BEYOND, (400, 0));
    }
    h.advance_to(us(850));
    h.expect_ppdus(
        "100 172 ap>all trigger 6 1 received
         188 768.8 sta1>ap data 8.125 1 received
         188 768.8 sta2>ap data 8.125 1 collision
         784.8 840.8 ap>sta1 multistablockack 6 1 received",
    );
}

/// No station has anything to send: the exchange ends 57 us after the trigger frame. That is no failure, so the window does not grow.
#[test]
fn nobody_uses_the_ru() {
    let mut plan = offering(2, AT_FIRST);
    plan.nics[0].access = Some(vec![AccessParameters { cw_max: 1023, ..AT_ONCE }; 4]);
    let mut h = Hosts::new(plan, 1);
    h.advance_to(us(400));
    h.expect_ppdus(
        "100 172 ap>all trigger 6 1 received
         263 335 ap>all trigger 6 1 received",
    );
    h.advance_to(us(100_000));
    assert!(h.ppdus.windows(2).all(|two| two[1].start_ns - two[0].start_ns == 163_000));
    let report = h.finish();
    assert_eq!((report.media[0].collision_ns, report.media[0].data_ns), (0, 0));
}

/// A counter of n passes n - 1 trigger frames with one RA-RU; one of 0 none.
#[test]
fn the_counter_counts_down_by_trigger_frames() {
    let (mut passed, mut expected) = (Vec::new(), Vec::new());
    for seed in 1..=12 {
        let plan = offering(1, RandomAccessPlan { ocw_min: 7, ocw_max: 31, ..AT_FIRST });
        let mac = plan.nics[1].mac;
        expected.push(Stream::new(seed, Purpose::RandomAccess, mac, mac).slots(7).saturating_sub(1));
        let mut h = Hosts::new(plan, seed);
        h.send_as(150, STA1, BEYOND, (400, 0));
        h.advance_to(us(3_000));
        let data = h.ppdus.iter().position(|ppdu| ppdu.kind == PpduKind::Data).expect("it answers");
        assert_eq!(h.ppdus[data].start_ns, 188_000 + 163_000 * (data.cast_signed() as i64 - 1));
        passed.push(data as u32 - 1);
    }
    assert_eq!(passed, expected);
    assert!(passed.contains(&0) && passed.iter().any(|&count| count > 3), "{passed:?}");
}

/// A counter goes down by all RA-RUs of each trigger frame that comes while the station has something to send.
#[test]
fn two_rus_count_twice() {
    let plan = offering(1, RandomAccessPlan { rus: 2, ocw_min: 7, ocw_max: 31 });
    let mac = plan.nics[1].mac;
    let seed = (1..1_000)
        .find(|&seed| Stream::new(seed, Purpose::RandomAccess, mac, mac).slots(7) == 7)
        .expect("one");
    let mut h = Hosts::new(plan, seed);
    h.send_as(150, STA1, BEYOND, (400, 0));
    h.advance_to(us(3_000));
    let triggers = h.ppdus.iter().take_while(|ppdu| ppdu.kind == PpduKind::Trigger).count();
    // 7, 5, 3, 1: each trigger frame has two rows.
    assert_eq!(triggers, 2 * 4);
}

/// A response of 24 octets, as the multi-STA `BlockAck` for one MPDU, is lost.
#[derive(Debug)]
struct LostAck;

impl ErrorRates for LostAck {
    fn decay_per_octet(&self, tx: TxVector, _: Decibel, psdu_bytes: u32) -> f64 {
        if tx.format == Format::Ofdm && psdu_bytes == 24 { f64::INFINITY } else { 0.0 }
    }
}

/// The data comes, and the station does not learn it: it sends again by the next trigger frame. Its window has grown to 1, with which one
/// RA-RU is enough in any case.
#[test]
fn the_acknowledgement_is_lost() {
    let plan = offering(1, RandomAccessPlan { ocw_max: 1, ..AT_FIRST });
    let mut h = Hosts::with_errors(plan, 1, Box::new(LostAck));
    h.send_as(150, STA1, BEYOND, (400, 0));
    h.advance_to(us(1_630));
    h.expect_ppdus(
        "100 172 ap>all trigger 6 1 received
         188 768.8 sta1>ap data 8.125 1 received
         784.8 840.8 ap>sta1 multistablockack 6 1 corrupted
         874.8 946.8 ap>all trigger 6 1 received
         962.8 1543.6 sta1>ap data 8.125 2 received
         1559.6 1615.6 ap>sta1 multistablockack 6 1 corrupted",
    );
}

/// A BSRP trigger frame has 28 octets and 5 for each RU. With two RUs it names sta1, and sta2 says in the RA-RU that it has something: it is
/// named by the Basic trigger frame. sta3 has nothing.
#[test]
fn buffer_status_comes_by_random_access() {
    let random_access = Some(AT_FIRST);
    let mut plan = triggering(3, UplinkPlan { bsrp: true, random_access, ..UPLINK });
    plan.cells[0].multi_user.as_mut().expect("it has some").stations = 2;
    let mut h = Hosts::new(plan, 1);
    h.send_as(150, STA2, BEYOND, (400, 0));
    h.advance_to(us(680));
    let lines = h.timeline();
    assert_eq!(lines[..2], ["100 176 ap>sta1 trigger 6 1 received", "100 176 ap>all trigger 6 1 received"]);
    let answers: Vec<_> = h.ppdus[2..].iter().map(|ppdu| (ppdu.nic, ppdu.kind, ppdu.to)).collect();
    let ap = Some(super::hosts::AP);
    assert_eq!(
        answers,
        [
            (STA1, PpduKind::QosNull, ap),
            (STA2, PpduKind::QosNull, ap),
            (super::hosts::AP, PpduKind::Trigger, Some(STA2)),
            (super::hosts::AP, PpduKind::Trigger, None),
            (STA2, PpduKind::Data, ap),
            (super::hosts::AP, PpduKind::MultiStaBlockAck, Some(STA2)),
        ],
        "{lines:?}"
    );
    // One QoS Null frame of its queue.
    assert_eq!(h.ppdus[3].bytes, 34);
}

/// An RA-RU is not addressed to the station that uses it, so its MU EDCA timer does not start (26.2.7).
#[test]
fn random_access_starts_no_mu_edca_timer() {
    let parameters = airtcp_plan::MuEdcaParameters { aifsn: 0, cw_min: 0, cw_max: 0, timer: 255 };
    let mut plan = offering(1, AT_FIRST);
    let uplink = plan.cells[0].multi_user.as_mut().and_then(|plan| plan.uplink.as_mut());
    let uplink = uplink.expect("it has uplinks");
    (uplink.mu_edca, uplink.interval_us) = (Some([parameters; 4]), 1_000);
    let mut h = Hosts::new(plan, 1);
    h.send_as(1_050, STA1, BEYOND, (400, 0));
    h.send_as(1_900, STA1, BEYOND, (400, 0));
    h.advance_to(us(2_400));
    let own =
        h.ppdus.iter().filter(|ppdu| ppdu.nic == STA1).map(|ppdu| ppdu.tx.bit_rate().as_bps() / 1_000_000);
    assert_eq!(own.collect::<Vec<_>>(), [8, 86]);
}

/// Of stations that always have something and windows of one size: how many send by a trigger frame, and how many of its RA-RUs have exactly
/// one.
fn measured(stations: u32, plan: RandomAccessPlan) -> (f64, f64) {
    let uplink = UplinkPlan { report_lifetime_us: 0, random_access: Some(plan), ..UPLINK };
    let mut air = triggering(stations, uplink);
    allow_attempts(&mut air.cells[0], 1_000_000);
    let mut h = Hosts::new(air, 1);
    // A trigger frame is on the air: nobody contends.
    h.advance_to(us(150));
    for station in 1..=stations {
        h.saturate(crate::NicId(station), BEYOND, 400);
    }
    h.advance_to(us(8_000_000));
    let mut by_start: BTreeMap<i64, [u32; 2]> = BTreeMap::new();
    let triggers = h.ppdus.iter().filter(|ppdu| ppdu.kind == PpduKind::Trigger);
    for trigger in triggers {
        by_start.entry(trigger.end_ns + 16_000).or_default();
    }
    for data in h.ppdus.iter().filter(|ppdu| ppdu.kind == PpduKind::Data) {
        let [attempts, successes] = by_start.get_mut(&data.start_ns).expect("nobody contends");
        *attempts += 1;
        *successes += u32::from(data.outcome == PpduOutcome::Received);
    }
    // Before that, not all have counters that have run for long.
    let [attempts, successes] =
        by_start.values().skip(100).fold([0, 0], |sum, of| [sum[0] + of[0], sum[1] + of[1]]);
    let count = (by_start.len() - 100) as f64;
    (f64::from(attempts) / count, f64::from(successes) / count / f64::from(plan.rus))
}

/// With windows of one size W a station sends by one of K trigger frames, K = 1 for counters up to the number of RA-RUs R, else the
/// counter / R rounded up. So it sends by a trigger frame with probability t = 1 / E[K], whatever others do, and an RA-RU has exactly one of
/// N stations with probability N t/R (1 - t/R)^(N - 1): that of slotted ALOHA, at most 37 % where N is large.
#[test]
fn many_stations_succeed_as_in_slotted_aloha() {
    for (stations, rus, ocw) in [(6, 1, 7), (17, 4, 31), (20, 2, 31), (40, 4, 31)] {
        let plan = RandomAccessPlan { rus, ocw_min: ocw, ocw_max: ocw };
        let frames: u32 = (0..=ocw).map(|counter| counter.div_ceil(rus).max(1)).sum();
        let sends = f64::from(ocw + 1) / f64::from(frames);
        let in_one = sends / f64::from(rus);
        let n = f64::from(stations);
        let expected = (n * sends, n * in_one * libm::pow(1.0 - in_one, n - 1.0));
        let (attempts, efficiency) = measured(stations, plan);
        // Some 3000 trigger frames: standard errors below 1.3 % of either.
        assert!((attempts / expected.0 - 1.0).abs() < 0.03, "{stations}: {attempts} of {expected:?}");
        assert!((efficiency / expected.1 - 1.0).abs() < 0.06, "{stations}: {efficiency} of {expected:?}");
        assert!(efficiency < 0.42, "{stations}: {efficiency}");
    }
}

/// Few frames of many stations, which meet in RA-RUs with equal powers and with others: all that holds for other exchanges does.
#[test]
fn histories_with_collisions_are_legal() {
    let (mut shared, mut captured, mut given_up) = (0, 0, 0);
    for seed in 1..=60_u32 {
        let stations = 3 + seed % 6;
        let ocw_min = [0, 1, 3, 7][seed as usize % 4];
        let plan = RandomAccessPlan { rus: 1 + seed / 2 % 4, ocw_min, ocw_max: 2 * ocw_min + 1 };
        // With a lifetime of 0 nobody would be named after BSRP.
        let bsrp = seed.is_multiple_of(5);
        let report_lifetime_us = if bsrp { 10_000 } else { 10_000 * (seed % 3) };
        let random_access = Some(plan);
        let mut air = triggering(stations, UplinkPlan { bsrp, report_lifetime_us, random_access, ..UPLINK });
        allow_attempts(&mut air.cells[0], 2 + seed % 5);
        let weak = (1..=stations).filter(|station| (station + seed) % 3 == 0);
        set_rssi(&mut air, &weak.map(|station| (0, station, NOISE_DBM + 22.0)).collect::<Vec<_>>());
        let mut h = Hosts::with_errors(air, seed.into(), Box::new(Cliff));
        for number in 0..8 * stations {
            let at_us = u64::from(120 + number / stations * (400 * (seed % 7)) + number);
            let (bytes, priority) = (100 + 37 * (number % 11), [0, 0, 5, 6][(number + seed) as usize % 4]);
            h.send_as(at_us, crate::NicId(1 + number % stations), BEYOND, (bytes, priority));
        }
        while h.unended > 0 {
            h.advance_to(h.now + Duration::from_micros(500));
            assert!(h.now < us(5_000_000), "seed {seed}: {:?}", &h.timeline()[h.ppdus.len() - 30..]);
        }
        check_steady(&mut h).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let of_ru = || h.journal().iter().filter(|ppdu| ppdu.shares_ru());
        shared += of_ru().count();
        captured += of_ru().filter(|ppdu| ppdu.first().decoded).count();
        given_up += h.actions().iter().filter(|line| line.contains("retry_limit")).count();
    }
    assert!(shared > 500 && captured > 20 && given_up > 20, "{shared} {captured} {given_up}");
}

#[test]
fn random_access_that_cannot_be_is_refused() {
    let refused = |change: fn(&mut RandomAccessPlan), expected: &str| {
        let mut random_access = AT_FIRST;
        change(&mut random_access);
        let error = World::new(&offering(2, random_access), 1, OPTIONS).expect_err("it can't be").to_string();
        assert!(error.contains("air.cells[0].multi_user.uplink.random_access."), "{error}");
        assert!(error.contains(expected), "{error}");
    };
    refused(|p| p.rus = 0, "0 random access RUs do not go into 20 MHz; use 1 to 8");
    refused(|p| p.rus = 9, "9 random access RUs do not go into 20 MHz; use 1 to 8");
    refused(|p| p.ocw_max = 5, "0 to 5 are no OFDMA contention windows");
    refused(|p| p.ocw_max = 255, "use powers of two less one, the smaller first, to 127");
    refused(|p| p.ocw_min = 7, "7 to 0 are no OFDMA contention windows");
}
