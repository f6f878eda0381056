//! Four EDCAFs in a NIC, with AIFSN 7, 3, 2 and 2 (IEEE 802.11-2020, Table 9-155).

use super::super::hearing::of_one_width;
use super::super::{Aifs, EdcafId, MemberId};
use super::scene::{DIFS, READABLE, SLOT, Scene, ns};
use crate::border::AccessCategory::{self, Background, BestEffort, Video, Voice};

/// AIFS = SIFS + AIFSN slots.
const AIFS: [u64; 4] = [15, 7, 5, 5];

fn edcaf(nic: u32, category: AccessCategory) -> EdcafId {
    EdcafId::new(MemberId(nic), category)
}

/// All hear each other.
fn scene(draws: &[&[u32]], aifs: impl Fn(u64) -> Aifs) -> Scene {
    Scene::with(draws, of_one_width(draws.len(), |_, _| true), &AIFS.map(aifs))
}

fn edca(aifs: u64) -> Aifs {
    Aifs::edca(ns(aifs))
}

fn whole_slots(aifs: u64) -> Aifs {
    Aifs::dcf(ns(aifs))
}

/// A PPDU of the last NIC from 20 to 30, during which frames come to these EDCAFs.
fn busy_until_30(s: &mut Scene, last: u32, arrivals: &[EdcafId]) {
    s.arrive_at(edcaf(last, Voice), 20);
    s.starts(20, &[edcaf(last, Voice)]);
    s.transmit(last, 20);
    for &edcaf in arrivals {
        s.arrive_at(edcaf, 25);
    }
    s.end(last, 30, READABLE);
}

/// ```text
/// t 30   35 37 39 41 43 45 47
/// VO -----.  .  .  A           5 + 3 slots
/// VI -----.  .  .  .  A        5 + 4
/// BE -------.  .  .  .  A      7 + 4
/// BK ---------------.  A       15 + 1
/// ```
#[test]
fn each_category_waits_for_its_own_aifs() {
    let mut s = scene(&[&[3], &[4], &[4], &[1], &[]], whole_slots);
    let waiting = [edcaf(0, Voice), edcaf(1, Video), edcaf(2, BestEffort), edcaf(3, Background)];
    busy_until_30(&mut s, 4, &waiting);
    for (access, edcaf) in [41, 43, 45, 47].into_iter().zip(waiting) {
        s.starts(access, &[edcaf]);
    }
    s.nobody();
}

/// A first frame waits for the AIFS of its category since the medium was busy.
#[test]
fn a_first_frame_waits_for_the_aifs_of_its_category() {
    for (category, access) in [(Voice, 35), (BestEffort, 37), (Background, 45)] {
        let mut s = scene(&[&[9], &[]], edca);
        busy_until_30(&mut s, 1, &[]);
        s.arrive_at(edcaf(0, category), 33);
        s.starts(access, &[edcaf(0, category)]);
    }
}

/// All EDCAFs whose access is now are returned, in their order; of one NIC's, one transmits and the other begins a backoff
/// (internal collision): it is frozen at once, though its NIC's carrier is less than a slot old.
#[test]
fn an_internal_collision() {
    for backoff_first in [true, false] {
        let mut s = scene(&[&[1, 2, 0], &[3], &[]], edca);
        let (best_effort, voice) = (edcaf(0, BestEffort), edcaf(0, Voice));
        busy_until_30(&mut s, 2, &[best_effort, voice, edcaf(1, Video)]);
        s.starts(39, &[best_effort, voice]);
        if backoff_first {
            s.after_at(best_effort, 39, true);
            s.transmit(0, 39);
        } else {
            s.transmit(0, 39);
            s.after_at(best_effort, 39, true);
        }
        s.nobody();
        s.end(0, 50, READABLE);
        // The other NIC's Voice would have started at 41: its third slot was taken, but has been counted.
        s.starts(50 + 5, &[edcaf(1, Video)]);
        s.starts(50 + 7, &[best_effort]);
    }
}

