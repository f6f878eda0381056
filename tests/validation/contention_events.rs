//! Different access parameters against each other: an access point's own, different AIFSN, categories of one station.
//!
//! Source: IEEE 802.11-2020, 10.3.2.9, 10.3.7 and 10.23.2, as an event simulation that is written here from the rules alone and shares
//! nothing with the air. Every function always has a frame; all frames have one length; everybody hears everybody; no frame is given up.
//! An EDCAF that begins less than a slot after another collides with it. After a collision those involved wait for their timeout and
//! AIFS, and those who heard it for EIFS.
//!
//! **Tolerances.** Of n attempts a share s has a standard error of at most sqrt(s (1 - s) / n): after a success the same NIC is less
//! likely to follow, so the true error is smaller. Each case says how many there are.

use airtcp_plan::scene_report::SceneReport;
use airtcp_plan::{AccessParameters, AirPlan, Standard};

use crate::scene::{BEST_EFFORT, Down, Up, Worst, legacy, plan, run, saturated_source, saturated_stations};

/// Times of 11a at 54 Mbit/s with EDCA in nanoseconds: PSDUs of 1538 octets have 58 symbols, an Ack at 24 Mbit/s 2, one at 6 Mbit/s 6.
const SLOT: u64 = 9_000;
const SIFS: u64 = 16_000;
const DATA: u64 = 20_000 + 58 * 4_000;
const ACK: u64 = 28_000;
/// SIFS, slot and aRxPHYStartDelay.
const TIMEOUT: u64 = SIFS + SLOT + 20_000;
/// EIFS - DIFS.
const EIFS_EXTRA: u64 = SIFS + 44_000;

const VOICE: AccessParameters = AccessParameters { aifsn: 2, cw_min: 3, cw_max: 7, txop_us: 0 };
const BACKGROUND: AccessParameters = AccessParameters { aifsn: 7, ..BEST_EFFORT };

/// When those involved in a collision count slots again.
#[derive(Clone, Copy, PartialEq)]
enum AfterCollision {
    /// An AIFS after their timeout, 15 us before those that heard it.
    Timeout,
    /// With everybody else: one grid of slots, as in simulations by slots.
    Eifs,
}

/// An EDCAF that always has a frame.
#[derive(Clone)]
struct Function {
    nic: usize,
    access: AccessParameters,
    window: u32,
    slots_left: u64,
    /// When its first slot boundary is due.
    counts_from: u64,
    attempts: u64,
    successes: u64,
}

struct Events {
    functions: Vec<Function>,
    after_collision: AfterCollision,
    random: u64,
}

impl Events {
    /// These functions, each with its NIC; of one NIC the later has the higher priority.
    fn new(functions: &[(usize, AccessParameters)], after_collision: AfterCollision, seed: u64) -> Self {
        let function = |&(nic, access): &(usize, AccessParameters)| Function {
            nic,
            access,
            window: access.cw_min,
            slots_left: 0,
            counts_from: 0,
            attempts: 0,
            successes: 0,
        };
        let functions = functions.iter().map(function).collect();
        let mut events = Self { functions, after_collision, random: seed };
        for place in 0..events.functions.len() {
            events.back_off(place);
        }
        events
    }

