//! Small plans to start from.

use airtcp_plan::MacAddress;
use airtcp_plan::{
    AccessParameters, Aggregation, AirNic, AirPlan, CardPlan, Cell, CellKind, Delivery, ErpProtection,
    McsFormat, MeshRoute, Mode, NicRole, PhyOptions, Propagation, QueuePlan, RadioChannel, RateControlPlan,
    RssiLink, Slot, Standard,
};
use airtcp_units::{BitRate, Dbm, Decibel, Metre};

use crate::channel::scene::channel;
use crate::low::ErrorRates;
use crate::phy::TxVector;

/// DIFS, and no backoff: chance is taken away.
pub(super) const AT_ONCE: AccessParameters = AccessParameters { aifsn: 2, cw_min: 0, cw_max: 0, txop_us: 0 };

/// Aggregates of HT size.
pub(super) const AMPDU: Aggregation = Aggregation {
    ampdu_bytes: 65_535,
    ampdu_us: 5_484,
    block_ack_window: 64,
    amsdu_bytes: 0,
    amsdu_frames: 0,
};

pub(super) fn legacy(rate_mbps: u64) -> RateControlPlan {
    RateControlPlan::Fixed { mode: Mode::Legacy { rate_bps: BitRate::from_mbps(rate_mbps) } }
}

/// One stream, 20 MHz, long guard interval.
pub(super) fn ht(mcs: u32) -> RateControlPlan {
    let mode = Mode::Mcs { format: McsFormat::Ht, mcs, streams: 1, width_mhz: 20, guard_ns: 800 };
    RateControlPlan::Fixed { mode }
}

/// Address of the station with this number; 0 is the access point.
pub(super) fn mac(station: u32) -> MacAddress {
    let [.., c, d] = station.to_be_bytes();
    MacAddress([2, 0, 0, 0, c, d + 1])
}

/// An access point (NIC 0) and this many stations in 11a at 54 Mb/s, with DCF, everybody in range at -50 dBm.
pub(super) fn cell(stations: u32) -> AirPlan {
    let name = |i| if i == 0 { "ap".to_owned() } else { format!("sta{i}") };
    let nic = |i| AirNic {
        node: name(i),
        mac: mac(i),
        role: if i == 0 { NicRole::AccessPoint } else { NicRole::Station },
        cell: 0,
        streams: 1,
        guard_ns: 800,
        phy_options: PhyOptions::NONE,
        rate_control: legacy(54),
        queue: QueuePlan::Fifo { packets: 100 },
        aggregation: None,
        delivery: Delivery::PpduEnd,
        card: CardPlan::IDEAL,
        mesh_routes: vec![],
        tx_power_dbm: Dbm::new(16.0),
        position_m: [Metre::new(f64::from(i)), Metre::new(0.0), Metre::new(1.0)],
        waypoints: vec![],
        backpressure: true,
        bql: true,
        gro: false,
        rx_copy: false,
        pacing_shift: 10,
    };
    let propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-50.0) };
    AirPlan { cells: vec![bss()], nics: (0..=stations).map(nic).collect(), channel: channel(propagation) }
}

fn bss() -> Cell {
    Cell {
        name: "cell".to_owned(),
        kind: CellKind::Infrastructure,
        standard: Standard::Ofdm,
        channel: RadioChannel { primary_mhz: 5180, centre_mhz: 5180, width_mhz: 20 },
        slot: Slot::Short,
        short_preamble: false,
        protection: ErpProtection::None,
        basic_rates_bps: [6, 12, 24].map(BitRate::from_mbps).to_vec(),
        group_rate_bps: BitRate::from_mbps(6),
        access: vec![AccessParameters { cw_min: 15, cw_max: 1023, ..AT_ONCE }],
        short_retry_limit: 7,
        long_retry_limit: 7,
        rts_threshold_bytes: 65_535,
        beacon: None,
        linux: None,
    }
}

/// The same without backoff, and with this many attempts for each frame.
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
    plan.cells[0].kind = CellKind::Mesh;
    for (i, nic) in (0..).zip(&mut plan.nics) {
        let far = (0..stations).filter(|to| to.abs_diff(i) > 1);
        nic.mesh_routes = far.map(|to| MeshRoute { to, via: if to > i { i + 1 } else { i - 1 } }).collect();
        (nic.node, nic.role) = (format!("m{i}"), NicRole::Mesh);
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
