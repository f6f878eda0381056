//! How much data a NIC carries, as drivers measure it that moderate interrupts only under load.

use airtcp_plan::ModerationLoad;
use airtcp_units::Instant;

/// Fewer MPDUs than these in a period are no load, whatever the average says (Linux, `rtw89_get_traffic_level`).
const MPDUS_LEAST: u32 = 100;
const NS_PER_S: u128 = 1_000_000_000;

/// The load of one NIC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    every_ns: u64,
    /// Octets in a period above which the load is high.
    most: u64,
    period_end: Instant,
    received: Direction,
    sent: Direction,
    high: bool,
}

/// The data in one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    mpdus: u32,
    octets: u64,
    /// Moving average of the octets in the periods that have ended; `None`: none has.
    average: Option<u64>,
}

impl Direction {
    /// A period ends: it counts as much as all before (Linux, `DECLARE_EWMA(tp, 10, 2)` of rtw89). True if the load is high.
    fn end_period(&mut self, most: u64) -> bool {
        let average = self.average.map_or(self.octets, |before| before.midpoint(self.octets));
        let high = self.mpdus >= MPDUS_LEAST && average > most;
        *self = Self { average: Some(average), ..Self::default() };
        high
    }
}

impl Load {
    /// No load so far.
    pub(super) fn new(ModerationLoad { above_bps, every_ns }: ModerationLoad) -> Self {
        let most = u128::from(above_bps) * u128::from(every_ns) / (8 * NS_PER_S);
        Self {
            every_ns,
            most: u64::try_from(most).unwrap_or(u64::MAX),
            period_end: Instant::from_nanos(every_ns),
            received: Direction::default(),
            sent: Direction::default(),
            high: false,
        }
    }

    /// MPDUs with data were sent, or arrived.
    pub(super) fn add(&mut self, now: Instant, mpdus: u32, octets: u64, sent: bool) {
        self.pass(now);
        let direction = if sent { &mut self.sent } else { &mut self.received };
        direction.mpdus += mpdus;
        direction.octets += octets;
    }

    /// Whether the load was high when the last period ended.
    pub(super) fn is_high(&mut self, now: Instant) -> bool {
        self.pass(now);
        self.high
    }

    fn pass(&mut self, now: Instant) {
        while self.period_end <= now {
            let received = self.received.end_period(self.most);
            let sent = self.sent.end_period(self.most);
            self.high = received || sent;
            let idle = [self.received, self.sent].iter().all(|one| one.average == Some(0));
            // Idle periods change nothing more.
            let missed = if idle { now.since(self.period_end).as_nanos() / self.every_ns } else { 0 };
            self.period_end = Instant::from_nanos(self.period_end.as_nanos() + (missed + 1) * self.every_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY_NS: u64 = 2_000_000_000;

    fn at(s: u64) -> Instant {
        Instant::from_nanos(s * 1_000_000_000)
    }

    /// 12.5 MB in 2 s are 50 Mbit/s.
    #[test]
    fn the_load_is_an_average_of_periods() {
        let mut load = Load::new(ModerationLoad { above_bps: 50_000_000, every_ns: EVERY_NS });
        load.add(at(1), 10_000, 20_000_000, false);
        assert!(!load.is_high(at(1)), "no period has ended");
        assert!(load.is_high(at(2)), "80 Mbit/s");
        load.add(at(3), 1000, 5_000_002, false);
        assert!(load.is_high(at(4)), "(20 MB + 5 MB + 2) / 2 is an octet above the bound");
        load.add(at(5), 1000, 12_499_999, false);
        assert!(!load.is_high(at(6)), "(12.5 MB + 1 + 12.5 MB - 1) / 2 is the bound");
    }

    #[test]
    fn one_direction_is_enough_and_few_frames_are_no_load() {
        let mut load = Load::new(ModerationLoad { above_bps: 50_000_000, every_ns: EVERY_NS });
        load.add(at(1), 10_000, 30_000_000, true);
        load.add(at(3), 99, 20_000_000, true);
        assert!(load.is_high(at(3)));
        assert!(!load.is_high(at(4)), "99 frames");
        load.add(at(5), 100, 2, true);
        assert!(load.is_high(at(6)), "(25 MB + 2) / 2");
    }

    #[test]
    fn long_silence_is_no_load() {
        let mut load = Load::new(ModerationLoad { above_bps: 1, every_ns: 1 });
        load.add(at(1), 1000, 1000, false);
        assert!(!load.is_high(at(2)));
    }
}
