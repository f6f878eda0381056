//! The fields of `struct tcp_info` (Linux `include/uapi/linux/tcp.h`; the layout only ever grows).

/// `TCP_FIN_WAIT2`, `TCP_TIME_WAIT`, `TCP_CLOSE`: the end of the data was acknowledged.
const FIN_ACKNOWLEDGED: [u8; 3] = [5, 6, 7];

/// The kernel's structure, raw: as many bytes as that kernel has. Fields that an older kernel lacks read as zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpInfo(Vec<u8>);

impl TcpInfo {
    /// The state of a connection that was never established: no bytes.
    pub const EMPTY: Self = Self(Vec::new());

    /// From the kernel's bytes, all of which are kept.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// The kernel's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

fn u8_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&four| u32::from_ne_bytes(four))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&eight| u64::from_ne_bytes(eight))
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $read:ident -> $kind:ty, $at:expr;)*) => {
        impl TcpInfo {
            $($(#[$doc])* pub fn $name(&self) -> $kind { $read(&self.0, $at) })*
        }
    };
}

fields! {
    /// Retransmission timeout.
    rto_us: u32_at -> u32, 8;
    /// Largest segment sent.
    snd_mss: u32_at -> u32, 16;
    /// Segments sent and not acknowledged.
    unacked: u32_at -> u32, 24;
    /// Segments of `unacked` that were selectively acknowledged.
    sacked: u32_at -> u32, 28;
    /// Segments of `unacked` that are believed lost.
    lost: u32_at -> u32, 32;
    /// Segments of `unacked` that were sent again.
    retrans: u32_at -> u32, 36;
    /// Smoothed round-trip time.
    srtt_us: u32_at -> u32, 68;
    /// Mean deviation of the smoothed RTT.
    rttvar_us: u32_at -> u32, 72;
    /// Slow start threshold in segments.
    ssthresh: u32_at -> u32, 76;
    /// Congestion window in segments.
    cwnd: u32_at -> u32, 80;
    /// Segments sent again in all.
    total_retrans: u32_at -> u32, 100;
    /// Least round-trip time of the recent past.
    min_rtt_us: u32_at -> u32, 148;
    /// Time with data to send or unacknowledged.
    busy_us: u64_at -> u64, 168;
    /// Busy time that was limited by the receiver's window.
    rwnd_limited_us: u64_at -> u64, 176;
    /// Busy time that was limited by the send buffer.
    sndbuf_limited_us: u64_at -> u64, 184;
    /// Bytes acknowledged, as the kernel counts: FIN is one, and so is the SYN of the end that connects.
    bytes_acked: u64_at -> u64, 120;
    /// Bytes received in order, as the kernel counts: FIN is one.
    bytes_received: u64_at -> u64, 128;
}

impl TcpInfo {
    /// The state of an end of which only the received bytes are known.
    pub fn of_bytes_received(bytes: u64) -> Self {
        let mut info = vec![0; 128];
        info.extend(bytes.to_ne_bytes());
        Self(info)
    }

    /// State of the connection (`TCP_ESTABLISHED` is 1).
    fn state(&self) -> u8 {
        u8_at(&self.0, 0)
    }

    /// State of congestion avoidance: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    pub fn ca_state(&self) -> u32 {
        u32::from(u8_at(&self.0, 1))
    }

    /// Whether the delivery rate was limited by the application (lowest bit of the byte).
    pub fn delivery_app_limited(&self) -> u32 {
        u32::from(u8_at(&self.0, 7) & 1)
    }

    /// Pacing rate; `u64::MAX` for none.
    pub fn pacing_rate_bps(&self) -> u64 {
        bits_per_second(u64_at(&self.0, 104))
    }

    /// Latest sample of the delivery rate.
    pub fn delivery_rate_bps(&self) -> u64 {
        bits_per_second(u64_at(&self.0, 160))
    }

    /// Application bytes acknowledged: without FIN, and without the SYN that the kernel counts of an end that connected.
    pub fn data_acked(&self, connected: bool) -> u64 {
        let fin = u64::from(FIN_ACKNOWLEDGED.contains(&self.state()));
        self.bytes_acked().saturating_sub(u64::from(connected) + fin)
    }
}

fn bits_per_second(bytes_per_second: u64) -> u64 {
    bytes_per_second.saturating_mul(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(at: usize, bytes: &[u8]) -> TcpInfo {
        let mut info = TcpInfo(vec![0; 248]);
        info.0[at..at + bytes.len()].copy_from_slice(bytes);
        info
    }

    #[test]
    fn fields_are_read_at_their_offsets_in_linux_6_12() {
        assert_eq!(with(80, &7u32.to_ne_bytes()).cwnd(), 7);
        assert_eq!(with(148, &650u32.to_ne_bytes()).min_rtt_us(), 650);
        assert_eq!(with(184, &9u64.to_ne_bytes()).sndbuf_limited_us(), 9);
        assert_eq!(with(160, &1000u64.to_ne_bytes()).delivery_rate_bps(), 8000);
        assert_eq!(with(7, &[0b11]).delivery_app_limited(), 1);
    }

    #[test]
    fn a_structure_of_any_length_is_kept_whole() {
        for length in [0, 104, 192, 232, 248, 280, 1000] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            assert_eq!(TcpInfo::from_bytes(&bytes).bytes(), bytes);
        }
        // Linux 4.9 ended before `tcpi_busy_time`, and within it there is nothing to read.
        let older = TcpInfo::from_bytes(&[1; 172]);
        assert_eq!((older.busy_us(), older.min_rtt_us()), (0, 0x0101_0101));
    }

    #[test]
    fn no_pacing_stays_no_pacing() {
        assert_eq!(with(104, &u64::MAX.to_ne_bytes()).pacing_rate_bps(), u64::MAX);
    }

    #[test]
    fn syn_and_fin_are_no_data() {
        let mut info = with(120, &1002u64.to_ne_bytes());
        info.0[0] = 1;
        assert_eq!((info.data_acked(true), info.data_acked(false)), (1001, 1002));
        info.0[0] = FIN_ACKNOWLEDGED[0];
        assert_eq!((info.data_acked(true), info.data_acked(false)), (1000, 1001));
        assert_eq!(TcpInfo::EMPTY.data_acked(true), 0);
    }
}
