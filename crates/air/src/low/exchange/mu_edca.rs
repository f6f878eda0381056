//! MU EDCA parameters of a station, and their timers (IEEE 802.11ax-2021, 26.2.7).
//!
//! A station whose data has come in answer to a trigger frame contends with them until a timer ends, which each such answer starts anew: its
//! access point asks it, so it need not contend as often, or at all (AIFSN 0).

use airtcp_plan::{AccessParameters, AirPlan, MuEdcaParameters, NicRole};
use airtcp_units::{Duration, Instant};

use crate::NicId;
use crate::border::AccessCategory;

/// How a category contends from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contends {
    /// 0: it does not.
    pub(super) aifsn: u32,
    pub(super) cw_min: u32,
    pub(super) cw_max: u32,
}

/// A category, and how it contends with its timer and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Category {
    /// `None`: always as without.
    with_timer: Option<MuEdcaParameters>,
    without: Contends,
    /// End of the timer; `None`: it does not run.
    until: Option<Instant>,
    /// Whether an event looks for its end.
    is_watched: bool,
}

/// The MU EDCA parameters of a station by category.
#[derive(Debug)]
pub(super) struct MuEdca([Category; AccessCategory::ALL.len()]);

/// What the start of a timer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Started {
    /// `None`: it ran already.
    pub(super) contends: Option<Contends>,
    /// When to look whether it has ended; `None`: somebody does.
    pub(super) look_at: Option<Instant>,
}

/// What is found when somebody looks whether a timer has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It was started anew: look again.
    Runs(Instant),
    Ended(Contends),
    /// It was stopped.
    Stopped,
}

impl MuEdca {
    /// What a NIC of a plan has; `None`: nothing. A radio of mac80211 is told at run time.
    pub(super) fn of_plan(plan: &AirPlan, id: NicId) -> Option<Box<Self>> {
        let nic = &plan.nics[id.index()];
        let cell = &plan.cells[nic.cell as usize];
        let mut all = Self::none(nic.access_in(cell).try_into().ok()?);
        if cell.linux.is_some() {
            return Some(Box::new(all));
        }
        let parameters = cell.mu_edca().filter(|_| nic.role == NicRole::Station)?;
        for (ac, parameters) in AccessCategory::ALL.into_iter().zip(parameters) {
            all.set(ac, Some(parameters));
        }
        Some(Box::new(all))
    }

    /// No category has any.
    pub(super) fn none(edca: [AccessParameters; AccessCategory::ALL.len()]) -> Self {
        let category = |parameters| Category {
            with_timer: None,
            without: Contends::of_edca(&parameters),
            until: None,
            is_watched: false,
        };
        Self(edca.map(category))
    }

    /// The category has these from now on; `None`: none. What runs goes on with those before, or is stopped: then it contends as this
    /// says.
    pub(super) fn set(
        &mut self,
        ac: AccessCategory,
        parameters: Option<MuEdcaParameters>,
    ) -> Option<Contends> {
        let category = &mut self.0[ac as usize];
        category.with_timer = parameters;
        let stops = parameters.is_none() && category.until.take().is_some();
        stops.then_some(category.without)
    }

    /// The category contends like this where its timer does not run. False: it runs.
    pub(super) fn set_without(&mut self, ac: AccessCategory, parameters: &AccessParameters) -> bool {
        let category = &mut self.0[ac as usize];
        category.without = Contends::of_edca(parameters);
        category.until.is_none()
    }

    /// Data of a category has come in answer to a trigger frame. `None`: it has no timer.
    pub(super) fn start(&mut self, now: Instant, ac: AccessCategory) -> Option<Started> {
        let category = &mut self.0[ac as usize];
        let parameters = category.with_timer?;
        let unit = Duration::from_micros(MuEdcaParameters::TIMER_UNIT_US);
        let until = now + unit * u64::from(parameters.timer);
        let ran = category.until.replace(until).is_some();
        let is_watched = std::mem::replace(&mut category.is_watched, true);
        Some(Started {
            contends: (!ran).then_some(Contends::of_mu_edca(&parameters)),
            look_at: (!is_watched).then_some(until),
        })
    }

    /// Looks whether a timer has ended.
    pub(super) fn look(&mut self, now: Instant, ac: AccessCategory) -> Found {
        let category = &mut self.0[ac as usize];
        match category.until {
            Some(until) if until > now => return Found::Runs(until),
            Some(_) => {}
            None => {
                category.is_watched = false;
                return Found::Stopped;
            }
        }
        (category.until, category.is_watched) = (None, false);
        Found::Ended(category.without)
    }
}

impl Contends {
    const fn of_edca(parameters: &AccessParameters) -> Self {
        Self { aifsn: parameters.aifsn, cw_min: parameters.cw_min, cw_max: parameters.cw_max }
    }

    const fn of_mu_edca(parameters: &MuEdcaParameters) -> Self {
        Self { aifsn: parameters.aifsn, cw_min: parameters.cw_min, cw_max: parameters.cw_max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDCA: AccessParameters = AccessParameters { aifsn: 3, cw_min: 15, cw_max: 1023, txop_us: 0 };
    const USUAL: Contends = Contends { aifsn: 3, cw_min: 15, cw_max: 1023 };
    /// For 2 * 8.192 ms.
    const RARE: MuEdcaParameters = MuEdcaParameters { aifsn: 8, cw_min: 63, cw_max: 1023, timer: 2 };
    const RARELY: Contends = Contends { aifsn: 8, cw_min: 63, cw_max: 1023 };
    const AC: AccessCategory = AccessCategory::Video;

    fn us(t: u64) -> Instant {
        Instant::from_nanos(1000 * t)
    }

    fn video() -> MuEdca {
        let mut all = MuEdca::none([EDCA; 4]);
        assert_eq!(all.set(AC, Some(RARE)), None);
        all
    }

    /// One event looks for the end, however often the timer is started.
    #[test]
    fn each_answer_starts_the_timer_anew() {
        let mut all = video();
        let first = Started { contends: Some(RARELY), look_at: Some(us(16_384)) };
        assert_eq!(all.start(us(0), AC), Some(first));
        assert_eq!(all.start(us(10_000), AC), Some(Started { contends: None, look_at: None }));
        assert_eq!(all.look(us(16_384), AC), Found::Runs(us(26_384)));
        assert_eq!(all.look(us(26_384), AC), Found::Ended(USUAL));
        let again = Started { contends: Some(RARELY), look_at: Some(us(56_384)) };
        assert_eq!(all.start(us(40_000), AC), Some(again));
    }

    #[test]
    fn other_categories_have_none() {
        assert_eq!(video().start(us(0), AccessCategory::Voice), None);
    }

    /// What a station is to do when no timer runs may change while one does.
    #[test]
    fn a_timer_that_is_stopped_ends_at_once() {
        let mut all = video();
        all.start(us(0), AC);
        let slow = AccessParameters { aifsn: 5, ..EDCA };
        assert!(!all.set_without(AC, &slow) && all.set_without(AccessCategory::Voice, &slow));
        assert_eq!(all.set(AC, None), Some(Contends { aifsn: 5, ..USUAL }));
        assert_eq!(all.look(us(16_384), AC), Found::Stopped);
        assert_eq!(all.set(AC, None), None);
        assert_eq!(all.start(us(20_000), AC), None);
    }
}
