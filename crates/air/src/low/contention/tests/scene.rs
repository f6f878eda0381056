//! A small scene for timelines by hand. Times are small numbers: a slot lasts 2, SIFS 1, DIFS 5, EIFS 9.
//!
//! Legend of the drawings: `=` busy, `-` idle inside AIFS or EIFS, `.` a backoff slot,
//! `A` an access; one line per contender.

use std::collections::VecDeque;

use airtcp_units::{Duration, Instant};
use typed_index_collections::ti_vec;

use super::super::hearing::of_one_width;
use super::super::{Aifs, Contention, Deference, EdcafId, Hearing, MemberId, Reservation};
use crate::border::AccessCategory;
use crate::phy::Width;

pub(super) const DIFS: u64 = 5;
pub(super) const EIFS: u64 = 9;
pub(super) const SLOT: u64 = 2;

pub(super) const READABLE: Deference = Deference { reservation: None, eifs_extra: Some(Duration::ZERO) };
pub(super) const GARBAGE: Deference = Deference { reservation: None, eifs_extra: Some(ns(EIFS - DIFS)) };

pub(super) const fn at(t: u64) -> Instant {
    Instant::from_nanos(t)
}

pub(super) const fn ns(t: u64) -> Duration {
    Duration::from_nanos(t)
}

/// A readable PPDU that sets everybody's NAV.
pub(super) const fn nav(until: u64) -> Deference {
    let nobody = MemberId(u32::MAX);
    let reservation =
        Reservation { until: at(until), tentative: None, from: nobody, to: None, holder: nobody };
    Deference { reservation: Some(reservation), eifs_extra: Some(Duration::ZERO) }
}

/// The contender of a NIC that has one.
pub(super) fn of(nic: u32) -> EdcafId {
    EdcafId::new(MemberId(nic), AccessCategory::BestEffort)
}

pub(super) struct Scene {
    pub(super) contention: Contention,
    /// Draws that were decided in advance, by NIC; a draw too many is an error.
    draws: Vec<VecDeque<u32>>,
    on_air: Vec<MemberId>,
}

impl Scene {
    /// DCF stations that all hear each other.
    pub(super) fn new(draws: &[&[u32]]) -> Self {
        Self::with(draws, of_one_width(draws.len(), |_, _| true), &[Aifs::dcf(ns(DIFS)); 4])
    }

    /// The same while NIC 0 transmits, from 20 on.
    pub(super) fn sending(draws: &[&[u32]]) -> Self {
        let mut scene = Self::new(draws);
        scene.arrive(0, 20);
        scene.access(20, &[0]);
        scene
    }

    /// NICs whose four categories have these AIFS; no beacons are sent.
    pub(super) fn with(draws: &[&[u32]], hearing: Hearing, aifs: &[Aifs; 4]) -> Self {
        let slots = ti_vec![ns(SLOT); draws.len()];
        let [.., voice] = *aifs;
        let of_nic = [&aifs[..], &[voice]].concat();
        let contention = Contention::new(slots, hearing, &of_nic.repeat(draws.len()));
        Self {
            contention,
            draws: draws.iter().map(|d| d.iter().copied().collect()).collect(),
            on_air: vec![],
        }
    }

    /// A frame comes to a NIC.
    pub(super) fn arrive(&mut self, nic: u32, t: u64) {
        self.arrive_at(of(nic), t);
    }

    pub(super) fn arrive_at(&mut self, edcaf: EdcafId, t: u64) {
        let draws = &mut self.draws[edcaf.member().index()];
        self.contention.arrive(at(t), edcaf, || draw(draws, edcaf));
        assert!(self.contention.is_waiting(edcaf));
    }

    /// The next access, at this time and by exactly these NICs, which transmit.
    pub(super) fn access(&mut self, t: u64, by: &[u32]) {
        let by: Vec<EdcafId> = by.iter().map(|&nic| of(nic)).collect();
        self.starts(t, &by);
        for edcaf in by {
            self.transmit(edcaf.member().0, t);
        }
    }

    /// The next access, at this time and by exactly these EDCAFs.
    pub(super) fn starts(&mut self, t: u64, by: &[EdcafId]) {
        assert_eq!(self.contention.next(), at(t), "time of the access");
        let mut starting = Vec::new();
        self.contention.take_starts(at(t), &mut starting);
        assert_eq!(starting, by, "EDCAFs that start at {t}");
        assert!(by.iter().all(|&edcaf| !self.contention.is_waiting(edcaf)));
    }

    pub(super) fn transmit(&mut self, nic: u32, t: u64) {
        self.transmit_unsensed(nic, t, &[]);
    }

    /// These NICs miss its preamble.
    pub(super) fn transmit_unsensed(&mut self, nic: u32, t: u64, unsensed: &[u32]) {
        let unsensed: Vec<MemberId> = unsensed.iter().map(|&nic| MemberId(nic)).collect();
        self.contention.ppdu_starts(at(t), MemberId(nic), Width::Mhz20, &unsensed);
        self.on_air.push(MemberId(nic));
    }

    /// A PPDU ends, and all NICs that hear it decode the same of it.
    pub(super) fn end(&mut self, nic: u32, t: u64, deference: Deference) {
        self.end_for(nic, t, |_| deference);
    }

    pub(super) fn end_for(&mut self, nic: u32, t: u64, deference: impl Fn(MemberId) -> Deference) {
        let hearing = self.contention.hearing().clone();
        let nics = (0..hearing.nics() as u32).map(MemberId);
        let first =
            |group| nics.clone().find(|&nic| hearing.group_of(nic) == group).expect("a group has NICs");
        self.contention.ppdu_ends(at(t), MemberId(nic), |group| deference(first(group)));
        self.on_air.retain(|&other| other != MemberId(nic));
    }

    /// Everything on the air ends readable; this is what each NIC waits for.
    pub(super) fn silence(&mut self, t: u64, ifs: &[u64]) {
        for nic in self.on_air.clone() {
            self.end(nic.0, t, READABLE);
        }
        for (nic, ifs) in ifs.iter().enumerate().filter(|(_, ifs)| **ifs != DIFS) {
            self.apart(nic as u32, t, t + ifs - DIFS);
        }
    }

    pub(super) fn apart(&mut self, nic: u32, t: u64, not_before: u64) {
        self.contention.set_apart(at(t), MemberId(nic), at(not_before));
    }

    /// A sender's exchange is over; it has more to send or not.
    pub(super) fn after(&mut self, nic: u32, t: u64, more: bool) {
        self.after_at(of(nic), t, more);
    }

    pub(super) fn after_at(&mut self, edcaf: EdcafId, t: u64, more: bool) {
        let slots = draw(&mut self.draws[edcaf.member().index()], edcaf);
        self.contention.begin_backoff(at(t), edcaf, slots, more);
        assert_eq!(self.contention.is_waiting(edcaf), more);
    }

    pub(super) fn nobody(&self) {
        assert_eq!(self.contention.next(), Instant::FAR_FUTURE);
    }
}

impl Drop for Scene {
    /// Every scripted draw was needed.
    fn drop(&mut self) {
        let over = self.draws.iter().all(VecDeque::is_empty);
        assert!(over || std::thread::panicking(), "draws are left over");
    }
}

fn draw(draws: &mut VecDeque<u32>, edcaf: EdcafId) -> u32 {
    draws.pop_front().unwrap_or_else(|| panic!("{edcaf:?} draws unexpectedly"))
}
