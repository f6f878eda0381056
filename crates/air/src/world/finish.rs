//! The end of a run: the books are closed.

use std::collections::BTreeMap;

use airtcp_plan::report::{MediumReport, NicReport};
use airtcp_units::Instant;

use super::{Outbox, World, sample};
use crate::NicId;
use crate::high::{Books, DropReason};
use crate::hosted::{Mac80211, RadioCounts};
use crate::low::{Activity, Medium, RadioBooks};

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
    /// books. Panics if they do not balance, which is our bug.
    pub fn finish(&mut self, now: Instant, mac: &mut impl Mac80211, out: &mut Outbox) -> WorldReport {
        self.run(now, mac, out);
        let Self { low, upper, hosted, sampler, .. } = self;
        sampler.finish(now, |time_ns| sample(low, (upper, hosted), time_ns, out));
        upper.finish();
        hosted.finish(|nic| low.held_for(nic));
        let nics = (0..self.nodes.len() as u32).map(|nic| self.nic_report(NicId(nic))).collect();
        WorldReport { nics, media: self.media(now), events: self.events }
    }

    /// How the time of each medium was spent from the epoch up to `now`, which is not before anything that has been handled.
    pub(crate) fn media(&mut self, now: Instant) -> Vec<MediumReport> {
        let since = (self.low.epoch, now);
        let known = self.low.media.iter_mut().filter(|medium| medium.frequency_mhz != 0);
        known.map(|medium| medium_report(since, medium)).collect()
    }

    /// What a NIC did so far: its upper and its lower half.
    pub(crate) fn books(&self, nic: NicId) -> (&Books, &RadioBooks) {
        let counts = self.hosted.counts(nic);
        let books = counts.map_or_else(|| self.upper.books(nic), |counts| &counts.data);
        (books, &self.low.radios[nic].books)
    }

    /// Frames in a NIC's queues and on their way.
    pub(crate) fn in_flight(&self, nic: NicId) -> u64 {
        let counts = self.hosted.counts(nic);
        u64::from(counts.map_or_else(|| self.upper.in_flight(nic), |counts| counts.in_flight))
    }

    fn nic_report(&self, nic: NicId) -> NicReport {
        let (books, radio) = self.books(nic);
        let counts = self.hosted.counts(nic);
        let queue_max = counts.map_or_else(|| self.upper.queue_max(nic), |counts| counts.most_in_flight);
        NicReport {
            node: self.nodes[nic.index()].clone(),
            accepted: books.accepted,
            sent: books.sent,
            dropped: dropped(books, counts),
            in_flight: self.in_flight(nic),
            delivered: books.delivered,
            relayed: books.relayed,
            marked: books.marked,
            transmissions: radio.transmissions,
            retries: radio.retries,
            collisions: radio.collisions,
            corrupted: radio.corrupted,
            mpdus: radio.mpdus,
            mpdus_lost: radio.mpdus_lost,
            amsdus: books.amsdus,
            rts: radio.rts,
            rts_failed: radio.rts_failed,
            block_ack_requests: books.block_ack_reqs,
            queue_max: u64::from(queue_max),
            airtime_ns: radio.airtime.as_nanos(),
        }
    }
}

/// Drops by reason. Of mac80211's frames the model drops only those that were sent too often or taken back.
fn dropped(books: &Books, counts: Option<&RadioCounts>) -> BTreeMap<String, u64> {
    let of = |reason: DropReason| (reason.name().to_owned(), books.dropped[reason as usize]);
    match counts {
        None => DropReason::ALL.map(of).into_iter().collect(),
        Some(counts) => {
            [of(DropReason::RetryLimit), ("purged".to_owned(), counts.purged)].into_iter().collect()
        }
    }
}

fn medium_report((epoch, now): (Instant, Instant), medium: &mut Medium) -> MediumReport {
    let activity = medium.airtime.activity();
    medium.airtime.turn_to(now, activity);
    let ns = |activity| medium.airtime.spent(activity).as_nanos();
    let report = MediumReport {
        frequency_mhz: medium.frequency_mhz,
        data_ns: ns(Activity::Data),
        response_ns: ns(Activity::Control),
        collision_ns: ns(Activity::Collision),
        contention_ns: ns(Activity::Contention),
        idle_ns: ns(Activity::Idle),
    };
    let counted = now.saturating_since(epoch).as_nanos();
    assert_eq!(report.total_ns(), counted, "time of the medium at {} MHz", report.frequency_mhz);
    report
}
