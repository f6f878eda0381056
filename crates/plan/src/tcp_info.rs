//! The fields of `struct tcp_info` (Linux `include/uapi/linux/tcp.h`; the layout only ever grows).

use serde::Serialize;

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

/// A number in `struct tcp_info`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TcpInfoField {
    /// Name in the kernel without `tcpi_`, with a unit.
    pub name: &'static str,
    /// Octets before it.
    pub offset: usize,
    /// Width; fewer than eight for a bit field.
    pub bits: usize,
    /// Lowest bit of a bit field in its octet.
    pub shift: usize,
    /// First version of Linux that has it, if later than 4.19.
    pub since: Option<(u32, u32)>,
}

macro_rules! fields {
    ($($name:ident: $bits:literal @ $offset:literal $(>> $shift:literal)? $(since $version:expr)?;)*) => {
        &[$(TcpInfoField {
            name: stringify!($name),
            offset: $offset,
            bits: $bits,
            shift: 0 $(+ $shift)?,
            since: fields!(@since $($version)?),
        }),*]
    };
    (@since) => { None };
    (@since $version:expr) => { Some($version) };
}

/// Every field of the structure in Linux 7.2.
pub const TCP_INFO_FIELDS: &[TcpInfoField] = fields! {
    state: 8 @ 0;
    ca_state: 8 @ 1;
    retransmits: 8 @ 2;
    probes: 8 @ 3;
    backoff: 8 @ 4;
    options: 8 @ 5;
    snd_wscale: 4 @ 6;
    rcv_wscale: 4 @ 6 >> 4;
    delivery_rate_app_limited: 1 @ 7;
    fastopen_client_fail: 2 @ 7 >> 1;
    rto_us: 32 @ 8;
    ato_us: 32 @ 12;
    snd_mss: 32 @ 16;
    rcv_mss: 32 @ 20;
    unacked: 32 @ 24;
    sacked: 32 @ 28;
    lost: 32 @ 32;
    retrans: 32 @ 36;
    fackets: 32 @ 40;
    last_data_sent_ms: 32 @ 44;
    last_ack_sent_ms: 32 @ 48;
    last_data_recv_ms: 32 @ 52;
    last_ack_recv_ms: 32 @ 56;
    pmtu: 32 @ 60;
    rcv_ssthresh: 32 @ 64;
    rtt_us: 32 @ 68;
    rttvar_us: 32 @ 72;
    snd_ssthresh: 32 @ 76;
    snd_cwnd: 32 @ 80;
    advmss: 32 @ 84;
    reordering: 32 @ 88;
    rcv_rtt_us: 32 @ 92;
    rcv_space: 32 @ 96;
    total_retrans: 32 @ 100;
    pacing_rate_bytes_per_s: 64 @ 104;
    max_pacing_rate_bytes_per_s: 64 @ 112;
    bytes_acked: 64 @ 120;
    bytes_received: 64 @ 128;
    segs_out: 32 @ 136;
    segs_in: 32 @ 140;
    notsent_bytes: 32 @ 144;
    min_rtt_us: 32 @ 148;
    data_segs_in: 32 @ 152;
    data_segs_out: 32 @ 156;
    delivery_rate_bytes_per_s: 64 @ 160;
    busy_time_us: 64 @ 168;
    rwnd_limited_us: 64 @ 176;
    sndbuf_limited_us: 64 @ 184;
    delivered: 32 @ 192;
    delivered_ce: 32 @ 196;
    bytes_sent: 64 @ 200;
    bytes_retrans: 64 @ 208;
    dsack_dups: 32 @ 216;
    reord_seen: 32 @ 220;
    rcv_ooopack: 32 @ 224;
    snd_wnd: 32 @ 228;
    rcv_wnd: 32 @ 232 since (6, 2);
    rehash: 32 @ 236 since (6, 2);
    total_rto: 16 @ 240 since (6, 7);
    total_rto_recoveries: 16 @ 242 since (6, 7);
    total_rto_time_ms: 32 @ 244 since (6, 7);
    received_ce: 32 @ 248 since (6, 18);
    delivered_e1_bytes: 32 @ 252 since (6, 18);
    delivered_e0_bytes: 32 @ 256 since (6, 18);
    delivered_ce_bytes: 32 @ 260 since (6, 18);
    received_e1_bytes: 32 @ 264 since (6, 18);
    received_e0_bytes: 32 @ 268 since (6, 18);
    received_ce_bytes: 32 @ 272 since (6, 18);
    ecn_mode: 2 @ 276 since (7, 0);
    accecn_opt_seen: 2 @ 276 >> 2 since (7, 0);
    accecn_fail_mode: 4 @ 276 >> 4 since (7, 0);
};

