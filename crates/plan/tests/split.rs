//! What a plan whose network is in two parts refuses, each with the key at fault.

use airtcp_plan::Plan;
use airtcp_testing::split_plan::{LOOKAHEAD_NS, split_plan};
use serde_json::{Value, json};

/// What is said about the plan in which these values are replaced.
fn answer(changes: &[(&str, Value)]) -> String {
    let mut plan = split_plan();
    for (pointer, with) in changes {
        *plan.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = with.clone();
    }
    Plan::from_json(&plan.to_string()).map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
}

fn assert_answer(changes: &[(&str, Value)], expected: &str) {
    let answer = answer(changes);
    assert!(answer.starts_with(expected), "{changes:?}: {answer}");
}

#[test]
fn every_node_is_in_one_of_two_parts() {
    assert_answer(&[], "accepted");
    assert_answer(&[("/split", Value::Null)], "accepted");
    assert_answer(&[("/split/parts", json!([0, 0, 1]))], "split.parts: has 3 entries, there are 4 nodes");
    assert_answer(&[("/split/parts", json!([0, 0, 1, 2]))], "split.parts[3]: must be less than 2");
    assert_answer(&[("/split/parts", json!([0, 0, 0, 0]))], "split.parts: no node is in part 1");
    assert_answer(&[("/split/parts", json!([1, 1, 1, 1]))], "split.parts: no node is in part 0");
    assert_answer(&[("/split/lookahead_ns", json!(0))], "split.lookahead_ns: must be more than 0");
    assert_answer(&[("/split/lookahead_ns", json!(u64::MAX))], "split.lookahead_ns: must be less than");
}

#[test]
fn what_needs_both_parts_is_refused() {
    let program = json!({
        "name": "p", "node": "ap1", "command": "true", "start_ns": 0, "stop_ns": null, "must_succeed": false
    });
    let capture = json!({
        "name": "c", "point": {"kind": "air"}, "snap_bytes": 134, "flows": [], "start_ns": 0, "stop_ns": 1
    });
    assert_answer(&[("/programs", json!([program]))], "programs: a network in two parts");
    let both = [("/programs", json!([program])), ("/ends_with_programs", json!([0]))];
    assert_answer(&both, "programs: a network in two parts");
    assert_answer(&[("/captures", json!([capture]))], "captures: a network in two parts");
    assert_answer(&[("/ends_with", json!([0]))], "ends_with: a network in two parts");
    let linux = json!({
        "setup": "direct", "security": {"kind": "open"}, "ssid": "home", "rate_control": "kernel",
        "airtime_fairness": true, "aql": true, "prefetch_ppdus": 0, "beacon_tu": 100, "dtim": 2, "power_save": false,
        "uapsd": false, "hardware_crypto": true, "hostapd": [], "wpa_supplicant": [], "bss": [],
        "txq": {"limit_packets": null, "memory_bytes": null, "quantum_bytes": null}
    });
    assert_answer(&[("/air/cells/1/linux", linux)], "air.cells[1].linux: a network in two parts");
    let mut plan = split_plan();
    plan["session"] = json!({"inputs": []});
    let session = Plan::from_json(&plan.to_string()).unwrap_err().to_string();
    assert_eq!(session, "session: a network in two parts can not have this");
}

