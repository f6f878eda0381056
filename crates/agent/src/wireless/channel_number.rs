//! Bands and channel numbers by frequency (IEEE 802.11-2020, Annex E; 6 GHz: IEEE 802.11ax-2021, 27.3.23.2).

use crate::netlink::nl80211::GHZ_5;

/// Whether a channel with this centre is at 6 GHz.
pub(super) const fn is_6_ghz(mhz: u32) -> bool {
    mhz >= GHZ_5.end
}

/// Number of a channel with this centre: 5 MHz apart but for the last at 2.4 GHz.
pub(super) const fn channel_number(mhz: u32) -> u8 {
    let number = match mhz {
        2484 => 14,
        _ if mhz < GHZ_5.start => (mhz - 2407) / 5,
        _ if is_6_ghz(mhz) => (mhz - GHZ_5.end) / 5,
        _ => (mhz - 5000) / 5,
    };
    number as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_of_each_band() {
        let numbers = [2412, 2472, 2484, 5180, 5885, 5955, 6105, 7115].map(channel_number);
        assert_eq!(numbers, [1, 13, 14, 36, 177, 1, 31, 233]);
    }
}
