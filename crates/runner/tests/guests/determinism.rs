//! The same plan gives the same bytes, whatever surrounds it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::lab::{Lab, Run, last_event, repository, section_4_2_plan};

fn plan() -> serde_json::Value {
    let mut plan = section_4_2_plan("cubic", 20, 6);
    plan["sampling"]["ppdus"] = true.into();
    // Randomness of the guest's user space, its clock, a shell and dynamic programs are part of it.
    let command = "n=$(od -An -N1 -tu1 /dev/urandom); date +%s.%N; ping -c 2 -i 0.3 -s $n 10.0.0.2";
    plan["programs"] = serde_json::json!([crate::lab::program("random", "sta1", command)]);
    plan
}

fn assert_same(a: &Run, b: &Run) {
    assert_eq!(a.frame_hash(), b.frame_hash());
    for ((name, one), (other, two)) in a.lasting_files().into_iter().zip(b.lasting_files()) {
        assert_eq!(name, other);
        assert!(one == two, "{name} differs between {} and {}", a.folder.display(), b.folder.display());
    }
}

#[test]
fn a_repetition_is_equal_to_the_byte_and_another_seed_is_not() {
    let (first, second) = (Lab::new(), Lab::new());
    let one = first.run(&plan());
    assert_same(&one, &second.run(&plan()));
    let mut other = plan();
    other["seed"] = 2.into();
    assert_ne!(first.run(&other).frame_hash(), one.frame_hash());
}

#[test]
fn another_folder_environment_and_user_give_the_same() {
    let here = Lab::new();
    let mut there = Lab::new();
    let place = tempfile::Builder::new().prefix("another folder, with a longer name ").tempdir().unwrap();
    there.parts = place.path().join("parts");
    fs::create_dir(&there.parts).unwrap();
    for part in ["airtcp-runner", "airtcp-agent", "libairtcp_guest.so"] {
        fs::copy(repository().join("target/release").join(part), there.parts.join(part)).unwrap();
    }
    let kernel = place.path().join("kernel");
    fs::create_dir(&kernel).unwrap();
    for file in ["linux", "kernel.json"] {
        fs::copy(there.kernel.join(file), kernel.join(file)).unwrap();
    }
    there.kernel = kernel;
    let one = here.run(&plan());
    let mut command = there.command(&plan());
    command
        .current_dir("/")
        .env("LANG", "tr_TR.UTF-8")
        .env("USER", "somebody")
        .env("EXTRA", "x".repeat(5000));
    let output =
        as_another_user(command, &[place.path().to_owned(), there.store.path().to_owned()]).output().unwrap();
    let last = last_event(&output);
    assert_eq!(last["event"], "done", "{last:#}");
    assert_same(&one, &there.run_of(&last));
}

/// The same command for the user nobody, if we may become that; else for ourselves.
fn as_another_user(command: Command, folders: &[PathBuf]) -> Command {
    if !nix::unistd::geteuid().is_root() {
        return command;
    }
    for folder in folders {
        let done = Command::new("chown").args(["-R", "nobody"]).arg(folder).status().unwrap();
        assert!(done.success());
    }
    let mut other = Command::new("setpriv");
    other.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(command.get_program());
    other.args(command.get_args()).current_dir("/");
    for (key, value) in command.get_envs() {
        other.env(key, value.unwrap_or_default());
    }
    other
}

#[test]
fn a_busy_machine_gives_the_same() {
    let quiet = Lab::new().run(&plan());
    let stop = Arc::new(AtomicBool::new(false));
    let burners: Vec<_> = (0..4)
        .map(|_| {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || while !stop.load(Ordering::Relaxed) {})
        })
        .collect();
    let (one, two) = (Lab::new(), Lab::new());
    let loaded = std::thread::scope(|scope| {
        let other = scope.spawn(|| two.run(&plan()));
        let loaded = one.run(&plan());
        assert_same(&loaded, &other.join().unwrap());
        loaded
    });
    stop.store(true, Ordering::Relaxed);
    for burner in burners {
        burner.join().unwrap();
    }
    assert_same(&quiet, &loaded);
}

#[test]
fn sampling_does_not_change_the_traffic() {
    for cca in ["bbr", "cubic"] {
        let quiet = section_4_2_plan(cca, 100, 4);
        let hash = |sampling: serde_json::Value, captures: serde_json::Value| {
            let mut plan = quiet.clone();
            plan["sampling"] = sampling;
            plan["captures"] = captures;
            Lab::new().run(&plan).frame_hash()
        };
        let sampling = |ns: u64, all: bool| {
            serde_json::json!({
                "flows_interval_ns": ns, "qdiscs_interval_ns": ns, "air_interval_ns": ns,
                "stations_interval_ns": ns, "rates_interval_ns": ns,
                "acks": all, "delays": all, "ppdus": all,
            })
        };
        let of_nodes = quiet["nodes"].as_array().unwrap().iter().enumerate().map(|(i, node)| {
            let names: Vec<_> = node["interfaces"].as_array().unwrap().iter().map(|i| &i["name"]).collect();
            let point = serde_json::json!({"kind": "interfaces", "node": node["name"], "names": names});
            capture(&format!("c{i}"), &point)
        });
        let of_air = capture("air", &serde_json::json!({"kind": "air"}));
        let captures: Vec<_> = of_nodes.chain([of_air]).collect();
        let nothing = hash(sampling(0, false), serde_json::json!([]));
        assert_eq!(nothing, hash(sampling(100_000_000, false), serde_json::json!([])), "{cca}");
        assert_eq!(nothing, hash(sampling(1_000_000, true), captures.into()), "{cca}");
    }
}

fn capture(name: &str, point: &serde_json::Value) -> serde_json::Value {
    serde_json::json!({
        "name": name, "point": point, "snap_bytes": 1514, "flows": [], "start_ns": 0, "stop_ns": 4_000_000_000_u64,
    })
}
