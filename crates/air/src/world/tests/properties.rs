//! What must hold in every history of every legal plan.

use std::collections::{BTreeMap, BTreeSet};

use std::ops::Range;

use airtcp_plan::{BandwidthOperation, MacAddress, RadioChannel, RateControlPlan, RtsPolicy, Standard};
use airtcp_units::{Duration, Instant};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::history::{ended, play, step};
use super::hosts::Hosts;
use super::random_plans::{Knobs, knobs};
use crate::border::ChannelLoad;
use crate::border::{Mpdu, MpduKind, Receiver};
use crate::high::{Action, DropReason};
use crate::low::{Cell, MediumId, Ppdu, PpduUser, Reception, UserId};
use crate::phy::multi_user::{MuPpdu, MuUser};
use crate::phy::{Format, mu_bar_trigger_bytes};
use crate::trace::{PpduOutcome, PpduRecord};
use crate::{NicId, PpduKind};

type Check = Result<(), TestCaseError>;

fn is_response(ppdu: &Ppdu) -> bool {
    let kind = matches!(ppdu.kind, PpduKind::Ack | PpduKind::BlockAck | PpduKind::Cts);
    kind && ppdu.first().receiver != Receiver::Group
}

fn cell_of(h: &Hosts, nic: NicId) -> &Cell {
    h.world.low.on_air.cell(nic)
}

fn medium_of(h: &Hosts, nic: NicId) -> MediumId {
    h.world.low.on_air.place(nic).medium
}

/// Whether one NIC hears the carrier of another, at the end of the history.
fn hears(h: &Hosts, listener: NicId, ppdu: &Ppdu) -> bool {
    h.world.low.on_air.hears(listener, ppdu)
}

fn overlap(a: &Ppdu, b: &Ppdu) -> bool {
    a.start < b.end && b.start < a.end
}

fn channel_of(h: &Hosts, nic: NicId) -> RadioChannel {
    h.plan.cells[h.plan.nics[nic.index()].cell as usize].channel
}

/// The part of a channel with this width in which its primary 20 MHz are, in MHz.
fn band_of(channel: RadioChannel, width_mhz: u32) -> Range<u32> {
    let lowest = channel.centre_mhz - channel.width_mhz / 2;
    let from = lowest + (channel.primary_mhz - lowest) / width_mhz * width_mhz;
    from..from + width_mhz
}

/// The spectrum of a PPDU.
fn spectrum_of(h: &Hosts, ppdu: &Ppdu) -> Range<u32> {
    band_of(channel_of(h, ppdu.from), ppdu.width.mhz())
}

/// Whether 20 MHz are one of those that a PPDU consists of.
fn fills(ppdu: &Range<u32>, from_mhz: u32) -> bool {
    from_mhz >= ppdu.start && from_mhz + 20 <= ppdu.end && (from_mhz - ppdu.start).is_multiple_of(20)
}

/// Whether a NIC can decode a PPDU that nothing disturbs: its own 20 MHz have a copy, or all of its channel has the PSDU.
fn can_read(h: &Hosts, listener: NicId, ppdu: &Ppdu) -> bool {
    let (channel, sent) = (channel_of(h, listener), spectrum_of(h, ppdu));
    let own = band_of(channel, channel.width_mhz);
    let repeated = matches!(ppdu.kind, PpduKind::Rts | PpduKind::Cts | PpduKind::Ack | PpduKind::BlockAck);
    let all = own.start <= sent.start && sent.end <= own.end;
    let has_preamble = fills(&sent, band_of(channel, 20).start) || channel.width_mhz > 320;
    has_preamble && (repeated || all)
}

/// Each handle has exactly one last action of its sender.
fn every_frame_ends_exactly_once(h: &Hosts) -> Check {
    let mut ends = BTreeMap::new();
    for &(at, action) in &h.log {
        if let Some(frame) = ended(action) {
            prop_assert!(ends.insert(frame, at).is_none(), "{:?} ends twice, again at {}", frame, at);
            let (Action::Sent { nic, .. } | Action::Dropped { nic, .. }) = action else { unreachable!() };
            prop_assert_eq!(nic, h.given[frame.index()].0, "{:?} ends at another NIC", frame);
        }
    }
    let missing = (0..h.given.len() as u64).find(|&f| !ends.contains_key(&crate::FrameHandle(f)));
    prop_assert_eq!(missing, None, "this frame waits for ever");
    Ok(())
}

/// A handle lives as long as its sender or a receiver needs it: nothing happens to it afterwards, and in the end none is held.
fn holds_and_releases_balance(h: &Hosts) -> Check {
    let mut counts: BTreeMap<_, u32> =
        (0..h.given.len() as u64).map(|f| (crate::FrameHandle(f), 1)).collect();
    for &(at, action) in &h.log {
        let frame = match action {
            Action::Deliver { frame, .. }
            | Action::Relay { frame, .. }
            | Action::Hold { frame }
            | Action::Release { frame }
            | Action::Sent { frame, .. }
            | Action::Dropped { frame, .. }
            | Action::MarkCe { frame, .. } => frame,
            Action::Stop { .. } | Action::Wake { .. } => continue,
        };
        let count = counts.get_mut(&frame).expect("it was given");
        prop_assert!(*count > 0, "{:?} at {}, after its end", action, at);
        match action {
            Action::Hold { .. } => *count += 1,
            Action::Release { .. } | Action::Sent { .. } | Action::Dropped { .. } => *count -= 1,
            _ => {}
        }
    }
    prop_assert!(counts.values().all(|&count| count == 0), "somebody holds a frame for ever: {:?}", counts);
    Ok(())
}

