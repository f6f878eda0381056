//! One suite that every algorithm passes, on links of every standard.

use airtcp_plan::{MacAddress, McsFormat, Mode, RateControlPlan, Standard};
use airtcp_testing::plans::{AARF, ARF, CARA, IDEAL, MINSTREL, MINSTREL_HT};
use airtcp_units::{BitRate, Duration, Instant};
use proptest::prelude::*;

use super::ideal::ErrorModel;
use super::rate_set::example;
use super::{Controller, LinkState, RateSet};
use crate::border::{PpduStatus, Protection, RateChain};
use crate::phy::{Format, TxVector, Width};
use crate::random::{Purpose, Stream};

/// One MPDU sent in this mode.
pub(super) fn status(tx: TxVector, acked: bool) -> PpduStatus {
    PpduStatus {
        tid: 0,
        tx,
        protection: Protection::None,
        cleared: true,
        mpdus: 1,
        acked: u32::from(acked),
        answered: acked,
        probe: false,
        attempt: 1,
        bytes: 1_500,
        airtime: tx.ppdu_duration(1_500),
        solicited: false,
    }
}

/// An error model with a step at three decibels per index.
pub(super) struct Threshold;

impl ErrorModel for Threshold {
    fn packet_error_rate(&self, tx: TxVector, snr_db: f64, _psdu_bytes: u32) -> f64 {
        f64::from(snr_db < 3.0 * f64::from(tx.index))
    }
}

/// Links of every standard.
fn links() -> Vec<RateSet> {
    vec![
        example(Standard::HrDsss, Width::Mhz20, 1),
        example(Standard::Ofdm, Width::Mhz20, 1),
        example(Standard::Erp, Width::Mhz20, 1),
        example(Standard::Ht, Width::Mhz40, 2),
        example(Standard::Vht, Width::Mhz80, 3),
        example(Standard::He, Width::Mhz160, 2),
        example(Standard::Eht, Width::Mhz320, 1),
        example(Standard::Dmg, Width::Mhz2160, 1),
    ]
}

/// A fixed mode in the middle of a link's modes.
fn fixed(rates: &RateSet) -> RateControlPlan {
    let tx = rates.mode(rates.len() / 2);
    let mcs = |format| Mode::Mcs {
        format,
        mcs: u32::from(tx.index),
        streams: u32::from(tx.streams),
        width_mhz: tx.width().mhz(),
        guard_ns: tx.guard.nanos() as u32,
    };
    let mode = match tx.format {
        Format::HrDsss | Format::Ofdm => Mode::Legacy { rate_bps: tx.bit_rate() },
        Format::Ht => mcs(McsFormat::Ht),
        Format::Vht => mcs(McsFormat::Vht),
        Format::He => mcs(McsFormat::He),
        Format::Eht => mcs(McsFormat::Eht),
        Format::Dmg => mcs(McsFormat::Dmg),
    };
    RateControlPlan::Fixed { mode }
}

/// Whether an algorithm can run on a link.
fn fits(plan: &RateControlPlan, rates: &RateSet) -> bool {
    let streams = matches!(rates.mode(0).format, Format::Ht | Format::Vht | Format::He | Format::Eht);
    !matches!(plan, RateControlPlan::Minstrel { .. }) || !streams
}

/// Every algorithm that adapts, on every link it can run on.
fn adaptive() -> impl Iterator<Item = (RateControlPlan, RateSet)> {
    let plans = [ARF, AARF, CARA, MINSTREL, MINSTREL_HT];
    plans
        .into_iter()
        .flat_map(|plan| links().into_iter().map(move |rates| (plan, rates)))
        .filter(|(plan, rates)| fits(plan, rates))
}

/// Every algorithm on every link it can run on.
fn all() -> impl Iterator<Item = (RateControlPlan, RateSet)> {
    let fixed = links().into_iter().map(|rates| (fixed(&rates), rates));
    adaptive().chain(fixed).chain(links().into_iter().map(|rates| (IDEAL, rates)))
}

/// A saturated sender: what the lower MAC does with a controller.
struct Sender {
    controller: Controller,
    rng: Stream,
    now: Instant,
    link: LinkState,
    /// MPDUs of a PPDU that is not a probe.
    mpdus: u32,
    chain: Option<RateChain>,
    attempt: u32,
    attempts_of_frame: u32,
    /// The present attempt collides: an RTS would not be answered.
    collides: bool,
}

/// Attempts of a frame, as dot11ShortRetryLimit.
const RETRY_LIMIT: u32 = 7;
/// Contention and response, roughly.
const BETWEEN_PPDUS: Duration = Duration::from_micros(150);

