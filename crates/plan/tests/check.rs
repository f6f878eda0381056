//! What a plan refuses, each with the key at fault; and what it must keep.

use airtcp_plan::{MacAddress, Plan, PlanError};
use airtcp_testing::golden_plans::{golden_plan, plan_json};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Five nodes, a cell, wires, a flow and a ping.
fn value() -> Value {
    golden_plan("aoyagi2023-4.2-1")
}

/// The error of the plan in which the value at `pointer` is replaced.
fn refused(pointer: &str, with: Value) -> String {
    let mut plan = value();
    *plan.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = with;
    Plan::from_json(&plan.to_string()).expect_err("the plan is wrong").to_string()
}

#[test]
fn the_plan_of_the_study_is_accepted_and_keeps_its_canonical_text() {
    let plan = Plan::from_json(&value().to_string()).unwrap();
    let text = plan.to_canonical_json();
    assert_eq!(Plan::from_json(&text).unwrap(), plan);
    assert_eq!(Plan::from_json(&text).unwrap().to_canonical_json(), text);
}

fn capture(node: &str, interface: &str) -> Value {
    let point = json!({"kind": "interfaces", "node": node, "names": [interface]});
    json!({"name": "c", "point": point, "snap_bytes": 134, "flows": [], "start_ns": 0, "stop_ns": 1})
}

#[test]
fn captures_have_limits() {
    let with = |key: &str, value: Value| {
        let mut all = json!([capture("h1", "eth0")]);
        all[0][key] = value;
        refused("/captures", all)
    };
    assert!(with("name", json!("a/b")).contains("captures[0].name: must be a file's name"));
    assert!(with("snap_bytes", json!(133)).contains("captures[0].snap_bytes: must be from 134 to 4096"));
    assert!(with("stop_ns", json!(0)).contains("captures[0].stop_ns: must be after start_ns"));
    assert!(with("flows", json!([0, 9])).contains("captures[0].flows: there is no flows[9]"));
}

#[test]
fn every_contradiction_names_its_key() {
    let cases = [
        ("/version", json!(1), "version: the plan has 1"),
        ("/memory_mib", json!(64), "memory_mib: 64 is less than 256"),
        ("/duration_ns", json!(0), "duration_ns: must be more than 0"),
        ("/nodes/1/name", json!("ap1"), "nodes: 'ap1' appears twice"),
        ("/nodes/4/interfaces/0/name", json!("a-name-much-too-long"), "nodes[4].interfaces: interface name"),
        (
            "/nodes/4/interfaces/0/mac",
            json!("01:00:00:00:00:01"),
            "nodes[4].interfaces[0]: 01:00:00:00:00:01 is not",
        ),
        (
            "/nodes/0/interfaces/1/bridge",
            json!("br9"),
            "nodes[0].interfaces[1]: node 'ap1' has no bridge 'br9'",
        ),
        ("/nodes/4/interfaces/0/attachment/wire", json!(77), "has 1 ends"),
        ("/nodes/1/interfaces/0/egress/rate_bps", json!(8), "nodes[1].interfaces[0]: only a wire has a rate"),
        ("/nodes/1/interfaces/0/egress/delay_ns", json!(1), "nodes[1].interfaces[0]: only a wire has a rate"),
        ("/nodes/4/interfaces/0/egress/rate_bps", json!(0), "rate_bps must be more than 0"),
        ("/nodes/1/interfaces/0/attachment/nic", json!(9), "there is no air.nics[9]"),
        ("/air/nics/1/mac", json!("02:00:00:00:99:99"), "air.nics[1] belongs to another interface"),
        ("/air/nics/1/cell", json!(3), "air.nics[1]: there is no air.cells[3]"),
        ("/air/nics/1/role", json!("access_point"), "air.cells[0]: 'g' has 2 access points"),
        ("/flows/0/to", json!("nobody"), "flows[0].to: there is no node 'nobody'"),
        ("/pings/0/interval_ns", json!(0), "pings[0].interval_ns: must be more than 0"),
        ("/sampling/qdiscs_interval_ns", json!(999_999), "sampling.qdiscs_interval_ns: 999999 is less than"),
        (
            "/sampling/stations_interval_ns",
            json!(999_999),
            "sampling.stations_interval_ns: 999999 is less than",
        ),
        ("/sampling/rates_interval_ns", json!(999_999), "sampling.rates_interval_ns: 999999 is less than"),
        ("/captures", json!([capture("h1", "eth0"), capture("h1", "eth0")]), "captures: 'c' appears twice"),
        ("/captures", json!([capture("h9", "eth0")]), "captures[0].point.node: there is no node 'h9'"),
        ("/captures", json!([capture("h1", "eth7")]), "node 'h1' has no interface 'eth7'"),
    ];
    for (pointer, with, told) in cases {
        let error = refused(pointer, with);
        assert!(error.contains(told), "{pointer}: {error}");
    }
}

