//! Samples of every NIC at regular instants.

use airtcp_plan::record::{Record, RowWriter, Table};
use airtcp_units::{BitRate, Duration, Instant};

use super::signed_nanos;
use crate::NicId;
use crate::border::ChannelLoad;

/// State of one NIC at one instant. A row of the table `air`. Counts are from boot on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NicSample {
    /// The instant, from the epoch.
    pub time_ns: i64,
    /// The NIC.
    pub nic: NicId,
    /// Frames in its queue, the one on the air included.
    pub queue_packets: u32,
    /// Frames it took.
    pub accepted: u64,
    /// Frames that left it well.
    pub sent: u64,
    /// Frames it dropped.
    pub dropped: u64,
    /// Frames that it marked with congestion experienced.
    pub marked: u64,
    /// Data PPDUs it has sent to their end.
    pub transmissions: u64,
    /// Data PPDUs that were retries.
    pub retries: u64,
    /// Data PPDUs that were lost in collisions.
    pub collisions: u64,
    /// Data PPDUs that were lost to noise.
    pub corrupted: u64,
    /// Time its own PPDUs took, up to the last that ended.
    pub airtime_ns: u64,
    /// Load of its channel.
    pub load: ChannelLoad,
    /// Rate of its last data PPDU, to whomever it was; 0 before the first.
    pub rate: BitRate,
}

airtcp_plan::record! {
    fn table() = "air", key [nic], Cut;
    fn write(record: &NicSample) {
        time_ns: i64 = record.time_ns,
        nic: u32 = record.nic.0,
        queue_packets: u32 = record.queue_packets,
        accepted: u64 = record.accepted,
        sent: u64 = record.sent,
        dropped: u64 = record.dropped,
        transmissions: u64 = record.transmissions,
        retries: u64 = record.retries,
        collisions: u64 = record.collisions,
        corrupted: u64 = record.corrupted,
        airtime_ns: u64 = record.airtime_ns,
        busy_ns: u64 = record.load.busy.as_nanos(),
        tx_ns: u64 = record.load.tx.as_nanos(),
        bss_rx_ns: u64 = record.load.bss_rx.as_nanos(),
        rate_bps: u64 = record.rate.as_bps(),
        marked: u64 = record.marked,
    }
}

impl NicSample {
    /// The table of these records.
    pub fn table() -> Table {
        table()
    }
}

impl Record for NicSample {
    fn write(&self, row: &mut RowWriter) {
        write(row, self);
    }
}

/// Takes samples at `epoch + k * interval`, up to the end of the run.
///
/// Nobody wakes up for a sample: when time passes over its instant, the state that held
/// then, after everything that happened at that instant, is still there.
#[derive(Debug)]
pub(crate) struct Sampler {
    epoch: Instant,
    interval: Duration,
    end: Instant,
    next: Instant,
}

impl Sampler {
    /// A sampler; without an interval it never samples.
    pub(crate) fn new(epoch: Instant, interval: Duration, end: Instant) -> Self {
        let next = if interval == Duration::ZERO { Instant::FAR_FUTURE } else { epoch };
        Self { epoch, interval, end, next }
    }

    /// Time passes over every sample before `now`: `sample` takes it of all NICs, at a time from the epoch.
    #[inline]
    pub(crate) fn pass(&mut self, now: Instant, mut sample: impl FnMut(i64)) {
        while self.next < now {
            self.take(&mut sample);
        }
    }

    /// The run ends at `now`, which may be a sample's instant.
    pub(crate) fn finish(&mut self, now: Instant, mut sample: impl FnMut(i64)) {
        while self.next <= now && self.next != Instant::FAR_FUTURE {
            self.take(&mut sample);
        }
    }

    fn take(&mut self, sample: &mut impl FnMut(i64)) {
        if self.next > self.end {
            self.next = Instant::FAR_FUTURE;
            return;
        }
        sample(signed_nanos(self.next.since(self.epoch)));
        self.next += self.interval;
    }
}
