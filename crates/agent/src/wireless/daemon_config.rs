//! Configuration files of hostapd and `wpa_supplicant` (their `hostapd.conf` and `wpa_supplicant.conf` explain each line).

use std::fmt::Write;

use airtcp_plan::{
    AccessParameters, Cell, LinuxBss, MacAddress, MuEdcaParameters, NicRole, RadioChannel, Security, Standard,
};

use super::channel_number::{channel_number, is_6_ghz};
use super::control;
use super::radio::RadioFacts;

/// Lines under construction.
#[derive(Debug, Default)]
struct Lines(String);

impl Lines {
    fn put(&mut self, key: &str, value: impl std::fmt::Display) {
        writeln!(self.0, "{key}={value}").expect("a text grows");
    }
}

/// Octets as hexadecimal digits: no character needs escaping.
fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut text, octet| {
        write!(text, "{octet:02x}").expect("a text grows");
        text
    })
}

/// hostapd's, for the interface of this name.
pub(super) fn hostapd(facts: &RadioFacts, interface: &str, bridge: Option<&str>) -> String {
    let (cell, linux) = (&facts.cell, facts.linux());
    let mut lines = Lines::default();
    lines.put("interface", interface);
    if let Some(bridge) = bridge {
        lines.put("bridge", bridge);
    }
    lines.put("driver", "nl80211");
    lines.put("ctrl_interface", control::HOSTAPD);
    lines.put("ssid2", hexadecimal(linux.ssid.as_bytes()));
    lines.put("beacon_int", linux.beacon_tu);
    lines.put("dtim_period", linux.dtim);
    lines.put("preamble", u8::from(cell.short_preamble));
    let rates: Vec<String> =
        cell.basic_rates_bps.iter().map(|r| (r.as_bps() / 100_000).to_string()).collect();
    lines.put("basic_rates", rates.join(" "));
    put_channel(&mut lines, facts);
    put_access(&mut lines, cell, linux.uapsd);
    put_security(&mut lines, cell, &linux.security);
    for line in &linux.hostapd {
        lines.0.push_str(line);
        lines.0.push('\n');
    }
    for (n, bss) in linux.bss.iter().enumerate() {
        put_bss(&mut lines, facts, LinuxBss::bssid(n + 1, facts.mac()), bss);
    }
    lines.0
}

/// What hostapd does not take over from the first basic service set.
fn put_bss(lines: &mut Lines, facts: &RadioFacts, bssid: MacAddress, bss: &LinuxBss) {
    let (cell, linux) = (&facts.cell, facts.linux());
    lines.put("bss", &bss.interface);
    lines.put("bssid", bssid);
    lines.put("bridge", &bss.bridge);
    lines.put("ctrl_interface", control::HOSTAPD);
    lines.put("ssid2", hexadecimal(bss.ssid.as_bytes()));
    lines.put("dtim_period", linux.dtim);
    let has_wmm = cell.access.len() == ANNOUNCED_BY_HOSTAPD.len();
    lines.put("wmm_enabled", u8::from(has_wmm));
    if has_wmm {
        lines.put("uapsd_advertisement_enabled", u8::from(linux.uapsd));
    }
    lines.put("ap_isolate", u8::from(bss.isolated));
    put_security(lines, cell, &bss.security);
}

fn put_channel(lines: &mut Lines, facts: &RadioFacts) {
    let (cell, channel) = (&facts.cell, facts.cell.channel);
    let hw_mode = match (cell.standard, channel.primary_mhz) {
        (Standard::HrDsss, _) => "b",
        (_, ..3000) => "g",
        _ => "a",
    };
    lines.put("hw_mode", hw_mode);
    lines.put("channel", channel_number(channel.primary_mhz));
    let six_ghz = is_6_ghz(channel.primary_mhz);
    if six_ghz {
        lines.put("op_class", operating_class(channel.width_mhz));
    }
    if cell.standard >= Standard::Ht && !six_ghz {
        lines.put("ieee80211n", 1);
        lines.put("ht_capab", ht_capabilities(facts));
    }
    if cell.standard >= Standard::Vht && channel.primary_mhz > 3000 && !six_ghz {
        lines.put("ieee80211ac", 1);
        lines.put("vht_capab", vht_capabilities(facts));
        put_width(lines, "vht", channel);
    }
    if cell.standard >= Standard::He {
        lines.put("ieee80211ax", 1);
        put_width(lines, "he", channel);
        if let Some(parameters) = cell.mu_edca() {
            put_mu_edca(lines, parameters);
        }
    }
    if let Some(own) = facts.band.he_6_ghz.filter(|_| six_ghz) {
        put_6_ghz(lines, u16::from_le_bytes(own));
    }
}

