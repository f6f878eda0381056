//! A split network's run is the same, to the byte, whether one guest computed both parts or two guests one each.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use airtcp_plan::Plan;
use airtcp_plan::record::{EarlyEndRule, Kind, RowWriter, Table};
use airtcp_plan::report::{
    AGENT_REPORT, AIR_REPORT, CONSOLE_FILE, PART_FILE, PLAN_FILE, PROGRAMS_FOLDER, PROGRESS_FILE,
    RECORDS_FOLDER,
};
use airtcp_runner::identity::{Engine, Identity};
use airtcp_runner::installation::KernelInfo;
use airtcp_runner::parts::{Left, join};
use airtcp_runner::seal::{Computed, Cost, MANIFEST, seal};
use airtcp_runner::verdict::judge;
use airtcp_testing::split_plan::split_plan;
use serde_json::{Value, json};

const NODES: [&str; 4] = ["ap1", "sta1", "ap2", "sta2"];

fn plan() -> Plan {
    Plan::from_json(&split_plan().to_string()).unwrap()
}

/// Something that a guest reports of a part: the truth of a part that it has computed, and otherwise anything.
fn value(computed: &[usize], part: usize, truth: u64) -> u64 {
    if computed.contains(&part) { truth } else { 777 }
}

fn agent(computed: &[usize]) -> Value {
    let value = |part, truth| value(computed, part, truth);
    let flow = |name: &str, [from, to]: [usize; 2]| {
        json!({"name": name, "congestion_control": "cubic", "connected_ns": value(from, 5),
            "finished_ns": value(to, 9), "bytes_received": value(to, 1000), "bytes_acked": value(from, 900),
            "retransmits": value(from, 1), "busy_us": value(from, 2), "rwnd_limited_us": 0, "sndbuf_limited_us": 0,
            "error": null})
    };
    let ping = |name: &str, from| json!({"name": name, "sent": value(from, 3), "received": value(from, 2)});
    let qdiscs = (0..).zip(NODES).map(|(node, name)| {
        json!({"node": name, "interface": "wlan0", "kind": "pfifo", "handle": "1:", "bytes": value(node / 2, 9),
            "packets": 1, "drops": 0, "overlimits": 0, "backlog_packets": 0, "backlog_bytes": 0})
    });
    json!({"failure": null, "kernel_release": "6.12", "ready_ns": 1, "end_ns": plan().duration_ns,
        "flows": [flow("within", [0, 0]), flow("there", [0, 1]), flow("back", [1, 0])],
        "datagrams": [{"name": "d", "sent": value(1, 4), "refused": 0, "received": value(1, 4)}],
        "pings": [ping("sta1-ap1", 0), ping("back", 1)], "programs": [], "qdiscs": qdiscs.collect::<Vec<_>>(),
        "warnings": computed.iter().rev().map(|part| format!("of part {part}")).collect::<Vec<_>>()})
}

fn air(computed: &[usize]) -> Value {
    let nics = (0..).zip(NODES).map(|(nic, node)| {
        let mut counters = json!({"node": node, "dropped": {}, "sent": value(computed, nic / 2, 8)});
        for name in [
            "accepted",
            "in_flight",
            "delivered",
            "relayed",
            "marked",
            "transmissions",
            "retries",
            "collisions",
            "corrupted",
            "mpdus",
            "mpdus_lost",
            "amsdus",
            "rts",
            "rts_failed",
            "block_ack_requests",
            "queue_max",
            "airtime_ns",
        ] {
            counters[name] = json!(nic);
        }
        counters
    });
    let media = (0..).zip([2437, 5180]).map(|(part, mhz)| {
        json!({"frequency_mhz": mhz, "data_ns": value(computed, part, 6), "response_ns": 0, "collision_ns": 0,
            "contention_ns": 0, "idle_ns": 0})
    });
    let hash = |part: usize| format!("{:016x}", value(computed, part, part as u64));
    json!({"model_version": 1, "end_ns": 2, "events": 100 * computed.len(), "late_max_ns": 0, "frame_hash": "00",
        "part_hashes": [hash(0), hash(1)], "nics": nics.collect::<Vec<_>>(), "media": media.collect::<Vec<_>>()})
}

