//! A plan of another version says so, whatever else it lacks.

use airtcp_plan::{AirScene, PLAN_VERSION, Plan, PlanError};

#[test]
fn another_version_is_named_before_what_it_lacks() {
    let old = r#"{"version": 6, "name": "old", "clock": 1}"#;
    assert_eq!(Plan::from_json(old), Err(PlanError::Version { found: 6 }));
    assert_eq!(AirScene::from_json(old), Err(PlanError::Version { found: 6 }));
    let own = format!(r#"{{"version": {PLAN_VERSION}}}"#);
    assert!(matches!(Plan::from_json(&own), Err(PlanError::Format(_))));
    assert!(matches!(Plan::from_json("{"), Err(PlanError::Format(_))));
}
