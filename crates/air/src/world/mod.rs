//! The whole: a plan's air, from its first frame to its closed books.

mod build;
mod check;
mod error;
mod finish;

use airtcp_units::{Duration, Instant};

pub use crate::mac::{Action, Frame, Outbox};
use crate::mac::{Mac, NicId};
use crate::trace::Sampler;
pub use error::SetupError;
pub use finish::WorldReport;

/// What is recorded, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldOptions {
    /// Traffic time zero; times in records count from here.
    pub epoch: Instant,
    /// End of the run; no sample is later.
    pub end: Instant,
    /// Time between samples of all NICs; zero for none.
    pub sample_interval: Duration,
    /// Whether every PPDU is recorded.
    pub ppdu_trace: bool,
}

/// The air of one run.
#[derive(Debug)]
pub struct World {
    mac: Mac,
    sampler: Sampler,
    nodes: Vec<String>,
    now: Instant,
    events: u64,
}

impl World {
    /// A frame enters a NIC's queue at `now`.
    ///
    /// What else is due at `now` happens first, so the order of this call and of
    /// [`Self::run`] at one instant does not matter. Panics if there is no such NIC, if
    /// the frame is shorter than its header, or if the caller broke the contract of time.
    pub fn transmit(&mut self, now: Instant, nic: NicId, frame: Frame, out: &mut Outbox) {
        self.advance(now, out);
        self.mac.transmit(now, nic, frame, out);
    }

    /// When [`Self::run`] must be called next, if no frame comes before;
    /// [`Instant::FAR_FUTURE`] if nothing will happen by itself.
    ///
    /// That is the next instant at which there may be something to do for a host: the
    /// end of a PPDU or of a wait. The start of a PPDU needs no visit, only its end does.
    #[inline]
    pub fn next_wakeup(&self) -> Instant {
        let ends = self.mac.media.iter().map(|m| m.contention.next_end());
        ends.fold(self.mac.events.next_at(), Instant::min)
    }

    /// Handles everything due at or before `now`. Panics if the caller comes too late.
    pub fn run(&mut self, now: Instant, out: &mut Outbox) {
        self.advance(now, out);
    }

    /// Events and accesses strictly before `now` happen, and of those at `now` the events:
    /// accesses of an instant are decided when it is over (see [`crate::des::Event`]).
    #[inline]
    fn advance(&mut self, now: Instant, out: &mut Outbox) {
        assert!(now >= self.now, "virtual time ran backwards from {} to {now}", self.now);
        let due = self.next_wakeup();
        assert!(now <= due, "the air had to run at {due}, but it is {now}");
        loop {
            let event_at = self.mac.events.next_at();
            let (access_at, medium) = self.next_access();
            if event_at <= access_at {
                if event_at > now {
                    break;
                }
                let Self { mac, sampler, .. } = self;
                sampler.pass(event_at, |time_ns| sample(&mac.nics, time_ns, &mut out.samples));
                let (at, event) = self.mac.events.take().expect("an event is due");
                self.mac.handle(at, event, out);
            } else {
                if access_at >= now {
                    break;
                }
                self.mac.start(medium);
            }
            self.events += 1;
        }
        let Self { mac, sampler, .. } = self;
        sampler.pass(now, |time_ns| sample(&mac.nics, time_ns, &mut out.samples));
        self.now = now;
    }

    #[inline]
    fn next_access(&self) -> (Instant, usize) {
        let mut first = (Instant::FAR_FUTURE, 0);
        for (m, medium) in self.mac.media.iter().enumerate() {
            let at = medium.contention.next();
            if at < first.0 {
                first = (at, m);
            }
        }
        first
    }
}

fn sample(nics: &[crate::mac::Nic], time_ns: i64, samples: &mut Vec<crate::NicSample>) {
    for (i, nic) in nics.iter().enumerate() {
        let books = &nic.books;
        samples.push(crate::NicSample {
            time_ns,
            nic: NicId(i as u32),
            queue_packets: nic.queue.len() as u32,
            accepted: books.accepted,
            sent: books.sent,
            dropped: books.dropped_sum(),
            transmissions: books.transmissions,
            retries: books.retries,
            collisions: books.collisions,
            corrupted: books.corrupted,
            airtime_ns: books.airtime.as_nanos(),
        });
    }
}
