//! The acknowledgements of a PPDU of several users: one after the other, or at once in answer to a trigger frame (MU-BAR), which follows
//! the data or is in it.
//!
//! ```text
//! | data for all |SIFS| BlockAck of the first |SIFS| BlockAckReq |SIFS| BlockAck of the second |SIFS| ...
//! | data for all |SIFS| trigger frame |SIFS| BlockAcks of all, each in its RU |
//! | data and a trigger frame for each |SIFS| BlockAcks of all, each in its RU |
//! ```
//! One after the other, the first user answers by itself (ack policy Implicit BAR), the others when they are asked (ack policy Block Ack; IEEE
//! 802.11-2020, 10.25.6; IEEE 802.11ax-2021, 26.4). A response that does not come ends the sequence, unless an earlier one has come:
//! then the medium is the sender's, and it goes on when the medium has been idle for PIFS (10.23.2.8).

use airtcp_units::Instant;

use super::radio::{ExchangeUser, Step, Wait};
use super::shared_by_users::{MultiUser, TriggeredResponse};
use crate::border::{Mpdu, MpduHandle, MpduKind, Protection, Receiver};
use crate::channel::Channel;
use crate::low::Low;
use crate::low::context::Context;
use crate::low::event::Event;
use crate::low::on_air::{Emission, PpduUser, Reception, Trigger, UserId};
use crate::phy::{BLOCK_ACK_REQ_BYTES, TxVector};
use crate::{NicId, PpduKind};

impl Low {
    /// What follows in an exchange by SIFS, or after a missing response by PIFS.
    #[inline(always)]
    pub(crate) fn go_on_with(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let step = self.exchanges.radios[nic].exchange.as_ref().map(|exchange| exchange.step);
        match step {
            Some(Step::Asking) => self.ask_next(now, nic, high),
            Some(Step::Triggering) => self.send_uplink_trigger(now, nic, high.channel()),
            Some(Step::Acknowledging) => self.send_multi_sta_ack(now, nic, high.channel()),
            _ => self.send_data(now, nic, high.channel()),
        }
    }

    /// The acknowledgement of a user has come, or has not: the next one is asked, or the exchange is over.
    #[inline(never)]
    pub(super) fn user_ends(
        &mut self,
        now: Instant,
        nic: NicId,
        wait: Option<Wait>,
        answered: bool,
        high: &mut impl Context,
    ) {
        let times = &self.on_air.cell(nic).times;
        let exchange =
            self.exchanges.radios[nic].exchange.as_mut().expect("a NIC that waits is in an exchange");
        let Some(multi_user) = &mut exchange.multi_user else { return };
        if multi_user.triggered.is_some() {
            // Who has answered is noted.
            return self.conclude(now, nic, high);
        }
        exchange.users[multi_user.asked].answered = answered;
        let has_medium = exchange.protection == Protection::RtsCts
            || !exchange.begins_txop
            || exchange.users.iter().any(|user| user.answered);
        let next = exchange.users.ids().find(|&user| user > multi_user.asked);
        let Some(next) = next.filter(|_| has_medium) else { return self.conclude(now, nic, high) };
        (multi_user.asked, exchange.step) = (next, Step::Asking);
        multi_user.recovers = !answered;
        let at = match (answered, wait.and_then(|wait| wait.hears)) {
            (true, _) => now + times.sifs,
            // What came was no response: PIFS after it.
            (false, Some(_)) => now + times.sifs + times.slot,
            // The timeout is longer than PIFS.
            (false, None) => now,
        };
        self.follow(at, Event::Continue(nic), nic);
    }

    /// The next user is asked for its acknowledgement.
    fn ask_next(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let exchange = self.exchanges.radios[nic].exchange.as_mut().expect("an exchange goes on");
        let multi_user = **exchange.multi_user.as_ref().expect("only several users are asked");
        if multi_user.recovers && !self.on_air.may_recover(now, nic) {
            return self.conclude(now, nic, high);
        }
        exchange.step = Step::Asked;
        match multi_user.triggered {
            Some(triggered) => self.send_trigger(now, nic, &multi_user, triggered, high.channel()),
            None => self.send_request(now, nic, &multi_user, high.channel()),
        }
    }

    /// The data of several users has ended, whom a trigger frame will ask.
    pub(super) fn ask_all(&mut self, now: Instant, nic: NicId) {
        let exchange = self.exchanges.radios[nic].exchange.as_mut().expect("data belongs to an exchange");
        exchange.step = Step::Asking;
        let sifs = self.on_air.cell(nic).times.sifs;
        self.follow(now + sifs, Event::Continue(nic), nic);
    }

