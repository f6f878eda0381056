//! A frame costs no allocation: a scene that lasts longer allocates no more.

use std::alloc::System;

use airtcp_air::sources::run_scene;
use airtcp_plan::AirScene;
use airtcp_testing::golden_plans::scene;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations, and those that grew, of a scene of so many seconds.
fn allocations(scene: &AirScene, seconds: u64) -> (u64, usize) {
    let scene = AirScene { duration_ns: seconds * 1_000_000_000, ..scene.clone() };
    let region = Region::new(ALLOCATOR);
    let report = run_scene(&scene).expect("a legal scene");
    let stats = region.change();
    let frames = report.sources.iter().map(|source| source.delivered.frames).sum();
    (frames, stats.allocations + stats.reallocations)
}

#[test]
fn time_costs_no_allocation() {
    // Three stations up; and losses, up and down.
    for name in ["legacy", "aggregates"] {
        let scene = scene(name);
        let [(few, short), (many, long)] = [5, 25].map(|seconds| allocations(&scene, seconds));
        assert!(many > 4 * few, "{name}: {few} and {many} frames");
        // Tables may still grow a little with the largest backlog ever seen.
        assert!(long <= short + 20, "{name}: {short} allocations for {few} frames, {long} for {many}");
    }
}
