//! The user of a session: where the clock stands, what it waits for, how fast it goes.

use std::io;
use std::time::Duration as RealDuration;

use airtcp_air::PpduRecord;
use airtcp_plan::session_messages::{Answer, Order, Until, Why};
use airtcp_units::{Duration, Instant};

use super::channel::UserChannel;
use super::pace::Pace;

/// How often a running session looks for orders: what a person types enters within this time.
const LOOK: Duration = Duration::from_millis(1);

/// Whether time goes.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Until something.
    Goes(Until),
    /// Time has reached what it went for: it stops at the next look.
    Stops(Why),
    /// Time stands still.
    Stands,
}

/// The user's side of a session.
pub(super) struct User {
    channel: UserChannel,
    clock: Clock,
    pace: Option<Pace>,
    next_look: Instant,
}

impl User {
    /// The clock goes to the epoch, and stops.
    pub(super) fn new(channel: UserChannel, epoch: Instant) -> Self {
        Self { channel, clock: Clock::Stops(Why::Begin), pace: None, next_look: epoch }
    }

    pub(super) fn next_look(&self) -> Instant {
        self.next_look
    }

    pub(super) fn tell(&mut self, answer: &Answer<'_>) -> io::Result<()> {
        self.channel.tell(answer)
    }

    /// The next order at this instant; `None`: time goes on.
    pub(super) fn next_order(&mut self, now: Instant, at_ns: u64) -> io::Result<Option<Order>> {
        if let Clock::Goes(Until { at_ns: Some(until_ns), .. }) = self.clock
            && until_ns <= at_ns
        {
            self.clock = Clock::Stops(Why::Time);
        }
        match self.clock {
            Clock::Stops(why) => {
                self.clock = Clock::Stands;
                self.channel.tell(&Answer::Stopped { at_ns, why })?;
                self.wait()
            }
            Clock::Stands => self.wait(),
            Clock::Goes(_) => {
                let ahead = self.pace.map_or(RealDuration::ZERO, |pace| pace.ahead(now));
                self.channel.receive(Some(ahead))
            }
        }
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
        let until_ns = until.at_ns.map(|at_ns| at_ns.max(now.saturating_since(epoch).as_nanos() + 1));
        self.clock = Clock::Goes(Until { at_ns: until_ns, ..until });
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
            Clock::Goes(Until { at_ns: Some(at_ns), .. }) => epoch + Duration::from_nanos(at_ns),
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
        if matches!(self.clock, Clock::Goes(until) if until.job == Some(job)) {
            self.stop_after(now, Why::Job);
        }
    }

    pub(super) fn saw_ppdus(&mut self, ppdus: &[PpduRecord], now: Instant) -> io::Result<()> {
        if !matches!(self.clock, Clock::Goes(Until { ppdu: true, .. })) || ppdus.is_empty() {
            return Ok(());
        }
        for ppdu in ppdus {
            self.channel.tell(&Answer::Ppdu {
                start_ns: ppdu.start_ns,
                end_ns: ppdu.end_ns,
                nic: ppdu.nic.0,
                to: ppdu.to.map(|nic| nic.0),
                kind: ppdu.kind as u32,
                rate_bps: ppdu.rate.as_bps(),
                bytes: ppdu.bytes,
                attempt: ppdu.attempt,
                outcome: ppdu.outcome as u32,
            })?;
        }
        self.stop_after(now, Why::Ppdu);
        Ok(())
    }
}
