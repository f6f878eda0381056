//! Channel access again, slow and obvious: every contender and every NIC for itself, no groups, no lanes, no heaps, and
//! every question answered by looking at everybody.

use airtcp_units::{Duration, Instant};

use super::super::MemberId;
use super::super::edcaf::Counting;
use super::super::{Aifs, Deference, EDCAFS_PER_NIC, EdcafId, Reservation};

/// EDCAFs of a NIC.
const PER_NIC: usize = EDCAFS_PER_NIC as usize;

/// Who senses what: by listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hears {
    /// `ppdus[listener][sender][place]`: what a sender sends with the width at this place.
    pub(super) ppdus: Vec<Vec<Vec<bool>>>,
    /// `bursts[listener][emission]`.
    pub(super) bursts: Vec<Vec<bool>>,
    /// By listener: whether what it senses depends on the preambles that it receives.
    pub(super) by_preamble: Vec<bool>,
}

impl Hears {
    /// Whether two listeners sense exactly the same.
    fn alike(&self, a: usize, b: usize) -> bool {
        let same = self.ppdus[a] == self.ppdus[b] && self.bursts[a] == self.bursts[b];
        a == b || same && !self.by_preamble[a] && !self.by_preamble[b]
    }
}

#[derive(Clone, Debug)]
struct Ear {
    /// The place of the width of what it transmits.
    transmitting: Option<usize>,
    /// NICs that do not sense that, though they hear it.
    unsensed: Vec<usize>,
    /// EIFS - DIFS after what ended last in this busy period; zero if it decoded that.
    eifs_extra: Duration,
    busy_since: Option<Instant>,
    /// When that is sensed.
    sensed_at: Instant,
    /// The last one, when idle.
    was_busy_since: Instant,
    idle_since: Option<Instant>,
    /// When AIFS begins for a NIC that is not apart; `None`: the medium was never busy, AIFS has passed long ago.
    ready: Option<Instant>,
    read: Vec<Reservation>,
    apart: Option<Instant>,
    apart_next: Option<Instant>,
}

impl Ear {
    /// When the last reservation ends that it has decoded and that binds it.
    fn nav(&self, binds: impl Fn(&Reservation) -> bool) -> Instant {
        let ends = self.read.iter().filter(|r| binds(r)).map(Reservation::ends);
        ends.max().unwrap_or(Instant::ZERO)
    }
}

#[derive(Clone, Copy, Debug)]
enum Backoff {
    None,
    Frozen(u32),
    Counting { from: Instant, slots: u32 },
    First { at: Instant, drawn: Option<u32> },
}

#[derive(Clone, Debug)]
struct Contender {
    aifs: Aifs,
    waiting: bool,
    suspended: bool,
    backoff: Backoff,
}

#[derive(Clone, Debug)]
pub(super) struct Reference {
    slot: Duration,
    hears: Hears,
    /// Emissions on the air.
    bursts: Vec<usize>,
    ears: Vec<Ear>,
    contenders: Vec<Contender>,
}

impl Reference {
    pub(super) fn new(slot: Duration, hears: Hears, aifs: &[Aifs]) -> Self {
        let ear = Ear {
            transmitting: None,
            unsensed: Vec::new(),
            eifs_extra: Duration::ZERO,
            busy_since: None,
            sensed_at: Instant::ZERO,
            was_busy_since: Instant::ZERO,
            idle_since: None,
            ready: None,
            read: Vec::new(),
            apart: None,
            apart_next: None,
        };
        let contender = |&aifs| Contender { aifs, waiting: false, suspended: false, backoff: Backoff::None };
        Self {
            slot,
            ears: vec![ear; hears.ppdus.len()],
            hears,
            bursts: Vec::new(),
            contenders: aifs.iter().map(contender).collect(),
        }
    }

    pub(super) fn next(&self) -> Instant {
        let all = 0..self.contenders.len();
        all.map(|c| self.access(c)).min().unwrap_or(Instant::FAR_FUTURE)
    }

