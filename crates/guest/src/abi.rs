//! The border with the kernel, as declared in `arch/um/include/shared/airtcp.h` of `kernel/src`. Any change there needs a change
//! here and a new [`ABI`]; the test at the end of this file compares both by the C compiler.

use std::ffi::{c_char, c_int, c_short, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};

use airtcp_plan::{kernel_constants, kernel_structures};

kernel_constants! {
    /// Version of the border with the kernel.
    pub(crate) const ABI: c_uint = AIRTCP_ABI = airtcp_plan::report::KERNEL_ABI;
    /// The library is the whole MAC: an Ethernet device.
    pub(crate) const ETHERNET: c_uchar = AIRTCP_ETHERNET = 0;
    /// A wiphy of mac80211.
    pub(crate) const RADIO: c_uchar = AIRTCP_RADIO = 1;
    /// No queue, no number.
    pub(crate) const NONE: c_uint = AIRTCP_NONE = c_uint::MAX;
    /// Most stages of a rate chain.
    pub(crate) const STAGES: usize = AIRTCP_STAGES = 4;
    /// What follows a look at the session: messages for process 1.
    pub(crate) const SESSION_MESSAGES: c_uint = AIRTCP_SESSION_MESSAGES = 1;
    /// Changes of the air.
    pub(crate) const SESSION_AIR: c_uint = AIRTCP_SESSION_AIR = 2;
    /// What is watched: flows at the end of each instant.
    pub(crate) const SESSION_FLOWS: c_uint = AIRTCP_SESSION_FLOWS = 4;
    /// Queues, likewise.
    pub(crate) const SESSION_QUEUES: c_uint = AIRTCP_SESSION_QUEUES = 8;
    /// Losses.
    pub(crate) const SESSION_LOSSES: c_uint = AIRTCP_SESSION_LOSSES = 16;
    /// Watching begins.
    pub(crate) const SESSION_SAMPLE: c_uint = AIRTCP_SESSION_SAMPLE = 32;
    /// A packet is lost by a device's queue, or below it.
    pub(crate) const LOST_HERE: c_uint = AIRTCP_LOST_HERE = 0;
    /// By the wire.
    pub(crate) const LOST_WIRE: c_uint = AIRTCP_LOST_WIRE = 1;
    /// The longest message.
    pub(crate) const SESSION_BYTES: usize = AIRTCP_SESSION_BYTES = airtcp_plan::SESSION_MESSAGE_BYTES_MAX;
    /// The noise of a radio in a model without noise.
    pub(crate) const NO_NOISE: c_int = AIRTCP_NO_NOISE = 0;
    /// A chain that samples a rate.
    pub(crate) const RATES_PROBE: c_uint = AIRTCP_RATES_PROBE = 128;
}

/// Formats of PPDUs, and the newest one that a radio has.
pub(crate) mod phy {
    use std::ffi::c_uchar;

    airtcp_plan::kernel_constants! {
        pub(crate) const DSSS: c_uchar = AIRTCP_PHY_DSSS = 0;
        pub(crate) const OFDM: c_uchar = AIRTCP_PHY_OFDM = 1;
        pub(crate) const HT: c_uchar = AIRTCP_PHY_HT = 2;
        pub(crate) const VHT: c_uchar = AIRTCP_PHY_VHT = 3;
        pub(crate) const HE: c_uchar = AIRTCP_PHY_HE = 4;
        pub(crate) const EHT: c_uchar = AIRTCP_PHY_EHT = 5;
    }
}

/// Bands in which a radio works, as bits.
pub(crate) mod band {
    use std::ffi::c_uchar;

    airtcp_plan::kernel_constants! {
        pub(crate) const GHZ2: c_uchar = AIRTCP_BAND_2GHZ = 1;
        pub(crate) const GHZ5: c_uchar = AIRTCP_BAND_5GHZ = 2;
        pub(crate) const GHZ6: c_uchar = AIRTCP_BAND_6GHZ = 4;
    }
}