/// No host gets a frame twice, and only those get it for whom it is.
fn deliveries_are_right(h: &Hosts) -> Check {
    let mut seen = BTreeSet::new();
    for &(at, action) in &h.log {
        let Action::Deliver { nic, frame } = action else { continue };
        prop_assert!(seen.insert((nic, frame)), "{:?} again at {}", action, at);
        let (sender, given) = h.given[frame.index()];
        prop_assert!(sender != nic, "{:?} delivered to its sender", frame);
        prop_assert_eq!(h.plan.nics[sender.index()].cell, h.plan.nics[nic.index()].cell, "another cell");
        let to_itself = given.source == given.destination;
        prop_assert!(given.source != h.mac(nic) || to_itself, "{:?} delivered to its source", frame);
        let cell = h.plan.nics[nic.index()].cell;
        let known = h.plan.nics.iter().any(|n| n.mac == given.destination && n.cell == cell);
        prop_assert!(!known || h.mac(nic) == given.destination, "{:?} is for another host", frame);
    }
    Ok(())
}

/// Frames of one flow and priority from one NIC to another arrive in the order in which they were given.
fn flows_arrive_in_order(h: &Hosts) -> Check {
    let mut last: BTreeMap<(NicId, NicId, MacAddress, u8, u32), u64> = BTreeMap::new();
    for &(at, action) in &h.log {
        let (Action::Deliver { nic, frame } | Action::Relay { nic, frame }) = action else { continue };
        let (sender, given) = h.given[frame.index()];
        let key = (sender, nic, given.destination, given.priority, given.flow);
        let before = last.insert(key, frame.0);
        // A frame may be delivered and relayed.
        prop_assert!(
            before.is_none_or(|before| before <= frame.0),
            "{:?} after {:?} at {}",
            frame,
            before,
            at
        );
    }
    Ok(())
}

/// The qdisc is stopped only if it runs, and woken only if it is stopped; with empty queues it runs.
fn stops_and_wakes_alternate(h: &Hosts) -> Check {
    let mut stopped = BTreeSet::new();
    for &(at, action) in &h.log {
        match action {
            Action::Stop { nic } => prop_assert!(stopped.insert(nic), "{:?} stopped again at {}", nic, at),
            Action::Wake { nic } => prop_assert!(stopped.remove(&nic), "{:?} woken again at {}", nic, at),
            _ => {}
        }
    }
    prop_assert!(stopped.is_empty(), "{:?} sleep for ever", stopped);
    Ok(())
}

/// A NIC sends one PPDU at a time.
fn own_transmissions_do_not_overlap(h: &Hosts) -> Check {
    let mut by_start: Vec<&Ppdu> = h.journal().iter().collect();
    by_start.sort_by_key(|ppdu| ppdu.start);
    let mut until: BTreeMap<NicId, Instant> = BTreeMap::new();
    for ppdu in by_start {
        let before = until.insert(ppdu.from, ppdu.end);
        prop_assert!(
            before.is_none_or(|end| end <= ppdu.start),
            "{:?} sends again before {:?}",
            ppdu,
            before
        );
        prop_assert!(ppdu.end > ppdu.start);
    }
    Ok(())
}

/// A NIC that sends does not receive, nor does it return to a PPDU that it left in order to send.
fn nobody_receives_while_it_sends(h: &Hosts) -> Check {
    for (ppdu, user, _) in h.users() {
        let Receiver::One(to) = ppdu.users[user].receiver else { continue };
        let Some(last) = ppdu.received[user].iter().rposition(|r| *r == Reception::Good) else { continue };
        let end = if ppdu.is_aggregate(user) { ppdu.span(user, last).end } else { ppdu.end };
        let own = h.journal().iter().find(|own| own.from == to && own.start < end && ppdu.start < own.end);
        prop_assert!(own.is_none(), "{:?} was received during {:?}", ppdu, own);
    }
    Ok(())
}

/// A response follows what asks for it by SIFS, from whom it was asked of, if that could read it; and nothing else follows so soon
/// but what continues an exchange.
fn responses_follow_by_sifs(h: &Hosts) -> Check {
    for response in h.journal().iter().filter(|ppdu| is_response(ppdu)) {
        let Receiver::One(to) = response.first().receiver else { unreachable!() };
        let sifs = cell_of(h, response.from).times.sifs;
        let asked = h.journal().iter().find(|p| p.from == to && p.end + sifs == response.start);
        let Some(asked) = asked else {
            return Err(TestCaseError::fail(format!("nobody asked for {response:?}")));
        };
        let Some(user) = asked.user_of(response.from).filter(|&user| asked.asks(user)) else {
            return Err(TestCaseError::fail(format!("{asked:?} does not ask for {response:?}")));
        };
        let fits = match response.kind {
            PpduKind::Cts => asked.kind == PpduKind::Rts,
            PpduKind::BlockAck => {
                let asks = matches!(asked.kind, PpduKind::BlockAckReq | PpduKind::Trigger);
                asks || asked.is_aggregate(user)
            }
            _ => asked.kind == PpduKind::Data && !asked.is_aggregate(user),
        };
        prop_assert!(fits, "{:?} answers {:?}", response, asked);
        let is_control = matches!(asked.kind, PpduKind::Rts | PpduKind::Trigger);
        let of_data = || is_control || asked.received[user].contains(&Reception::Good);
        let read = asked.users[user].own_trigger.map_or_else(of_data, |trigger| trigger.decoded);
        prop_assert!(read, "{:?} answers what was lost: {:?}", response, asked);
    }
    Ok(())
}

/// Whether it is a trigger frame that asks for data or buffer status.
fn is_uplink_trigger(ppdu: &Ppdu) -> bool {
    let mu_bars =
        [Format::He, Format::Eht].map(|answer| mu_bar_trigger_bytes(ppdu.users.count() as u32, answer));
    ppdu.kind == PpduKind::Trigger && !mu_bars.contains(&ppdu.first().psdu_bytes)
}

