//! How much CPU a frame exchange costs: saturated stations, nothing recorded.
//!
//! `cargo run --release --example saturate [simulated seconds]`

#[path = "../tests/suite/harness.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;

use airtcp_plan::Standard;
use airtcp_units::Instant;
use harness::{BEYOND, Harness, plan, stations};

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn main() {
    let seconds: u64 = std::env::args().nth(1).map_or(60, |s| s.parse().expect("a number of seconds"));
    println!("stations    frames    us/frame   frames/s of CPU   wake-ups/frame");
    for count in [1, 10, 50] {
        let mut h = Harness::silent(plan(Standard::Ofdm, 54, count), 1);
        for id in stations(&h.plan) {
            h.saturate(id, BEYOND, 1514);
        }
        let end = Instant::from_nanos(seconds * 1_000_000_000);
        let started = std::time::Instant::now();
        let mut wakeups = 0_u64;
        while h.world.next_wakeup() <= end {
            h.advance_to(h.world.next_wakeup());
            wakeups += 1;
        }
        let cpu = started.elapsed().as_secs_f64();
        let frames = h.sent as f64;
        let (cost_us, rate) = (cpu * 1e6 / frames, frames / cpu);
        println!("{count:8} {frames:9} {cost_us:11.4} {rate:17.0} {:16.3}", wakeups as f64 / frames);
    }
}
