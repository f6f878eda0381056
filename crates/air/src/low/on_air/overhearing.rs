//! What the NICs that hear a PPDU decode of it, and so how long they defer.
//!
//! Most often all members of a hearing group decode the same: then contention is notified for the group as a whole, whatever its
//! size. Only where noise or capture may divide it are its members judged one by one; those that differ from the others defer
//! separately.

use airtcp_units::{Duration, Instant};

use super::OnAir;
use super::medium::{Extremes, Heard, Medium};
use super::ppdu::{Part, Ppdu, PpduUser, Preamble};
use super::station::{MediumId, MediumPlace};
use super::users::UserId;
use crate::border::Receiver;
use crate::channel::Channel;
use crate::low::contention::{Deference, GroupId, Reservation, Tentative};
use crate::phy::{CTS_BYTES, Format, TxVector, rx_phy_start_delay, txop_field_duration};
use crate::random::Purpose;
use crate::{NicId, PpduKind};

/// Which members of a group decode a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decoded {
    All,
    None,
    /// To none of them it is a PPDU.
    Energy,
    /// Some members decode it, others do not.
    Each,
}

/// A hearing group of a medium.
#[derive(Clone, Copy, Debug)]
struct GroupPlace {
    medium: MediumId,
    group: GroupId,
}

impl OnAir {
    /// The PPDU has ended for carrier sense. `timeouts`: until when a NIC waits for a response, if it has heard nothing so far.
    pub(crate) fn end_for_contention(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        timeouts: impl Fn(NicId) -> Option<Instant>,
        channel: &mut Channel,
    ) {
        let MediumPlace { medium: m, member: sender, .. } = ppdu.place;
        let own = self.media[m].contention.hearing().group_of(sender);
        let mut own_readable = true;
        for place in 0..self.media[m].contention.hearing().heard_by(sender, ppdu.width).len() {
            let contention = &self.media[m].contention;
            let group = contention.hearing().heard_by(sender, ppdu.width)[place];
            if !contention.is_sensed_by(sender, group) {
                continue;
            }
            let heard = self.heard_by_group(now, ppdu, GroupPlace { medium: m, group }, channel);
            if group == own {
                own_readable = match heard {
                    Heard::Nothing => false,
                    Heard::Before(eifs_extra) => eifs_extra == Duration::ZERO,
                    Heard::Frame | Heard::Header | Heard::Energy => true,
                };
            }
            self.media[m].groups[group].heard = heard;
        }
        self.note_senders(now, ppdu, own_readable, timeouts);
        if !self.apart.is_empty() {
            self.apply_own_nav(m);
        }
        let of_frame = self.reservation(now, ppdu);
        let of_header = self.txop_reservation(now, ppdu, of_frame);
        let eifs_extra = self.eifs_extra(ppdu);
        let Medium { contention, groups, .. } = &mut self.media[m];
        contention.ppdu_ends(now, sender, |group| match groups[group].heard {
            Heard::Frame => Deference { reservation: of_frame, eifs_extra: Some(Duration::ZERO) },
            Heard::Header => Deference { reservation: of_header, eifs_extra: Some(Duration::ZERO) },
            Heard::Nothing => Deference { reservation: None, eifs_extra: Some(eifs_extra) },
            Heard::Energy => Deference { reservation: None, eifs_extra: None },
            Heard::Before(eifs_extra) => Deference { reservation: None, eifs_extra: Some(eifs_extra) },
        });
        if !self.apart.is_empty() {
            self.set_apart(now, m);
        }
    }

    /// EIFS - DIFS after a PPDU.
    fn eifs_extra(&self, ppdu: &Ppdu) -> Duration {
        self.cells[self.stations[ppdu.from].cell].times.eifs_extra(ppdu.first().tx)
    }

    /// What the Duration field takes the medium for (IEEE 802.11-2020, 10.3.2.4).
    #[inline]
    fn reservation(&self, now: Instant, ppdu: &Ppdu) -> Option<Reservation> {
        if ppdu.nav_until <= now { None } else { Some(self.announced(now, ppdu)) }
    }

