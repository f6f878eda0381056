//! Several stations in a PPDU only where one for each would carry little.
//!
//! A PPDU with much data for one station uses the width as well as one with much for several, or better: it has fewer tones without
//! data, no padding, and one acknowledgement. With little data most of the time of an exchange is preamble, acknowledgement and
//! contention, which several stations pay for once if they share it. So the first station is sent its PPDU alone if it has much. Else it
//! shares with those after it, up to the first that has much, in resource units of equal size, as with [`super::round_robin`]. For
//! uplinks it asks as `round_robin` does: an access point that asked for little only would leave all long data to contention.

use airtcp_units::Duration;

use super::equal_rus::equal_rus;
use super::scheduler::{Candidate, Scheduler};
use crate::phy::Allocation;

/// What lasts as long as this in the whole width is much. Beside its data an exchange of 11ax takes some 0.2 ms: AIFS and half of the
/// first contention window 110 us, preamble 43 us, SIFS 16 us and a `BlockAck` of 32 us. After 1 ms of data that is a sixth of the time,
/// and with more the shared exchange could save less than the tones and the padding that it costs.
const MUCH: Duration = Duration::from_micros(1_000);

/// Equal shares for the stations that have their turns and little to be sent.
#[derive(Debug)]
pub(super) struct Latency {
    stations: u32,
}

impl Latency {
    /// One with this many stations in a PPDU at most.
    pub(super) const fn new(stations: u32) -> Self {
        Self { stations }
    }
}

impl Scheduler for Latency {
    fn most_stations(&self) -> usize {
        self.stations as usize
    }

    fn weighs_backlogs(&self) -> bool {
        true
    }

    fn share(&mut self, candidates: &[Candidate], rus: &mut Vec<Allocation>) {
        let with_little = candidates.iter().take_while(|candidate| candidate.time() < MUCH).count();
        if let Some(first) = candidates.first() {
            rus.extend(equal_rus(first.tx.width(), with_little));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::questions::{decide, names, of_octets};
    use super::*;
    use crate::phy::Width;

    /// 20 MHz, MCS 7, one stream: 1170 bits in 13.6 us, 86,029,411 bit/s. 10,753 octets take 999.94 us, one more 1000.04 us.
    #[test]
    fn those_with_much_are_served_alone() {
        let of = |octets: &[u64]| names(&decide(&mut Latency::new(4), &of_octets(7, Width::Mhz20, octets)));
        let halves = ["RU 106/1 of 20 MHz", "RU 106/2 of 20 MHz"];
        assert_eq!(of(&[10_753, 10_753]), halves);
        assert_eq!(of(&[10_754, 100, 100]), Vec::<String>::new());
        // The one with much has the next turn, and is alone then.
        assert_eq!(of(&[100, 100, 10_754, 100]), halves);
        assert!(of(&[100, 10_754, 100]).len() < 2);
        assert_eq!(of(&[100; 4]).len(), 4);
    }

    /// 80 MHz, MCS 11, two streams: 16,333 bits in 13.6 us. 150,000 octets take 999.2 us, 150,200 take 1000.5 us.
    #[test]
    fn what_is_much_depends_on_the_rate() {
        let of = |octets: u64| {
            let mut candidates = of_octets(11, Width::Mhz80, &[octets; 4]);
            for candidate in &mut candidates {
                candidate.tx.streams = 2;
            }
            decide(&mut Latency::new(4), &candidates).len()
        };
        assert_eq!([150_000, 150_200].map(of), [4, 0]);
    }
}
