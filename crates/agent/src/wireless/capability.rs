//! The capabilities of a radio, as its driver announces them to cfg80211.

use std::collections::BTreeMap;

use rustix::io;

use crate::netlink::Netlink;
use crate::netlink::generic::{Family, HEADER_BYTES, header};
use crate::netlink::message::{attributes, find, text, u16_at, u32_at};
use crate::netlink::nl80211::{InterfaceType, attribute, command};

// enum nl80211_band_attr
const BAND_HT_MCS_SET: u16 = 3;
const BAND_HT_CAPA: u16 = 4;
const BAND_HT_AMPDU_FACTOR: u16 = 5;
const BAND_HT_AMPDU_DENSITY: u16 = 6;
const BAND_VHT_MCS_SET: u16 = 7;
const BAND_VHT_CAPA: u16 = 8;
const BAND_IFTYPE_DATA: u16 = 9;
// enum nl80211_band_iftype_attr
const IFTYPE_IFTYPES: u16 = 1;
const IFTYPE_HE_MAC: u16 = 2;
const IFTYPE_HE_PHY: u16 = 3;
const IFTYPE_HE_MCS_SET: u16 = 4;
const IFTYPE_HE_PPE: u16 = 5;
const IFTYPE_HE_6GHZ: u16 = 6;

/// A radio of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wiphy {
    /// Number of the radio.
    pub(super) index: u32,
    /// Name of the radio.
    pub(super) name: String,
    bands: BTreeMap<u16, Band>,
}

/// Capabilities of a radio in one band, encoded as in the elements that announce them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Band {
    /// HT Capabilities (IEEE 802.11-2020, 9.4.2.55), without number and length.
    pub(super) ht: Option<[u8; 26]>,
    /// VHT Capabilities (9.4.2.157).
    pub(super) vht: Option<[u8; 12]>,
    /// HE Capabilities of access points (IEEE 802.11ax-2021, 9.4.2.248), without the extension's number.
    pub(super) he: Option<Vec<u8>>,
    /// HE 6 GHz Band Capabilities (9.4.2.263).
    pub(super) he_6_ghz: Option<[u8; 2]>,
}

impl Wiphy {
    /// Every radio of the socket's namespace.
    pub(super) fn all(netlink: &mut Netlink, family: &Family) -> io::Result<Vec<Self>> {
        let mut fixed = header(command::GET_WIPHY).to_vec();
        // An attribute without value: without it the answer is cut to one page for each radio.
        fixed.extend(4u16.to_ne_bytes());
        fixed.extend(attribute::SPLIT_WIPHY_DUMP.to_ne_bytes());
        let mut all: Vec<Self> = Vec::new();
        netlink.dump(family.id, &fixed, |body| {
            let part = body.get(HEADER_BYTES..).unwrap_or_default();
            let Some(index) = find(part, attribute::WIPHY).map(|v| u32_at(v, 0)) else { return };
            let known = all.iter().position(|wiphy| wiphy.index == index).unwrap_or_else(|| {
                all.push(Self { index, ..Self::default() });
                all.len() - 1
            });
            all[known].learn(part);
        })?;
        Ok(all)
    }

    fn learn(&mut self, part: &[u8]) {
        if let Some(name) = find(part, attribute::WIPHY_NAME) {
            self.name = text(name);
        }
        let bands = find(part, attribute::WIPHY_BANDS).unwrap_or_default();
        for (number, band) in attributes(bands) {
            self.bands.entry(number).or_default().learn(band);
        }
    }

    /// Capabilities of the radio in a band (`enum nl80211_band`).
    pub(super) fn band(&self, number: u16) -> Band {
        self.bands.get(&number).cloned().unwrap_or_default()
    }
}

impl Band {
    fn learn(&mut self, band: &[u8]) {
        self.ht = self.ht.or_else(|| ht_element(band));
        self.vht = self.vht.or_else(|| vht_element(band));
        let kinds = find(band, BAND_IFTYPE_DATA).unwrap_or_default();
        for (_, data) in attributes(kinds) {
            let types = find(data, IFTYPE_IFTYPES).unwrap_or_default();
            if attributes(types).any(|(kind, _)| u32::from(kind) == InterfaceType::AccessPoint as u32) {
                self.he = he_element(data);
                self.he_6_ghz = find(data, IFTYPE_HE_6GHZ).and_then(|value| value.try_into().ok());
            }
        }
    }
}