    #[inline(always)]
    fn announced(&self, now: Instant, ppdu: &Ppdu) -> Reservation {
        let member = |nic: NicId| self.stations[nic].place.member;
        let from = ppdu.place.member;
        let PpduUser { receiver, tx, .. } = *ppdu.first();
        let to = receiver.nic().map(member);
        let holder = to.filter(|_| ppdu.kind == PpduKind::Cts).unwrap_or(from);
        let tentative = (ppdu.kind == PpduKind::Rts && !ppdu.is_answered()).then(|| {
            let times = &self.cells[self.stations[ppdu.from].cell].times;
            // CTSs that answer MU-RTS have 6 Mbit/s.
            let cts = if ppdu.users.count() > 1 { TxVector::ofdm(0) } else { tx };
            let heard_by = now + times.sifs * 2 + times.ppdu_duration(cts, CTS_BYTES) + times.slot * 2;
            Tentative { heard_by, ends: heard_by + rx_phy_start_delay(tx) }
        });
        Reservation { until: ppdu.nav_until, tentative, from, to, holder }
    }

    /// Until when the TXOP field in the header of an HE or EHT PPDU takes the medium for busy; `None`: it has none.
    fn txop_until(&self, ppdu: &Ppdu) -> Option<Instant> {
        let has_field = matches!(ppdu.first().tx.format, Format::He | Format::Eht)
            && self.cells[self.stations[ppdu.from].cell].txop_duration;
        has_field.then(|| ppdu.end + txop_field_duration(ppdu.nav()))
    }

    /// End of the time for which the TXOP field of a PPDU takes the medium for busy at a NIC; `None`: stations of older standards
    /// do not read the field.
    fn txop_until_for(&self, ppdu: &Ppdu, listener: NicId) -> Option<Instant> {
        self.txop_until(ppdu).filter(|_| self.stations[listener].reads_he_headers())
    }

    /// What the TXOP field takes the medium for, where it is all that a NIC decodes (IEEE 802.11ax-2021, 26.2.4).
    fn txop_reservation(
        &self,
        now: Instant,
        ppdu: &Ppdu,
        of_frame: Option<Reservation>,
    ) -> Option<Reservation> {
        let of_frame = of_frame?;
        let until = self.txop_until(ppdu).filter(|&until| until > now)?;
        Some(Reservation { until, tentative: None, ..of_frame })
    }

    /// A NIC that sends receives nothing of what others send meanwhile, and defers until the end of its own exchange.
    #[inline(always)]
    fn note_senders(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        own_readable: bool,
        timeouts: impl Fn(NicId) -> Option<Instant>,
    ) {
        if ppdu.collided() {
            self.note_overlapping(now, ppdu, &timeouts);
        }
        match timeouts(ppdu.from) {
            Some(timeout) => self.apart.push((ppdu.from, timeout)),
            None if !own_readable && !ppdu.is_answered() => self.apart.push((ppdu.from, now)),
            None => {}
        }
    }

    #[inline(never)]
    fn note_overlapping(&mut self, now: Instant, ppdu: &Ppdu, timeouts: impl Fn(NicId) -> Option<Instant>) {
        let place = self.stations[ppdu.from].place;
        let contention = &self.media[place.medium].contention;
        for overlap in &ppdu.overlaps {
            let other = self.stations[overlap.from].place.member;
            if overlap.from != ppdu.from && contention.senses(other, place.member) {
                self.apart.push((overlap.from, timeouts(overlap.from).unwrap_or(now)));
            }
        }
    }

    /// A NIC that defers separately also honours its own NAV, excluding the reservation that is about to be added.
    #[inline(never)]
    fn apply_own_nav(&mut self, m: MediumId) {
        for (nic, not_before) in &mut self.apart {
            let member = self.stations[*nic].place.member;
            *not_before = (*not_before).max(self.media[m].contention.nav_until(member, None));
        }
    }

    #[inline(never)]
    fn set_apart(&mut self, now: Instant, m: MediumId) {
        for (nic, not_before) in self.apart.drain(..) {
            let member = self.stations[nic].place.member;
            self.media[m].contention.set_apart(now, member, not_before);
        }
    }