impl Sender {
    fn new(plan: &RateControlPlan, rates: &RateSet, seed: u64) -> Self {
        let address = |last| MacAddress([2, 0, 0, 0, 0, last]);
        Self {
            controller: Controller::new(plan, rates.clone(), &Threshold).expect("a plan for the link"),
            rng: Stream::new(seed, Purpose::Backoff, address(1), address(2)),
            now: Instant::ZERO,
            link: LinkState { snr_db: Some(100.0), ..LinkState::default() },
            mpdus: 1,
            chain: None,
            attempt: 0,
            attempts_of_frame: 0,
            collides: false,
        }
    }

    /// One attempt; returns its mode.
    fn send(&mut self, received: impl FnOnce(TxVector) -> bool) -> TxVector {
        let stage = self.chain.as_ref().and_then(|chain| chain.stage(self.attempt)).copied();
        let stage = stage.unwrap_or_else(|| {
            let chain = self.controller.chain(self.now, self.link, &mut self.rng);
            check(&chain, self);
            self.chain = Some(chain);
            self.attempt = 0;
            chain.stages()[0]
        });
        let probe = self.chain.is_some_and(|chain| chain.probe);
        let mpdus = if probe { 1 } else { self.mpdus };
        let acked = received(stage.tx);
        self.attempt += 1;
        self.attempts_of_frame += 1;
        self.now += stage.tx.ppdu_duration(1_500 * mpdus) + BETWEEN_PPDUS;
        let report = PpduStatus {
            protection: stage.protection,
            cleared: !(self.collides && stage.protection == Protection::RtsCts),
            mpdus,
            acked: if acked { mpdus } else { 0 },
            probe,
            attempt: self.attempts_of_frame,
            ..status(stage.tx, acked)
        };
        self.controller.report(self.now, &report);
        if acked || self.attempts_of_frame == RETRY_LIMIT {
            self.chain = None;
            self.attempts_of_frame = 0;
        }
        stage.tx
    }

    /// Sends for some time on a channel that receives these modes.
    fn run(&mut self, time: Duration, received: impl Fn(TxVector) -> bool) {
        let end = self.now + time;
        while self.now < end {
            self.send(&received);
        }
    }

    /// The mode that carried most PPDUs over some time.
    fn favourite(&mut self, time: Duration, received: impl Fn(TxVector) -> bool) -> TxVector {
        let mut counts = vec![0_u32; self.controller.rates().len()];
        let end = self.now + time;
        while self.now < end {
            let tx = self.send(&received);
            counts[self.controller.rates().place(tx).expect("checked")] += 1;
        }
        let most = (0..counts.len()).max_by_key(|&place| counts[place]).expect("not empty");
        self.controller.rates().mode(most)
    }
}

/// What holds of every chain.
fn check(chain: &RateChain, sender: &Sender) {
    let rates = sender.controller.rates();
    assert!(!chain.stages().is_empty());
    for stage in chain.stages() {
        assert!(rates.place(stage.tx).is_some(), "{} is not in the set", stage.tx);
        assert!((1..=7).contains(&stage.tries), "{} tries", stage.tries);
        let legal = |cap| stage.tx.bit_rate() <= cap || stage.tx.bit_rate() == rates.bit_rate(0);
        assert!(sender.link.rate_cap.is_none_or(legal), "{} is above the cap", stage.tx);
    }
    assert!(!chain.probe || chain.stages().len() <= 4);
}

/// The best of the modes that an algorithm uses, up to a bit rate.
fn best(plan: &RateControlPlan, rates: &RateSet, cap: BitRate) -> BitRate {
    if !climbs(plan) {
        return rates.within(cap).bit_rate();
    }
    let mut ladder = super::ladder::Ladder::new(rates);
    ladder.limit_to(Some(cap));
    while ladder.up() {}
    ladder.mode().bit_rate()
}

/// Frames within which an algorithm reaches the fastest mode on a clean channel; `None`: it takes up to a second,
/// whatever is sent.
fn frames_to_the_top(plan: &RateControlPlan, rates: &RateSet) -> Option<u32> {
    if !climbs(plan) {
        return None;
    }
    // Ten successes for each step.
    let mut ladder = super::ladder::Ladder::new(rates);
    Some((0..rates.len()).take_while(|_| ladder.up()).map(|_| 10).sum())
}

