//! The air captured: everything that was on it, and nothing changes by it.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_units::Instant;
use proptest::prelude::*;

use super::history::{play, play_captured, step};
use super::hosts::{BEYOND, Hosts};
use super::plans::no_backoff;
use super::random_plans::knobs;
use crate::border::{MpduKind, Receiver};
use crate::low::{Ppdu, Reception, UserId};
use crate::trace::{CapturedMpdu, CapturedPpdu, PpduOutcome, PpduRecord};
use crate::{NicId, PpduKind, TimeSpan};

type Check = Result<(), TestCaseError>;

/// What is captured: each PPDU for each user, but once what is one frame for all.
fn with_contents(h: &Hosts) -> impl Iterator<Item = (&Ppdu, UserId, &PpduRecord)> {
    h.users().filter(|(ppdu, user, _)| *user == UserId::FIRST || !ppdu.is_one_frame_for_all())
}

/// Every PPDU that ended is captured, as its record and the journal have it.
fn says_what_happened(h: &Hosts) -> Check {
    prop_assert_eq!(h.captured.ppdus().len(), with_contents(h).count());
    for (captured, (ppdu, user, record)) in h.captured.ppdus().iter().zip(with_contents(h)) {
        let own = (captured.start_ns, captured.end_ns, captured.nic, captured.kind, captured.bytes);
        prop_assert_eq!(own, (record.start_ns, record.end_ns, record.nic, record.kind, record.bytes));
        if ppdu.is_one_frame_for_all() {
            let any_read = ppdu.users.ids().any(|user| ppdu.outcome(user) == PpduOutcome::Received);
            prop_assert_eq!((captured.to, captured.outcome == PpduOutcome::Received), (None, any_read));
        } else {
            prop_assert_eq!((captured.to, captured.outcome), (record.to, record.outcome));
        }
        let mpdus = h.captured.mpdus(captured);
        prop_assert_eq!(mpdus.len(), ppdu.mpdus[user].len());
        for ((told, mpdu), reception) in mpdus.iter().zip(&ppdu.mpdus[user]).zip(&ppdu.received[user]) {
            prop_assert_eq!((told.bytes, told.tid, told.sequence), (mpdu.bytes, mpdu.tid, mpdu.sequence));
            let read = match ppdu.users[user].receiver {
                Receiver::One(_) | Receiver::Absent => *reception == Reception::Good,
                Receiver::Group => captured.outcome == PpduOutcome::Received,
            };
            prop_assert_eq!(told.received, read);
            let is_data = matches!(mpdu.kind, MpduKind::Data | MpduKind::Aggregable);
            prop_assert_eq!(h.captured.frames(told).is_empty(), !is_data);
        }
    }
    Ok(())
}

/// A trigger frame names its users, in their RUs, and a `BlockAck` for all those whose data has come.
fn frames_for_all_name_their_stations(h: &Hosts) -> Check {
    for (captured, (ppdu, user, _)) in h.captured.ppdus().iter().zip(with_contents(h)) {
        let ends_psdu = ppdu.users[user].own_trigger.is_some();
        prop_assert_eq!(captured.trigger.is_some(), ppdu.is_trigger_frame() || ends_psdu);
        let stations: Vec<_> = h.captured.triggered(captured).iter().map(|of| of.station).collect();
        let asked: Vec<_> = match (ppdu.is_trigger_frame(), ends_psdu) {
            (true, _) => ppdu.users.iter().map(|user| user.receiver.nic()).collect(),
            (false, true) => vec![ppdu.users[user].receiver.nic()],
            (false, false) => Vec::new(),
        };
        prop_assert_eq!(stations, asked);
        let acknowledged = h.captured.acknowledged(captured).iter().map(|of| Some(of.station));
        let expected = ppdu.users.iter().map(|user| user.receiver.nic());
        if ppdu.kind == PpduKind::MultiStaBlockAck {
            prop_assert!(acknowledged.eq(expected), "{:?}", ppdu);
        } else {
            prop_assert_eq!(acknowledged.count(), 0);
        }
    }
    Ok(())
}

/// Frames had not ended when they were captured, and belong to their sender.
fn frames_are_the_senders(h: &Hosts) -> Check {
    for (ppdu, living) in h.captured.ppdus().iter().zip(&h.living_then) {
        prop_assert!(*living, "a frame of {:?} had ended", ppdu);
        for mpdu in h.captured.mpdus(ppdu) {
            for frame in h.captured.frames(mpdu) {
                prop_assert_eq!(h.given[frame.index()].0, ppdu.nic);
            }
        }
    }
    Ok(())
}

