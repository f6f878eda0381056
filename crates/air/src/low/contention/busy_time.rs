//! For how long a hearing group sensed something, and for how long that was of its own BSS.

use airtcp_units::{Duration, Instant};

use crate::low::cell::BssId;

/// The time in which at least one of several things was on the air.
#[derive(Clone, Debug, Default)]
struct BusyTime {
    /// How many are on the air now.
    on_air: u32,
    /// From when on the present busy period counts.
    counted_from: Instant,
    /// End of the silence that was left out of it last.
    silent_until: Instant,
    /// Length of the periods before.
    spent: Duration,
}

impl BusyTime {
    #[inline]
    fn rises(&mut self, now: Instant) {
        self.on_air += 1;
        if self.on_air == 1 {
            self.counted_from = now;
        }
    }

    #[inline]
    fn falls(&mut self, now: Instant) {
        self.on_air -= 1;
        if self.on_air == 0 {
            self.spent += now.saturating_since(self.counted_from);
        }
    }

    /// The silence that begins now does not count.
    #[inline]
    fn leave_out(&mut self, now: Instant, silence: Duration) {
        self.counted_from += silence;
        self.silent_until = now + silence;
    }

    /// All of it so far. It never goes back: inside a silence that is left out it stands still.
    fn so_far(&self, now: Instant) -> Duration {
        match self.on_air {
            0 => self.spent,
            _ => self.spent + now.max(self.silent_until).saturating_since(self.counted_from),
        }
    }
}

/// The time in which anything was on the air, and that in which PPDUs of each BSS were.
#[derive(Clone, Debug, Default)]
pub(super) struct BusyTimes {
    all: BusyTime,
    of_bss: OfBss,
}

/// The time of each BSS.
#[derive(Clone, Debug, Default)]
enum OfBss {
    /// Nothing was on the air.
    #[default]
    None,
    /// All that was on the air was of this BSS, whose time is that of all: nothing has to be counted apart.
    Only(BssId),
    /// Each BSS's own.
    Each(Vec<(BssId, BusyTime)>),
}

impl BusyTimes {
    /// How many things are on the air now.
    #[inline]
    pub(super) const fn on_air(&self) -> u32 {
        self.all.on_air
    }

    /// A PPDU that a NIC of this BSS sends begins, or something else.
    #[inline]
    pub(super) fn rises(&mut self, now: Instant, bss: Option<BssId>) {
        if !self.is_only(bss) {
            self.rises_apart(now, bss);
        }
        self.all.rises(now);
    }

    /// It ends.
    #[inline]
    pub(super) fn falls(&mut self, now: Instant, bss: Option<BssId>) {
        self.all.falls(now);
        if let (OfBss::Each(times), Some(bss)) = (&mut self.of_bss, bss) {
            of(times, bss).falls(now);
        }
    }

    /// A response in this BSS was announced, this long before it begins. Of all that silence is left out if nothing but a PPDU and its
    /// response fills it; no other PPDU is on the air then.
    #[inline]
    pub(super) fn leave_out(&mut self, now: Instant, silence: Duration, bss: Option<BssId>) {
        if self.all.on_air != 2 || !self.is_only(bss) {
            return self.leave_out_apart(now, silence, bss);
        }
        self.all.leave_out(now, silence);
    }

    /// All of it so far.
    pub(super) fn so_far(&self, now: Instant) -> Duration {
        self.all.so_far(now)
    }

    /// All of a BSS's so far.
    fn of_bss_so_far(&self, now: Instant, bss: BssId) -> Duration {
        match &self.of_bss {
            OfBss::Only(only) if *only == bss => self.all.so_far(now),
            OfBss::None | OfBss::Only(_) => Duration::ZERO,
            OfBss::Each(times) => {
                let found = times.iter().find(|(known, _)| *known == bss);
                found.map_or(Duration::ZERO, |(_, time)| time.so_far(now))
            }
        }
    }

