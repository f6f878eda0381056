//! What the contents of control frames need of MPDUs of mac80211: kept only if a capture or a monitor needs them.

use std::collections::BTreeMap;

use super::RadioMpdu;
use super::scoreboard::Scoreboard;
use crate::border::{Addresses, Mpdu, MpduHandle, MpduKind, TxqId, bitmap_octet};

/// A block acknowledgement agreement: between whom, and its TID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Agreement {
    pub(super) addresses: Addresses,
    pub(super) tid: u8,
}

/// Addresses of MPDUs, and what their receivers have of them.
#[derive(Debug, Default)]
pub(crate) struct BlockAckTracker {
    /// By handle; `None` of one that was taken before there was a tracker.
    mpdus: Vec<Option<Noted>>,
    /// By the driver's number.
    queues: Vec<Queue>,
    scoreboards: BTreeMap<Agreement, Scoreboard>,
}

/// An MPDU that the lower half buffers, for its first attempt or for retry.
#[derive(Clone, Copy, Debug)]
struct Noted {
    addresses: Addresses,
    /// Whether the MPDU is under a block acknowledgement agreement.
    agreed: bool,
    /// Window of its queue's agreement; 0 without one.
    window: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    window: u16,
    /// Nothing was taken out of it since its agreement began.
    fresh: bool,
}

impl BlockAckTracker {
    /// A tracker of queues that have agreements with these windows already (0: none).
    pub(crate) fn new(windows: impl Iterator<Item = u16>) -> Self {
        let queues = windows.map(|window| Queue { window, fresh: false }).collect();
        Self { queues, ..Self::default() }
    }

    /// An agreement for a queue begins, or ends with a window of 0.
    pub(super) fn agreement(&mut self, driver: TxqId, window: u16) {
        let place = driver.index();
        if place >= self.queues.len() {
            self.queues.resize(place + 1, Queue::default());
        }
        self.queues[place] = Queue { window, fresh: window > 0 };
    }

    /// The lower half takes an MPDU, out of a queue if it does not go first.
    pub(super) fn take(&mut self, queue: Option<TxqId>, mpdu: &RadioMpdu) {
        let place = mpdu.handle.index();
        if place >= self.mpdus.len() {
            self.mpdus.resize(place + 1, None);
        }
        let addresses = Addresses { receiver: mpdu.receiver, transmitter: mpdu.transmitter };
        let agreed = mpdu.agreed;
        let queue = queue.filter(|_| agreed).and_then(|driver| self.queues.get_mut(driver.index()));
        let window = queue.as_ref().map_or(0, |queue| queue.window);
        if queue.is_some_and(|queue| std::mem::take(&mut queue.fresh)) {
            self.scoreboards
                .insert(Agreement { addresses, tid: mpdu.tid }, Scoreboard::new(mpdu.sequence, window));
        }
        self.mpdus[place] = Some(Noted { addresses, agreed, window });
    }

    /// Receiver and transmitter of an MPDU; `None` if it has ended.
    pub(super) fn addresses(&self, mpdu: MpduHandle) -> Option<Addresses> {
        self.noted(mpdu).map(|noted| noted.addresses)
    }

    /// An MPDU has arrived at the radio that it is for.
    pub(super) fn receive(&mut self, mpdu: &Mpdu) {
        let Some(Noted { addresses, agreed, window }) = self.noted(mpdu.handle) else { return };
        let agreement = Agreement { addresses, tid: mpdu.tid };
        let board = self.scoreboards.get_mut(&agreement);
        match (mpdu.kind == MpduKind::BlockAckReq, board) {
            (true, Some(board)) => board.request(mpdu.sequence),
            (false, Some(board)) if agreed => board.receive(mpdu.sequence),
            (false, None) if agreed && window > 0 => {
                let mut board = Scoreboard::ending_with(mpdu.sequence, window);
                board.receive(mpdu.sequence);
                self.scoreboards.insert(agreement, board);
            }
            _ => {}
        }
    }

    /// What a receiver has of an agreement: fills the bitmap of its `BlockAck`, and says with which number that begins. `None`: of
    /// this agreement nothing is known.
    pub(super) fn block_ack(&self, agreement: Agreement, bitmap: &mut [u8]) -> Option<u16> {
        let board = self.scoreboards.get(&agreement)?;
        for (octet, number) in bitmap.iter_mut().zip((0..).step_by(8)) {
            *octet = bitmap_octet(board.start().wrapping_add(number), |sequence| board.has(sequence));
        }
        Some(board.start())
    }

    fn noted(&self, mpdu: MpduHandle) -> Option<Noted> {
        self.mpdus.get(mpdu.index()).copied().flatten()
    }
}