    /// What members of a group decoded of a PPDU: the most that any of them did. The others are noted in `apart`, with what
    /// they defer for: the TXOP field of the header, or EIFS.
    #[inline]
    fn heard_by_group(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        place: GroupPlace,
        channel: &mut Channel,
    ) -> Heard {
        let misses = |user: &PpduUser| !user.decoded && user.receiver.nic().is_some();
        if ppdu.is_for_users_only() {
            return self.header_heard_by(now, ppdu, place, channel);
        }
        let alike = self.media[place.medium].uniform && !self.decoder.is_noisy();
        if alike && self.group_reads(ppdu, place) && ppdu.is_undisturbed() && !ppdu.users.any(misses) {
            return Heard::Frame;
        }
        self.heard_by_members(now, ppdu, place, channel)
    }

    /// What members of a group decoded of a PPDU of several users: its header, and those users that decoded their PSDU the Duration
    /// field. The PHY filters the PSDUs of others, so no error follows for them (IEEE 802.11ax-2021, 27.3.22).
    #[inline(never)]
    fn header_heard_by(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        place: GroupPlace,
        channel: &mut Channel,
    ) -> Heard {
        if !self.decodes_header_as_one(ppdu, place, channel) {
            return self.heard_by_members(now, ppdu, place, channel);
        }
        let of_header = self.txop_until(ppdu);
        for user in ppdu.users.iter() {
            let Receiver::One(to) = user.receiver else { continue };
            if !self.is_in_group(to, place) {
                continue;
            }
            let not_before = match (user.decoded, of_header) {
                // The receiver has asked for it, and holds the TXOP.
                (true, _) if ppdu.trigger.is_some() => now,
                (false, _) if ppdu.trigger.is_some() => now + self.eifs_extra(ppdu),
                (true, _) => ppdu.nav_until.max(now),
                (false, Some(until)) => until,
                (false, None) => now + self.eifs_extra(ppdu),
            };
            if Some(not_before) != of_header {
                self.apart.push((to, not_before));
            }
        }
        Heard::Header
    }

    /// Whether all members of a group can be taken to decode the header of a PPDU: nothing disturbs it, and the weakest receives it.
    fn decodes_header_as_one(&self, ppdu: &Ppdu, place: GroupPlace, channel: &mut Channel) -> bool {
        let medium = &self.media[place.medium];
        if !medium.uniform || medium.fades || !ppdu.is_undisturbed() || !self.group_reads(ppdu, place) {
            return false;
        }
        let sender = self.stations[ppdu.from].place.member;
        let extremes = medium.groups[place.group].extremes[sender];
        extremes.is_none_or(|Extremes { weakest, .. }| self.decoder.receives_alone(channel, ppdu, weakest))
    }

    #[inline(never)]
    fn heard_by_members(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        place: GroupPlace,
        channel: &mut Channel,
    ) -> Heard {
        let GroupPlace { medium: m, group: g } = place;
        match self.who_decodes(ppdu, place, channel) {
            Decoded::None => Heard::Nothing,
            Decoded::Energy => Heard::Energy,
            Decoded::Each => {
                let members = std::mem::take(&mut self.media[m].groups[g].members);
                let heard = self.judge_each(now, ppdu, &members, channel);
                self.media[m].groups[g].members = members;
                heard
            }
            Decoded::All => {
                for user in ppdu.users.iter().filter(|user| !user.decoded) {
                    let Receiver::One(to) = user.receiver else { continue };
                    if self.is_in_group(to, place) {
                        let after_eifs = now + self.eifs_extra(ppdu);
                        let synchronised = user.preamble == Some(Preamble::Decoded);
                        let of_header = self.txop_until_for(ppdu, to).filter(|_| synchronised);
                        self.apart.push((to, of_header.unwrap_or(after_eifs)));
                    }
                }
                Heard::Frame
            }
        }
    }

    fn is_in_group(&self, nic: NicId, place: GroupPlace) -> bool {
        let member = self.stations[nic].place.member;
        self.media[place.medium].contention.hearing().group_of(member) == place.group
    }

    /// The first frame of a PPDU as a NIC that overhears it decodes it.
    fn overheard(ppdu: &Ppdu, listener: NicId) -> Part {
        let first = UserId::FIRST;
        let whole = ppdu.psdu_part(first, listener, Purpose::Overheard);
        if ppdu.is_aggregate(first) { ppdu.mpdu_part(first, 0, whole) } else { whole }
    }

    /// Whether the preamble is in the primary channel of a NIC.
    fn detects(channel: &Channel, ppdu: &Ppdu, listener: NicId) -> bool {
        channel.shares(ppdu.from, listener, ppdu.width).has_preamble()
    }

