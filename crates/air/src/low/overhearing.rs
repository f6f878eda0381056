//! What everybody who hears a PPDU understands of it, and so what they wait for afterwards.
//!
//! Most often all of a hearing group understand the same: then the group as a whole is told, whatever its size. Only where
//! noise or capture may divide it are its members asked one by one; those that differ from the others wait apart.

use airtcp_units::Instant;

use super::contention::Deference;
use super::decoding::Part;
use super::ppdu::Ppdu;
use super::{Low, Surroundings};
use crate::NicId;
use crate::border::Receiver;
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

impl Low {
    /// The PPDU has ended for carrier sense.
    pub(super) fn tell_contention(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        read: bool,
        high: &mut impl Surroundings,
    ) {
        let radio = &self.radios[ppdu.from.0 as usize];
        let (m, sender) = (radio.medium, NicId(radio.member));
        let mut deferences = std::mem::take(&mut self.scratch.deferences);
        deferences.clear();
        let groups = self.media[m].contention.hearing().heard_by(sender).len();
        for place in 0..groups {
            let group = self.media[m].contention.hearing().heard_by(sender)[place] as usize;
            let deference = self.understand(now, ppdu, (m, group), read, high);
            deferences.push(deference);
        }
        let mut next = deferences.iter();
        self.media[m].contention.ppdu_ends(now, sender, |_| *next.next().expect("one for each group"));
        self.scratch.deferences = deferences;
        self.set_apart(now, m);
    }

    fn set_apart(&mut self, now: Instant, m: usize) {
        let mut apart = std::mem::take(&mut self.scratch.apart);
        for (nic, not_before) in apart.drain(..) {
            let member = NicId(self.radios[nic.0 as usize].member);
            self.media[m].contention.set_apart(now, member, not_before);
        }
        self.scratch.apart = apart;
    }

    /// What a group waits for; members that wait for something else are noted in `scratch.apart`.
    fn understand(
        &mut self,
        now: Instant,
        ppdu: &Ppdu,
        place: (usize, usize),
        read: bool,
        high: &mut impl Surroundings,
    ) -> Deference {
        let (m, g) = place;
        let members = std::mem::take(&mut self.media[m].groups[g].members);
        let nav_until = if ppdu.nav_until > now { ppdu.nav_until } else { Instant::ZERO };
        let reading = self.reading(ppdu, place, &members, high);
        let from = self.scratch.apart.len();
        if reading == Reading::Each {
            self.ask_each(ppdu, &members, read, high);
        }
        let readable = match reading {
            Reading::All => true,
            Reading::None => false,
            Reading::Each => self.scratch.apart.len() > from,
        };
        let eifs = now + self.eifs_beyond_difs(ppdu.from);
        if reading == Reading::Each && readable {
            // `apart` names who read it; who did not is what must be apart.
            let readers: Vec<NicId> = self.scratch.apart.drain(from..).map(|(nic, _)| nic).collect();
            let deaf = members.iter().filter(|nic| **nic != ppdu.from && !readers.contains(nic));
            self.scratch.apart.extend(deaf.map(|&nic| (nic, eifs)));
        } else if readable && !read {
            let addressed = matches!(ppdu.receiver, Receiver::One(to) if members.contains(&to));
            if let (true, Receiver::One(to)) = (addressed, ppdu.receiver) {
                self.scratch.apart.push((to, eifs));
            }
        }
        // Who sends does not wait for itself.
        if !readable && members.contains(&ppdu.from) {
            self.scratch.apart.push((ppdu.from, now));
        }
        self.media[m].groups[g].members = members;
        Deference { nav_until, readable }
    }

    fn eifs_beyond_difs(&self, nic: NicId) -> airtcp_units::Duration {
        let times = &self.cells[self.radios[nic.0 as usize].cell].times;
        times.eifs - times.difs
    }

    /// The first frame of a PPDU, which carries the Duration field, for somebody who overhears it.
    fn overheard(ppdu: &Ppdu, listener: NicId) -> Part {
        let aggregate = ppdu.is_aggregate() && ppdu.kind == PpduKind::Data;
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
            let sender = self.radios[ppdu.from.0 as usize].member as usize;
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
        let idle = |nic: &&NicId| **nic != ppdu.from && !ppdu.overlaps.iter().any(|o| o.from == **nic);
        let Some(&listener) = members.iter().find(idle) else { return Reading::None };
        let part = Self::overheard(ppdu, listener);
        let reads =
            self.decoder.locks(high.channel(), ppdu, part) && self.decoder.reads(high.channel(), ppdu, part);
        if reads { Reading::All } else { Reading::None }
    }

    /// Notes in `scratch.apart` who of the members could read the PPDU.
    fn ask_each(&mut self, ppdu: &Ppdu, members: &[NicId], read: bool, high: &mut impl Surroundings) {
        for &listener in members.iter().filter(|&&nic| nic != ppdu.from) {
            let reads = if ppdu.receiver == Receiver::One(listener) {
                read
            } else {
                let part = Self::overheard(ppdu, listener);
                self.decoder.locks(high.channel(), ppdu, part)
                    && self.decoder.reads(high.channel(), ppdu, part)
            };
            if reads {
                self.scratch.apart.push((listener, Instant::ZERO));
            }
        }
    }
}
