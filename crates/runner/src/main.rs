//! `airtcp-runner`: executes plans. People use the `airtcp` command, which calls this.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use airtcp_plan::Plan;
use airtcp_runner::events::{Event, message_schema};
use airtcp_runner::failure::{Kind, RunFailure};
use airtcp_runner::installation::Installation;
use airtcp_runner::names::Names;
use airtcp_runner::run::{Request, execute, read_plan};
use airtcp_runner::watch::Interrupted;
use airtcp_runner::wifi_table::wifi_table;
use airtcp_runner::{air, doctor, launch, session, watch};
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(version, about = "Executes airtcp plans: one plan to one run folder")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What a guest is started from.
#[derive(Args)]
struct GuestFiles {
    /// The plan.
    #[arg(long)]
    plan: PathBuf,
    /// Folder of finished runs, in which the guest has its working folder.
    #[arg(long)]
    store: PathBuf,
    /// Folder of the guest kernel.
    #[arg(long)]
    kernel: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    /// Execute a plan; prints one JSON object per line.
    Run {
        #[command(flatten)]
        guest: GuestFiles,
        /// Seconds for which a guest may compute without moving virtual time. Waiting for a core does not count.
        #[arg(long, default_value_t = 30)]
        stall_limit_s: u64,
        /// Compute even if the run is in the store.
        #[arg(long)]
        fresh: bool,
        /// Guests that compute a network which the plan splits, each on a core of its own: 1 or 2. The result is the same.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
        guests: u8,
    },
    /// Hold a session of a plan: orders come in on standard input, answers go out on standard output, one JSON object per line.
    Session(GuestFiles),
    /// Name the runs of plans, without making them: plans as JSON lines on standard input, one JSON object per line.
    Names {
        /// Folder of a guest kernel; each plan's own is among those given.
        #[arg(long = "kernel", required = true)]
        kernels: Vec<PathBuf>,
    },
    /// Test each step a run needs; prints one JSON object per line.
    Doctor {
        /// A plan with a ping over the air.
        #[arg(long)]
        plan: PathBuf,
        /// Folder of the guest kernel.
        #[arg(long)]
        kernel: PathBuf,
    },
    /// Run a scene, the air without hosts; prints its result as JSON.
    Air {
        /// The scene.
        scene: PathBuf,
    },
    /// Print durations and capacity of each link of a scene or a plan as JSON.
    Explain {
        /// The scene or plan.
        plan: PathBuf,
    },
    /// Print what stations would have of the access points of a plan or a scene, as JSON; the places come as JSON on standard input.
    Coverage {
        /// The scene or plan.
        plan: PathBuf,
    },
    /// Print the JSON schema of a plan.
    Schema {
        /// Print the schema of a scene instead.
        #[arg(long)]
        scene: bool,
        /// What IEEE 802.11 allows, as a table, instead.
        #[arg(long, conflicts_with = "scene")]
        wifi: bool,
        /// The messages between runner, sessions, measuring agents and their users, instead.
        #[arg(long, conflicts_with_all = ["scene", "wifi"])]
        messages: bool,
        /// The fields of the kernel's `struct tcp_info` instead.
        #[arg(long, conflicts_with_all = ["scene", "wifi", "messages"])]
        tcp_info: bool,
        /// The same, as lines of C that the guest kernel's compiler holds against its own.
        #[arg(long, conflicts_with_all = ["scene", "wifi", "messages", "tcp_info"])]
        tcp_info_assertions: bool,
    },
    /// Become the guest kernel (the runner calls this itself).
    #[command(hide = true)]
    Launch {
        /// The kernel.
        kernel: PathBuf,
        /// Arguments of the kernel.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Run { guest: GuestFiles { plan, store, kernel }, stall_limit_s, fresh, guests } => {
            let stall_limit = Duration::from_secs(stall_limit_s);
            let request = Request { store, stall_limit, fresh, guests: guests.into() };
            exit_of(run(&plan, &kernel, |plan, parts, interrupted| {
                execute(plan, parts, &request, interrupted).map(drop)
            }))
        }
        Command::Session(GuestFiles { plan, store, kernel }) => {
            exit_of(run(&plan, &kernel, |plan, parts, interrupted| {
                session::hold(plan, parts, &store, interrupted)
            }))
        }
        Command::Names { kernels } => exit_of(name_all(&kernels)),
        Command::Doctor { plan, kernel } => {
            match read_plan(&plan).and_then(|plan| Ok((plan, installation(&kernel)?))) {
                Ok((plan, parts)) if doctor::examine(&plan, &parts) => ExitCode::SUCCESS,
                Ok(_) => ExitCode::from(3),
                Err(failure) => {
                    doctor::report("installation", &Err(failure));
                    ExitCode::from(2)
                }
            }
        }
        Command::Air { scene } => print(air::run(&scene)),
        Command::Explain { plan } => print(air::explain(&plan)),
        Command::Coverage { plan } => print(air::coverage(&plan, std::io::stdin().lock())),
        Command::Schema { tcp_info_assertions: true, .. } => {
            print!("{}", airtcp_plan::tcp_info_assertions());
            ExitCode::SUCCESS
        }
        Command::Schema { scene, wifi, messages, tcp_info, .. } => {
            let printed = if messages {
                message_schema()
            } else if tcp_info {
                serde_json::json!(airtcp_plan::TCP_INFO_FIELDS)
            } else if wifi {
                wifi_table()
            } else if scene {
                airtcp_plan::scene_schema()
            } else {
                airtcp_plan::schema()
            };
            println!("{printed:#}");
            ExitCode::SUCCESS
        }
        Command::Launch { kernel, arguments } => {
            let error = launch::become_kernel(&kernel, &arguments);
            eprintln!("{}{}: {error}", launch::NOT_STARTED, kernel.display());
            ExitCode::from(126)
        }
    }
}