/// Whether the delivery rate was limited by the application.
const APP_LIMITED: TcpInfoField = named("delivery_rate_app_limited");
const ECN_MODE: TcpInfoField = named("ecn_mode");
const ACCECN_OPT_SEEN: TcpInfoField = named("accecn_opt_seen");
const ACCECN_FAIL_MODE: TcpInfoField = named("accecn_fail_mode");
/// `TCPI_OPT_ECN` and `TCPI_OPT_ECN_SEEN` of `tcpi_options`.
const OPTION_ECN: u8 = 8;
const OPTION_ECN_SEEN: u8 = 16;
/// `TCPI_ECN_MODE_ACCECN` of `tcpi_ecn_mode`.
const MODE_ACCURATE: u8 = 2;

const fn named(name: &str) -> TcpInfoField {
    let mut n = 0;
    while n < TCP_INFO_FIELDS.len() {
        if is_same(TCP_INFO_FIELDS[n].name.as_bytes(), name.as_bytes()) {
            return TCP_INFO_FIELDS[n];
        }
        n += 1;
    }
    panic!("the structure has no such field")
}

/// Octets before a field of this many octets.
const fn place(name: &str, octets: usize) -> usize {
    let TcpInfoField { offset, bits, .. } = named(name);
    assert!(bits == 8 * octets, "the field has another width");
    offset
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut same = one.len() == other.len();
    let mut n = 0;
    while same && n < one.len() {
        same = one[n] == other[n];
        n += 1;
    }
    same
}

/// Units at the end of names, which the kernel's names do not have.
const UNITS: [&str; 3] = ["_bytes_per_s", "_us", "_ms"];

impl TcpInfoField {
    /// Its name in the kernel. The octets in the names of counters belong to them.
    fn kernel_name(&self) -> String {
        let bare = UNITS.iter().find_map(|unit| self.name.strip_suffix(unit));
        format!("tcpi_{}", bare.unwrap_or(self.name))
    }

    /// What the compiler of a kernel must find. A bit field has no address: the fields around it say where it is.
    fn assertion(&self) -> Option<String> {
        let Self { offset, bits, .. } = *self;
        let name = self.kernel_name();
        (bits >= 8).then(|| format!("AIRTCP_PLACE({name}, {offset});\nAIRTCP_OCTETS({name}, {});", bits / 8))
    }
}

/// The table as lines of C, which the guest kernel's compiler holds against its own structure.
pub fn tcp_info_assertions() -> String {
    let head = "/* SPDX-License-Identifier: GPL-2.0 */\n/* Written by \"make generated\". */\n";
    let versions = TCP_INFO_FIELDS.chunk_by(|one, next| one.since == next.since).map(|fields| {
        let assertions: Vec<_> = fields.iter().filter_map(TcpInfoField::assertion).collect();
        let lines = assertions.join("\n");
        match fields[0].since {
            _ if lines.is_empty() => String::new(),
            None => format!("{lines}\n"),
            Some((major, minor)) => {
                format!("#if LINUX_VERSION_CODE >= KERNEL_VERSION({major}, {minor}, 0)\n{lines}\n#endif\n")
            }
        }
    });
    std::iter::once(head.to_owned()).chain(versions).collect()
}

impl TcpInfo {
    /// The octets from a place on; zeros where the structure ends before.
    fn octets<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N])
    }
}

/// A field of this type, by its name.
macro_rules! field {
    ($info:expr, $name:ident: $kind:ty) => {
        <$kind>::from_ne_bytes($info.octets(const { place(stringify!($name), size_of::<$kind>()) }))
    };
}

impl TcpInfo {
    /// A field of fewer than eight bits.
    fn bit_field(&self, TcpInfoField { offset, bits, shift, .. }: TcpInfoField) -> u8 {
        self.octets::<1>(offset)[0] >> shift & ((1 << bits) - 1)
    }

    /// What the connection agreed on: 0 no ECN, 1 that of RFC 3168, 2 `AccECN`. A kernel without `AccECN` only says whether.
    fn ecn(&self) -> u32 {
        let agreed = field!(self, options: u8) & OPTION_ECN != 0;
        u32::from(agreed) + u32::from(agreed && self.bit_field(ECN_MODE) == MODE_ACCURATE)
    }
}

