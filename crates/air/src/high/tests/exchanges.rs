//! One MPDU at a time: delivery, repetition, relays, groups.

use airtcp_plan::MacAddress;
use airtcp_testing::plans::mac;
use airtcp_units::{BitRate, Dbm, Instant};

use super::lower::{Bench, Luck};
use super::plans::{BEYOND, high_throughput, legacy};
use crate::NicId;
use crate::border::{AccessCategory, HighMac, MpduKind, Protection, Receiver};
use crate::high::{Frame, Links, OwnMac};
use crate::phy::TxVector;
use crate::rate::LinkState;

#[test]
fn a_frame_is_delivered_and_then_sent() {
    let mut bench = Bench::new(&legacy(1));
    bench.send(1, 0);
    assert_eq!(bench.contenders(), [(NicId(1), AccessCategory::BestEffort)]);
    bench.grant(1, |_| Luck::Received);
    assert_eq!(bench.host.news(), ["deliver 0 to 0", "sent 0 of 1"]);
    let (mpdus, _) = &bench.ppdus[0];
    let mpdu = mpdus[0];
    assert_eq!((mpdu.bytes, mpdu.receiver, mpdu.kind), (1022, Receiver::One(NicId(0)), MpduKind::Data));
    bench.drain();
    assert_eq!(bench.host.living(), 0);
    bench.upper.finish();
}

#[test]
fn a_repetition_is_delivered_once() {
    let mut bench = Bench::new(&legacy(1));
    bench.send(1, 0);
    bench.grant(1, |_| Luck::AckLost);
    assert_eq!(bench.host.news(), ["deliver 0 to 0"]);
    bench.grant(1, |_| Luck::AckLost);
    assert!(bench.host.news().is_empty());
    bench.grant(1, |_| Luck::AckLost);
    assert_eq!(bench.host.news(), ["dropped 0 of 1: retry_limit"]);
    bench.send(1, 0);
    bench.drain();
    assert_eq!(bench.host.news(), ["deliver 1 to 0", "sent 1 of 1"]);
    assert_eq!(bench.upper.counters(NicId(0)).discarded, 2);
    bench.upper.finish();
}

#[test]
fn a_frame_between_stations_is_relayed() {
    let mut bench = Bench::new(&legacy(2));
    bench.send(1, 2);
    bench.grant(1, |_| Luck::Received);
    assert_eq!(bench.host.news(), ["relay 0 by 0", "sent 0 of 1"]);
    bench.drain();
    assert_eq!(bench.host.news(), ["deliver 0 to 2", "sent 0 of 0"]);
    assert_eq!(bench.upper.counters(NicId(0)).relayed, 1);
}

#[test]
fn a_stations_broadcast_reaches_everybody_else() {
    let mut bench = Bench::new(&legacy(3));
    let frame = bench.host.frame(NicId(2), MacAddress::BROADCAST, 100);
    bench.transmit(2, frame);
    bench.drain();
    let news = bench.host.news();
    assert_eq!(
        news,
        ["deliver 0 to 0", "relay 0 by 0", "sent 0 of 2", "deliver 0 to 1", "deliver 0 to 3", "sent 0 of 0"]
    );
    assert_eq!(bench.ppdus[1].0[0].receiver, Receiver::Group);
    assert_eq!(bench.host.living(), 0);
}

#[test]
fn what_cant_be_sent_is_dropped_at_once() {
    let mut bench = Bench::new(&legacy(1));
    let mut frame = bench.host.frame(NicId(0), BEYOND, 1000);
    bench.transmit(0, frame);
    frame = bench.host.frame(NicId(1), mac(0), 1000);
    frame.source = BEYOND;
    bench.transmit(1, frame);
    frame = bench.host.frame(NicId(1), mac(0), 2311);
    bench.transmit(1, frame);
    assert_eq!(
        bench.host.news(),
        ["dropped 0 of 0: no_such_station", "dropped 1 of 1: foreign_source", "dropped 2 of 1: too_long"]
    );
    assert!(bench.contenders().is_empty());
    bench.upper.finish();
}

#[test]
fn priorities_go_by_category_where_there_are_four() {
    let mut bench = Bench::new(&high_throughput(1));
    for priority in 0..8 {
        let frame = bench.host.frame(NicId(1), mac(0), 1000);
        bench.transmit(1, Frame { priority, ..frame });
    }
    assert_eq!(bench.contenders().len(), 4);
    bench.grant_category(NicId(1), AccessCategory::Voice, |_| Luck::Received);
    assert_eq!(bench.host.news(), ["deliver 6 to 0", "sent 6 of 1"]);
    bench.drain();
    assert_eq!(bench.host.delivered.len(), 8);

    let mut bench = Bench::new(&legacy(1));
    let frame = bench.host.frame(NicId(1), mac(0), 1000);
    bench.transmit(1, Frame { priority: 7, ..frame });
    assert_eq!(bench.contenders(), [(NicId(1), AccessCategory::BestEffort)]);
    bench.drain();
    assert_eq!(bench.ppdus[0].0[0].tid, 0);
}

#[test]
fn group_frames_of_an_access_point_are_best_effort_without_qos() {
    let mut bench = Bench::new(&high_throughput(1));
    let frame = bench.host.frame(NicId(0), MacAddress::BROADCAST, 1000);
    bench.transmit(0, Frame { priority: 6, ..frame });
    bench.drain();
    let (mpdus, chain) = &bench.ppdus[0];
    assert_eq!((mpdus[0].tid, mpdus[0].bytes, mpdus[0].kind), (0, 1022, MpduKind::Data));
    assert_eq!(chain.stages()[0].tx, TxVector::ofdm(0));
}

#[test]
fn the_rts_threshold_is_not_the_upper_halfs() {
    let mut plan = legacy(1);
    plan.cells[0].rts_threshold_bytes = 0;
    let mut bench = Bench::new(&plan);
    bench.send(1, 0);
    bench.drain();
    assert_eq!(bench.ppdus[0].1.stages()[0].protection, Protection::None);
}

struct Capped(Vec<(NicId, NicId)>);

impl Links for Capped {
    fn link_state(&mut self, _now: Instant, [from, to]: [NicId; 2], _snr: bool) -> LinkState {
        self.0.push((from, to));
        LinkState { rate_cap: Some(BitRate::from_mbps(12)), ..LinkState::default() }
    }

    fn power(&self, _from: NicId, _to: NicId) -> Dbm {
        Dbm::new(-50.0)
    }
}

#[test]
fn rate_control_is_told_the_state_of_its_link() {
    let mut bench = Bench::new(&legacy(2));
    bench.send(0, 2);
    let mut links = Capped(Vec::new());
    let mut out = Vec::new();
    let now = bench.now;
    let mut high = OwnMac { upper: &mut bench.upper, links: &mut links, out: &mut out };
    let txq = high.next_txq(now, NicId(0), AccessCategory::BestEffort).expect("a frame waits");
    let mpdu = high.dequeue(now, txq).expect("a frame waits");
    assert_eq!(high.rates(now, NicId(0), &mpdu).stages()[0].tx, TxVector::ofdm(2));
    assert_eq!(links.0, [(NicId(0), NicId(2))]);
}
