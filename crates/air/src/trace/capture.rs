//! PPDUs with everything in them, for a capture of the air.
//!
//! Frames are handles here as everywhere in the model: the writer of a capture has their bytes. A handle is good until the actions
//! of the same [`crate::Outbox`] are carried out.

use airtcp_units::{Dbm, Duration};

use super::PpduOutcome;
use super::captured_trigger::{CapturedTrigger, TriggeredStation};
use crate::border::{Addresses, BlockAck, MpduHandle, TIDS};
use crate::phy::TxVector;
use crate::{FrameHandle, NicId, PpduKind};

/// One PPDU that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapturedPpdu {
    /// Start of the PPDU, from the epoch.
    pub start_ns: i64,
    /// End of the PPDU with signal extension, from the epoch.
    pub end_ns: i64,
    /// The NIC that sent it.
    pub nic: NicId,
    /// The NIC it was for; `None` for a group.
    pub to: Option<NicId>,
    /// Kind of the PPDU.
    pub kind: PpduKind,
    /// Mode of the PPDU.
    pub tx: TxVector,
    /// Length of its PSDU.
    pub bytes: u32,
    /// What became of it.
    pub outcome: PpduOutcome,
    /// For how long after its end its Duration field reserves the medium (IEEE 802.11-2020, 9.2.5).
    pub nav: Duration,
    /// Mean power at its receiver; `None` for a group.
    pub power: Option<Dbm>,
    /// Addresses of a control frame that the lower half of a radio of mac80211 made itself, if they are known. Other PPDUs have
    /// those of their NICs.
    pub addresses: Option<Addresses>,
    /// Centre of the primary channel on which it was sent.
    pub primary_mhz: u32,
    /// The contents of a `BlockAck`.
    pub block_ack: Option<CapturedBlockAck>,
    /// Start of the earliest PPDU that is still on the air, on any channel. What ends later started no earlier than this, or than
    /// this PPDU's end: so PPDUs can be put in the order of their starts.
    pub on_air_since_ns: Option<i64>,
    /// Whether it answers a trigger frame.
    pub is_triggered: bool,
    /// The trigger frame that it is, or that ends the PSDU of its user.
    pub trigger: Option<CapturedTrigger>,
    /// Whether its user decoded the trigger frame that ends its PSDU.
    pub trigger_received: bool,
    /// The Queue Size that its `QoS` frames say of their sender's queues, by TID (IEEE 802.11ax-2021, 9.2.4.5.6); `None`: nothing.
    pub queue_sizes: [Option<u8>; TIDS],
    pub(crate) mpdus: Span,
    pub(crate) triggered: Span,
    pub(crate) acknowledged: Span,
}

/// The contents of a compressed `BlockAck` (IEEE 802.11-2020, 9.3.1.8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedBlockAck {
    /// The TID it is about.
    pub tid: u8,
    /// Number of the first MPDU of its bitmap.
    pub start: u16,
    bitmap: Span,
}

/// What a `BlockAck` for several stations says of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcknowledgedStation {
    /// Whose data has come.
    pub station: NicId,
    /// TID of its data.
    pub tid: u8,
    /// Which of its MPDUs have come; `None`: it has sent one, which has.
    pub block_ack: Option<CapturedBlockAck>,
}

/// An MPDU of a data PPDU, a beacon, or a `BlockAckReq`. The other control frames have no MPDU of their own here: there is nothing to
/// add to their PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedMpdu {
    /// Length of the MPDU with header and FCS.
    pub bytes: u32,
    /// TID of the MPDU (0 without `QoS`).
    pub tid: u8,
    /// Sequence number of the MPDU; of a `BlockAckReq`, the new start of the window. Beacons are not numbered.
    pub sequence: u16,
    /// Whether the MPDU was sent before (the Retry bit).
    pub retry: bool,
    /// Whether the receiver decoded the MPDU; for a group, whether all receivers did.
    pub received: bool,
    /// Handle of the MPDU, if a radio of mac80211 sent it: the driver's library has kept its first bytes, a real 802.11 header.
    /// The MPDU may have ended in the call that captured it.
    pub radio: Option<MpduHandle>,
    frames: Span,
}

/// A part of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    first: u32,
    end: u32,
}

impl Span {
    fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.first as usize..self.end as usize]
    }

    const fn after(self, items: u32) -> Self {
        Self { first: self.first + items, end: self.end + items }
    }
}

