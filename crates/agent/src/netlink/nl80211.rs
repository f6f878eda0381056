//! nl80211: requests to mac80211 (Linux `include/uapi/linux/nl80211.h`).

use std::ops::Range;

use airtcp_plan::{MacAddress, RadioChannel};

use super::Request;

/// Name of the family.
pub(crate) const NAME: &str = "nl80211";
/// Multicast group of nl80211 for events about associations.
pub(crate) const MLME_GROUP: &str = "mlme";

/// `enum nl80211_commands`.
pub(crate) mod command {
    pub(crate) const GET_WIPHY: u8 = 1;
    pub(crate) const SET_WIPHY: u8 = 2;
    pub(crate) const NEW_INTERFACE: u8 = 7;
    pub(crate) const START_AP: u8 = 15;
    pub(crate) const GET_STATION: u8 = 17;
    pub(crate) const NEW_STATION: u8 = 19;
    pub(crate) const DEL_STATION: u8 = 20;
    pub(crate) const SET_BSS: u8 = 25;
    pub(crate) const JOIN_IBSS: u8 = 43;
    pub(crate) const CONNECT: u8 = 46;
    pub(crate) const DISCONNECT: u8 = 48;
    pub(crate) const SET_WIPHY_NETNS: u8 = 49;
    pub(crate) const SET_TX_BITRATE_MASK: u8 = 57;
    pub(crate) const REGISTER_FRAME: u8 = 58;
    pub(crate) const FRAME: u8 = 59;
    pub(crate) const SET_POWER_SAVE: u8 = 61;
    pub(crate) const JOIN_MESH: u8 = 68;
}

/// `enum nl80211_attrs`.
pub(crate) mod attribute {
    pub(crate) const WIPHY: u16 = 1;
    pub(crate) const WIPHY_NAME: u16 = 2;
    pub(crate) const IFINDEX: u16 = 3;
    pub(crate) const IFNAME: u16 = 4;
    pub(crate) const IFTYPE: u16 = 5;
    pub(crate) const MAC: u16 = 6;
    pub(crate) const BEACON_INTERVAL: u16 = 12;
    pub(crate) const DTIM_PERIOD: u16 = 13;
    pub(crate) const BEACON_HEAD: u16 = 14;
    pub(crate) const BEACON_TAIL: u16 = 15;
    pub(crate) const STA_AID: u16 = 16;
    pub(crate) const STA_LISTEN_INTERVAL: u16 = 18;
    pub(crate) const STA_SUPPORTED_RATES: u16 = 19;
    pub(crate) const STA_INFO: u16 = 21;
    pub(crate) const WIPHY_BANDS: u16 = 22;
    pub(crate) const MESH_ID: u16 = 24;
    pub(crate) const BSS_CTS_PROT: u16 = 28;
    pub(crate) const BSS_SHORT_PREAMBLE: u16 = 29;
    pub(crate) const BSS_SHORT_SLOT_TIME: u16 = 30;
    pub(crate) const HT_CAPABILITY: u16 = 31;
    pub(crate) const BSS_BASIC_RATES: u16 = 36;
    pub(crate) const WIPHY_TXQ_PARAMS: u16 = 37;
    pub(crate) const WIPHY_FREQ: u16 = 38;
    pub(crate) const FRAME: u16 = 51;
    pub(crate) const SSID: u16 = 52;
    pub(crate) const AUTH_TYPE: u16 = 53;
    pub(crate) const FREQ_FIXED: u16 = 60;
    pub(crate) const TIMED_OUT: u16 = 65;
    pub(crate) const STA_FLAGS2: u16 = 67;
    pub(crate) const STATUS_CODE: u16 = 72;
    pub(crate) const TX_RATES: u16 = 90;
    pub(crate) const FRAME_MATCH: u16 = 91;
    pub(crate) const PS_STATE: u16 = 93;
    pub(crate) const FRAME_TYPE: u16 = 101;
    pub(crate) const STA_WME: u16 = 129;
    pub(crate) const DONT_WAIT_FOR_ACK: u16 = 142;
    pub(crate) const VHT_CAPABILITY: u16 = 157;
    pub(crate) const CHANNEL_WIDTH: u16 = 159;
    pub(crate) const CENTER_FREQ1: u16 = 160;
    pub(crate) const SPLIT_WIPHY_DUMP: u16 = 174;
    pub(crate) const NETNS_FD: u16 = 219;
    pub(crate) const HE_CAPABILITY: u16 = 269;
    pub(crate) const HE_6GHZ_CAPABILITY: u16 = 293;
}

