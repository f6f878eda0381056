//! What is noted of exchanges and PPDUs: counters, records, captures, and the contents of responses. Nothing of it has an effect on
//! the air.

mod answers;
mod capturing;
mod control_frames;
mod counters;
mod mode_counts;
mod records;

use airtcp_units::{Duration, Instant};
use typed_index_collections::{TiVec, ti_vec};

use crate::border::Receiver;
use crate::low::buffer::Held;
use crate::low::on_air::Ppdu;
use crate::phy::{ToneShare, TxVector};
use crate::trace::{AirCapture, EventRecords, LinkUse};
use crate::{NicId, PpduKind, TimeSpan};
use answers::Answers;

pub(crate) use answers::{mark, no_bitmap};
pub(crate) use capturing::CapturedSending;
pub(crate) use counters::RadioCounters;

/// The notes of a run.
#[derive(Debug)]
pub(crate) struct Notes {
    /// Traffic time zero, for records.
    epoch: Instant,
    counters: TiVec<NicId, RadioCounters>,
    /// Events that ended, if they are recorded.
    records: Option<EventRecords>,
    /// PPDUs with all that is in them, if the air is captured.
    capturing: Option<Box<Capturing>>,
    /// The contents of responses, kept if a capture or a monitor needs them.
    answers: Option<Box<Answers>>,
    /// Every PPDU that ended, for tests that want to see more than its record.
    #[cfg(test)]
    journal: Option<Vec<Ppdu>>,
}

/// A capture of the air: see [`crate::trace::AirCapture`].
#[derive(Debug)]
pub(super) struct Capturing {
    /// PPDUs are captured that start in this span.
    span: TimeSpan,
    captured: AirCapture,
}

/// Data that a NIC has sent to a user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataSent {
    pub(crate) receiver: Receiver,
    pub(crate) tx: TxVector,
    pub(crate) retry: bool,
    /// If the attempt failed: whether another PPDU was on the air.
    pub(crate) lost: Option<bool>,
    /// Its part of the PPDU.
    pub(crate) share: ToneShare,
}

impl Notes {
    /// Notes of this many NICs. `links`: PPDUs are counted by receiver, too; `records`: PPDUs and TXOPs are recorded.
    pub(crate) fn new(nics: usize, epoch: Instant, links: bool, records: bool) -> Self {
        let counters = RadioCounters { links: links.then(Box::default), ..RadioCounters::default() };
        Self {
            epoch,
            counters: ti_vec![counters; nics],
            records: records.then(EventRecords::default),
            capturing: None,
            answers: None,
            #[cfg(test)]
            journal: None,
        }
    }

    /// Traffic time zero.
    pub(crate) const fn epoch(&self) -> Instant {
        self.epoch
    }

    /// What a NIC did on the air.
    #[inline]
    pub(crate) fn counters(&self, nic: NicId) -> &RadioCounters {
        &self.counters[nic]
    }

    /// What all NICs did on the air.
    pub(crate) fn all_counters(&self) -> impl Iterator<Item = (NicId, &RadioCounters)> {
        self.counters.iter_enumerated()
    }

    /// From now on PPDUs that start in this span are captured with what is in them.
    pub(crate) fn capture_span(&mut self, span: TimeSpan) {
        self.capturing = Some(Box::new(Capturing { span, captured: AirCapture::default() }));
    }

    /// From now on the contents of control frames are kept.
    pub(crate) fn watch_control_frames(&mut self) {
        let nics = self.counters.len();
        self.answers.get_or_insert_with(|| Box::new(Answers::new(nics)));
    }

    /// Gives what has been recorded and captured.
    #[inline]
    pub(crate) fn take(&mut self, records: &mut EventRecords, captured: &mut AirCapture) {
        if let Some(own) = &mut self.records {
            records.append(own);
        }
        if let Some(capturing) = &mut self.capturing {
            captured.append(&mut capturing.captured);
        }
    }

    /// From now on every PPDU is kept.
    #[cfg(test)]
    pub(crate) fn keep_journal(&mut self) {
        self.journal = Some(Vec::new());
    }

    /// Every PPDU that has ended.
    #[cfg(test)]
    pub(crate) fn journal(&self) -> &[Ppdu] {
        self.journal.as_ref().expect("it is kept")
    }

    fn since_epoch_ns(&self, at: Instant) -> i64 {
        at.as_nanos().cast_signed() - self.epoch.as_nanos().cast_signed()
    }

    /// The airtime of a PPDU that has ended.
    #[inline(always)]
    pub(crate) fn ppdu_ends(&mut self, ppdu: &Ppdu) {
        let airtime = ppdu.end.saturating_since(ppdu.start.max(self.epoch));
        let counters = &mut self.counters[ppdu.from];
        counters.all_airtime += ppdu.end.saturating_since(ppdu.start);
        if ppdu.in_bss {
            counters.bss_airtime += ppdu.end.saturating_since(ppdu.start);
        }
        counters.airtime += airtime;
        if let Some(links) = counters.links.as_mut().filter(|_| ppdu.kind == PpduKind::Data) {
            links.ended(airtime);
        }
    }

    /// A NIC has transmitted for this long in the BSS that it leaves.
    pub(crate) fn add_bss_airtime(&mut self, nic: NicId, airtime: Duration) {
        self.counters[nic].bss_airtime += airtime;
    }

    /// A NIC sends a frame before the data.
    #[inline(always)]
    pub(crate) fn sends(&mut self, nic: NicId, kind: PpduKind) {
        self.counters[nic].rts += u64::from(kind == PpduKind::Rts);
    }

    /// No CTS came.
    pub(crate) fn rts_failed(&mut self, nic: NicId) {
        self.counters[nic].rts_failed += 1;
    }

    /// Counts data that has been sent in a PSDU.
    #[inline(always)]
    pub(crate) fn count(&mut self, nic: NicId, sent: DataSent, psdu: &[Held]) {
        let DataSent { receiver, tx, retry, lost: collided, share } = sent;
        if !psdu[0].mpdu.kind.carries_data() {
            return;
        }
        let lost = match receiver {
            Receiver::One(_) | Receiver::Absent => psdu.iter().filter(|held| !held.arrived).count() as u64,
            Receiver::Group => 0,
        };
        let counters = &mut self.counters[nic];
        counters.modes.add(tx, psdu.len() as u64, lost);
        counters.mpdus += psdu.len() as u64;
        counters.mpdus_lost += lost;
        counters.transmissions += 1;
        counters.retries += u64::from(retry);
        counters.collisions += u64::from(collided == Some(true));
        counters.corrupted += u64::from(collided == Some(false));
        if let (Some(links), Receiver::One(peer)) = (&mut counters.links, receiver) {
            links.add(peer, LinkUse { tx, retry, lost: collided, share });
        }
    }

    /// A NIC begins a TXOP.
    #[inline(always)]
    pub(crate) fn begin_txop(&mut self, now: Instant, nic: NicId) {
        if let Some(records) = &mut self.records {
            records.held_txops.begin(now, nic, self.counters[nic].sent_in_txop());
        }
    }
}
