//! mac80211 in the kernel, as the engine has it.

use airtcp_air::border::MpduHandle;
use airtcp_air::linux_mac::{Mac80211, NoMac80211};

use crate::capture::radio_mpdu::MpduHeads;

/// mac80211, with the hash of what crossed between it and the air.
pub trait Radios: Mac80211 + MpduHeads {
    /// Keeps this many first bytes of each MPDU from now on, for a capture. Only before the first MPDU.
    fn keep_heads(&mut self, snap_bytes: usize);

    /// The hash over all MPDUs that crossed, and when; `None` where none did.
    fn crossed(&self) -> Option<u64>;
}

impl MpduHeads for NoMac80211 {
    fn head(&self, _mpdu: MpduHandle) -> &[u8] {
        unreachable!("there is no mac80211 that could send one")
    }
}

impl Radios for NoMac80211 {
    fn keep_heads(&mut self, _snap_bytes: usize) {}

    fn crossed(&self) -> Option<u64> {
        None
    }
}
