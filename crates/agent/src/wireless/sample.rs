//! A cell of mac80211, for tests.

use std::sync::Arc;

use airtcp_plan::{Cell, HtProtectionMode, Plan, RadioChannel, Standard};
use serde_json::json;

use super::capability::Band;
use super::radio::RadioFacts;

/// The access point of a cell of 11n on channel 36.
pub(super) fn facts() -> RadioFacts {
    let plan = plan();
    let mut cell = cell(Standard::Ht, RadioChannel { primary_mhz: 5180, centre_mhz: 5180, width_mhz: 20 });
    let access = json!([
        {"aifsn": 7, "cw_min": 15, "cw_max": 1023, "txop_us": 0},
        {"aifsn": 3, "cw_min": 15, "cw_max": 1023, "txop_us": 0},
        {"aifsn": 2, "cw_min": 7, "cw_max": 15, "txop_us": 3008},
        {"aifsn": 2, "cw_min": 3, "cw_max": 7, "txop_us": 1504}
    ]);
    cell.access = serde_json::from_value(access).expect("these are four categories");
    // As hostapd has them.
    let mut own = cell.access.clone();
    (own[1].cw_max, own[2].aifsn, own[3].aifsn) = (63, 1, 1);
    cell.ap_access = Some(own);
    RadioFacts {
        index: 9,
        nic: plan.air.nics[0].clone(),
        cell: Arc::new(cell),
        ht_protection: HtProtectionMode::None,
        place: "air.nics[0]".to_owned(),
        band: Band::default(),
    }
}

fn plan() -> Plan {
    airtcp_testing::golden_plans::plan("ping")
}

/// Without WMM.
pub(super) fn cell(standard: Standard, channel: RadioChannel) -> Cell {
    let mut cell = plan().air.cells[0].clone();
    (cell.standard, cell.channel) = (standard, channel);
    cell.basic_rates_bps = serde_json::from_value(json!([6_000_000, 12_000_000, 24_000_000])).unwrap();
    cell.access.clear();
    cell.ap_access = None;
    (cell.rts_threshold_bytes, cell.short_retry_limit, cell.long_retry_limit) = (u32::MAX, 7, 4);
    cell.linux = Some(
        serde_json::from_value(json!({
            "setup": "direct", "security": {"kind": "open"}, "ssid": "home", "rate_control": "kernel",
            "airtime_fairness": true, "aql": true, "prefetch_ppdus": 0, "beacon_tu": 100, "dtim": 2,
            "power_save": false, "uapsd": false, "hardware_crypto": true,
            "txq": {"limit_packets": null, "memory_bytes": null, "quantum_bytes": null},
            "hostapd": [], "wpa_supplicant": []
        }))
        .expect("this is a cell of mac80211"),
    );
    cell
}