fn put_mu_edca(lines: &mut Lines, [background, best_effort, video, voice]: [MuEdcaParameters; 4]) {
    let categories = [("be", best_effort), ("bk", background), ("vi", video), ("vo", voice)];
    for (aci, (name, parameters)) in categories.into_iter().enumerate() {
        let mut put = |key: &str, value: u32| lines.put(&format!("he_mu_edca_ac_{name}_{key}"), value);
        put("aifsn", parameters.aifsn);
        put("aci", aci as u32);
        put("ecwmin", parameters.cw_min.count_ones());
        put("ecwmax", parameters.cw_max.count_ones());
        put("timer", u32::from(parameters.timer));
    }
}

/// The settings of hostapd for the driver's HE 6 GHz Band Capabilities (IEEE 802.11ax-2021, 9.4.2.263).
fn put_6_ghz(lines: &mut Lines, own: u16) {
    lines.put("he_6ghz_max_ampdu_len_exp", own >> 3 & 7);
    lines.put("he_6ghz_max_mpdu", own >> 6 & 3);
    lines.put("he_6ghz_rx_ant_pat", own >> 12 & 1);
    lines.put("he_6ghz_tx_ant_pat", own >> 13 & 1);
}

fn put_width(lines: &mut Lines, standard: &str, channel: RadioChannel) {
    let width = match channel.width_mhz {
        20 | 40 => 0,
        80 => 1,
        _ => 2,
    };
    lines.put(&format!("{standard}_oper_chwidth"), width);
    if width > 0 {
        lines.put(&format!("{standard}_oper_centr_freq_seg0_idx"), channel_number(channel.centre_mhz));
    }
}

/// Operating classes at 6 GHz (IEEE 802.11ax-2021, table E-4).
fn operating_class(width_mhz: u32) -> u32 {
    match width_mhz {
        20 => 131,
        40 => 132,
        80 => 133,
        _ => 134,
    }
}

/// The driver's HT capabilities that hostapd needs in its configuration (9.4.2.55.2).
fn ht_capabilities(facts: &RadioFacts) -> String {
    const HAS: [(u16, &str); 3] = [(1 << 5, "[SHORT-GI-20]"), (1, "[LDPC]"), (1 << 11, "[MAX-AMSDU-7935]")];
    let own = facts.band.ht.map_or(0, |ht| u16::from_le_bytes([ht[0], ht[1]]));
    let mut text: String = HAS.iter().filter(|(bit, _)| own & bit != 0).map(|&(_, name)| name).collect();
    let channel = facts.cell.channel;
    if let Some(secondary_mhz) = channel.secondary_mhz() {
        text.push_str(if secondary_mhz > channel.primary_mhz { "[HT40+]" } else { "[HT40-]" });
        text.push_str(if own & (1 << 6) != 0 { "[SHORT-GI-40]" } else { "" });
    }
    text
}

/// The driver's VHT capabilities that hostapd needs in its configuration (9.4.2.157.2).
fn vht_capabilities(facts: &RadioFacts) -> String {
    let own = facts.band.vht.map_or(0, |vht| u32::from_le_bytes([vht[0], vht[1], vht[2], vht[3]]));
    let mut text = match own & 3 {
        1 => "[MAX-MPDU-7991]",
        2 => "[MAX-MPDU-11454]",
        _ => "",
    }
    .to_owned();
    for (bit, name) in [(1 << 4, "[RXLDPC]"), (1 << 5, "[SHORT-GI-80]"), (1 << 6, "[SHORT-GI-160]")] {
        text.push_str(if own & bit != 0 { name } else { "" });
    }
    if facts.cell.channel.width_mhz == 160 {
        text.push_str("[VHT160]");
    }
    match own >> 23 & 7 {
        0 => {}
        exponent => write!(text, "[MAX-A-MPDU-LEN-EXP{exponent}]").expect("a text grows"),
    }
    text
}

