//! Elements of beacons, probe and association responses (IEEE 802.11-2020, 9.4.2).

use airtcp_plan::{
    AccessParameters, Cell, ErpProtection, HtProtectionMode, MuEdcaParameters, RadioChannel, Standard,
};

use super::capability::Band;
use super::channel_number::{channel_number, is_6_ghz};

const SSID: u8 = 0;
const SUPPORTED_RATES: u8 = 1;
const DSSS_PARAMETERS: u8 = 3;
const ERP: u8 = 42;
const HT_CAPABILITIES: u8 = 45;
const EXTENDED_RATES: u8 = 50;
const HT_OPERATION: u8 = 61;
const VHT_CAPABILITIES: u8 = 191;
const VHT_OPERATION: u8 = 192;
const VENDOR: u8 = 221;
const EXTENSION: u8 = 255;
const HE_CAPABILITIES: u8 = 35;
const HE_OPERATION: u8 = 36;
const MU_EDCA: u8 = 38;
const HE_6_GHZ_BAND: u8 = 59;

/// Most rates in the first element of them; others go into the second.
const RATES_MAX: usize = 8;
/// The bit that makes a rate basic.
const BASIC: u8 = 0x80;
/// Wi-Fi Multimedia: Microsoft's number, type 2.
const WMM: [u8; 4] = [0x00, 0x50, 0xf2, 2];

/// Adds an element.
pub(super) fn element(to: &mut Vec<u8>, number: u8, body: &[u8]) {
    to.push(number);
    to.push(body.len() as u8);
    to.extend_from_slice(body);
}

fn extension(to: &mut Vec<u8>, number: u8, body: &[u8]) {
    element(to, EXTENSION, &[&[number], body].concat());
}

/// The elements in a frame's body: number and content.
pub(super) fn elements(mut body: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (&number, &length) = (body.first()?, body.get(1)?);
        let content = body.get(2..2 + usize::from(length))?;
        body = &body[2 + usize::from(length)..];
        Some((number, content))
    })
}

/// What an access point announces, and what of it comes before the traffic map of a beacon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Announcement {
    /// SSID, rates and channel.
    pub(super) before: Vec<u8>,
    /// Rates, capabilities and operation of newer standards, WMM.
    pub(super) behind: Vec<u8>,
    /// What an association response has of it.
    pub(super) response: Vec<u8>,
}

impl Announcement {
    /// The elements that an access point announces for this cell. `ht_protection`: what its members can't receive.
    pub(super) fn new(
        cell: &Cell,
        ssid: &[u8],
        band: &Band,
        ht_protection: HtProtectionMode,
        uapsd: bool,
    ) -> Self {
        let (first, more) = rates(cell);
        let mut before = Vec::new();
        element(&mut before, SSID, ssid);
        element(&mut before, SUPPORTED_RATES, &first);
        let mut behind = Vec::new();
        if cell.channel.primary_mhz < 3000 {
            element(&mut before, DSSS_PARAMETERS, &[channel_number(cell.channel.primary_mhz)]);
            if cell.standard != Standard::HrDsss {
                element(&mut behind, ERP, &[erp(cell)]);
            }
        }
        let mut capabilities = Vec::new();
        if !more.is_empty() {
            element(&mut capabilities, EXTENDED_RATES, &more);
        }
        put_capabilities(&mut capabilities, cell, band, ht_protection);
        if let [background, best_effort, video, voice] = cell.access[..] {
            element(&mut capabilities, VENDOR, &wmm([best_effort, background, video, voice], uapsd));
        }
        behind.extend(&capabilities);
        let mut response = Vec::new();
        element(&mut response, SUPPORTED_RATES, &first);
        response.extend(&capabilities);
        Self { before, behind, response }
    }
}

/// Rates in units of 500 kbit/s, the basic ones marked: those of the first element, and others.
fn rates(cell: &Cell) -> (Vec<u8>, Vec<u8>) {
    let all: Vec<u8> = supported_rates(cell)
        .map(|rate| if basic_rates(cell).any(|basic| basic == rate) { rate | BASIC } else { rate })
        .collect();
    let (first, more) = all.split_at(all.len().min(RATES_MAX));
    (first.to_vec(), more.to_vec())
}

/// Basic rates in units of 500 kbit/s.
pub(super) fn basic_rates(cell: &Cell) -> impl Iterator<Item = u8> {
    cell.basic_rates_bps.iter().map(|rate| (rate.as_bps() / 500_000) as u8)
}

