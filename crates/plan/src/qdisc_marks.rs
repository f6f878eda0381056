//! Congestion marks in the statistics of the kernel's queueing disciplines.

use crate::cake_tins::cake_tins;

/// Packets that a discipline of this kind has marked, from its own statistics (`TCA_STATS_APP`); 0 for a kind that never
/// marks. Offsets are those of the structures of Linux `include/uapi/linux/pkt_sched.h`, which only ever grow.
pub fn marked_packets(kind: &str, own: &[u8]) -> u64 {
    let count = |at: usize| own.get(at..at + 4).map_or(0, |v| u64::from(le32(v)));
    match kind {
        // struct tc_fq_codel_xstats, of which the first word says which; ecn_mark and ce_mark.
        "fq_codel" => count(12) + count(28),
        // struct tc_codel_xstats: ecn_mark and ce_mark.
        "codel" => count(24) + count(32),
        // struct tc_red_xstats: marked.
        "red" => count(12),
        // struct tc_pie_xstats and tc_fq_pie_xstats: ecn_mark.
        "pie" => count(36),
        "fq_pie" => count(16),
        // struct tc_dualpi2_xstats: ecn_mark, of both queues; those of the step are among them.
        "dualpi2" => count(24),
        // struct tc_fq_qd_stats: ce_mark.
        "fq" => count(80),
        "cake" => cake_tins(own).map(|tin| tin.marks).sum(),
        _ => 0,
    }
}

fn le32(bytes: &[u8]) -> u32 {
    u32::from_ne_bytes(bytes[..4].try_into().expect("four bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let mut bytes = ((4 + value.len()) as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn marks_are_found_where_the_kernels_header_has_them() {
        assert_eq!(marked_packets("fq_codel", &words(&[0, 1514, 3, 7, 9, 0, 0, 2, 4])), 9);
        assert_eq!(marked_packets("codel", &words(&[1, 2, 3, 4, 5, 6, 7, 0, 1])), 8);
        assert_eq!(marked_packets("red", &words(&[1, 2, 3, 4])), 4);
        assert_eq!(marked_packets("pie", &words(&[0, 0, 2, 3, 4, 5, 6, 7, 8, 9])), 9);
        assert_eq!(marked_packets("dualpi2", &words(&[0, 1, 2, 3, 4, 5, 6, 7])), 6);
    }

    #[test]
    fn cakes_tins_are_added_up() {
        // TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS is 8, TCA_CAKE_STATS_TIN_STATS 10.
        let tin = |marked: u32| attribute(1, &attribute(8, &marked.to_ne_bytes()));
        let tins = attribute(0x8000 | 0xa, &[tin(3), tin(4)].concat());
        let own = [attribute(2, &[0; 8]), tins].concat();
        assert_eq!(marked_packets("cake", &own), 7);
    }

    #[test]
    fn no_statistics_and_unknown_kinds_have_no_marks() {
        assert_eq!(marked_packets("fq_codel", &[]), 0);
        assert_eq!(marked_packets("pfifo", &words(&[1; 20])), 0);
        assert_eq!(marked_packets("cake", &[9, 0]), 0);
    }
}
