//! An access point without hostapd: it answers stations that probe, authenticate and associate.

use std::collections::BTreeMap;

use airtcp_plan::{ErpProtection, MacAddress, NicRole, Slot};

use super::element::{Announcement, StationElements, basic_rates};
use super::frame::{self, StationRequest, kind};
use super::radio::{Radio, RadioFacts};
use crate::failure::Outcome;
use crate::netlink::Request;
use crate::netlink::nl80211::{self, attribute, command};

/// Frames that come to the agent.
const ANSWERED: [u8; 6] = [
    kind::ASSOCIATION_REQUEST,
    kind::REASSOCIATION_REQUEST,
    kind::PROBE_REQUEST,
    kind::DISASSOCIATION,
    kind::AUTHENTICATION,
    kind::DEAUTHENTICATION,
];

// enum nl80211_sta_flags, as bits
const AUTHORIZED: u32 = 1 << 1;
const WMM: u32 = 1 << 3;
const AUTHENTICATED: u32 = 1 << 5;
const ASSOCIATED: u32 = 1 << 7;

/// One access point.
#[derive(Debug)]
pub(super) struct AccessPoint {
    pub(super) radio: Radio,
    announcement: Announcement,
    /// AIDs of stations, in the order of their first association.
    stations: BTreeMap<[u8; 6], u16>,
}

impl AccessPoint {
    /// Starts it: from now on it sends beacons.
    pub(super) fn start(mut radio: Radio) -> Outcome<Self> {
        let facts = radio.facts.clone();
        let linux = facts.linux();
        let ssid = linux.ssid.as_bytes();
        let announcement =
            Announcement::new(&facts.cell, ssid, &facts.band, facts.ht_protection, linux.uapsd);
        for kind in ANSWERED {
            let request = radio.request(command::REGISTER_FRAME);
            let request =
                request.u16(attribute::FRAME_TYPE, kind.into()).attribute(attribute::FRAME_MATCH, &[]);
            radio.execute_for_events("register for frames", request)?;
        }
        let request = start_request(radio.request(command::START_AP), &facts, &announcement);
        radio.execute("start the access point", request)?;
        let request = bss_request(radio.request(command::SET_BSS), &facts);
        radio.execute("set the rates", request)?;
        if let Some(request) = access_request(radio.request(command::SET_WIPHY), &facts) {
            radio.execute("set channel access", request)?;
        }
        Ok(Self { radio, announcement, stations: BTreeMap::new() })
    }

    /// Handles a management frame that the access point received.
    pub(super) fn answer(&mut self, frame: &[u8]) -> Outcome<()> {
        let Some((station, request)) = frame::read(frame) else { return Ok(()) };
        match request {
            StationRequest::Probe => {
                let header = self.header(kind::PROBE_RESPONSE, station);
                let own = &self.announcement;
                let fixed =
                    frame::with_timestamp(header, self.radio.facts.linux().beacon_tu, self.capabilities());
                self.send(&[&fixed[..], &own.before, &own.behind].concat())
            }
            StationRequest::Authenticate { open } => {
                self.send(&frame::authentication(self.header(kind::AUTHENTICATION, station), open))
            }
            StationRequest::Associate { again, listen_interval, elements } => {
                let aid = self.add_station(station, listen_interval, &StationElements::read(elements))?;
                let kind = if again { kind::REASSOCIATION_RESPONSE } else { kind::ASSOCIATION_RESPONSE };
                let header = self.header(kind, station);
                let answer =
                    frame::association(header, self.capabilities(), aid, &self.announcement.response);
                self.send(&answer)
            }
            StationRequest::Leave => self.remove_station(station),
        }
    }

    fn header(&self, kind: u8, station: MacAddress) -> Vec<u8> {
        frame::header(kind, station, self.radio.facts.mac())
    }

    fn capabilities(&self) -> u16 {
        capabilities(&self.radio.facts)
    }

    /// Adds a station to the kernel, authorised to send.
    fn add_station(
        &mut self,
        station: MacAddress,
        listen_interval: u16,
        own: &StationElements,
    ) -> Outcome<u16> {
        self.remove_station(station)?;
        let next = self.stations.values().max().map_or(1, |last| last + 1);
        let aid = *self.stations.entry(station.0).or_insert(next);
        let request = station_request(
            self.radio.request(command::NEW_STATION).attribute(attribute::MAC, &station.0),
            Association { aid, listen_interval },
            own,
        );
        self.radio.execute("add a station", request)?;
        Ok(aid)
    }

