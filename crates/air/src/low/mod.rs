//! The lower half of the MAC: from winning the medium to the end of a frame exchange.

pub(crate) mod contention;
