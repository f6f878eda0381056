//! DCF stations that all hear each other: first frames, backoffs, post-backoffs, ties.

use airtcp_units::Instant;

use super::super::MemberId;
use super::scene::{DIFS, EIFS, GARBAGE, READABLE, SLOT, Scene, at, nav};

/// ```text
/// t 0         20
/// 0           A====
/// ```
#[test]
fn the_first_frame_starts_at_once() {
    let mut s = Scene::new(&[&[]]);
    s.nobody();
    s.arrive(0, 20);
    s.access(20, &[0]);
}

/// At the very start of time, too.
#[test]
fn a_frame_at_time_zero_starts_at_once() {
    let mut s = Scene::new(&[&[]]);
    s.arrive(0, 0);
    s.access(0, &[0]);
}

/// ```text
/// t 20   30   35  39
/// 0 A====-----..(3)      the post-backoff of 3 slots ends at 41 with nothing to send
/// 0                  A   a frame at 50 starts at once
/// ```
#[test]
fn after_its_post_backoff_a_sender_starts_at_once_again() {
    let mut s = Scene::sending(&[&[3]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS]);
    s.nobody();
    s.arrive(0, 50);
    s.access(50, &[0]);
}

/// ```text
/// t 20   30   35 37 39 41
/// 0 A====-----.  .  .  A     a frame at 36, inside the post-backoff of 3, waits for its end
/// ```
#[test]
fn a_frame_inside_the_post_backoff_waits_for_its_end() {
    let mut s = Scene::sending(&[&[3]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS]);
    s.arrive(0, 36);
    s.access(41, &[0]);
}

/// The same whether the backoff begins before or after the call for the end of the PPDU.
#[test]
fn the_order_of_an_end_and_a_backoff_does_not_matter() {
    let mut s = Scene::sending(&[&[3]]);
    s.silence(30, &[DIFS]);
    s.after(0, 30, false);
    s.arrive(0, 36);
    s.access(41, &[0]);
}

/// Tie: a frame at the very end of the post-backoff (41) starts there, not later.
#[test]
fn tie_a_frame_at_the_end_of_the_post_backoff() {
    let mut s = Scene::sending(&[&[3]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS]);
    s.arrive(0, 41);
    s.access(41, &[0]);
}

/// A post-backoff of 0 slots lasts to the end of DIFS, and no frame makes it draw again.
#[test]
fn a_post_backoff_of_zero_slots_is_a_backoff() {
    let mut s = Scene::sending(&[&[0]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS]);
    s.arrive(0, 30);
    s.access(35, &[0]);
}

/// It is still pending after a response, since no DIFS has passed in between; a frame that comes while the response is on
/// the air draws nothing.
#[test]
fn a_post_backoff_of_zero_slots_survives_a_response() {
    let mut s = Scene::sending(&[&[0], &[]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS, DIFS]);
    s.transmit(1, 31);
    s.arrive(0, 35);
    s.silence(37, &[DIFS, DIFS]);
    s.access(37 + DIFS, &[0]);
}

/// ... and over when DIFS has passed: a frame after that, while another sends, draws anew.
#[test]
fn a_post_backoff_of_zero_slots_ends_with_difs() {
    let mut s = Scene::sending(&[&[0, 4], &[]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 35);
    s.access(35, &[1]);
    s.arrive(0, 38);
    s.silence(45, &[DIFS, DIFS]);
    s.access(45 + DIFS + 4 * SLOT, &[0]);
}

/// ```text
/// t 20   30   35 37 39      49   54 56
/// 0 A====-----.  .  .  .  (4: two pass, two are left)  .  .  A at 58
/// 1      -----.  .  A=======-----             draws 2 while busy at 25
/// ```
#[test]
fn backoff_freezes_and_resumes() {
    let mut s = Scene::sending(&[&[4], &[2, 9]]);
    s.arrive(1, 25);
    s.after(0, 30, true);
    s.silence(30, &[DIFS, DIFS]);
    s.access(39, &[1]);
    s.after(1, 49, true);
    s.silence(49, &[DIFS, DIFS]);
    s.access(58, &[0]);
}

/// ```text
/// t 20   30   35 37 38
/// 0 A====-----.  .           a slot of which only half has passed does not count:
/// 1              A====  at 38 by another, whose post-backoff was over: 0 keeps 2 of 3
/// ```
#[test]
fn only_whole_slots_count() {
    let mut s = Scene::sending(&[&[3], &[7]]);
    s.after(0, 30, true);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 38);
    s.access(38, &[1]);
    s.after(1, 48, false);
    s.silence(48, &[DIFS, DIFS]);
    s.access(48 + DIFS + 2 * SLOT, &[0]);
}

