//! Durations of PPDUs against published values and against the formula of the standard.

use airtcp_air::phy::{OfdmRate, Timing};
use airtcp_plan::Standard;
use airtcp_units::Duration;

/// ns-3 `tx-duration-test.cc`, 54 Mb/s: 1536, 76 and 14 octets, 11a and 11g.
#[test]
fn published_durations_at_54_mbps() {
    let [a, g] = [Standard::Ofdm, Standard::ErpOfdm].map(Timing::of);
    let published = [(1536, 248, 254), (76, 32, 38), (14, 24, 30)];
    for (bytes, us_a, us_g) in published {
        assert_eq!(a.ppdu_duration(OfdmRate::Mbps54, bytes), Duration::from_micros(us_a));
        assert_eq!(g.ppdu_duration(OfdmRate::Mbps54, bytes), Duration::from_micros(us_g));
    }
}

/// 20 us of preamble and SIGNAL, then symbols of 4 us for 16 + 8 L + 6 bits; computed here
/// by counting symbols one by one.
#[test]
fn every_rate_and_length_by_counting_symbols() {
    let bits_per_symbol = [24, 36, 48, 72, 96, 144, 192, 216];
    for (rate, bits_per_symbol) in OfdmRate::ALL.into_iter().zip(bits_per_symbol) {
        for bytes in [14, 36, 76, 400, 1000, 1534, 1536, 2332] {
            let mut us = 20;
            let mut left = 16 + 8 * i64::from(bytes) + 6;
            while left > 0 {
                left -= bits_per_symbol;
                us += 4;
            }
            assert_eq!(rate.ppdu_duration(bytes), Duration::from_micros(us), "{rate:?}, {bytes} octets");
        }
    }
}

/// Control responses in 11a: 14 octets at 6, 12 and 24 Mb/s.
#[test]
fn durations_of_acknowledgements() {
    let ack = |rate: OfdmRate| rate.ppdu_duration(airtcp_air::phy::ACK_BYTES);
    let acks = [OfdmRate::Mbps6, OfdmRate::Mbps12, OfdmRate::Mbps24].map(ack);
    assert_eq!(acks, [44, 32, 28].map(Duration::from_micros));
}
