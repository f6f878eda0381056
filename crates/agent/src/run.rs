//! One run from boot to power off.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use airtcp_plan::Plan;
use airtcp_plan::report::{AgentReport, FlowReport, PLAN_FILE, PROGRAMS_FOLDER, RECORDS_FOLDER};
use rustix::thread::set_current_timer_slack;

use crate::boot::{build_root, forbid_modules, furnish, load_modules, raise_limits};
use crate::clock::{Timeline, since_boot_ns};
use crate::ending::{self, READY_NS};
use crate::failure::{Outcome, because};
use crate::guest_paths::WORK;
use crate::network::{Network, ready_too_late};
use crate::part::Part;
use crate::traffic::confinement::Confinement;
use crate::traffic::datagrams::{self, DatagramState};
use crate::traffic::flow::FlowState;
use crate::traffic::heartbeat;
use crate::traffic::ping::Pings;
use crate::traffic::program::{ProgramPlaces, ProgramState};
use crate::traffic::run_end::RunEnd;
use crate::traffic::schedule::{GRACE_NS, Schedule};
use crate::traffic::session::Session;
use crate::traffic::source;
use crate::traffic::transfers;
use crate::traffic::watch::Watch;

/// How often the agent looks whether programs have ended.
const GRACE_STEP_NS: u64 = 1_000_000;

/// Does everything; returns what is to be reported.
///
/// # Errors
/// Whatever makes the run impossible.
pub(crate) fn run() -> Outcome<AgentReport> {
    load_modules()?;
    build_root()?;
    forbid_modules()?;
    // The least slack there is: the agent's sleeps end on time.
    let slack = set_current_timer_slack(std::num::NonZeroU64::new(1));
    slack.map_err(because("timers can't be made exact", "boot", crate::failure::KERNEL_REMEDY))?;
    let plan = read_plan()?;
    raise_limits(&plan)?;
    furnish(&plan)?;
    let timeline = Timeline::new(plan.epoch_ns);
    let network = Network::build(&plan)?;
    let traffic = Traffic::prepare(&plan, &network, timeline)?;
    let ready_ns = since_boot_ns();
    if ready_ns >= plan.epoch_ns {
        return Err(ready_too_late(ready_ns));
    }
    let _ = READY_NS.set(ready_ns);
    heartbeat::start(&plan, timeline)?;
    traffic.start(&plan, &network, timeline)?;
    traffic.run(&plan, network, timeline)
}

fn read_plan() -> Outcome<Plan> {
    let remedy = "compile the scenario again with the same version of airtcp";
    let text = std::fs::read_to_string(Path::new(WORK).join(PLAN_FILE));
    let text = text.map_err(because("the plan can't be read", PLAN_FILE, remedy))?;
    Plan::from_json(&text).map_err(because("the plan can't be executed", PLAN_FILE, remedy))
}

/// A flow that broke, or whose time came and that never connected.
fn flow_warning(flow: &FlowReport, begun: bool) -> Option<String> {
    match (&flow.error, flow.connected_ns) {
        (Some(error), _) => Some(format!("flow {}: {error}", flow.name)),
        (None, None) if begun => Some(format!("flow {} never connected", flow.name)),
        (None, _) => None,
    }
}

/// The traffic of a run: everything that uses the network.
struct Traffic {
    flows: Vec<Arc<FlowState>>,
    datagrams: Vec<Arc<DatagramState>>,
    pings: Pings,
    programs: Vec<Arc<ProgramState>>,
    confinement: Arc<Confinement>,
    run_end: Arc<RunEnd>,
    watch: Arc<Watch>,
    records: PathBuf,
}

