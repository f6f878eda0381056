//! Cells of mixed generations, by hand: what two NICs send each other, and what the others make of it.
//!
//! Times as in `exchanges`: an access point and station of 11n at 65 Mbit/s, and a station of 11a with `QoS`, whose data of 1538
//! octets takes 252 us at 54 Mbit/s.

use airtcp_plan::{AirPlan, CodeChoice, HtProtection, RadioChannel, Reception, Standard};
use airtcp_testing::plans::{IDEAL, mac};
use airtcp_units::BitRate;

use super::hosts::{AP, BEYOND, Hosts, OPTIONS, STA1, STA2, us};
use super::plans::{aggregating, at_2_4_ghz, fixed, he, set_rssi};
use crate::border::Receiver;
use crate::low::Ppdu;
use crate::phy::{Format, Width};
use crate::{NicId, PpduKind, World};

/// sta1 is of 11n, as its access point, sta2 of 11a. The access point knows each rate that comes through: all do.
fn with_11a() -> AirPlan {
    let mut plan = aggregating(2, 7);
    plan.nics[0].rate_control = IDEAL;
    let old = &mut plan.nics[2];
    (old.standard, old.rate_control, old.aggregation) = (Some(Standard::Ofdm), fixed(54), None);
    plan
}

/// Three frames for sta1 and two for sta2, all at one instant: an aggregate, and one by one.
/// ```text
/// 100            708 724  756 790       1042 1058 1086 1120      1372 1388 1416
///  | HT, 0 1 2     |   |BA  |   | OFDM, 3  |    |ack |    | OFDM, 4 |    |ack
/// ```
#[test]
fn an_access_point_sends_each_station_what_both_have() {
    let mut h = Hosts::new(with_11a(), 1);
    h.advance_to(us(100));
    for to in [1, 1, 1, 2, 2] {
        h.give(AP, (BEYOND, mac(to)), 1514, 0);
    }
    h.drain();
    h.expect_history(
        "100 708 ap>sta1 data 0 1 2 65 1 received
         724 756 sta1>ap ba 24 1 received
         790 1042 ap>sta2 data 54 1 received
         1058 1086 sta2>ap ack 24 1 received
         1120 1372 ap>sta2 data 54 1 received
         1388 1416 sta2>ap ack 24 1 received",
    );
}

