//! Numbers that are drawn: sizes, times, counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a number is drawn each time it is needed. The key that holds it names its unit. The drawn value is rounded to a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Variate {
    /// Always the same.
    Constant {
        /// The value.
        value: u64,
    },
    /// Exponential.
    Exponential {
        /// Mean of the distribution.
        mean: u64,
    },
    /// Uniform, both limits included.
    Uniform {
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// Log-normal. A value outside of the limits is drawn again.
    Lognormal {
        /// Median of the distribution.
        median: u64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
        /// Smallest value.
        least: Option<u64>,
        /// Largest value.
        most: Option<u64>,
    },
    /// Pareto: above `x` with probability `(scale / x)^shape`.
    Pareto {
        /// Smallest value.
        scale: u64,
        /// Shape of the distribution; with 1 or less there is no mean.
        shape: f64,
        /// Larger values are replaced by this one.
        most: Option<u64>,
        /// Subtracted from the value, as the last step.
        less: u64,
    },
}

/// Widest log-normal distribution: its 99.9th percentile is 2 million times the median at sigma 4.7.
const SIGMA_MAX: f64 = 10.0;

impl Variate {
    /// Checks the parameters.
    ///
    /// # Errors
    /// The limits exclude all values, or a parameter is out of range.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            Self::Uniform { least, most } if least > most => {
                Err(format!("least {least} is more than most {most}"))
            }
            Self::Constant { .. } | Self::Exponential { .. } | Self::Uniform { .. } => Ok(()),
            Self::Lognormal { median, sigma, least, most } => {
                if median == 0 || !(0.0..=SIGMA_MAX).contains(&sigma) {
                    return Err(format!("median must be more than 0 and sigma from 0 to {SIGMA_MAX}"));
                }
                // Draws outside are repeated: half of them at most.
                if least.is_some_and(|least| least > median) || most.is_some_and(|most| most < median) {
                    return Err(format!("the median {median} must be between least and most"));
                }
                Ok(())
            }
            Self::Pareto { scale, shape, most, less } => {
                if scale == 0 || shape.is_nan() || shape <= 0.0 {
                    return Err("scale and shape must be more than 0".to_owned());
                }
                if most.is_some_and(|most| most < scale) || less > scale {
                    return Err(format!(
                        "most must be at least the scale {scale}, and less must be at most the scale"
                    ));
                }
                Ok(())
            }
        }
    }

    /// The smallest value that can be drawn.
    pub fn least(&self) -> u64 {
        match *self {
            Self::Constant { value } => value,
            Self::Exponential { .. } => 0,
            Self::Uniform { least, .. } => least,
            Self::Lognormal { least, .. } => least.unwrap_or(0),
            Self::Pareto { scale, less, .. } => scale.saturating_sub(less),
        }
    }
}
