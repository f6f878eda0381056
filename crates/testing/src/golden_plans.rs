//! The golden plans of the tests in Python (`tests/python/golden`).
//!
//! `first.plan.json` is whole; every other file holds only its difference from that one, in the format that
//! `tests/python/support/golden_plans.py` describes.

use std::path::Path;

use serde_json::{Map, Value};

const FOLDER: &str = "tests/python/golden";
/// The whole plan.
const BASE: &str = "first";
/// Key of an object for the keys of the base that it does not have.
const WITHOUT: &str = "$without";

/// The golden plan of this name. Panics if there is none.
pub fn golden_plan(name: &str) -> Value {
    if name == BASE { read(BASE) } else { patched(&read(BASE), &read(name)) }
}

fn read(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOLDER);
    let text = std::fs::read_to_string(folder.join(format!("{name}.plan.json")));
    serde_json::from_str(&text.expect("the golden plan is in the tree")).expect("a golden plan is JSON")
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
