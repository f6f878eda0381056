//! The border with the kernel, as declared in `arch/um/include/shared/airtcp.h`
//! of the kernel patches. Any change there needs a change here and a new [`ABI`].

use std::ffi::{c_char, c_int, c_short, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};

/// `AIRTCP_ABI`.
pub(crate) const ABI: c_uint = airtcp_plan::report::KERNEL_ABI;

/// `struct airtcp_nic_config`.
#[repr(C)]
pub(crate) struct NicConfig {
    pub(crate) mac: [c_uchar; 6],
    pub(crate) bql: c_uchar,
    pub(crate) gro: c_uchar,
    pub(crate) rx_copy: c_uchar,
    pub(crate) pacing_shift: c_uchar,
    pub(crate) kind: c_uchar,
    pub(crate) unused: [c_uchar; 5],
}

/// `struct airtcp_frame`.
#[repr(C)]
pub(crate) struct KernelFrame {
    pub(crate) handle: *mut c_void,
    pub(crate) head: *const c_uchar,
    pub(crate) head_len: c_uint,
    pub(crate) len: c_uint,
    pub(crate) priority: c_uint,
    pub(crate) unused: c_uint,
}

/// `struct airtcp_host`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct HostTable {
    pub(crate) abi: c_uint,
    pub(crate) unused: c_uint,
    pub(crate) deliver: unsafe extern "C" fn(c_uint, *mut c_void),
    pub(crate) sent: unsafe extern "C" fn(c_uint, *mut c_void),
    pub(crate) dropped: unsafe extern "C" fn(c_uint, *mut c_void),
    pub(crate) hold: unsafe extern "C" fn(*mut c_void),
    pub(crate) release: unsafe extern "C" fn(*mut c_void),
    pub(crate) mark_ce: unsafe extern "C" fn(*mut c_void),
    pub(crate) relay: unsafe extern "C" fn(c_uint, *mut c_void) -> *mut c_void,
    pub(crate) stop: unsafe extern "C" fn(c_uint),
    pub(crate) wake: unsafe extern "C" fn(c_uint),
    pub(crate) next_txq: unsafe extern "C" fn(c_uint, c_uint) -> c_uint,
    pub(crate) dequeue: unsafe extern "C" fn(c_uint, *mut KernelMpdu) -> c_int,
    pub(crate) return_txq: unsafe extern "C" fn(c_uint, c_int),
    pub(crate) has: unsafe extern "C" fn(c_uint, c_uint) -> c_int,
    pub(crate) rates: unsafe extern "C" fn(c_ulonglong, *mut KernelRate) -> c_uint,
    pub(crate) ppdu_done: unsafe extern "C" fn(*const c_ulonglong, *const KernelPpduStatus),
    pub(crate) mpdu_done: unsafe extern "C" fn(c_ulonglong, c_uint),
    pub(crate) rx: unsafe extern "C" fn(c_uint, *const c_ulonglong, c_uint, *const KernelRxStatus),
    pub(crate) rx_control: unsafe extern "C" fn(c_uint, *const c_uchar, c_uint, *const KernelRxStatus),
}

