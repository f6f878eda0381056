//! A-MPDUs and A-MSDUs.

use airtcp_plan::{Aggregation, Standard};
use airtcp_testing::plans::{AMPDU, mac};

use super::lower::{AMPDU_MPDUS, Bench, Luck};
use super::plans::high_throughput;
use crate::NicId;
use crate::border::{AccessCategory, MpduKind};
use crate::high::Frame;

fn losing(lost: &'static [u16]) -> impl FnMut(&crate::border::Mpdu) -> Luck {
    |mpdu| if lost.contains(&mpdu.sequence) { Luck::Lost } else { Luck::Received }
}

#[test]
fn an_aggregate_is_delivered_in_order() {
    let mut bench = Bench::new(&high_throughput(1));
    (0..4).for_each(|_| bench.send(0, 1));
    bench.grant(0, losing(&[]));
    let (mpdus, _) = &bench.ppdus[0];
    assert!(mpdus.iter().all(|mpdu| mpdu.kind == MpduKind::Aggregable && mpdu.bytes == 1024));
    assert_eq!(
        bench.host.news(),
        [
            "deliver 0 to 1",
            "deliver 1 to 1",
            "deliver 2 to 1",
            "deliver 3 to 1",
            "sent 0 of 0",
            "sent 1 of 0",
            "sent 2 of 0",
            "sent 3 of 0"
        ]
    );
}

/// What waits behind a gap is acknowledged, so it has left its sender; its bytes live on until it is delivered.
#[test]
fn frames_behind_a_gap_are_held_over_their_senders_last_action() {
    let mut bench = Bench::new(&high_throughput(1));
    (0..3).for_each(|_| bench.send(0, 1));
    bench.grant(0, losing(&[0]));
    assert_eq!(bench.host.news(), ["hold 1", "hold 2", "sent 1 of 0", "sent 2 of 0"]);
    assert_eq!((bench.host.living(), bench.upper.in_flight(NicId(0))), (3, 1));
    bench.grant(0, losing(&[]));
    assert_eq!(
        bench.host.news(),
        ["deliver 0 to 1", "deliver 1 to 1", "release 1", "deliver 2 to 1", "release 2", "sent 0 of 0"]
    );
    bench.drain();
    assert_eq!(bench.host.living(), 0);
    bench.upper.finish();
}

#[test]
fn a_buffer_gives_up_waiting_after_100_ms() {
    let mut bench = Bench::new(&high_throughput(1));
    (0..3).for_each(|_| bench.send(0, 1));
    bench.grant(0, losing(&[0]));
    bench.host.news();
    bench.wait(airtcp_units::Duration::from_millis(99));
    assert!(bench.host.news().is_empty());
    bench.wait(airtcp_units::Duration::from_millis(1));
    assert_eq!(bench.host.news(), ["deliver 1 to 1", "release 1", "deliver 2 to 1", "release 2"]);
    // What was waited for comes too late: its sender is told of its reception all the same.
    bench.grant(0, losing(&[]));
    assert_eq!(bench.host.news(), ["sent 0 of 0"]);
    assert_eq!(bench.upper.counters(NicId(1)).discarded, 1);
    bench.drain();
    bench.upper.finish();
}

#[test]
fn aggregates_of_several_tids_do_not_wait_for_each_other() {
    let mut bench = Bench::new(&high_throughput(1));
    for priority in [0, 3] {
        for _ in 0..2 {
            let frame = bench.host.frame(NicId(0), mac(1), 1000);
            bench.transmit(0, Frame { priority, ..frame });
        }
    }
    bench.grant(0, losing(&[0]));
    assert_eq!(bench.host.news(), ["hold 1", "sent 1 of 0"]);
    bench.grant(0, losing(&[0]));
    bench.drain();
    let mut delivered: Vec<_> = bench.host.delivered.iter().map(|&(_, label)| label).collect();
    let order = delivered.clone();
    delivered.sort_unstable();
    assert_eq!(delivered, [0, 1, 2, 3]);
    let place = |label| order.iter().position(|&l| l == label);
    assert!(place(0) < place(1) && place(2) < place(3));
}