/// The exit status of what was done; why it failed is printed.
fn exit_of(result: Result<(), RunFailure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            Event::failed(&failure).print();
            ExitCode::from(failure.kind.exit_status())
        }
    }
}

/// Prints a result, or why there is none.
fn print(result: Result<impl serde::Serialize, RunFailure>) -> ExitCode {
    match result {
        Ok(report) => {
            println!("{}", serde_json::to_string(&report).expect("reports are plain data"));
            ExitCode::SUCCESS
        }
        Err(failure) => {
            Event::failed(&failure).print();
            ExitCode::from(failure.kind.exit_status())
        }
    }
}

fn installation(kernel: &std::path::Path) -> Result<Installation, RunFailure> {
    let program = std::env::current_exe()
        .map_err(|e| RunFailure::new(Kind::Internal, e.to_string(), "this program", "mount /proc"))?;
    Installation::find(kernel, &program)
}

fn name_all(kernels: &[PathBuf]) -> Result<(), RunFailure> {
    let parts: Result<Vec<_>, _> = kernels.iter().map(|folder| installation(folder)).collect();
    let names = Names::of(&parts?)?;
    let said = names.answer(std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()));
    said.map_err(|e| {
        RunFailure::new(
            Kind::Internal,
            e.to_string(),
            "naming runs",
            "check that both ends of the pipe are open",
        )
    })
}

/// Does something with a plan and a kernel, as the reaper of all that it starts.
fn run(
    plan: &Path,
    kernel: &Path,
    work: impl FnOnce(&Plan, &Installation, &Interrupted) -> Result<(), RunFailure>,
) -> Result<(), RunFailure> {
    let internal = |what: String| {
        RunFailure::new(Kind::Internal, what, "setting up", "report this with the system's name")
    };
    let plan = read_plan(plan)?;
    let parts = installation(kernel)?;
    let interrupted = watch::on_signals().map_err(|e| internal(e.to_string()))?;
    nix::sys::prctl::set_child_subreaper(true).map_err(|e| internal(e.to_string()))?;
    work(&plan, &parts, &interrupted)
}
