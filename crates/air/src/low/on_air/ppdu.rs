//! PPDUs on the air.

use airtcp_units::{Duration, Instant};

use super::nic_set::NicSet;
use super::overlap::{Emitted, Overlap, Trigger};
use super::primary_channel::PrimaryId;
use super::station::{MediumId, MediumPlace};
use super::users::{PerUser, UserId, Users};
use crate::border::{Mpdu, MpduHandle, MpduKind, Receiver};
use crate::low::contention::MemberId;
use crate::low::multi_user::BufferStatus;
use crate::low::psdu::subframe;
use crate::phy::{Allocation, ToneShare, TxVector, Width};
use crate::random::Purpose;
use crate::trace::PpduOutcome;
use crate::{NicId, PpduKind, TimeSpan};

/// Part of a PPDU, as one receiver decodes it: a PSDU, an MPDU in it, or the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) listener: NicId,
    pub(crate) span: TimeSpan,
    /// Mode of the part.
    pub(crate) tx: TxVector,
    pub(crate) bytes: u32,
    /// Octets of the PSDU that it is in, which decide about the error rate of its code.
    pub(crate) psdu_bytes: u32,
    pub(crate) purpose: Purpose,
}

/// What became of an MPDU at its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// Not decided so far.
    Open,
    /// Received.
    Good,
    /// Lost.
    Lost,
}

/// What a receiver has made of the preamble and the header of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preamble {
    /// It received another PPDU at that time.
    Missed,
    /// It could not detect the preamble, or not decode the header.
    Undecoded,
    /// It has synchronised to the PPDU, and knows its length.
    Decoded,
}

/// One receiver of a PPDU, what it is sent, and what became of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PpduUser {
    pub(crate) receiver: Receiver,
    /// Mode of the user's PSDU.
    pub(crate) tx: TxVector,
    pub(crate) psdu_bytes: u32,
    /// Least octets from the start of an MPDU to that of the next.
    pub(crate) spacing_octets: u32,
    /// Number of the attempt with its first MPDU, from 1.
    pub(crate) attempt: u32,
    /// What the receiver has made of the PPDU's preamble; known when its first MPDU has been judged.
    pub(crate) preamble: Option<Preamble>,
    /// Whether the receiver decoded anything of its PSDU; of a group: whether all members did. Valid from the end of the PPDU on.
    pub(crate) decoded: bool,
    /// Whether the response has begun at the end of the PPDU: to everybody the medium stays busy.
    pub(crate) responds: bool,
    /// MPDUs that went to the receiver before the end of the PPDU.
    pub(crate) delivered: usize,
    /// Octets that its data field has room for: those of the PSDU and, beside longer ones of other users, padding.
    pub(crate) padded_bytes: u32,
    /// Whether it does not answer by itself: it is asked (ack policy Block Ack), or acknowledges what several stations have sent.
    pub(crate) answers_later: bool,
    /// The trigger frame that ends its PSDU and asks it.
    pub(crate) own_trigger: Option<OwnTrigger>,
}

/// A trigger frame at the end of the PSDU of the user that it asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnTrigger {
    pub(crate) bytes: u32,
    /// Whether the user decoded it. Valid from the end of the PPDU on.
    pub(crate) decoded: bool,
}

impl PpduUser {
    /// A user of a PPDU that has not been sent yet.
    #[inline]
    pub(crate) const fn new(receiver: Receiver, tx: TxVector, psdu_bytes: u32, attempt: u32) -> Self {
        let (preamble, decoded, responds, delivered) = (None, false, false, 0);
        Self {
            receiver,
            tx,
            psdu_bytes,
            spacing_octets: 0,
            attempt,
            preamble,
            decoded,
            responds,
            delivered,
            padded_bytes: psdu_bytes,
            answers_later: false,
            own_trigger: None,
        }
    }

    /// Whether the user decoded the trigger frame that ends its PSDU.
    #[inline]
    pub(crate) fn has_own_trigger(&self) -> bool {
        self.own_trigger.is_some_and(|trigger| trigger.decoded)
    }
}

/// What of a PPDU is not its data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataSpan {
    pub(crate) preamble: Duration,
    /// Packet extension after the data.
    pub(crate) extension: Duration,
}

