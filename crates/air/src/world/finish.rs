//! The end of a run: the books are closed.

use airtcp_plan::report::{MediumReport, NicReport};
use airtcp_units::Instant;

use super::World;
use crate::mac::{Activity, DropReason, Medium, Nic, Outbox};

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
        self.advance(now, out);
        let Self { mac, sampler, .. } = self;
        sampler.finish(now, |time_ns| super::sample(&mac.nics, time_ns, &mut out.samples));
        let nics = self.nodes.iter().zip(&self.mac.nics).map(|(node, nic)| nic_report(node, nic)).collect();
        let media = self.mac.media.iter_mut().map(|medium| medium_report(now, medium)).collect();
        WorldReport { nics, media, events: self.events }
    }
}

fn nic_report(node: &str, nic: &Nic) -> NicReport {
    let books = &nic.books;
    let in_flight = nic.queue.len() as u64;
    assert_eq!(
        books.accepted,
        books.sent + books.dropped_sum() + in_flight,
        "books of {node}: accepted = sent + dropped + in flight"
    );
    let dropped = DropReason::ALL.map(|reason| (reason.name().to_owned(), books.dropped[reason as usize]));
    NicReport {
        node: node.to_owned(),
        accepted: books.accepted,
        sent: books.sent,
        dropped: dropped.into_iter().collect(),
        in_flight,
        delivered: books.delivered,
        transmissions: books.transmissions,
        retries: books.retries,
        collisions: books.collisions,
        corrupted: books.corrupted,
        queue_max: nic.queue.longest() as u64,
        airtime_ns: books.airtime.as_nanos(),
    }
}

fn medium_report(now: Instant, medium: &mut Medium) -> MediumReport {
    let activity = medium.airtime.activity();
    medium.airtime.turn_to(now, activity);
    let ns = |activity| medium.airtime.spent(activity).as_nanos();
    let report = MediumReport {
        frequency_mhz: medium.frequency_mhz,
        data_ns: ns(Activity::Data),
        response_ns: ns(Activity::Response),
        collision_ns: ns(Activity::Collision),
        contention_ns: ns(Activity::Contention),
        idle_ns: ns(Activity::Idle),
    };
    let sum =
        report.data_ns + report.response_ns + report.collision_ns + report.contention_ns + report.idle_ns;
    assert_eq!(sum, now.as_nanos(), "time of the medium at {} MHz", report.frequency_mhz);
    report
}
