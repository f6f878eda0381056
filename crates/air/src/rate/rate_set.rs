//! The modes that both ends of a link can use.

use std::fmt;

use airtcp_plan::{PhyOptions, Standard};
use airtcp_units::BitRate;

use super::RateError;
use crate::phy::{Band, Format, FormatOption, Guard, NominalPadding, TxVector, Width, format_of};

/// What both ends of a link can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkModes {
    /// The newest standard of both.
    pub(crate) standard: Standard,
    /// Band of the link.
    pub(crate) band: Band,
    /// The widest channel that both can use; narrower ones are part of it.
    pub(crate) width: Width,
    /// Most spatial streams.
    pub(crate) streams: u8,
    /// Shortest guard interval; longer ones are part of it.
    pub(crate) shortest_guard: Guard,
    /// Options of the sender's PPDUs; modes that do not have them are left out.
    pub(crate) phy_options: PhyOptions,
    /// What the receiver needs after the data of HE and EHT.
    pub(crate) padding: NominalPadding,
    /// Whether an 11g link has the HR/DSSS rates beside those of OFDM (an 11b link always has them, others never).
    pub(crate) hr_dsss: bool,
    /// Whether HR/DSSS rates above 1 Mbit/s have the short preamble.
    pub(crate) short_preamble: bool,
    /// Whether HT and VHT use LDPC instead of BCC.
    pub(crate) ldpc: bool,
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
    /// A band, width, number of streams or guard interval that the standard does not have.
    pub(crate) fn of(link: LinkModes) -> Result<Self, RateError> {
        let format = format_of(link.standard);
        let LinkModes { band, width, streams, shortest_guard, .. } = link;
        let slowest = TxVector::mimo(format, 0, streams, width, shortest_guard);
        slowest.check(band)?;
        let mut modes: Vec<TxVector> = modes(link, format).filter(|tx| tx.check(band).is_ok()).collect();
        if modes.is_empty() {
            slowest.with_options(link.phy_options).check(band)?;
        }
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

    /// The set with only the shortest guard interval of HE and EHT.
    pub(super) fn without_long_guards_of_he(mut self) -> Self {
        let shortest = self.modes().map(|tx| tx.guard).min();
        let long = |tx: TxVector| matches!(tx.format, Format::He | Format::Eht) && Some(tx.guard) != shortest;
        self.rates.retain(|rate| !long(rate.tx));
        self
    }

    /// How many modes there are.
    #[cfg(test)]
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.rates.len()
    }

    /// The mode at a place; slowest first.
    #[inline]
    pub(crate) fn mode(&self, place: usize) -> TxVector {
        self.rates[place].tx
    }

    /// Bit rate of the mode at this place.
    #[cfg(test)]
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

/// What a link could have, legal or not. The control mode of DMG, its MCS 0, carries no data.
fn modes(link: LinkModes, format: Format) -> impl Iterator<Item = TxVector> {
    let first = format.min_data_index();
    let widths = Width::ALL.into_iter().filter(move |&width| width <= link.width);
    let guards = Guard::ALL.into_iter().filter(move |&guard| guard >= link.shortest_guard);
    widths
        .flat_map(move |width| guards.clone().map(move |guard| (width, guard)))
        .flat_map(move |(width, guard)| (1..=link.streams).map(move |streams| (width, guard, streams)))
        .flat_map(move |(width, guard, streams)| {
            (first..=format.max_index()).map(move |index| {
                let tx = TxVector::mimo(format, index, streams, width, guard);
                let is_short = format == Format::HrDsss && link.short_preamble && index > 0;
                let tx = if is_short { TxVector { option: FormatOption::ShortPreamble, ..tx } } else { tx };
                let coded = if link.ldpc { tx.with_ldpc() } else { tx };
                coded.with_options(link.phy_options).to_receiver(link.padding)
            })
        })
}

