use airtcp_plan::FqCodelPlan;
use airtcp_testing::plans::FQ_CODEL;
use proptest::prelude::*;

use super::*;
use crate::queue::DropCause;

const STATIONS: u32 = 3;

#[derive(Clone, Debug)]
enum Step {
    Enqueue {
        station: u32,
        tid: u8,
        flow: u32,
        bytes: u32,
        ect: bool,
    },
    /// A transmission of at most so many frames, A-MSDUs of so many; it is acknowledged or held for repetition.
    Send {
        ac: AccessCategory,
        frames: u32,
        amsdu: u32,
        more: bool,
    },
    /// The oldest frames on their way are at their end.
    Finish(usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let frame = (0..=STATIONS, 0_u8..8, 0_u32..6, 40_u32..1600, any::<bool>());
    let ac = prop::sample::select(AccessCategory::ALL.to_vec());
    prop_oneof![
        6 => frame.prop_map(|(station, tid, flow, bytes, ect)| Step::Enqueue {
            station, tid, flow: flow << 29, bytes, ect,
        }),
        3 => (ac, 1_u32..20, 1_u32..4, any::<bool>())
            .prop_map(|(ac, frames, amsdu, more)| Step::Send { ac, frames, amsdu, more }),
        2 => (0_usize..20).prop_map(Step::Finish),
        1 => (0_u64..50_000).prop_map(Step::Wait),
    ]
}

/// Queues, and what has become of each frame that was put in.
struct Bench {
    queues: Queues<u64>,
    now: Instant,
    expelled: Vec<Expelled<u64>>,
    put: Vec<Waiting<u64>>,
    taken: Vec<Waiting<u64>>,
    finished: usize,
    dropped: Vec<u64>,
    marked: Vec<u64>,
    is_fifo: bool,
}

const ESTIMATE: Duration = Duration::from_micros(700);

impl Bench {
    fn new(plan: &QueuePlan) -> Self {
        Self {
            queues: Queues::new(plan, STATIONS, 8),
            now: Instant::ZERO,
            expelled: Vec::new(),
            put: Vec::new(),
            taken: Vec::new(),
            finished: 0,
            dropped: Vec::new(),
            marked: Vec::new(),
            is_fifo: !matches!(plan, QueuePlan::FqCodel(_)),
        }
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Enqueue { station, tid, flow, bytes, ect } => {
                let item = self.put.len() as u64;
                let frame = Waiting { item, station, tid, flow, bytes, ect };
                self.put.push(frame);
                self.queues.enqueue(self.now, frame, &mut self.expelled);
            }
            Step::Send { ac, frames, amsdu, more } => self.send(ac, frames, amsdu, more),
            Step::Finish(frames) => self.finish(frames),
            Step::Wait(us) => self.now += Duration::from_micros(us),
        }
        for one in self.expelled.drain(..) {
            match one {
                Expelled::Dropped(item, _) => self.dropped.push(item),
                Expelled::Marked(item) => self.marked.push(item),
            }
        }
    }

    fn send(&mut self, ac: AccessCategory, frames: u32, amsdu: u32, more: bool) {
        let has = self.queues.has(ac);
        let Some(key) = self.queues.next_txq(ac) else {
            assert!(!has, "something waits, and no queue is given");
            return;
        };
        assert_eq!(key.category(), ac);
        let before = self.taken.len();
        for _ in 0..frames {
            if !self.take(key, amsdu) {
                break;
            }
        }
        assert!(self.taken[before..].iter().all(|frame| frame.key() == key));
        self.queues.return_txq(self.now, key, more);
        self.now += ESTIMATE;
        self.queues.airtime_used(self.now, key, ESTIMATE);
    }

    /// Takes one A-MSDU.
    fn take(&mut self, key: TxqKey, amsdu: u32) -> bool {
        let taken = self.queues.dequeue(self.now, key, &mut self.expelled);
        let Some(&frame) = taken else { return false };
        self.taken.push(frame);
        self.queues.airtime_pending(key, ESTIMATE);
        for _ in 1..amsdu {
            let next = self.queues.peek(key).copied();
            assert_eq!(self.queues.join(key).copied(), next);
            let Some(next) = next else { break };
            assert!(self.is_fifo || next.flow == frame.flow || self.queues.collisions() > 0);
            self.taken.push(next);
            self.queues.airtime_pending(key, ESTIMATE);
        }
        true
    }

    fn finish(&mut self, frames: usize) {
        for _ in 0..frames.min(self.taken.len() - self.finished) {
            let key = self.taken[self.finished].key();
            self.finished += 1;
            self.queues.airtime_completed(key, ESTIMATE);
            self.queues.finished(key);
        }
    }