/// `struct airtcp_engine`.
#[repr(C)]
pub(crate) struct EngineTable {
    pub(crate) abi: c_uint,
    pub(crate) nics: c_uint,
    pub(crate) nic: extern "C" fn(c_uint, *mut NicConfig),
    pub(crate) transmit: extern "C" fn(c_uint, *const KernelFrame, c_ulonglong),
    pub(crate) next: extern "C" fn() -> c_ulonglong,
    pub(crate) run: extern "C" fn(c_ulonglong),
    pub(crate) end: extern "C" fn(c_ulonglong),
    pub(crate) flow: extern "C" fn(c_uint, c_ulonglong, *const KernelFlow),
    pub(crate) ack: extern "C" fn(c_uint, c_ulonglong, *const KernelAck),
    pub(crate) qdisc: extern "C" fn(c_uint, c_ulonglong, *const KernelQdisc),
    pub(crate) socket_connected: extern "C" fn(c_uint, c_ulonglong, *const KernelSocket) -> c_int,
    pub(crate) socket: extern "C" fn(c_uint, c_ulonglong, *const KernelFlow),
    pub(crate) socket_closed: extern "C" fn(c_uint, c_ulonglong),
    pub(crate) sockets_sampled: extern "C" fn(c_ulonglong),
    pub(crate) packet: extern "C" fn(c_uint, c_uint, c_ulonglong, *const KernelPacket),
    pub(crate) station: extern "C" fn(c_uint, c_ulonglong, *const KernelStation),
    pub(crate) station_queue: extern "C" fn(c_uint, c_ulonglong, *const KernelStationQueue),
    pub(crate) radio_queue: extern "C" fn(c_uint, c_ulonglong, *const KernelRadioQueue),
    pub(crate) station_rate: extern "C" fn(c_uint, c_ulonglong, *const KernelStationRate),
    pub(crate) radio: extern "C" fn(c_uint, *mut RadioConfig),
    pub(crate) address: extern "C" fn(c_uint, *const c_uchar, c_int, c_ulonglong),
    pub(crate) channel: extern "C" fn(c_uint, *const KernelChannel, c_ulonglong),
    pub(crate) edca: extern "C" fn(c_uint, *const KernelEdca, c_ulonglong),
    pub(crate) tx_power: extern "C" fn(c_uint, c_int, c_ulonglong),
    pub(crate) monitor: extern "C" fn(c_uint, c_int, c_ulonglong),
    pub(crate) pending: extern "C" fn(c_uint, c_uint, c_ulonglong),
    pub(crate) send_first: extern "C" fn(c_uint, c_uint, *const KernelMpdu, c_ulonglong),
    pub(crate) agreement: extern "C" fn(c_uint, c_uint, c_uint, c_ulonglong),
    pub(crate) purge: extern "C" fn(c_uint, c_uint, c_ulonglong),
    pub(crate) stop_radio: extern "C" fn(c_uint, c_ulonglong),
    pub(crate) flushed: extern "C" fn(c_uint) -> c_int,
}

/// `AIRTCP_ETHERNET`, `AIRTCP_RADIO`.
pub(crate) const ETHERNET: c_uchar = 0;
/// A wiphy of mac80211.
pub(crate) const RADIO: c_uchar = 1;

/// `AIRTCP_PHY_...`: formats of PPDUs, and what is the newest that a radio has.
pub(crate) mod phy {
    use std::ffi::c_uchar;

    pub(crate) const DSSS: c_uchar = 0;
    pub(crate) const OFDM: c_uchar = 1;
    pub(crate) const HT: c_uchar = 2;
    pub(crate) const VHT: c_uchar = 3;
    pub(crate) const HE: c_uchar = 4;
    pub(crate) const EHT: c_uchar = 5;
}

/// `AIRTCP_BAND_...`.
pub(crate) mod band {
    use std::ffi::c_uchar;

    pub(crate) const GHZ2: c_uchar = 1;
    pub(crate) const GHZ5: c_uchar = 2;
    pub(crate) const GHZ6: c_uchar = 4;
}

/// `struct airtcp_radio_config`.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct RadioConfig {
    pub(crate) phy: c_uchar,
    pub(crate) bands: c_uchar,
    pub(crate) streams: c_uchar,
    pub(crate) short_guard: c_uchar,
    pub(crate) ldpc: c_uchar,
    pub(crate) short_preamble: c_uchar,
    pub(crate) own_rate_control: c_uchar,
    pub(crate) airtime_fairness: c_uchar,
    pub(crate) aql: c_uchar,
    pub(crate) hardware_crypto: c_uchar,
    pub(crate) power_save: c_uchar,
    pub(crate) uapsd: c_uchar,
    pub(crate) width_mhz: c_ushort,
    pub(crate) ba_window: c_ushort,
    pub(crate) mpdu_bytes: c_ushort,
    pub(crate) power_dbm: c_short,
    pub(crate) ampdu_bytes: c_uint,
    pub(crate) rts_threshold_bytes: c_uint,
    pub(crate) txq_packets: c_uint,
    pub(crate) txq_bytes: c_uint,
    pub(crate) txq_quantum_bytes: c_uint,
    pub(crate) short_retry_limit: c_uchar,
    pub(crate) long_retry_limit: c_uchar,
    pub(crate) unused: [c_uchar; 2],
    pub(crate) tsf_us: c_ulonglong,
}