/// What an interface is (`enum nl80211_iftype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum InterfaceType {
    Ibss = 1,
    Station = 2,
    AccessPoint = 3,
    Monitor = 6,
    Mesh = 7,
}

/// Frequencies in MHz between the channels at 2.4 and 6 GHz.
pub(crate) const GHZ_5: Range<u32> = 3000..5950;

/// `enum nl80211_band`.
pub(crate) fn band(mhz: u32) -> u16 {
    match mhz {
        _ if mhz < GHZ_5.start => 0,
        _ if mhz < GHZ_5.end => 1,
        _ => 3,
    }
}

/// `enum nl80211_chan_width`.
fn width(channel: RadioChannel, ht: bool) -> u32 {
    match channel.width_mhz {
        20 => ht.into(),
        40 => 2,
        80 => 3,
        _ => 5,
    }
}

/// Adds a channel; `ht`: its stations have HT, VHT or HE.
pub(crate) fn tuned(request: Request, channel: RadioChannel, ht: bool) -> Request {
    let request = request
        .u32(attribute::WIPHY_FREQ, channel.primary_mhz)
        .u32(attribute::CHANNEL_WIDTH, width(channel, ht));
    if channel.width_mhz == 20 { request } else { request.u32(attribute::CENTER_FREQ1, channel.centre_mhz) }
}

/// Makes an interface of a radio.
pub(crate) fn new_interface(request: Request, wiphy: u32, name: &str, kind: InterfaceType) -> Request {
    request.u32(attribute::WIPHY, wiphy).text(attribute::IFNAME, name).u32(attribute::IFTYPE, kind as u32)
}

/// The BSS of one access point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bss<'a> {
    /// SSID.
    pub(crate) ssid: &'a [u8],
    /// BSSID: the address of the access point.
    pub(crate) bssid: MacAddress,
    /// Centre frequency of the primary channel.
    pub(crate) primary_mhz: u32,
}

/// Joins a BSS: only its primary channel is scanned.
pub(crate) fn connect(request: Request, index: u32, bss: Bss<'_>) -> Request {
    request
        .u32(attribute::IFINDEX, index)
        .attribute(attribute::SSID, bss.ssid)
        .attribute(attribute::MAC, &bss.bssid.0)
        .u32(attribute::WIPHY_FREQ, bss.primary_mhz)
        // NL80211_AUTHTYPE_OPEN_SYSTEM
        .u32(attribute::AUTH_TYPE, 0)
}

/// Sends a management frame without waiting for its acknowledgement.
pub(crate) fn send_frame(request: Request, index: u32, frame: &[u8]) -> Request {
    request
        .u32(attribute::IFINDEX, index)
        .attribute(attribute::FRAME, frame)
        .flag(attribute::DONT_WAIT_FOR_ACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::u32_at;
    use crate::netlink::sample_request::{empty, read};

    #[test]
    fn channels_have_the_attributes_that_cfg80211_expects() {
        let request = |primary_mhz, centre_mhz, width_mhz, ht| {
            let request = tuned(empty(), RadioChannel { primary_mhz, centre_mhz, width_mhz }, ht);
            read(request).iter().map(|(kind, value)| (*kind, u32_at(value, 0))).collect::<Vec<_>>()
        };
        assert_eq!(request(2412, 2412, 20, false), [(38, 2412), (159, 0)]);
        assert_eq!(request(5180, 5180, 20, true), [(38, 5180), (159, 1)]);
        assert_eq!(request(5200, 5210, 80, true), [(38, 5200), (159, 3), (160, 5210)]);
        assert_eq!(request(5500, 5570, 160, true), [(38, 5500), (159, 5), (160, 5570)]);
    }

    #[test]
    fn bands_are_those_of_cfg80211() {
        assert_eq!([2412, 2484, 5180, 5885, 5955, 7115].map(band), [0, 0, 1, 1, 3, 3]);
    }

    #[test]
    fn a_station_connects_to_one_access_point() {
        let request =
            connect(empty(), 5, Bss { ssid: b"home", bssid: MacAddress([2; 6]), primary_mhz: 5180 });
        assert_eq!(
            read(request),
            [
                (3, 5u32.to_ne_bytes().to_vec()),
                (52, b"home".to_vec()),
                (6, vec![2; 6]),
                (38, 5180u32.to_ne_bytes().to_vec()),
                (53, vec![0; 4]),
            ]
        );
    }
}
