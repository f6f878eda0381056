//! The name of a run: a hash of all that its result depends on.

use airtcp_plan::Plan;
use sha2::{Digest, Sha256};

use crate::installation::{Installation, file_hash, hex};

/// The parts that compute runs: the same for every plan.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Hash of the kernel.
    pub kernel_id: String,
    /// SHA-256 of the guest library: the model.
    pub library_sha256: String,
    /// SHA-256 of the agent.
    pub agent_sha256: String,
}

impl Engine {
    /// The engine of these parts.
    ///
    /// # Errors
    /// A part can't be read.
    pub fn of(parts: &Installation) -> std::io::Result<Self> {
        Ok(Self {
            kernel_id: parts.kernel_info.id.clone(),
            library_sha256: file_hash(&parts.library)?,
            agent_sha256: file_hash(&parts.agent)?,
        })
    }
}

/// The name of a run, and the hashes that it is made of.
#[derive(Clone, Debug)]
pub struct Identity {
    /// 16 hexadecimal digits.
    pub run: String,
    /// SHA-256 of the canonical plan.
    pub plan_sha256: String,
    /// What makes it.
    pub engine: Engine,
}

impl Identity {
    /// The identity of this plan with these parts. Two builds of equal source give
    /// equal parts; where they don't, the run is computed again rather than mixed up.
    pub fn of(plan: &Plan, engine: Engine) -> Self {
        let plan_sha256 = hex(&Sha256::digest(plan.to_canonical_json()));
        let mut all = Sha256::new();
        for part in [&plan_sha256, &engine.kernel_id, &engine.library_sha256, &engine.agent_sha256] {
            all.update(part.as_bytes());
            all.update(b"\n");
        }
        let run = hex(&all.finalize())[..16].to_owned();
        Self { run, plan_sha256, engine }
    }
}
