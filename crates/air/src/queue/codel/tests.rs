use crate::queue::packets::Queued;
use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::queue::Waiting;

const TARGET: CodelTarget =
    CodelTarget { target: Duration::from_millis(20), interval: Duration::from_millis(100), ecn: true };

fn at_us(us: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(us)
}

fn packet(item: u32, since: Instant, ect: bool) -> Queued<u32> {
    Queued { frame: Waiting { item, station: 0, tid: 0, flow: 0, bytes: 1000, ect }, since }
}

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Sent(u32),
    Dropped(u32),
    Marked(u32),
}

#[derive(Default)]
struct TestFlow {
    packets: VecDeque<Queued<u32>>,
    fates: Vec<Fate>,
}

impl Packet for Queued<u32> {
    fn since(&self) -> Instant {
        self.since
    }

    fn ect(&self) -> bool {
        self.frame.ect
    }
}

impl CodelFlow for TestFlow {
    type Packet = Queued<u32>;

    fn pop(&mut self) -> Option<Queued<u32>> {
        self.packets.pop_front()
    }
    fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
    fn drop(&mut self, packet: &Queued<u32>) {
        self.fates.push(Fate::Dropped(packet.frame.item));
    }
    fn mark(&mut self, packet: &Queued<u32>) {
        self.fates.push(Fate::Marked(packet.frame.item));
    }
}

/// The pseudocode of RFC 8289, section 5, with numbers in nanoseconds and Linux's square root.
#[derive(Default)]
struct Reference {
    first_above_time: u64,
    drop_next: u64,
    count: u64,
    lastcount: u64,
    dropping: bool,
    root: u128,
    packets: VecDeque<Queued<u32>>,
    fates: Vec<Fate>,
}

const INTERVAL: u64 = 100_000_000;

impl Reference {
    fn control_law(&self, t: u64) -> u64 {
        t + (u128::from(INTERVAL) * self.root / 65_536) as u64
    }

    fn newton(&mut self) {
        self.root = (((3 << 32) - u128::from(self.count) * self.root * self.root) / 4 * self.root) >> 31;
    }

    fn dodequeue(&mut self, now: u64) -> (Option<Queued<u32>>, bool) {
        let packet = self.packets.pop_front();
        let sojourn = packet.map_or(0, |packet| now - packet.since.as_nanos());
        if packet.is_none() || sojourn < 20_000_000 || self.packets.is_empty() {
            self.first_above_time = 0;
            return (packet, false);
        }
        if self.first_above_time == 0 {
            self.first_above_time = now + INTERVAL;
            return (packet, false);
        }
        (packet, now > self.first_above_time)
    }

    /// Whether the packet was marked; if not, it was dropped.
    fn punish(&mut self, packet: Queued<u32>) -> bool {
        let item = packet.frame.item;
        self.fates.push(if packet.frame.ect { Fate::Marked(item) } else { Fate::Dropped(item) });
        packet.frame.ect
    }

    fn dequeue(&mut self, now: u64) -> Option<Queued<u32>> {
        let (mut packet, mut ok_to_drop) = self.dodequeue(now);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                self.newton();
                if self.punish(packet.unwrap()) {
                    self.drop_next = self.control_law(self.drop_next);
                    return packet;
                }
                (packet, ok_to_drop) = self.dodequeue(now);
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            if !self.punish(packet.unwrap()) {
                (packet, _) = self.dodequeue(now);
            }
            self.dropping = true;
            let delta = self.count - self.lastcount;
            if delta > 1 && now < self.drop_next + 16 * INTERVAL {
                self.count = delta;
                self.newton();
            } else {
                self.count = 1;
                self.root = 65_535;
            }
            self.drop_next = self.control_law(now);
            self.lastcount = self.count;
        }
        packet
    }
}

/// One instant of a timeline: after this gap so many packets come and so many are taken.
#[derive(Clone, Copy, Debug)]
struct Step {
    gap_us: u64,
    arrivals: u32,
    departures: u32,
    ect: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let gap_us = prop_oneof![4 => 0_u64..20_000, 1 => 0_u64..2_000_000];
    (gap_us, 0_u32..12, 0_u32..10, any::<bool>()).prop_map(|(gap_us, arrivals, departures, ect)| Step {
        gap_us,
        arrivals,
        departures,
        ect,
    })
}

fn play(steps: &[Step]) -> (Vec<Fate>, Vec<Fate>) {
    let (mut codel, mut flow, mut reference) = (Codel::NEW, TestFlow::default(), Reference::default());
    let (mut us, mut item) = (0, 0);
    for step in steps {
        us += step.gap_us;
        let now = at_us(us);
        for _ in 0..step.arrivals {
            item += 1;
            flow.packets.push_back(packet(item, now, step.ect));
            reference.packets.push_back(packet(item, now, step.ect));
        }
        for _ in 0..step.departures {
            if let Some(packet) = codel.dequeue(now, TARGET, &mut flow) {
                flow.fates.push(Fate::Sent(packet.frame.item));
            }
            if let Some(packet) = reference.dequeue(now.as_nanos()) {
                reference.fates.push(Fate::Sent(packet.frame.item));
            }
        }
    }
    (flow.fates, reference.fates)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn random_timelines_end_as_the_rfc_says(steps in prop::collection::vec(step(), 0..400)) {
        let (ours, reference) = play(&steps);
        prop_assert_eq!(ours, reference);
    }
}

