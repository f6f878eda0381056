//! What IEEE 802.11 allows, as a table: the model's own rules and sentences, for the compiler of scenarios.
//!
//! Every value is an answer of [`airtcp_air::phy`], so that the scenario compiler and the model refuse the same, with the same messages. In a
//! sentence `{}` stands for the refused value.

use std::collections::BTreeMap;

use airtcp_air::phy::{
    Band, Format, Guard, IllegalMode, OVERLAP_SENTENCE, PROTECTION_SENTENCE, SHORT_PREAMBLE_SENTENCE,
    STANDARDS, TxVector, Width, aggregation_limits, bands_sentence, can_be_basic, channels, check_channel,
    check_width, format_of, guards_sentence, he_ltf_sentence, indices_sentence, is_in_band, ltf_name,
    standard_bands_sentence, streams_sentence, widths_in_band_sentence, widths_sentence,
};
use airtcp_plan::{HeLtf, Standard};
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
        "hr_dsss_rates_bps": rates(Format::HrDsss),
        "ofdm_rates_bps": rates(Format::Ofdm),
        "dmg_control_rate_bps": Band::Ghz60.lowest_mandatory(false).bit_rate().as_bps(),
        "sentences": {
            "short_preamble": SHORT_PREAMBLE_SENTENCE,
            "protection": PROTECTION_SENTENCE,
            "overlap": OVERLAP_SENTENCE,
        },
    })
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
    json!({
        "bands": bands.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "widths_mhz": widths.iter().map(|width| width.mhz()).collect::<Vec<_>>(),
        "first_index": format.min_data_index(),
        "last_index": format.max_index(),
        "max_streams": format.max_streams(),
        "guards_ns": guards,
        "he_ltf_guards_ns": he_ltf_guards(format),
        "has_mcs": !matches!(format, Format::HrDsss | Format::Ofdm),
        "sentences": {
            "band": bands_sentence(format),
            "width": widths_sentence(format),
            "index": indices_sentence(format),
            "streams": streams_sentence(format),
            "guard": guards_sentence(format),
            "he_ltf": he_ltf_sentence(format),
        },
        "left_out": left_out(format, &bands, &widths),
    })
}

/// The guard intervals of each HE-LTF, where a format has a choice of it.
fn he_ltf_guards(format: Format) -> BTreeMap<&'static str, Vec<u64>> {
    let guards =
        |ltf| Guard::ALL.into_iter().filter(move |&guard| format.has_ltf(ltf, guard)).map(Guard::nanos);
    let ltfs = [HeLtf::X1, HeLtf::X2, HeLtf::X4];
    if format == Format::He {
        ltfs.map(|ltf| (ltf_name(ltf), guards(ltf).collect())).into()
    } else {
        BTreeMap::new()
    }
}

/// Combinations that the format's tables leave out although it has each of their parts.
fn left_out(format: Format, bands: &[Band], widths: &[Width]) -> Vec<Value> {
    let mut found = Vec::new();
    for &width in widths {
        for mcs in format.min_data_index()..=format.max_index() {
            for streams in 1..=format.max_streams() {
                let tx = TxVector::mimo(format, mcs, streams, width, Guard::Ns800);
                let why = bands.iter().find_map(|&band| tx.check(band).err());
                if let Some(why @ IllegalMode::VhtCombination { .. }) = why {
                    let width_mhz = width.mhz();
                    found.push(json!({
                        "width_mhz": width_mhz, "mcs": mcs, "streams": streams, "sentence": why.to_string(),
                    }));
                }
            }
        }
    }
    found
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
