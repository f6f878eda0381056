//! A link-level simulator of 802.11 over additive white Gaussian noise.
//!
//! It computes packet error rates by simulating whole frames: coding, interleaving
//! and mapping as the standard has them, Gaussian noise on every data subcarrier,
//! soft demapping and soft-decision decoding. It knows OFDM with the convolutional
//! code (clause 17 of IEEE 802.11-2020 and what HT and VHT added) and with
//! low-density parity-check codes (HT to EHT), and directional multi-gigabit. The
//! results are the tables that the air model of airtcp reads.
//!
//! There is no synchronisation, no channel estimation, no fading and no
//! hardware loss in it: the receiver knows the channel, and the only
//! impairment is noise.
//!
//! A [`mode`] says what is simulated, a [`link`] sends one frame. A frame with the
//! convolutional code passes through [`bcc_link`]: [`convolutional`], [`puncture`],
//! [`interleaver`], [`constellation`], [`awgn`], and back through [`constellation`],
//! [`interleaver`], [`puncture`], [`viterbi`]. One with a low-density parity-check
//! code passes through [`ldpc_link`]: [`ldpc::codewords`], [`ldpc::code`], [`modem`],
//! [`ldpc::decoder`]. [`sweep`] draws a curve, [`isotonic`] smooths it, [`table`]
//! writes it and [`crossing`] reads a threshold off it.

pub mod awgn;
pub mod bcc_link;
pub mod code_rate;
pub mod constellation;
pub mod convolutional;
pub mod crossing;
pub mod format;
pub mod interleaver;
pub mod isotonic;
pub mod ldpc;
pub mod ldpc_link;
pub mod link;
pub mod mode;
pub mod modem;
pub mod multipath;
pub mod puncture;
pub mod sweep;
pub mod table;
pub mod threshold;
pub mod viterbi;
