use AccessCategory::{BestEffort, Voice};
use airtcp_testing::plans::FQ_CODEL;

use super::*;

const FAST: TxqKey = TxqKey { station: 0, tid: 0 };
const SLOW_ONE: TxqKey = TxqKey { station: 1, tid: 0 };
const THIRD: TxqKey = TxqKey { station: 2, tid: 0 };
const GROUP: TxqKey = TxqKey { station: 3, tid: 0 };

const fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// A NIC with three stations.
struct Bench {
    queues: FqCodel<u32>,
    now: Instant,
    expelled: Vec<Expelled<u32>>,
    next_item: u32,
}

impl Bench {
    fn new(plan: &FqCodelPlan) -> Self {
        Self { queues: FqCodel::new(plan, 3), now: Instant::ZERO, expelled: Vec::new(), next_item: 0 }
    }

    fn put(&mut self, key: TxqKey, number: u32) {
        for _ in 0..number {
            let flow = (key.station * 8 + u32::from(key.tid)) << 20;
            let (station, tid, item) = (key.station, key.tid, self.next_item);
            self.next_item += 1;
            let frame = Waiting { item, station, tid, flow, bytes: 1000, ect: false };
            self.queues.enqueue(self.now, frame, &mut self.expelled);
        }
    }

    /// One transmission of so many frames; the queue it came from. Nothing is sent if nothing waits.
    fn send(&mut self, frames: u32, airtime: impl Fn(TxqKey) -> Duration) -> Option<TxqKey> {
        let has = self.queues.has(BestEffort);
        let next = self.queues.next_txq(BestEffort);
        assert_eq!(has, next.is_some());
        let key = next?;
        let take = |_| self.queues.dequeue(self.now, key, &mut self.expelled).copied();
        let taken: Vec<_> = (0..frames).map_while(take).collect();
        for frame in &taken {
            self.queues.airtime().start(frame.station, BestEffort, airtime(key));
        }
        self.queues.return_txq(self.now, key, false);
        self.now += airtime(key);
        self.queues.airtime().used(self.now, key.station, BestEffort, airtime(key));
        for frame in &taken {
            self.queues.airtime().complete(frame.station, BestEffort, airtime(key));
            self.queues.finished(frame.key());
        }
        Some(key)
    }
}

#[test]
fn stations_get_equal_airtime_whatever_theirs_is_per_frame() {
    let mut bench = Bench::new(&FQ_CODEL);
    let airtime = |key| if key == FAST { us(300) } else { us(3000) };
    let mut used = [Duration::ZERO; 2];
    let mut sent = [0; 2];
    for _ in 0..20_000 {
        for key in [FAST, SLOW_ONE] {
            if bench.queues.ledger().backlog(key).frames < 4 {
                bench.put(key, 8);
            }
        }
        let key = bench.send(1, airtime).expect("both have frames");
        used[key.station as usize] += airtime(key);
        sent[key.station as usize] += 1;
    }
    let ratio = used[0].as_secs_f64() / used[1].as_secs_f64();
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    assert!((f64::from(sent[0]) / f64::from(sent[1]) - 10.0).abs() < 0.1, "{sent:?}");
}

#[test]
fn a_weight_of_three_gives_three_times_the_airtime() {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.queues.airtime().set_weight(1, 3);
    let mut used = [Duration::ZERO; 2];
    for _ in 0..20_000 {
        for key in [FAST, SLOW_ONE] {
            if bench.queues.ledger().backlog(key).frames < 4 {
                bench.put(key, 8);
            }
        }
        let key = bench.send(1, |_| us(700)).expect("both have frames");
        used[key.station as usize] += us(700);
    }
    let ratio = used[1].as_secs_f64() / used[0].as_secs_f64();
    assert!((ratio / 3.0 - 1.0).abs() < 0.01, "{ratio}");
}

#[test]
fn without_airtime_fairness_queues_take_turns() {
    let mut bench = Bench::new(&FqCodelPlan { airtime_fairness: false, ..FQ_CODEL });
    for key in [FAST, SLOW_ONE, GROUP] {
        bench.put(key, 9);
    }
    let airtime = |key| if key == FAST { us(300) } else { us(3000) };
    let turns: Vec<_> = (0..7).filter_map(|_| bench.send(1, airtime)).collect();
    assert_eq!(turns, [FAST, SLOW_ONE, GROUP, FAST, SLOW_ONE, GROUP, FAST]);
}