/// What the access point announces to stations, and what it does itself.
fn put_access(lines: &mut Lines, cell: &Cell, uapsd: bool) {
    if cell.access.len() != ANNOUNCED_BY_HOSTAPD.len() {
        lines.put("wmm_enabled", 0);
        return;
    }
    lines.put("wmm_enabled", 1);
    lines.put("uapsd_advertisement_enabled", u8::from(uapsd));
    // A plan has the categories from background to voice.
    for ((name, &access), default) in
        ["vo", "vi", "be", "bk"].into_iter().zip(cell.access.iter().rev()).zip(ANNOUNCED_BY_HOSTAPD)
    {
        if access != default {
            put_announced(lines, name, access);
        }
    }
    let own = cell.access_of(NicRole::AccessPoint).iter().rev();
    for (queue, (&access, default)) in own.zip(OWN_OF_HOSTAPD).enumerate() {
        if access != default {
            put_own(lines, queue, access);
        }
    }
}

const fn access(aifsn: u32, cw_min: u32, cw_max: u32, txop_us: u32) -> AccessParameters {
    AccessParameters { aifsn, cw_min, cw_max, txop_us }
}

/// What hostapd announces by default, from voice to background, and what it uses itself (`hostapd_config_defaults`,
/// `src/ap/ap_config.c`). Only what differs is configured, so that hostapd's practice is hostapd's.
const ANNOUNCED_BY_HOSTAPD: [AccessParameters; 4] =
    [access(2, 3, 7, 1504), access(2, 7, 15, 3008), access(3, 15, 1023, 0), access(7, 15, 1023, 0)];
const OWN_OF_HOSTAPD: [AccessParameters; 4] =
    [access(1, 3, 7, 1504), access(1, 7, 15, 3008), access(3, 15, 63, 0), access(7, 15, 1023, 0)];

fn put_announced(lines: &mut Lines, name: &str, access: AccessParameters) {
    let AccessParameters { aifsn, cw_min, cw_max, txop_us } = access;
    lines.put(&format!("wmm_ac_{name}_aifs"), aifsn);
    lines.put(&format!("wmm_ac_{name}_cwmin"), cw_min.count_ones());
    lines.put(&format!("wmm_ac_{name}_cwmax"), cw_max.count_ones());
    lines.put(&format!("wmm_ac_{name}_txop_limit"), txop_us / 32);
    lines.put(&format!("wmm_ac_{name}_acm"), 0);
}

fn put_own(lines: &mut Lines, queue: usize, access: AccessParameters) {
    let AccessParameters { aifsn, cw_min, cw_max, txop_us } = access;
    lines.put(&format!("tx_queue_data{queue}_aifs"), aifsn);
    lines.put(&format!("tx_queue_data{queue}_cwmin"), cw_min);
    lines.put(&format!("tx_queue_data{queue}_cwmax"), cw_max);
    // In ms with one decimal; hostapd rounds to the next 32 us.
    let tenths = (txop_us + 50) / 100;
    lines.put(&format!("tx_queue_data{queue}_burst"), format_args!("{}.{}", tenths / 10, tenths % 10));
}

fn put_security(lines: &mut Lines, cell: &Cell, security: &Security) {
    let passphrase = match security {
        Security::Open => return,
        Security::Wpa2 { passphrase } => {
            lines.put("wpa_key_mgmt", "WPA-PSK");
            passphrase
        }
        Security::Wpa3 { passphrase } => {
            lines.put("wpa_key_mgmt", "SAE");
            lines.put("ieee80211w", 2);
            lines.put("sae_pwe", sae_pwe(cell));
            passphrase
        }
    };
    lines.put("wpa", 2);
    lines.put("rsn_pairwise", "CCMP");
    lines.put("wpa_passphrase", passphrase);
}

/// At 6 GHz hash-to-element is the only way (IEEE 802.11ax-2021, 12.12.2); elsewhere both are.
fn sae_pwe(cell: &Cell) -> u8 {
    if is_6_ghz(cell.channel.primary_mhz) { 1 } else { 2 }
}