/// Whether it is a trigger frame with resource units for those that it does not name.
fn has_random_access(ppdu: &Ppdu) -> bool {
    is_uplink_trigger(ppdu) && ppdu.users.iter().any(|user| user.receiver == Receiver::Group)
}

/// Whether it is a trigger frame, or ends with one.
fn has_trigger(ppdu: &Ppdu) -> bool {
    ppdu.kind == PpduKind::Trigger || ppdu.first().own_trigger.is_some()
}

/// What answers a trigger frame follows it by SIFS, with the others that do, in resource units that the standard has together; and what
/// several stations sent is acknowledged SIFS after it, if something of it has arrived.
fn triggered_exchanges_follow_by_sifs(h: &Hosts) -> Check {
    let answers = h.journal().iter().filter(|ppdu| ppdu.trigger.is_some() && ppdu.kind != PpduKind::Cts);
    for answer in answers {
        let sifs = cell_of(h, answer.from).times.sifs;
        let trigger = answer.trigger.expect("it answers one");
        let asks = |p: &&Ppdu| has_trigger(p) && p.from == trigger.by && p.end + sifs == answer.start;
        let asked = h.journal().iter().find(asks);
        prop_assert!(
            asked.is_some_and(|asked| asked.user_of(answer.from).is_some() || has_random_access(asked)),
            "{:?} is not asked for",
            answer
        );
        let together = h.journal().iter().filter(|p| p.is_triggered_with(answer)).collect::<Vec<_>>();
        prop_assert!(together.iter().all(|p| (p.start, p.end) == (answer.start, answer.end)));
        let of_phy = |p: &&Ppdu| {
            let PpduUser { tx, psdu_bytes, .. } = *p.first();
            MuUser { tx, coding: tx.coding(), psdu_bytes }
        };
        // Several in a random access RU: one of them is decoded at most.
        let ru = |p: &Ppdu| p.first().tx.allocation;
        let is_first =
            |&(place, p): &(usize, &&Ppdu)| !together[..place].iter().any(|other| ru(other) == ru(p));
        let users = together.iter().enumerate().filter(is_first).map(|(_, p)| of_phy(p)).collect::<Vec<_>>();
        let in_ru = together.iter().filter(|p| ru(p) == ru(answer));
        prop_assert_eq!(answer.shares_ru(), in_ru.clone().count() > 1);
        prop_assert!(in_ru.filter(|p| p.first().decoded).count() <= 1, "{:?}", together);
        prop_assert_eq!(MuPpdu::new(&users).check(cell_of(h, answer.from).band), Ok(()));
        prop_assert!(
            answer.first().psdu_bytes <= answer.first().padded_bytes || answer.kind == PpduKind::BlockAck
        );
    }
    for ack in h.journal().iter().filter(|ppdu| ppdu.kind == PpduKind::MultiStaBlockAck) {
        let sifs = cell_of(h, ack.from).times.sifs;
        for user in ack.users.iter() {
            let sent = |p: &&Ppdu| Receiver::One(p.from) == user.receiver && p.end + sifs == ack.start;
            let data = h.journal().iter().find(sent);
            let arrived =
                data.is_some_and(|p| p.trigger.is_some() && p.received.first().contains(&Reception::Good));
            prop_assert!(arrived, "{:?} acknowledges what has not come", ack);
        }
    }
    Ok(())
}

/// What was acknowledged is not sent again.
fn nothing_acknowledged_is_sent_again(h: &Hosts) -> Check {
    let mut acked: BTreeSet<(NicId, u64)> = BTreeSet::new();
    for (ppdu, user, record) in h.users() {
        let again = ppdu.mpdus[user].iter().find(|m| acked.contains(&(ppdu.from, m.handle.0)));
        prop_assert!(again.is_none() || ppdu.kind != PpduKind::Data, "{:?} again at {}", again, ppdu.start);
        let Receiver::One(to) = ppdu.users[user].receiver else { continue };
        let acknowledges =
            matches!(ppdu.kind, PpduKind::Ack | PpduKind::BlockAck | PpduKind::MultiStaBlockAck);
        if acknowledges && record.outcome == PpduOutcome::Received {
            let before = |p: &&Ppdu| {
                let is_data = !p.mpdus.first().is_empty() && !is_request_in_exchange(p);
                p.from == to && p.end < ppdu.start && is_data && p.user_of(ppdu.from).is_some()
            };
            let data = h.journal().iter().rev().find(before).expect("it was asked");
            let user = data.user_of(ppdu.from).expect("it is a user");
            let judged = data.mpdus[user].iter().zip(&data.received[user]);
            let good = judged.filter(|(_, r)| **r == Reception::Good);
            acked.extend(good.map(|(mpdu, _)| (to, mpdu.handle.0)));
        }
    }
    Ok(())
}

/// A PPDU with data has no more octets and time than the standard allows, and exactly the time of its octets.
fn ppdus_are_not_too_long(h: &Hosts) -> Check {
    for ppdu in h.journal().iter().filter(|ppdu| ppdu.kind == PpduKind::Data) {
        let times = &cell_of(h, ppdu.from).times;
        let limit = ppdu.first().tx.max_ppdu_duration().map(|d| d + times.extension_of(ppdu.first().tx));
        let duration = ppdu.end.since(ppdu.start);
        prop_assert!(limit.is_none_or(|limit| duration <= limit), "{} for {:?}", duration, ppdu);
        if ppdu.trigger.is_none() {
            prop_assert_eq!(duration, duration_of(h, ppdu));
        }
        for user in ppdu.users.ids() {
            prop_assert!(ppdu.users[user].psdu_bytes <= ppdu.users[user].tx.max_psdu_bytes(), "{:?}", ppdu);
            let first = &ppdu.mpdus[user][0];
            let is_alike = |m: &Mpdu| (m.receiver, m.tid) == (first.receiver, first.tid);
            prop_assert!(ppdu.mpdus[user].iter().all(is_alike));
        }
    }
    Ok(())
}