/// Flags of MPDUs, except for the one of group addresses, which the model derives.
pub(crate) mod mpdu {
    use std::ffi::c_uint;

    airtcp_plan::kernel_constants! {
        pub(crate) const AGGREGABLE: c_uint = AIRTCP_MPDU_AGGREGABLE = 1;
        pub(crate) const PROBE: c_uint = AIRTCP_MPDU_PROBE = 2;
        pub(crate) const NO_ACK: c_uint = AIRTCP_MPDU_NO_ACK = 4;
        pub(crate) const BAR: c_uint = AIRTCP_MPDU_BAR = 16;
        pub(crate) const BEACON: c_uint = AIRTCP_MPDU_BEACON = 32;
        pub(crate) const DATA: c_uint = AIRTCP_MPDU_DATA = 64;
        pub(crate) const SLOW: c_uint = AIRTCP_MPDU_SLOW = 128;
        pub(crate) const AGREED: c_uint = AIRTCP_MPDU_AGREED = 256;
    }
}

/// How a PPDU is protected.
pub(crate) mod protect {
    use std::ffi::c_uchar;

    airtcp_plan::kernel_constants! {
        pub(crate) const NONE: c_uchar = AIRTCP_PROTECT_NONE = 0;
        pub(crate) const CTS: c_uchar = AIRTCP_PROTECT_CTS = 1;
        pub(crate) const RTS: c_uchar = AIRTCP_PROTECT_RTS = 2;
    }
}

/// How an MPDU ended.
pub(crate) mod fate {
    use std::ffi::c_uint;

    airtcp_plan::kernel_constants! {
        pub(crate) const ACKED: c_uint = AIRTCP_FATE_ACKED = 0;
        pub(crate) const SENT: c_uint = AIRTCP_FATE_SENT = 1;
        pub(crate) const GIVEN_UP: c_uint = AIRTCP_FATE_GIVEN_UP = 2;
        pub(crate) const PURGED: c_uint = AIRTCP_FATE_PURGED = 3;
    }
}

