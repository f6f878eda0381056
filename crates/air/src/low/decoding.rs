//! Whether a receiver can read what is on the air: tuning to a PPDU, and its MPDUs under noise and interference.
//!
//! A receiver tunes to the first PPDU that it hears. Of those that start within the time a preamble needs, it takes the
//! strongest. With capture it also leaves a PPDU for one that is stronger by the capture ratio.
//! Then each MPDU is judged by what was on the air during its own span: see `docs/models/reception.md`.

use std::cmp::Ordering;

use airtcp_plan::AirPlan;
use airtcp_plan::MacAddress;
use airtcp_units::{Decibel, Duration, Instant};

use super::ppdu::{Overlap, Ppdu};
use crate::NicId;
use crate::channel::Channel;
use crate::phy::{Format, TxVector};
use crate::random::{Purpose, Stream};

/// Time in which a receiver notices a preamble (CCA, IEEE 802.11-2020, 17.3.10.6).
const PREAMBLE_DETECTION: Duration = Duration::from_micros(4);
/// Octets of the legacy SIGNAL field, which every OFDM PPDU begins with (17.3.4).
const SIGNAL_BYTES: u32 = 3;

/// Error rates under noise.
pub(crate) trait ErrorRates: std::fmt::Debug {
    /// `a`, where a PSDU of `psdu_bytes` octets in this mode, or a part of one, comes through with probability
    /// `exp(-a octets)` at this ratio of the signal to noise and interference in the mode's width.
    fn decay_per_octet(&self, tx: TxVector, sinr_db: Decibel, psdu_bytes: u32) -> f64;
}

/// Decides about reception.
#[derive(Debug)]
pub(crate) struct Decoder {
    model: Option<Box<dyn ErrorRates>>,
    capture: Option<f64>,
    carrier_sense_mw: f64,
    seed: u64,
    addresses: Vec<MacAddress>,
    /// By sender, then receiver.
    links: Vec<LinkState>,
    /// Instants at which interference changes; kept for its memory.
    changes: Vec<Instant>,
}

#[derive(Debug, Default)]
struct LinkState {
    recent: [Option<Recent>; 2],
    streams: [Option<Box<Stream>>; 3],
}

/// An error rate that was asked for lately.
#[derive(Clone, Copy, Debug)]
struct Recent {
    tx: TxVector,
    sinr: f64,
    psdu_bytes: u32,
    per_octet: f64,
}

/// Part of a PPDU, as one receiver is asked about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) listener: NicId,
    pub(crate) span: (Instant, Instant),
    pub(crate) bytes: u32,
    pub(crate) purpose: Purpose,
}

impl Decoder {
    /// Reception on the plan's channel; without error rates nothing is lost to noise.
    pub(crate) fn new(plan: &AirPlan, seed: u64, model: Option<Box<dyn ErrorRates>>) -> Self {
        let ratio = |db: f64| libm::pow(10.0, db / 10.0);
        Self {
            model,
            capture: plan.channel.capture_db.map(|db| ratio(db.get())),
            carrier_sense_mw: plan.channel.carrier_sense_dbm.to_milliwatt().get(),
            seed,
            addresses: plan.nics.iter().map(|n| n.mac).collect(),
            links: (0..plan.nics.len() * plan.nics.len()).map(|_| LinkState::default()).collect(),
            changes: Vec::new(),
        }
    }

    /// Whether noise can spoil a PPDU that met no other.
    pub(crate) const fn is_noisy(&self) -> bool {
        self.model.is_some()
    }

    /// Whether every receiver of a group judges an overlap alike: nothing depends on powers then.
    pub(crate) const fn judges_alike(&self) -> bool {
        self.model.is_none() && self.capture.is_none()
    }

    /// Whether this receiver is tuned to the PPDU and has read its header.
    pub(crate) fn locks(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> bool {
        let signal = channel.power_mw(ppdu.start, ppdu.from, part.listener);
        if signal < self.carrier_sense_mw {
            return false;
        }
        if ppdu.overlaps.is_empty() {
            return true;
        }
        for other in &ppdu.overlaps {
            if other.from == part.listener || self.prefers(channel, (ppdu, signal), other, part.listener) {
                return false;
            }
        }
        let header = (ppdu.start, ppdu.payload_start());
        let tx = header_mode(ppdu.tx);
        let probability =
            self.probability(channel, (ppdu, tx), Part { span: header, bytes: SIGNAL_BYTES, ..part });
        self.happens(probability, ppdu.from, part)
    }

    /// Whether the listener is tuned to the other PPDU and not to this one.
    fn prefers(&self, channel: &mut Channel, this: (&Ppdu, f64), other: &Overlap, listener: NicId) -> bool {
        let (ppdu, signal) = this;
        let interference = channel.power_mw(other.start, other.from, listener);
        if interference < self.carrier_sense_mw || other.start >= ppdu.start + PREAMBLE_DETECTION {
            return false;
        }
        if other.start + PREAMBLE_DETECTION <= ppdu.start {
            return self.capture.is_none_or(|ratio| signal < interference * ratio);
        }
        match interference.total_cmp(&signal) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => {
                let lot = |start, from| (self.lot(start, from, listener), from);
                lot(other.start, other.from) < lot(ppdu.start, ppdu.from)
            }
        }
    }