/// What is in the set, for people: bit rates, or ranges of MCS, streams, widths and guard intervals.
impl fmt::Display for RateSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.mode(0).format;
        if matches!(format, Format::HrDsss | Format::Ofdm) {
            let rates: Vec<_> = self.rates.iter().map(|rate| rate.bit_rate.as_mbps().to_string()).collect();
            return write!(f, "{} Mbit/s", rates.join(", "));
        }
        let span = |of: &dyn Fn(TxVector) -> u64| {
            let (least, most) = self.modes().map(of).fold((u64::MAX, 0), |(a, b), v| (a.min(v), b.max(v)));
            if least == most { least.to_string() } else { format!("{least} to {most}") }
        };
        write!(f, "{format} MCS {}", span(&|tx| u64::from(tx.index)))?;
        if format == Format::Dmg {
            return Ok(());
        }
        let streams = span(&|tx| u64::from(tx.streams));
        let width = span(&|tx| u64::from(tx.width().mhz()));
        write!(f, ", {streams} streams, {width} MHz, guard interval {} ns", span(&|tx| tx.guard.nanos()))
    }
}

/// A link of a standard with these streams and this width, the shortest guard interval and the long preamble.
#[cfg(test)]
pub(super) fn example(standard: Standard, width: Width, streams: u8) -> RateSet {
    let (band, shortest_guard) = match standard {
        Standard::HrDsss | Standard::Erp => (Band::Ghz2_4, Guard::Ns800),
        Standard::Ofdm => (Band::Ghz5, Guard::Ns800),
        Standard::Ht | Standard::Vht => (Band::Ghz5, Guard::Ns400),
        Standard::He | Standard::Eht => (Band::Ghz6, Guard::Ns800),
        Standard::Dmg => (Band::Ghz60, Guard::Ns800),
    };
    let link = LinkModes {
        standard,
        band,
        width,
        streams,
        shortest_guard,
        phy_options: PhyOptions::NONE,
        padding: NominalPadding::Us0,
        hr_dsss: true,
        short_preamble: false,
        ldpc: false,
    };
    RateSet::of(link).expect("the example is in the standard")
}

#[cfg(test)]
mod tests {
    use airtcp_plan::HeLtf;

    use super::*;

    const B: LinkModes = LinkModes {
        standard: Standard::HrDsss,
        band: Band::Ghz2_4,
        width: Width::Mhz20,
        streams: 1,
        shortest_guard: Guard::Ns800,
        phy_options: PhyOptions::NONE,
        padding: NominalPadding::Us0,
        hr_dsss: false,
        short_preamble: true,
        ldpc: false,
    };

    fn kbps(set: &RateSet) -> Vec<u64> {
        (0..set.len()).map(|place| set.bit_rate(place).as_bps() / 1_000).collect()
    }

