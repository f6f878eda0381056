//! The names of many runs, without making them: a campaign compares them with the runs in the store.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use serde::Serialize;

use crate::failure::{Kind, RunFailure};
use crate::identity::{Engine, Identity};
use crate::installation::Installation;
use crate::run::parse_plan;

/// The output for one plan.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// 16 hexadecimal digits.
    Run(String),
    /// Reason why the plan can't be run.
    Error { kind: Kind, what: String, place: String, remedy: String },
}

/// Engines by the series of their kernels; every file was hashed once.
#[derive(Debug)]
pub struct Names {
    engines: BTreeMap<String, Engine>,
}

impl Names {
    /// Names of runs with these installations.
    ///
    /// # Errors
    /// A [`RunFailure`]: a part can't be read, or two kernels are of one series.
    pub fn of(parts: &[Installation]) -> Result<Self, RunFailure> {
        let Some(first) = parts.first() else { return Ok(Self { engines: BTreeMap::new() }) };
        let common = Engine::of(first).map_err(|error| RunFailure::disk(&error, &first.library))?;
        let mut engines = BTreeMap::new();
        for part in parts {
            let info = &part.kernel_info;
            let engine = Engine { kernel_id: info.id.clone(), ..common.clone() };
            if engines.insert(info.series.clone(), engine).is_some() {
                let what = format!("two kernels have the series {}", info.series);
                let place = part.kernel.display().to_string();
                return Err(RunFailure::new(Kind::Kernel, what, place, "name one kernel of each series"));
            }
        }
        Ok(Self { engines })
    }

    /// Reads plans, one a line, and writes one JSON object for each: `{"run": NAME}`, or `{"error": {...}}` for a plan
    /// that can't be run.
    ///
    /// # Errors
    /// An error of reading or writing.
    pub fn answer(&self, plans: impl BufRead, mut to: impl Write) -> io::Result<()> {
        for (number, line) in plans.split(b'\n').enumerate() {
            let answer = match self.name(&line?, number + 1) {
                Ok(run) => Answer::Run(run),
                Err(RunFailure { kind, what, place, remedy, .. }) => {
                    Answer::Error { kind, what, place, remedy }
                }
            };
            serde_json::to_writer(&mut to, &answer)?;
            to.write_all(b"\n")?;
        }
        to.flush()
    }

    fn name(&self, plan: &[u8], number: usize) -> Result<String, RunFailure> {
        let place = format!("plan {number}");
        let text = std::str::from_utf8(plan).map_err(|error| {
            RunFailure::new(
                Kind::Plan,
                format!("the line is not UTF-8 text: {error}"),
                &place,
                "write one plan as JSON on each line",
            )
        })?;
        let plan = parse_plan(text, &place)?;
        let engine = self.engines.get(&plan.kernel).ok_or_else(|| {
            let known: Vec<_> = self.engines.keys().map(String::as_str).collect();
            let what =
                format!("the plan needs kernel {}, which is not among {}", plan.kernel, known.join(", "));
            let remedy = format!("build it: airtcp kernel build --series {}", plan.kernel);
            RunFailure::new(Kind::Kernel, what, &place, remedy)
        })?;
        Ok(Identity::of(&plan, engine.clone()).run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::Plan;
    use std::fs;
    use std::path::Path;

    fn installation(folder: &Path, series: &str) -> Installation {
        let info = format!(
            r#"{{"series":"{series}","release":"r","source":"s","recipe":"r","abi":{},"compiler":"c","id":"of {series}"}}"#,
            airtcp_plan::report::KERNEL_ABI
        );
        let kernel = folder.join(series);
        fs::create_dir_all(&kernel).unwrap();
        fs::write(kernel.join("kernel.json"), info).unwrap();
        for file in [kernel.join("linux"), folder.join("libairtcp_guest.so"), folder.join("airtcp-agent")] {
            fs::write(&file, file.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        Installation::find(&kernel, &folder.join("airtcp-runner")).unwrap()
    }

    fn line(change: impl FnOnce(&mut serde_json::Value)) -> String {
        let mut plan: serde_json::Value = airtcp_testing::golden_plans::plan_json("ping");
        change(&mut plan);
        plan.to_string()
    }

    fn answers(names: &Names, input: &str) -> Vec<serde_json::Value> {
        let mut said = Vec::new();
        names.answer(input.as_bytes(), &mut said).unwrap();
        String::from_utf8(said).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_name_is_that_of_the_run_and_depends_on_plan_and_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let parts = ["6.12", "6.1"].map(|series| installation(folder.path(), series));
        let names = Names::of(&parts).unwrap();
        let plan = |kernel: &str, seed: u64| {
            line(|plan| (plan["kernel"], plan["seed"]) = (kernel.into(), seed.into()))
        };
        let input = [plan("6.12", 1), plan("6.1", 1), plan("6.12", 2), plan("6.12", 1)].join("\n");
        let said = answers(&names, &input);
        let runs: Vec<_> = said.iter().map(|answer| answer["run"].as_str().unwrap()).collect();
        let whole = Plan::from_json(&plan("6.12", 1)).unwrap();
        assert_eq!(runs[0], Identity::of(&whole, Engine::of(&parts[0]).unwrap()).run);
        assert!(runs[0] != runs[1] && runs[0] != runs[2] && runs[0] == runs[3]);
        assert!(runs.iter().all(|run| run.len() == 16));
    }

    #[test]
    fn a_wrong_plan_has_its_line_and_the_next_one_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let names = Names::of(&[installation(folder.path(), "6.12")]).unwrap();
        let foreign = line(|plan| plan["kernel"] = "5.4".into());
        let wrong = line(|plan| plan["air"]["nics"][0]["surprise"] = 1.into());
        let good = line(|plan| plan["kernel"] = "6.12".into());
        let said = answers(&names, &format!("{foreign}\n{wrong}\n\n{{\n{good}\n"));
        assert_eq!(said.len(), 5);
        assert_eq!(said[0]["error"]["kind"], "kernel");
        assert_eq!(said[0]["error"]["remedy"], "build it: airtcp kernel build --series 5.4");
        assert!(said[1]["error"]["what"].as_str().unwrap().contains("surprise"), "{}", said[1]);
        for (number, answer) in said[1..4].iter().enumerate() {
            assert_eq!(answer["error"]["place"], format!("plan {}", number + 2));
        }
        assert!(said[4]["run"].is_string());
    }

    #[test]
    fn two_kernels_of_one_series_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let part = installation(folder.path(), "6.12");
        let failure = Names::of(&[part.clone(), part]).unwrap_err();
        assert!(failure.what.contains("two kernels"));
    }
}