/// What a data PPDU lasts by the PHY.
fn duration_of(h: &Hosts, ppdu: &Ppdu) -> Duration {
    let times = &cell_of(h, ppdu.from).times;
    if !ppdu.is_multi_user() {
        return times.ppdu_duration(ppdu.first().tx, ppdu.first().psdu_bytes);
    }
    let of_phy =
        |user: &PpduUser| MuUser { tx: user.tx, coding: user.tx.coding(), psdu_bytes: user.psdu_bytes };
    let users: Vec<_> = ppdu.users.iter().map(of_phy).collect();
    MuPpdu::new(&users).duration() + times.extension_of(ppdu.first().tx)
}

/// Users of a PPDU have resource units that the standard has together, and each is another station.
fn users_are_apart(h: &Hosts) -> Check {
    for ppdu in h.journal().iter().filter(|ppdu| ppdu.is_multi_user()) {
        let of_phy =
            |user: &PpduUser| MuUser { tx: user.tx, coding: user.tx.coding(), psdu_bytes: user.psdu_bytes };
        let users: Vec<_> = ppdu.users.iter().map(of_phy).collect();
        prop_assert_eq!(MuPpdu::new(&users).check(cell_of(h, ppdu.from).band), Ok(()));
        let receivers: BTreeSet<_> = ppdu.users.iter().map(|user| user.receiver).collect();
        prop_assert_eq!(receivers.len(), users.len());
        let most = h.plan.cells[h.plan.nics[ppdu.from.index()].cell as usize].multi_user.map(|m| m.stations);
        prop_assert!(most.is_some_and(|most| users.len() <= most as usize));
    }
    Ok(())
}

/// Whether a PPDU asks a user of the exchange under way for its acknowledgement.
fn is_request_in_exchange(ppdu: &Ppdu) -> bool {
    let of_one = ppdu.kind == PpduKind::BlockAckReq && ppdu.mpdus.first()[0].handle.0 == u64::MAX;
    of_one || ppdu.kind == PpduKind::Trigger && !is_uplink_trigger(ppdu)
}

/// An aggregate holds rising sequence numbers inside the window of the agreement, and no more octets and time than the plan
/// allows. Its first MPDU is the oldest that is not done, so the window begins there.
fn aggregates_stay_inside_the_window(h: &Hosts) -> Check {
    for (ppdu, user, _) in h.users().filter(|(ppdu, user, _)| ppdu.is_aggregate(*user)) {
        let Receiver::One(to) = ppdu.users[user].receiver else { panic!("an aggregate for a group") };
        let limits = h.world.low.buffers.limits_between(ppdu.from, to).expect("there is an agreement");
        let mpdus = &ppdu.mpdus[user];
        let ahead = |m: &Mpdu| m.sequence.wrapping_sub(mpdus[0].sequence) & 0xfff;
        let rising = mpdus.windows(2).all(|two| ahead(&two[0]) < ahead(&two[1]));
        let inside = mpdus.iter().all(|m| ahead(m) < limits.window && m.kind == MpduKind::Aggregable);
        prop_assert!(rising && inside, "{:?} in a window of {}", mpdus, limits.window);
        let limit = limits.duration + cell_of(h, ppdu.from).times.extension_of(ppdu.first().tx);
        // One MPDU may last longer, also with a trigger frame behind it, and then all users' data does.
        let one_mpdu = ppdu.users.ids().any(|user| ppdu.mpdus[user].len() == 1);
        let in_time = one_mpdu || ppdu.end.since(ppdu.start) <= limit;
        prop_assert!(ppdu.users[user].psdu_bytes <= limits.bytes && in_time, "{:?}", ppdu);
    }
    Ok(())
}

/// What began this exchange, if it was not contention: what ended SIFS before at this NIC.
fn predecessor<'a>(h: &'a Hosts, ppdu: &Ppdu) -> Option<&'a Ppdu> {
    let sifs = cell_of(h, ppdu.from).times.sifs;
    let mut all = h.users();
    let before = all.find(|(before, _, record)| {
        let ends_exchange =
            before.first().receiver == Receiver::Group || before.kind == PpduKind::MultiStaBlockAck;
        let own = before.from == ppdu.from && ends_exchange;
        let answers = before.answers(ppdu.from) || before.trigger.is_some_and(|t| t.by == ppdu.from);
        let answered = answers && record.outcome == PpduOutcome::Received;
        (own || answered) && before.end + sifs == ppdu.start
    });
    before.map(|(before, ..)| before)
}

/// The exchanges of each TXOP: by what contended, the PPDUs with MPDUs that follow it.
fn txops(h: &Hosts) -> Vec<Vec<&Ppdu>> {
    let begins = |ppdu: &&Ppdu| {
        !is_response(ppdu) && ppdu.trigger.is_none() && ppdu.kind != PpduKind::MultiStaBlockAck
    };
    let mut by_start: Vec<&Ppdu> = h.journal().iter().filter(begins).collect();
    by_start.sort_by_key(|ppdu| (ppdu.from, ppdu.start));
    let mut txops: Vec<Vec<&Ppdu>> = Vec::new();
    for ppdu in by_start {
        if predecessor(h, ppdu).is_none() && !is_request_in_exchange(ppdu) {
            txops.push(Vec::new());
        }
        txops.last_mut().expect("a TXOP that continues has begun").push(ppdu);
    }
    txops
}

