//! A frame costs no allocation: a scene that lasts longer allocates no more.

use std::alloc::System;

use airtcp_air::sources::run_scene;
use airtcp_plan::{
    AirScene, McsFormat, Mode, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, RateControlPlan,
    Standard,
};
use airtcp_testing::golden_plans::scene;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn sharing(scheduler: MultiUserScheduler) -> MultiUserPlan {
    let acknowledgement = MultiUserAcknowledgement::Sequential;
    MultiUserPlan { scheduler, stations: 4, acknowledgement, mu_rts: false, uplink: None }
}

/// Allocations, and those that grew, of a scene of so many seconds.
fn allocations(scene: &AirScene, seconds: u64) -> (u64, usize) {
    let scene = AirScene { duration_ns: seconds * 1_000_000_000, ..scene.clone() };
    let region = Region::new(ALLOCATOR);
    let report = run_scene(&scene).expect("a legal scene");
    let stats = region.change();
    let frames = report.sources.iter().map(|source| source.delivered.frames).sum();
    (frames, stats.allocations + stats.reallocations)
}

/// Losses, up and down, in a cell of 11ax whose access point sends to several stations at once.
fn multi_user(scheduler: MultiUserScheduler) -> AirScene {
    let mut scene = scene("aggregates");
    let cell = &mut scene.air.cells[0];
    (cell.standard, cell.multi_user) = (Standard::He, Some(sharing(scheduler)));
    for nic in &mut scene.air.nics {
        let (format, mcs, streams) = (McsFormat::He, 7, 1);
        nic.rate_control =
            RateControlPlan::Fixed { mode: Mode::Mcs { format, mcs, streams, width_mhz: 20, guard_ns: 800 } };
    }
    scene
}

#[test]
fn time_costs_no_allocation() {
    // Three stations up; and losses, up and down.
    let single_user = ["legacy", "aggregates"].map(|name| (name.to_owned(), scene(name)));
    let shared = MultiUserScheduler::ALL.map(|name| (format!("{name:?}"), multi_user(name)));
    for (name, scene) in single_user.into_iter().chain(shared) {
        let [(few, short), (many, long)] = [5, 25].map(|seconds| allocations(&scene, seconds));
        assert!(many > 4 * few, "{name}: {few} and {many} frames");
        // Tables may still grow a little with the largest backlog ever seen.
        assert!(long <= short + 20, "{name}: {short} allocations for {few} frames, {long} for {many}");
    }
}
