//! Records of what happened on the air.

use airtcp_plan::record::{Record, Table};
use airtcp_units::Duration;

mod capture;
mod captured_trigger;
mod link;
mod ppdu;
mod sample;
mod txop;

pub use capture::{AcknowledgedStation, AirCapture, CapturedBlockAck, CapturedMpdu, CapturedPpdu};
pub use captured_trigger::{AskedOfStation, CapturedTrigger, TriggerVariant, TriggeredStation};
pub use link::LinkSample;
pub(crate) use link::{LinkCounters, LinkUse};
pub use ppdu::{PpduOutcome, PpduRecord};
pub use sample::NicSample;
pub(crate) use sample::Sampler;
pub(crate) use txop::HeldTxops;
pub use txop::{TxopCounts, TxopRecord};

/// Series of events.
const SERIES: usize = 2;

/// Records of single events on the air, of each kind in the order in which they ended. They are kept if the plan asks for PPDUs.
#[derive(Debug, Default)]
pub struct EventRecords {
    /// PPDUs.
    pub ppdus: Vec<PpduRecord>,
    /// TXOPs.
    pub txops: Vec<TxopRecord>,
    /// TXOPs that are not over.
    pub(crate) held_txops: HeldTxops,
}

impl EventRecords {
    /// The tables of the series, each at its place in [`Self::take`].
    pub(crate) fn tables() -> [Table; SERIES] {
        [PpduRecord::table(), TxopRecord::table()]
    }

    /// Whether there is nothing to take.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ppdus.is_empty() && self.txops.is_empty()
    }

    /// Moves all records of others behind these.
    pub(crate) fn append(&mut self, others: &mut Self) {
        self.ppdus.append(&mut others.ppdus);
        self.txops.append(&mut others.txops);
    }

    /// Gives all records to `take`, each with the place of its table, and removes them.
    ///
    /// # Errors
    /// That of `take`.
    pub(crate) fn take<E>(
        &mut self,
        mut take: impl FnMut(usize, &dyn Record) -> Result<(), E>,
    ) -> Result<(), E> {
        self.ppdus.drain(..).try_for_each(|record| take(0, &record))?;
        self.txops.drain(..).try_for_each(|record| take(1, &record))
    }
}

/// A span in the signed nanoseconds of records.
pub(crate) fn signed_nanos(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).expect("virtual time fits 63 bits")
}
