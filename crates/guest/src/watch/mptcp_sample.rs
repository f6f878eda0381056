//! Samples of MPTCP connections, and their rows.

/// One end of an MPTCP connection at an instant. Bytes are those of data sequence numbers: the `DATA_FIN` is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MptcpSample {
    /// Token of this end.
    pub token: u32,
    /// Subflows that this end has.
    pub subflows: u32,
    /// Addresses that this end told the other one.
    pub add_addr_signalled: u32,
    /// Addresses of the other end that this one accepted.
    pub add_addr_accepted: u32,
    /// Addresses from which this end made further subflows.
    pub local_addr_used: u32,
    /// Bytes that the program wrote.
    pub bytes_written: u64,
    /// Bytes sent for the first time.
    pub bytes_sent: u64,
    /// Bytes that the other end acknowledged.
    pub bytes_acked: u64,
    /// Bytes that were sent again, on any subflow; `u64::MAX` if the kernel does not count them.
    pub bytes_reinjected: u64,
    /// Bytes received in order.
    pub bytes_received: u64,
}

airtcp_plan::record! {
    /// The table of `records/mptcp.rec`: both directions of each connection.
    pub(super) fn mptcp_table() = "mptcp", key [connection], CutWithLastSample;
    /// Packs a sample of a direction.
    pub(super) fn write_mptcp(time_ns: i64, connection: u32, sender: &MptcpSample, bytes_received: u64) {
        time_ns: i64 = time_ns,
        connection: u32 = connection,
        bytes_received: u64 = bytes_received,
        bytes_written: u64 = sender.bytes_written,
        bytes_sent: u64 = sender.bytes_sent,
        bytes_acked: u64 = sender.bytes_acked,
        bytes_reinjected: u64 = sender.bytes_reinjected,
        subflows: u32 = sender.subflows,
        add_addr_signalled: u32 = sender.add_addr_signalled,
        add_addr_accepted: u32 = sender.add_addr_accepted,
        local_addr_used: u32 = sender.local_addr_used,
    }
}
