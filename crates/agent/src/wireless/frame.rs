//! Management frames between an access point and stations that join it (IEEE 802.11-2020, 9.3.3).

use airtcp_plan::MacAddress;

/// Bytes of the header.
const HEADER_BYTES: usize = 24;
/// Fixed fields of an association request: capabilities and listen interval.
const ASSOCIATION_FIXED: usize = 4;
/// A reassociation request has the address of the access point before as well.
const REASSOCIATION_FIXED: usize = 10;
/// Status 0: success (9.4.1.9).
const SUCCESS: u16 = 0;
/// Status 13: an authentication algorithm that is not supported.
const UNSUPPORTED_ALGORITHM: u16 = 13;

/// Kinds of frames by their first octet: type and subtype (9.2.4.1).
pub(super) mod kind {
    pub(crate) const ASSOCIATION_REQUEST: u8 = 0x00;
    pub(crate) const ASSOCIATION_RESPONSE: u8 = 0x10;
    pub(crate) const REASSOCIATION_REQUEST: u8 = 0x20;
    pub(crate) const REASSOCIATION_RESPONSE: u8 = 0x30;
    pub(crate) const PROBE_REQUEST: u8 = 0x40;
    pub(crate) const PROBE_RESPONSE: u8 = 0x50;
    pub(crate) const BEACON: u8 = 0x80;
    pub(crate) const DISASSOCIATION: u8 = 0xa0;
    pub(crate) const AUTHENTICATION: u8 = 0xb0;
    pub(crate) const DEAUTHENTICATION: u8 = 0xc0;
}

/// The request of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StationRequest<'a> {
    /// The station looks for access points.
    Probe,
    /// Open System authentication is the only algorithm.
    Authenticate {
        /// Whether the station requests Open System authentication.
        open: bool,
    },
    /// The station joins.
    Associate {
        /// Whether the station was associated before (reassociation).
        again: bool,
        /// Beacon intervals between its wake-ups (IEEE 802.11-2020, 9.4.1.6).
        listen_interval: u16,
        /// Elements of the request.
        elements: &'a [u8],
    },
    /// The station disassociates or deauthenticates.
    Leave,
}

/// The requesting station and its request; `None` for a frame that needs no answer or is malformed.
pub(super) fn read(frame: &[u8]) -> Option<(MacAddress, StationRequest<'_>)> {
    let from = MacAddress(frame.get(10..16)?.try_into().ok()?);
    let body = frame.get(HEADER_BYTES..)?;
    let number = |at: usize| Some(u16::from_le_bytes(body.get(at..at + 2)?.try_into().ok()?));
    let associate = |again, fixed| {
        let listen_interval = number(2)?;
        Some(StationRequest::Associate { again, listen_interval, elements: body.get(fixed..)? })
    };
    let request = match *frame.first()? {
        kind::PROBE_REQUEST => StationRequest::Probe,
        // The first of two frames: algorithm 0 is Open System.
        kind::AUTHENTICATION if number(2)? == 1 => StationRequest::Authenticate { open: number(0)? == 0 },
        kind::ASSOCIATION_REQUEST => associate(false, ASSOCIATION_FIXED)?,
        kind::REASSOCIATION_REQUEST => associate(true, REASSOCIATION_FIXED)?,
        kind::DISASSOCIATION | kind::DEAUTHENTICATION => StationRequest::Leave,
        _ => return None,
    };
    Some((from, request))
}

/// Header of a frame of an access point; the kernel numbers it.
pub(super) fn header(kind: u8, to: MacAddress, access_point: MacAddress) -> Vec<u8> {
    [&[kind, 0, 0, 0][..], &to.0, &access_point.0, &access_point.0, &[0, 0]].concat()
}

/// Beacon or probe response up to the SSID; the kernel or the radio puts the timestamp in.
pub(super) fn with_timestamp(mut header: Vec<u8>, beacon_tu: u32, capabilities: u16) -> Vec<u8> {
    header.extend([0; 8]);
    header.extend((beacon_tu as u16).to_le_bytes());
    header.extend(capabilities.to_le_bytes());
    header
}

/// The answer to an authentication.
pub(super) fn authentication(header: Vec<u8>, open: bool) -> Vec<u8> {
    let status = if open { SUCCESS } else { UNSUPPORTED_ALGORITHM };
    [header, [0u16, 2, status].iter().flat_map(|field| field.to_le_bytes()).collect()].concat()
}

/// The answer to an association.
pub(super) fn association(header: Vec<u8>, capabilities: u16, aid: u16, elements: &[u8]) -> Vec<u8> {
    // The two highest bits of the AID are set (9.4.1.8).
    let fields = [capabilities, SUCCESS, aid | 0xc000];
    [header, fields.iter().flat_map(|field| field.to_le_bytes()).collect(), elements.to_vec()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AP: MacAddress = MacAddress([2, 0, 0, 0, 0, 1]);
    const STA: MacAddress = MacAddress([2, 0, 0, 0, 0, 2]);

    fn from_station(kind: u8, body: &[u8]) -> Vec<u8> {
        [&[kind, 0, 0, 0][..], &AP.0, &STA.0, &AP.0, &[0x10, 0], body].concat()
    }

    #[test]
    fn requests_are_read() {
        let authentication = from_station(kind::AUTHENTICATION, &[0, 0, 1, 0, 0, 0]);
        assert_eq!(read(&authentication), Some((STA, StationRequest::Authenticate { open: true })));
        let sae = from_station(kind::AUTHENTICATION, &[3, 0, 1, 0, 0, 0]);
        assert_eq!(read(&sae), Some((STA, StationRequest::Authenticate { open: false })));
        let answer = from_station(kind::AUTHENTICATION, &[0, 0, 2, 0, 0, 0]);
        assert_eq!(read(&answer), None);
        let again = from_station(kind::REASSOCIATION_REQUEST, &[1, 0, 5, 0, 2, 0, 0, 0, 0, 9, 0, 0]);
        let request = StationRequest::Associate { again: true, listen_interval: 5, elements: &[0, 0] };
        assert_eq!(read(&again), Some((STA, request)));
        assert_eq!(read(&from_station(kind::DEAUTHENTICATION, &[3, 0])), Some((STA, StationRequest::Leave)));
    }

    #[test]
    fn answers_have_the_octets_of_the_standard() {
        let answer = authentication(header(kind::AUTHENTICATION, STA, AP), true);
        assert_eq!(answer[..4], [0xb0, 0, 0, 0]);
        assert_eq!(answer[4..22], [STA.0, AP.0, AP.0].concat());
        assert_eq!(answer[24..], [0, 0, 2, 0, 0, 0]);
        let answer = association(header(kind::ASSOCIATION_RESPONSE, STA, AP), 0x0421, 3, &[1, 1, 2]);
        assert_eq!(answer[24..], [0x21, 0x04, 0, 0, 3, 0xc0, 1, 1, 2]);
        let beacon = with_timestamp(header(kind::BEACON, MacAddress::BROADCAST, AP), 100, 1);
        assert_eq!(beacon[24..], [0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 1, 0]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_request_or_none(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = read(&bytes);
        }
    }
}