fn ht_element(band: &[u8]) -> Option<[u8; 26]> {
    let mcs = find(band, BAND_HT_MCS_SET)?.get(..16)?;
    let byte = |kind| find(band, kind).and_then(|value| value.first().copied()).unwrap_or(0);
    let mut element = [0; 26];
    element[..2].copy_from_slice(&u16_at(find(band, BAND_HT_CAPA)?, 0).to_le_bytes());
    // A-MPDU parameters (9.4.2.55.3): two bits of length, three of spacing.
    element[2] = byte(BAND_HT_AMPDU_FACTOR) & 3 | (byte(BAND_HT_AMPDU_DENSITY) & 7) << 2;
    element[3..19].copy_from_slice(mcs);
    Some(element)
}

fn vht_element(band: &[u8]) -> Option<[u8; 12]> {
    let mut element = [0; 12];
    element[..4].copy_from_slice(&u32_at(find(band, BAND_VHT_CAPA)?, 0).to_le_bytes());
    element[4..].copy_from_slice(find(band, BAND_VHT_MCS_SET)?.get(..8)?);
    Some(element)
}

fn he_element(data: &[u8]) -> Option<Vec<u8>> {
    let (mac, phy) = (find(data, IFTYPE_HE_MAC)?.get(..6)?, find(data, IFTYPE_HE_PHY)?.get(..11)?);
    let mcs = find(data, IFTYPE_HE_MCS_SET)?;
    // Four octets for up to 80 MHz, and four more for 160 and for 80+80 MHz (9.4.2.248.4).
    let wide = [0x08, 0x10].iter().filter(|&&bit| phy[0] & bit != 0).count();
    let mut element = [mac, phy, mcs.get(..4 + 4 * wide)?].concat();
    if phy[6] & 0x80 != 0 {
        let thresholds = find(data, IFTYPE_HE_PPE)?;
        element.extend(thresholds.get(..ppe_bytes(*thresholds.first()?))?);
    }
    Some(element)
}

/// Octets of the PPE Thresholds field by its first (IEEE 802.11ax-2021, 9.4.2.248.5): streams and resource units, each pair of
/// which has two thresholds of three bits, behind seven bits.
const fn ppe_bytes(first: u8) -> usize {
    let streams = (first & 7) as usize + 1;
    let units = (first >> 3 & 0xf).count_ones() as usize;
    (7 + 6 * streams * units).div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::Request;
    use crate::netlink::message::replies;

    fn part(fill: impl FnOnce(Request) -> Request) -> Vec<u8> {
        let bytes = fill(Request::new(30, 0, &[])).finish(1, 0);
        replies(&bytes).next().unwrap().body.to_vec()
    }

    #[test]
    fn capabilities_come_in_parts() {
        let mut wiphy = Wiphy::default();
        wiphy.learn(&part(|r| r.text(attribute::WIPHY_NAME, "air3")));
        wiphy.learn(&part(|r| {
            r.nest(attribute::WIPHY_BANDS, &[], |r| {
                r.nest(1, &[], |r| {
                    r.attribute(BAND_HT_MCS_SET, &[0xff; 16]).u16(BAND_HT_CAPA, 0x1ee).u8(5, 3).u8(6, 4)
                })
            })
        }));
        wiphy.learn(&part(|r| {
            r.nest(attribute::WIPHY_BANDS, &[], |r| {
                r.nest(1, &[], |r| r.attribute(BAND_VHT_MCS_SET, &[0xfa; 8]).u32(BAND_VHT_CAPA, 0x0338_0032))
            })
        }));
        let band = wiphy.band(1);
        assert_eq!(wiphy.name, "air3");
        assert_eq!(band.ht.unwrap()[..4], [0xee, 0x01, 0b1_0011, 0xff]);
        assert_eq!(band.vht.unwrap(), [0x32, 0, 0x38, 3, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa, 0xfa]);
        assert_eq!(wiphy.band(0), Band::default());
    }

    #[test]
    fn he_capabilities_have_the_length_that_they_say() {
        let he = |phy0: u8, phy6: u8| {
            let mut phy = [0; 11];
            (phy[0], phy[6]) = (phy0, phy6);
            // Two streams, two resource units: 7 + 24 bits.
            let thresholds = [0b0001_1001, 1, 2, 3, 9, 9, 9];
            let data = part(|r| {
                r.attribute(IFTYPE_HE_MAC, &[1; 6])
                    .attribute(IFTYPE_HE_PHY, &phy)
                    .attribute(4, &[7; 12])
                    .attribute(IFTYPE_HE_PPE, &thresholds)
            });
            he_element(&data).unwrap().len()
        };
        assert_eq!((he(0x04, 0), he(0x0c, 0), he(0x1c, 0), he(0x04, 0x80)), (21, 25, 29, 25));
    }
}
