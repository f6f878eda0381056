//! The session of a run: carries out what enters, and tells what happens.
//!
//! ```text
//! session       one thread: takes inputs from the kernel, one after another
//! job N         one thread for each: reads what it writes, and how it ends
//! job N input   one thread for each that is written to
//! ```
//! The kernel gives an input at its instant (`arch/um/drivers/airtcp_session.c` of the kernel patches), and virtual time goes on
//! only when all threads sleep: an input is carried out in no time.

mod changes;
mod device;
mod job;
mod terminal;

use std::collections::BTreeMap;
use std::sync::Arc;

use airtcp_plan::{JobEvent, Plan, SessionAct, SessionInput};
use rustix::process::Signal;

use self::device::Device;
use self::job::Job;
use crate::clock::Timeline;
use crate::failure::Outcome;
use crate::process::{reaper, spawn};
use crate::traffic::run_end::RunEnd;

/// Starts the thread that carries out the inputs of a plan with a session.
///
/// # Errors
/// The kernel has no session.
pub(crate) fn start(plan: &Plan, timeline: Timeline, run_end: &Arc<RunEnd>) -> Outcome<()> {
    if plan.session.is_none() {
        return Ok(());
    }
    reaper::run()?;
    let device = Arc::new(Device::open()?);
    let nodes = plan.nodes.iter().map(|node| node.name.clone()).collect();
    let run_end = Arc::clone(run_end);
    spawn("session".to_owned(), move || {
        let mut session = Session { device, nodes, jobs: BTreeMap::new(), run_end, timeline };
        loop {
            let input = session.device.receive();
            session.carry_out(input);
        }
    })
}

/// What inputs work on.
struct Session {
    device: Arc<Device>,
    nodes: Vec<String>,
    jobs: BTreeMap<u32, Job>,
    run_end: Arc<RunEnd>,
    timeline: Timeline,
}

impl Session {
    fn carry_out(&mut self, input: SessionInput) {
        let SessionInput { job, act, .. } = input;
        match act {
            SessionAct::Start { node, command, terminal } => {
                let started = self.known(&node).and_then(|()| {
                    Job::start(job, job::Command { node, line: command, terminal }, &self.device)
                });
                match started {
                    Ok(started) => drop(self.jobs.insert(job, started)),
                    Err(why) => self.device.say(job, JobEvent::Refused { why }),
                }
            }
            // To a job that has ended nothing comes, as nothing comes to a process that has.
            SessionAct::Write { data } => {
                if let (Some(job), Some(bytes)) = (self.jobs.get_mut(&job), data.bytes()) {
                    job.write(bytes);
                }
            }
            SessionAct::CloseInput {} => {
                if let Some(job) = self.jobs.get_mut(&job) {
                    job.close_input();
                }
            }
            SessionAct::Resize { size } => {
                if let Some(job) = self.jobs.get(&job) {
                    job.resize(size);
                }
            }
            SessionAct::Signal { signal } => {
                if let (Some(job), Some(signal)) = (self.jobs.get(&job), Signal::from_named_raw(signal)) {
                    job.signal(signal);
                }
            }
            SessionAct::Link { node, interface, up } => {
                self.change(job, changes::switch(&node, &interface, up));
            }
            SessionAct::Wire { node, interface, rate_bps, delay_ns } => {
                self.change(job, changes::set_wire(&node, &interface, rate_bps, delay_ns));
            }
            SessionAct::End {} => self.run_end.end_now(self.timeline.now_from_epoch_ns()),
            SessionAct::Move { .. } | SessionAct::Rssi { .. } => {
                unreachable!("the model of the air carries it out")
            }
        }
    }

    fn known(&self, node: &str) -> Result<(), String> {
        let known = self.nodes.iter().any(|name| name == node);
        known.then_some(()).ok_or_else(|| format!("there is no node '{node}'"))
    }

    /// Tells how a change went.
    fn change(&self, job: u32, changed: Result<(), String>) {
        let event = changed.map_or_else(|why| JobEvent::Refused { why }, |()| JobEvent::DONE);
        self.device.say(job, event);
    }
}
