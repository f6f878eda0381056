//! What cards and hosts add to the air, by hand.
//!
//! As in `exchanges`: 11a with EDCA at 54 Mb/s, data of 1538 octets 252 us, SIFS 16, an Ack 28, AIFS 34. A frame that is sent at 100
//! arrives at 352, and one that waits behind it begins at 430 and arrives at 682.

use airtcp_plan::{AirPlan, CardPlan, HardwareQueue, HostDelay, QueuePlan, RxInterrupt, Variate};
use airtcp_units::Instant;

use super::hosts::{BEYOND, Hosts, us};
use super::plans::{AT_ONCE, aggregating, no_backoff};
use crate::NicId;
use crate::high::Action;

const STA1: NicId = NicId(1);
const STA2: NicId = NicId(2);

fn edca(card: CardPlan) -> AirPlan {
    let mut plan = no_backoff(2, 7);
    plan.cells[0].access = vec![AT_ONCE; 4];
    plan.nics[0].card = card;
    plan
}

const fn timers(first_us: u64, last_us: u64, frames: Option<u32>) -> CardPlan {
    let interrupt =
        RxInterrupt { after_first_ns: Some(first_us * 1000), after_last_ns: Some(last_us * 1000), frames };
    CardPlan { rx_interrupt: Some(interrupt), ..CardPlan::IDEAL }
}

/// When the access point's host gets the frames that a station sends at 100.
fn polls(card: CardPlan, frames: u32) -> Vec<u64> {
    let mut h = Hosts::new(edca(card), 1);
    for _ in 0..frames {
        h.send_at(100, STA1, BEYOND);
    }
    h.settle();
    assert_eq!((h.unended, h.held), (0, 0), "nothing is left");
    delivered(&h)
}

fn delivered(h: &Hosts) -> Vec<u64> {
    let at = |(at, action): &(Instant, Action)| {
        matches!(action, Action::Deliver { .. }).then_some(at.as_nanos() / 1000)
    };
    h.log.iter().filter_map(at).collect()
}

#[test]
fn an_ideal_card_interrupts_at_once() {
    assert_eq!(polls(CardPlan::IDEAL, 3), [352, 682, 1012]);
}

/// The sender completes its frame when it is acknowledged, and the receiver holds it until the interrupt.
#[test]
fn the_last_frame_starts_its_timer_anew() {
    let mut h = Hosts::new(edca(timers(2000, 500, None)), 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA1, BEYOND);
    h.settle();
    h.expect_actions(
        "352 hold 0
         396 sent 0 of sta1
         682 hold 1
         726 sent 1 of sta1
         1182 deliver 0 to ap
         1182 release 0
         1182 deliver 1 to ap
         1182 release 1",
    );
}

/// 352 + 600 is before 682 + 500. Frames that arrive later begin anew: the third at 1012 with 500.
#[test]
fn the_first_frame_bounds_the_time() {
    assert_eq!(polls(timers(600, 500, None), 3), [952, 952, 1512]);
    assert_eq!(polls(timers(600, 300, None), 2), [652, 982]);
}

/// With a timer of 340 after the last frame, the first one's time is over at 1052: at 352 + 700, three frames together.
#[test]
fn one_interrupt_has_the_frames_of_several_ppdus() {
    assert_eq!(polls(timers(700, 340, None), 4), [1052, 1052, 1052, 1682]);
}

#[test]
fn a_count_interrupts_before_the_timers() {
    assert_eq!(polls(timers(2000, 2000, Some(2)), 3), [682, 682, 3012]);
}

/// The interrupt of the first frame at 352 leads to a poll at 752, which the second frame joins.
#[test]
fn frames_join_a_poll_that_has_not_begun() {
    let delay = HostDelay { fixed_ns: 400_000, jitter_ns: None };
    let card = CardPlan { host_delay: Some(delay), ..CardPlan::IDEAL };
    assert_eq!(polls(card, 3), [752, 752, 1412]);
    let both = CardPlan { host_delay: Some(delay), ..timers(2000, 100, None) };
    assert_eq!(polls(both, 2), [852, 852]);
}

#[test]
fn jitter_depends_on_the_seed_alone_and_keeps_the_order() {
    let jitter = Variate::Lognormal { median: 300_000, sigma: 1.0, least: None, most: Some(3_000_000) };
    let delay = HostDelay { fixed_ns: 20_000, jitter_ns: Some(jitter) };
    let run = |seed| {
        let mut h = Hosts::new(edca(CardPlan { host_delay: Some(delay), ..CardPlan::IDEAL }), seed);
        for at in 0..50 {
            h.send_at(1000 * at, STA1, BEYOND);
        }
        h.settle();
        let frames: Vec<_> = h
            .log
            .iter()
            .filter_map(|(_, action)| match action {
                Action::Deliver { frame, .. } => Some(frame.0),
                _ => None,
            })
            .collect();
        assert!(frames.is_sorted() && frames.len() == 50, "{frames:?}");
        delivered(&h)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// The access point's host forwards between stations, so what it forwards waits as well.
#[test]
fn relayed_frames_wait_too() {
    let mut h = Hosts::new(edca(timers(500, 500, None)), 1);
    let to = h.mac(STA2);
    h.send_at(100, STA1, to);
    h.settle();
    assert_eq!(delivered(&h), [852 + 252]);
}

/// What waits at the end of a run is handed over then.
#[test]
fn the_end_of_a_run_empties_the_cards() {
    let mut h = Hosts::new(edca(timers(50_000, 50_000, None)), 1);
    h.send_at(100, STA1, BEYOND);
    h.advance_to(us(1000));
    h.finish();
    assert_eq!((delivered(&h), h.held), (vec![1000], 0));
}

/// At 65 Mb/s a PPDU of 5484 us holds 28 MPDUs. What the card has taken is no longer in a queue that drops or schedules, but still
/// counts as in flight.
#[test]
fn a_card_takes_frames_before_the_medium_is_won() {
    let queues = [
        (None, 0),
        (Some(HardwareQueue::Ppdus { count: 1 }), 28),
        (Some(HardwareQueue::Ppdus { count: 2 }), 56),
        (Some(HardwareQueue::Frames { count: 40 }), 40),
        (Some(HardwareQueue::Frames { count: 100 }), 100),
    ];
    for (hardware_queue, below) in queues {
        let mut plan = aggregating(1, 7);
        plan.nics[1].queue = QueuePlan::Fifo { packets: 300 };
        plan.nics[1].card.hardware_queue = hardware_queue;
        let mut h = Hosts::new(plan, 1);
        h.advance_to(us(100));
        for _ in 0..200 {
            h.give(STA1, (h.mac(STA1), BEYOND), 1514, 0);
        }
        h.drain();
        h.advance_to(us(200));
        // The first frame, alone, or what the card held of the first instant is on the air.
        let held: u32 = h.world.low.radios[STA1].edcafs.iter().map(|edcaf| edcaf.held).sum();
        assert!(held.abs_diff(below) <= 1, "{hardware_queue:?}: {held} MPDUs");
        assert_eq!(h.world.in_flight(STA1), 200);
        h.settle();
        assert_eq!(delivered(&h).len(), 200, "{hardware_queue:?}");
        h.finish();
    }
}
