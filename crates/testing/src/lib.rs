//! What tests of several crates share.

pub mod c_header;
pub mod golden_plans;
pub mod plans;
pub mod series;
pub mod split_plan;