    /// Of PPDUs of one strength that start together a listener takes the one with the smallest lot: exactly one, and each as
    /// often as another. Where it can read none of them there is nothing to draw.
    fn lot(&self, start: Instant, from: NicId, listener: NicId) -> f64 {
        if !self.is_noisy() {
            return 0.0;
        }
        let ends = [from, listener].map(|nic| self.addresses[nic.index()]);
        Stream::part(self.seed, Purpose::Tuning, ends, start.as_nanos()).unit()
    }

    /// Whether a receiver that is tuned to the PPDU still is at this instant: it has not begun to send, and has not left it for
    /// one that began later and is stronger by the capture ratio. It does not come back.
    pub(crate) fn stays(&self, channel: &mut Channel, ppdu: &Ppdu, listener: NicId, until: Instant) -> bool {
        if ppdu.overlaps.is_empty() {
            return true;
        }
        if ppdu.overlaps.iter().any(|own| own.from == listener && own.start < until) {
            return false;
        }
        let Some(ratio) = self.capture else { return true };
        let signal = channel.power_mw(ppdu.start, ppdu.from, listener);
        !ppdu.overlaps.iter().any(|other| {
            let later = other.start >= ppdu.start + PREAMBLE_DETECTION && other.start < until;
            later && channel.power_mw(other.start, other.from, listener) >= signal * ratio
        })
    }

