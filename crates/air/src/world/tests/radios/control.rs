//! What control frames say that the lower half makes itself, to monitors and in captures.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_plan::{LinkLoss, MacAddress};
use airtcp_testing::plans::mac;
use airtcp_units::Instant;
use proptest::prelude::*;

use super::super::hosts::{AP, STA1, STA2};
use super::super::plans::aggregating;
use super::fake::{HeardFrame, Told};
use super::fleet::{Fleet, HT7, OnlySlow, address, on_linux};
use crate::border::{Addresses, Protection, RateChain, RateStage};
use crate::linux_mac::RadioMpduKind;
use crate::trace::{AirCapture, CapturedPpdu};
use crate::{NicId, PpduKind, TimeSpan};

const ALWAYS: TimeSpan = TimeSpan { start: Instant::ZERO, end: Instant::FAR_FUTURE };
/// Stations with agreements with the access point, and the last of them a monitor.
fn with_monitor(protection: Protection) -> Fleet {
    let mut fleet = Fleet::new(on_linux(aggregating(2, 7)), HT7);
    fleet.fake.aggregates = true;
    fleet.fake.chains[1] = RateChain::one(RateStage { tx: HT7, tries: 1, protection });
    fleet.world.monitor(fleet.now, STA2, true, &mut fleet.out);
    fleet.agree(STA1, mac(0), 64);
    fleet
}

fn only_heard(fleet: &mut Fleet) {
    let told = fleet.fake.told.as_mut().expect("it is kept");
    told.retain(|told| matches!(told, Told::Heard { .. }));
}

/// Two MPDUs and one: RTS (20 octets at 6 Mbit/s: 52 us), CTS (44), data (420 and 228), `BlockAck` (32) and Ack (28), SIFS 16 between.
#[test]
fn a_monitor_hears_rts_cts_ack_and_block_ack() {
    let mut fleet = with_monitor(Protection::RtsCts);
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.send_at(2000, STA1, mac(0), 1);
    fleet.expect_history(
        "100 152 sta1>ap rts 6 1 received
         168 212 ap>sta1 cts 6 1 received
         228 648 sta1>ap data 65 1 received
         664 696 ap>sta1 ba 24 1 received
         2000 2052 sta1>ap rts 6 1 received
         2068 2112 ap>sta1 cts 6 1 received
         2128 2356 sta1>ap data 65 1 received
         2372 2400 ap>sta1 ack 24 1 received",
    );
    only_heard(&mut fleet);
    // Each announces what is left of its exchange.
    fleet.expect_told(
        "152 sta2 hears rts sta1>ap 544
         212 sta2 hears cts ap>sta1 484
         696 sta2 hears blockack ap>sta1 0 0 0 0300000000000000
         2052 sta2 hears rts sta1>ap 348
         2112 sta2 hears cts ap>sta1 288
         2400 sta2 hears ack ap>sta1 0",
    );
    fleet.finish();
}

#[test]
fn a_cts_to_oneself_has_ones_own_address() {
    let mut fleet = with_monitor(Protection::CtsToSelf);
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.settle();
    only_heard(&mut fleet);
    fleet.expect_told(
        "144 sta2 hears cts sta1>sta1 484
         628 sta2 hears blockack ap>sta1 0 0 0 0300000000000000",
    );
    fleet.finish();
}

/// A radio that has begun to monitor knows nothing of MPDUs that were taken before; one that monitors no more hears nothing.
#[test]
fn who_does_not_monitor_hears_nothing() {
    let mut fleet = Fleet::new(on_linux(aggregating(2, 7)), HT7);
    fleet.fake.aggregates = true;
    fleet.agree(STA1, mac(0), 64);
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.at(200);
    fleet.world.monitor(fleet.now, STA2, true, &mut fleet.out);
    fleet.send_at(1000, STA1, mac(0), 2);
    fleet.at(2000);
    fleet.world.monitor(fleet.now, STA2, false, &mut fleet.out);
    fleet.send(STA1, mac(0), 2);
    fleet.settle();
    only_heard(&mut fleet);
    // Its agreement has been there for longer: the window ends with what arrived last.
    fleet.expect_told("1468 sta2 hears blockack ap>sta1 0 0 4036 00000000000000c0");
    fleet.finish();
}

