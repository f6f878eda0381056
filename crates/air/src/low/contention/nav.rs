//! The network allocation vector of a hearing group (IEEE 802.11-2020, 10.3.2.4).

use airtcp_units::{Duration, Instant};

use super::MemberId;

/// The medium is reserved until an instant by the Duration field of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reservation {
    /// The end of what the frame announced.
    pub(crate) until: Instant,
    /// Set by an RTS: when it is forgotten again.
    pub(crate) tentative: Option<Tentative>,
    /// The sender of the frame. Reservations of others bind it, its own do not.
    pub(crate) from: MemberId,
    /// The receiver of the frame, which is not bound either.
    pub(crate) to: Option<MemberId>,
    /// The NIC whose exchange this is: it may send RTS to NICs that it has silenced itself (10.3.2.9).
    pub(crate) holder: MemberId,
}

/// A NIC that set its NAV by an RTS may reset it if nothing follows (10.3.2.4, `NAVTimeout`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tentative {
    /// A PPDU that is heard to begin up to this instant makes the reservation final.
    pub(crate) heard_by: Instant,
    /// End of the reservation if no PPDU is heard to begin by `heard_by`.
    pub(crate) ends: Instant,
}

/// What the NICs of a group understood of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deference {
    /// Reservation to which the PPDU sets the NAV of these NICs, if it is longer than the PPDU itself (10.3.2.4).
    pub(crate) reservation: Option<Reservation>,
    /// By how much EIFS, which follows it, is longer than DIFS, unless a PPDU that they decode ends later (10.3.2.3.7). Zero: they
    /// decoded it. `None`: they received no PPDU, but energy, which changes nothing.
    pub(crate) eifs_extra: Option<Duration>,
}

impl Reservation {
    /// End of the reservation, by what is known so far.
    #[inline]
    pub(super) fn ends(&self) -> Instant {
        self.tentative.map_or(self.until, |tentative| tentative.ends.min(self.until))
    }

    /// Whether what begins at `now` would make it final.
    #[inline]
    fn may_become_final(&self, now: Instant) -> bool {
        self.tentative.is_some_and(|tentative| now <= tentative.heard_by)
    }
}

/// The reservations that a group has decoded.
#[derive(Clone, Debug, Default)]
pub(super) struct Nav {
    /// Reservations; those of the past are removed when another comes.
    reservations: Vec<Reservation>,
    until: Instant,
    tentative: bool,
}

impl Nav {
    /// When the last reservation ends or ended.
    #[inline]
    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// When the last reservation ends or ended for one NIC: without what it announced itself or was asked to answer, and without
    /// what `asker` announced, if somebody asks it to answer.
    pub(super) fn until_for(&self, nic: MemberId, asker: Option<MemberId>) -> Instant {
        let binds = |r: &&Reservation| r.from != nic && r.to != Some(nic) && Some(r.holder) != asker;
        self.reservations.iter().filter(binds).map(Reservation::ends).max().unwrap_or(Instant::ZERO)
    }

    /// The members whose reservation still binds their group at `now`, though not themselves.
    pub(super) fn announcers(&self, now: Instant) -> impl Iterator<Item = MemberId> {
        self.reservations.iter().filter(move |r| r.ends() > now).map(|r| r.from)
    }

    /// One more reservation has been decoded.
    #[inline(always)]
    pub(super) fn add(&mut self, now: Instant, reservation: Reservation) {
        self.reservations.retain(|r| r.ends() > now || r.may_become_final(now));
        self.reservations.push(reservation);
        self.count();
    }

    /// Takes the reservations of another group.
    pub(super) fn join(&mut self, other: &Self) {
        for reservation in &other.reservations {
            if !self.reservations.contains(reservation) {
                self.reservations.push(*reservation);
            }
        }
        self.count();
    }

    /// A PPDU is heard to begin.
    #[inline]
    pub(super) fn hears(&mut self, now: Instant) {
        if self.tentative {
            for reservation in &mut self.reservations {
                reservation.tentative = reservation.tentative.filter(|tentative| now > tentative.heard_by);
            }
            self.count();
        }
    }

    #[inline(never)]
    fn count(&mut self) {
        self.until = self.reservations.iter().map(Reservation::ends).fold(self.until, Instant::max);
        self.tentative = self.reservations.iter().any(|r| r.tentative.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(t: u64) -> Instant {
        Instant::from_nanos(t)
    }

    fn taken(until: u64, from: u32, to: u32, holder: u32) -> Reservation {
        let [from, to, holder] = [from, to, holder].map(MemberId);
        Reservation { until: at(until), tentative: None, from, to: Some(to), holder }
    }

    #[test]
    fn its_parties_are_not_bound() {
        let mut nav = Nav::default();
        // 1 asks 2, which answers.
        nav.add(at(10), taken(50, 1, 2, 1));
        nav.add(at(20), taken(60, 2, 1, 1));
        let until = |nic, asker: Option<u32>| nav.until_for(MemberId(nic), asker.map(MemberId)).as_nanos();
        assert_eq!((nav.until().as_nanos(), until(3, None)), (60, 60));
        assert_eq!((until(1, None), until(2, None)), (0, 0));
        // 3 may answer 1, which has silenced it, but not 4.
        assert_eq!((until(3, Some(1)), until(3, Some(4))), (0, 60));
        assert_eq!(nav.announcers(at(49)).collect::<Vec<_>>(), [MemberId(1), MemberId(2)]);
        assert_eq!(nav.announcers(at(59)).collect::<Vec<_>>(), [MemberId(2)]);
        assert_eq!(nav.announcers(at(60)).count(), 0);
    }

    #[test]
    fn an_rts_is_forgotten_if_nothing_follows() {
        let mut rts = taken(100, 1, 2, 1);
        rts.tentative = Some(Tentative { heard_by: at(30), ends: at(35) });
        for (heard, until) in [(30, 100), (31, 35)] {
            let mut nav = Nav::default();
            nav.add(at(10), rts);
            assert_eq!(nav.until(), at(35));
            nav.hears(at(heard));
            assert_eq!(nav.until(), at(until), "something begins at {heard}");
        }
    }

    #[test]
    fn the_past_is_dropped_when_something_new_comes() {
        let mut nav = Nav::default();
        nav.add(at(10), taken(50, 1, 2, 1));
        nav.add(at(50), taken(55, 3, 4, 3));
        assert_eq!(nav.reservations.len(), 1);
        assert_eq!((nav.until(), nav.until_for(MemberId(3), None)), (at(55), at(0)));
    }
}
