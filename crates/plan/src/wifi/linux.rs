//! Cells whose upper MAC is the kernel's mac80211.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MacAddress;

/// Settings of a cell whose radios are radios of mac80211.
///
/// Its NICs are numbered as all others, and wiphy `airN` of the guest is NIC N. Of an [`AirNic`](crate::AirNic) such
/// a radio has no queue, no mesh routes and no backpressure of its own: those are mac80211's.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the kernel")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinuxCell {
    /// What sets up the network.
    pub setup: LinuxSetup,
    /// Authentication and encryption.
    pub security: Security,
    /// Name of the network (mesh ID of a mesh). Cells with the same one are one extended service set.
    pub ssid: String,
    /// Where rate control runs.
    pub rate_control: LinuxRateControl,
    /// Airtime deficit round robin between stations (`NL80211_EXT_FEATURE_AIRTIME_FAIRNESS`).
    pub airtime_fairness: bool,
    /// Airtime queue limits (`NL80211_EXT_FEATURE_AQL`).
    pub aql: bool,
    /// PPDUs that a radio holds ready beside the one on the air, per access category; 0: what is sent is
    /// pulled from mac80211 when the medium is won.
    pub prefetch_ppdus: u32,
    /// Time between beacons, in time units of 1024 us.
    pub beacon_tu: u32,
    /// Beacons from one DTIM to the next.
    pub dtim: u32,
    /// Stations sleep between beacons.
    pub power_save: bool,
    /// Automatic power save delivery that frames of the station start (IEEE 802.11-2020, 11.2.3.5).
    pub uapsd: bool,
    /// True: encryption costs octets on the air and no computing, as a NIC with hardware for it.
    pub hardware_crypto: bool,
    /// Limits of mac80211's queues.
    pub txq: LinuxTxq,
    /// Lines for the end of hostapd's configuration.
    pub hostapd: Vec<String>,
    /// Lines for the `network` block of `wpa_supplicant`'s configuration.
    pub wpa_supplicant: Vec<String>,
    /// Further basic service sets of the access point's radio, which hostapd makes.
    #[serde(default)]
    pub bss: Vec<LinuxBss>,
}

/// Most further basic service sets of a radio: their interfaces share the 16 addresses of its address mask.
pub const LINUX_BSS_MAX: usize = 15;

/// A further basic service set: a network of its own on the radio of the cell's access point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinuxBss {
    /// Name of the set's interface at the access point.
    pub interface: String,
    /// Name of the network.
    pub ssid: String,
    /// Authentication and encryption.
    pub security: Security,
    /// The bridge of the access point's node whose port that interface is.
    pub bridge: String,
    /// The access point forwards no frames between its stations (`ap_isolate` of hostapd).
    pub isolated: bool,
    /// Numbers of the NICs of the cell that are its stations.
    pub stations: Vec<u32>,
}

impl LinuxBss {
    /// The BSSID of a further basic service set: of set N, counted from 1, the address of the access point's radio with other
    /// bits 2 to 5 of the first octet.
    pub fn bssid(number: usize, radio: MacAddress) -> MacAddress {
        let mut octets = radio.0;
        octets[0] ^= (number << 2) as u8;
        MacAddress(octets)
    }
}

/// What sets up a network of mac80211.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinuxSetup {
    /// The agent, by nl80211: open networks only.
    Direct,
    /// hostapd and `wpa_supplicant` of the host.
    Daemons,
    /// Programs of a privileged guest: its radios are stations without a network, and their interfaces are down.
    Programs,
}

/// Authentication and encryption of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Security {
    /// Neither authentication nor encryption.
    Open,
    /// WPA2-Personal: a pre-shared key, and CCMP.
    Wpa2 {
        /// 8 to 63 characters of ASCII (IEEE 802.11-2020, J.4).
        passphrase: String,
    },
    /// WPA3-Personal: SAE, CCMP and protected management frames.
    Wpa3 {
        /// The password of SAE.
        passphrase: String,
    },
}

/// Where the rate control of a cell of mac80211 runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinuxRateControl {
    /// mac80211's `minstrel_ht`. The agent pins NICs whose `rate_control` is `fixed` to their mode
    /// (`NL80211_CMD_SET_TX_BITRATE_MASK`); the `rate_control` of other NICs has no effect.
    Kernel,
    /// Each NIC's `rate_control`, as in a chip that chooses rates itself (`IEEE80211_HW_HAS_RATE_CONTROL`). HE, EHT
    /// and channels of 160 MHz have no other: `minstrel_ht` stops at VHT80.
    Ours,
}

/// Limits of the queues that all stations of a radio share (`struct fq`); `null`: mac80211's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinuxTxq {
    /// Most packets (`NL80211_ATTR_TXQ_LIMIT`).
    pub limit_packets: Option<u32>,
    /// Most bytes (`NL80211_ATTR_TXQ_MEMORY_LIMIT`).
    pub memory_bytes: Option<u32>,
    /// Quantum of a flow in bytes (`NL80211_ATTR_TXQ_QUANTUM`).
    pub quantum_bytes: Option<u32>,
}
