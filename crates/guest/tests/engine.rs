//! The engine against a kernel made of lists: what it asks of the kernel, in
//! which order, and what it leaves in the run's working folder.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use airtcp_air::NicId;
use airtcp_air::linux_mac::NoMac80211;
use airtcp_guest::engine::Engine;
use airtcp_guest::frames::{KernelHandle, Travelling};
use airtcp_guest::host::Host;
use airtcp_guest::start::{StartError, start};
use airtcp_plan::record::Table;
use airtcp_plan::report::AirReport;
use airtcp_testing::golden_plans::plan_json;
use airtcp_units::{Duration, Instant};

const AP: NicId = NicId(0);
const STA: NicId = NicId(1);

/// An access point and a station in 11g at 54 Mb/s.
fn plan() -> String {
    plan_json("ping").to_string()
}
/// The time at which the tests begin: after the epoch of the plan.
const NOON: Instant = Instant::from_nanos(3_100_000_000);

#[derive(Debug, PartialEq)]
enum Call {
    Deliver(u32, usize),
    Sent(u32, usize),
    Dropped(u32, usize),
    Relay(u32, usize),
    Stop(u32),
    Wake(u32),
}

#[derive(Clone, Default)]
struct ListHost(Rc<RefCell<Vec<Call>>>);

impl Host for ListHost {
    fn deliver(&mut self, nic: NicId, frame: KernelHandle) {
        self.0.borrow_mut().push(Call::Deliver(nic.0, frame.0));
    }
    fn sent(&mut self, nic: NicId, frame: KernelHandle) {
        self.0.borrow_mut().push(Call::Sent(nic.0, frame.0));
    }
    fn dropped(&mut self, nic: NicId, frame: KernelHandle) {
        self.0.borrow_mut().push(Call::Dropped(nic.0, frame.0));
    }
    fn hold(&mut self, frame: KernelHandle) {
        panic!("{frame:?} is held: acknowledgements of single frames leave no gaps");
    }
    fn release(&mut self, frame: KernelHandle) {
        panic!("{frame:?} is released, but was never held");
    }
    fn mark_ce(&mut self, frame: KernelHandle) {
        panic!("{frame:?} is marked by a queue without CoDel");
    }
    fn relay(&mut self, nic: NicId, frame: KernelHandle) -> KernelHandle {
        self.0.borrow_mut().push(Call::Relay(nic.0, frame.0));
        KernelHandle(frame.0 + 1000)
    }
    fn stop(&mut self, nic: NicId) {
        self.0.borrow_mut().push(Call::Stop(nic.0));
    }
    fn wake(&mut self, nic: NicId) {
        self.0.borrow_mut().push(Call::Wake(nic.0));
    }
}

struct Bench {
    folder: tempfile::TempDir,
    calls: Rc<RefCell<Vec<Call>>>,
    engine: Engine<ListHost, NoMac80211>,
}

impl Bench {
    fn new(plan: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plan.json"), plan).unwrap();
        let host = ListHost::default();
        let calls = Rc::clone(&host.0);
        let engine = start(folder.path(), None, host, NoMac80211, 248).unwrap().engine;
        Self { folder, calls, engine }
    }

    fn transmit(&mut self, nic: NicId, handle: usize, destination: [u8; 6], now: Instant) {
        let source = if nic == AP { mac(1) } else { mac(2) };
        let mut head = [0; 64];
        head[..6].copy_from_slice(&destination);
        head[6..12].copy_from_slice(&source);
        let frame = Travelling::read(KernelHandle(handle), &head, 1514, 0, airtcp_plan::DscpMap::Rfc8325);
        self.engine.transmit(nic, frame, now).unwrap();
    }

    /// Runs until `end`, as the kernel's calendar does.
    fn run_until(&mut self, end: Instant) {
        while self.engine.next() <= end {
            let now = self.engine.next();
            self.engine.run(now).unwrap();
        }
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.borrow_mut().drain(..).collect()
    }