/// A radio has the addresses of its interfaces, whatever the plan calls it.
#[test]
fn an_answer_comes_from_the_address_that_was_asked() {
    let other = MacAddress([2, 0, 0, 0, 7, 7]);
    let mut fleet = with_monitor(Protection::None);
    fleet.world.capture(ALWAYS);
    fleet.world.add_address(fleet.now, AP, other, &mut fleet.out);
    fleet.at(100);
    fleet.send_first(STA1, other, 100, RadioMpduKind::Management);
    fleet.settle();
    let expected = Addresses { receiver: address(STA1), transmitter: other };
    let heard = fleet.fake.told.iter().flatten().find_map(|told| match told {
        Told::Heard { frame, .. } => Some(frame.addresses),
        _ => None,
    });
    assert_eq!(heard, Some(expected));
    let ack = fleet.out.captured.ppdus().last().expect("it was captured");
    assert_eq!((ack.kind, ack.addresses, ack.primary_mhz), (PpduKind::Ack, Some(expected), 5180));
    fleet.finish();
}

/// Nothing has arrived, and the receiver is told not to wait for it.
#[test]
fn a_block_ack_req_is_answered_with_what_has_arrived_after_its_number() {
    let mut fleet = Fleet::with_errors(on_linux(aggregating(2, 1)), HT7, Box::new(OnlySlow));
    (fleet.fake.aggregates, fleet.fake.asks) = (true, true);
    fleet.world.monitor(fleet.now, STA2, true, &mut fleet.out);
    fleet.agree(STA1, mac(0), 64);
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.settle();
    only_heard(&mut fleet);
    fleet.expect_told(
        "739 sta2 hears blockack ap>sta1 0 0 1 0000000000000000
         913 sta2 hears blockack ap>sta1 0 0 2 0000000000000000",
    );
    fleet.finish();
}

/// Two stations that send to the access point over links which lose much, with few attempts: `BlockAckReq`s follow.
fn lossy(loss: f64, attempts: u32, window: u16) -> Fleet {
    let mut plan = on_linux(aggregating(3, attempts));
    for access in &mut plan.cells[0].access {
        (access.cw_min, access.cw_max) = (3, 15);
    }
    plan.channel.losses = [(1, 0), (2, 0), (0, 1)].map(|(from, to)| LinkLoss { from, to, loss }).to_vec();
    let mut fleet = Fleet::new(plan, HT7);
    (fleet.fake.aggregates, fleet.fake.asks) = (true, true);
    for station in [STA1, STA2] {
        fleet.agree(station, mac(0), window);
    }
    fleet
}

/// The numbers that have arrived at a radio for each sender, as its upper half got them.
fn arrived(fleet: &Fleet, at: NicId) -> BTreeMap<MacAddress, Vec<(Instant, u16)>> {
    let mut numbers: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for told in fleet.fake.told.iter().flatten() {
        let Told::Rx { at: when, nic, mpdus, .. } = told else { continue };
        let described = mpdus.iter().map(|&mpdu| fleet.fake.mpdus[mpdu as usize].0).filter(|_| *nic == at);
        for mpdu in described.filter(|mpdu| mpdu.kind == RadioMpduKind::Aggregable) {
            numbers.entry(mpdu.transmitter).or_default().push((*when, mpdu.sequence));
        }
    }
    numbers
}

