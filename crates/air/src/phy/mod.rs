//! The physical layer: rates, durations of PPDUs, times between them, error rates.

mod band;
mod basic_rates;
mod bit_rate;
mod channelisation;
mod control_frames;
mod data_frames;
mod dmg;
mod duration;
mod eht;
pub mod error_rate;
mod format;
mod he;
mod hr_dsss;
mod ht;
mod inter_frame;
mod ldpc;
mod legacy_ofdm;
mod legality;
mod mcs;
mod modulation;
pub mod multi_user;
mod packet_extension;
mod phy_option;
mod responses;
mod ru;
mod spectral_mask;
mod standard;
mod tx_vector;
mod tx_vector_name;
mod txop_field;
mod vht;
mod width;

pub use band::Band;
pub use basic_rates::BasicRates;
pub use channelisation::{IllegalChannel, channels, check_channel, clear_distance_mhz};
pub use control_frames::{
    ACK_BYTES, BLOCK_ACK_64_BYTES, BLOCK_ACK_256_BYTES, BLOCK_ACK_1024_BYTES, BLOCK_ACK_REQ_BYTES,
    CF_END_BYTES, CTS_BYTES, DMG_CTS_BYTES, MULTI_STA_ACK_ENTRY_BYTES, MULTI_STA_BLOCK_ACK_BYTES, RTS_BYTES,
    basic_trigger_bytes, block_ack_bytes, bsrp_trigger_bytes, mu_bar_trigger_bytes, mu_rts_bytes,
    multi_sta_bitmap_entry_bytes,
};
pub use data_frames::{
    ADDRESS_BYTES, AMSDU_SUBFRAME_HEADER_BYTES, AmsduLengths, DELIMITER_BYTES, ETHERNET_HEADER_BYTES,
    FCS_BYTES, LLC_SNAP_BYTES, MAC_HEADER_BYTES, MESH_CONTROL_BYTES, MSDU_BYTES_MAX, QOS_CONTROL_BYTES,
    QOS_NULL_BYTES,
};
pub use format::Format;
pub use inter_frame::{InterFrame, SlotTime, rx_phy_start_delay};
pub use legality::{
    IllegalMode, SHORT_PREAMBLE_SENTENCE, bands_sentence, check_width, guards_sentence, indices_sentence,
    streams_sentence, widths_in_band_sentence, widths_sentence,
};
pub use modulation::{CodeRate, Coding, Constellation, Modulation};
pub use packet_extension::NominalPadding;
pub use phy_option::PhyOption;
pub use responses::{control_response, erp_protection, initiating_control};
pub use ru::{
    Allocation, Extent, Puncturing, ResourceUnit, RuSize, SUBCARRIER_SPACING_HZ, ToneRange, ToneShare, Tones,
};
pub use spectral_mask::SpectralMask;
pub use standard::{
    AggregationLimits, PROTECTION_SENTENCE, STANDARDS, aggregation_limits, can_be_basic, format_of,
    is_in_band, standard_bands_sentence,
};
pub use tx_vector::{FormatOption, Guard, TxVector};
pub(crate) use txop_field::txop_field_duration;
pub use width::Width;
