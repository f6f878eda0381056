//! What must hold inside a workload.

use super::refusal::{Check, wrong};
use crate::{Adaptation, Burst, REQUEST_BYTES_MIN, Variate, Workload};

pub(super) fn check_workload(key: &str, workload: &Workload) -> Check {
    match workload {
        Workload::Bulk {} => Ok(()),
        Workload::Bytes { count } => above_zero(key, "count", *count),
        Workload::OnOff { on, off_ns } => {
            let (name, on) = match on {
                Burst::Time { on_ns } => ("on.on_ns", on_ns),
                Burst::Bytes { amount_bytes } => ("on.amount_bytes", amount_bytes),
            };
            variates(key, &[(name, on), ("off_ns", off_ns)])?;
            takes_time(key, &[(name, on), ("off_ns", off_ns)])
        }
        Workload::Requests { request_bytes, response_bytes, think_ns, count } => {
            check_request(key, *request_bytes)?;
            count.map_or(Ok(()), |count| above_zero(key, "count", count))?;
            variates(key, &[("response_bytes", response_bytes), ("think_ns", think_ns)])
        }
        Workload::Web { request_bytes, page_bytes, objects, object_bytes, parse_ns, reading_ns, count } => {
            check_request(key, *request_bytes)?;
            count.map_or(Ok(()), |count| above_zero(key, "count", count))?;
            variates(
                key,
                &[("page_bytes", page_bytes), ("objects", objects), ("object_bytes", object_bytes)],
            )?;
            variates(key, &[("parse_ns", parse_ns), ("reading_ns", reading_ns)])
        }
        Workload::Video {
            request_bytes,
            segment_ns,
            rates_bps,
            startup_ns,
            resume_ns,
            buffer_ns,
            adaptation,
            length_ns,
        } => {
            check_request(key, *request_bytes)?;
            above_zero(key, "segment_ns", *segment_ns)?;
            length_ns.map_or(Ok(()), |length| above_zero(key, "length_ns", length))?;
            check_rates(key, rates_bps, adaptation)?;
            check_adaptation(&format!("{key}.adaptation"), adaptation)?;
            check_levels(key, &[("startup_ns", *startup_ns), ("resume_ns", *resume_ns)], *buffer_ns)
        }
    }
}

fn above_zero(key: &str, name: &str, value: u64) -> Check {
    if value == 0 { wrong(format!("{key}.{name}"), "must be more than 0") } else { Ok(()) }
}

fn check_request(key: &str, bytes: u32) -> Check {
    if bytes < REQUEST_BYTES_MIN {
        return wrong(format!("{key}.request_bytes"), format!("must be at least {REQUEST_BYTES_MIN}"));
    }
    Ok(())
}

fn variates(key: &str, all: &[(&str, &Variate)]) -> Check {
    all.iter()
        .try_for_each(|(name, variate)| variate.check().or_else(|why| wrong(format!("{key}.{name}"), why)))
}

/// Bursts and silences without length would follow each other at one instant without end.
fn takes_time(key: &str, all: &[(&str, &Variate)]) -> Check {
    let is_nothing = |variate: &Variate| {
        matches!(variate, Variate::Constant { value: 0 } | Variate::Exponential { mean: 0 })
            || matches!(variate, Variate::Uniform { most: 0, .. })
    };
    match all.iter().find(|(_, variate)| is_nothing(variate)) {
        Some((name, _)) => wrong(format!("{key}.{name}"), "must be more than 0"),
        None => Ok(()),
    }
}

fn check_rates(key: &str, rates_bps: &[u64], adaptation: &Adaptation) -> Check {
    let key = format!("{key}.rates_bps");
    if rates_bps.is_empty() || rates_bps[0] == 0 {
        return wrong(key, "must have a rate of more than 0");
    }
    if rates_bps.windows(2).any(|pair| pair[0] >= pair[1]) {
        return wrong(key, "each rate must be higher than the one before");
    }
    if matches!(adaptation, Adaptation::Fixed {}) != (rates_bps.len() == 1) {
        return wrong(key, "the adaptation 'fixed' has exactly one rate, the others have several");
    }
    Ok(())
}

fn check_adaptation(key: &str, adaptation: &Adaptation) -> Check {
    match *adaptation {
        Adaptation::Buffer { reservoir_ns, upper_ns } if reservoir_ns >= upper_ns => {
            wrong(format!("{key}.upper_ns"), "must be more than reservoir_ns")
        }
        Adaptation::Throughput { segments: 0, .. } => wrong(format!("{key}.segments"), "must be more than 0"),
        Adaptation::Throughput { safety, .. } if !(safety > 0.0 && safety.is_finite()) => {
            wrong(format!("{key}.safety"), "must be more than 0")
        }
        Adaptation::Fixed {} | Adaptation::Buffer { .. } | Adaptation::Throughput { .. } => Ok(()),
    }
}

/// Above the level `buffer_ns` nothing is requested: a player that waits for more would wait for ever.
fn check_levels(key: &str, levels: &[(&str, u64)], buffer_ns: u64) -> Check {
    for &(name, level_ns) in levels {
        above_zero(key, name, level_ns)?;
        if level_ns > buffer_ns {
            return wrong(format!("{key}.{name}"), "must be at most buffer_ns");
        }
    }
    Ok(())
}
