//! Rate control: at which rate an attempt is sent.
//!
//! A [`Controller`] belongs to one sender and one receiver. The lower MAC requests a chain of rates and reports every
//! attempt; it has no other input, so two links never influence each other. `docs/models/rate-control.md` describes what is
//! modelled, from which sources, and how it was validated.

mod aarf;
mod airtime;
mod arf;
mod cara;
#[cfg(test)]
mod conformance;
mod controller;
mod error;
mod fixed;
mod ideal;
mod ladder;
mod link;
mod minstrel;
mod minstrel_ht;
mod rate_set;
mod sample_table;
mod stages;

pub(crate) use {
    controller::Controller,
    error::RateError,
    ideal::ErrorModel,
    link::{LinkState, STREAMS_MAX},
    rate_set::{LinkModes, RateSet},
};
