//! Captures: packets of an interface or MPDUs of the air, as files that tshark and Wireshark read.

pub mod air_capture;
pub mod flow_filter;
pub(crate) mod packet_ends;
pub mod pcapng;
pub(crate) mod tcp_segment;
pub(crate) mod udp_datagram;

mod beacon;
mod cell_facts;
pub(crate) mod control_frame;
mod cut;
mod dot11;
mod fcs;
pub mod radio_mpdu;
mod radiotap;
mod trigger_frame;
