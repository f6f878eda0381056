//! Small plans.

use airtcp_plan::MacAddress;
use airtcp_plan::{
    AccessParameters, Aggregation, AirNic, AirPlan, CardPlan, Cell, CellKind, Delivery, ErpProtection,
    FqCodelPlan, MeshRoute, Mode, NicRole, PhyOptions, Propagation, QueuePlan, RadioChannel, RateControlPlan,
    Slot, Standard,
};
use airtcp_units::{BitRate, Dbm, Metre};

use crate::channel::scene::channel;

/// Aggregates of HT size.
pub(super) const AMPDU: Aggregation = Aggregation {
    ampdu_bytes: 65_535,
    ampdu_us: 5_484,
    block_ack_window: 64,
    amsdu_bytes: 0,
    amsdu_frames: 0,
};

/// Linux's queues, with small numbers where a test wants to reach a limit.
pub(super) const FQ_CODEL: FqCodelPlan = FqCodelPlan {
    packets: 8_192,
    memory_bytes: 16 << 20,
    flows: 4_096,
    quantum_bytes: 300,
    target_us: 20_000,
    interval_us: 100_000,
    ecn: true,
    airtime_quantum_us: 256,
    airtime_fairness: true,
    aql_us: Some([5_000, 12_000]),
    aql_threshold_us: 24_000,
};

/// The address of the NIC with this number.
pub(super) fn mac(nic: u32) -> MacAddress {
    MacAddress([2, 0, 0, 0, 1, nic as u8])
}

/// An address that no NIC has.
pub(super) const BEYOND: MacAddress = MacAddress([2, 0, 0, 0, 2, 1]);

/// An 802.11a cell of one access point and some stations at 54 Mb/s, with DCF and a queue of 100 frames.
pub(super) fn legacy(stations: u32) -> AirPlan {
    let roles = |i| if i == 0 { NicRole::AccessPoint } else { NicRole::Station };
    let nics = (0..=stations).map(|i| nic(i, roles(i))).collect();
    plan(Standard::Ofdm, CellKind::Infrastructure, nics)
}

/// The same of 802.11n at 5 GHz, with EDCA and A-MPDUs.
pub(super) fn high_throughput(stations: u32) -> AirPlan {
    let mut plan = legacy(stations);
    plan.cells[0].standard = Standard::Ht;
    plan.cells[0].access = vec![ACCESS; 4];
    for nic in &mut plan.nics {
        nic.aggregation = Some(AMPDU);
        nic.rate_control =
            RateControlPlan::Arf { success_threshold: 10, timeout_frames: 15, failure_threshold: 2 };
    }
    plan
}

/// A chain of mesh stations with 802.11a.
pub(super) fn chain(stations: u32) -> AirPlan {
    let nics = (0..stations).map(|i| {
        let far = (0..stations).filter(|&to| to.abs_diff(i) > 1);
        let mesh_routes = far.map(|to| MeshRoute { to, via: if to > i { i + 1 } else { i - 1 } }).collect();
        AirNic { mesh_routes, ..nic(i, NicRole::Mesh) }
    });
    plan(Standard::Ofdm, CellKind::Mesh, nics.collect())
}

const ACCESS: AccessParameters = AccessParameters { aifsn: 2, cw_min: 15, cw_max: 1023, txop_us: 0 };

fn plan(standard: Standard, kind: CellKind, nics: Vec<AirNic>) -> AirPlan {
    let cell = Cell {
        name: "cell".to_owned(),
        kind,
        standard,
        channel: RadioChannel { primary_mhz: 5_180, centre_mhz: 5_180, width_mhz: 20 },
        slot: Slot::Short,
        short_preamble: false,
        protection: ErpProtection::None,
        basic_rates_bps: vec![BitRate::from_mbps(6), BitRate::from_mbps(12), BitRate::from_mbps(24)],
        group_rate_bps: BitRate::from_mbps(6),
        access: vec![ACCESS],
        short_retry_limit: 7,
        long_retry_limit: 4,
        rts_threshold_bytes: 65_535,
        beacon: None,
        linux: None,
    };
    AirPlan { cells: vec![cell], nics, channel: channel(Propagation::FreeSpace) }
}

fn nic(i: u32, role: NicRole) -> AirNic {
    AirNic {
        node: format!("nic{i}"),
        mac: mac(i),
        role,
        cell: 0,
        streams: 1,
        guard_ns: 800,
        phy_options: PhyOptions::NONE,
        rate_control: RateControlPlan::Fixed { mode: Mode::Legacy { rate_bps: BitRate::from_mbps(54) } },
        queue: QueuePlan::Fifo { packets: 100 },
        aggregation: None,
        delivery: Delivery::PpduEnd,
        card: CardPlan::IDEAL,
        mesh_routes: Vec::new(),
        tx_power_dbm: Dbm::new(20.0),
        position_m: [Metre::new(0.0); 3],
        waypoints: Vec::new(),
        backpressure: true,
        bql: true,
        gro: true,
        rx_copy: true,
        pacing_shift: 7,
    }
}
