use airtcp_testing::plans::FQ_CODEL;
use airtcp_units::Duration;

use super::*;

const CALM: CodelTarget =
    CodelTarget { target: Duration::from_secs(100), interval: Duration::from_secs(100), ecn: true };

/// A hash that is scaled to this flow of 4096.
const fn hash(flow: u32) -> u32 {
    flow << 20
}

struct Bench {
    queue: FairQueue<u32>,
    expelled: Vec<Expelled<u32>>,
    next_item: u32,
}

impl Bench {
    fn new(plan: &FqCodelPlan) -> Self {
        Self { queue: FairQueue::new(plan, 4, 2), expelled: Vec::new(), next_item: 0 }
    }

    fn put(&mut self, queue: u32, flow: u32, bytes: u32) -> u32 {
        let item = self.next_item;
        self.next_item += 1;
        let frame = Waiting { item, station: 0, tid: 0, flow: hash(flow), bytes, ect: false };
        self.queue.enqueue(Instant::ZERO, queue, frame, &mut self.expelled);
        item
    }

    fn take(&mut self, queue: u32) -> Option<Waiting<u32>> {
        self.queue.dequeue(Instant::ZERO, queue, CALM, &mut self.expelled).copied()
    }

    fn items(&mut self, queue: u32, number: usize) -> Vec<u32> {
        (0..number).map_while(|_| self.take(queue)).map(|frame| frame.item).collect()
    }
}

#[test]
fn flows_share_octets_whatever_their_frames_are() {
    let mut bench = Bench::new(&FQ_CODEL);
    let sizes = [60, 700, 1514];
    let mut served = [0_u64; 3];
    for (flow, &bytes) in sizes.iter().enumerate() {
        for _ in 0..30 {
            bench.put(0, flow as u32, bytes);
        }
    }
    for round in 0..6000 {
        let frame = bench.take(0).expect("all flows have frames");
        let flow = (frame.flow >> 20) as usize;
        served[flow] += u64::from(frame.bytes);
        bench.put(0, flow as u32, sizes[flow]);
        // Deficit round robin: at no time further apart than a quantum and the largest frame (Shreedhar, Varghese 1996).
        if round > 200 {
            let spread = served.iter().max().unwrap() - served.iter().min().unwrap();
            assert!(spread <= 300 + 1514, "{served:?}");
        }
    }
    assert!(served[0] > 250_000);
}

#[test]
fn a_new_flow_goes_before_old_ones_for_one_quantum() {
    let mut bench = Bench::new(&FQ_CODEL);
    let bulk: Vec<u32> = (0..5).map(|_| bench.put(0, 1, 140)).collect();
    // Three use up the first quantum; of the second 40 octets are left.
    assert_eq!(bench.items(0, 4), bulk[..4]);
    let sparse = [bench.put(0, 2, 150), bench.put(0, 2, 200), bench.put(0, 2, 100)];
    assert_eq!(bench.items(0, 4), [sparse[0], sparse[1], bulk[4], sparse[2]]);
}

#[test]
fn a_quantum_that_is_just_used_up_ends_the_turn() {
    let mut bench = Bench::new(&FQ_CODEL);
    let first = [bench.put(0, 1, 300), bench.put(0, 1, 300)];
    let second = [bench.put(0, 2, 299), bench.put(0, 2, 300)];
    assert_eq!(bench.items(0, 4), [first[0], second[0], second[1], first[1]]);
}

#[test]
fn an_emptied_new_flow_passes_through_the_old_ones() {
    let mut bench = Bench::new(&FQ_CODEL);
    let bulk: Vec<u32> = [140, 140, 140, 140, 10, 10].map(|bytes| bench.put(0, 1, bytes)).to_vec();
    assert_eq!(bench.items(0, 4), bulk[..4]);
    let first = bench.put(0, 2, 100);
    // Found empty after its first frame, flow 2 became old; its next frame has to wait for the turn of flow 1 to end.
    assert_eq!(bench.items(0, 2), [first, bulk[4]]);
    let second = bench.put(0, 2, 100);
    assert_eq!(bench.items(0, 9), [bulk[5], second]);
    assert!(bench.queue.flows.iter().all(|flow| flow.queue == NOBODY && !flow.is_listed));
}

