//! One saturated station in every standard, up and down: the simulated air against `analytic::goodput`.
//!
//! Source: the closed form of J. Jun, P. Peddabachagari and M. Sichitiu, "Theoretical maximum throughput of IEEE 802.11 and its
//! applications", NCA 2003, with aggregation and TXOP (`docs/models/analytic.md`). Tolerance 1 %. Runs are so long that chance (the
//! mean of the backoffs) has a standard error of 0.2 %. The closed form itself is held against arithmetic by hand and published
//! values in `hand_computed_goodput.rs`.

use airtcp_plan::{Aggregation, AirPlan, ErpProtection, Slot, Standard};
use airtcp_units::BitRate;

use crate::scene::{
    AMPDU, Down, FRAME_BYTES, Phy, Up, Worst, aggregate, closed_form, dmg, legacy, mbps, mcs, plan, run,
    saturated_source, seconds_alone,
};

const TOLERANCE: f64 = 0.01;
const STANDARD_ERROR: f64 = 0.002;

/// Both directions, long frames and short ones (which would make aggregates of thousands of frames, so there only long ones).
fn hold(worst: &mut Worst, what: &str, air: &AirPlan) {
    let lengths = if air.nics[0].aggregation.is_some() { vec![FRAME_BYTES] } else { vec![FRAME_BYTES, 300] };
    for direction in [Up, Down] {
        for &frame_bytes in &lengths {
            let expected = closed_form(air, direction, frame_bytes);
            let seconds = seconds_alone(&expected, air.cells[0].access[0].cw_min, STANDARD_ERROR);
            let (from, to) = direction.ends(1);
            let source = airtcp_plan::Source { frame_bytes, ..saturated_source(from, to, 0) };
            let report = run(air.clone(), vec![source], seconds, 1);
            let measured = mbps(&report, frame_bytes);
            let of = format!("{what}, {direction:?}, {frame_bytes} octets");
            worst.note(of, measured, expected.bits_per_second(frame_bytes) / 1e6);
        }
    }
}

/// RTS threshold and TXOP limit: plain, with both, with one of them.
const EXCHANGES: [(u32, u32); 4] = [(u32::MAX, 0), (500, 4_096), (0, 0), (u32::MAX, 2_528)];

/// In each of these ways to access the medium.
fn hold_exchanges(worst: &mut Worst, phy: Phy, air: &AirPlan, exchanges: &[(u32, u32)]) {
    for &(rts_threshold_bytes, txop_us) in exchanges {
        let mut air = air.clone();
        let cell = &mut air.cells[0];
        cell.rts_threshold_bytes = rts_threshold_bytes;
        cell.access.iter_mut().for_each(|access| access.txop_us = txop_us);
        let aggregation = air.nics[0].aggregation;
        let what = format!("{phy:?}, {aggregation:?}, RTS above {rts_threshold_bytes}, TXOP {txop_us} us");
        hold(worst, &what, &air);
    }
}

/// Without aggregation, with A-MPDU, with A-MSDU, with both. A-MSDUs of 7935 octets would last longer than 5.484 ms (2 ms in 11ad) at
/// the slowest modes; there a faster one is taken (`docs/models/aggregation.md`).
fn hold_aggregates(worst: &mut Worst, phy: Phy) {
    let amsdu = Aggregation { ampdu_bytes: 0, amsdu_bytes: 7_935, ..AMPDU };
    let both = Aggregation { amsdu_bytes: 3_839, ..AMPDU };
    hold_exchanges(worst, phy, &plan(phy, 1), &EXCHANGES);
    for (limits, ways) in [(AMPDU, 4), (amsdu, 2), (both, 2)] {
        let mut air = plan(phy, 1);
        aggregate(&mut air, limits);
        hold_exchanges(worst, phy, &air, &EXCHANGES[..ways]);
    }
}

#[test]
fn hr_dsss() {
    let mut worst = Worst::default();
    for kbps in [1_000, 2_000, 5_500, 11_000] {
        let phy = legacy(Standard::HrDsss, kbps);
        for short_preamble in [false, true] {
            let mut air = plan(phy, 1);
            air.cells[0].short_preamble = short_preamble;
            hold_exchanges(&mut worst, phy, &air, &EXCHANGES);
        }
    }
    worst.within(TOLERANCE, "one station, 11b");
}