kernel_structures! {
    /// Properties of a NIC.
    pub(crate) struct NicConfig: airtcp_nic_config {
        pub(crate) mac: [c_uchar; 6],
        pub(crate) bql: c_uchar,
        pub(crate) gro: c_uchar,
        pub(crate) rx_copy: c_uchar,
        pub(crate) pacing_shift: c_uchar,
        pub(crate) kind: c_uchar,
        pub(crate) moderated: c_uchar,
        pub(crate) stops: c_uchar,
        pub(crate) unused: [c_uchar; 3],
    }

    /// An Ethernet frame on its way out.
    pub(crate) struct KernelFrame: airtcp_frame {
        pub(crate) handle: *mut c_void,
        pub(crate) head: *const c_uchar,
        pub(crate) head_len: c_uint,
        pub(crate) len: c_uint,
        pub(crate) priority: c_uint,
        pub(crate) unused: c_uint,
    }

    /// A frame on a wire between the parts of a split network.
    pub(crate) struct KernelImage: airtcp_image {
        pub(crate) bytes: *const c_uchar,
        pub(crate) bytes_len: c_uint,
        pub(crate) len: c_uint,
        pub(crate) csum_start: c_uint,
        pub(crate) csum_offset: c_uint,
    }

    /// What the kernel does for the library.
    #[derive(Clone, Copy)]
    pub(crate) struct HostTable: airtcp_host {
        pub(crate) abi: c_uint,
        pub(crate) tcp_info_len: c_uint,
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
        pub(crate) uplink_txq: unsafe extern "C" fn(c_uint, c_uint) -> c_uint,
        pub(crate) depth: unsafe extern "C" fn(c_uint) -> c_ulonglong,
        pub(crate) rates: unsafe extern "C" fn(c_ulonglong, *mut KernelRate) -> c_uint,
        pub(crate) ppdu_done: unsafe extern "C" fn(*const c_ulonglong, *const KernelPpduStatus),
        pub(crate) mpdu_done: unsafe extern "C" fn(c_ulonglong, c_uint),
        pub(crate) rx: unsafe extern "C" fn(c_uint, *const c_ulonglong, c_uint, *const KernelRxStatus),
        pub(crate) rx_control: unsafe extern "C" fn(c_uint, *const c_uchar, c_uint, *const KernelRxStatus),
        pub(crate) rx_interrupt: unsafe extern "C" fn(c_uint),
        pub(crate) wire_enters: unsafe extern "C" fn(c_uint, c_ulonglong, *const KernelImage),
    }

    /// What the library does for the kernel.
    pub(crate) struct EngineTable: airtcp_engine {
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
        pub(crate) associated: extern "C" fn(c_uint, *const c_uchar, c_ulonglong),
        pub(crate) asleep: extern "C" fn(c_uint, *const c_uchar, c_int, c_ulonglong),
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
        pub(crate) survey: extern "C" fn(c_uint, *mut KernelSurvey, c_ulonglong),
        pub(crate) session_next: extern "C" fn() -> c_ulonglong,
        pub(crate) session_look: extern "C" fn(c_ulonglong) -> c_uint,
        pub(crate) session_take: extern "C" fn(*mut c_uchar, c_uint, *mut c_int) -> c_uint,
        pub(crate) session_send: extern "C" fn(*const c_uchar, c_uint, c_ulonglong),
        pub(crate) instant_begins: extern "C" fn(c_ulonglong),
        pub(crate) instant_ends: extern "C" fn(c_ulonglong),
        pub(crate) lost: extern "C" fn(c_uint, c_uint, c_ulonglong, *const KernelPacket),
        pub(crate) given_up: extern "C" fn(c_uint, *const c_uchar, c_uint, c_ulonglong),
        pub(crate) separate_at: c_ulonglong,
        pub(crate) part: c_uint,
        pub(crate) unused: c_uint,
        pub(crate) part_of: extern "C" fn(c_uint) -> c_uint,
        pub(crate) wire_leaves: extern "C" fn(c_uint, c_ulonglong, c_ulonglong, *const KernelImage),
        pub(crate) exchange: extern "C" fn(c_ulonglong) -> c_ulonglong,
    }

    /// Properties of a radio.
    #[derive(Debug, Default)]
    pub(crate) struct RadioConfig: airtcp_radio_config {
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
        pub(crate) voice_agreements: c_uchar,
        pub(crate) mpdu_density: c_uchar,
        pub(crate) clock_error_ppb: c_int,
        pub(crate) tsf_us: c_ulonglong,
    }

    /// An MPDU on its way out.
    pub(crate) struct KernelMpdu: airtcp_mpdu {
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

    /// A mode, and how often it is tried.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct KernelRate: airtcp_rate {
        /// 0 DSSS, 1 OFDM, 2 HT, 3 VHT, 4 HE, 5 EHT.
        pub(crate) format: c_uchar,
        /// MCS of its number of streams; of DSSS and OFDM the place among the rates.
        pub(crate) index: c_uchar,
        /// Spatial streams.
        pub(crate) streams: c_uchar,
        pub(crate) tries: c_uchar,
        /// Width of the channel.
        pub(crate) width_mhz: c_ushort,
        /// Guard interval; 0 in DSSS.
        pub(crate) guard_ns: c_ushort,
        pub(crate) protection: c_uchar,
        /// Whether a preamble of DSSS is short.
        pub(crate) short_preamble: c_uchar,
        pub(crate) ldpc: c_uchar,
        pub(crate) unused: c_uchar,
    }

    /// The outcome of a PPDU.
    pub(crate) struct KernelPpduStatus: airtcp_ppdu_status {
        pub(crate) rate: KernelRate,
        pub(crate) mpdus: c_uint,
        pub(crate) acked: c_uint,
        pub(crate) airtime_us: c_uint,
        pub(crate) cleared: c_uchar,
        pub(crate) answered: c_uchar,
        pub(crate) probe: c_uchar,
        pub(crate) tid: c_uchar,
        pub(crate) response_dbm: c_int,
        pub(crate) solicited: c_uint,
    }

    /// How an MPDU was received.
    pub(crate) struct KernelRxStatus: airtcp_rx_status {
        pub(crate) rate: KernelRate,
        pub(crate) ppdu: c_uint,
        pub(crate) signal_dbm: c_int,
        pub(crate) aggregate: c_uint,
        pub(crate) last: c_ushort,
        pub(crate) duration_us: c_ushort,
        pub(crate) airtime_us: c_uint,
        pub(crate) start: c_ulonglong,
        pub(crate) end: c_ulonglong,
    }

    /// Where a radio is tuned.
    #[expect(clippy::struct_field_names, reason = "the unit belongs to each, as in the kernel's header")]
    pub(crate) struct KernelChannel: airtcp_channel {
        pub(crate) primary_mhz: c_uint,
        pub(crate) centre_mhz: c_uint,
        pub(crate) width_mhz: c_uint,
    }

    /// What a radio has spent its time with.
    pub(crate) struct KernelSurvey: airtcp_survey {
        pub(crate) busy_ns: c_ulonglong,
        pub(crate) tx_ns: c_ulonglong,
        pub(crate) bss_rx_ns: c_ulonglong,
        pub(crate) noise_dbm: c_int,
        pub(crate) unused: c_uint,
    }

    /// Parameters of an access category.
    pub(crate) struct KernelEdca: airtcp_edca {
        pub(crate) ac: c_uint,
        pub(crate) aifsn: c_uint,
        pub(crate) cw_min: c_uint,
        pub(crate) cw_max: c_uint,
        pub(crate) txop_us: c_uint,
        pub(crate) mu_edca: c_uint,
        pub(crate) mu_aifsn: c_uint,
        pub(crate) mu_cw_min: c_uint,
        pub(crate) mu_cw_max: c_uint,
        pub(crate) mu_timer_us: c_uint,
    }

    /// An MPTCP connection at one of its ends. Bytes are those of its data sequence numbers.
    pub(crate) struct KernelMptcp: airtcp_mptcp {
        pub(crate) token: c_uint,
        pub(crate) subflows: c_uint,
        pub(crate) add_addr_signalled: c_uint,
        pub(crate) add_addr_accepted: c_uint,
        pub(crate) local_addr_used: c_uint,
        pub(crate) unused: c_uint,
        pub(crate) bytes_written: c_ulonglong,
        pub(crate) bytes_sent: c_ulonglong,
        pub(crate) bytes_acked: c_ulonglong,
        pub(crate) bytes_reinjected: c_ulonglong,
        pub(crate) bytes_received: c_ulonglong,
    }

    /// `tcp_info` of both ends of a flow.
    pub(crate) struct KernelFlow: airtcp_flow {
        pub(crate) sender: *const c_void,
        pub(crate) receiver: *const c_void,
        pub(crate) ca: *const c_void,
        pub(crate) info_len: c_uint,
        pub(crate) ca_len: c_uint,
        pub(crate) ca_kind: c_uint,
        pub(crate) unused: c_uint,
        pub(crate) ca_name: *const c_char,
        pub(crate) mptcp: *const KernelMptcp,
        pub(crate) limited_ns: [c_ulonglong; 7],
    }

    /// Addresses are numbers, the first octet is the highest byte.
    pub(crate) struct KernelSocket: airtcp_socket {
        pub(crate) group: c_uint,
        pub(crate) accepted: c_uint,
        pub(crate) local_address: c_uint,
        pub(crate) remote_address: c_uint,
        pub(crate) local_port: c_uint,
        pub(crate) remote_port: c_uint,
    }

    /// A flow's sender when a segment reaches it, before the segment changes anything (tracepoint `tcp:tcp_probe`).
    #[derive(Default)]
    pub(crate) struct KernelAck: airtcp_ack {
        /// Bytes of data in the segment.
        pub(crate) data_len: c_uint,
        /// Next sequence number to send.
        pub(crate) snd_nxt: c_uint,
        /// First sequence number that is not acknowledged.
        pub(crate) snd_una: c_uint,
        /// Congestion window in segments.
        pub(crate) cwnd: c_uint,
        /// Slow start threshold in segments.
        pub(crate) ssthresh: c_uint,
        /// The receiver's window.
        pub(crate) snd_wnd: c_uint,
        /// Smoothed round-trip time.
        pub(crate) srtt_us: c_uint,
        /// The own window.
        pub(crate) rcv_wnd: c_uint,
        /// Retransmission timeout.
        pub(crate) rto_us: c_uint,
        /// Segments in flight.
        pub(crate) in_flight: c_uint,
        /// State of congestion avoidance: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
        pub(crate) ca_state: c_uint,
        pub(crate) unused: c_uint,
        /// Pacing rate in bytes per second; `u64::MAX` for none.
        pub(crate) pacing_rate: c_ulonglong,
    }

    /// Statistics of a queueing discipline.
    pub(crate) struct KernelQdisc: airtcp_qdisc {
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

    /// A mode with its bit rate.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct KernelMode: airtcp_mode {
        /// How a PPDU was sent; no streams: there was none yet.
        pub(crate) rate: KernelRate,
        /// Bit rate in units of 100 kbit/s.
        pub(crate) bitrate: c_uint,
    }

    /// A peer of mac80211.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct KernelStation: airtcp_station {
        /// Number of the interface, from 1.
        pub(crate) interface: c_uint,
        /// The peer's radio; [`NONE`] for groups.
        pub(crate) peer: c_uint,
        /// MPDUs sent.
        pub(crate) tx_packets: c_ulonglong,
        /// Bytes of the sent MPDUs.
        pub(crate) tx_bytes: c_ulonglong,
        /// MPDUs received.
        pub(crate) rx_packets: c_ulonglong,
        /// Bytes of the received MPDUs.
        pub(crate) rx_bytes: c_ulonglong,
        /// Airtime of what was sent.
        pub(crate) tx_airtime_us: c_ulonglong,
        /// Airtime of what was received.
        pub(crate) rx_airtime_us: c_ulonglong,
        /// Attempts after the first.
        pub(crate) tx_retries: c_uint,
        /// MPDUs discarded after their last retry.
        pub(crate) tx_failed: c_uint,
        /// Weight of its airtime.
        pub(crate) weight: c_uint,
        /// Throughput that rate control expects; 0 if it has no estimate.
        pub(crate) expected_kbps: c_uint,
        /// Strength of the last PPDU.
        pub(crate) signal_dbm: c_int,
        /// Moving average of the signal strength, in dBm.
        pub(crate) signal_avg_dbm: c_int,
        /// 1: the interface is a station, and associated with the peer.
        pub(crate) access_point: c_uint,
        pub(crate) unused: c_uint,
        /// The last PPDU sent.
        pub(crate) tx: KernelMode,
        /// The last PPDU received.
        pub(crate) rx: KernelMode,
    }

    /// The queues to a peer, of one access category.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct KernelStationQueue: airtcp_station_queue {
        /// Number of the interface, from 1.
        pub(crate) interface: c_uint,
        /// The peer's radio; [`NONE`] for groups.
        pub(crate) peer: c_uint,
        /// Access category, from 0 (background) to 3 (voice).
        pub(crate) ac: c_uint,
        /// Packets that wait.
        pub(crate) backlog_packets: c_uint,
        /// Bytes that wait.
        pub(crate) backlog_bytes: c_uint,
        /// Flows in the rotation.
        pub(crate) flows: c_uint,
        /// Flows that began.
        pub(crate) new_flows: c_uint,
        /// Packets that `CoDel` dropped.
        pub(crate) drops: c_uint,
        /// Packets that `CoDel` marked.
        pub(crate) marks: c_uint,
        /// Packets dropped because the radio's queues were too long.
        pub(crate) overlimit: c_uint,
        /// Packets whose flow had to share a queue.
        pub(crate) collisions: c_uint,
        /// Airtime left in its turn.
        pub(crate) deficit_us: c_int,
        /// Airtime of frames that the driver has and that are not yet sent.
        pub(crate) pending_us: c_uint,
        /// The limit of that while all of the radio have much.
        pub(crate) limit_low_us: c_uint,
        /// The limit else.
        pub(crate) limit_high_us: c_uint,
        pub(crate) unused: c_uint,
        /// MPDUs sent.
        pub(crate) tx_packets: c_ulonglong,
        /// Bytes of the sent MPDUs.
        pub(crate) tx_bytes: c_ulonglong,
        /// Airtime of what was sent.
        pub(crate) tx_airtime_us: c_ulonglong,
        /// Airtime of what was received.
        pub(crate) rx_airtime_us: c_ulonglong,
    }

    /// Totals of all queues of a radio.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct KernelRadioQueue: airtcp_radio_queue {
        /// Packets that wait.
        pub(crate) backlog_packets: c_uint,
        /// Memory that they use.
        pub(crate) memory_bytes: c_uint,
        /// Packets dropped because too many waited.
        pub(crate) overlimit: c_uint,
        /// Packets dropped because the queues took too much memory; `overlimit` counts them, too.
        pub(crate) overmemory: c_uint,
        /// Packets whose flow had to share a queue.
        pub(crate) collisions: c_uint,
        /// Airtime of frames that the driver has and that are not yet sent.
        pub(crate) pending_us: c_uint,
    }

    /// What minstrel thinks of a rate to a peer.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct KernelStationRate: airtcp_station_rate {
        /// Number of the interface, from 1.
        pub(crate) interface: c_uint,
        /// The peer's radio; [`NONE`] for groups.
        pub(crate) peer: c_uint,
        /// Number of the rate in rate control's own table.
        pub(crate) index: c_uint,
        /// 1, 2, 4, 8: first to fourth of throughput; 16: best probability; 32: to be tried.
        pub(crate) chosen: c_uint,
        /// Probability of success, of 4096.
        pub(crate) probability: c_uint,
        /// Throughput in 10 packets of 1200 bytes per second.
        pub(crate) throughput: c_uint,
        /// MPDUs sent.
        pub(crate) attempts: c_uint,
        /// MPDUs that were acknowledged.
        pub(crate) successes: c_uint,
        /// The rate.
        pub(crate) mode: KernelMode,
    }

    /// The first octets of a packet at a device.
    pub(crate) struct KernelPacket: airtcp_packet {
        pub(crate) head: *const c_uchar,
        pub(crate) head_len: c_uint,
        pub(crate) len: c_uint,
        pub(crate) segments: c_uint,
        pub(crate) segment_len: c_uint,
    }
}

/// `airtcp_start_t`.
pub(crate) type Start = unsafe extern "C" fn(*const HostTable, *mut EngineTable, *const c_char) -> c_int;

#[cfg(test)]
mod tests {
    use airtcp_plan::Points;
    use airtcp_plan::kernel_layout::Constant;

    use super::{CONSTANTS, STRUCTURES, band, fate, mpdu, phy, protect};

    #[test]
    fn the_kernels_header_says_the_same() {
        let points = [
            ("AIRTCP_POINT_QUEUE", Points::QUEUE),
            ("AIRTCP_POINT_XMIT", Points::XMIT),
            ("AIRTCP_POINT_RECEIVE", Points::RECEIVE),
        ];
        let points = points.map(|(name, point)| Constant { name, value: point.0.into() });
        let modules = [phy::CONSTANTS, band::CONSTANTS, mpdu::CONSTANTS, protect::CONSTANTS, fate::CONSTANTS];
        airtcp_testing::c_header::assert_same(STRUCTURES, &[CONSTANTS, &modules.concat(), &points].concat());
    }
}
