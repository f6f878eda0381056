//! The channel between all NICs.

use airtcp_plan::{AirNic, AirPlan, RadioChannel};
use airtcp_units::{BitRate, Dbm, Decibel, Duration, Hertz, Instant};

use super::fading::{BlockFading, TappedDelayLines};
use super::interference::{Burst, EmissionId, Interference, SourceId};
use super::mobility::{Position, Track};
use super::path_loss::{Path, PathLoss};
use super::shadowing::Shadowing;
use super::spectrum::{ChannelId, Shares, Spectrum};
use super::thermal_noise;
use super::tone_overlap;
use super::trace::Traces;
use crate::NicId;
use crate::phy::error_rate::effective_snr::effective_sinr;
use crate::phy::{Allocation, TxVector, Width};

/// What lies between the antennas of a plan.
///
/// Mean powers change only in [`Channel::update`], to be called at [`Channel::next_update`]; a late call catches
/// up, with the same result. Everything else may be called at any time and in any order. Before the epoch
/// everything is as at the epoch. A NIC does not receive itself: no power, no loss, no rate.
#[derive(Debug)]
pub struct Channel {
    epoch: Instant,
    update: Duration,
    next_update: Instant,
    radios: Vec<Radio>,
    path_loss: PathLoss,
    shadowing: Option<Shadowing>,
    fading: Option<BlockFading>,
    tapped: Option<TappedDelayLines>,
    traces: Traces,
    spectrum: Spectrum,
    interference: Interference,
    /// Fixed loss by sender, then receiver; empty if there is none.
    losses: Vec<f64>,
    /// By sender, then receiver.
    mean: Vec<Mean>,
    noise_mw: [f64; WIDTHS.len()],
    noise_figure_db: Decibel,
}

/// What a NIC sends fills this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    pub(crate) from: NicId,
    pub(crate) allocation: Allocation,
}

/// What of a NIC matters here.
#[derive(Debug)]
struct Radio {
    track: Track,
    place: Position,
    sent: Dbm,
    frequency: Hertz,
}

/// Mean power of one direction of a link, on both scales.
#[derive(Clone, Copy, Debug)]
struct Mean {
    dbm: Dbm,
    mw: f64,
}

impl Mean {
    /// No power at all.
    const NONE: Self = Self { dbm: Dbm::new(f64::NEG_INFINITY), mw: 0.0 };

    fn new(dbm: Dbm) -> Self {
        Self { dbm, mw: dbm.to_milliwatt().get() }
    }
}

const WIDTHS: [Width; 6] =
    [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320, Width::Mhz2160];

impl Channel {
    /// The channel of a plan that [`super::check`] accepts, at the epoch.
    pub fn new(plan: &AirPlan, seed: u64, epoch: Instant) -> Self {
        let channel = &plan.channel;
        let nics = plan.nics.len();
        let addresses: Vec<_> = plan.nics.iter().map(|n| n.mac).collect();
        let mut this = Self {
            epoch,
            update: Duration::from_nanos(channel.update_ns),
            next_update: Instant::FAR_FUTURE,
            radios: plan.nics.iter().map(|nic| Radio::new(plan, nic)).collect(),
            path_loss: PathLoss::new(&channel.propagation),
            shadowing: channel.shadowing.map(|s| Shadowing::new(s, addresses.clone(), seed)),
            fading: BlockFading::new(&channel.fading, addresses, seed),
            tapped: TappedDelayLines::new(plan, seed),
            traces: Traces::new(&channel.traces, nics),
            spectrum: Spectrum::new(plan),
            interference: Interference::new(plan, seed),
            losses: fixed_losses(plan),
            mean: vec![Mean::NONE; nics * nics],
            noise_mw: WIDTHS.map(|w| thermal_noise::power(w, channel.noise_figure_db).get()),
            noise_figure_db: channel.noise_figure_db,
        };
        for from in 0..nics {
            for to in (0..nics).filter(|&to| to != from) {
                this.renew_mean(0, from, to);
            }
        }
        for to in 0..nics {
            this.renew_emissions(to);
            for from in 0..to {
                this.renew_distance(from, to);
            }
        }
        this.next_update = this.after(0);
        this
    }