/// After its first exchange, which may be too long if it has one MPDU, a TXOP ends in time; without a limit it has one exchange.
fn txops_stay_in_their_limits(h: &Hosts) -> Check {
    for txop in txops(h) {
        let carries = |ppdu: &&&Ppdu| !ppdu.mpdus.first().is_empty() && !is_request_in_exchange(ppdu);
        let data: Vec<&&Ppdu> = txop.iter().filter(carries).collect();
        let Some(first) = data.first() else { continue };
        let limits = h.world.low.exchanges.txop_limits(first.from);
        let longest = limits.clone().max().expect("there are four");
        if longest == Duration::ZERO {
            prop_assert_eq!(data.len(), 1, "{:?} goes on", txop);
            continue;
        }
        for ppdu in &data {
            let one_mpdu = !ppdu.is_multi_user() && !ppdu.is_aggregate(UserId::FIRST);
            let alone = ppdu.start == first.start && one_mpdu;
            let end = ppdu.nav_until.max(ppdu.end);
            let in_time = end <= txop[0].start + longest
                || (ppdu.start == first.start && limits.clone().any(|l| l == Duration::ZERO));
            prop_assert!(alone || in_time, "{:?} after {}, begun at {}", ppdu, longest, txop[0].start);
        }
    }
    Ok(())
}

/// RTS and CTS go before a PSDU above a threshold, and before what the policy names, if it begins its TXOP.
fn long_psdus_begin_with_rts(h: &Hosts) -> Check {
    for txop in txops(h) {
        let Some(data) = txop.iter().find(|ppdu| !ppdu.mpdus.first().is_empty()) else { continue };
        if is_uplink_trigger(txop[0]) {
            continue;
        }
        let cell = cell_of(h, data.from);
        let named = data.users.ids().any(|user| match cell.rts_policy {
            RtsPolicy::RateControl | RtsPolicy::Threshold => false,
            RtsPolicy::Retries => data.users[user].attempt > 1,
            RtsPolicy::Aggregates => data.mpdus[user].len() > 1,
        });
        let longer = data.users.iter().any(|user| user.psdu_bytes > cell.rts_threshold_bytes)
            || cell.rts_threshold.is_some_and(|longest| data.end.since(data.start) > longest);
        if data.kind == PpduKind::Data && data.first().receiver != Receiver::Group && (named || longer) {
            prop_assert_eq!(txop[0].kind, PpduKind::Rts, "{:?} in {:?}", data, cell);
        }
    }
    Ok(())
}

/// 802.11-2020, 21.3.18.5.4 and Table 21-29: what a neighbour's PPDU is detected by in a secondary channel, and when.
fn is_detected(standard: Standard, dbm: f64, (filled_mhz, secondary_mhz): (u32, u32)) -> bool {
    let level = match (standard, filled_mhz) {
        (Standard::Ht, _) => -62.0 + 10.0 * libm::log10(f64::from(secondary_mhz / 20)),
        (_, 0..=40) => -72.0,
        (_, 41..=80) => -69.0,
        _ => -66.0,
    };
    filled_mhz > 0 && dbm > level + 0.01
}

/// The widest part of a NIC's channel that was idle for PIFS before an instant, as far as whole PPDUs of neighbours tell.
fn idle_mhz(h: &Hosts, nic: NicId, at: Instant) -> u32 {
    let (channel, cell) = (channel_of(h, nic), cell_of(h, nic));
    let own = &h.plan.nics[nic.index()];
    let standard = own.standard_in(&h.plan.cells[own.cell as usize]);
    let pifs = cell.times.sifs + cell.times.slot;
    let detected = |p: &&Ppdu| {
        let early = p.start + Duration::from_micros(25) <= at && at < p.end + pifs;
        early && p.from != nic && medium_of(h, p.from) == medium_of(h, nic)
    };
    let others: Vec<&Ppdu> = h.journal().iter().filter(detected).collect();
    let mut width_mhz = 20;
    while width_mhz < channel.width_mhz {
        let [own, wider] = [width_mhz, 2 * width_mhz].map(|mhz| band_of(channel, mhz));
        let secondary = || wider.clone().step_by(20).filter(|mhz| !own.contains(mhz));
        let is_busy = |p: &&&Ppdu| {
            let sent = spectrum_of(h, p);
            let filled_mhz = 20 * secondary().filter(|&mhz| fills(&sent, mhz)).count() as u32;
            let share = p.power_share * f64::from(filled_mhz.max(1)) / f64::from(p.width.mhz());
            let share_db = 10.0 * libm::log10(share);
            let dbm = h.world.links.channel.mean_dbm(p.from, nic).get() + share_db;
            !fills(&sent, channel.primary_mhz - 10) && is_detected(standard, dbm, (filled_mhz, width_mhz))
        };
        if others.iter().any(|p| is_busy(&p)) {
            break;
        }
        width_mhz *= 2;
    }
    width_mhz
}

/// No PPDU of a TXOP is wider than what was idle before it began (10.23.2.5). With static operation all of the channel was.
fn busy_secondary_channels_are_left_alone(h: &Hosts) -> Check {
    for txop in txops(h) {
        let nic = txop[0].from;
        let cell = &h.plan.cells[h.plan.nics[nic.index()].cell as usize];
        let width_mhz = channel_of(h, nic).width_mhz;
        if width_mhz > 320 {
            continue;
        }
        let idle_mhz = idle_mhz(h, nic, txop[0].start);
        for ppdu in &txop {
            prop_assert!(ppdu.width.mhz() <= idle_mhz, "{:?} where {} MHz were idle", ppdu, idle_mhz);
        }
        let is_static = cell.bandwidth_operation == BandwidthOperation::Static;
        let contends = matches!(txop[0].kind, PpduKind::Data | PpduKind::Rts);
        if is_static && contends && has_one_mode(h, nic) {
            let to_one = |p: &&&Ppdu| p.kind == PpduKind::Data && p.first().receiver != Receiver::Group;
            let narrow = txop.iter().filter(to_one).find(|p| p.width.mhz() < width_mhz);
            prop_assert!(narrow.is_none(), "{:?} with static operation in {} MHz", narrow, width_mhz);
        }
    }
    Ok(())
}

