//! What must hold in every history of one legacy cell in which all hear each other: random scenes, random frames.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_plan::{AirPlan, CodeChoice, MacAddress, Propagation, QueuePlan, Reception};
use airtcp_testing::plans::{cell, mac};
use airtcp_units::{Dbm, Duration};
use proptest::prelude::*;

use super::hosts::{AP, BEYOND, Hosts};
use super::plans::{allow_attempts, at_2_4_ghz};
use crate::high::{Action, DropReason};
use crate::trace::{PpduOutcome, PpduRecord};
use crate::{NicId, PpduKind};

#[derive(Clone, Debug)]
struct Given {
    gap_ns: u64,
    from: u32,
    to: u32,
    bytes: u32,
}

fn given(stations: u32) -> impl Strategy<Value = Given> {
    // Gaps of 0, of less than a slot, and of the length of exchanges.
    let gap = prop_oneof![Just(0), 0..9_000_u64, 0..600_000_u64];
    (gap, 0..=stations, 0..stations + 3, 60..1515_u32).prop_map(|(gap_ns, from, to, bytes)| Given {
        gap_ns,
        from,
        to,
        bytes,
    })
}

fn scene() -> impl Strategy<Value = (AirPlan, Vec<Given>)> {
    let knobs = (0..6_u32, 1..5_u32, 1..6_u32, any::<bool>(), any::<bool>());
    (1..6_u32, any::<bool>(), knobs).prop_flat_map(|(stations, erp, knobs)| {
        let (cw_exponent, retry_limit, queue, backpressure, noisy) = knobs;
        let mut plan = cell(stations);
        if erp {
            at_2_4_ghz(&mut plan);
        }
        plan.cells[0].access[0].cw_min = (1 << cw_exponent) - 1;
        plan.cells[0].access[0].cw_max = 127;
        allow_attempts(&mut plan.cells[0], retry_limit);
        for nic in &mut plan.nics {
            nic.queue = QueuePlan::Fifo { packets: queue };
            nic.backpressure = backpressure;
        }
        if noisy {
            // 15.5 dB of SNR: at 54 Mbit/s most long frames are lost, some short ones too.
            plan.channel.propagation =
                Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-93.99 + 15.5) };
            plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
        }
        (Just(plan), prop::collection::vec(given(stations), 1..60))
    })
}

fn play(plan: &AirPlan, frames: &[Given]) -> Hosts {
    let stations = plan.nics.len() as u32 - 1;
    let mut h = Hosts::new(plan.clone(), 9);
    for frame in frames {
        let to = match frame.to {
            0 => h.mac(AP),
            s if s <= stations => mac(s),
            s if s == stations + 1 => BEYOND,
            _ => MacAddress::BROADCAST,
        };
        h.advance_to(h.now + Duration::from_nanos(frame.gap_ns));
        let from = NicId(frame.from);
        h.give(from, (h.mac(from), to), frame.bytes, 0);
        h.drain();
    }
    h
}

proptest! {
    #[test]
    fn every_history_is_legal((plan, frames) in scene()) {
        let mut h = play(&plan, &frames);
        h.settle();
        let report = h.finish();
        for nic in &report.nics {
            prop_assert_eq!(nic.in_flight, 0);
            prop_assert_eq!(nic.accepted, nic.sent + nic.dropped.values().sum::<u64>());
            prop_assert_eq!(nic.retries <= nic.transmissions, true);
        }
        let accepted: u64 = report.nics.iter().map(|n| n.accepted).sum();
        prop_assert_eq!(accepted, h.given.len() as u64);
        check_actions(&h)?;
        check_air(&h.ppdus, senses_energy_only(&plan))?;
        let airtime: u64 = h.ppdus.iter().map(|p| (p.end_ns - p.start_ns) as u64).sum();
        prop_assert_eq!(airtime, report.nics.iter().map(|n| n.airtime_ns).sum::<u64>());
    }

    /// In the middle of a history the books balance too (the model asserts it), and the
    /// same history has the same end.
    #[test]
    fn the_same_history_has_the_same_end((plan, frames) in scene()) {
        let [mut a, mut b] = [play(&plan, &frames), play(&plan, &frames)];
        prop_assert_eq!(a.finish(), b.finish());
        prop_assert_eq!(&a.log, &b.log);
        prop_assert_eq!(a.ppdus, b.ppdus);
    }
}

