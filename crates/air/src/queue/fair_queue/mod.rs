//! Hashed flows with deficit round robin, shared by the queues of a NIC (RFC 8290; Linux, `include/net/fq_impl.h`).

use airtcp_plan::FqCodelPlan;
use airtcp_units::Instant;

use super::chain::{Chain, Links};
use super::codel::{Codel, CodelFlow, CodelTarget, Packet};
use super::ledger::Ledger;
use super::packets::{Packets, Queued};
use super::{DropCause, Expelled, Waiting};

/// Most frames dropped at once from the longest flow (Linux, `fq_flow_drop`).
const DROP_BATCH_MAX: u32 = 32;

/// Index of no flow or queue.
const NOBODY: u32 = u32::MAX;

/// Memory that Linux counts for a frame (`truesize`): a `struct sk_buff` (256 octets), and the frame with 64 octets of
/// headroom and the 320 of `skb_shared_info` in an allocation whose size is a power of two; 2304 for 1514 octets.
fn memory(bytes: u32) -> u64 {
    256 + u64::from((bytes + 64 + 320).next_power_of_two())
}

#[derive(Debug)]
struct Flow {
    packets: Chain,
    bytes: u32,
    deficit: i64,
    /// The queue it serves, as long as it is in one of its lists.
    queue: u32,
    is_listed: bool,
    /// Place in the order in which the longest flow is searched.
    rank: u32,
    codel: Codel,
}

/// The flows of one queue (Linux: `fq_tin`).
#[derive(Debug)]
struct Turns {
    new: Chain,
    old: Chain,
    frames: u32,
    /// For frames whose flow another queue uses; made when first needed.
    default_flow: u32,
    /// The flow of the frame dequeued last.
    last: u32,
}

impl Turns {
    const EMPTY: Self =
        Self { new: Chain::EMPTY, old: Chain::EMPTY, frames: 0, default_flow: NOBODY, last: NOBODY };
}

/// All flows of a NIC.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    packets: Packets<T>,
    /// Flows in the order in which they were first used.
    flows: Vec<Flow>,
    links: Links,
    /// Flow of each value that a hash is scaled to.
    hashed: Vec<u32>,
    queues: Vec<Turns>,
    memory: u64,
    collisions: u64,
    frames_max: u32,
    memory_max: u64,
    quantum: i64,
    ledger: Ledger,
}

impl<T: Copy> FairQueue<T> {
    /// This many empty queues of a NIC with this many stations.
    pub(super) fn new(plan: &FqCodelPlan, queues: u32, stations: u32) -> Self {
        assert!(plan.flows > 0 && plan.quantum_bytes > 0, "FQ-CoDel without flows or quantum");
        Self {
            packets: Packets::new(),
            flows: Vec::new(),
            links: Links::new(0),
            hashed: vec![NOBODY; plan.flows as usize],
            queues: (0..queues).map(|_| Turns::EMPTY).collect(),
            memory: 0,
            collisions: 0,
            frames_max: plan.packets,
            memory_max: u64::from(plan.memory_bytes),
            quantum: i64::from(plan.quantum_bytes),
            ledger: Ledger::new(stations),
        }
    }

    /// Frames in a queue.
    #[inline]
    pub(super) fn frames(&self, queue: u32) -> u32 {
        self.queues[queue as usize].frames
    }

    /// The counters and the backlog.
    #[inline]
    pub(super) const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// A dequeued frame was sent or discarded.
    #[inline]
    pub(super) fn finished(&mut self) {
        self.ledger.finished();
    }

    /// Frames that met a flow used by another queue.
    pub(super) const fn collisions(&self) -> u64 {
        self.collisions
    }

    /// Adds a frame, then drops from the longest flows what is too much.
    #[inline(always)]
    pub(super) fn enqueue(
        &mut self,
        now: Instant,
        queue: u32,
        frame: Waiting<T>,
        expelled: &mut Vec<Expelled<T>>,
    ) {
        let index = self.flow_of(queue, frame.flow);
        self.memory += memory(frame.bytes);
        self.ledger.enqueued(&frame);
        let flow = &mut self.flows[index as usize];
        flow.queue = queue;
        flow.bytes += frame.bytes;
        let turns = &mut self.queues[queue as usize];
        turns.frames += 1;
        if !flow.is_listed {
            flow.is_listed = true;
            flow.deficit = self.quantum;
            turns.new.push_back(&mut self.links, index);
        }
        self.packets.push_back(&mut flow.packets, Queued { frame, since: now });
        while self.ledger.total().frames > self.frames_max || self.memory > self.memory_max {
            self.shorten_longest(expelled);
        }
    }

