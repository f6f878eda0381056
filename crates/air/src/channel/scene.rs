//! Plans for the tests of the channel.

use airtcp_plan::MacAddress;
use airtcp_plan::{AirNic, AirPlan, Cell, ChannelPlan, Fading, Propagation, Reception, Waypoint};
use airtcp_units::{Dbm, Decibel, Instant, Metre};
use serde_json::json;

/// Traffic begins this long after the guest's clock.
pub(super) const EPOCH: Instant = Instant::from_nanos(3_000_000_000);

/// The instant this many seconds after the epoch.
pub(super) fn at(time_s: f64) -> Instant {
    Instant::from_nanos(EPOCH.as_nanos() + nanos(time_s))
}

pub(super) fn nanos(time_s: f64) -> u64 {
    (time_s * 1e9).round() as u64
}

pub(super) fn metres(place: [f64; 3]) -> [Metre; 3] {
    place.map(Metre::new)
}

/// A waypoint at this many seconds.
pub(super) fn waypoint(time_s: f64, place: [f64; 3]) -> Waypoint {
    Waypoint { time_ns: nanos(time_s), position_m: metres(place) }
}

/// Free space at 5.18 GHz between NICs that send 20 dBm from these places, without fading and loss.
pub(super) fn plan(places: &[[f64; 3]]) -> AirPlan {
    let nics = places.iter().enumerate().map(|(i, &place)| nic(i, place)).collect();
    AirPlan { cells: vec![cell(5180)], nics, channel: channel(Propagation::FreeSpace) }
}

/// A channel with this path loss and nothing else: no fading, no loss, no capture.
pub(crate) fn channel(propagation: Propagation) -> ChannelPlan {
    ChannelPlan {
        propagation,
        shadowing: None,
        fading: Fading::None,
        traces: Vec::new(),
        reception: Reception::Ideal,
        losses: Vec::new(),
        capture_db: None,
        carrier_sense_dbm: Dbm::new(-82.0),
        preamble_detection_ns: 4_000,
        noise_figure_db: Decibel::new(7.0),
        update_ns: 100_000_000,
    }
}

/// A cell on a channel of 20 MHz.
pub(super) fn cell(frequency_mhz: u32) -> Cell {
    let cell = json!({
        "name": "cell", "kind": "infrastructure", "standard": "11a",
        "channel": { "primary_mhz": frequency_mhz, "centre_mhz": frequency_mhz, "width_mhz": 20 },
        "slot": "short", "short_preamble": false, "protection": "none",
        "basic_rates_bps": [6_000_000], "group_rate_bps": 6_000_000,
        "access": [{ "aifsn": 2, "cw_min": 15, "cw_max": 1023, "txop_us": 0 }],
        "short_retry_limit": 7, "long_retry_limit": 4, "rts_threshold_bytes": 65536, "beacon": null, "linux": null,
    });
    serde_json::from_value(cell).expect("this is a cell")
}

fn nic(i: usize, place: [f64; 3]) -> AirNic {
    let nic = json!({
        "node": format!("n{i}"), "mac": "02:00:00:00:00:00", "role": "station", "cell": 0, "streams": 1,
        "guard_ns": 800, "phy_options": {},
        "rate_control": { "kind": "fixed", "mode": { "kind": "legacy", "rate_bps": 54_000_000 } },
        "queue": { "kind": "fifo", "packets": 100 }, "aggregation": null, "delivery": "ppdu_end",
        "card": { "rx_interrupt": null, "hardware_queue": null, "host_delay": null },
        "mesh_routes": [], "tx_power_dbm": 20.0, "position_m": place, "waypoints": [], "backpressure": true,
        "bql": true, "gro": false, "rx_copy": false, "pacing_shift": 10,
    });
    let mut nic: AirNic = serde_json::from_value(nic).expect("this is a NIC");
    let [.., high, low] = (i as u32 + 1).to_be_bytes();
    nic.mac = MacAddress([2, 0, 0, 0, high, low]);
    nic
}
