//! The border between the two halves of a MAC.
//!
//! The **lower half** (`low`) contends for the medium, builds PSDUs, exchanges frames, repeats MPDUs and keeps the block
//! acknowledgement window. The **upper half** queues frames, chooses rates, numbers MPDUs, reorders
//! what arrives. There are two: airtcp's own (`high`), and Linux's mac80211 (`linux_mac`). Both are a [`HighMac`], which has
//! the shape of what mac80211 asks of a driver (`ieee80211_next_txq`, `ieee80211_tx_dequeue`, `ieee80211_return_txq`,
//! rate tables with retries, transmit status), and an MPDU is a handle with a description: no bytes cross.
//!
//! ```text
//!   upper half                                     lower half
//!   -- pending(nic, ac) ------------------------->  contends for the medium
//!   <- next_txq, dequeue*, return_txq, rates -----  has won it: builds a PSDU
//!   <- ppdu_done (once per PPDU), mpdu_done ------  the response came, or did not
//!   <- rx ----------------------------------------  at the receiver
//! ```
//! The lower half calls only inside its own `run`; the upper half answers and never calls back from there. What it
//! asks for meanwhile (a queue became pending, a `BlockAckReq` must go out) it puts into [`Requests`], which the lower half
//! carries out when the call has returned.

use airtcp_plan::MacAddress;
use airtcp_units::{Dbm, Decibel, Duration, Instant};

use crate::handle::index_type;
use crate::phy::{NominalPadding, ToneShare, TxVector};
use crate::{FrameHandle, NicId, PpduKind};

/// An access category of EDCA (IEEE 802.11-2020, 10.2.3.2), lowest priority first; DCF uses `BestEffort`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum AccessCategory {
    /// `AC_BK`.
    Background = 0,
    /// `AC_BE`.
    BestEffort = 1,
    /// `AC_VI`.
    Video = 2,
    /// `AC_VO`.
    Voice = 3,
}

impl AccessCategory {
    /// Every category, lowest priority first.
    pub const ALL: [Self; 4] = [Self::Background, Self::BestEffort, Self::Video, Self::Voice];

    /// The category of a user priority (IEEE 802.11-2020, Table 10-1). Panics if it is above 7.
    #[inline]
    pub const fn of_priority(user_priority: u8) -> Self {
        match user_priority {
            1 | 2 => Self::Background,
            0 | 3 => Self::BestEffort,
            4 | 5 => Self::Video,
            6 | 7 => Self::Voice,
            _ => panic!("a user priority has three bits"),
        }
    }
}

index_type! {
    /// The upper half's name for a queue of MPDUs to one receiver with one TID.
    pub struct TxqId(u32);
}

index_type! {
    /// The upper half's name for an MPDU: its place in the upper half's table.
    pub struct MpduHandle(u64);
}

impl MpduHandle {
    /// Of an MPDU that the lower half has made itself: no upper half knows it.
    pub const NONE: Self = Self(u64::MAX);
}

/// The receiver of an MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Receiver {
    /// One NIC.
    One(NicId),
    /// Every NIC of the sender's cell (of mac80211: that is tuned to its channel); no acknowledgement, no repetition.
    Group,
    /// An address that no NIC has: nobody answers.
    Absent,
}

impl Receiver {
    /// The NIC, if it is one.
    #[inline]
    pub const fn nic(self) -> Option<NicId> {
        match self {
            Self::One(nic) => Some(nic),
            Self::Group | Self::Absent => None,
        }
    }
}

/// What an MPDU is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MpduKind {
    /// Data under normal acknowledgement, alone in its PPDU.
    Data,
    /// Data under a block acknowledgement agreement: may be aggregated.
    Aggregable,
    /// A `BlockAckReq`; its `sequence` is the new start of the window.
    BlockAckReq,
    /// A beacon.
    Beacon,
    /// A management frame, or another that goes as they do.
    Management,
    /// Data for one receiver that it does not acknowledge.
    NoAck,
    /// A management frame that nobody acknowledges: to a group, or a probe response.
    NoAckManagement,
}

impl MpduKind {
    /// Whether the MPDU is data of a host.
    #[inline]
    pub const fn carries_data(self) -> bool {
        matches!(self, Self::Data | Self::Aggregable | Self::NoAck)
    }

