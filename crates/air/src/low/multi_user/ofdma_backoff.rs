//! When a station answers in a resource unit that is for everybody: the OFDMA random access backoff (UORA; IEEE 802.11ax-2021, 26.5.4).
//!
//! A counter (OBO) drawn from `0..=OCW` counts down by the random access resource units (RA-RUs) of each trigger frame. If it is at most
//! their number the station sends in one of them by chance, or, if it may not send now, by the next trigger frame. After a failure the
//! window (OCW) doubles, after a success it is the smallest again, and each time the counter is drawn anew.

use airtcp_plan::{MacAddress, RandomAccessPlan};

use crate::NicId;
use crate::random::{Purpose, Stream};

/// The OFDMA random access backoff of a station. Nothing is drawn before a trigger frame has RA-RUs.
#[derive(Debug)]
pub(crate) struct OfdmaBackoff {
    rng: Stream,
    /// Who has announced the bounds, and with them; `None`: nobody.
    announced: Option<(NicId, RandomAccessPlan)>,
    ocw: u32,
    /// OBO counter.
    counter: u32,
}

impl OfdmaBackoff {
    /// That of a station which has met no RA-RU.
    pub(crate) fn new(seed: u64, mac: MacAddress) -> Self {
        Self { rng: Stream::new(seed, Purpose::RandomAccess, mac, mac), announced: None, ocw: 0, counter: 0 }
    }

    /// The station has something for this access point, whose trigger frame has so many RA-RUs that the station may use. In which of them
    /// it sends; `None`: in none.
    pub(crate) fn count(&mut self, access_point: NicId, plan: RandomAccessPlan, rus: u32) -> Option<u32> {
        if self.announced != Some((access_point, plan)) {
            (self.announced, self.ocw) = (Some((access_point, plan)), plan.ocw_min);
            self.draw();
        }
        if rus == 0 || self.counter > rus {
            self.counter -= rus;
            return None;
        }
        self.counter = 0;
        // A number below 1 times so many is below that; one alone needs no number.
        Some(if rus == 1 { 0 } else { (self.rng.unit() * f64::from(rus)) as u32 })
    }

    /// What the station has sent in an RA-RU went well, or has not been acknowledged.
    pub(crate) fn ends(&mut self, went_well: bool) {
        let Some((_, plan)) = self.announced else { return };
        self.ocw = if went_well { plan.ocw_min } else { (2 * self.ocw + 1).min(plan.ocw_max) };
        self.draw();
    }

    fn draw(&mut self) {
        self.counter = self.rng.slots(self.ocw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AP: NicId = NicId(0);
    const PLAN: RandomAccessPlan = RandomAccessPlan { rus: 2, ocw_min: 7, ocw_max: 31 };

    fn backoff() -> OfdmaBackoff {
        OfdmaBackoff::new(1, MacAddress([2, 0, 0, 0, 0, 1]))
    }

    /// A counter of 7 and two RA-RUs: 5, 3, 1, and the fourth trigger frame has one for it.
    #[test]
    fn each_trigger_frame_counts_down() {
        let mut backoff = backoff();
        backoff.count(AP, PLAN, 0);
        backoff.counter = 7;
        assert_eq!([(); 3].map(|()| backoff.count(AP, PLAN, 2)), [None; 3]);
        assert!(backoff.count(AP, PLAN, 2).is_some_and(|ru| ru < 2));
        // It could not send, and may by the next.
        assert!(backoff.count(AP, PLAN, 2).is_some());
        backoff.counter = 2;
        assert_eq!((backoff.count(AP, PLAN, 1), backoff.counter), (None, 1));
        assert_eq!(backoff.count(AP, PLAN, 1), Some(0));
    }

    #[test]
    fn the_window_doubles_after_failures() {
        let mut backoff = backoff();
        backoff.count(AP, PLAN, 2);
        let windows = [false, false, false, true].map(|went_well| {
            backoff.ends(went_well);
            assert!(backoff.counter <= backoff.ocw);
            backoff.ocw
        });
        assert_eq!(windows, [15, 31, 31, 7]);
        // Another access point announces its own.
        backoff.count(NicId(9), RandomAccessPlan { ocw_min: 3, ..PLAN }, 1);
        assert_eq!(backoff.ocw, 3);
    }

    /// Counters are uniform over 0 to 7, and so are three resource units: within five standard deviations.
    #[test]
    fn all_counters_and_resource_units_are_alike() {
        let (mut backoff, mut counters, mut rus) = (backoff(), [0_i32; 8], [0_i32; 3]);
        backoff.count(AP, PLAN, 3);
        for _ in 0..80_000 {
            backoff.ends(true);
            counters[backoff.counter as usize] += 1;
            if let Some(ru) = backoff.count(AP, PLAN, 3) {
                rus[ru as usize] += 1;
            }
        }
        assert!(counters.iter().all(|count| (count - 10_000).abs() < 468), "{counters:?}");
        let third = rus.iter().sum::<i32>() / 3;
        assert!(rus.iter().all(|count| (count - third).abs() < 490), "{rus:?}");
    }
}