/// A NIC that has decoded a Duration field begins no PPDU before its end. It may acknowledge, and answer the RTS of the TXOP holder.
/// Only where reception does not depend on powers is it known without the model which NICs decode what.
fn the_nav_is_respected(h: &Hosts) -> Check {
    let journal = h.journal();
    let asks_for_silence = |p: &&Ppdu| p.nav_until > p.end;
    let nics = || (0..h.plan.nics.len() as u32).map(NicId);
    for ppdu in journal.iter().filter(asks_for_silence) {
        for listener in nics().filter(|&l| l != ppdu.from && Receiver::One(l) != ppdu.first().receiver) {
            // What is on another channel may disturb a part of this one without being heard.
            let counts = |other: &Ppdu| {
                hears(h, listener, other) || channel_of(h, other.from) != channel_of(h, listener)
            };
            let disturbs =
                |other: &&Ppdu| !std::ptr::eq(*other, ppdu) && overlap(other, ppdu) && counts(other);
            // Of a PPDU for others no more than its header is read.
            let is_for_it = !ppdu.is_for_users_only() || ppdu.user_of(listener).is_some();
            let reads = is_for_it && hears(h, listener, ppdu) && can_read(h, listener, ppdu);
            if !reads || journal.iter().any(|other| disturbs(&other)) {
                continue;
            }
            let until = silence(h, ppdu, listener);
            let begins = |p: &&Ppdu| p.from == listener && p.start > ppdu.end && p.start < until;
            for own in journal.iter().filter(begins) {
                let holder = match (ppdu.kind, ppdu.first().receiver) {
                    (PpduKind::Cts, Receiver::One(to)) => to,
                    _ => ppdu.from,
                };
                let allowed = match own.kind {
                    PpduKind::Ack | PpduKind::BlockAck | PpduKind::MultiStaBlockAck => true,
                    _ if own.trigger.is_some() => own.trigger.is_some_and(|trigger| trigger.by == holder),
                    PpduKind::Cts => own.first().receiver == Receiver::One(holder),
                    _ => false,
                };
                prop_assert!(allowed, "{:?} although {:?} asked for silence until {}", own, ppdu, until);
            }
        }
    }
    Ok(())
}

/// Until when a PPDU sets the NAV of a listener: an RTS is forgotten if nothing is heard to begin after it. Of what it misses the
/// preamble, the PHY reports no beginning.
fn silence(h: &Hosts, ppdu: &Ppdu, listener: NicId) -> Instant {
    if ppdu.kind != PpduKind::Rts {
        return ppdu.nav_until;
    }
    let times = &cell_of(h, ppdu.from).times;
    let cts = times.ppdu_duration(ppdu.first().tx, crate::phy::CTS_BYTES);
    let heard_by = ppdu.end + times.sifs * 2 + cts + times.slot * 2;
    let begins = |p: &Ppdu| hears(h, listener, p) && !p.was_missed_by(listener);
    let follows = |p: &Ppdu| p.start > ppdu.end && p.start <= heard_by && begins(p);
    if h.journal().iter().any(follows) {
        return ppdu.nav_until;
    }
    ppdu.nav_until.min(heard_by + crate::phy::rx_phy_start_delay(ppdu.first().tx))
}

/// The report says what the actions and PPDUs were.
fn counters_balance(h: &mut Hosts) -> Check {
    let report = h.finish();
    let count = |nic: u32, is: &dyn Fn(Action) -> bool| {
        let of_nic = h.log.iter().filter(|(_, action)| match *action {
            Action::Deliver { nic: n, .. } | Action::Sent { nic: n, .. } | Action::Dropped { nic: n, .. } => {
                n == NicId(nic)
            }
            _ => false,
        });
        of_nic.filter(|(_, action)| is(*action)).count() as u64
    };
    for (i, nic) in (0..).zip(&report.nics) {
        let given = h.given.iter().filter(|(n, _)| *n == NicId(i)).count() as u64;
        prop_assert_eq!((nic.accepted, nic.in_flight), (given, 0));
        prop_assert_eq!(nic.sent, count(i, &|a| matches!(a, Action::Sent { .. })));
        prop_assert_eq!(nic.delivered, count(i, &|a| matches!(a, Action::Deliver { .. })));
        for reason in DropReason::ALL {
            let dropped = |a: Action| matches!(a, Action::Dropped { reason: r, .. } if r == reason);
            prop_assert_eq!(nic.dropped[reason.name()], count(i, &dropped));
        }
        let own = || h.journal().iter().filter(|ppdu| ppdu.from == NicId(i));
        let users = own().filter(|ppdu| ppdu.kind == PpduKind::Data).map(|ppdu| ppdu.users.count());
        let data = users.sum::<usize>() as u64;
        prop_assert_eq!(nic.transmissions, data);
        prop_assert!(nic.retries <= data && nic.collisions + nic.corrupted <= data);
        let airtime: u64 = own().map(|ppdu| ppdu.end.since(ppdu.start).as_nanos()).sum();
        prop_assert!(
            nic.airtime_ns >= airtime,
            "{} PPDUs take {airtime} ns, the counters have {}",
            data,
            nic.airtime_ns
        );
    }
    Ok(())
}

/// A NIC senses for as long as it transmits and hears its BSS, and not for longer than there is something on the air.
fn loads_are_sensed(h: &Hosts) -> Check {
    for nic in (0..h.plan.nics.len() as u32).map(NicId) {
        let ChannelLoad { busy, tx, bss_rx } = h.world.low.channel_load(h.now, nic);
        let sent = h.journal().iter().filter(|ppdu| ppdu.from == nic);
        let sent_ns: u64 = sent.map(|ppdu| ppdu.end.since(ppdu.start).as_nanos()).sum();
        // The history ends with its last frame; a response may still be on the air.
        let present = h.world.low.present_airtime(h.now, nic);
        prop_assert_eq!((tx - present).as_nanos(), sent_ns, "what {:?} transmitted", nic);
        prop_assert!(tx + bss_rx <= busy, "{:?} sensed {}, {} and {}", nic, busy, tx, bss_rx);
    }
    Ok(())
}

