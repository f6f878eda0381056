//! What is noted of exchanges and PPDUs, for records, captures and counters.

mod answers;
mod capturing;
mod mode_counts;

pub(crate) use answers::{Answers, no_bitmap};
pub(crate) use capturing::Capturing;
pub(crate) use mode_counts::ModeCounts;
