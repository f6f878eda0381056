//! Whether a receiver decodes what is on the air: synchronisation to a PPDU, and its MPDUs under noise and interference.
//!
//! A receiver synchronises to the first PPDU that it hears. Of those that start within the time a preamble needs, it takes the
//! strongest. With capture it also leaves a PPDU for one that is stronger by the capture ratio. What it misses is interference to it
//! ([`super::preambles`]).
//! Then each MPDU is judged by what was on the air during its own span: see `docs/models/reception.md`.
//!
//! A receiver decodes the PSDU of one user, so what is judged is a [`Part`], which says in which mode it is sent.

use airtcp_plan::AirPlan;
use airtcp_plan::MacAddress;
use airtcp_units::{Decibel, Duration, Instant};

use super::carrier_sense::CarrierSense;
use super::overlap::{Emitted, Overlap};
use super::ppdu::{Part, Ppdu, Preamble};
use crate::channel::{Channel, Sending, subchannels_in};
use crate::phy::{Allocation, Format, SUBCARRIER_SPACING_HZ, TxVector, Width};
use crate::random::{Purpose, Stream};
use crate::{NicId, TimeSpan};

/// Megahertz of a subchannel.
const UNIT_MHZ: u32 = 20;
/// Least ratio of a preamble to noise and interference: 4 dB, which ns-3's detection needs. The default sensitivity is as much above the
/// noise.
const PREAMBLE_SINR: f64 = 2.511_886_431_509_58;
/// Octets of the legacy SIGNAL field, which every OFDM PPDU begins with (17.3.4).
const SIGNAL_BYTES: u32 = 3;

/// Error rates under noise.
pub(crate) trait ErrorRates: std::fmt::Debug {
    /// `a`, where a PSDU of `psdu_bytes` octets in this mode, or a part of one, comes through with probability
    /// `exp(-a octets)` at this ratio of the signal to noise and interference in the mode's width.
    fn decay_per_octet(&self, tx: TxVector, sinr_db: Decibel, psdu_bytes: u32) -> f64;
}

/// What a NIC sends from an instant on with a width.
#[derive(Clone, Copy, Debug)]
struct Sent {
    from: NicId,
    start: Instant,
    width: Width,
    power_share: f64,
}

impl From<&Ppdu> for Sent {
    #[inline]
    fn from(ppdu: &Ppdu) -> Self {
        let &Ppdu { from, start, width, power_share, .. } = ppdu;
        Self { from, start, width, power_share }
    }
}

impl From<&Overlap> for Sent {
    #[inline]
    fn from(other: &Overlap) -> Self {
        let &Overlap { from, start, power_share, .. } = other;
        Self { from, start, width: other.width(), power_share }
    }
}

/// When a PPDU begins, seen from another: the time to detect a preamble decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Before,
    /// Within that time.
    Together,
    After,
}

impl Order {
    pub(super) fn of(start: Instant, other: Instant, preamble_detection: Duration) -> Self {
        if start + preamble_detection <= other {
            Self::Before
        } else if other + preamble_detection <= start {
            Self::After
        } else {
            Self::Together
        }
    }
}

/// Power in the primary channel of a listener of what it can detect there as a PPDU.
#[inline(always)]
fn primary_mw(channel: &mut Channel, sent: Sent, listener: NicId) -> f64 {
    let share = channel.shares(sent.from, listener, sent.width).detectable();
    if share == 0.0 {
        return 0.0;
    }
    channel.power_mw(sent.start, sent.from, listener) * share * sent.power_share
}

/// A PPDU with its power in the primary channel of a listener.
#[derive(Clone, Copy, Debug)]
struct Signal<'a> {
    ppdu: &'a Ppdu,
    power_mw: f64,
}

/// Decides about reception.
#[derive(Debug)]
pub(crate) struct Decoder {
    model: Option<Box<dyn ErrorRates>>,
    capture: Option<f64>,
    carrier_sense: CarrierSense,
    sensitivity_mw: f64,
    preamble_detection: Duration,
    seed: u64,
    addresses: Vec<MacAddress>,
    /// By sender, then receiver.
    links: Vec<LinkDecoding>,
    /// Instants at which interference changes; kept for its memory.
    changes: Vec<Instant>,
    /// Interference by subchannel; kept for its memory.
    interference: Vec<f64>,
}

/// What is kept of one sender and one receiver.
#[derive(Debug, Default)]
struct LinkDecoding {
    recent: [Option<Recent>; 2],
    streams: [Option<Box<Stream>>; 3],
}

