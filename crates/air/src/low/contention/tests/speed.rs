//! What an exchange costs. `cargo test --release -p airtcp-air contention::tests::speed -- --ignored --nocapture`

use airtcp_units::{Duration, Instant};
use typed_index_collections::ti_vec;

use super::super::hearing::of_one_width;
use super::super::{Aifs, Contention, Deference, EDCAFS_PER_NIC, EdcafId, MemberId, Reservation};
use crate::phy::Width;

const EXCHANGES: u32 = 1_000_000;
const SLOT: Duration = Duration::from_micros(9);

/// Contenders that always have a frame, in one group, 802.11a: data, SIFS, acknowledgement; a collision is followed by EIFS
/// for all but its senders.
struct Saturated {
    contention: Contention,
    random: u64,
    starting: Vec<EdcafId>,
    collisions: u32,
}

impl Saturated {
    fn new(nics: u32, categories: u32) -> Self {
        let us = Duration::from_micros;
        let aifs: Vec<Aifs> = (0..EDCAFS_PER_NIC * nics)
            .map(|e| Aifs::edca(us([79, 43, 34, 25, 25][(e % EDCAFS_PER_NIC) as usize])))
            .collect();
        let hearing = of_one_width(nics as usize, |_, _| true);
        let contention = Contention::new(ti_vec![SLOT; nics as usize], hearing, &aifs);
        let mut new = Self { contention, random: 1, starting: Vec::new(), collisions: 0 };
        for edcaf in (0..nics)
            .flat_map(|nic| (0..categories).map(move |ac| EdcafId(nic * EDCAFS_PER_NIC + (1 + ac) % 4)))
        {
            let draw = new.draw();
            new.contention.begin_backoff(Instant::ZERO, edcaf, draw, true);
        }
        new
    }

    fn draw(&mut self) -> u32 {
        // Knuth's multiplier of a linear congruential generator for 64 bits.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) as u32 % 1024
    }

    fn exchange(&mut self) {
        let mut starting = std::mem::take(&mut self.starting);
        let first = self.contention.next();
        let mut last = first;
        while self.contention.next() < first + SLOT {
            last = self.contention.next();
            let known = starting.len();
            self.contention.take_starts(last, &mut starting);
            for place in known..starting.len() {
                let nic = starting[place].member();
                if !starting[known..place].iter().any(|edcaf| edcaf.member() == nic) {
                    self.contention.ppdu_starts(last, nic, Width::Mhz20, &[]);
                }
            }
        }
        let end = last + Duration::from_micros(248);
        let done = self.finish(end, &starting);
        for edcaf in starting.drain(..) {
            let draw = self.draw();
            self.contention.begin_backoff(done, edcaf, draw, true);
        }
        self.starting = starting;
    }

    /// The data ends, and is acknowledged or not. Returns when its senders know.
    fn finish(&mut self, end: Instant, starting: &[EdcafId]) -> Instant {
        let sender = starting[0].member();
        if starting.iter().all(|edcaf| edcaf.member() == sender) {
            let until = end + Duration::from_micros(44);
            let reservation = Reservation { until, tentative: None, from: sender, to: None, holder: sender };
            let reservation = Some(reservation);
            self.contention
                .ppdu_ends(end, sender, |_| Deference { reservation, eifs_extra: Some(Duration::ZERO) });
            return self.acknowledge(end, sender);
        }
        self.collisions += 1;
        let done = end + Duration::from_micros(45);
        for (place, edcaf) in starting.iter().enumerate() {
            if !starting[..place].iter().any(|other| other.member() == edcaf.member()) {
                let deference =
                    Deference { reservation: None, eifs_extra: Some(Duration::from_micros(94 - 34)) };
                self.contention.ppdu_ends(end, edcaf.member(), |_| deference);
                self.contention.set_apart(end, edcaf.member(), done);
            }
        }
        done
    }

    fn acknowledge(&mut self, end: Instant, sender: MemberId) -> Instant {
        let receiver = MemberId(u32::from(sender == MemberId(0) && self.contention.hearing().nics() > 1));
        let (start, done) = (end + Duration::from_micros(16), end + Duration::from_micros(44));
        self.contention.ppdu_starts(start, receiver, Width::Mhz20, &[]);
        self.contention
            .ppdu_ends(done, receiver, |_| Deference { reservation: None, eifs_extra: Some(Duration::ZERO) });
        done
    }
}

#[test]
#[ignore = "a measurement"]
fn nanoseconds_per_exchange() {
    for (nics, categories) in [(1, 1), (10, 1), (100, 1), (100, 4)] {
        let mut scene = Saturated::new(nics, categories);
        for _ in 0..EXCHANGES {
            scene.exchange();
        }
        scene.collisions = 0;
        // The best of ten parts: others on the machine only ever make it slower.
        let part = || {
            let start = cpu_ns();
            for _ in 0..EXCHANGES / 10 {
                scene.exchange();
            }
            (cpu_ns() - start) / u64::from(EXCHANGES / 10)
        };
        let ns = std::iter::repeat_with(part).take(10).min().expect("there are ten parts");
        let collided = scene.collisions * 100 / EXCHANGES;
        println!("{nics:3} NICs x {categories}: {ns:4} ns per exchange, {collided} % of them collisions");
    }
}

/// CPU time of this thread so far, which others on the machine don't change much (Linux, `proc_pid_schedstat`).
#[expect(clippy::disallowed_methods, reason = "a measurement needs a clock")]
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells CPU times");
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("the first number is the time on the CPU")
}
