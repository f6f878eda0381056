//! Packets that the kernel shows, as one-way delays and captures.

use std::fs::File;
use std::net::IpAddr;
use std::path::Path;

use airtcp_guest::watch::{SeenPacket, Watch};
use airtcp_plan::record::Table;
use airtcp_plan::{Capture, CapturePoint, Plan, Points};

const MS: u64 = 1_000_000;

/// Two hosts, h1 and h2, and a switch between them; one flow from h1 to h2.
fn plan() -> Plan {
    let mut plan = airtcp_testing::golden_plans::plan("two-hosts-and-a-switch");
    plan.sampling.delays = true;
    plan
}

/// Number of the first device of a node.
fn device(plan: &Plan, node: &str) -> u32 {
    plan.devices().position(|d| plan.nodes[d.node as usize].name == node).unwrap() as u32
}

/// A data segment of the plan's flow, or its acknowledgement.
fn segment(plan: &Plan, is_data: bool, identification: u16, flags: u8) -> Vec<u8> {
    let IpAddr::V4(address) = plan.flows[0].address else { panic!("the flow of the plan uses IPv4") };
    let listening = (address.octets(), plan.flows[0].port);
    let (from, to) =
        if is_data { (([10, 0, 0, 77], 40000), listening) } else { (listening, ([10, 0, 0, 77], 40000)) };
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0];
    frame.extend(1500u16.to_be_bytes());
    frame.extend(identification.to_be_bytes());
    frame.extend([0x40, 0, 64, 6, 0, 0]);
    frame.extend(from.0);
    frame.extend(to.0);
    frame.extend(from.1.to_be_bytes());
    frame.extend(to.1.to_be_bytes());
    frame.extend(u32::from(identification).to_be_bytes());
    frame.extend([0, 0, 0, 0, 0x50, flags]);
    frame.resize(60, 0);
    frame
}

fn see(watch: &mut Watch, at_ns: u64, device: u32, point: Points, head: &[u8]) {
    let packet = SeenPacket { device, point, head, bytes: 1514, segments: 1, segment_bytes: 0 };
    watch.packet(at_ns, &packet).unwrap();
}

/// Rows of `records/delays.rec`: time, direction, sequence, delay.
fn delays(folder: &Path) -> Vec<(i64, u32, u32, i64)> {
    let (table, rows) = Table::read(&mut File::open(folder.join("records/delays.rec")).unwrap()).unwrap();
    let i64_at = |row: &[u8], at: usize| i64::from_le_bytes(row[at..at + 8].try_into().unwrap());
    let u32_at = |row: &[u8], at: usize| u32::from_le_bytes(row[at..at + 4].try_into().unwrap());
    let read = |row| (i64_at(row, 0), u32_at(row, 12), u32_at(row, 16), i64_at(row, 24));
    rows.chunks_exact(table.row_width()).map(read).collect()
}

#[test]
fn a_packet_takes_from_its_senders_queue_to_its_receivers_host() {
    let (plan, folder) = (plan(), tempfile::tempdir().unwrap());
    let mut watch = Watch::create(folder.path(), &plan, 248).unwrap();
    let epoch = plan.epoch_ns;
    let (h1, h2) = (device(&plan, &plan.flows[0].from), device(&plan, &plan.flows[0].to));
    let switch = (0..4).find(|d| *d != h1 && *d != h2).unwrap();
    let data = |n| segment(&plan, true, n, 0x10);
    see(&mut watch, epoch, h1, Points::QUEUE, &segment(&plan, true, 1, 2)); // SYN
    see(&mut watch, epoch + MS, h1, Points::QUEUE, &data(7));
    see(&mut watch, epoch + MS, h1, Points::QUEUE, &data(8));
    see(&mut watch, epoch + 2 * MS, switch, Points::RECEIVE, &data(7));
    see(&mut watch, epoch + 2 * MS, switch, Points::QUEUE, &data(7));
    see(&mut watch, epoch + 4 * MS, h2, Points::RECEIVE, &data(7));
    see(&mut watch, epoch + 5 * MS, h2, Points::RECEIVE, &data(7)); // shown twice
    see(&mut watch, epoch + 5 * MS, h2, Points::QUEUE, &segment(&plan, false, 7, 0x10));
    see(&mut watch, epoch + 6 * MS, h1, Points::RECEIVE, &segment(&plan, false, 7, 0x10));
    watch.close().unwrap();
    let ms = MS.cast_signed();
    assert_eq!(delays(folder.path()), [(ms, 0, 7, 3 * ms), (5 * ms, 1, 7, ms), (ms, 0, 8, -1)]);
}