/// The instants in milliseconds of the first drops of a backlog that loses one packet each millisecond.
fn drops_of_a_standing_queue(ect: bool) -> Vec<u64> {
    let (mut codel, mut flow) = (Codel::NEW, TestFlow::default());
    flow.packets.extend((0..10_000).map(|item| packet(item, Instant::ZERO, ect)));
    let mut drops = Vec::new();
    for ms in 0..2000 {
        let before = flow.fates.len();
        assert!(codel.dequeue(at_us(ms * 1000), TARGET, &mut flow).is_some());
        drops.extend(std::iter::repeat_n(ms, flow.fates.len() - before));
    }
    drops
}

#[test]
fn a_standing_queue_loses_packets_faster_and_faster() {
    let drops = drops_of_a_standing_queue(false);
    // Above the target at 20 ms, so to be dropped after 120 ms. 1/sqrt(2) is 0.5 after one step from 1, 1/sqrt(3) is 0.5625,
    // 1/sqrt(4) 0.4878: next at 121 + 100, + 50, + 56.25, + 48.78, each at the next full millisecond.
    assert_eq!(drops[..6], [121, 221, 271, 328, 377, 421]);
    assert_eq!(drops, drops_of_a_standing_queue(true));
}

#[test]
fn the_next_drop_is_due_at_its_very_instant() {
    for (late_ns, fates) in [(0, vec![]), (1, vec![Fate::Dropped(0)])] {
        let due = at_us(1_000_000) + Duration::from_nanos(1);
        let first_above = Some(at_us(500_000));
        let mut codel = Codel {
            dropping: true,
            count: 4,
            inverse_root: ONE / 2,
            first_above,
            drop_next: due,
            ..Codel::NEW
        };
        let mut flow = TestFlow::default();
        flow.packets.extend((0..5).map(|item| packet(item, Instant::ZERO, false)));
        let _ = codel.dequeue(at_us(1_000_000) + Duration::from_nanos(late_ns), TARGET, &mut flow);
        assert_eq!(flow.fates, fates, "{late_ns} ns");
    }
}

#[test]
fn without_ecn_capable_packets_are_dropped_as_well() {
    let without = CodelTarget { ecn: false, ..TARGET };
    let (mut codel, mut flow) = (Codel::NEW, TestFlow::default());
    flow.packets.extend((0..500).map(|item| packet(item, Instant::ZERO, true)));
    for ms in 0..400 {
        let _ = codel.dequeue(at_us(ms * 1000), without, &mut flow);
    }
    assert!(flow.fates.len() > 3 && flow.fates.iter().all(|fate| matches!(fate, Fate::Dropped(_))));
}

#[test]
fn the_control_law_is_the_rfcs_but_for_its_second_step() {
    let mut codel = Codel { count: 1, inverse_root: ONE, ..Codel::NEW };
    let mut spacings = Vec::new();
    for _ in 0..10_000 {
        let spacing = codel.next_after(Instant::ZERO, TARGET).as_nanos() as f64 / 1e8;
        spacings.push(spacing * f64::from(codel.count).sqrt());
        codel.count += 1;
        codel.approach_root();
    }
    assert!((spacings[0] - 1.0).abs() < 1e-4);
    assert!((spacings[1] - 0.5_f64.sqrt()).abs() < 1e-4, "{}", spacings[1]);
    assert!(spacings[2..9].iter().all(|ratio| (ratio - 1.0).abs() < 0.03), "{:?}", &spacings[2..9]);
    assert!(spacings[9..].iter().all(|ratio| (ratio - 1.0).abs() < 0.005));
}

#[test]
fn a_flow_remembers_its_rate_for_sixteen_intervals() {
    let remembered = |pause_ms: u64| {
        let (mut codel, mut flow) = (Codel::NEW, TestFlow::default());
        flow.packets.extend((0..4000).map(|item| packet(item, Instant::ZERO, false)));
        for ms in 0..700 {
            let _ = codel.dequeue(at_us(ms * 1000), TARGET, &mut flow);
        }
        assert!(codel.dropping && codel.count > 5);
        let count = codel.count;
        // One packet alone is never too late; then the queue stands again.
        let start = codel.drop_next.as_nanos() / 1_000_000 + pause_ms - 121;
        flow.packets.clear();
        flow.packets.extend((0..1000).map(|item| packet(item, at_us(start * 1000), false)));
        for ms in start..start + 122 {
            let _ = codel.dequeue(at_us(ms * 1000), TARGET, &mut flow);
        }
        (codel.count, count)
    };
    let (again, before) = remembered(1599);
    assert_eq!(again, before - 1);
    assert_eq!(remembered(1601).0, 1);
}

#[test]
fn the_last_packet_is_never_dropped() {
    let (mut codel, mut flow) = (Codel::NEW, TestFlow::default());
    for second in 0..100 {
        flow.packets.push_back(packet(second, at_us(0), false));
        let now = at_us(u64::from(second) * 1_000_000 + 1_000_000);
        assert_eq!(codel.dequeue(now, TARGET, &mut flow).map(|packet| packet.frame.item), Some(second));
    }
    assert!(flow.fates.is_empty());
}
