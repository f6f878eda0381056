//! What must hold of the trace of a wire.

use super::refusal::{Check, check_time, wrong};
use crate::{WIRE_POINTS_MAX, WIRE_TRACE_RATE_MAX_BPS, WirePoint, WireTrace};

pub(super) fn check_trace(key: &str, trace: &WireTrace) -> Check {
    if trace.points.is_empty() || trace.points.len() > WIRE_POINTS_MAX {
        return wrong(format!("{key}.points"), format!("must be 1 to {WIRE_POINTS_MAX}"));
    }
    let mut previous_ns = None;
    for (i, point) in trace.points.iter().enumerate() {
        let key = format!("{key}.points[{i}]");
        if previous_ns.is_some_and(|previous_ns| previous_ns >= point.time_ns) {
            return wrong(format!("{key}.time_ns"), "must be after the point that stands before it");
        }
        previous_ns = Some(point.time_ns);
        check_point(&key, point)?;
    }
    if trace.repeat && previous_ns == Some(0) {
        let why = "it would start again at once: its last point, which marks the end, is at 0";
        return wrong(format!("{key}.repeat"), why);
    }
    Ok(())
}

fn check_point(key: &str, point: &WirePoint) -> Check {
    check_time(&format!("{key}.time_ns"), point.time_ns)?;
    check_time(&format!("{key}.delay_ns"), point.delay_ns.unwrap_or(0))?;
    if point.rate_bps.is_some_and(|rate| rate >= WIRE_TRACE_RATE_MAX_BPS) {
        return wrong(format!("{key}.rate_bps"), format!("must be less than {WIRE_TRACE_RATE_MAX_BPS}"));
    }
    if point.loss.is_some_and(|loss| !(0.0..=1.0).contains(&loss)) {
        return wrong(format!("{key}.loss"), "must be from 0 to 1");
    }
    Ok(())
}
