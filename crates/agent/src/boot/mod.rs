//! From the empty initramfs to a root in which programs of the host run.

mod devices;
mod root;
mod surroundings;

pub(crate) use root::{WORK, build_root};
pub(crate) use surroundings::{SCENARIO, furnish};
