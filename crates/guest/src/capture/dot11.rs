//! MPDUs in bytes: headers as in IEEE 802.11-2020, 9.2 and 9.3, around what hosts sent.
//!
//! What the model has no notion of is written as it usually is: a mesh TTL of 31, mesh sequence numbers and beacon sequence
//! numbers of 0. Whose source is behind a mesh station has the transmitter as its mesh source.

use airtcp_air::border::{Addresses, BlockAck, ControlFrame};
use airtcp_air::phy::Format;
use airtcp_air::{AirCapture, CapturedMpdu, CapturedPpdu, CapturedTrigger, PpduKind};
use airtcp_plan::{CellKind, MacAddress};
use airtcp_units::Duration;

use super::beacon;
use super::cell_facts::{AirFacts, CellFacts};
use super::control_frame::{self, duration_us};
use super::cut::CutMpdu;
use super::trigger_frame::{Announcer, PrimaryPlace};

/// First octet of the Frame Control field: subtype, type, version (9.2.4.1).
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
const QOS_NULL: u8 = 0xc8;
const BEACON: u8 = 0x80;
/// Second octet: To DS, From DS, Retry (Table 9-2).
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;
/// `QoS` Control: acknowledgement policy, A-MSDU, mesh control present (9.2.4.5).
const NO_ACK: u16 = 1 << 5;
const QUEUE_SIZE_PRESENT: u16 = 1 << 4;
const AMSDU_PRESENT: u16 = 1 << 7;
const MESH_CONTROL_PRESENT: u16 = 1 << 8;
/// Mesh flags: which addresses follow (9.2.4.7.3), and the default of dot11MeshTTL (Annex C).
const MESH_TTL: u8 = 31;
/// Bytes of an Ethernet header; its type goes into the SNAP header.
const ETHERNET_BYTES: usize = 14;
const ETHERNET_TYPE: usize = 12;
/// LLC and SNAP header before an Ethernet type (RFC 1042).
const LLC_SNAP: [u8; 6] = [0xaa, 0xaa, 3, 0, 0, 0];

/// A frame of a host as far as its bytes are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EthernetHead<'a> {
    pub(crate) head: &'a [u8],
    /// Length of the whole frame, in bytes.
    pub(crate) bytes: u32,
}

impl EthernetHead<'_> {
    fn destination(&self) -> MacAddress {
        self.address(0)
    }

    fn source(&self) -> MacAddress {
        self.address(6)
    }

    fn address(&self, at: usize) -> MacAddress {
        MacAddress(self.head[at..at + 6].try_into().expect("six bytes"))
    }
}

/// Writes the MPDUs of a plan's NICs.
#[derive(Clone, Debug)]
pub(crate) struct Dot11(AirFacts);

impl Dot11 {
    pub(super) fn new(facts: AirFacts) -> Self {
        Self(facts)
    }

    /// Writes another control frame; returns its length.
    pub(super) fn control(&self, out: &mut Vec<u8>, capture: &AirCapture, ppdu: &CapturedPpdu) -> u32 {
        let own = self.0.mac(ppdu.nic);
        // A CTS to oneself is addressed so.
        let receiver = self.receiver(ppdu).unwrap_or(own);
        let frame = ControlFrame {
            kind: ppdu.kind,
            addresses: ppdu.addresses.unwrap_or(Addresses { receiver, transmitter: own }),
            nav: ppdu.nav,
            block_ack: ppdu.block_ack.as_ref().map(|said| BlockAck {
                tid: said.tid,
                start: said.start,
                bitmap: capture.bitmap(said),
            }),
        };
        let mut mpdu = CutMpdu::new(out);
        control_frame::write(&frame, ppdu.tx.format == Format::Dmg, |octets| mpdu.put(octets));
        mpdu.end(is_bad(ppdu))
    }

    /// Writes a trigger frame; returns its length.
    pub(super) fn trigger(
        &self,
        out: &mut Vec<u8>,
        capture: &AirCapture,
        ppdu: &CapturedPpdu,
        trigger: &CapturedTrigger,
    ) -> u32 {
        let mut mpdu = CutMpdu::new(out);
        self.announcer(ppdu).trigger(trigger, capture.triggered(ppdu), |octets| mpdu.put(octets));
        mpdu.end(if ppdu.kind == PpduKind::Data { !ppdu.trigger_received } else { is_bad(ppdu) })
    }

