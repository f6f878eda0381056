//! The pure model of IEEE 802.11 on the air, from 11b to 11be and 11ad: what happens to Ethernet frames
//! between the moment a NIC takes them and the moment they have left the air.
//!
//! # What this crate will not do
//! It reads no clock, file, socket or environment, starts no thread and draws no
//! number that does not come from the seed. `now` is an argument, results go into
//! an [`Outbox`], and the caller asks [`World::next_wakeup`] when to come back. So
//! the same code runs inside a kernel, in a unit test and in a benchmark.
//!
//! # The contract
//! Time never runs backwards over the calls, and the caller does not let it pass
//! [`World::next_wakeup`] without calling [`World::run`] at that very instant.
//! After every call the actions in the outbox are carried out in their order.
//!
//! ```
//! use airtcp_air::linux_mac::NoMac80211;
//! use airtcp_air::{Action, Frame, FrameHandle, NicId, Outbox, World, WorldOptions};
//! use airtcp_units::{Duration, Instant};
//! // One access point (NIC 0) and one station (NIC 1), 11a at 54 Mb/s.
//! let plan = airtcp_testing::plans::one_station();
//! let options = WorldOptions {
//!     epoch: Instant::ZERO,
//!     end: Instant::from_nanos(1_000_000_000),
//!     sample_interval: Duration::ZERO,
//!     ppdu_trace: false,
//! };
//! let mut world = World::new(&plan, 1, options)?;
//! let mut out = Outbox::default();
//! let frame = Frame {
//!     handle: FrameHandle(7),
//!     bytes: 1514,
//!     source: plan.nics[1].mac,
//!     destination: plan.nics[0].mac,
//!     priority: 0,
//!     flow: 0,
//!     ect: false,
//! };
//! world.transmit(Instant::from_nanos(100_000), NicId(1), frame, &mut out);
//! let mut now = Instant::ZERO;
//! while world.next_wakeup() != Instant::FAR_FUTURE {
//!     now = world.next_wakeup();
//!     world.run(now, &mut NoMac80211, &mut out);
//! }
//! assert_eq!(out.actions[0], Action::Deliver { nic: NicId(0), frame: FrameHandle(7) });
//! assert_eq!(out.actions[1], Action::Sent { nic: NicId(1), frame: FrameHandle(7) });
//! // 248 us of data at 54 Mb/s, SIFS, and an acknowledgement of 28 us at 24 Mb/s.
//! assert_eq!(now, Instant::from_nanos(100_000 + 248_000 + 16_000 + 28_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The chapters
//! [`analytic`]: closed forms. [`phy`]: rates, durations, error rates. [`channel`]: received power, noise, loss.
//! `low`: the lower half of the MAC, from channel access to the end of a frame exchange. [`border`]: what it asks of the upper half.
//! [`high`]: airtcp's own upper half, with `queue` and `rate`; [`linux_mac`]: Linux's mac80211 in place of it. `des`: events and their
//! total order. `trace`: records. `world`: the whole. [`sources`]: the model without hosts.
//!
//! Functions marked `inline(always)` or `inline(never)` are on the path of every PPDU, or leave it in rare cases: with the marks a
//! saturated cell takes fewer instructions (callgrind), because the usual path is one stretch of code.
//!
//! `docs/models` in the repository says what is modelled, from which clauses, what is
//! not, and how it was validated.

#![expect(
    clippy::inline_always,
    reason = "the path of a frame is bound by its instructions, and the compiler leaves a tenth of them to calls"
)]

pub mod analytic;
pub mod border;
pub mod channel;
mod des;
mod handle;
pub mod high;
pub mod linux_mac;
mod low;
pub mod phy;
mod ppdu_kind;
mod queue;
mod random;
mod rate;
mod setup_error;
pub mod sources;
mod time_span;
pub mod trace;
mod world;

pub use border::ChannelLoad;
pub use handle::{FrameHandle, NicId};
pub use high::{Action, DropReason, Frame};
pub use ppdu_kind::PpduKind;
pub use setup_error::SetupError;
pub use time_span::TimeSpan;
pub use trace::{
    AcknowledgedStation, AirCapture, AskedOfStation, CapturedBlockAck, CapturedMpdu, CapturedPpdu,
    CapturedTrigger, LinkSample, NicSample, PpduOutcome, PpduRecord, TriggerVariant, TriggeredStation,
};
pub use world::{Outbox, RadioEdcaf, Survey, World, WorldOptions, WorldReport, coverage};

/// Version of the model: it changes whenever results may.
pub const MODEL_VERSION: u32 = 2;