    /// Whether the PSDU is on subchannels that a NIC has all of, or repeated in each. If not, it decodes the header at most.
    fn has_psdu(channel: &Channel, ppdu: &Ppdu, listener: NicId) -> bool {
        let is_repeated = ppdu.first().tx.width() != ppdu.width;
        is_repeated || channel.shares(ppdu.from, listener, ppdu.width).has_all_of(ppdu.width)
    }

    /// Whether members of a group can decode frames in the format of a PPDU; all of them have the same formats.
    #[inline]
    fn group_reads(&self, ppdu: &Ppdu, place: GroupPlace) -> bool {
        let first = self.media[place.medium].groups[place.group].members[0];
        self.stations[first].reads(ppdu.first().tx.format)
    }

    fn who_decodes(&mut self, ppdu: &Ppdu, place: GroupPlace, channel: &mut Channel) -> Decoded {
        // Without a TXOP field there is nothing between the frame and EIFS.
        let none = if self.txop_until(ppdu).is_some() { Decoded::Each } else { Decoded::None };
        let medium = &self.media[place.medium];
        let members = &medium.groups[place.group].members;
        // All members of a group are on one channel; in a uniform medium it is that of the sender.
        if !medium.uniform {
            if !Self::detects(channel, ppdu, members[0]) {
                return Decoded::Energy;
            }
            if !ppdu.is_for_users_only() && !Self::has_psdu(channel, ppdu, members[0]) {
                return none;
            }
        }
        if !self.group_reads(ppdu, place) {
            // They read the length in the header, and take the rest for a frame with errors.
            return Decoded::None;
        }
        if ppdu.is_for_users_only() {
            return Decoded::Each;
        }
        if ppdu.is_undisturbed() {
            if !self.decoder.is_noisy() {
                return Decoded::All;
            }
            let sender = self.stations[ppdu.from].place.member;
            let Some(Extremes { weakest, strongest }) = medium.groups[place.group].extremes[sender] else {
                return Decoded::All;
            };
            if medium.fades {
                return Decoded::Each;
            }
            let mut probability = |listener| {
                let part = Self::overheard(ppdu, listener);
                self.decoder.probability(channel, ppdu, part)
            };
            return match (probability(weakest), probability(strongest)) {
                (least, _) if least >= 1.0 => Decoded::All,
                (_, most) if most <= 0.0 => none,
                _ => Decoded::Each,
            };
        }
        if !self.decoder.judges_alike() || !medium.uniform {
            return Decoded::Each;
        }
        let idle = |nic: &&NicId| !ppdu.was_sent_over(**nic);
        let Some(&listener) = members.iter().find(idle) else { return Decoded::None };
        let as_user = ppdu.user_of(listener).and_then(|user| ppdu.users[user].preamble);
        let heard = match as_user {
            Some(preamble) => self.after_preamble(ppdu, listener, preamble, channel),
            None => self.overhears(ppdu, listener, channel),
        };
        match heard {
            Heard::Frame => Decoded::All,
            Heard::Header => none,
            Heard::Energy => Decoded::Energy,
            Heard::Nothing | Heard::Before(_) => Decoded::None,
        }
    }

    fn overhears(&mut self, ppdu: &Ppdu, listener: NicId, channel: &mut Channel) -> Heard {
        let whole = ppdu.psdu_part(UserId::FIRST, listener, Purpose::Overheard);
        let preamble = self.decoder.preamble(channel, ppdu, whole);
        self.after_preamble(ppdu, listener, preamble, channel)
    }

    /// What a NIC hears of a PPDU as no user of it, of whose preamble it has made this.
    fn after_preamble(
        &mut self,
        ppdu: &Ppdu,
        listener: NicId,
        preamble: Preamble,
        channel: &mut Channel,
    ) -> Heard {
        match preamble {
            Preamble::Missed => return Heard::Energy,
            Preamble::Undecoded => return Heard::Nothing,
            Preamble::Decoded => {}
        }
        if !self.stations[listener].reads(ppdu.first().tx.format) {
            return Heard::Nothing;
        }
        let part = Self::overheard(ppdu, listener);
        let has_psdu = !ppdu.is_for_users_only() && Self::has_psdu(channel, ppdu, listener);
        if has_psdu && self.decodes_any(ppdu, part, channel) {
            Heard::Frame
        } else if self.decoder.stays(channel, ppdu, listener, ppdu.payload_start) {
            Heard::Header
        } else {
            Heard::Nothing
        }
    }

