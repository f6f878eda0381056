//! Samples of the sockets of programs at one instant, for conditions that a user waits for.

use crate::session::Waiting;
use crate::watch::{FlowSample, Watch};

/// Samples of the sockets of programs at one instant, each with its own end only.
#[derive(Default)]
pub(super) struct SocketSamples(Vec<(u32, FlowSample)>);

impl SocketSamples {
    pub(super) fn add(&mut self, number: u32, sample: &FlowSample) {
        self.0.push((number, sample.clone()));
    }

    /// All have been sampled: each sender with its receiver.
    pub(super) fn tell(&mut self, waiting: &mut Waiting, watch: &Watch) {
        let samples = std::mem::take(&mut self.0);
        for (number, sample) in &samples {
            let Some((flow, receiver)) = watch.flow_of_socket(*number) else { continue };
            let mut sample = sample.clone();
            if let Some((_, other)) = samples.iter().find(|(number, _)| Some(*number) == receiver) {
                sample.receiver.clone_from(&other.sender);
            }
            waiting.flow(flow, &sample);
        }
    }
}
