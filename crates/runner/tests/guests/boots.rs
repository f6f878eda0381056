//! A guest boots, its frames cross the air at the times of the standard, and its programs run.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;

use crate::lab::{Lab, ping_plan, program, section_4_2_plan};

/// Hand-computed (11g, 54 Mbit/s, 84-byte IP packets, PSDU 120 bytes): the request goes at
/// once and takes 46 us; SIFS 10 and ACK 34 follow; the answer waits DIFS 28 and a
/// backoff of 0..=15 slots of 9 us, and takes 46 us.
#[test]
fn a_ping_takes_the_time_of_its_frames_and_a_backoff() {
    let run = Lab::new().run(&ping_plan());
    let rtts = run.column("pings", "rtt_ns");
    assert_eq!(rtts.len(), 10);
    let mut slots = BTreeSet::new();
    // The first ping also waits for ARP.
    for rtt_ns in &rtts[1..] {
        let beyond_ns = rtt_ns - 164_000;
        let slot = (beyond_ns + 4_500) / 9_000;
        assert!((0..=15).contains(&slot), "{rtt_ns} ns");
        // The agent reads the clock around its system calls: 256 ns each (TIMER_MULTIPLIER).
        assert!((beyond_ns - slot * 9_000).abs() <= 1_100, "{rtt_ns} ns is no whole number of slots");
        slots.insert(slot);
    }
    assert!(slots.len() > 2, "backoffs are drawn: {slots:?}");
}

#[test]
fn an_iperf3_in_a_node_measures_the_closed_form_of_a_saturated_station() {
    let mut plan = ping_plan();
    plan["pings"] = json!([]);
    plan["duration_ns"] = 3_000_000_000u64.into();
    let client = "sleep 0.2; iperf3 -u -c 10.0.0.1 -b 60M -l 1472 -t 1 -J > $RUN_DIR/client.json";
    plan["programs"] =
        json!([program("server", "ap1", "iperf3 -s -1 -J"), program("client", "sta1", client)]);
    let run = Lab::new().run(&plan);
    let text = fs::read_to_string(run.folder.join("programs/client.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let received = &report["end"]["sum_received"];
    let mbps = received["bits_per_second"].as_f64().unwrap() / 1e6;
    // DIFS 28 + 7.5 slots of 9 + data of 1536 bytes 254 + SIFS 10 + ACK 34 = 393.5 us for 1472 bytes.
    let expected = 1472.0 * 8.0 / 393.5;
    assert!((mbps / expected - 1.0).abs() < 0.01, "{mbps} Mbit/s instead of {expected}");
}

#[test]
fn every_congestion_control_of_the_kernel_is_really_in_use() {
    let table = include_str!("../../../../kernel/series.toml");
    let (_, list) = table.split_once("congestion_controls = [").expect("the table of series has the names");
    let (list, _) = list.split_once(']').expect("the list ends");
    let ccas: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert_eq!(ccas.len(), 17);
    let mut plan = section_4_2_plan("reno", 100, 3);
    let one = plan["flows"][0].clone();
    let flows = ccas.iter().zip(5001..).map(|(cca, port)| {
        let mut flow = one.clone();
        flow["name"] = (*cca).into();
        flow["congestion_control"] = (*cca).into();
        flow["port"] = port.into();
        flow["start_ns"] = 0.into();
        flow["workload"] = json!({ "kind": "bytes", "count": 20_000 });
        flow
    });
    plan["flows"] = flows.collect();
    let summary = Lab::new().run(&plan).json("summary.json");
    for (flow, cca) in summary["agent"]["flows"].as_array().unwrap().iter().zip(ccas) {
        assert_eq!((&flow["congestion_control"], &flow["bytes_received"]), (&json!(cca), &json!(20_000)));
    }
}

/// The disciplines of interest, with the options that some of them insist on.
const QDISCS: [&str; 13] = [
    "netem delay 1ms",
    "tbf rate 1mbit burst 2k limit 9k",
    "htb",
    "fq",
    "fq_codel",
    "codel",
    "cake",
    "pie",
    "fq_pie",
    "red limit 60kb avpkt 1000",
    "sfq",
    "pfifo",
    "bfifo",
];

#[test]
fn the_kernel_has_every_queueing_discipline_and_link_of_interest() {
    let links =
        "set -e; ip link add dum0 type dummy; ip link add ifb7 type ifb; ip tuntap add tap0 mode tap; ";
    let tries = QDISCS.map(|qdisc| {
        format!("tc qdisc add dev dum0 root {qdisc}; tc qdisc show dev dum0; tc qdisc del dev dum0 root; ")
    });
    let command = links.to_owned() + &tries.concat();
    let mut plan = ping_plan();
    plan["programs"] = json!([program("qdiscs", "sta1", &command)]);
    let run = Lab::new().run(&plan);
    let shown = fs::read_to_string(run.folder.join("programs/qdiscs.out")).unwrap();
    let kinds: Vec<_> = shown.lines().map(|line| line.split(' ').nth(1).unwrap_or_default()).collect();
    let asked: Vec<_> = QDISCS.iter().map(|words| words.split(' ').next().unwrap()).collect();
    assert_eq!(kinds, asked);
}

#[test]
fn only_the_run_folder_is_writable() {
    let mut plan = ping_plan();
    let command = "echo here > $RUN_DIR/note; (echo x > /etc/airtcp-was-here) 2>/dev/null && exit 1; \
                   mount -o remount,rw / 2>/dev/null && exit 1; exit 0";
    plan["programs"] = json!([program("writer", "sta1", command)]);
    let run = Lab::new().run(&plan);
    assert_eq!(fs::read_to_string(run.folder.join("programs/note")).unwrap(), "here\n");
    assert!(!std::path::Path::new("/etc/airtcp-was-here").exists());
}

#[test]
fn the_books_of_every_nic_balance() {
    let summary = Lab::new().run(&section_4_2_plan("cubic", 20, 5)).json("summary.json");
    for nic in summary["air"]["nics"].as_array().unwrap() {
        let count = |key: &str| nic[key].as_u64().unwrap();
        let dropped: u64 = nic["dropped"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert!(count("accepted") > 1000);
        assert_eq!(count("accepted"), count("sent") + dropped + count("in_flight"));
    }
}
