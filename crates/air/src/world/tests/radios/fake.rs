//! A driver with the simplest upper halves: first in, first out, or queues that have their turns.

use std::collections::VecDeque;

use airtcp_plan::MacAddress;
use airtcp_testing::plans::mac;
use airtcp_units::{Dbm, Duration, Instant};

use crate::border::{
    AccessCategory, Addresses, ControlFrame, MpduFate, MpduHandle, PpduStatus, Protection, RateChain,
    RateStage, RxStatus, TxqId,
};
use crate::linux_mac::{Mac80211, RadioMpdu, RadioMpduKind, RadioRequest};
use crate::phy::{BLOCK_ACK_REQ_BYTES, TxVector};
use crate::{NicId, PpduKind};

/// What an MPDU has more than an Ethernet frame.
const HEADER_BYTES: u32 = 24;

/// What the driver was told, in its order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    Ppdu { at: Instant, nic: NicId, mpdus: Vec<u64>, status: PpduStatus },
    Done { at: Instant, nic: NicId, mpdu: u64, fate: MpduFate },
    Rx { at: Instant, nic: NicId, mpdus: Vec<u64>, status: RxStatus },
    Heard { at: Instant, nic: NicId, frame: HeardFrame },
}

/// A control frame that a monitor heard: a [`ControlFrame`] with a bitmap of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeardFrame {
    pub(super) kind: PpduKind,
    pub(super) addresses: Addresses,
    pub(super) nav: Duration,
    /// TID, first number, bitmap.
    pub(super) block_ack: Option<(u8, u16, Vec<u8>)>,
}

/// Frames of one radio in one category, in the order in which they came.
#[derive(Debug, Default)]
struct Category {
    frames: VecDeque<(TxqId, RadioMpdu)>,
    /// Queues of which the lower half holds MPDUs, newest first.
    kept: Vec<TxqId>,
    /// With turns: queues that wait for theirs.
    active: VecDeque<TxqId>,
}

impl Category {
    fn has_frames(&self, txq: TxqId) -> bool {
        self.frames.iter().any(|(of, _)| *of == txq)
    }

    /// A queue waits for its turn, unless it does already.
    fn activate(&mut self, txq: TxqId) {
        if !self.active.contains(&txq) {
            self.active.push_back(txq);
        }
    }
}

/// A queue of frames to one receiver in one category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Queue {
    nic: NicId,
    receiver: MacAddress,
    tid: u8,
    next_sequence: u16,
}

/// The upper halves of all radios.
#[derive(Debug)]
pub(super) struct Fake {
    categories: Vec<[Category; 4]>,
    queues: Vec<Queue>,
    /// By handle: what it is, and whether it has ended.
    pub(super) mpdus: Vec<(RadioMpdu, bool)>,
    /// Of data, by radio.
    pub(super) chains: Vec<RateChain>,
    /// Whether data is sent under block acknowledgement.
    pub(super) aggregates: bool,
    /// Whether queues have turns, as in mac80211: one that is out is not offered, unless more frames came for it.
    pub(super) turns: bool,
    /// Whether a `BlockAckReq` follows what was given up.
    pub(super) asks: bool,
    /// MPDUs that a radio may have below it, as airtime limits allow.
    pub(super) below_limit: usize,
    below: Vec<usize>,
    requests: VecDeque<RadioRequest>,
    /// Kept if it is wanted.
    pub(super) told: Option<Vec<Told>>,
    /// Sender and receiver of data MPDUs that have ended since this was last emptied.
    pub(super) ended: Vec<(NicId, MacAddress)>,
    /// Interrupts of radios whose received frames wait.
    pub(super) interrupts: Vec<(Instant, NicId)>,
}

impl Fake {
    pub(super) fn new(nics: usize, tx: TxVector) -> Self {
        let stage = RateStage { tx, tries: 1, protection: Protection::None };
        Self {
            categories: (0..nics).map(|_| Default::default()).collect(),
            queues: Vec::new(),
            mpdus: Vec::new(),
            chains: vec![RateChain::one(stage); nics],
            aggregates: false,
            turns: false,
            asks: false,
            below_limit: usize::MAX,
            below: vec![0; nics],
            requests: VecDeque::new(),
            told: Some(Vec::new()),
            ended: Vec::new(),
            interrupts: Vec::new(),
        }
    }

