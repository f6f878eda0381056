//! The TXOP field in the header of HE and EHT PPDUs (IEEE 802.11ax-2021, 27.3.11.7).

use airtcp_units::Duration;

/// Up to here the field counts in units of 8 us, above in units of 128 us.
const FINE_BELOW_US: u64 = 512;
const FINE_US: u64 = 8;
const COARSE_US: u64 = 128;
/// 62 coarse units: seven bits that are all ones mean that the field says nothing.
const LONGEST_US: u64 = FINE_BELOW_US + 62 * COARSE_US;

/// What the field can say of a Duration field: the longest duration not above it. The Duration field has whole microseconds,
/// rounded up (9.2.5.1).
pub(crate) const fn txop_field_duration(duration: Duration) -> Duration {
    let us = duration.as_nanos().div_ceil(1_000);
    let said_us = if us < FINE_BELOW_US {
        us / FINE_US * FINE_US
    } else if us < LONGEST_US {
        FINE_BELOW_US + (us - FINE_BELOW_US) / COARSE_US * COARSE_US
    } else {
        LONGEST_US
    };
    Duration::from_micros(said_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_down_to_what_the_field_can_say() {
        let said_us = |ns| txop_field_duration(Duration::from_nanos(ns)).as_nanos() / 1000;
        // SIFS and a BlockAck of 32 us: 48 us.
        assert_eq!([47_001, 48_000, 55_999].map(said_us), [48, 48, 56]);
        assert_eq!([511_000, 512_000, 639_000, 640_000].map(said_us), [504, 512, 512, 640]);
        assert_eq!([0, 9_000_000].map(said_us), [0, 8448]);
    }
}
