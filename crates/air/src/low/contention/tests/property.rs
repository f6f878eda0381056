//! Random legal histories, against the slow model.

use airtcp_units::{Duration, Instant};
use proptest::prelude::*;
use typed_index_collections::ti_vec;

use super::super::MemberId;
use super::super::edcaf::Counting;
use super::super::hearing::HearingScene;
use super::super::{
    Aifs, Contention, Deference, EDCAFS_PER_NIC, EdcafId, GroupId, Hearing, Reservation, Tentative,
};
use super::reference::{Hears, Reference};
use crate::channel::EmissionId;
use crate::phy::Width;

// Small numbers, so that ties and starts within a slot are frequent.
const SLOT: u64 = 4;
const DIFS: u64 = 7;
const EIFS: u64 = 13;
/// What NICs send with, and how many kinds of bursts there are that are no PPDUs.
const WIDTHS: [Width; 2] = [Width::Mhz20, Width::Mhz80];
const EMISSIONS: usize = 2;

#[derive(Clone, Debug)]
enum Step {
    Wait {
        ns: u64,
    },
    Arrive {
        edcaf: u32,
        draw: u32,
    },
    /// A NIC answers, or sends without contention.
    Respond {
        nic: u32,
        ns: u64,
    },
    /// Something that is no PPDU.
    Burst {
        emission: u32,
        ns: u64,
    },
    /// Before now or later.
    Apart {
        nic: u32,
        ns: i64,
    },
    Rehear {
        hears: Vec<bool>,
    },
    /// Another AIFS and way of counting; `None`: suspended.
    Access {
        edcaf: u32,
        aifs: Option<(u64, bool)>,
    },
}

/// What the history decides by itself: lengths, windows, what is understood.
#[derive(Clone, Debug)]
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        // Knuth's multiplier of a linear congruential generator for 64 bits.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

struct History {
    contention: Contention,
    reference: Reference,
    now: Instant,
    /// By NIC: the end of what it transmits, and for whom.
    on_air: Vec<Option<(Instant, Option<EdcafId>)>>,
    /// By emission: its end.
    bursts: [Option<Instant>; EMISSIONS],
    /// EDCAFs that will notice something.
    timeouts: Vec<(Instant, EdcafId)>,
    in_exchange: Vec<bool>,
    chance: Chance,
    /// Nobody gets more frames.
    drains: bool,
    accesses: u32,
}

fn ns(t: u64) -> Duration {
    Duration::from_nanos(t)
}

fn of_parameters((duration, edca): (u64, bool)) -> Aifs {
    let counting = if edca { Counting::Boundaries } else { Counting::WholeSlots };
    Aifs { duration: ns(duration), counting }
}

fn hears(nics: usize, bits: &[bool]) -> Hears {
    let bit = |number: usize| bits[number % bits.len()];
    let row = |l: usize, s: usize| (0..WIDTHS.len()).map(move |w| l == s || bit((w * nics + l) * nics + s));
    let ppdus = |l| (0..nics).map(|s| row(l, s).collect()).collect();
    let bursts = |l| (0..EMISSIONS).map(|e| bit(5 * l + 3 * e + 1)).collect();
    let by_preamble = |l| bits.len() > 1 && bit(7 * l + 2);
    Hears {
        ppdus: (0..nics).map(ppdus).collect(),
        bursts: (0..nics).map(bursts).collect(),
        by_preamble: (0..nics).map(by_preamble).collect(),
    }
}

fn hearing(hears: &Hears) -> Hearing {
    let place = |width| WIDTHS.iter().position(|&other| other == width).expect("it is one of them");
    let scene = HearingScene {
        widths: &WIDTHS,
        kind: |nic: MemberId| hears.by_preamble[nic.index()].then_some(nic),
        hears: |l: MemberId, s: MemberId, width| hears.ppdus[l.index()][s.index()][place(width)],
        emissions: EMISSIONS as u32,
        senses: |l: MemberId, emission: EmissionId| hears.bursts[l.index()][emission.0 as usize],
    };
    Hearing::new(hears.ppdus.len(), &scene)
}

