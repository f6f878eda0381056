//! What both ends of a link can do.
//!
//! Two NICs use the newest format that both have, in the part of the channel that both use, with the streams of the one that
//! has fewer (IEEE 802.11-2020, 10.6.5 and 10.6.13: a station sends nothing that the receiver's capabilities do not have).

use airtcp_plan::{AirNic, AirPlan, CodeChoice, PhyOptions, Reception, Standard};
use airtcp_units::BitRate;

use crate::phy::{Band, BasicRates, Format, Guard, NominalPadding, Width, format_of, is_in_band};
use crate::rate::LinkModes;
use crate::setup_error::{SetupError, refuse};

/// Shortest guard interval of HT and VHT, which newer radios have towards older ones (IEEE 802.11-2020, 19.3.11.11.5).
const SHORT_GUARD_NS: u32 = 400;
/// Shortest guard interval of HE and EHT (IEEE 802.11ax-2021, 27.3.11).
const SHORTEST_GUARD_OF_HE_NS: u32 = 800;

/// The band of a cell whose channel exists, which the world has checked.
pub(super) fn band_of(cell: &airtcp_plan::Cell) -> Band {
    Band::of_mhz(cell.channel.primary_mhz).expect("the channel is in a band")
}

/// What this NIC needs after the data of a PPDU; the check of plans knows that it exists.
pub(crate) fn padding_of(nic: &AirNic) -> NominalPadding {
    NominalPadding::from_micros(nic.nominal_packet_padding_us).unwrap_or_default()
}

/// The newest PHY that both ends have in the band of the sender. (A radio of mac80211 whose home is another cell has what is said of
/// itself alone, as far as the sender's band has it.)
pub(crate) fn link_standard(plan: &AirPlan, own: &AirNic, other: &AirNic) -> Standard {
    let ours = plan.standard_of(own);
    let theirs = if other.cell == own.cell { Some(plan.standard_of(other)) } else { other.standard };
    let older = theirs.map_or(ours, |theirs| theirs.min(ours));
    if is_in_band(older, band_of(&plan.cells[own.cell as usize])) { older } else { ours }
}

/// Width of the channel that both ends use, in MHz.
pub(crate) fn link_width_mhz(plan: &AirPlan, own: &AirNic, other: &AirNic) -> u32 {
    let width_mhz = own.channel_in(&plan.cells[own.cell as usize]).width_mhz;
    other.width_mhz.map_or(width_mhz, |theirs| theirs.min(width_mhz))
}

/// Shortest guard interval that a NIC uses in modes of this standard. What is said of an HE or EHT radio is about its own formats: in
/// older ones it has the short guard interval, and the older radio decides.
fn guard_ns(plan: &AirPlan, nic: &AirNic, link: Standard) -> u32 {
    let has_he = |standard| matches!(standard, Standard::He | Standard::Eht);
    match nic.guard_ns {
        SHORTEST_GUARD_OF_HE_NS if has_he(plan.standard_of(nic)) && !has_he(link) => SHORT_GUARD_NS,
        longer if has_he(plan.standard_of(nic)) && !has_he(link) => longer.min(SHORTEST_GUARD_OF_HE_NS),
        guard_ns => guard_ns,
    }
}

/// What both ends of a link can do.
pub(crate) fn link_modes(
    plan: &AirPlan,
    i: usize,
    own: &AirNic,
    other: &AirNic,
) -> Result<LinkModes, SetupError> {
    let cell = &plan.cells[own.cell as usize];
    let standard = link_standard(plan, own, other);
    let is_hr_dsss =
        |rate: &BitRate| BasicRates::tx_vector_of(*rate).is_some_and(|tx| tx.format == Format::HrDsss);
    let guard_ns = match format_of(standard) {
        // Formats without a choice have this one.
        Format::HrDsss | Format::Ofdm if own.standard.or(other.standard).is_some() => 800,
        _ => guard_ns(plan, own, standard).max(guard_ns(plan, other, standard)),
    };
    let shortest_guard = match standard {
        // A single carrier has no such choice.
        Standard::Dmg => Some(Guard::Ns800),
        _ => Guard::from_nanos(guard_ns),
    };
    let Some(shortest_guard) = shortest_guard else {
        let reason = format!("there is no guard interval of {guard_ns} ns");
        return refuse(format!("air.nics[{i}].guard_ns"), reason, "choose 400, 800, 1600 or 3200");
    };
    let width_mhz = link_width_mhz(plan, own, other);
    let Some(width) = Width::from_mhz(width_mhz) else {
        let reason = format!("no channel is {width_mhz} MHz wide");
        let key = format!("air.cells[{}].channel.width_mhz", own.cell);
        return refuse(key, reason, "choose 20, 40, 80, 160, 320, or 2160 in 11ad");
    };
    let of_own_format = standard == plan.standard_of(own);
    Ok(LinkModes {
        standard,
        band: band_of(cell),
        width,
        streams: u8::try_from(own.streams.min(other.streams)).unwrap_or(u8::MAX),
        shortest_guard,
        phy_options: if of_own_format { own.phy_options } else { PhyOptions::NONE },
        padding: padding_of(other),
        hr_dsss: cell.basic_rates_bps.iter().any(is_hr_dsss),
        short_preamble: cell.short_preamble,
        ldpc: plan.channel.reception == Reception::Table { code: CodeChoice::Ldpc },
    })
}
