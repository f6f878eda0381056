//! Radios of mac80211, with a FIFO in place of mac80211.

mod control;
mod exchanges;
mod fake;
mod fleet;
mod multi_user;
mod properties;
mod same_air;
mod tuning;