impl History {
    fn new(nics: usize, bits: &[bool], aifs: &[(u64, bool)], seed: u64) -> Self {
        let aifs: Vec<Aifs> =
            (0..nics * EDCAFS_PER_NIC as usize).map(|e| aifs[e % aifs.len()]).map(of_parameters).collect();
        let hears = hears(nics, bits);
        Self {
            contention: Contention::new(ti_vec![ns(SLOT); nics], hearing(&hears), &aifs),
            reference: Reference::new(ns(SLOT), hears, &aifs),
            now: Instant::ZERO,
            on_air: vec![None; nics],
            bursts: [None; EMISSIONS],
            timeouts: Vec::new(),
            in_exchange: vec![false; nics * EDCAFS_PER_NIC as usize],
            chance: Chance(seed),
            drains: false,
            accesses: 0,
        }
    }

    /// Both agree about everything that can be asked.
    fn compare(&self) {
        assert_eq!(self.contention.next(), self.reference.next(), "next access, at {}", self.now);
        for edcaf in (0..self.in_exchange.len() as u32).map(EdcafId) {
            assert_eq!(self.contention.is_waiting(edcaf), self.reference.is_waiting(edcaf), "{edcaf:?}");
        }
        for nic in (0..self.on_air.len() as u32).map(MemberId) {
            assert_eq!(self.contention.is_idle(self.now, nic), self.reference.is_idle(self.now, nic));
            for asker in [None, Some(MemberId(0))] {
                let nav = [self.contention.nav_until(nic, asker), self.reference.nav_until(nic, asker)];
                assert_eq!(nav[0].max(self.now), nav[1].max(self.now), "NAV of {nic:?}");
            }
        }
    }

    fn step(&mut self, step: &Step) {
        let nics = self.on_air.len() as u32;
        match *step {
            Step::Wait { ns: time } => self.run_until(self.now + ns(time)),
            Step::Arrive { edcaf, draw } => self.arrive(EdcafId(edcaf % (EDCAFS_PER_NIC * nics)), draw),
            Step::Respond { nic, ns } => self.respond(MemberId(nic % nics), ns),
            Step::Burst { emission, ns } => self.burst(emission, ns),
            Step::Apart { nic, ns } => {
                let not_before = Instant::from_nanos(self.now.as_nanos().saturating_add_signed(ns));
                self.set_apart(MemberId(nic % nics), not_before);
            }
            Step::Rehear { hears: ref bits } => {
                let hears = hears(nics as usize, bits);
                // That a NIC hears others by the preamble alone changes nothing where there are no others.
                let new = hearing(&hears);
                if new != *self.contention.hearing() {
                    self.reference.update_hearing(self.now, hears);
                }
                self.contention.update_hearing(self.now, new);
            }
            Step::Access { edcaf, aifs } => {
                self.set_aifs(EdcafId(edcaf % (EDCAFS_PER_NIC * nics)), aifs.map(of_parameters));
            }
        }
        self.compare();
    }

    fn set_aifs(&mut self, edcaf: EdcafId, aifs: Option<Aifs>) {
        self.contention.set_aifs(self.now, edcaf, aifs);
        self.reference.set_aifs(self.now, edcaf, aifs);
    }

    fn arrive(&mut self, edcaf: EdcafId, draw: u32) {
        if self.in_exchange[edcaf.index()] || self.contention.is_waiting(edcaf) {
            return;
        }
        let mut drawn = [false; 2];
        self.contention.arrive(self.now, edcaf, || {
            drawn[0] = true;
            draw
        });
        self.reference.arrive(self.now, edcaf, || {
            drawn[1] = true;
            draw
        });
        assert_eq!(drawn[0], drawn[1], "whether a backoff is drawn");
        assert!(self.contention.is_waiting(edcaf));
    }

    fn respond(&mut self, nic: MemberId, time: u64) {
        if self.contention.next() == self.now {
            self.start();
        }
        if self.on_air[nic.index()].is_none() {
            self.transmit(nic, time, None);
        }
    }

    fn burst(&mut self, emission: u32, time: u64) {
        let end = &mut self.bursts[emission as usize];
        if end.is_none() {
            *end = Some(self.now + ns(time));
            self.contention.energy_starts(self.now, EmissionId(emission));
            self.reference.energy_starts(self.now, emission as usize);
        }
    }

