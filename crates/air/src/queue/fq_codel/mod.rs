//! FQ-CoDel for each station and TID, with turns by medium time, as mac80211 has it.

use airtcp_plan::{FqCodelPlan, SlowStationCodel};
use airtcp_units::{Duration, Instant};

use super::airtime::Airtime;
use super::chain::{Chain, Links};
use super::codel::CodelTarget;
use super::fair_queue::FairQueue;
use super::ledger::Ledger;
use super::{Expelled, TxqKey, Waiting};
use crate::border::{AccessCategory, TIDS};

#[inline]
const fn index_of(key: TxqKey) -> u32 {
    key.station * TIDS as u32 + key.tid as u32
}

#[inline]
const fn key_of(index: u32) -> TxqKey {
    TxqKey { station: index / TIDS as u32, tid: (index % TIDS as u32) as u8 }
}

#[derive(Clone, Copy, Debug, Default)]
struct Txq {
    is_listed: bool,
    /// Whether the lower half buffers frames of the queue.
    is_kept: bool,
}

/// The queues of one NIC.
#[derive(Debug)]
pub(crate) struct FqCodel<T> {
    flows: FairQueue<T>,
    airtime: Airtime,
    txqs: Vec<Txq>,
    /// The queues of each category that take part, in the order of their turns.
    rotation: [Chain; 4],
    links: Links,
    /// Frames of each category that were taken and are not at their end.
    outstanding: [u32; 4],
    target: CodelTarget,
    slow: Option<SlowStations>,
    stations: u32,
}

/// Stations towards which `CoDel` is more lenient.
#[derive(Debug)]
struct SlowStations {
    /// A station is slow if less is expected.
    below_kbps: f64,
    target: CodelTarget,
    is_slow: Vec<bool>,
}

impl SlowStations {
    fn new(plan: SlowStationCodel, stations: u32) -> Self {
        Self {
            below_kbps: f64::from(plan.below_kbps) * f64::from(stations),
            target: CodelTarget {
                target: micros(plan.target_us),
                interval: micros(plan.interval_us),
                ecn: false,
            },
            is_slow: vec![false; stations as usize + 1],
        }
    }
}

fn micros(us: u32) -> Duration {
    Duration::from_micros(u64::from(us))
}

impl<T: Copy> FqCodel<T> {
    /// Empty queues of a NIC with this many stations.
    pub(crate) fn new(plan: &FqCodelPlan, stations: u32) -> Self {
        let queues = (stations + 1) * TIDS as u32;
        Self {
            flows: FairQueue::new(plan, queues, stations),
            airtime: Airtime::new(plan, stations),
            txqs: vec![Txq::default(); queues as usize],
            rotation: [Chain::EMPTY; 4],
            links: Links::new(queues as usize),
            outstanding: [0; 4],
            target: CodelTarget {
                target: micros(plan.target_us),
                interval: micros(plan.interval_us),
                ecn: plan.ecn,
            },
            slow: plan.slow_stations.map(|slow| SlowStations::new(slow, stations)),
            stations,
        }
    }

    /// Whether [`Self::expect_throughput`] has an effect.
    #[inline]
    pub(crate) const fn knows_slow_stations(&self) -> bool {
        self.slow.is_some()
    }

    /// Rate control expects this throughput to a station; 0: it does not know.
    pub(crate) fn expect_throughput(&mut self, station: u32, kbps: f64) {
        if let Some(slow) = &mut self.slow {
            slow.is_slow[station as usize] = kbps > 0.0 && kbps < slow.below_kbps;
        }
    }

    #[inline]
    fn target_for(&self, station: u32) -> CodelTarget {
        match &self.slow {
            Some(slow) if slow.is_slow[station as usize] => slow.target,
            _ => self.target,
        }
    }

    /// The counters and the backlog.
    #[inline]
    pub(crate) const fn ledger(&self) -> &Ledger {
        self.flows.ledger()
    }

    /// Frames that met a flow used by another queue.
    pub(crate) const fn collisions(&self) -> u64 {
        self.flows.collisions()
    }

