//! With which access point each station of mac80211 is.

use std::collections::BTreeMap;

use airtcp_plan::MacAddress;
use airtcp_plan::condition::Happening;

/// Kept for as long as the run lasts: who roams comes from somewhere.
#[derive(Default)]
pub(super) struct Associations {
    /// Radios by the addresses of their interfaces.
    radios: BTreeMap<[u8; 6], u32>,
    /// The access point that each radio is with, or was with last.
    with: BTreeMap<u32, MacAddress>,
}

impl Associations {
    /// An interface of a radio gains or loses an address.
    pub(super) fn address(&mut self, nic: u32, address: MacAddress, add: bool) {
        if add {
            self.radios.insert(address.0, nic);
        } else {
            self.radios.remove(&address.0);
        }
    }

    /// A radio is associated; what that means, if it is with another access point than before.
    pub(super) fn associated(&mut self, nic: u32, peer: MacAddress) -> Option<Happening> {
        let before = self.with.insert(nic, peer).filter(|before| *before != peer)?;
        let radio = |address: MacAddress| self.radios.get(&address.0).copied();
        Some(Happening::Roam { nic, from: radio(before), to: radio(peer) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_back_to_the_same_access_point_has_not_roamed() {
        let address = |last| MacAddress([2, 0, 0, 0, 0, last]);
        let mut all = Associations::default();
        for (nic, last) in [(0, 1), (1, 2)] {
            all.address(nic, address(last), true);
        }
        assert_eq!(all.associated(7, address(1)), None, "it was with none");
        assert_eq!(all.associated(7, address(1)), None);
        let roam = |from, to| Some(Happening::Roam { nic: 7, from, to });
        assert_eq!(all.associated(7, address(2)), roam(Some(0), Some(1)));
        all.address(1, address(2), false);
        assert_eq!(all.associated(7, address(9)), roam(None, None));
    }
}
