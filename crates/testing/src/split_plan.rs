//! A network in two parts.

use serde_json::{Value, json};

use crate::golden_plans::plan_json;

/// Delay of the wire between the parts.
pub const LOOKAHEAD_NS: u64 = 5_000_000;

/// Two cells, each with an access point and a station, and a wire of 5 ms between the access points. Nodes and NICs: `ap1`,
/// `sta1`, `ap2`, `sta2`; the first two are part 0. Flows: within part 0, from part 0 to part 1, and back. Pings: from each part.
/// A stream of datagrams in part 1.
///
/// # Panics
/// If the plan that it is made from is no plan.
#[must_use]
pub fn split_plan() -> Value {
    let mut plan = plan_json("ping");
    for list in ["/nodes", "/air/nics", "/air/cells", "/pings"] {
        let list = plan.pointer_mut(list).and_then(Value::as_array_mut).expect("the plan has this list");
        list.extend(list.clone());
    }
    let mut interface = json!(plan["nodes"][0]["interfaces"][0]);
    interface["egress"]["delay_ns"] = json!(LOOKAHEAD_NS);
    for (place, node) in ["ap1", "sta1", "ap2", "sta2"].into_iter().enumerate() {
        let mac = format!("02:00:00:00:01:0{place}");
        let nic = &mut plan["air"]["nics"][place];
        (nic["node"], nic["mac"], nic["cell"]) = (json!(node), json!(mac), json!(place / 2));
        let of_node = &mut plan["nodes"][place];
        of_node["name"] = json!(node);
        of_node["interfaces"][0]["mac"] = json!(mac);
        of_node["interfaces"][0]["attachment"] = json!({"kind": "air", "nic": place});
        if node.starts_with("ap") {
            (interface["name"], interface["mac"]) =
                (json!("eth0"), json!(format!("02:00:00:00:02:0{place}")));
            interface["attachment"] = json!({"kind": "wire", "wire": 0});
            of_node["interfaces"].as_array_mut().expect("interfaces are a list").push(interface.clone());
        }
    }
    plan["air"]["cells"][1]["channel"] = json!({"primary_mhz": 5180, "centre_mhz": 5180, "width_mhz": 20});
    (plan["pings"][1]["name"], plan["pings"][1]["from"]) = (json!("back"), json!("ap2"));
    plan["pings"][0]["from"] = json!("sta1");
    plan["flows"] =
        json!([flow("within", "sta1", "ap1"), flow("there", "sta1", "sta2"), flow("back", "sta2", "sta1")]);
    plan["datagrams"] = json!([{
        "name": "d", "from": "sta2", "to": "ap2", "address": "10.0.0.3", "port": 5001, "payload_bytes": 1472,
        "rate_bps": 1_000_000, "spacing": {"kind": "constant"}, "phase": "random", "dscp": 0, "start_ns": 0,
        "stop_ns": 1_000_000_000
    }]);
    plan["split"] = json!({"parts": [0, 0, 1, 1], "lookahead_ns": LOOKAHEAD_NS});
    plan
}

fn flow(name: &str, from: &str, to: &str) -> Value {
    json!({
        "name": name, "from": from, "to": to, "address": "10.0.0.1", "port": 5001, "congestion_control": "cubic",
        "start_ns": 0, "stop_ns": 1_000_000_000, "pacing_bps": null, "low_water_bytes": null, "dscp": 0,
        "workload": {"kind": "bulk"}
    })
}