    pub(super) fn take_starts(&mut self, now: Instant) -> Vec<EdcafId> {
        let starting: Vec<usize> = (0..self.contenders.len()).filter(|&c| self.access(c) == now).collect();
        for &c in &starting {
            (self.contenders[c].waiting, self.contenders[c].backoff) = (false, Backoff::None);
        }
        starting.into_iter().map(|c| EdcafId(c as u32)).collect()
    }

    pub(super) fn is_waiting(&self, edcaf: EdcafId) -> bool {
        self.contenders[edcaf.index()].waiting
    }

    pub(super) fn is_idle(&self, now: Instant, nic: MemberId) -> bool {
        let ear = &self.ears[nic.index()];
        ear.busy_since.is_none() && ear.nav(|_| true) <= now
    }

    /// When the last reservation ends that it has decoded and that binds it.
    pub(super) fn nav_until(&self, nic: MemberId, asker: Option<MemberId>) -> Instant {
        let binds = |r: &Reservation| ![Some(r.from), r.to].contains(&Some(nic)) && asker != Some(r.holder);
        self.ears[nic.index()].nav(binds)
    }

    /// When it starts; the far future if it will not unless something happens.
    fn access(&self, c: usize) -> Instant {
        let contender = &self.contenders[c];
        let at = match contender.backoff {
            Backoff::Counting { from, slots } => from + self.slot * u64::from(slots),
            Backoff::First { at, .. } => at,
            Backoff::None | Backoff::Frozen(_) => return Instant::FAR_FUTURE,
        };
        let ear = &self.ears[c / PER_NIC];
        let senseless = ear.busy_since.is_none_or(|_| at < ear.sensed_at);
        if contender.waiting && senseless { at } else { Instant::FAR_FUTURE }
    }

    /// What is left of a backoff when the idle period ends.
    fn left(&self, c: usize, until: Instant) -> Option<u32> {
        let contender = &self.contenders[c];
        match contender.backoff {
            Backoff::None => None,
            Backoff::Frozen(slots) => Some(slots),
            Backoff::First { drawn, .. } => Some(drawn.unwrap_or(0)),
            Backoff::Counting { from, slots } if until < from => Some(slots),
            Backoff::Counting { from, slots } => {
                let mut left = slots;
                let mut boundary = from;
                if contender.aifs.counting == Counting::Boundaries {
                    left = left.saturating_sub(1);
                }
                while boundary + self.slot <= until && left > 0 {
                    boundary += self.slot;
                    left -= 1;
                }
                (left > 0 || contender.waiting).then_some(left)
            }
        }
    }

    fn freeze(&mut self, c: usize, until: Instant) {
        self.contenders[c].backoff = self.left(c, until).map_or(Backoff::None, Backoff::Frozen);
    }

    /// When AIFS begins for this NIC in this idle period.
    fn ready(&self, nic: usize) -> Instant {
        let ear = &self.ears[nic];
        match ear.apart {
            Some(not_before) => ear.idle_since.unwrap_or(Instant::ZERO).max(not_before),
            None => ear.ready.unwrap_or(Instant::ZERO),
        }
    }

    /// When slots begin.
    fn start(&self, c: usize) -> Instant {
        let ear = &self.ears[c / PER_NIC];
        if ear.apart.is_none() && ear.ready.is_none() {
            return Instant::ZERO;
        }
        self.ready(c / PER_NIC) + self.contenders[c].aifs.duration
    }

    fn thaw(&mut self, c: usize) {
        let contender = &self.contenders[c];
        if let (Backoff::Frozen(slots), false) = (contender.backoff, contender.suspended) {
            self.contenders[c].backoff = Backoff::Counting { from: self.start(c), slots };
        }
    }

