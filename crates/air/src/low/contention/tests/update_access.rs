//! EDCAFs that get another AIFS, or are suspended.

use super::super::Aifs;
use super::scene::{DIFS, READABLE, SLOT, Scene, at, ns, of};

/// A frame waits in NIC 1 with a backoff of three slots, after a PPDU of NIC 0 that ended at 30.
fn counting() -> Scene {
    let mut s = Scene::sending(&[&[], &[3]]);
    s.arrive(1, 25);
    s.end(0, 30, READABLE);
    s
}

fn set(s: &mut Scene, t: u64, aifs: u64) {
    s.contention.set_aifs(at(t), of(1), Some(Aifs::dcf(ns(aifs))));
}

fn suspend(s: &mut Scene, t: u64) {
    s.contention.set_aifs(at(t), of(1), None);
}

/// Slots from 35 on. With 9 instead of 5 they begin at 39; with 1, which is over, now.
#[test]
fn an_aifs_that_runs_gets_the_new_length() {
    for (aifs, access) in [(9, 39 + 3 * SLOT), (1, 33 + 3 * SLOT), (DIFS, 35 + 3 * SLOT)] {
        let mut s = counting();
        set(&mut s, 33, aifs);
        s.access(access, &[1]);
    }
}

/// The next AIFS is the new one.
#[test]
fn a_backoff_that_counts_goes_on() {
    let mut s = counting();
    set(&mut s, 35, 9);
    s.transmit(0, 38);
    s.end(0, 50, READABLE);
    // One slot has passed, from 35 to 37.
    s.access(50 + 9 + 2 * SLOT, &[1]);
}

/// As a first frame, which has no backoff to count.
#[test]
fn a_first_frame_waits_for_the_new_one() {
    let mut s = Scene::sending(&[&[], &[3]]);
    s.end(0, 30, READABLE);
    s.arrive(1, 32);
    set(&mut s, 33, 9);
    s.access(39, &[1]);
}

/// One slot has passed at 38. The medium is idle when the EDCAF takes part again, so the rest counts at once.
#[test]
fn who_is_suspended_keeps_its_slots() {
    let mut s = counting();
    suspend(&mut s, 38);
    s.nobody();
    set(&mut s, 50, DIFS);
    s.access(50 + 2 * SLOT, &[1]);
}

/// Within AIFS, or while the medium is busy, they count after it.
#[test]
fn who_takes_part_again_waits_for_aifs() {
    for (begins, wakes, access) in
        [(48, 50, 53 + DIFS), (40, 50, 53 + DIFS), (40, 55, 53 + DIFS), (40, 59, 59)]
    {
        let mut s = counting();
        suspend(&mut s, 38);
        s.transmit(0, begins);
        if wakes < 53 {
            set(&mut s, wakes, DIFS);
        }
        s.end(0, 53, READABLE);
        if wakes > 53 {
            set(&mut s, wakes, DIFS);
        }
        s.access(access + 2 * SLOT, &[1]);
    }
}

#[test]
fn what_comes_to_one_that_is_suspended_draws_a_backoff() {
    let mut s = Scene::sending(&[&[], &[4]]);
    s.end(0, 30, READABLE);
    suspend(&mut s, 40);
    s.arrive(1, 45);
    s.nobody();
    set(&mut s, 60, DIFS);
    s.access(60 + 4 * SLOT, &[1]);
}

/// And the backoff after it waits.
#[test]
fn an_access_at_this_instant_is_not_taken_back() {
    let mut s = counting();
    let access = 30 + DIFS + 3 * SLOT;
    suspend(&mut s, access);
    s.access(access, &[1]);
    s.end(1, 50, READABLE);
    s.contention.begin_backoff(at(50), of(1), 2, true);
    s.nobody();
    set(&mut s, 70, DIFS);
    s.access(70 + 2 * SLOT, &[1]);
}

/// A post-backoff that was suspended still separates two frames of the NIC.
#[test]
fn a_post_backoff_waits_too() {
    let mut s = Scene::sending(&[&[], &[]]);
    s.end(0, 30, READABLE);
    suspend(&mut s, 31);
    s.contention.begin_backoff(at(32), of(1), 4, false);
    set(&mut s, 60, DIFS);
    s.arrive(1, 63);
    s.access(60 + 4 * SLOT, &[1]);
}