// They are decoded when a row is written, in guests and on measured machines alike, and not when a run is sealed: a session shows
// its rows while it goes on, and would need a second decoder.
crate::record_columns! {
    /// The columns that every series of TCP senders has.
    impl TcpInfo(info) {
        bytes_acked: u64 = info.bytes_acked(),
        cwnd: u32 = field!(info, snd_cwnd: u32),
        ssthresh: u32 = field!(info, snd_ssthresh: u32),
        srtt_us: u32 = field!(info, rtt_us: u32),
        rttvar_us: u32 = field!(info, rttvar_us: u32),
        min_rtt_us: u32 = field!(info, min_rtt_us: u32),
        rto_us: u32 = field!(info, rto_us: u32),
        unacked: u32 = field!(info, unacked: u32),
        sacked: u32 = field!(info, sacked: u32),
        lost: u32 = field!(info, lost: u32),
        retrans: u32 = field!(info, retrans: u32),
        total_retrans: u32 = info.total_retrans(),
        snd_mss: u32 = field!(info, snd_mss: u32),
        pacing_rate_bps: u64 = bits_per_second(field!(info, pacing_rate_bytes_per_s: u64)),
        delivery_rate_bps: u64 = bits_per_second(field!(info, delivery_rate_bytes_per_s: u64)),
        busy_us: u64 = info.busy_us(),
        rwnd_limited_us: u64 = info.rwnd_limited_us(),
        sndbuf_limited_us: u64 = info.sndbuf_limited_us(),
        // 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
        ca_state: u32 = field!(info, ca_state: u8).into(),
        delivery_app_limited: u32 = info.bit_field(APP_LIMITED).into(),
        delivered: u32 = field!(info, delivered: u32),
        delivered_ce: u32 = field!(info, delivered_ce: u32),
        // 0 none, 1 classic, 2 accurate.
        ecn: u32 = info.ecn(),
        ecn_seen: u32 = u32::from(field!(info, options: u8) & OPTION_ECN_SEEN != 0),
        received_ce: u32 = field!(info, received_ce: u32),
        delivered_e0_bytes: u32 = field!(info, delivered_e0_bytes: u32),
        delivered_e1_bytes: u32 = field!(info, delivered_e1_bytes: u32),
        delivered_ce_bytes: u32 = field!(info, delivered_ce_bytes: u32),
        received_e0_bytes: u32 = field!(info, received_e0_bytes: u32),
        received_e1_bytes: u32 = field!(info, received_e1_bytes: u32),
        received_ce_bytes: u32 = field!(info, received_ce_bytes: u32),
        accecn_opt_seen: u32 = info.bit_field(ACCECN_OPT_SEEN).into(),
        accecn_fail_mode: u32 = info.bit_field(ACCECN_FAIL_MODE).into(),
    }
}

impl TcpInfo {
    /// Bytes acknowledged, as the kernel counts: FIN is one, and so is the SYN of the end that connects.
    pub fn bytes_acked(&self) -> u64 {
        field!(self, bytes_acked: u64)
    }

    /// Bytes received in order, as the kernel counts: FIN is one.
    pub fn bytes_received(&self) -> u64 {
        field!(self, bytes_received: u64)
    }

    /// Segments sent again in all.
    pub fn total_retrans(&self) -> u32 {
        field!(self, total_retrans: u32)
    }

    /// Time with data to send or unacknowledged.
    pub fn busy_us(&self) -> u64 {
        field!(self, busy_time_us: u64)
    }

    /// Busy time that was limited by the receiver's window.
    pub fn rwnd_limited_us(&self) -> u64 {
        field!(self, rwnd_limited_us: u64)
    }

    /// Busy time that was limited by the send buffer.
    pub fn sndbuf_limited_us(&self) -> u64 {
        field!(self, sndbuf_limited_us: u64)
    }
}

impl TcpInfo {
    /// The state of an end of which only the received bytes are known.
    pub fn of_bytes_received(bytes: u64) -> Self {
        let mut info = vec![0; 128];
        info.extend(bytes.to_ne_bytes());
        Self(info)
    }

