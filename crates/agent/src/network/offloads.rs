//! Segmentation and receive offloads are off or on as the plan has them, and read back to prove it.
//!
//! With them a queue of 100 packets may hold 100 packets of 64 KiB.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::sys::ethtool;

const PLACE: &str = "offloads";

/// What a device is to do; `None`: as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Cut packets of several segments into frames.
    pub(crate) segments: Option<bool>,
    /// Merge received frames.
    pub(crate) merges: Option<bool>,
}

impl Wanted {
    /// Neither.
    pub(crate) const NONE: Self = Self { segments: Some(false), merges: Some(false) };
}

/// The features of devices, by their bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Features {
    names: Vec<String>,
    segmentation: Vec<u32>,
    merging: Vec<u32>,
    /// Features of `segmentation` that a device of a host has.
    segmentation_of_hosts: Vec<u32>,
    merging_of_hosts: Vec<u32>,
}

/// Several segments, or fragments, travel as one packet.
fn segments(name: &str) -> bool {
    name.starts_with("tx-") && (name.ends_with("-segmentation") || name.ends_with("-fragmentation"))
}

/// Several received segments become one packet.
fn merges(name: &str) -> bool {
    name.starts_with("rx-gro") || name == "rx-lro" || name == "rx-udp-gro-forwarding"
}

/// Whether a feature is segmentation by a wire's device (`AIRTCP_WIRE_SEGMENTATION`), or by the kernel.
fn segments_at_hosts(name: &str) -> bool {
    let of_device = ["tx-tcp-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp6-segmentation"];
    of_device.contains(&name) || ["tx-udp-segmentation", "tx-generic-segmentation"].contains(&name)
}

fn mask(names: &[String], wanted: impl Fn(&str) -> bool) -> Vec<u32> {
    let mut words = vec![0; names.len().div_ceil(32)];
    for (i, _) in names.iter().enumerate().filter(|(_, n)| wanted(n)) {
        words[i / 32] |= 1 << (i % 32);
    }
    words
}

fn add(to: &mut [u32], mask: &[u32]) {
    to.iter_mut().zip(mask).for_each(|(word, own)| *word |= own);
}

impl Features {
    fn new(names: Vec<String>) -> Self {
        Self {
            segmentation: mask(&names, segments),
            merging: mask(&names, merges),
            segmentation_of_hosts: mask(&names, segments_at_hosts),
            merging_of_hosts: mask(&names, |name| name == "rx-gro"),
            names,
        }
    }

    /// Asks the kernel what its features are called.
    pub(crate) fn of_kernel(socket: BorrowedFd<'_>, device: &str) -> Outcome<Self> {
        let names = ethtool::feature_names(socket, device);
        let names = names.map_err(because("the kernel does not name its offloads", PLACE, KERNEL_REMEDY))?;
        Ok(Self::new(names))
    }

    /// Switches them off or on at a device of the socket's namespace.
    pub(crate) fn set(&self, socket: BorrowedFd<'_>, device: &str, wanted: Wanted) -> Outcome<()> {
        let (off, on) = self.masks(wanted);
        let refused =
            |e: Errno| failure(format!("offloads of {device} can't be set: {e}"), PLACE, KERNEL_REMEDY);
        let mut both = off.clone();
        add(&mut both, &on);
        ethtool::set_features(socket, device, &both, &on).map_err(refused)?;
        let active = ethtool::active_features(socket, device, self.names.len()).map_err(refused)?;
        match self.differing(&active, &off, &on).as_slice() {
            [] => Ok(()),
            names => {
                let what = format!("offloads of {device} stay as they are: {}", names.join(", "));
                Err(failure(what, PLACE, KERNEL_REMEDY))
            }
        }
    }

    /// The features to switch off and on.
    fn masks(&self, wanted: Wanted) -> (Vec<u32>, Vec<u32>) {
        let (mut off, mut on) = (vec![0; self.segmentation.len()], vec![0; self.segmentation.len()]);
        for (choice, all, of_hosts) in [
            (wanted.segments, &self.segmentation, &self.segmentation_of_hosts),
            (wanted.merges, &self.merging, &self.merging_of_hosts),
        ] {
            match choice {
                Some(true) => add(&mut on, of_hosts),
                Some(false) => add(&mut off, all),
                None => {}
            }
        }
        (off, on)
    }

    fn differing(&self, active: &[u32], off: &[u32], on: &[u32]) -> Vec<&str> {
        let is_wrong = |i: usize| {
            let (word, bit) = (i / 32, 1 << (i % 32));
            active[word] & off[word] & bit != 0 || !active[word] & on[word] & bit != 0
        };
        self.names.iter().enumerate().filter(|&(i, _)| is_wrong(i)).map(|(_, n)| n.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features() -> Features {
        let mut names = vec![String::new(); 40];
        names[0] = "tx-scatter-gather".to_owned();
        names[1] = "tx-tcp-segmentation".to_owned();
        names[2] = "tx-generic-segmentation".to_owned();
        names[33] = "rx-gro".to_owned();
        names[34] = "tx-udp-fragmentation".to_owned();
        names[35] = "rx-checksum".to_owned();
        Features::new(names)
    }

    #[test]
    fn masks_hold_segmentation_and_merging_only() {
        let masks = |segments, merges| features().masks(Wanted { segments, merges });
        assert_eq!(masks(Some(false), Some(false)), (vec![0b110, 0b110], vec![0, 0]));
        assert_eq!(masks(Some(false), None), (vec![0b110, 0b100], vec![0, 0]));
        assert_eq!(masks(Some(true), Some(true)), (vec![0, 0], vec![0b110, 0b10]));
        assert_eq!(masks(None, Some(false)), (vec![0, 0b10], vec![0, 0]));
    }

    #[test]
    fn what_stays_as_it_is_is_named() {
        let features = features();
        let (off, on) = features.masks(Wanted::NONE);
        assert_eq!(features.differing(&[0b101, 0b1000], &off, &on), ["tx-generic-segmentation"]);
        assert!(features.differing(&[0b001, 0b1000], &off, &on).is_empty());
        let (off, on) = features.masks(Wanted { segments: Some(true), merges: Some(true) });
        assert_eq!(features.differing(&[0b101, 0], &off, &on), ["tx-tcp-segmentation", "rx-gro"]);
        assert!(features.differing(&[0b111, 0b110], &off, &on).is_empty());
    }
}