impl Traffic {
    fn prepare(plan: &Plan, network: &Network, timeline: Timeline) -> Outcome<Self> {
        let folder = |name| {
            let path = Path::new(WORK).join(name);
            let made = std::fs::create_dir_all(&path);
            made.map_err(because("a folder can't be made", name, "make the run's folder writable"))?;
            Ok(path)
        };
        let records = folder(RECORDS_FOLDER)?;
        let awaited = plan.ends_with.len() + plan.ends_with_programs.len();
        let run_end = Arc::new(RunEnd::of(awaited, plan.session.is_some()));
        let part = Part::of_this_guest(plan)?;
        let flows = FlowState::open_all(plan, part, network, &run_end, &records)?;
        let senders: Vec<_> = flows.iter().map(|flow| flow.sender_or_listener()).collect();
        let watch = Watch::start(plan, network, &senders)?;
        let folder_of_programs = folder(PROGRAMS_FOLDER)?;
        let confinement = Arc::new(Confinement::prepare(plan, network)?);
        let places = ProgramPlaces {
            network,
            folder: &folder_of_programs,
            confinement: &confinement,
            run_end: &run_end,
        };
        let programs = ProgramState::open_all(plan, &places)?;
        Ok(Self {
            flows,
            run_end,
            watch,
            datagrams: DatagramState::open_all(plan, part, network, timeline, &records)?,
            pings: Pings::open(plan, part, network, timeline, &records)?,
            programs,
            confinement,
            records,
        })
    }

    fn start(&self, plan: &Plan, network: &Network, timeline: Timeline) -> Outcome<()> {
        let enter = |node: &str| network.enter(node);
        if plan.split.is_some() {
            source::make_ready().map_err(because(
                "no memory for the data of flows",
                "flows",
                "raise memory_mib",
            ))?;
        }
        self.flows.iter().try_for_each(|flow| flow.start(plan.seed, timeline, &self.watch, enter))?;
        self.datagrams.iter().try_for_each(|stream| stream.start(plan.seed, timeline, enter))?;
        self.pings.start()?;
        self.programs.iter().try_for_each(|program| program.start(timeline))
    }

    fn run(self, plan: &Plan, mut network: Network, timeline: Timeline) -> Outcome<AgentReport> {
        let (flows, programs) = (&self.flows[..], &self.programs[..]);
        let (run_end, watch) = (&*self.run_end, &*self.watch);
        let messages = plan.session.as_ref().map(|_| watch.session()).transpose()?;
        let confinement = || Arc::clone(&self.confinement);
        let session = messages.map(|own| Session::new(plan, timeline, own, confinement())).transpose()?;
        let end_ns = Schedule { timeline, plan, flows, programs, run_end, watch }.run(session)?;
        transfers::write(&self.flows, &self.records)?;
        let qdiscs = network.qdisc_reports()?;
        let wires = network.wire_reports()?;
        let limits = network.shared_limits()?;
        let flows: Vec<_> = self.flows.iter().map(|f| f.report()).collect::<Outcome<_>>()?;
        let (datagrams, datagram_warnings) = datagrams::finish(&self.datagrams, &self.records)?;
        let (pings, ping_warnings) = self.pings.finish(&self.records)?;
        self.end_programs(timeline, end_ns);
        let mut warnings = datagram_warnings;
        warnings.extend(ping_warnings);
        warnings.extend(limits.warnings);
        let begun = self.flows.iter().map(|flow| flow.begun_by(end_ns));
        warnings.extend(flows.iter().zip(begun).filter_map(|(flow, begun)| flow_warning(flow, begun)));
        Ok(AgentReport {
            failure: None,
            kernel_release: ending::kernel_release(),
            ready_ns: READY_NS.get().copied().unwrap_or(0),
            end_ns,
            warnings,
            flows,
            datagrams,
            pings,
            programs: self.programs.iter().map(|p| p.report()).collect(),
            qdiscs,
            wires,
            limits: limits.met,
        })
    }

    /// Sends SIGTERM to programs that still run, and SIGKILL to those that do not end in time.
    fn end_programs(&self, timeline: Timeline, end_ns: u64) {
        self.programs.iter().for_each(|p| p.stop());
        let mut now_ns = end_ns;
        while self.programs.iter().any(|p| p.running()) && now_ns < end_ns + 2 * GRACE_NS {
            now_ns += GRACE_STEP_NS;
            timeline.sleep_until(now_ns);
            if now_ns == end_ns + GRACE_NS {
                self.programs.iter().for_each(|p| p.kill());
            }
        }
    }
}