    /// State of the connection (`TCP_ESTABLISHED` is 1).
    pub fn state(&self) -> u8 {
        field!(self, state: u8)
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
    use crate::record::{EarlyEndRule, RowWriter, Table};

    fn with(at: usize, bytes: &[u8]) -> TcpInfo {
        let mut info = TcpInfo(vec![0; 248]);
        info.0[at..at + bytes.len()].copy_from_slice(bytes);
        info
    }

    /// The value of a shared column.
    fn column(info: &TcpInfo, name: &str) -> u64 {
        let table = Table::new("t", &[], EarlyEndRule::Keep, TcpInfo::COLUMNS);
        let (mut row, mut bytes) = (RowWriter::new(&table), Vec::new());
        info.write_columns(&mut row);
        row.end(&mut bytes).unwrap();
        let cell = bytes[table.cell(name).unwrap()].iter();
        cell.rev().fold(0, |value, &octet| value << 8 | u64::from(octet))
    }

    #[test]
    fn columns_are_read_at_their_offsets() {
        assert_eq!(column(&with(80, &7u32.to_ne_bytes()), "cwnd"), 7);
        assert_eq!(column(&with(148, &650u32.to_ne_bytes()), "min_rtt_us"), 650);
        assert_eq!(column(&with(184, &9u64.to_ne_bytes()), "sndbuf_limited_us"), 9);
        assert_eq!(column(&with(160, &1000u64.to_ne_bytes()), "delivery_rate_bps"), 8000);
        assert_eq!(column(&with(1, &[3]), "ca_state"), 3);
        assert_eq!(column(&with(7, &[0b11]), "delivery_app_limited"), 1);
        assert_eq!(column(&with(7, &[0b10]), "delivery_app_limited"), 0);
    }

    #[test]
    fn what_ecn_a_connection_has_is_told_by_its_options_and_by_newer_kernels_mode() {
        let of = |options: u8, mode: u8| {
            let mut info = TcpInfo(vec![0; 280]);
            (info.0[5], info.0[276]) = (options, mode);
            (column(&info, "ecn"), column(&info, "ecn_seen"))
        };
        assert_eq!(of(0, 0), (0, 0));
        assert_eq!(of(OPTION_ECN, 0), (1, 0));
        assert_eq!(of(OPTION_ECN | OPTION_ECN_SEEN, 1), (1, 1));
        assert_eq!(of(OPTION_ECN, MODE_ACCURATE), (2, 0));
        // Not yet agreed (`TCPI_ECN_MODE_PENDING`).
        assert_eq!(of(0, 3), (0, 0));
        assert_eq!(column(&with(5, &[OPTION_ECN]), "ecn"), 1);
    }

    #[test]
    fn counters_of_accurate_ecn_are_read_where_linux_7_2_has_them() {
        let mut info = TcpInfo(vec![0; 280]);
        for (place, octets) in info.0[248..276].chunks_exact_mut(4).enumerate() {
            octets.copy_from_slice(&(place as u32 + 1).to_ne_bytes());
        }
        info.0[276] = 0b1001_1010;
        let names = ["received_ce", "delivered_e1_bytes", "delivered_e0_bytes", "delivered_ce_bytes"];
        assert_eq!(names.map(|name| column(&info, name)), [1, 2, 3, 4]);
        let names = ["received_e1_bytes", "received_e0_bytes", "received_ce_bytes"];
        assert_eq!(names.map(|name| column(&info, name)), [5, 6, 7]);
        assert_eq!((column(&info, "accecn_opt_seen"), column(&info, "accecn_fail_mode")), (2, 9));
    }

    /// Fields follow each other in the order of their bits, and none overlaps another.
    #[test]
    fn fields_do_not_overlap() {
        let begins = |field: &TcpInfoField| 8 * field.offset + field.shift;
        assert!(TCP_INFO_FIELDS.windows(2).all(|two| begins(&two[0]) + two[0].bits <= begins(&two[1])));
    }

    #[test]
    fn a_kernels_compiler_is_told_names_places_and_versions() {
        let lines = tcp_info_assertions();
        let has = |text: &str| assert!(lines.contains(text), "{lines}");
        has("\nAIRTCP_PLACE(tcpi_pacing_rate, 104);\nAIRTCP_OCTETS(tcpi_pacing_rate, 8);\n");
        has("\nAIRTCP_PLACE(tcpi_notsent_bytes, 144);\n");
        has("#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)\nAIRTCP_PLACE(tcpi_total_rto, 240);\n");
        assert!(!lines.contains("wscale"), "bit fields have no address");
        assert_eq!(lines.matches("#if").count(), lines.matches("#endif").count());
    }

    #[test]
    fn a_structure_of_any_length_is_kept_whole() {
        for length in [0, 104, 192, 232, 248, 280, 1000] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            assert_eq!(TcpInfo::from_bytes(&bytes).bytes(), bytes);
        }
        // Linux 4.9 ended before `tcpi_busy_time`, and within it there is nothing to read.
        let older = TcpInfo::from_bytes(&[1; 172]);
        assert_eq!((older.busy_us(), column(&older, "min_rtt_us")), (0, 0x0101_0101));
    }

    #[test]
    fn no_pacing_stays_no_pacing() {
        assert_eq!(column(&with(104, &u64::MAX.to_ne_bytes()), "pacing_rate_bps"), u64::MAX);
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
