//! What the NICs that hear a PPDU decode of it, and so how long they defer.
//!
//! Most often all members of a hearing group decode the same: then contention is notified for the group as a whole, whatever its
//! size. Only where noise or capture may divide it are its members judged one by one; those that differ from the others defer
//! separately.

use airtcp_units::Instant;

use super::contention::{Deference, GroupId, Reservation, Tentative};
use super::decoding::Part;
use super::medium::{Extremes, MediumId};
use super::ppdu::{Ppdu, PpduUser};
use super::users::UserId;
use super::{Low, LowerMacContext};
use crate::border::Receiver;
use crate::phy::{CTS_BYTES, rx_phy_start_delay};
use crate::random::Purpose;
use crate::{NicId, PpduKind};

/// Which members of a group decode a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decoded {
    All,
    None,
    /// It depends on the member.
    Each,
}

/// A hearing group of a medium.
#[derive(Clone, Copy, Debug)]
struct GroupPlace {
    medium: MediumId,
    group: GroupId,
}

impl Low {
    /// The PPDU has ended for carrier sense.
    pub(super) fn end_for_contention(&mut self, now: Instant, ppdu: &Ppdu, high: &mut impl LowerMacContext) {
        let radio = &self.radios[ppdu.from];
        let (m, sender) = (radio.medium, radio.member);
        let own = self.media[m].contention.hearing().group_of(sender);
        let reservation = self.reservation(now, ppdu);
        let mut own_readable = true;
        let mut deferences = std::mem::take(&mut self.scratch.deferences);
        deferences.clear();
        let groups = self.media[m].contention.hearing().heard_by(sender).len();
        for place in 0..groups {
            let group = self.media[m].contention.hearing().heard_by(sender)[place];
            let readable = self.decoded_by_group(now, ppdu, GroupPlace { medium: m, group }, high);
            if group == own {
                own_readable = readable;
            }
            deferences.push(Deference { reservation: reservation.filter(|_| readable), readable });
        }
        self.note_senders(now, ppdu, own_readable);
        self.apply_own_nav(m);
        let mut next = deferences.iter();
        self.media[m].contention.ppdu_ends(now, sender, |_| *next.next().expect("one for each group"));
        self.scratch.deferences = deferences;
        self.set_apart(now, m);
    }

    /// What the Duration field takes the medium for (IEEE 802.11-2020, 10.3.2.4).
    fn reservation(&self, now: Instant, ppdu: &Ppdu) -> Option<Reservation> {
        if ppdu.nav_until <= now {
            return None;
        }
        let member = |nic: NicId| self.radios[nic].member;
        let from = member(ppdu.from);
        let PpduUser { receiver, tx, .. } = *ppdu.first();
        let to = receiver.nic().map(member);
        let holder = to.filter(|_| ppdu.kind == PpduKind::Cts).unwrap_or(from);
        let tentative = (ppdu.kind == PpduKind::Rts && !ppdu.is_answered()).then(|| {
            let times = &self.cells[self.radios[ppdu.from].cell].times;
            let heard_by = now + times.sifs * 2 + times.ppdu_duration(tx, CTS_BYTES) + times.slot * 2;
            Tentative { heard_by, ends: heard_by + rx_phy_start_delay(tx) }
        });
        Some(Reservation { until: ppdu.nav_until, tentative, from, to, holder })
    }

    /// A NIC that sends receives nothing of what others send meanwhile, and defers until the end of its own exchange.
    fn note_senders(&mut self, now: Instant, ppdu: &Ppdu, own_readable: bool) {
        let radio = &self.radios[ppdu.from];
        let contention = &self.media[radio.medium].contention;
        for overlap in &ppdu.overlaps {
            let other = &self.radios[overlap.from];
            if overlap.from != ppdu.from && contention.hears(other.member, radio.member) {
                self.scratch
                    .apart
                    .push((overlap.from, self.response_timeout_of(overlap.from).unwrap_or(now)));
            }
        }
        match self.response_timeout_of(ppdu.from) {
            Some(timeout) => self.scratch.apart.push((ppdu.from, timeout)),
            None if !own_readable && !ppdu.is_answered() => self.scratch.apart.push((ppdu.from, now)),
            None => {}
        }
    }

    /// Until when a NIC waits for a response, if it has heard nothing so far.
    fn response_timeout_of(&self, nic: NicId) -> Option<Instant> {
        let wait = self.radios[nic].wait.filter(|wait| wait.hears.is_none())?;
        Some(wait.timeout_at)
    }