    fn transmit(&mut self, nic: MemberId, time: u64, edcaf: Option<EdcafId>) {
        let width = self.chance.below(WIDTHS.len() as u64) as usize;
        let mut chance = self.chance.clone();
        let nics = self.on_air.len();
        let mut by_preamble = |h: &Self| -> Vec<usize> {
            let others = (0..nics).filter(|&other| other != nic.index() && h.reference.is_by_preamble(other));
            others.filter(|_| chance.below(3) == 0).collect()
        };
        let unsensed = by_preamble(self);
        let members: Vec<MemberId> = unsensed.iter().map(|&nic| MemberId(nic as u32)).collect();
        self.contention.ppdu_starts(self.now, nic, WIDTHS[width], &members);
        self.reference.ppdu_starts(self.now, nic, width, &unsensed);
        // Those that turn to it, or send it, lose what they sensed before.
        let mut turning = by_preamble(self);
        turning.extend(self.reference.is_by_preamble(nic.index()).then_some(nic.index()));
        for (listener, sender) in turning.iter().flat_map(|&l| (0..nics).map(move |s| (l, s))) {
            if sender != nic.index() && sender != listener && self.reference.senses(listener, sender) {
                let [lost_by, of] = [listener, sender].map(|nic| MemberId(nic as u32));
                self.contention.carrier_lost(self.now, lost_by, of);
                self.reference.carrier_lost(self.now, listener, sender);
            }
        }
        self.chance = chance;
        self.on_air[nic.index()] = Some((self.now + ns(time), edcaf));
        self.compare();
    }

    fn set_apart(&mut self, nic: MemberId, not_before: Instant) {
        self.contention.set_apart(self.now, nic, not_before);
        self.reference.set_apart(self.now, nic, not_before);
    }

    fn begin_backoff(&mut self, edcaf: EdcafId) {
        let slots = self.chance.below(6) as u32;
        let waiting = !self.drains && self.chance.below(3) > 0;
        self.contention.begin_backoff(self.now, edcaf, slots, waiting);
        self.reference.begin_backoff(self.now, edcaf, slots, waiting);
        self.in_exchange[edcaf.index()] = false;
    }

    fn next_event(&self) -> Instant {
        let ends = self.on_air.iter().flatten().map(|&(end, _)| end);
        let timeouts = self.timeouts.iter().map(|&(at, _)| at);
        let bursts = self.bursts.iter().flatten().copied();
        ends.chain(timeouts).chain(bursts).min().unwrap_or(Instant::FAR_FUTURE)
    }

    /// Everything before `until`, and the ends and timeouts of that instant, but not its starts.
    fn run_until(&mut self, until: Instant) {
        loop {
            let (event, access) = (self.next_event(), self.contention.next());
            if event <= until && event <= access {
                self.now = event;
                self.end();
            } else if access < until {
                self.now = access;
                self.start();
            } else {
                break;
            }
            self.compare();
        }
        self.now = until;
    }

    fn start(&mut self) {
        let mut starting = Vec::new();
        self.contention.take_starts(self.now, &mut starting);
        assert_eq!(starting, self.reference.take_starts(self.now), "EDCAFs that start at {}", self.now);
        self.accesses += starting.len() as u32;
        for (place, &edcaf) in starting.iter().enumerate().rev() {
            self.in_exchange[edcaf.index()] = true;
            // The last category wins over the others of its NIC.
            let wins = starting.get(place + 1).is_none_or(|later| later.member() != edcaf.member());
            if wins && self.chance.below(10) > 0 {
                let time = SLOT + self.chance.below(20);
                self.transmit(edcaf.member(), time, Some(edcaf));
            } else {
                self.begin_backoff(edcaf);
            }
        }
        self.compare();
    }

    fn end(&mut self) {
        let chance = self.chance.below(1000);
        for nic in (0..self.on_air.len() as u32).map(MemberId) {
            let Some((_, edcaf)) = self.on_air[nic.index()].take_if(|(end, _)| *end == self.now) else {
                continue;
            };
            let early = self.chance.below(3);
            if let Some(edcaf) = edcaf.filter(|_| early == 0) {
                self.begin_backoff(edcaf);
            }
            self.end_ppdu(nic, chance);
            if let Some(edcaf) = edcaf.filter(|_| early > 0) {
                let timeout = self.now + ns(self.chance.below(12));
                if self.chance.below(2) == 0 {
                    self.set_apart(nic, timeout);
                }
                self.timeouts.push((timeout, edcaf));
            }
            self.compare();
        }
        for emission in 0..EMISSIONS {
            if self.bursts[emission].take_if(|end| *end == self.now).is_some() {
                self.contention.energy_ends(self.now, EmissionId(emission as u32));
                self.reference.energy_ends(self.now, emission);
                self.compare();
            }
        }
        while let Some(due) = self.timeouts.iter().position(|&(at, _)| at == self.now) {
            let (_, edcaf) = self.timeouts.swap_remove(due);
            self.begin_backoff(edcaf);
            self.compare();
        }
    }

