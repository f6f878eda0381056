//! The model without a guest: built-in sources play the hosts.
//!
//! ```text
//!  Source --offer--> HostNic (open, stopped) --transmit--> World --actions--> Driver
//!    ^ allowance, due frames                                 Sent, Dropped, Wake: the next frame
//!    `-- Deliver: order, delay                               Hold, Release, Relay: the slab of frames
//! ```
//! [`run_scene`] runs an [`AirScene`] from its start to its end and reports its measured interval. Nothing polls: frames enter when
//! they are due, or when the NIC reports that one has left. A frame costs no allocation.

mod agenda;
mod delay_histogram;
mod driver;
mod frame_slab;
mod host_nic;
mod report;
mod shared_txops;
mod source;
#[cfg(test)]
mod tests;

use airtcp_plan::AirScene;
use airtcp_plan::scene_report::SceneReport;

use crate::SetupError;
use driver::Driver;

pub use shared_txops::shared_txops;

/// Runs a scene that has been checked ([`AirScene::check`]).
///
/// # Errors
/// [`SetupError`] with the key at fault if the scene has something that does not exist or is not modelled.
pub fn run_scene(scene: &AirScene) -> Result<SceneReport, SetupError> {
    Ok(Driver::new(scene, false)?.run())
}
