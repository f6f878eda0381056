//! Who receives a frame (IEEE 802.11-2020, 4.5.2 and 9.3.2.1: infrastructure BSS).

use airtcp_plan::{MacAddress, NicRole};
use airtcp_units::Duration;

use super::host::Frame;
use super::{DropReason, Nic, NicId};
use crate::phy::OfdmRate;

/// Octets of an Ethernet header.
const ETHERNET_HEADER_BYTES: u32 = 14;
/// LLC and SNAP header that carries an Ethernet type (IEEE 802.11-2020, 5.1.4; RFC 1042).
const LLC_SNAP_BYTES: u32 = 8;
/// Header of a data frame without `QoS` field, with three addresses (9.3.2.1).
const MAC_HEADER_BYTES: u32 = 24;
/// Frame check sequence (9.2.4.8).
const FCS_BYTES: u32 = 4;
/// Longest MSDU (Table 9-25).
const MSDU_BYTES_MAX: u32 = 2304;

/// Where a frame goes in its next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// From a station to its access point.
    AccessPoint {
        /// The access point's host gets it.
        deliver: bool,
        /// The access point sends it again inside the cell.
        relay: bool,
    },
    /// From the access point to one station.
    Station(NicId),
    /// From the access point to every station but its source.
    Group {
        /// The station that sent it.
        except: Option<NicId>,
    },
}

/// One cell, as its members use it.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) access_point: NicId,
    pub(crate) access_point_mac: MacAddress,
    /// Sorted by address.
    pub(crate) stations: Vec<(MacAddress, NicId)>,
    pub(crate) group_rate: OfdmRate,
    /// Rate and duration of the response to data at each rate.
    pub(crate) responses: [(OfdmRate, Duration); 8],
    pub(crate) retry_limit: u32,
}

impl Cell {
    /// The station with this address.
    pub(crate) fn station(&self, mac: MacAddress) -> Option<NicId> {
        let place = self.stations.binary_search_by(|s| s.0.0.cmp(&mac.0)).ok()?;
        Some(self.stations[place].1)
    }

    /// Where the frame goes from this NIC.
    ///
    /// # Errors
    /// The reason for which it can't be sent.
    pub(crate) fn receiver(&self, from: &Nic, frame: &Frame) -> Result<Receiver, DropReason> {
        match from.role {
            NicRole::AccessPoint if frame.destination.is_group() => {
                Ok(Receiver::Group { except: self.station(frame.source) })
            }
            NicRole::AccessPoint => {
                self.station(frame.destination).map(Receiver::Station).ok_or(DropReason::NoSuchStation)
            }
            NicRole::Station if frame.source != from.mac => Err(DropReason::ForeignSource),
            NicRole::Station if frame.destination.is_group() => {
                Ok(Receiver::AccessPoint { deliver: true, relay: true })
            }
            NicRole::Station => {
                // Most frames are for the access point or beyond: ask for it first.
                let relay =
                    frame.destination != self.access_point_mac && self.station(frame.destination).is_some();
                Ok(Receiver::AccessPoint { deliver: !relay, relay })
            }
        }
    }
}

/// Length of the PSDU that carries an Ethernet frame.
///
/// # Errors
/// [`DropReason::TooLong`] if no MSDU may be so long. Panics if the frame has no Ethernet header.
pub(crate) fn psdu_bytes(frame_bytes: u32) -> Result<u32, DropReason> {
    assert!(frame_bytes >= ETHERNET_HEADER_BYTES, "a frame of {frame_bytes} bytes has no Ethernet header");
    let msdu = (frame_bytes - ETHERNET_HEADER_BYTES).saturating_add(LLC_SNAP_BYTES);
    if msdu > MSDU_BYTES_MAX {
        return Err(DropReason::TooLong);
    }
    Ok(MAC_HEADER_BYTES + msdu + FCS_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ethernet_frame_makes_a_psdu_of_1536_octets() {
        assert_eq!(psdu_bytes(1514), Ok(1536));
        assert_eq!(psdu_bytes(14), Ok(36));
    }

    #[test]
    fn around_the_longest_msdu() {
        assert_eq!(psdu_bytes(2310), Ok(2332));
        assert_eq!(psdu_bytes(2311), Err(DropReason::TooLong));
        assert_eq!(psdu_bytes(u32::MAX), Err(DropReason::TooLong));
    }
}
