//! Channel access by hand. Times are small numbers: a slot lasts 2, DIFS 5, EIFS 9.
//!
//! Legend of the drawings: `=` busy, `-` idle inside DIFS or EIFS, `.` a backoff slot,
//! `A` an access; one line per contender.

use std::collections::VecDeque;

use airtcp_units::{Duration, Instant};

use super::{Backoff, Contention, Deference};

const DIFS: u64 = 5;
const EIFS: u64 = 9;
const SLOT: u64 = 2;
const AIRTIME: Duration = Duration::from_nanos(10);

/// Draws that were decided in advance; a draw too many is an error.
struct Script(Vec<VecDeque<u32>>);

impl Backoff for Script {
    fn draw(&mut self, member: usize) -> u32 {
        self.0[member].pop_front().unwrap_or_else(|| panic!("contender {member} draws unexpectedly"))
    }
}

struct Scene {
    contention: Contention,
    dice: Script,
}

const fn at(t: u64) -> Instant {
    Instant::from_nanos(t)
}

impl Scene {
    fn new(draws: &[&[u32]]) -> Self {
        let contention = Contention::new(Duration::from_nanos(SLOT), draws.len());
        Self { contention, dice: Script(draws.iter().map(|d| d.iter().copied().collect()).collect()) }
    }

    fn arrive(&mut self, member: usize, t: u64) {
        self.contention.arrive(member, at(t), AIRTIME, &mut self.dice);
    }

    /// The next access, at this time and by exactly these contenders.
    fn access(&mut self, t: u64, by: &[usize]) {
        assert_eq!(self.contention.next(), at(t), "time of the access");
        assert_eq!(self.contention.next_end(), at(t) + AIRTIME);
        let mut starting = Vec::new();
        self.contention.seize(&mut starting);
        assert_eq!(starting, by, "who starts at {t}");
    }

    /// A sender's exchange is over; it has more to send or not.
    fn after(&mut self, member: usize, t: u64, more: bool) {
        let waiting = more.then_some(AIRTIME);
        self.contention.begin_backoff(member, at(t + DIFS), waiting, &mut self.dice);
    }

    /// Silence, and how long each contender waits.
    fn release(&mut self, t: u64, ifs: &[u64]) {
        let deference = |m: usize| Deference { nav: Duration::ZERO, ifs: Duration::from_nanos(ifs[m]) };
        self.contention.release(at(t), &mut self.dice, deference);
    }

    fn nobody(&self) {
        assert_eq!(self.contention.next(), Instant::FAR_FUTURE);
        assert_eq!(self.contention.next_end(), Instant::FAR_FUTURE);
    }

    /// Every scripted draw was needed.
    fn end(self) {
        assert!(self.dice.0.iter().all(VecDeque::is_empty), "draws are left over");
    }
}

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
    s.end();
}

/// ```text
/// t 20   30   35  39
/// 0 A====-----..(3)      the post-backoff of 3 slots ends at 41 with nothing to send
/// 0                  A   a frame at 50 starts at once
/// ```
#[test]
fn after_its_post_backoff_a_sender_starts_at_once_again() {
    let mut s = Scene::new(&[&[3]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS]);
    s.nobody();
    s.arrive(0, 50);
    s.access(50, &[0]);
    s.end();
}

/// ```text
/// t 20   30   35 37 39 41
/// 0 A====-----.  .  .  A     a frame at 36, inside the post-backoff of 3, waits for its end
/// ```
#[test]
fn a_frame_inside_the_post_backoff_waits_for_its_end() {
    let mut s = Scene::new(&[&[3]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS]);
    s.arrive(0, 36);
    s.access(41, &[0]);
    s.end();
}

/// Tie: a frame at the very end of the post-backoff (41) starts there, not later.
#[test]
fn tie_a_frame_at_the_end_of_the_post_backoff() {
    let mut s = Scene::new(&[&[3]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS]);
    s.arrive(0, 41);
    s.access(41, &[0]);
    s.end();
}

/// A post-backoff of 0 slots lasts to the end of DIFS, and no frame makes it draw again.
#[test]
fn a_post_backoff_of_zero_slots_is_a_backoff() {
    let mut s = Scene::new(&[&[0]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS]);
    s.arrive(0, 30);
    s.access(35, &[0]);
    s.end();
}

