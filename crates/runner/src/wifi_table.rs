//! What IEEE 802.11 allows, as a table: the model's own rules and sentences, for the compiler of scenarios.
//!
//! Every value is an answer of [`airtcp_air::phy`], so that the scenario compiler and the model refuse the same, with the same messages. In a
//! sentence `{}` stands for the refused value.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_air::channel::thermal_noise;
use airtcp_air::phy::{
    Band, Format, Guard, IllegalMode, PROTECTION_SENTENCE, PhyOption, RuSize, SHORT_PREAMBLE_SENTENCE,
    STANDARDS, TxVector, Width, aggregation_limits, bands_sentence, can_be_basic, channels, check_channel,
    check_width, format_of, guards_sentence, indices_sentence, is_in_band, standard_bands_sentence,
    streams_sentence, widths_in_band_sentence, widths_sentence,
};
use airtcp_air::{PpduKind, PpduOutcome};
use airtcp_plan::{PhyOptions, RadioChannel, Standard};
use serde::Serialize;
use serde_json::{Value, json};

/// One channel of a band.
#[derive(Serialize)]
struct Channel {
    number: u32,
    centre_mhz: u32,
    /// Numbers of the channels that can be its primary one.
    primaries: Vec<u32>,
}

/// The whole table.
pub fn wifi_table() -> Value {
    let formats: BTreeMap<_, _> = Format::ALL.map(|format| (format.to_string(), format_rules(format))).into();
    json!({
        "bands": Band::ALL.map(band_rules),
        "formats": formats,
        "standards": STANDARDS.map(standard_rules),
        "phy_options": BTreeMap::from(PhyOption::ALL.map(|option| (option.name(), option_names(option)))),
        "hr_dsss_rates_bps": rates(Format::HrDsss),
        "ofdm_rates_bps": rates(Format::Ofdm),
        "dmg_control_rate_bps": Band::Ghz60.lowest_mandatory(false).bit_rate().as_bps(),
        "bits_per_subcarrier": bits_per_subcarrier(),
        "ppdu_kinds": PpduKind::NAMES,
        "ppdu_outcomes": PpduOutcome::NAMES,
        "ru_counts": BTreeMap::from(RuSize::ALL.map(|size| (size.tones(), ru_counts(size)))),
        "thermal_noise_20_mhz_dbm": thermal_noise::dbm(Width::Mhz20),
        "reach_mhz": BTreeMap::from(Width::ALL.map(|width| (width.mhz(), RadioChannel::reach_mhz(width.mhz())))),
        "sentences": {
            "short_preamble": SHORT_PREAMBLE_SENTENCE,
            "protection": PROTECTION_SENTENCE,
        },
    })
}

/// How many resource units of a size the widths have that have one.
fn ru_counts(size: RuSize) -> BTreeMap<u32, u32> {
    let counts = Width::ALL.map(|width| (width.mhz(), size.count_in(width)));
    counts.into_iter().filter(|&(mhz, count)| count > 0 && mhz <= Width::Mhz320.mhz()).collect()
}

/// Data bits that a subcarrier carries in a symbol of one stream, by MCS of HT, VHT, HE and EHT, whose tables continue each other.
fn bits_per_subcarrier() -> Vec<f64> {
    let mcs =
        (0..=Format::Eht.max_index()).map(|mcs| TxVector { format: Format::Eht, ..TxVector::ofdm(mcs) });
    mcs.filter_map(TxVector::modulation)
        .map(|modulation| {
            let (numerator, denominator) = modulation.code_rate.ratio();
            f64::from(modulation.constellation.bits() * numerator) / f64::from(denominator)
        })
        .collect()
}

fn band_rules(band: Band) -> Value {
    let widths = Width::ALL.into_iter().filter(|&width| channels(band, width).next().is_some());
    let by_width: BTreeMap<_, _> = widths.map(|width| (width.mhz(), channels_of(band, width))).collect();
    json!({
        "name": band.to_string(),
        "max_width_mhz": band.max_width().mhz(),
        "width": widths_in_band_sentence(band),
        "channels": by_width,
    })
}

fn channels_of(band: Band, width: Width) -> Vec<Channel> {
    let unit = if band == Band::Ghz60 { Width::Mhz2160 } else { Width::Mhz20 };
    let primaries = |centre_mhz| {
        let has = move |&(_, primary_mhz): &(u32, u32)| {
            Format::ALL
                .iter()
                .any(|&format| check_channel(format, band, primary_mhz, centre_mhz, width).is_ok())
        };
        channels(band, unit).filter(has).map(|(number, _)| number).collect()
    };
    channels(band, width)
        .map(|(number, centre_mhz)| Channel { number, centre_mhz, primaries: primaries(centre_mhz) })
        .collect()
}

fn format_rules(format: Format) -> Value {
    let bands: Vec<_> = Band::ALL.into_iter().filter(|&band| format.is_used_at(band)).collect();
    let legal = |width: &Width| bands.iter().any(|&band| check_width(format, *width, band).is_ok());
    let widths: Vec<_> = Width::ALL.into_iter().filter(legal).collect();
    let guards: Vec<_> =
        Guard::ALL.into_iter().filter(|&guard| format.has_guard(guard)).map(Guard::nanos).collect();
    let options: BTreeMap<_, _> =
        PhyOption::ALL.map(|option| (option.name(), option_rules(option, format, &bands, &widths))).into();
    json!({
        "bands": bands.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "widths_mhz": widths.iter().map(|width| width.mhz()).collect::<Vec<_>>(),
        "first_index": format.min_data_index(),
        "last_index": format.max_index(),
        "max_streams": format.max_streams(),
        "guards_ns": guards,
        "data_subcarriers": data_subcarriers(format, &widths),
        "symbol_ns": symbol_ns(format),
        "phy_options": options,
        "has_mcs": !matches!(format, Format::HrDsss | Format::Ofdm),
        "sentences": {
            "band": bands_sentence(format),
            "width": widths_sentence(format),
            "index": indices_sentence(format),
            "streams": streams_sentence(format),
            "guard": guards_sentence(format),
        },
        "left_out": left_out(format, &bands, &widths),
    })
}

