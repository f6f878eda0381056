//! The response of one link.

use super::complex::Complex;
use super::correlation::{ANTENNAS, Matrix};
use super::doppler::{WAVES, Wave};
use super::grid::Grid;
use super::lines::Line;
use super::streams::Columns;
use crate::phy::TxVector;

/// No step has this number.
const NEVER: u64 = u64::MAX;

/// Direct paths leave and arrive at this angle from the line of antennas' normal: `sin 45` degrees (IEEE 802.11-03/940r4).
const DIRECT_SINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Effective ratios that are kept.
const RECENT: usize = 8;

/// A link with its response at one step.
#[derive(Debug)]
pub(super) struct Link {
    /// The NIC with the lower address.
    lower: usize,
    /// Of the NIC with the higher address, and of this one.
    antennas: [usize; 2],
    /// By line, then antenna of the higher, then of the lower.
    waves: Vec<[Wave; WAVES]>,
    step: u64,
    grid: usize,
    bins: usize,
    /// By antenna of the higher, then of the lower, then bin.
    response: Vec<Complex>,
    /// Mean power gain over all of them.
    pub(super) mean: f64,
    recent: [Option<Recent>; RECENT],
    /// Which of them is replaced next.
    oldest: usize,
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
    pub(super) lines: &'a [Line],
    pub(super) correlation: &'a [[Matrix; 2]],
    pub(super) grid: &'a Grid,
    pub(super) sight: bool,
}

impl Link {
    /// Room for `bins` is taken at once.
    pub(super) fn new(lower: usize, antennas: [usize; 2], waves: Vec<[Wave; WAVES]>, bins: usize) -> Self {
        let response = Vec::with_capacity(bins * antennas[0] * antennas[1]);
        let (step, mean, recent) = (NEVER, 1.0, [None; RECENT]);
        Self { lower, antennas, waves, step, grid: 0, bins: 0, response, mean, recent, oldest: 0 }
    }

    pub(super) fn has_several_antennas(&self) -> bool {
        self.antennas != [1, 1]
    }

    pub(super) fn is_of(&self, step: u64, grid: usize) -> bool {
        self.step == step && self.grid == grid
    }

    pub(super) fn mark(&mut self, step: u64, grid: usize) {
        (self.step, self.grid) = (step, grid);
    }

    /// The response is computed anew when it is next asked for.
    pub(super) fn forget(&mut self) {
        self.step = NEVER;
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

    /// Computes the response at this time from the epoch.
    pub(super) fn compute(&mut self, time_s: f64, surroundings: &Surroundings<'_>) {
        let [rows, columns] = self.antennas;
        let pairs = rows * columns;
        self.bins = surroundings.grid.bins;
        self.response.clear();
        self.response.resize(self.bins * pairs, Complex::ZERO);
        self.recent = [None; RECENT];
        let steering = surroundings.grid.steering(self.has_several_antennas()).chunks_exact(self.bins);
        let waves = self.waves.chunks_exact(pairs);
        for ((line, waves), steering) in surroundings.lines.iter().zip(waves).zip(steering) {
            let gains = gains(waves, time_s, self.antennas, line, surroundings);
            for (pair, response) in self.response.chunks_exact_mut(self.bins).enumerate() {
                let gain = gains[pair / columns][pair % columns];
                for (bin, turn) in response.iter_mut().zip(steering) {
                    *bin = *bin + gain * *turn;
                }
            }
        }
        let power: f64 = self.response.iter().map(|bin| bin.norm()).sum();
        self.mean = power / self.response.len() as f64;
    }

    /// What the receiver's antennas get of each of the sender's first antennas in a bin.
    pub(super) fn columns(&self, from: usize, bin: usize, [senders, receivers]: [usize; 2]) -> Columns {
        let mut columns = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
        for (k, column) in columns.iter_mut().enumerate().take(senders) {
            for (r, value) in column.iter_mut().enumerate().take(receivers) {
                let pair =
                    if from == self.lower { r * self.antennas[1] + k } else { k * self.antennas[1] + r };
                *value = self.response[pair * self.bins + bin];
            }
        }
        columns
    }

    #[cfg(test)]
    pub(super) const fn lower(&self) -> usize {
        self.lower
    }

    #[cfg(test)]
    pub(super) fn waves(&self) -> &[[Wave; WAVES]] {
        &self.waves
    }

    #[cfg(test)]
    pub(super) fn response(&self) -> &[Complex] {
        &self.response
    }
}

/// Gains of one line at this time, by antenna of the higher and of the lower NIC: `L G L'^T` and the direct path.
fn gains(
    waves: &[[Wave; WAVES]],
    time_s: f64,
    [rows, columns]: [usize; 2],
    line: &Line,
    surroundings: &Surroundings<'_>,
) -> Matrix {
    let sight = usize::from(surroundings.sight);
    let (scattered, direct) = (line.scattered[sight], line.direct[sight]);
    let mut gains = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
    for (pair, waves) in waves.iter().enumerate() {
        let sum = waves.iter().fold(Complex::ZERO, |sum, wave| {
            sum + Complex::unit(wave.rate * time_s + wave.phase).scale(wave.amplitude)
        });
        gains[pair / columns][pair % columns] = sum.scale(scattered);
    }
    if rows * columns > 1 {
        let [receive, transmit] = &surroundings.correlation[line.cluster];
        gains = correlated(&gains, [receive, transmit], [rows, columns]);
    }
    if direct > 0.0 {
        for (i, row) in gains.iter_mut().enumerate().take(rows) {
            for (j, gain) in row.iter_mut().enumerate().take(columns) {
                let angle = std::f64::consts::PI * (i + j) as f64 * DIRECT_SINE;
                *gain = *gain + Complex::unit(angle).scale(direct);
            }
        }
    }
    gains
}

/// `left G right^T`, with lower triangular factors.
fn correlated(gains: &Matrix, [left, right]: [&Matrix; 2], [rows, columns]: [usize; 2]) -> Matrix {
    let mut half = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
    for i in 0..rows {
        for j in 0..columns {
            let terms = (0..=i).map(|k| left[i][k] * gains[k][j]);
            half[i][j] = terms.fold(Complex::ZERO, |sum, term| sum + term);
        }
    }
    let mut whole = [[Complex::ZERO; ANTENNAS]; ANTENNAS];
    for i in 0..rows {
        for j in 0..columns {
            let terms = (0..=j).map(|k| half[i][k] * right[j][k]);
            whole[i][j] = terms.fold(Complex::ZERO, |sum, term| sum + term);
        }
    }
    whole
}
