//! What is on the air: who hears it, who decodes it, and how the time of its channels is spent.

mod carrier_sense;
mod decoding;
mod error_rates;
mod interference;
mod medium;
mod medium_time;
mod nic_set;
mod overhearing;
mod ppdu;
mod preambles;
mod primary_channel;
mod secondary_channels;
mod transmissions;
mod tuning;
mod users;

pub(crate) use carrier_sense::CarrierSense;
pub(crate) use decoding::{Decoder, ErrorRates};
pub(crate) use error_rates::error_rates;
pub(crate) use medium::{Listeners, Medium, MediumId, MediumPlace, by_preamble, groups, hearing, is_uniform};
pub(crate) use medium_time::Activity;
pub(crate) use ppdu::{Overlap, Part, Ppdu, PpduUser, Reception};
pub(crate) use preambles::SensedPreambles;
pub(crate) use primary_channel::{PrimaryChannel, PrimaryId};
pub(crate) use secondary_channels::{narrowed, signals_bandwidth};
pub(crate) use transmissions::Transmissions;
pub(crate) use tuning::Tuning;
pub(crate) use users::{PerUser, UserId, Users};