    /// What a PPDU with such MPDUs is.
    #[inline]
    pub(crate) const fn of_ppdu(self) -> PpduKind {
        match self {
            Self::Data | Self::Aggregable | Self::NoAck => PpduKind::Data,
            Self::Management | Self::NoAckManagement => PpduKind::Management,
            Self::BlockAckReq => PpduKind::BlockAckReq,
            Self::Beacon => PpduKind::Beacon,
        }
    }
}

/// An MPDU as the lower half sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mpdu {
    /// Handle of the MPDU.
    pub handle: MpduHandle,
    /// Length of the MPDU with header and FCS, in octets.
    pub bytes: u32,
    /// Receiver of the MPDU.
    pub receiver: Receiver,
    /// TID of the MPDU (0 without `QoS`).
    pub tid: u8,
    /// Sequence number of the MPDU, modulo 4096, counted for each receiver and TID.
    pub sequence: u16,
    /// Kind of the MPDU.
    pub kind: MpduKind,
}

/// What goes before the data to silence others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protection {
    /// Nothing.
    None,
    /// A CTS to itself.
    CtsToSelf,
    /// RTS and CTS.
    RtsCts,
}

/// One stage of a rate chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateStage {
    /// How the PPDU is sent.
    pub tx: TxVector,
    /// Attempts with it, from 1.
    pub tries: u8,
    /// What goes before it.
    pub protection: Protection,
}

/// Up to four stages of a multi-rate retry (as mac80211's `ieee80211_tx_rate[4]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateChain {
    stages: [RateStage; 4],
    len: u8,
    /// This PPDU samples a rate: it carries one MPDU only.
    pub probe: bool,
}

impl RateChain {
    /// A chain of one stage.
    #[inline]
    pub const fn one(stage: RateStage) -> Self {
        Self { stages: [stage; 4], len: 1, probe: false }
    }

    /// Adds a stage. Panics if there are four already.
    #[must_use]
    pub fn then(mut self, stage: RateStage) -> Self {
        self.stages[self.len as usize] = stage;
        self.len += 1;
        self
    }

    /// This chain for a receiver that needs this packet extension after the data (nominal packet padding).
    #[must_use]
    pub fn to_receiver(mut self, padding: NominalPadding) -> Self {
        for stage in &mut self.stages[..self.len as usize] {
            stage.tx = stage.tx.to_receiver(padding);
        }
        self
    }

    /// Stages of the chain, in their order.
    #[inline]
    pub fn stages(&self) -> &[RateStage] {
        &self.stages[..self.len as usize]
    }

    /// The stage of the attempt with this number, from 0; `None` when the chain is used up.
    #[inline]
    pub fn stage(&self, attempt: u32) -> Option<&RateStage> {
        let mut left = attempt;
        self.stages().iter().find(|stage| {
            let here = left < u32::from(stage.tries);
            left = left.saturating_sub(u32::from(stage.tries));
            here
        })
    }

    /// Attempts of all stages.
    pub fn tries(&self) -> u32 {
        self.stages().iter().map(|stage| u32::from(stage.tries)).sum()
    }
}

/// What became of one PPDU with data, said once per attempt.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PpduStatus {
    /// TID of its MPDUs.
    pub tid: u8,
    /// Mode of the PPDU, also if RTS was not answered and it was not sent.
    pub tx: TxVector,
    /// What went before it.
    pub protection: Protection,
    /// Whether RTS was answered (true without RTS). If not, the data was not sent.
    pub cleared: bool,
    /// MPDUs in it.
    pub mpdus: u32,
    /// MPDUs of the PPDU that were acknowledged.
    pub acked: u32,
    /// Whether the response (Ack or `BlockAck`) came.
    pub answered: bool,
    /// Whether the PPDU sampled a rate ([`RateChain::probe`]).
    pub probe: bool,
    /// Number of this attempt with the first MPDU, from 1.
    pub attempt: u32,
    /// Octets of its MPDUs.
    pub bytes: u32,
    /// Airtime of the exchange: protection, data, response and the SIFS between, without contention. Of a PPDU with several users, the
    /// part of their tones; of an answer to a trigger frame, that of the answer alone.
    pub airtime: Duration,
    /// Whether it answered a trigger frame, whose sender chose the mode: rate control learns nothing.
    pub solicited: bool,
}

/// How an MPDU ended for its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpduFate {
    /// Acknowledged.
    Acked,
    /// Sent to a group, or without waiting for an acknowledgement.
    Sent,
    /// Given up after as many attempts as allowed. Under block acknowledgement the receiver's window must be moved by
    /// a `BlockAckReq`.
    GivenUp,
    /// Taken back by its upper half.
    Purged,
}