    /// Writes a `BlockAck` for several stations; returns its length.
    pub(super) fn multi_sta_block_ack(
        &self,
        out: &mut Vec<u8>,
        capture: &AirCapture,
        ppdu: &CapturedPpdu,
    ) -> u32 {
        let mut mpdu = CutMpdu::new(out);
        let stations = capture.acknowledged(ppdu).iter().map(|of| {
            let bitmap = of.block_ack.as_ref().map(|said| (said.start, capture.bitmap(said)));
            (of.station, of.tid, bitmap)
        });
        self.announcer(ppdu).multi_sta_block_ack(stations, |octets| mpdu.put(octets));
        mpdu.end(is_bad(ppdu))
    }

    /// Writes the `QoS` Null frame of a TID; returns its length.
    pub(super) fn qos_null(&self, out: &mut Vec<u8>, ppdu: &CapturedPpdu, tid: u8, queue_size: u8) -> u32 {
        let cell = self.0.cell_of(ppdu.nic);
        let bssid = cell.bssid.unwrap_or_else(|| self.0.mac(ppdu.nic));
        let mut mpdu = CutMpdu::new(out);
        mpdu.put(&[QOS_NULL, TO_DS]);
        mpdu.put(&duration(ppdu.nav));
        mpdu.put(&self.receiver(ppdu).unwrap_or(bssid).0);
        mpdu.put(&self.0.mac(ppdu.nic).0);
        mpdu.put(&bssid.0);
        // Its sequence number may be any value (IEEE 802.11-2020, 10.3.2.14.2).
        mpdu.put(&[0, 0]);
        mpdu.put(&(u16::from(tid) | NO_ACK | said_of_queue(Some(queue_size))).to_le_bytes());
        mpdu.end(is_bad(ppdu))
    }

    fn announcer(&self, ppdu: &CapturedPpdu) -> Announcer<'_> {
        Announcer {
            transmitter: self.0.mac(ppdu.nic),
            receiver: self.receiver(ppdu).unwrap_or(MacAddress::BROADCAST),
            nav: ppdu.nav,
            power: self.0.power(ppdu.nic),
            primary: PrimaryPlace { subchannel: self.0.cell_of(ppdu.nic).primary_subchannel },
            aids: self.0.aids(),
        }
    }

    /// Writes a beacon or a `BlockAckReq`; returns its length.
    pub(super) fn other(&self, out: &mut Vec<u8>, ppdu: &CapturedPpdu, mpdu: &CapturedMpdu) -> u32 {
        let own = self.0.mac(ppdu.nic);
        let mut frame = CutMpdu::new(out);
        if ppdu.kind == PpduKind::BlockAckReq {
            let of_nics =
                || Addresses { receiver: self.receiver(ppdu).expect("it asks one NIC"), transmitter: own };
            let request = ControlFrame {
                kind: ppdu.kind,
                addresses: ppdu.addresses.unwrap_or_else(of_nics),
                nav: ppdu.nav,
                block_ack: Some(BlockAck { tid: mpdu.tid, start: mpdu.sequence, bitmap: &[] }),
            };
            control_frame::write(&request, false, |octets| frame.put(octets));
        } else {
            frame.put(&[BEACON, 0, 0, 0]);
            frame.put(&MacAddress::BROADCAST.0);
            frame.put(&own.0);
            frame.put(&own.0);
            frame.put(&(mpdu.sequence << 4).to_le_bytes());
            beacon::write(&mut frame, self.0.cell_of(ppdu.nic), ppdu.start_ns.cast_unsigned(), mpdu.bytes);
        }
        frame.end(!mpdu.received)
    }

    /// Writes a data MPDU with its frames; returns its length.
    pub(super) fn data<'a>(
        &self,
        out: &mut Vec<u8>,
        ppdu: &CapturedPpdu,
        mpdu: &CapturedMpdu,
        frames: impl ExactSizeIterator<Item = EthernetHead<'a>> + Clone,
    ) -> u32 {
        let cell = self.0.cell_of(ppdu.nic);
        let own = self.0.mac(ppdu.nic);
        let first = frames.clone().next().expect("a data MPDU has a frame");
        let amsdu = frames.len() > 1;
        let mut written = CutMpdu::new(out);
        let header = DataHeader { cell, own, to: self.receiver(ppdu), amsdu };
        header.write(&mut written, ppdu, mpdu, &first);
        let last = frames.len() - 1;
        for (number, frame) in frames.enumerate() {
            let begin = written.bytes();
            if amsdu {
                let mesh_bytes = header.mesh_control(&frame).map_or(0, |control| control.len());
                let bytes = frame.bytes as usize - ETHERNET_BYTES + LLC_SNAP.len() + 2 + mesh_bytes;
                written.put(&frame.head[..ETHERNET_TYPE]);
                written.put(&(bytes as u16).to_be_bytes());
            }
            if let Some(control) = header.mesh_control(&frame) {
                written.put(&control);
            }
            written.put(&LLC_SNAP);
            written.put_head(&frame.head[ETHERNET_TYPE..], frame.bytes - ETHERNET_TYPE as u32);
            if amsdu && number < last {
                written.pad(begin);
            }
        }
        written.end(!mpdu.received)
    }

    fn receiver(&self, ppdu: &CapturedPpdu) -> Option<MacAddress> {
        ppdu.to.map(|to| self.0.mac(to))
    }
}

