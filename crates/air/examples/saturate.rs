//! How much CPU a frame exchange costs: saturated stations, nothing recorded.
//!
//! `cargo run --release --example saturate [simulated seconds [stations]]`

#[path = "../tests/suite/harness.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;

use airtcp_plan::Standard;
use airtcp_units::Instant;
use harness::{BEYOND, Harness, plan, stations};

/// CPU time of this process (Linux: nanoseconds first in `schedstat`), which a busy
/// machine moves less than the time on the wall.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux tells the CPU time");
    let ns: f64 = text.split(' ').next().and_then(|n| n.parse().ok()).expect("it starts with a number");
    ns / 1e9
}

#[expect(clippy::disallowed_methods, reason = "the program has an argument")]
fn main() {
    let mut numbers = std::env::args().skip(1).map(|s| s.parse().expect("a whole number"));
    let seconds = u64::from(numbers.next().unwrap_or(60));
    let counts = numbers.next().map_or(vec![1, 10, 50], |count| vec![count]);
    println!("stations    frames    us/frame   frames/s of CPU   wake-ups/frame");
    for count in counts {
        let mut h = Harness::silent(plan(Standard::Ofdm, 54, count), 1);
        for id in stations(&h.plan) {
            h.saturate(id, BEYOND, 1514);
        }
        let end = Instant::from_nanos(seconds * 1_000_000_000);
        let started = cpu_seconds();
        let mut wakeups = 0_u64;
        while h.world.next_wakeup() <= end {
            h.advance_to(h.world.next_wakeup());
            wakeups += 1;
        }
        let cpu = cpu_seconds() - started;
        let frames = h.sent as f64;
        let (cost_us, rate) = (cpu * 1e6 / frames, frames / cpu);
        println!("{count:8} {frames:9} {cost_us:11.4} {rate:17.0} {:16.3}", wakeups as f64 / frames);
    }
}
