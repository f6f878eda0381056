//! What must hold of the inputs of a session.

use std::collections::BTreeSet;

use super::refusal::{Check, check_time, wrong};
use crate::{
    Attachment, Flow, Plan, SESSION_DATA_BYTES_MAX, SESSION_MESSAGE_BYTES_MAX, SessionAct, SessionFlow,
};

/// Longest command: in JSON it fits into a message.
const COMMAND_BYTES_MAX: usize = SESSION_MESSAGE_BYTES_MAX / 8;
/// Signals of Linux (signal(7)).
const SIGNAL_MAX: i32 = 64;
/// Room for the name of a congestion control and its zero (`TCP_CA_NAME_MAX`, include/net/tcp.h).
const CONTROL_BYTES: usize = 16;

impl Plan {
    pub(super) fn check_session(&self) -> Check {
        let Some(session) = &self.session else { return Ok(()) };
        let mut jobs = BTreeSet::new();
        for (i, input) in session.inputs.iter().enumerate() {
            let key = format!("session.inputs[{i}]");
            check_time(&format!("{key}.at_ns"), input.at_ns)?;
            if i > 0 && input.at_ns < session.inputs[i - 1].at_ns {
                return wrong(format!("{key}.at_ns"), "is before the input that stands before it");
            }
            let starts = matches!(input.act, SessionAct::Start { .. } | SessionAct::Flow(_));
            if starts && !jobs.insert(input.job) {
                return wrong(format!("{key}.job"), format!("job {} was started before", input.job));
            }
            self.check_act(&format!("{key}.act"), &input.act)?;
        }
        Ok(())
    }

    /// Checks what a user does, also one that is not in the plan.
    ///
    /// # Errors
    /// [`crate::PlanError`] with the key below `key`.
    pub fn check_act(&self, key: &str, act: &SessionAct) -> Check {
        match act {
            SessionAct::Start { node, command, .. } => {
                if command.len() > COMMAND_BYTES_MAX || command.contains('\0') {
                    let why = format!("must have at most {COMMAND_BYTES_MAX} bytes, and no zero");
                    return wrong(format!("{key}.command"), why);
                }
                self.check_node_of(key, node)
            }
            SessionAct::Flow(flow) => self.check_flow_of_session(key, flow),
            SessionAct::Write { data } => match data.bytes() {
                None => wrong(format!("{key}.data"), "is not base64"),
                Some(bytes) if bytes.len() > SESSION_DATA_BYTES_MAX => {
                    wrong(format!("{key}.data"), format!("has more than {SESSION_DATA_BYTES_MAX} bytes"))
                }
                Some(_) => Ok(()),
            },
            SessionAct::Signal { signal } if !(1..=SIGNAL_MAX).contains(signal) => {
                wrong(format!("{key}.signal"), format!("{signal} is not a signal"))
            }
            SessionAct::Link { node, .. } => self.check_node_of(key, node),
            SessionAct::Wire { node, interface, rate_bps, delay_ns } => {
                check_time(&format!("{key}.delay_ns"), *delay_ns)?;
                if *rate_bps == Some(0) {
                    return wrong(format!("{key}.rate_bps"), "must be more than 0; null is no limit");
                }
                self.check_wire_end(key, node, interface)
            }
            SessionAct::Move { nic, .. } => self.check_nic(&format!("{key}.nic"), *nic),
            SessionAct::Loss { probability, .. } if !(0.0..=1.0).contains(probability) => {
                wrong(format!("{key}.probability"), "must be from 0 to 1")
            }
            SessionAct::Rssi { from, to, .. } | SessionAct::Loss { from, to, .. } => {
                if from == to {
                    return wrong(format!("{key}.to"), "no NIC receives itself");
                }
                self.check_nic(&format!("{key}.from"), *from)?;
                self.check_nic(&format!("{key}.to"), *to)
            }
            SessionAct::Signal { .. }
            | SessionAct::CloseInput {}
            | SessionAct::Resize { .. }
            | SessionAct::End {} => Ok(()),
        }
    }

    fn check_flow_of_session(&self, key: &str, flow: &SessionFlow) -> Check {
        for (name, node) in [("from", &flow.from), ("to", &flow.to)] {
            if self.node(node).is_none() {
                return wrong(format!("{key}.{name}"), format!("there is no node '{node}'"));
            }
        }
        if flow.from == flow.to {
            return wrong(format!("{key}.to"), "a flow goes from one node to another");
        }
        let planned = |other: &Flow| other.listening() == flow.to && other.port == flow.port;
        if flow.port == 0 || self.flows.iter().any(planned) {
            return wrong(format!("{key}.port"), format!("{} is not free at {}", flow.port, flow.to));
        }
        let control = &flow.congestion_control;
        if control.is_empty() || control.len() >= CONTROL_BYTES || control.contains('\0') {
            return wrong(
                format!("{key}.congestion_control"),
                format!("'{control}' is no name of a congestion control"),
            );
        }
        if flow.bytes == Some(0) {
            return wrong(format!("{key}.bytes"), "must be more than 0; null is no limit");
        }
        flow.length_ns.map_or(Ok(()), |length_ns| check_time(&format!("{key}.length_ns"), length_ns))
    }

    fn check_node_of(&self, key: &str, node: &str) -> Check {
        match self.node(node) {
            Some(_) => Ok(()),
            None => wrong(format!("{key}.node"), format!("there is no node '{node}'")),
        }
    }

    fn check_wire_end(&self, key: &str, node: &str, interface: &str) -> Check {
        self.check_node_of(key, node)?;
        let mut own = self.node(node).into_iter().flat_map(|node| &node.interfaces);
        let is_wire = |attachment: &Attachment| matches!(attachment, Attachment::Wire { .. });
        match own.find(|own| own.name == interface) {
            Some(found) if is_wire(&found.attachment) => Ok(()),
            _ => wrong(format!("{key}.interface"), format!("node {node} has no end of a wire '{interface}'")),
        }
    }

    fn check_nic(&self, key: &str, nic: u32) -> Check {
        match self.air.nics.get(nic as usize) {
            Some(_) => Ok(()),
            None => wrong(key, format!("there is no air.nics[{nic}]")),
        }
    }
}
