//! Sources to different receivers, one of which has its queue empty now and then: in one flow of FQ-CoDel, frames overtake others.

use airtcp_air::sources::run_scene;
use airtcp_plan::{AirScene, Pace, QueuePlan};
use airtcp_testing::golden_plans;

/// An access point with two stations, whose queue has so many flows.
fn scene(flows: u32) -> AirScene {
    let mut scene = golden_plans::scene("aggregates");
    let QueuePlan::FqCodel(queue) = &mut scene.air.nics[0].queue else { panic!("FQ-CoDel") };
    queue.flows = flows;
    scene.sources.retain(|source| source.from == 0 && source.priority == 0);
    for (source, interval_ns) in scene.sources.iter_mut().zip([500_000, 300_000]) {
        source.pace = Pace::Cbr { interval_ns };
    }
    scene
}

/// Frames of one flow arrive in order, and sources have to share one if there is only one; both without a panic.
#[test]
fn a_scene_runs_with_any_number_of_flows() {
    for flows in [4096, 1] {
        let report = run_scene(&scene(flows)).expect("a legal scene");
        assert_eq!(report.sources.len(), 2);
        assert!(report.sources.iter().all(|source| source.delivered.frames > 1000), "{flows}: {report:?}");
    }
}
