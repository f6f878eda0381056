//! Samples of flows, and the state of a sender when an ACK reaches it.

use airtcp_plan::TcpInfo;

use crate::abi::KernelAck;

/// Bytes of the largest member of `union tcp_cc_info` (Linux `include/uapi/linux/inet_diag.h`).
pub const CC_INFO_BYTES: usize = 20;
/// `INET_DIAG_VEGASINFO`, `INET_DIAG_DCTCPINFO`, `INET_DIAG_BBRINFO`, and how the column `cc_kind` calls them.
const CC_KINDS: [(u32, u32); 3] = [(3, 1), (9, 2), (16, 3)];

/// Reasons for which a sender does not send (`enum tcp_limit` of the kernel patches).
const LIMITS: usize = 7;

/// A flow at an instant.
#[derive(Clone, Debug)]
pub struct FlowSample {
    /// Statistics of the sending end.
    pub sender: TcpInfo,
    /// The receiving end's.
    pub receiver: TcpInfo,
    /// For how long the sender's output stood still, by reason, in the order of `enum tcp_limit`.
    pub limited_ns: [u64; LIMITS],
    /// Type of the congestion control's own information (`INET_DIAG_*INFO`).
    pub cc_kind: u32,
    /// The congestion control's own information.
    pub cc_info: [u8; CC_INFO_BYTES],
}

airtcp_plan::record! {
    /// The table of `records/flows.rec`, with so many bytes of `struct tcp_info`. Byte counts are the kernel's: SYN and FIN are one
    /// each.
    pub(crate) fn flows_table(tcp_info_bytes: u16) = "flows", key [flow], CutWithLastSample;
    /// Packs a sample of a flow.
    pub(crate) fn write_flow(time_ns: i64, flow: u32, sample: &FlowSample) {
        time_ns: i64 = time_ns,
        flow: u32 = flow,
        bytes_received: u64 = sample.receiver.bytes_received();
        ..TcpInfo = &sample.sender;
        app_limited_ns: u64 = sample.limited_ns[0],
        send_buffer_limited_ns: u64 = sample.limited_ns[1],
        peer_window_limited_ns: u64 = sample.limited_ns[2],
        cwnd_limited_ns: u64 = sample.limited_ns[3],
        pacing_limited_ns: u64 = sample.limited_ns[4],
        small_queue_limited_ns: u64 = sample.limited_ns[5],
        other_limited_ns: u64 = sample.limited_ns[6],
        cc_kind: u32 = recorded_kind(sample.cc_kind),
        cc_info: bytes[CC_INFO_BYTES as u16] = &sample.cc_info,
        tcp_info: bytes[tcp_info_bytes] = sample.sender.bytes(),
    }
}

/// How the column `cc_kind` calls the type of a congestion control's information; 0 for none.
fn recorded_kind(kernel: u32) -> u32 {
    CC_KINDS.iter().find(|(theirs, _)| *theirs == kernel).map_or(0, |(_, kind)| *kind)
}

impl FlowSample {
    /// The sample of a connection without known ends.
    pub const EMPTY: Self = Self {
        sender: TcpInfo::EMPTY,
        receiver: TcpInfo::EMPTY,
        limited_ns: [0; LIMITS],
        cc_kind: 0,
        cc_info: [0; CC_INFO_BYTES],
    };
}

airtcp_plan::record! {
    /// The table of `records/acks.rec`.
    pub(super) fn acks_table() = "acks", key [flow], Cut;
    /// Packs the state of a sender when an ACK reaches it.
    pub(super) fn write_ack(time_ns: i64, flow: u32, ack: &KernelAck) {
        time_ns: i64 = time_ns,
        flow: u32 = flow,
        data_bytes: u32 = ack.data_len,
        snd_nxt: u32 = ack.snd_nxt,
        snd_una: u32 = ack.snd_una,
        cwnd: u32 = ack.cwnd,
        ssthresh: u32 = ack.ssthresh,
        snd_wnd_bytes: u32 = ack.snd_wnd,
        srtt_us: u32 = ack.srtt_us,
        rcv_wnd_bytes: u32 = ack.rcv_wnd,
        rto_us: u32 = ack.rto_us,
        in_flight: u32 = ack.in_flight,
        ca_state: u32 = ack.ca_state,
        // "No limit" stays the largest number.
        pacing_rate_bps: u64 = ack.pacing_rate.saturating_mul(8),
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::record::RowWriter;

    use super::*;

    #[test]
    fn rows_have_the_columns_of_their_tables() {
        let mut bytes = Vec::new();
        let table = flows_table(248);
        let mut row = RowWriter::new(&table);
        let (sender, receiver) = (TcpInfo::EMPTY, TcpInfo::EMPTY);
        let sample = FlowSample { sender, receiver, limited_ns: [7; 7], cc_kind: 16, cc_info: [0; 20] };
        write_flow(&mut row, 0, 0, &sample);
        row.end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), table.row_width());
        let mut row = RowWriter::new(&acks_table());
        write_ack(&mut row, 0, 0, &KernelAck::default());
        row.end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), table.row_width() + acks_table().row_width());
    }

    #[test]
    fn bbrs_information_is_recorded_as_such() {
        assert_eq!(CC_KINDS.iter().find(|(kernel, _)| *kernel == 16), Some(&(16, 3)));
    }
}
