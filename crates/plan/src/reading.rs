//! Plans and scenes are read.

use serde::Deserialize;

use crate::check::PlanError;
use crate::{PLAN_VERSION, Plan};

impl Plan {
    /// Reads a plan and checks it as a whole.
    ///
    /// # Errors
    /// [`PlanError`] naming the key at fault: not JSON, an unknown or missing
    /// key, another version, or a value that contradicts another.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        let plan: Self = read(text)?;
        plan.check()?;
        Ok(plan)
    }

    /// The plan's one canonical text, over which its identity is computed.
    pub fn to_canonical_json(&self) -> String {
        serde_json::to_string(self).expect("a plan holds only finite numbers and strings")
    }
}

/// Reads a plan or a scene; one of another version is refused as such, and not for the keys that this version has.
pub(crate) fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, PlanError> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    match serde_json::from_str::<Head>(text) {
        Ok(Head { version: found }) if found != PLAN_VERSION => Err(PlanError::Version { found }),
        _ => serde_json::from_str(text).map_err(|error| PlanError::Format(error.to_string())),
    }
}