/// `AIRTCP_NONE`.
pub(crate) const NONE: c_uint = c_uint::MAX;

/// `AIRTCP_MPDU_...`, but for the one of group addresses, which the model sees by itself.
pub(crate) mod mpdu {
    use std::ffi::c_uint;

    pub(crate) const AGGREGABLE: c_uint = 1;
    pub(crate) const PROBE: c_uint = 2;
    pub(crate) const NO_ACK: c_uint = 4;
    pub(crate) const BAR: c_uint = 16;
    pub(crate) const BEACON: c_uint = 32;
    pub(crate) const DATA: c_uint = 64;
    pub(crate) const SLOW: c_uint = 128;
    pub(crate) const AGREED: c_uint = 256;
}

/// `struct airtcp_mpdu`.
#[repr(C)]
pub(crate) struct KernelMpdu {
    pub(crate) handle: c_ulonglong,
    pub(crate) head: *const c_uchar,
    pub(crate) head_len: c_uint,
    pub(crate) bytes: c_uint,
    pub(crate) txq: c_uint,
    pub(crate) flags: c_uint,
    pub(crate) sequence: c_ushort,
    pub(crate) tid: c_uchar,
    pub(crate) ra: [c_uchar; 6],
    pub(crate) ta: [c_uchar; 6],
    pub(crate) unused: c_uchar,
}

/// `struct airtcp_rate`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelRate {
    pub(crate) format: c_uchar,
    pub(crate) index: c_uchar,
    pub(crate) streams: c_uchar,
    pub(crate) tries: c_uchar,
    pub(crate) width_mhz: c_ushort,
    pub(crate) guard_ns: c_ushort,
    pub(crate) protection: c_uchar,
    pub(crate) short_preamble: c_uchar,
    pub(crate) ldpc: c_uchar,
    pub(crate) unused: c_uchar,
}

/// `AIRTCP_STAGES`.
pub(crate) const STAGES: usize = 4;

/// `AIRTCP_RATES_PROBE`.
pub(crate) const RATES_PROBE: c_uint = 128;

/// `struct airtcp_ppdu_status`.
#[repr(C)]
pub(crate) struct KernelPpduStatus {
    pub(crate) rate: KernelRate,
    pub(crate) mpdus: c_uint,
    pub(crate) acked: c_uint,
    pub(crate) airtime_us: c_uint,
    pub(crate) cleared: c_uchar,
    pub(crate) answered: c_uchar,
    pub(crate) probe: c_uchar,
    pub(crate) tid: c_uchar,
}

/// `struct airtcp_rx_status`.
#[repr(C)]
pub(crate) struct KernelRxStatus {
    pub(crate) rate: KernelRate,
    pub(crate) ppdu: c_uint,
    pub(crate) signal_dbm: c_int,
    pub(crate) aggregate: c_uint,
    pub(crate) last: c_ushort,
    pub(crate) duration_us: c_ushort,
    pub(crate) start: c_ulonglong,
    pub(crate) end: c_ulonglong,
}

/// `struct airtcp_channel`.
#[repr(C)]
#[expect(clippy::struct_field_names, reason = "the unit belongs to each, as in the kernel's header")]
pub(crate) struct KernelChannel {
    pub(crate) primary_mhz: c_uint,
    pub(crate) centre_mhz: c_uint,
    pub(crate) width_mhz: c_uint,
}

/// `struct airtcp_edca`.
#[repr(C)]
pub(crate) struct KernelEdca {
    pub(crate) ac: c_uint,
    pub(crate) aifsn: c_uint,
    pub(crate) cw_min: c_uint,
    pub(crate) cw_max: c_uint,
    pub(crate) txop_us: c_uint,
}

/// `struct airtcp_flow`.
#[repr(C)]
pub(crate) struct KernelFlow {
    pub(crate) sender: *const c_void,
    pub(crate) receiver: *const c_void,
    pub(crate) ca: *const c_void,
    pub(crate) info_len: c_uint,
    pub(crate) ca_len: c_uint,
    pub(crate) ca_kind: c_uint,
    pub(crate) unused: c_uint,
    pub(crate) ca_name: *const c_char,
    pub(crate) limited_ns: [c_ulonglong; 7],
}

