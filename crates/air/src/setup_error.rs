//! Why a plan has no air.

use thiserror::Error;

/// A plan that can't be modelled: the thing, the place, the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{key}: {reason}; {remedy}")]
pub struct SetupError {
    /// Path of the key in the plan, for example `air.cells[0].channel.primary_mhz`.
    pub key: String,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}

impl SetupError {
    pub(crate) fn new(key: impl Into<String>, reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { key: key.into(), reason: reason.into(), remedy: remedy.into() }
    }
}

/// What a check of a plan says.
pub(crate) type Check = Result<(), SetupError>;

/// Refuses a plan for the reason of [`SetupError::new`].
pub(crate) fn refuse<T>(
    key: impl Into<String>,
    reason: impl Into<String>,
    remedy: &str,
) -> Result<T, SetupError> {
    Err(SetupError::new(key, reason, remedy))
}
