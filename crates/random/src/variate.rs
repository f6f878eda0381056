//! Numbers with a distribution.

use airtcp_plan::Variate;

use crate::Stream;

/// The next number of this distribution. The plan has checked its parameters.
pub fn draw(variate: &Variate, stream: &mut Stream) -> u64 {
    match *variate {
        Variate::Constant { value } => value,
        Variate::Exponential { mean } => rounded(mean as f64 * stream.exponential()),
        Variate::Uniform { least, most } => least + (stream.unit() * ((most - least) as f64 + 1.0)) as u64,
        Variate::Lognormal { median, sigma, least, most } => loop {
            // The plan's check lets at most half be drawn again.
            let drawn = median as f64 * libm::exp(sigma * stream.normal());
            let above = least.is_none_or(|least| drawn >= least as f64);
            if above && most.is_none_or(|most| drawn <= most as f64) {
                return rounded(drawn);
            }
        },
        Variate::Pareto { scale, shape, most, less } => {
            let drawn = scale as f64 * libm::pow(1.0 - stream.unit(), -1.0 / shape);
            rounded(most.map_or(drawn, |most| drawn.min(most as f64))) - less
        }
    }
}

fn rounded(drawn: f64) -> u64 {
    libm::round(drawn) as u64
}