/// An error rate that was computed lately.
#[derive(Clone, Copy, Debug)]
struct Recent {
    tx: TxVector,
    sinr: f64,
    psdu_bytes: u32,
    per_octet: f64,
}

impl Part {
    /// The header of the PPDU that this part is in.
    pub(super) fn header(self, ppdu: &Ppdu) -> Self {
        let span = TimeSpan { start: ppdu.start, end: ppdu.payload_start };
        match other_header_mode(self.tx) {
            None => Self { span, bytes: SIGNAL_BYTES, ..self },
            Some(tx) => Self { span, tx, bytes: SIGNAL_BYTES, psdu_bytes: SIGNAL_BYTES, ..self },
        }
    }

    /// The share of the PPDU's power that it has: a copy of a frame that is sent in each 20 MHz has a part, and so has an RU.
    #[inline(always)]
    fn share_of(self, ppdu: &Ppdu) -> f64 {
        if self.tx.allocation == Allocation::whole(ppdu.width) {
            return ppdu.power_share;
        }
        self.partial_share_of(ppdu)
    }

    #[inline(never)]
    fn partial_share_of(self, ppdu: &Ppdu) -> f64 {
        let own = self.tx.allocation;
        if own.is_whole() {
            return f64::from(own.width().mhz()) / f64::from(ppdu.width.mhz());
        }
        ppdu.power_share * f64::from(own.tone_count()) / f64::from(ppdu.tone_count())
    }

    /// As a sender's share of its power, what another PPDU has in one of the listener's subchannels; where RUs share it, the density in
    /// those tones of the subchannel that the part is in.
    #[inline(always)]
    fn met_by(self, channel: &Channel, ppdu: &Ppdu, other: &Overlap, subchannel: u32) -> f64 {
        let &Overlap { from, allocation, power_share, .. } = other;
        if allocation.is_whole() {
            return power_share * channel.shares(from, self.listener, allocation.width()).of(subchannel);
        }
        self.met_in_tones_by(channel, ppdu, other, subchannel)
    }

    #[inline(never)]
    fn met_in_tones_by(self, channel: &Channel, ppdu: &Ppdu, other: &Overlap, subchannel: u32) -> f64 {
        let &Overlap { from, allocation, power_share, .. } = other;
        let own = Sending { from: ppdu.from, allocation: self.tx.allocation };
        power_share * channel.share_in_tones(Sending { from, allocation }, own, self.listener, subchannel)
    }

    /// A bit for each of the listener's subchannels that it decodes the part in: those of the PPDU or of its RU, or the primary
    /// one if the part is repeated in each.
    fn subchannels(self, channel: &Channel, ppdu: &Ppdu) -> u16 {
        let shares = channel.shares(ppdu.from, self.listener, ppdu.width);
        let allocation = self.tx.allocation;
        if allocation == Allocation::whole(ppdu.width) && shares.occupied() != 0 {
            shares.occupied()
        } else if !allocation.is_whole() {
            shares.occupied_by(allocation.subchannels())
        } else {
            shares.primary_bit()
        }
    }

    /// The width of its mode or the tones of its RU, in subchannels. The channel of 60 GHz is one.
    #[inline(always)]
    fn spread(self) -> f64 {
        let allocation = self.tx.allocation;
        match self.tx.width() {
            Width::Mhz2160 => 1.0,
            _ if !allocation.is_whole() => {
                f64::from(allocation.tone_count()) * SUBCARRIER_SPACING_HZ / (1e6 * f64::from(UNIT_MHZ))
            }
            width => f64::from(width.mhz() / UNIT_MHZ),
        }
    }

    /// Octets of it that are sent in a span, in proportion to time.
    fn octets_in(self, span: TimeSpan) -> f64 {
        let length = self.span.duration().as_nanos().max(1);
        f64::from(self.bytes) * span.duration().as_nanos() as f64 / length as f64
    }
}

impl Decoder {
    /// Reception on the plan's channel; without error rates nothing is lost to noise.
    pub(crate) fn new(plan: &AirPlan, seed: u64, model: Option<Box<dyn ErrorRates>>) -> Self {
        let ratio = |db: f64| libm::pow(10.0, db / 10.0);
        Self {
            model,
            capture: plan.channel.capture_db.map(|db| ratio(db.get())),
            carrier_sense: CarrierSense::new(plan),
            sensitivity_mw: plan.channel.sensitivity_dbm.to_milliwatt().get(),
            preamble_detection: Duration::from_nanos(plan.channel.preamble_detection_ns),
            seed,
            addresses: plan.nics.iter().map(|n| n.mac).collect(),
            links: (0..plan.nics.len() * plan.nics.len()).map(|_| LinkDecoding::default()).collect(),
            changes: Vec::new(),
            interference: Vec::new(),
        }
    }