    /// When mean powers may next change; [`Instant::FAR_FUTURE`] if they never do.
    #[inline]
    pub fn next_update(&self) -> Instant {
        self.next_update
    }

    /// Brings positions and mean powers up to date; whether a mean power changed.
    pub fn update(&mut self, now: Instant) -> bool {
        let mut changed = false;
        while self.next_update <= now {
            let time_ns = self.time_ns(self.next_update);
            changed |= self.step(time_ns);
            self.next_update = self.after(time_ns);
        }
        changed
    }

    /// Mean power of one NIC at another: path loss, shadowing, recorded power. Minus infinity at itself.
    #[inline]
    pub fn mean_dbm(&self, from: NicId, to: NicId) -> Dbm {
        self.mean[self.place(from, to)].dbm
    }

    /// Power in milliwatts of one NIC at another, with fading. Zero at itself.
    #[inline(always)]
    pub fn power_mw(&mut self, now: Instant, from: NicId, to: NicId) -> f64 {
        let mean = self.mean[self.place(from, to)].mw;
        if self.fading.is_none() && self.tapped.is_none() { mean } else { mean * self.gain(now, from, to) }
    }

    /// By what fading multiplies the mean power of one NIC at another.
    #[inline(never)]
    fn gain(&mut self, now: Instant, from: NicId, to: NicId) -> f64 {
        let (time_ns, [a, b]) = (self.time_ns(now), [from, to].map(NicId::index));
        match (&mut self.fading, &mut self.tapped) {
            _ if from == to => 1.0,
            (Some(fading), _) => fading.gain(time_ns, a, b),
            (None, Some(tapped)) => tapped.gain(time_ns, a, b),
            (None, None) => 1.0,
        }
    }

    /// The ratio of signal to noise and interference at which a PPDU in this mode is received: of all streams together. Its signal
    /// has `share` of the sender's power. `disturbances_mw` are noise and interference as if what each of its parts of equal width has
    /// were that of the whole. Where they or the response of the link differ, the ratio is the effective one
    /// ([`crate::phy::error_rate`]), for the antennas of both ends.
    #[inline]
    pub(crate) fn sinr(
        &mut self,
        now: Instant,
        [from, to]: [NicId; 2],
        tx: TxVector,
        share: f64,
        disturbances_mw: &[f64],
    ) -> f64 {
        let (time_ns, place) = (self.time_ns(now), self.place(from, to));
        if let Some(tapped) = self.tapped.as_mut().filter(|_| from != to) {
            let signal = self.mean[place].mw * share;
            let ends = [from.index(), to.index()];
            return match *disturbances_mw {
                [disturbance] => tapped.sinr(time_ns, ends, tx, signal / disturbance),
                _ => tapped.sinr_among(time_ns, ends, tx, disturbances_mw.iter().map(|d| signal / d)),
            };
        }
        let signal = self.power_mw(now, from, to) * share;
        match *disturbances_mw {
            [disturbance] => signal / disturbance,
            _ => effective_sinr(tx, disturbances_mw.iter().map(|d| signal / d)),
        }
    }

    /// Streams at most between two NICs, where links differ over their band.
    pub(crate) fn streams_of(&self, ends: [NicId; 2]) -> usize {
        self.tapped.as_ref().map_or(1, |tapped| tapped.streams_of(ends.map(NicId::index)))
    }

    /// Whether links differ over their band.
    #[inline]
    pub(crate) fn is_selective(&self) -> bool {
        self.tapped.is_some()
    }