/// A retry is of something that was on the air before, and only a retry is.
fn retries_are_marked(h: &Hosts) -> Check {
    let mut seen = BTreeSet::new();
    let key = |ppdu: &CapturedPpdu, mpdu: &CapturedMpdu| {
        h.captured.frames(mpdu).first().map(|frame| (ppdu.nic, *frame))
    };
    for ppdu in h.captured.ppdus().iter().filter(|ppdu| ppdu.kind == PpduKind::Data) {
        for mpdu in h.captured.mpdus(ppdu) {
            let again = !seen.insert(key(ppdu, mpdu));
            prop_assert_eq!(mpdu.retry, again, "{:?}", mpdu);
        }
    }
    Ok(())
}

/// The bitmap of a `BlockAck` has the MPDUs that it answers as they were received.
fn block_acks_say_what_arrived(h: &Hosts) -> Check {
    let mut asked: BTreeMap<_, (&Ppdu, UserId)> = BTreeMap::new();
    for (captured, (ppdu, user, _)) in h.captured.ppdus().iter().zip(with_contents(h)) {
        if let (Some(to), false) = (captured.to, ppdu.mpdus[user].is_empty()) {
            asked.insert((captured.nic, to), (ppdu, user));
        }
        let Some(block_ack) = captured.block_ack else { continue };
        prop_assert_eq!(captured.kind, PpduKind::BlockAck);
        let bitmap = h.captured.bitmap(&block_ack);
        prop_assert_eq!(bitmap.len() + 24, captured.bytes as usize);
        let (of, user) = asked[&(captured.to.expect("an answer is for one"), captured.nic)];
        prop_assert_eq!(
            (block_ack.tid, block_ack.start),
            (of.mpdus[user][0].tid, of.mpdus[user][0].sequence)
        );
        for (mpdu, reception) in of.mpdus[user].iter().zip(&of.received[user]) {
            let place = usize::from(mpdu.sequence.wrapping_sub(block_ack.start) & 0xfff);
            let said = bitmap[place / 8] >> (place % 8) & 1 == 1;
            let is_data = mpdu.kind == MpduKind::Aggregable;
            prop_assert!(!is_data || said == (*reception == Reception::Good), "{:?}", mpdu);
        }
    }
    Ok(())
}

/// A reader that sorts by starts never has to take back what it has passed on.
fn what_is_still_to_come_is_known(h: &Hosts) -> Check {
    let ppdus = h.captured.ppdus();
    let mut earliest = i64::MAX;
    for ppdu in ppdus.iter().rev() {
        // Something may begin now, or before an answer that is known already.
        let bound = ppdu.on_air_since_ns.unwrap_or(ppdu.end_ns).min(ppdu.end_ns);
        prop_assert!(earliest >= bound, "{:?}", ppdu);
        earliest = earliest.min(ppdu.start_ns);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_capture_has_everything_and_changes_nothing(knobs in knobs(), steps in prop::collection::vec(step(), 1..40)) {
        let h = play_captured(&knobs, &steps);
        for check in [
            says_what_happened,
            frames_for_all_name_their_stations,
            frames_are_the_senders,
            retries_are_marked,
            block_acks_say_what_arrived,
            what_is_still_to_come_is_known,
        ] {
            if let Err(broken) = check(&h) {
                let story = format!("{}\n\n{}", h.timeline().join("\n"), h.actions().join("\n"));
                return Err(TestCaseError::fail(format!("{broken}\n{story}")));
            }
        }
        let plain = play(&knobs, &steps, &[]);
        prop_assert_eq!(&plain.log, &h.log);
        prop_assert_eq!(&plain.ppdus, &h.ppdus);
        prop_assert!(plain.captured.ppdus().is_empty());
    }
}

#[test]
fn what_starts_outside_of_the_span_is_not_captured() {
    let mut h = Hosts::new(no_backoff(1, 7), 1);
    h.world.capture(TimeSpan { start: Instant::from_nanos(1_000_000), end: Instant::from_nanos(2_000_000) });
    for at_us in [0, 1_000, 1_999, 2_000] {
        h.send_at(at_us, NicId(1), BEYOND);
    }
    h.settle();
    let data = h.captured.ppdus().iter().filter(|ppdu| ppdu.kind == PpduKind::Data);
    assert_eq!(data.map(|ppdu| ppdu.start_ns / 1000).collect::<Vec<_>>(), [1_000, 1_999]);
}
