//! Random histories: what must always hold.

use std::collections::BTreeMap;

use airtcp_plan::{Aggregation, AirPlan, FqCodelPlan, MacAddress, QueuePlan, Standard};
use airtcp_testing::plans::{AMPDU, FQ_CODEL, mac};
use airtcp_units::Duration;
use proptest::prelude::*;

use super::lower::{Bench, Luck};
use super::plans::{BEYOND, chain, high_throughput, legacy};
use crate::NicId;
use crate::high::Frame;

#[derive(Clone, Debug)]
enum Step {
    /// NIC, destination (4: beyond, 5: everybody), priority, length.
    Send(u32, u32, u8, u32),
    /// Which contender wins, and what happens to its MPDUs in turn.
    Grant(usize, Vec<u8>),
    Wait(u64),
}

const NICS: u32 = 4;

fn step() -> impl Strategy<Value = Step> {
    let send = (0..NICS, 0..6_u32, 0..8_u8, 14..2_320_u32);
    prop_oneof![
        4 => send.prop_map(|(nic, to, priority, bytes)| Step::Send(nic, to, priority, bytes)),
        4 => (any::<usize>(), proptest::collection::vec(0..4_u8, 1..6)).prop_map(|(w, l)| Step::Grant(w, l)),
        1 => (1..150_u64).prop_map(Step::Wait),
    ]
}

/// Cells of four NICs: legacy, aggregates with several kinds of queues, a mesh.
fn plan(kind: u8) -> AirPlan {
    let fq = |fq: FqCodelPlan| {
        let mut plan = high_throughput(NICS - 1);
        for nic in &mut plan.nics {
            (nic.queue, nic.backpressure) = (QueuePlan::FqCodel(fq), false);
        }
        plan
    };
    match kind {
        0 => legacy(NICS - 1),
        1 => high_throughput(NICS - 1),
        2 => fq(FQ_CODEL),
        3 => fq(FqCodelPlan { packets: 12, flows: 2, aql_us: Some([300, 600]), ..FQ_CODEL }),
        4 => {
            let mut plan = high_throughput(NICS - 1);
            plan.cells[0].standard = Standard::Vht;
            for nic in &mut plan.nics {
                nic.aggregation = Some(Aggregation { amsdu_bytes: 7_991, block_ack_window: 16, ..AMPDU });
                nic.queue = QueuePlan::Direct { aggregates: 1 };
            }
            plan
        }
        _ => chain(NICS),
    }
}

struct History {
    bench: Bench,
    /// Sender, destination, priority of each frame, by its label.
    given: Vec<(u32, u32, u8)>,
}

impl History {
    fn take(&mut self, step: &Step) {
        match *step {
            Step::Send(nic, to, priority, bytes) => {
                let destination = match to {
                    4 => BEYOND,
                    5 => MacAddress::BROADCAST,
                    _ => mac(to),
                };
                let frame = self.bench.host.frame(NicId(nic), destination, bytes);
                self.given.push((nic, to, priority));
                let ect = bytes % 2 == 0;
                // Each flow its own of 4096 queues: the highest twelve bits choose.
                let flow = ((nic * 6 + to) * 8 + u32::from(priority)) << 20;
                self.bench.transmit(nic, Frame { priority, flow, ect, ..frame });
            }
            Step::Grant(which, ref lucks) => {
                let contenders = self.bench.contenders();
                if contenders.is_empty() {
                    return;
                }
                let (nic, ac) = contenders[which % contenders.len()];
                let mut at = 0;
                self.bench.grant_category(nic, ac, |_| {
                    at += 1;
                    match lucks[at % lucks.len()] {
                        0 => Luck::Lost,
                        1 => Luck::AckLost,
                        _ => Luck::Received,
                    }
                });
            }
            Step::Wait(ms) => self.bench.wait(Duration::from_millis(ms)),
        }
        self.bench.upper.finish();
    }

    /// Counters of every NIC balance without anything in flight, and every frame has ended.
    fn check_conservation(&self) {
        assert_eq!(self.bench.host.living(), 0, "frames that never ended");
        for nic in (0..NICS).map(NicId) {
            let counters = self.bench.upper.counters(nic);
            assert_eq!(self.bench.upper.in_flight(nic), 0);
            assert_eq!(counters.accepted, counters.sent + counters.dropped_sum());
        }
        assert_eq!(self.bench.upper.bundles.len(), 0);
    }

    /// Nobody gets a frame twice or one of another, and flows stay in order. Where two flows share one of few queues, a
    /// flow may change its queue and so overtake itself (Linux, `fq_flow_classify`).
    fn check_delivery(&self, ordered: bool) {
        let mut last = BTreeMap::new();
        let mut seen = std::collections::BTreeSet::new();
        for &(nic, label) in &self.bench.host.delivered {
            assert!(seen.insert((nic, label)), "{label} came to {nic:?} twice");
            let (from, to, priority) = self.given[label as usize];
            // A station may send to itself over its access point.
            assert!(to == nic.0 || (to >= 4 && nic.0 != from), "{label} came to {nic:?}");
            let before = last.insert((nic, from, to, priority), label);
            assert!(
                !ordered || before.is_none_or(|before| before < label),
                "{label} came to {nic:?} after {before:?}"
            );
        }
    }

    /// What was acknowledged was delivered, unless its receiver had stopped waiting for it.
    fn check_acknowledged(&self) {
        let discarded: u64 = (0..NICS).map(|nic| self.bench.upper.counters(NicId(nic)).discarded).sum();
        if discarded > 0 {
            return;
        }
        for &(nic, label) in &self.bench.host.sent {
            let (from, to, _) = self.given[label as usize];
            let direct = nic.0 == from && (to == 0 || from == 0) && to < 4;
            let arrived = self.bench.host.delivered.contains(&(NicId(to), label));
            assert!(!direct || arrived || self.is_mesh(), "{label} was acknowledged, not delivered");
        }
    }

    fn is_mesh(&self) -> bool {
        self.bench.upper.cells[0].cell.access_point.is_none()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn frames_are_conserved_in_order_and_never_doubled(
        kind in 0..6_u8,
        steps in proptest::collection::vec(step(), 1..250),
    ) {
        let mut history = History { bench: Bench::new(&plan(kind)), given: Vec::new() };
        for step in &steps {
            history.take(step);
        }
        history.bench.drain();
        history.bench.wait(Duration::from_millis(200));
        history.check_conservation();
        history.check_delivery(kind != 3);
        history.check_acknowledged();
    }
}
