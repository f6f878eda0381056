use proptest::prelude::*;

use super::*;

fn at_ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// A buffer whose items are the sequence numbers, and what it delivered.
struct Bench {
    reorder: Reorder<u16>,
    out: Vec<u16>,
}

impl Bench {
    fn new(start: u16, size: u16) -> Self {
        Self { reorder: Reorder::new(start, size), out: Vec::new() }
    }

    fn receive(&mut self, ms: u64, sequence: u16) -> Arrived {
        self.reorder.receive(at_ms(ms), sequence, sequence, &mut self.out)
    }

    fn delivered(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.out)
    }
}

#[test]
fn what_comes_in_order_passes_through() {
    let mut bench = Bench::new(4094, 64);
    for sequence in [4094, 4095, 0, 1] {
        assert_eq!(bench.receive(0, sequence), Arrived::Taken);
    }
    assert_eq!(bench.delivered(), [4094, 4095, 0, 1]);
    assert_eq!((bench.reorder.start(), bench.reorder.next_timeout()), (2, Instant::FAR_FUTURE));
}

#[test]
fn a_gap_holds_back_until_it_is_filled() {
    let mut bench = Bench::new(10, 64);
    for sequence in [12, 10, 13, 15] {
        assert_eq!(bench.receive(0, sequence), Arrived::Taken);
    }
    assert_eq!((bench.delivered(), bench.reorder.occupied()), (vec![10], 3));
    assert_eq!(bench.receive(1, 11), Arrived::Taken);
    assert_eq!((bench.delivered(), bench.reorder.occupied()), (vec![11, 12, 13], 1));
}

#[test]
fn repetitions_are_discarded_wherever_the_first_is() {
    let mut bench = Bench::new(10, 64);
    let _ = (bench.receive(0, 10), bench.receive(0, 12));
    // Delivered, waiting, and far behind the window.
    for sequence in [10, 12, 3000] {
        assert_eq!(bench.receive(1, sequence), Arrived::Discarded);
    }
    assert_eq!(bench.delivered(), [10]);
}

#[test]
fn a_number_beyond_the_window_moves_it() {
    let mut bench = Bench::new(0, 64);
    let _ = (bench.receive(0, 1), bench.receive(0, 3));
    // 66 is the last of the window 3..=66: 0 and 2 are given up, 3 is at its start.
    assert_eq!(bench.receive(0, 66), Arrived::Taken);
    assert_eq!((bench.delivered(), bench.reorder.start()), (vec![1, 3], 4));
    // The half circle ends after 4 + 2047.
    assert_eq!(bench.receive(0, 4 + 2048), Arrived::Discarded);
    assert_eq!(bench.receive(0, 4 + 2047), Arrived::Taken);
    assert_eq!((bench.delivered(), bench.reorder.start()), (vec![66], 4 + 2047 - 63));
}

#[test]
fn a_request_moves_the_window_and_frees_what_follows() {
    let mut bench = Bench::new(0, 64);
    for sequence in [1, 3, 4, 6] {
        let _ = bench.receive(0, sequence);
    }
    bench.reorder.move_to(at_ms(0), 3, &mut bench.out);
    assert_eq!((bench.delivered(), bench.reorder.start()), (vec![1, 3, 4], 5));
    // One that comes late, and one for the present start, change nothing.
    bench.reorder.move_to(at_ms(0), 2, &mut bench.out);
    bench.reorder.move_to(at_ms(0), 5, &mut bench.out);
    assert_eq!((bench.delivered(), bench.reorder.start()), (vec![], 5));
    bench.reorder.move_to(at_ms(0), 1000, &mut bench.out);
    assert_eq!((bench.delivered(), bench.reorder.start()), (vec![6], 1000));
}

#[test]
fn the_first_that_waits_decides_the_timeout() {
    let mut bench = Bench::new(0, 64);
    let _ = (bench.receive(30, 5), bench.receive(40, 2), bench.receive(41, 3), bench.receive(100, 9));
    // 2 is the first of those that wait, though 5 has waited longer.
    assert_eq!(bench.reorder.next_timeout(), at_ms(140));
    bench.reorder.expire(at_ms(139), &mut bench.out);
    assert!(bench.delivered().is_empty());
    // 3 goes with 2; 5's time is over as well; 9 waits on.
    bench.reorder.expire(at_ms(140), &mut bench.out);
    assert_eq!((bench.delivered(), bench.reorder.start()), (vec![2, 3, 5], 6));
    assert_eq!(bench.reorder.next_timeout(), at_ms(200));
    bench.reorder.expire(at_ms(200), &mut bench.out);
    assert_eq!((bench.delivered(), bench.reorder.next_timeout()), (vec![9], Instant::FAR_FUTURE));
}