fn supported_rates(cell: &Cell) -> impl Iterator<Item = u8> {
    /// Rates of HR/DSSS (16.2.3), in units of 500 kbit/s; below, those of OFDM (17.3.2).
    const HR_DSSS: [u8; 4] = [2, 4, 11, 22];
    const OFDM: [u8; 8] = [12, 18, 24, 36, 48, 72, 96, 108];
    let old = cell.standard == Standard::HrDsss || basic_rates(cell).any(|rate| HR_DSSS.contains(&rate));
    let new = cell.standard != Standard::HrDsss;
    HR_DSSS.into_iter().filter(move |_| old).chain(OFDM.into_iter().filter(move |_| new))
}

fn put_capabilities(to: &mut Vec<u8>, cell: &Cell, band: &Band, ht_protection: HtProtectionMode) {
    let channel = cell.channel;
    let six_ghz = is_6_ghz(channel.primary_mhz);
    if let Some(ht) = band.ht.filter(|_| cell.standard >= Standard::Ht && !six_ghz) {
        element(to, HT_CAPABILITIES, &narrowed(ht, channel.width_mhz));
        element(to, HT_OPERATION, &ht_operation(channel, ht_protection));
    }
    if let Some(vht) = band.vht.filter(|_| cell.standard >= Standard::Vht) {
        element(to, VHT_CAPABILITIES, &vht);
        element(to, VHT_OPERATION, &vht_operation(channel));
    }
    if let Some(he) = band.he.as_ref().filter(|_| cell.standard >= Standard::He) {
        extension(to, HE_CAPABILITIES, he);
        extension(to, HE_OPERATION, &he_operation(channel));
        if let Some(parameters) = cell.mu_edca() {
            extension(to, MU_EDCA, &mu_edca(parameters));
        }
        if let Some(own) = band.he_6_ghz.filter(|_| six_ghz) {
            extension(to, HE_6_GHZ_BAND, &own);
        }
    }
}

/// Capabilities of 40 MHz (9.4.2.55.2: the width, and its short guard interval) only where the cell has it.
fn narrowed(mut ht: [u8; 26], width_mhz: u32) -> [u8; 26] {
    if width_mhz == 20 {
        ht[0] &= !0x42;
    }
    ht
}

/// ERP Information (9.4.2.11): whether stations of 11b are there, and OFDM is protected from them.
fn erp(cell: &Cell) -> u8 {
    const NON_ERP_PRESENT: u8 = 1;
    const USE_PROTECTION: u8 = 2;
    if cell.protection == ErpProtection::None { 0 } else { NON_ERP_PRESENT | USE_PROTECTION }
}

/// HT Operation (9.4.2.56): the primary channel, where the secondary is, and what members can't receive.
fn ht_operation(channel: RadioChannel, protection: HtProtectionMode) -> [u8; 22] {
    let mut body = [0; 22];
    body[0] = channel_number(channel.primary_mhz);
    body[2] = protection as u8;
    if let Some(secondary_mhz) = channel.secondary_mhz() {
        let (above, below) = (1, 3);
        body[1] = 0x04 | if secondary_mhz > channel.primary_mhz { above } else { below };
    }
    body
}

/// Modulation and coding of one stream that every member has: 0 to 7; other streams: none.
const BASIC_MCS: [u8; 2] = [0xfc, 0xff];

/// VHT Operation (9.4.2.158): width, and centres of the 80 MHz of the primary channel and of the whole.
fn vht_operation(channel: RadioChannel) -> [u8; 5] {
    let centre = channel_number(channel.centre_mhz);
    let [wide, first, second] = match channel.width_mhz {
        20 | 40 => [0, 0, 0],
        80 => [1, centre, 0],
        _ => [1, channel_number(primary_80_mhz(channel)), centre],
    };
    [wide, first, second, BASIC_MCS[0], BASIC_MCS[1]]
}

/// Centre of the 80 MHz around the primary channel of 160 MHz.
fn primary_80_mhz(channel: RadioChannel) -> u32 {
    if channel.primary_mhz < channel.centre_mhz { channel.centre_mhz - 40 } else { channel.centre_mhz + 40 }
}

/// HE Operation (IEEE 802.11ax-2021, 9.4.2.249): no RTS by duration, no BSS colour, and at 6 GHz the channel.
fn he_operation(channel: RadioChannel) -> Vec<u8> {
    const NO_RTS_BY_DURATION: u32 = 1023 << 4;
    const HAS_6_GHZ: u32 = 1 << 17;
    const NO_COLOUR: u8 = 0x80;
    let six_ghz = is_6_ghz(channel.primary_mhz);
    let parameters = NO_RTS_BY_DURATION | if six_ghz { HAS_6_GHZ } else { 0 };
    let mut body = parameters.to_le_bytes()[..3].to_vec();
    body.extend([NO_COLOUR, BASIC_MCS[0], BASIC_MCS[1]]);
    if six_ghz {
        let centre = channel_number(channel.centre_mhz);
        let (width, first, second) = match channel.width_mhz {
            20 => (0, centre, 0),
            40 => (1, centre, 0),
            80 => (2, centre, 0),
            _ => (3, channel_number(primary_80_mhz(channel)), centre),
        };
        // The least rate is 6 Mbit/s, in units of 1 Mbit/s.
        body.extend([channel_number(channel.primary_mhz), width, first, second, 6]);
    }
    body
}

