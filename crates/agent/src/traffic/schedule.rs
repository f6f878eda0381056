//! The main thread's work while traffic runs: it ends flows and programs, each at its time, and finally the run.
//!
//! At one instant the kernel's samples come first, then flows end, then programs get SIGTERM, then the run ends
//! because its flows have.

use std::sync::Arc;

use airtcp_plan::Plan;

use super::flow::FlowState;
use super::program::ProgramState;
use super::run_end::RunEnd;
use super::watch::Watch;
use crate::clock::Timeline;
use crate::failure::Outcome;
use crate::traffic::session::Session;

/// How long a program may take to end before it is killed.
pub(crate) const GRACE_NS: u64 = 100_000_000;

/// Something that happens at a planned time. The order decides between equal times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    /// A flow reaches its planned stop time.
    StopFlow(usize),
    /// The program gets SIGTERM.
    StopProgram(usize),
    /// The program gets SIGKILL.
    KillProgram(usize),
}

/// The main thread's work while traffic runs.
#[derive(Debug)]
pub(crate) struct Schedule<'a> {
    /// The clock.
    pub(crate) timeline: Timeline,
    /// What is executed.
    pub(crate) plan: &'a Plan,
    /// Every flow of the plan.
    pub(crate) flows: &'a [Arc<FlowState>],
    /// Every program of the plan.
    pub(crate) programs: &'a [Arc<ProgramState>],
    /// The flows that end the run.
    pub(crate) run_end: &'a RunEnd,
    /// What the kernel watches.
    pub(crate) watch: &'a Watch,
}

impl Schedule<'_> {
    /// Executes the schedule, and what enters by a session, to the end of the run, where the last sample is taken; returns when that was, from the epoch.
    ///
    /// # Errors
    /// The kernel refuses the last sample.
    pub(crate) fn run(&self, mut session: Option<Session>) -> Outcome<u64> {
        let sleep_until = |ns| match &mut session {
            Some(session) => session.sleep_until(self.run_end, ns),
            None => self.run_end.sleep_until(self.timeline, ns),
        };
        let end_ns = until_end(self.plan, sleep_until, |action| match action {
            Action::StopFlow(flow) => self.flows[flow].stop(),
            Action::StopProgram(program) => self.programs[program].stop(),
            Action::KillProgram(program) => self.programs[program].kill(),
        });
        self.watch.end().map(|()| end_ns)
    }
}

/// Performs the actions at their planned times until the run ends; returns when it ended. `sleep_until` sleeps until a time, or
/// returns when the run has ended before it.
fn until_end(
    plan: &Plan,
    mut sleep_until: impl FnMut(u64) -> Option<u64>,
    mut act: impl FnMut(Action),
) -> u64 {
    for (time_ns, action) in actions(plan) {
        if let Some(ended_ns) = sleep_until(time_ns) {
            return ended_ns;
        }
        act(action);
    }
    sleep_until(plan.duration_ns).unwrap_or(plan.duration_ns)
}

/// Everything that happens before the end at a planned time, in order.
fn actions(plan: &Plan) -> Vec<(u64, Action)> {
    let flows = plan.flows.iter().enumerate().map(|(i, flow)| (flow.stop_ns, Action::StopFlow(i)));
    let programs = plan.programs.iter().enumerate().filter_map(|(i, p)| Some((i, p.stop_ns?)));
    let programs = programs.flat_map(|(i, stop_ns)| {
        let kill_ns = stop_ns.saturating_add(GRACE_NS);
        [(stop_ns, Action::StopProgram(i)), (kill_ns, Action::KillProgram(i))]
    });
    let mut actions: Vec<_> = flows.chain(programs).filter(|&(t, _)| t < plan.duration_ns).collect();
    actions.sort_unstable();
    actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_plan::two_hosts_and_a_switch;

    #[test]
    fn actions_come_in_the_order_of_time_then_kind() {
        let mut plan = two_hosts_and_a_switch();
        plan.duration_ns = 10_000_000_000;
        plan.flows[0].stop_ns = 5_000_000_000;
        plan.programs[0].stop_ns = Some(5_000_000_000);
        let kinds: Vec<_> = actions(&plan).into_iter().map(|(t, a)| (t / 1_000_000, a)).collect();
        assert_eq!(
            kinds,
            [(5000, Action::StopFlow(0)), (5000, Action::StopProgram(0)), (5100, Action::KillProgram(0))]
        );
        plan.flows[0].stop_ns = plan.duration_ns;
        plan.programs[0].stop_ns = None;
        assert_eq!(actions(&plan), []);
    }

    #[test]
    fn the_end_by_flows_comes_after_what_is_planned_for_its_instant_and_before_what_is_later() {
        let mut plan = two_hosts_and_a_switch();
        plan.duration_ns = 6_000_000_000;
        plan.flows[0].stop_ns = 5_000_000_000;
        plan.programs[0].stop_ns = Some(5_000_000_000);
        let run = |ended_ns: &[u64], flows| {
            let run_end = RunEnd::of(flows, false);
            for &ns in ended_ns {
                run_end.ended(ns);
            }
            let mut done = Vec::new();
            // All of it has passed: nothing sleeps.
            let sleep_until = |ns| run_end.sleep_until(Timeline::new(0), ns);
            (until_end(&plan, sleep_until, |action| done.push(action)), done)
        };
        let (flow, stopped, killed) = (Action::StopFlow(0), Action::StopProgram(0), Action::KillProgram(0));
        assert_eq!(run(&[4_999_999_999], 1), (4_999_999_999, vec![]));
        assert_eq!(run(&[5_000_000_000], 1), (5_000_000_000, vec![flow, stopped]));
        assert_eq!(run(&[5_100_000_000, 1], 2), (5_100_000_000, vec![flow, stopped, killed]));
        // At or after the planned end, or with flows that have not ended, the plan decides.
        for (ended_ns, flows) in [(&[6_000_000_000][..], 1), (&[6_000_000_001], 1), (&[1], 2), (&[], 0)] {
            assert_eq!(run(ended_ns, flows), (6_000_000_000, vec![flow, stopped, killed]));
        }
    }
}
