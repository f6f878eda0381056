//! What a card can be.

use airtcp_plan::{AirNic, HardwareQueueSize, HostDelay, InterruptModeration, ModerationLoad, TxInterrupt};

use crate::setup_error::{Check, refuse};

/// Longest queue of a card, in frames: by far more than the largest one of a driver (mt7996: 16384 tokens).
const HARDWARE_QUEUE_LIMIT: u32 = 1 << 16;
/// Longest time of a card or a host: one that is longer is a mistake in units.
const CARD_TIME_LIMIT_NS: u64 = 1_000_000_000;
/// Longest period in which load is measured.
const LOAD_PERIOD_LIMIT_NS: u64 = 3_600_000_000_000;

/// Checks the card of the NIC with this number.
pub(super) fn check_card(i: usize, nic: &AirNic) -> Check {
    let key = |name: &str| format!("air.nics[{i}].card.{name}");
    if let Some(moderation) = &nic.card.rx_interrupt {
        check_moderation(&key("rx_interrupt"), moderation, &nic.node)?;
    }
    match &nic.card.tx_interrupt {
        Some(TxInterrupt::Own(moderation)) => check_moderation(&key("tx_interrupt"), moderation, &nic.node)?,
        Some(TxInterrupt::WithReception) if !nic.card.receives_late() => {
            let reason = "reception is not moderated, so there is nothing to take part in";
            return refuse(key("tx_interrupt"), reason, "give rx_interrupt or host_delay, or null here");
        }
        Some(TxInterrupt::WithReception) | None => {}
    }
    if let Some(queue) = &nic.card.hardware_queue {
        check_queue(&key("hardware_queue.size"), queue.size, &nic.node)?;
    }
    if let Some(HostDelay { fixed_ns, jitter_ns }) = nic.card.host_delay {
        if fixed_ns > CARD_TIME_LIMIT_NS {
            let reason = format!("{fixed_ns} ns is longer than 1 s");
            return refuse(key("host_delay.fixed_ns"), reason, "use up to 1 s");
        }
        if let Some(Err(reason)) = jitter_ns.map(|variate| variate.check()) {
            return refuse(key("host_delay.jitter_ns"), reason, "give limits that hold its values");
        }
    }
    Ok(())
}

fn check_moderation(key: &str, moderation: &InterruptModeration, node: &str) -> Check {
    let &InterruptModeration { after_first_ns, after_last_ns, frames, load } = moderation;
    let Some(longest) = after_first_ns.max(after_last_ns) else {
        let reason = format!("without a timer the last frames of '{node}' never raise it");
        return refuse(key, reason, "give after_first or after_last");
    };
    if after_first_ns.zip(after_last_ns).is_some_and(|(first, last)| first < last) {
        let reason = "the time since the last frame is longer than that since the first, so it never counts";
        return refuse(format!("{key}.after_last_ns"), reason, "make it shorter, or leave it out");
    }
    if frames == Some(0) {
        return refuse(format!("{key}.frames"), "no frame needs an interrupt", "use at least 1");
    }
    if longest > CARD_TIME_LIMIT_NS {
        return refuse(key, format!("{longest} ns is longer than 1 s"), "use up to 1 s");
    }
    match load {
        Some(ModerationLoad { every_ns, .. }) if !(1..=LOAD_PERIOD_LIMIT_NS).contains(&every_ns) => {
            let reason = format!("no load is measured in periods of {every_ns} ns");
            refuse(format!("{key}.load.every_ns"), reason, "use up to an hour, for example 2 s")
        }
        _ => Ok(()),
    }
}

fn check_queue(key: &str, size: HardwareQueueSize, node: &str) -> Check {
    match size {
        HardwareQueueSize::Ppdus { count } | HardwareQueueSize::Frames { count }
            if !(1..=HARDWARE_QUEUE_LIMIT).contains(&count) =>
        {
            refuse(format!("{key}.count"), format!("no card of '{node}' holds {count}"), "use 1 to 65536")
        }
        HardwareQueueSize::Airtime { ns } if !(1..=CARD_TIME_LIMIT_NS).contains(&ns) => {
            refuse(format!("{key}.ns"), format!("no card of '{node}' holds {ns} ns"), "use up to 1 s")
        }
        _ => Ok(()),
    }
}
