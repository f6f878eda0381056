//! Captures: packets of an interface or MPDUs of the air, as files that tshark and Wireshark read.

pub mod flow_filter;
pub mod pcapng;
pub(crate) mod tcp_segment;