/// `wpa_supplicant`'s, for a station that may meet its network on these frequencies.
pub(super) fn wpa_supplicant(facts: &RadioFacts, frequencies_mhz: &[u32]) -> String {
    let linux = facts.linux();
    let mut lines = Lines::default();
    lines.put("ctrl_interface", control::WPA_SUPPLICANT);
    if matches!(linux.security, Security::Wpa3 { .. }) {
        lines.put("sae_pwe", sae_pwe(&facts.cell));
    }
    lines.0.push_str("network={\n");
    lines.put("ssid", hexadecimal(linux.ssid.as_bytes()));
    let frequencies: Vec<String> = frequencies_mhz.iter().map(ToString::to_string).collect();
    lines.put("scan_freq", frequencies.join(" "));
    lines.put("freq_list", frequencies.join(" "));
    match &linux.security {
        Security::Open => lines.put("key_mgmt", "NONE"),
        Security::Wpa2 { passphrase } => {
            lines.put("key_mgmt", "WPA-PSK");
            lines.put("psk", format_args!("\"{passphrase}\""));
        }
        Security::Wpa3 { passphrase } => {
            lines.put("key_mgmt", "SAE");
            lines.put("ieee80211w", 2);
            lines.put("sae_password", format_args!("\"{passphrase}\""));
        }
    }
    for line in &linux.wpa_supplicant {
        lines.0.push_str(line);
        lines.0.push('\n');
    }
    lines.0.push_str("}\n");
    lines.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::wireless::sample::{cell, facts};

    fn in_channel(standard: Standard, primary_mhz: u32, centre_mhz: u32, width_mhz: u32) -> RadioFacts {
        let channel = RadioChannel { primary_mhz, centre_mhz, width_mhz };
        RadioFacts { cell: Arc::new(cell(standard, channel)), ..facts() }
    }

    fn has(text: &str, line: &str) -> bool {
        text.lines().any(|one| one == line)
    }

    #[test]
    fn mu_edca_has_the_names_of_hostapds_example() {
        let never = MuEdcaParameters { aifsn: 0, cw_min: 32_767, cw_max: 32_767, timer: 255 };
        let voice = MuEdcaParameters { aifsn: 2, cw_min: 3, cw_max: 7, timer: 1 };
        let mut lines = Lines::default();
        put_mu_edca(&mut lines, [never, never, never, voice]);
        let lines: Vec<&str> = lines.0.lines().collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(
            lines[..5],
            [
                "he_mu_edca_ac_be_aifsn=0",
                "he_mu_edca_ac_be_aci=0",
                "he_mu_edca_ac_be_ecwmin=15",
                "he_mu_edca_ac_be_ecwmax=15",
                "he_mu_edca_ac_be_timer=255",
            ]
        );
        assert_eq!(
            lines[15..18],
            ["he_mu_edca_ac_vo_aifsn=2", "he_mu_edca_ac_vo_aci=3", "he_mu_edca_ac_vo_ecwmin=2"]
        );
    }

    #[test]
    fn the_configuration_of_hostapd_holds_the_whole_cell() {
        let mut own = facts();
        let linux = Arc::make_mut(&mut own.cell).linux.as_mut().unwrap();
        linux.security = Security::Wpa2 { passphrase: "12 345678".to_owned() };
        linux.hostapd = vec!["ap_max_inactivity=9".to_owned()];
        let text = hostapd(&own, "wlan0", Some("br0"));
        for line in [
            "interface=wlan0",
            "bridge=br0",
            "ssid2=686f6d65",
            "beacon_int=100",
            "dtim_period=2",
            "hw_mode=a",
            "channel=36",
            "ieee80211n=1",
            "basic_rates=60 120 240",
            "wpa=2",
            "wpa_key_mgmt=WPA-PSK",
            "wpa_passphrase=12 345678",
            "ap_max_inactivity=9",
        ] {
            assert!(has(&text, line), "{line} in\n{text}");
        }
        assert!(!text.contains("ieee80211ac"));
        assert!(
            !text.contains("wmm_ac_") && !text.contains("tx_queue_"),
            "hostapd's defaults are left to it:\n{text}"
        );
    }

    #[test]
    fn further_networks_of_a_radio_follow_the_first_with_addresses_of_their_own() {
        let mut own = facts();
        let linux = Arc::make_mut(&mut own.cell).linux.as_mut().unwrap();
        linux.hostapd = vec!["ap_max_inactivity=9".to_owned()];
        linux.bss = vec![LinuxBss {
            interface: "wlan0_1".to_owned(),
            ssid: "guest".to_owned(),
            security: Security::Wpa2 { passphrase: "87654321".to_owned() },
            bridge: "br1".to_owned(),
            isolated: true,
            stations: vec![1],
        }];
        own.nic.mac = MacAddress([2, 0, 0, 0, 0, 1]);
        let text = hostapd(&own, "wlan0", Some("br0"));
        let (first, guest) = text.split_once("bss=wlan0_1\n").unwrap();
        assert!(has(first, "ssid2=686f6d65") && has(first, "ap_max_inactivity=9"), "{first}");
        for line in
            ["bssid=06:00:00:00:00:01", "bridge=br1", "ssid2=6775657374", "ap_isolate=1", "wmm_enabled=1"]
        {
            assert!(has(guest, line), "{line} in\n{guest}");
        }
        assert!(has(guest, "wpa_passphrase=87654321") && !first.contains("wpa_passphrase"));
    }

    #[test]
    fn channel_access_that_hostapd_has_not_by_itself_is_configured() {
        let mut own = facts();
        let cell = Arc::make_mut(&mut own.cell);
        cell.access[1].cw_max = 511;
        // OpenWrt's TXOP of best effort at 5 GHz: 2.0 ms, which hostapd rounds to 63 units of 32 us.
        cell.ap_access.as_mut().unwrap()[1].txop_us = 2016;
        let text = hostapd(&own, "wlan0", None);
        for line in
            ["wmm_ac_be_aifs=3", "wmm_ac_be_cwmax=9", "tx_queue_data2_cwmax=63", "tx_queue_data2_burst=2.0"]
        {
            assert!(has(&text, line), "{line} in\n{text}");
        }
        assert!(!text.contains("wmm_ac_vo") && !text.contains("tx_queue_data0"), "{text}");
    }

    #[test]
    fn capabilities_are_the_drivers() {
        let mut own = in_channel(Standard::Vht, 5200, 5210, 80);
        let mut ht = [0; 26];
        ht[..2].copy_from_slice(&0x0063u16.to_le_bytes());
        let mut vht = [0; 12];
        vht[..4].copy_from_slice(&(2u32 | 1 << 5 | 7 << 23).to_le_bytes());
        (own.band.ht, own.band.vht) = (Some(ht), Some(vht));
        let text = hostapd(&own, "wlan0", None);
        assert!(has(&text, "ht_capab=[SHORT-GI-20][LDPC][HT40-][SHORT-GI-40]"), "{text}");
        assert!(has(&text, "vht_capab=[MAX-MPDU-11454][SHORT-GI-80][MAX-A-MPDU-LEN-EXP7]"), "{text}");
        assert!(has(&text, "vht_oper_chwidth=1") && has(&text, "vht_oper_centr_freq_seg0_idx=42"));
        assert!(has(&text, "wmm_enabled=0"));
    }

    #[test]
    fn six_ghz_has_its_operating_class_and_no_ht() {
        let mut own = in_channel(Standard::He, 5975, 5985, 80);
        own.band.he_6_ghz = Some((7u16 << 3 | 1 << 6).to_le_bytes());
        let linux = Arc::make_mut(&mut own.cell).linux.as_mut().unwrap();
        linux.security = Security::Wpa3 { passphrase: "12345678".to_owned() };
        let text = hostapd(&own, "wlan0", None);
        for line in
            ["op_class=133", "channel=5", "he_oper_centr_freq_seg0_idx=7", "sae_pwe=1", "ieee80211w=2"]
        {
            assert!(has(&text, line), "{line} in\n{text}");
        }
        assert!(has(&text, "he_6ghz_max_mpdu=1") && has(&text, "he_6ghz_max_ampdu_len_exp=7"));
        assert!(!text.contains("ieee80211n=") && !text.contains("ieee80211ac"));
    }

    #[test]
    fn a_supplicant_scans_only_where_its_network_is() {
        let mut own = facts();
        let linux = Arc::make_mut(&mut own.cell).linux.as_mut().unwrap();
        linux.security = Security::Wpa3 { passphrase: "a \"quoted\" one".to_owned() };
        linux.wpa_supplicant = vec!["bgscan=\"simple:5:-60:60\"".to_owned()];
        assert_eq!(
            wpa_supplicant(&own, &[5180, 5745]),
            "ctrl_interface=/run/wpa_supplicant\nsae_pwe=2\nnetwork={\nssid=686f6d65\nscan_freq=5180 5745\n\
             freq_list=5180 5745\nkey_mgmt=SAE\nieee80211w=2\nsae_password=\"a \"quoted\" one\"\n\
             bgscan=\"simple:5:-60:60\"\n}\n"
        );
        let open = wpa_supplicant(&facts(), &[5180]);
        assert!(has(&open, "key_mgmt=NONE") && !open.contains("psk"));
    }
}
