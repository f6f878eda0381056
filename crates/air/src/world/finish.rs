//! The end of a run: the final counters.

use std::collections::BTreeMap;

use airtcp_plan::report::{MediumReport, NicReport};
use airtcp_units::Instant;

use super::upper_macs::UpperMacs;
use super::{Outbox, Sampled, World};
use crate::high::{Counters, DropReason, OwnMac};
use crate::linux_mac::{LinuxCounters, Mac80211};
use crate::low::RadioCounters;
use crate::{NicId, TimeSpan};

/// What the air says at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldReport {
    /// One entry per NIC, in the order of the plan.
    pub nics: Vec<NicReport>,
    /// One entry per medium, by frequency. Its parts add up to the time since the
    /// start of virtual time.
    pub media: Vec<MediumReport>,
    /// Events handled, starts of PPDUs included.
    pub events: u64,
}

impl World {
    /// Handles what is due at `now`, takes the samples that are left, and closes the
    /// counters. Panics if they do not balance, which is our bug.
    pub fn finish(&mut self, now: Instant, mac: &mut impl Mac80211, out: &mut Outbox) -> WorldReport {
        self.run(now, mac, out);
        let Self { low, upper, linux, links, cards, interrupts, .. } = self;
        let own = OwnMac { upper, links, out: &mut out.actions };
        interrupts.flush(now, &mut UpperMacs { own, linux, mac, cards }, &mut low.requests);
        let Self { low, upper, linux, links, sampler, .. } = self;
        let sampled = Sampled { low, upper, linux, channel: &links.channel };
        sampler.finish(now, |time_ns| sampled.take(time_ns, out));
        upper.finish();
        linux.finish(|nic| low.buffers.held_for(nic));
        let nics = (0..self.nodes.len() as u32).map(|nic| self.nic_report(NicId(nic))).collect();
        WorldReport { nics, media: self.media(now), events: self.events }
    }

    /// How the time of each medium was spent from the epoch up to `now`, which is not before anything that has been handled.
    pub(crate) fn media(&mut self, now: Instant) -> Vec<MediumReport> {
        self.low.on_air.media_reports(TimeSpan { start: self.low.notes.epoch(), end: now })
    }

    /// What a NIC did so far: its upper and its lower half.
    pub(crate) fn counters(&self, nic: NicId) -> (&Counters, &RadioCounters) {
        let counts = self.linux.counts(nic);
        let counters = counts.map_or_else(|| self.upper.counters(nic), |counts| &counts.data);
        (counters, self.low.notes.counters(nic))
    }

    /// Frames that met a flow of FQ-CoDel used for another receiver or TID; these may be overtaken.
    pub(crate) fn flow_collisions(&self, nic: NicId) -> u64 {
        self.upper.flow_collisions(nic)
    }

    /// Frames in a NIC's queues and on their way.
    pub(crate) fn in_flight(&self, nic: NicId) -> u64 {
        let counts = self.linux.counts(nic);
        u64::from(counts.map_or_else(|| self.upper.in_flight(nic), |counts| counts.in_flight))
    }

    fn nic_report(&self, nic: NicId) -> NicReport {
        let (counters, radio) = self.counters(nic);
        let counts = self.linux.counts(nic);
        let queue_max = counts.map_or_else(|| self.upper.queue_max(nic), |counts| counts.most_in_flight);
        NicReport {
            node: self.nodes[nic.index()].clone(),
            accepted: counters.accepted,
            sent: counters.sent,
            dropped: dropped(counters, counts),
            in_flight: self.in_flight(nic),
            delivered: counters.delivered,
            relayed: counters.relayed,
            marked: counters.marked,
            transmissions: radio.transmissions,
            retries: radio.retries,
            collisions: radio.collisions,
            corrupted: radio.corrupted,
            mpdus: radio.mpdus,
            mpdus_lost: radio.mpdus_lost,
            amsdus: counters.amsdus,
            rts: radio.rts,
            rts_failed: radio.rts_failed,
            block_ack_requests: counters.block_ack_reqs,
            queue_max: u64::from(queue_max),
            airtime_ns: radio.airtime.as_nanos(),
        }
    }
}

/// Drops by reason. Of mac80211's frames the model drops only those that were sent too often or taken back.
fn dropped(counters: &Counters, counts: Option<&LinuxCounters>) -> BTreeMap<String, u64> {
    let of = |reason: DropReason| (reason.name().to_owned(), counters.dropped[reason as usize]);
    match counts {
        None => DropReason::ALL.map(of).into_iter().collect(),
        Some(counts) => {
            [of(DropReason::RetryLimit), ("purged".to_owned(), counts.purged)].into_iter().collect()
        }
    }
}