    /// The flow for this hash in this queue.
    #[inline(always)]
    fn flow_of(&mut self, queue: u32, hash: u32) -> u32 {
        // As Linux's `reciprocal_scale`: the whole range of the hash is spread evenly.
        let value = (u64::from(hash) * self.hashed.len() as u64) >> 32;
        let index = self.hashed[value as usize];
        if index == NOBODY {
            self.hashed[value as usize] = self.new_flow(value as u32);
            return self.hashed[value as usize];
        }
        let user = self.flows[index as usize].queue;
        if user == NOBODY || user == queue {
            return index;
        }
        self.collisions += 1;
        if self.queues[queue as usize].default_flow == NOBODY {
            self.queues[queue as usize].default_flow = self.new_flow(self.hashed.len() as u32 + queue);
        }
        self.queues[queue as usize].default_flow
    }

    #[inline(never)]
    fn new_flow(&mut self, rank: u32) -> u32 {
        self.flows.push(Flow {
            packets: Chain::EMPTY,
            bytes: 0,
            deficit: 0,
            queue: NOBODY,
            is_listed: false,
            rank,
            codel: Codel::NEW,
        });
        self.links.grow();
        self.flows.len() as u32 - 1
    }

    /// Drops half of the flow with the most octets from its head, 32 frames at most and one at least.
    #[inline(never)]
    fn shorten_longest(&mut self, expelled: &mut Vec<Expelled<T>>) {
        let by_length = |flow: &(usize, &Flow)| (flow.1.bytes, std::cmp::Reverse(flow.1.rank));
        let longest = self.flows.iter().enumerate().max_by_key(by_length);
        let longest = longest.expect("there is a frame").0 as u32;
        let batch = (self.flows[longest as usize].packets.len() / 2).clamp(1, DROP_BATCH_MAX);
        for _ in 0..batch {
            let packet = self.pop(longest).expect("the longest flow has a frame");
            self.ledger.dropped(&self.packets.at(packet.place).frame, DropCause::QueueFull, expelled);
        }
    }

    /// Takes a flow's first frame.
    fn pop(&mut self, index: u32) -> Option<Popped> {
        let flow = &mut self.flows[index as usize];
        let place = self.packets.pop_front(&mut flow.packets)?;
        let packet = self.packets.at(place);
        flow.bytes -= packet.frame.bytes;
        self.queues[flow.queue as usize].frames -= 1;
        self.memory -= memory(packet.frame.bytes);
        Some(Popped::of(place, packet))
    }

    /// Takes the next frame of a queue: of the first flow whose deficit is positive, new flows before old ones.
    #[inline(always)]
    pub(super) fn dequeue(
        &mut self,
        now: Instant,
        queue: u32,
        target: CodelTarget,
        expelled: &mut Vec<Expelled<T>>,
    ) -> Option<&Waiting<T>> {
        loop {
            let (index, is_new) = self.turn(queue)?;
            let flow = &mut self.flows[index as usize];
            let head = flow.packets.first().map(|place| Popped::of(place, self.packets.at(place)));
            let taken = if flow.codel.passes(now, target, head.as_ref(), flow.packets.len() == 1) {
                head.map(|head| self.pass(queue, index, head.place))
            } else {
                self.control(now, index, target, expelled)
            };
            if let Some(place) = taken {
                self.queues[queue as usize].last = index;
                return Some(&self.packets.at(place).frame);
            }
            self.retire(queue, index, is_new);
        }
    }

    /// Takes a flow's first frame, which is at this place, to be sent.
    #[inline(always)]
    fn pass(&mut self, queue: u32, index: u32, place: u32) -> u32 {
        let Self { packets, flows, queues, ledger, .. } = self;
        let (flow, turns) = (&mut flows[index as usize], &mut queues[queue as usize]);
        packets.pop_front(&mut flow.packets);
        let frame = &packets.at(place).frame;
        flow.bytes -= frame.bytes;
        flow.deficit -= i64::from(frame.bytes);
        turns.frames -= 1;
        self.memory -= memory(frame.bytes);
        ledger.dequeued(frame);
        place
    }

    /// Takes the frame of a flow that is to be sent after `CoDel` has done what it must; its place.
    #[inline(never)]
    fn control(
        &mut self,
        now: Instant,
        index: u32,
        target: CodelTarget,
        expelled: &mut Vec<Expelled<T>>,
    ) -> Option<u32> {
        let packet = self.pop(index);
        let mut codel = self.flows[index as usize].codel;
        let packet = codel.control(now, target, packet, &mut Head { queue: self, index, expelled });
        self.flows[index as usize].codel = codel;
        let place = packet?.place;
        self.take(index, place);
        Some(place)
    }