    /// `None`: it neither counts nor starts, but for who starts at this instant.
    pub(super) fn set_aifs(&mut self, now: Instant, edcaf: EdcafId, aifs: Option<Aifs>) {
        let c = edcaf.index();
        let busy_since = self.ears[c / PER_NIC].busy_since;
        let starts = self.access(c) == now;
        let will_start = self.access(c) < Instant::FAR_FUTURE;
        let Some(aifs) = aifs else {
            if !self.contenders[c].suspended && !starts {
                self.freeze(c, busy_since.unwrap_or(now));
            }
            self.contenders[c].suspended = true;
            return;
        };
        if let Some(since) = busy_since.filter(|_| !will_start) {
            self.freeze(c, since);
        }
        let was_suspended = std::mem::take(&mut self.contenders[c].suspended);
        let before = std::mem::replace(&mut self.contenders[c].aifs, aifs);
        if busy_since.is_some() || starts {
            return;
        }
        let changed = |from: Instant| {
            let from = from.as_nanos() + aifs.duration.as_nanos() - before.duration.as_nanos();
            Instant::from_nanos(from).max(now)
        };
        self.contenders[c].backoff = match self.contenders[c].backoff {
            Backoff::Frozen(slots) => {
                assert!(was_suspended, "on an idle medium everybody else counts");
                Backoff::Counting { from: self.start(c).max(now), slots }
            }
            Backoff::Counting { from, slots } if from > now => {
                Backoff::Counting { from: changed(from), slots }
            }
            Backoff::First { at, drawn } if at > now => Backoff::First { at: changed(at), drawn },
            as_it_is => as_it_is,
        };
    }

    /// Whether a listener senses what a NIC transmits now.
    pub(super) fn senses(&self, listener: usize, sender: usize) -> bool {
        let Ear { transmitting, unsensed, .. } = &self.ears[sender];
        let hears = transmitting.is_some_and(|width| self.hears.ppdus[listener][sender][width]);
        hears && !unsensed.contains(&listener)
    }

    /// Who hears others by the preamble alone.
    pub(super) fn is_by_preamble(&self, nic: usize) -> bool {
        self.hears.by_preamble[nic]
    }

    fn hears_anybody(&self, listener: usize) -> bool {
        (0..self.ears.len()).any(|sender| self.senses(listener, sender))
            || self.bursts.iter().any(|&b| self.hears.bursts[listener][b])
    }

    fn turn_busy(&mut self, now: Instant, listener: usize) {
        let ear = &mut self.ears[listener];
        if ear.busy_since.is_none() {
            (ear.busy_since, ear.sensed_at, ear.eifs_extra) = (Some(now), now + self.slot, Duration::ZERO);
        }
    }

    pub(super) fn energy_starts(&mut self, now: Instant, emission: usize) {
        self.bursts.push(emission);
        for listener in 0..self.ears.len() {
            if self.hears.bursts[listener][emission] {
                self.turn_busy(now, listener);
            }
        }
    }

    /// It says nothing, so whether EIFS follows is up to the PPDUs of the same busy period.
    pub(super) fn energy_ends(&mut self, now: Instant, emission: usize) {
        self.bursts.retain(|&other| other != emission);
        for listener in (0..self.ears.len()).filter(|&l| self.hears.bursts[l][emission]).collect::<Vec<_>>() {
            self.falls(now, listener);
        }
    }

    pub(super) fn ppdu_starts(&mut self, now: Instant, nic: MemberId, width: usize, unsensed: &[usize]) {
        let sender = nic.index();
        self.ears[sender].transmitting = Some(width);
        self.ears[sender].unsensed = unsensed.to_vec();
        for listener in 0..self.ears.len() {
            if self.senses(listener, sender) {
                self.turn_busy(now, listener);
                for reservation in &mut self.ears[listener].read {
                    reservation.tentative.take_if(|tentative| now <= tentative.heard_by);
                }
            }
        }
        let since = self.ears[sender].busy_since.expect("it hears itself");
        for c in sender * PER_NIC..(sender + 1) * PER_NIC {
            if self.access(c) < Instant::FAR_FUTURE {
                self.freeze(c, since);
            }
        }
    }

    /// A NIC does not sense any more what another transmits.
    pub(super) fn carrier_lost(&mut self, now: Instant, listener: usize, sender: usize) {
        self.ears[sender].unsensed.push(listener);
        if !self.hears_anybody(listener) {
            self.falls(now, listener);
        }
    }

