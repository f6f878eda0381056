//! Plans for tests: one whole plan, and the differences of all others from it.
//!
//! `first.plan.json` of the golden plans (`tests/python/golden`) is whole. The other golden plans, which are what scenarios compile to,
//! and the plans and scenes of `crates/testing/plans` hold only their difference from it, in the format that
//! `tests/python/support/golden_plans.py` describes: a new key of plans changes one file.

use std::path::Path;

use airtcp_plan::{AirScene, Plan};
use serde_json::{Map, Value};

const GOLDEN: &str = "tests/python/golden";
const OWN: &str = "crates/testing/plans";
/// The whole plan.
const BASE: &str = "first";
/// Key of an object for the keys of the base that it does not have.
const WITHOUT: &str = "$without";

/// The golden plan of this name. Panics if there is none.
pub fn golden_plan(name: &str) -> Value {
    if name == BASE { base() } else { patched(&base(), &read(GOLDEN, &format!("{name}.plan.json"))) }
}

/// The plan of this name in `crates/testing/plans`, as JSON. Panics if there is none.
pub fn plan_json(name: &str) -> Value {
    patched(&base(), &read(OWN, &format!("{name}.plan.json")))
}

/// The plan of this name in `crates/testing/plans`. Panics if there is none.
pub fn plan(name: &str) -> Plan {
    Plan::from_json(&plan_json(name).to_string()).expect("it is a plan")
}

/// The scene of this name in `crates/testing/plans`, as JSON. Panics if there is none.
pub fn scene_json(name: &str) -> Value {
    let mut base = base();
    let plan = base.as_object_mut().expect("a plan is an object");
    plan.retain(|key, _| ["version", "name", "seed", "duration_ns", "air"].contains(&key.as_str()));
    patched(&base, &read(OWN, &format!("{name}.scene.json")))
}

/// The scene of this name in `crates/testing/plans`. Panics if there is none.
pub fn scene(name: &str) -> AirScene {
    AirScene::from_json(&scene_json(name).to_string()).expect("it is a scene")
}

fn base() -> Value {
    read(GOLDEN, &format!("{BASE}.plan.json"))
}

fn read(folder: &str, file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder).join(file);
    let text = std::fs::read_to_string(path).expect("the plan is in the tree");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The value whose difference from `base` is `change`.
fn patched(base: &Value, change: &Value) -> Value {
    match change {
        Value::Object(change) => Value::Object(patched_object(base, change)),
        Value::Array(changes) if is_list_of_objects(change) => {
            let mut before = if is_list_of_objects(base) { base[0].clone() } else { Value::Null };
            let items = changes.iter().map(|change| {
                before = patched(&before, change);
                before.clone()
            });
            items.collect()
        }
        _ => change.clone(),
    }
}

fn patched_object(base: &Value, change: &Map<String, Value>) -> Map<String, Value> {
    let mut object = base.as_object().cloned().unwrap_or_default();
    for missing in change.get(WITHOUT).and_then(Value::as_array).into_iter().flatten() {
        object.remove(missing.as_str().expect("missing keys are text"));
    }
    for (key, change) in change.iter().filter(|(key, _)| *key != WITHOUT) {
        let value = patched(object.get(key).unwrap_or(&Value::Null), change);
        object.insert(key.clone(), value);
    }
    object
}

fn is_list_of_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_changes_adds_and_removes_keys_and_follows_lists() {
        let base = json!({"a": 1, "b": {"c": 2, "d": 3}, "list": [{"x": 1, "y": 1}, {"x": 9}]});
        let change = json!({"b": {"$without": ["c"], "e": 4}, "list": [{"y": 2}, {"x": 3}], "none": []});
        let expected = json!({
            "a": 1, "b": {"d": 3, "e": 4}, "list": [{"x": 1, "y": 2}, {"x": 3, "y": 2}], "none": []
        });
        assert_eq!(patched(&base, &change), expected);
    }

    #[test]
    fn every_golden_plan_is_whole() {
        let linux = golden_plan("linux");
        assert_eq!((&linux["name"], &linux["version"]), (&json!("linux"), &golden_plan(BASE)["version"]));
    }
}
