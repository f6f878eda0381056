//! The ends of a flow start: each is a thread that runs its workload.

use std::sync::Arc;

use airtcp_plan::Workload;
use airtcp_workload::client_of;

use super::flow::FlowState;
use super::watch::Watch;
use super::{bursts, client, server, sink, source};
use crate::clock::Timeline;
use crate::failure::Outcome;
use crate::process::spawn;

impl FlowState {
    /// Starts the ends that are here, each in its node, which `enter` enters; they wait for their time.
    pub(crate) fn start(
        self: &Arc<Self>,
        seed: u64,
        timeline: Timeline,
        watch: &Arc<Watch>,
        enter: impl Fn(&str) -> Outcome<()>,
    ) -> Outcome<()> {
        if self.ends.listener.is_some() {
            enter(self.plan.listening())?;
            self.start_listening(timeline, watch)?;
        }
        if self.ends.caller.is_some() {
            enter(self.plan.connecting())?;
            self.start_connecting(seed, timeline, watch)?;
        }
        Ok(())
    }

    fn start_listening(self: &Arc<Self>, timeline: Timeline, watch: &Arc<Watch>) -> Outcome<()> {
        let (own, watch) = (Arc::clone(self), Arc::clone(watch));
        if self.plan.workload.is_asked_for() {
            return spawn(format!("{} server", self.place), move || server::run(&own, timeline, &watch));
        }
        spawn(format!("{} sink", self.place), move || sink::run(&own, timeline, &watch))
    }

    fn start_connecting(self: &Arc<Self>, seed: u64, timeline: Timeline, watch: &Arc<Watch>) -> Outcome<()> {
        let (own, watch) = (Arc::clone(self), Arc::clone(watch));
        if let Some(asking) = client_of(&self.plan, seed, self.number) {
            return spawn(format!("{} client", self.place), move || {
                client::run(&own, timeline, &watch, asking);
            });
        }
        spawn(format!("{} source", self.place), move || match own.plan.workload {
            Workload::OnOff { on, off_ns } => {
                bursts::run(&own, timeline, bursts::Draw::new(on, off_ns, seed, own.number));
            }
            _ => source::run(&own, timeline),
        })
    }
}