    pub(super) fn ppdu_ends(
        &mut self,
        now: Instant,
        nic: MemberId,
        deference: impl Fn(MemberId) -> Deference,
    ) {
        let sender = nic.index();
        let sensed_by: Vec<usize> = (0..self.ears.len()).filter(|&l| self.senses(l, sender)).collect();
        self.ears[sender].transmitting.take().expect("what ends was transmitted");
        self.ears[sender].unsensed.clear();
        for listener in sensed_by {
            let Deference { reservation, eifs_extra } = deference(MemberId(listener as u32));
            self.ears[listener].read.extend(reservation);
            self.ears[listener].eifs_extra = eifs_extra.unwrap_or(self.ears[listener].eifs_extra);
            self.falls(now, listener);
        }
    }

    /// Something that this NIC sensed has ended.
    fn falls(&mut self, now: Instant, listener: usize) {
        let noticed = now + Duration::from_nanos(1);
        self.ears[listener].sensed_at = self.ears[listener].sensed_at.min(noticed);
        if !self.hears_anybody(listener) {
            self.turn_idle(now, listener);
        }
    }

    fn turn_idle(&mut self, now: Instant, nic: usize) {
        let since = self.ears[nic].busy_since.take().expect("it was busy");
        (nic * PER_NIC..(nic + 1) * PER_NIC).for_each(|c| self.freeze(c, since));
        let after_eifs = now + self.ears[nic].eifs_extra;
        let me = MemberId(nic as u32);
        let announced = |r: &Reservation| r.from == me && r.ends() > now;
        let own = after_eifs.max(self.nav_until(me, None));
        let ear = &mut self.ears[nic];
        ear.was_busy_since = since;
        ear.idle_since = Some(now);
        let ready = after_eifs.max(ear.nav(|_| true));
        ear.ready = Some(ready);
        let is_free = own < ready && ear.read.iter().any(announced);
        ear.apart = ear.apart_next.take().or(is_free.then_some(own));
        (nic * PER_NIC..(nic + 1) * PER_NIC).for_each(|c| self.thaw(c));
    }

    pub(super) fn set_apart(&mut self, now: Instant, nic: MemberId, not_before: Instant) {
        let n = nic.index();
        if self.ears[n].busy_since.is_some() {
            self.ears[n].apart_next = Some(not_before);
            return;
        }
        self.ears[n].apart = Some(not_before);
        for c in n * PER_NIC..(n + 1) * PER_NIC {
            let start = self.start(c).max(now);
            if self.access(c) == now {
                continue;
            }
            match self.contenders[c].backoff {
                Backoff::First { drawn, .. } => {
                    self.contenders[c].backoff = Backoff::First { at: start, drawn };
                }
                // It counts, and need not wait longer.
                Backoff::Counting { from, .. } if from <= now && start <= now => {}
                Backoff::Counting { .. } => {
                    let left = self.left(c, now);
                    let again = |slots| Backoff::Counting { from: start, slots };
                    self.contenders[c].backoff = left.map_or(Backoff::None, again);
                }
                Backoff::None | Backoff::Frozen(_) => {}
            }
        }
    }