    /// Whether noise can spoil a PPDU that met no other.
    pub(super) const fn is_noisy(&self) -> bool {
        self.model.is_some()
    }

    /// Whether every receiver of a group judges an overlap alike: nothing depends on powers then.
    pub(super) const fn judges_alike(&self) -> bool {
        self.model.is_none() && self.capture.is_none()
    }

    /// Whether this receiver has synchronised to the PPDU and decoded its header.
    #[inline(always)]
    pub(super) fn synchronises(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> bool {
        self.preamble(channel, ppdu, part) == Preamble::Decoded
    }

    /// What this receiver has made of the preamble and the header of a PPDU. It looks for preambles in its primary channel.
    #[inline(always)]
    pub(super) fn preamble(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> Preamble {
        let power_mw = primary_mw(channel, ppdu.into(), part.listener);
        if !ppdu.is_undisturbed() {
            return self.preamble_among_others(channel, Signal { ppdu, power_mw }, part);
        }
        if power_mw < self.sensitivity_mw { Preamble::Undecoded } else { Preamble::Decoded }
    }

    /// Whether a receiver synchronises to a PPDU that nothing disturbs.
    pub(super) fn receives_alone(&self, channel: &mut Channel, ppdu: &Ppdu, listener: NicId) -> bool {
        primary_mw(channel, ppdu.into(), listener) >= self.sensitivity_mw
    }

    #[inline(always)]
    fn misses_among_others(&self, channel: &mut Channel, this: Signal<'_>, listener: NicId) -> bool {
        let mut others = this.ppdu.overlaps.iter();
        this.ppdu.missed.contains(listener)
            || others.any(|other| self.prefers(channel, this, other, listener))
    }

    #[inline(never)]
    fn preamble_among_others(&mut self, channel: &mut Channel, this: Signal<'_>, part: Part) -> Preamble {
        let Signal { ppdu, power_mw } = this;
        if self.misses_among_others(channel, this, part.listener) {
            return Preamble::Missed;
        }
        if power_mw < self.sensitivity_mw || ppdu.was_sent_over(part.listener) {
            return Preamble::Undecoded;
        }
        let probability = self.probability(channel, ppdu, part.header(ppdu));
        if self.happens(probability, ppdu.from, part) { Preamble::Decoded } else { Preamble::Undecoded }
    }

    /// Whether the listener has synchronised to the other PPDU, which began together with this one.
    fn prefers(&self, channel: &mut Channel, this: Signal<'_>, other: &Overlap, listener: NicId) -> bool {
        if other.is_in_same_ru()
            || Order::of(other.start, this.ppdu.start, self.preamble_detection) != Order::Together
        {
            return false;
        }
        self.goes_before(channel, this, other, listener)
    }

    /// Whether a listener receives the other of two PPDUs that begin together: it detects it, and it is stronger.
    #[inline(always)]
    fn goes_before(&self, channel: &mut Channel, this: Signal<'_>, other: &Overlap, listener: NicId) -> bool {
        let Signal { ppdu, power_mw: signal } = this;
        let interference = primary_mw(channel, other.into(), listener);
        if interference < signal || interference < self.carrier_sense.level_mw(listener, other.from) {
            return false;
        }
        let rank = |start, from| (self.tie_break(start, from, listener), from);
        interference > signal || rank(other.start, other.from) < rank(ppdu.start, ppdu.from)
    }

    /// Whether a listener receives another answer to the trigger frame in the RU of this one: of several in an RU it decodes the strongest
    /// at most.
    #[inline(never)]
    pub(super) fn prefers_in_ru(&self, channel: &mut Channel, ppdu: &Ppdu, listener: NicId) -> bool {
        let this = Signal { ppdu, power_mw: primary_mw(channel, ppdu.into(), listener) };
        let mut others = ppdu.overlaps.iter().filter(|other| other.is_in_same_ru());
        others.any(|other| self.goes_before(channel, this, other, listener))
    }

    /// The time to detect a preamble.
    pub(super) const fn preamble_detection(&self) -> Duration {
        self.preamble_detection
    }

    /// Whether a listener that receives nothing takes a PPDU.
    pub(super) fn detects(&self, channel: &mut Channel, ppdu: &Ppdu, listener: NicId) -> bool {
        primary_mw(channel, ppdu.into(), listener) >= self.carrier_sense.level_mw(listener, ppdu.from)
    }

    /// Whether a listener takes a PPDU while others are on the air that it does not receive.
    pub(super) fn detects_among<'a>(
        &self,
        channel: &mut Channel,
        ppdu: &Ppdu,
        others: impl Iterator<Item = &'a Ppdu>,
        listener: NicId,
    ) -> bool {
        let power = primary_mw(channel, ppdu.into(), listener);
        let mut interference = 0.0;
        for other in others {
            let power = channel.power_mw(ppdu.start, other.from, listener) * other.power_share;
            let received = power * channel.shares(other.from, listener, other.width).primary();
            let counts =
                !self.judges_alike() || received >= self.carrier_sense.level_mw(listener, other.from);
            interference += if counts { received } else { 0.0 };
        }
        power >= self.sensitivity_mw + PREAMBLE_SINR * interference
    }

    /// Whether a listener is synchronised to this PPDU at this instant, so that it misses the preambles of others.
    pub(super) fn receives(&self, channel: &mut Channel, ppdu: &Ppdu, listener: NicId, at: Instant) -> bool {
        let power_mw = primary_mw(channel, ppdu.into(), listener);
        let detects = power_mw >= self.carrier_sense.level_mw(listener, ppdu.from);
        detects
            && !ppdu.was_sent_over(listener)
            && !self.misses_among_others(channel, Signal { ppdu, power_mw }, listener)
            && self.stays(channel, ppdu, listener, at)
    }

    /// Whether a listener leaves the other PPDU for this one, which begins later.
    pub(super) fn captures(&self, channel: &mut Channel, ppdu: &Ppdu, other: &Ppdu, listener: NicId) -> bool {
        let Some(ratio) = self.capture else { return false };
        let [power, interference] = [ppdu, other].map(|sent| primary_mw(channel, sent.into(), listener));
        power > 0.0 && power >= interference * ratio
    }

    /// Whether a listener takes this one of two PPDUs that begin together. It detects the other.
    pub(super) fn takes_of_two(
        &self,
        channel: &mut Channel,
        ppdu: &Ppdu,
        other: &Ppdu,
        listener: NicId,
    ) -> bool {
        let power_mw = primary_mw(channel, ppdu.into(), listener);
        let other = Overlap::of(other, other.end);
        power_mw >= self.carrier_sense.level_mw(listener, ppdu.from)
            && !self.prefers(channel, Signal { ppdu, power_mw }, &other, listener)
    }

    /// Random tie-break between PPDUs of equal power that start together: the listener synchronises to the one with the smallest
    /// number, so to exactly one, and to each equally often. Without noise the listener decodes none of them, and nothing is drawn.
    #[inline(never)]
    fn tie_break(&self, start: Instant, from: NicId, listener: NicId) -> f64 {
        if !self.is_noisy() {
            return 0.0;
        }
        let ends = [from, listener].map(|nic| self.addresses[nic.index()]);
        Stream::part(self.seed, Purpose::Tuning, ends, start.as_nanos()).unit()
    }

    /// Whether a receiver that has synchronised to the PPDU still is at this instant: it has not begun to send, and has not left it
    /// for one that began later and is stronger by the capture ratio. It does not come back.
    #[inline]
    pub(super) fn stays(&self, channel: &mut Channel, ppdu: &Ppdu, listener: NicId, until: Instant) -> bool {
        ppdu.overlaps.is_empty() || self.stays_among_others(channel, ppdu, listener, until)
    }

    #[inline(never)]
    fn stays_among_others(
        &self,
        channel: &mut Channel,
        ppdu: &Ppdu,
        listener: NicId,
        until: Instant,
    ) -> bool {
        if ppdu.overlaps.iter().any(|own| own.from == listener && own.start < until) {
            return false;
        }
        let Some(ratio) = self.capture else { return true };
        let signal = primary_mw(channel, ppdu.into(), listener);
        !ppdu.overlaps.iter().any(|other| {
            let later = other.start >= ppdu.start + self.preamble_detection && other.start < until;
            let power = if later { primary_mw(channel, other.into(), listener) } else { 0.0 };
            later && power > 0.0 && power >= signal * ratio
        })
    }

    /// Whether this part of a PPDU is decoded by a receiver that synchronised to its beginning.
    #[inline]
    pub(super) fn decodes(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> bool {
        if !self.stays(channel, ppdu, part.listener, part.span.end) {
            return false;
        }
        let probability = self.probability(channel, ppdu, part);
        self.happens(probability, ppdu.from, part)
    }

    /// Probability that a receiver which has synchronised to the PPDU decodes this part.
    #[inline]
    pub(super) fn probability(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> f64 {
        if self.model.is_none() && ppdu.is_undisturbed() {
            return 1.0;
        }
        self.probability_with_noise(channel, ppdu, part)
    }

    #[inline(never)]
    fn probability_with_noise(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> f64 {
        if !ppdu.is_disturbed_in(part.span) {
            if self.model.is_none() {
                return 1.0;
            }
            let noise = channel.noise_in_mw(part.tx.allocation);
            let ends = [ppdu.from, part.listener];
            let sinr = channel.sinr(ppdu.start, ends, part.tx, part.share_of(ppdu), &[noise]);
            return self.through_noise(ppdu.from, part, f64::from(part.bytes), sinr);
        }
        if self.judges_alike() {
            return if self.notices_others(channel, ppdu, part) { 0.0 } else { 1.0 };
        }
        self.probability_among_others(channel, ppdu, part)
    }

    /// Whether a receiver notices anything else in the subchannels of a part during it. Without noise and capture, what it can't hear
    /// does not count, and all else spoils the part.
    fn notices_others(&self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> bool {
        let Part { listener, span, .. } = part;
        let used = part.subchannels(channel, ppdu);
        let notices_ppdu = |o: &Overlap| {
            let power = channel.power_mw(o.start, o.from, listener);
            let shares = channel.shares(o.from, listener, o.width());
            let level = |k| self.carrier_sense.noticed_mw(listener, o.from, shares, k);
            subchannels_in(used).any(|k| {
                let share = part.met_by(channel, ppdu, o, k);
                share > 0.0 && power * share >= level(k)
            })
        };
        if ppdu.overlaps.iter().filter(|o| o.meets(span)).any(notices_ppdu) {
            return true;
        }
        let level = self.carrier_sense.energy_mw();
        let notices_energy =
            |e: &Emitted| subchannels_in(used).any(|k| channel.emission_mw(e.emission, listener, k) >= level);
        ppdu.emissions.iter().filter(|e| e.meets(span)).any(notices_energy)
    }

    fn probability_among_others(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> f64 {
        if !self.is_noisy() {
            return f64::from(self.outdoes_others(channel, ppdu, part));
        }
        let (ends, share) = ([ppdu.from, part.listener], part.share_of(ppdu));
        let noise = channel.noise_in_mw(part.tx.allocation);
        let mut changes = std::mem::take(&mut self.changes);
        ppdu.find_changes_in(part.span, &mut changes);
        let mut probability = 1.0;
        for window in changes.windows(2) {
            let span = TimeSpan { start: window[0], end: window[1] };
            self.find_interference(channel, ppdu, part, span);
            self.interference.iter_mut().for_each(|power| *power += noise);
            let sinr = channel.sinr(ppdu.start, ends, part.tx, share, &self.interference);
            probability *= self.through_noise(ppdu.from, part, part.octets_in(span), sinr);
        }
        self.changes = changes;
        probability
    }

    /// Whether a part is stronger than interference by the capture ratio, as long as it lasts: without noise there are only ratios.
    fn outdoes_others(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> bool {
        let Some(ratio) = self.capture else { return true };
        let signal = channel.power_mw(ppdu.start, ppdu.from, part.listener) * part.share_of(ppdu);
        if ppdu.overlaps.len() + ppdu.emissions.len() == 1 {
            // It is as strong all the time.
            return signal >= self.worst_interference(channel, ppdu, part, part.span) * ratio;
        }
        let mut changes = std::mem::take(&mut self.changes);
        ppdu.find_changes_in(part.span, &mut changes);
        let outdoes = changes.windows(2).all(|window| {
            let span = TimeSpan { start: window[0], end: window[1] };
            signal >= self.worst_interference(channel, ppdu, part, span) * ratio
        });
        self.changes = changes;
        outdoes
    }

    fn worst_interference(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part, span: TimeSpan) -> f64 {
        self.find_interference(channel, ppdu, part, span);
        self.interference.iter().copied().fold(0.0, f64::max)
    }

    /// Interference in each subchannel of a part during a span in which it does not change, as a power that would be so dense over
    /// the whole width or all the tones of its mode; once, if it is the same in all.
    fn find_interference(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part, span: TimeSpan) {
        let listener = part.listener;
        let mut used = part.subchannels(channel, ppdu);
        let present = || ppdu.overlaps.iter().filter(|o| o.meets(span));
        let covers = |o: &Overlap| {
            let shares = channel.shares(o.from, listener, o.width());
            o.allocation.is_whole() && shares.occupied() & used == used
        };
        let emitted = || ppdu.emissions.iter().filter(|e| e.meets(span));
        if used.count_ones() > 1 && present().all(covers) && emitted().next().is_none() {
            // One stands for all.
            used = 1 << used.trailing_zeros();
        }
        let spread = part.spread();
        let met = |channel: &Channel, o: &Overlap, k| spread * part.met_by(channel, ppdu, o, k);
        let found = &mut self.interference;
        found.clear();
        if used.is_power_of_two() {
            // As nearly always: without the loops over subchannels.
            let k = used.trailing_zeros();
            let mut sum = 0.0;
            for o in present() {
                sum += channel.power_mw(o.start, o.from, listener) * met(channel, o, k);
            }
            for e in emitted() {
                sum += channel.emission_mw(e.emission, listener, k) * spread;
            }
            found.push(sum);
            return;
        }
        found.resize(used.count_ones() as usize, 0.0);
        for o in present() {
            let power = channel.power_mw(o.start, o.from, listener);
            for (sum, k) in found.iter_mut().zip(subchannels_in(used)) {
                *sum += power * met(channel, o, k);
            }
        }
        for e in emitted() {
            for (sum, k) in found.iter_mut().zip(subchannels_in(used)) {
                *sum += channel.emission_mw(e.emission, listener, k) * spread;
            }
        }
    }

    /// Probability that this many octets of a part of a PSDU come through noise at this ratio.
    fn through_noise(&mut self, from: NicId, part: Part, octets: f64, sinr: f64) -> f64 {
        let a = self.decay_per_octet(from, part, sinr);
        if a == 0.0 || octets == 0.0 { 1.0 } else { libm::exp(-a * octets) }
    }

    fn decay_per_octet(&mut self, from: NicId, part: Part, sinr: f64) -> f64 {
        let Part { listener, tx, psdu_bytes, .. } = part;
        let state = &mut self.links[from.index() * self.addresses.len() + listener.index()];
        #[expect(clippy::float_cmp, reason = "the same power gives the same ratio to the last bit")]
        let same = |r: &Recent| r.tx == tx && r.sinr == sinr && r.psdu_bytes == psdu_bytes;
        if let Some(recent) = state.recent[0].filter(same) {
            return recent.per_octet;
        }
        if let Some(recent) = state.recent[1].filter(same) {
            state.recent.swap(0, 1);
            return recent.per_octet;
        }
        let model = self.model.as_ref().expect("only noise has error rates");
        let per_octet = model.decay_per_octet(tx, Decibel::new(10.0 * libm::log10(sinr)), psdu_bytes);
        state.recent[1] = state.recent[0].replace(Recent { tx, sinr, psdu_bytes, per_octet });
        per_octet
    }

    /// Whether an event of this probability happens. Certainties draw nothing.
    #[inline]
    pub(super) fn happens(&mut self, probability: f64, from: NicId, part: Part) -> bool {
        if probability >= 1.0 {
            return true;
        }
        if probability <= 0.0 {
            return false;
        }
        self.draw(from, part) < probability
    }

    #[inline(never)]
    fn draw(&mut self, from: NicId, part: Part) -> f64 {
        let [a, b] = [from, part.listener].map(NicId::index);
        let slot = match part.purpose {
            Purpose::Data => 0,
            Purpose::Response => 1,
            _ => 2,
        };
        let (seed, addresses) = (self.seed, &self.addresses);
        let stream = self.links[a * addresses.len() + b].streams[slot]
            .get_or_insert_with(|| Box::new(Stream::new(seed, part.purpose, addresses[a], addresses[b])));
        stream.unit()
    }
}

/// The mode of a PPDU's header, or the one closest to it: in DSSS its own, in OFDM 6 Mb/s, which every PPDU begins with
/// (17.3.4), in DMG the control mode or MCS 1 (20.4.3.2, 20.6.3.1). `None`: that of its data.
fn other_header_mode(tx: TxVector) -> Option<TxVector> {
    match tx.format {
        Format::HrDsss => None,
        Format::Dmg if tx.index <= 1 => None,
        Format::Dmg => Some(TxVector { index: 1, ..tx }),
        Format::Ofdm if tx == TxVector::ofdm(0) => None,
        _ => Some(TxVector::ofdm(0)),
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::RadioChannel;

    use super::super::ppdu::PpduUser;
    use super::super::users::Users;
    use super::*;
    use crate::border::Receiver;
    use crate::phy::{Guard, RuSize};

    #[derive(Debug)]
    struct NoNoise;

    impl ErrorRates for NoNoise {
        fn decay_per_octet(&self, _: TxVector, _: Decibel, _: u32) -> f64 {
            0.0
        }
    }

    /// Three NICs that receive each other with one power.
    fn plan() -> AirPlan {
        let mut plan = airtcp_testing::plans::one_station();
        let mut third = plan.nics[1].clone();
        third.mac.0[5] += 1;
        plan.nics.push(third);
        plan
    }

    fn ppdu(from: NicId, start: Instant, other: (NicId, Instant)) -> Ppdu {
        let overlap = Overlap {
            power_share: 1.0,
            from: other.0,
            allocation: Width::Mhz20.into(),
            start: other.1,
            disturbs_from: other.1,
            end: Instant::FAR_FUTURE,
        };
        Ppdu { start, overlaps: vec![overlap], ..Ppdu::idle(from) }
    }

    #[test]
    fn of_two_equal_ones_each_is_taken_as_often_and_never_both() {
        let plan = plan();
        let mut channel = Channel::new(&plan, 1, Instant::ZERO);
        let decoder = Decoder::new(&plan, 1, Some(Box::new(NoNoise)));
        let (ap, a, b) = (NicId(0), NicId(1), NicId(2));
        let signal = channel.power_mw(Instant::ZERO, a, ap);
        let mut first_taken = 0;
        for n in 0..1000 {
            let begun = Instant::ZERO + Duration::from_micros(500 * n);
            // At one instant, and 3 us apart.
            let starts = [begun, begun + Duration::from_micros(n % 2 * 3)];
            let of = [ppdu(a, starts[0], (b, starts[1])), ppdu(b, starts[1], (a, starts[0]))];
            let left = [&of[0], &of[1]]
                .map(|ppdu| Signal { ppdu, power_mw: signal })
                .map(|this| decoder.prefers(&mut channel, this, &this.ppdu.overlaps[0], ap));
            assert_ne!(left[0], left[1]);
            first_taken += u32::from(!left[0]);
        }
        // Four standard deviations of a fair coin.
        assert!((437..=563).contains(&first_taken), "{first_taken}");
    }

    /// The second starts 6 us after the first and is 3 dB stronger, without capture.
    #[test]
    fn preamble_detection_says_whether_a_later_and_stronger_one_is_taken() {
        let first_taken = |detection_us: u64| {
            let mut plan = plan();
            plan.channel.preamble_detection_ns = 1_000 * detection_us;
            let mut channel = Channel::new(&plan, 1, Instant::ZERO);
            let decoder = Decoder::new(&plan, 1, None);
            let (ap, a, b) = (NicId(0), NicId(1), NicId(2));
            let later = Instant::ZERO + Duration::from_micros(6);
            let power_mw = channel.power_mw(Instant::ZERO, a, ap) / 2.0;
            let this = Signal { ppdu: &ppdu(a, Instant::ZERO, (b, later)), power_mw };
            !decoder.prefers(&mut channel, this, &this.ppdu.overlaps[0], ap)
        };
        assert_eq!([1, 4, 6, 7, 16].map(first_taken), [true, true, true, false, false]);
    }

    /// Half of the header's octets are lost to interference, and none to noise alone.
    #[derive(Debug)]
    struct Interfered;

    impl ErrorRates for Interfered {
        fn decay_per_octet(&self, _: TxVector, sinr: Decibel, _: u32) -> f64 {
            if sinr.get() < 3.0 { core::f64::consts::LN_2 } else { 0.0 }
        }
    }

    /// What is lost of an octet tells the ratio: `exp(-ratio / 1e9)`.
    #[derive(Debug)]
    struct Told;

    impl ErrorRates for Told {
        fn decay_per_octet(&self, _: TxVector, sinr: Decibel, _: u32) -> f64 {
            libm::pow(10.0, sinr.get() / 10.0) / 1e9
        }
    }

    /// A station sends in an RU of 80 MHz, and something else is on the air: the ratio of the RU's signal to noise and interference
    /// in its tones.
    fn ratio_in(own: Allocation, other: Option<Allocation>) -> [f64; 3] {
        let mut plan = plan();
        plan.cells[0].channel = RadioChannel { primary_mhz: 5180, centre_mhz: 5210, width_mhz: 80 };
        let mut channel = Channel::new(&plan, 1, Instant::ZERO);
        let mut decoder = Decoder::new(&plan, 1, Some(Box::new(Told)));
        let (ap, a, b) = (NicId(0), NicId(1), NicId(2));
        let tx = TxVector::mimo(Format::He, 4, 1, Width::Mhz80, Guard::Ns1600).within(own);
        let overlap = other.map(|allocation| Overlap {
            power_share: 1.0,
            from: b,
            allocation,
            start: Instant::ZERO,
            disturbs_from: Instant::ZERO,
            end: Instant::FAR_FUTURE,
        });
        let end = Instant::ZERO + Duration::from_micros(1000);
        let ppdu = Ppdu {
            width: Width::Mhz80,
            end,
            overlaps: overlap.into_iter().collect(),
            users: Users::one(PpduUser::new(Receiver::One(ap), tx, 100, 1)),
            ..Ppdu::idle(a)
        };
        let span = TimeSpan { start: Instant::ZERO, end };
        let part = Part { listener: ap, span, tx, bytes: 1, psdu_bytes: 100, purpose: Purpose::Data };
        let ratio = -libm::log(decoder.probability(&mut channel, &ppdu, part)) * 1e9;
        let powers = [a, b].map(|from| channel.power_mw(Instant::ZERO, from, ap));
        [ratio, powers[0], powers[1]]
    }

    fn ru(size: RuSize, index: u8) -> Allocation {
        Allocation::ru(Width::Mhz80, size, index).expect("an RU")
    }

    /// All of the power is in the RU, and of the noise what its tones have; of a PPDU on the whole width, as much as of the noise.
    #[test]
    fn an_ru_has_the_noise_and_interference_of_its_tones() {
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
        let noise_mw = |plan: &AirPlan, tones: f64| {
            let channel = Channel::new(plan, 1, Instant::ZERO);
            channel.noise_mw(Width::Mhz20) / 256.0 * tones
        };
        let plan = plan();
        for (size, index) in [(RuSize::Tones26, 5), (RuSize::Tones106, 8), (RuSize::Tones484, 2)] {
            let (own, tones) = (ru(size, index), f64::from(size.tones()));
            let [ratio, signal, _] = ratio_in(own, None);
            let noise = noise_mw(&plan, tones);
            assert!(close(ratio, signal / noise), "{own}");
            let [ratio, signal, interference] = ratio_in(own, Some(Width::Mhz80.into()));
            assert!(close(ratio, signal / (noise + interference * tones / 1024.0)), "{own}");
        }
    }

    /// Answers to one trigger in disjoint RUs do not disturb each other; one in the same RU is met by all of its power.
    #[test]
    fn rus_meet_in_their_common_tones() {
        let own = ru(RuSize::Tones52, 3);
        let [alone, signal, _] = ratio_in(own, None);
        let equal = |other: Allocation| (ratio_in(own, Some(other))[0] / alone - 1.0).abs() < 1e-9;
        assert!(
            equal(ru(RuSize::Tones52, 4)) && equal(ru(RuSize::Tones242, 2)) && equal(ru(RuSize::Tones26, 5))
        );
        let noise = signal / alone;
        let [same, _, interference] = ratio_in(own, Some(own));
        assert!((same * (noise + interference) / signal - 1.0).abs() < 1e-6);
        // 26 of its 52 tones.
        let [half, _, interference] = ratio_in(own, Some(ru(RuSize::Tones26, 6)));
        assert!((half * (noise + interference) / signal - 1.0).abs() < 1e-6);
    }

    /// Of a header of 20 us with 3 octets, an overlap of 2 us takes three tenths of an octet: no whole one.
    #[test]
    fn short_overlaps_of_a_header_count_in_proportion_to_time() {
        let plan = plan();
        let mut channel = Channel::new(&plan, 1, Instant::ZERO);
        let mut decoder = Decoder::new(&plan, 1, Some(Box::new(Interfered)));
        let (ap, a, b) = (NicId(0), NicId(1), NicId(2));
        let mut through = |overlap_us: u64| {
            let [payload, later] = [20, 20 - overlap_us].map(|us| Instant::ZERO + Duration::from_micros(us));
            let ppdu = Ppdu { payload_start: payload, ..ppdu(a, Instant::ZERO, (b, later)) };
            let span = TimeSpan { start: payload, end: payload + Duration::from_micros(100) };
            let tx = TxVector::ofdm(0);
            let purpose = Purpose::Data;
            let part = Part { listener: ap, span, tx, bytes: 100, psdu_bytes: 100, purpose };
            decoder.probability(&mut channel, &ppdu, part.header(&ppdu))
        };
        for overlap_us in [2, 5, 10, 20] {
            let expected = libm::pow(0.5, 3.0 * overlap_us as f64 / 20.0);
            assert!((through(overlap_us) - expected).abs() < 1e-12, "{overlap_us} us");
        }
    }
}