/// Each frame ends once and last; nobody gets it twice; receivers see each sender's order.
fn check_actions(h: &Hosts) -> Result<(), TestCaseError> {
    let mut ended = BTreeMap::new();
    let mut delivered = BTreeSet::new();
    let mut last_from_sender: BTreeMap<NicId, u64> = BTreeMap::new();
    let mut stopped = BTreeSet::new();
    for &(_, action) in &h.log {
        match action {
            Action::Deliver { nic, frame } => {
                prop_assert!(!ended.contains_key(&frame), "{:?} delivered after its end", frame);
                prop_assert!(delivered.insert((nic, frame)), "{:?} delivered twice", frame);
            }
            Action::Relay { frame, .. } => prop_assert!(!ended.contains_key(&frame)),
            Action::Sent { nic, frame } | Action::Dropped { nic, frame, .. } => {
                prop_assert!(ended.insert(frame, action).is_none(), "{:?} ends twice", frame);
                let at_once = matches!(action, Action::Dropped { reason, .. }
                    if reason != DropReason::RetryLimit);
                if !at_once {
                    let last = last_from_sender.insert(nic, frame.0);
                    prop_assert!(last.is_none_or(|last| last < frame.0), "{:?} overtook", frame);
                }
            }
            Action::Stop { nic } => prop_assert!(stopped.insert(nic), "stopped twice"),
            Action::Wake { nic } => prop_assert!(stopped.remove(&nic), "woken without need"),
            Action::Hold { .. } | Action::Release { .. } | Action::MarkCe { .. } => {
                prop_assert!(false, "this MAC neither holds nor marks");
            }
        }
    }
    prop_assert_eq!(ended.len(), h.given.len());
    prop_assert!(stopped.is_empty(), "empty queues are awake");
    Ok(())
}

/// Whether a NIC that missed the preamble of another does not sense the rest of its PPDU.
fn senses_energy_only(plan: &AirPlan) -> bool {
    let Propagation::Rssi { default_dbm, .. } = plan.channel.propagation else { panic!("powers are given") };
    default_dbm < plan.channel.midpacket_detection_dbm
}

/// PPDUs overlap only where they collide, and an acknowledgement follows its data by SIFS.
fn check_air(ppdus: &[PpduRecord], energy_only: bool) -> Result<(), TestCaseError> {
    let mut by_start = ppdus.to_vec();
    by_start.sort_by_key(|p| p.start_ns);
    let mut busy_until = i64::MIN;
    let mut collision_until = i64::MIN;
    for (i, p) in by_start.iter().enumerate() {
        let collided = p.outcome == PpduOutcome::Collision;
        prop_assert!(
            p.start_ns >= busy_until || (collided && p.start_ns < collision_until),
            "{:?} overlaps",
            p
        );
        if collided {
            // Its partner started less than a slot before or after it; or before, unnoticed.
            let partner = by_start.iter().enumerate().any(|(j, q)| {
                i != j
                    && q.nic != p.nic
                    && q.outcome == PpduOutcome::Collision
                    && (q.start_ns.abs_diff(p.start_ns) < 9_000
                        || energy_only && q.start_ns < p.end_ns && p.start_ns < q.end_ns)
            });
            prop_assert!(partner, "{:?} collides alone", p);
            collision_until = collision_until.max(p.end_ns);
        }
        if p.kind == PpduKind::Ack {
            let sifs = p.start_ns - by_start[i - 1].end_ns;
            prop_assert!(sifs == 16_000 || sifs == 10_000, "{} ns before an acknowledgement", sifs);
            prop_assert_eq!(by_start[i - 1].to, Some(p.nic));
        }
        busy_until = busy_until.max(p.end_ns);
    }
    Ok(())
}
