//! What programs in a node can use of its radios: control sockets of hostapd and `wpa_supplicant`, and debugfs.

use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, mkdirat};
use rustix::io::Errno;

use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::sys::child::Extras;

/// Holds a folder for each node.
const NODES: &str = "/run/airtcp-nodes";
/// Where the daemons and their clients look, in a node.
pub(super) const HOSTAPD: &str = "/run/hostapd";
pub(super) const WPA_SUPPLICANT: &str = "/run/wpa_supplicant";

/// Longest name of a host (`__NEW_UTS_LEN` of include/uapi/linux/utsname.h).
const HOSTNAME_MAX: usize = 64;

/// The plan has radios of mac80211.
static RADIOS: AtomicBool = AtomicBool::new(false);

fn make(path: &str) -> Outcome<()> {
    match mkdirat(CWD, path, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(because("a folder can't be made", path, KERNEL_REMEDY)(error)),
    }
}

/// Before any radio is set up.
pub(super) fn prepare() -> Outcome<()> {
    RADIOS.store(true, Ordering::Release);
    [NODES, HOSTAPD, WPA_SUPPLICANT].into_iter().try_for_each(make)
}

/// Creates the folders for control sockets of one node.
pub(super) fn prepare_node(node: &str) -> Outcome<()> {
    make(&format!("{NODES}/{node}"))?;
    [HOSTAPD, WPA_SUPPLICANT].into_iter().try_for_each(|folder| make(&own(node, folder)))
}

fn own(node: &str, folder: &str) -> String {
    format!("{NODES}/{node}/{}", folder.trim_start_matches("/run/"))
}

/// What a program in this node has beside what every program has.
pub(crate) fn extras(node: &str) -> Extras {
    let path = |text: &str| CString::new(text).expect("paths and names have no zero");
    let folders = [HOSTAPD, WPA_SUPPLICANT].into_iter();
    let present = folders.filter(|folder| Path::new(&own(node, folder)).exists());
    Extras {
        binds: present.map(|folder| [path(&own(node, folder)), path(folder)]).collect(),
        debugfs: RADIOS.load(Ordering::Acquire),
        hostname: (node.len() <= HOSTNAME_MAX).then(|| path(node)),
        ..Extras::default()
    }
}
