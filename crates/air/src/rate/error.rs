//! Errors in the rate control of a plan.

use thiserror::Error;

use crate::phy::{Format, IllegalMode};

/// Why rate control, or a set of rates, can't be built as planned.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum RateError {
    /// A fixed mode that the link does not have.
    #[error("{mode} is not a mode of this link; it has {legal}")]
    NotOfLink {
        /// The mode.
        mode: String,
        /// The modes it could be.
        legal: String,
    },
    /// What the standard of the link does not have.
    #[error(transparent)]
    Illegal(#[from] IllegalMode),
    /// A parameter outside its range.
    #[error("`{parameter}` of rate control `{algorithm}` is {value}; it must be {legal}")]
    Parameter {
        /// The algorithm's name in a plan.
        algorithm: &'static str,
        /// The parameter's name in a plan.
        parameter: &'static str,
        /// Value of the parameter.
        value: f64,
        /// Range of the parameter.
        legal: &'static str,
    },
    /// Legacy Minstrel on rates with spatial streams.
    #[error("rate control `minstrel` has no {format} rates; use `minstrel_ht`")]
    NeedsMinstrelHt {
        /// The format of the link's rates.
        format: Format,
    },
}

impl RateError {
    /// Refuses a parameter that is zero.
    pub(super) fn unless_positive(
        algorithm: &'static str,
        parameter: &'static str,
        value: u32,
    ) -> Result<(), Self> {
        if value > 0 {
            return Ok(());
        }
        Err(Self::Parameter { algorithm, parameter, value: f64::from(value), legal: "at least 1" })
    }

    /// Refuses a factor that is below one or not finite.
    pub(super) fn unless_factor(
        algorithm: &'static str,
        parameter: &'static str,
        value: f64,
    ) -> Result<(), Self> {
        if value >= 1.0 && value.is_finite() {
            return Ok(());
        }
        Err(Self::Parameter { algorithm, parameter, value, legal: "at least 1 and finite" })
    }

    /// Refuses a share above a hundred percent.
    pub(super) fn unless_percent(
        algorithm: &'static str,
        parameter: &'static str,
        value: u32,
    ) -> Result<(), Self> {
        if value <= 100 {
            return Ok(());
        }
        Err(Self::Parameter { algorithm, parameter, value: f64::from(value), legal: "at most 100" })
    }
}
