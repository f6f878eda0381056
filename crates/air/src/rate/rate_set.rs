//! The modes that both ends of a link can use.

use std::fmt;

use airtcp_plan::wifi::Standard;
use airtcp_units::BitRate;

use super::RateError;
use super::legality::{Legality, exists};
use crate::phy::{Format, Guard, TxVector, Width};

/// What both ends of a link can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkModes {
    /// The newest standard of both.
    pub(crate) standard: Standard,
    /// The wider of the widths that both can use; narrower ones are part of it.
    pub(crate) width: Width,
    /// Most spatial streams.
    pub(crate) streams: u8,
    /// Shortest guard interval; longer ones are part of it.
    pub(crate) shortest_guard: Guard,
    /// Whether an 11g link has the HR/DSSS rates beside those of OFDM (an 11b link always has them, others never).
    pub(crate) hr_dsss: bool,
    /// Whether HR/DSSS rates above 1 Mb/s have the short preamble.
    pub(crate) short_preamble: bool,
}

/// A mode and its bit rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rate {
    bit_rate: BitRate,
    tx: TxVector,
}

/// Modes without repetition, slowest first; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RateSet {
    rates: Vec<Rate>,
}

impl RateSet {
    /// Every mode of a link: 4 rates in 11b, 8 in 11a, 8 or 12 in 11g, MCS 1 to 12 in 11ad; from 11n on each MCS with
    /// each number of streams, width and guard interval up to the link's.
    ///
    /// # Errors
    /// A width, number of streams or guard interval that the standard does not have.
    pub(crate) fn of(link: LinkModes) -> Result<Self, RateError> {
        let legality = Legality::of(link.standard);
        check(link, &legality)?;
        let mut modes: Vec<TxVector> = modes(link, &legality).filter(|&tx| exists(tx)).collect();
        if link.standard == Standard::Erp && link.hr_dsss {
            modes.extend((0..4).map(|index| TxVector::hr_dsss(index, link.short_preamble && index > 0)));
        }
        Ok(Self::from_modes(modes))
    }

    /// A set of these modes. Panics if there is none.
    pub(crate) fn from_modes(modes: impl IntoIterator<Item = TxVector>) -> Self {
        let mut rates: Vec<Rate> = modes.into_iter().map(Rate::of).collect();
        assert!(!rates.is_empty(), "a link has at least one mode");
        rates.sort_unstable();
        rates.dedup();
        Self { rates }
    }

    /// How many modes there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.rates.len()
    }

    /// The mode at a place; slowest first.
    #[inline]
    pub(crate) fn mode(&self, place: usize) -> TxVector {
        self.rates[place].tx
    }

    /// Its bit rate.
    #[inline]
    pub(crate) fn bit_rate(&self, place: usize) -> BitRate {
        self.rates[place].bit_rate
    }

    /// Every mode, slowest first.
    pub(crate) fn modes(&self) -> impl DoubleEndedIterator<Item = TxVector> + ExactSizeIterator + '_ {
        self.rates.iter().map(|rate| rate.tx)
    }

    /// The place of a mode, if it is in the set.
    #[inline]
    pub(crate) fn place(&self, tx: TxVector) -> Option<usize> {
        self.rates.binary_search(&Rate::of(tx)).ok()
    }

    /// The fastest mode that is not above a bit rate; the slowest of all if there is none.
    #[inline]
    pub(crate) fn within(&self, cap: BitRate) -> TxVector {
        let above = self.rates.partition_point(|rate| rate.bit_rate <= cap);
        self.rates[above.saturating_sub(1)].tx
    }
}

impl Rate {
    #[inline]
    fn of(tx: TxVector) -> Self {
        Self { bit_rate: tx.bit_rate(), tx }
    }
}

