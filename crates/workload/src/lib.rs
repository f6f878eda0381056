//! What applications decide: when they send or ask for what, and how much.
//!
//! Everything here is pure: the time comes in, and what is to be done goes out. The caller, which has sockets, does it
//! (the agent). `docs/models/workloads.md` defines it all.
//!
//! A [`Client`] requests transfers and is notified when they have arrived: [`Requests`], [`Web`] pages, a video
//! [`Player`]. [`Bursts`] keep account of what a sender wrote in bursts and its receiver took. [`Departures`] are
//! the times of datagrams, [`first_request_ns`] is that of a ping. [`Draws`] are numbers with a distribution, of a stream of their own for each
//! (seed, purpose, number of the flow).

mod adaptation;
mod bursts;
mod client;
mod client_of;
mod departures;
mod draws;
mod phase;
mod player;
mod requests;
mod transfer;
mod web;

pub use adaptation::Chooser;
pub use bursts::{Bursts, Want};
pub use client::{Ask, Client, Step};
pub use client_of::client_of;
pub use departures::Departures;
pub use draws::{Draws, Purpose};
pub use phase::first_request_ns;
pub use player::Player;
pub use requests::Requests;
pub use transfer::{NEVER, Transfer};
pub use web::Web;