#[test]
fn without_an_agreement_of_both_ends_nothing_is_aggregated() {
    for (ap, station) in [(None, Some(AMPDU)), (Some(Aggregation { ampdu_bytes: 0, ..AMPDU }), Some(AMPDU))] {
        let mut plan = high_throughput(1);
        plan.nics[0].aggregation = ap;
        plan.nics[1].aggregation = station;
        let mut bench = Bench::new(&plan);
        (0..3).for_each(|_| bench.send(1, 0));
        bench.drain();
        assert!(bench.ppdus.iter().all(|(mpdus, _)| mpdus.len() == 1 && mpdus[0].kind == MpduKind::Data));
        assert_eq!(bench.host.delivered.len(), 3);
    }
}

fn with_amsdu(amsdu_bytes: u32, amsdu_frames: u32, standard: Standard) -> Bench {
    let mut plan = high_throughput(2);
    plan.cells[0].standard = standard;
    for nic in &mut plan.nics {
        nic.aggregation = Some(Aggregation { amsdu_bytes, amsdu_frames, ..AMPDU });
    }
    Bench::new(&plan)
}

/// Subframes of 14 + 994 octets fill 1008 each: 26 of header and `QoS` Control, 4 of FCS around them.
#[test]
fn frames_share_an_mpdu_up_to_its_limit() {
    let mut bench = with_amsdu(3 * 1008, 0, Standard::Vht);
    (0..7).for_each(|_| bench.send(0, 1));
    bench.grant(0, losing(&[]));
    let lengths: Vec<_> = bench.ppdus[0].0.iter().map(|mpdu| mpdu.bytes).collect();
    assert_eq!(lengths, [30 + 3024, 30 + 3024, 30 + 994]);
    assert_eq!((bench.host.delivered.len(), bench.host.sent.len()), (7, 7));
    let counters = bench.upper.counters(NicId(0));
    assert_eq!((counters.mpdus, counters.amsdus, counters.sent), (3, 2, 7));
}

#[test]
fn an_ht_ampdu_has_mpdus_of_4095_octets_at_most() {
    let mut bench = with_amsdu(7935, 0, Standard::Ht);
    (0..8).for_each(|_| bench.send(0, 1));
    bench.grant(0, losing(&[]));
    let lengths: Vec<_> = bench.ppdus[0].0.iter().map(|mpdu| mpdu.bytes).collect();
    // Four would have 4032 and 30, which fits.
    assert_eq!(lengths, [4062, 4062]);
}

#[test]
fn the_number_of_frames_can_be_limited() {
    let mut bench = with_amsdu(11_454, 2, Standard::Vht);
    (0..5).for_each(|_| bench.send(0, 1));
    bench.grant(0, losing(&[]));
    assert_eq!(bench.ppdus[0].0.len(), 3);
}

#[test]
fn frames_of_one_mpdu_are_lost_and_relayed_together() {
    let mut bench = with_amsdu(11_454, 0, Standard::Vht);
    for to in [0, 2, 0] {
        bench.send(1, to);
    }
    bench.grant(1, |_| Luck::Lost);
    bench.grant(1, |_| Luck::AckLost);
    assert_eq!(bench.host.news(), ["deliver 0 to 0", "relay 1 by 0", "deliver 2 to 0"]);
    bench.grant(1, |_| Luck::Lost);
    assert_eq!(
        bench.host.news(),
        ["dropped 0 of 1: retry_limit", "dropped 1 of 1: retry_limit", "dropped 2 of 1: retry_limit"]
    );
    bench.drain();
    assert_eq!(bench.host.news(), ["deliver 1 to 2", "sent 1 of 0"]);
    bench.upper.finish();
}

#[test]
fn tables_stop_growing() {
    let mut bench = with_amsdu(3839, 0, Standard::Vht);
    let mut grown = (0, 0);
    for round in 0..200 {
        (0..2 * AMPDU_MPDUS).for_each(|_| bench.send(0, 1));
        let mut number = 0;
        bench.grant(0, |_| {
            number += 1;
            if number % 3 == 0 { Luck::Lost } else { Luck::Received }
        });
        bench.drain();
        if round == 3 {
            grown = bench.upper.bundles.places();
        }
    }
    assert_eq!(bench.upper.bundles.places(), grown);
    assert_eq!(bench.host.living(), 0);
    assert_eq!(bench.contenders(), Vec::<(NicId, AccessCategory)>::new());
}