    /// Whether a NIC that overhears a PPDU decodes a frame of it. Of an A-MPDU one is enough, whichever it is: each carries the Duration
    /// field, and no EIFS follows (10.3.2.3.7).
    fn decodes_any(&mut self, ppdu: &Ppdu, first: Part, channel: &mut Channel) -> bool {
        if self.decoder.decodes(channel, ppdu, first) {
            return true;
        }
        let user = UserId::FIRST;
        let whole = ppdu.psdu_part(user, first.listener, Purpose::Overheard);
        (1..ppdu.mpdus[user].len())
            .any(|n| self.decoder.decodes(channel, ppdu, ppdu.mpdu_part(user, n, whole)))
    }

    /// The most that any of the members decoded of the PPDU. Those that decoded less are noted in `apart`.
    fn judge_each(&mut self, now: Instant, ppdu: &Ppdu, members: &[NicId], channel: &mut Channel) -> Heard {
        let eifs_extra = self.eifs_extra(ppdu);
        let after_eifs = now + eifs_extra;
        let before = self.apart.len();
        let mut any_frame = false;
        for &listener in members.iter().filter(|&&nic| !ppdu.was_sent_over(nic)) {
            let not_before = match self.hears_alone(ppdu, listener, eifs_extra, channel) {
                Heard::Frame => None,
                Heard::Header => {
                    let filtered = ppdu.is_for_users_only() && ppdu.user_of(listener).is_none();
                    let otherwise = if filtered { ppdu.end } else { after_eifs };
                    // A reservation in the TXOP of the access point that has asked is its own.
                    let is_own = ppdu.shares_ru() && ppdu.trigger.is_some_and(|of| of.by == listener);
                    let reserved = self.txop_until_for(ppdu, listener).filter(|_| !is_own);
                    Some(reserved.unwrap_or(otherwise))
                }
                Heard::Before(eifs_extra) => Some(ppdu.end + eifs_extra),
                Heard::Nothing | Heard::Energy => Some(after_eifs),
            };
            match not_before {
                None => any_frame = true,
                Some(not_before) => self.apart.push((listener, not_before)),
            }
        }
        if any_frame {
            return Heard::Frame;
        }
        // The others defer for themselves.
        let of_header = self.txop_until(ppdu).unwrap_or(ppdu.end);
        if self.take_from_apart(before, of_header) {
            return Heard::Header;
        }
        let soonest = self.apart[before..].iter().map(|&(_, not_before)| not_before).min();
        let Some(soonest) = soonest else { return Heard::Nothing };
        self.take_from_apart(before, soonest);
        Heard::Before(soonest.since(ppdu.end))
    }

    /// NICs from a place of the list on that defer until this instant defer with their group instead. False if there are none.
    fn take_from_apart(&mut self, before: usize, until: Instant) -> bool {
        let apart = &mut self.apart;
        let (length, mut place) = (apart.len(), 0);
        apart.retain(|&(_, not_before)| {
            place += 1;
            place <= before || not_before != until
        });
        apart.len() < length
    }

    /// What a member of a group hears of a PPDU. What it received before decides about one that it missed.
    #[inline(always)]
    fn hears_alone(
        &mut self,
        ppdu: &Ppdu,
        listener: NicId,
        eifs_extra: Duration,
        channel: &mut Channel,
    ) -> Heard {
        let heard = match ppdu.user_of(listener).map(|user| ppdu.users[user]) {
            Some(user) if user.decoded => Heard::Frame,
            Some(user) => match user.preamble {
                Some(Preamble::Decoded) => Heard::Header,
                Some(Preamble::Missed) => Heard::Energy,
                // A user that is tuned elsewhere has received nothing.
                Some(Preamble::Undecoded) | None => Heard::Nothing,
            },
            None => self.overhears(ppdu, listener, channel),
        };
        let station = &mut self.stations[listener];
        station.eifs_extra = match heard {
            Heard::Energy => return Heard::Before(station.eifs_extra),
            Heard::Nothing => eifs_extra,
            Heard::Frame | Heard::Header | Heard::Before(_) => Duration::ZERO,
        };
        heard
    }
}