/// What holds of every history, whatever its plan; the cheap checks first.
fn check_always(h: &mut Hosts) -> Check {
    every_frame_ends_exactly_once(h)?;
    deliveries_are_right(h)?;
    flows_arrive_in_order(h)?;
    own_transmissions_do_not_overlap(h)?;
    nobody_receives_while_it_sends(h)?;
    responses_follow_by_sifs(h)?;
    triggered_exchanges_follow_by_sifs(h)?;
    ppdus_are_not_too_long(h)?;
    aggregates_stay_inside_the_window(h)?;
    users_are_apart(h)?;
    loads_are_sensed(h)?;
    counters_balance(h)
}

/// What holds of every history on a steady channel, whatever its plan.
pub(super) fn check_steady(h: &mut Hosts) -> Check {
    check_always(h)?;
    nothing_acknowledged_is_sent_again(h)
}

/// Every check of one history.
fn check(h: &mut Hosts, knobs: &Knobs) -> Check {
    check_always(h)?;
    holds_and_releases_balance(h)?;
    stops_and_wakes_alternate(h)?;
    txops_stay_in_their_limits(h)?;
    long_psdus_begin_with_rts(h)?;
    if knobs.channel.is_steady() {
        nothing_acknowledged_is_sent_again(h)?;
        busy_secondary_channels_are_left_alone(h)?;
    }
    if knobs.reading_is_known() {
        the_nav_is_respected(h)?;
    }
    Ok(())
}

/// Whether a NIC would always send with all of its channel. (A recording may ask it for a slower rate.)
fn has_one_mode(h: &Hosts, nic: NicId) -> bool {
    let is_fixed = matches!(h.plan.nics[nic.index()].rate_control, RateControlPlan::Fixed { .. });
    is_fixed && h.plan.channel.traces.is_empty()
}

/// Whether a TXOP began while a neighbour's PPDU was in a secondary channel.
fn begins_beside_a_neighbour(h: &Hosts, txop: &[&Ppdu]) -> bool {
    let nic = txop[0].from;
    (40..=320).contains(&channel_of(h, nic).width_mhz)
        && idle_mhz(h, nic, txop[0].start) < channel_of(h, nic).width_mhz
}

/// Whether a NIC hears a PPDU of which its primary channel has a part, but no preamble.
fn is_energy_to_somebody(h: &Hosts, ppdu: &Ppdu) -> bool {
    let sent = spectrum_of(h, ppdu);
    let mut nics = (0..h.plan.nics.len() as u32).map(NicId);
    let has_preamble = |nic| fills(&sent, channel_of(h, nic).primary_mhz - 10);
    sent.len() <= 320 && nics.any(|nic| hears(h, nic, ppdu) && !has_preamble(nic))
}

