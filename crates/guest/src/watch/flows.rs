//! Samples of flows, and the state of a sender when an ACK reaches it.

use airtcp_plan::TcpInfo;
use airtcp_plan::record::{EarlyEndRule, Kind, RowWriter, Table};

use crate::abi::KernelAck;

/// Bytes of the largest member of `union tcp_cc_info` (Linux `include/uapi/linux/inet_diag.h`).
pub const CC_INFO_BYTES: usize = 20;
/// `INET_DIAG_VEGASINFO`, `INET_DIAG_DCTCPINFO`, `INET_DIAG_BBRINFO`, and how the column `cc_kind` calls them.
const CC_KINDS: [(u32, u32); 3] = [(3, 1), (9, 2), (16, 3)];

/// Reasons for which a sender does not send, in the order of `enum tcp_limit` of the kernel patches.
const LIMITS: [&str; 7] = [
    "app_limited_ns",
    "send_buffer_limited_ns",
    "peer_window_limited_ns",
    "cwnd_limited_ns",
    "pacing_limited_ns",
    "small_queue_limited_ns",
    "other_limited_ns",
];

/// A flow at an instant.
#[derive(Clone, Debug)]
pub struct FlowSample {
    /// Statistics of the sending end.
    pub sender: TcpInfo,
    /// The receiving end's.
    pub receiver: TcpInfo,
    /// For how long the sender's output stood still, by reason.
    pub limited_ns: [u64; LIMITS.len()],
    /// Type of the congestion control's own information (`INET_DIAG_*INFO`).
    pub cc_kind: u32,
    /// The congestion control's own information.
    pub cc_info: [u8; CC_INFO_BYTES],
}

/// The table of `records/flows.rec`, with so many bytes of `struct tcp_info`. Byte counts are the kernel's: SYN and FIN are one
/// each.
pub(super) fn flows_table(tcp_info_bytes: u16) -> Table {
    let u32_columns = |names: &[&'static str]| names.iter().map(|&n| (n, Kind::U32)).collect::<Vec<_>>();
    let u64_columns = |names: &[&'static str]| names.iter().map(|&n| (n, Kind::U64)).collect::<Vec<_>>();
    let mut columns = vec![("time_ns", Kind::I64), ("flow", Kind::U32)];
    columns.extend(u64_columns(&["bytes_received", "bytes_acked"]));
    columns.extend(u32_columns(&["cwnd", "ssthresh", "srtt_us", "rttvar_us", "min_rtt_us", "rto_us"]));
    columns.extend(u32_columns(&["unacked", "sacked", "lost", "retrans", "total_retrans", "snd_mss"]));
    columns.extend(u64_columns(&["pacing_rate_bps", "delivery_rate_bps"]));
    columns.extend(u64_columns(&["busy_us", "rwnd_limited_us", "sndbuf_limited_us"]));
    columns.extend(u32_columns(&["ca_state", "delivery_app_limited"]));
    columns.extend(u64_columns(&LIMITS));
    columns.push(("cc_kind", Kind::U32));
    columns.push(("cc_info", Kind::Bytes(CC_INFO_BYTES as u16)));
    columns.push(("tcp_info", Kind::Bytes(tcp_info_bytes)));
    Table::new("flows", &["flow"], EarlyEndRule::CutWithLastSample, &columns)
}

impl FlowSample {
    /// The sample of a connection without known ends.
    pub(super) const EMPTY: Self = Self {
        sender: TcpInfo::EMPTY,
        receiver: TcpInfo::EMPTY,
        limited_ns: [0; LIMITS.len()],
        cc_kind: 0,
        cc_info: [0; CC_INFO_BYTES],
    };

    /// Writes the values of its row.
    pub(super) fn write(&self, row: &mut RowWriter, time_ns: i64, flow: u32) {
        let (sender, receiver) = (&self.sender, &self.receiver);
        row.i64(time_ns).u32(flow);
        row.u64(receiver.bytes_received()).u64(sender.bytes_acked());
        row.u32(sender.cwnd()).u32(sender.ssthresh()).u32(sender.srtt_us()).u32(sender.rttvar_us());
        row.u32(sender.min_rtt_us()).u32(sender.rto_us());
        row.u32(sender.unacked()).u32(sender.sacked()).u32(sender.lost()).u32(sender.retrans());
        row.u32(sender.total_retrans()).u32(sender.snd_mss());
        row.u64(sender.pacing_rate_bps()).u64(sender.delivery_rate_bps());
        row.u64(sender.busy_us()).u64(sender.rwnd_limited_us()).u64(sender.sndbuf_limited_us());
        row.u32(sender.ca_state()).u32(sender.delivery_app_limited());
        self.limited_ns.iter().for_each(|&limited_ns| {
            row.u64(limited_ns);
        });
        let kind = CC_KINDS.iter().find(|(kernel, _)| *kernel == self.cc_kind).map_or(0, |(_, kind)| *kind);
        row.u32(kind).bytes(&self.cc_info).bytes(sender.bytes());
    }
}

/// The table of `records/acks.rec`.
pub(super) fn acks_table() -> Table {
    let mut columns = vec![("time_ns", Kind::I64), ("flow", Kind::U32)];
    let names = ["data_bytes", "snd_nxt", "snd_una", "cwnd", "ssthresh", "snd_wnd_bytes", "srtt_us"];
    columns.extend(names.map(|name| (name, Kind::U32)));
    columns.extend(["rcv_wnd_bytes", "rto_us", "in_flight", "ca_state"].map(|name| (name, Kind::U32)));
    columns.push(("pacing_rate_bps", Kind::U64));
    Table::new("acks", &["flow"], EarlyEndRule::Cut, &columns)
}

impl KernelAck {
    /// Writes the values of its row.
    pub(super) fn write(&self, row: &mut RowWriter, time_ns: i64, flow: u32) {
        row.i64(time_ns).u32(flow).u32(self.data_len).u32(self.snd_nxt).u32(self.snd_una);
        row.u32(self.cwnd).u32(self.ssthresh).u32(self.snd_wnd).u32(self.srtt_us);
        row.u32(self.rcv_wnd).u32(self.rto_us).u32(self.in_flight).u32(self.ca_state);
        // "No limit" stays the largest number.
        row.u64(self.pacing_rate.saturating_mul(8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_columns_of_their_tables() {
        let mut bytes = Vec::new();
        let table = flows_table(248);
        let mut row = RowWriter::new(&table);
        let (sender, receiver) = (TcpInfo::EMPTY, TcpInfo::EMPTY);
        let sample = FlowSample { sender, receiver, limited_ns: [7; 7], cc_kind: 16, cc_info: [0; 20] };
        sample.write(&mut row, 0, 0);
        row.end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), table.row_width());
        let mut row = RowWriter::new(&acks_table());
        KernelAck::default().write(&mut row, 0, 0);
        row.end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), table.row_width() + acks_table().row_width());
    }

    #[test]
    fn bbrs_information_is_recorded_as_such() {
        assert_eq!(CC_KINDS.iter().find(|(kernel, _)| *kernel == 16), Some(&(16, 3)));
    }
}