    /// Probability that a data MPDU is lost for other reasons than reception: the fixed loss, and that of the recording.
    #[inline]
    pub fn extra_loss(&mut self, now: Instant, from: NicId, to: NicId) -> f64 {
        let fixed = self.losses.get(self.place(from, to)).copied().unwrap_or(0.0);
        let recorded = self.traces.point(self.time_ns(now), from.index(), to.index());
        match recorded.and_then(|p| p.loss) {
            Some(recorded) => 1.0 - (1.0 - fixed) * (1.0 - recorded),
            None => fixed,
        }
    }

    /// From now on this is the fixed loss from a NIC to another.
    pub(crate) fn fix_loss(&mut self, [from, to]: [NicId; 2], probability: f64) {
        let place = self.place(from, to);
        self.losses.resize(self.radios.len() * self.radios.len(), 0.0);
        self.losses[place] = probability;
    }

    /// Fastest rate that a recording allows from one NIC to another; `None`: any.
    #[inline]
    pub fn rate_cap(&mut self, now: Instant, from: NicId, to: NicId) -> Option<BitRate> {
        self.traces.point(self.time_ns(now), from.index(), to.index())?.rate_bps
    }

    /// Thermal noise in milliwatts in a channel of this width, with the receiver's noise figure.
    #[inline]
    pub fn noise_mw(&self, width: Width) -> f64 {
        self.noise_mw[width as usize]
    }

    /// Thermal noise in what a PPDU or its user fills.
    #[inline]
    pub(crate) fn noise_in_mw(&self, allocation: Allocation) -> f64 {
        if allocation.is_whole() {
            return self.noise_mw(allocation.width());
        }
        thermal_noise::power_in_tones(allocation.tone_count(), self.noise_figure_db).get()
    }

    /// The density of what one NIC sends in an RU in that part of an own allocation which lies in a subchannel of a listener: as a share
    /// of its power, as if the subchannel were all as dense.
    pub(crate) fn share_in_tones(
        &self,
        sent: Sending,
        own: Sending,
        listener: NicId,
        subchannel: u32,
    ) -> f64 {
        let filled = |Sending { from, allocation }: Sending| {
            let channel = self.spectrum.radio_channel(from)?;
            Some(tone_overlap::Filled { channel, allocation })
        };
        let range = self.spectrum.subchannel_khz(listener, subchannel);
        let shares = self.shares(sent.from, listener, sent.allocation.width());
        match (filled(sent), filled(own), range) {
            (Some(sent), Some(own), Some(range)) if shares.occupied() >> subchannel & 1 == 1 => {
                tone_overlap::share(sent, own, f64::from(range.start)..f64::from(range.end))
            }
            _ => shares.of(subchannel),
        }
    }

    /// How what one NIC sends with this width falls into the subchannels of another.
    #[inline]
    pub(crate) fn shares(&self, from: NicId, to: NicId, width: Width) -> &Shares {
        self.spectrum.shares(from, to, width)
    }

    /// The channel that a NIC is tuned to; `None`: it is off.
    #[inline]
    pub(crate) fn channel_of(&self, nic: NicId) -> Option<ChannelId> {
        self.spectrum.channel_of(nic)
    }

    /// A NIC is on this channel from now on, or off. Its powers at others are those of the new frequency.
    pub(crate) fn tune(&mut self, now: Instant, nic: NicId, channel: Option<RadioChannel>) {
        self.spectrum.tune(nic, channel);
        let (time_ns, from) = (self.time_ns(now), nic.index());
        if let Some(channel) = channel {
            self.radios[from].frequency = centre(channel);
            self.renew_powers_of(time_ns, from);
        }
    }

    /// How many emissions there are: sources that are no NICs, by centre frequency.
    pub(crate) fn emissions(&self) -> u32 {
        self.interference.emissions()
    }

    /// The sources that are no NICs.
    pub(crate) fn emission_sources(&self) -> impl Iterator<Item = SourceId> + use<> {
        self.interference.sources()
    }

