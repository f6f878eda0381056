//! Whatever a plan says and whatever a frame holds: a world or a reason, never a panic, and no memory that a number asked for.

use std::sync::LazyLock;

use airtcp_air::analytic::explain_scene;
use airtcp_air::linux_mac::NoMac80211;
use airtcp_air::{NicId, World, WorldOptions};
use airtcp_guest::engine::Engine;
use airtcp_guest::frames::{KernelHandle, Travelling};
use airtcp_guest::host::Host;
use airtcp_guest::start::start;
use airtcp_plan::{AirScene, Plan};
use airtcp_testing::golden_plans::{golden_plan, plan_json};
use airtcp_units::{Duration, Instant};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};

/// As many of `PLANS` have radios; the rest are wires alone.
const WITH_RADIOS: usize = 6;

/// Plans with hosts, of every kind of traffic.
static PLANS: LazyLock<[Value; 7]> = LazyLock::new(|| {
    let ping = plan_json("ping");
    let names = ["first", "captures", "mesh-chain", "recorded", "aoyagi2023-4.2-2", "wire-traces"];
    let [first, captures, mesh, recorded, study, wires] = names.map(golden_plan);
    [ping, first, captures, mesh, recorded, study, wires]
});

/// Scenes without hosts: a floor plan, stations of two generations, 60 GHz.
static SCENES: LazyLock<[Value; 3]> = LazyLock::new(|| ["office", "old-station", "sixty"].map(golden_plan));

/// The same examples every time.
fn repeatable(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(6), failure_persistence: None, ..Config::default() }
}

/// Numbers at the ends of their types, and values of other types.
fn hostile() -> impl Strategy<Value = Value> {
    let numbers = [0, 1, 7, 255, 65_536, u64::from(u32::MAX), i64::MAX as u64, u64::MAX];
    prop_oneof![
        4 => prop::sample::select(numbers.to_vec()).prop_map(Value::from),
        1 => prop::sample::select(vec![-1, -1_000_000, i64::MIN]).prop_map(Value::from),
        2 => prop::sample::select(vec![0.0, -0.0, 1e-300, 1e308, -1e308, 0.5, 1e12]).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => "\\PC{0,20}".prop_map(Value::from),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => Just(json!(["a", 1, null])),
    ]
}

/// Pointers (RFC 6901) to every value in a JSON text.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| places(item, &format!("{at}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| places(field, &format!("{at}/{key}"), found));
        }
        _ => {}
    }
}

/// One of these plans with up to three of its values replaced, lists halved or an item doubled.
fn mutated(plans: &'static [Value]) -> impl Strategy<Value = String> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, hostile()), 1..4);
    (prop::sample::select(plans), changes).prop_map(|(mut plan, changes)| {
        for (which, how, value) in changes {
            let mut found = Vec::new();
            places(&plan, "", &mut found);
            let at = which.get(&found);
            match (how, plan.pointer_mut(at)) {
                (0, Some(Value::Array(items))) => items.truncate(items.len() / 2),
                (1, Some(Value::Array(items))) if !items.is_empty() => items.push(items[0].clone()),
                (_, Some(place)) => *place = value,
                (_, None) => {}
            }
        }
        plan.to_string()
    })
}

fn options(plan: &Plan) -> WorldOptions {
    let epoch = Instant::from_nanos(plan.epoch_ns);
    WorldOptions {
        epoch,
        end: epoch + Duration::from_nanos(plan.duration_ns),
        sample_interval: Duration::from_nanos(plan.sampling.air_interval_ns),
        ppdu_trace: plan.sampling.ppdus,
    }
}

/// Most memory that this process has had, in MiB (proc(5)).
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmPeak")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

struct Silent(usize);

impl Host for Silent {
    fn deliver(&mut self, _: NicId, _: KernelHandle) {}
    fn sent(&mut self, _: NicId, _: KernelHandle) {}
    fn dropped(&mut self, _: NicId, _: KernelHandle) {}
    fn hold(&mut self, _: KernelHandle) {}
    fn release(&mut self, _: KernelHandle) {}
    fn mark_ce(&mut self, _: KernelHandle) {}
    fn relay(&mut self, _: NicId, _: KernelHandle) -> KernelHandle {
        self.0 += 1;
        KernelHandle(self.0)
    }
    fn stop(&mut self, _: NicId) {}
    fn wake(&mut self, _: NicId) {}
}

/// Bytes as a program with a raw socket may send them: some with the addresses of radios, some with beginnings of IP.
fn frame() -> impl Strategy<Value = (usize, usize, u32, u32, Vec<u8>)> {
    let head = prop::collection::vec(any::<u8>(), 14..134);
    (0..8_usize, 0..9_usize, any::<u32>(), any::<u32>(), head)
}

proptest! {
    #![proptest_config(repeatable(1500))]

    #[test]
    fn a_plan_is_a_world_or_has_a_reason(text in mutated(&*PLANS)) {
        if let Err(error) = Plan::from_json(&text).map_err(|error| error.to_string()).and_then(|plan| {
            World::new(&plan.air, plan.seed, options(&plan)).map(|_| ()).map_err(|error| error.to_string())
        }) {
            prop_assert!(!error.is_empty());
        }
        prop_assert!(peak_mib() < 2048, "{} MiB", peak_mib());
    }
}

proptest! {
    #![proptest_config(repeatable(800))]

    #[test]
    fn a_scene_is_a_world_or_has_a_reason(text in mutated(&*SCENES)) {
        if let Ok(scene) = AirScene::from_json(&text) {
            let _ = explain_scene(&scene);
        }
        prop_assert!(peak_mib() < 2048, "{} MiB", peak_mib());
    }
}

proptest! {
    #![proptest_config(repeatable(300))]

    #[test]
    fn any_text_is_a_plan_or_has_a_reason(text in "\\PC{0,200}|[\\[\\]{}\":,0-9a-z]{0,200}") {
        prop_assert!(Plan::from_json(&text).is_err());
    }

    #[test]
    fn any_frame_crosses_the_air(which in 0..WITH_RADIOS, sent in prop::collection::vec(frame(), 1..12)) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plan.json"), PLANS[which].to_string()).unwrap();
        let plan: Plan = serde_json::from_value(PLANS[which].clone()).unwrap();
        let mut engine: Engine<Silent, NoMac80211> = start(folder.path(), None, Silent(1000), NoMac80211, 248).unwrap().engine;
        let nics = plan.air.nics.len();
        let mut now = Instant::from_nanos(plan.epoch_ns);
        for (handle, (nic, to, bytes, priority, mut head)) in sent.into_iter().enumerate() {
            if let Some(radio) = plan.air.nics.get(to) {
                head[..6].copy_from_slice(&radio.mac.0);
            }
            // The driver gives whole frames of at most the MTU, and no shorter than their head.
            let bytes = (head.len() as u32).max(bytes % 2310);
            let frame = engine.read(KernelHandle(handle), &head, bytes, priority);
            engine.transmit(NicId((nic % nics) as u32), frame, now).unwrap();
            now += Duration::from_micros(50);
        }
        for _ in 0..200 {
            now = engine.next().max(now);
            engine.run(now).unwrap();
        }
        engine.end(now).unwrap();
    }
}

#[test]
fn a_deep_text_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(Plan::from_json(&text).is_err());
    }
}

#[test]
#[should_panic(expected = "without an Ethernet header")]
fn a_frame_without_a_header_is_the_kernels_bug() {
    Travelling::read(KernelHandle(1), &[0; 13], 13, 0, airtcp_plan::DscpMap::Rfc8325);
}
