//! The settings of `DualPI2` as attributes (`TCA_DUALPI2_*` of Linux `include/uapi/linux/pkt_sched.h`).

use airtcp_plan::{DualPi2, LowLatency, StepThreshold};

use super::Request;
use super::message::{find, u32_at};

const LIMIT: u16 = 1;
const MEMORY_LIMIT: u16 = 2;
const TARGET: u16 = 3;
const TUPDATE: u16 = 4;
const ALPHA: u16 = 5;
const BETA: u16 = 6;
const STEP_THRESH_PKTS: u16 = 7;
const STEP_THRESH_US: u16 = 8;
const MIN_QLEN_STEP: u16 = 9;
const COUPLING: u16 = 10;
const DROP_OVERLOAD: u16 = 11;
const DROP_EARLY: u16 = 12;
const C_PROTECTION: u16 = 13;
const ECN_MASK: u16 = 14;
const SPLIT_GSO: u16 = 15;

/// `TC_DUALPI2_ECN_MASK_L4S_ECT` and `TC_DUALPI2_ECN_MASK_ANY_ECT`.
const L4S_ECT: u8 = 1;
const ANY_ECT: u8 = 3;

/// Adds the settings.
pub(super) fn write(request: Request, settings: &DualPi2) -> Request {
    let request = request
        .u32(LIMIT, settings.limit_packets)
        .u32(TARGET, settings.target_us)
        .u32(TUPDATE, settings.tupdate_us)
        .u32(ALPHA, settings.alpha)
        .u32(BETA, settings.beta)
        .u32(MIN_QLEN_STEP, settings.min_qlen_step_packets)
        .u8(COUPLING, settings.coupling_factor)
        .u8(DROP_OVERLOAD, settings.drop_on_overload.into())
        .u8(DROP_EARLY, settings.drop_early.into())
        .u8(C_PROTECTION, settings.classic_protection_percent)
        .u8(ECN_MASK, if settings.low_latency == LowLatency::AnyEct { ANY_ECT } else { L4S_ECT })
        .u8(SPLIT_GSO, settings.split_gso.into());
    let request = match settings.step_threshold {
        StepThreshold::Delay { delay_us } => request.u32(STEP_THRESH_US, delay_us),
        StepThreshold::Packets { packets } => request.u32(STEP_THRESH_PKTS, packets),
    };
    match settings.memory_limit_bytes {
        Some(bytes) => request.u32(MEMORY_LIMIT, bytes),
        None => request,
    }
}

/// The settings in what the kernel reports; `None` if they are not whole.
pub(super) fn read(options: &[u8]) -> Option<DualPi2> {
    let number = |kind| find(options, kind).map(|value| u32_at(value, 0));
    let octet = |kind| find(options, kind).and_then(|value| value.first().copied());
    let step_packets = number(STEP_THRESH_PKTS).map(|packets| StepThreshold::Packets { packets });
    let step_delay = number(STEP_THRESH_US).map(|delay_us| StepThreshold::Delay { delay_us });
    Some(DualPi2 {
        limit_packets: number(LIMIT)?,
        memory_limit_bytes: Some(number(MEMORY_LIMIT)?),
        target_us: number(TARGET)?,
        tupdate_us: number(TUPDATE)?,
        alpha: number(ALPHA)?,
        beta: number(BETA)?,
        step_threshold: step_packets.or(step_delay)?,
        min_qlen_step_packets: number(MIN_QLEN_STEP)?,
        coupling_factor: octet(COUPLING)?,
        classic_protection_percent: octet(C_PROTECTION)?,
        drop_on_overload: octet(DROP_OVERLOAD)? != 0,
        drop_early: octet(DROP_EARLY)? != 0,
        low_latency: if octet(ECN_MASK)? == L4S_ECT { LowLatency::L4sEct } else { LowLatency::AnyEct },
        split_gso: octet(SPLIT_GSO)? != 0,
    })
}

/// Whether the kernel has these settings, as it reports them: a gain is a number of 2^32 - 1 in 256 ns, rounded down when it is
/// set and when it is reported (`dualpi2_scale_alpha_beta`, `dualpi2_unscale_alpha_beta`), and of a memory limit that is not
/// given the kernel has its own.
pub(super) fn is_kept(wanted: &DualPi2, reported: &DualPi2) -> bool {
    let memory_limit_bytes = wanted.memory_limit_bytes.or(reported.memory_limit_bytes);
    let (alpha, beta) = (reported_gain(wanted.alpha), reported_gain(wanted.beta));
    DualPi2 { memory_limit_bytes, alpha, beta, ..*wanted } == *reported
}

fn reported_gain(gain: u32) -> u32 {
    const NS_PER_S: u64 = 1_000_000_000;
    // ALPHA_BETA_SCALING and MAX_PROB.
    let (scaling, largest) = (2, u64::from(u32::MAX));
    let scaled = ((u64::from(gain) * largest) >> scaling) / NS_PER_S;
    (((scaled * NS_PER_S) << scaling) / largest) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::replies;

    const DEFAULT: DualPi2 = DualPi2 {
        limit_packets: 10_000,
        memory_limit_bytes: Some(30_280_000),
        target_us: 15_000,
        tupdate_us: 16_000,
        alpha: 41,
        beta: 819,
        step_threshold: StepThreshold::Delay { delay_us: 1000 },
        min_qlen_step_packets: 0,
        coupling_factor: 2,
        classic_protection_percent: 10,
        drop_on_overload: true,
        drop_early: false,
        low_latency: LowLatency::L4sEct,
        split_gso: true,
    };

    fn round_trip(settings: &DualPi2) -> Option<DualPi2> {
        let bytes = write(Request::new(0, 0, &[]), settings).finish(1, 0);
        read(replies(&bytes).next().unwrap().body)
    }

    #[test]
    fn settings_are_read_as_they_are_written() {
        let other = DualPi2 {
            step_threshold: StepThreshold::Packets { packets: 5 },
            drop_on_overload: false,
            drop_early: true,
            low_latency: LowLatency::AnyEct,
            split_gso: false,
            ..DEFAULT
        };
        for settings in [DEFAULT, other] {
            assert_eq!(round_trip(&settings), Some(settings));
        }
    }

    #[test]
    fn the_kernel_rounds_gains_down() {
        // 41 becomes 44 of 64 ns, and 44 is reported as 40.
        assert_eq!((reported_gain(41), reported_gain(819)), (40, 818));
        let reported = DualPi2 { alpha: 40, beta: 818, ..DEFAULT };
        assert!(is_kept(&DEFAULT, &reported));
        assert!(is_kept(&DualPi2 { memory_limit_bytes: None, ..DEFAULT }, &reported));
        assert!(!is_kept(&DualPi2 { memory_limit_bytes: Some(1), ..DEFAULT }, &reported));
        assert!(!is_kept(&DEFAULT, &DualPi2 { alpha: 39, ..reported }));
    }
}