#[test]
fn wires_between_the_parts_have_a_constant_delay() {
    let end = "/nodes/2/interfaces/1";
    let egress = |key: &str, value: Value| answer(&[(&format!("{end}/egress/{key}"), value)]);
    let least = "nodes[2].interfaces[1].egress.delay_ns: the wire joins the parts, and must have at least";
    assert!(egress("delay_ns", json!(LOOKAHEAD_NS - 1)).starts_with(least));
    assert_eq!(egress("delay_ns", json!(LOOKAHEAD_NS + 1)), "accepted");
    let point = json!({"time_ns": 0, "rate_bps": null, "delay_ns": null, "loss": null});
    let trace = egress("trace", json!({"repeat": false, "points": [point]}));
    assert!(trace.starts_with("nodes[2].interfaces[1].egress.trace: a wire that joins the parts"), "{trace}");
    let moderated = json!({"interval_ns": 50_000, "after_first_ns": 0, "frames": null});
    let rx = format!("{end}/rx_interrupt");
    assert_answer(
        &[(&rx, moderated.clone())],
        "nodes[2].interfaces[1].rx_interrupt: a wire that joins the parts",
    );
    // Within a part a wire may be as it likes.
    let mut plan = split_plan();
    plan["nodes"][0]["interfaces"][1]["attachment"]["wire"] = json!(1);
    plan["nodes"][2]["interfaces"][1]["attachment"]["wire"] = json!(2);
    for (wire, nodes) in [(1, [0, 1]), (2, [2, 3])] {
        let mut own = plan["nodes"][nodes[0]]["interfaces"][1].clone();
        own["egress"]["delay_ns"] = json!(0);
        own["rx_interrupt"] = moderated.clone();
        own["attachment"]["wire"] = json!(wire);
        own["mac"] = json!(format!("02:00:00:00:03:0{wire}"));
        plan["nodes"][nodes[1]]["interfaces"].as_array_mut().unwrap().push(own);
    }
    assert_eq!(Plan::from_json(&plan.to_string()).map(drop), Ok(()));
}

#[test]
fn what_one_nic_sends_reaches_its_own_part_only() {
    assert_answer(
        &[("/split/parts", json!([0, 1, 1, 1]))],
        "air.nics[1].cell: the cell 'ap1' is in both parts",
    );
    let channel =
        |centre_mhz: u32| json!({"primary_mhz": centre_mhz, "centre_mhz": centre_mhz, "width_mhz": 20});
    let beside = |apart_mhz: u32| {
        answer(&[
            ("/air/cells/0/channel", channel(5180)),
            ("/air/cells/1/channel", channel(5180 + apart_mhz)),
        ])
    };
    for apart_mhz in [0, 20] {
        let refused = beside(apart_mhz);
        assert!(refused.starts_with("air.cells[1].channel: reaches that of the cell 'ap1'"), "{refused}");
    }
    // The mask ends 30 MHz from the centre, the other channel begins there.
    assert_eq!(beside(40), "accepted");
    let dmg =
        |centre_mhz: u32| json!({"primary_mhz": centre_mhz, "centre_mhz": centre_mhz, "width_mhz": 2160});
    let at_60_ghz = |second_mhz: u32| {
        answer(&[("/air/cells/0/channel", dmg(58_320)), ("/air/cells/1/channel", dmg(second_mhz))])
    };
    // Neighbouring channels of 11ad touch at their edges only, and leak nothing.
    assert_eq!(at_60_ghz(60_480), "accepted");
    assert!(at_60_ghz(58_320).starts_with("air.cells[1].channel: reaches"));
}

#[test]
fn only_bulk_data_and_pings_go_from_part_to_part() {
    let bytes = json!({"kind": "bytes", "count": 5});
    assert_answer(&[("/flows/1/workload", bytes)], "accepted");
    let bursts = json!({
        "kind": "on_off", "on": {"kind": "time", "on_ns": {"kind": "constant", "value": 1}},
        "off_ns": {"kind": "constant", "value": 1}
    });
    assert_answer(&[("/flows/0/workload", bursts.clone())], "accepted");
    assert_answer(&[("/flows/2/workload", bursts)], "flows[2].workload: only bulk transfers");
    assert_answer(&[("/datagrams/0/to", json!("ap1"))], "datagrams[0].to: must be in the same part");
    assert_answer(&[("/pings/0/to", json!("ap2"))], "accepted");
    assert_answer(&[("/sampling/delays", json!(true))], "sampling.delays: flows[1] goes from one part");
    let within = split_plan()["flows"][0].clone();
    assert_answer(&[("/sampling/delays", json!(true)), ("/flows", json!([within]))], "accepted");
    assert_answer(&[("/sampling/acks", json!(true))], "accepted");
}