fn check(link: LinkModes, legality: &Legality) -> Result<(), RateError> {
    let refuse = |asked: String, legal: String| {
        Err(RateError::NotInStandard { asked, standard: legality.name, legal })
    };
    if !legality.widths.contains(&link.width) {
        let widths: Vec<_> = legality.widths.iter().map(|width| width.mhz().to_string()).collect();
        return refuse(format!("a width of {} MHz", link.width.mhz()), format!("{} MHz", widths.join(", ")));
    }
    if link.streams == 0 || link.streams > legality.streams {
        return refuse(format!("{} streams", link.streams), format!("1 to {}", legality.streams));
    }
    if !legality.guards.contains(&link.shortest_guard) {
        let guards: Vec<_> = legality.guards.iter().map(|guard| guard.nanos().to_string()).collect();
        let asked = format!("a guard interval of {} ns", link.shortest_guard.nanos());
        return refuse(asked, format!("{} ns", guards.join(", ")));
    }
    Ok(())
}

/// The modes of a link, among them some that the standard leaves out.
fn modes(link: LinkModes, legality: &Legality) -> impl Iterator<Item = TxVector> {
    let Legality { format, indices: (first, last), .. } = *legality;
    let widths = legality.widths.iter().filter(move |&&width| width <= link.width);
    let guards = legality.guards.iter().filter(move |&&guard| guard >= link.shortest_guard);
    widths
        .flat_map(move |&width| guards.clone().map(move |&guard| (width, guard)))
        .flat_map(move |(width, guard)| (1..=link.streams).map(move |streams| (width, guard, streams)))
        .flat_map(move |(width, guard, streams)| {
            (first..=last).map(move |index| TxVector {
                format,
                index,
                streams,
                width,
                guard,
                short_preamble: format == Format::HrDsss && link.short_preamble && index > 0,
            })
        })
}

/// What is in the set, for people: bit rates, or ranges of MCS, streams, widths and guard intervals.
impl fmt::Display for RateSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.mode(0).format;
        if matches!(format, Format::HrDsss | Format::Ofdm) {
            let rates: Vec<_> = self.rates.iter().map(|rate| rate.bit_rate.as_mbps().to_string()).collect();
            return write!(f, "{} Mb/s", rates.join(", "));
        }
        let span = |of: &dyn Fn(TxVector) -> u64| {
            let (least, most) = self.modes().map(of).fold((u64::MAX, 0), |(a, b), v| (a.min(v), b.max(v)));
            if least == most { least.to_string() } else { format!("{least} to {most}") }
        };
        write!(f, "{} MCS {}", format_name(format), span(&|tx| u64::from(tx.index)))?;
        if format == Format::Dmg {
            return Ok(());
        }
        let streams = span(&|tx| u64::from(tx.streams));
        let width = span(&|tx| u64::from(tx.width.mhz()));
        write!(f, ", {streams} streams, {width} MHz, guard interval {} ns", span(&|tx| tx.guard.nanos()))
    }
}

/// The name of a format in messages.
pub(super) const fn format_name(format: Format) -> &'static str {
    match format {
        Format::HrDsss => "HR/DSSS",
        Format::Ofdm => "OFDM",
        Format::Ht => "HT",
        Format::Vht => "VHT",
        Format::He => "HE",
        Format::Eht => "EHT",
        Format::Dmg => "DMG",
    }
}

