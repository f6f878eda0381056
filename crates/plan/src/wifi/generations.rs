//! What members of one cell can't receive of each other.

use super::{AirNic, AirPlan, Standard};

/// The HT Protection field that an access point announces, as far as members of its cell decide it (IEEE 802.11-2020, 9.4.2.56).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HtProtectionMode {
    /// All members have HT and the width of the channel (no protection mode).
    #[default]
    None = 0,
    /// A member has 20 MHz of a wider channel (20 MHz protection mode).
    Narrow = 2,
    /// A member has no HT (non-HT mixed mode).
    NonHt = 3,
}

impl AirPlan {
    /// The newest PHY of a NIC in its cell.
    #[must_use]
    pub fn standard_of(&self, nic: &AirNic) -> Standard {
        nic.standard_in(&self.cells[nic.cell as usize])
    }

    /// The HT Protection field of a cell. All stations count from the beginning, as if they were associated.
    #[must_use]
    pub fn ht_protection_mode(&self, cell: usize) -> HtProtectionMode {
        let whole = &self.cells[cell];
        let members = self.nics.iter().filter(|nic| nic.cell as usize == cell);
        let modes = members.map(|nic| match nic.channel_in(whole).width_mhz {
            _ if nic.standard_in(whole) < Standard::Ht => HtProtectionMode::NonHt,
            20 if whole.channel.width_mhz > 20 => HtProtectionMode::Narrow,
            _ => HtProtectionMode::None,
        });
        modes.max().unwrap_or_default()
    }
}
