//! Block fading.
//!
//! Time from the epoch is cut into blocks of the coherence time. In each block a link has one power gain with mean
//! 1, the same in both directions (the channel is reciprocal) and over the whole width (flat). It is a pure function of
//! (seed, addresses, block): each block has a part of the link's random stream for itself. So it does not
//! matter which caller reads gains, in which order, or whether any does.

use airtcp_plan as plan;
use airtcp_plan::MacAddress;

use crate::channel::pair;
use crate::random::{Purpose, Stream};

/// The distribution of a power gain; its mean is 1.
#[derive(Clone, Copy, Debug)]
enum Distribution {
    /// Exponential.
    Rayleigh,
    /// A direct path beside many others, as amplitudes; their squares add up to 1.
    Rician { direct: f64, others: f64 },
    /// Gamma with this shape (Nakagami, The m-Distribution, in Statistical Methods in Radio Wave Propagation, 1960).
    Nakagami { shape: f64 },
}

/// The gains of all links.
#[derive(Debug)]
pub(in crate::channel) struct BlockFading {
    distribution: Distribution,
    coherence_ns: u64,
    seed: u64,
    addresses: Vec<MacAddress>,
    block: Block,
    /// By unordered pair: the gain in the block that was computed last.
    last: Vec<Gain>,
}

/// The block that was used last, so that most calls need no division.
#[derive(Debug)]
struct Block {
    number: u64,
    start_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Gain {
    /// [`NEVER`]: not computed yet.
    block: u64,
    value: f64,
}

/// No block has this number: it would begin at least 584 years after the epoch.
const NEVER: u64 = u64::MAX;

impl BlockFading {
    /// The fading of the plan; `None` if there is none.
    pub(in crate::channel) fn new(
        fading: &plan::Fading,
        addresses: Vec<MacAddress>,
        seed: u64,
    ) -> Option<Self> {
        let (distribution, coherence_ns) = match *fading {
            plan::Fading::None | plan::Fading::Tapped { .. } => return None,
            plan::Fading::Rayleigh { coherence_ns } => (Distribution::Rayleigh, coherence_ns),
            plan::Fading::Rician { k_db, coherence_ns } => {
                (Distribution::rician(libm::pow(10.0, k_db.get() / 10.0)), coherence_ns)
            }
            plan::Fading::Nakagami { m, coherence_ns } => (Distribution::Nakagami { shape: m }, coherence_ns),
        };
        let last = vec![Gain { block: NEVER, value: 1.0 }; pair::count(addresses.len())];
        let block = Block { number: 0, start_ns: 0 };
        Some(Self { distribution, coherence_ns, seed, addresses, block, last })
    }

    /// Power gain between two different NICs at this time from the epoch.
    #[inline]
    pub(in crate::channel) fn gain(&mut self, time_ns: u64, a: usize, b: usize) -> f64 {
        if time_ns.wrapping_sub(self.block.start_ns) >= self.coherence_ns {
            let number = time_ns / self.coherence_ns;
            self.block = Block { number, start_ns: number * self.coherence_ns };
        }
        let block = self.block.number;
        let place = pair::unordered(a, b);
        if self.last[place].block != block {
            self.last[place] = Gain { block, value: self.draw(block, a, b) };
        }
        self.last[place].value
    }

    fn draw(&self, block: u64, a: usize, b: usize) -> f64 {
        let ends = pair::addresses(&self.addresses, a, b);
        self.distribution.draw(&mut Stream::part(self.seed, Purpose::Fading, ends, block))
    }
}

impl Distribution {
    /// Rician fading, with `k` the power of the direct path over that of all others, as a ratio.
    fn rician(k: f64) -> Self {
        Self::Rician { direct: libm::sqrt(k / (k + 1.0)), others: libm::sqrt(1.0 / (k + 1.0)) }
    }

    fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Rayleigh => stream.exponential(),
            Self::Rician { direct, others } => {
                // Each axis has half the power of the others.
                let scale = others * std::f64::consts::FRAC_1_SQRT_2;
                let [x, y] = stream.normal_pair().map(|n| scale * n);
                (direct + x) * (direct + x) + y * y
            }
            Self::Nakagami { shape } => gamma(shape, stream) / shape,
        }
    }
}

/// Gamma distributed with this shape and scale 1 (Marsaglia and Tsang, A Simple Method for Generating Gamma Variables,
/// ACM Trans. Mathematical Software 26, 2000; sections 5 and 6). Less than one in twenty proposals is refused.
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    if shape < 1.0 {
        let boost = libm::exp(-stream.exponential() / shape);
        return gamma(shape + 1.0, stream) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = stream.normal();
        let root = 1.0 + c * x;
        let v = root * root * root;
        // ln U < x^2 / 2 + d (1 - v + ln v), with -ln U exponential.
        if v > 0.0 && -stream.exponential() < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests;