    /// Whether this part of a PPDU is read by a receiver that was tuned to its beginning.
    pub(crate) fn reads(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> bool {
        if !self.stays(channel, ppdu, part.listener, part.span.1) {
            return false;
        }
        let probability = self.probability(channel, (ppdu, ppdu.tx), part);
        self.happens(probability, ppdu.from, part)
    }

    /// Probability that a receiver tuned to the PPDU reads this part, sent in this mode.
    pub(crate) fn probability(&mut self, channel: &mut Channel, sent: (&Ppdu, TxVector), part: Part) -> f64 {
        let (ppdu, tx) = sent;
        let meets = |o: &&Overlap| o.start < part.span.1 && o.end > part.span.0;
        if !ppdu.overlaps.iter().any(|o| meets(&o)) {
            if self.model.is_none() {
                return 1.0;
            }
            let signal = channel.power_mw(ppdu.start, ppdu.from, part.listener);
            let noise = channel.noise_mw(tx.width);
            let octets = (part.bytes, whole(sent, part));
            return self.through_noise(tx, (ppdu.from, part.listener), signal / noise, octets);
        }
        self.probability_among_others(channel, sent, part)
    }

    fn probability_among_others(
        &mut self,
        channel: &mut Channel,
        sent: (&Ppdu, TxVector),
        part: Part,
    ) -> f64 {
        let (ppdu, tx) = sent;
        let signal = channel.power_mw(ppdu.start, ppdu.from, part.listener);
        let noise = if self.model.is_some() { channel.noise_mw(tx.width) } else { 0.0 };
        let (from, to) = part.span;
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        changes.extend([from, to]);
        let edges = ppdu.overlaps.iter().flat_map(|o| [o.start, o.end]);
        changes.extend(edges.filter(|&t| t > from && t < to));
        changes.sort_unstable();
        let mut probability = 1.0;
        for window in changes.windows(2) {
            let (a, b) = (window[0], window[1]);
            let interference = self.interference_mw(channel, ppdu, part.listener, (a, b));
            let bytes = share(part, (a, b));
            let powers = (signal, noise, interference);
            probability *= if self.model.is_some() {
                let sinr = signal / (noise + interference);
                self.through_noise(tx, (ppdu.from, part.listener), sinr, (bytes, whole(sent, part)))
            } else {
                self.survives(powers)
            };
        }
        self.changes = changes;
        probability
    }

    /// Power of the other PPDUs during a span in which it does not change.
    fn interference_mw(
        &self,
        channel: &mut Channel,
        ppdu: &Ppdu,
        listener: NicId,
        span: (Instant, Instant),
    ) -> f64 {
        let present = ppdu.overlaps.iter().filter(|o| o.start < span.1 && o.end > span.0);
        // Without noise and capture, what can't be heard does not count.
        let least = if self.judges_alike() { self.carrier_sense_mw } else { 0.0 };
        let powers =
            present.map(|o| channel.power_mw(o.start, o.from, listener)).filter(|&power| power >= least);
        powers.sum()
    }

    /// Without noise there are only ratios: 1 or 0.
    fn survives(&self, powers: (f64, f64, f64)) -> f64 {
        let (signal, _, interference) = powers;
        let survives = match self.capture {
            None => interference <= 0.0,
            Some(ratio) => signal >= interference * ratio,
        };
        if survives { 1.0 } else { 0.0 }
    }

    /// Probability that this many octets of a PSDU come through noise.
    fn through_noise(&mut self, tx: TxVector, link: (NicId, NicId), sinr: f64, octets: (u32, u32)) -> f64 {
        let (bytes, psdu_bytes) = octets;
        let a = self.decay_per_octet(tx, link, sinr, psdu_bytes);
        if a == 0.0 || bytes == 0 { 1.0 } else { libm::exp(-a * f64::from(bytes)) }
    }

    fn decay_per_octet(&mut self, tx: TxVector, link: (NicId, NicId), sinr: f64, psdu_bytes: u32) -> f64 {
        let state = &mut self.links[link.0.index() * self.addresses.len() + link.1.index()];
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
    pub(crate) fn happens(&mut self, probability: f64, from: NicId, part: Part) -> bool {
        if probability >= 1.0 {
            return true;
        }
        if probability <= 0.0 {
            return false;
        }
        let [a, b] = [from, part.listener].map(NicId::index);
        let slot = match part.purpose {
            Purpose::Data => 0,
            Purpose::Response => 1,
            _ => 2,
        };
        let (seed, addresses) = (self.seed, &self.addresses);
        let stream = self.links[a * addresses.len() + b].streams[slot]
            .get_or_insert_with(|| Box::new(Stream::new(seed, part.purpose, addresses[a], addresses[b])));
        stream.unit() < probability
    }
}

/// The mode of a PPDU's header, or the one closest to it: in DSSS its own, in OFDM 6 Mb/s, which every PPDU begins with
/// (17.3.4), in DMG the control mode or MCS 1 (20.4.3.2, 20.6.3.1).
const fn header_mode(tx: TxVector) -> TxVector {
    match tx.format {
        Format::HrDsss => tx,
        Format::Dmg if tx.index == 0 => tx,
        Format::Dmg => TxVector { index: 1, ..tx },
        _ => TxVector::ofdm(0),
    }
}

/// Octets of the PSDU that a part is of.
fn whole(sent: (&Ppdu, TxVector), part: Part) -> u32 {
    let (ppdu, tx) = sent;
    if tx == ppdu.tx { ppdu.psdu_bytes } else { part.bytes }
}

/// Octets of the part that fall into a span, rounded.
fn share(part: Part, span: (Instant, Instant)) -> u32 {
    let length = part.span.1.since(part.span.0).as_nanos().max(1);
    let octets = u64::from(part.bytes) * span.1.since(span.0).as_nanos();
    ((octets + length / 2) / length) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct NoNoise;

    impl ErrorRates for NoNoise {
        fn decay_per_octet(&self, _: TxVector, _: Decibel, _: u32) -> f64 {
            0.0
        }
    }

    /// Three NICs that receive each other with one power.
    fn plan() -> AirPlan {
        let mut plan: AirPlan =
            serde_json::from_str(include_str!("../../tests/one-station.json")).expect("a plan");
        let mut third = plan.nics[1].clone();
        third.mac.0[5] += 1;
        plan.nics.push(third);
        plan
    }

    fn ppdu(from: NicId, start: Instant, other: (NicId, Instant)) -> Ppdu {
        let overlap = Overlap { from: other.0, start: other.1, end: Instant::FAR_FUTURE };
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
                .map(|ppdu| decoder.prefers(&mut channel, (ppdu, signal), &ppdu.overlaps[0], ap));
            assert_ne!(left[0], left[1]);
            first_taken += u32::from(!left[0]);
        }
        // Four standard deviations of a fair coin.
        assert!((437..=563).contains(&first_taken), "{first_taken}");
    }
}