/// A bitmap has exactly what arrived before it ended, of the numbers that it speaks of.
fn says_what_arrived(
    said: (Addresses, u16, &[u8]),
    fleet: &Fleet,
    ended: Instant,
) -> Result<(), TestCaseError> {
    let (addresses, start, bitmap) = said;
    let all = arrived(fleet, AP);
    let before = all.get(&addresses.receiver).into_iter().flatten().filter(|(when, _)| *when <= ended);
    let before: BTreeSet<u16> = before.map(|(_, number)| *number).collect();
    for place in 0..bitmap.len() as u16 * 8 {
        let number = (start + place) & 0xfff;
        let has = bitmap[usize::from(place / 8)] >> (place % 8) & 1 == 1;
        prop_assert_eq!(has, before.contains(&number), "{} of {} at {}", number, addresses.receiver, ended);
    }
    Ok(())
}

fn heard(fleet: &Fleet) -> impl Iterator<Item = (Instant, &HeardFrame)> {
    fleet.fake.told.iter().flatten().filter_map(|told| match told {
        Told::Heard { at, frame, .. } => Some((*at, frame)),
        _ => None,
    })
}

fn block_acks(captured: &AirCapture) -> impl Iterator<Item = &CapturedPpdu> {
    captured.ppdus().iter().filter(|ppdu| ppdu.kind == PpduKind::BlockAck)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whether it answers an aggregate or a `BlockAckReq`, for a monitor and in a capture.
    #[test]
    fn a_bitmap_says_what_arrived(
        (loss, attempts, window) in (0.1..0.7, 1..4_u32, prop_oneof![Just(8_u16), Just(64)]),
        batches in prop::collection::vec((1..3_u32, 1..30_u32, 0..4_000_u64), 1..12),
    ) {
        let mut fleet = lossy(loss, attempts, window);
        fleet.world.monitor(fleet.now, NicId(3), true, &mut fleet.out);
        fleet.world.capture(ALWAYS);
        let mut at_us = 100;
        for (from, count, pause_us) in batches {
            at_us += pause_us;
            fleet.send_at(at_us, NicId(from), mac(0), count);
        }
        fleet.settle();
        let mut of_monitor = Vec::new();
        for (at, frame) in heard(&fleet).filter(|(_, frame)| frame.kind == PpduKind::BlockAck) {
            let (tid, start, bitmap) = frame.block_ack.clone().expect("it says something");
            says_what_arrived((frame.addresses, start, &bitmap), &fleet, at)?;
            of_monitor.push((frame.addresses, tid, start, bitmap));
        }
        let captured: Vec<_> = block_acks(&fleet.out.captured)
            .filter(|ppdu| ppdu.outcome == crate::trace::PpduOutcome::Received)
            .map(|ppdu| {
                let said = ppdu.block_ack.expect("it says something");
                let bitmap = fleet.out.captured.bitmap(&said).to_vec();
                (ppdu.addresses.expect("they are known"), said.tid, said.start, bitmap)
            })
            .collect();
        // Nobody sends over another's answer, so the monitor reads all of them.
        prop_assert_eq!(of_monitor, captured);
        fleet.finish();
    }

    /// Neither a capture nor a monitor that has no traffic changes anything for the others.
    #[test]
    fn who_listens_changes_nothing(
        batches in prop::collection::vec((1..3_u32, 1..30_u32, 0..4_000_u64), 1..12),
    ) {
        let run = |listens: bool| {
            let mut fleet = lossy(0.3, 2, 64);
            if listens {
                fleet.world.monitor(fleet.now, NicId(3), true, &mut fleet.out);
                fleet.world.capture(ALWAYS);
            }
            let mut at_us = 100;
            for (from, count, pause_us) in &batches {
                at_us += pause_us;
                fleet.send_at(at_us, NicId(*from), mac(0), *count);
            }
            fleet.settle();
            let of_others = |told: &Told| {
                !matches!(told, Told::Rx { nic: NicId(3), .. } | Told::Heard { .. })
            };
            let told: Vec<_> = fleet.fake.told.iter().flatten().filter(|told| of_others(told)).cloned().collect();
            (fleet.finish(), fleet.ppdus, told)
        };
        prop_assert_eq!(run(true), run(false));
    }
}
