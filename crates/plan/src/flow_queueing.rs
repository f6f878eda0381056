//! What the kernel tells of the queues of flows in `fq_codel` and `fq_pie`.

/// Statistics of a discipline with a queue for each flow (Linux `include/uapi/linux/pkt_sched.h`). Counts are from its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowQueueing {
    /// Flows in the list of new ones.
    pub new_flows: u32,
    /// Flows in the list of old ones.
    pub old_flows: u32,
    /// Packets that made a flow a new one.
    pub new_flow_count: u32,
    /// Memory of the waiting packets, with what the kernel needs for each.
    pub memory_bytes: u32,
    /// Packets dropped because of the limit in packets.
    pub drop_overlimit: u32,
    /// Packets dropped because of the limit of memory.
    pub drop_overmemory: u32,
    /// Packets marked because they waited longer than `ce_threshold`; `fq_pie` has none.
    pub ce_threshold_marks: u32,
}

impl FlowQueueing {
    /// Reads the statistics that a discipline of this kind has of itself (`TCA_STATS_APP`); `None` for another kind, or of none.
    pub fn of(kind: &str, own: &[u8]) -> Option<Self> {
        let word = |place: usize| {
            let bytes = own.get(4 * place..4 * place + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().expect("four bytes")))
        };
        match kind {
            // struct tc_fq_codel_xstats: the first word says that the rest is struct tc_fq_codel_qd_stats.
            "fq_codel" => Some(Self {
                drop_overlimit: word(2)?,
                new_flow_count: word(4)?,
                new_flows: word(5)?,
                old_flows: word(6)?,
                ce_threshold_marks: word(7)?,
                memory_bytes: word(8)?,
                drop_overmemory: word(9)?,
            }),
            // struct tc_fq_pie_xstats.
            "fq_pie" => Some(Self {
                drop_overlimit: word(2)?,
                drop_overmemory: word(3)?,
                new_flow_count: word(5)?,
                new_flows: word(6)?,
                old_flows: word(7)?,
                memory_bytes: word(8)?,
                ce_threshold_marks: 0,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_read_where_the_kernels_header_has_them() {
        let words: Vec<u8> = (0..10u32).flat_map(u32::to_ne_bytes).collect();
        let fq_codel = FlowQueueing {
            new_flows: 5,
            old_flows: 6,
            new_flow_count: 4,
            memory_bytes: 8,
            drop_overlimit: 2,
            drop_overmemory: 9,
            ce_threshold_marks: 7,
        };
        assert_eq!(FlowQueueing::of("fq_codel", &words), Some(fq_codel));
        let fq_pie = FlowQueueing {
            new_flows: 6,
            old_flows: 7,
            new_flow_count: 5,
            memory_bytes: 8,
            drop_overlimit: 2,
            drop_overmemory: 3,
            ce_threshold_marks: 0,
        };
        assert_eq!(FlowQueueing::of("fq_pie", &words), Some(fq_pie));
        assert_eq!(FlowQueueing::of("fq_codel", &words[..36]), None);
        assert_eq!(FlowQueueing::of("cake", &words), None);
    }
}