/// ```text
/// t 20   30        35 37 39    49        54 56 ... 66
/// 0 A====-----.  .  A====XXXX--......
/// 1      -----.  .  A====XXXX       both count 2 and start at 39
/// 2      -----.  .  .  -------- EIFS, it hears garbage: 49 + 9, then its last 3 slots
/// ```
#[test]
fn equal_counters_collide_and_bystanders_wait_for_eifs() {
    let mut s = Scene::sending(&[&[2, 1], &[2, 6], &[5]]);
    s.arrive(1, 22);
    s.arrive(2, 23);
    s.after(0, 30, true);
    s.silence(30, &[DIFS; 3]);
    s.access(39, &[0, 1]);
    // Both wait 8 for an acknowledgement, then DIFS, then their slots.
    for nic in [0, 1] {
        s.end(nic, 49, GARBAGE);
        s.apart(nic, 49, 57);
    }
    assert_eq!(s.contention.next(), at(49 + EIFS + 3 * SLOT));
    s.after(0, 57, true);
    s.after(1, 57, true);
    // 57 + 5 + 1 slot is 64, also when 2 would start: 58 + 3 slots.
    s.access(64, &[0, 2]);
}

/// While a sender waits for its acknowledgement it does not contend.
#[test]
fn nobody_contends_before_the_ack_timeout() {
    let mut s = Scene::new(&[&[1], &[0]]);
    s.arrive(0, 20);
    s.arrive(1, 20);
    s.access(20, &[0, 1]);
    s.silence(30, &[DIFS, DIFS]);
    s.nobody();
    s.after(1, 38, true);
    s.after(0, 38, true);
    s.access(43, &[1]);
}

