//! The tins of CAKE in the statistics that the kernel has of it (`TCA_STATS_APP`).

/// `TCA_CAKE_STATS_TIN_STATS` (Linux `include/uapi/linux/pkt_sched.h`).
const TIN_STATS: u16 = 10;
/// Bits of an attribute's type that say how it is stored (`NLA_TYPE_MASK`).
const KIND_MASK: u16 = 0x3fff;

/// One tin of a CAKE discipline. Counts are from its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CakeTin {
    /// Packets that entered the tin, which `tc` prints as `pkts`.
    pub packets: u64,
    /// Bytes that entered it.
    pub bytes: u64,
    /// Packets dropped.
    pub drops: u64,
    /// Packets marked with congestion experienced.
    pub marks: u64,
    /// TCP acknowledgements that the ACK filter dropped.
    pub ack_drops: u64,
    /// Bytes that wait.
    pub backlog_bytes: u32,
    /// Rate up to which the tin has its priority; 0 without a shaper.
    pub threshold_bps: u64,
    /// Target of its AQM.
    pub target_us: u32,
    /// Interval of its AQM.
    pub interval_us: u32,
    /// Delay of packets: moving average that follows high values fast.
    pub peak_delay_us: u32,
    /// Delay of packets: moving average.
    pub avg_delay_us: u32,
    /// Delay of packets: moving average that follows low values fast.
    pub base_delay_us: u32,
    /// Flows that send less than their share.
    pub sparse_flows: u32,
    /// Flows that have a queue.
    pub bulk_flows: u32,
    /// Flows that do not respond to drops and marks.
    pub unresponsive_flows: u32,
    /// The longest packet so far.
    pub max_packet_bytes: u32,
    /// Bytes that a flow may send at a time.
    pub quantum_bytes: u32,
}

/// The tins of a CAKE discipline, from its own statistics, in the order of `tc`: the least urgent one first.
pub fn cake_tins(own: &[u8]) -> impl Iterator<Item = CakeTin> {
    let tins = attributes(own).filter(|(kind, _)| *kind == TIN_STATS).flat_map(|(_, tins)| attributes(tins));
    tins.map(|(_, tin)| CakeTin::read(tin))
}

impl CakeTin {
    /// Types are those of `TCA_CAKE_TIN_STATS_*`; one that is not there is 0.
    fn read(tin: &[u8]) -> Self {
        let mut read = Self::default();
        for (kind, value) in attributes(tin) {
            let word = number(value) as u32;
            match kind {
                2 => read.packets = number(value),
                3 => read.bytes = number(value),
                4 => read.drops = number(value),
                6 => read.ack_drops = number(value),
                8 => read.marks = number(value),
                11 => read.backlog_bytes = word,
                // The kernel's rate is in bytes per second.
                12 => read.threshold_bps = number(value).saturating_mul(8),
                13 => read.target_us = word,
                14 => read.interval_us = word,
                18 => read.peak_delay_us = word,
                19 => read.avg_delay_us = word,
                20 => read.base_delay_us = word,
                21 => read.sparse_flows = word,
                22 => read.bulk_flows = word,
                23 => read.unresponsive_flows = word,
                24 => read.max_packet_bytes = word,
                25 => read.quantum_bytes = word,
                _ => {}
            }
        }
        read
    }
}

/// A value of four or eight bytes; another one is 0.
fn number(value: &[u8]) -> u64 {
    let long = value.try_into().map(u64::from_ne_bytes);
    long.or_else(|_| value.try_into().map(|short| u32::from_ne_bytes(short).into())).unwrap_or(0)
}

/// Netlink attributes: length, type, value, padded to four bytes. Ends at the first that is not whole.
fn attributes(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*rest.first_chunk()?));
        let kind = u16::from_ne_bytes(*rest.get(2..)?.first_chunk()?) & KIND_MASK;
        let value = rest.get(4..length)?;
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let mut bytes = ((4 + value.len()) as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn tins_are_read_where_the_kernels_header_has_them() {
        let values = [
            attribute(12, &125_000u64.to_ne_bytes()),
            attribute(3, &9_000u64.to_ne_bytes()),
            attribute(11, &3_000u32.to_ne_bytes()),
            attribute(2, &6u32.to_ne_bytes()),
            attribute(8, &2u32.to_ne_bytes()),
            attribute(19, &1_500u32.to_ne_bytes()),
        ];
        let tins =
            [attribute(1, &attribute(2, &5u32.to_ne_bytes())), attribute(0x8000 | 2, &values.concat())];
        let own = [attribute(2, &[0; 8]), attribute(0x8000 | TIN_STATS, &tins.concat())].concat();
        let second = CakeTin {
            packets: 6,
            bytes: 9_000,
            marks: 2,
            backlog_bytes: 3_000,
            threshold_bps: 1_000_000,
            avg_delay_us: 1_500,
            ..CakeTin::default()
        };
        let all: Vec<_> = cake_tins(&own).collect();
        assert_eq!(all, [CakeTin { packets: 5, ..CakeTin::default() }, second]);
    }

    #[test]
    fn what_is_cut_short_or_not_there_has_no_tins() {
        assert_eq!(cake_tins(&[]).count(), 0);
        assert_eq!(cake_tins(&[9, 0]).count(), 0);
        assert_eq!(cake_tins(&attribute(3, &[1; 40])).count(), 0);
    }
}
