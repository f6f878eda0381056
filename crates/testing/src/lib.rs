//! What tests of several crates share.

pub mod c_header;
pub mod series;
