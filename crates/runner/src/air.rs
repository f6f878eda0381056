//! The model of the air without a guest.

use std::path::Path;

use airtcp_air::SetupError;
use airtcp_air::analytic::{explain_links, explain_scene};
use airtcp_air::sources::{run_scene, shared_txops};
use airtcp_plan::coverage::Coverage;
use airtcp_plan::explanation::Explanation;
use airtcp_plan::scene_report::SceneReport;
use airtcp_plan::{AirScene, PlanError};

use crate::failure::{Kind, RunFailure};

/// Runs a scene.
///
/// # Errors
/// A [`RunFailure`] naming the file and the key.
pub fn run(path: &Path) -> Result<SceneReport, RunFailure> {
    let scene = read_scene(path, &read(path)?)?;
    run_scene(&scene).map_err(|error| unmodelled(error, path))
}

/// Explains the links of a scene or of a plan.
///
/// # Errors
/// A [`RunFailure`] naming the file and the key.
pub fn explain(path: &Path) -> Result<Explanation, RunFailure> {
    let text = read(path)?;
    let (explained, shared) = if is_scene(&text) {
        let scene = read_scene(path, &text)?;
        (explain_scene(&scene), shared_txops(&scene.air, scene.seed))
    } else {
        let plan = crate::run::read_plan(path)?;
        (explain_links(&plan.name, &plan.air), shared_txops(&plan.air, plan.seed))
    };
    let with_shared = explained.and_then(|links| Ok(Explanation { shared_txops: shared?, ..links }));
    with_shared.map_err(|error| unmodelled(error, path))
}

/// What stations would have of the access points of a scene or of a plan, at the places of the request.
///
/// # Errors
/// A [`RunFailure`] naming the file and the key.
pub fn coverage(path: &Path, request: impl std::io::Read) -> Result<Coverage, RunFailure> {
    let request = serde_json::from_reader(request).map_err(|error| {
        RunFailure::new(Kind::Plan, error.to_string(), "standard input", "give a coverage request as JSON")
    })?;
    let text = read(path)?;
    let air = if is_scene(&text) { read_scene(path, &text)?.air } else { crate::run::read_plan(path)?.air };
    airtcp_air::coverage(&air, &request).map_err(|error| unmodelled(error, path))
}

/// A scene has sources where a plan has nodes.
fn is_scene(text: &str) -> bool {
    let value: Result<serde_json::Value, _> = serde_json::from_str(text);
    value.is_ok_and(|value| value.get("sources").is_some())
}

fn read(path: &Path) -> Result<String, RunFailure> {
    std::fs::read_to_string(path).map_err(|error| {
        let place = path.display().to_string();
        RunFailure::new(Kind::Plan, error.to_string(), place, "give the path of an existing scene")
    })
}

fn read_scene(path: &Path, text: &str) -> Result<AirScene, RunFailure> {
    AirScene::from_json(text).map_err(|error| {
        let remedy = match error {
            PlanError::Value { .. } => "correct the value",
            _ => "compile the scenario again",
        };
        RunFailure::new(Kind::Plan, error.to_string(), path.display().to_string(), remedy)
    })
}

/// An error of the model has its own remedy.
fn unmodelled(error: SetupError, path: &Path) -> RunFailure {
    let what = format!("{}: {}", error.key, error.reason);
    RunFailure::new(Kind::Plan, what, path.display().to_string(), error.remedy)
}