    /// `SplitMix64` (Steele et al. 2014).
    fn draw(&mut self, most: u32) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // Windows are one less than a power of two.
        (z ^ (z >> 31)) & u64::from(most)
    }

    fn back_off(&mut self, place: usize) {
        self.functions[place].slots_left = self.draw(self.functions[place].window);
    }

    fn fail(&mut self, place: usize) {
        let function = &mut self.functions[place];
        function.window = (2 * function.window + 1).min(function.access.cw_max);
        self.back_off(place);
    }

    /// One busy period: who starts, and what follows.
    fn step(&mut self) {
        let start_of = |function: &Function| function.counts_from + function.slots_left * SLOT;
        let busy_since = self.functions.iter().map(start_of).min().expect("there are functions");
        // By NIC: its first function that starts before the others are sensed; of several at one instant the highest.
        let mut starting: Vec<(usize, u64)> = Vec::new();
        let mut beaten: Vec<usize> = Vec::new();
        for (place, function) in self.functions.iter().enumerate() {
            let start = start_of(function);
            if start >= busy_since + SLOT {
                continue;
            }
            match starting.iter_mut().find(|(other, _)| self.functions[*other].nic == function.nic) {
                Some((other, at)) if *at == start => beaten.push(std::mem::replace(other, place)),
                Some(first) if first.1 > start => *first = (place, start),
                Some(_) => {}
                None => starting.push((place, start)),
            }
        }
        self.count_slots(busy_since, &starting);
        for place in beaten {
            self.fail(place);
        }
        match starting[..] {
            [(place, start)] => self.succeed(place, start),
            _ => self.collide(&starting),
        }
    }

    /// Takes off the slot boundaries that passed until the medium was busy, the one at that instant among them.
    fn count_slots(&mut self, busy_since: u64, starting: &[(usize, u64)]) {
        let start_of_nic = |nic: usize| {
            starting.iter().find(|(place, _)| self.functions[*place].nic == nic).map(|(_, start)| *start)
        };
        let until: Vec<u64> =
            self.functions.iter().map(|function| start_of_nic(function.nic).unwrap_or(busy_since)).collect();
        for (place, (function, until)) in self.functions.iter_mut().zip(until).enumerate() {
            let starts = starting.iter().any(|(other, _)| *other == place);
            if !starts && until >= function.counts_from {
                let passed = (until - function.counts_from) / SLOT + 1;
                function.slots_left = function.slots_left.saturating_sub(passed);
            }
        }
    }

    fn succeed(&mut self, place: usize, start: u64) {
        let function = &mut self.functions[place];
        (function.attempts, function.successes) = (function.attempts + 1, function.successes + 1);
        function.window = function.access.cw_min;
        self.back_off(place);
        self.wait(|_| start + DATA + SIFS + ACK);
    }

    fn collide(&mut self, starting: &[(usize, u64)]) {
        let last_end = starting.iter().map(|(_, start)| start + DATA).max().expect("two collide");
        for &(place, _) in starting {
            self.functions[place].attempts += 1;
            self.fail(place);
        }
        let own_grid = self.after_collision == AfterCollision::Timeout;
        let nics: Vec<(usize, u64)> =
            starting.iter().map(|&(place, start)| (self.functions[place].nic, start)).collect();
        self.wait(|nic| match nics.iter().find(|(other, _)| *other == nic) {
            Some((_, start)) if own_grid => (start + DATA + TIMEOUT).max(last_end),
            _ => last_end + EIFS_EXTRA,
        });
    }

    /// Everybody's AIFS begins when its NIC says.
    fn wait(&mut self, idle_since: impl Fn(usize) -> u64) {
        for function in &mut self.functions {
            let aifs = SIFS + SLOT * u64::from(function.access.aifsn);
            function.counts_from = idle_since(function.nic) + aifs;
        }
    }

    /// Runs until so many attempts have been made.
    fn run(mut self, attempts: u64) -> Self {
        while self.attempts() < attempts {
            self.step();
        }
        self
    }

    fn attempts(&self) -> u64 {
        self.functions.iter().map(|function| function.attempts).sum()
    }

    /// Share of the attempts that these functions made.
    fn share(&self, of: impl Fn(usize) -> bool) -> f64 {
        let some: u64 = self.functions.iter().filter(|f| of(f.nic)).map(|f| f.attempts).sum();
        some as f64 / self.attempts() as f64
    }

    /// Share of the successes that a function had.
    fn success_share(&self, of: impl Fn(&Function) -> bool) -> f64 {
        let all: u64 = self.functions.iter().map(|function| function.successes).sum();
        let some: u64 = self.functions.iter().filter(|f| of(f)).map(|f| f.successes).sum();
        some as f64 / all as f64
    }
}

/// 11a at 54 Mbit/s with EDCA.
fn edca(stations: u32) -> AirPlan {
    let mut air = plan(legacy(Standard::Ofdm, 54_000), stations);
    air.cells[0].access = vec![BACKGROUND, BEST_EFFORT, BEST_EFFORT, VOICE];
    air
}

/// The access point's own best effort as hostapd sets it: the largest window is 63.
const AP_BEST_EFFORT: AccessParameters = AccessParameters { cw_max: 63, ..BEST_EFFORT };

/// An access point (NIC 0) and so many stations, all in best effort.
fn access_point_and(stations: usize) -> Vec<(usize, AccessParameters)> {
    let access = |nic| if nic == 0 { AP_BEST_EFFORT } else { BEST_EFFORT };
    (0..=stations).map(|nic| (nic, access(nic))).collect()
}

