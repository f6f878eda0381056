//! From the empty initramfs to a root in which programs of the host run.

mod devices;
mod limits;
mod modules;
mod root;
mod scenario_files;
mod work;

pub(crate) use limits::raise_limits;
pub(crate) use modules::{forbid_modules, load_modules};
pub(crate) use root::build_root;
pub(crate) use scenario_files::furnish;
pub(crate) use work::separate;
