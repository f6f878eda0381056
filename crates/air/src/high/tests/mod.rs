//! The upper half under a lower half that does what a test says.

mod aggregates;
mod block_ack_reqs;
mod exchanges;
mod host;
mod limits;
mod lower;
mod meshes;
mod plans;
mod properties;
mod refusals;
