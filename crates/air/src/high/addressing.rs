//! The receiver of a frame, and what its receiver does with it (IEEE 802.11-2020, 4.5.2, 9.3.2.1).

use airtcp_plan::{CellKind, MacAddress};

use super::host::{DropReason, Frame};
use super::mesh_routes::MeshRoutes;
use crate::NicId;
use crate::border::Receiver;

/// What a receiver does with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handling {
    /// Whether the receiver gives the frame to its host.
    pub(super) host: bool,
    /// Whether the receiver forwards the frame inside the cell.
    pub(super) forward: bool,
}

/// What becomes of a frame where it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The receiver's host gets it.
    Host,
    /// The receiver sends it again inside the cell.
    Cell,
    /// The frame goes to the host and on in the cell: a station's group frame at its access point.
    HostAndCell,
    /// A group frame; each receiver decides for itself.
    Group {
        /// The NIC of the cell that it came from first, if it was one.
        source: Option<NicId>,
    },
}

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Destination {
    /// The receiver of the next hop.
    pub(super) receiver: Receiver,
    /// How the receiver handles the frame.
    pub(super) arrival: Arrival,
    /// The frame has no qdisc below which it could wait: this NIC forwards it.
    pub(super) relayed: bool,
    /// The source is no mesh station (only in mesh cells).
    pub(super) proxied: bool,
}

/// One cell, as its members use it.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) kind: CellKind,
    /// The access point; in a mesh cell, nobody.
    pub(super) access_point: Option<(MacAddress, NicId)>,
    /// Everybody, sorted by address.
    pub(super) members: Members,
    pub(super) routes: MeshRoutes,
}

/// The members of a cell by address, which is kept as a number: that compares fast.
#[derive(Debug)]
pub(super) struct Members(Vec<(u64, NicId)>);

impl Members {
    /// In any order.
    pub(super) fn new(members: impl IntoIterator<Item = (MacAddress, NicId)>) -> Self {
        let mut list: Vec<_> = members.into_iter().map(|(mac, nic)| (number(mac), nic)).collect();
        list.sort_unstable();
        Self(list)
    }

    #[inline]
    fn find(&self, mac: MacAddress) -> Option<NicId> {
        let (number, last) = (number(mac), self.0.last()?.0);
        // Most often the addresses of stations follow each other.
        let place = (self.0.len() as u64 - 1).wrapping_sub(last.wrapping_sub(number));
        match self.0.get(place as usize) {
            Some(&(found, nic)) if found == number => Some(nic),
            _ => self.search(number),
        }
    }

    #[inline(never)]
    fn search(&self, number: u64) -> Option<NicId> {
        let place = self.0.binary_search_by_key(&number, |member| member.0).ok()?;
        Some(self.0[place].1)
    }
}

#[inline]
fn number(mac: MacAddress) -> u64 {
    mac.0.iter().fold(0, |number, &octet| number << 8 | u64::from(octet))
}

impl Cell {
    /// The member with this address.
    #[inline]
    fn member(&self, mac: MacAddress) -> Option<NicId> {
        self.members.find(mac)
    }

    /// Where the frame goes from this member with this address.
    ///
    /// # Errors
    /// The reason for which it can't be sent.
    pub(super) fn destination(
        &self,
        from: NicId,
        from_mac: MacAddress,
        frame: &Frame,
    ) -> Result<Destination, DropReason> {
        match self.access_point {
            None => self.of_mesh(from, from_mac, frame),
            Some((_, access_point)) if access_point == from => self.of_access_point(from, from_mac, frame),
            Some((mac, _)) if frame.destination == mac => self.of_station(from_mac, frame, Arrival::Host),
            Some(_) => {
                let arrival = if frame.destination.is_group() {
                    Arrival::HostAndCell
                } else if self.member(frame.destination).is_some() {
                    Arrival::Cell
                } else {
                    Arrival::Host
                };
                self.of_station(from_mac, frame, arrival)
            }
        }
    }

    fn of_station(
        &self,
        from_mac: MacAddress,
        frame: &Frame,
        arrival: Arrival,
    ) -> Result<Destination, DropReason> {
        if frame.source != from_mac {
            return Err(DropReason::ForeignSource);
        }
        let (_, access_point) = self.access_point.expect("a station has an access point");
        let receiver = Receiver::One(access_point);
        Ok(Destination { receiver, arrival, relayed: false, proxied: false })
    }