/// Whether an algorithm goes up and down a ladder.
fn climbs(plan: &RateControlPlan) -> bool {
    matches!(plan, RateControlPlan::Arf { .. } | RateControlPlan::Aarf { .. } | RateControlPlan::Cara { .. })
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn on_a_clean_channel_it_comes_to_the_fastest_mode() {
    for (plan, rates) in adaptive() {
        let mut sender = Sender::new(&plan, &rates, 1);
        let fastest = rates.bit_rate(rates.len() - 1);
        match frames_to_the_top(&plan, &rates) {
            Some(frames) => (0..frames).for_each(|_| {
                sender.send(|_| true);
            }),
            None => sender.run(SECOND, |_| true),
        }
        assert_eq!(sender.controller.mode().bit_rate(), fastest, "{plan:?} on {rates}");
    }
}

#[test]
fn it_settles_at_the_fastest_mode_that_is_received() {
    for (plan, rates) in adaptive() {
        let limit = rates.bit_rate(rates.len() / 2);
        let received = |tx: TxVector| tx.bit_rate() <= limit;
        let mut sender = Sender::new(&plan, &rates, 2);
        sender.run(SECOND * 5, received);
        let favourite = sender.favourite(SECOND * 2, received);
        assert_eq!(
            favourite.bit_rate(),
            best(&plan, sender.controller.rates(), limit),
            "{plan:?} on {rates}"
        );
    }
}

#[test]
fn it_recovers_with_the_channel() {
    for (plan, rates) in adaptive() {
        let mut sender = Sender::new(&plan, &rates, 3);
        sender.run(SECOND * 3, |_| true);
        let limit = rates.bit_rate(rates.len() / 3);
        sender.run(SECOND * 3, |tx| tx.bit_rate() <= limit);
        let bad_times = sender.favourite(SECOND, |tx| tx.bit_rate() <= limit);
        assert_eq!(
            bad_times.bit_rate(),
            best(&plan, sender.controller.rates(), limit),
            "{plan:?} on {rates}"
        );
        sender.run(SECOND * 5, |_| true);
        let fastest = rates.bit_rate(rates.len() - 1);
        assert_eq!(sender.controller.mode().bit_rate(), fastest, "{plan:?} on {rates}");
    }
}

#[test]
fn total_loss_ends_at_the_slowest_mode() {
    for (plan, rates) in adaptive() {
        let mut sender = Sender::new(&plan, &rates, 4);
        sender.run(SECOND * 2, |_| true);
        sender.run(SECOND * 5, |_| false);
        let slowest = best(&plan, sender.controller.rates(), BitRate::from_bps(1));
        assert_eq!(sender.controller.mode().bit_rate(), slowest, "{plan:?} on {rates}");
    }
}

/// A channel that loses more the faster a mode is.
fn lossy(rates: &RateSet, chance: &mut Stream, tx: TxVector) -> bool {
    let place = rates.place(tx).expect("checked") as f64;
    chance.unit() > place / rates.len() as f64
}

fn decisions(plan: &RateControlPlan, rates: &RateSet, seed: u64, beside: Option<u64>) -> Vec<TxVector> {
    let chance = |seed| {
        let address = MacAddress([2, 0, 0, 0, 1, 0]);
        Stream::new(seed, Purpose::Data, address, address)
    };
    let mut mine = (Sender::new(plan, rates, seed), chance(1));
    let mut other = (Sender::new(plan, rates, beside.unwrap_or(0)), chance(2));
    let mut sent = Vec::new();
    for _ in 0..3_000 {
        sent.push(mine.0.send(|tx| lossy(rates, &mut mine.1, tx)));
        if beside.is_some() {
            other.0.send(|tx| lossy(rates, &mut other.1, tx));
        }
    }
    sent
}

#[test]
fn the_same_seed_decides_the_same_whatever_other_links_do() {
    for (plan, rates) in all() {
        let alone = decisions(&plan, &rates, 7, None);
        assert_eq!(alone, decisions(&plan, &rates, 7, None), "{plan:?} on {rates}");
        assert_eq!(alone, decisions(&plan, &rates, 7, Some(8)), "{plan:?} on {rates}");
    }
}

/// Only numbers change: no list grows.
#[test]
fn memory_is_bounded() {
    for (plan, rates) in all() {
        let mut sender = Sender::new(&plan, &rates, 9);
        let mut chance = Stream::new(9, Purpose::Data, MacAddress([2; 6]), MacAddress([4; 6]));
        let mut entries = || {
            (0..2_000).for_each(|_| {
                sender.send(|tx| lossy(&rates, &mut chance, tx));
            });
            format!("{:?}", sender.controller).matches(',').count()
        };
        let (early, late) = (entries(), (0..5).map(|_| entries()).max().expect("five"));
        assert!(late <= early + early / 10, "{plan:?} on {rates}: {early}, {late}");
    }
}

/// A frame under a cap is within it at once, and after it the algorithm goes up again.
#[test]
fn a_cap_is_respected_and_forgotten() {
    for (plan, rates) in all() {
        let mut sender = Sender::new(&plan, &rates, 10);
        sender.run(SECOND * 3, |_| true);
        let before = sender.controller.mode();
        sender.link.rate_cap = Some(rates.bit_rate(rates.len() / 3));
        sender.chain = None;
        sender.run(SECOND, |_| true);
        sender.link.rate_cap = Some(BitRate::from_bps(1));
        sender.chain = None;
        sender.run(SECOND, |_| true);
        sender.link.rate_cap = None;
        sender.run(SECOND * 5, |_| true);
        assert_eq!(sender.controller.mode().bit_rate(), before.bit_rate(), "{plan:?} on {rates}");
    }
}

/// A step of a hostile lower MAC.
#[derive(Clone, Debug)]
enum Call {
    Chain { after_us: u64, snr_db: Option<f64>, cap_kbps: Option<u64> },
    Report { after_us: u64, place: usize, foreign: bool, mpdus: u32, acked: u32, flags: u8 },
}

fn call() -> impl Strategy<Value = Call> {
    let chain = (0..200_000_u64, prop::option::of(-40.0..80.0), prop::option::of(100..10_000_000_u64))
        .prop_map(|(after_us, snr_db, cap_kbps)| Call::Chain { after_us, snr_db, cap_kbps });
    let report = (0..200_000_u64, 0..5_000_usize, any::<bool>(), 0..1_024_u32, 0..1_024_u32, any::<u8>())
        .prop_map(|(after_us, place, foreign, mpdus, acked, flags)| Call::Report {
            after_us,
            place,
            foreign: foreign && flags & 8 != 0,
            mpdus,
            acked: acked.min(mpdus),
            flags,
        });
    prop_oneof![chain, report]
}

fn make(sender: &mut Sender, call: &Call) {
    match *call {
        Call::Chain { after_us, snr_db, cap_kbps } => {
            sender.now += Duration::from_micros(after_us);
            sender.link = LinkState {
                snr_db,
                snr_db_by_streams: None,
                rate_cap: cap_kbps.map(|kbps| BitRate::from_bps(kbps * 1_000)),
            };
            let chain = sender.controller.chain(sender.now, sender.link, &mut sender.rng);
            check(&chain, sender);
        }
        Call::Report { after_us, place, foreign, mpdus, acked, flags } => {
            sender.now += Duration::from_micros(after_us);
            let rates = sender.controller.rates();
            let tx = if foreign { TxVector::hr_dsss(3, true) } else { rates.mode(place % rates.len()) };
            let (cleared, answered, probe) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
            let report = PpduStatus { cleared, mpdus, acked, answered, probe, ..status(tx, true) };
            sender.controller.report(sender.now, &report);
        }
    }
    let place = sender.controller.rates().place(sender.controller.mode());
    assert!(place.is_some(), "{} is not in the set", sender.controller.mode());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn no_sequence_of_reports_breaks_it(calls in prop::collection::vec(call(), 1..200), seed in any::<u64>()) {
        for (plan, rates) in all() {
            let mut sender = Sender::new(&plan, &rates, seed);
            for call in &calls {
                make(&mut sender, call);
            }
        }
    }
}

/// Share of the fastest mode's goodput, by the airtime of data, if every attempt collides with this probability. The
/// channel itself loses nothing; an RTS is lost like data.
fn share_under_collisions(plan: &RateControlPlan, rates: &RateSet, collision: f64) -> f64 {
    let mut sender = Sender::new(plan, rates, 1);
    let mut chance = Stream::new(1, Purpose::Data, MacAddress([2; 6]), MacAddress([4; 6]));
    sender.run(SECOND * 3, |_| true);
    let (mut airtime, mut received) = (Duration::ZERO, 0_u32);
    for _ in 0..20_000 {
        let collides = chance.unit() < collision;
        sender.collides = collides;
        airtime += sender.send(|_| !collides).ppdu_duration(1_500);
        received += u32::from(!collides);
    }
    let least = rates.mode(rates.len() - 1).ppdu_duration(1_500).as_secs_f64() / (1.0 - collision);
    f64::from(received) * least / airtime.as_secs_f64()
}

/// Why studies of crowded cells find ARF and AARF at a fraction of the goodput (khademi2011: 15 to 20 %): they take
/// collisions for a bad channel. CARA probes by RTS, and Minstrel's order of rates does not depend on a loss that hits all.
#[test]
fn collisions_pull_arf_down_and_not_the_others() {
    for standard in [Standard::HrDsss, Standard::Ofdm] {
        let rates = example(standard, Width::Mhz20, 1);
        let share = |plan: &RateControlPlan, collision| share_under_collisions(plan, &rates, collision);
        for plan in [ARF, AARF] {
            let (few, many) = (share(&plan, 0.05), share(&plan, 0.3));
            assert!(few > 0.95 && many < 0.2, "{plan:?} on {rates}: {few}, {many}");
        }
        for plan in [CARA, MINSTREL, MINSTREL_HT] {
            let many = share(&plan, 0.3);
            assert!(many > 0.9, "{plan:?} on {rates}: {many}");
        }
    }
}
