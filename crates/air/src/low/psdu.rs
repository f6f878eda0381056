//! What goes into a PSDU, and how much.

use airtcp_units::Duration;

use crate::phy::{DELIMITER_BYTES, Format, TxVector};

/// Limits of an A-MPDU from one NIC to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AggregateLimits {
    /// Most octets of the PSDU.
    pub(crate) bytes: u32,
    /// Longest PPDU.
    pub(crate) duration: Duration,
    /// Block acknowledgement window.
    pub(crate) window: u16,
}

/// Octets of an A-MPDU subframe, padded to a multiple of four if another follows (9.7.1).
pub(crate) const fn subframe(mpdu_bytes: u32, is_followed: bool) -> u32 {
    let bytes = DELIMITER_BYTES + mpdu_bytes;
    if is_followed { bytes.next_multiple_of(4) } else { bytes }
}

/// Length of a PSDU while MPDUs are added to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PsduLength {
    bytes: u32,
    subframe: bool,
}

impl PsduLength {
    /// A PSDU with one MPDU. VHT and later formats frame even a single MPDU as an A-MPDU
    /// (IEEE 802.11-2020, 10.12.7).
    pub(crate) const fn one(format: Format, mpdu_bytes: u32) -> Self {
        let subframe = matches!(format, Format::Vht | Format::He | Format::Eht);
        Self { bytes: mpdu_bytes + if subframe { DELIMITER_BYTES } else { 0 }, subframe }
    }

    /// With one more MPDU: every subframe but the last is padded to a multiple of four octets (9.7.1).
    pub(crate) const fn with(self, mpdu_bytes: u32) -> Self {
        let before = if self.subframe { self.bytes } else { self.bytes + DELIMITER_BYTES };
        let padded = before.div_ceil(4) * 4;
        Self { bytes: padded + subframe(mpdu_bytes, false), subframe: true }
    }

    /// Octets.
    pub(crate) const fn bytes(self) -> u32 {
        self.bytes
    }
}

/// The most octets that a PPDU of this mode and duration can carry, remembered for the mode asked for last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LengthLimit {
    tx: TxVector,
    duration: Duration,
    bytes: u32,
}

impl Default for LengthLimit {
    fn default() -> Self {
        Self { tx: TxVector::ofdm(0), duration: Duration::ZERO, bytes: 0 }
    }
}

impl LengthLimit {
    /// The largest PSDU whose PPDU is no longer than this, without signal extension; 0 if none is.
    pub(crate) fn bytes(&mut self, tx: TxVector, duration: Duration) -> u32 {
        if (self.tx, self.duration) != (tx, duration) {
            *self = Self { tx, duration, bytes: largest(tx, duration) };
        }
        self.bytes
    }
}

fn largest(tx: TxVector, duration: Duration) -> u32 {
    let (mut fits, mut fails) = (0, tx.max_psdu_bytes() + 1);
    while fails - fits > 1 {
        let middle = fits + (fails - fits) / 2;
        if tx.ppdu_duration(middle) <= duration { fits = middle } else { fails = middle }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};

    #[test]
    fn subframes_are_padded_but_for_the_last() {
        assert_eq!((subframe(1541, true), subframe(1541, false)), (1548, 1545));
        let length = PsduLength::one(Format::Ht, 1541);
        assert_eq!(length.bytes(), 1541);
        // 4 + 1541, padded to 1548, and 4 + 1541.
        assert_eq!(length.with(1541).bytes(), 1548 + 1545);
        assert_eq!(length.with(1541).with(100).bytes(), 1548 + 1548 + 104);
        assert_eq!(PsduLength::one(Format::Vht, 1541).bytes(), 1545);
        assert_eq!(PsduLength::one(Format::Vht, 1541).with(1541).bytes(), 1548 + 1545);
    }

    #[test]
    fn the_limit_is_the_largest_that_fits() {
        let tx = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
        let limit = Duration::from_micros(4000);
        let bytes = LengthLimit::default().bytes(tx, limit);
        assert!(tx.ppdu_duration(bytes) <= limit && tx.ppdu_duration(bytes + 1) > limit, "{bytes}");
        assert_eq!(LengthLimit::default().bytes(tx, Duration::from_micros(20)), 0);
        assert_eq!(LengthLimit::default().bytes(tx, Duration::from_micros(100_000)), 65_535);
    }
}