/// Data subcarriers by width; of single carriers none.
fn data_subcarriers(format: Format, widths: &[Width]) -> BTreeMap<u32, u32> {
    let of = |&width: &Width| {
        let tx = TxVector { format, allocation: width.into(), ..TxVector::ofdm(0) };
        tx.data_subcarriers().map(|subcarriers| (width.mhz(), subcarriers))
    };
    widths.iter().filter_map(of).collect()
}

/// Length of an OFDM symbol without its guard interval.
fn symbol_ns(format: Format) -> u64 {
    let tx = TxVector { format, ..TxVector::ofdm(0) };
    tx.symbol_nanos() - tx.guard.nanos()
}

fn option_names(option: PhyOption) -> Value {
    let values: Vec<_> = option.values().into_iter().map(|(text, _)| text).collect();
    json!({ "term": option.term(), "values": values })
}

/// The values of an option that a format leaves to the sender, each with the guard intervals, MCS and numbers of streams that have it.
fn option_rules(option: PhyOption, format: Format, bands: &[Band], widths: &[Width]) -> Value {
    let values = option.values().into_iter().filter(|_| option.is_of(format));
    let rules: BTreeMap<_, _> =
        values.map(|(text, value)| (text, modes_with(value, format, bands, widths))).collect();
    json!({ "sentence": option.sentence(format), "values": rules })
}

fn modes_with(options: PhyOptions, format: Format, bands: &[Band], widths: &[Width]) -> Value {
    let (mut guards, mut mcs, mut streams) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for tx in modes(format, widths, &Guard::ALL).into_iter().map(|tx| tx.with_options(options)) {
        if bands.iter().any(|&band| tx.check(band).is_ok()) {
            guards.insert(tx.guard.nanos());
            mcs.insert(tx.index);
            streams.insert(tx.streams);
        }
    }
    json!({ "guards_ns": guards, "mcs": mcs, "streams": streams })
}

/// Combinations that the format's tables leave out although it has each of their parts.
fn left_out(format: Format, bands: &[Band], widths: &[Width]) -> Vec<Value> {
    let mut found = Vec::new();
    for tx in modes(format, widths, &[Guard::Ns800]) {
        let why = bands.iter().find_map(|&band| tx.check(band).err());
        if let Some(why @ IllegalMode::VhtCombination { .. }) = why {
            found.push(json!({
                "width_mhz": tx.width().mhz(), "mcs": tx.index, "streams": tx.streams, "sentence": why.to_string(),
            }));
        }
    }
    found
}

/// Every combination of what a format has, legal or not.
fn modes(format: Format, widths: &[Width], guards: &[Guard]) -> Vec<TxVector> {
    let mut modes = Vec::new();
    for &width in widths {
        for mcs in format.min_data_index()..=format.max_index() {
            for streams in 1..=format.max_streams() {
                modes.extend(guards.iter().map(|&guard| TxVector::mimo(format, mcs, streams, width, guard)));
            }
        }
    }
    modes
}

fn standard_rules(standard: Standard) -> Value {
    let bands: Vec<_> = Band::ALL.into_iter().filter(|&band| is_in_band(standard, band)).collect();
    let by_band = |band: &Band| {
        let limits = aggregation_limits(standard, *band).map(|limits| {
            json!({
                "ampdu_bytes": limits.ampdu_bytes,
                "ampdu_us": limits.ppdu.as_nanos() / 1_000,
                "block_ack_window": limits.block_ack_window,
                "amsdu_bytes": limits.amsdu_bytes,
                "clause": limits.clause,
            })
        });
        (band.to_string(), json!({ "basic_rates_bps": basic_rates(standard, *band), "aggregation": limits }))
    };
    json!({
        "name": standard,
        "format": format_of(standard).to_string(),
        "bands": bands.iter().map(by_band).collect::<BTreeMap<_, _>>(),
        "band": standard_bands_sentence(standard),
    })
}

fn rates(format: Format) -> Vec<u64> {
    legacy_modes(format).map(|tx| tx.bit_rate().as_bps()).collect()
}

fn legacy_modes(format: Format) -> impl Iterator<Item = TxVector> {
    (0..=format.max_index()).map(move |index| TxVector { format, ..TxVector::ofdm(index) })
}

/// The rates that can be basic, those of HR/DSSS first.
fn basic_rates(standard: Standard, band: Band) -> Vec<u64> {
    let known = [Format::HrDsss, Format::Ofdm].into_iter().flat_map(legacy_modes);
    known.filter(|&tx| can_be_basic(standard, band, tx)).map(|tx| tx.bit_rate().as_bps()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scenario compiler writes values into plans as the table has them.
    #[test]
    fn options_have_the_values_of_plans() {
        let mut names = Vec::new();
        for option in PhyOption::ALL {
            names.push(option.name().to_owned());
            for (text, value) in option.values() {
                let plan = serde_json::to_value(value).expect("options are JSON");
                assert_eq!(plan[option.name()], text);
            }
        }
        let plan = serde_json::to_value(PhyOptions::NONE).expect("options are JSON");
        assert_eq!(names, plan.as_object().expect("an object").keys().cloned().collect::<Vec<_>>());
    }
}
