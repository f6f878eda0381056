//! The user of a session: where the clock stands, what it waits for, how fast it goes.

use std::io;
use std::time::Duration as RealDuration;

use airtcp_air::PpduRecord;
use airtcp_plan::session_messages::{Answer, Order, Until, Why};
use airtcp_units::{Duration, Instant};

use super::channel::UserChannel;
use super::ended_ppdu::ended;
use super::pace::Pace;
use super::waiting::{Waiting, Watched};

/// How often a running session looks for orders: what a person types enters within this time.
const LOOK: Duration = Duration::from_millis(1);

/// Whether time goes.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Until something.
    Goes(Goal),
    /// Time has reached what it went for: it stops at the next look.
    Stops(Why),
    /// Time stands still.
    Stands,
}

/// What time goes on to, beside a condition.
#[derive(Clone, Copy, Debug)]
struct Goal {
    at_ns: Option<u64>,
    job: Option<u32>,
    ppdu: bool,
}

/// The user's side of a session.
pub(super) struct User {
    channel: UserChannel,
    clock: Clock,
    pace: Option<Pace>,
    next_look: Instant,
    /// The condition that time goes on to.
    waiting: Option<Waiting>,
}

impl User {
    /// The clock goes to the epoch, and stops.
    pub(super) fn new(channel: UserChannel, epoch: Instant) -> Self {
        Self { channel, clock: Clock::Stops(Why::Begin), pace: None, next_look: epoch, waiting: None }
    }

    pub(super) fn next_look(&self) -> Instant {
        self.next_look
    }

    pub(super) fn tell(&mut self, answer: &Answer<'_>) -> io::Result<()> {
        self.channel.tell(answer)
    }

    /// The next order at this instant; `None`: time goes on.
    pub(super) fn next_order(&mut self, now: Instant, epoch: Instant) -> io::Result<Option<Order>> {
        let at_ns = now.saturating_since(epoch).as_nanos();
        if let Clock::Goes(Goal { at_ns: Some(until_ns), .. }) = self.clock
            && until_ns <= at_ns
        {
            self.clock = Clock::Stops(Why::Time);
        }
        match self.clock {
            Clock::Stops(why) => {
                self.clock = Clock::Stands;
                self.tell_stopped(at_ns, why, epoch)?;
                self.wait()
            }
            Clock::Stands => self.wait(),
            Clock::Goes(_) => {
                let ahead = self.pace.map_or(RealDuration::ZERO, |pace| pace.ahead(now));
                self.channel.receive(Some(ahead))
            }
        }
    }

    /// From now on nothing is waited for.
    fn tell_stopped(&mut self, at_ns: u64, why: Why, epoch: Instant) -> io::Result<()> {
        let waiting = self.waiting.take().filter(|_| why == Why::Condition);
        let (happened, at) = waiting.as_ref().map_or((&[][..], None), |waiting| {
            let (happened, at) = waiting.found();
            (happened, Some(at))
        });
        let happened_ns = at.map(|at| at.saturating_since(epoch).as_nanos());
        self.channel.tell(&Answer::Stopped { at_ns, why, happened, happened_ns })
    }

    /// Until the user has an order.
    fn wait(&mut self) -> io::Result<Option<Order>> {
        loop {
            if let Some(order) = self.channel.receive(None)? {
                return Ok(Some(order));
            }
        }
    }

    /// Time goes on. What is waited for is later than now.
    pub(super) fn go(&mut self, until: Until, now: Instant, epoch: Instant) {
        let Until { at_ns, job, ppdu, condition } = until;
        let at_ns = at_ns.map(|at_ns| at_ns.max(now.saturating_since(epoch).as_nanos() + 1));
        self.clock = Clock::Goes(Goal { at_ns, job, ppdu });
        self.waiting = condition.map(|condition| Waiting::new(&condition, now));
        self.pace = self.pace.map(|pace| pace.again(now));
    }

    /// Time stops at this look.
    pub(super) fn stop(&mut self) {
        if matches!(self.clock, Clock::Goes(_)) {
            self.clock = Clock::Stops(Why::Stop);
        }
    }

    pub(super) fn set_pace(&mut self, of_real_time: Option<f64>, now: Instant) {
        self.pace = of_real_time.map(|rate| Pace::from(now, rate));
    }

    /// Time goes on from a look: when the next one is.
    pub(super) fn looked(&mut self, now: Instant, epoch: Instant) {
        let passed = now.saturating_since(epoch).as_nanos();
        let next = epoch + Duration::from_nanos((passed / LOOK.as_nanos() + 1) * LOOK.as_nanos());
        let until = match self.clock {
            Clock::Goes(Goal { at_ns: Some(at_ns), .. }) => epoch + Duration::from_nanos(at_ns),
            _ => Instant::FAR_FUTURE,
        };
        self.next_look = next.min(until);
    }

    /// The clock stops at the first instant after this one, before anything of it happens.
    fn stop_after(&mut self, now: Instant, why: Why) {
        self.clock = Clock::Stops(why);
        self.next_look = self.next_look.min(now + Duration::from_nanos(1));
    }

    pub(super) fn job_ended(&mut self, job: u32, now: Instant) {
        if matches!(self.clock, Clock::Goes(goal) if goal.job == Some(job)) {
            self.stop_after(now, Why::Job);
        }
    }

    pub(super) fn saw_ppdus(&mut self, ppdus: &[PpduRecord], now: Instant) -> io::Result<()> {
        if ppdus.is_empty() {
            return Ok(());
        }
        self.waits(now, |waiting| waiting.saw_ppdus(ppdus, now));
        if !matches!(self.clock, Clock::Goes(Goal { ppdu: true, .. })) {
            return Ok(());
        }
        for ppdu in ppdus {
            self.channel.tell(&Answer::Ppdu(ended(ppdu)))?;
        }
        self.stop_after(now, Why::Ppdu);
        Ok(())
    }

    /// What the kernel has to watch from now on.
    pub(super) fn watches(&mut self) -> Watched {
        self.waiting.as_mut().map_or(Watched::default(), Waiting::watches)
    }

    /// What the user waits for, as long as time goes on.
    pub(super) fn waiting(&mut self) -> Option<&mut Waiting> {
        let goes = matches!(self.clock, Clock::Goes(_));
        self.waiting.as_mut().filter(|_| goes)
    }

    /// Something happens; `look` tells whether it is what the user waits for.
    pub(super) fn waits(&mut self, now: Instant, look: impl FnOnce(&mut Waiting) -> bool) {
        if self.waiting().is_some_and(look) {
            self.stop_after(now, Why::Condition);
        }
    }

    /// The first samples are of what was before this instant: if it is so already, time does not go on.
    pub(super) fn sampled(&mut self, now: Instant, begins: bool, look: impl FnOnce(&mut Waiting) -> bool) {
        self.waits(now, look);
        if begins && matches!(self.clock, Clock::Stops(Why::Condition)) {
            self.next_look = now;
        }
    }
}
