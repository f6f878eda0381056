//! NICs that wait for something else than their group.

use super::scene::{DIFS, EIFS, GARBAGE, READABLE, SLOT, Scene, nav};

/// A scene in which 0 transmits until 30, with the draws of frames that come to the others at 25.
fn after_a_ppdu(draws: &[&[u32]]) -> Scene {
    let mut s = Scene::sending(draws);
    (1..draws.len() as u32).for_each(|nic| s.arrive(nic, 25));
    s
}

/// It may be said before or after the end of the PPDU at the same instant.
#[test]
fn a_nic_alone_has_eifs() {
    for before in [true, false] {
        let mut s = after_a_ppdu(&[&[], &[2], &[2]]);
        if before {
            s.apart(1, 30, 30 + EIFS - DIFS);
        }
        s.end(0, 30, READABLE);
        if !before {
            s.apart(1, 30, 30 + EIFS - DIFS);
        }
        s.access(35 + 2 * SLOT, &[2]);
        s.silence(50, &[DIFS; 3]);
        // It had counted nothing at 39, and returns to its lane.
        s.access(50 + DIFS + 2 * SLOT, &[1]);
    }
}

/// Apart from a group with EIFS and NAV a NIC has neither.
#[test]
fn a_nic_alone_has_no_eifs_and_no_nav() {
    for deference in [GARBAGE, nav(60)] {
        let mut s = after_a_ppdu(&[&[], &[2]]);
        s.end(0, 30, deference);
        s.apart(1, 30, 0);
        s.access(35 + 2 * SLOT, &[1]);
    }
}

/// What it counted apart is kept when it returns: 3 of 5 slots, those of its own grid.
#[test]
fn slots_counted_apart_are_kept() {
    let mut s = after_a_ppdu(&[&[], &[5], &[4]]);
    s.apart(1, 30, 31);
    s.end(0, 30, READABLE);
    // 36, 38, 40, 42 against 35 + 4 slots = 43, when half of the fourth has passed.
    s.access(43, &[2]);
    s.silence(50, &[DIFS; 3]);
    s.access(50 + DIFS + 2 * SLOT, &[1]);
}

/// Being apart is for one idle period, and a SIFS is one.
#[test]
fn a_nic_is_apart_for_one_idle_period() {
    let mut s = after_a_ppdu(&[&[], &[2]]);
    s.apart(1, 30, 90);
    s.end(0, 30, READABLE);
    s.transmit(0, 31);
    s.end(0, 35, READABLE);
    s.access(35 + DIFS + 2 * SLOT, &[1]);
}

/// Said while the medium is busy it is for the next idle period; said again, the last word counts.
#[test]
fn in_a_busy_medium_it_is_for_the_next_idle_period() {
    let mut s = after_a_ppdu(&[&[], &[2]]);
    s.apart(1, 26, 90);
    s.apart(1, 27, 40);
    s.end(0, 30, READABLE);
    s.access(40 + DIFS + 2 * SLOT, &[1]);
}

/// Inside an idle period: what was counted is kept, what is left begins later.
#[test]
fn inside_an_idle_period_slots_counted_are_kept() {
    let mut s = after_a_ppdu(&[&[], &[5]]);
    s.end(0, 30, READABLE);
    // Two of five have passed.
    s.apart(1, 40, 50);
    s.access(50 + DIFS + 3 * SLOT, &[1]);
}

/// An EDCAF that counts already and need not wait longer goes on; one that waits for EIFS counts from now on.
#[test]
fn inside_an_idle_period_nobody_starts_in_the_past() {
    for (deference, access) in [(READABLE, 35 + 5 * SLOT), (GARBAGE, 37 + 5 * SLOT)] {
        let mut s = after_a_ppdu(&[&[], &[5]]);
        s.end(0, 30, deference);
        s.apart(1, 37, 30);
        s.access(access, &[1]);
    }
}

/// An EDCAF that starts at this very instant is not delayed.
#[test]
fn tie_an_access_that_is_due_stays() {
    let mut s = after_a_ppdu(&[&[], &[5]]);
    s.end(0, 30, READABLE);
    s.apart(1, 45, 90);
    s.access(45, &[1]);
}

/// A first frame waits for what its NIC waits for, and needs no backoff.
#[test]
fn a_first_frame_apart() {
    let mut s = Scene::sending(&[&[], &[7], &[7]]);
    s.end(0, 30, READABLE);
    s.apart(1, 30, 40);
    s.arrive(1, 33);
    s.arrive(2, 33);
    // It is set apart after its frame came.
    s.apart(2, 34, 50);
    s.access(45, &[1]);
    s.silence(46, &[DIFS; 3]);
    // The other's DIFS was interrupted.
    s.access(46 + DIFS + 7 * SLOT, &[2]);
}

/// Tie: also for a NIC apart the instant in which the PPDU ends is busy, and a frame then draws (2).
#[test]
fn tie_a_frame_at_the_end_of_a_ppdu_apart() {
    let mut s = Scene::sending(&[&[], &[2]]);
    s.end(0, 30, nav(70));
    s.apart(1, 30, 32);
    s.arrive(1, 30);
    s.access(32 + DIFS + 2 * SLOT, &[1]);
}

/// Tie: a frame at the very end of a post-backoff apart starts there.
#[test]
fn tie_a_frame_at_the_end_of_a_post_backoff_apart() {
    let mut s = Scene::sending(&[&[3]]);
    s.silence(30, &[DIFS]);
    s.after(0, 38, false);
    s.arrive(0, 38 + DIFS + 3 * SLOT);
    s.access(38 + DIFS + 3 * SLOT, &[0]);
}

/// A post-backoff counts apart as well, and ends apart.
#[test]
fn a_post_backoff_apart() {
    let mut s = Scene::sending(&[&[3, 4], &[]]);
    s.silence(30, &[DIFS, DIFS]);
    s.apart(0, 30, 38);
    s.after(0, 38, false);
    // 43 + 2 slots: one is left when another starts.
    s.arrive(1, 48);
    s.access(48, &[1]);
    s.arrive(0, 55);
    s.silence(58, &[DIFS, DIFS]);
    s.access(58 + DIFS + SLOT, &[0]);
    s.after(0, 70, false);
    s.silence(70, &[DIFS, DIFS]);
    // 75 + 4 slots are over.
    s.arrive(0, 84);
    s.access(84, &[0]);
}

/// A sender that is set apart at the end of its own PPDU, while another's is still on the air: its timeout or the end
/// of the other, whichever is later.
#[test]
fn after_a_collision_of_unequal_lengths() {
    let mut s = Scene::new(&[&[1], &[2], &[3]]);
    s.arrive(0, 20);
    s.arrive(1, 20);
    s.access(20, &[0, 1]);
    s.arrive(2, 25);
    s.end(0, 30, GARBAGE);
    s.apart(0, 30, 38);
    s.end(1, 50, GARBAGE);
    s.apart(1, 50, 58);
    s.after(0, 50, true);
    // Its timeout was over long ago: DIFS after the medium is idle.
    s.access(50 + DIFS + SLOT, &[0]);
    // A timeout while another transmits: its backoff begins after that.
    s.after(1, 58, true);
    s.silence(70, &[DIFS; 3]);
    s.access(70 + DIFS + 2 * SLOT, &[1]);
    s.silence(90, &[DIFS; 3]);
    // Nothing was counted within EIFS, and two slots after 75.
    s.access(90 + DIFS + SLOT, &[2]);
}
