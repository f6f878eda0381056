//! The parts of a split network: which of them this guest computes, and the other guest, which computes the other one.
//!
//! Conservative synchronisation: what a part sends reaches the other one after the lookahead at the earliest. So a guest may
//! compute until the time that the other one has reached, plus the lookahead. Time is divided into windows, at whose beginnings
//! the guests tell each other how far they are.

mod ring;

use std::io;
use std::time::Duration as RealDuration;

use airtcp_plan::{PARTS, Split};
use airtcp_units::{Duration, Instant};

pub use self::ring::{Image, Incoming, Outgoing, share};

/// Windows in a lookahead: the more there are, the further a guest may be ahead of the other one.
const WINDOWS: u64 = 16;

/// The way to the guest that computes the other part.
pub struct Exchange {
    /// Frames that this part sends, and the time that it has reached.
    outgoing: Outgoing,
    /// Frames that the other part sends, and the time that it has reached.
    incoming: Incoming,
}

/// The split network as this guest computes it.
pub struct Parts {
    split: Split,
    /// Traffic time zero, at which the parts separate.
    epoch: Instant,
    /// The part of this guest; `None`: it computes both.
    own: Option<usize>,
    exchange: Option<Exchange>,
}

impl Exchange {
    /// The exchange of the guest that computes this part, in the memory that both guests share.
    ///
    /// # Errors
    /// The runner has not shared any.
    pub fn inherited(own: usize) -> io::Result<Self> {
        let ways = ring::inherited()?;
        Ok(Self::between(own, ways))
    }

    /// The exchange of the guest that computes part `own`, over these rings.
    pub fn between(own: usize, ways: [(Outgoing, Incoming); PARTS]) -> Self {
        let [(from_first, to_second), (from_second, to_first)] = ways;
        let (outgoing, incoming) = if own == 0 { (from_first, to_first) } else { (from_second, to_second) };
        Self { outgoing, incoming }
    }

    /// Waits until the other guest has reached a time, and takes all that it has sent meanwhile.
    fn wait_for(&mut self, reached: Instant, enter: &mut impl FnMut(&Image<'_>)) {
        loop {
            let other = self.incoming.reached();
            // After the time: all that was sent before it is there.
            self.incoming.take(enter);
            if other >= reached {
                return;
            }
            self.incoming.wait_beyond(other);
        }
    }
}

impl Parts {
    /// The parts of a split network. `own`: the part that this guest computes, and its way to the other one.
    pub fn new(split: Split, epoch: Instant, own: Option<(usize, Exchange)>) -> Self {
        let (own, exchange) = own.unzip();
        Self { split, epoch, own, exchange }
    }

    /// When traffic begins and the parts separate.
    pub fn separate_at(&self) -> Instant {
        self.epoch
    }

    /// The part that this guest computes; `None`: both.
    pub fn own(&self) -> Option<usize> {
        self.own
    }

    /// The part of a node, by its place in the plan.
    pub fn part_of(&self, node: usize) -> u32 {
        self.split.parts[node]
    }

    /// A frame leaves this part.
    pub fn send(&mut self, now: Instant, image: &Image<'_>) {
        let Exchange { outgoing, incoming } = self.exchange.as_mut().expect("frames leave a part only");
        assert!(
            image.arrival >= now + Duration::from_nanos(self.split.lookahead_ns),
            "a frame would arrive within the lookahead"
        );
        // The other guest may wait for room in the other direction.
        while !outgoing.send(image) {
            incoming.keep();
            std::thread::sleep(RealDuration::from_micros(100));
        }
    }

