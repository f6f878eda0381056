//! PPDUs on the air.

use airtcp_units::{Duration, Instant};

use super::psdu::subframe;
use crate::NicId;
use crate::border::{Mpdu, MpduKind, Receiver};
use crate::phy::TxVector;
use crate::trace::{PpduKind, PpduOutcome};

/// Another PPDU that was on the air at the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap {
    pub(crate) from: NicId,
    pub(crate) start: Instant,
    /// The far future while it lasts.
    pub(crate) end: Instant,
}

/// What became of an MPDU at its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// Not decided yet.
    Open,
    /// Received.
    Good,
    /// Lost.
    Lost,
}

/// The PPDU that a NIC sends, or sent last.
#[derive(Clone, Debug)]
pub(crate) struct Ppdu {
    pub(crate) from: NicId,
    pub(crate) kind: PpduKind,
    pub(crate) receiver: Receiver,
    pub(crate) tx: TxVector,
    pub(crate) psdu_bytes: u32,
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    /// Its end without signal extension.
    pub(crate) payload_end: Instant,
    /// Up to when its Duration field asks others to be silent.
    pub(crate) nav_until: Instant,
    pub(crate) on_air: bool,
    pub(crate) attempt: u32,
    /// Its MPDUs (none in control frames), and how each was received.
    pub(crate) mpdus: Vec<Mpdu>,
    pub(crate) received: Vec<Reception>,
    pub(crate) overlaps: Vec<Overlap>,
    /// Whether its receiver is tuned to it: read from its first MPDU on.
    pub(crate) locked: Option<bool>,
    /// MPDUs that went to the receiver before the end of the PPDU.
    pub(crate) handed_over: usize,
}

impl Ppdu {
    /// The place for a NIC's PPDUs.
    pub(crate) fn idle(from: NicId) -> Self {
        Self {
            from,
            kind: PpduKind::Data,
            receiver: Receiver::Group,
            tx: TxVector::ofdm(0),
            psdu_bytes: 0,
            start: Instant::ZERO,
            end: Instant::ZERO,
            payload_end: Instant::ZERO,
            nav_until: Instant::ZERO,
            on_air: false,
            attempt: 0,
            mpdus: Vec::new(),
            received: Vec::new(),
            overlaps: Vec::new(),
            locked: None,
            handed_over: 0,
        }
    }

    /// Whether it carries several MPDUs.
    pub(crate) fn is_aggregate(&self) -> bool {
        self.mpdus.len() > 1
    }

    /// Whether its receiver is asked for a response.
    pub(crate) fn asks(&self) -> bool {
        let kind = match self.kind {
            PpduKind::Data | PpduKind::Management => {
                let unanswered =
                    |first: &Mpdu| matches!(first.kind, MpduKind::NoAck | MpduKind::NoAckManagement);
                !self.mpdus.first().is_some_and(unanswered)
            }
            PpduKind::Rts | PpduKind::BlockAckReq => true,
            PpduKind::Ack | PpduKind::BlockAck | PpduKind::Cts | PpduKind::Beacon => false,
        };
        kind && self.receiver != Receiver::Group
    }

    /// Whether it is a response to this NIC.
    pub(crate) fn answers(&self, nic: NicId) -> bool {
        let kind = matches!(self.kind, PpduKind::Ack | PpduKind::BlockAck | PpduKind::Cts);
        kind && self.receiver == Receiver::One(nic)
    }

    /// Whether this NIC sent something while it was on the air, or sent it.
    pub(crate) fn was_sent_over(&self, nic: NicId) -> bool {
        self.from == nic || self.overlaps.iter().any(|other| other.from == nic)
    }

    /// What became of it, if it was read or not.
    pub(crate) fn outcome(&self, read: bool) -> PpduOutcome {
        match (read, self.overlaps.is_empty()) {
            (true, _) => PpduOutcome::Received,
            (false, false) => PpduOutcome::Collision,
            (false, true) => PpduOutcome::Corrupted,
        }
    }

    /// It carries no MPDU of the upper half.
    pub(crate) fn empty(&mut self) {
        self.mpdus.clear();
        self.received.clear();
    }

    /// When its first octets of payload begin: after preamble and header.
    pub(crate) fn payload_start(&self) -> Instant {
        (self.start + self.tx.preamble_duration()).min(self.payload_end)
    }

    /// The span of the MPDU with this number, with its delimiter. Subframes follow each other as their octets do; the
    /// boundaries of symbols are not looked at.
    pub(crate) fn span(&self, index: usize) -> (Instant, Instant) {
        let before =
            self.mpdus[..index].iter().map(|mpdu| u64::from(subframe(mpdu.bytes, true))).sum::<u64>();
        let from = self.payload_start();
        let payload = u128::from(self.payload_end.since(from).as_nanos());
        let place = |octet: u64| {
            let nanos = payload * u128::from(octet) / u128::from(self.psdu_bytes.max(1));
            from + Duration::from_nanos(nanos as u64)
        };
        (place(before), place(before + u64::from(subframe(self.mpdus[index].bytes, false))))
    }
}