    fn remove_station(&mut self, station: MacAddress) -> Outcome<()> {
        if !self.stations.contains_key(&station.0) {
            return Ok(());
        }
        let request = self.radio.request(command::DEL_STATION).attribute(attribute::MAC, &station.0);
        match self.radio.try_execute("remove a station", request) {
            // The kernel has removed it already.
            Err(refusal) if refusal.errno == rustix::io::Errno::NOENT => Ok(()),
            other => other.map_err(crate::netlink::refused),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Outcome<()> {
        let request =
            nl80211::send_frame(self.radio.bare_request(command::FRAME), self.radio.facts.index, frame);
        self.radio.execute("answer a station", request)
    }
}

/// Capability Information (IEEE 802.11-2020, 9.4.1.4).
fn capabilities(facts: &RadioFacts) -> u16 {
    const ESS: u16 = 1;
    const SHORT_PREAMBLE: u16 = 1 << 5;
    const SHORT_SLOT: u16 = 1 << 10;
    let of = |has: bool, bit: u16| if has { bit } else { 0 };
    let at_2_4_ghz = facts.cell.channel.primary_mhz < 3000;
    ESS | of(facts.cell.short_preamble, SHORT_PREAMBLE)
        | of(at_2_4_ghz && facts.cell.slot == Slot::Short, SHORT_SLOT)
}

fn start_request(request: Request, facts: &RadioFacts, own: &Announcement) -> Request {
    let linux = facts.linux();
    let header = frame::header(kind::BEACON, MacAddress::BROADCAST, facts.mac());
    let fixed = frame::with_timestamp(header, linux.beacon_tu, capabilities(facts));
    let request = request
        .attribute(attribute::BEACON_HEAD, &[&fixed[..], &own.before].concat())
        .attribute(attribute::BEACON_TAIL, &own.behind)
        .u32(attribute::BEACON_INTERVAL, linux.beacon_tu)
        .u32(attribute::DTIM_PERIOD, linux.dtim)
        .attribute(attribute::SSID, linux.ssid.as_bytes());
    nl80211::tuned(request, facts.cell.channel, facts.has_ht())
}

fn bss_request(request: Request, facts: &RadioFacts) -> Request {
    let cell = &facts.cell;
    let rates: Vec<u8> = basic_rates(cell).collect();
    request
        .attribute(attribute::BSS_BASIC_RATES, &rates)
        .u8(attribute::BSS_SHORT_PREAMBLE, cell.short_preamble.into())
        .u8(attribute::BSS_SHORT_SLOT_TIME, (cell.slot == Slot::Short).into())
        .u8(attribute::BSS_CTS_PROT, (cell.protection != ErpProtection::None).into())
}

/// Channel access of the access point itself; stations learn theirs from the beacon.
fn access_request(request: Request, facts: &RadioFacts) -> Option<Request> {
    // enum nl80211_txq_attr
    const AC: u16 = 1;
    const TXOP: u16 = 2;
    const CWMIN: u16 = 3;
    const CWMAX: u16 = 4;
    const AIFS: u16 = 5;
    let own = facts.cell.access_of(NicRole::AccessPoint);
    let &[background, best_effort, video, voice] = own else { return None };
    // enum nl80211_ac counts from voice to background.
    let categories = [voice, video, best_effort, background];
    Some(request.nest(attribute::WIPHY_TXQ_PARAMS, &[], |request| {
        categories.iter().zip(0u8..).fold(request, |request, (access, number)| {
            request.nest(number.into(), &[], |r| {
                r.u8(AC, number)
                    .u16(TXOP, (access.txop_us / 32) as u16)
                    .u16(CWMIN, access.cw_min as u16)
                    .u16(CWMAX, access.cw_max as u16)
                    .u8(AIFS, access.aifsn as u8)
            })
        })
    }))
}

/// What an access point keeps of an association (IEEE 802.11-2020, 9.4.1.8 and 9.4.1.6).
#[derive(Clone, Copy, Debug)]
struct Association {
    aid: u16,
    listen_interval: u16,
}

fn station_request(request: Request, association: Association, own: &StationElements) -> Request {
    const UAPSD_QUEUES: u16 = 1;
    const MAX_SP: u16 = 2;
    let has = AUTHENTICATED | ASSOCIATED | AUTHORIZED | if own.wmm.is_some() { WMM } else { 0 };
    // struct nl80211_sta_flag_update: the mask of flags, and which of them are set
    let flags = [AUTHENTICATED | ASSOCIATED | AUTHORIZED | WMM, has].map(u32::to_ne_bytes).concat();
    let mut request = request
        .u16(attribute::STA_AID, association.aid)
        .u16(attribute::STA_LISTEN_INTERVAL, association.listen_interval)
        .attribute(attribute::STA_SUPPORTED_RATES, &own.rates)
        .attribute(attribute::STA_FLAGS2, &flags);
    for (kind, value) in [
        (attribute::HT_CAPABILITY, &own.ht),
        (attribute::VHT_CAPABILITY, &own.vht),
        (attribute::HE_CAPABILITY, &own.he),
        (attribute::HE_6GHZ_CAPABILITY, &own.he_6_ghz),
    ] {
        if let Some(value) = value {
            request = request.attribute(kind, value);
        }
    }
    match own.wmm {
        // QoS Info of a station (9.4.1.17): which categories are delivered, and how many frames at once.
        Some(info) if info & 0x0f != 0 => request
            .nest(attribute::STA_WME, &[], |r| r.u8(UAPSD_QUEUES, info & 0x0f).u8(MAX_SP, info >> 5 & 3)),
        _ => request,
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::HtProtectionMode;

    use super::*;
    use crate::netlink::message::{attributes, find};
    use crate::netlink::sample_request::{empty, read};
    use crate::wireless::sample::facts;

    #[test]
    fn an_access_point_is_started_with_both_halves_of_its_beacon() {
        let facts = facts();
        let own = Announcement::new(&facts.cell, b"home", &facts.band, HtProtectionMode::None, false);
        let request = read(start_request(empty(), &facts, &own));
        let kinds: Vec<u16> = request.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [14, 15, 12, 13, 52, 38, 159]);
        assert_eq!(request[0].1[..4], [0x80, 0, 0, 0]);
        assert_eq!(request[0].1[36..42], [0, 4, b'h', b'o', b'm', b'e']);
        assert_eq!(request[2].1, 100u32.to_ne_bytes());
    }

    #[test]
    fn channel_access_is_in_the_kernels_order() {
        let request = read(access_request(empty(), &facts()).unwrap());
        let categories: Vec<_> =
            attributes(&request[0].1).map(|(number, c)| (number, find(c, 5).unwrap()[0])).collect();
        assert_eq!(categories, [(0, 1), (1, 1), (2, 3), (3, 7)]);
        let voice = attributes(&request[0].1).next().unwrap().1;
        assert_eq!(find(voice, 2).unwrap(), 47u16.to_ne_bytes());
        let mut without = facts();
        std::sync::Arc::make_mut(&mut without.cell).access.truncate(1);
        std::sync::Arc::make_mut(&mut without.cell).ap_access = None;
        assert!(access_request(empty(), &without).is_none());
    }

    #[test]
    fn a_station_is_added_with_all_its_capabilities() {
        let own = StationElements {
            rates: vec![12, 24],
            ht: Some(vec![1; 26]),
            wmm: Some(0b0100_1111),
            ..StationElements::default()
        };
        let association = Association { aid: 3, listen_interval: 5 };
        let request = read(station_request(empty(), association, &own));
        assert_eq!(request[0], (16, 3u16.to_ne_bytes().to_vec()));
        let flags = [0xaau32, 0xaa].map(u32::to_ne_bytes).concat();
        assert_eq!(request[3], (67, flags));
        assert_eq!(request[4].0, 31);
        assert_eq!((find(&request[5].1, 1).unwrap()[0], find(&request[5].1, 2).unwrap()[0]), (15, 2));
        let plain = read(station_request(empty(), association, &StationElements::default()));
        assert_eq!(plain[3].1[4..], 0xa2u32.to_ne_bytes());
    }
}