    fn check(&self) {
        let counts = self.queues.counts();
        let waiting = self.put.len() - self.taken.len() - self.dropped.len();
        assert_eq!(counts.enqueued, self.put.len() as u64);
        assert_eq!(counts.dequeued, self.taken.len() as u64);
        assert_eq!(counts.dropped_full + counts.dropped_codel, self.dropped.len() as u64);
        assert_eq!(counts.marked, self.marked.len() as u64);
        assert_eq!(self.queues.len() as usize, waiting);
        assert_eq!(self.queues.outstanding() as usize, self.taken.len() - self.finished);
        assert!(self.queues.longest() >= self.queues.len() + self.queues.outstanding());
        let backlogs = (0..=STATIONS).map(|station| self.queues.backlog(station));
        let (frames, bytes) = backlogs.fold((0, 0), |sum, one| (sum.0 + one.frames, sum.1 + one.bytes));
        assert_eq!((frames, bytes), (self.queues.len(), self.queues.bytes()));
    }

    /// Sends everything, and finds each frame exactly once.
    fn drain(mut self) {
        // Some turns are empty: those of queues of which the lower half holds more.
        for _ in 0..1000 {
            for ac in AccessCategory::ALL {
                self.run(&Step::Send { ac, frames: 64, amsdu: 1, more: false });
            }
            self.run(&Step::Finish(usize::MAX));
            self.check();
        }
        assert_eq!((self.queues.len(), self.taken.len()), (0, self.finished));
        let mut seen: Vec<u64> = self.taken.iter().map(|frame| frame.item).chain(self.dropped).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..self.put.len() as u64).collect::<Vec<_>>());
        for frame in &self.taken {
            assert_eq!(*frame, self.put[frame.item as usize]);
        }
        assert!(self.marked.iter().all(|&item| self.put[item as usize].ect));
        // A flow, or in a FIFO a category, stays in its order.
        let order = |frame: &Waiting<u64>| if self.is_fifo { 0 } else { frame.flow + 1 };
        for (place, frame) in self.taken.iter().enumerate() {
            let same = |other: &&Waiting<u64>| {
                order(other) == order(frame)
                    && if self.is_fifo {
                        other.key().category() == frame.key().category()
                    } else {
                        other.key() == frame.key()
                    }
            };
            if self.queues.collisions() == 0
                && let Some(next) = self.taken[place + 1..].iter().find(same)
            {
                assert!(next.item > frame.item);
            }
        }
    }
}

fn kinds() -> impl Strategy<Value = QueuePlan> {
    let small = FqCodelPlan { packets: 60, memory_bytes: 80_000, ..FQ_CODEL };
    let few_flows = FqCodelPlan { flows: 8, ecn: false, airtime_fairness: false, aql_us: None, ..FQ_CODEL };
    prop::sample::select(vec![
        QueuePlan::Fifo { packets: 40 },
        QueuePlan::Direct { aggregates: 2 },
        QueuePlan::FqCodel(FQ_CODEL),
        QueuePlan::FqCodel(small),
        QueuePlan::FqCodel(few_flows),
        QueuePlan::FqCodel(FqCodelPlan { target_us: 2000, interval_us: 10_000, ..FQ_CODEL }),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_frame_is_sent_or_dropped_once(
        kind in kinds(),
        steps in prop::collection::vec(step(), 0..400),
    ) {
        let mut bench = Bench::new(&kind);
        for step in &steps {
            bench.run(step);
            bench.check();
        }
        bench.drain();
    }
}

#[test]
fn plans_become_queues() {
    let mut expelled = Vec::new();
    let frame = |item, tid| Waiting { item, station: 0, tid, flow: 0, bytes: 100, ect: false };
    let mut direct = Queues::new(&QueuePlan::Direct { aggregates: 2 }, 1, 3);
    for item in 0..6 {
        assert!(!direct.is_full());
        direct.enqueue(Instant::ZERO, frame(item, 0), &mut expelled);
    }
    assert!(direct.is_full() && expelled.is_empty());
    // Another category still has room for what is relayed.
    direct.enqueue(Instant::ZERO, frame(6, 6), &mut expelled);
    direct.enqueue(Instant::ZERO, frame(7, 0), &mut expelled);
    assert_eq!(expelled, [Expelled::Dropped(7, DropCause::QueueFull)]);
    let mut fair = Queues::new(&QueuePlan::FqCodel(FqCodelPlan { packets: 3, ..FQ_CODEL }), 1, 3);
    for item in 0..9 {
        fair.enqueue(Instant::ZERO, frame(item, 0), &mut expelled);
        assert!(!fair.is_full());
    }
    assert_eq!(fair.len(), 3);
}