    fn of_access_point(
        &self,
        from: NicId,
        from_mac: MacAddress,
        frame: &Frame,
    ) -> Result<Destination, DropReason> {
        let source = if frame.source == from_mac { Some(from) } else { self.member(frame.source) };
        let relayed = source.is_some_and(|source| source != from);
        if frame.destination.is_group() {
            let arrival = Arrival::Group { source };
            return Ok(Destination { receiver: Receiver::Group, arrival, relayed, proxied: false });
        }
        let station = self.member(frame.destination).filter(|&station| station != from);
        let receiver = Receiver::One(station.ok_or(DropReason::NoSuchStation)?);
        Ok(Destination { receiver, arrival: Arrival::Host, relayed, proxied: false })
    }

    fn of_mesh(&self, from: NicId, from_mac: MacAddress, frame: &Frame) -> Result<Destination, DropReason> {
        let source = if frame.source == from_mac { Some(from) } else { self.member(frame.source) };
        let relayed = source.is_some_and(|source| source != from);
        let proxied = source.is_none();
        if frame.destination.is_group() {
            let arrival = Arrival::Group { source };
            return Ok(Destination { receiver: Receiver::Group, arrival, relayed, proxied });
        }
        let to = self.member(frame.destination).filter(|&to| to != from).ok_or(DropReason::NoSuchStation)?;
        let next = self.routes.next_hop(from, to);
        let arrival = if next == to { Arrival::Host } else { Arrival::Cell };
        Ok(Destination { receiver: Receiver::One(next), arrival, relayed, proxied })
    }