    #[inline]
    fn is_only(&self, bss: Option<BssId>) -> bool {
        matches!((&self.of_bss, bss), (OfBss::Only(only), Some(bss)) if *only == bss)
    }

    #[inline(never)]
    fn rises_apart(&mut self, now: Instant, bss: Option<BssId>) {
        match (&self.of_bss, bss) {
            (OfBss::None, Some(bss)) => self.of_bss = OfBss::Only(bss),
            (_, Some(bss)) => of(self.each(), bss).rises(now),
            (_, None) => _ = self.each(),
        }
    }

    #[inline(never)]
    fn leave_out_apart(&mut self, now: Instant, silence: Duration, bss: Option<BssId>) {
        let times = self.each();
        if let Some(bss) = bss {
            of(times, bss).leave_out(now, silence);
        }
        if self.all.on_air == 2 {
            self.all.leave_out(now, silence);
        }
    }

    /// The time of each BSS is counted apart from now on.
    fn each(&mut self) -> &mut Vec<(BssId, BusyTime)> {
        let so_far = match &self.of_bss {
            OfBss::None => Some(Vec::new()),
            OfBss::Only(only) => Some(vec![(*only, self.all.clone())]),
            OfBss::Each(_) => None,
        };
        if let Some(so_far) = so_far {
            self.of_bss = OfBss::Each(so_far);
        }
        let OfBss::Each(times) = &mut self.of_bss else { unreachable!("it has just been set") };
        times
    }
}

fn of(times: &mut Vec<(BssId, BusyTime)>, bss: BssId) -> &mut BusyTime {
    let place = times.iter().position(|(known, _)| *known == bss).unwrap_or_else(|| {
        times.push((bss, BusyTime::default()));
        times.len() - 1
    });
    &mut times[place].1
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
    pub(super) fn so_far(&self, now: Instant, group: &BusyTimes) -> Duration {
        let of_this = self.bss.map_or(Duration::ZERO, |bss| group.of_bss_so_far(now, bss));
        self.before + (of_this - self.not_counted)
    }

    /// The NIC is in this BSS from now on.
    pub(super) fn turn_to(&mut self, now: Instant, bss: Option<BssId>, group: &BusyTimes) {
        self.before = self.so_far(now, group);
        self.bss = bss;
        self.not_counted = bss.map_or(Duration::ZERO, |bss| group.of_bss_so_far(now, bss));
    }

    /// The NIC will have another group, which begins to count now.
    pub(super) fn carry(&mut self, now: Instant, group: &BusyTimes) {
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
        let mut times = BusyTimes::default();
        times.rises(at(0), Some(own));
        assert!(matches!(times.of_bss, OfBss::Only(_)));
        times.rises(at(5), Some(other));
        times.rises(at(6), None);
        times.falls(at(10), Some(own));
        times.falls(at(20), Some(other));
        times.falls(at(25), None);
        let of_bss = [own, other].map(|bss| times.of_bss_so_far(at(30), bss).as_nanos());
        assert_eq!((of_bss, times.so_far(at(30)).as_nanos()), ([10_000, 15_000], 25_000));
    }

    /// The only BSS has the time of all, until another one comes.
    #[test]
    fn an_only_bss_is_counted_with_all() {
        let (own, other) = (BssId::Cell(CellId(0)), BssId::Cell(CellId(1)));
        let mut times = BusyTimes::default();
        let so_far = |times: &BusyTimes, us| times.of_bss_so_far(at(us), own).as_nanos() / 1000;
        times.rises(at(0), Some(own));
        times.rises(at(10), Some(own));
        times.leave_out(at(10), Duration::from_micros(4), Some(own));
        times.falls(at(10), Some(own));
        assert_eq!([10, 14, 16].map(|us| so_far(&times, us)), [10, 10, 12]);
        times.rises(at(16), Some(other));
        times.falls(at(20), Some(own));
        times.falls(at(30), Some(other));
        assert_eq!((so_far(&times, 40), times.so_far(at(40)).as_nanos()), (16, 26_000));
    }
}
