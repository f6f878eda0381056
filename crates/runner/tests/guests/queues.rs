//! Queues hold what the plan says, in packets of one MTU, and delay as arithmetic says.

use serde_json::json;

use crate::lab::{Lab, Run, ping_plan, section_4_2_plan};

/// A full-sized Ethernet frame at 10 Mbit/s.
const FRAME_NS: i64 = 1_211_200;
/// Two times 0.65 ms; a ping's own time over the air each way (46 us); and its 98 bytes at 10 Mbit/s and twice at 1 Gb/s, each way.
const BASE_NS: i64 = 1_300_000 + 92_000 + 2 * (78_400 + 2 * 784);
/// What the air may add under load: waiting for the medium behind a few frames of 0.4 ms.
const AIR_NS: i64 = 1_500_000;
/// The flow begins here.
const IDLE_NS: i64 = 2_000_000_000;

fn section_4_2(queue_packets: u32) -> Run {
    Lab::new().run(&section_4_2_plan("reno", queue_packets, 20))
}

fn assert_full_queue(run: &Run, packets: i64) {
    // A ping that finds one place free waits for all but one packet of the queue, and for the rest of the one on
    // the wire; one that finds none is lost. Pings are few: none may meet the last place.
    let longest = *run.column("pings", "rtt_ns").iter().max().unwrap();
    let expected = packets * FRAME_NS + BASE_NS;
    assert!(longest > expected - 3 * FRAME_NS, "{longest} ns, a full queue takes {expected}");
    assert!(longest < expected + AIR_NS, "{longest} ns, a full queue takes {expected}");
}

fn assert_no_super_packets(run: &Run) {
    let summary = run.json("summary.json");
    for qdisc in summary["agent"]["qdiscs"].as_array().unwrap() {
        let (bytes, packets) = (qdisc["bytes"].as_u64().unwrap(), qdisc["packets"].as_u64().unwrap());
        assert!(bytes <= packets * 1514, "{qdisc}");
    }
}

#[test]
fn a_queue_of_20_packets_delays_by_20_packets() {
    let run = section_4_2(20);
    assert_full_queue(&run, 20);
    assert_no_super_packets(&run);
}

#[test]
fn a_queue_of_100_packets_delays_by_100_packets() {
    let run = section_4_2(100);
    assert_full_queue(&run, 100);
    assert_no_super_packets(&run);
}

#[test]
fn an_idle_network_has_the_base_rtt() {
    let run = section_4_2(100);
    let idle: Vec<_> = run
        .column("pings", "time_ns")
        .into_iter()
        .zip(run.column("pings", "rtt_ns"))
        .filter(|(time_ns, _)| *time_ns < IDLE_NS)
        // The first waits for ARP.
        .skip(1)
        .map(|(_, rtt_ns)| rtt_ns)
        .collect();
    assert!(idle.len() >= 9);
    for rtt_ns in idle {
        assert!((rtt_ns - BASE_NS).abs() < 10_000, "{rtt_ns} ns instead of {BASE_NS}");
    }
}

/// As devices of mac80211: no discipline above, and the radio's own queue drops.
#[test]
fn a_radio_without_a_discipline_drops_at_its_own_queue() {
    let mut plan = ping_plan();
    for n in 0..2 {
        plan["nodes"][n]["interfaces"][0]["egress"]["queue"] = json!({"kind": "none"});
        let nic = &mut plan["air"]["nics"][n];
        (nic["backpressure"], nic["bql"]) = (json!(false), json!(false));
        nic["queue"] = json!({"kind": "fifo", "packets": 8});
    }
    plan["flows"] = json!([{
        "name": "up", "from": "sta1", "to": "ap1", "address": "10.0.0.1", "port": 5001,
        "congestion_control": "reno", "start_ns": 0, "stop_ns": 1_500_000_000, "pacing_bps": null, "dscp": 0,
        "workload": {"kind": "bulk"}
    }]);
    let summary = Lab::new().run(&plan).json("summary.json");
    let qdiscs = summary["agent"]["qdiscs"].as_array().unwrap();
    let radios: Vec<_> = qdiscs.iter().filter(|q| q["interface"] == "wlan0").map(|q| &q["kind"]).collect();
    assert_eq!(radios, ["noqueue", "noqueue"]);
    let station = &summary["air"]["nics"][1];
    assert!(station["dropped"]["queue_full"].as_u64().unwrap() > 0, "{station}");
    assert_eq!(station["queue_max"], 8);
    assert!(summary["agent"]["flows"][0]["bytes_received"].as_u64().unwrap() > 1_000_000);
}