#[test]
fn unknown_missing_and_mistyped_keys_are_refused() {
    let mut plan = value();
    plan["surprise"] = json!(1);
    assert!(Plan::from_json(&plan.to_string()).unwrap_err().to_string().contains("unknown field `surprise`"));
    let mut plan = value();
    plan.as_object_mut().unwrap().remove("seed");
    assert!(Plan::from_json(&plan.to_string()).unwrap_err().to_string().contains("missing field `seed`"));
    assert!(refused("/seed", json!(-1)).starts_with("not a plan"));
    assert!(refused("/flows/0/address", json!("10.0.0.999")).starts_with("not a plan"));
    assert!(matches!(Plan::from_json("{"), Err(PlanError::Format(_))));
}

/// The error of the plan whose first flow has this workload.
#[test]
fn flows_that_end_the_run_exist_and_are_counted_once() {
    assert_eq!(refused("/ends_with", json!([0, 1])), "ends_with: there is no flows[1]");
    let twice = refused("/ends_with", json!([0, 0]));
    assert_eq!(twice, "ends_with: each number must be higher than the one before");
    let mut plan = value();
    plan["ends_with"] = json!([0]);
    assert_eq!(Plan::from_json(&plan.to_string()).unwrap().ends_with, [0]);
}

fn refused_workload(workload: &Value) -> String {
    refused("/flows/0/workload", workload.clone())
}

fn requests(changed: &str, value: Value) -> Value {
    let mut workload = json!({
        "kind": "requests", "request_bytes": 8, "response_bytes": {"kind": "constant", "value": 5},
        "think_ns": {"kind": "exponential", "mean": 5}, "count": null
    });
    workload[changed] = value;
    workload
}

fn video(changed: &str, value: Value) -> Value {
    let mut workload = json!({
        "kind": "video", "request_bytes": 8, "segment_ns": 4, "rates_bps": [1, 2], "startup_ns": 4, "resume_ns": 4,
        "buffer_ns": 30, "adaptation": {"kind": "buffer", "reservoir_ns": 11, "upper_ns": 27}, "length_ns": null
    });
    workload[changed] = value;
    workload
}