/// PPDUs that ended, in the order of their ends, and their contents in flat lists: no PPDU takes memory of its own.
#[derive(Clone, Debug, Default)]
pub struct AirCapture {
    ppdus: Vec<CapturedPpdu>,
    mpdus: Vec<CapturedMpdu>,
    frames: Vec<FrameHandle>,
    bitmaps: Vec<u8>,
    triggered: Vec<TriggeredStation>,
    acknowledged: Vec<AcknowledgedStation>,
}

impl AirCapture {
    /// The PPDUs.
    pub fn ppdus(&self) -> &[CapturedPpdu] {
        &self.ppdus
    }

    /// The MPDUs of one of them.
    pub fn mpdus(&self, ppdu: &CapturedPpdu) -> &[CapturedMpdu] {
        ppdu.mpdus.of(&self.mpdus)
    }

    /// The frames of one of its MPDUs: one, several in an A-MSDU, none if it carries no data.
    pub fn frames(&self, mpdu: &CapturedMpdu) -> &[FrameHandle] {
        mpdu.frames.of(&self.frames)
    }

    /// The bitmap of a `BlockAck`, lowest number first: bit 0 of its first octet is its start.
    pub fn bitmap(&self, block_ack: &CapturedBlockAck) -> &[u8] {
        block_ack.bitmap.of(&self.bitmaps)
    }

    /// The stations that a PPDU's trigger frame asks, in its order.
    pub fn triggered(&self, ppdu: &CapturedPpdu) -> &[TriggeredStation] {
        ppdu.triggered.of(&self.triggered)
    }

    /// The stations whose data a `BlockAck` for several acknowledges.
    pub fn acknowledged(&self, ppdu: &CapturedPpdu) -> &[AcknowledgedStation] {
        ppdu.acknowledged.of(&self.acknowledged)
    }

    /// Clears everything and keeps the memory.
    pub fn clear(&mut self) {
        self.ppdus.clear();
        self.mpdus.clear();
        self.frames.clear();
        self.bitmaps.clear();
        self.triggered.clear();
        self.acknowledged.clear();
    }

    /// Takes everything out of another.
    pub(crate) fn append(&mut self, other: &mut Self) {
        let [mpdus, frames, bitmaps, triggered, acknowledged] = [
            self.mpdus.len(),
            self.frames.len(),
            self.bitmaps.len(),
            self.triggered.len(),
            self.acknowledged.len(),
        ]
        .map(|len| len as u32);
        let moved = |ack: CapturedBlockAck| CapturedBlockAck { bitmap: ack.bitmap.after(bitmaps), ..ack };
        self.ppdus.extend(other.ppdus.drain(..).map(|ppdu| CapturedPpdu {
            mpdus: ppdu.mpdus.after(mpdus),
            triggered: ppdu.triggered.after(triggered),
            acknowledged: ppdu.acknowledged.after(acknowledged),
            block_ack: ppdu.block_ack.map(moved),
            ..ppdu
        }));
        let moved_mpdus = other.mpdus.drain(..);
        self.mpdus.extend(moved_mpdus.map(|mpdu| CapturedMpdu { frames: mpdu.frames.after(frames), ..mpdu }));
        self.frames.append(&mut other.frames);
        self.bitmaps.append(&mut other.bitmaps);
        self.triggered.append(&mut other.triggered);
        let of_stations = other.acknowledged.drain(..);
        self.acknowledged
            .extend(of_stations.map(|of| AcknowledgedStation { block_ack: of.block_ack.map(moved), ..of }));
    }

    /// Adds an MPDU of the next PPDU, with its frames.
    pub(crate) fn add_mpdu(&mut self, mpdu: &CapturedMpdu, frames: impl Iterator<Item = FrameHandle>) {
        let first = self.frames.len() as u32;
        self.frames.extend(frames);
        self.mpdus.push(CapturedMpdu { frames: Span { first, end: self.frames.len() as u32 }, ..*mpdu });
    }

    /// Adds the contents of the next PPDU, a `BlockAck`.
    pub(crate) fn add_block_ack(&mut self, block_ack: &BlockAck<'_>) -> CapturedBlockAck {
        let first = self.bitmaps.len() as u32;
        self.bitmaps.extend(block_ack.bitmap);
        let bitmap = Span { first, end: self.bitmaps.len() as u32 };
        CapturedBlockAck { tid: block_ack.tid, start: block_ack.start, bitmap }
    }