/// ```text
/// t 20   30 32  35
/// 0 A====-----         (post-backoff of 15)
/// 1        |    A      its frame comes at 32 in the idle medium, inside DIFS: its draw of 9 is not used
/// ```
#[test]
fn a_frame_inside_difs_waits_for_its_end_only() {
    let mut s = Scene::sending(&[&[15], &[9]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 32);
    s.access(35, &[1]);
}

/// As above with EIFS at contender 1: its frame at 36 would start at 39, but 0 starts
/// at 37. The medium did not stay idle, so a backoff is drawn (4).
#[test]
fn a_frame_whose_ifs_is_interrupted_draws_a_backoff() {
    let mut s = Scene::sending(&[&[1, 15], &[4]]);
    s.after(0, 30, true);
    s.silence(30, &[DIFS, EIFS]);
    s.arrive(1, 36);
    s.access(37, &[0]);
    s.after(0, 47, false);
    s.silence(47, &[DIFS, DIFS]);
    s.access(47 + DIFS + 4 * SLOT, &[1]);
}

/// Tie: the instant in which a PPDU ends is busy. A frame at 30 draws (6).
#[test]
fn tie_a_frame_at_the_end_of_a_ppdu_finds_the_medium_busy() {
    let mut s = Scene::sending(&[&[15], &[6]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 30);
    s.access(35 + 6 * SLOT, &[1]);
}

/// Tie: one nanosecond later it does not.
#[test]
fn just_after_the_end_of_a_ppdu_the_medium_is_idle() {
    let mut s = Scene::sending(&[&[15], &[6]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 31);
    s.access(35, &[1]);
}

/// Tie: two frames at one instant on an idle medium can't sense each other.
#[test]
fn tie_two_first_frames_at_one_instant_collide() {
    let mut s = Scene::new(&[&[], &[]]);
    s.arrive(1, 20);
    s.arrive(0, 20);
    s.access(20, &[0, 1]);
}

/// Tie: a frame at the instant at which another's backoff ends (39) collides with it, whether it comes before or after the
/// start of the other has been taken.
#[test]
fn tie_a_first_frame_when_a_backoff_ends_collides() {
    for frame_first in [true, false] {
        let mut s = Scene::sending(&[&[2], &[]]);
        s.after(0, 30, true);
        s.silence(30, &[DIFS, DIFS]);
        if frame_first {
            s.arrive(1, 39);
            s.access(39, &[0, 1]);
        } else {
            s.access(39, &[0]);
            s.arrive(1, 39);
            s.access(39, &[1]);
        }
    }
}

/// Tie: a post-backoff that ends in the instant in which another starts is over; a frame
/// that comes while the medium is busy draws anew.
#[test]
fn tie_a_post_backoff_that_ends_when_another_starts_is_over() {
    let mut s = Scene::sending(&[&[2, 8], &[]]);
    s.after(0, 30, false);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 39);
    s.access(39, &[1]);
    s.arrive(0, 44);
    s.silence(49, &[DIFS, DIFS]);
    s.access(54 + 8 * SLOT, &[0]);
}

/// While the NAV shows the medium busy, a new frame draws a backoff, and slots count from
/// the end of the NAV (42) and DIFS. The sender has no NAV and counts from DIFS after its timeout.
#[test]
fn the_nav_is_busy_time() {
    let mut s = Scene::sending(&[&[15], &[1]]);
    s.end(0, 30, nav(42));
    s.apart(0, 30, 38);
    assert!(!s.contention.is_idle(at(41), MemberId(1)));
    assert!(s.contention.is_idle(at(42), MemberId(1)));
    assert_eq!(s.contention.nav_until(MemberId(1), None), at(42));
    s.arrive(1, 35);
    s.after(0, 38, true);
    s.access(42 + DIFS + SLOT, &[1]);
    s.silence(60, &[DIFS, DIFS]);
    // 43 + 3 slots have passed, 12 are left.
    s.access(60 + DIFS + 12 * SLOT, &[0]);
}

/// Tie: the instant in which the NAV ends is busy, the next nanosecond is not.
#[test]
fn tie_a_frame_at_the_end_of_the_nav_finds_the_medium_busy() {
    for (frame, access) in [(42, 42 + DIFS + 3 * SLOT), (43, 42 + DIFS)] {
        let mut s = Scene::sending(&[&[], &[3]]);
        s.end(0, 30, nav(42));
        s.arrive(1, frame);
        s.access(access, &[1]);
    }
}

/// The NAV is a maximum: a later PPDU with a shorter one, or that nobody can read, leaves it.
#[test]
fn the_nav_is_never_shortened() {
    let mut s = Scene::sending(&[&[], &[], &[1]]);
    s.end(0, 30, nav(60));
    s.transmit(1, 31);
    s.end(1, 40, nav(50));
    s.transmit(1, 41);
    s.end(1, 45, GARBAGE);
    s.arrive(2, 46);
    assert_eq!(s.contention.nav_until(MemberId(2), None), at(60));
    s.access(60 + DIFS + SLOT, &[2]);
}

/// EIFS follows what nobody could read: 30 + 9, and DIFS what was readable. EIFS and NAV run at the same time.
#[test]
fn eifs_follows_an_unreadable_ppdu() {
    for (deference, end) in [(GARBAGE, 39), (READABLE, 35), (nav(31), 36)] {
        let mut s = Scene::sending(&[&[], &[2]]);
        s.arrive(1, 25);
        s.end(0, 30, deference);
        s.access(end + 2 * SLOT, &[1]);
    }
}

/// Of two that overlap the one that ends later decides, and a readable PPDU in the midst of EIFS ends it (10.3.2.3.7).
#[test]
fn a_readable_ppdu_ends_the_need_for_eifs() {
    for (first, second, ifs) in [(GARBAGE, READABLE, DIFS), (READABLE, GARBAGE, EIFS)] {
        let mut s = Scene::new(&[&[], &[], &[2]]);
        s.arrive(0, 20);
        s.arrive(1, 20);
        s.access(20, &[0, 1]);
        s.arrive(2, 25);
        s.end(0, 30, first);
        s.end(1, 34, second);
        assert_eq!(s.contention.next(), at(34 + ifs + 2 * SLOT));
        s.transmit(1, 36);
        s.end(1, 40, READABLE);
        s.access(40 + DIFS + 2 * SLOT, &[2]);
    }
}

/// A timeout while another sends: slots count from the end of that, not from before.
#[test]
fn a_timeout_in_a_busy_medium_waits_for_its_end() {
    let mut s = Scene::sending(&[&[3], &[]]);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 36);
    s.access(36, &[1]);
    s.after(0, 38, true);
    s.silence(46, &[DIFS, DIFS]);
    s.access(46 + DIFS + 3 * SLOT, &[0]);
}

/// ```text
/// t 30   35 37 38 39 40
/// 0 -----.  A======         starts at 37
/// 1 -----       A====       a first frame at 38, inside the same slot, can't know: collision
/// 2 -----          (draws)  one at 39, a slot later, senses it
/// ```
#[test]
fn who_starts_within_a_slot_collides() {
    let mut s = Scene::sending(&[&[1], &[], &[3]]);
    s.after(0, 30, true);
    s.silence(30, &[DIFS; 3]);
    s.access(37, &[0]);
    s.arrive(1, 38);
    s.access(38, &[1]);
    s.arrive(2, 39);
    s.nobody();
    s.silence(48, &[DIFS, DIFS, EIFS]);
    s.access(48 + EIFS + 3 * SLOT, &[2]);
}

/// Counters on different grids: 0 ends at 37, 1 at 38. 1 could not sense 0. The third,
/// at 39, could: it keeps the one slot that did not pass idle.
#[test]
fn counters_that_end_within_a_slot_collide() {
    let mut s = Scene::sending(&[&[1], &[1], &[2]]);
    s.arrive(1, 24);
    s.arrive(2, 25);
    s.after(0, 30, true);
    s.silence(30, &[DIFS, DIFS + 1, DIFS]);
    s.access(37, &[0]);
    s.access(38, &[1]);
    s.nobody();
    s.silence(48, &[DIFS, DIFS, EIFS]);
    s.access(48 + EIFS + SLOT, &[2]);
}

/// A first frame that starts inside a slot (36) is not sensed by the counter that ends with it (37); the one that ends
/// at 39 has counted nothing whole after 35.
#[test]
fn a_counter_collides_with_a_first_frame_that_starts_inside_its_last_slot() {
    let mut s = Scene::sending(&[&[1], &[2], &[]]);
    s.arrive(1, 25);
    s.after(0, 30, true);
    s.silence(30, &[DIFS; 3]);
    s.arrive(2, 36);
    s.access(36, &[2]);
    s.access(37, &[0]);
    s.nobody();
    s.silence(50, &[DIFS; 3]);
    s.access(50 + DIFS + 2 * SLOT, &[1]);
}

/// A sender gives up at 38 with nothing more to send, when another, at 37, has started but
/// can't be sensed yet. A new frame at 38 waits for its backoff of 2 after that.
#[test]
fn a_timeout_inside_the_slot_of_another_start() {
    let mut s = Scene::sending(&[&[2], &[]]);
    s.silence(30, &[DIFS, DIFS]);
    s.arrive(1, 37);
    s.access(37, &[1]);
    s.after(0, 38, false);
    s.arrive(0, 38);
    s.nobody();
    s.silence(47, &[DIFS, DIFS]);
    s.access(47 + DIFS + 2 * SLOT, &[0]);
}

/// An EDCAF that takes its access and then has nothing to send is out of contention, and changes nothing for others.
#[test]
fn an_access_that_is_not_used() {
    let mut s = Scene::sending(&[&[15], &[2]]);
    s.arrive(1, 25);
    s.silence(30, &[DIFS, DIFS]);
    s.after(0, 30, true);
    s.starts(39, &[super::scene::of(1)]);
    s.access(35 + 15 * SLOT, &[0]);
}

/// Nobody may let an access pass.
#[test]
#[should_panic(expected = "was missed")]
fn an_access_that_is_missed_is_an_error() {
    let mut s = Scene::new(&[&[], &[]]);
    s.arrive(0, 20);
    s.arrive(1, 21);
}

/// Without NICs there is no access.
#[test]
fn nobody_at_all() {
    let s = Scene::new(&[]);
    assert_eq!(s.contention.next(), Instant::FAR_FUTURE);
}
