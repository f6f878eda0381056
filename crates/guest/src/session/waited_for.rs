//! A condition, and whether an instant fulfils it.

use airtcp_plan::condition::{Compared, Comparison, Condition, EndedPpdu, FlowChoice, Happening, Loss};
use airtcp_plan::record::{Numbers, Table};

use super::happenings::{Happenings, SampledQueue};
use crate::watch::{SampledFlow, flows_table, queues_table};

/// A condition whose columns are found.
pub(super) enum WaitedFor {
    All(Vec<Self>),
    Any(Vec<Self>),
    Flow {
        of: FlowChoice,
        value: Column,
    },
    Queue {
        node: Option<u32>,
        interface: Option<u32>,
        value: Column,
    },
    /// What happens at one instant.
    Event(Condition),
}

/// A column that is compared.
pub(super) struct Column {
    name: String,
    numbers: Numbers,
    comparison: Comparison,
    than: f64,
}

impl Column {
    /// Panics if the table has no such numbers: the user's side knows the series.
    fn of(table: &Table, compared: &Compared) -> Self {
        let Compared { column: name, comparison, than } = compared.clone();
        let numbers = table.numbers(&name).expect("a column of the series that has numbers");
        Self { name, numbers, comparison, than }
    }

    fn value(&self, row: &[u8]) -> Option<f64> {
        Some(self.numbers.of(row)).filter(|&value| self.comparison.holds(value, self.than))
    }
}

impl WaitedFor {
    pub(super) fn of(condition: &Condition) -> Self {
        let all = |of: &[Condition]| of.iter().map(Self::of).collect();
        match condition {
            Condition::All { of } => Self::All(all(of)),
            Condition::Any { of } => Self::Any(all(of)),
            Condition::Flow { of, value } => {
                Self::Flow { of: of.clone(), value: Column::of(&flows_table(0), value) }
            }
            Condition::Queue { node, interface, value } => {
                Self::Queue { node: *node, interface: *interface, value: Column::of(&queues_table(), value) }
            }
            event => Self::Event(event.clone()),
        }
    }

    /// What fulfils it; `None`: nothing does.
    pub(super) fn found(&self, now: &Happenings) -> Option<Vec<Happening>> {
        match self {
            Self::All(parts) => {
                let found: Option<Vec<_>> = parts.iter().map(|part| part.found(now)).collect();
                found.map(|found| found.concat())
            }
            Self::Any(parts) => parts.iter().find_map(|part| part.found(now)),
            Self::Flow { of, value } => {
                let mut flows = now.flows.iter().filter(|(flow, _)| chosen(of, flow));
                flows.find_map(|(flow, row)| Some(vec![value.of_flow(flow, row)?]))
            }
            Self::Queue { node, interface, value } => {
                let mut queues = now.queues.iter().filter(|(queue, _)| {
                    node.is_none_or(|node| node == queue.place.node)
                        && interface.is_none_or(|interface| interface == queue.place.interface)
                });
                queues.find_map(|(queue, row)| Some(vec![value.of_queue(queue, row)?]))
            }
            Self::Event(event) => {
                now.events.iter().find(|happening| is_meant(event, happening)).map(|one| vec![one.clone()])
            }
        }
    }
}

impl Column {
    fn of_flow(&self, flow: &SampledFlow, row: &[u8]) -> Option<Happening> {
        let (flow, node) = (flow.number, flow.node);
        Some(Happening::Flow { flow, node, column: self.name.clone(), value: self.value(row)? })
    }

    fn of_queue(&self, queue: &SampledQueue, row: &[u8]) -> Option<Happening> {
        Some(Happening::Queue {
            node: queue.place.node,
            interface: queue.place.interface,
            handle: queue.handle,
            discipline: queue.kind.clone(),
            column: self.name.clone(),
            value: self.value(row)?,
        })
    }
}

fn chosen(of: &FlowChoice, flow: &SampledFlow) -> bool {
    of.numbers.as_ref().is_none_or(|numbers| numbers.contains(&flow.number))
        && of.from.is_none_or(|from| flow.node == Some(from))
}

/// Whether this is what the event waits for.
fn is_meant(event: &Condition, happening: &Happening) -> bool {
    match (event, happening) {
        (Condition::Retransmission { of }, &Happening::Retransmission { flow, node, .. }) => {
            chosen(of, &SampledFlow { number: flow, node })
        }
        (Condition::Loss { of, node }, Happening::Loss(loss)) => {
            node.is_none_or(|node| node == loss.node) && of.as_ref().is_none_or(|of| is_of(of, loss))
        }
        (Condition::Roam { nic }, Happening::Roam { nic: own, .. }) => nic.is_none_or(|nic| nic == *own),
        (Condition::Frame { from, to, ppdu, outcome }, Happening::Frame(ended)) => {
            let EndedPpdu { nic, to: receiver, kind, outcome: own, .. } = *ended;
            from.is_none_or(|from| from == nic)
                && to.is_none_or(|to| Some(to) == receiver)
                && ppdu.is_none_or(|ppdu| ppdu == kind)
                && outcome.is_none_or(|outcome| outcome == own)
        }
        _ => false,
    }
}

/// Whether the sender of one of these flows sent the packet that is lost.
fn is_of(of: &FlowChoice, loss: &Loss) -> bool {
    let number = loss.flow.filter(|_| !loss.acknowledgment);
    number.is_some_and(|number| chosen(of, &SampledFlow { number, node: loss.from }))
}
