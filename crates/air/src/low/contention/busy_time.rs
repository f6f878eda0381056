//! For how long a hearing group sensed something, and for how long that was of its own BSS.

use airtcp_units::{Duration, Instant};

use crate::low::cell::BssId;

/// The time in which at least one of several things was on the air.
#[derive(Clone, Debug, Default)]
pub(super) struct BusyTime {
    /// How many are on the air now.
    pub(super) on_air: u32,
    /// From when on the present busy period counts.
    counted_from: Instant,
    /// End of the silence that was left out of it last.
    silent_until: Instant,
    /// Length of the periods before.
    spent: Duration,
}

impl BusyTime {
    #[inline]
    pub(super) fn rises(&mut self, now: Instant) {
        self.on_air += 1;
        if self.on_air == 1 {
            self.counted_from = now;
        }
    }

    #[inline]
    pub(super) fn falls(&mut self, now: Instant) {
        self.on_air -= 1;
        if self.on_air == 0 {
            self.spent += now.saturating_since(self.counted_from);
        }
    }

    /// The silence that begins now does not count.
    #[inline]
    pub(super) fn leave_out(&mut self, now: Instant, silence: Duration) {
        self.counted_from += silence;
        self.silent_until = now + silence;
    }

    /// All of it so far. It never goes back: inside a silence that is left out it stands still.
    pub(super) fn so_far(&self, now: Instant) -> Duration {
        match self.on_air {
            0 => self.spent,
            _ => self.spent + now.max(self.silent_until).saturating_since(self.counted_from),
        }
    }
}

/// The time in which PPDUs of each BSS were on the air.
#[derive(Clone, Debug, Default)]
pub(super) struct BssTimes(Vec<(BssId, BusyTime)>);

impl BssTimes {
    /// A PPDU that a NIC of this BSS sends begins.
    #[inline]
    pub(super) fn rises(&mut self, now: Instant, bss: Option<BssId>) {
        if let Some(bss) = bss {
            self.of(bss).rises(now);
        }
    }

    /// It ends.
    #[inline]
    pub(super) fn falls(&mut self, now: Instant, bss: Option<BssId>) {
        if let Some(bss) = bss {
            self.of(bss).falls(now);
        }
    }

    /// A response in this BSS was announced, SIFS before it begins. No other PPDU is on the air then.
    #[inline]
    pub(super) fn leave_out(&mut self, now: Instant, bss: Option<BssId>, silence: Duration) {
        if let Some(bss) = bss {
            self.of(bss).leave_out(now, silence);
        }
    }

    /// All of it so far.
    pub(super) fn so_far(&self, now: Instant, bss: BssId) -> Duration {
        let found = self.0.iter().find(|(known, _)| *known == bss);
        found.map_or(Duration::ZERO, |(_, time)| time.so_far(now))
    }

    #[inline]
    fn of(&mut self, bss: BssId) -> &mut BusyTime {
        let place = self.0.iter().position(|(known, _)| *known == bss).unwrap_or_else(|| {
            self.0.push((bss, BusyTime::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }
}

/// The BSS of a NIC, and for how long PPDUs of its BSS were on the air for it, in this and in those before.
#[derive(Clone, Debug, Default)]
pub(super) struct Membership {
    /// `None`: it is not associated.
    pub(super) bss: Option<BssId>,
    /// In other BSSs, and in groups that are no more.
    before: Duration,
    /// What its group counted of the BSS before it came.
    not_counted: Duration,
}

impl Membership {
    /// All of it so far, by the times of its group.
    pub(super) fn so_far(&self, now: Instant, group: &BssTimes) -> Duration {
        let of_this = self.bss.map_or(Duration::ZERO, |bss| group.so_far(now, bss));
        self.before + (of_this - self.not_counted)
    }

    /// The NIC is in this BSS from now on.
    pub(super) fn turn_to(&mut self, now: Instant, bss: Option<BssId>, group: &BssTimes) {
        self.before = self.so_far(now, group);
        self.bss = bss;
        self.not_counted = bss.map_or(Duration::ZERO, |bss| group.so_far(now, bss));
    }

    /// The NIC will have another group, which begins to count now.
    pub(super) fn carry(&mut self, now: Instant, group: &BssTimes) {
        self.before = self.so_far(now, group);
        self.not_counted = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NicId;
    use crate::low::cell::CellId;

    const fn at(us: u64) -> Instant {
        Instant::from_nanos(us * 1000)
    }

    fn so_far(time: &BusyTime, us: u64) -> u64 {
        time.so_far(at(us)).as_nanos() / 1000
    }

    /// A PPDU from 10 to 40, its response from 56 to 60, announced at 40; something else from 58 to 70.
    #[test]
    fn the_silence_before_a_response_stands_still() {
        let mut time = BusyTime::default();
        time.rises(at(10));
        assert_eq!([5, 10, 40].map(|us| so_far(&time, us)), [0, 0, 30]);
        time.rises(at(40));
        time.leave_out(at(40), Duration::from_micros(16));
        time.falls(at(40));
        assert_eq!([40, 50, 56, 58].map(|us| so_far(&time, us)), [30, 30, 30, 32]);
        time.rises(at(58));
        time.falls(at(60));
        time.falls(at(70));
        assert_eq!([70, 90].map(|us| so_far(&time, us)), [44, 44]);
    }

    #[test]
    fn each_bss_counts_its_own_and_others_count_in_none() {
        let (own, other) = (BssId::Cell(CellId(0)), BssId::AccessPoint(NicId(0)));
        let mut times = BssTimes::default();
        times.rises(at(0), Some(own));
        times.rises(at(5), Some(other));
        times.rises(at(6), None);
        times.falls(at(10), Some(own));
        times.falls(at(20), Some(other));
        assert_eq!([own, other].map(|bss| times.so_far(at(30), bss).as_nanos()), [10_000, 15_000]);
    }
}