/// A NIC that transmits knows it at once: its Voice starts at 37 and its Video, which would at 38, does not, while that of
/// another NIC does.
#[test]
fn the_other_edcafs_of_a_nic_that_starts_are_silent() {
    for (aifs, left) in [(edca as fn(u64) -> Aifs, 0), (whole_slots, 1)] {
        let mut s = scene(&[&[1, 1], &[4], &[]], aifs);
        busy_until_30(&mut s, 2, &[edcaf(0, Voice)]);
        s.after_at(edcaf(0, Video), 31, true);
        s.apart(1, 31, 33);
        s.arrive_at(edcaf(1, Video), 36);
        s.starts(37, &[edcaf(0, Voice)]);
        s.transmit(0, 37);
        s.starts(38, &[edcaf(1, Video)]);
        s.transmit(1, 38);
        s.nobody();
        s.end(0, 50, READABLE);
        s.end(1, 50, READABLE);
        s.starts(50 + 5 + left * SLOT, &[edcaf(0, Video)]);
    }
}

/// Tie: a frame inside the first slot of its own NIC's PPDU finds the medium busy and draws (3); one of another NIC can't
/// know and starts.
#[test]
fn tie_a_frame_inside_the_first_slot_of_its_own_nics_ppdu() {
    let mut s = scene(&[&[3], &[]], edca);
    s.arrive_at(edcaf(0, Voice), 20);
    s.starts(20, &[edcaf(0, Voice)]);
    s.transmit(0, 20);
    s.arrive_at(edcaf(0, Video), 21);
    s.arrive_at(edcaf(1, Video), 21);
    s.starts(21, &[edcaf(1, Video)]);
    s.transmit(1, 21);
    s.nobody();
    s.end(0, 30, READABLE);
    s.end(1, 31, READABLE);
    s.starts(31 + 5 + 3 * SLOT, &[edcaf(0, Video)]);
}

/// A slot that another takes: an EDCAF has counted its beginning, a DCF station has not counted it.
#[test]
fn an_edcaf_counts_the_slot_that_another_takes() {
    for (aifs, left) in [(edca as fn(u64) -> Aifs, 2), (whole_slots, 3)] {
        let mut s = scene(&[&[5], &[2], &[]], aifs);
        busy_until_30(&mut s, 2, &[edcaf(0, Voice), edcaf(1, Voice)]);
        s.starts(39, &[edcaf(1, Voice)]);
        s.transmit(1, 39);
        s.end(1, 49, READABLE);
        s.starts(49 + 5 + left * SLOT, &[edcaf(0, Voice)]);
    }
}

/// A busy period before AIFS has passed takes nothing off, and of categories with a longer AIFS nothing at all.
#[test]
fn a_slot_before_aifs_does_not_count() {
    for aifs in [edca as fn(u64) -> Aifs, whole_slots] {
        let mut s = scene(&[&[2], &[2], &[]], aifs);
        busy_until_30(&mut s, 2, &[edcaf(0, Background), edcaf(1, Voice)]);
        s.starts(39, &[edcaf(1, Voice)]);
        s.transmit(1, 39);
        s.end(1, 49, READABLE);
        s.starts(49 + 15 + 2 * SLOT, &[edcaf(0, Background)]);
    }
}

/// DCF stations and EDCAFs share a medium, each by its rules.
#[test]
fn dcf_stations_and_edcafs_together() {
    let aifs = [Aifs::dcf(ns(DIFS)), edca(7), edca(5), edca(5)];
    let mut s = Scene::with(&[&[5], &[5], &[2], &[]], of_one_width(4, |_, _| true), &aifs);
    let waiting = [edcaf(0, Background), edcaf(1, Voice), edcaf(2, Voice)];
    busy_until_30(&mut s, 3, &waiting);
    s.starts(39, &[waiting[2]]);
    s.transmit(2, 39);
    s.end(2, 49, READABLE);
    s.starts(49 + 5 + 2 * SLOT, &[waiting[1]]);
    s.starts(49 + 5 + 3 * SLOT, &[waiting[0]]);
}