#[test]
fn the_flow_with_most_octets_pays_for_the_limit() {
    let mut bench = Bench::new(&FqCodelPlan { packets: 100, ..FQ_CODEL });
    let small: Vec<u32> = (0..60).map(|_| bench.put(0, 1, 100)).collect();
    // 40 frames of 1000 octets: no frame too much yet.
    let large: Vec<u32> = (0..40).map(|_| bench.put(1, 2, 1000)).collect();
    assert!(bench.expelled.is_empty());
    // Flow 2 has most octets, though not most frames: half of its 40 frames, from its head.
    let last = bench.put(0, 1, 100);
    let expected: Vec<_> =
        large[..20].iter().map(|&item| Expelled::Dropped(item, DropCause::QueueFull)).collect();
    assert_eq!(bench.expelled, expected);
    assert_eq!((bench.queue.frames(0), bench.queue.frames(1)), (61, 20));
    assert_eq!(bench.items(1, 100), large[20..]);
    assert_eq!(bench.items(0, 100), [&small[..], &[last]].concat());
}

#[test]
fn a_batch_has_32_frames_at_most_and_one_at_least() {
    let mut bench = Bench::new(&FqCodelPlan { packets: 100, ..FQ_CODEL });
    for _ in 0..101 {
        bench.put(0, 1, 1000);
    }
    assert_eq!(bench.expelled.len(), 32);
    let mut bench = Bench::new(&FqCodelPlan { packets: 2, ..FQ_CODEL });
    for flow in 0..3 {
        bench.put(0, 2 - flow, 1000);
    }
    // Equal flows: the one with the lowest number, as Linux goes through them.
    assert_eq!(bench.expelled, [Expelled::Dropped(2, DropCause::QueueFull)]);
}

#[test]
fn memory_is_counted_as_linux_does() {
    assert_eq!([memory(66), memory(128), memory(129), memory(1514)], [768, 768, 1280, 2304]);
    // 4 MiB hold 1820 frames of 1514 octets.
    let mut bench = Bench::new(&FqCodelPlan { memory_bytes: 4 << 20, ..FQ_CODEL });
    for _ in 0..1820 {
        bench.put(0, 1, 1514);
    }
    assert!(bench.expelled.is_empty());
    bench.put(0, 1, 1514);
    assert_eq!((bench.expelled.len(), bench.queue.memory), (32, (1821 - 32) * 2304));
}

#[test]
fn a_flow_of_another_queue_is_left_to_it() {
    let mut bench = Bench::new(&FQ_CODEL);
    let first = bench.put(0, 7, 100);
    let second = bench.put(1, 7, 200);
    let third = bench.put(1, 7, 200);
    assert_eq!(bench.queue.collisions(), 2);
    assert_eq!(bench.items(1, 9), [second, third]);
    assert_eq!(bench.items(0, 9), [first]);
    // Free again: the other queue may have it.
    let fourth = bench.put(1, 7, 100);
    assert_eq!((bench.queue.collisions(), bench.items(1, 9)), (2, vec![fourth]));
}

#[test]
fn what_joins_is_the_next_of_the_same_flow() {
    let mut bench = Bench::new(&FQ_CODEL);
    let flow_1 = [bench.put(0, 1, 100), bench.put(0, 1, 101), bench.put(0, 1, 102)];
    let flow_2 = bench.put(0, 2, 200);
    assert!(bench.queue.peek(0).is_none());
    assert_eq!(bench.items(0, 1), flow_1[..1]);
    for item in &flow_1[1..] {
        assert_eq!(bench.queue.peek(0).map(|frame| frame.item), Some(*item));
        assert_eq!(bench.queue.join(0).map(|frame| frame.item), Some(*item));
    }
    assert!(bench.queue.peek(0).is_none() && bench.queue.join(0).is_none());
    // 303 octets used up the turn of flow 1.
    let flow_1_next = bench.put(0, 1, 100);
    assert_eq!(bench.items(0, 1), [flow_2]);
    bench.queue.forget_last(0);
    assert!(bench.queue.peek(0).is_none());
    assert_eq!(bench.items(0, 9), [flow_1_next]);
}

#[test]
fn places_of_frames_are_used_again() {
    let mut bench = Bench::new(&FQ_CODEL);
    for _ in 0..1000 {
        for flow in 0..5 {
            bench.put(0, flow, 500);
        }
        assert_eq!(bench.items(0, 5).len(), 5);
    }
    assert_eq!((bench.queue.packets.places(), bench.queue.flows.len(), bench.queue.memory), (5, 5, 0));
}
