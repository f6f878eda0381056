//! The response of one link.

use std::ops::Range;

use super::complex::Complex;
use super::correlation::Matrix;
use super::grid::{BINS, Bins, Grid};
use super::lines::Lines;
use super::sinusoids::Sinusoids;
use crate::phy::TxVector;

/// No step has this number.
const NEVER: u64 = u64::MAX;

/// Direct paths leave and arrive at this angle from the line of antennas' normal: `sin 45` degrees (IEEE 802.11-03/940r4).
const DIRECT_SINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Effective ratios that are kept.
const RECENT: usize = 8;

/// A link with its response at one step. Pairs of antennas are in the order of the antennas of the NIC with the higher address, then
/// of the other one's.
#[derive(Debug)]
pub(super) struct Link {
    /// The NIC with the lower address.
    lower: usize,
    /// Antennas of the NIC with the higher address, and of the other one.
    antennas: [usize; 2],
    sinusoids: Sinusoids,
    step: u64,
    grid: usize,
    /// By pair of antennas, then line.
    lines: Parts,
    /// By pair of antennas, then delay.
    delays: Parts,
    /// By block, then pair of antennas.
    response: Vec<Bins>,
    /// Blocks that have been computed, one bit each: up to 16 subchannels with 8 blocks each.
    computed: u128,
    /// Mean power gain over all of them, if it has been computed.
    mean: Option<f64>,
    recent: [Option<Recent>; RECENT],
    /// Index of the entry of `recent` that is replaced next.
    oldest: usize,
}

/// Real and imaginary parts of many complex numbers.
#[derive(Debug)]
struct Parts {
    re: Vec<f32>,
    im: Vec<f32>,
}

/// An effective ratio that was computed at this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recent {
    pub(super) from: usize,
    pub(super) tx: TxVector,
    pub(super) ratio: f64,
    pub(super) effective: f64,
}

/// What a response depends on beside the link.
#[derive(Debug)]
pub(super) struct Surroundings<'a> {
    pub(super) lines: &'a Lines,
    /// By cluster; none: antennas are not correlated.
    pub(super) correlation: &'a [[Matrix; 2]],
    pub(super) sight: bool,
}

impl Link {
    /// Room for the response in so many blocks is taken at once.
    pub(super) fn new(
        lower: usize,
        antennas: [usize; 2],
        sinusoids: Sinusoids,
        lines: &Lines,
        blocks: usize,
    ) -> Self {
        let pairs = antennas[0] * antennas[1];
        Self {
            lower,
            antennas,
            sinusoids,
            step: NEVER,
            grid: 0,
            lines: Parts::zero(pairs * lines.all.len()),
            delays: Parts::zero(pairs * lines.delays_ns.len()),
            response: vec![Bins::ZERO; pairs * blocks],
            computed: 0,
            mean: None,
            recent: [None; RECENT],
            oldest: 0,
        }
    }

    pub(super) fn has_several_antennas(&self) -> bool {
        self.antennas != [1, 1]
    }

    pub(super) fn is_of(&self, step: u64) -> bool {
        self.step == step
    }

    /// The response is computed anew when it is next asked for.
    pub(super) fn forget(&mut self) {
        self.step = NEVER;
    }

    /// Sets the grid in which the response is computed from now on.
    pub(super) fn look_in(&mut self, grid: usize) {
        if self.grid != grid {
            self.grid = grid;
            self.forget_bins();
        }
    }

    fn forget_bins(&mut self) {
        (self.computed, self.mean, self.recent) = (0, None, [None; RECENT]);
    }

    #[expect(clippy::float_cmp, reason = "the same ratio gives the same result to the last bit")]
    pub(super) fn recent(&self, from: usize, tx: TxVector, ratio: f64) -> Option<f64> {
        let same = |r: &&Recent| r.from == from && r.tx == tx && r.ratio == ratio;
        self.recent.iter().flatten().find(same).map(|recent| recent.effective)
    }

    pub(super) fn keep(&mut self, recent: Recent) {
        self.recent[self.oldest] = Some(recent);
        self.oldest = (self.oldest + 1) % RECENT;
    }

    /// Computes what arrives at each delay in this step.
    pub(super) fn compute(&mut self, step: u64, surroundings: &Surroundings<'_>) {
        self.forget_bins();
        self.step = step;
        self.sinusoids.sum(step, &mut self.lines.re, &mut self.lines.im);
        let Surroundings { lines, correlation, sight } = *surroundings;
        for (cluster, of_cluster) in lines.clusters.iter().zip(correlation) {
            self.lines.correlate(self.antennas, lines.all.len(), cluster.clone(), of_cluster);
        }
        self.delays.re.fill(0.0);
        self.delays.im.fill(0.0);
        let (count, delays) = (lines.all.len(), lines.delays_ns.len());
        let amplitudes = &lines.scattered[usize::from(sight)];
        for pair in 0..self.antennas[0] * self.antennas[1] {
            let values = self.lines.re[pair * count..][..count].iter().zip(&self.lines.im[pair * count..]);
            for (((re, im), amplitude), delay) in values.zip(amplitudes).zip(&lines.delay_of) {
                self.delays.re[pair * delays + delay] += amplitude * re;
                self.delays.im[pair * delays + delay] += amplitude * im;
            }
        }
        self.add_direct(lines, sight);
    }