/// What a history has shown, so that the checks are not about nothing.
fn corners(h: &Hosts, knobs: &Knobs) -> BTreeSet<&'static str> {
    let any = |is: &dyn Fn(&Ppdu, &PpduRecord) -> bool| h.users().any(|(ppdu, _, record)| is(ppdu, record));
    let lost = |r: &PpduRecord| r.outcome != PpduOutcome::Received;
    let part = |p: &Ppdu| {
        p.received.first().contains(&Reception::Good) && p.received.first().contains(&Reception::Lost)
    };
    let one_loses = |p: &Ppdu| p.users.iter().any(|u| u.decoded) && p.users.iter().any(|u| !u.decoded);
    let data = |txop: &Vec<&Ppdu>| txop.iter().filter(|ppdu| !ppdu.mpdus.first().is_empty()).count();
    let action = |is: &dyn Fn(Action) -> bool| h.log.iter().any(|&(_, action)| is(action));
    let dropped = |why| action(&|a| matches!(a, Action::Dropped { reason, .. } if reason == why));
    let binds =
        |p: &Ppdu| p.kind == PpduKind::Cts && p.nav_until > p.end && p.first().receiver != Receiver::Group;
    let asks_for_ack = |p: &Ppdu| is_request_in_exchange(p) || p.kind == PpduKind::Trigger;
    let found = [
        (
            "busy secondary",
            knobs.channel.is_steady() && txops(h).iter().any(|txop| begins_beside_a_neighbour(h, txop)),
        ),
        ("energy", h.journal().iter().any(|p| is_energy_to_somebody(h, p))),
        ("burst", any(&|p, r| p.kind == PpduKind::Data && !p.emissions.is_empty() && lost(r))),
        ("collision", any(&|_, r| r.outcome == PpduOutcome::Collision)),
        ("noise", any(&|_, r| r.outcome == PpduOutcome::Corrupted)),
        ("capture", any(&|p, r| p.kind == PpduKind::Data && !p.overlaps.is_empty() && !lost(r))),
        ("aggregate", any(&|p, _| p.mpdus.first().len() > 8)),
        ("aggregate in part", any(&|p, _| part(p))),
        ("several users", any(&|p, _| p.is_multi_user())),
        ("several users, again", any(&|p, r| p.is_multi_user() && r.attempt > 1)),
        ("one of several users loses its data", any(&|p, _| p.is_multi_user() && one_loses(p))),
        ("an asked user does not answer", any(&|p, r| asks_for_ack(p) && lost(r))),
        ("MU-RTS", any(&|p, _| p.kind == PpduKind::Rts && p.users.count() > 1)),
        ("MU-RTS is lost", any(&|p, r| p.kind == PpduKind::Rts && p.users.count() > 1 && lost(r))),
        ("CTSs together", any(&|p, _| p.kind == PpduKind::Cts && p.trigger.is_some())),
        ("a trigger", any(&|p, _| p.kind == PpduKind::Trigger)),
        ("a trigger is lost", any(&|p, r| p.kind == PpduKind::Trigger && lost(r))),
        ("a trigger with data", any(&|p, _| p.first().has_own_trigger())),
        (
            "a trigger with data is lost",
            any(&|p, _| p.first().own_trigger.is_some_and(|trigger| !trigger.decoded)),
        ),
        ("an uplink trigger", any(&|p, _| is_uplink_trigger(p))),
        ("an uplink trigger is lost", any(&|p, r| is_uplink_trigger(p) && lost(r))),
        ("triggered data", any(&|p, _| p.kind == PpduKind::Data && p.trigger.is_some())),
        ("triggered data is lost", any(&|p, r| p.kind == PpduKind::Data && p.trigger.is_some() && lost(r))),
        ("a triggered aggregate", any(&|p, _| p.trigger.is_some() && p.mpdus.first().len() > 1)),
        ("random access", any(&|p, _| has_random_access(p))),
        (
            "random access beside others",
            any(&|p, _| has_random_access(p) && p.first().receiver != Receiver::Group),
        ),
        ("a QoS Null", any(&|p, _| p.kind == PpduKind::QosNull)),
        ("a lost multi-STA BlockAck", any(&|p, r| p.kind == PpduKind::MultiStaBlockAck && lost(r))),
        (
            "an acknowledgement of two",
            any(&|p, _| p.kind == PpduKind::MultiStaBlockAck && p.users.count() > 1),
        ),
        ("several users disturbed", any(&|p, _| p.is_multi_user() && p.collided())),
        ("block ack lost", any(&|p, r| p.kind == PpduKind::BlockAck && lost(r))),
        ("block ack req", any(&|p, _| p.kind == PpduKind::BlockAckReq)),
        ("rts lost", any(&|p, r| p.kind == PpduKind::Rts && lost(r))),
        ("cts lost", any(&|p, r| p.kind == PpduKind::Cts && lost(r))),
        ("nav by cts", knobs.reading_is_known() && any(&|p, _| binds(p))),
        ("cts to self", any(&|p, _| p.kind == PpduKind::Cts && p.first().receiver == Receiver::Group)),
        ("group", any(&|p, _| p.kind == PpduKind::Data && p.first().receiver == Receiver::Group)),
        ("beacon", any(&|p, _| p.kind == PpduKind::Beacon)),
        ("repetition", any(&|p, _| p.kind == PpduKind::Data && p.first().attempt > 2)),
        ("long txop", txops(h).iter().any(|txop| data(txop) > 2)),
        ("hold", action(&|a| matches!(a, Action::Hold { .. }))),
        ("mark", action(&|a| matches!(a, Action::MarkCe { .. }))),
        ("relay", action(&|a| matches!(a, Action::Relay { .. }))),
        ("retry limit", dropped(DropReason::RetryLimit)),
        ("queue full", dropped(DropReason::QueueFull)),
        ("codel", dropped(DropReason::CoDel)),
    ];
    found.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect()
}

#[test]
fn the_histories_come_into_every_corner() {
    let mut runner = TestRunner::deterministic();
    let histories = (knobs(), prop::collection::vec(step(), 1..40));
    let mut missing = BTreeSet::from([
        "busy secondary",
        "energy",
        "burst",
        "collision",
        "noise",
        "capture",
        "aggregate",
        "aggregate in part",
        "several users",
        "several users, again",
        "one of several users loses its data",
        "an asked user does not answer",
        "several users disturbed",
        "a trigger",
        "an uplink trigger",
        "an uplink trigger is lost",
        "triggered data",
        "triggered data is lost",
        "a triggered aggregate",
        "random access",
        "random access beside others",
        "a QoS Null",
        "an acknowledgement of two",
        "a trigger is lost",
        "block ack lost",
        "block ack req",
        "rts lost",
        "cts lost",
        "nav by cts",
        "cts to self",
        "group",
        "beacon",
        "repetition",
        "long txop",
        "hold",
        "mark",
        "relay",
        "retry limit",
        "queue full",
        "codel",
    ]);
    for _ in 0..2000 {
        let (knobs, steps) = histories.new_tree(&mut runner).expect("nothing is filtered").current();
        let seen = corners(&play(&knobs, &steps, &[]), &knobs);
        missing.retain(|corner| !seen.contains(corner));
    }
    assert!(missing.is_empty(), "no history has {missing:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_is_legal(knobs in knobs(), steps in prop::collection::vec(step(), 1..40)) {
        let mut h = play(&knobs, &steps, &[]);
        if let Err(broken) = check(&mut h, &knobs) {
            let story = format!("{}\n\n{}", h.timeline().join("\n"), h.actions().join("\n"));
            return Err(TestCaseError::fail(format!("{broken}\n{story}")));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// The same plan and the same history, to the last byte; visits in between change nothing.
    #[test]
    fn the_same_history_has_the_same_end(
        knobs in knobs(),
        steps in prop::collection::vec(step(), 1..25),
        visits in prop::collection::btree_set(0..20_000_000_u64, 0..40),
    ) {
        let visits: Vec<u64> = visits.into_iter().collect();
        let mut first = play(&knobs, &steps, &[]);
        let report = first.finish();
        for visits in [&[][..], &visits] {
            let mut again = play(&knobs, &steps, visits);
            let text = |h: &Hosts| (format!("{:?}", h.log), format!("{:?}", h.ppdus), format!("{:?}", h.journal()));
            prop_assert_eq!(&again.log, &first.log);
            prop_assert_eq!(&again.ppdus, &first.ppdus);
            prop_assert!(text(&again) == text(&first), "what is printed differs");
            prop_assert_eq!(again.finish(), report.clone());
        }
    }
}
