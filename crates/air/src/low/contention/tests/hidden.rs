//! Hidden stations: 0 and 2 hear 1 but not each other, 1 hears both.

use super::super::hearing::of_one_width;
use super::super::{Aifs, MemberId};
use super::scene::{DIFS, EIFS, GARBAGE, READABLE, SLOT, Scene, at, nav, ns};

fn scene(draws: &[&[u32]]) -> Scene {
    let hearing = of_one_width(draws.len(), |a, b| a.0.abs_diff(b.0) < 2);
    Scene::with(draws, hearing, &[Aifs::dcf(ns(DIFS)); 4])
}

/// ```text
/// t 20       30            40
/// 0 A========-----
/// 1 ====================== -----   hears both: idle from 40 on
/// 2      A=================-----   starts at 25, far more than a slot after 0
/// ```
#[test]
fn a_hidden_station_starts_in_the_midst_of_a_ppdu() {
    let mut s = scene(&[&[], &[2], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    assert!(s.contention.is_idle(at(25), MemberId(2)));
    assert!(!s.contention.is_idle(at(25), MemberId(1)));
    s.arrive(2, 25);
    s.access(25, &[2]);
    s.arrive(1, 26);
    s.end(0, 30, GARBAGE);
    assert!(!s.contention.is_idle(at(30), MemberId(1)));
    s.nobody();
    s.end_for(2, 40, |nic| if nic == MemberId(1) { GARBAGE } else { READABLE });
    s.access(40 + EIFS + 2 * SLOT, &[1]);
}

/// Backoffs are frozen by what their own NIC hears only: 0's PPDU freezes 1 and leaves 2 counting.
#[test]
fn a_ppdu_freezes_only_who_hears_it() {
    let mut s = scene(&[&[2], &[4], &[4]]);
    s.transmit(1, 20);
    (0..3).for_each(|nic| s.arrive(nic, 25));
    s.end(1, 30, READABLE);
    s.access(39, &[0]);
    // Not sensed by 2: it has no idea.
    s.access(43, &[2]);
    s.nobody();
    s.end(0, 60, READABLE);
    s.end(2, 70, READABLE);
    // It counted 2 of 4 before 39.
    s.access(70 + DIFS + 2 * SLOT, &[1]);
}

/// A response of 1 sets the NAV of both: what the hidden station hears of the exchange.
#[test]
fn a_cts_silences_the_hidden_station() {
    let mut s = scene(&[&[], &[], &[1]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.end(0, 24, nav(60));
    assert!(s.contention.is_idle(at(24), MemberId(2)));
    s.transmit(1, 25);
    s.end(1, 29, nav(60));
    s.arrive(2, 30);
    s.transmit(0, 30);
    s.end(0, 50, nav(60));
    s.transmit(1, 51);
    s.end(1, 60, READABLE);
    s.access(60 + DIFS + SLOT, &[2]);
}

/// Two pairs that hear nothing of each other are as good as on two frequencies, also in one instant.
#[test]
fn separate_groups_are_independent() {
    let hearing = of_one_width(4, |a, b| a.0 / 2 == b.0 / 2);
    let mut s = Scene::with(&[&[], &[3], &[], &[2]], hearing, &[Aifs::dcf(ns(DIFS)); 4]);
    s.arrive(0, 20);
    s.arrive(2, 20);
    s.access(20, &[0, 2]);
    s.arrive(1, 25);
    s.arrive(3, 25);
    s.end(0, 30, READABLE);
    s.end(2, 32, READABLE);
    s.access(30 + DIFS + 3 * SLOT, &[1, 3]);
}

/// A PPDU in the window of another in one group, in the midst of it in another: 3 hears both hidden ends.
#[test]
fn a_chain_of_four() {
    let mut s = scene(&[&[], &[], &[5], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    // 1 hears 0 and can't know yet; 3 hears neither.
    s.arrive(1, 21);
    s.access(21, &[1]);
    s.arrive(3, 29);
    s.access(29, &[3]);
    s.arrive(2, 30);
    s.end(1, 31, GARBAGE);
    s.end(0, 33, GARBAGE);
    s.end(3, 39, READABLE);
    s.access(39 + DIFS + 5 * SLOT, &[2]);
}
