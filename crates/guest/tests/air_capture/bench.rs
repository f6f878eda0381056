//! An engine around which there is nothing, and what it leaves in its capture files.

use std::path::Path;

use airtcp_air::NicId;
use airtcp_air::linux_mac::NoMac80211;
use airtcp_guest::engine::Engine;
use airtcp_guest::frames::KernelHandle;
use airtcp_guest::host::Host;
use airtcp_guest::start::start;
use airtcp_testing::golden_plans::plan_json;
use airtcp_units::{Duration, Instant};
use serde_json::{Value, json};

pub(crate) const AP: NicId = NicId(0);
pub(crate) const STA: NicId = NicId(1);
/// When frames are given: 100 ms after the epoch.
pub(crate) const NOON: Instant = Instant::from_nanos(3_100_000_000);
pub(crate) const NOON_NS: u64 = 100_000_000;

/// Takes everything and does nothing; copies have other handles.
struct NoHost;

impl Host for NoHost {
    fn deliver(&mut self, _: NicId, _: KernelHandle) {}
    fn sent(&mut self, _: NicId, _: KernelHandle) {}
    fn dropped(&mut self, _: NicId, _: KernelHandle) {}
    fn hold(&mut self, _: KernelHandle) {}
    fn release(&mut self, _: KernelHandle) {}
    fn mark_ce(&mut self, _: KernelHandle) {}
    fn relay(&mut self, _: NicId, frame: KernelHandle) -> KernelHandle {
        KernelHandle(frame.0 + 1000)
    }
    fn stop(&mut self, _: NicId) {}
    fn wake(&mut self, _: NicId) {}
}

/// A packet of a file: radiotap header and MPDU.
#[derive(Debug, PartialEq)]
pub(crate) struct Packet {
    pub(crate) time_ns: u64,
    pub(crate) radiotap: Vec<u8>,
    pub(crate) mpdu: Vec<u8>,
    /// Length of the MPDU on the air.
    pub(crate) mpdu_bytes: u32,
}

impl Packet {
    pub(crate) fn bad_fcs(&self) -> bool {
        self.radiotap[16] & 0x40 != 0
    }

    pub(crate) fn retry(&self) -> bool {
        self.mpdu[1] & 0x08 != 0
    }

    pub(crate) fn is_data(&self) -> bool {
        self.mpdu[0] & 0x0c == 0x08
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Reads the enhanced packet blocks of a file, by hand.
fn packets(path: &Path) -> Vec<Packet> {
    let file = std::fs::read(path).unwrap();
    let (mut at, mut packets) = (0, Vec::new());
    while at < file.len() {
        let length = u32_at(&file, at + 4) as usize;
        let block = &file[at..at + length];
        assert_eq!(u32_at(block, length - 4) as usize, length);
        if u32_at(block, 0) == 6 {
            let bytes = &block[28..28 + u32_at(block, 20) as usize];
            let (radiotap, mpdu) = bytes.split_at(usize::from(u16::from_le_bytes([bytes[2], bytes[3]])));
            packets.push(Packet {
                time_ns: u64::from(u32_at(block, 12)) << 32 | u64::from(u32_at(block, 16)),
                mpdu_bytes: u32_at(block, 24) - radiotap.len() as u32,
                radiotap: radiotap.to_vec(),
                mpdu: mpdu.to_vec(),
            });
        }
        at += length;
    }
    packets
}

pub(crate) struct Bench {
    folder: tempfile::TempDir,
    engine: Engine<NoHost, NoMac80211>,
}

impl Bench {
    /// The plan with captures of the air, changed.
    pub(crate) fn new(captures: &Value, change: impl FnOnce(&mut Value)) -> Self {
        let mut plan: Value = plan_json("ping");
        plan["captures"] = captures.clone();
        change(&mut plan);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plan.json"), plan.to_string()).unwrap();
        let engine = start(folder.path(), None, NoHost, NoMac80211, 248).unwrap().engine;
        Self { folder, engine }
    }

    /// The kernel sends a frame of which it shows the first bytes.
    pub(crate) fn transmit(&mut self, nic: NicId, head: &[u8], bytes: u32, now: Instant) {
        self.run_until(now);
        let frame = self.engine.read(KernelHandle(7), head, bytes, 0);
        self.engine.transmit(nic, frame, now).unwrap();
    }

    pub(crate) fn run_until(&mut self, end: Instant) {
        while self.engine.next() <= end {
            let now = self.engine.next();
            self.engine.run(now).unwrap();
        }
    }

    pub(crate) fn captured(mut self, name: &str) -> Vec<Packet> {
        let end = NOON + Duration::from_millis(50);
        self.run_until(end);
        self.engine.end(end).unwrap();
        packets(&self.folder.path().join("pcap").join(format!("{name}.pcapng")))
    }
}

pub(crate) fn capture(name: &str) -> Value {
    json!({"name": name, "point": {"kind": "air"}, "snap_bytes": 134, "flows": [], "start_ns": 0, "stop_ns": u64::MAX})
}

pub(crate) fn mac(node: u8) -> [u8; 6] {
    [2, 0, 0, 0, node, 1]
}

pub(crate) const BEYOND: [u8; 6] = [2, 0, 0, 0, 9, 9];

/// A TCP segment to a port, as the linear part of a frame.
pub(crate) fn segment(destination: [u8; 6], source: [u8; 6], port: u16) -> Vec<u8> {
    let mut head = [destination, source].concat();
    head.extend([8, 0, 0x45, 0, 5, 0xdc, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 2, 10, 0, 0, 9]);
    head.extend([0x9c, 0x40]);
    head.extend(port.to_be_bytes());
    head.resize(54, 0);
    head
}
