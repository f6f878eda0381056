//! Full queues, backpressure, `CoDel`, the airtime queue limit.

use airtcp_plan::{FqCodelPlan, QueuePlan};
use airtcp_testing::plans::{FQ_CODEL, mac};
use airtcp_units::Duration;

use super::lower::{Bench, Luck};
use super::plans::{BEYOND, high_throughput, legacy};
use crate::NicId;
use crate::border::{AccessCategory, HighMac, MpduFate, Request};
use crate::high::Frame;

/// Stop with the second of two frames; a third that was on its way is taken; Wake only when there is room.
#[test]
fn a_full_queue_stops_its_qdisc() {
    let mut plan = legacy(1);
    plan.nics[1].queue = QueuePlan::Fifo { packets: 2 };
    let mut bench = Bench::new(&plan);
    (0..3).for_each(|_| bench.send(1, 0));
    assert_eq!(bench.host.news(), ["stop 1"]);
    bench.drain();
    assert_eq!(
        bench.host.news(),
        [
            "deliver 0 to 0",
            "sent 0 of 1",
            "deliver 1 to 0",
            "sent 1 of 1",
            "wake 1",
            "deliver 2 to 0",
            "sent 2 of 1"
        ]
    );
    assert_eq!(bench.upper.queue_max(NicId(1)), 3);
}

#[test]
fn without_backpressure_a_full_queue_drops() {
    let mut plan = legacy(1);
    plan.nics[1].queue = QueuePlan::Fifo { packets: 2 };
    plan.nics[1].backpressure = false;
    let mut bench = Bench::new(&plan);
    (0..3).for_each(|_| bench.send(1, 0));
    assert_eq!(bench.host.news(), ["dropped 2 of 1: queue_full"]);
    // The frame on the air counts.
    bench.grant(1, |_| Luck::Lost);
    bench.send(1, 0);
    assert_eq!(bench.host.news(), ["dropped 3 of 1: queue_full"]);
    bench.drain();
    bench.upper.finish();
}

/// No qdisc stands above relayed frames: a full queue drops them even with backpressure, while the host's own frame is
/// taken.
#[test]
fn a_relayed_frame_can_be_dropped_in_spite_of_backpressure() {
    let mut plan = legacy(2);
    plan.nics[0].queue = QueuePlan::Fifo { packets: 1 };
    let mut bench = Bench::new(&plan);
    for source in [BEYOND, mac(1), BEYOND] {
        let frame = bench.host.frame(NicId(0), mac(2), 1000);
        bench.transmit(0, Frame { source, ..frame });
    }
    assert_eq!(bench.host.news(), ["stop 0", "dropped 1 of 0: queue_full"]);
    bench.drain();
    assert_eq!(bench.host.sent.len(), 2);
}

#[test]
fn a_direct_queue_holds_what_fills_an_aggregate() {
    let mut plan = high_throughput(1);
    plan.nics[0].queue = QueuePlan::Direct { aggregates: 1 };
    let mut bench = Bench::new(&plan);
    // 42 MPDUs of 1538 octets with delimiters fill 65535.
    for i in 0..42 {
        assert!(bench.host.stopped.is_empty(), "stopped with {i}");
        bench.send(0, 1);
    }
    assert!(bench.host.stopped.contains(&NicId(0)));
    let mut legacy = legacy(1);
    legacy.nics[0].queue = QueuePlan::Direct { aggregates: 2 };
    let mut bench = Bench::new(&legacy);
    bench.send(0, 1);
    assert!(bench.host.stopped.is_empty());
    bench.send(0, 1);
    assert!(bench.host.stopped.contains(&NicId(0)));
}

fn fq_codel(parameters: FqCodelPlan) -> Bench {
    let mut plan = high_throughput(1);
    plan.nics[0].queue = QueuePlan::FqCodel(parameters);
    plan.nics[0].backpressure = false;
    Bench::new(&plan)
}

#[test]
fn frames_that_wait_too_long_are_marked_or_dropped() {
    for ect in [true, false] {
        let mut bench = fq_codel(FqCodelPlan { aql_us: None, ..FQ_CODEL });
        for _ in 0..400 {
            let frame = bench.host.frame(NicId(0), mac(1), 1000);
            bench.transmit(0, Frame { ect, ..frame });
        }
        while !bench.contenders().is_empty() {
            bench.wait(Duration::from_millis(10));
            bench.grant(0, |_| Luck::Received);
        }
        let (marked, dropped) = (bench.host.marked.len(), bench.host.dropped.len());
        assert!(
            if ect { marked > 0 && dropped == 0 } else { marked == 0 && dropped > 0 },
            "{marked}, {dropped}"
        );
        assert!(bench.host.dropped.iter().all(|&(_, _, reason)| reason == "codel"));
        assert_eq!(bench.upper.counters(NicId(0)).marked, marked as u64);
        assert_eq!(bench.host.living(), 0);
        bench.upper.finish();
    }
}

#[test]
fn a_full_fair_queue_drops() {
    let mut bench = fq_codel(FqCodelPlan { packets: 10, ..FQ_CODEL });
    (0..12).for_each(|_| bench.send(0, 1));
    // It drops up to half of its longest flow at once.
    let dropped = bench.host.dropped.len();
    assert!((2..=7).contains(&dropped), "{dropped}");
    assert!(bench.host.dropped.iter().all(|&(_, _, reason)| reason == "queue_full"));
    bench.drain();
    assert_eq!(bench.host.delivered.len(), 12 - dropped);
    bench.upper.finish();
}

/// With the lowest limit one MPDU is announced at a time: the queue asks for the medium again when it is done, which the
/// bench checks after each step.
#[test]
fn airtime_on_its_way_is_limited() {
    let mut bench = fq_codel(FqCodelPlan { aql_us: Some([1, 1]), aql_threshold_us: 0, ..FQ_CODEL });
    (0..20).for_each(|_| bench.send(0, 1));
    bench.drain();
    assert_eq!(bench.host.delivered.len(), 20);
    assert!(bench.ppdus.iter().all(|(mpdus, _)| mpdus.len() == 1), "{:?}", bench.ppdus.len());
    let mut free = fq_codel(FqCodelPlan { aql_us: None, ..FQ_CODEL });
    (0..20).for_each(|_| free.send(0, 1));
    free.drain();
    assert_eq!(free.ppdus.len(), 3);
}

#[test]
fn a_queue_below_its_airtime_limit_again_asks_for_the_medium() {
    let mut bench = fq_codel(FqCodelPlan { aql_us: Some([1, 1]), aql_threshold_us: 0, ..FQ_CODEL });
    (0..2).for_each(|_| bench.send(0, 1));
    let (ap, ac) = (NicId(0), AccessCategory::BestEffort);
    let mpdu = bench.high(|high, now, _| {
        let txq = high.next_txq(now, ap, ac).expect("a frame waits");
        let mpdu = high.dequeue(now, txq).expect("a frame waits");
        assert!(high.dequeue(now, txq).is_none() || !high.pending(now, ap, ac));
        high.return_txq(now, txq, false);
        assert!(!high.pending(now, ap, ac));
        mpdu
    });
    bench.high(|high, now, requests| {
        high.mpdu_done(now, ap, &mpdu, MpduFate::Acked, requests);
        assert_eq!(*requests, [Request::Pending(ap, ac)]);
    });
}
