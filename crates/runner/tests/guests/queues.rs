//! Queues hold what the plan says, in packets of one MTU, and delay as arithmetic says.

use crate::lab::{Lab, Run, section_4_2_plan};

/// A full-sized Ethernet frame at 10 Mb/s.
const FRAME_NS: i64 = 1_211_200;
/// Two times 0.65 ms, and a ping's own time over the air each way (46 us).
const BASE_NS: i64 = 1_392_000;
/// What the air may add under load: waiting for the medium behind a few frames of 0.4 ms.
const AIR_NS: i64 = 1_500_000;
/// The flow begins here.
const IDLE_NS: i64 = 2_000_000_000;

fn section_4_2(queue_packets: u32) -> Run {
    Lab::new().run(&section_4_2_plan("reno", queue_packets, 20))
}

fn assert_full_queue(run: &Run, packets: i64) {
    // A ping that finds one place free waits for all but one packet of the queue, and at most for the
    // rest of the tokens of the first; one that finds none is lost. Pings are few: none may meet the last place.
    let longest = *run.column("pings", "rtt_ns").iter().max().unwrap();
    let expected = (packets - 1) * FRAME_NS + BASE_NS;
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
