//! From a guest's working folder to a run folder: Parquet, summary, manifest.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use airtcp_plan::Plan;
use airtcp_plan::record::{RecordError, Table};
use airtcp_plan::report::{
    AGENT_PROGRESS_FILE, AGENT_REPORT, AIR_REPORT, AgentReport, AirReport, CAPTURES_FOLDER, PLAN_FILE,
    PROGRESS_FILE, RECORDS_FOLDER, SOCKETS_REPORT, SocketsReport, TRANSCRIPT,
};
use serde::Serialize;

use crate::early_end::EarlyEnd;
use crate::failure::{Kind, RunFailure};
use crate::guest_file;
use crate::host_tools::HostTools;
use crate::identity::Identity;
use crate::installation::{KernelInfo, file_hash};
use crate::program_flows::ProgramFlows;
use crate::series;
use crate::verdict::Reports;

/// Version of the run folder's layout.
const FORMAT: u32 = 1;
/// Folder of the series in a run folder.
const SERIES_FOLDER: &str = "series";
/// Name of the reports in a run folder.
const SUMMARY: &str = "summary.json";
/// Name of the file whose presence marks a run folder as complete.
pub const MANIFEST: &str = "manifest.json";

/// `manifest.json`: what a run was made of. Wall-clock figures and the host are here and
/// nowhere else; every other file depends on the run's identity alone.
#[derive(Debug, Serialize)]
struct Manifest<'a> {
    format: u32,
    run: &'a str,
    name: &'a str,
    seed: u64,
    airtcp_version: &'static str,
    model_version: u32,
    plan_sha256: &'a str,
    library_sha256: &'a str,
    agent_sha256: &'a str,
    kernel: &'a KernelInfo,
    /// Programs of the host that the run used; they are not in its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<HostTools>,
    frame_hash: &'a str,
    virtual_s: f64,
    wall_s: f64,
    cpu_s: f64,
    first_frame_cpu_s: f64,
    /// SHA-256 of plan, summary, series and captures, by their paths in the folder.
    sha256: BTreeMap<String, String>,
}

/// `summary.json`.
#[derive(Debug, Serialize)]
struct Summary<'a> {
    agent: &'a AgentReport,
    air: &'a AirReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    sockets: Option<&'a SocketsReport>,
}

/// The virtual time of the run that is in this folder, complete; `None` if it is not: no manifest, one that is damaged
/// or another run's, or a file that is not there.
pub fn finished_s(folder: &Path, run: &str) -> Option<f64> {
    let text = fs::read(folder.join(MANIFEST)).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let whole = manifest["run"].as_str() == Some(run)
        && manifest["sha256"].as_object()?.keys().all(|name| folder.join(name).is_file());
    manifest["virtual_s"].as_f64().filter(|_| whole)
}

/// What a run cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Wall-clock time.
    pub wall_s: f64,
    /// CPU time of the guest.
    pub cpu_s: f64,
}

/// A run that was computed: what its manifest and summary hold beside the records.
#[derive(Clone, Copy, Debug)]
pub struct Computed<'a> {
    /// Name of the run.
    pub identity: &'a Identity,
    /// The kernel that computed it.
    pub kernel: &'a KernelInfo,
    /// What the guest reported.
    pub reports: &'a Reports,
    /// Cost of the run.
    pub cost: Cost,
}

/// Turns `work` into a run folder, in place.
///
/// # Errors
/// A [`RunFailure`] if a record is damaged or a file can't be written.
pub fn seal(work: &Path, plan: &Plan, made: &Computed<'_>) -> Result<(), RunFailure> {
    let &Computed { identity, kernel, reports, cost } = made;
    let mut sockets = reports.sockets.clone();
    let programs = ProgramFlows::number(plan, &mut sockets);
    convert_records(work, EarlyEnd::of(plan, &reports.agent).as_ref(), &programs)?;
    let sockets = plan.watches_programs().map(|_| &sockets);
    write_json(&work.join(SUMMARY), &Summary { agent: &reports.agent, air: &reports.air, sockets })?;
    let manifest = Manifest {
        format: FORMAT,
        run: &identity.run,
        name: &plan.name,
        seed: plan.seed,
        airtcp_version: env!("CARGO_PKG_VERSION"),
        model_version: reports.air.model_version,
        plan_sha256: &identity.plan_sha256,
        library_sha256: &identity.engine.library_sha256,
        agent_sha256: &identity.engine.agent_sha256,
        kernel,
        host: HostTools::of(plan),
        frame_hash: &reports.air.frame_hash,
        virtual_s: reports.agent.end_ns as f64 / 1e9,
        wall_s: cost.wall_s,
        cpu_s: cost.cpu_s,
        first_frame_cpu_s: crate::watch::first_frame_cpu_s(work),
        sha256: checksums(work)?,
    };
    remove_intermediate(work)?;
    keep_manifest(work, &manifest)
}