    fn report(&mut self, now: Instant) -> AirReport {
        self.engine.end(now).unwrap();
        let text = std::fs::read_to_string(self.folder.path().join("air.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

fn mac(node: u8) -> [u8; 6] {
    [2, 0, 0, 0, node, 1]
}

#[test]
fn a_frame_is_delivered_and_then_sent() {
    let mut bench = Bench::new(&plan());
    bench.run_until(NOON);
    bench.transmit(STA, 7, mac(1), NOON);
    assert_eq!(bench.calls(), []);
    bench.run_until(NOON + Duration::from_millis(1));
    assert_eq!(bench.calls(), [Call::Deliver(0, 7), Call::Sent(1, 7)]);
}

#[test]
fn a_group_frame_of_a_station_is_delivered_and_relayed() {
    let mut bench = Bench::new(&plan());
    bench.run_until(NOON);
    bench.transmit(STA, 7, [0xff; 6], NOON);
    // At the group rate of 6 Mb/s the frame takes 2 ms.
    bench.run_until(NOON + Duration::from_millis(4));
    let calls = bench.calls();
    assert!(calls.contains(&Call::Deliver(0, 7)) && calls.contains(&Call::Relay(0, 7)));
    // The station made it: it hears its own frame from the access point and ignores it.
    assert_eq!(calls.last(), Some(&Call::Sent(0, 1007)));
    assert!(!calls.contains(&Call::Deliver(1, 1007)));
}

#[test]
fn a_frame_to_nobody_is_dropped_at_once() {
    let mut bench = Bench::new(&plan());
    bench.run_until(NOON);
    bench.transmit(AP, 7, mac(9), NOON);
    assert_eq!(bench.calls(), [Call::Dropped(0, 7)]);
}

#[test]
fn a_full_queue_stops_the_kernel_and_wakes_it_again() {
    let mut bench = Bench::new(&plan().replace("\"packets\":64", "\"packets\":2"));
    bench.run_until(NOON);
    bench.transmit(STA, 1, mac(1), NOON);
    bench.transmit(STA, 2, mac(1), NOON);
    assert_eq!(bench.calls(), [Call::Stop(1)]);
    bench.run_until(NOON + Duration::from_micros(400));
    let calls = bench.calls();
    assert!(calls.contains(&Call::Wake(1)), "{calls:?}");
}

#[test]
fn a_late_kernel_gets_what_was_due_and_the_report_says_so() {
    let mut bench = Bench::new(&plan());
    bench.run_until(NOON);
    bench.transmit(STA, 7, mac(1), NOON);
    bench.run_until(NOON + Duration::from_micros(1));
    let late = bench.engine.next() + Duration::from_nanos(100);
    bench.transmit(STA, 8, mac(1), late);
    assert_eq!(bench.calls(), [Call::Deliver(0, 7)]);
    assert_eq!(bench.report(late).late_max_ns, 100);
}

#[test]
fn the_report_balances_and_the_records_can_be_read() {
    let mut bench = Bench::new(&plan());
    bench.run_until(NOON);
    for handle in 0..10 {
        bench.transmit(STA, handle, mac(1), NOON);
    }
    let end = Instant::from_nanos(5_000_000_000);
    bench.run_until(end);
    let report = bench.report(end);
    let station = &report.nics[1];
    assert_eq!((station.accepted, station.sent, station.in_flight), (10, 10, 0));
    assert_eq!(report.nics[0].delivered, 10);
    for (series, rows) in [("ppdus", 20), ("air", 2 * 21), ("links", 19)] {
        let path = bench.folder.path().join("records").join(format!("{series}.rec"));
        let (table, bytes) = Table::read(&mut std::fs::File::open(path).unwrap()).unwrap();
        assert_eq!(bytes.len() / table.row_width(), rows, "{series}");
    }
}

#[test]
fn the_hash_depends_on_when() {
    let hash = |delay_ns: u64| {
        let mut bench = Bench::new(&plan());
        let at = NOON + Duration::from_nanos(delay_ns);
        bench.run_until(at);
        bench.transmit(STA, 7, mac(1), at);
        bench.run_until(at + Duration::from_millis(1));
        bench.report(NOON + Duration::from_millis(10)).frame_hash
    };
    assert_eq!(hash(0), hash(0));
    assert_ne!(hash(0), hash(1));
}

#[test]
fn a_wrong_plan_is_refused_with_its_key() {
    let refused = |plan: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plan.json"), plan).unwrap();
        start(folder.path(), None, ListHost::default(), NoMac80211, 248)
            .err()
            .expect("the plan is wrong")
            .to_string()
    };
    let version = format!("\"version\":{}", airtcp_plan::PLAN_VERSION);
    assert!(refused(&plan().replace("54000000", "55000000")).contains("air.nics[0].rate_control"));
    assert!(refused(&plan().replace(&version, "\"version\":1000")).contains("version: the plan has 1000"));
    assert!(refused("{").starts_with("plan: not a plan"));
}

#[test]
fn a_missing_plan_is_named() {
    let error = start(Path::new("/nonexistent"), None, ListHost::default(), NoMac80211, 248)
        .err()
        .expect("there is no plan");
    assert!(matches!(error, StartError::File { .. }));
    assert!(error.to_string().starts_with("/nonexistent/plan.json: "));
}