/// How a PPDU was received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RxStatus {
    /// The sender.
    pub from: NicId,
    /// Mode of the PPDU.
    pub tx: TxVector,
    /// Received power.
    pub rssi: Dbm,
    /// Start of the PPDU.
    pub start: Instant,
    /// End of the PPDU, with signal extension.
    pub end: Instant,
    /// Centre of the primary channel of receiver and sender.
    pub primary_mhz: u32,
    /// MPDUs in it, also those that were not received; 0 in control frames that the lower half makes itself.
    pub mpdus: u32,
    /// The last of them.
    pub last: Option<MpduHandle>,
    /// Time for which the Duration field reserves the medium after the end of the PPDU (IEEE 802.11-2020, 9.2.5).
    pub nav: Duration,
    /// What of the medium's time counts as this PPDU's: others may answer the same trigger frame.
    pub share: ToneShare,
}

/// Addresses 1 and 2 of an MPDU of mac80211.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Addresses {
    /// Receiver of the MPDU (Address 1).
    pub receiver: MacAddress,
    /// Transmitter of the MPDU (Address 2).
    pub transmitter: MacAddress,
}

/// A control frame that the lower half makes itself: RTS, CTS, Ack, `BlockAck` or `BlockAckReq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlFrame<'a> {
    /// Kind of the frame.
    pub kind: PpduKind,
    /// CTS and Ack have only the first address; a CTS to oneself has one's own.
    pub addresses: Addresses,
    /// Time for which the Duration field reserves the medium after the end of the frame.
    pub nav: Duration,
    /// What a `BlockAck` says, or asks a `BlockAckReq`, which has no bitmap.
    pub block_ack: Option<BlockAck<'a>>,
}

/// The contents of a compressed `BlockAck` (IEEE 802.11-2020, 9.3.1.8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAck<'a> {
    /// The TID it is about.
    pub tid: u8,
    /// Number of the first MPDU of its bitmap.
    pub start: u16,
    /// Lowest number first: bit 0 of its first octet is its start.
    pub bitmap: &'a [u8],
}

/// TIDs of a station: the user priorities.
pub const TIDS: usize = 8;

/// What the upper half asks of the lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// This NIC has something to send in this category: contend.
    Pending(NicId, AccessCategory),
    /// Send this MPDU before everything in the queues of the category.
    SendFirst(NicId, AccessCategory, Mpdu),
}

/// Requests in their order; the lower half drains the list and keeps its memory.
pub type Requests = Vec<Request>;

/// A sender and its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The sender.
    pub from: NicId,
    /// The receiver.
    pub to: NicId,
}

/// What a `BlockAck` must answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAckQuery {
    /// Sender and receiver of the MPDUs.
    pub link: Link,
    /// Addresses of the MPDUs, if their sender is a radio of mac80211 and they are known.
    pub addresses: Option<Addresses>,
    /// The TID.
    pub tid: u8,
    /// Number of the first MPDU that it answers, or the start that a `BlockAckReq` asks for.
    pub start: u16,
    /// A `BlockAckReq` asks for it.
    pub requested: bool,
}

/// What waits in a queue of an upper half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The queue.
    pub txq: TxqId,
    /// Octets of the frames that wait there.
    pub octets: u64,
}