    /// A NIC that defers separately also honours its own NAV, excluding the reservation that is about to be added.
    fn apply_own_nav(&mut self, m: MediumId) {
        for (nic, not_before) in &mut self.scratch.apart {
            let member = self.radios[*nic].member;
            *not_before = (*not_before).max(self.media[m].contention.nav_until(member, None));
        }
    }

    fn set_apart(&mut self, now: Instant, m: MediumId) {
        let mut apart = std::mem::take(&mut self.scratch.apart);
        for (nic, not_before) in apart.drain(..) {
            let member = self.radios[nic].member;
            self.media[m].contention.set_apart(now, member, not_before);
        }
        self.scratch.apart = apart;
    }

    /// Whether members of a group decoded a PPDU. Members that did not, though others did, are noted in `scratch.apart`: they defer
    /// for EIFS.
    fn decoded_by_group(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        place: GroupPlace,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let GroupPlace { medium: m, group: g } = place;
        let members = std::mem::take(&mut self.media[m].groups[g].members);
        let after_eifs = now + self.media[m].contention.eifs_extra();
        let readable = match self.who_decodes(ppdu, place, &members, high) {
            Decoded::None => false,
            Decoded::Each => self.judge_each(ppdu, &members, after_eifs, high),
            Decoded::All => {
                for user in ppdu.users.iter().filter(|user| !user.decoded) {
                    let Receiver::One(to) = user.receiver else { continue };
                    let member = self.radios[to].member;
                    if self.media[m].contention.hearing().group_of(member) == g {
                        self.scratch.apart.push((to, after_eifs));
                    }
                }
                true
            }
        };
        self.media[m].groups[g].members = members;
        readable
    }

    /// The first frame of a PPDU, which carries the Duration field, as a NIC that overhears it decodes it.
    fn overheard(ppdu: &Ppdu, listener: NicId) -> Part {
        let first = UserId::FIRST;
        let whole = ppdu.psdu_part(first, listener, Purpose::Overheard);
        if ppdu.is_aggregate(first) { ppdu.mpdu_part(first, 0, whole) } else { whole }
    }

    fn who_decodes(
        &mut self,
        ppdu: &Ppdu,
        place: GroupPlace,
        members: &[NicId],
        high: &mut impl LowerMacContext,
    ) -> Decoded {
        let medium = &self.media[place.medium];
        if ppdu.overlaps.is_empty() {
            if !self.decoder.is_noisy() {
                return Decoded::All;
            }
            let sender = self.radios[ppdu.from].member;
            let Some(Extremes { weakest, strongest }) = medium.groups[place.group].extremes[sender] else {
                return Decoded::All;
            };
            if medium.fades {
                return Decoded::Each;
            }
            let mut probability = |listener| {
                let part = Self::overheard(ppdu, listener);
                self.decoder.probability(high.channel(), ppdu, part)
            };
            return match (probability(weakest), probability(strongest)) {
                (least, _) if least >= 1.0 => Decoded::All,
                (_, most) if most <= 0.0 => Decoded::None,
                _ => Decoded::Each,
            };
        }
        if !self.decoder.judges_alike() {
            return Decoded::Each;
        }
        let idle = |nic: &&NicId| !ppdu.was_sent_over(**nic);
        let Some(&listener) = members.iter().find(idle) else { return Decoded::None };
        if self.overhears(ppdu, listener, high) { Decoded::All } else { Decoded::None }
    }

    fn overhears(&mut self, ppdu: &Ppdu, listener: NicId, high: &mut impl LowerMacContext) -> bool {
        let part = Self::overheard(ppdu, listener);
        self.decoder.synchronises(high.channel(), ppdu, part)
            && self.decoder.decodes(high.channel(), ppdu, part)
    }

    /// Whether any of the members decoded the PPDU. If so, the others are noted in `scratch.apart`.
    fn judge_each(
        &mut self,
        ppdu: &Ppdu,
        members: &[NicId],
        after_eifs: Instant,
        high: &mut impl LowerMacContext,
    ) -> bool {
        let before = self.scratch.apart.len();
        let mut any = false;
        for &listener in members.iter().filter(|&&nic| !ppdu.was_sent_over(nic)) {
            let decodes = match ppdu.user_of(listener) {
                Some(user) => ppdu.users[user].decoded,
                None => self.overhears(ppdu, listener, high),
            };
            if decodes {
                any = true;
            } else {
                self.scratch.apart.push((listener, after_eifs));
            }
        }
        if !any {
            self.scratch.apart.truncate(before);
        }
        any
    }
}
