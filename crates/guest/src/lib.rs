//! The library that the guest kernel loads: the air behind a C table.
//!
//! ```text
//!   kernel (C, airtcp/nic)                 this library (one thread, the kernel's)
//!   ------------------------                ---------------------------------------
//!   ndo_start_xmit ---- transmit() -------> Engine -> World::transmit
//!   calendar event -- NAPI -- run() ------> Engine -> World::run
//!   arm the event <---- next() ------------ World::next_wakeup
//!   deliver / sent / dropped / hold ... <-- Engine empties the World's outbox
//!   ieee80211_ops ----- pending() ... ----> Engine -> the World's calls for radios of mac80211
//!   mac80211 <- next_txq, dequeue, rx ... - World, through `kernel::radio`
//!   reboot notifier --- end() ------------> reports and records are closed
//! ```
//!
//! The clock: the kernel owns it. It calls `next()` after every call and wakes the
//! engine with `run(now)` at that virtual time; between two events no time passes.
//!
//! Layers, inner first: [`border::Border`] keeps the frames on their way and
//! [`engine::Engine`] the model's time; both are safe code over a [`host::Host`],
//! tested against hosts of their own. `kernel` is the thin unsafe rim: the
//! tables of `abi`, turned into calls of the engine and back. Nothing here
//! unwinds (panic = abort): a panic ends the guest, and its message is the last
//! line of the console.

pub mod border;
pub mod capture;
pub mod engine;
pub mod frames;
pub mod heartbeat;
pub mod host;
pub mod parts;
pub mod progress;
pub mod radios;
pub mod recorder;
pub mod session;
pub mod start;
pub mod watch;

mod abi;
mod frame_hash;
mod frame_heads;
mod kernel;
mod output;
mod radio_config;
mod series;