/// Share of the attempts that are the access point's among so many stations, in the air.
fn share_in_the_air(stations: u32, seconds: f64) -> (f64, u64) {
    let mut air = edca(stations);
    let mut own = air.cells[0].access.clone();
    own[1] = AP_BEST_EFFORT;
    air.cells[0].ap_access = Some(own);
    let mut sources = saturated_stations(&air, Up);
    sources.extend(saturated_stations(&air, Down));
    let report = run(air, sources, seconds, u64::from(stations));
    let attempts: u64 = report.nics.iter().map(|nic| nic.transmissions).sum();
    (report.nics[0].transmissions as f64 / attempts as f64, attempts)
}

/// An access point with `CWmax` 63 among saturated stations. 600,000 attempts here: a standard error of 0.3 % (5 stations) to 0.5 %
/// (50), and of 0.6 to 1.1 % in the air's 100,000 or more.
#[test]
fn an_access_point_has_its_share() {
    let mut worst = Worst::default();
    for stations in [5, 10, 20, 50] {
        let of_ap = |after| {
            Events::new(&access_point_and(stations), after, stations as u64)
                .run(600_000)
                .share(|nic| nic == 0)
        };
        let (own, common) = (of_ap(AfterCollision::Timeout), of_ap(AfterCollision::Eifs));
        let (in_air, attempts) = share_in_the_air(stations as u32, 40.0);
        println!(
            "{stations} stations: air {:.2} % ({attempts} attempts), events {:.2} %, one grid {:.2} %",
            100.0 * in_air,
            100.0 * own,
            100.0 * common
        );
        worst.note(format!("{stations} stations"), in_air, own);
    }
    worst.within(0.03, "the access point's share of attempts");
}

/// Frames that sources delivered, those of the first `count` as a share of all.
fn first_share(report: &SceneReport, count: usize) -> f64 {
    let frames = |sources: &[airtcp_plan::scene_report::SourceReport]| {
        sources.iter().map(|source| source.delivered.frames).sum::<u64>() as f64
    };
    frames(&report.sources[..count]) / frames(&report.sources)
}

/// One station in voice beside stations in best effort; one in best effort beside one in background.
#[test]
fn different_aifsn_against_each_other() {
    let mut worst = Worst::default();
    for (first, others, count) in [
        ((6, VOICE), (0, BEST_EFFORT), 5),
        ((6, VOICE), (0, BEST_EFFORT), 10),
        ((0, BEST_EFFORT), (1, BACKGROUND), 1),
    ] {
        let mut functions = vec![(0, first.1)];
        functions.extend((1..=count).map(|nic| (nic, others.1)));
        let events = Events::new(&functions, AfterCollision::Timeout, count as u64).run(300_000);
        let expected = events.success_share(|function| function.nic > 0);
        let mut sources = vec![saturated_source(1, 0, first.0)];
        sources.extend((2..=count as u32 + 1).map(|station| saturated_source(station, 0, others.0)));
        let report = run(edca(count as u32 + 1), sources, 60.0, count as u64);
        let measured = 1.0 - first_share(&report, 1);
        worst.note(
            format!(
                "priority {} beside {count} in {}: {measured:.4}, events {expected:.4}",
                first.0, others.0
            ),
            measured,
            expected,
        );
    }
    worst.within(0.03, "share of those with the longer AIFS");
}

/// Voice and best effort of one station, alone: they meet only inside it. Best effort has one access in forty, in bursts, because its
/// window grows at each internal collision: 3 million attempts here (1.2 % standard error, from twenty seeds), 580,000 in the air (2.6 %).
#[test]
fn categories_of_one_station() {
    let functions = [(0, BEST_EFFORT), (0, VOICE)];
    let events = Events::new(&functions, AfterCollision::Timeout, 1).run(3_000_000);
    let expected = events.success_share(|function| function.access.aifsn == BEST_EFFORT.aifsn);
    let report = run(edca(1), vec![saturated_source(1, 0, 0), saturated_source(1, 0, 6)], 200.0, 1);
    let mut worst = Worst::default();
    let measured = first_share(&report, 1);
    worst.note(format!("best effort {measured:.4}, events {expected:.4}"), measured, expected);
    worst.within(0.08, "share of the lower category");
}