    pub(super) fn arrive(&mut self, now: Instant, edcaf: EdcafId, draw: impl FnOnce() -> u32) {
        let c = edcaf.index();
        if self.contenders[c].suspended {
            let left = self.left(c, now);
            self.contenders[c].backoff = Backoff::Frozen(left.unwrap_or_else(draw));
            self.contenders[c].waiting = true;
            return;
        }
        let ear = &self.ears[c / PER_NIC];
        let sensed = ear.busy_since.filter(|_| ear.transmitting.is_some() || now >= ear.sensed_at);
        if let Some(since) = sensed {
            let left = self.left(c, since);
            self.contenders[c].backoff = Backoff::Frozen(left.unwrap_or_else(draw));
            self.contenders[c].waiting = true;
            return;
        }
        let pending = match self.contenders[c].backoff {
            Backoff::None => false,
            Backoff::Frozen(_) => true,
            Backoff::Counting { from, slots } => from + self.slot * u64::from(slots) >= now,
            Backoff::First { .. } => unreachable!("it waits"),
        };
        self.contenders[c].waiting = true;
        if pending {
            return;
        }
        let nav = if ear.apart.is_some() { Instant::ZERO } else { ear.nav(|_| true) };
        let start = self.start(c);
        self.contenders[c].backoff = if ear.idle_since.is_some_and(|idle| now <= idle.max(nav)) {
            let slots = draw();
            if ear.busy_since.is_some() {
                Backoff::Frozen(slots)
            } else {
                Backoff::Counting { from: start, slots }
            }
        } else {
            Backoff::First { at: now.max(start), drawn: (start > now).then(draw) }
        };
    }

    pub(super) fn begin_backoff(&mut self, now: Instant, edcaf: EdcafId, slots: u32, waiting: bool) {
        let c = edcaf.index();
        let from = self.ready(c / PER_NIC).max(now) + self.contenders[c].aifs.duration;
        let waits = self.ears[c / PER_NIC].busy_since.is_some() || self.contenders[c].suspended;
        let backoff = if waits { Backoff::Frozen(slots) } else { Backoff::Counting { from, slots } };
        (self.contenders[c].waiting, self.contenders[c].backoff) = (waiting, backoff);
    }

    pub(super) fn update_hearing(&mut self, now: Instant, hears: Hears) {
        if hears == self.hears {
            return;
        }
        for c in 0..self.contenders.len() {
            if let Some(since) = self.ears[c / PER_NIC].busy_since {
                if self.access(c) == Instant::FAR_FUTURE {
                    self.freeze(c, since);
                }
            }
        }
        self.hears = hears;
        // Who comes to others senses what they sense.
        let all = 0..self.ears.len();
        let alone = |nic: usize| all.clone().all(|other| other == nic || !self.hears.alike(other, nic));
        let alone: Vec<bool> = all.clone().map(alone).collect();
        self.ears.iter_mut().for_each(|ear| ear.unsensed.retain(|&nic| alone[nic]));
        let before = self.ears.clone();
        for nic in 0..before.len() {
            // Those with whom it hears the same transmitters from now on.
            let same = (0..before.len()).filter(|&other| self.hears.alike(other, nic));
            let same: Vec<&Ear> = same.map(|other| &before[other]).collect();
            self.rehear_nic(now, nic, &same);
        }
        for c in 0..self.contenders.len() {
            if self.ears[c / PER_NIC].busy_since.is_none() {
                self.thaw(c);
            }
        }
    }

    fn rehear_nic(&mut self, now: Instant, nic: usize, same: &[&Ear]) {
        let busy = self.hears_anybody(nic);
        let was_busy = same.iter().any(|ear| ear.busy_since.is_some());
        let was_idle = same.iter().any(|ear| ear.busy_since.is_none());
        let ear = &mut self.ears[nic];
        let alone_was_busy = ear.busy_since.is_some();
        ear.read = same.iter().flat_map(|ear| ear.read.clone()).collect();
        ear.eifs_extra = same.iter().map(|ear| ear.eifs_extra).max().expect("it is one of them");
        ear.idle_since = same.iter().filter_map(|ear| ear.idle_since).max();
        ear.ready = same.iter().filter_map(|ear| ear.ready).max();
        if busy {
            let since = same.iter().filter_map(|ear| ear.busy_since).max();
            ear.busy_since = if was_idle { Some(now) } else { since };
            let sensed_at = same.iter().map(|ear| ear.sensed_at).max().expect("it is one of them");
            ear.sensed_at = if was_idle { now + self.slot } else { sensed_at };
            return;
        }
        ear.busy_since = None;
        if was_busy {
            ear.idle_since = Some(now);
            ear.ready = Some(now.max(ear.nav(|_| true)));
        }
        if alone_was_busy {
            ear.apart = ear.apart_next.take();
        }
    }
}
