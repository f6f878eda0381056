//! What cards and hosts add to the air, by hand.
//!
//! As in `exchanges`: 11a with EDCA at 54 Mbit/s, data of 1538 octets 252 us, SIFS 16, an Ack 28, AIFS 34. A frame that is sent at 100
//! arrives at 352, and one that waits behind it begins at 430 and arrives at 682.

use airtcp_plan::{
    AggregatesFormed, AirPlan, CardPlan, HardwareQueue, HardwareQueueSize, HostDelay, InterruptModeration,
    MacAddress, ModerationLoad, NicRole, QueuePlan, TxInterrupt, Variate,
};
use airtcp_testing::plans::mac;
use airtcp_units::Instant;

use super::hosts::{BEYOND, Hosts, us};
use super::plans::{AT_ONCE, aggregating, no_backoff, set_rssi};
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

const fn moderation(first_us: u64, last_us: u64, frames: Option<u32>) -> InterruptModeration {
    InterruptModeration {
        after_first_ns: Some(first_us * 1000),
        after_last_ns: Some(last_us * 1000),
        frames,
        load: None,
    }
}

const fn timers(first_us: u64, last_us: u64, frames: Option<u32>) -> CardPlan {
    CardPlan { rx_interrupt: Some(moderation(first_us, last_us, frames)), ..CardPlan::IDEAL }
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

/// At 65 Mbit/s a PPDU of 5484 us holds 28 MPDUs. What the card has taken is no longer in a queue that drops or schedules, but still
/// counts as in flight.
#[test]
fn a_card_takes_frames_before_the_medium_is_won() {
    let queues = [
        (None, 0),
        (Some(HardwareQueueSize::Ppdus { count: 1 }), 28),
        (Some(HardwareQueueSize::Ppdus { count: 2 }), 56),
        (Some(HardwareQueueSize::Frames { count: 40 }), 40),
        (Some(HardwareQueueSize::Frames { count: 100 }), 100),
        // MPDUs of 1538 octets take 189.3 us each at 65 Mbit/s.
        (Some(HardwareQueueSize::Airtime { ns: 4_000_000 }), 22),
    ];
    let at_access = |size| HardwareQueue { size, aggregates: AggregatesFormed::AtAccess };
    for (size, below) in queues {
        let hardware_queue = size.map(at_access);
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
        let held: u32 = h.world.low.buffers.waiting(STA1);
        assert!(held.abs_diff(below) <= 1, "{hardware_queue:?}: {held} MPDUs");
        assert_eq!(h.world.in_flight(STA1), 200);
        h.settle();
        assert_eq!(delivered(&h).len(), 200, "{hardware_queue:?}");
        h.finish();
    }
}

/// What a station does with two frames of 100, with this card.
fn sent(card: CardPlan) -> Vec<String> {
    let mut plan = edca(CardPlan::IDEAL);
    plan.nics[1].card = card;
    let mut h = Hosts::new(plan, 1);
    h.send_at(100, STA1, BEYOND);
    h.send_at(100, STA1, BEYOND);
    h.settle();
    assert_eq!((h.unended, h.held), (0, 0), "nothing is left");
    h.finish();
    h.actions()
}

const fn completions(moderation: InterruptModeration) -> CardPlan {
    CardPlan { tx_interrupt: Some(TxInterrupt::Own(moderation)), ..CardPlan::IDEAL }
}

/// Acknowledged at 396 and 726, received at 352 and 682.
#[test]
fn completions_wait_for_their_interrupt() {
    let received = ["352 deliver 0 to ap", "682 deliver 1 to ap"];
    let with = |at: [u64; 2]| {
        let completed = [format!("{} sent 0 of sta1", at[0]), format!("{} sent 1 of sta1", at[1])];
        let mut all: Vec<String> = received.map(str::to_owned).into_iter().chain(completed).collect();
        all.sort_by_key(|line| line.split(' ').next().and_then(|at| at.parse::<u64>().ok()));
        all
    };
    assert_eq!(sent(CardPlan::IDEAL), with([396, 726]));
    assert_eq!(sent(completions(moderation(1000, 1000, Some(256)))), with([1396, 1396]));
    assert_eq!(sent(completions(moderation(1000, 200, Some(256)))), with([596, 926]));
    assert_eq!(sent(completions(moderation(1000, 1000, Some(2)))), with([726, 726]));
    // The poll of the first completion, which the second joins.
    let delay = Some(HostDelay { fixed_ns: 400_000, jitter_ns: None });
    assert_eq!(sent(CardPlan { host_delay: delay, ..CardPlan::IDEAL }), with([796, 796]));
}

/// A queue of two frames is full until the first is completed, not until it is acknowledged: a qdisc waits for that.
#[test]
fn a_full_queue_wakes_its_qdisc_at_the_completion() {
    for (card, wakes) in [(CardPlan::IDEAL, 396), (completions(moderation(1000, 1000, None)), 1396)] {
        let mut plan = edca(CardPlan::IDEAL);
        (plan.nics[1].card, plan.nics[1].backpressure) = (card, true);
        plan.nics[1].queue = QueuePlan::Fifo { packets: 2 };
        let mut h = Hosts::new(plan, 1);
        h.send_at(100, STA1, BEYOND);
        h.send_at(100, STA1, BEYOND);
        h.settle();
        let flow_control =
            h.log.iter().filter(|(_, a)| matches!(a, Action::Stop { .. } | Action::Wake { .. }));
        let at: Vec<_> = flow_control.map(|(at, _)| at.as_nanos() / 1000).collect();
        assert_eq!(at, [100, wakes]);
    }
}

/// The access point's frame is acknowledged at 396; one arrives there at 752. The timer after the last of them ends at 1252, and one
/// poll handles both, completions first.
#[test]
fn completions_may_take_part_in_the_interrupt_of_reception() {
    let card = CardPlan { tx_interrupt: Some(TxInterrupt::WithReception), ..timers(2000, 500, None) };
    let mut h = Hosts::new(edca(card), 1);
    let to = h.mac(STA1);
    h.send_at(100, NicId(0), to);
    h.send_at(500, STA1, BEYOND);
    h.settle();
    h.expect_actions(
        "352 deliver 0 to sta1
         752 hold 1
         796 sent 1 of sta1
         1252 sent 0 of ap
         1252 deliver 1 to ap
         1252 release 1",
    );
    h.finish();
}

/// 151 frames of 1538 octets in the first 50 ms are 37 Mbit/s. Moderation begins then, and ends after a period without load.
#[test]
fn moderation_begins_and_ends_with_the_load() {
    let load = Some(ModerationLoad { above_bps: 30_000_000, every_ns: 50_000_000 });
    let moderated = InterruptModeration { load, ..moderation(1000, 1000, None) };
    let mut plan = edca(CardPlan { rx_interrupt: Some(moderated), ..CardPlan::IDEAL });
    plan.nics[1].queue = QueuePlan::Fifo { packets: 400 };
    let mut h = Hosts::new(plan, 1);
    let send = |h: &mut Hosts, count| (0..count).for_each(|_| h.give(STA1, (h.mac(STA1), BEYOND), 1514, 0));
    send(&mut h, 300);
    h.drain();
    h.advance_to(us(120_000));
    let before = delivered(&h);
    assert_eq!(before.len(), 300);
    let (at_once, later): (Vec<_>, Vec<_>) = before.into_iter().partition(|&at| at < 50_000);
    assert!(at_once.windows(2).all(|pair| pair[1] - pair[0] == 330), "one interrupt for each frame");
    // Four frames arrive in a millisecond.
    assert!(later.chunks(4).all(|poll| poll.iter().all(|at| *at == poll[0])), "{later:?}");
    h.advance_to(us(160_000));
    send(&mut h, 1);
    h.drain();
    h.advance_to(us(200_000));
    assert_eq!(delivered(&h).last(), Some(&160_252), "nothing was received from 100 to 150 ms");
}

fn at_entry(size: HardwareQueueSize) -> CardPlan {
    let queue = HardwareQueue { size, aggregates: AggregatesFormed::AtEntry };
    CardPlan { hardware_queue: Some(queue), ..CardPlan::IDEAL }
}

/// A station with aggregates of three MPDUs at most, and an access point that it does not hear, to spoil what it sends.
fn with_three_mpdus(card: CardPlan) -> Hosts {
    let mut plan = aggregating(1, 7);
    plan.nics.iter_mut().for_each(|nic| nic.aggregation.as_mut().expect("HT").ampdu_bytes = 4630);
    plan.nics[1].card = card;
    let mut cell = plan.cells[0].clone();
    cell.name = "neighbour".to_owned();
    plan.cells.push(cell);
    let mut other = plan.nics[0].clone();
    (other.node, other.mac, other.role, other.cell) = ("other".to_owned(), mac(77), NicRole::AccessPoint, 1);
    plan.nics.push(other);
    set_rssi(&mut plan, &[(1, 2, -100.0)]);
    Hosts::new(plan, 1)
}

/// The first two frames are alone: there was room for each when it came. The second of the third PPDU is hit. Its repetition is formed
/// when that PPDU ends, behind the one that was ready then.
#[test]
fn what_is_lost_of_a_formed_aggregate_enters_anew() {
    let mut h = with_three_mpdus(at_entry(HardwareQueueSize::Ppdus { count: 1 }));
    h.advance_to(us(100));
    for _ in 0..11 {
        h.give(STA1, (h.mac(STA1), BEYOND), 1514, 0);
    }
    h.drain();
    h.send_as(960, NicId(2), MacAddress::BROADCAST, (60, 0));
    h.expect_history(
        "100 328 sta1>ap data 65 1 received
         344 372 ap>sta1 ack 24 1 received
         406 634 sta1>ap data 65 1 received
         650 678 ap>sta1 ack 24 1 received
         960 1096 other>all data 6 1 received
         712 1320 sta1>ap data 2 3! 4 65 1 received
         1336 1368 ap>sta1 ba 24 1 received
         1402 2010 sta1>ap data 5 6 7 65 1 received
         2026 2058 ap>sta1 ba 24 1 received
         2092 2700 sta1>ap data 3 8 9 65 2 received
         2716 2748 ap>sta1 ba 24 2 received
         2782 3010 sta1>ap data 65 1 received
         3026 3054 ap>sta1 ack 24 1 received",
    );
    assert_eq!(h.finish().nics[1].sent, 11);
}

/// Formed at access, the repetition goes first.
#[test]
fn what_is_lost_goes_first_where_aggregates_are_formed_at_access() {
    let queue =
        HardwareQueue { size: HardwareQueueSize::Ppdus { count: 1 }, aggregates: AggregatesFormed::AtAccess };
    let mut h = with_three_mpdus(CardPlan { hardware_queue: Some(queue), ..CardPlan::IDEAL });
    h.advance_to(us(100));
    for _ in 0..10 {
        h.give(STA1, (h.mac(STA1), BEYOND), 1514, 0);
    }
    h.drain();
    h.send_as(660, NicId(2), MacAddress::BROADCAST, (60, 0));
    h.settle();
    let again = h.timeline().into_iter().find(|line| line.contains(" 65 2 ")).expect("one is repeated");
    assert!(again.starts_with("1096 ") && again.contains("data 2 4 5 "), "{again}");
}

/// Frames, and time at 65 Mbit/s (MPDUs of 1538 octets: 189.3 us), that a card holds where nothing is formed across its queue.
#[test]
fn a_queue_of_formed_aggregates_holds_as_much_as_its_unit_says() {
    for (size, held) in [
        (HardwareQueueSize::Ppdus { count: 2 }, 1 + 28 + 28),
        (HardwareQueueSize::Frames { count: 40 }, 40),
        (HardwareQueueSize::Airtime { ns: 4_000_000 }, 22),
    ] {
        let mut plan = aggregating(1, 7);
        plan.nics[1].queue = QueuePlan::Fifo { packets: 300 };
        plan.nics[1].card = at_entry(size);
        let mut h = Hosts::new(plan, 1);
        h.advance_to(us(100));
        for _ in 0..200 {
            h.give(STA1, (h.mac(STA1), BEYOND), 1514, 0);
        }
        h.drain();
        // The second single frame is on the air.
        h.advance_to(us(700));
        assert_eq!(h.world.low.buffers.in_aggregates(STA1), held, "{size:?}");
        h.settle();
        assert_eq!(delivered(&h).len(), 200, "{size:?}");
        h.finish();
    }
}
