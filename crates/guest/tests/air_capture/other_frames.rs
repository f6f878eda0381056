//! RTS and CTS, group frames, beacons, mesh frames.

use airtcp_units::Duration;
use serde_json::{Value, json};

use crate::bench::{AP, BEYOND, Bench, NOON, STA, capture, mac, segment};

const EVERYBODY: [u8; 6] = [0xff; 6];

#[test]
fn rts_and_cts_announce_what_follows() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| {
        plan["air"]["cells"][0]["rts_threshold_bytes"] = json!(500);
    });
    bench.transmit(STA, &segment(BEYOND, mac(2), 5001), 1514, NOON);
    let captured = bench.captured("air");
    let kinds: Vec<_> = captured.iter().map(|packet| (packet.mpdu[0], packet.mpdu_bytes)).collect();
    assert_eq!(kinds, [(0xb4, 20), (0xc4, 14), (0x08, 1536), (0xd4, 14)]);
    assert_eq!(captured[0].mpdu[4..16], [mac(1), mac(2)].concat());
    assert_eq!(captured[1].mpdu[4..10], mac(2));
    let end = |number: usize, of_us: u64| captured[number].time_ns / 1000 + of_us;
    // Each lasts until the acknowledgement is over; 28 us of PPDU at 24 Mbit/s with 6 us of extension.
    let silent_until: Vec<_> = [(0, 34), (1, 34), (2, 254)]
        .map(|(number, lasts)| {
            let nav = u16::from_le_bytes([captured[number].mpdu[2], captured[number].mpdu[3]]);
            end(number, lasts) + u64::from(nav)
        })
        .to_vec();
    assert_eq!(silent_until, [end(3, 34); 3]);
}

#[test]
fn a_group_frame_has_its_address_and_no_qos_control() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| {
        let category = json!({"aifsn": 3, "cw_min": 15, "cw_max": 1023, "txop_us": 0});
        plan["air"]["cells"][0]["access"] = json!([category, category, category, category]);
    });
    bench.transmit(AP, &segment(EVERYBODY, mac(1), 5001), 100, NOON);
    let captured = bench.captured("air");
    assert_eq!(captured.len(), 1);
    assert_eq!(
        captured[0].mpdu[..24],
        [&[0x08, 2, 0, 0][..], &EVERYBODY, &mac(1), &mac(1), &[0, 0]].concat()
    );
    // No receiver, no power.
    assert_eq!((captured[0].radiotap.len(), captured[0].mpdu_bytes), (22, 86 + 8 + 28));
}

#[test]
fn a_beacon_names_its_cell() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| {
        plan["air"]["cells"][0]["beacon"] = json!({"interval_us": 102_400, "bytes": 110});
    });
    bench.run_until(NOON);
    let captured = bench.captured("air");
    let beacon = &captured[0];
    assert_eq!((beacon.mpdu[0], beacon.mpdu_bytes), (0x80, 110));
    assert_eq!(beacon.mpdu[4..22], [EVERYBODY, mac(1), mac(1)].concat());
    assert_eq!(u64::from_le_bytes(beacon.mpdu[24..32].try_into().unwrap()), beacon.time_ns / 1000);
    let body = [
        100, 0, 0x21, 4, // interval, ESS with short preambles and slots
        0, 3, b'a', b'p', b'1', 1, 3, 0x8c, 0x98, 0xb0, 3, 1, 6, 5, 4, 0, 1, 0, 0,
    ];
    assert_eq!(beacon.mpdu[32..], body);
    // A short beacon has what fits.
    let mut short = Bench::new(&json!([capture("air")]), |plan| {
        plan["air"]["cells"][0]["beacon"] = json!({"interval_us": 102_400, "bytes": 40});
    });
    short.run_until(NOON);
    let beacon = &short.captured("air")[0];
    assert_eq!((beacon.mpdu_bytes, beacon.mpdu.len()), (40, 40));
}

fn mesh(plan: &mut Value, qos: bool) {
    let cell = &mut plan["air"]["cells"][0];
    cell["kind"] = json!("mesh");
    if qos {
        let category = json!({"aifsn": 3, "cw_min": 15, "cw_max": 1023, "txop_us": 0});
        cell["access"] = json!([category, category, category, category]);
    }
    for nic in plan["air"]["nics"].as_array_mut().unwrap() {
        nic["role"] = json!("mesh");
    }
}

/// From a mesh station itself, and from somebody behind it; to one, and to everybody.
#[test]
fn mesh_frames_have_four_addresses_and_a_mesh_control() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| mesh(plan, true));
    for (at, (destination, source)) in
        [(mac(1), mac(2)), (mac(1), BEYOND), (EVERYBODY, mac(2)), (EVERYBODY, BEYOND)].into_iter().enumerate()
    {
        let now = NOON + Duration::from_millis(5 * at as u64);
        bench.transmit(STA, &segment(destination, source, 5001), 200, now);
    }
    let captured = bench.captured("air");
    // The other mesh station sends on what goes to everybody and comes from a station it knows.
    let data: Vec<_> = captured.iter().filter(|p| p.is_data() && p.mpdu[10..16] == mac(2)).collect();
    let lengths: Vec<_> = data.iter().map(|packet| packet.mpdu_bytes - (186 + 8 + 4)).collect();
    assert_eq!(lengths, [32 + 6, 32 + 18, 26 + 6, 26 + 12]);
    let [own, behind, group, group_behind] = data[..] else { panic!("{data:?}") };
    assert_eq!(own.mpdu[..2], [0x88, 3]);
    assert_eq!(own.mpdu[4..22], [mac(1), mac(2), mac(1)].concat());
    assert_eq!(own.mpdu[24..38], [&mac(2)[..], &[0, 1, 0, 31, 0, 0, 0, 0]].concat());
    assert_eq!(behind.mpdu[24..50], [&mac(2)[..], &[0, 1, 2, 31, 0, 0, 0, 0], &mac(1), &BEYOND].concat());
    assert_eq!((group.mpdu[1], group.mpdu[4..22].to_vec()), (2, [EVERYBODY, mac(2), mac(2)].concat()));
    assert_eq!(group.mpdu[24..32], [0x20, 1, 0, 31, 0, 0, 0, 0]);
    assert_eq!(group_behind.mpdu[24..38], [&[0x20, 1, 1, 31, 0, 0, 0, 0][..], &BEYOND].concat());
}

#[test]
fn a_mesh_without_qos_has_plain_frames() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| mesh(plan, false));
    bench.transmit(STA, &segment(mac(1), mac(2), 5001), 200, NOON);
    let captured = bench.captured("air");
    assert_eq!((captured[0].mpdu[0], captured[0].mpdu_bytes), (0x08, 186 + 8 + 4 + 30));
    assert_eq!(captured[0].mpdu[24..30], mac(2));
}
