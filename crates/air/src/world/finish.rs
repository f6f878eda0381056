//! The end of a run: the books are closed.

use airtcp_plan::report::{MediumReport, NicReport};
use airtcp_units::Instant;

use super::{Outbox, World, sample};
use crate::NicId;
use crate::high::{Books, DropReason};
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
    pub fn finish(&mut self, now: Instant, out: &mut Outbox) -> WorldReport {
        self.run(now, out);
        let Self { low, upper, sampler, .. } = self;
        sampler.finish(now, |time_ns| sample(low, upper, time_ns, out));
        upper.finish();
        let nics = (0..self.nodes.len() as u32).map(|nic| self.nic_report(NicId(nic))).collect();
        WorldReport { nics, media: self.media(now), events: self.events }
    }

    /// How the time of each medium was spent from the epoch up to `now`, which is not before anything that has been handled.
    pub(crate) fn media(&mut self, now: Instant) -> Vec<MediumReport> {
        let since = (self.low.epoch, now);
        self.low.media.iter_mut().map(|medium| medium_report(since, medium)).collect()
    }

    /// What a NIC did so far: its upper and its lower half.
    pub(crate) fn books(&self, nic: NicId) -> (&Books, &RadioBooks) {
        (self.upper.books(nic), &self.low.radios[nic.0 as usize].books)
    }

    /// Frames in a NIC's queues and on their way.
    pub(crate) fn in_flight(&self, nic: NicId) -> u64 {
        u64::from(self.upper.in_flight(nic))
    }

    fn nic_report(&self, nic: NicId) -> NicReport {
        let (books, radio) = (self.upper.books(nic), &self.low.radios[nic.0 as usize].books);
        let dropped =
            DropReason::ALL.map(|reason| (reason.name().to_owned(), books.dropped[reason as usize]));
        NicReport {
            node: self.nodes[nic.0 as usize].clone(),
            accepted: books.accepted,
            sent: books.sent,
            dropped: dropped.into_iter().collect(),
            in_flight: u64::from(self.upper.in_flight(nic)),
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
            queue_max: u64::from(self.upper.queue_max(nic)),
            airtime_ns: radio.airtime.as_nanos(),
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
