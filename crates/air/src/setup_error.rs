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