/// Whether the receiver of a control frame could not read it.
pub(super) fn is_bad(ppdu: &CapturedPpdu) -> bool {
    ppdu.outcome != airtcp_air::PpduOutcome::Received
}

/// The Duration field.
pub(super) fn duration(nav: Duration) -> [u8; 2] {
    duration_us(nav).to_le_bytes()
}

/// The part of `QoS` Control with which a station says what waits in a queue (9.2.4.5.6): that it does, and the Queue Size.
fn said_of_queue(queue_size: Option<u8>) -> u16 {
    queue_size.map_or(0, |size| QUEUE_SIZE_PRESENT | u16::from(size) << 8)
}

/// The header of a data MPDU.
struct DataHeader<'a> {
    cell: &'a CellFacts,
    own: MacAddress,
    to: Option<MacAddress>,
    amsdu: bool,
}

impl DataHeader<'_> {
    fn is_mesh(&self) -> bool {
        self.cell.kind == CellKind::Mesh
    }

    /// Group frames of an access point have none.
    fn has_qos_control(&self) -> bool {
        self.cell.qos && (self.is_mesh() || self.to.is_some())
    }

    fn write(
        &self,
        out: &mut CutMpdu<'_>,
        ppdu: &CapturedPpdu,
        mpdu: &CapturedMpdu,
        first: &EthernetHead<'_>,
    ) {
        let retry = if mpdu.retry { RETRY } else { 0 };
        let (direction, third, fourth) = self.addresses(first);
        out.put(&[if self.has_qos_control() { QOS_DATA } else { DATA }, direction | retry]);
        out.put(&duration(ppdu.nav));
        out.put(&self.to.unwrap_or_else(|| first.destination()).0);
        out.put(&self.own.0);
        out.put(&third.0);
        out.put(&(mpdu.sequence << 4).to_le_bytes());
        if let Some(fourth) = fourth {
            out.put(&fourth.0);
        }
        if self.has_qos_control() {
            let queue_size = ppdu.queue_sizes.get(usize::from(mpdu.tid)).copied().flatten();
            out.put(&(self.qos_control(mpdu.tid) | said_of_queue(queue_size)).to_le_bytes());
        }
    }

    /// To DS and From DS, the third address, and the fourth if there is one (Tables 9-30 and 9-26). In an A-MSDU, whose subframes
    /// have their own addresses, the BSSID stands for them.
    fn addresses(&self, first: &EthernetHead<'_>) -> (u8, MacAddress, Option<MacAddress>) {
        let Some(bssid) = self.cell.bssid else {
            let mesh_source = if self.cell.has(first.source()) { first.source() } else { self.own };
            return match self.to {
                Some(to) if self.amsdu => (TO_DS | FROM_DS, to, Some(self.own)),
                Some(_) => (TO_DS | FROM_DS, first.destination(), Some(mesh_source)),
                None => (FROM_DS, mesh_source, None),
            };
        };
        let (direction, third) =
            if self.own == bssid { (FROM_DS, first.source()) } else { (TO_DS, first.destination()) };
        (direction, if self.amsdu { bssid } else { third }, None)
    }

    fn qos_control(&self, tid: u8) -> u16 {
        let of = |has: bool, bit: u16| if has { bit } else { 0 };
        u16::from(tid)
            | of(self.to.is_none(), NO_ACK)
            | of(self.amsdu, AMSDU_PRESENT)
            | of(self.is_mesh(), MESH_CONTROL_PRESENT)
    }

    /// The Mesh Control field before an MSDU, where there is one (9.2.4.7.3): with the addresses of a source behind a mesh station.
    fn mesh_control(&self, frame: &EthernetHead<'_>) -> Option<Vec<u8>> {
        if !(self.is_mesh() && self.cell.qos) {
            return None;
        }
        let proxied = !self.cell.has(frame.source());
        let extension = match (proxied, self.to) {
            (false, _) => 0,
            (true, None) => 1,
            (true, Some(_)) => 2,
        };
        let mut control = vec![extension, MESH_TTL, 0, 0, 0, 0];
        if extension == 2 {
            control.extend(frame.destination().0);
        }
        if proxied {
            control.extend(frame.source().0);
        }
        Some(control)
    }
}