#[test]
fn workloads_that_contradict_themselves_name_their_key() {
    let off = |off: Value| json!({"kind": "on_off", "on": {"kind": "time", "on_ns": {"kind": "constant", "value": 1}}, "off_ns": off});
    let lognormal = json!({"kind": "lognormal", "median": 5, "sigma": 1.0, "least": 6, "most": null});
    let pareto = json!({"kind": "pareto", "scale": 5, "shape": 1.0, "most": 4, "less": 0});
    let cases = [
        (json!({"kind": "bytes", "count": 0}), "workload.count: must be more than 0"),
        (off(json!({"kind": "constant", "value": 0})), "workload.off_ns: must be more than 0"),
        (off(json!({"kind": "uniform", "least": 3, "most": 2})), "off_ns: least 3 is more than most 2"),
        (requests("request_bytes", json!(7)), "workload.request_bytes: must be at least 8"),
        (requests("count", json!(0)), "workload.count: must be more than 0"),
        (requests("response_bytes", lognormal), "response_bytes: the median 5 must be between"),
        (requests("think_ns", pareto), "think_ns: most must be at least the scale 5"),
        (video("rates_bps", json!([2, 2])), "rates_bps: each rate must be higher than the one before"),
        (video("rates_bps", json!([])), "rates_bps: must have a rate"),
        (video("rates_bps", json!([2])), "rates_bps: the adaptation 'fixed' has exactly one rate"),
        (video("startup_ns", json!(31)), "startup_ns: must be at most buffer_ns"),
        (video("resume_ns", json!(0)), "resume_ns: must be more than 0"),
        (
            video("adaptation", json!({"kind": "buffer", "reservoir_ns": 9, "upper_ns": 9})),
            "adaptation.upper_ns",
        ),
        (
            video("adaptation", json!({"kind": "throughput", "segments": 0, "safety": 0.8})),
            "adaptation.segments",
        ),
        (
            video("adaptation", json!({"kind": "throughput", "segments": 5, "safety": 0.0})),
            "adaptation.safety",
        ),
    ];
    for (workload, told) in cases {
        let error = refused_workload(&workload);
        assert!(error.contains("flows[0].workload") && error.contains(told), "{workload}: {error}");
    }
    assert!(refused("/flows/0/dscp", json!(64)).contains("flows[0].dscp: must be 0 to 63"));
    assert!(refused("/flows/0/pacing_bps", json!(7)).contains("flows[0].pacing_bps"));
    assert!(refused("/flows/0/stop_ns", json!(0)).contains("flows[0].stop_ns: must be after start_ns"));
}

#[test]
fn what_asks_connects_and_what_is_asked_listens() {
    let mut plan = Plan::from_json(&value().to_string()).unwrap();
    let flow = &mut plan.flows[0];
    assert_eq!((flow.listening(), flow.connecting()), (flow.to.as_str(), flow.from.as_str()));
    flow.workload = serde_json::from_value(requests("count", json!(1))).unwrap();
    assert_eq!((flow.listening(), flow.connecting()), (flow.from.as_str(), flow.to.as_str()));
    assert_eq!(plan.check(), Ok(()));
}

#[test]
fn datagrams_have_limits_and_ports_of_their_own() {
    let stream = |key: &str, value: Value| {
        let mut stream = json!({
            "name": "d", "from": "sta1", "to": "h1", "address": "10.0.0.2", "port": 5001, "payload_bytes": 1472,
            "rate_bps": 1_000_000, "spacing": {"kind": "constant"}, "phase": "random", "dscp": 0, "start_ns": 0, "stop_ns": 1
        });
        stream[key] = value;
        stream
    };
    let mut plan = value();
    plan["datagrams"] = json!([stream("port", json!(5001))]);
    assert!(Plan::from_json(&plan.to_string()).is_ok());
    let again = json!([stream("dscp", json!(1)), stream("name", json!("e"))]);
    assert_eq!(refused("/datagrams", again), "datagrams[1].port: 5001 is already used in h1");
    let error = |key: &str, value: Value| refused("/datagrams", json!([stream(key, value)]));
    assert!(error("to", json!("h9")).contains("datagrams[0].to: there is no node 'h9'"));
    assert!(error("payload_bytes", json!(7)).contains("payload_bytes: must be from 8 to 65507"));
    assert!(error("rate_bps", json!(0)).contains("rate_bps: must be more than 0"));
    assert!(error("stop_ns", json!(0)).contains("stop_ns: must be after start_ns"));
}

#[test]
fn a_ping_has_a_code_point_of_six_bits() {
    assert!(refused("/pings/0/dscp", json!(64)).contains("pings[0].dscp: must be 0 to 63"));
}

