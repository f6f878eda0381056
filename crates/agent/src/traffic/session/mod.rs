//! The session of a run: carries out what enters, and reports what happens.
//!
//! ```text
//! main thread   sleeps until something is planned, or an input enters, and carries it out
//! job N         one thread for each: reads what it writes, and how it ends
//! job N input   one thread for each: writes to it
//! ```
//! The kernel gives an input at its instant (`arch/um/drivers/airtcp/session` of the kernel), and virtual time goes on
//! only when all threads sleep: an input is carried out in no time. Until the first one nothing differs from a run without a
//! session: another thread would, because the kernel mixes the time of each clone into its random numbers.

mod air_requests;
mod changes;
mod job;
mod messages;
mod terminal;

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

use airtcp_plan::{JobEvent, Plan, SessionAct, SessionInput};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::Signal;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use self::air_requests::AirRequests;
use self::job::Job;
use self::messages::Messages;
use crate::clock::{Timeline, timespec};
use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::process::reaper;
use crate::traffic::confinement::Confinement;
use crate::traffic::run_end::RunEnd;

/// What inputs work on.
#[derive(Debug)]
pub(crate) struct Session {
    messages: Arc<Messages>,
    nodes: Vec<String>,
    confinement: Arc<Confinement>,
    jobs: BTreeMap<u32, Job>,
    timeline: Timeline,
    /// Requests of privileged programs for changes of the air.
    air_requests: Option<AirRequests>,
}

impl Session {
    /// The session of a plan that has one; `messages` are the kernel's.
    ///
    /// # Errors
    /// The guest has no memory left.
    pub(crate) fn new(
        plan: &Plan,
        timeline: Timeline,
        messages: File,
        confinement: Arc<Confinement>,
    ) -> Outcome<Self> {
        let failed = because("the socket for changes of the air can't be made", "session", KERNEL_REMEDY);
        let air_requests = plan.guest.privileged.then(AirRequests::listen).transpose().map_err(failed)?;
        let nodes = plan.nodes.iter().map(|node| node.name.clone()).collect();
        Ok(Self {
            messages: Arc::new(Messages::new(messages)),
            nodes,
            confinement,
            jobs: BTreeMap::new(),
            timeline,
            air_requests,
        })
    }

    /// Carries out inputs until this time after the epoch, or until the run has ended before it; then returns when.
    pub(crate) fn sleep_until(&mut self, run_end: &RunEnd, ns: u64) -> Option<u64> {
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).expect("a descriptor is free");
        // An absolute time: nothing reads a clock, which would take time.
        let once =
            Itimerspec { it_interval: timespec(0), it_value: timespec(self.timeline.since_boot_ns(ns)) };
        timerfd_settime(&timer, TimerfdTimerFlags::ABSTIME, &once).expect("a time that the kernel knows");
        loop {
            // An end at this very instant leaves its descriptor readable, and time would not go on.
            if run_end.has_ended() {
                return run_end.ended_before(ns);
            }
            let mut watched = vec![
                PollFd::new(&timer, PollFlags::IN),
                PollFd::new(&*self.messages, PollFlags::IN),
                PollFd::new(run_end, PollFlags::IN),
            ];
            watched.extend(self.air_requests.as_ref().map(|asked| PollFd::new(asked, PollFlags::IN)));
            while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
            let [time, message] = [0, 1].map(|one: usize| !watched[one].revents().is_empty());
            if time {
                return run_end.ended_before(ns);
            }
            while let Some(act) = self.air_requests.as_ref().and_then(AirRequests::receive) {
                self.messages.say(0, JobEvent::AirChange { act });
            }
            if message {
                let input = self.messages.receive();
                self.carry_out(input, run_end);
            }
        }
    }

    fn carry_out(&mut self, input: SessionInput, run_end: &RunEnd) {
        let SessionInput { job, act, .. } = input;
        match act {
            SessionAct::Start { node, command, terminal } => {
                let reaping = || reaper::run().map_err(|failure| failure.what);
                let started = self.known(&node).and_then(|()| reaping()).and_then(|()| {
                    let command = job::Command { node, line: command, terminal };
                    Job::start(job, &command, &self.confinement, &self.messages)
                });
                self.begin(job, started);
            }
            SessionAct::Flow(flow) => {
                let started = reaper::run().map_err(|failure| failure.what);
                self.begin(job, started.and_then(|()| Job::start_flow(job, &flow, &self.messages)));
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
            SessionAct::End {} => run_end.end_now(self.timeline.now_from_epoch_ns()),
            SessionAct::Move { .. } | SessionAct::Rssi { .. } | SessionAct::Loss { .. } => {
                unreachable!("the model of the air carries it out")
            }
        }
    }

    /// Keeps a job that was started, or reports why it was not.
    fn begin(&mut self, job: u32, started: Result<Job, String>) {
        match started {
            Ok(started) => drop(self.jobs.insert(job, started)),
            Err(why) => self.messages.say(job, JobEvent::Refused { why }),
        }
    }

    fn known(&self, node: &str) -> Result<(), String> {
        let known = self.nodes.iter().any(|name| name == node);
        known.then_some(()).ok_or_else(|| format!("there is no node '{node}'"))
    }

    /// Reports how a change went.
    fn change(&self, job: u32, changed: Result<(), String>) {
        let event = changed.map_or_else(|why| JobEvent::Refused { why }, |()| JobEvent::DONE);
        self.messages.say(job, event);
    }
}
