//! The clock and the timer wheel of a node.
//!
//! Nodes are namespaces of one kernel, whose ticks would let the timers of all nodes expire at the same instants. The kernel
//! keeps a timer wheel for each, offset by the uptime of that host, which is drawn at random.

use std::fs::File;
use std::os::fd::BorrowedFd;

use airtcp_plan::Node;
use airtcp_random::Stream;

use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::sys::probe::{self, NodeClock};

/// Key of the random stream for clocks of hosts; the air has the keys below 100, applications those below 200.
const PURPOSE: u64 = 201;

/// Ages lie below this many nanoseconds, 18 minutes: more than the coarsest tick of a timer that TCP sets (the fourth
/// level of the kernel's wheel, for two minutes and more, has ticks of two seconds at 250 Hz).
const AGE_BITS: u32 = 40;

/// The kernel's side of clocks.
pub(crate) struct HostClocks {
    kernel: File,
    seed: u64,
}

impl HostClocks {
    /// Opens the kernel's device.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn open(seed: u64) -> Outcome<Self> {
        let kernel =
            probe::open().map_err(because("the kernel has no clocks of hosts", "network", KERNEL_REMEDY))?;
        Ok(Self { kernel, seed })
    }

    /// Gives the namespace of the plan's node number `n` its clock, before anything happens in it.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(crate) fn set(&self, n: usize, node: &Node, namespace: BorrowedFd<'_>) -> Outcome<()> {
        let age_ns = age_ns(self.seed, &node.name);
        // The machine itself is number 0.
        let number = u32::try_from(n + 1).expect("a plan has fewer nodes than 32 bits count");
        let clock =
            NodeClock { number, age_ns, offset_ns: node.clock.offset_ns, skew_ppb: node.clock.skew_ppb };
        let place = format!("nodes[{n}].clock");
        let remedy = "a run has at most 1024 nodes; build kernel and airtcp from one source";
        probe::node(&self.kernel, namespace, clock).map_err(because(
            "the kernel refused a clock for the node",
            &place,
            remedy,
        ))
    }
}

/// Depends on the seed and the node's own name, so that a node that joins moves no timer of the others.
fn age_ns(seed: u64, name: &str) -> u64 {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&PURPOSE.to_le_bytes());
    key[16..24].copy_from_slice(&fnv_1a(name.as_bytes()).to_le_bytes());
    let mut stream = Stream::new(key);
    (u64::from(stream.bits()) << 32 | u64::from(stream.bits())) >> (u64::BITS - AGE_BITS)
}

/// The hash FNV-1a of 64 bits (draft-eastlake-fnv, section 2).
fn fnv_1a(octets: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    octets.iter().fold(start, |hash, octet| (hash ^ u64::from(*octet)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_hashed_as_the_draft_has_it() {
        // draft-eastlake-fnv, appendix C: the empty text, "a" and "foobar".
        assert_eq!(fnv_1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn ages_are_of_seed_and_name_and_spread_over_the_tick() {
        assert_eq!(age_ns(1, "sta1"), age_ns(1, "sta1"));
        assert_ne!(age_ns(1, "sta1"), age_ns(2, "sta1"));
        let tick_ns = 4_000_000;
        let phases: Vec<u64> = (0..1000).map(|n| age_ns(1, &format!("sta{n}")) % tick_ns).collect();
        let mean = phases.iter().sum::<u64>() as f64 / 1000.0 / tick_ns as f64;
        // Standard error of the mean of uniform numbers: 0.289 / sqrt(1000) = 0.0091; four of them.
        assert!((mean - 0.5).abs() < 0.037, "{mean}");
        assert!(age_ns(1, "sta1") < 1 << AGE_BITS);
    }
}
