//! From the empty initramfs to a root in which programs of the host run.

mod devices;
mod root;

pub(crate) use root::{WORK, build_root};
