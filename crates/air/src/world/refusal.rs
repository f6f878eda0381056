//! Why a plan is not modelled.

use crate::SetupError;

pub(super) type Check = Result<(), SetupError>;

pub(super) fn refuse(key: impl Into<String>, reason: impl Into<String>, remedy: &str) -> Check {
    Err(SetupError::new(key, reason, remedy))
}
