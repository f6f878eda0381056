//! Tapped delay lines: frequency-selective, correlated in time, with several antennas.
//!
//! Each line (a tap of a cluster) has, for each pair of antennas, a sum of sinusoids whose frequencies follow a Doppler
//! spectrum, and the antennas of one end are correlated as the angles of the cluster say. Their sum over the delays is the
//! response of the link, once per step: a small part of the coherence time. It is computed in bins, as far as the channel is
//! looked at.

mod complex;
mod correlation;
mod doppler;
mod grid;
mod lines;
mod profiles;
mod response;
mod sinusoids;
mod streams;
#[cfg(test)]
mod tests;

use airtcp_plan::{AirPlan, DopplerSpectrum, Fading, FadingProfile, MacAddress};

pub(in crate::channel) use self::correlation::ANTENNAS;
use self::correlation::Matrix;
use self::grid::{BINS, Grid, TonesInBlock};
use self::lines::Lines;
use self::profiles::PROFILES;
use self::response::{Link, Recent, Surroundings};
use self::sinusoids::Sinusoids;
use crate::channel::pair;
use crate::channel::path_loss::SPEED_OF_LIGHT;
use crate::phy::TxVector;
use crate::phy::error_rate::effective_table::EffectiveTables;
use crate::random::{Purpose, Stream};

/// A step lasts until the phases have turned by this many radians on average (root mean square), so that what a response lacks
/// within a step is 20 dB below it: `2 (1 - correlation) = (2 pi f t)^2`. It is 5 % of the coherence time of the bell spectrum.
const TURN_MAX: f64 = 0.1;

/// The longest coherence time in nanoseconds by which a plan is judged.
const STILL_NS: f64 = 1e18;

/// The responses of all links.
#[derive(Debug)]
pub(in crate::channel) struct TappedDelayLines {
    seed: u64,
    addresses: Vec<MacAddress>,
    /// Antennas of each NIC; the first of them send streams, all of them receive.
    antennas: Vec<usize>,
    /// Most spatial streams of each NIC.
    streams: Vec<usize>,
    /// Doppler shift in hertz at 1 m/s, by NIC.
    hertz_per_mps: Vec<f64>,
    spectrum: DopplerSpectrum,
    /// Lines of links with one antenna at each end, and of other links.
    lines: [Lines; 2],
    /// Correlation of the antennas at the receiver and at the transmitter, by cluster. Empty: antennas are not correlated.
    correlation: Vec<[Matrix; 2]>,
    grids: Vec<Grid>,
    /// Number of the grid in `grids`, by NIC.
    grid_of: Vec<usize>,
    step: Step,
    /// Whether a link has a direct path, by unordered pair of NICs.
    sight: Vec<bool>,
    /// Whether links have a direct path, as the plan says; `None`: links up to the breakpoint have one.
    line_of_sight: Option<bool>,
    breakpoint_m: f64,
    /// Links by unordered pair of NICs, from the first use of each.
    links: Vec<Option<Box<Link>>>,
    tables: EffectiveTables,
    /// Ratios of bins; kept for its memory.
    ratios: Vec<f32>,
}

/// The step that was used last, so that most calls need no division.
#[derive(Debug)]
struct Step {
    length_ns: u64,
    number: u64,
    start_ns: u64,
}

/// Coherence time of the fastest tap of a plan at this frequency, in nanoseconds.
pub(in crate::channel) fn coherence_ns(plan: &Fading, frequency_hz: f64) -> f64 {
    let Fading::Tapped { profile, spectrum, speed_mps, .. } = plan else { return STILL_NS };
    let fastest = fastest_mps(profile, *speed_mps);
    if fastest > 0.0 {
        1e9 * doppler::coherence_s(*spectrum, fastest * frequency_hz / SPEED_OF_LIGHT)
    } else {
        STILL_NS
    }
}

