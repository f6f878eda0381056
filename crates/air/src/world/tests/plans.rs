//! Small plans to start from.

use airtcp_plan::{
    AccessParameters, AirPlan, Cell, McsFormat, Mode, Propagation, RateControlPlan, RssiLink, Standard,
};
use airtcp_testing::plans::{AMPDU, cell, make_chain};
use airtcp_units::{BitRate, Dbm, Decibel, Metre};

use crate::low::ErrorRates;
use crate::phy::TxVector;

/// DIFS, and no backoff: chance is taken away.
pub(super) const AT_ONCE: AccessParameters = AccessParameters { aifsn: 2, cw_min: 0, cw_max: 0, txop_us: 0 };

/// Always this rate of HR/DSSS or OFDM.
pub(super) fn fixed(mbps: u64) -> RateControlPlan {
    RateControlPlan::Fixed { mode: Mode::Legacy { rate_bps: BitRate::from_mbps(mbps) } }
}

/// One stream, 20 MHz, long guard interval.
pub(super) fn ht(mcs: u32) -> RateControlPlan {
    let mode = Mode::Mcs { format: McsFormat::Ht, mcs, streams: 1, width_mhz: 20, guard_ns: 800 };
    RateControlPlan::Fixed { mode }
}

/// One stream, 20 MHz.
pub(super) fn he(mcs: u32) -> RateControlPlan {
    let mode = Mode::Mcs { format: McsFormat::He, mcs, streams: 1, width_mhz: 20, guard_ns: 800 };
    RateControlPlan::Fixed { mode }
}

/// An access point (NIC 0) and this many stations in 11a at 54 Mbit/s, everybody in range at -50 dBm: DCF without backoff, and this
/// many attempts for each frame.
pub(super) fn no_backoff(stations: u32, attempts: u32) -> AirPlan {
    let mut plan = cell(stations);
    plan.cells[0].access = vec![AT_ONCE];
    allow_attempts(&mut plan.cells[0], attempts);
    plan
}

/// Allows so many attempts for any frame.
pub(super) fn allow_attempts(cell: &mut Cell, attempts: u32) {
    (cell.short_retry_limit, cell.long_retry_limit) = (attempts, attempts);
    (cell.subframe_retry_limit, cell.station_retry_limit) = (attempts, attempts);
}

/// Moves a cell to another channel of 20 MHz.
pub(super) fn tune(cell: &mut Cell, mhz: u32) {
    (cell.channel.primary_mhz, cell.channel.centre_mhz) = (mhz, mhz);
}

/// 11g at 2.4 GHz instead.
pub(super) fn at_2_4_ghz(plan: &mut AirPlan) {
    plan.cells[0].standard = Standard::Erp;
    tune(&mut plan.cells[0], 2412);
}

/// 11n at 65 Mbit/s with EDCA, without backoff, A-MPDUs on both sides.
pub(super) fn aggregating(stations: u32, attempts: u32) -> AirPlan {
    let mut plan = no_backoff(stations, attempts);
    plan.cells[0].standard = Standard::Ht;
    plan.cells[0].access = vec![AT_ONCE; 4];
    for nic in &mut plan.nics {
        (nic.rate_control, nic.aggregation) = (ht(7), Some(AMPDU));
    }
    plan
}

/// Received powers that differ from the default.
pub(super) fn set_rssi(plan: &mut AirPlan, powers: &[(u32, u32, f64)]) {
    let Propagation::Rssi { links, .. } = &mut plan.channel.propagation else { panic!("powers are given") };
    links.extend(powers.iter().map(|&(a, b, dbm)| RssiLink { a, b, rssi_dbm: Dbm::new(dbm) }));
}

/// A chain of mesh stations.
pub(super) fn chain(stations: u32) -> AirPlan {
    let mut plan = no_backoff(stations - 1, 7);
    make_chain(&mut plan);
    for (i, nic) in plan.nics.iter_mut().enumerate() {
        nic.node = format!("m{i}");
    }
    plan
}

/// The stations hear the access point, but can't read it.
pub(super) fn weak_access_point(stations: u32, attempts: u32) -> AirPlan {
    let mut plan = no_backoff(stations, attempts);
    plan.channel.propagation = Propagation::LogDistance {
        exponent: 3.0,
        reference_loss_db: Some(Decibel::new(40.0)),
        reference_distance_m: Metre::new(1.0),
    };
    plan.channel.carrier_sense_dbm = Dbm::new(-150.0);
    plan.nics[0].tx_power_dbm = Dbm::new(-80.0);
    plan
}

/// Every PPDU faster than 24 Mbit/s needs 20 dB, every other 10 dB; then none is lost, else all are.
#[derive(Debug)]
pub(super) struct Cliff;

impl ErrorRates for Cliff {
    fn decay_per_octet(&self, tx: TxVector, sinr_db: Decibel, _psdu_bytes: u32) -> f64 {
        let needed = if tx.bit_rate().as_bps() > 24_000_000 { 20.0 } else { 10.0 };
        if sinr_db.get() >= needed { 0.0 } else { f64::INFINITY }
    }
}
