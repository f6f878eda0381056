//! Whether a receiver can read what is on the air: tuning to a PPDU, and its MPDUs under noise and interference.
//!
//! A receiver tunes to the first PPDU that it hears. Of those that start within the time a preamble needs, it takes the
//! strongest. With capture it also leaves a PPDU for one that is stronger by the capture ratio.
//! Then each MPDU is judged by what was on the air during its own span: see `docs/models/reception.md`.

use airtcp_plan::MacAddress;
use airtcp_plan::wifi::{AirPlan, Reception};
use airtcp_units::{Duration, Instant, Milliwatt};

use super::ppdu::{Overlap, Ppdu};
use crate::NicId;
use crate::channel::Channel;
use crate::phy::error_rate::{Decay, ErrorModel};
use crate::phy::{Coding, Format, TxVector};
use crate::random::{Purpose, Stream};

/// Time in which a receiver notices a preamble (CCA, IEEE 802.11-2020, 17.3.10.6).
const PREAMBLE_DETECTION: Duration = Duration::from_micros(4);
/// Octets of the legacy SIGNAL field, which every OFDM PPDU begins with (17.3.4).
const SIGNAL_BYTES: u32 = 3;

/// Decides about reception.
#[derive(Debug)]
pub(crate) struct Decoder {
    model: Option<ErrorModel>,
    code: Coding,
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
    decay: Decay,
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
    /// The reception that the plan asks for.
    pub(crate) fn new(plan: &AirPlan, seed: u64) -> Self {
        let (model, code) = match plan.channel.reception {
            Reception::Ideal => (None, Coding::Bcc),
            Reception::Table { code } => (Some(ErrorModel::table()), code.into()),
            Reception::Nist => (Some(ErrorModel::Nist), Coding::Bcc),
        };
        let ratio = |db: f64| libm::pow(10.0, db / 10.0);
        Self {
            model,
            code,
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
        let tx = if ppdu.tx.format == Format::HrDsss { ppdu.tx } else { TxVector::ofdm(0) };
        let probability = self.probability(channel, (ppdu, tx), Part { span: header, bytes: SIGNAL_BYTES, ..part });
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
        // Which of two equal ones is decided by their numbers, so that not both are read.
        interference > signal || (interference >= signal && other.from < ppdu.from)
    }

    /// Whether this part of a PPDU is read by a receiver that is tuned to it.
    pub(crate) fn reads(&mut self, channel: &mut Channel, ppdu: &Ppdu, part: Part) -> bool {
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
            return self.decay(tx, (ppdu.from, part.listener), signal / noise).reception(part.bytes);
        }
        self.probability_among_others(channel, sent, part)
    }

    fn probability_among_others(&mut self, channel: &mut Channel, sent: (&Ppdu, TxVector), part: Part) -> f64 {
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
            probability *= self.through(tx, (ppdu.from, part.listener), (signal, noise, interference), bytes);
        }
        self.changes = changes;
        probability
    }

    /// Power of the other PPDUs during a span in which it does not change.
    fn interference_mw(&self, channel: &mut Channel, ppdu: &Ppdu, listener: NicId, span: (Instant, Instant)) -> f64 {
        let present = ppdu.overlaps.iter().filter(|o| o.start < span.1 && o.end > span.0);
        // Without noise and capture, what can't be heard does not count.
        let least = if self.judges_alike() { self.carrier_sense_mw } else { 0.0 };
        let powers = present.map(|o| channel.power_mw(o.start, o.from, listener)).filter(|&power| power >= least);
        powers.sum()
    }

    /// Probability that this many octets come through this interference.
    fn through(&mut self, tx: TxVector, link: (NicId, NicId), powers: (f64, f64, f64), bytes: f64) -> f64 {
        let (signal, noise, interference) = powers;
        if self.model.is_some() {
            let sinr = signal / (noise + interference);
            return self.decay(tx, link, sinr).reception_of(bytes);
        }
        let survives = match self.capture {
            None => interference <= 0.0,
            Some(ratio) => signal >= interference * ratio,
        };
        if survives { 1.0 } else { 0.0 }
    }

    fn decay(&mut self, tx: TxVector, link: (NicId, NicId), sinr: f64) -> Decay {
        let state = &mut self.links[link.0.0 as usize * self.addresses.len() + link.1.0 as usize];
        #[expect(clippy::float_cmp, reason = "the same power gives the same ratio to the last bit")]
        let known = |r: &Option<Recent>| r.filter(|r| r.tx == tx && r.sinr == sinr);
        if let Some(recent) = known(&state.recent[0]) {
            return recent.decay;
        }
        if let Some(recent) = known(&state.recent[1]) {
            state.recent.swap(0, 1);
            return recent.decay;
        }
        let model = self.model.as_ref().expect("only noise has error rates");
        let coding = match tx.format {
            Format::Ht | Format::Vht => self.code,
            _ => tx.coding(),
        };
        let decay = model.decay(tx, coding, Milliwatt::new(sinr).to_dbm().get().into());
        state.recent[1] = state.recent[0].replace(Recent { tx, sinr, decay });
        decay
    }

    /// Whether an event of this probability happens. Certainties draw nothing.
    pub(crate) fn happens(&mut self, probability: f64, from: NicId, part: Part) -> bool {
        if probability >= 1.0 {
            return true;
        }
        if probability <= 0.0 {
            return false;
        }
        let [a, b] = [from, part.listener].map(|n| n.0 as usize);
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

/// Octets of the part that fall into a span.
fn share(part: Part, span: (Instant, Instant)) -> f64 {
    let whole = part.span.1.since(part.span.0).as_nanos().max(1);
    f64::from(part.bytes) * span.1.since(span.0).as_nanos() as f64 / whole as f64
}
