//! The bursts of an on/off flow, shared by the threads of its two ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use airtcp_workload::{Bursts, Transfer, Want};

use super::spool::Entry;

/// Shared bursts; a waiting thread is woken when they change.
#[derive(Debug, Default)]
pub(super) struct SharedBursts {
    bursts: Mutex<Bursts>,
    changed: Condvar,
}

impl SharedBursts {
    fn locked(&self) -> MutexGuard<'_, Bursts> {
        self.bursts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the bursts, gives those that have ended by it to `ended`, and wakes the waiting thread.
    pub(super) fn update(&self, change: impl FnOnce(&mut Bursts), ended: impl FnMut(Transfer)) {
        let mut bursts = self.locked();
        change(&mut bursts);
        // Still locked: the other thread's come after them.
        bursts.take_ended().for_each(ended);
        drop(bursts);
        self.changed.notify_all();
    }

    /// What the receiver has to do next; sleeps while that is nothing.
    pub(super) fn wait(&self) -> Want {
        let wanting = |bursts: &mut Bursts| bursts.want() == Want::Nothing;
        let bursts = self.changed.wait_while(self.locked(), wanting).unwrap_or_else(PoisonError::into_inner);
        bursts.want()
    }

    /// Bytes that the receiver has read.
    pub(super) fn taken(&self) -> u64 {
        self.locked().taken()
    }

    /// The bursts that have not ended.
    pub(super) fn transfers(&self) -> Vec<Transfer> {
        self.locked().transfers()
    }
}

/// One read of bursts whose sender is on another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BurstRead {
    /// Time at which the read returned, from the epoch.
    pub(super) time_ns: u64,
    /// Bytes of this read and of all before it.
    pub(super) bytes: u64,
}

impl Entry for BurstRead {
    type Bytes = [u8; 16];
    const ZEROS: [u8; 16] = [0; 16];

    fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.time_ns) | u128::from(self.bytes) << 64).to_le_bytes()
    }

    fn from_bytes(bytes: &[u8; 16]) -> Self {
        let both = u128::from_le_bytes(*bytes);
        Self { time_ns: both as u64, bytes: (both >> 64) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_survives_the_disk() {
        let read = BurstRead { time_ns: u64::MAX - 3, bytes: 1 << 40 };
        assert_eq!(BurstRead::from_bytes(&read.to_bytes()), read);
    }
}