#[test]
fn endpoints_of_mptcp_are_addresses_of_their_interfaces() {
    let node = value()["nodes"].as_array().unwrap().iter().position(|n| n["name"] == "h1").unwrap();
    let address = value()["nodes"][node]["interfaces"][0]["addresses"][0].as_str().unwrap().to_owned();
    let address = address.split('/').next().unwrap();
    let with = |mptcp: Value| {
        let mut plan = value();
        plan["nodes"][node]["mptcp"] = mptcp;
        Plan::from_json(&plan.to_string()).map(|_| ()).map_err(|error| error.to_string())
    };
    let endpoint =
        |address: &str, flags: Value| json!({"address": address, "interface": "eth0", "flags": flags});
    let one = |endpoint: Value| json!({"subflows": 8, "add_addr_accepted": 0, "endpoints": [endpoint]});
    assert_eq!(with(one(endpoint(address, json!(["signal", "backup"])))), Ok(()));
    let told = |mptcp: Value| with(mptcp).unwrap_err();
    assert!(told(one(endpoint("10.9.9.9", json!(["signal"])))).contains("10.9.9.9 is no address of eth0"));
    assert!(
        told(one(endpoint(address, json!([])))).contains("mptcp.endpoints[0].flags: must be one or more")
    );
    assert!(told(one(endpoint(address, json!(["signal", "fullmesh"])))).contains("which Linux refuses"));
    let many = json!({"subflows": 9, "add_addr_accepted": 0, "endpoints": []});
    assert!(told(many).contains("mptcp.subflows: must be at most 8"));
}

#[test]
fn two_flows_can_not_share_a_port_of_a_node() {
    let mut plan = value();
    let mut second = plan["flows"][0].clone();
    second["name"] = json!("second");
    plan["flows"].as_array_mut().unwrap().push(second);
    let error = Plan::from_json(&plan.to_string()).unwrap_err().to_string();
    assert_eq!(error, "flows[1].port: 5001 is already used in h1");
}

#[test]
fn the_schema_knows_every_part() {
    let schema = airtcp_plan::schema();
    for part in ["nodes", "air", "flows", "datagrams", "pings", "programs", "sampling"] {
        assert!(schema["properties"].get(part).is_some(), "{part}");
    }
    assert_eq!(schema["additionalProperties"], json!(false));
}

proptest! {
    #[test]
    fn a_hardware_address_is_read_as_it_is_written(octets: [u8; 6]) {
        let mac = MacAddress(octets);
        prop_assert_eq!(mac.to_string().parse::<MacAddress>(), Ok(mac));
    }

    #[test]
    fn no_text_makes_a_plan_panic(text in ".{0,200}") {
        prop_assert!(Plan::from_json(&text).is_err());
    }

    #[test]
    fn no_text_makes_a_hardware_address_panic(text in "[0-9a-f:éx ]{0,20}") {
        let _ = text.parse::<MacAddress>();
    }
}

#[test]
fn clocks_that_no_host_has_are_refused() {
    let with_clock = |offset_ns: i64, skew_ppb: i64| {
        let mut plan = value_of_air();
        plan["nodes"][0]["clock"] = json!({"offset_ns": offset_ns, "skew_ppb": skew_ppb});
        Plan::from_json(&plan.to_string()).err().map(|error| error.to_string())
    };
    assert_eq!(with_clock(-86_400_000_000_000, 500_000), None);
    let refused = with_clock(i64::MIN, 0).unwrap();
    assert!(refused.contains("nodes[0].clock.offset_ns"), "{refused}");
    let refused = with_clock(0, -500_001).unwrap();
    assert!(refused.contains("nodes[0].clock.skew_ppb") && refused.contains("500 ppm"), "{refused}");
}

