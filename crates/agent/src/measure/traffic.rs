//! The traffic of one node in one run.

use std::fs::create_dir_all;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use airtcp_plan::Plan;
use airtcp_plan::measurement::{Answer, StartOrder};
use airtcp_plan::report::{AgentReport, PROGRAMS_FOLDER, RECORDS_FOLDER};
use rustix::process::Signal;

use super::answers::tell;
use super::arrivals::Arrivals;
use super::children::end_children;
use super::poll;
use super::programs::{PlannedProgram, RunningRecorder};
use super::sampler::Sampler;
use crate::clock::{Timeline, since_boot_ns};
use crate::ending::kernel_release;
use crate::failure::{Outcome, because, failure};
use crate::process::spawn;
use crate::traffic::burst_reads;
use crate::traffic::datagrams::{self, DatagramState};
use crate::traffic::flow::FlowState;
use crate::traffic::ping::Pings;
use crate::traffic::schedule::GRACE_NS;
use crate::traffic::transfers;
use crate::traffic::watch::Watch;

/// How often ends of flows are looked for, and planned stops carried out.
const LOOK_NS: u64 = 2_000_000;
/// How long a recorder may take to write what it has.
const RECORDER_END: Duration = Duration::from_secs(3);

/// A run that goes on.
#[derive(Debug)]
pub(super) struct Traffic {
    node: String,
    timeline: Timeline,
    records: PathBuf,
    flows: Vec<Arc<FlowState>>,
    datagrams: Vec<Arc<DatagramState>>,
    pings: Pings,
    arrivals: Arrivals,
    programs: Vec<Arc<PlannedProgram>>,
    recorders: Vec<RunningRecorder>,
    sampler: Arc<Sampler>,
    ended: Arc<AtomicBool>,
}

impl Traffic {
    /// Opens all ends of this node; they wait for their time. Files go below the folder.
    ///
    /// # Errors
    /// What the machine can't do, as for a guest.
    pub(super) fn start(order: StartOrder, folder: &Path) -> Outcome<Self> {
        let StartOrder { node, plan, epoch_ns, peers, recorders, polls } = order;
        let (timeline, watch) = (Timeline::new(epoch_ns), Watch::of_nothing());
        let below = |name: &str| {
            let path = folder.join(name);
            create_dir_all(&path).map_err(because("a folder can't be made", name, "make room for files"))?;
            Ok(path)
        };
        let (records, outputs) = (below(RECORDS_FOLDER)?, below(PROGRAMS_FOLDER)?);
        below(airtcp_plan::report::CAPTURES_FOLDER)?;
        let recorders = recorders.iter().map(|r| RunningRecorder::start(r, &outputs, folder));
        let recorders = recorders.collect::<Outcome<_>>()?;
        let ended = Arc::new(AtomicBool::new(false));
        polls.iter().try_for_each(|poll| poll::start(poll, &outputs, timeline, &ended))?;
        let flows = own_flows(&node, &plan, &records)?;
        let arrivals = Arrivals::start(&node, &plan, timeline, &records)?;
        let own_streams = plan.datagrams.iter().zip(0..).filter(|(stream, _)| stream.from == node);
        let datagrams = own_streams
            .map(|(_, number)| DatagramState::open_sending(&plan, number, timeline, &records))
            .collect::<Outcome<Vec<_>>>()?;
        let pings = Pings::open_at(&node, &plan, timeline, &records)?;
        let sampler = Sampler::start(&plan, &flows, &peers, timeline, &records)?;
        // This process is in its node.
        let enter = |_: &str| Ok(());
        flows.iter().try_for_each(|flow| flow.start(plan.seed, timeline, &watch, enter))?;
        datagrams.iter().try_for_each(|stream| stream.start(plan.seed, timeline, enter))?;
        pings.start()?;
        let own_programs = plan.programs.iter().zip(0..).filter(|(program, _)| program.node == node);
        let programs = own_programs
            .map(|(program, number)| PlannedProgram::start(program, number, &outputs, timeline))
            .collect::<Outcome<Vec<_>>>()?;
        if since_boot_ns() >= epoch_ns {
            let remedy = "give the machine less to do, or more time before the start";
            return Err(failure(format!("{node} was not ready in time"), "start", remedy));
        }
        let own = Self {
            node,
            timeline,
            records,
            flows,
            datagrams,
            pings,
            arrivals,
            programs,
            recorders,
            sampler,
            ended,
        };
        own.schedule()?;
        Ok(own)
    }