#[test]
fn a_gap_behind_a_filled_one_has_its_own_time() {
    let mut bench = Bench::new(0, 64);
    let _ = (bench.receive(0, 5), bench.receive(60, 1));
    // 1 has waited for 60 ms, 5 for 120: nothing waits longer for 2, 3 and 4.
    assert_eq!(bench.receive(120, 0), Arrived::Taken);
    assert_eq!((bench.delivered(), bench.reorder.start()), (vec![0, 1, 5], 6));
}

#[test]
fn the_last_number_tells_a_repetition() {
    let mut filter = DuplicateFilter::default();
    assert_eq!([7, 7, 8, 7, 7].map(|sequence| filter.is_new(sequence)), [true, false, true, true, false]);
}

#[derive(Clone, Debug)]
enum Step {
    /// The sender's MPDU this far after its oldest unfinished one arrives.
    Arrive(u16),
    /// One it has sent before arrives again.
    Again(u16),
    /// The sender gives up its oldest ones and says so.
    Request(u16),
    /// Time passes.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0_u16..64).prop_map(Step::Arrive),
        2 => (0_u16..200).prop_map(Step::Again),
        1 => (0_u16..80).prop_map(Step::Request),
        2 => (0_u64..70).prop_map(Step::Wait),
    ]
}

/// A sender with absolute numbers, so that the modulus can be checked from outside.
struct Sender {
    base: u64,
    now_ms: u64,
    reorder: Reorder<u64>,
    out: Vec<u64>,
    accepted: u64,
}

impl Sender {
    fn new(start: u64, size: u16) -> Self {
        let reorder = Reorder::new((start % 4096) as u16, size);
        Self { base: start, now_ms: 0, reorder, out: Vec::new(), accepted: 0 }
    }

    fn arrive(&mut self, number: u64) {
        let now = at_ms(self.now_ms);
        if self.reorder.receive(now, (number % 4096) as u16, number, &mut self.out) == Arrived::Taken {
            self.accepted += 1;
        }
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Arrive(ahead) => {
                self.arrive(self.base + u64::from(ahead));
                // A sender whose window has moved up to here has given up what lies before.
                self.base += u64::from(ahead / 4);
            }
            Step::Again(behind) => self.arrive(self.base.saturating_sub(u64::from(behind))),
            Step::Request(ahead) => {
                self.base += u64::from(ahead);
                self.reorder.move_to(at_ms(self.now_ms), (self.base % 4096) as u16, &mut self.out);
            }
            Step::Wait(ms) => {
                self.now_ms += ms;
                self.reorder.expire(at_ms(self.now_ms), &mut self.out);
            }
        }
    }

    /// Nothing twice, everything in order, nothing lost inside, and the window in its bounds.
    fn check(&self) {
        assert!(self.out.is_sorted_by(|a, b| a < b), "{:?}", self.out);
        assert_eq!(self.accepted, self.out.len() as u64 + u64::from(self.reorder.occupied()));
        let stored: Vec<u64> = self.reorder.slots.iter().flatten().map(|stored| stored.item).collect();
        assert_eq!(stored.len(), usize::from(self.reorder.occupied()));
        for &number in &stored {
            let ahead = distance(self.reorder.start(), (number % 4096) as u16);
            assert!(ahead > 0 && ahead < self.reorder.size(), "{number}: {ahead} after the start");
            assert!(self.out.last().is_none_or(|&last| last < number));
        }
        assert!(self.reorder.next_timeout() > at_ms(self.now_ms));
        assert_eq!(stored.is_empty(), self.reorder.next_timeout() == Instant::FAR_FUTURE);
    }
}

proptest! {
    #[test]
    fn order_holds_under_loss_repetition_and_disorder(
        start in 8192_u64..12_288,
        size in prop::sample::select(vec![64_u16, 256, 1024]),
        steps in prop::collection::vec(step(), 1..1500),
    ) {
        let mut sender = Sender::new(start, size);
        for step in &steps {
            sender.run(step);
            sender.check();
        }
    }

    /// Whatever order the MPDUs of a window arrive in, with repetitions: all are delivered, once, without a timeout.
    #[test]
    fn a_window_in_any_order_is_delivered_whole(
        start in 0_u16..4096,
        order in Just((0_u16..64).collect::<Vec<_>>()).prop_shuffle(),
        again in prop::collection::vec(0_usize..64, 0..64),
    ) {
        let mut bench = Bench::new(start, 64);
        for (place, ahead) in order.iter().enumerate() {
            assert_eq!(bench.receive(0, (start + ahead) % 4096), Arrived::Taken);
            for earlier in again.iter().filter(|&&earlier| earlier <= place) {
                assert_eq!(bench.receive(0, (start + order[*earlier]) % 4096), Arrived::Discarded);
            }
        }
        let expected: Vec<u16> = (0..64).map(|ahead| (start + ahead) % 4096).collect();
        assert_eq!(bench.delivered(), expected);
        assert_eq!(bench.reorder.occupied(), 0);
    }
}
