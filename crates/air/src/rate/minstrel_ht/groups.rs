//! Groups of rates with one width, guard interval and number of streams, and the airtime of an MPDU at each.

use airtcp_units::Duration;

use super::probability::Probability;
use crate::phy::{Format, Guard, TxVector, Width};
use crate::rate::RateSet;
use crate::rate::airtime::{REFERENCE_BYTES, ack, frame};

/// Rates that differ in their MCS only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Place of its slowest rate.
    pub(super) first: u16,
    /// Number of its rates.
    len: u16,
    /// Spatial streams of the rates.
    pub(super) streams: u8,
    /// Rates of the group with the best throughput and the second best.
    pub(super) best: [u16; 2],
    /// Rate of the group with the highest probability of success.
    pub(super) most_probable: u16,
}

impl Group {
    /// The places of its rates, slowest first.
    pub(super) fn places(self) -> impl DoubleEndedIterator<Item = u16> + ExactSizeIterator {
        self.first..self.first + self.len
    }

    /// Rates of the group as a range of indices.
    pub(super) fn range(self) -> std::ops::Range<usize> {
        usize::from(self.first)..usize::from(self.first + self.len)
    }
}

/// Statistics of one rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) tx: TxVector,
    /// Number of its group.
    pub(super) group: u16,
    /// Airtime of the reference MPDU in nanoseconds.
    pub(super) nanos: u64,
    /// MPDUs sent in this interval.
    pub(super) attempts: u32,
    /// MPDUs sent in this interval that were acknowledged.
    pub(super) successes: u32,
    /// Whether the rate was ever sent.
    pub(super) tried: bool,
    pub(super) probability: Probability,
    /// Reference MPDUs per second.
    pub(super) throughput: f64,
}

/// What makes a group, in the order of groups: HR/DSSS before OFDM, narrow before wide, long guard interval before
/// short, few streams before many (as Linux counts them).
type Key = (Format, Width, std::cmp::Reverse<Guard>, u8);

const fn key(tx: TxVector) -> Key {
    (tx.format, tx.width(), std::cmp::Reverse(tx.guard), tx.streams)
}

/// The groups of a set, and their rates one after another.
pub(super) fn of(set: &RateSet) -> (Vec<Rate>, Vec<Group>) {
    let mut modes: Vec<TxVector> = set.modes().collect();
    modes.sort_by_key(|&tx| (key(tx), tx.bit_rate()));
    let mut rates: Vec<Rate> = Vec::with_capacity(modes.len());
    let mut groups: Vec<Group> = Vec::new();
    for group in modes.chunk_by(|&a, &b| key(a) == key(b)) {
        let (number, first) = (groups.len() as u16, rates.len() as u16);
        rates.extend(group.iter().map(|&tx| Rate::new(tx, number)));
        let (len, streams) = (group.len() as u16, group[0].streams);
        groups.push(Group { first, len, streams, best: [first; 2], most_probable: first });
    }
    (rates, groups)
}

impl Rate {
    fn new(tx: TxVector, group: u16) -> Self {
        Self {
            tx,
            group,
            nanos: mpdu_nanos(tx),
            attempts: 0,
            successes: 0,
            tried: false,
            probability: Probability::default(),
            throughput: 0.0,
        }
    }
}

/// Airtime of the reference MPDU: within an A-MPDU its bits alone, else the whole PPDU and its response. Linux counts whole
/// symbols of an A-MPDU of 16 MPDUs, up to 1.6 % more; at the highest rates of VHT and HE with eight streams that would make
/// neighbours equal.
pub(super) fn mpdu_nanos(tx: TxVector) -> u64 {
    if is_legacy(tx.format) {
        return (frame(tx, REFERENCE_BYTES) + ack(tx)).as_nanos();
    }
    let bits = 8 * u64::from(REFERENCE_BYTES - 4);
    bits * 1_000_000_000 / tx.bit_rate().as_bps()
}

/// Whether a format has no aggregates.
pub(super) const fn is_legacy(format: Format) -> bool {
    matches!(format, Format::HrDsss | Format::Ofdm)
}

/// What a PPDU costs beside its MPDUs, without contention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overhead {
    plain: Duration,
    with_rts: Duration,
}

impl Overhead {
    /// Linux counts an empty frame and an Ack at 6 Mbit/s, and two more of the latter for RTS and CTS. Legacy rates have no
    /// aggregates, their overhead is part of each MPDU's airtime.
    pub(super) fn of(format: Format) -> Self {
        let control = match format {
            Format::HrDsss | Format::Ofdm => {
                return Self { plain: Duration::ZERO, with_rts: Duration::ZERO };
            }
            Format::Dmg => TxVector::mimo(Format::Dmg, 1, 1, Width::Mhz2160, Guard::Ns800),
            _ => TxVector::ofdm(0),
        };
        // Four octets of FCS.
        let plain = frame(control, 4) + ack(control);
        Self { plain, with_rts: plain + ack(control) * 2 }
    }

    /// The overhead of an attempt, with or without RTS.
    #[inline]
    pub(super) const fn of_attempt(self, rts: bool) -> Duration {
        if rts { self.with_rts } else { self.plain }
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Standard;

    use super::*;
    use crate::rate::rate_set::example;

    #[test]
    fn groups_are_in_the_order_of_linux() {
        let (rates, groups) = of(&example(Standard::Ht, Width::Mhz40, 2));
        let keys: Vec<_> = groups
            .iter()
            .map(|group| {
                let tx = rates[group.range()][0].tx;
                (tx.width().mhz(), tx.guard.nanos(), tx.streams, group.len)
            })
            .collect();
        let expected = [
            (20, 800, 1, 8),
            (20, 800, 2, 8),
            (20, 400, 1, 8),
            (20, 400, 2, 8),
            (40, 800, 1, 8),
            (40, 800, 2, 8),
            (40, 400, 1, 8),
            (40, 400, 2, 8),
        ];
        assert_eq!(keys, expected);
        assert!(groups.iter().all(|group| rates[group.range()].is_sorted_by(|a, b| a.nanos > b.nanos)));
    }

    #[test]
    fn legacy_rates_are_two_groups() {
        let (_, groups) = of(&example(Standard::Erp, Width::Mhz20, 1));
        assert_eq!(groups.iter().map(|group| group.len).collect::<Vec<_>>(), [4, 8]);
    }

    /// 9600 bits at 65 Mbit/s; at 54 Mbit/s 216 us and an Ack of 24 us with SIFS.
    #[test]
    fn an_mpdu_has_its_airtime() {
        let ht = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
        assert_eq!(mpdu_nanos(ht), 147_692);
        assert_eq!(mpdu_nanos(TxVector::ofdm(7)), 216_000 + 40_000);
    }

    /// An empty frame at 6 Mbit/s: preamble 20 us, 3 symbols, SIFS; an Ack: 60 us.
    #[test]
    fn an_attempt_has_its_overhead() {
        let overhead = Overhead::of(Format::Vht);
        let micros = [false, true].map(|rts| overhead.of_attempt(rts).as_nanos() / 1_000);
        assert_eq!(micros, [108, 228]);
    }
}
