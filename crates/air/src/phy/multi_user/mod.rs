//! PPDUs of several users, each with a resource unit: durations, signalling, and what fits.
//!
//! A user is a [`MuUser`]: its mode, whose allocation is its RU, its code and its PSDU. [`MuPpdu`] is a PPDU from an access point (HE
//! MU, EHT MU), [`TbParameters`] what a trigger frame says of the PPDUs that stations answer with (HE TB, EHT TB). In both, all users'
//! data have the same symbols and end alike: [`CommonData`].

mod common_data;
mod illegal;
mod mu_ppdu;
mod sig_fields;
mod tb_ppdu;
#[cfg(test)]
mod tests;

pub use common_data::{CommonData, MuUser};
pub use illegal::IllegalMultiUser;
pub use mu_ppdu::MuPpdu;
pub use sig_fields::SigMcs;
pub use tb_ppdu::TbParameters;
