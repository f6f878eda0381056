//! PPDUs end.

use airtcp_units::Instant;

use super::OnAir;
use super::ppdu::Ppdu;
use super::station::MediumPlace;
use crate::NicId;
use crate::phy::Width;

impl OnAir {
    /// The PPDU of a NIC ends: it leaves the air before anybody asks what became of it, so that those which it overlaps see it end now.
    /// Until [`Self::keep`] gets it back, nobody may ask for it.
    #[inline(always)]
    pub(crate) fn end(&mut self, now: Instant, nic: NicId) -> Box<Ppdu> {
        let mut ppdu = self.ppdus.take(nic);
        ppdu.on_air = false;
        let MediumPlace { medium, primary, .. } = ppdu.place;
        self.primaries[primary].end();
        let medium = &mut self.media[medium];
        if medium.on_air.len() == 1 {
            medium.on_air.clear();
        } else {
            medium.on_air.retain(|&other| other != nic);
            self.ppdus.end_overlaps(now, nic, &medium.on_air);
        }
        if !medium.uniform {
            medium.remember(now, &ppdu);
        }
        ppdu
    }

    /// Another NIC whose answer to the trigger frame that this NIC has answered is on the air.
    pub(crate) fn triggered_with(&self, nic: NicId) -> Option<NicId> {
        let answer = &self.ppdus[nic];
        let on_air = self.media[answer.place.medium].on_air.iter().copied();
        on_air.filter(|&other| other != nic).find(|&other| self.ppdus[other].is_triggered_with(answer))
    }

    /// Takes the PPDU of a NIC, which goes on, to judge a part of it.
    #[inline]
    pub(crate) fn take(&mut self, nic: NicId) -> Box<Ppdu> {
        self.ppdus.take(nic)
    }

    /// Everything that may ask what became of a PPDU finds it from now on.
    #[inline(always)]
    pub(crate) fn keep(&mut self, ppdu: Box<Ppdu>) {
        self.ppdus.put(ppdu);
    }

    /// Whether nobody can tell the SIFS between a PPDU that has ended and a response of this width from the rest: the same NICs hear
    /// both sides, and nothing else is on the air.
    #[inline(always)]
    pub(crate) fn hides_sifs(&self, ppdu: &Ppdu, responder: NicId, width: Width) -> bool {
        let medium = &self.media[self.stations[responder].place.medium];
        let hearing = medium.contention.hearing();
        let member = |nic: NicId| self.stations[nic].place.member;
        hearing.heard_by(member(ppdu.from), ppdu.width) == hearing.heard_by(member(responder), width)
            && medium.on_air.is_empty()
    }
}
