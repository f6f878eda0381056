//! Tests each step that a run needs, on this machine, with small real runs.

use std::path::Path;
use std::time::Duration;

use airtcp_plan::Plan;
use serde_json::{Value, json};

use crate::containment::{Files, files};
use crate::failure::{Kind, RunFailure};
use crate::installation::Installation;
use crate::run::{Finished, Request, execute};
use crate::watch::Interrupted;

/// Two booting guests take well under a second; a loaded machine may need more.
const STALL_LIMIT: Duration = Duration::from_secs(20);

/// Outcome of one check: what was seen.
type Check = Result<String, RunFailure>;

/// Prints one check as a JSON object.
pub fn report(name: &str, check: &Check) {
    let line = match check {
        Ok(detail) => json!({ "check": name, "ok": true, "detail": detail, "remedy": "" }),
        Err(f) => {
            let detail = format!("{} ({})", f.what, f.place);
            json!({ "check": name, "ok": false, "detail": detail, "remedy": f.remedy, "console": f.console })
        }
    };
    println!("{line}");
}

/// Makes all checks in their order, printing each; true if all are well. After the first that fails the others are left out: they would
/// fail for the same reason. The plan has a ping over the air.
pub fn examine(plan: &Plan, parts: &Installation) -> bool {
    let place = std::env::temp_dir().join(format!("airtcp-doctor-{}", std::process::id()));
    let well = examine_in(&Runs { plan, parts, place: &place });
    // Best effort: a temporary folder.
    let _ = std::fs::remove_dir_all(place);
    well
}

/// Runs of the plan, each in a store of its own.
struct Runs<'a> {
    plan: &'a Plan,
    parts: &'a Installation,
    place: &'a Path,
}

fn examine_in(runs: &Runs<'_>) -> bool {
    let info = &runs.parts.kernel_info;
    report("kernel", &Ok(format!("{} from {}", info.release, info.source)));
    let first = runs.run("first");
    let boot = first.as_ref().map(|_| "the guest boots and ends by itself".to_owned()).map_err(Clone::clone);
    report("boot", &boot);
    report("containment", &Ok(containment().to_owned()));
    let Ok(first) = first else { return false };
    let checks = [
        ("clock", clock(runs.plan, &first)),
        ("nic", nic(&first)),
        ("determinism", determinism(runs, &first)),
    ];
    for (name, check) in &checks {
        report(name, check);
    }
    checks.iter().all(|(_, check)| check.is_ok())
}

impl Runs<'_> {
    fn run(&self, store: &str) -> Result<Finished, RunFailure> {
        let store = self.place.join(store);
        let request = Request { store, stall_limit: STALL_LIMIT, fresh: true, guests: 1 };
        crate::events::quietly(|| execute(self.plan, self.parts, &request, &Interrupted::default()))
    }
}

fn summary(run: &Finished) -> Result<Value, RunFailure> {
    let path = run.folder.join("summary.json");
    let text = std::fs::read_to_string(&path).map_err(|error| RunFailure::disk(&error, &path))?;
    Ok(serde_json::from_str(&text).expect("the runner wrote it"))
}

fn wrong(what: String, place: &str) -> RunFailure {
    RunFailure::new(
        Kind::Internal,
        what,
        place,
        "build the kernel and airtcp again: airtcp kernel build, make build",
    )
}

/// A run goes on without Landlock: then only the guest's kernel confines programs (docs/security.md).
fn containment() -> &'static str {
    match files() {
        Files::Kept => "the guest's process can write nothing but its run's folder",
        Files::CutShort => {
            "note: the guest's process can write nothing but its run's folder, but cut other files short (Linux 6.2)"
        }
        Files::Open => {
            "note: this kernel has no Landlock (Linux 5.13, `lsm=`): run no programs that you don't trust"
        }
    }
}

/// The guest's clock is virtual: the air's last instant is the plan's end, give or take the agent's last steps.
fn clock(plan: &Plan, run: &Finished) -> Check {
    let end_ns = summary(run)?["air"]["end_ns"].as_u64().unwrap_or_default();
    let planned_ns = plan.epoch_ns + plan.duration_ns;
    let over_ns = end_ns.saturating_sub(planned_ns);
    if end_ns < planned_ns || over_ns > 1_000_000_000 {
        return Err(wrong(
            format!("the run ended at {end_ns} ns, planned was {planned_ns} ns"),
            "virtual clock",
        ));
    }
    Ok(format!("virtual time ended {:.3} ms after the plan's end", over_ns as f64 / 1e6))
}

/// Every ping crossed the air and came back.
fn nic(run: &Finished) -> Check {
    let summary = summary(run)?;
    let ping = &summary["agent"]["pings"][0];
    let (sent, received) =
        (ping["sent"].as_u64().unwrap_or_default(), ping["received"].as_u64().unwrap_or_default());
    if sent == 0 || sent != received {
        return Err(wrong(format!("{received} of {sent} pings came back"), "NIC"));
    }
    Ok(format!("{received} of {sent} pings came back over the air"))
}

fn determinism(runs: &Runs<'_>, first: &Finished) -> Check {
    let second = runs.run("second")?;
    let hash = |run: &Finished| Ok::<_, RunFailure>(summary(run)?["air"]["frame_hash"].to_string());
    let (a, b) = (hash(first)?, hash(&second)?);
    if a != b {
        return Err(wrong(format!("two equal runs gave {a} and {b}"), "frame hash"));
    }
    Ok(format!("two runs gave the same frames at the same times ({})", a.trim_matches('"')))
}
