//! Files whose pages shall not stay in the guest's memory.

#![expect(unsafe_code, reason = "sync_file_range(2)")]

use std::fs::File;
use std::num::NonZeroU64;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{Advice, fadvise};
use rustix::io::Result;

use super::option::errno;

/// Writes bytes to a file, hands them over to the host, and forgets their pages. The host keeps them where it wants: unlike
/// fsync(2), this does not wait for its disk.
pub(crate) fn write_and_forget(file: &File, bytes: &[u8], offset: u64) -> std::io::Result<()> {
    file.write_all_at(bytes, offset)?;
    hand_over(file, offset, bytes.len())?;
    Ok(forget(file, offset, bytes.len())?)
}

fn hand_over(file: &File, offset: u64, bytes: usize) -> Result<()> {
    let all =
        libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    // SAFETY: the descriptor is open, and the call touches no memory of the process.
    let done = unsafe {
        libc::sync_file_range(file.as_raw_fd(), offset.cast_signed(), (bytes as u64).cast_signed(), all)
    };
    if done == 0 { Ok(()) } else { Err(errno()) }
}

/// Forgets the pages of these bytes, which are not changed.
pub(crate) fn forget(file: &File, offset: u64, bytes: usize) -> Result<()> {
    match NonZeroU64::new(bytes as u64) {
        Some(length) => fadvise(file, offset, Some(length), Advice::DontNeed),
        None => Ok(()),
    }
}
