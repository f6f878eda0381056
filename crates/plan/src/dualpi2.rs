//! `DualPI2`, the coupled dual-queue AQM (RFC 9332; Linux `net/sched/sch_dualpi2.c`): its settings, and what it tells of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The settings of a `DualPI2`. Names are those of tc-dualpi2(8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DualPi2 {
    /// Most packets that wait in both queues; at least 1.
    pub limit_packets: u32,
    /// Most memory of the waiting packets; `null`: that of `limit_packets` of twice the MTU.
    pub memory_limit_bytes: Option<u32>,
    /// Target delay of the PI controller.
    pub target_us: u32,
    /// From one update of the probability to the next; at least 1.
    pub tupdate_us: u32,
    /// Integral gain, in 1/256 Hz; at least 1.
    pub alpha: u32,
    /// Proportional gain, in 1/256 Hz; at least 1.
    pub beta: u32,
    /// Where the L queue begins to mark every packet.
    pub step_threshold: StepThreshold,
    /// Least length of the L queue with which a packet that comes is subject to the step.
    pub min_qlen_step_packets: u32,
    /// By how much the probability of the L queue exceeds the base probability; that of the classic queue is its square.
    pub coupling_factor: u8,
    /// Share of the link that the classic queue gets at least, in percent.
    pub classic_protection_percent: u8,
    /// Whether packets are dropped in overload; otherwise the limit drops them.
    pub drop_on_overload: bool,
    /// Whether it drops and marks packets that come, instead of those that leave.
    pub drop_early: bool,
    /// What belongs to the L queue.
    pub low_latency: LowLatency,
    /// Whether packets of several segments are split.
    pub split_gso: bool,
}

/// Where the L queue begins to mark every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum StepThreshold {
    /// At packets that have waited longer.
    Delay {
        /// Than this.
        delay_us: u32,
    },
    /// At more packets in the L queue.
    Packets {
        /// Than so many.
        packets: u32,
    },
}

/// Packets that belong to the L queue, by their ECN field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LowLatency {
    /// ECT(1) and CE, as RFC 9331 has it.
    L4sEct,
    /// All that is ECN-capable.
    AnyEct,
}

/// The kernel's statistics of a `DualPI2` (`struct tc_dualpi2_xstats`). Counts are from its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DualPi2State {
    /// The base probability, of 2^32 - 1: a packet of the classic queue is marked or dropped with its square.
    pub probability: u32,
    /// How long the first packet of the classic queue has waited.
    pub classic_delay_us: u32,
    /// How long the first packet of the L queue has waited.
    pub low_latency_delay_us: u32,
    /// Packets that the classic queue took.
    pub classic_packets: u32,
    /// Packets that the L queue took.
    pub low_latency_packets: u32,
    /// Most packets that have waited.
    pub most_packets: u32,
    /// Marks in both queues.
    pub marks: u32,
    /// Those of them that the step made.
    pub step_marks: u32,
    /// Credit of the scheduler: the L queue is next at 0 and below.
    pub credit: i32,
    /// Memory of the waiting packets.
    pub memory_bytes: u32,
}

impl DualPi2State {
    /// Reads the statistics that a discipline of this kind has of itself (`TCA_STATS_APP`); `None` for another kind, or of none.
    pub fn of(kind: &str, own: &[u8]) -> Option<Self> {
        let word = |place: usize| {
            let bytes = own.get(4 * place..4 * place + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().expect("four bytes")))
        };
        if kind != "dualpi2" {
            return None;
        }
        Some(Self {
            probability: word(0)?,
            classic_delay_us: word(1)?,
            low_latency_delay_us: word(2)?,
            classic_packets: word(3)?,
            low_latency_packets: word(4)?,
            most_packets: word(5)?,
            marks: word(6)?,
            step_marks: word(7)?,
            credit: word(8)?.cast_signed(),
            memory_bytes: word(9)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Queue;

    #[test]
    fn settings_are_a_queue_of_a_plan() {
        let settings = DualPi2 {
            limit_packets: 10_000,
            memory_limit_bytes: None,
            target_us: 15_000,
            tupdate_us: 16_000,
            alpha: 41,
            beta: 819,
            step_threshold: StepThreshold::Packets { packets: 5 },
            min_qlen_step_packets: 0,
            coupling_factor: 2,
            classic_protection_percent: 10,
            drop_on_overload: true,
            drop_early: false,
            low_latency: LowLatency::AnyEct,
            split_gso: true,
        };
        let mut json = serde_json::to_value(Queue::Dualpi2(settings)).unwrap();
        assert_eq!((json["kind"].as_str(), json["low_latency"].as_str()), (Some("dualpi2"), Some("any_ect")));
        assert_eq!(serde_json::from_value::<Queue>(json.clone()).unwrap(), Queue::Dualpi2(settings));
        json["limit"] = 5.into();
        assert!(serde_json::from_value::<Queue>(json).is_err());
    }

    #[test]
    fn statistics_are_read_where_the_kernels_header_has_them() {
        let mut words: Vec<u8> = (0..12u32).flat_map(u32::to_ne_bytes).collect();
        words[32..36].copy_from_slice(&(-1500i32).to_ne_bytes());
        let state = DualPi2State {
            probability: 0,
            classic_delay_us: 1,
            low_latency_delay_us: 2,
            classic_packets: 3,
            low_latency_packets: 4,
            most_packets: 5,
            marks: 6,
            step_marks: 7,
            credit: -1500,
            memory_bytes: 9,
        };
        assert_eq!(DualPi2State::of("dualpi2", &words), Some(state));
        assert_eq!(DualPi2State::of("dualpi2", &words[..36]), None);
        assert_eq!(DualPi2State::of("pie", &words), None);
    }
}