/// The PPDU that a NIC sends, or sent last: a header for everybody, and what is for each user.
#[derive(Clone, Debug)]
pub(crate) struct Ppdu {
    pub(crate) from: NicId,
    /// Medium and primary channel of the sender.
    pub(crate) place: MediumPlace,
    pub(crate) kind: PpduKind,
    /// Bandwidth of the PPDU.
    pub(crate) width: Width,
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    /// Start of the payload: after preamble and header.
    pub(crate) payload_start: Instant,
    /// End of the PPDU without packet extension and signal extension.
    pub(crate) payload_end: Instant,
    /// Until when its Duration field reserves the medium.
    pub(crate) nav_until: Instant,
    pub(crate) on_air: bool,
    /// The trigger frame that it answers.
    pub(crate) trigger: Option<Trigger>,
    /// Where the data of several users is; `None`: it follows from the mode of the only one.
    pub(crate) data_span: Option<DataSpan>,
    /// The part of its sender's power that it is sent with.
    pub(crate) power_share: f64,
    /// What its `QoS` frames say of its sender's queues.
    pub(crate) buffer_status: BufferStatus,
    /// Whether its sender is in the BSS that it was in at its start, if it was in one.
    pub(crate) in_bss: bool,
    pub(crate) overlaps: Vec<Overlap>,
    /// What sources that are no NICs emit meanwhile.
    pub(crate) emissions: Vec<Emitted>,
    /// NICs that missed its preamble, since they were receiving a PPDU that had begun before.
    pub(super) missed: NicSet,
    pub(crate) users: Users<PpduUser>,
    /// The MPDUs for each user (none in control frames), and how each was received.
    pub(crate) mpdus: PerUser<Mpdu>,
    pub(crate) received: PerUser<Reception>,
}

impl Overlap {
    /// A PPDU, as others meet it that ends or will end at this instant.
    #[inline]
    pub(crate) fn of(ppdu: &Ppdu, end: Instant) -> Self {
        let &Ppdu { from, power_share, start, .. } = ppdu;
        Self { from, allocation: ppdu.allocation(), power_share, start, disturbs_from: start, end }
    }

    /// A PPDU, as one meets it that answers the same trigger frame in the same RU.
    pub(crate) fn in_ru(ppdu: &Ppdu, end: Instant) -> Self {
        Self { disturbs_from: ppdu.payload_start, ..Self::of(ppdu, end) }
    }
}

impl Ppdu {
    /// The place for a NIC's PPDUs.
    pub(crate) fn idle(from: NicId) -> Self {
        let tx = TxVector::ofdm(0);
        Self {
            from,
            place: MediumPlace { medium: MediumId(0), member: MemberId(0), primary: PrimaryId(0) },
            kind: PpduKind::Data,
            width: tx.width(),
            start: Instant::ZERO,
            end: Instant::ZERO,
            payload_start: Instant::ZERO,
            payload_end: Instant::ZERO,
            nav_until: Instant::ZERO,
            on_air: false,
            trigger: None,
            data_span: None,
            power_share: 1.0,
            buffer_status: BufferStatus::default(),
            in_bss: false,
            overlaps: Vec::new(),
            emissions: Vec::new(),
            missed: NicSet::default(),
            users: Users::one(PpduUser::new(Receiver::Group, tx, 0, 0)),
            mpdus: PerUser::default(),
            received: PerUser::default(),
        }
    }

    /// What its data field fills: the whole width, or the RU of its only user.
    #[inline]
    pub(crate) fn allocation(&self) -> Allocation {
        let of_first = self.first().tx.allocation;
        if of_first.is_whole() || self.is_multi_user() { Allocation::whole(self.width) } else { of_first }
    }

    /// Tones of all users together, over which the power is spread evenly (IEEE 802.11ax-2021, 27.3.10: the power boost factor of every
    /// RU is 1).
    pub(crate) fn tone_count(&self) -> u32 {
        self.users.ids().map(|user| self.users[user].tx.allocation.tone_count()).sum()
    }

    /// First user of the PPDU. Control frames have no other.
    #[inline]
    pub(crate) fn first(&self) -> &PpduUser {
        self.users.first()
    }

    /// The user that this NIC is.
    #[inline]
    pub(crate) fn user_of(&self, nic: NicId) -> Option<UserId> {
        self.users.find(|user| self.users[user].receiver == Receiver::One(nic))
    }

    /// Whether the PPDU carries MPDUs of an upper half.
    #[inline]
    pub(crate) fn carries_mpdus(&self) -> bool {
        !self.mpdus.first().is_empty()
    }

    /// Whether its MPDU is one that the lower half has made itself.
    #[inline]
    pub(crate) fn is_made_below(&self) -> bool {
        self.mpdus.first().first().is_some_and(|mpdu| mpdu.handle == MpduHandle::NONE)
    }

    /// Whether it is a PPDU of several users.
    #[inline]
    pub(crate) fn is_multi_user(&self) -> bool {
        self.users.are_several() && self.kind == PpduKind::Data
    }

