//! Rate control: at which rate an attempt is sent.
//!
//! A [`Controller`] belongs to one sender and one receiver. The lower MAC asks it for a chain of rates and reports every
//! attempt; nothing else goes in, so two links never influence each other. `docs/models/rate-control.md` says what is
//! modelled, from which sources, and how it was validated.

#![allow(dead_code, reason = "the upper half of the MAC, which will use it, is being built")]

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

#[allow(unused_imports, reason = "the upper half of the MAC, which will use them, is being built")]
pub(crate) use {
    controller::Controller,
    error::RateError,
    ideal::ErrorModel,
    link::LinkState,
    rate_set::{LinkModes, RateSet},
};

use crate::phy::OfdmRate;

/// A rate control algorithm; a closed set, so that state is plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateControl {
    /// Always the same rate.
    Fixed(OfdmRate),
}

impl RateControl {
    /// The rate of the next unicast data PPDU.
    #[inline]
    pub(crate) const fn next(self) -> OfdmRate {
        match self {
            Self::Fixed(rate) => rate,
        }
    }
}
