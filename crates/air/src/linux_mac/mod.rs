//! The second kind of upper half: Linux's mac80211, which lives in a kernel and drives this lower half as a radio.
//!
//! ```text
//!   mac80211 -> driver -- World::pending, send_first, channel, agreement, purge, ... -->  lower half
//!                      <- Mac80211: next_txq, dequeue, return_txq, rates -------------   has won the medium
//!                      <- Mac80211: ppdu_done, mpdu_done, rx -------------------------   what became of it
//! ```
//! [`Mac80211`] is what the lower half asks of it, with [`RadioMpdu`] in place of bytes; the calls in the other direction are
//! methods of [`crate::World`]. A world without such radios gets [`NoMac80211`], which costs nothing.
//! `docs/models/linux-mac.md` says what is modelled and what is not.

mod address_book;
mod block_ack_tracker;
mod counters;
mod mac;
mod mac80211;
mod own_rates;
mod radio_mpdu;
mod radios;
mod scoreboard;

pub use mac80211::{Mac80211, NoMac80211, RadioRequest};
pub use radio_mpdu::{RadioMpdu, RadioMpduKind};
pub(crate) use {counters::LinuxCounters, mac::LinuxMac, radios::LinuxRadios};
