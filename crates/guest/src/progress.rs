//! The progress of the run, for the runner: a small mapped file.
//!
//! A store to mapped memory costs nothing and needs no system call, so it is
//! done at every event. The runner also sees in it whether virtual time still advances.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use airtcp_units::Instant;
use memmap2::{Advice, MmapMut};
use rustix::time::{ClockId, clock_gettime};

/// Three little-endian u64: virtual nanoseconds since boot, events handled, and the
/// nanoseconds of CPU time that the guest had taken when it sent its first frame.
const SIZE: usize = 24;

/// The writer's side.
#[derive(Debug)]
pub struct Progress {
    file: MmapMut,
    sent: bool,
}

impl Progress {
    /// Creates the file.
    ///
    /// # Errors
    /// An error of the file system.
    #[expect(unsafe_code, reason = "mapping a file")]
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        // Not a hole: should the disk be full when it is first filled, the process would be killed (SIGBUS).
        file.write_all(&[0; SIZE])?;
        // SAFETY: the run's own file, which nobody truncates while the guest lives;
        // readers only read, and a torn read shows a wrong number for one moment.
        let file = unsafe { MmapMut::map_mut(&file)? };
        // The guest's processes start as copies of the kernel's: none of them has this page, which the watcher believes.
        file.advise(Advice::DontFork)?;
        Ok(Self { file, sent: false })
    }

    /// Shows this time and this many events.
    #[inline]
    pub fn show(&mut self, now: Instant, events: u64) {
        self.file[..8].copy_from_slice(&now.as_nanos().to_le_bytes());
        self.file[8..16].copy_from_slice(&events.to_le_bytes());
    }

    /// The guest sends a frame; the cost of getting there is kept for the first. This is the
    /// one clock of the host that is read here, and nothing of the run depends on it.
    pub fn frame_sent(&mut self) {
        if !self.sent {
            self.sent = true;
            let cpu = clock_gettime(ClockId::ProcessCPUTime);
            let ns = cpu.tv_sec.cast_unsigned() * 1_000_000_000 + cpu.tv_nsec.cast_unsigned();
            self.file[16..].copy_from_slice(&ns.to_le_bytes());
        }
    }
}