    /// The queue of frames to a receiver; a new one if there is none.
    pub(super) fn queue(&mut self, nic: NicId, receiver: MacAddress, tid: u8) -> TxqId {
        let known = |q: &Queue| (q.nic, q.receiver, q.tid) == (nic, receiver, tid);
        let place = self.queues.iter().position(known).unwrap_or_else(|| {
            self.queues.push(Queue { nic, receiver, tid, next_sequence: 0 });
            self.queues.len() - 1
        });
        TxqId(place as u32)
    }

    fn named(&mut self, mpdu: RadioMpdu) -> RadioMpdu {
        let mpdu = RadioMpdu { handle: MpduHandle(self.mpdus.len() as u64), ..mpdu };
        self.mpdus.push((mpdu, false));
        mpdu
    }

    /// A frame comes to its queue.
    pub(super) fn enqueue(&mut self, nic: NicId, mpdu: RadioMpdu) {
        let txq = self.queue(nic, mpdu.receiver, mpdu.tid);
        let sequence = self.queues[txq.index()].next_sequence;
        self.queues[txq.index()].next_sequence = (sequence + 1) & 4095;
        let mpdu = self.named(RadioMpdu { sequence, ..mpdu });
        let ac = AccessCategory::of_priority(mpdu.tid) as usize;
        let category = &mut self.categories[nic.index()][ac];
        category.frames.push_back((txq, mpdu));
        if self.turns {
            category.activate(txq);
        }
    }

    /// An MPDU that goes first.
    pub(super) fn first(&mut self, mpdu: RadioMpdu) -> RadioMpdu {
        let mpdu = self.named(mpdu);
        let nic = Self::nic_of(&mpdu);
        self.below[nic] += 1;
        mpdu
    }

    /// Addresses end with the number of the NIC and one.
    fn nic_of(mpdu: &RadioMpdu) -> usize {
        usize::from(mpdu.transmitter.0[5]) - 1
    }

    fn tell(&mut self, told: Told) {
        if let Some(list) = &mut self.told {
            list.push(told);
        }
    }

    /// Frames that wait in queues of a radio.
    pub(super) fn waiting(&self, nic: NicId) -> usize {
        self.categories[nic.index()].iter().map(|category| category.frames.len()).sum()
    }
}

/// Data of this length; the sequence number is the queue's, the handle the driver's.
pub(super) fn data(from: MacAddress, to: MacAddress, bytes: u32, aggregable: bool) -> RadioMpdu {
    RadioMpdu {
        handle: MpduHandle(0),
        receiver: to,
        transmitter: from,
        bytes,
        tid: 0,
        sequence: 0,
        kind: if aggregable && !to.is_group() { RadioMpduKind::Aggregable } else { RadioMpduKind::Data },
        no_ack: false,
        agreed: aggregable && !to.is_group(),
        slow: false,
    }
}

fn handles(mpdus: &[MpduHandle]) -> Vec<u64> {
    mpdus.iter().map(|mpdu| mpdu.0).collect()
}

impl Mac80211 for Fake {
    fn has(&mut self, nic: NicId, ac: AccessCategory) -> bool {
        let category = &self.categories[nic.index()][ac as usize];
        let waits = if self.turns {
            category.active.iter().any(|&txq| category.has_frames(txq))
        } else {
            !category.frames.is_empty()
        };
        waits && self.below[nic.index()] < self.below_limit
    }