    /// The next burst of a source that is no NIC; `None`: it reaches no channel of the plan.
    pub(crate) fn next_burst(&mut self, source: SourceId) -> Option<Burst> {
        self.interference.next_burst(source, self.epoch)
    }

    /// Mean power of an emission in a subchannel of a NIC.
    #[inline]
    pub(crate) fn emission_mw(&self, emission: EmissionId, nic: NicId, subchannel: u32) -> f64 {
        let part = self.spectrum.subchannel_khz(nic, subchannel);
        part.map_or(0.0, |part| self.interference.power_mw(emission, nic, &part))
    }

    /// Mean power of an emission in the primary subchannel of a NIC, in milliwatts.
    pub(crate) fn emission_in_primary_mw(&self, emission: EmissionId, nic: NicId) -> f64 {
        let primary = self.shares(nic, nic, Width::Mhz20).primary_bit().trailing_zeros();
        self.emission_mw(emission, nic, primary)
    }

    /// Whether an emission falls into the channel of a NIC.
    pub(crate) fn reaches(&self, emission: EmissionId, nic: NicId) -> bool {
        self.spectrum.channel_khz(nic).is_some_and(|channel| self.interference.overlaps(emission, &channel))
    }

    /// Whether any emission does.
    pub(crate) fn meets_emissions(&self, nic: NicId) -> bool {
        (0..self.emissions()).any(|emission| self.reaches(EmissionId(emission), nic))
    }

    /// Computes the powers of all emissions at a NIC anew; whether one changed.
    fn renew_emissions(&mut self, to: usize) -> bool {
        self.interference.renew(to, self.radios[to].place, &self.path_loss)
    }

    /// A NIC sends with this power from now on.
    pub fn set_power(&mut self, now: Instant, nic: NicId, power: Dbm) {
        let (time_ns, from) = (self.time_ns(now), nic.index());
        self.radios[from].sent = power;
        self.renew_powers_of(time_ns, from);
    }

    /// Computes the mean powers of a NIC at all others anew.
    fn renew_powers_of(&mut self, time_ns: u64, from: usize) {
        for to in (0..self.radios.len()).filter(|&to| to != from) {
            self.renew_mean(time_ns, from, to);
        }
    }

    /// A NIC is at this place from now on; whether a mean power changed.
    pub(crate) fn move_to(&mut self, now: Instant, nic: NicId, position: Position) -> bool {
        let time_ns = self.time_ns(now);
        self.radios[nic.index()].track = Track::staying(position);
        let changed = self.move_radios(time_ns);
        self.next_update = self.after(time_ns);
        changed
    }

    /// A NIC receives another with this mean power from now on; whether that is another power.
    pub(crate) fn fix_power(&mut self, now: Instant, [from, to]: [NicId; 2], power: Dbm) -> bool {
        let (time_ns, ends) = (self.time_ns(now), [from.index(), to.index()]);
        self.traces.fix_power(time_ns, ends, power);
        self.next_update = self.after(time_ns);
        self.renew_mean(time_ns, ends[0], ends[1])
    }

    #[inline]
    fn place(&self, from: NicId, to: NicId) -> usize {
        from.index() * self.radios.len() + to.index()
    }

    #[inline]
    fn time_ns(&self, now: Instant) -> u64 {
        now.saturating_since(self.epoch).as_nanos()
    }

    /// Carries out the update at this time from the epoch.
    fn step(&mut self, time_ns: u64) -> bool {
        let mut changed = false;
        // Recorded powers change at times of their own; positions only at multiples of the update time, so that
        // a recording does not change how finely a way is cut.
        if time_ns.is_multiple_of(self.update.as_nanos()) {
            changed |= self.move_radios(time_ns);
        }
        let recorded: Vec<_> = self.traces.links_with_power().collect();
        for [from, to] in recorded {
            changed |= self.renew_mean(time_ns, from, to);
        }
        changed
    }

