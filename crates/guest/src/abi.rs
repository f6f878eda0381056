//! The border with the kernel, as declared in `arch/um/include/shared/airtcp.h`
//! of the kernel patches. Any change there needs a change here and a new [`ABI`].

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};

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
    pub(crate) unused: [c_uchar; 6],
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
    pub(crate) packet: extern "C" fn(c_uint, c_uint, c_ulonglong, *const KernelPacket),
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
    pub(crate) limited_ns: [c_ulonglong; 7],
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

    /// The declarations of the kernel's header, in their order, without comments.
    fn header_fields(structure: &str) -> Vec<String> {
        let patch = include_str!("../../../kernel/patches/0005-um-load-a-library-into-the-process.patch");
        let body = patch.split(&format!("+struct {structure} {{")).nth(1).expect("the structure is declared");
        let body = body.split("+};").next().expect("the declaration ends").replace("\n+", "\n");
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
        let host = [&["abi", "unused"], &frames[..], &["stop", "wake"]].concat();
        assert_eq!(header_fields("airtcp_host"), host);
        let engine =
            ["abi", "nics", "nic", "transmit", "next", "run", "end", "flow", "ack", "qdisc", "packet"];
        assert_eq!(header_fields("airtcp_engine"), engine);
        let frame = ["handle", "head", "head_len", "len", "priority", "unused"];
        assert_eq!(header_fields("airtcp_frame"), frame);
        let config = ["mac", "bql", "gro", "rx_copy", "pacing_shift", "unused"];
        assert_eq!(header_fields("airtcp_nic_config"), config);
        let flow = ["sender", "receiver", "ca", "info_len", "ca_len", "ca_kind", "unused", "limited_ns"];
        assert_eq!(header_fields("airtcp_flow"), flow);
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
    fn the_abi_is_that_of_the_kernels_header() {
        let patch = include_str!("../../../kernel/patches/0005-um-load-a-library-into-the-process.patch");
        assert!(patch.contains(&format!("+#define AIRTCP_ABI\t{ABI}\n")));
    }
}
