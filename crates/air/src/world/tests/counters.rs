//! What the counters of a saturated and of a silent cell say.

use airtcp_testing::plans::{cell, mac};
use airtcp_units::Instant;

use super::hosts::{AP, BEYOND, Hosts};
use crate::NicId;
use crate::high::Action;

/// Two stations and their access point send for a second: the medium is never idle, its
/// parts add up, and airtimes of NICs are its data, response and collision times.
#[test]
fn a_busy_second() {
    let mut h = Hosts::new(cell(2), 1);
    h.saturate(NicId(1), BEYOND, 1514);
    h.saturate(NicId(2), BEYOND, 300);
    h.saturate(AP, mac(1), 1514);
    h.advance_to(Instant::from_nanos(1_000_000_000));
    let report = h.finish();
    let [medium] = &report.media[..] else { panic!("one frequency is one medium") };
    assert_eq!((medium.frequency_mhz, medium.idle_ns), (5180, 0));
    let parts = medium.data_ns + medium.response_ns + medium.collision_ns + medium.contention_ns;
    assert_eq!(parts, 1_000_000_000);
    let collisions: u64 = report.nics.iter().map(|n| n.collisions).sum();
    assert!(collisions > 100 && medium.collision_ns > 0, "{collisions} collisions");
    // SIFS belongs to the response, and colliding PPDUs share their time. The last exchange
    // (at most 248 + 28 us) may be cut by the end: the medium counts it, the NIC not yet.
    let sent: u64 = report.nics.iter().map(|n| n.sent).sum();
    let airtime: u64 = report.nics.iter().map(|n| n.airtime_ns).sum();
    let alone = medium.data_ns + medium.response_ns - 16_000 * sent;
    let most = alone + 3 * medium.collision_ns;
    assert!(airtime + 276_000 > alone + medium.collision_ns && airtime <= most, "{airtime} ns");
    let delivered = h.log.iter().filter(|(_, action)| matches!(action, Action::Deliver { .. })).count();
    assert_eq!(delivered as u64, report.nics.iter().map(|n| n.delivered).sum::<u64>());
    assert!(report.events >= 2 * sent, "{} events", report.events);
}

#[test]
fn a_silent_air_is_idle() {
    let mut h = Hosts::new(cell(2), 1);
    h.advance_to(Instant::from_nanos(77));
    let report = h.finish();
    assert_eq!((report.media[0].idle_ns, report.events), (77, 0));
    assert!(report.nics.iter().all(|n| n.dropped.len() == 6 && n.accepted == 0));
}
