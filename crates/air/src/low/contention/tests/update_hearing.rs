//! Changes of which NICs hear which others.

use super::super::hearing::of_one_width;
use super::super::{Aifs, Hearing, MemberId};
use super::scene::{DIFS, READABLE, SLOT, Scene, at, nav, ns};

fn all(nics: usize) -> Hearing {
    of_one_width(nics, |_, _| true)
}

/// Neighbours only.
fn chain(nics: usize) -> Hearing {
    of_one_width(nics, |a, b| a.0.abs_diff(b.0) < 2)
}

fn scene(draws: &[&[u32]], hearing: Hearing) -> Scene {
    Scene::with(draws, hearing, &[Aifs::dcf(ns(DIFS)); 4])
}

/// Contenders 1, 2 with backoffs, after a PPDU of 0 that ended at 30.
fn counting(draws: &[&[u32]], hearing: Hearing) -> Scene {
    let mut s = scene(draws, hearing);
    s.arrive(0, 20);
    s.access(20, &[0]);
    (1..draws.len() as u32).for_each(|nic| s.arrive(nic, 25));
    s.end(0, 30, READABLE);
    s
}

/// On an idle medium every access stays at its time, also in the midst of a slot, and back again.
#[test]
fn on_an_idle_medium_nobody_notices() {
    let mut s = counting(&[&[], &[3], &[5]], all(3));
    s.contention.update_hearing(at(36), chain(3));
    s.contention.update_hearing(at(40), all(3));
    s.access(41, &[1]);
    s.silence(50, &[DIFS; 3]);
    s.access(50 + DIFS + 2 * SLOT, &[2]);
}

/// Apart they no longer freeze each other.
#[test]
fn who_is_out_of_hearing_counts_on() {
    let mut s = counting(&[&[], &[3], &[5]], all(3));
    s.contention.update_hearing(at(36), of_one_width(3, |_, _| false));
    s.access(41, &[1]);
    s.access(45, &[2]);
}

/// A carrier that vanishes: the medium is idle from then on, and the slots left count after DIFS. The NAV stays.
#[test]
fn a_carrier_vanishes() {
    for (until, start) in [(0, 50), (60, 60)] {
        let mut s = scene(&[&[], &[], &[4]], all(3));
        s.transmit(1, 10);
        s.end(1, 15, nav(until));
        s.transmit(0, 16);
        s.arrive(2, 25);
        s.contention.update_hearing(at(50), chain(3));
        assert_eq!(s.contention.next(), at(start + DIFS + 4 * SLOT));
        assert!(!s.contention.is_idle(at(50), MemberId(1)));
        s.end(0, 55, READABLE);
        s.access(start + DIFS + 4 * SLOT, &[2]);
    }
}

/// A carrier that appears freezes as one that starts: whole slots are taken off, and an EDCAF whose backoff ends within a slot starts.
#[test]
fn a_carrier_appears() {
    let mut s = scene(&[&[], &[], &[3], &[]], chain(4));
    s.transmit(1, 20);
    s.arrive(2, 25);
    s.end(1, 30, READABLE);
    s.transmit(0, 32);
    // 2 counts from 35 on; at 38 one of its three slots has passed, and another begun.
    s.contention.update_hearing(at(38), all(4));
    s.arrive(3, 39);
    s.access(39, &[3]);
    s.end(0, 45, READABLE);
    s.end(3, 49, READABLE);
    s.access(49 + DIFS + 2 * SLOT, &[2]);
}

/// A frozen backoff stays frozen with its slots, and being apart next is not forgotten.
#[test]
fn a_frozen_backoff_moves_to_another_group() {
    let mut s = scene(&[&[], &[3], &[], &[]], all(4));
    s.transmit(0, 20);
    s.arrive(1, 25);
    s.apart(1, 26, 40);
    s.contention.update_hearing(at(28), chain(4));
    s.end(0, 30, READABLE);
    s.access(40 + DIFS + 3 * SLOT, &[1]);
}

/// Two groups become one, which has the NAV of both.
#[test]
fn groups_merge() {
    let mut s = scene(&[&[], &[], &[1], &[2]], of_one_width(4, |a, b| a.0 / 2 == b.0 / 2));
    s.transmit(0, 20);
    s.end(0, 30, nav(70));
    s.transmit(3, 20);
    s.end(3, 30, READABLE);
    s.contention.update_hearing(at(40), all(4));
    assert_eq!(s.contention.nav_until(MemberId(3), None), at(70));
    s.arrive(2, 45);
    s.access(70 + DIFS + SLOT, &[2]);
    s.arrive(3, 75 + 5);
    s.silence(90, &[DIFS; 4]);
    s.access(90 + DIFS + 2 * SLOT, &[3]);
}

/// The same hearing changes nothing.
#[test]
fn the_same_hearing_again() {
    let mut s = counting(&[&[], &[3]], all(2));
    s.contention.update_hearing(at(36), all(2));
    s.access(41, &[1]);
}
