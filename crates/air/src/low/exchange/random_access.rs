//! Uplink OFDMA random access (UORA; IEEE 802.11ax-2021, 26.5.4): resource units of trigger frames that are for any station which has
//! something and is not named.
//!
//! ```text
//! | Basic trigger frame |SIFS| data of those named, and of others in RA-RUs |SIFS| multi-STA BlockAck |
//! ```
//! The access point offers RA-RUs for associated stations (AID12 of 0), one user information field each. Everybody must be able to use
//! them, so they are in HE-MCS 0 with one stream. They are as long as the answers of those named; where nobody is named, as what is asked
//! of an unknown station. A station uses one by its backoff ([`crate::low::multi_user`]), and answers in it as if it had been named.

use airtcp_plan::RandomAccessPlan;
use airtcp_units::Instant;

use super::radio::{Exchange, ExchangeUser, Step};
use super::solicited::Asks;
use super::triggering::{in_ru, qos_null_psdu_bytes};
use super::uplink::Triggering;
use crate::NicId;
use crate::border::{AccessCategory, Receiver};
use crate::low::Low;
use crate::low::context::Context;
use crate::low::multi_user::{TriggerKind, UNKNOWN_OCTETS};
use crate::low::on_air::{Ppdu, UserId};
use crate::low::psdu::PsduLength;
use crate::phy::multi_user::MuUser;
use crate::phy::{Allocation, Band, Format, Guard, QOS_NULL_BYTES, TxVector};
use crate::random::Purpose;

impl Triggering {
    /// Adds RA-RUs to the stations that a trigger frame names: in the format of these, or in that of 11ax, which all have.
    pub(super) fn offer(&mut self, kind: TriggerKind, rus: &[Allocation], band: Band) {
        let format = self.users.first().map_or(Format::He, |user| user.tx.format);
        let one_frame = PsduLength::one(format, QOS_NULL_BYTES).bytes();
        let psdu_bytes = match kind {
            TriggerKind::Basic if self.asked.is_empty() => UNKNOWN_OCTETS as u32 + one_frame,
            TriggerKind::Basic | TriggerKind::Bsrp => qos_null_psdu_bytes(format, 1),
        };
        for &ru in rus {
            let slowest = TxVector::mimo(format, 0, 1, ru.width(), Guard::Ns1600);
            let Some(tx) = in_ru(slowest, ru).lowered_to_legal(band) else { break };
            self.users.push(MuUser { tx, coding: tx.coding(), psdu_bytes });
        }
    }
}

impl ExchangeUser {
    /// Whether it is an RA-RU in which nothing has been decoded.
    fn is_unclaimed(&self) -> bool {
        self.receiver == Receiver::Group
    }
}

impl Exchange {
    /// A station has been decoded in an RA-RU: it is a user like those that were named.
    pub(super) fn claim(&mut self, ru: Allocation, by: Receiver, window: Option<u16>) {
        let is_this = |user: &&mut ExchangeUser| user.is_unclaimed() && user.tx.allocation == ru;
        if let Some(user) = self.users.iter_mut().find(is_this) {
            (user.receiver, user.window, user.answered) = (by, window, true);
        }
    }

    /// Whether its trigger frame names no station. Then it is no failure if no answer comes.
    pub(super) fn names_nobody(&self) -> bool {
        self.users.iter().all(ExchangeUser::is_unclaimed)
    }
}

impl Low {
    /// A trigger frame has ended. Stations that it does not name, which have decoded it and have something, count down by its RA-RUs, and
    /// prepare an answer if one is for them.
    #[inline(never)]
    pub(super) fn take_random_access(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl Context) {
        if self.exchange(ppdu.from).step != Step::Triggering {
            return;
        }
        let Some(triggering) = self.exchanges.radios[ppdu.from].triggering.take() else { return };
        if let Some(plan) = triggering.trigger.and_then(|trigger| trigger.random_access) {
            for station in triggering.turns.listeners() {
                if self.may_use_random_access(now, ppdu, station, high) {
                    self.count_random_access(now, ppdu, plan, station, &triggering);
                }
            }
        }
        self.exchanges.radios[ppdu.from].triggering = Some(triggering);
    }

    /// Whether a station is not named, has something, could send in the RUs, and has decoded the trigger frame.
    fn may_use_random_access(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        station: NicId,
        high: &mut impl Context,
    ) -> bool {
        let offered = self.exchange(ppdu.from).tx();
        let radio = &self.exchanges.radios[station];
        let can = radio.ofdma_backoff.is_some()
            && radio.answer.is_none()
            && ppdu.user_of(station).is_none()
            && self.on_air.reads(station, offered.format)
            && self.on_air.full_width(station) >= offered.width()
            && self.buffers.limits_between(station, ppdu.from).is_some();
        if !can || !AccessCategory::ALL.into_iter().any(|ac| self.has_frames(now, station, ac.into(), high)) {
            return false;
        }
        let whole = ppdu.psdu_part(UserId::FIRST, station, Purpose::Data);
        self.on_air.receives(ppdu, whole, high.channel())
    }

    /// A station that has something counts down by the RA-RUs of a trigger frame that it has decoded, and prepares an answer. If it may not
    /// send now its counter stays at zero (26.5.4.3).
    fn count_random_access(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        plan: RandomAccessPlan,
        station: NicId,
        triggering: &Triggering,
    ) {
        let rus = || ppdu.users.ids().filter(|&user| ppdu.users[user].receiver == Receiver::Group);
        let Some(backoff) = &mut self.exchanges.radios[station].ofdma_backoff else { return };
        let Some(chosen) = backoff.count(ppdu.from, plan, rus().count() as u32) else { return };
        let Some(user) = rus().nth(chosen as usize) else { return };
        let asks = Asks { from: ppdu.from, user, preferred: AccessCategory::Voice, by_random_access: true };
        self.prepare_granted(now, asks, station, triggering);
    }

    /// What a station has sent in an RA-RU has been acknowledged, or not; what asks for no response went well (26.5.4).
    pub(super) fn random_access_ends(&mut self, nic: NicId, went_well: bool) {
        if let Some(backoff) = &mut self.exchanges.radios[nic].ofdma_backoff {
            backoff.ends(went_well);
        }
    }
}