/// A link of a standard with these streams and this width, the shortest guard interval and the long preamble.
#[cfg(test)]
pub(super) fn example(standard: Standard, width: Width, streams: u8) -> RateSet {
    let shortest_guard = Legality::of(standard).guards[0];
    let link = LinkModes { standard, width, streams, shortest_guard, hr_dsss: true, short_preamble: false };
    RateSet::of(link).expect("the example is in the standard")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(standard: Standard, width: Width, streams: u8, shortest_guard: Guard) -> LinkModes {
        LinkModes { standard, width, streams, shortest_guard, hr_dsss: false, short_preamble: true }
    }

    fn kbps(set: &RateSet) -> Vec<u64> {
        (0..set.len()).map(|place| set.bit_rate(place).as_bps() / 1_000).collect()
    }

    #[test]
    fn legacy_links_have_their_rates() {
        let of = |standard, hr_dsss| {
            let legacy = link(standard, Width::Mhz20, 1, Guard::Ns800);
            kbps(&RateSet::of(LinkModes { hr_dsss, ..legacy }).expect("a legacy link"))
        };
        let ofdm = [6_000, 9_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
        assert_eq!(of(Standard::HrDsss, false), [1_000, 2_000, 5_500, 11_000]);
        assert_eq!(of(Standard::Ofdm, true), ofdm);
        assert_eq!(of(Standard::Erp, false), ofdm);
        let both =
            [1_000, 2_000, 5_500, 6_000, 9_000, 11_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
        assert_eq!(of(Standard::Erp, true), both);
    }

    #[test]
    fn the_short_preamble_leaves_1_mbps_out() {
        let set = RateSet::of(link(Standard::HrDsss, Width::Mhz20, 1, Guard::Ns800)).expect("11b");
        let short: Vec<_> = set.modes().map(|tx| tx.short_preamble).collect();
        assert_eq!(short, [false, true, true, true]);
    }

    #[test]
    fn mcs_links_have_every_combination() {
        let len = |standard, width, streams, guard| {
            RateSet::of(link(standard, width, streams, guard)).expect("in the standard").len()
        };
        assert_eq!(len(Standard::Ht, Width::Mhz20, 1, Guard::Ns800), 8);
        assert_eq!(len(Standard::Ht, Width::Mhz40, 2, Guard::Ns400), 2 * 2 * 2 * 8);
        // MCS 9 is missing at 20 MHz.
        assert_eq!(len(Standard::Vht, Width::Mhz80, 2, Guard::Ns400), 3 * 2 * 2 * 10 - 4);
        assert_eq!(len(Standard::He, Width::Mhz160, 8, Guard::Ns800), 4 * 3 * 8 * 12);
        assert_eq!(len(Standard::Eht, Width::Mhz320, 1, Guard::Ns3200), 5 * 14);
        assert_eq!(len(Standard::Dmg, Width::Mhz2160, 1, Guard::Ns800), 12);
    }

    #[test]
    fn a_set_is_sorted_and_finds_its_modes() {
        for set in [
            example(Standard::Erp, Width::Mhz20, 1),
            example(Standard::Vht, Width::Mhz160, 4),
            example(Standard::Dmg, Width::Mhz2160, 1),
        ] {
            assert!((1..set.len()).all(|place| set.bit_rate(place - 1) <= set.bit_rate(place)));
            assert!((0..set.len()).all(|place| set.place(set.mode(place)) == Some(place)));
        }
        assert_eq!(example(Standard::Ofdm, Width::Mhz20, 1).place(TxVector::hr_dsss(0, false)), None);
    }

    #[test]
    fn a_cap_is_kept_unless_nothing_is_slower() {
        let set = example(Standard::Ofdm, Width::Mhz20, 1);
        assert_eq!(set.within(BitRate::from_mbps(54)), TxVector::ofdm(7));
        assert_eq!(set.within(BitRate::from_mbps(53)), TxVector::ofdm(6));
        assert_eq!(set.within(BitRate::from_mbps(6)), TxVector::ofdm(0));
        assert_eq!(set.within(BitRate::from_mbps(1)), TxVector::ofdm(0));
    }

    #[test]
    fn what_no_standard_has_is_refused_with_what_it_has() {
        let said = |asked| RateSet::of(asked).expect_err("not in the standard").to_string();
        assert_eq!(
            said(link(Standard::Ht, Width::Mhz80, 1, Guard::Ns400)),
            "a width of 80 MHz is not in 11n, which has 20, 40 MHz"
        );
        assert_eq!(
            said(link(Standard::Erp, Width::Mhz20, 1, Guard::Ns400)),
            "a guard interval of 400 ns is not in 11g, which has 800 ns"
        );
        assert_eq!(
            said(link(Standard::Vht, Width::Mhz20, 9, Guard::Ns400)),
            "9 streams is not in 11ac, which has 1 to 8"
        );
    }

    #[test]
    fn a_set_is_told_in_short() {
        assert_eq!(example(Standard::HrDsss, Width::Mhz20, 1).to_string(), "1, 2, 5.5, 11 Mb/s");
        let ht = "HT MCS 0 to 7, 1 to 2 streams, 20 to 40 MHz, guard interval 400 to 800 ns";
        assert_eq!(example(Standard::Ht, Width::Mhz40, 2).to_string(), ht);
        assert_eq!(example(Standard::Dmg, Width::Mhz2160, 1).to_string(), "DMG MCS 1 to 12");
    }
}
