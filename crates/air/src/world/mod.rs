//! The whole air: channel, lower halves and upper halves, and the host's border to them.

mod build;
mod card_events;
mod changes;
mod check;
mod check_card;
mod check_multi_user;
mod coverage;
mod finish;
mod interrupts;
mod links;
mod load;
mod radio_calls;
#[cfg(test)]
pub(crate) mod tests;
mod upper_macs;

use airtcp_plan::record::{Record, Table};
use airtcp_units::{BitRate, Dbm, Duration, Instant};

use crate::channel::Channel;
use crate::des::assert_in_time;
use crate::high::{Action, Frame, OwnMac, Upper};
use crate::linux_mac::{LinuxCounters, LinuxRadios, Mac80211, NoMac80211};
use crate::low::Low;
use crate::phy::TxVector;
use crate::trace::{AirCapture, EventRecords, LinkSample, NicSample, Sampler};
use crate::{NicId, TimeSpan};
use card_events::CardEvents;
pub(crate) use check::check;
pub use coverage::coverage;
pub use finish::WorldReport;
use interrupts::Interrupts;
use links::ChannelLinks;
pub use radio_calls::{RadioEdcaf, Survey};
use upper_macs::UpperMacs;

/// What is recorded, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldOptions {
    /// Traffic time zero; times in records count from here.
    pub epoch: Instant,
    /// End of the run; no sample is later.
    pub end: Instant,
    /// Time between samples of all NICs; zero for none.
    pub sample_interval: Duration,
    /// Whether every PPDU is recorded.
    pub ppdu_trace: bool,
}

/// Series of samples, which come before those of [`EventRecords`].
const SAMPLED: usize = 2;

impl WorldOptions {
    /// The tables of the series that a world records, each at its place in [`Outbox::take_records`]; `None` for those that
    /// these options leave out.
    pub fn tables(&self) -> Vec<Option<Table>> {
        let samples: [_; SAMPLED] = [NicSample::table(), LinkSample::table()];
        let has_samples = self.sample_interval > Duration::ZERO;
        let events = EventRecords::tables().map(|table| self.ppdu_trace.then_some(table));
        samples.map(|table| has_samples.then_some(table)).into_iter().chain(events).collect()
    }
}

/// What the model has to say. The caller drains it and keeps its memory.
#[derive(Debug, Default)]
pub struct Outbox {
    /// To be carried out in this order.
    pub actions: Vec<Action>,
    /// Events that ended, if asked for.
    pub records: EventRecords,
    /// Samples that were due, if asked for.
    pub samples: Vec<NicSample>,
    /// PPDUs that ended with what is in them, if asked for.
    pub captured: AirCapture,
    /// Samples of links, taken with those of the NICs.
    pub links: Vec<LinkSample>,
}

impl Outbox {
    /// Whether there are records to take.
    #[inline]
    pub fn has_records(&self) -> bool {
        // Links are sampled together with the NICs.
        !self.records.is_empty() || !self.samples.is_empty()
    }

    /// Gives all records to `take`, each with the place of its table in [`WorldOptions::tables`], and removes them.
    ///
    /// # Errors
    /// That of `take`.
    pub fn take_records<E>(
        &mut self,
        mut take: impl FnMut(usize, &dyn Record) -> Result<(), E>,
    ) -> Result<(), E> {
        self.samples.drain(..).try_for_each(|record| take(0, &record))?;
        self.links.drain(..).try_for_each(|record| take(1, &record))?;
        self.records.take(|place, record| take(SAMPLED + place, record))
    }
}

/// The air of one run: every NIC's MAC, and the channel between them.
#[derive(Debug)]
pub struct World {
    low: Low,
    upper: Upper,
    linux: LinuxRadios,
    links: ChannelLinks,
    cards: CardEvents,
    interrupts: Interrupts,
    sampler: Sampler,
    nodes: Vec<String>,
    now: Instant,
    events: u64,
}

impl World {
    /// From now on PPDUs that start in this span are captured with what is in them ([`Outbox::captured`]).
    pub fn capture(&mut self, span: TimeSpan) {
        self.low.notes.capture_span(span);
        self.watch_control_frames();
    }

    /// From now on the contents of control frames are kept.
    fn watch_control_frames(&mut self) {
        self.low.notes.watch_control_frames();
        self.linux.watch(self.low.buffers.windows());
    }

    /// A frame enters a NIC's queue at `now`.
    ///
    /// If [`Self::run`] is due at the same instant, either may come first: the order is the caller's. Panics if there is
    /// no such NIC, if the frame is shorter than its header, or if the caller broke the contract of time.
    pub fn transmit(&mut self, now: Instant, nic: NicId, frame: Frame, out: &mut Outbox) {
        self.pass(now, out);
        let Self { low, upper, linux, links, cards, .. } = self;
        assert!(!linux.is_radio(nic), "air.nics[{}] runs mac80211: its frames come from the kernel", nic.0);
        upper.transmit(now, nic, &frame, &mut low.requests, &mut out.actions);
        if !low.requests.is_empty() {
            let own = OwnMac { upper, links, out: &mut out.actions };
            // Nothing is asked but of NICs of airtcp's own MAC.
            low.grant(now, &mut UpperMacs { own, linux, mac: &mut NoMac80211, cards });
        }
    }