    /// Starts the thread that stops flows and programs at their times, and says which flows have ended.
    fn schedule(&self) -> Outcome<()> {
        let (timeline, ended) = (self.timeline, Arc::clone(&self.ended));
        let mut flows: Vec<_> = self.flows.iter().map(|flow| (Arc::clone(flow), false)).collect();
        let stops =
            self.programs.iter().filter_map(|program| Some((Arc::clone(program), program.stop_ns()?)));
        let mut stops: Vec<_> = stops.collect();
        let sampler = Arc::clone(&self.sampler);
        spawn("schedule".to_owned(), move || {
            let mut now_ns = 0;
            while !ended.load(Ordering::Acquire) {
                timeline.sleep_until(now_ns);
                flows.retain_mut(|(flow, stopped)| {
                    if now_ns >= flow.plan.stop_ns && !std::mem::replace(stopped, true) {
                        flow.stop();
                    }
                    !flow.finished_ns.get().is_some_and(|&at_ns| {
                        // Once more when the end of the data has arrived, as in a guest.
                        let _ = sampler.sample_flows(timeline.now_ns());
                        tell(&Answer::FlowEnded { flow: flow.number, at_ns });
                        true
                    })
                });
                stops.retain(|(program, stop_ns)| {
                    if now_ns >= *stop_ns {
                        program.signal(Signal::TERM);
                    }
                    if now_ns >= stop_ns + GRACE_NS {
                        program.signal(Signal::KILL);
                    }
                    now_ns < stop_ns + GRACE_NS
                });
                now_ns += LOOK_NS;
            }
        })
    }

    /// Ends what still runs, and writes all records; returns what the node says of its ends. Entries of flows, streams, pings and
    /// programs are in the order of the plan, and only those of this node.
    ///
    /// # Errors
    /// The disk is full, or a congestion control was not the planned one.
    pub(super) fn finish(self) -> Outcome<AgentReport> {
        let end_ns = self.timeline.now_from_epoch_ns();
        self.ended.store(true, Ordering::Release);
        self.sampler.finish(self.timeline.now_ns())?;
        self.arrivals.finish()?;
        let flows = self.flows.iter().map(|flow| flow.report()).collect::<Outcome<Vec<_>>>()?;
        transfers::write(&self.flows, &self.records)?;
        burst_reads::write(&self.flows, &self.records)?;
        let (datagrams, mut warnings) = datagrams::finish(&self.datagrams, &self.records)?;
        let (pings, ping_warnings) = self.pings.finish(&self.records)?;
        warnings.extend(ping_warnings);
        end_programs(&self.programs);
        warnings.extend(self.recorders.into_iter().filter_map(|recorder| recorder.end(RECORDER_END)));
        // What programs have left behind must not disturb the next run.
        end_children();
        let programs = self.programs.iter().map(|program| program.report()).collect();
        let warnings = warnings.into_iter().map(|warning| format!("{}: {warning}", self.node)).collect();
        Ok(AgentReport {
            failure: None,
            kernel_release: kernel_release(),
            ready_ns: 0,
            end_ns,
            flows,
            datagrams,
            pings,
            programs,
            qdiscs: Vec::new(),
            wires: Vec::new(),
            limits: Vec::new(),
            warnings,
        })
    }
}

fn own_flows(node: &str, plan: &Plan, records: &Path) -> Outcome<Vec<Arc<FlowState>>> {
    let own = plan.flows.iter().zip(0..).filter(|(flow, _)| flow.from == node || flow.to == node);
    own.map(|(_, number)| FlowState::open_at(node, plan, number, records)).collect()
}

/// Sends SIGTERM to programs that still run, and SIGKILL to those that do not end in time.
fn end_programs(programs: &[Arc<PlannedProgram>]) {
    for signal in [Signal::TERM, Signal::KILL] {
        for program in programs {
            program.signal(signal);
        }
        let begin_ns = since_boot_ns();
        while programs.iter().any(|program| program.running()) && since_boot_ns() < begin_ns + GRACE_NS {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
