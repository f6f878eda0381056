//! What everybody who hears a PPDU understands of it, and so what they wait for afterwards.
//!
//! Most often all of a hearing group understand the same: then the group as a whole is told, whatever its size. Only where
//! noise or capture may divide it are its members asked one by one; those that differ from the others wait apart.

use airtcp_units::Instant;

use super::contention::{Deference, Reservation, Tentative};
use super::decoding::Part;
use super::ppdu::Ppdu;
use super::{Low, Surroundings};
use crate::NicId;
use crate::border::Receiver;
use crate::phy::{CTS_BYTES, rx_phy_start_delay};
use crate::random::Purpose;
use crate::trace::PpduKind;

/// What a group understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    All,
    None,
    /// It depends on the member.
    Each,
}

/// What happened at the receiver of a PPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtReceiver {
    /// It has read something of it.
    pub(super) read: bool,
    /// Its response has begun: to everybody the medium stays busy.
    pub(super) responds: bool,
}

impl Low {
    /// The PPDU has ended for carrier sense.
    pub(super) fn tell_contention(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        there: AtReceiver,
        high: &mut impl Surroundings,
    ) {
        let radio = &self.radios[ppdu.from];
        let (m, sender) = (radio.medium, radio.member);
        let own = self.media[m].contention.hearing().group_of(sender);
        let reservation = self.reservation(now, ppdu, there);
        let mut own_readable = true;
        let mut deferences = std::mem::take(&mut self.scratch.deferences);
        deferences.clear();
        let groups = self.media[m].contention.hearing().heard_by(sender).len();
        for place in 0..groups {
            let group = self.media[m].contention.hearing().heard_by(sender)[place];
            let readable = self.understand(now, ppdu, (m, group as usize), there.read, high);
            if group == own {
                own_readable = readable;
            }
            deferences.push(Deference { reservation: reservation.filter(|_| readable), readable });
        }
        self.note_senders(now, ppdu, there, own_readable);
        self.heed_own_navs(m);
        let mut next = deferences.iter();
        self.media[m].contention.ppdu_ends(now, sender, |_| *next.next().expect("one for each group"));
        self.scratch.deferences = deferences;
        self.set_apart(now, m);
    }

    /// What the Duration field takes the medium for (IEEE 802.11-2020, 10.3.2.4).
    fn reservation(&self, now: Instant, ppdu: &Ppdu, there: AtReceiver) -> Option<Reservation> {
        if ppdu.nav_until <= now {
            return None;
        }
        let member = |nic: NicId| self.radios[nic].member;
        let from = member(ppdu.from);
        let to = match ppdu.receiver {
            Receiver::One(to) => Some(member(to)),
            Receiver::Group | Receiver::Absent => None,
        };
        let holder = to.filter(|_| ppdu.kind == PpduKind::Cts).unwrap_or(from);
        let tentative = (ppdu.kind == PpduKind::Rts && !there.responds).then(|| {
            let times = &self.cells[self.radios[ppdu.from].cell].times;
            let heard_by = now + times.sifs * 2 + times.ppdu_duration(ppdu.tx, CTS_BYTES) + times.slot * 2;
            Tentative { heard_by, ends: heard_by + rx_phy_start_delay(ppdu.tx) }
        });
        Some(Reservation { until: ppdu.nav_until, tentative, from, to, holder })
    }

