//! The closed form for one saturated station that loses nothing.

use airtcp_units::Duration;

use super::{Link, Txop};

/// What one station that always has frames gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Goodput {
    /// PPDUs that the station sends in one access.
    pub txop: Txop,
    /// AIFS (with DCF: DIFS) before the backoff.
    pub aifs: Duration,
    /// Mean backoff: half the smallest contention window, in slots.
    pub mean_backoff: Duration,
    /// Mean time from one access to the next.
    pub cycle: Duration,
    /// Frames delivered per second.
    pub frames_per_second: f64,
}

impl Goodput {
    /// Bits per second of a payload of so many octets in each frame.
    pub fn bits_per_second(&self, payload_bytes: u32) -> f64 {
        self.frames_per_second * f64::from(payload_bytes) * 8.0
    }
}

/// The theoretical maximum throughput (Jun, Peddabachagari and Sichitiu, "Theoretical maximum throughput of IEEE 802.11 and its
/// applications", NCA 2003), with aggregation and TXOP added: the frames of one access over AIFS, mean backoff and the access
/// itself. A station alone never meets a busy medium, so its backoff lasts its slots, and nothing fails, so the window stays `CWmin`.
pub fn goodput(link: &Link, frame_bytes: u32) -> Goodput {
    let txop = link.txop(frame_bytes);
    let aifs = link.aifs();
    // The window is one less than a power of two, so the mean is a number of half slots.
    let mean_backoff = Duration::from_nanos(link.times.slot.as_nanos() * u64::from(link.access.cw_min) / 2);
    let cycle = aifs + mean_backoff + txop.duration;
    let frames_per_second = f64::from(txop.frames()) / cycle.as_secs_f64();
    Goodput { txop, aifs, mean_backoff, cycle, frames_per_second }
}