fn fastest_mps(profile: &FadingProfile, speed_mps: f64) -> f64 {
    match profile {
        FadingProfile::Tgn { .. } => speed_mps,
        FadingProfile::Taps { taps } => {
            taps.iter().map(|tap| tap.speed_mps.unwrap_or(speed_mps)).fold(0.0, f64::max)
        }
    }
}

impl TappedDelayLines {
    /// The tapped delay lines of the plan; `None` if it has another kind of fading.
    pub(in crate::channel) fn new(plan: &AirPlan, seed: u64) -> Option<Self> {
        let Fading::Tapped { profile, spectrum, speed_mps, line_of_sight } = &plan.channel.fading else {
            return None;
        };
        let widest = plan.cells.iter().map(|cell| cell.channel.width_mhz).max().unwrap_or(20);
        let all = lines::lines(profile, *speed_mps, widest);
        let lines = [lines::merged(&all), all].map(Lines::new);
        let channel_of = |cell: u32| plan.cells[cell as usize].channel;
        let mut grids: Vec<Grid> = Vec::new();
        let grid_of = plan.nics.iter().map(|nic| {
            let channel = channel_of(nic.cell);
            grids.iter().position(|grid| grid.is_of(channel)).unwrap_or_else(|| {
                grids.push(Grid::new(channel, &lines[0].delays_ns));
                grids.len() - 1
            })
        });
        let grid_of = grid_of.collect();
        let hertz = |cell: u32| 1e6 * f64::from(channel_of(cell).centre_mhz);
        let hertz_per_mps: Vec<f64> = plan.nics.iter().map(|nic| hertz(nic.cell) / SPEED_OF_LIGHT).collect();
        let antennas: Vec<usize> = plan.nics.iter().map(|nic| nic.antennas as usize).collect();
        let most = antennas.iter().copied().max().unwrap_or(1).min(ANTENNAS);
        let greatest = hertz_per_mps.iter().copied().fold(0.0, f64::max);
        let pairs = pair::count(plan.nics.len());
        Some(Self {
            seed,
            addresses: plan.nics.iter().map(|nic| nic.mac).collect(),
            antennas,
            streams: plan.nics.iter().map(|nic| nic.streams as usize).collect(),
            hertz_per_mps,
            spectrum: *spectrum,
            lines,
            correlation: correlations(profile, most),
            tables: EffectiveTables::new(),
            ratios: Vec::with_capacity(most_blocks(&grids) * BINS * most),
            grids,
            grid_of,
            step: Step::new(*spectrum, greatest * fastest_mps(profile, *speed_mps)),
            sight: vec![line_of_sight.unwrap_or(false); pairs],
            line_of_sight: *line_of_sight,
            breakpoint_m: match profile {
                FadingProfile::Tgn { model } => PROFILES[*model as usize].breakpoint_m,
                FadingProfile::Taps { .. } => 0.0,
            },
            links: (0..pairs).map(|_| None).collect(),
        })
    }

    /// The ends of a link are this far apart from now on.
    pub(in crate::channel) fn set_distance(&mut self, a: usize, b: usize, distance_m: f64) {
        let sight = self.line_of_sight.unwrap_or(distance_m <= self.breakpoint_m);
        let place = pair::unordered(a, b);
        if self.sight[place] != sight {
            self.sight[place] = sight;
            if let Some(link) = &mut self.links[place] {
                link.forget();
            }
        }
    }

    /// Streams at most from one end to the other.
    pub(in crate::channel) fn streams_of(&self, ends: [usize; 2]) -> usize {
        ends.map(|nic| self.streams[nic]).into_iter().min().unwrap_or(1)
    }

    /// Mean power gain over the sender's channel and all antennas.
    pub(in crate::channel) fn gain(&mut self, time_ns: u64, from: usize, to: usize) -> f64 {
        let place = self.renew(time_ns, from, to);
        let grid = &self.grids[self.grid_of[from]];
        self.links[place].as_deref_mut().expect("it has been renewed").mean(grid)
    }