/// ```text
/// t 20   30   35 37 39      49   54 56
/// 0 A====-----.  .  .  .  (4: two pass, two are left)  .  .  A at 58
/// 1      -----.  .  A=======-----             draws 2 while busy at 25
/// ```
#[test]
fn backoff_freezes_and_resumes() {
    let mut s = Scene::new(&[&[4], &[2, 9]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.arrive(1, 25);
    s.after(0, 30, true);
    s.release(30, &[DIFS, DIFS]);
    s.access(39, &[1]);
    s.after(1, 49, true);
    s.release(49, &[DIFS, DIFS]);
    s.access(58, &[0]);
    s.end();
}

/// ```text
/// t 20   30   35 37 38
/// 0 A====-----.  .           a slot of which only half has passed does not count:
/// 1              A====  at 38 by another, whose post-backoff was over: 0 keeps 2 of 3
/// ```
#[test]
fn only_whole_slots_count() {
    let mut s = Scene::new(&[&[3], &[7]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, true);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 38);
    s.access(38, &[1]);
    s.after(1, 48, false);
    s.release(48, &[DIFS, DIFS]);
    s.access(48 + DIFS + 2 * SLOT, &[0]);
    s.end();
}

/// ```text
/// t 20   30        35 37 39    49        54 56 ... 66
/// 0 A====-----.  .  A====XXXX--......
/// 1      -----.  .  A====XXXX       both count 2 and start at 39
/// 2      -----.  .  .  -------- EIFS, it hears garbage: 49 + 9, then its last 3 slots
/// ```
#[test]
fn equal_counters_collide_and_bystanders_wait_for_eifs() {
    let mut s = Scene::new(&[&[2, 1], &[2, 6], &[5]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.arrive(1, 22);
    s.arrive(2, 23);
    s.after(0, 30, true);
    s.release(30, &[DIFS; 3]);
    s.access(39, &[0, 1]);
    s.release(49, &[DIFS, DIFS, EIFS]);
    // Both wait 8 for an acknowledgement, then DIFS, then their slots.
    s.after(0, 57, true);
    s.after(1, 57, true);
    // 57 + 5 + 1 slot is 64, also when 2 would start: 58 + 3 slots.
    s.access(64, &[0, 2]);
    s.end();
}

/// While a sender waits for its acknowledgement it does not contend.
#[test]
fn nobody_contends_before_the_ack_timeout() {
    let mut s = Scene::new(&[&[1], &[0]]);
    s.arrive(0, 20);
    s.arrive(1, 20);
    s.access(20, &[0, 1]);
    s.release(30, &[DIFS, DIFS]);
    s.nobody();
    s.after(1, 38, true);
    s.after(0, 38, true);
    s.access(43, &[1]);
    s.end();
}

/// ```text
/// t 20   30 32  35
/// 0 A====-----         (post-backoff of 15)
/// 1        |    A      its frame comes at 32 in the idle medium, inside DIFS: no backoff
/// ```
#[test]
fn a_frame_inside_difs_waits_for_its_end_only() {
    let mut s = Scene::new(&[&[15], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 32);
    s.access(35, &[1]);
    s.end();
}

/// As above with EIFS at contender 1: its frame at 36 would start at 39, but 0 starts
/// at 37. The medium did not stay idle, so a backoff is drawn (4).
#[test]
fn a_frame_whose_ifs_is_interrupted_draws_a_backoff() {
    let mut s = Scene::new(&[&[1, 15], &[4]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, true);
    s.release(30, &[DIFS, EIFS]);
    s.arrive(1, 36);
    s.access(37, &[0]);
    s.after(0, 47, false);
    s.release(47, &[DIFS, DIFS]);
    s.access(47 + DIFS + 4 * SLOT, &[1]);
    s.end();
}

/// Tie: the instant in which a PPDU ends is busy. A frame at 30 draws (6).
#[test]
fn tie_a_frame_at_the_end_of_a_ppdu_finds_the_medium_busy() {
    let mut s = Scene::new(&[&[15], &[6]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 30);
    s.access(35 + 6 * SLOT, &[1]);
    s.end();
}

/// Tie: one nanosecond later it does not.
#[test]
fn just_after_the_end_of_a_ppdu_the_medium_is_idle() {
    let mut s = Scene::new(&[&[15], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 31);
    s.access(35, &[1]);
    s.end();
}

/// Tie: two frames at one instant on an idle medium can't sense each other.
#[test]
fn tie_two_first_frames_at_one_instant_collide() {
    let mut s = Scene::new(&[&[], &[]]);
    s.arrive(1, 20);
    s.arrive(0, 20);
    s.access(20, &[0, 1]);
    s.end();
}

/// Tie: a frame at the instant at which another's backoff ends (39) collides with it.
#[test]
fn tie_a_first_frame_when_a_backoff_ends_collides() {
    let mut s = Scene::new(&[&[2], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, true);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 39);
    s.access(39, &[0, 1]);
    s.end();
}

/// Tie: a post-backoff that ends in the instant in which another starts is over; a frame
/// that comes while the medium is busy draws anew.
#[test]
fn tie_a_post_backoff_that_ends_when_another_starts_is_over() {
    let mut s = Scene::new(&[&[2, 8], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, false);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 39);
    s.access(39, &[1]);
    s.arrive(0, 44);
    s.release(49, &[DIFS, DIFS]);
    s.access(54 + 8 * SLOT, &[0]);
    s.end();
}

/// While the NAV shows the medium busy, a new frame draws a backoff, and slots count from
/// the end of the NAV (30 + 12) and DIFS.
#[test]
fn the_nav_is_busy_time() {
    let mut s = Scene::new(&[&[15], &[1]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    let deference = |m: usize| Deference {
        nav: Duration::from_nanos(if m == 1 { 12 } else { 0 }),
        ifs: Duration::from_nanos(DIFS),
    };
    s.contention.release(at(30), &mut s.dice, deference);
    s.arrive(1, 35);
    s.access(42 + DIFS + SLOT, &[1]);
    // The first sender noticed its failure at 38; 38 + 5 + 15 slots is far later.
    assert_eq!(s.dice.0[0].len(), 1);
}

/// A timeout while another sends: slots count from the end of that, not from before.
#[test]
fn a_timeout_in_a_busy_medium_waits_for_its_end() {
    let mut s = Scene::new(&[&[3], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 36);
    s.access(36, &[1]);
    s.after(0, 38, true);
    s.release(46, &[DIFS, DIFS]);
    s.access(46 + DIFS + 3 * SLOT, &[0]);
    s.end();
}

/// ```text
/// t 30   35 37 38 39 40
/// 0 -----.  A======         starts at 37
/// 1 -----       A====       a first frame at 38, inside the same slot, can't know: collision
/// 2 -----          (draws)  one at 39, a slot later, senses it
/// ```
#[test]
fn who_starts_within_a_slot_collides() {
    let mut s = Scene::new(&[&[1], &[], &[3]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.after(0, 30, true);
    s.release(30, &[DIFS; 3]);
    s.access(37, &[0]);
    s.arrive(1, 38);
    s.access(38, &[1]);
    s.arrive(2, 39);
    s.nobody();
    s.release(48, &[DIFS, DIFS, EIFS]);
    s.access(48 + EIFS + 3 * SLOT, &[2]);
    s.end();
}

/// Counters on different grids: 0 ends at 37, 1 at 38. 1 could not sense 0. The third,
/// at 39, could: it keeps the one slot that did not pass idle.
#[test]
fn counters_that_end_within_a_slot_collide() {
    let mut s = Scene::new(&[&[1], &[4], &[2]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.arrive(1, 24);
    s.arrive(2, 25);
    s.after(0, 30, true);
    let deference =
        |m: usize| Deference { nav: Duration::ZERO, ifs: Duration::from_nanos([DIFS, 0, DIFS][m]) };
    s.contention.release(at(30), &mut s.dice, deference);
    s.access(37, &[0]);
    s.access(38, &[1]);
    s.nobody();
    s.release(48, &[DIFS, DIFS, EIFS]);
    s.access(48 + EIFS + SLOT, &[2]);
    s.end();
}

/// A sender gives up at 38 with nothing more to send, when another, at 37, has started but
/// can't be sensed yet. A new frame at 38 waits for its backoff of 2 after that.
#[test]
fn a_timeout_inside_the_slot_of_another_start() {
    let mut s = Scene::new(&[&[2], &[]]);
    s.arrive(0, 20);
    s.access(20, &[0]);
    s.release(30, &[DIFS, DIFS]);
    s.arrive(1, 37);
    s.access(37, &[1]);
    s.after(0, 38, false);
    s.arrive(0, 38);
    s.nobody();
    s.release(47, &[DIFS, DIFS]);
    s.access(47 + DIFS + 2 * SLOT, &[0]);
    s.end();
}