    /// Adds a station that the trigger frame of the next PPDU asks.
    pub(crate) fn add_triggered(&mut self, station: TriggeredStation) {
        self.triggered.push(station);
    }

    /// Adds what the next PPDU acknowledges of a station: the MPDUs in a bitmap, or `None`: its only one.
    pub(crate) fn add_acknowledged(&mut self, station: NicId, tid: u8, block_ack: Option<&BlockAck<'_>>) {
        let block_ack = block_ack.map(|block_ack| self.add_block_ack(block_ack));
        self.acknowledged.push(AcknowledgedStation { station, tid, block_ack });
    }

    /// Adds a PPDU. What was added since the one before is its own.
    pub(crate) fn add(&mut self, ppdu: &CapturedPpdu) {
        let last = self.ppdus.last().map(|last| [last.mpdus, last.triggered, last.acknowledged]);
        let [mpdus, triggered, acknowledged] = last.unwrap_or_default().map(|span| span.end);
        self.ppdus.push(CapturedPpdu {
            mpdus: Span { first: mpdus, end: self.mpdus.len() as u32 },
            triggered: Span { first: triggered, end: self.triggered.len() as u32 },
            acknowledged: Span { first: acknowledged, end: self.acknowledged.len() as u32 },
            ..*ppdu
        });
    }
}

impl CapturedPpdu {
    /// A PPDU without contents.
    pub(crate) fn new(nic: NicId, kind: PpduKind, tx: TxVector) -> Self {
        Self {
            start_ns: 0,
            end_ns: 0,
            nic,
            to: None,
            kind,
            tx,
            bytes: 0,
            outcome: PpduOutcome::Received,
            nav: Duration::ZERO,
            power: None,
            addresses: None,
            primary_mhz: 0,
            block_ack: None,
            on_air_since_ns: None,
            is_triggered: false,
            trigger: None,
            trigger_received: false,
            queue_sizes: [None; TIDS],
            mpdus: Span::default(),
            triggered: Span::default(),
            acknowledged: Span::default(),
        }
    }
}

impl CapturedMpdu {
    /// An MPDU without frames.
    pub(crate) fn new(bytes: u32, tid: u8, sequence: u16, retry: bool, received: bool) -> Self {
        Self { bytes, tid, sequence, retry, received, radio: None, frames: Span::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(numbers: &[u64]) -> impl Iterator<Item = FrameHandle> + '_ {
        numbers.iter().map(|&number| FrameHandle(number))
    }

    fn ppdu(nic: u32, block_ack: Option<CapturedBlockAck>) -> CapturedPpdu {
        CapturedPpdu { block_ack, ..CapturedPpdu::new(NicId(nic), PpduKind::Data, TxVector::ofdm(0)) }
    }

    /// Two MPDUs, the second with two frames, then a bitmap.
    fn filled(first: u64) -> AirCapture {
        let mut capture = AirCapture::default();
        capture.add_mpdu(&CapturedMpdu::new(100, 0, 1, false, true), frames(&[first]));
        capture.add_mpdu(&CapturedMpdu::new(200, 0, 2, true, false), frames(&[first + 1, first + 2]));
        capture.add(&ppdu(1, None));
        let block_ack = capture.add_block_ack(&BlockAck { tid: 0, start: 1, bitmap: &[first as u8, 0] });
        capture.add(&ppdu(0, Some(block_ack)));
        capture
    }

    fn contents(capture: &AirCapture) -> Vec<(Vec<Vec<u64>>, Vec<u8>)> {
        let of = |ppdu: &CapturedPpdu| {
            let handles = |mpdu| capture.frames(mpdu).iter().map(|frame| frame.0).collect();
            let bitmap = ppdu.block_ack.map_or_else(Vec::new, |ack| capture.bitmap(&ack).to_vec());
            (capture.mpdus(ppdu).iter().map(handles).collect(), bitmap)
        };
        capture.ppdus().iter().map(of).collect()
    }

    #[test]
    fn what_is_appended_keeps_its_contents() {
        let (mut all, mut more) = (filled(10), filled(20));
        all.append(&mut more);
        assert!(more.ppdus().is_empty());
        let of = |first: u64| {
            [(vec![vec![first], vec![first + 1, first + 2]], vec![]), (vec![], vec![first as u8, 0])]
        };
        assert_eq!(contents(&all), [of(10), of(20)].concat());
        all.clear();
        all.append(&mut filled(5));
        assert_eq!(contents(&all), of(5));
    }
}
