//! Stations one after the other, in resource units of equal size.
//!
//! Resource units are those of `RrMultiUserScheduler` of ns-3: one size for all, of which all are used. Which station has its turn when is
//! the business of the queues above, in airtime or in frames; ns-3 keeps credits for that, of which each station gets the same.

use super::equal_rus::equal_rus;
use super::scheduler::{Candidate, Scheduler};
use crate::phy::Allocation;

/// As many of the stations that have their turn as there are RUs of a size, up to a limit, in equal shares.
#[derive(Debug)]
pub(super) struct RoundRobin {
    stations: u32,
}

impl RoundRobin {
    /// One with this many stations in a PPDU at most.
    pub(super) const fn new(stations: u32) -> Self {
        Self { stations }
    }
}

impl Scheduler for RoundRobin {
    fn most_stations(&self) -> usize {
        self.stations as usize
    }

    fn share(&mut self, candidates: &[Candidate], rus: &mut Vec<Allocation>) {
        if let Some(first) = candidates.first() {
            rus.extend(equal_rus(first.tx.width(), candidates.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::questions::{decide, names, of_octets};
    use super::*;
    use crate::phy::Width;

    #[test]
    fn two_of_three_have_the_same_and_the_third_waits() {
        let rus = decide(&mut RoundRobin::new(4), &of_octets(7, Width::Mhz40, &[1_500; 3]));
        assert_eq!(names(&rus), ["RU 242/1 of 40 MHz", "RU 242/2 of 40 MHz"]);
    }
}