    /// Adds a frame, then drops from the longest flows what is too much.
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, now: Instant, frame: Waiting<T>, expelled: &mut Vec<Expelled<T>>) {
        let key = frame.key();
        self.settle(key.category());
        self.flows.enqueue(now, index_of(key), frame, expelled);
        self.list(now, key);
    }

    /// Pays off all debts if the NIC was idle in this category: a driver requests a queue whenever a transmission ends, and
    /// goes through those without frames at once.
    #[inline]
    fn settle(&mut self, ac: AccessCategory) {
        if self.outstanding[ac as usize] == 0 {
            self.settle_idle(ac);
        }
    }

    #[inline(never)]
    fn settle_idle(&mut self, ac: AccessCategory) {
        if !self.is_any_ready(ac) {
            let next = self.next_txq(ac);
            debug_assert_eq!(next, None, "a queue without frames");
        }
    }

    /// Whether any queue in the rotation has something to send.
    #[inline]
    fn is_any_ready(&self, ac: AccessCategory) -> bool {
        let is_ready = |index| self.txqs[index as usize].is_kept || self.flows.frames(index) > 0;
        self.rotation[ac as usize].iter(&self.links).any(is_ready)
    }

    /// Puts a queue into the rotation if it has something to send, or to pay off. With turns by medium time it comes to
    /// the front, where it stays until its turn is used up.
    #[inline]
    fn list(&mut self, now: Instant, key: TxqKey) {
        if !self.txqs[index_of(key) as usize].is_listed {
            self.list_anew(now, key);
        }
    }

    #[inline(never)]
    fn list_anew(&mut self, now: Instant, key: TxqKey) {
        let (index, ac) = (index_of(key), key.category());
        let txq = &mut self.txqs[index as usize];
        let has_frames = txq.is_kept || self.flows.frames(index) > 0;
        if !has_frames && !self.airtime.pays_off(now, key.station, ac) {
            return;
        }
        txq.is_listed = true;
        let rotation = &mut self.rotation[ac as usize];
        if has_frames && self.airtime.is_fair() && key.station != self.stations {
            rotation.push_front(&mut self.links, index);
        } else {
            rotation.push_back(&mut self.links, index);
        }
        if has_frames {
            self.airtime.set_active(now, key.station, ac);
        }
    }

    /// Whether a queue has frames that may be sent now.
    #[inline(always)]
    pub(crate) fn has(&self, ac: AccessCategory) -> bool {
        let rotation = &self.rotation[ac as usize];
        // Most often the first may send.
        let first = rotation.first().is_some_and(|index| self.may_send(index, ac));
        self.airtime.may_category_send(ac, rotation.len()) && (first || self.may_any_send(ac))
    }

    #[inline]
    fn may_send(&self, index: u32, ac: AccessCategory) -> bool {
        self.flows.frames(index) > 0 && self.airtime.may_send(key_of(index).station, ac)
    }

    #[inline(never)]
    fn may_any_send(&self, ac: AccessCategory) -> bool {
        self.rotation[ac as usize].iter(&self.links).any(|index| self.may_send(index, ac))
    }

    /// The queue whose turn it is. A station that has used up its turn gets the next one and goes to the end.
    pub(crate) fn next_txq(&mut self, ac: AccessCategory) -> Option<TxqKey> {
        let may_category_send = self.airtime.may_category_send(ac, self.rotation[ac as usize].len());
        if !may_category_send && !self.is_any_kept(ac) {
            return None;
        }
        let mut passed = 0;
        let mut found = false;
        while let Some(index) = self.rotation[ac as usize].first() {
            if passed >= self.rotation[ac as usize].len() {
                if !found {
                    return None;
                }
                (passed, found) = (0, false);
            }
            passed += 1;
            let key = key_of(index);
            let is_kept = self.txqs[index as usize].is_kept;
            let may_send = is_kept || (may_category_send && self.airtime.may_send(key.station, ac));
            found |= may_send;
            if self.waits(key, may_send) {
                self.rotate(ac);
            } else if self.unlist(ac) {
                return Some(key);
            }
        }
        None
    }

    fn is_any_kept(&self, ac: AccessCategory) -> bool {
        self.rotation[ac as usize].iter(&self.links).any(|index| self.txqs[index as usize].is_kept)
    }

    /// Whether another queue goes before this one; if it is because its turn is used up, it gets the next.
    #[inline]
    fn waits(&mut self, key: TxqKey, may_send: bool) -> bool {
        let is_indebted = self.airtime.is_indebted(key.station, key.category());
        if is_indebted {
            self.airtime.next_turn(key.station, key.category());
        }
        is_indebted || !may_send
    }

    /// The first queue of the rotation goes to its end.
    #[inline]
    fn rotate(&mut self, ac: AccessCategory) {
        let rotation = &mut self.rotation[ac as usize];
        if let Some(index) = rotation.pop_front(&self.links) {
            rotation.push_back(&mut self.links, index);
        }
    }

    /// Takes the first queue out of the rotation; whether it has something to send.
    #[inline]
    fn unlist(&mut self, ac: AccessCategory) -> bool {
        let Some(index) = self.rotation[ac as usize].pop_front(&self.links) else { return false };
        let txq = &mut self.txqs[index as usize];
        txq.is_listed = false;
        std::mem::take(&mut txq.is_kept) || self.flows.frames(index) > 0
    }

    /// Takes the next frame of a queue, if as much more may be on its way.
    #[inline(always)]
    pub(crate) fn dequeue(
        &mut self,
        now: Instant,
        key: TxqKey,
        expelled: &mut Vec<Expelled<T>>,
    ) -> Option<&Waiting<T>> {
        if !self.airtime.may_send(key.station, key.category()) {
            return None;
        }
        let target = self.target_for(key.station);
        let frame = self.flows.dequeue(now, index_of(key), target, expelled)?;
        self.outstanding[key.category() as usize] += 1;
        Some(frame)
    }

    /// The frame that [`Self::join`] would dequeue.
    #[inline]
    pub(crate) fn peek(&self, key: TxqKey) -> Option<&Waiting<T>> {
        self.flows.peek(index_of(key))
    }

    /// Takes the next frame of the flow of the last one.
    #[inline]
    pub(crate) fn join(&mut self, key: TxqKey) -> Option<&Waiting<T>> {
        let frame = self.flows.join(index_of(key))?;
        self.outstanding[key.category() as usize] += 1;
        Some(frame)
    }

    /// Gives a queue back to the rotation.
    #[inline]
    pub(crate) fn return_txq(&mut self, now: Instant, key: TxqKey, more: bool) {
        self.flows.forget_last(index_of(key));
        self.txqs[index_of(key) as usize].is_kept = more;
        self.list(now, key);
    }

    /// A dequeued frame was sent or discarded. Panics if there is none in this category.
    #[inline]
    pub(crate) fn finished(&mut self, key: TxqKey) {
        let outstanding = &mut self.outstanding[key.category() as usize];
        *outstanding = outstanding.checked_sub(1).expect("more frames of a category ended than were taken");
        self.flows.finished();
    }

    /// The accounts of medium time.
    #[inline]
    pub(crate) const fn airtime(&mut self) -> &mut Airtime {
        &mut self.airtime
    }
}

#[cfg(test)]
mod tests;