/// The WMM Parameter element: best effort, background, video, voice.
fn wmm(access: [AccessParameters; 4], uapsd: bool) -> Vec<u8> {
    let mut body = WMM.to_vec();
    // Subtype and version; the set has never changed; reserved.
    body.extend([1, 1, if uapsd { 0x80 } else { 0 }, 0]);
    for (category, one) in access.iter().enumerate() {
        let exponent = |window: u32| window.count_ones() as u8;
        body.push((category as u8) << 5 | one.aifsn as u8);
        body.push(exponent(one.cw_max) << 4 | exponent(one.cw_min));
        body.extend(((one.txop_us / 32) as u16).to_le_bytes());
    }
    body
}

/// MU EDCA Parameter Set (IEEE 802.11ax-2021, 9.4.2.251): best effort, background, video, voice.
fn mu_edca([background, best_effort, video, voice]: [MuEdcaParameters; 4]) -> Vec<u8> {
    const QOS_INFO: u8 = 0;
    let records = [best_effort, background, video, voice].into_iter().enumerate();
    std::iter::once(QOS_INFO)
        .chain(records.flat_map(|(category, one)| {
            let exponent = |window: u32| window.count_ones() as u8;
            let windows = exponent(one.cw_max) << 4 | exponent(one.cw_min);
            [(category as u8) << 5 | one.aifsn as u8, windows, one.timer]
        }))
        .collect()
}

/// The capabilities of a station in its association request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StationElements {
    /// In units of 500 kbit/s.
    pub(super) rates: Vec<u8>,
    /// HT Capabilities.
    pub(super) ht: Option<Vec<u8>>,
    /// VHT Capabilities.
    pub(super) vht: Option<Vec<u8>>,
    /// HE Capabilities.
    pub(super) he: Option<Vec<u8>>,
    /// HE 6 GHz Band Capabilities.
    pub(super) he_6_ghz: Option<Vec<u8>>,
    /// `QoS` Info of the station, if it has WMM.
    pub(super) wmm: Option<u8>,
}