    fn send_trigger(
        &mut self,
        now: Instant,
        nic: NicId,
        multi_user: &MultiUser,
        triggered: TriggeredResponse,
        channel: &mut Channel,
    ) {
        let exchange = self.exchange(nic);
        let cell = self.on_air.cell(nic);
        let (tx, bytes) = (multi_user.request, triggered.trigger_bytes);
        let duration = cell.times.ppdu_duration(tx, bytes);
        let emission = Emission {
            kind: PpduKind::Trigger,
            start: now,
            width: super::emit::duplicated(tx, exchange.width()),
            duration,
            nav_until: now + duration + cell.times.sifs + triggered.duration,
        };
        self.send_to_all(nic, tx, bytes);
        self.emit(now, nic, emission, channel);
    }

    /// A frame without MPDUs goes to all users of an exchange in the PPDU that a NIC sends next.
    pub(super) fn send_to_all(&mut self, nic: NicId, tx: TxVector, bytes: u32) {
        let exchange = self.exchanges.radios[nic].exchange.as_ref().expect("users belong to an exchange");
        let entry = |user: &ExchangeUser| PpduUser::new(user.receiver, tx, bytes, user.attempt);
        self.on_air.next_ppdu(nic).set_users(&exchange.users, entry);
    }

    /// A PPDU of a NIC has ended that answers a trigger frame, or MU-RTS. The wait of the NIC that has sent the frame ends with the last of them.
    #[inline(never)]
    pub(super) fn triggered_ends(&mut self, now: Instant, nic: NicId, high: &mut impl Context) {
        let ppdu = self.on_air.ppdu(nic);
        let Some(Trigger { by, .. }) = ppdu.trigger else { return };
        let (decoded, clears) = (ppdu.first().decoded, ppdu.kind == PpduKind::Cts);
        let radio = &mut self.exchanges.radios[by];
        let (Some(wait), Some(exchange)) = (&mut radio.wait, &mut radio.exchange) else { return };
        if !exchange.is_answered_together() {
            return;
        }
        let receiver = Receiver::One(nic);
        if clears {
            exchange.multi_user.iter_mut().for_each(|multi_user| multi_user.is_cleared |= decoded);
        } else if let Some(user) = exchange.users.iter_mut().find(|user| user.receiver == receiver) {
            user.answered |= decoded;
        } else if decoded {
            let window = self.buffers.limits_between(nic, by).map(|limits| limits.window);
            exchange.claim(ppdu.first().tx.allocation, receiver, window);
        }
        let is_cleared = exchange.multi_user.as_ref().is_some_and(|multi_user| multi_user.is_cleared);
        if wait.hears != Some(nic) {
            return;
        }
        let next = self.on_air.triggered_with(nic);
        wait.hears = next;
        if next.is_none() {
            self.wait_ends(now, by, !clears || is_cleared, high);
        }
    }

    fn send_request(&mut self, now: Instant, nic: NicId, multi_user: &MultiUser, channel: &mut Channel) {
        let exchange = self.exchange(nic);
        let cell = self.on_air.cell(nic);
        let MultiUser { asked, request: tx, .. } = *multi_user;
        let user = &exchange.users[asked];
        let first = self.buffers.psdu(nic, asked)[0].mpdu;
        let duration = multi_user.request_duration(cell);
        let emission = Emission {
            kind: PpduKind::BlockAckReq,
            start: now,
            width: super::emit::duplicated(tx, exchange.width()),
            duration,
            nav_until: now + duration + exchange.after_request(asked, multi_user, cell),
        };
        // The start of the window is the first MPDU of the PSDU: nothing before it is on its way.
        let kind = MpduKind::BlockAckReq;
        let mpdu = Mpdu { handle: MpduHandle::NONE, bytes: BLOCK_ACK_REQ_BYTES, kind, ..first };
        let user = PpduUser::new(user.receiver, tx, BLOCK_ACK_REQ_BYTES, user.attempt);
        let ppdu = self.on_air.next_ppdu(nic);
        ppdu.users.replace(user);
        ppdu.mpdus[UserId::FIRST].push(mpdu);
        ppdu.received[UserId::FIRST].push(Reception::Open);
        self.emit(now, nic, emission, channel);
    }
}
