//! Resource units: parts of a channel that HE and EHT give to one user, and what is left of a punctured channel.

mod allocation;
mod puncturing;
mod size;
mod tone_plan;
mod tone_share;

pub use allocation::{Allocation, Extent, ResourceUnit};
pub use puncturing::Puncturing;
pub use size::RuSize;
pub use tone_plan::{SUBCARRIER_SPACING_HZ, ToneRange, Tones};
pub use tone_share::ToneShare;