    /// The effective ratio of a PPDU: over a flat channel with this ratio it fares as it does with this link's response, if
    /// `ratio` is that of mean power to noise and interference at one antenna.
    pub(in crate::channel) fn sinr(
        &mut self,
        time_ns: u64,
        [from, to]: [usize; 2],
        tx: TxVector,
        ratio: f64,
    ) -> f64 {
        let place = self.renew(time_ns, from, to);
        let link = self.links[place].as_deref_mut().expect("it has been renewed");
        if let Some(effective) = link.recent(from, tx, ratio) {
            return effective;
        }
        let effective = self.effective_of(place, [from, to], tx, std::iter::once(ratio));
        self.links[place].as_deref_mut().expect("it is there").keep(Recent { from, tx, ratio, effective });
        effective
    }

    /// The effective ratio of a PPDU whose ratio differs over the band: `ratios` has one for each part of the band, parts of
    /// equal width from below.
    pub(in crate::channel) fn sinr_among(
        &mut self,
        time_ns: u64,
        [from, to]: [usize; 2],
        tx: TxVector,
        ratios: impl ExactSizeIterator<Item = f64> + Clone,
    ) -> f64 {
        let place = self.renew(time_ns, from, to);
        self.effective_of(place, [from, to], tx, ratios)
    }

    fn effective_of(
        &mut self,
        place: usize,
        [from, to]: [usize; 2],
        tx: TxVector,
        ratios: impl ExactSizeIterator<Item = f64> + Clone,
    ) -> f64 {
        if !tx.allocation.is_whole() {
            return self.effective_of_tones(place, [from, to], tx, &ratios);
        }
        let link = self.links[place].as_deref_mut().expect("it has been renewed");
        let streams = usize::from(tx.streams).clamp(1, self.antennas[from]);
        let receivers = self.antennas[to];
        let grid = &self.grids[self.grid_of[from]];
        let blocks = grid.range(tx.width());
        link.compute_bins(blocks.clone(), grid);
        let in_part = blocks.len().div_ceil(ratios.len().max(1));
        let of_parts = ratios.flat_map(|ratio| std::iter::repeat_n(ratio, in_part));
        self.ratios.clear();
        for (block, ratio) in blocks.zip(of_parts) {
            let bins = |sender, receiver| link.bins(from, block, [sender, receiver]);
            streams::ratios(bins, [streams, receivers], ratio / streams as f64, &mut self.ratios);
        }
        self.effective_ratio(tx)
    }

    /// The same for an RU, or for what puncturing leaves: in the bins of its tones only. `ratios` has one for all, or one for each of its
    /// subchannels.
    #[inline(never)]
    fn effective_of_tones(
        &mut self,
        place: usize,
        [from, to]: [usize; 2],
        tx: TxVector,
        ratios: &(impl ExactSizeIterator<Item = f64> + Clone),
    ) -> f64 {
        let link = self.links[place].as_deref_mut().expect("it has been renewed");
        let ends = [usize::from(tx.streams).clamp(1, self.antennas[from]), self.antennas[to]];
        let grid = &self.grids[self.grid_of[from]];
        self.ratios.clear();
        for TonesInBlock { block, subchannel, bins: wanted } in grid.tones(tx) {
            link.compute_bins(block..block + 1, grid);
            let ratio = ratios.clone().nth(subchannel.min(ratios.len() - 1)).unwrap_or(0.0);
            let bins = |sender, receiver| link.bins(from, block, [sender, receiver]);
            let before = self.ratios.len();
            streams::ratios(bins, ends, ratio / ends[0] as f64, &mut self.ratios);
            // Bins come stream by stream.
            let mut kept = before;
            for place in before..self.ratios.len() {
                if wanted >> ((place - before) % BINS) & 1 == 1 {
                    self.ratios[kept] = self.ratios[place];
                    kept += 1;
                }
            }
            self.ratios.truncate(kept);
        }
        self.effective_ratio(tx)
    }