    fn add_direct(&mut self, lines: &Lines, sight: bool) {
        let direct = lines.all.iter().map(|line| line.direct[usize::from(sight)]);
        for (direct, delay) in direct.zip(&lines.delay_of).filter(|(direct, _)| *direct > 0.0) {
            for pair in 0..self.antennas[0] * self.antennas[1] {
                let apart = pair / self.antennas[1] + pair % self.antennas[1];
                let path = Complex::unit(std::f64::consts::PI * apart as f64 * DIRECT_SINE).scale(direct);
                let place = pair * lines.delays_ns.len() + delay;
                self.delays.re[place] += path.re as f32;
                self.delays.im[place] += path.im as f32;
            }
        }
    }

    /// Computes those of the blocks that are not there yet.
    pub(super) fn compute_bins(&mut self, blocks: Range<usize>, grid: &Grid) {
        let pairs = self.antennas[0] * self.antennas[1];
        let computed = self.computed;
        for block in blocks.filter(|s| computed >> s & 1 == 0) {
            let steering = grid.steering(block);
            let delays = steering.len();
            for pair in 0..pairs {
                let gains = self.delays.re[pair * delays..].iter().zip(&self.delays.im[pair * delays..]);
                let mut sum = Bins::ZERO;
                for ((&re, &im), turns) in gains.zip(steering) {
                    sum.add([re, im], turns);
                }
                self.response[block * pairs + pair] = sum;
            }
            self.computed |= 1 << block;
        }
    }

    /// Mean power gain over the grid's channel and all antennas.
    pub(super) fn mean(&mut self, grid: &Grid) -> f64 {
        if let Some(mean) = self.mean {
            return mean;
        }
        self.compute_bins(0..grid.blocks, grid);
        let values = &self.response[..grid.blocks * self.antennas[0] * self.antennas[1]];
        let mut powers = [0.0; BINS];
        for bins in values {
            bins.add_powers(&mut powers);
        }
        let mean = powers.into_iter().map(f64::from).sum::<f64>() / (values.len() * BINS) as f64;
        self.mean = Some(mean);
        mean
    }

    /// What the receiver's antenna gets of the sender's in the bins of a block.
    pub(super) fn bins(&self, from: usize, block: usize, [sender, receiver]: [usize; 2]) -> &Bins {
        let [pairs, columns] = [self.antennas[0] * self.antennas[1], self.antennas[1]];
        let pair = if from == self.lower { receiver * columns + sender } else { sender * columns + receiver };
        &self.response[block * pairs + pair]
    }

    #[cfg(test)]
    pub(super) const fn lower(&self) -> usize {
        self.lower
    }

    /// Response of the first pair of antennas in all bins.
    #[cfg(test)]
    pub(super) fn response(&mut self, grid: &Grid) -> Vec<Complex> {
        self.compute_bins(0..grid.blocks, grid);
        let all = (0..grid.blocks).flat_map(|s| {
            let bins = self.bins(self.lower, s, [0, 0]);
            bins.re.iter().zip(&bins.im).map(|(&re, &im)| Complex { re: re.into(), im: im.into() })
        });
        all.collect()
    }
}

impl Parts {
    fn zero(count: usize) -> Self {
        Self { re: vec![0.0; count], im: vec![0.0; count] }
    }

    /// Replaces `G` by `left G right^T` for the lines of a cluster, with lower triangular factors: from the last antenna to the
    /// first, so that none is read after it has been replaced. There are `count` lines of each pair.
    fn correlate(
        &mut self,
        [rows, columns]: [usize; 2],
        count: usize,
        cluster: Range<usize>,
        [left, right]: &[Matrix; 2],
    ) {
        let place = |row: usize, column: usize| (row * columns + column) * count;
        for row in (0..rows).rev() {
            for column in 0..columns {
                let own = place(row, column);
                self.scale(own, cluster.clone(), left[row][row].re);
                for (other, &factor) in left[row].iter().enumerate().take(row) {
                    self.add(own, place(other, column), cluster.clone(), factor);
                }
            }
        }
        for column in (0..columns).rev() {
            for row in 0..rows {
                let own = place(row, column);
                self.scale(own, cluster.clone(), right[column][column].re);
                for (other, &factor) in right[column].iter().enumerate().take(column) {
                    self.add(own, place(row, other), cluster.clone(), factor);
                }
            }
        }
    }

    fn scale(&mut self, start: usize, within: Range<usize>, by: f64) {
        let by = by as f32;
        for parts in [&mut self.re, &mut self.im] {
            parts[start..][within.clone()].iter_mut().for_each(|part| *part *= by);
        }
    }

    /// Adds what is further ahead times a factor.
    fn add(&mut self, start: usize, ahead: usize, within: Range<usize>, factor: Complex) {
        let (f_re, f_im) = (factor.re as f32, factor.im as f32);
        let (re_ahead, re) = self.re.split_at_mut(start);
        let (im_ahead, im) = self.im.split_at_mut(start);
        let ahead = re_ahead[ahead..][within.clone()].iter().zip(&im_ahead[ahead..][within.clone()]);
        let own = re[within.clone()].iter_mut().zip(&mut im[within]);
        for ((re, im), (other_re, other_im)) in own.zip(ahead) {
            *re += f_re * other_re - f_im * other_im;
            *im += f_re * other_im + f_im * other_re;
        }
    }
}