    /// Whether it is a trigger frame: MU-RTS is one too.
    #[inline]
    pub(crate) fn is_trigger_frame(&self) -> bool {
        self.kind == PpduKind::Trigger || self.kind == PpduKind::Rts && self.users.are_several()
    }

    /// Whether it is one frame for several stations: a trigger frame, or a `BlockAck` for all.
    pub(crate) fn is_one_frame_for_all(&self) -> bool {
        self.users.are_several() && (self.is_trigger_frame() || self.kind == PpduKind::MultiStaBlockAck)
    }

    /// Whether NICs that are no users of it decode its header only: where there are several users, and of an answer to a trigger in a
    /// resource unit.
    #[inline]
    pub(crate) fn is_for_users_only(&self) -> bool {
        self.is_multi_user() || self.trigger.is_some() && self.kind != PpduKind::Cts
    }

    /// Whether both answer one trigger frame.
    #[inline]
    pub(crate) fn is_triggered_with(&self, other: &Self) -> bool {
        self.trigger.is_some() && self.trigger == other.trigger
    }

    /// Whether another answer to its trigger frame was in its RU.
    #[inline]
    pub(crate) fn shares_ru(&self) -> bool {
        self.overlaps.iter().any(Overlap::is_in_same_ru)
    }

    /// What of the medium's time counts as that of a user: of PPDUs that share it, the part of its tones.
    #[inline]
    pub(crate) fn share_of(&self, user: UserId) -> ToneShare {
        let all = match self.trigger {
            Some(Trigger { tones, .. }) => tones,
            None if self.is_multi_user() => self.tone_count(),
            None => return ToneShare::WHOLE,
        };
        ToneShare { own: self.users[user].tx.allocation.tone_count(), all }
    }

    /// Whether the PPDU carries several MPDUs for a user.
    #[inline]
    pub(crate) fn is_aggregate(&self, user: UserId) -> bool {
        self.mpdus[user].len() > 1 || self.users[user].own_trigger.is_some()
    }

    /// Whether this user is asked for a response. A trigger frame also asks those that it does not name, of which a random access RU stands
    /// for a group.
    #[inline]
    pub(crate) fn asks(&self, user: UserId) -> bool {
        let kind = match self.kind {
            PpduKind::Data | PpduKind::Management => {
                let unanswered =
                    |first: &Mpdu| matches!(first.kind, MpduKind::NoAck | MpduKind::NoAckManagement);
                !self.mpdus[user].first().is_some_and(unanswered)
            }
            PpduKind::Trigger => return true,
            PpduKind::Rts | PpduKind::BlockAckReq => true,
            PpduKind::Ack
            | PpduKind::BlockAck
            | PpduKind::Cts
            | PpduKind::Beacon
            | PpduKind::QosNull
            | PpduKind::MultiStaBlockAck => false,
        };
        kind && self.users[user].receiver != Receiver::Group && !self.users[user].answers_later
    }

    /// Whether a user that decoded something is asked for a response by it: by the trigger frame, if there is one for it.
    #[inline]
    pub(crate) fn has_asked(&self, user: UserId) -> bool {
        self.asks(user) && self.users[user].own_trigger.is_none_or(|trigger| trigger.decoded)
    }

    /// The user whose response its sender waits for; `None` if it asks for none.
    #[inline]
    pub(crate) fn awaited(&self) -> Option<UserId> {
        self.users.find(|user| self.asks(user))
    }

    /// Whether a response to it has begun at its end.
    #[inline]
    pub(crate) fn is_answered(&self) -> bool {
        self.users.any(|user| user.responds)
    }

    /// Whether the PPDU is a response to this NIC.
    #[inline]
    pub(crate) fn answers(&self, nic: NicId) -> bool {
        let kind = matches!(
            self.kind,
            PpduKind::Ack | PpduKind::BlockAck | PpduKind::Cts | PpduKind::MultiStaBlockAck
        );
        kind && self.user_of(nic).is_some()
    }

    /// Whether nothing else was on the air.
    #[inline]
    pub(crate) fn is_undisturbed(&self) -> bool {
        self.overlaps.is_empty() && self.emissions.is_empty()
    }

    /// Whether something else was on the air during a part of it.
    #[inline]
    pub(crate) fn is_disturbed_in(&self, span: TimeSpan) -> bool {
        !self.is_undisturbed()
            && (self.overlaps.iter().any(|o| o.meets(span)) || self.emissions.iter().any(|e| e.meets(span)))
    }