    /// When [`Self::run`] must be called next, if no frame comes before;
    /// [`Instant::FAR_FUTURE`] if nothing will happen by itself.
    #[inline]
    pub fn next_wakeup(&self) -> Instant {
        let of_macs = self.low.next_wakeup().min(self.upper.next_timeout());
        of_macs.min(self.links.channel.next_update()).min(self.interrupts.next())
    }

    /// Mean power of one NIC at another, as of the last event: without fading.
    pub fn mean_power(&self, from: NicId, to: NicId) -> Dbm {
        self.links.channel.mean_dbm(from, to)
    }

    /// Handles everything due at `now`: the channel changes first, then what was on the air ends, then cards interrupt their hosts.
    /// Panics if the caller comes too late.
    pub fn run(&mut self, now: Instant, mac: &mut impl Mac80211, out: &mut Outbox) {
        self.pass_to(now, out);
        let before = out.actions.len();
        if self.links.channel.next_update() <= now {
            self.update_channel(now);
        }
        if self.upper.next_timeout() <= now {
            assert_in_time(now, self.upper.next_timeout());
            self.upper.expire(now, &mut out.actions);
        }
        let Self { low, upper, linux, links, cards, .. } = self;
        let own = OwnMac { upper, links, out: &mut out.actions };
        self.events += low.run(now, &mut UpperMacs { own, linux, mac, cards });
        if self.cards.any {
            self.take_card_events(now);
            self.interrupts.keep_back(now, &mut out.actions[before..]);
            self.interrupt(now, mac, out);
        }
        self.take_records(out);
    }

    fn update_channel(&mut self, now: Instant) {
        assert_in_time(now, self.links.channel.next_update());
        if self.links.channel.update(now) {
            self.low.on_air.update_hearing(now, &self.links.channel);
        }
    }

    /// What happened at cards waits for their interrupts.
    fn take_card_events(&mut self, now: Instant) {
        let Self { cards, interrupts, .. } = self;
        cards.events.drain(..).for_each(|event| interrupts.take(now, event));
    }

    /// Cards interrupt their hosts. Frames that end let others into the queues below.
    fn interrupt(&mut self, now: Instant, mac: &mut impl Mac80211, out: &mut Outbox) {
        let Self { low, upper, linux, links, cards, interrupts, .. } = self;
        if interrupts.next() > now {
            return;
        }
        assert_in_time(now, interrupts.next());
        let own = OwnMac { upper, links, out: &mut out.actions };
        let macs = &mut UpperMacs { own, linux, mac, cards };
        interrupts.run(now, macs, &mut low.requests);
        low.grant(now, macs);
    }

    #[inline]
    fn take_records(&mut self, out: &mut Outbox) {
        self.low.notes.take(&mut out.records, &mut out.captured);
    }

    /// Time comes to an instant at which something happens that is not the air's doing.
    #[inline]
    fn pass(&mut self, now: Instant, out: &mut Outbox) {
        // At an instant that time has come to nothing can be late.
        if now != self.now {
            assert_in_time(now, self.next_wakeup());
            self.pass_to(now, out);
        }
    }

    /// Time comes to an instant. That it passes over nothing is checked where something is due.
    #[inline]
    fn pass_to(&mut self, now: Instant, out: &mut Outbox) {
        assert!(now >= self.now, "virtual time ran backwards from {} to {now}", self.now);
        let Self { low, upper, linux, links, sampler, .. } = self;
        let sampled = Sampled { low, upper, linux, channel: &links.channel };
        sampler.pass(now, |time_ns| sampled.take(time_ns, out));
        self.now = now;
    }
}

/// What samples are taken of.
struct Sampled<'a> {
    low: &'a Low,
    upper: &'a Upper,
    linux: &'a LinuxRadios,
    channel: &'a Channel,
}

impl Sampled<'_> {
    /// The state of all NICs and of their links.
    fn take(&self, time_ns: i64, out: &mut Outbox) {
        let Self { low, upper, linux, channel } = self;
        let at = low.notes.epoch() + Duration::from_nanos(time_ns.cast_unsigned());
        for (nic, radio) in low.notes.all_counters() {
            let load = low.channel_load(at, nic);
            let counts = linux.counts(nic);
            let counters = counts.map_or_else(|| upper.counters(nic), |counts| &counts.data);
            let signal = |to| channel.mean_dbm(nic, to);
            out.links.extend(radio.links.iter().flat_map(|links| links.samples(time_ns, nic, signal)));
            out.samples.push(NicSample {
                time_ns,
                nic,
                queue_packets: counts.map_or_else(|| upper.in_flight(nic), |counts| counts.in_flight),
                accepted: counters.accepted,
                sent: counters.sent,
                dropped: counts.map_or_else(|| counters.dropped_sum(), LinuxCounters::dropped),
                marked: counters.marked,
                transmissions: radio.transmissions,
                retries: radio.retries,
                collisions: radio.collisions,
                corrupted: radio.corrupted,
                airtime_ns: radio.airtime.as_nanos(),
                load,
                rate: radio.modes.last().map_or(BitRate::from_bps(0), TxVector::bit_rate),
            });
        }
    }
}