    /// Begins the window at `now`, once the other guest is far enough; what it has sent enters. Returns when the next one begins.
    pub fn exchange(&mut self, now: Instant, mut enter: impl FnMut(&Image<'_>)) -> Instant {
        let lookahead = Duration::from_nanos(self.split.lookahead_ns);
        let window = Duration::from_nanos((self.split.lookahead_ns / WINDOWS).max(1));
        let Some(exchange) = &mut self.exchange else { return Instant::FAR_FUTURE };
        exchange.outgoing.reach(now);
        // Frames that are sent at this time or later arrive after the window.
        let needed = (now + window).as_nanos().saturating_sub(lookahead.as_nanos());
        exchange.wait_for(Instant::from_nanos(needed), &mut enter);
        now + window
    }

    /// This guest ends: the other one need not wait for it any more.
    pub fn end(&mut self) {
        if let Some(exchange) = &mut self.exchange {
            exchange.outgoing.reach(Instant::FAR_FUTURE);
            exchange.incoming.refuse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKAHEAD_NS: u64 = 5_000;
    const END_NS: u64 = 2_000_000;

    fn parts(own: usize, file: &std::fs::File) -> Parts {
        let split = Split { parts: vec![0, 1], lookahead_ns: LOOKAHEAD_NS };
        Parts::new(split, Instant::ZERO, Some((own, Exchange::between(own, share(file).unwrap()))))
    }

    /// A guest that sends a frame every `every_ns`, with its number as the device; returns the frames that entered.
    fn guest(own: usize, file: &std::fs::File, every_ns: u64) -> Vec<(u32, u64)> {
        let (mut parts, mut entered) = (parts(own, file), Vec::new());
        let (mut window_ns, mut number) = (0, 0);
        for now_ns in (0..END_NS).step_by(25) {
            if now_ns >= window_ns {
                let next = parts.exchange(Instant::from_nanos(window_ns), |image| {
                    assert!(image.arrival.as_nanos() >= window_ns, "it has passed");
                    entered.push((image.ifindex, image.arrival.as_nanos()));
                });
                window_ns = next.as_nanos();
            }
            if now_ns % every_ns == 0 {
                let arrival = Instant::from_nanos(now_ns + LOOKAHEAD_NS);
                let image = Image { ifindex: number, arrival, bytes: &[1; 60], len: 1500, checksum: [0; 2] };
                parts.send(Instant::from_nanos(now_ns), &image);
                number += 1;
            }
        }
        parts.end();
        entered
    }

    #[test]
    fn frames_enter_in_time_however_fast_the_guests_are() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(64 << 10).unwrap();
        let (seldom, often) = (1_000, 50);
        let entered = std::thread::scope(|scope| {
            let guests = [(0, seldom), (1, often)].map(|(own, every_ns)| {
                scope.spawn({
                    let file = &file;
                    move || guest(own, file, every_ns)
                })
            });
            guests.map(|guest| guest.join().unwrap())
        });
        for (entered, every_ns) in entered.iter().zip([often, seldom]) {
            let expected = (0..).map(|n| (n, u64::from(n) * every_ns + LOOKAHEAD_NS));
            assert!(entered.iter().copied().eq(expected.take(entered.len())));
            // The last ones may be on their way when a guest ends.
            assert!(entered.len() as u64 >= (END_NS - 2 * LOOKAHEAD_NS) / every_ns, "{}", entered.len());
        }
    }

    #[test]
    fn a_guest_that_computes_both_parts_exchanges_nothing() {
        let split = Split { parts: vec![0, 1], lookahead_ns: LOOKAHEAD_NS };
        let mut whole = Parts::new(split, Instant::ZERO, None);
        assert_eq!(whole.exchange(Instant::ZERO, |_| panic!("nobody sends")), Instant::FAR_FUTURE);
        assert_eq!((whole.own(), whole.part_of(1)), (None, 1));
    }

    #[test]
    #[should_panic(expected = "within the lookahead")]
    fn a_frame_that_would_arrive_too_early_is_our_bug() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(64 << 10).unwrap();
        let arrival = Instant::from_nanos(LOOKAHEAD_NS - 1);
        let image = Image { ifindex: 1, arrival, bytes: &[], len: 60, checksum: [0; 2] };
        parts(0, &file).send(Instant::ZERO, &image);
    }
}