    /// Moves every radio to its place, and renews the links of those that moved.
    fn move_radios(&mut self, time_ns: u64) -> bool {
        let gone_m: Vec<f64> = self.radios.iter_mut().map(|r| r.go(time_ns)).collect();
        let mut changed = false;
        for b in 0..gone_m.len() {
            changed |= gone_m[b] > 0.0 && self.renew_emissions(b);
            for a in 0..b {
                let way_m = gone_m[a] + gone_m[b];
                if way_m > 0.0 {
                    if let Some(shadowing) = &mut self.shadowing {
                        shadowing.move_ends(a, b, way_m);
                    }
                    changed |= self.renew_mean(time_ns, a, b);
                    changed |= self.renew_mean(time_ns, b, a);
                    self.renew_distance(a, b);
                }
            }
        }
        changed
    }

    /// Sets the distance of two radios for fading; where powers are given, places say nothing.
    fn renew_distance(&mut self, a: usize, b: usize) {
        if let Some(tapped) = self.tapped.as_mut().filter(|_| !self.path_loss.is_given()) {
            tapped.set_distance(a, b, self.radios[a].place.distance(self.radios[b].place));
        }
    }

    /// Computes a mean power anew; whether it changed.
    fn renew_mean(&mut self, time_ns: u64, from: usize, to: usize) -> bool {
        let recorded = self.traces.point(time_ns, from, to).and_then(|p| p.rssi_dbm);
        let dbm = recorded.unwrap_or_else(|| self.modelled(from, to));
        let place = &mut self.mean[from * self.radios.len() + to];
        let changed = place.dbm != dbm;
        if changed {
            *place = Mean::new(dbm);
        }
        changed
    }

    /// Path loss and shadowing of a link.
    fn modelled(&self, from: usize, to: usize) -> Dbm {
        let [sender, receiver] = [from, to].map(|i| &self.radios[i]);
        let mean = self.path_loss.mean_power(&Path {
            ends: [from, to],
            places: [sender.place, receiver.place],
            frequency: sender.frequency,
            sent: sender.sent,
        });
        let shadow_db = self.shadowing.as_ref().map_or(0.0, |s| s.level_db(from, to));
        Dbm::new(mean.get() + shadow_db)
    }

    /// The first update after this time from the epoch.
    fn after(&self, time_ns: u64) -> Instant {
        let update = self.update.as_nanos();
        let moved = self.radios.iter().filter_map(|r| r.track.next_change_ns(time_ns)).min();
        let moved = moved.and_then(|t| t.checked_next_multiple_of(update));
        let next = [moved, self.traces.next_change_ns(time_ns)].into_iter().flatten().min();
        let next = next.and_then(|t| t.checked_add(self.epoch.as_nanos()));
        next.map_or(Instant::FAR_FUTURE, Instant::from_nanos)
    }
}

impl Radio {
    fn new(plan: &AirPlan, nic: &AirNic) -> Self {
        let track = Track::new(nic);
        let channel = plan.cells[nic.cell as usize].channel;
        Self { place: track.position(0), track, sent: nic.tx_power_dbm, frequency: centre(channel) }
    }

    /// Goes to its place at this time; the way in metres.
    fn go(&mut self, time_ns: u64) -> f64 {
        let place = self.track.position(time_ns);
        let way_m = self.place.distance(place);
        self.place = place;
        way_m
    }
}

fn centre(channel: RadioChannel) -> Hertz {
    Hertz::new(f64::from(channel.centre_mhz) * 1e6)
}

fn fixed_losses(plan: &AirPlan) -> Vec<f64> {
    let (nics, losses) = (plan.nics.len(), &plan.channel.losses);
    let mut table = if losses.is_empty() { Vec::new() } else { vec![0.0; nics * nics] };
    for link in losses {
        table[link.from as usize * nics + link.to as usize] = link.loss;
    }
    table
}

#[cfg(test)]
mod tests;