#[test]
fn a_station_stays_in_front_until_its_turn_is_used_up() {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.put(FAST, 9);
    bench.put(SLOW_ONE, 9);
    // The latest comes to the front. 100 us each: after the third it owes 44 us.
    let turns: Vec<_> = (0..6).filter_map(|_| bench.send(1, |_| us(100))).collect();
    assert_eq!(turns, [SLOW_ONE, FAST, SLOW_ONE, SLOW_ONE, FAST, FAST]);
}

#[test]
fn the_group_takes_turns_with_stations() {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.put(FAST, 50);
    bench.put(GROUP, 9);
    let turns: Vec<_> = (0..40).filter_map(|_| bench.send(1, |_| us(256))).collect();
    assert_eq!(turns.iter().filter(|&&key| key == GROUP).count(), 9);
    // In front once the station has used up its turn, and behind it again.
    assert_eq!(turns[..5], [FAST, GROUP, FAST, GROUP, FAST]);
}

/// How many frames another station sends before one that has just used 5000 us, and whose next frame comes so many
/// frames of the other later.
fn frames_before_a_station_in_debt(others_waiting: u32, later: u32) -> Option<usize> {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.put(SLOW_ONE, others_waiting);
    bench.put(FAST, 1);
    assert_eq!(bench.send(1, |_| us(5000)), Some(FAST));
    for _ in 0..later {
        assert_eq!(bench.send(1, |_| us(256)), Some(SLOW_ONE));
    }
    bench.put(SLOW_ONE, 40);
    bench.put(FAST, 1);
    let mut turns = (0..40).filter_map(|_| bench.send(1, |_| us(256)));
    turns.position(|key| key == FAST).map(|position| position + later as usize)
}

#[test]
fn a_station_that_comes_back_soon_still_owes() {
    // 5000 us are 20 quanta. The other station has its turn before each, and once more after the last, wherever among
    // them the frame comes.
    for later in [0, 1, 7, 19] {
        assert_eq!(frames_before_a_station_in_debt(20, later), Some(21), "{later}");
    }
    // By then the debt is paid.
    assert_eq!(frames_before_a_station_in_debt(30, 25), Some(25));
}

#[test]
fn an_idle_nic_forgives_all_debts() {
    assert_eq!(frames_before_a_station_in_debt(0, 0), Some(0));
    assert_eq!(frames_before_a_station_in_debt(3, 3), Some(3));
    assert_eq!(frames_before_a_station_in_debt(4, 3), Some(21));
}

#[test]
fn an_empty_queue_pays_off_its_debt_in_the_rotation() {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.put(FAST, 1);
    let key = bench.queues.next_txq(BestEffort).expect("it has a frame");
    let _ = bench.queues.dequeue(bench.now, key, &mut bench.expelled);
    bench.queues.airtime().used(bench.now, 0, BestEffort, us(512));
    bench.queues.return_txq(bench.now, key, false);
    assert!(!bench.queues.has(BestEffort));
    bench.put(SLOW_ONE, 9);
    let turns: Vec<_> = (0..3).filter_map(|_| bench.send(1, |_| us(256))).collect();
    assert_eq!(turns, [SLOW_ONE; 3]);
    // Two quanta have paid it off, and at its next turn it leaves.
    assert!(!bench.queues.airtime.is_indebted(0, BestEffort));
    assert_eq!(bench.send(1, |_| us(256)), Some(SLOW_ONE));
    assert_eq!(bench.queues.rotation[BestEffort as usize].len(), 1);
}

#[test]
fn a_station_at_its_airtime_limit_is_passed_over() {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.put(FAST, 9);
    for _ in 0..3 {
        bench.queues.airtime().start(0, BestEffort, us(4000));
    }
    assert!(!bench.queues.has(BestEffort));
    assert_eq!(bench.queues.next_txq(BestEffort), None);
    assert_eq!(bench.queues.dequeue(bench.now, FAST, &mut bench.expelled), None);
    // One more queue in the rotation raises the limit of the category to 14 500 us.
    bench.put(SLOW_ONE, 1);
    assert!(bench.queues.has(BestEffort));
    assert_eq!(bench.queues.next_txq(BestEffort), Some(SLOW_ONE));
    bench.queues.return_txq(bench.now, SLOW_ONE, false);
    bench.queues.airtime().complete(0, BestEffort, us(4000));
    assert!(bench.queues.has(BestEffort));
    assert!(bench.queues.dequeue(bench.now, FAST, &mut bench.expelled).is_some());
}

