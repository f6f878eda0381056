//! One suite that every scheduler passes, in every width.

use std::collections::VecDeque;

use airtcp_plan::{HeLtf, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler};
use proptest::prelude::*;

use super::questions::{decide, decide_uplink, of_octets};
use super::{Candidate, of_plan};
use crate::phy::multi_user::{IllegalMultiUser, MuPpdu, MuUser};
use crate::phy::{Allocation, Band, Format, Guard, TxVector, Width};

fn plan(scheduler: MultiUserScheduler, stations: u32) -> MultiUserPlan {
    let acknowledgement = MultiUserAcknowledgement::Sequential;
    MultiUserPlan { scheduler, stations, acknowledgement, mu_rts: false, uplink: None }
}

/// Format, width, and of each station MCS, streams and octets, a little or much.
fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let he = (prop::sample::select(vec![Format::He, Format::Eht]), 0..4_usize);
    let eht = (Just(Format::Eht), Just(4_usize));
    let octets = prop_oneof![1..2_000_u64, 1..2_000_000_u64];
    let stations = prop::collection::vec((0..12_u8, 1..3_u8, octets), 1..80);
    (prop_oneof![4 => he, 1 => eht], stations).prop_map(|((format, width), stations)| {
        let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320];
        let candidate = |(mcs, streams, octets): (u8, u8, u64)| {
            let tx = TxVector::mimo(format, mcs, streams, widths[width], Guard::Ns800);
            let first_octets = octets.min(1_508) as u32;
            Candidate { tx: TxVector { ltf: HeLtf::X2, ..tx }, octets, first_octets }
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
        for name in MultiUserScheduler::ALL {
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

    /// The same for those that a trigger frame asks, of which the first always answers.
    #[test]
    fn stations_share_an_uplink_of_the_standard(candidates in candidates(), stations in 2..75_u32) {
        for name in MultiUserScheduler::ALL {
            let mut scheduler = of_plan(plan(name, stations));
            let asked = &candidates[..candidates.len().min(stations as usize)];
            let rus = decide_uplink(scheduler.as_mut(), asked);
            prop_assert!((1..=asked.len()).contains(&rus.len()), "{:?}: {} of {}", name, rus.len(), asked.len());
            let tx = TxVector { guard: Guard::Ns1600, ..asked[0].tx };
            prop_assert!(rus.iter().all(|ru| ru.width() == tx.width()), "{:?}: {:?}", name, rus);
            let answers = users(&rus, tx);
            prop_assert_eq!(IllegalMultiUser::check_uplink(&answers, Band::Ghz6), Ok(()), "{:?}", name);
        }
    }

    /// Two schedulers of one plan that are asked the same decide the same.
    #[test]
    fn the_same_questions_have_the_same_answers(
        questions in prop::collection::vec(candidates(), 1..8),
        stations in 2..75_u32,
    ) {
        for name in MultiUserScheduler::ALL {
            let [mut one, mut other] = [(); 2].map(|()| of_plan(plan(name, stations)));
            for candidates in &questions {
                let asked = &candidates[..candidates.len().min(stations as usize)];
                prop_assert_eq!(decide(one.as_mut(), asked), decide(other.as_mut(), asked), "{:?}", name);
                let [one, other] = [&mut one, &mut other].map(|of| decide_uplink(of.as_mut(), asked));
                prop_assert_eq!(one, other, "{:?}", name);
            }
        }
    }
}

proptest! {
    // Each case asks many times.
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Stations that always have something, unequal amounts: who is left over is first the next time, who was served goes to the end. In as
    /// many PPDUs as there are stations each is served, whether the PPDU is shared or for the first alone; and so is each in as many trigger
    /// frames.
    #[test]
    fn nobody_starves(candidates in candidates(), stations in 2..75_u32) {
        for name in MultiUserScheduler::ALL {
            for decide in [decide, decide_uplink] {
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
}

/// One station alone, or none, shares with nobody.
#[test]
fn one_station_has_a_ppdu_alone() {
    let one = of_octets(7, Width::Mhz20, &[1_000]);
    for name in MultiUserScheduler::ALL {
        let mut scheduler = of_plan(plan(name, 4));
        assert_eq!(decide(scheduler.as_mut(), &[]), [], "{name:?}");
        assert!(decide(scheduler.as_mut(), &one).len() < 2, "{name:?}");
        assert_eq!(decide_uplink(scheduler.as_mut(), &one), [Allocation::whole(Width::Mhz20)], "{name:?}");
    }
}