/// The sample plan as a cell of mac80211.
fn with_linux(changed: &str, value: Value) -> String {
    let mut plan = value_of_air();
    plan["nodes"][0]["bridges"] = json!([{"name": "br0", "mac": "02:00:00:00:00:09", "addresses": []}]);
    let cell = &mut plan["air"]["cells"][0];
    cell["beacon"] = Value::Null;
    cell["linux"] = json!({
        "setup": "daemons", "security": {"kind": "wpa2", "passphrase": "12345678"}, "ssid": "home",
        "rate_control": "kernel", "airtime_fairness": true, "aql": true, "prefetch_ppdus": 0, "beacon_tu": 100,
        "dtim": 2, "power_save": false, "uapsd": false, "hardware_crypto": true,
        "txq": {"limit_packets": null, "memory_bytes": null, "quantum_bytes": null}, "hostapd": [], "wpa_supplicant": [], "bss": []
    });
    *plan.pointer_mut(changed).unwrap_or_else(|| panic!("no {changed}")) = value;
    match Plan::from_json(&plan.to_string()) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// A plan with an access point and a station.
fn value_of_air() -> Value {
    plan_json("ping")
}

#[test]
fn cells_of_mac80211_that_can_not_be_name_their_key() {
    assert_eq!(with_linux("/air/cells/0/linux/dtim", json!(2)), "accepted");
    let cases = [
        ("/air/cells/0/linux/dtim", json!(0), "air.cells[0].linux.dtim: must be from 1"),
        ("/air/cells/0/linux/beacon_tu", json!(9), "linux.beacon_tu: must be from 10"),
        ("/air/cells/0/linux/ssid", json!(""), "linux.ssid: must have 1 to 32"),
        ("/air/cells/0/linux/setup", json!("direct"), "linux.security: encryption needs"),
        ("/air/cells/0/linux/security/passphrase", json!("short"), "security.passphrase: must have 8"),
        ("/air/cells/0/linux/security/passphrase", json!("12345678\nx"), "printable ASCII"),
        ("/air/cells/0/linux/hostapd", json!(["a\nb"]), "linux.hostapd[0]: must be a line"),
        ("/air/cells/0/channel/width_mhz", json!(160), "rate_control: minstrel_ht supports neither"),
        ("/air/cells/0/standard", json!("11be"), "air.cells[0].standard: is not supported"),
        ("/air/cells/0/beacon", json!({"interval_us": 102_400, "bytes": 90}), "beacon: mac80211 sends"),
        ("/air/cells/0/rts_policy", json!("retries"), "rts_policy: the kernel's rate control"),
        ("/air/cells/0/rts_threshold_us", json!(64), "rts_policy: the kernel's rate control"),
        ("/air/nics/1/role", json!("mesh"), "air.nics[1].role: does not belong"),
        ("/air/nics/1/role", json!("monitor"), "accepted"),
        ("/air/nics/1/mesh_routes", json!([{"to": 0, "via": 0}]), "mesh_routes: mac80211 finds"),
        ("/air/cells/0/linux", Value::Null, "accepted"),
    ];
    for (changed, value, told) in cases {
        let error = with_linux(changed, value);
        assert!(error.contains(told), "{changed}: {error}");
    }
    let mut plan = value_of_air();
    plan["air"]["nics"][1]["role"] = json!("monitor");
    assert!(
        Plan::from_json(&plan.to_string())
            .unwrap_err()
            .to_string()
            .contains("air.nics[1].role: needs a cell")
    );
    plan["air"]["cells"][0]["kind"] = json!("ibss");
    assert!(
        Plan::from_json(&plan.to_string()).unwrap_err().to_string().contains("air.cells[0].kind: an IBSS")
    );
}

#[test]
fn further_networks_of_a_radio_that_can_not_be_name_their_key() {
    let bss = |key: &str, value: Value| {
        let mut bss = json!({
            "interface": "wlan0_1", "ssid": "guests", "security": {"kind": "open"}, "bridge": "br0",
            "isolated": false, "stations": [1]
        });
        bss[key] = value;
        bss
    };
    let told = |networks: Value| with_linux("/air/cells/0/linux/bss", networks);
    assert_eq!(told(json!([bss("isolated", json!(true))])), "accepted");
    let cases = [
        (json!([bss("ssid", json!(""))]), "linux.bss[0].ssid: must have 1 to 32"),
        (json!([bss("interface", json!("name-of-16-octets"))]), "linux.bss[0].interface: must have 1 to 15"),
        (
            json!([bss("interface", json!("wlan0"))]),
            "linux.bss[0].interface: the name wlan0 is already taken",
        ),
        (json!([bss("interface", json!("br0"))]), "linux.bss[0].interface: the name br0 is already taken"),
        (json!([bss("isolated", json!(true)), bss("ssid", json!("b"))]), "linux.bss[1].interface: the name"),
        (json!([bss("bridge", json!("br7"))]), "linux.bss[0].bridge: the access point has no bridge br7"),
        (json!([bss("stations", json!([0]))]), "linux.bss[0].stations: are not all stations"),
        (json!([bss("stations", json!([9]))]), "linux.bss[0].stations: are not all stations"),
        (
            json!([bss("security", json!({"kind": "wpa3", "passphrase": "short"}))]),
            "linux.bss[0].security.passphrase: must have 8",
        ),
        (Value::Array(vec![bss("ssid", json!("a")); 16]), "linux.bss: a radio has at most 15"),
    ];
    for (networks, expected) in cases {
        let error = told(networks.clone());
        assert!(error.contains(expected), "{networks}: {error}");
    }
}

#[test]
fn namespaces_of_a_node_are_named_once_and_only_privileged_programs_mount() {
    let told = |privileged: bool, namespaces: Value| {
        let mut plan = value();
        plan["kernel"] = json!("6.12-lab");
        plan["guest"] = json!({"privileged": privileged});
        plan["nodes"][0]["namespaces"] = namespaces;
        Plan::from_json(&plan.to_string()).err().map(|error| error.to_string())
    };
    assert_eq!(told(true, json!(["pid", "mount"])), None);
    assert_eq!(told(false, json!(["pid"])), None);
    let twice = told(true, json!(["pid", "pid"])).unwrap();
    assert_eq!(twice, "nodes[0].namespaces: names one twice");
    let mount = told(false, json!(["mount"])).unwrap();
    assert_eq!(mount, "nodes[0].namespaces: only privileged programs mount");
}

#[test]
fn the_initial_node_is_a_privileged_one_without_wires() {
    let told = |privileged: bool, number: u32, change: &dyn Fn(&mut Value)| {
        let mut plan = value();
        plan["kernel"] = json!("6.12-lab");
        plan["guest"] = json!({"privileged": privileged, "initial_node": number});
        let mut bare = plan["nodes"][0].clone();
        for key in ["interfaces", "bridges", "routes", "sysctls", "tc"] {
            bare[key] = json!([]);
        }
        bare["name"] = json!("bare");
        change(&mut bare);
        plan["nodes"].as_array_mut().unwrap().push(bare);
        Plan::from_json(&plan.to_string()).err().map(|error| error.to_string())
    };
    let last = value()["nodes"].as_array().unwrap().len() as u32;
    assert_eq!(told(true, last, &|_| ()), None);
    let missing = told(true, last + 1, &|_| ()).unwrap();
    assert_eq!(missing, format!("guest.initial_node: there is no node {}", last + 1));
    assert!(told(false, last, &|_| ()).unwrap().contains("only privileged programs"));
    assert!(told(true, 0, &|_| ()).unwrap().contains("only radios of mac80211 are possible"));
    let clock = told(true, last, &|node| node["clock"]["skew_ppb"] = json!(10)).unwrap();
    assert!(clock.contains("the clock of the initial node is virtual time"), "{clock}");
}

#[test]
fn a_node_that_forwards_has_no_offloads_of_a_host() {
    let with = |node: usize, sysctls: Value| {
        let mut plan = value();
        plan["nodes"][node]["offloads"] = json!("host");
        plan["nodes"][node]["sysctls"] = sysctls;
        Plan::from_json(&plan.to_string()).err().map(|error| error.to_string())
    };
    let forwarding = |value: &str| json!([{"key": "net.ipv4.ip_forward", "value": value}]);
    let hosts: Vec<usize> = (0..5).filter(|&n| value()["nodes"][n]["bridges"] == json!([])).collect();
    let bridge = (0..5).find(|n| !hosts.contains(n)).unwrap();
    assert_eq!(with(hosts[0], forwarding("0")), None);
    assert!(with(hosts[0], forwarding("1")).unwrap().contains("offloads: a node that forwards packets"));
    assert!(with(bridge, json!([])).unwrap().contains(&format!("nodes[{bridge}].offloads")));
}

#[test]
fn an_interrupt_that_never_comes_is_refused() {
    let with = |at: &str, interval_ns: u64, after_first_ns: u64, frames: Value| {
        let mut plan = value();
        let rx = json!({"interval_ns": interval_ns, "after_first_ns": after_first_ns, "frames": frames});
        let nodes = plan["nodes"].as_array_mut().unwrap().iter_mut();
        let mut interfaces = nodes.flat_map(|node| node["interfaces"].as_array_mut().unwrap());
        interfaces.find(|i| i["attachment"]["kind"] == at).unwrap()["rx_interrupt"] = rx;
        Plan::from_json(&plan.to_string()).err().map(|error| error.to_string())
    };
    assert_eq!(with("wire", 50_000, 0, Value::Null), None);
    assert_eq!(with("wire", 0, 20_000, json!(5)), None);
    for (interval_ns, after_first_ns, frames, why) in [
        (0, 0, Value::Null, "has neither interval_ns nor after_first_ns"),
        (50_000, 0, json!(5), "frames: must be more than 0, and beside after_first_ns"),
        (0, 20_000, json!(0), "frames: must be more than 0, and beside after_first_ns"),
        (1 << 61, 0, Value::Null, "interval_ns: must be less than"),
    ] {
        let refused = with("wire", interval_ns, after_first_ns, frames).unwrap();
        assert!(refused.contains(why), "{refused}");
    }
    assert!(with("air", 50_000, 0, Value::Null).unwrap().contains("the card of a NIC of the air"));
}

/// Why a wire with this trace is refused.
fn traced(at: &str, trace: &Value) -> Option<String> {
    let mut plan = value();
    let nodes = plan["nodes"].as_array_mut().unwrap().iter_mut();
    let mut interfaces = nodes.flat_map(|node| node["interfaces"].as_array_mut().unwrap());
    interfaces.find(|i| i["attachment"]["kind"] == at).unwrap()["egress"]["trace"] = trace.clone();
    Plan::from_json(&plan.to_string()).err().map(|error| error.to_string())
}

#[test]
fn the_trace_of_a_wire_rises_and_is_within_its_limits() {
    let point = |time_ns: u64, rate_bps: Value, delay_ns: Value, loss: Value| json!({"time_ns": time_ns, "rate_bps": rate_bps, "delay_ns": delay_ns, "loss": loss});
    let bare = |time_ns| point(time_ns, Value::Null, Value::Null, Value::Null);
    let trace = |repeat: bool, points: Vec<Value>| json!({"repeat": repeat, "points": points});
    let good = trace(true, vec![point(0, json!(0), json!(0), json!(1.0)), bare(1)]);
    assert_eq!(traced("wire", &good), None);
    assert!(traced("air", &good).unwrap().contains("only a wire has a rate, a delay or a trace"));
    let (null, late) = (Value::Null, 1_u64 << 61);
    for (repeat, points, why) in [
        (false, vec![], "egress.trace.points: must be 1 to 600000"),
        (true, vec![bare(0)], "egress.trace.repeat: it would start again at once"),
        (false, vec![bare(5), bare(5)], "points[1].time_ns: must be after the point that stands before it"),
        (false, vec![bare(late)], "points[0].time_ns: must be less than"),
        (
            false,
            vec![point(0, null.clone(), json!(late), null.clone())],
            "points[0].delay_ns: must be less than",
        ),
        (
            false,
            vec![point(0, json!(1_u64 << 53), null.clone(), null.clone())],
            "points[0].rate_bps: must be less",
        ),
        (
            false,
            vec![point(0, null.clone(), null.clone(), json!(1.01))],
            "points[0].loss: must be from 0 to 1",
        ),
        (false, vec![point(0, null.clone(), null, json!(-0.01))], "points[0].loss: must be from 0 to 1"),
    ] {
        let refused = traced("wire", &trace(repeat, points)).unwrap();
        assert!(refused.contains(why), "{refused}");
    }
}

/// A session whose one input is this act.
fn session(act: &Value) -> Value {
    json!({"inputs": [{"at_ns": 5, "job": 1, "act": act}]})
}

#[test]
fn flows_of_a_session_go_between_nodes_to_a_port_that_is_free() {
    let plan = Plan::from_json(&value().to_string()).unwrap();
    let (from, to, taken) = (&plan.flows[0].from, &plan.flows[0].to, plan.flows[0].port);
    let flow = json!({
        "kind": "flow", "from": from, "to": to, "address": "10.0.0.9", "port": 6001,
        "congestion_control": "bbr", "bytes": null, "length_ns": null,
    });
    let mut accepted = value();
    accepted["session"] = session(&flow);
    Plan::from_json(&accepted.to_string()).unwrap();
    let with = |key: &str, value: Value| {
        let mut act = flow.clone();
        act[key] = value;
        refused("/session", session(&act))
    };
    let act = "session.inputs[0].act";
    assert!(with("from", json!("nobody")).contains(&format!("{act}.from: there is no node 'nobody'")));
    assert!(with("to", json!("nobody")).contains(&format!("{act}.to: there is no node 'nobody'")));
    assert!(with("to", json!(from)).contains(&format!("{act}.to: a flow goes")));
    assert!(with("port", json!(0)).contains(&format!("{act}.port: 0 is not free")));
    assert!(with("port", json!(taken)).contains(&format!("{act}.port: {taken} is not free at {to}")));
    assert!(with("congestion_control", json!("")).contains(&format!("{act}.congestion_control: '' is no")));
    assert!(with("congestion_control", json!("sixteen-letters-")).contains("is no name"));
    assert!(with("bytes", json!(0)).contains(&format!("{act}.bytes: must be more")));
    assert!(with("length_ns", json!(u64::MAX)).contains(&format!("{act}.length_ns")));
}

#[test]
fn a_session_ends_where_an_input_ends_it() {
    let mut plan = value();
    plan["session"] = session(&json!({"kind": "end"}));
    let found = Plan::from_json(&plan.to_string()).unwrap().session.unwrap();
    assert_eq!(found.end_ns(), Some(5));
    plan["session"] = session(&json!({"kind": "close_input"}));
    assert_eq!(Plan::from_json(&plan.to_string()).unwrap().session.unwrap().end_ns(), None);
}

#[test]
fn settings_stay_below_their_folder() {
    let with = |key: &str| {
        let mut plan = value();
        plan["nodes"][0]["sysctls"] = json!([{"key": key, "value": "1"}]);
        Plan::from_json(&plan.to_string()).err().map(|error| error.to_string())
    };
    for key in ["net.ipv4.tcp_rmem", "net.ipv4.conf.eth0/1.rp_filter", "net/ipv4"] {
        assert_eq!(with(key), None, "{key}");
    }
    // A `/` stands for a dot.
    for key in ["net.//.//.//.run.airtcp.plan/json", "net..ipv4", ".net", "net.", "", "net./.x", "net.a\u{0}"]
    {
        assert!(with(key).unwrap().contains("nodes[0].sysctls: "), "{key}");
    }
    let sysctl = |key: &str| airtcp_plan::Sysctl { key: key.to_owned(), value: String::new() };
    assert_eq!(sysctl("net.ipv4.tcp_rmem").path().unwrap(), "/proc/sys/net/ipv4/tcp_rmem");
    assert_eq!(
        sysctl("net.ipv4.conf.eth0/1.rp_filter").path().unwrap(),
        "/proc/sys/net/ipv4/conf/eth0.1/rp_filter"
    );
}