    /// Who sends knows nothing of what others send meanwhile, and waits for the end of its own exchange.
    fn note_senders(&mut self, now: Instant, ppdu: &Ppdu, there: AtReceiver, own_readable: bool) {
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
            None if !own_readable && !there.responds => self.scratch.apart.push((ppdu.from, now)),
            None => {}
        }
    }

    /// Until when a NIC waits for a response, if it has heard nothing so far.
    fn response_timeout_of(&self, nic: NicId) -> Option<Instant> {
        let wait = self.radios[nic].wait.filter(|wait| wait.hears.is_none())?;
        Some(wait.timeout_at)
    }

    /// Who stands apart does so before its own NAV is over. What is about to be announced is not in it yet.
    fn heed_own_navs(&mut self, m: usize) {
        for (nic, not_before) in &mut self.scratch.apart {
            let member = self.radios[*nic].member;
            *not_before = (*not_before).max(self.media[m].contention.nav_until(member, None));
        }
    }

    fn set_apart(&mut self, now: Instant, m: usize) {
        let mut apart = std::mem::take(&mut self.scratch.apart);
        for (nic, not_before) in apart.drain(..) {
            let member = self.radios[nic].member;
            self.media[m].contention.set_apart(now, member, not_before);
        }
        self.scratch.apart = apart;
    }

    /// Whether a group could read a PPDU. Members that could not, though others could, are noted in `scratch.apart`: they wait
    /// for EIFS.
    fn understand(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        place: (usize, usize),
        read: bool,
        high: &mut impl Surroundings,
    ) -> bool {
        let (m, g) = place;
        let members = std::mem::take(&mut self.media[m].groups[g].members);
        let after_eifs = now + self.media[m].contention.eifs_extra();
        let readable = match self.reading(ppdu, place, &members, high) {
            Reading::None => false,
            Reading::Each => self.ask_each(ppdu, &members, (read, after_eifs), high),
            Reading::All => {
                if let (false, Receiver::One(to)) = (read, ppdu.receiver) {
                    let member = self.radios[to].member;
                    if self.media[m].contention.hearing().group_of(member) as usize == g {
                        self.scratch.apart.push((to, after_eifs));
                    }
                }
                true
            }
        };
        self.media[m].groups[g].members = members;
        readable
    }

    /// The first frame of a PPDU, which carries the Duration field, for somebody who overhears it.
    fn overheard(ppdu: &Ppdu, listener: NicId) -> Part {
        let aggregate = ppdu.is_aggregate();
        let span = if aggregate { ppdu.span(0) } else { (ppdu.payload_start(), ppdu.end) };
        let bytes = if aggregate { ppdu.mpdus[0].bytes } else { ppdu.psdu_bytes };
        Part { listener, span, bytes, purpose: Purpose::Overheard }
    }

    fn reading(
        &mut self,
        ppdu: &Ppdu,
        place: (usize, usize),
        members: &[NicId],
        high: &mut impl Surroundings,
    ) -> Reading {
        let medium = &self.media[place.0];
        if ppdu.overlaps.is_empty() {
            if !self.decoder.is_noisy() {
                return Reading::All;
            }
            let sender = self.radios[ppdu.from].member;
            let Some((weakest, strongest)) = medium.groups[place.1].extremes[sender] else {
                return Reading::All;
            };
            if medium.fades {
                return Reading::Each;
            }
            let mut probability = |listener| {
                let part = Self::overheard(ppdu, listener);
                self.decoder.probability(high.channel(), (ppdu, ppdu.tx), part)
            };
            return match (probability(weakest), probability(strongest)) {
                (least, _) if least >= 1.0 => Reading::All,
                (_, most) if most <= 0.0 => Reading::None,
                _ => Reading::Each,
            };
        }
        if !self.decoder.judges_alike() {
            return Reading::Each;
        }
        let idle = |nic: &&NicId| !ppdu.was_sent_over(**nic);
        let Some(&listener) = members.iter().find(idle) else { return Reading::None };
        if self.overhears(ppdu, listener, high) { Reading::All } else { Reading::None }
    }

    fn overhears(&mut self, ppdu: &Ppdu, listener: NicId, high: &mut impl Surroundings) -> bool {
        let part = Self::overheard(ppdu, listener);
        self.decoder.locks(high.channel(), ppdu, part) && self.decoder.reads(high.channel(), ppdu, part)
    }

    /// Whether any of the members could read the PPDU. If so, the others are noted in `scratch.apart`.
    fn ask_each(
        &mut self,
        ppdu: &Ppdu,
        members: &[NicId],
        (read, after_eifs): (bool, Instant),
        high: &mut impl Surroundings,
    ) -> bool {
        let before = self.scratch.apart.len();
        let mut any = false;
        for &listener in members.iter().filter(|&&nic| !ppdu.was_sent_over(nic)) {
            let is_receiver = ppdu.receiver == Receiver::One(listener);
            if if is_receiver { read } else { self.overhears(ppdu, listener, high) } {
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
