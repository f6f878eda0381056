//! Single frames: data, acknowledgements, collisions; what a capture keeps.

use airtcp_air::NicId;
use airtcp_units::{Duration, Instant};
use serde_json::{Value, json};

use crate::bench::{AP, BEYOND, Bench, NOON, NOON_NS, Packet, STA, capture, mac, segment};

#[test]
fn a_frame_and_its_acknowledgement_to_the_byte() {
    let mut bench = Bench::new(&json!([capture("air")]), |_| ());
    let head = segment(BEYOND, mac(2), 5001);
    bench.transmit(STA, &head, 1514, NOON);
    let captured = bench.captured("air");
    let [data, ack] = &captured[..] else { panic!("{captured:?}") };

    assert_eq!((data.time_ns, data.mpdu_bytes), (NOON_NS, 1514 - 14 + 8 + 24 + 4));
    let radiotap = [
        0, 0, 23, 0, 0x2f, 0, 0, 0, 0xa0, 0x86, 1, 0, 0, 0, 0, 0, // 100,000 us
        0x10, 108, 0x85, 9, 0xc0, 0, 0xd8, // 54 Mbit/s, 2437 MHz OFDM, -40 dBm
    ];
    assert_eq!(data.radiotap, radiotap);
    // Data to the DS; SIFS and 28 us of acknowledgement, with its signal extension 6 us longer; sequence number 0.
    let mut mpdu = vec![0x08, 0x01, 44, 0];
    mpdu.extend([mac(1), mac(2), BEYOND].concat());
    mpdu.extend([0, 0, 0xaa, 0xaa, 3, 0, 0, 0]);
    mpdu.extend(&head[12..]);
    assert_eq!(data.mpdu, mpdu);

    // 254 us of data with its signal extension, SIFS of 10.
    assert_eq!((ack.time_ns, ack.mpdu_bytes), (NOON_NS + 264_000, 14));
    assert_eq!(ack.radiotap[16..18], [0x10, 48]);
    assert_eq!(ack.mpdu[..10], [&[0xd4, 0, 0, 0][..], &mac(2)].concat());
}

/// Both begin at once. What was lost is there with a bad check sequence; what is sent again has its retry bit.
#[test]
fn a_collision_and_what_follows() {
    let mut bench = Bench::new(&json!([capture("air")]), |_| ());
    bench.transmit(STA, &segment(BEYOND, mac(2), 5001), 1514, NOON);
    bench.transmit(AP, &segment(mac(2), BEYOND, 40_000), 600, NOON);
    let captured = bench.captured("air");
    let (lost, rest) = captured.split_at(2);
    assert!(lost.iter().all(|packet| packet.time_ns == NOON_NS && packet.bad_fcs() && !packet.retry()));
    // The shorter one ended first.
    assert_eq!(lost.iter().map(|packet| packet.mpdu_bytes).collect::<Vec<_>>(), [622, 1536]);
    assert_eq!(lost[0].mpdu[..2], [0x08, 0x02]);
    assert_eq!(lost[0].mpdu[4..22], [mac(2), mac(1), BEYOND].concat());
    let good: Vec<_> = rest.iter().filter(|packet| !packet.bad_fcs()).collect();
    assert_eq!(good.iter().map(|packet| packet.is_data()).collect::<Vec<_>>(), [true, false, true, false]);
    assert!(rest.iter().filter(|packet| packet.is_data()).all(Packet::retry));
    assert!(captured.is_sorted_by_key(|packet| packet.time_ns));
}

