//! Small plans to start from.

use airtcp_plan::{
    AccessParameters, AirPlan, McsFormat, Mode, Propagation, RadioChannel, RateControlPlan, RssiLink,
    Standard,
};
use airtcp_testing::plans::{AMPDU, cell, make_chain};
use airtcp_units::{Dbm, Decibel};

use crate::low::ErrorRates;
use crate::phy::TxVector;

/// DIFS, and no backoff: chance is taken away.
pub(super) const AT_ONCE: AccessParameters = AccessParameters { aifsn: 2, cw_min: 0, cw_max: 0, txop_us: 0 };

/// One stream, 20 MHz, long guard interval.
pub(super) fn ht(mcs: u32) -> RateControlPlan {
    let mode = Mode::Mcs { format: McsFormat::Ht, mcs, streams: 1, width_mhz: 20, guard_ns: 800 };
    RateControlPlan::Fixed { mode }
}

/// An access point (NIC 0) and this many stations in 11a at 54 Mb/s, everybody in range at -50 dBm: DCF without backoff, and this
/// many attempts for each frame.
pub(super) fn no_backoff(stations: u32, attempts: u32) -> AirPlan {
    let mut plan = cell(stations);
    plan.cells[0].access = vec![AT_ONCE];
    (plan.cells[0].short_retry_limit, plan.cells[0].long_retry_limit) = (attempts, attempts);
    plan
}

/// 11g at 2.4 GHz instead.
pub(super) fn at_2_4_ghz(plan: &mut AirPlan) {
    plan.cells[0].standard = Standard::Erp;
    plan.cells[0].channel = RadioChannel { primary_mhz: 2412, centre_mhz: 2412, width_mhz: 20 };
}

/// 11n at 65 Mb/s with EDCA, without backoff, A-MPDUs on both sides.
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

/// Every PPDU faster than 24 Mb/s needs 20 dB, every other 10 dB; then none is lost, else all are.
#[derive(Debug)]
pub(super) struct Cliff;

impl ErrorRates for Cliff {
    fn decay_per_octet(&self, tx: TxVector, sinr_db: Decibel, _psdu_bytes: u32) -> f64 {
        let needed = if tx.bit_rate().as_bps() > 24_000_000 { 20.0 } else { 10.0 };
        if sinr_db.get() >= needed { 0.0 } else { f64::INFINITY }
    }
}