    /// Whether the host at `to` gets what came from `from`, and whether `to` sends it again.
    ///
    /// A group frame is not given back to its source. Mesh stations forward it by reverse path forwarding (Dalal and
    /// Metcalfe, CACM 21(12), 1978): a station takes it only from the neighbour over which it would itself send to
    /// the source, gives it to its host and sends it once more. So it reaches everybody, once, without a memory of
    /// sequence numbers. Whose source is behind a mesh station goes no further than one hop.
    #[inline]
    pub(super) fn arrive(&self, from: NicId, to: NicId, arrival: Arrival) -> Handling {
        match arrival {
            Arrival::Cell => Handling { host: false, forward: true },
            Arrival::HostAndCell => Handling { host: true, forward: true },
            Arrival::Group { source: Some(source) } if source == to => {
                Handling { host: false, forward: false }
            }
            Arrival::Group { source: Some(source) } if self.kind == CellKind::Mesh => {
                let accepted = self.routes.next_hop(to, source) == from;
                Handling { host: accepted, forward: accepted }
            }
            Arrival::Host | Arrival::Group { .. } => Handling { host: true, forward: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FrameHandle;

    const fn mac(last: u8) -> MacAddress {
        MacAddress([2, 0, 0, 0, 0, last])
    }

    fn frame(source: MacAddress, destination: MacAddress) -> Frame {
        let handle = FrameHandle(1);
        Frame { handle, bytes: 100, source, destination, priority: 0, flow: 0, ect: false }
    }

    /// Access point 0 (address 10), stations 1 and 2 (addresses 11 and 12).
    fn infrastructure() -> Cell {
        let members = Members::new((0..3).map(|i| (mac(10 + i), NicId(u32::from(i)))));
        Cell {
            kind: CellKind::Infrastructure,
            access_point: Some((mac(10), NicId(0))),
            members,
            routes: MeshRoutes::default(),
        }
    }

    /// NICs 0, 1, 2 in a row (addresses 10, 11, 12): 0 and 2 reach each other over 1.
    fn chain() -> Cell {
        let members = Members::new((0..3).map(|i| (mac(10 + i), NicId(u32::from(i)))));
        let routes = [(NicId(0), NicId(2), NicId(1)), (NicId(2), NicId(0), NicId(1))];
        let nics = [0, 1, 2].map(NicId);
        Cell { kind: CellKind::Mesh, access_point: None, members, routes: MeshRoutes::new(&nics, &routes) }
    }

    fn goes(cell: &Cell, from: u8, source: u8, to: MacAddress) -> Result<(Receiver, Arrival), DropReason> {
        let destination =
            cell.destination(NicId(u32::from(from)), mac(10 + from), &frame(mac(source), to))?;
        Ok((destination.receiver, destination.arrival))
    }

    #[test]
    fn stations_send_everything_to_their_access_point() {
        let cell = infrastructure();
        let access_point = Receiver::One(NicId(0));
        assert_eq!(goes(&cell, 1, 11, mac(10)), Ok((access_point, Arrival::Host)));
        assert_eq!(goes(&cell, 1, 11, mac(12)), Ok((access_point, Arrival::Cell)));
        assert_eq!(goes(&cell, 1, 11, mac(99)), Ok((access_point, Arrival::Host)));
        assert_eq!(goes(&cell, 1, 11, MacAddress::BROADCAST), Ok((access_point, Arrival::HostAndCell)));
        assert_eq!(goes(&cell, 1, 99, mac(10)), Err(DropReason::ForeignSource));
    }

    #[test]
    fn an_access_point_sends_to_its_stations() {
        let cell = infrastructure();
        assert_eq!(goes(&cell, 0, 10, mac(12)), Ok((Receiver::One(NicId(2)), Arrival::Host)));
        assert_eq!(goes(&cell, 0, 99, mac(12)), Ok((Receiver::One(NicId(2)), Arrival::Host)));
        assert_eq!(goes(&cell, 0, 99, mac(98)), Err(DropReason::NoSuchStation));
        assert_eq!(goes(&cell, 0, 99, mac(10)), Err(DropReason::NoSuchStation));
        let group = Arrival::Group { source: Some(NicId(1)) };
        assert_eq!(goes(&cell, 0, 11, MacAddress::BROADCAST), Ok((Receiver::Group, group)));
        assert_eq!(cell.arrive(NicId(0), NicId(1), group), Handling { host: false, forward: false });
        assert_eq!(cell.arrive(NicId(0), NicId(2), group), Handling { host: true, forward: false });
        assert_eq!(
            cell.arrive(NicId(0), NicId(2), Arrival::Group { source: None }),
            Handling { host: true, forward: false }
        );
    }

    #[test]
    fn what_is_forwarded_is_known_by_its_source() {
        let relayed = |cell: &Cell, source| {
            let frame = frame(mac(source), MacAddress::BROADCAST);
            let destination = cell.destination(NicId(0), mac(10), &frame).expect("it can be sent");
            (destination.relayed, destination.proxied)
        };
        assert_eq!([10, 11, 99].map(|s| relayed(&infrastructure(), s).0), [false, true, false]);
        assert_eq!(
            [10, 11, 99].map(|s| relayed(&chain(), s)),
            [(false, false), (true, false), (false, true)]
        );
    }

    #[test]
    fn mesh_frames_follow_their_routes() {
        let cell = chain();
        assert_eq!(goes(&cell, 0, 10, mac(12)), Ok((Receiver::One(NicId(1)), Arrival::Cell)));
        assert_eq!(goes(&cell, 1, 10, mac(12)), Ok((Receiver::One(NicId(2)), Arrival::Host)));
        assert_eq!(goes(&cell, 0, 10, mac(11)), Ok((Receiver::One(NicId(1)), Arrival::Host)));
        assert_eq!(goes(&cell, 0, 10, mac(99)), Err(DropReason::NoSuchStation));
        assert_eq!(goes(&cell, 0, 10, mac(10)), Err(DropReason::NoSuchStation));
    }

    #[test]
    fn a_mesh_group_frame_reaches_everybody_once() {
        let cell = chain();
        let [a, b, c] = [0, 1, 2].map(NicId);
        let group = Arrival::Group { source: Some(a) };
        assert_eq!(cell.arrive(a, b, group), Handling { host: true, forward: true });
        // c may hear a, but its way to a is over b.
        assert_eq!(cell.arrive(a, c, group), Handling { host: false, forward: false });
        assert_eq!(cell.arrive(b, c, group), Handling { host: true, forward: true });
        assert_eq!(cell.arrive(c, b, group), Handling { host: false, forward: false });
        assert_eq!(cell.arrive(b, a, group), Handling { host: false, forward: false });
        assert_eq!(
            cell.arrive(b, c, Arrival::Group { source: None }),
            Handling { host: true, forward: false }
        );
    }
}
