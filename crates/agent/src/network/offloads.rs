//! Segmentation and receive offloads are off, and read back to prove it.
//!
//! With them a queue of 100 packets may hold 100 packets of 64 KiB.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::sys::ethtool;

const PLACE: &str = "offloads";

/// The features to switch off, by their bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offloads {
    names: Vec<String>,
    segmentation: Vec<u32>,
    all: Vec<u32>,
}

/// Several segments, or fragments, travel as one packet.
fn segments(name: &str) -> bool {
    name.starts_with("tx-") && (name.ends_with("-segmentation") || name.ends_with("-fragmentation"))
}

/// Several received segments become one packet.
fn merges(name: &str) -> bool {
    name.starts_with("rx-gro") || name == "rx-lro" || name == "rx-udp-gro-forwarding"
}

fn mask(names: &[String], wanted: impl Fn(&str) -> bool) -> Vec<u32> {
    let mut words = vec![0; names.len().div_ceil(32)];
    for (i, _) in names.iter().enumerate().filter(|(_, n)| wanted(n)) {
        words[i / 32] |= 1 << (i % 32);
    }
    words
}

impl Offloads {
    fn new(names: Vec<String>) -> Self {
        let segmentation = mask(&names, segments);
        let all = mask(&names, |n| segments(n) || merges(n));
        Self { names, segmentation, all }
    }

    /// Asks the kernel what its features are called.
    pub(crate) fn of_kernel(socket: BorrowedFd<'_>, device: &str) -> Outcome<Self> {
        let names = ethtool::feature_names(socket, device);
        let names = names.map_err(because("the kernel does not name its offloads", PLACE, KERNEL_REMEDY))?;
        Ok(Self::new(names))
    }

    /// Switches them off on a device of the socket's namespace. `merge`: receive offloads stay as they are.
    pub(crate) fn switch_off(&self, socket: BorrowedFd<'_>, device: &str, merge: bool) -> Outcome<()> {
        let mask = if merge { &self.segmentation } else { &self.all };
        let refused = |e: Errno| {
            let what = format!("offloads of {device} can't be switched off: {e}");
            failure(what, PLACE, KERNEL_REMEDY)
        };
        ethtool::switch_off(socket, device, mask).map_err(refused)?;
        let active = ethtool::active_features(socket, device, self.names.len()).map_err(refused)?;
        match self.still_on(&active, mask).as_slice() {
            [] => Ok(()),
            on => {
                let what = format!("offloads of {device} stay on: {}", on.join(", "));
                Err(failure(what, PLACE, KERNEL_REMEDY))
            }
        }
    }

    fn still_on(&self, active: &[u32], mask: &[u32]) -> Vec<&str> {
        let is_on = |i: usize| active[i / 32] & mask[i / 32] & (1 << (i % 32)) != 0;
        self.names.iter().enumerate().filter(|&(i, _)| is_on(i)).map(|(_, n)| n.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offloads() -> Offloads {
        let mut names = vec![String::new(); 40];
        names[0] = "tx-scatter-gather".to_owned();
        names[1] = "tx-tcp-segmentation".to_owned();
        names[2] = "tx-generic-segmentation".to_owned();
        names[33] = "rx-gro".to_owned();
        names[34] = "tx-udp-fragmentation".to_owned();
        names[35] = "rx-checksum".to_owned();
        Offloads::new(names)
    }

    #[test]
    fn masks_hold_segmentation_and_merging_only() {
        let offloads = offloads();
        assert_eq!(offloads.all, [0b110, 0b110]);
        assert_eq!(offloads.segmentation, [0b110, 0b100]);
    }

    #[test]
    fn what_stays_on_is_named() {
        let offloads = offloads();
        assert_eq!(offloads.still_on(&[0b101, 0b1000], &offloads.all), ["tx-generic-segmentation"]);
        assert!(offloads.still_on(&[0b001, 0b1000], &offloads.all).is_empty());
        assert!(offloads.still_on(&[0, 0b10], &offloads.segmentation).is_empty());
    }
}