#[test]
fn segments_of_a_packet_have_delays_of_their_own() {
    let (plan, folder) = (plan(), tempfile::tempdir().unwrap());
    let mut watch = Watch::create(folder.path(), &plan, 248).unwrap();
    let epoch = plan.epoch_ns;
    let (h1, h2) = (device(&plan, &plan.flows[0].from), device(&plan, &plan.flows[0].to));
    let mut show = |at_ns, device, point, (first, segments): (u16, u32)| {
        let mut head = segment(&plan, true, 7 + first, 0x10);
        // 40 octets of headers, and 1000 of payload in each segment but the last, which is the third.
        let payload = if segments == 3 { 2500 } else { 1000 * segments };
        head[16..18].copy_from_slice(&(40 + payload as u16).to_be_bytes());
        head[38..42].copy_from_slice(&(50_000 + 1000 * u32::from(first)).to_be_bytes());
        let packet =
            SeenPacket { device, point, head: &head, bytes: 54 + payload, segments, segment_bytes: 1000 };
        watch.packet(at_ns, &packet).unwrap();
    };
    show(epoch + MS, h1, Points::QUEUE, (0, 3));
    // The first arrives alone, the second and third are merged.
    show(epoch + 2 * MS, h2, Points::RECEIVE, (0, 1));
    show(epoch + 4 * MS, h2, Points::RECEIVE, (1, 2));
    watch.close().unwrap();
    let ms = MS.cast_signed();
    let expected = [(ms, 0, 50_000, ms), (ms, 0, 51_000, 3 * ms), (ms, 0, 52_000, 3 * ms)];
    assert_eq!(delays(folder.path()), expected);
}

#[test]
fn when_the_count_comes_round_the_packet_before_was_lost() {
    let (plan, folder) = (plan(), tempfile::tempdir().unwrap());
    let mut watch = Watch::create(folder.path(), &plan, 248).unwrap();
    let h1 = device(&plan, &plan.flows[0].from);
    for round in 1..3 {
        see(&mut watch, plan.epoch_ns + round * MS, h1, Points::QUEUE, &segment(&plan, true, 9, 0x10));
    }
    watch.close().unwrap();
    let ms = MS.cast_signed();
    // The second may still be on its way.
    assert_eq!(delays(folder.path()), [(ms, 0, 9, -1)]);
}

#[test]
fn a_capture_keeps_what_its_devices_show_in_its_time() {
    let (mut plan, folder) = (plan(), tempfile::tempdir().unwrap());
    let node = plan.flows[0].to.clone();
    let name = plan.node(&node).unwrap().interfaces[0].name.clone();
    let point = CapturePoint::Interfaces { node: node.clone(), names: vec![name] };
    let capture =
        Capture { name: "c".into(), point, snap_bytes: 134, flows: vec![0], start_ns: MS, stop_ns: 3 * MS };
    plan.captures.push(capture);
    let mut watch = Watch::create(folder.path(), &plan, 248).unwrap();
    let (h1, h2) = (device(&plan, &plan.flows[0].from), device(&plan, &node));
    let (own, mut other) = (segment(&plan, true, 1, 0x10), segment(&plan, true, 1, 0x10));
    other[36] ^= 1; // another port
    for at in [0, MS, 2 * MS, 3 * MS] {
        see(&mut watch, plan.epoch_ns + at, h2, Points::RECEIVE, &own);
        see(&mut watch, plan.epoch_ns + at, h2, Points::RECEIVE, &other);
        see(&mut watch, plan.epoch_ns + at, h2, Points::QUEUE, &own);
        see(&mut watch, plan.epoch_ns + at, h1, Points::XMIT, &own);
    }
    watch.close().unwrap();
    let bytes = std::fs::read(folder.path().join("pcap/c.pcapng")).unwrap();
    let packets = bytes.windows(60).filter(|window| *window == &own[..60]).count();
    assert_eq!(packets, 2);
}