#[test]
fn a_full_category_stops_the_group_as_well() {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.put(GROUP, 1);
    for _ in 0..3 {
        bench.queues.airtime().start(0, BestEffort, us(4000));
    }
    assert!(!bench.queues.has(BestEffort) && bench.queues.next_txq(BestEffort).is_none());
    bench.queues.airtime().complete(0, BestEffort, us(4));
    bench.queues.airtime().start(0, BestEffort, us(4));
    assert!(!bench.queues.has(BestEffort));
    bench.put(TxqKey { station: 3, tid: 6 }, 1);
    assert!(bench.queues.has(Voice));
}

#[test]
fn what_the_lower_half_holds_keeps_a_queue_in_the_rotation() {
    let mut bench = Bench::new(&FQ_CODEL);
    bench.put(FAST, 1);
    assert_eq!(bench.queues.next_txq(BestEffort), Some(FAST));
    let _ = bench.queues.dequeue(bench.now, FAST, &mut bench.expelled);
    for _ in 0..4 {
        bench.queues.airtime().start(0, BestEffort, us(4000));
    }
    bench.queues.return_txq(bench.now, FAST, true);
    // Nothing new to send, and no airtime left for more, but what it holds must go out.
    assert!(!bench.queues.has(BestEffort));
    assert_eq!(bench.queues.next_txq(BestEffort), Some(FAST));
    bench.queues.return_txq(bench.now, FAST, false);
    assert_eq!(bench.queues.next_txq(BestEffort), None);
}

#[test]
fn categories_and_tids_have_their_own_queues() {
    let mut bench = Bench::new(&FQ_CODEL);
    let voice = TxqKey { station: 2, tid: 7 };
    bench.put(voice, 1);
    bench.put(THIRD, 1);
    bench.put(TxqKey { station: 2, tid: 3 }, 1);
    assert_eq!(bench.queues.next_txq(Voice), Some(voice));
    assert_eq!(bench.queues.next_txq(BestEffort), Some(TxqKey { station: 2, tid: 3 }));
    assert_eq!(bench.queues.next_txq(BestEffort), Some(THIRD));
    assert_eq!(bench.queues.next_txq(BestEffort), None);
}

/// Eight frames arrive at 0; one is taken at 60, one at 170, one at 370 ms: what has become of others by then. Below 3 x 6 Mbit/s the
/// target is 50 ms and the interval 300 ms, and frames are dropped. Otherwise they are 20 and 100 ms, and what has ECT is marked.
#[test]
fn codel_is_lenient_to_slow_stations() {
    let slow_stations = SlowStationCodel { below_kbps: 6_000, target_us: 50_000, interval_us: 300_000 };
    let history = |plan: &FqCodelPlan, expected_kbps: f64, ect: bool| {
        let mut bench = Bench::new(plan);
        bench.queues.expect_throughput(FAST.station, expected_kbps);
        for item in 0..8 {
            let frame = Waiting { item, station: FAST.station, tid: FAST.tid, flow: 0, bytes: 1000, ect };
            bench.queues.enqueue(Instant::ZERO, frame, &mut bench.expelled);
        }
        let counts = [60, 170, 370].map(|ms| {
            let now = Instant::ZERO + Duration::from_millis(ms);
            bench.queues.dequeue(now, FAST, &mut bench.expelled).expect("some are left");
            bench.expelled.len()
        });
        (counts, bench.expelled.iter().all(|frame| matches!(frame, Expelled::Dropped(..))))
    };
    let as_6_1 = FqCodelPlan { slow_stations: Some(slow_stations), aql_us: None, ..FQ_CODEL };
    assert_eq!(history(&as_6_1, 17_999.0, true), ([0, 0, 1], true));
    // The first mark at 170; the second is due 100 ms later.
    assert_eq!(history(&as_6_1, 18_000.0, true), ([0, 1, 2], false));
    // The first drop at 170, the second due 100 ms later, the third 50 ms after that.
    assert_eq!(history(&as_6_1, 18_000.0, false), ([0, 1, 3], true));
    // Rate control does not know.
    assert_eq!(history(&as_6_1, 0.0, false), ([0, 1, 3], true));
    let as_6_12 = FqCodelPlan { slow_stations: None, ..as_6_1 };
    assert_eq!(history(&as_6_12, 17_999.0, true), ([0, 1, 2], false));
}
