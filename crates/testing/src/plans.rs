//! A plan of the air to start from, and parts of plans.

use std::ops::Range;

use airtcp_plan::{
    Aggregation, AirNic, AirPlan, CellKind, FqCodelPlan, LinuxCell, LinuxRateControl, LinuxSetup, LinuxTxq,
    MacAddress, MeshRoute, NicRole, RateControlPlan, Security,
};

use crate::golden_plans::scene_json;

/// An access point (NIC 0) and a station in 11a at 54 Mb/s with DCF, which receive each other at -50 dBm.
///
/// # Panics
/// If the file is not a plan.
#[must_use]
pub fn one_station() -> AirPlan {
    serde_json::from_value(scene_json("one-station")["air"].take()).expect("the file is a scene")
}

/// Address of the NIC with this number in [`cell`].
#[must_use]
pub const fn mac(nic: u32) -> MacAddress {
    let [.., high, low] = (nic + 1).to_be_bytes();
    MacAddress([2, 0, 0, 0, high, low])
}

/// A cell of an access point and this many stations (NICs 1 and on).
#[must_use]
pub fn cell(stations: u32) -> AirPlan {
    let mut plan = one_station();
    let station = plan.nics.remove(1);
    plan.nics.extend((1..=stations).map(|i| AirNic {
        node: format!("sta{i}"),
        mac: mac(i),
        ..station.clone()
    }));
    plan
}

/// Makes the NICs of a plan a chain of mesh stations.
pub fn make_chain(plan: &mut AirPlan) {
    plan.cells[0].kind = CellKind::Mesh;
    let stations = plan.nics.len() as u32;
    for (i, nic) in (0..).zip(&mut plan.nics) {
        (nic.role, nic.mesh_routes) = (NicRole::Mesh, routes_in_chain(i, 0..stations));
    }
}

/// Routes of a station of a chain to those that are more than one hop away: over its neighbour.
pub fn routes_in_chain(station: u32, chain: Range<u32>) -> Vec<MeshRoute> {
    let via = |to| if to > station { station + 1 } else { station - 1 };
    chain.filter(|to| to.abs_diff(station) > 1).map(|to| MeshRoute { to, via: via(to) }).collect()
}

/// A cell of mac80211 with the network `net`, as Linux sets it up.
#[must_use]
pub fn linux_cell() -> LinuxCell {
    LinuxCell {
        setup: LinuxSetup::Direct,
        security: Security::Open,
        ssid: "net".to_owned(),
        rate_control: LinuxRateControl::Kernel,
        airtime_fairness: true,
        aql: true,
        prefetch_ppdus: 0,
        beacon_tu: 100,
        dtim: 2,
        power_save: false,
        uapsd: false,
        hardware_crypto: true,
        txq: LinuxTxq::default(),
        hostapd: Vec::new(),
        wpa_supplicant: Vec::new(),
        bss: Vec::new(),
    }
}

/// A-MPDUs as long as HT allows, of 64 MPDUs; no A-MSDUs.
pub const AMPDU: Aggregation = Aggregation {
    ampdu_bytes: 65_535,
    ampdu_us: 5_484,
    block_ack_window: 64,
    start_spacing_ns: 0,
    amsdu_bytes: 0,
    amsdu_frames: 0,
    voice: false,
};

/// Linux's queues between mac80211 and its driver.
pub const FQ_CODEL: FqCodelPlan = FqCodelPlan {
    packets: 8_192,
    memory_bytes: 16 << 20,
    flows: 4_096,
    quantum_bytes: 300,
    target_us: 20_000,
    interval_us: 100_000,
    ecn: true,
    slow_stations: None,
    airtime_quantum_us: 256,
    airtime_fairness: true,
    aql_us: Some([5_000, 12_000]),
    aql_threshold_us: 24_000,
};

/// ARF with its authors' parameters.
pub const ARF: RateControlPlan =
    RateControlPlan::Arf { success_threshold: 10, timeout_frames: 15, failure_threshold: 2 };
/// AARF with its authors' parameters.
pub const AARF: RateControlPlan = RateControlPlan::Aarf {
    success_min: 10,
    success_max: 50,
    success_factor: 2.0,
    timeout_min_frames: 15,
    timeout_factor: 2.0,
};
/// CARA with its authors' parameters.
pub const CARA: RateControlPlan = RateControlPlan::Cara {
    probe_threshold: 1,
    failure_threshold: 2,
    success_threshold: 10,
    timeout_frames: 15,
};
/// Minstrel as in Linux.
pub const MINSTREL: RateControlPlan =
    RateControlPlan::Minstrel { interval_us: 100_000, ewma_percent: 75, sample_percent: 10 };
/// `Minstrel-HT` as in Linux.
pub const MINSTREL_HT: RateControlPlan =
    RateControlPlan::MinstrelHt { interval_us: 50_000, ewma_percent: 75 };
/// The ideal rate control for one lost MPDU in a hundred.
pub const IDEAL: RateControlPlan = RateControlPlan::Ideal { error_rate: 0.01 };
