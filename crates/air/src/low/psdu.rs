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
    /// Least time between the starts of two MPDUs.
    pub(crate) start_spacing: Duration,
}

impl AggregateLimits {
    /// Least octets from the start of an MPDU to that of the next in this mode.
    #[inline]
    pub(crate) fn spacing_octets(&self, tx: TxVector) -> u32 {
        tx.octets_lasting(self.start_spacing)
    }
}

/// Octets of an A-MPDU subframe; if another follows, it is padded to a multiple of four (9.7.1), and delimiters without MPDU follow
/// until the next MPDU may start (10.12.3).
pub(crate) const fn subframe(mpdu_bytes: u32, is_followed: bool, spacing_octets: u32) -> u32 {
    let bytes = DELIMITER_BYTES + mpdu_bytes;
    if !is_followed {
        return bytes;
    }
    let least = if spacing_octets > bytes { spacing_octets } else { bytes };
    least.next_multiple_of(4)
}

/// Length of a PSDU while MPDUs are added to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PsduLength {
    /// Octets before the last MPDU, its delimiter not included.
    before: u32,
    last_mpdu: u32,
    spacing_octets: u32,
    is_framed: bool,
}

impl PsduLength {
    /// A PSDU with one MPDU. VHT and later formats frame even a single MPDU as an A-MPDU
    /// (IEEE 802.11-2020, 10.12.7).
    pub(crate) const fn one(format: Format, mpdu_bytes: u32) -> Self {
        let is_framed = matches!(format, Format::Vht | Format::He | Format::Eht);
        Self { before: 0, last_mpdu: mpdu_bytes, spacing_octets: 0, is_framed }
    }

    /// This length at a receiver that needs this many octets from the start of an MPDU to that of the next.
    pub(crate) const fn spaced(self, spacing_octets: u32) -> Self {
        Self { spacing_octets, ..self }
    }

    /// This length after one more MPDU.
    pub(crate) const fn with(self, mpdu_bytes: u32) -> Self {
        let before = self.before + subframe(self.last_mpdu, true, self.spacing_octets);
        Self { before, last_mpdu: mpdu_bytes, is_framed: true, ..self }
    }

    /// This length if the PSDU ends with one more MPDU of so many octets; 0: it does not.
    pub(crate) const fn ended_by(self, mpdu_bytes: u32) -> Self {
        if mpdu_bytes == 0 { self } else { self.with(mpdu_bytes) }
    }

    /// Octets before the subframe of the last MPDU.
    pub(crate) const fn before_last(self) -> u32 {
        self.before
    }

    /// Octets.
    pub(crate) const fn bytes(self) -> u32 {
        let delimiter = if self.is_framed { DELIMITER_BYTES } else { 0 };
        self.before + delimiter + self.last_mpdu
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
        assert_eq!((subframe(1541, true, 0), subframe(1541, false, 0)), (1548, 1545));
        let length = PsduLength::one(Format::Ht, 1541);
        assert_eq!(length.bytes(), 1541);
        // 4 + 1541, padded to 1548, and 4 + 1541.
        assert_eq!(length.with(1541).bytes(), 1548 + 1545);
        assert_eq!(length.with(1541).with(100).bytes(), 1548 + 1548 + 104);
        assert_eq!(PsduLength::one(Format::Vht, 1541).bytes(), 1545);
        assert_eq!(PsduLength::one(Format::Vht, 1541).with(1541).bytes(), 1548 + 1545);
    }

    /// 4 us at 1201 Mbit/s (HE MCS 11, 80 MHz, 2 streams: 16,333 bits in 13.6 us, 1200.96 Mbit/s) are 600.5 octets: a TCP acknowledgement
    /// of 90 octets takes 604 with its delimiter, unless it is the last.
    #[test]
    fn short_mpdus_wait_for_their_receiver() {
        let limits = |start_spacing| AggregateLimits {
            bytes: u32::MAX,
            duration: Duration::from_micros(5_484),
            window: 256,
            start_spacing,
        };
        let tx = TxVector::mimo(Format::He, 11, 2, Width::Mhz80, Guard::Ns800);
        let octets = limits(Duration::from_micros(4)).spacing_octets(tx);
        assert_eq!((octets, limits(Duration::ZERO).spacing_octets(tx)), (601, 0));
        let length = PsduLength::one(Format::He, 90).spaced(octets);
        assert_eq!(length.bytes(), 94);
        assert_eq!(length.with(90).with(90).bytes(), 2 * 604 + 94);
        assert_eq!(length.with(1534).with(90).bytes(), 604 + 1540 + 94);
        assert_eq!(PsduLength::one(Format::He, 90).with(90).with(90).bytes(), 2 * 96 + 94);
        // HT at 65 Mbit/s: 33 octets in 4 us, less than any MPDU.
        let slow = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
        assert_eq!(limits(Duration::from_micros(4)).spacing_octets(slow), 33);
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
