//! Features of network devices by `SIOCETHTOOL` (Linux `include/uapi/linux/ethtool.h`).

#![expect(unsafe_code, reason = "ioctl(2) with structures of variable length")]

use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::{Errno, Result};

const ETHTOOL_GSTRINGS: u32 = 0x1b;
const ETHTOOL_GSSET_INFO: u32 = 0x37;
const ETHTOOL_GFEATURES: u32 = 0x3a;
const ETHTOOL_SFEATURES: u32 = 0x3b;
const ETH_SS_FEATURES: u32 = 4;
const ETH_GSTRING_LEN: usize = 32;
/// More feature names than any kernel has (64 in Linux 6.12).
const NAMES_MAX: u32 = 256;

/// Runs one ethtool command on a device of the namespace in which the socket was made.
fn command(socket: BorrowedFd<'_>, device: &str, words: &mut [u32]) -> Result<()> {
    let mut name = [0 as libc::c_char; libc::IFNAMSIZ];
    for (to, from) in name[..libc::IFNAMSIZ - 1].iter_mut().zip(device.bytes()) {
        *to = from.cast_signed();
    }
    let mut request = libc::ifreq {
        ifr_name: name,
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_data: words.as_mut_ptr().cast() },
    };
    // SAFETY: every caller sizes `words` for what its command reads and writes; both outlive the call.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut request) };
    if result >= 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).expect("the ioctl failed"))
}

/// Names of all features of this kernel, in the order of their bits.
pub(crate) fn feature_names(socket: BorrowedFd<'_>, device: &str) -> Result<Vec<String>> {
    // struct ethtool_sset_info: cmd, reserved, sset_mask (u64), data[1]
    let mut set = [ETHTOOL_GSSET_INFO, 0, 1 << ETH_SS_FEATURES, 0, 0, 0];
    command(socket, device, &mut set)?;
    let count = set[4].min(NAMES_MAX) as usize;
    // struct ethtool_gstrings: cmd, string_set, len, then 32 bytes each
    let mut words = vec![0; 3 + count * ETH_GSTRING_LEN / 4];
    words[..3].copy_from_slice(&[ETHTOOL_GSTRINGS, ETH_SS_FEATURES, count as u32]);
    command(socket, device, &mut words)?;
    let bytes: Vec<u8> = words[3..].iter().flat_map(|w| w.to_ne_bytes()).collect();
    let name = |b: &[u8]| b.iter().take_while(|&&c| c != 0).map(|&c| char::from(c)).collect();
    Ok(bytes.chunks(ETH_GSTRING_LEN).map(name).collect())
}

/// Active features of a device as a bit map, 32 per word.
pub(crate) fn active_features(socket: BorrowedFd<'_>, device: &str, count: usize) -> Result<Vec<u32>> {
    let blocks = count.div_ceil(32);
    // struct ethtool_gfeatures: cmd, size, then available, requested, active, never_changed per block
    let mut words = vec![0; 2 + 4 * blocks];
    words[..2].copy_from_slice(&[ETHTOOL_GFEATURES, blocks as u32]);
    command(socket, device, &mut words)?;
    Ok(words[2..].chunks(4).map(|block| block[2]).collect())
}

/// Switches those features whose bits are set in `mask` on or off, as in `on`. Those that can't be switched stay as they are.
pub(crate) fn set_features(socket: BorrowedFd<'_>, device: &str, mask: &[u32], on: &[u32]) -> Result<()> {
    // struct ethtool_sfeatures: cmd, size, then valid and requested per block
    let mut words = vec![ETHTOOL_SFEATURES, mask.len() as u32];
    words.extend(mask.iter().zip(on).flat_map(|(&valid, &requested)| [valid, requested]));
    command(socket, device, &mut words)
}
