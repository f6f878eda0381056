//! Aggregates over a lossy link: frames that wait at their receiver, and congestion marks.

use serde_json::{Value, json};

use crate::lab::{Lab, Run, ping_plan, program};

/// Two seconds of TCP from a station to its access point in 11n, with Linux's queues; one MPDU in ten is lost.
fn lossy_uplink(rx_copy: bool) -> Value {
    let mut plan = ping_plan();
    let cell = &mut plan["air"]["cells"][0];
    let access = |aifsn, cw_min, cw_max, txop_us| json!({"aifsn": aifsn, "cw_min": cw_min, "cw_max": cw_max, "txop_us": txop_us});
    cell["standard"] = json!("11n");
    // IEEE 802.11-2020, Table 9-155.
    cell["access"] = json!([
        access(7, 15, 1023, 0),
        access(3, 15, 1023, 0),
        access(2, 7, 15, 3008),
        access(2, 3, 7, 1504)
    ]);
    for nic in plan["air"]["nics"].as_array_mut().unwrap() {
        let mode =
            json!({"kind": "mcs", "format": "ht", "mcs": 7, "streams": 1, "width_mhz": 20, "guard_ns": 800});
        nic["rate_control"]["mode"] = mode;
        nic["queue"] = fq_codel();
        nic["aggregation"] = json!({
            "ampdu_bytes": 65_535, "ampdu_us": 4000, "block_ack_window": 64, "start_spacing_ns": 0, "amsdu_bytes": 0, "amsdu_frames": 0, "voice": false
        });
        (nic["backpressure"], nic["bql"], nic["rx_copy"]) = (json!(false), json!(false), json!(rx_copy));
    }
    plan["air"]["channel"]["losses"] = json!([{"from": 1, "to": 0, "loss": 0.1}]);
    for node in plan["nodes"].as_array_mut().unwrap() {
        node["interfaces"][0]["egress"]["queue"] = json!({"kind": "none"});
        node["sysctls"].as_array_mut().unwrap().push(json!({"key": "net.ipv4.tcp_ecn", "value": "1"}));
    }
    plan["pings"] = json!([]);
    plan["flows"] = json!([{
        "name": "up", "from": "sta1", "to": "ap1", "address": "10.0.0.1", "port": 5001,
        "congestion_control": "cubic", "start_ns": 0, "stop_ns": 1_500_000_000, "pacing_bps": null, "dscp": 0,
        "workload": {"kind": "bulk"}
    }]);
    let mut counters = program("counters", "ap1", "cat /proc/net/netstat");
    counters["start_ns"] = json!(1_900_000_000_u64);
    plan["programs"] = json!([counters]);
    plan
}

/// Linux's parameters, but for a target that one flow of TCP passes often.
fn fq_codel() -> Value {
    json!({
        "kind": "fq_codel", "packets": 8192, "memory_bytes": 16 << 20, "flows": 4096, "quantum_bytes": 300,
        "target_us": 200, "interval_us": 2000, "ecn": true, "slow_stations": null, "airtime_quantum_us": 256,
        "airtime_fairness": true, "aql_us": [5000, 12_000], "aql_threshold_us": 24_000
    })
}

/// A counter of the access point's kernel.
fn counter(run: &Run, name: &str) -> u64 {
    let text = std::fs::read_to_string(run.folder.join("programs/counters.out")).expect("its output is kept");
    let lines: Vec<_> = text.lines().map(|line| line.split(' ').collect::<Vec<_>>()).collect();
    let pair = lines.chunks(2).find(|pair| pair[0].contains(&name)).expect("the kernel has this counter");
    let at = pair[0].iter().position(|&n| n == name).expect("it was found");
    pair[1][at].parse().expect("a number")
}

fn assert_in_order_and_marked(run: &Run) {
    let summary = run.json("summary.json");
    let station = &summary["air"]["nics"][1];
    let number = |key: &str| station[key].as_u64().unwrap();
    assert!(number("mpdus_lost") > 100, "{station}");
    // Seven attempts fail once in ten million times, so nothing is given up, and TCP sees no gap: what came behind one
    // has waited.
    assert_eq!((number("accepted"), number("in_flight")), (number("sent"), 0), "{station}");
    assert_eq!((counter(run, "TCPOFOQueue"), counter(run, "InCsumErrors")), (0, 0));
    assert_eq!(summary["agent"]["flows"][0]["retransmits"], 0);
    // Every mark that the queue made is in a packet that the other kernel counted.
    assert!(number("marked") > 10, "{station}");
    assert_eq!(counter(run, "InCEPkts"), number("marked"));
}

#[test]
fn frames_behind_a_gap_wait_for_it_in_fresh_buffers() {
    assert_in_order_and_marked(&Lab::new().run(&lossy_uplink(true)));
}

#[test]
fn frames_behind_a_gap_wait_for_it_in_the_senders_memory() {
    assert_in_order_and_marked(&Lab::new().run(&lossy_uplink(false)));
}
