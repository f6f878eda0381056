//! The reordering buffers of every receiver, and when one of them must give up waiting.

use airtcp_units::Instant;

use super::reorder::Reorder;
use crate::NicId;
use crate::border::MpduHandle;

/// A reordering buffer: of one receiver, for one transmitter and TID.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) from: NicId,
    pub(super) to: NicId,
    pub(super) reorder: Reorder<MpduHandle>,
    /// Whether the buffer is in the list of those that wait.
    listed: bool,
}

/// Every reordering buffer that was ever needed.
#[derive(Debug)]
pub(super) struct Reordering {
    buffers: Vec<Buffer>,
    /// Buffers with MPDUs, and some that had some since the last visit.
    waiting: Vec<u32>,
    /// No buffer gives up before.
    timeout: Instant,
}

impl Default for Reordering {
    fn default() -> Self {
        Self { buffers: Vec::new(), waiting: Vec::new(), timeout: Instant::FAR_FUTURE }
    }
}

impl Reordering {
    /// A new buffer; sequence numbers begin with 0.
    pub(super) fn open(&mut self, from: NicId, to: NicId, window: u16) -> u32 {
        self.buffers.push(Buffer { from, to, reorder: Reorder::new(0, window), listed: false });
        self.buffers.len() as u32 - 1
    }

    /// The buffer at this place.
    #[inline]
    pub(super) fn buffer(&mut self, place: u32) -> &mut Buffer {
        &mut self.buffers[place as usize]
    }

    /// Notes that the buffer at this place may have MPDUs now.
    #[inline]
    pub(super) fn watch(&mut self, place: u32) {
        let buffer = &mut self.buffers[place as usize];
        if buffer.reorder.occupied() == 0 {
            return;
        }
        self.timeout = self.timeout.min(buffer.reorder.next_timeout());
        if !buffer.listed {
            buffer.listed = true;
            self.waiting.push(place);
        }
    }

    /// When [`Self::expire`] must be called, at the latest; perhaps for nothing.
    #[inline]
    pub(super) const fn timeout(&self) -> Instant {
        self.timeout
    }

    /// Gives up waiting where the time is over, and returns the sender and the receiver of each MPDU released.
    pub(super) fn expire(
        &mut self,
        now: Instant,
        scratch: &mut Vec<MpduHandle>,
        mut released: impl FnMut(NicId, NicId, MpduHandle),
    ) {
        let buffers = &mut self.buffers;
        let mut timeout = Instant::FAR_FUTURE;
        self.waiting.retain(|&place| {
            let buffer = &mut buffers[place as usize];
            buffer.reorder.expire(now, scratch);
            for mpdu in scratch.drain(..) {
                released(buffer.from, buffer.to, mpdu);
            }
            buffer.listed = buffer.reorder.occupied() > 0;
            timeout = timeout.min(buffer.reorder.next_timeout());
            buffer.listed
        });
        self.timeout = timeout;
    }
}