    fn end_ppdu(&mut self, nic: MemberId, chance: u64) {
        let now = self.now;
        let understood = |group: GroupId| {
            let mut chance = Chance(chance + u64::from(group.0));
            let reservation = (chance.below(3) == 0).then(|| reservation(now, nic, &mut chance));
            let extra = [Duration::ZERO, ns(EIFS - DIFS), ns(EIFS - DIFS + 3)];
            let eifs_extra = (chance.below(5) > 0).then(|| extra[chance.below(3) as usize]);
            Deference { reservation, eifs_extra }
        };
        self.contention.ppdu_ends(now, nic, understood);
        let hearing = self.contention.hearing();
        self.reference.ppdu_ends(now, nic, |listener| understood(hearing.group_of(listener)));
    }

    /// No more frames come, and every EDCAF that waits gets its access.
    fn drain(&mut self) {
        self.drains = true;
        // Who is suspended would wait for ever.
        for edcaf in (0..self.in_exchange.len() as u32).map(EdcafId) {
            self.set_aifs(edcaf, Some(of_parameters((DIFS, true))));
            self.compare();
        }
        let before = self.accesses;
        let waiting = |h: &Self| {
            (0..h.in_exchange.len() as u32).filter(|&e| h.contention.is_waiting(EdcafId(e))).count()
        };
        let frames = waiting(self) as u32;
        while self.contention.next().min(self.next_event()) < Instant::FAR_FUTURE {
            self.run_until(self.contention.next().min(self.next_event()) + ns(1));
        }
        assert_eq!(waiting(self), 0, "somebody waits for ever");
        assert_eq!(self.accesses - before, frames, "each frame is one access");
    }
}

/// What a PPDU may announce: an RTS, a CTS or data, of or to anybody.
fn reservation(now: Instant, from: MemberId, chance: &mut Chance) -> Reservation {
    let until = now + ns(1 + chance.below(25));
    let to = MemberId(chance.below(6) as u32);
    let tentative = (chance.below(3) == 0).then(|| {
        let heard_by = now + ns(chance.below(10));
        Tentative { heard_by, ends: heard_by + ns(chance.below(4)) }
    });
    let holder = if chance.below(2) == 0 { from } else { to };
    Reservation { until, tentative, from, to: Some(to), holder }
}

fn step() -> impl Strategy<Value = Step> {
    let edcaf = 0..30_u32;
    prop_oneof![
        6 => (0..40_u64).prop_map(|ns| Step::Wait { ns }),
        8 => (edcaf.clone(), 0..7_u32).prop_map(|(edcaf, draw)| Step::Arrive { edcaf, draw }),
        1 => (edcaf.clone(), SLOT..20_u64).prop_map(|(nic, ns)| Step::Respond { nic, ns }),
        1 => (0..EMISSIONS as u32, 1..30_u64).prop_map(|(emission, ns)| Step::Burst { emission, ns }),
        1 => (edcaf, -10..20_i64).prop_map(|(nic, ns)| Step::Apart { nic, ns }),
        1 => topology().prop_map(|hears| Step::Rehear { hears }),
        2 => (0..30_u32, prop::option::weighted(0.6, parameters())).prop_map(|(edcaf, aifs)| Step::Access { edcaf, aifs }),
    ]
}

/// An AIFS, and whether its slots are counted as in EDCA.
fn parameters() -> impl Strategy<Value = (u64, bool)> {
    (prop_oneof![Just(DIFS), Just(DIFS + SLOT), 5..20_u64], any::<bool>())
}

/// Bits of a matrix; one bit alone: all hear each other, or nobody anybody.
fn topology() -> impl Strategy<Value = Vec<bool>> {
    prop_oneof![
        2 => Just(vec![true]),
        1 => Just(vec![false]),
        4 => prop::collection::vec(prop::bool::weighted(0.7), 72),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn it_does_what_the_slow_model_does(
        nics in 1..7_usize,
        bits in topology(),
        aifs in prop::collection::vec(parameters(), 1..6),
        seed in any::<u64>(),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut history = History::new(nics, &bits, &aifs, seed);
        for step in &steps {
            history.step(step);
        }
        history.drain();
    }
}
