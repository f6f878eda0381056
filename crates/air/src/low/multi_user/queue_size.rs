//! How much waits at a station, as it says it to its access point (IEEE 802.11ax-2021, 9.2.4.5.6: Queue Size of HE stations).

/// The Queue Size subfield of the `QoS` Control field: 6 bits of unscaled value and 2 bits of scaling factor. A size is rounded up to the
/// next that can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueSize(u8);

/// For each scaling factor: the size of unscaled value 0, and that of a step.
const SCALES: [(u64, u64); 4] = [(0, 16), (1_024, 256), (17_408, 2_048), (148_480, 32_768)];
/// Largest unscaled value.
const LAST: u64 = 63;
/// With the last scaling factor: more than can be said. The value above it stands for an unknown size.
const MORE: u64 = 62;

impl QueueSize {
    /// What says this many octets.
    pub(crate) fn of(octets: u64) -> Self {
        for (factor, (base, step)) in (0_u8..).zip(SCALES) {
            let value = octets.saturating_sub(base).div_ceil(step);
            let last = if factor == 3 { MORE } else { LAST };
            if value <= last {
                return Self(factor << 6 | value as u8);
            }
        }
        Self(3 << 6 | MORE as u8)
    }

    /// The subfield.
    pub(crate) const fn octet(self) -> u8 {
        self.0
    }

    /// The octets that it says; of a queue longer than can be said, more than any PPDU carries.
    pub(crate) fn octets(self) -> u64 {
        let (base, step) = SCALES[usize::from(self.0 >> 6)];
        base + step * u64::from(self.0 & LAST as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up() {
        let said = |octets| QueueSize::of(octets).octets();
        assert_eq!([0, 1, 16, 17, 1_008].map(said), [0, 16, 16, 32, 1_008]);
        assert_eq!([1_009, 1_024, 1_025, 17_152].map(said), [1_024, 1_024, 1_280, 17_152]);
        assert_eq!([17_153, 17_409, 146_432].map(said), [17_408, 19_456, 146_432]);
        assert_eq!([146_433, 148_481, 2_147_328].map(said), [148_480, 181_248, 2_147_328]);
        assert_eq!([2_147_329, u64::MAX / 2].map(said), [2_180_096; 2]);
        assert_eq!(QueueSize::of(2_147_329), QueueSize(0xfe));
    }
}
