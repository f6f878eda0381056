//! Records of what happened on the air.

mod ppdu;
mod sample;

pub use ppdu::{PpduKind, PpduOutcome, PpduRecord};
pub use sample::NicSample;
pub(crate) use sample::Sampler;