    /// The flow whose turn it is, and whether it is a new one. Those that have used up their turn go to the end.
    #[inline(always)]
    fn turn(&mut self, queue: u32) -> Option<(u32, bool)> {
        let turns = &mut self.queues[queue as usize];
        if turns.new.len() + turns.old.len() == 1 {
            return Some(self.turn_of_one(queue));
        }
        loop {
            let is_new = !turns.new.is_empty();
            let list = if is_new { &mut turns.new } else { &mut turns.old };
            let index = list.first()?;
            let flow = &mut self.flows[index as usize];
            if flow.deficit > 0 {
                return Some((index, is_new));
            }
            flow.deficit += self.quantum;
            list.pop_front(&self.links);
            turns.old.push_back(&mut self.links, index);
        }
    }

    /// The flow whose turn it is, where only one flow takes turns: it gets at once all the quanta that it would get one by one.
    #[inline(always)]
    fn turn_of_one(&mut self, queue: u32) -> (u32, bool) {
        let turns = &mut self.queues[queue as usize];
        let is_new = !turns.new.is_empty();
        let list = if is_new { &mut turns.new } else { &mut turns.old };
        let index = list.first().expect("there is one");
        let flow = &mut self.flows[index as usize];
        if flow.deficit > 0 {
            return (index, is_new);
        }
        flow.deficit += (-flow.deficit / self.quantum + 1) * self.quantum;
        if is_new {
            list.pop_front(&self.links);
            turns.old.push_back(&mut self.links, index);
        }
        (index, false)
    }

    /// An empty flow leaves; a new one first passes through the old ones, lest it starve them (RFC 8290, 4.2).
    #[inline(never)]
    fn retire(&mut self, queue: u32, index: u32, is_new: bool) {
        let turns = &mut self.queues[queue as usize];
        let list = if is_new { &mut turns.new } else { &mut turns.old };
        list.pop_front(&self.links);
        if is_new && !turns.old.is_empty() {
            turns.old.push_back(&mut self.links, index);
        } else {
            let flow = &mut self.flows[index as usize];
            flow.is_listed = false;
            flow.queue = NOBODY;
        }
    }

    #[inline]
    fn take(&mut self, index: u32, place: u32) -> &Waiting<T> {
        let frame = &self.packets.at(place).frame;
        self.flows[index as usize].deficit -= i64::from(frame.bytes);
        self.ledger.dequeued(frame);
        frame
    }

    /// The frame that [`Self::join`] would dequeue.
    #[inline]
    pub(super) fn peek(&self, queue: u32) -> Option<&Waiting<T>> {
        let flow = self.flows.get(self.queues[queue as usize].last as usize)?;
        if flow.queue != queue {
            return None;
        }
        self.packets.first(&flow.packets).map(|packet| &packet.frame)
    }

    /// Takes one more frame of the flow of the last one, at its cost, without `CoDel`.
    #[inline]
    pub(super) fn join(&mut self, queue: u32) -> Option<&Waiting<T>> {
        self.peek(queue)?;
        let index = self.queues[queue as usize].last;
        let packet = self.pop(index)?;
        Some(self.take(index, packet.place))
    }

    /// Nothing can be joined to what was taken before.
    #[inline]
    pub(super) fn forget_last(&mut self, queue: u32) {
        self.queues[queue as usize].last = NOBODY;
    }
}

/// A dequeued frame, by its place among the packets: small, because it is copied a few times.
#[derive(Clone, Copy, Debug)]
struct Popped {
    place: u32,
    since: Instant,
    ect: bool,
}

impl Popped {
    #[inline]
    const fn of<T>(place: u32, packet: &Queued<T>) -> Self {
        Self { place, since: packet.since, ect: packet.frame.ect }
    }
}

impl Packet for Popped {
    #[inline]
    fn since(&self) -> Instant {
        self.since
    }

    #[inline]
    fn ect(&self) -> bool {
        self.ect
    }
}

/// A flow of a fair queue, while a frame is dequeued from it.
struct Head<'a, T> {
    queue: &'a mut FairQueue<T>,
    index: u32,
    expelled: &'a mut Vec<Expelled<T>>,
}

impl<T: Copy> CodelFlow for Head<'_, T> {
    type Packet = Popped;

    #[inline]
    fn pop(&mut self) -> Option<Popped> {
        self.queue.pop(self.index)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.queue.flows[self.index as usize].packets.is_empty()
    }

    fn drop(&mut self, packet: &Popped) {
        let frame = &self.queue.packets.at(packet.place).frame;
        self.queue.ledger.dropped(frame, DropCause::CoDel, self.expelled);
    }

    fn mark(&mut self, packet: &Popped) {
        let frame = &self.queue.packets.at(packet.place).frame;
        self.queue.ledger.marked(frame, self.expelled);
    }
}

#[cfg(test)]
pub(super) mod tests;