/// `struct airtcp_socket`. Addresses are numbers, the first octet is the highest byte.
#[repr(C)]
pub(crate) struct KernelSocket {
    pub(crate) group: c_uint,
    pub(crate) accepted: c_uint,
    pub(crate) local_address: c_uint,
    pub(crate) remote_address: c_uint,
    pub(crate) local_port: c_uint,
    pub(crate) remote_port: c_uint,
}

/// `struct airtcp_ack`.
#[repr(C)]
pub(crate) struct KernelAck {
    pub(crate) data_len: c_uint,
    pub(crate) snd_nxt: c_uint,
    pub(crate) snd_una: c_uint,
    pub(crate) cwnd: c_uint,
    pub(crate) ssthresh: c_uint,
    pub(crate) snd_wnd: c_uint,
    pub(crate) srtt_us: c_uint,
    pub(crate) rcv_wnd: c_uint,
    pub(crate) rto_us: c_uint,
    pub(crate) in_flight: c_uint,
    pub(crate) ca_state: c_uint,
    pub(crate) unused: c_uint,
    pub(crate) pacing_rate: c_ulonglong,
}

/// `struct airtcp_qdisc`.
#[repr(C)]
pub(crate) struct KernelQdisc {
    pub(crate) handle: c_uint,
    pub(crate) backlog_packets: c_uint,
    pub(crate) backlog_bytes: c_uint,
    pub(crate) drops: c_uint,
    pub(crate) overlimits: c_uint,
    pub(crate) own_len: c_uint,
    pub(crate) packets: c_ulonglong,
    pub(crate) bytes: c_ulonglong,
    pub(crate) kind: *const c_char,
    pub(crate) own: *const c_void,
}

/// `struct airtcp_mode`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelMode {
    pub(crate) rate: KernelRate,
    pub(crate) bitrate: c_uint,
}

/// `struct airtcp_station`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KernelStation {
    pub(crate) interface: c_uint,
    pub(crate) peer: c_uint,
    pub(crate) tx_packets: c_ulonglong,
    pub(crate) tx_bytes: c_ulonglong,
    pub(crate) rx_packets: c_ulonglong,
    pub(crate) rx_bytes: c_ulonglong,
    pub(crate) tx_airtime_us: c_ulonglong,
    pub(crate) rx_airtime_us: c_ulonglong,
    pub(crate) tx_retries: c_uint,
    pub(crate) tx_failed: c_uint,
    pub(crate) weight: c_uint,
    pub(crate) expected_kbps: c_uint,
    pub(crate) signal_dbm: c_int,
    pub(crate) signal_avg_dbm: c_int,
    pub(crate) tx: KernelMode,
    pub(crate) rx: KernelMode,
}

/// `struct airtcp_station_queue`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KernelStationQueue {
    pub(crate) interface: c_uint,
    pub(crate) peer: c_uint,
    pub(crate) ac: c_uint,
    pub(crate) backlog_packets: c_uint,
    pub(crate) backlog_bytes: c_uint,
    pub(crate) flows: c_uint,
    pub(crate) new_flows: c_uint,
    pub(crate) drops: c_uint,
    pub(crate) marks: c_uint,
    pub(crate) overlimit: c_uint,
    pub(crate) collisions: c_uint,
    pub(crate) deficit_us: c_int,
    pub(crate) pending_us: c_uint,
    pub(crate) limit_low_us: c_uint,
    pub(crate) limit_high_us: c_uint,
    pub(crate) unused: c_uint,
    pub(crate) tx_packets: c_ulonglong,
    pub(crate) tx_bytes: c_ulonglong,
    pub(crate) tx_airtime_us: c_ulonglong,
    pub(crate) rx_airtime_us: c_ulonglong,
}

/// `struct airtcp_radio_queue`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KernelRadioQueue {
    pub(crate) backlog_packets: c_uint,
    pub(crate) memory_bytes: c_uint,
    pub(crate) overlimit: c_uint,
    pub(crate) overmemory: c_uint,
    pub(crate) collisions: c_uint,
    pub(crate) pending_us: c_uint,
}