    /// The ends of a span, and the instants between at which what disturbs it changes, in their order.
    pub(super) fn find_changes_in(&self, span: TimeSpan, changes: &mut Vec<Instant>) {
        changes.clear();
        changes.push(span.start);
        let mut change = |at: Instant| {
            if span.start < at && at < span.end {
                changes.push(at);
            }
        };
        for other in &self.overlaps {
            change(other.disturbs_from);
            change(other.end);
        }
        for emitted in &self.emissions {
            change(emitted.start);
            change(emitted.end);
        }
        changes[1..].sort_unstable();
        changes.push(span.end);
    }

    /// Whether a NIC missed the preamble, since it received another PPDU or transmitted.
    #[cfg(test)]
    pub(crate) fn was_missed_by(&self, nic: NicId) -> bool {
        self.missed.contains(nic)
    }

    /// Whether this NIC sent something while the PPDU was on the air, or sent it.
    #[inline]
    pub(crate) fn was_sent_over(&self, nic: NicId) -> bool {
        self.from == nic || self.overlaps.iter().any(|other| other.from == nic)
    }

    /// Whether it met another PPDU.
    #[inline]
    pub(crate) fn collided(&self) -> bool {
        !self.overlaps.is_empty()
    }

    /// What became of it for a user.
    pub(crate) fn outcome(&self, user: UserId) -> PpduOutcome {
        let PpduUser { decoded, own_trigger, .. } = self.users[user];
        let has_data = own_trigger.is_none() || self.received[user].contains(&Reception::Good);
        match (decoded && has_data, self.collided()) {
            (true, _) => PpduOutcome::Received,
            (false, true) => PpduOutcome::Collision,
            (false, false) => PpduOutcome::Corrupted,
        }
    }

    /// For how long after its end its Duration field reserves the medium.
    #[inline]
    pub(crate) fn nav(&self) -> Duration {
        self.nav_until.saturating_since(self.end)
    }

    /// Removes the MPDUs: the PPDU carries none of an upper half.
    #[inline]
    pub(crate) fn empty(&mut self) {
        self.mpdus.clear();
        self.received.clear();
    }

    /// Has an entry for each user of an exchange, and room for its MPDUs.
    #[inline(always)]
    pub(crate) fn set_users<U>(&mut self, users: &Users<U>, entry: impl FnMut(&U) -> PpduUser) {
        self.users.fill(users, entry);
        self.reserve(users.count());
    }

    /// Makes room for the MPDUs of so many users.
    #[inline]
    pub(crate) fn reserve(&mut self, users: usize) {
        self.mpdus.reserve(users);
        self.received.reserve(users);
    }

    /// The PSDU of a user, as this listener decodes it.
    #[inline]
    pub(crate) fn psdu_part(&self, user: UserId, listener: NicId, purpose: Purpose) -> Part {
        let PpduUser { tx, psdu_bytes, .. } = self.users[user];
        let span = TimeSpan { start: self.payload_start, end: self.end };
        Part { listener, span, tx, bytes: psdu_bytes, psdu_bytes, purpose }
    }

    /// The MPDU with this number in the PSDU of a user, as this listener decodes it.
    #[inline]
    pub(crate) fn mpdu_part(&self, user: UserId, index: usize, whole: Part) -> Part {
        Part { span: self.span(user, index), bytes: self.mpdus[user][index].bytes, ..whole }
    }

    /// The span of the MPDU with this number in the PSDU of a user, with its delimiter. Subframes follow each other as their octets
    /// do; the boundaries of symbols are not looked at.
    pub(crate) fn span(&self, user: UserId, index: usize) -> TimeSpan {
        self.span_behind(user, index, self.mpdus[user][index].bytes)
    }

    /// A trigger frame of so many octets at the end of the PSDU of a user, as this listener decodes it.
    pub(crate) fn trigger_part(&self, user: UserId, bytes: u32, whole: Part) -> Part {
        Part { span: self.span_behind(user, self.mpdus[user].len(), bytes), bytes, ..whole }
    }

    /// The span of an MPDU of so many octets behind the first so many in the PSDU of a user.
    fn span_behind(&self, user: UserId, count: usize, mpdu_bytes: u32) -> TimeSpan {
        let spacing = self.users[user].spacing_octets;
        let octets = |mpdu: &Mpdu| u64::from(subframe(mpdu.bytes, true, spacing));
        let before = self.mpdus[user][..count].iter().map(octets).sum::<u64>();
        let from = self.payload_start;
        let payload = u128::from(self.payload_end.since(from).as_nanos());
        let place = |octet: u64| {
            let nanos = payload * u128::from(octet) / u128::from(self.users[user].padded_bytes.max(1));
            from + Duration::from_nanos(nanos as u64)
        };
        let last = before + u64::from(subframe(mpdu_bytes, false, 0));
        TimeSpan { start: place(before), end: place(last) }
    }
}
