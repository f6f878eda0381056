//! From a plan to lower halves.

use std::collections::BTreeSet;

use airtcp_plan::AirPlan;
use airtcp_units::{Duration, Instant};

use crate::channel::Channel;
use crate::des::EventQueue;
use crate::low::Low;
use crate::low::buffer::Buffers;
use crate::low::cell::{cells, runs_linux};
use crate::low::event::Event;
use crate::low::exchange::Exchanges;
use crate::low::noted::Notes;
use crate::low::on_air::{Decoder, ErrorRates, OnAir};
use crate::{NicId, SetupError};

/// What the lower halves of a plan depend on beside it.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    /// Traffic time zero.
    pub(crate) epoch: Instant,
    /// `None`: noise spoils nothing.
    pub(crate) errors: Option<Box<dyn ErrorRates>>,
    /// How many queues of the upper half are known already.
    pub(crate) txqs: u32,
    /// Whether data is counted for each receiver.
    pub(crate) samples_links: bool,
    /// Whether every PPDU is recorded.
    pub(crate) records: bool,
}

impl Low {
    /// The lower halves of a plan, silent since the start of virtual time.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault.
    pub(crate) fn new(plan: &AirPlan, setup: Setup, channel: &mut Channel) -> Result<Self, SetupError> {
        let Setup { seed, epoch, errors, txqs, samples_links, records } = setup;
        let decoder = Decoder::new(plan, seed, errors);
        let mut on_air = OnAir::new(plan, cells(plan)?, channel, decoder, epoch)?;
        let mut events = EventQueue::with_capacity(4 * plan.nics.len());
        plan_beacons(plan, &mut events);
        for (source, start) in on_air.plan_emissions(channel) {
            events.schedule(start, Event::EmissionStart(source));
        }
        let exchanges = Exchanges::new(plan, seed);
        for (nic, at) in exchanges.uplink_requests() {
            events.schedule(at, Event::UplinkRequest(nic));
        }
        Ok(Self {
            buffers: Buffers::new(plan, txqs),
            exchanges,
            notes: Notes::new(plan.nics.len(), epoch, samples_links, records),
            events,
            requests: Vec::new(),
            on_air,
        })
    }
}

/// Beacons of airtcp's own MAC; those of mac80211 are its own to send.
fn plan_beacons(plan: &AirPlan, events: &mut EventQueue<Event>) {
    let channels: BTreeSet<_> = plan.cells.iter().map(|cell| cell.channel.primary_mhz).collect();
    for sender in channels.into_iter().flat_map(|primary_mhz| plan.beacon_senders(primary_mhz)) {
        let nic = NicId(sender.nic as u32);
        if !runs_linux(plan, nic) {
            let first = Duration::from_micros(sender.interval_us) + Duration::from_nanos(sender.part_ns);
            events.schedule(Instant::ZERO + first, Event::Beacon(nic));
        }
    }
}