    fn next_txq(&mut self, _now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId> {
        let category = &mut self.categories[nic.index()][ac as usize];
        if self.turns {
            return category.active.pop_front();
        }
        if !category.kept.is_empty() {
            return Some(category.kept.remove(0));
        }
        let first = category.frames.front().map(|(txq, _)| *txq);
        first.filter(|_| self.below[nic.index()] < self.below_limit)
    }

    fn dequeue(&mut self, _now: Instant, txq: TxqId) -> Option<RadioMpdu> {
        let Queue { nic, tid, .. } = self.queues[txq.index()];
        if self.below[nic.index()] >= self.below_limit {
            return None;
        }
        let category = &mut self.categories[nic.index()][AccessCategory::of_priority(tid) as usize];
        let place = if self.turns { category.frames.iter().position(|(of, _)| *of == txq)? } else { 0 };
        let (_, mpdu) = *category.frames.get(place).filter(|(of, _)| *of == txq)?;
        category.frames.remove(place);
        self.below[nic.index()] += 1;
        Some(mpdu)
    }

    fn return_txq(&mut self, _now: Instant, txq: TxqId, more: bool) {
        let Queue { nic, tid, .. } = self.queues[txq.index()];
        let category = &mut self.categories[nic.index()][AccessCategory::of_priority(tid) as usize];
        if self.turns {
            if more || category.has_frames(txq) {
                category.activate(txq);
            }
            return;
        }
        category.kept.retain(|&other| other != txq);
        if more {
            category.kept.insert(0, txq);
        }
    }

    /// All stations are associated with the first NIC.
    fn uplink_txq(&mut self, nic: NicId, tid: u8) -> Option<TxqId> {
        (nic.0 > 0).then(|| self.queue(nic, mac(0), tid))
    }

    fn depth(&mut self, txq: TxqId) -> u64 {
        let Queue { nic, tid, .. } = self.queues[txq.index()];
        let category = &self.categories[nic.index()][AccessCategory::of_priority(tid) as usize];
        let own = category.frames.iter().filter(|(of, _)| *of == txq);
        own.map(|(_, mpdu)| u64::from(mpdu.bytes - HEADER_BYTES)).sum()
    }

    fn rates(&mut self, _now: Instant, nic: NicId, mpdu: MpduHandle) -> RateChain {
        let mpdu = &self.mpdus[mpdu.index()].0;
        let slow = mpdu.receiver.is_group()
            || matches!(mpdu.kind, RadioMpduKind::Beacon | RadioMpduKind::Management);
        if slow {
            let tx = TxVector::ofdm(0);
            return RateChain::one(RateStage { tx, tries: 1, protection: Protection::None });
        }
        self.chains[nic.index()]
    }

    fn ppdu_done(
        &mut self,
        now: Instant,
        nic: NicId,
        mpdus: &[MpduHandle],
        status: &PpduStatus,
        response: Option<Dbm>,
    ) {
        assert_eq!(response.is_some(), status.answered, "a response has a power");
        if self.told.is_some() {
            self.tell(Told::Ppdu { at: now, nic, mpdus: handles(mpdus), status: *status });
        }
    }

    fn mpdu_done(&mut self, now: Instant, nic: NicId, mpdu: MpduHandle, fate: MpduFate) {
        let (described, ended) = &mut self.mpdus[mpdu.index()];
        assert!(!std::mem::replace(ended, true), "{mpdu:?} ends twice");
        let described = *described;
        assert_eq!(Self::nic_of(&described), nic.index(), "{mpdu:?} ends at its sender");
        self.below[nic.index()] -= 1;
        self.tell(Told::Done { at: now, nic, mpdu: mpdu.0, fate });
        if matches!(described.kind, RadioMpduKind::Data | RadioMpduKind::Aggregable) {
            self.ended.push((nic, described.receiver));
        }
        if self.asks && fate == MpduFate::GivenUp && described.kind == RadioMpduKind::Aggregable {
            let sequence = (described.sequence + 1) & 4095;
            let kind = RadioMpduKind::BlockAckReq;
            let request = self.first(RadioMpdu { bytes: BLOCK_ACK_REQ_BYTES, sequence, kind, ..described });
            let ac = AccessCategory::of_priority(described.tid);
            self.requests.push_back(RadioRequest::SendFirst(nic, ac, request));
        }
    }

    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[MpduHandle], status: &RxStatus) {
        assert!(mpdus.iter().all(|mpdu| !self.mpdus[mpdu.index()].1), "what arrives has not ended");
        if self.told.is_some() {
            self.tell(Told::Rx { at: now, nic, mpdus: handles(mpdus), status: *status });
        }
    }

    fn rx_interrupt(&mut self, now: Instant, nic: NicId) {
        self.interrupts.push((now, nic));
    }

    fn hear(&mut self, now: Instant, nic: NicId, frame: &ControlFrame<'_>, _status: &RxStatus) {
        if self.told.is_some() {
            let block_ack = frame.block_ack.map(|said| (said.tid, said.start, said.bitmap.to_vec()));
            let ControlFrame { kind, addresses, nav, .. } = *frame;
            let frame = HeardFrame { kind, addresses, nav, block_ack };
            self.tell(Told::Heard { at: now, nic, frame });
        }
    }

    fn request(&mut self) -> Option<RadioRequest> {
        self.requests.pop_front()
    }
}