#[test]
fn ofdm_and_erp() {
    let mut worst = Worst::default();
    for standard in [Standard::Ofdm, Standard::Erp] {
        for kbps in [6_000, 9_000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000] {
            let phy = legacy(standard, kbps);
            hold_exchanges(&mut worst, phy, &plan(phy, 1), &EXCHANGES);
        }
    }
    worst.within(TOLERANCE, "one station, 11a and 11g");
}

/// 11g beside 11b stations: long slots, protection at HR/DSSS rates.
#[test]
fn erp_with_protection() {
    let mut worst = Worst::default();
    for (protection, short_preamble) in [
        (ErpProtection::CtsToSelf, false),
        (ErpProtection::CtsToSelf, true),
        (ErpProtection::RtsCts, false),
        (ErpProtection::RtsCts, true),
    ] {
        for kbps in [6_000, 24_000, 54_000] {
            let phy = legacy(Standard::Erp, kbps);
            let mut air = plan(phy, 1);
            let cell = &mut air.cells[0];
            (cell.protection, cell.short_preamble, cell.slot) = (protection, short_preamble, Slot::Long);
            cell.basic_rates_bps =
                [1_000, 2_000, 5_500, 11_000].map(|kbps| BitRate::from_bps(kbps * 1000)).to_vec();
            cell.group_rate_bps = BitRate::from_mbps(1);
            hold(&mut worst, &format!("{phy:?}, {protection:?}"), &air);
        }
    }
    worst.within(TOLERANCE, "one station, 11g with protection");
}

#[test]
fn ht() {
    let mut worst = Worst::default();
    for phy in [
        mcs(Standard::Ht, 0, 1, 20, 800),
        mcs(Standard::Ht, 7, 1, 20, 400),
        mcs(Standard::Ht, 7, 2, 40, 400),
        mcs(Standard::Ht, 7, 4, 40, 800),
    ] {
        hold_aggregates(&mut worst, phy);
    }
    worst.within(TOLERANCE, "one station, 11n");
}

#[test]
fn vht() {
    let mut worst = Worst::default();
    for phy in [
        mcs(Standard::Vht, 0, 1, 20, 800),
        mcs(Standard::Vht, 9, 1, 40, 400),
        mcs(Standard::Vht, 9, 2, 80, 800),
        mcs(Standard::Vht, 9, 8, 160, 400),
    ] {
        hold_aggregates(&mut worst, phy);
    }
    worst.within(TOLERANCE, "one station, 11ac");
}

#[test]
fn he() {
    let mut worst = Worst::default();
    for phy in [
        mcs(Standard::He, 0, 1, 20, 3_200),
        mcs(Standard::He, 4, 1, 40, 1_600),
        mcs(Standard::He, 11, 2, 80, 800),
        mcs(Standard::He, 11, 8, 160, 800),
    ] {
        hold_aggregates(&mut worst, phy);
    }
    worst.within(TOLERANCE, "one station, 11ax");
}

#[test]
fn eht() {
    let mut worst = Worst::default();
    for phy in [
        mcs(Standard::Eht, 0, 1, 20, 800),
        mcs(Standard::Eht, 13, 2, 160, 800),
        mcs(Standard::Eht, 13, 1, 320, 3_200),
        mcs(Standard::Eht, 13, 8, 320, 800),
    ] {
        hold_aggregates(&mut worst, phy);
    }
    worst.within(TOLERANCE, "one station, 11be");
}

/// Windows of 256 and 1024 MPDUs.
#[test]
fn long_windows() {
    let mut worst = Worst::default();
    for (phy, block_ack_window) in
        [(mcs(Standard::He, 11, 2, 160, 800), 256), (mcs(Standard::Eht, 13, 4, 320, 800), 1024)]
    {
        let mut air = plan(phy, 1);
        aggregate(&mut air, Aggregation { block_ack_window, ..AMPDU });
        hold(&mut worst, &format!("{phy:?}, window {block_ack_window}"), &air);
    }
    worst.within(TOLERANCE, "one station, long windows");
}

#[test]
fn single_carrier_at_60_ghz() {
    let mut worst = Worst::default();
    for index in [1, 4, 12] {
        hold_aggregates(&mut worst, dmg(index));
    }
    worst.within(TOLERANCE, "one station, 11ad");
}