/// The upper half of a radio, as its lower half needs it. Implemented by airtcp's own MAC and by Linux's mac80211, and for a scene
/// that has both by what chooses between them. `now` is the virtual time of the call.
pub trait HighMac {
    /// Whether this NIC may send something in this category now, so that it should contend. MPDUs buffered for retry in the
    /// lower half do not count.
    fn pending(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> bool;

    /// The queue from which this NIC sends next in this category, if it may send at all.
    fn next_txq(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId>;

    /// Takes the next MPDU out of a queue. All MPDUs of a queue have one receiver and one TID, and their sequence
    /// numbers rise by one.
    fn dequeue(&mut self, now: Instant, txq: TxqId) -> Option<Mpdu>;

    /// Takes MPDUs out of a queue as long as there are some and `take` wants one more.
    #[inline]
    fn dequeue_while(&mut self, now: Instant, txq: TxqId, mut take: impl FnMut(Mpdu) -> bool) {
        while self.dequeue(now, txq).is_some_and(&mut take) {}
    }

    /// Gives a queue back after the PSDU is built; `more`: the lower half itself still buffers MPDUs of it for retry, so it takes
    /// part in the rotation even if it is empty.
    fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool);

    /// Octets of the frames that wait in a queue, for a scheduler of PPDUs to several stations. Only the lower half of the queue's NIC
    /// may ask. `None`: the upper half does not say.
    fn depth(&mut self, _txq: TxqId) -> Option<u64> {
        None
    }

    /// What waits in a queue of this NIC with this TID. Only the lower half of the same NIC may ask: nobody else sees into its queues.
    /// `None`: the upper half does not say.
    fn backlog(&mut self, _nic: NicId, _tid: u8) -> Option<Backlog> {
        None
    }

    /// The mode in which this NIC asks a station for data, and how many decibels the signal is above the noise more than if the station
    /// sent with all of its power in the whole width. `None`: the upper half does not say.
    fn uplink_mode(
        &mut self,
        _now: Instant,
        _nic: NicId,
        _station: NicId,
        _more: Decibel,
    ) -> Option<TxVector> {
        None
    }

    /// The rate chain for a PPDU whose first MPDU is this one. Asked when an MPDU is first sent, when a chain is used
    /// up, and for every A-MPDU.
    fn rates(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu) -> RateChain;

    /// An attempt to send these MPDUs to one receiver has ended, and its response, if it came. There is at least one MPDU.
    fn ppdu_done<'m>(
        &mut self,
        now: Instant,
        nic: NicId,
        receiver: Receiver,
        mpdus: impl Iterator<Item = &'m Mpdu>,
        status: &PpduStatus,
    );

    /// The sender is done with an MPDU; `fate`: what became of it.
    fn mpdu_done(&mut self, now: Instant, nic: NicId, mpdu: &Mpdu, fate: MpduFate, requests: &mut Requests);

    /// The sender is done with several MPDUs that have the same fate.
    #[inline]
    fn mpdus_done<'m>(
        &mut self,
        now: Instant,
        nic: NicId,
        mpdus: impl Iterator<Item = &'m Mpdu>,
        fate: MpduFate,
        requests: &mut Requests,
    ) {
        mpdus.for_each(|mpdu| self.mpdu_done(now, nic, mpdu, fate, requests));
    }

    /// MPDUs arrived, in their order within the PPDU. A retransmission whose acknowledgement was lost arrives again.
    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[Mpdu], status: &RxStatus, requests: &mut Requests);

    /// A radio in monitor mode hears a control frame that the lower half of another one made.
    fn rx_control(&mut self, _now: Instant, _nic: NicId, _frame: &ControlFrame<'_>, _status: &RxStatus) {}

    /// Adds what the upper half asks for since the last call, beside what other calls have added themselves.
    fn take_requests(&mut self, _requests: &mut Requests) {}

    /// The frames of a host in an MPDU that this NIC sends; none where the upper half keeps them itself.
    fn frames(&self, nic: NicId, mpdu: &Mpdu) -> impl Iterator<Item = FrameHandle>;

    /// The handle by which a driver finds the octets of an MPDU that this NIC sends; `None` where an MPDU has no octets.
    fn octets(&mut self, _nic: NicId, _mpdu: &Mpdu) -> Option<MpduHandle> {
        None
    }

    /// The addresses of an MPDU that this NIC sends, if its upper half writes them and they are known.
    fn addresses(&mut self, _nic: NicId, _mpdu: &Mpdu) -> Option<Addresses> {
        None
    }

    /// Fills the bitmap of a `BlockAck` with what the receiver has of what it answers, and returns with which number it begins.
    /// `None`: the upper half keeps no record, and the `BlockAck` says what arrived in the PPDU that it answers.
    fn block_ack(&mut self, query: &BlockAckQuery, bitmap: &mut [u8]) -> Option<u16>;
}

/// A bitmap's octet for eight sequence numbers from `start` on.
pub(crate) fn bitmap_octet(start: u16, mut has: impl FnMut(u16) -> bool) -> u8 {
    (0..8).map(|bit| u8::from(has(start.wrapping_add(bit) & 0xfff)) << bit).sum()
}

/// What a NIC has spent its time with since the start of virtual time, on all its channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelLoad {
    /// Physical carrier sense was busy, by others or by itself.
    pub busy: Duration,
    /// The NIC transmitted.
    pub tx: Duration,
    /// It sensed PPDUs of its own BSS, and did not transmit.
    pub bss_rx: Duration,
}