/// `struct airtcp_station_rate`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KernelStationRate {
    pub(crate) interface: c_uint,
    pub(crate) peer: c_uint,
    pub(crate) index: c_uint,
    pub(crate) chosen: c_uint,
    pub(crate) probability: c_uint,
    pub(crate) throughput: c_uint,
    pub(crate) attempts: c_uint,
    pub(crate) successes: c_uint,
    pub(crate) mode: KernelMode,
}

/// `struct airtcp_packet`.
#[repr(C)]
pub(crate) struct KernelPacket {
    pub(crate) head: *const c_uchar,
    pub(crate) head_len: c_uint,
    pub(crate) len: c_uint,
}

/// `airtcp_start_t`.
pub(crate) type Start = unsafe extern "C" fn(*const HostTable, *mut EngineTable, *const c_char) -> c_int;

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = include_str!("../../../kernel/src/arch/um/include/shared/airtcp.h");

    /// The declarations of the kernel's header, in their order, without comments.
    fn header_fields(structure: &str) -> Vec<String> {
        let body =
            HEADER.split(&format!("\nstruct {structure} {{")).nth(1).expect("the structure is declared");
        let body = body.split("\n};").next().expect("the declaration ends");
        let mut without_comments = String::new();
        for (i, part) in body.split("/*").enumerate() {
            without_comments.push_str(if i == 0 {
                part
            } else {
                part.split_once("*/").expect("comment ends").1
            });
        }
        without_comments.split(';').map(name_of).filter(|name| !name.is_empty()).collect()
    }

    fn name_of(declaration: &str) -> String {
        let text = declaration.trim();
        if let Some(at) = text.find("(*") {
            return text[at + 2..].split(')').next().expect("a function pointer has a name").to_owned();
        }
        let last = text.rsplit([' ', '*', '\t']).next().unwrap_or("");
        last.split('[').next().unwrap_or("").to_owned()
    }

    #[test]
    fn the_tables_have_the_fields_of_the_kernels_header() {
        let frames = ["deliver", "sent", "dropped", "hold", "release", "mark_ce", "relay"];
        let radios = ["next_txq", "dequeue", "return_txq", "has", "rates", "ppdu_done"];
        let heard = ["mpdu_done", "rx", "rx_control"];
        let host = [&["abi", "unused"], &frames[..], &["stop", "wake"], &radios[..], &heard].concat();
        assert_eq!(header_fields("airtcp_host"), host);
        let engine = ["abi", "nics", "nic", "transmit", "next", "run", "end", "flow", "ack", "qdisc"];
        let sockets = ["socket_connected", "socket", "socket_closed", "sockets_sampled", "packet"];
        let seen = ["station", "station_queue", "radio_queue", "station_rate"];
        let calls = ["radio", "address", "channel", "edca", "tx_power", "monitor", "pending", "send_first"];
        let rest = ["agreement", "purge", "stop_radio", "flushed"];
        assert_eq!(header_fields("airtcp_engine"), [&engine[..], &sockets, &seen, &calls, &rest].concat());
        let frame = ["handle", "head", "head_len", "len", "priority", "unused"];
        assert_eq!(header_fields("airtcp_frame"), frame);
        let config = ["mac", "bql", "gro", "rx_copy", "pacing_shift", "kind", "unused"];
        assert_eq!(header_fields("airtcp_nic_config"), config);
        let flow = ["sender", "receiver", "ca", "info_len", "ca_len", "ca_kind", "unused", "ca_name"];
        assert_eq!(header_fields("airtcp_flow"), [&flow[..], &["limited_ns"]].concat());
        let socket = ["group", "accepted", "local_address", "remote_address", "local_port", "remote_port"];
        assert_eq!(header_fields("airtcp_socket"), socket);
        let ack = ["data_len", "snd_nxt", "snd_una", "cwnd", "ssthresh", "snd_wnd", "srtt_us", "rcv_wnd"];
        let rest = ["rto_us", "in_flight", "ca_state", "unused", "pacing_rate"];
        assert_eq!(header_fields("airtcp_ack"), [&ack[..], &rest].concat());
        let qdisc = ["handle", "backlog_packets", "backlog_bytes", "drops", "overlimits", "own_len"];
        assert_eq!(
            header_fields("airtcp_qdisc"),
            [&qdisc[..], &["packets", "bytes", "kind", "own"]].concat()
        );
        assert_eq!(header_fields("airtcp_packet"), ["head", "head_len", "len"]);
    }

    #[test]
    fn the_structures_of_radios_have_the_fields_of_the_kernels_header() {
        let caps = ["phy", "bands", "streams", "short_guard", "ldpc", "short_preamble", "own_rate_control"];
        let switches = ["airtime_fairness", "aql", "hardware_crypto", "power_save", "uapsd", "width_mhz"];
        let sizes = ["ba_window", "mpdu_bytes", "power_dbm", "ampdu_bytes", "rts_threshold_bytes"];
        let queues = ["txq_packets", "txq_bytes", "txq_quantum_bytes"];
        let rest = ["short_retry_limit", "long_retry_limit", "unused", "tsf_us"];
        let config = [&caps[..], &switches, &sizes, &queues, &rest].concat();
        assert_eq!(header_fields("airtcp_radio_config"), config);
        let mpdu = ["handle", "head", "head_len", "bytes", "txq", "flags", "sequence", "tid", "ra", "ta"];
        assert_eq!(header_fields("airtcp_mpdu"), [&mpdu[..], &["unused"]].concat());
        let rate = ["format", "index", "streams", "tries", "width_mhz", "guard_ns", "protection"];
        let rest = ["short_preamble", "ldpc", "unused"];
        assert_eq!(header_fields("airtcp_rate"), [&rate[..], &rest].concat());
        let status = ["rate", "mpdus", "acked", "airtime_us", "cleared", "answered", "probe", "tid"];
        assert_eq!(header_fields("airtcp_ppdu_status"), status);
        let status = ["rate", "ppdu", "signal_dbm", "aggregate", "last", "duration_us", "start", "end"];
        assert_eq!(header_fields("airtcp_rx_status"), status);
        assert_eq!(header_fields("airtcp_channel"), ["primary_mhz", "centre_mhz", "width_mhz"]);
        assert_eq!(header_fields("airtcp_edca"), ["ac", "aifsn", "cw_min", "cw_max", "txop_us"]);
    }

    #[test]
    fn the_structures_of_peers_have_the_fields_of_the_kernels_header() {
        let traffic = ["interface", "peer", "tx_packets", "tx_bytes", "rx_packets", "rx_bytes"];
        let airtime = ["tx_airtime_us", "rx_airtime_us", "tx_retries", "tx_failed", "weight"];
        let rest = ["expected_kbps", "signal_dbm", "signal_avg_dbm", "tx", "rx"];
        assert_eq!(header_fields("airtcp_station"), [&traffic[..], &airtime, &rest].concat());
        let keys = ["interface", "peer", "ac", "backlog_packets", "backlog_bytes", "flows", "new_flows"];
        let airtime = ["drops", "marks", "overlimit", "collisions", "deficit_us", "pending_us"];
        let limits = ["limit_low_us", "limit_high_us", "unused", "tx_packets", "tx_bytes"];
        let rest = ["tx_airtime_us", "rx_airtime_us"];
        assert_eq!(header_fields("airtcp_station_queue"), [&keys[..], &airtime, &limits, &rest].concat());
        let of_radio = ["backlog_packets", "memory_bytes", "overlimit", "overmemory", "collisions"];
        assert_eq!(header_fields("airtcp_radio_queue"), [&of_radio[..], &["pending_us"]].concat());
        let rate = ["interface", "peer", "index", "chosen", "probability", "throughput", "attempts"];
        assert_eq!(header_fields("airtcp_station_rate"), [&rate[..], &["successes", "mode"]].concat());
        assert_eq!(header_fields("airtcp_mode"), ["rate", "bitrate"]);
    }

    #[test]
    fn the_abi_is_that_of_the_kernels_header() {
        assert!(HEADER.contains(&format!("\n#define AIRTCP_ABI\t{ABI}\n")));
    }
}
