//! What is so, and what happens, at an instant, as far as somebody waits for it.

use std::collections::BTreeMap;

use airtcp_air::{DropReason, NicId};
use airtcp_plan::condition::{Happening, Loser, Loss};
use airtcp_plan::record::{Numbers, RowWriter, Table};

use crate::watch::{
    DevicePlace, FlowSample, QdiscSample, SampledFlow, flows_table, queues_table, write_flow, write_queue,
};

/// The queueing discipline of a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SampledQueue {
    pub(super) place: DevicePlace,
    pub(super) handle: u32,
    /// As `tc` calls it.
    pub(super) kind: String,
}

/// Rows of a series that are read and not recorded, each with what it is about.
pub(super) struct Rows<T> {
    writer: RowWriter,
    bytes: Vec<u8>,
    width: usize,
    about: Vec<T>,
}

impl<T> Rows<T> {
    fn of(table: &Table) -> Self {
        let writer = RowWriter::new(table);
        Self { writer, bytes: Vec::new(), width: table.row_width(), about: Vec::new() }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.about.clear();
    }

    fn add(&mut self, about: T, write: impl FnOnce(&mut RowWriter)) {
        write(&mut self.writer);
        self.writer.end(&mut self.bytes).expect("memory takes all");
        self.about.push(about);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&T, &[u8])> {
        self.about.iter().zip(self.bytes.chunks_exact(self.width))
    }
}

/// An instant.
pub(super) struct Happenings {
    pub(super) flows: Rows<SampledFlow>,
    pub(super) queues: Rows<SampledQueue>,
    /// What has happened.
    pub(super) events: Vec<Happening>,
    total_retrans: Numbers,
    drops: Numbers,
    /// Segments sent again so far, by the number of the flow.
    retransmitted: BTreeMap<u32, f64>,
    /// Packets dropped so far.
    dropped: BTreeMap<SampledQueue, f64>,
    /// Disciplines that have dropped at this instant.
    droppers: Vec<SampledQueue>,
    /// Frames that the radios of the model have dropped at this instant.
    radio_drops: Vec<(NicId, DropReason)>,
    /// Packets that devices have lost, before it is known who.
    lost: Vec<Loss>,
    /// Whether nothing was sampled before: what is now was not before.
    is_first: bool,
}

impl Happenings {
    pub(super) fn new() -> Self {
        // Without the raw structure, which has no numbers.
        let (flows, queues) = (flows_table(0), queues_table());
        let number = |table: &Table, name: &str| table.numbers(name).expect("the series has it");
        Self {
            total_retrans: number(&flows, "total_retrans"),
            drops: number(&queues, "drops"),
            flows: Rows::of(&flows),
            queues: Rows::of(&queues),
            events: Vec::new(),
            retransmitted: BTreeMap::new(),
            dropped: BTreeMap::new(),
            droppers: Vec::new(),
            radio_drops: Vec::new(),
            lost: Vec::new(),
            is_first: true,
        }
    }

    /// Another instant than before.
    pub(super) fn clear_events(&mut self) {
        self.events.clear();
        self.radio_drops.clear();
    }

    /// Samples follow.
    pub(super) fn begin(&mut self) {
        self.flows.clear();
        self.queues.clear();
        self.droppers.clear();
        self.lost.clear();
    }

    pub(super) fn flow(&mut self, flow: SampledFlow, sample: &FlowSample) {
        self.flows.add(flow, |row| write_flow(row, 0, flow.number, sample));
    }

    pub(super) fn queue(&mut self, place: DevicePlace, sample: &QdiscSample<'_>) {
        let queue = SampledQueue { place, handle: sample.handle, kind: sample.kind.to_owned() };
        self.queues.add(queue, |row| write_queue(row, 0, place, sample));
    }

    pub(super) fn radio_drops(&mut self, nic: NicId, reason: DropReason) {
        self.radio_drops.push((nic, reason));
    }

    /// A device has lost a packet; the loser is [`Loser::Wire`] or not known yet.
    pub(super) fn lost(&mut self, loss: Loss) {
        self.lost.push(loss);
    }

    /// All has been sampled. `place_of`: the device of a NIC.
    pub(super) fn end(&mut self, place_of: impl Fn(NicId) -> Option<DevicePlace>) {
        self.find_retransmissions();
        self.find_droppers();
        self.find_losers(place_of);
        self.is_first = false;
    }

    fn find_retransmissions(&mut self) {
        for (flow, row) in self.flows.iter() {
            let total = self.total_retrans.of(row);
            // A connection that is made later begins without any.
            let new = if self.is_first { total } else { 0.0 };
            let before = self.retransmitted.insert(flow.number, total).unwrap_or(new);
            if total > before {
                let segments = (total - before) as u32;
                let (flow, node) = (flow.number, flow.node);
                self.events.push(Happening::Retransmission { flow, node, segments });
            }
        }
    }

    fn find_droppers(&mut self) {
        for (queue, row) in self.queues.iter() {
            let drops = self.drops.of(row);
            let new = if self.is_first { drops } else { 0.0 };
            let before = self.dropped.insert(queue.clone(), drops).unwrap_or(new);
            if drops > before {
                self.droppers.push(queue.clone());
            }
        }
    }

    /// Who has lost each packet: the discipline, of several the innermost, whose handle is highest; the radio; or the interface.
    fn find_losers(&mut self, place_of: impl Fn(NicId) -> Option<DevicePlace>) {
        let mut of_radios: Vec<_> =
            self.radio_drops.drain(..).filter_map(|(nic, reason)| Some((place_of(nic)?, reason))).collect();
        let mut losses: Vec<Loss> = Vec::new();
        for mut loss in std::mem::take(&mut self.lost) {
            let place = DevicePlace { node: loss.node, interface: loss.interface };
            let of_place = self.droppers.iter().filter(|queue| queue.place == place);
            if let Some(queue) = of_place.max_by_key(|queue| queue.handle)
                && loss.by != Loser::Wire
            {
                (loss.by, loss.detail) = (Loser::Queue, queue.kind.clone());
            } else if let Some(drop) = of_radios.iter().position(|(at, _)| *at == place) {
                (loss.by, loss.detail) = (Loser::Radio, of_radios.remove(drop).1.to_string());
            }
            add(&mut losses, loss);
        }
        // A receiver has the frame, and keeps it, of a sender that has given it up.
        for (place, reason) in of_radios {
            let DevicePlace { node, interface } = place;
            let detail = reason.to_string();
            add(&mut losses, Loss { node, interface, by: Loser::Radio, detail, ..UNKNOWN });
        }
        self.events.extend(losses.into_iter().map(Happening::Loss));
    }
}

/// A packet of which nothing is known.
pub(super) const UNKNOWN: Loss = Loss {
    node: 0,
    interface: 0,
    by: Loser::Interface,
    detail: String::new(),
    flow: None,
    from: None,
    acknowledgment: false,
    packet: None,
    packets: 1,
};

/// One more loss; those of one flow that are lost alike are one.
fn add(losses: &mut Vec<Loss>, loss: Loss) {
    let same = losses.iter_mut().find(|one| {
        (one.node, one.interface, one.by, &one.detail, one.flow, one.acknowledgment)
            == (loss.node, loss.interface, loss.by, &loss.detail, loss.flow, loss.acknowledgment)
    });
    match same {
        Some(one) => one.packets += 1,
        None => losses.push(loss),
    }
}