    /// The effective ratio of those that have been computed.
    fn effective_ratio(&mut self, tx: TxVector) -> f64 {
        // Error rates divide by the number of streams again.
        let all = f32::from(tx.streams.max(1));
        self.ratios.iter_mut().for_each(|ratio| *ratio *= all);
        self.tables.effective_sinr(tx, &self.ratios)
    }

    /// Brings what arrives over a link up to date, to be seen in the sender's channel; its place.
    fn renew(&mut self, time_ns: u64, from: usize, to: usize) -> usize {
        let (step, place) = (self.step.at(time_ns), pair::unordered(from, to));
        if self.links[place].is_none() {
            self.links[place] = Some(Box::new(self.draw(from, to)));
        }
        let link = self.links[place].as_deref_mut().expect("it has just been drawn");
        if !link.is_of(step) {
            let several = link.has_several_antennas();
            let surroundings = Surroundings {
                lines: &self.lines[usize::from(several)],
                correlation: if several { &self.correlation } else { &[] },
                sight: self.sight[place],
            };
            link.compute(step, &surroundings);
        }
        link.look_in(self.grid_of[from]);
        place
    }

    /// A link: the end with the lower address is the transmitter of the models.
    fn draw(&self, a: usize, b: usize) -> Link {
        let [lower, higher] = if self.addresses[a].0 <= self.addresses[b].0 { [a, b] } else { [b, a] };
        let antennas = [higher, lower].map(|nic| self.antennas[nic]);
        let lines = &self.lines[usize::from(antennas != [1, 1])];
        let ends = [lower, higher].map(|nic| self.addresses[nic]);
        let hertz_per_mps = self.hertz_per_mps[lower];
        let mut stream = Stream::new(self.seed, Purpose::Fading, ends[0], ends[1]);
        let pairs = antennas[0] * antennas[1];
        let mut sinusoids = Sinusoids::new(pairs * lines.all.len());
        for (number, line) in lines.all.iter().enumerate() {
            let vehicle = line.vehicle.then_some(hertz_per_mps);
            for pair in 0..pairs {
                let waves =
                    doppler::draw(self.spectrum, hertz_per_mps * line.speed_mps, vehicle, &mut stream);
                sinusoids.set(pair * lines.all.len() + number, &waves, self.step.length_ns as f64 / 1e9);
            }
        }
        Link::new(lower, antennas, sinusoids, lines, most_blocks(&self.grids))
    }
}

fn most_blocks(grids: &[Grid]) -> usize {
    grids.iter().map(|grid| grid.blocks).max().unwrap_or(0)
}

fn correlations(profile: &FadingProfile, antennas: usize) -> Vec<[Matrix; 2]> {
    let of = |angles: [[f64; 2]; 2]| angles.map(|end| correlation::factor(end, antennas));
    match profile {
        FadingProfile::Tgn { model } => {
            let clusters = PROFILES[*model as usize].clusters.iter();
            clusters.map(|cluster| of(cluster.angles)).collect()
        }
        FadingProfile::Taps { .. } => Vec::new(),
    }
}

impl Step {
    /// For this Doppler shift of the fastest tap.
    fn new(spectrum: DopplerSpectrum, doppler_hz: f64) -> Self {
        let rms_hz = libm::sqrt(doppler::mean_square(spectrum, doppler_hz));
        let length_ns = 1e9 * TURN_MAX / (std::f64::consts::TAU * rms_hz);
        // As of a float: a link that is still has the longest there is.
        Self { length_ns: (length_ns as u64).max(1), number: 0, start_ns: 0 }
    }

    /// The number of the step at this time.
    fn at(&mut self, time_ns: u64) -> u64 {
        if time_ns.wrapping_sub(self.start_ns) >= self.length_ns {
            self.number = time_ns / self.length_ns;
            self.start_ns = self.number * self.length_ns;
        }
        self.number
    }
}