/// Rows of each flow at each instant. Those of both parts at one instant stand in another order if two guests compute them.
fn flows(computed: &[usize]) -> Vec<u8> {
    let columns =
        [("time_ns", Kind::I64), ("flow", Kind::U32), ("bytes_received", Kind::U64), ("cwnd", Kind::U32)];
    let table = Table::new("flows", &["flow"], EarlyEndRule::CutWithLastSample, &columns);
    let (mut file, mut rows) = (Vec::new(), RowWriter::new(&table));
    table.write_header(&mut file).unwrap();
    for time_ns in 1..50 {
        let mut ends = [(0, 0, 0), (1, 0, 1), (2, 1, 0)];
        ends.rotate_left(2 * (2 - computed.len()));
        for (flow, from, to) in ends {
            let received = value(computed, to, 10 * time_ns);
            let cwnd = value(computed, from, time_ns) as u32;
            rows.i64(time_ns.cast_signed()).u32(flow).u64(received).u32(cwnd).end(&mut file).unwrap();
        }
    }
    file
}

/// The folder of a guest that has computed these parts.
fn guest(work: &Path, number: usize, computed: &[usize]) -> Left {
    let folder = work.join(format!("guest-{number}"));
    let at = |name: &str| folder.join(name);
    for made in [RECORDS_FOLDER, PROGRAMS_FOLDER] {
        fs::create_dir_all(at(made)).unwrap();
    }
    fs::write(at(PLAN_FILE), plan().to_canonical_json()).unwrap();
    fs::write(at(PART_FILE), number.to_string()).unwrap();
    fs::write(at(AGENT_REPORT), agent(computed).to_string()).unwrap();
    fs::write(at(AIR_REPORT), air(computed).to_string()).unwrap();
    fs::write(at(PROGRESS_FILE), [0; 24]).unwrap();
    fs::write(at(CONSOLE_FILE), "").unwrap();
    fs::write(at(RECORDS_FOLDER).join("flows.rec"), flows(computed)).unwrap();
    let reports = judge(&plan(), &folder, ExitStatus::from_raw(0)).unwrap();
    Left { folder, reports }
}

/// The files of the run that guests with these parts make.
fn run_of(guests: &[&[usize]]) -> BTreeMap<PathBuf, Vec<u8>> {
    let (work, plan) = (tempfile::tempdir().unwrap(), plan());
    for made in [RECORDS_FOLDER, PROGRAMS_FOLDER] {
        fs::create_dir(work.path().join(made)).unwrap();
    }
    fs::write(work.path().join(PLAN_FILE), plan.to_canonical_json()).unwrap();
    let left: Vec<_> = (0..).zip(guests).map(|(number, parts)| guest(work.path(), number, parts)).collect();
    let reports = join(&plan, work.path(), &left).unwrap();
    let any = || "w".to_owned();
    let engine = Engine { kernel_id: any(), library_sha256: any(), agent_sha256: any() };
    let identity = Identity::of(&plan, engine);
    let [series, release, source, recipe, compiler, id] = [(); 6].map(|()| any());
    let kernel = KernelInfo { series, release, source, recipe, abi: 4, compiler, id };
    let cost = Cost { wall_s: 0.0, cpu_s: 0.0 };
    seal(work.path(), &plan, &Computed { identity: &identity, kernel: &kernel, reports: &reports, cost })
        .unwrap();
    let mut files = BTreeMap::new();
    read_all(work.path(), work.path(), &mut files);
    files
}

fn read_all(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            read_all(root, &entry.path(), files);
        } else {
            let name = entry.path().strip_prefix(root).unwrap().to_owned();
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

#[test]
fn one_guest_and_two_make_the_same_run() {
    let (one, two) = (run_of(&[&[0, 1]]), run_of(&[&[0], &[1]]));
    let names: Vec<_> = one.keys().map(|name| name.to_str().unwrap()).collect();
    assert_eq!(names, [CONSOLE_FILE, MANIFEST, PLAN_FILE, "series/flows.parquet", "summary.json"]);
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, content) in &one {
        assert!(two[name] == *content, "{}", name.display());
    }
    let summary: Value = serde_json::from_slice(&one[Path::new("summary.json")]).unwrap();
    assert_eq!(summary["air"]["events"], json!(200));
    assert!(!summary.to_string().contains("777"), "nothing is left of parts that a guest has not computed");
    assert!(summary["air"].get("part_hashes").is_none());
}