    #[test]
    fn legacy_links_have_their_rates() {
        let of = |standard, hr_dsss| {
            kbps(&RateSet::of(LinkModes { standard, hr_dsss, ..B }).expect("a legacy link"))
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
        let set = RateSet::of(B).expect("11b");
        let short: Vec<_> = set.modes().map(TxVector::has_short_preamble).collect();
        assert_eq!(short, [false, true, true, true]);
    }

    #[test]
    fn mcs_links_have_every_combination() {
        let len = |standard, width, streams| example(standard, width, streams).len();
        assert_eq!(len(Standard::Ht, Width::Mhz20, 1), 2 * 8);
        assert_eq!(len(Standard::Ht, Width::Mhz40, 2), 2 * 2 * 2 * 8);
        // MCS 9 is missing at 20 MHz.
        assert_eq!(len(Standard::Vht, Width::Mhz80, 2), 3 * 2 * 2 * 10 - 4);
        assert_eq!(len(Standard::He, Width::Mhz160, 8), 4 * 3 * 8 * 12);
        assert_eq!(len(Standard::Eht, Width::Mhz320, 1), 5 * 3 * 14);
        assert_eq!(len(Standard::Dmg, Width::Mhz2160, 1), 12);
        let long = LinkModes { standard: Standard::Ht, ..B };
        assert_eq!(RateSet::of(long).expect("11n").len(), 8);
    }

    #[test]
    fn ldpc_is_for_ht_and_vht_to_choose() {
        use crate::phy::Coding;
        let codings = |standard, ldpc| {
            let set = RateSet::of(LinkModes { standard, ldpc, ..B }).expect("a link at 2.4 GHz");
            let mut codings: Vec<_> = set.modes().map(TxVector::coding).collect();
            codings.dedup();
            codings
        };
        assert_eq!(codings(Standard::Ht, false), [Coding::Bcc]);
        assert_eq!(codings(Standard::Ht, true), [Coding::Ldpc]);
        assert_eq!(codings(Standard::Erp, true), [Coding::Bcc]);
        assert_eq!(codings(Standard::He, false), [Coding::Ldpc]);
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
    fn what_no_standard_has_is_refused_with_the_reason() {
        let said = |asked| RateSet::of(asked).expect_err("not in the standard").to_string();
        let ht = LinkModes { standard: Standard::Ht, ..B };
        let width = said(LinkModes { width: Width::Mhz80, ..ht });
        assert_eq!(width, "HT has channels of 20 and 40 MHz, not of 80 MHz (IEEE 802.11-2020, 19.1.1)");
        let guard = said(LinkModes { standard: Standard::Erp, shortest_guard: Guard::Ns400, ..B });
        assert!(
            guard.starts_with("OFDM has a guard interval of 800 ns, in 11a and 11g alike, not of 400 ns"),
            "{guard}"
        );
        let band = said(LinkModes { standard: Standard::Vht, ..B });
        assert!(band.starts_with("VHT (11ac) is used at 5 GHz, not at 2.4 GHz"), "{band}");
        let streams = said(LinkModes { streams: 5, ..ht });
        assert!(streams.starts_with("HT has 1 to 4 spatial streams, not 5"), "{streams}");
    }

    #[test]
    fn a_set_has_a_short_description() {
        assert_eq!(example(Standard::HrDsss, Width::Mhz20, 1).to_string(), "1, 2, 5.5, 11 Mbit/s");
        let ht = "HT MCS 0 to 7, 1 to 2 streams, 20 to 40 MHz, guard interval 400 to 800 ns";
        assert_eq!(example(Standard::Ht, Width::Mhz40, 2).to_string(), ht);
        assert_eq!(example(Standard::Dmg, Width::Mhz2160, 1).to_string(), "DMG MCS 1 to 12");
    }

    #[test]
    fn an_he_ltf_leaves_the_guard_intervals_that_have_it() {
        let guards = |he_ltf, shortest_guard| {
            let mut phy_options = PhyOptions::NONE;
            phy_options.he_ltf = Some(he_ltf);
            let link = LinkModes { standard: Standard::He, phy_options, shortest_guard, ..B };
            let set = RateSet::of(LinkModes { short_preamble: false, ..link })?;
            assert!(set.modes().all(|tx| tx.ltf == he_ltf));
            let mut guards: Vec<u64> = set.modes().map(|tx| tx.guard.nanos()).collect();
            guards.sort_unstable();
            guards.dedup();
            Ok::<_, RateError>(guards)
        };
        assert_eq!(guards(HeLtf::X1, Guard::Ns800).unwrap(), [800]);
        assert_eq!(guards(HeLtf::X2, Guard::Ns800).unwrap(), [800, 1600]);
        assert_eq!(guards(HeLtf::X4, Guard::Ns800).unwrap(), [800, 3200]);
        assert_eq!(guards(HeLtf::X4, Guard::Ns1600).unwrap(), [3200]);
        let none = guards(HeLtf::X1, Guard::Ns1600).unwrap_err().to_string();
        assert!(none.contains("not 1x with 1600 ns (IEEE 802.11ax-2021, Table 27-18)"), "{none}");
        let mut phy_options = PhyOptions::NONE;
        phy_options.he_ltf = Some(HeLtf::X4);
        let ht = LinkModes { standard: Standard::Ht, phy_options, ..B };
        assert!(RateSet::of(ht).unwrap_err().to_string().starts_with("only HE (11ax) has an HE-LTF"));
    }
}