/// Writes the manifest, which marks the folder as complete: it has its name only when all it lists, and itself, is on
/// the disk. So a loss of power leaves a working folder without a manifest, or a complete run.
fn keep_manifest(work: &Path, manifest: &Manifest) -> Result<(), RunFailure> {
    let (unnamed, named) = (work.join(MANIFEST).with_extension("part"), work.join(MANIFEST));
    write_json(&unnamed, manifest)?;
    let files = manifest.sha256.keys().map(|name| work.join(name));
    let folders = [SERIES_FOLDER, CAPTURES_FOLDER].map(|name| work.join(name)).into_iter();
    let folders = folders.filter(|folder| folder.is_dir());
    for path in files.chain([unnamed.clone()]).chain(folders).chain([work.to_owned()]) {
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| RunFailure::disk(&error, &path))?;
    }
    fs::rename(&unnamed, &named).map_err(|error| RunFailure::disk(&error, &named))
}

fn convert_records(work: &Path, early: Option<&EarlyEnd>, programs: &ProgramFlows) -> Result<(), RunFailure> {
    let to = work.join(SERIES_FOLDER);
    fs::create_dir(&to).map_err(|error| RunFailure::disk(&error, &to))?;
    let records = work.join(RECORDS_FOLDER);
    let files = guest_file::record_files(&records).map_err(|error| RunFailure::disk(&error, &records))?;
    for from in files {
        let name = from.file_stem().unwrap_or_default();
        let target = to.join(name).with_extension("parquet");
        let mut keep = Kept { early: early.cloned(), programs };
        series::convert(&from, &target, &mut keep).map_err(|error| {
            let place = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
            RunFailure::new(Kind::Internal, error.to_string(), place, "report this with the plan")
        })?;
    }
    Ok(())
}

/// The rows of a run: of flows that are reported, and until its end.
struct Kept<'a> {
    early: Option<EarlyEnd>,
    programs: &'a ProgramFlows,
}

impl series::Keep for Kept<'_> {
    fn must_look(&self, table: &Table) -> bool {
        self.early.is_some() && EarlyEnd::must_see(table)
    }

    fn look(&mut self, table: &Table, rows: &[u8]) -> Result<(), RecordError> {
        let rows = self.programs.renumber(table, rows.to_vec());
        self.early.as_mut().map_or(Ok(()), |early| early.see(table, &rows))
    }

    fn keep(&self, table: &Table, rows: Vec<u8>) -> Result<Vec<u8>, RecordError> {
        let rows = self.programs.renumber(table, rows);
        match &self.early {
            Some(early) => early.cut(table, rows),
            None => Ok(rows),
        }
    }
}

/// Checksums of every file that holds results, but not of programs' output.
fn checksums(work: &Path) -> Result<BTreeMap<String, String>, RunFailure> {
    let mut names = vec![PLAN_FILE.to_owned(), SUMMARY.to_owned()];
    names.extend(work.join(TRANSCRIPT).is_file().then(|| TRANSCRIPT.to_owned()));
    for folder in [SERIES_FOLDER, CAPTURES_FOLDER] {
        let Ok(entries) = guest_file::read_folder(&work.join(folder)) else { continue };
        let files = entries.flatten().map(|e| format!("{folder}/{}", e.file_name().to_string_lossy()));
        names.extend(files);
    }
    let hashed = names.into_iter().map(|name| {
        let path = work.join(&name);
        let whole = guest_file::open(&path).and_then(|_| file_hash(&path));
        let hash = whole.map_err(|error| RunFailure::disk(&error, &path))?;
        Ok((name, hash))
    });
    hashed.collect()
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunFailure> {
    let mut text = serde_json::to_string_pretty(value).expect("reports are plain data");
    text.push('\n');
    guest_file::write_new(path, text.as_bytes()).map_err(|error| RunFailure::disk(&error, path))
}

fn remove_intermediate(work: &Path) -> Result<(), RunFailure> {
    let records = work.join(RECORDS_FOLDER);
    fs::remove_dir_all(&records).map_err(|error| RunFailure::disk(&error, &records))?;
    for name in [AGENT_REPORT, AIR_REPORT, PROGRESS_FILE] {
        let path = work.join(name);
        fs::remove_file(&path).map_err(|error| RunFailure::disk(&error, &path))?;
    }
    // The first is there without radios only, the second with programs only.
    let _ = fs::remove_file(work.join(AGENT_PROGRESS_FILE));
    let _ = fs::remove_file(work.join(SOCKETS_REPORT));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_a_finished_run_or_it_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(finished_s(folder.path(), "abc"), None);
        write(MANIFEST, r#"{"run": "abc", "virtual_s": 2.5, "sha256": {"plan.json": "00"}}"#);
        assert_eq!(finished_s(folder.path(), "abc"), None, "a file is missing");
        write(PLAN_FILE, "{}");
        assert_eq!(finished_s(folder.path(), "abc"), Some(2.5));
        assert_eq!(finished_s(folder.path(), "abd"), None, "another run's");
        write(MANIFEST, r#"{"run": "abc", "virt"#);
        assert_eq!(finished_s(folder.path(), "abc"), None, "cut");
    }
}
