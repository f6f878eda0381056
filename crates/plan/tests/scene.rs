//! What a scene refuses, each with the key at fault.

use airtcp_plan::{AirScene, PLAN_VERSION, PhyOptions};
use airtcp_testing::golden_plans::scene_json;
use proptest::prelude::*;
use serde_json::{Value, json};

/// An access point and two stations in 11a.
fn value() -> Value {
    scene_json("two-stations")
}

fn refused(pointer: &str, with: Value) -> String {
    let mut scene = value();
    *scene.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = with;
    AirScene::from_json(&scene.to_string()).expect_err("the scene is wrong").to_string()
}

#[test]
fn a_scene_keeps_its_content() {
    let scene = AirScene::from_json(&value().to_string()).unwrap();
    let text = serde_json::to_string(&scene).unwrap();
    assert_eq!(AirScene::from_json(&text).unwrap(), scene);
    let mut explicit = value();
    for nic in explicit["air"]["nics"].as_array_mut().unwrap() {
        nic["phy_options"] = json!(PhyOptions::NONE);
    }
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), explicit);
}

#[test]
fn every_contradiction_names_its_key() {
    let other_version = format!("version: the plan has 1, this program executes {PLAN_VERSION}");
    let cases = [
        ("/version", json!(1), other_version.as_str()),
        ("/duration_ns", json!(0), "duration_ns: must be more than 0"),
        ("/warmup_ns", json!(9_000_000_000_u64), "warmup_ns: 9000000000 leaves nothing"),
        ("/sources/1/name", json!("up 1"), "sources[1].name: 'up 1' appears twice"),
        ("/sources/0/from", json!(9), "sources[0].from: there is no air.nics[9]"),
        ("/sources/0/to", json!(9), "sources[0].to: there is no air.nics[9]"),
        ("/sources/0/to", json!(1), "sources[0].to: a NIC sends nothing to itself"),
        ("/sources/0/frame_bytes", json!(13), "sources[0].frame_bytes: 13 is not from 14 to 2310"),
        ("/sources/0/frame_bytes", json!(2311), "sources[0].frame_bytes: 2311 is not from 14 to 2310"),
        ("/sources/0/priority", json!(8), "sources[0].priority: 8 is not from 0 to 7"),
        ("/sources/1/pace/interval_ns", json!(0), "sources[1].pace.interval_ns: must be more than 0"),
        ("/sources/1/end_ns", json!(0), "sources[1].end_ns: must be after start_ns"),
    ];
    for (pointer, with, told) in cases {
        let error = refused(pointer, with);
        assert!(error.contains(told), "{pointer}: {error}");
    }
}

#[test]
fn a_source_stays_in_its_cell() {
    let mut scene = value();
    let mut cell = scene["air"]["cells"][0].clone();
    cell["name"] = json!("other");
    scene["air"]["cells"].as_array_mut().unwrap().push(cell);
    let mut nic = scene["air"]["nics"][0].clone();
    (nic["cell"], nic["mac"]) = (json!(1), json!("02:00:00:00:00:77"));
    scene["air"]["nics"].as_array_mut().unwrap().push(nic);
    assert!(AirScene::from_json(&scene.to_string()).is_ok());
    scene["sources"][0]["to"] = json!(3);
    let error = AirScene::from_json(&scene.to_string()).unwrap_err().to_string();
    assert_eq!(error, "sources[0].to: air.nics[3] is in another cell");
}

#[test]
fn unknown_missing_and_mistyped_keys_are_refused() {
    let mut scene = value();
    scene["sources"][0]["surprise"] = json!(1);
    let error = AirScene::from_json(&scene.to_string()).unwrap_err().to_string();
    assert!(error.contains("unknown field `surprise`"), "{error}");
    let mut scene = value();
    scene.as_object_mut().unwrap().remove("seed");
    let error = AirScene::from_json(&scene.to_string()).unwrap_err().to_string();
    assert!(error.contains("missing field `seed`"), "{error}");
    assert!(refused("/seed", json!(-1)).starts_with("not a plan"));
    assert!(refused("/sources/0/pace", json!({"kind": "poisson"})).contains("unknown variant `poisson`"));
}

#[test]
fn the_schema_knows_every_part() {
    let schema = airtcp_plan::scene_schema();
    for part in ["air", "sources", "warmup_ns", "duration_ns"] {
        assert!(schema["properties"].get(part).is_some(), "{part}");
    }
    assert_eq!(schema["additionalProperties"], json!(false));
}

proptest! {
    #[test]
    fn no_text_makes_a_scene_panic(text in ".{0,200}") {
        prop_assert!(AirScene::from_json(&text).is_err());
    }
}
