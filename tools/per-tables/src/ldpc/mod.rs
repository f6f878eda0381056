//! Low-density parity-check codes: matrices, encoder, decoder, and how a PSDU is cut into codewords.

pub mod annex_f;
pub mod base_matrix;
pub mod code;
pub mod codewords;
pub mod decoder;
pub mod dmg;
