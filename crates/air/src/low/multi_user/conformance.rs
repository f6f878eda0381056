//! One suite that every scheduler passes, in every width.

use std::collections::VecDeque;

use airtcp_plan::{HeLtf, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler};
use proptest::prelude::*;

use super::{Candidate, Scheduler, of_plan};
use crate::phy::multi_user::{MuPpdu, MuUser};
use crate::phy::{Allocation, Band, Format, Guard, TxVector, Width};

/// Every scheduler, which a new one joins since the match names all.
fn schedulers() -> impl Iterator<Item = MultiUserScheduler> {
    let next = |last: &MultiUserScheduler| match last {
        MultiUserScheduler::RoundRobin => None,
    };
    std::iter::successors(Some(MultiUserScheduler::RoundRobin), next)
}

fn plan(scheduler: MultiUserScheduler, stations: u32) -> MultiUserPlan {
    let acknowledgement = MultiUserAcknowledgement::Sequential;
    MultiUserPlan { scheduler, stations, acknowledgement, mu_rts: false, uplink: None }
}

fn decide(scheduler: &mut dyn Scheduler, candidates: &[Candidate]) -> Vec<Allocation> {
    let mut rus = Vec::new();
    scheduler.share(candidates, &mut rus);
    rus
}

/// Format, width, and of each station MCS and streams.
fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let he = (prop::sample::select(vec![Format::He, Format::Eht]), 0..4_usize);
    let eht = (Just(Format::Eht), Just(4_usize));
    let stations = prop::collection::vec((0..12_u8, 1..3_u8), 1..80);
    (prop_oneof![4 => he, 1 => eht], stations).prop_map(|((format, width), stations)| {
        let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320];
        let candidate = |(mcs, streams): (u8, u8)| {
            let tx = TxVector::mimo(format, mcs, streams, widths[width], Guard::Ns800);
            Candidate { tx: TxVector { ltf: HeLtf::X2, ..tx } }
        };
        stations.into_iter().map(candidate).collect()
    })
}

/// A PPDU of users with these resource units, in the slowest mode, which all of them have.
fn users(rus: &[Allocation], tx: TxVector) -> Vec<MuUser> {
    let of_ru = |&ru: &Allocation| {
        let tx = TxVector { index: 0, streams: 1, ..tx.within(ru) };
        MuUser { tx, coding: tx.coding(), psdu_bytes: 100 }
    };
    rus.iter().map(of_ru).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// No more users than it was to choose among, and than the scenario allows; resource units of the candidates' width that the
    /// standard has together.
    #[test]
    fn users_share_a_ppdu_of_the_standard(candidates in candidates(), stations in 2..75_u32) {
        for name in schedulers() {
            let mut scheduler = of_plan(plan(name, stations));
            let most = scheduler.most_stations();
            prop_assert!(most >= 2 && most <= stations as usize, "{:?}", name);
            let asked = &candidates[..candidates.len().min(most)];
            let rus = decide(scheduler.as_mut(), asked);
            prop_assert!(rus.len() <= asked.len(), "{:?} serves {} of {}", name, rus.len(), asked.len());
            let tx = asked[0].tx;
            prop_assert!(rus.iter().all(|ru| ru.width() == tx.width()), "{:?}: {:?}", name, rus);
            if rus.len() > 1 {
                prop_assert_eq!(MuPpdu::new(&users(&rus, tx)).check(Band::Ghz6), Ok(()), "{:?}", name);
            }
        }
    }

    /// Two schedulers of one plan that are asked the same decide the same.
    #[test]
    fn the_same_questions_have_the_same_answers(
        questions in prop::collection::vec(candidates(), 1..8),
        stations in 2..75_u32,
    ) {
        for name in schedulers() {
            let [mut one, mut other] = [(); 2].map(|()| of_plan(plan(name, stations)));
            for candidates in &questions {
                let asked = &candidates[..candidates.len().min(stations as usize)];
                prop_assert_eq!(decide(one.as_mut(), asked), decide(other.as_mut(), asked), "{:?}", name);
            }
        }
    }

    /// Stations that always have something: who is left over is first the next time, who was served goes to the end. In as many PPDUs
    /// as there are stations each is served, whether the PPDU is shared or for the first alone.
    #[test]
    fn nobody_starves(candidates in candidates(), stations in 2..75_u32) {
        for name in schedulers() {
            let mut scheduler = of_plan(plan(name, stations));
            let mut turns: VecDeque<usize> = (0..candidates.len()).collect();
            let mut served = vec![false; candidates.len()];
            for _ in 0..candidates.len() {
                let asked: Vec<_> =
                    turns.iter().take(scheduler.most_stations()).map(|&station| candidates[station]).collect();
                let count = decide(scheduler.as_mut(), &asked).len().max(1);
                for station in turns.drain(..count).collect::<Vec<_>>() {
                    served[station] = true;
                    turns.push_back(station);
                }
            }
            prop_assert!(served.iter().all(|&served| served), "{:?}: {:?}", name, served);
        }
    }
}

/// One station alone, or none, shares with nobody.
#[test]
fn one_station_has_a_ppdu_alone() {
    let tx = TxVector::mimo(Format::He, 7, 1, Width::Mhz20, Guard::Ns800);
    for name in schedulers() {
        let mut scheduler = of_plan(plan(name, 4));
        assert_eq!(decide(scheduler.as_mut(), &[]), [], "{name:?}");
        assert!(decide(scheduler.as_mut(), &[Candidate { tx }]).len() < 2, "{name:?}");
    }
}