impl StationElements {
    /// Reads the elements of the request.
    pub(super) fn read(body: &[u8]) -> Self {
        let mut own = Self::default();
        for (number, content) in elements(body) {
            match (number, content) {
                (SUPPORTED_RATES | EXTENDED_RATES, _) => own.rates.extend(content.iter().map(|r| r & !BASIC)),
                (HT_CAPABILITIES, _) => own.ht = Some(content.to_vec()),
                (VHT_CAPABILITIES, _) => own.vht = Some(content.to_vec()),
                (EXTENSION, [HE_CAPABILITIES, rest @ ..]) => own.he = Some(rest.to_vec()),
                (EXTENSION, [HE_6_GHZ_BAND, rest @ ..]) => own.he_6_ghz = Some(rest.to_vec()),
                // Subtype 0, the information element of a station, and its version.
                (VENDOR, [a, b, c, d, 0, _, info, ..]) if [*a, *b, *c, *d] == WMM => own.wmm = Some(*info),
                _ => {}
            }
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wireless::sample::cell;

    fn channel(primary_mhz: u32, centre_mhz: u32, width_mhz: u32) -> RadioChannel {
        RadioChannel { primary_mhz, centre_mhz, width_mhz }
    }

    #[test]
    fn the_secondary_channel_is_on_its_side() {
        let offset = |primary, centre, width| {
            ht_operation(channel(primary, centre, width), HtProtectionMode::None)[..2].to_vec()
        };
        assert_eq!(offset(5180, 5180, 20), [36, 0]);
        assert_eq!(offset(5180, 5190, 40), [36, 5]);
        assert_eq!(offset(5200, 5190, 40), [40, 7]);
        assert_eq!(offset(5220, 5210, 80), [44, 5]);
        assert_eq!(offset(5240, 5210, 80), [48, 7]);
        assert_eq!(offset(2437, 2427, 40), [6, 7]);
    }

    #[test]
    fn wide_channels_name_their_centres() {
        assert_eq!(vht_operation(channel(5180, 5190, 40))[..3], [0, 0, 0]);
        assert_eq!(vht_operation(channel(5180, 5210, 80))[..3], [1, 42, 0]);
        assert_eq!(vht_operation(channel(5500, 5570, 160))[..3], [1, 106, 114]);
        assert_eq!(vht_operation(channel(5640, 5570, 160))[..3], [1, 122, 114]);
        assert_eq!(he_operation(channel(5975, 5985, 80))[6..], [5, 2, 7, 0, 6]);
    }

    #[test]
    fn wmm_has_the_access_parameters_of_the_plan() {
        let access = |aifsn, cw_min, cw_max, txop_us| AccessParameters { aifsn, cw_min, cw_max, txop_us };
        let body = wmm(
            [access(3, 15, 1023, 0), access(7, 15, 1023, 0), access(2, 7, 15, 3008), access(2, 3, 7, 1504)],
            false,
        );
        // The numbers that hostapd's defaults have on the air.
        assert_eq!(body[8..], [0x03, 0xa4, 0, 0, 0x27, 0xa4, 0, 0, 0x42, 0x43, 94, 0, 0x62, 0x32, 47, 0]);
    }

    #[test]
    fn mu_edca_has_the_parameters_of_the_plan() {
        let never = MuEdcaParameters { aifsn: 0, cw_min: 32_767, cw_max: 32_767, timer: 255 };
        let voice = MuEdcaParameters { aifsn: 2, cw_min: 3, cw_max: 7, timer: 1 };
        let expected = [0, 0x00, 0xff, 255, 0x20, 0xff, 255, 0x40, 0xff, 255, 0x62, 0x32, 1];
        assert_eq!(mu_edca([never, never, never, voice]), expected);
    }

    #[test]
    fn a_beacon_of_11g_and_of_11b_and_g() {
        let mut plan = cell(Standard::Erp, channel(2412, 2412, 20));
        let own = Announcement::new(&plan, b"net", &Band::default(), HtProtectionMode::None, false);
        assert_eq!(
            own.before,
            [&[0, 3][..], b"net", &[1, 8, 0x8c, 18, 0x98, 36, 0xb0, 72, 96, 108, 3, 1, 1]].concat()
        );
        assert_eq!(own.behind, [42, 1, 0]);
        plan.basic_rates_bps.insert(0, serde_json::from_value(serde_json::json!(1_000_000)).unwrap());
        plan.protection = ErpProtection::CtsToSelf;
        let own = Announcement::new(&plan, b"net", &Band::default(), HtProtectionMode::None, false);
        assert_eq!(own.behind[..3], [42, 1, 3]);
        assert_eq!(own.behind[3..], [50, 4, 48, 72, 96, 108].map(|r| if r == 48 { 0xb0 } else { r }));
    }

    #[test]
    fn capabilities_follow_the_standard_of_the_cell() {
        let band = Band { ht: Some([0xff; 26]), vht: Some([1; 12]), he: Some(vec![2; 21]), he_6_ghz: None };
        let numbers = |standard, channel| {
            let own =
                Announcement::new(&cell(standard, channel), b"x", &band, HtProtectionMode::NonHt, false);
            elements(&own.response).map(|(number, content)| (number, content.len())).collect::<Vec<_>>()
        };
        let wide = channel(5180, 5210, 80);
        assert_eq!(numbers(Standard::Ht, channel(5180, 5180, 20)), [(1, 8), (45, 26), (61, 22)]);
        assert_eq!(numbers(Standard::Vht, wide), [(1, 8), (45, 26), (61, 22), (191, 12), (192, 5)]);
        assert_eq!(numbers(Standard::He, wide)[5..], [(255, 22), (255, 7)]);
        let own = Announcement::new(
            &cell(Standard::Ht, channel(5180, 5180, 20)),
            b"x",
            &band,
            HtProtectionMode::NonHt,
            false,
        );
        assert_eq!(elements(&own.response).nth(1).unwrap().1[0], !0x42);
        assert_eq!(elements(&own.response).nth(2).unwrap().1[2], 3, "non-HT mixed mode");
    }

    #[test]
    fn a_station_says_what_it_can() {
        let mut body = Vec::new();
        element(&mut body, SUPPORTED_RATES, &[0x8c, 18]);
        element(&mut body, HT_CAPABILITIES, &[7; 26]);
        element(&mut body, VENDOR, &[0, 0x50, 0xf2, 2, 0, 1, 0x0f]);
        extension(&mut body, HE_CAPABILITIES, &[9; 21]);
        body.extend([VENDOR, 200, 1]);
        let own = StationElements::read(&body);
        assert_eq!((own.rates, own.wmm), (vec![12, 18], Some(0x0f)));
        assert_eq!((own.ht, own.vht, own.he.unwrap().len()), (Some(vec![7; 26]), None, 21));
    }
}
