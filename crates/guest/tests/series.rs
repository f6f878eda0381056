//! The record files that the library writes: their headers are what Python declares of the series.

use std::fs::File;
use std::path::Path;

use airtcp_air::WorldOptions;
use airtcp_guest::recorder::Recorder;
use airtcp_guest::watch::{ConnectedSocket, FlowSample, MptcpSample, QdiscSample, SocketSample, Watch};
use airtcp_plan::Sampling;
use airtcp_plan::record::Table;
use airtcp_testing::series::assert_declared;
use airtcp_units::{Duration, Instant};

const INTERVAL_NS: u64 = 1_000_000;
/// `TCA_CAKE_STATS_TIN_STATS` with an empty tin.
const ONE_TIN: [u8; 8] = [8, 0, 10, 0, 4, 0, 1, 0];

/// The tables of all record files in a folder.
fn tables(folder: &Path) -> Vec<Table> {
    let files = std::fs::read_dir(folder.join("records")).unwrap();
    files.map(|file| Table::read(&mut File::open(file.unwrap().path()).unwrap()).unwrap().0).collect()
}

#[test]
fn series_of_the_air_are_declared() {
    let options = WorldOptions {
        epoch: Instant::ZERO,
        end: Instant::ZERO,
        sample_interval: Duration::from_nanos(INTERVAL_NS),
        ppdu_trace: true,
    };
    let folder = tempfile::tempdir().unwrap();
    drop(Recorder::create(folder.path(), &options).unwrap());
    assert_declared("air", &tables(folder.path()));
}

#[test]
fn series_of_the_kernel_are_declared() {
    let mut plan = airtcp_testing::golden_plans::plan("two-hosts-and-a-switch");
    plan.sampling = Sampling {
        flows_interval_ns: INTERVAL_NS,
        qdiscs_interval_ns: INTERVAL_NS,
        stations_interval_ns: INTERVAL_NS,
        rates_interval_ns: INTERVAL_NS,
        air_interval_ns: INTERVAL_NS,
        acks: true,
        delays: true,
        ppdus: true,
        sockets_least_bytes: Some(0),
    };
    let folder = tempfile::tempdir().unwrap();
    let mut watch = Watch::create(folder.path(), &plan, 248).unwrap();
    see_what_few_runs_have(&mut watch, plan.epoch_ns);
    watch.close().unwrap();
    assert_declared("guest", &tables(folder.path()));
}

/// Series that are made when there is something to record: tins of CAKE, queues of flows, those of `DualPI2`, MPTCP connections.
fn see_what_few_runs_have(watch: &mut Watch, now_ns: u64) {
    let own = [0; 40];
    let fq_codel = QdiscSample {
        handle: 1,
        backlog_packets: 0,
        backlog_bytes: 0,
        packets: 0,
        bytes: 0,
        drops: 0,
        overlimits: 0,
        kind: "fq_codel",
        own: &own,
    };
    watch.qdisc(0, now_ns, &fq_codel).unwrap();
    watch.qdisc(0, now_ns, &QdiscSample { kind: "cake", own: &ONE_TIN, ..fq_codel }).unwrap();
    watch.qdisc(0, now_ns, &QdiscSample { kind: "dualpi2", ..fq_codel }).unwrap();
    let [client, server] = ["10.0.0.1:1", "10.0.0.2:2"].map(|end| end.parse().unwrap());
    let socket = ConnectedSocket { group: 1, local: client, remote: server, accepted: false };
    assert!(watch.socket_connected(Some(0), now_ns, &socket));
    let mptcp = Some(MptcpSample::default());
    watch.socket(0, now_ns, &SocketSample { end: FlowSample::EMPTY, congestion_control: "reno", mptcp });
    watch.sockets_sampled(now_ns).unwrap();
}