/// Without carrier sense between them a PPDU may begin in another and end before it: packets are in the order of their beginnings.
#[test]
fn packets_stand_in_the_order_of_their_beginnings() {
    let third = |plan: &mut Value| {
        let mut node =
            plan["nodes"].as_array().unwrap().iter().find(|n| n["name"] == "sta1").unwrap().clone();
        let mut nic = plan["air"]["nics"][1].clone();
        let address = json!("02:00:00:00:03:01");
        (node["name"], nic["node"]) = (json!("sta2"), json!("sta2"));
        (node["interfaces"][0]["mac"], nic["mac"]) = (address.clone(), address);
        node["interfaces"][0]["attachment"]["nic"] = json!(2);
        plan["nodes"].as_array_mut().unwrap().push(node);
        plan["air"]["nics"].as_array_mut().unwrap().push(nic);
        plan["air"]["channel"]["propagation"]["links"] = json!([{"a": 1, "b": 2, "rssi_dbm": -120.0}]);
    };
    let mut bench = Bench::new(&json!([capture("air")]), third);
    bench.transmit(STA, &segment(BEYOND, mac(2), 5001), 1514, NOON);
    bench.transmit(NicId(2), &segment(BEYOND, mac(3), 5001), 100, NOON + Duration::from_micros(50));
    let captured = bench.captured("air");
    assert_eq!((captured[0].time_ns, &captured[0].mpdu[10..16]), (NOON_NS, &mac(2)[..]));
    assert_eq!((captured[1].time_ns, captured[1].mpdu_bytes), (NOON_NS + 50_000, 100 + 22));
    assert!(captured[0].bad_fcs() && captured[1].bad_fcs());
    assert!(captured.is_sorted_by_key(|packet| packet.time_ns));
    let good = captured.iter().filter(|packet| packet.is_data() && !packet.bad_fcs()).count();
    assert_eq!(good, 2);
}

#[test]
fn a_capture_keeps_its_time_its_flows_and_its_length() {
    let flow = json!({"name": "one", "from": "sta1", "to": "ap1", "address": "10.0.0.9", "port": 5001,
        "congestion_control": "cubic", "start_ns": 0, "stop_ns": 1, "pacing_bps": null, "dscp": 0,
        "workload": {"kind": "bytes", "count": 1}});
    let captures = json!([
        {"name": "late", "point": {"kind": "air"}, "snap_bytes": 134, "flows": [],
            "start_ns": NOON_NS + 1_000_000, "stop_ns": NOON_NS + 2_000_000},
        {"name": "flow", "point": {"kind": "air"}, "snap_bytes": 134, "flows": [0],
            "start_ns": 0, "stop_ns": u64::MAX},
    ]);
    let sent = || {
        let mut bench = Bench::new(&captures, |plan| plan["flows"] = json!([flow]));
        for (ms, port) in [(0, 5001), (1, 80), (2, 5001), (3, 80)] {
            let mut head = segment(BEYOND, mac(2), port);
            head.resize(400, 1);
            bench.transmit(STA, &head, 400, NOON + Duration::from_millis(ms));
        }
        bench
    };
    let times = |name: &str| -> Vec<(u64, bool)> {
        sent().captured(name).iter().map(|packet| (packet.time_ns - NOON_NS, packet.is_data())).collect()
    };
    assert_eq!(times("late").iter().map(|(_, data)| *data).collect::<Vec<_>>(), [true, false]);
    assert_eq!(times("late")[0].0, 1_000_000);
    assert_eq!(times("flow"), [(0, true), (2_000_000, true)]);
    let flow = sent().captured("flow");
    assert!(flow.iter().all(|packet| packet.mpdu.len() == 134 && packet.mpdu_bytes == 400 + 22));
}

/// What happens before the epoch is the setting up of the network.
#[test]
fn nothing_is_kept_from_before_the_epoch() {
    let mut bench = Bench::new(&json!([capture("air")]), |_| ());
    bench.transmit(STA, &segment(BEYOND, mac(2), 80), 100, Instant::from_nanos(2_999_999_999));
    bench.transmit(STA, &segment(BEYOND, mac(2), 80), 100, NOON);
    let captured = bench.captured("air");
    // The acknowledgement of the first came after the epoch.
    assert_eq!(captured.iter().map(Packet::is_data).collect::<Vec<_>>(), [false, true, false]);
}
