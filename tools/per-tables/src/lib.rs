//! A link-level simulator of 802.11 OFDM over additive white Gaussian noise.
//!
//! It computes the packet error rate of the eight rates of IEEE 802.11-2020
//! clause 17 by simulating whole frames: coding, puncturing, interleaving and
//! mapping as the standard has them, Gaussian noise on every data subcarrier,
//! soft demapping and a soft-decision Viterbi decoder. The result is the table
//! that the air model of airtcp reads.
//!
//! There is no synchronisation, no channel estimation, no fading and no
//! hardware loss in it: the receiver knows the channel, and the only
//! impairment is noise.
//!
//! A frame passes through the modules in this order: [`rate`] (parameters),
//! [`convolutional`], [`puncture`], [`interleaver`], [`constellation`],
//! [`awgn`], and back through [`constellation`], [`interleaver`],
//! [`puncture`], [`viterbi`]. [`link`] joins them, [`sweep`] draws a curve,
//! [`isotonic`] smooths it, [`table`] writes it and [`crossing`] reads a
//! threshold off it.

pub mod awgn;
pub mod constellation;
pub mod convolutional;
pub mod crossing;
pub mod interleaver;
pub mod isotonic;
pub mod link;
pub mod puncture;
pub mod rate;
pub mod sweep;
pub mod table;
pub mod viterbi;