/// The HT PPDU is answered by an Ack that everybody reads: sta2 waits for AIFS after it, 372 + 34.
#[test]
fn an_acknowledgement_at_a_basic_rate_ends_eifs() {
    let mut h = Hosts::new(with_11a(), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(110, STA2, BEYOND);
    h.expect_history(
        "100 328 sta1>ap data 65 1 received
         344 372 ap>sta1 ack 24 1 received
         406 658 sta2>ap data 54 1 received
         674 702 ap>sta2 ack 24 1 received",
    );
}

/// sta2 does not hear the access point. Of 11n it reads the Duration of sta1's frame: 372 and AIFS. Of 11a it knows how long the PPDU
/// lasts, and that what is in it has errors: 328 and EIFS, 94.
#[test]
fn a_station_that_cannot_read_the_format_waits_for_eifs() {
    let next = |standard| {
        let mut plan = with_11a();
        plan.nics[2].standard = standard;
        set_rssi(&mut plan, &[(0, 2, -100.0)]);
        if standard.is_none() {
            plan.nics[2].rate_control = IDEAL;
        }
        let mut h = Hosts::new(plan, 1);
        h.send_at(100, STA1, BEYOND);
        h.send_at(110, STA2, BEYOND);
        h.advance_to(us(400));
        h.world.next_wakeup()
    };
    assert_eq!([next(None), next(Some(Standard::Ofdm))], [us(406), us(422)]);
}

/// The same where capture lets nothing be judged for a group as a whole, and with noise.
#[test]
fn each_listener_alone_comes_to_the_same() {
    let mut plan = with_11a();
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    set_rssi(&mut plan, &[(0, 2, -100.0), (1, 2, -50.0), (0, 1, -50.0)]);
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(110, STA2, BEYOND);
    h.advance_to(us(400));
    assert_eq!(h.world.next_wakeup(), us(422));
}

/// In non-HT mixed mode PPDUs with an MCS begin with CTS-to-self, or RTS, at the slowest basic rate; OFDM does not.
#[test]
fn ht_is_protected_where_a_member_has_none() {
    let history = |ht_protection| {
        let mut plan = with_11a();
        plan.cells[0].ht_protection = ht_protection;
        let mut h = Hosts::new(plan, 1);
        h.send_at(100, STA1, BEYOND);
        h.send_at(1000, STA2, BEYOND);
        h
    };
    history(HtProtection::CtsToSelf).expect_history(
        "100 144 sta1>all cts 6 1 received
         160 388 sta1>ap data 65 1 received
         404 432 ap>sta1 ack 24 1 received
         1000 1252 sta2>ap data 54 1 received
         1268 1296 ap>sta2 ack 24 1 received",
    );
    history(HtProtection::RtsCts).expect_history(
        "100 152 sta1>ap rts 6 1 received
         168 212 ap>sta1 cts 6 1 received
         228 456 sta1>ap data 65 1 received
         472 500 ap>sta1 ack 24 1 received
         1000 1252 sta2>ap data 54 1 received
         1268 1296 ap>sta2 ack 24 1 received",
    );
}

/// Data of the access point by station: format, width and Mbit/s of the first PPDU to each.
fn first_modes(plan: AirPlan, stations: u32) -> Vec<(Format, Width, u64)> {
    let mut h = Hosts::new(plan, 1);
    h.advance_to(us(100));
    for station in 1..=stations {
        h.give(AP, (BEYOND, mac(station)), 1514, 0);
    }
    h.drain();
    h.settle();
    let to = |station: u32| {
        let is_for_it = |ppdu: &&Ppdu| {
            ppdu.kind == PpduKind::Data && ppdu.first().receiver == Receiver::One(NicId(station))
        };
        let tx = h.journal().iter().find(is_for_it).expect("data for it").first().tx;
        (tx.format, tx.width(), tx.bit_rate().as_bps() / 1_000_000)
    };
    (1..=stations).map(to).collect()
}

/// An access point of 11ax at 80 MHz: towards each station the fastest mode that both have.
#[test]
fn five_generations_at_one_access_point() {
    let mut plan = aggregating(5, 7);
    plan.cells[0].standard = Standard::He;
    plan.cells[0].channel = RadioChannel { primary_mhz: 5180, centre_mhz: 5210, width_mhz: 80 };
    let generations = [
        (None, None),
        (Some(Standard::Eht), None),
        (Some(Standard::Vht), None),
        (Some(Standard::Ht), Some(40)),
        (Some(Standard::Ofdm), Some(20)),
    ];
    plan.nics[0].guard_ns = 800;
    for (nic, (standard, width_mhz)) in plan.nics[1..].iter_mut().zip(generations) {
        (nic.standard, nic.width_mhz) = (standard, width_mhz);
        nic.guard_ns = if standard == Some(Standard::Ht) { 400 } else { 800 };
        if standard == Some(Standard::Ofdm) {
            nic.aggregation = None;
        }
    }
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = IDEAL);
    assert_eq!(
        first_modes(plan, 5),
        [
            (Format::He, Width::Mhz80, 600),
            (Format::He, Width::Mhz80, 600),
            (Format::Vht, Width::Mhz80, 390),
            (Format::Ht, Width::Mhz40, 150),
            (Format::Ofdm, Width::Mhz20, 54),
        ]
    );
}

/// A newer station at an older access point, and one of 11b: each link has the older of both.
#[test]
fn newer_and_older_stations_at_11n() {
    let mut plan = aggregating(2, 7);
    at_2_4_ghz(&mut plan);
    plan.cells[0].standard = Standard::Ht;
    plan.cells[0].basic_rates_bps = [1, 2, 11].map(BitRate::from_mbps).to_vec();
    plan.cells[0].group_rate_bps = BitRate::from_mbps(1);
    plan.nics[1].standard = Some(Standard::He);
    (plan.nics[2].standard, plan.nics[2].aggregation) = (Some(Standard::HrDsss), None);
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = IDEAL);
    assert_eq!(first_modes(plan, 2), [(Format::Ht, Width::Mhz20, 65), (Format::HrDsss, Width::Mhz20, 11)]);
}

/// What a band or a standard does not have, and what a link does not have.
#[test]
fn generations_that_do_not_fit_are_refused() {
    let refused = |change: &dyn Fn(&mut AirPlan)| {
        let mut plan = with_11a();
        change(&mut plan);
        let refusal = World::new(&plan, 1, OPTIONS).err();
        let refusal = refusal.expect("the plan is refused");
        format!("{}: {}", refusal.key, refusal.reason)
    };
    assert_eq!(
        refused(&|plan| plan.nics[2].standard = Some(Standard::HrDsss)),
        "air.nics[2].standard: HR/DSSS (11b) is used at 2.4 GHz, not at 5 GHz (IEEE 802.11-2020, 16.1)"
    );
    assert_eq!(
        refused(&|plan| plan.nics[1].width_mhz = Some(40)),
        "air.nics[1].width_mhz: 40 MHz is no part of a channel of 20 MHz"
    );
    assert_eq!(
        refused(&|plan| plan.nics[2].aggregation = plan.nics[1].aggregation),
        "air.nics[2].aggregation: 802.11b, a and g have no aggregation"
    );
    let of_another = refused(&|plan| plan.nics[1].rate_control = he(7));
    assert!(of_another.starts_with("air.nics[1].rate_control: "), "{of_another}");
}
