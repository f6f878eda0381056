//! Contention windows and their random streams (IEEE 802.11-2020, 10.3.3).

use crate::mac::contention::Backoff;
use crate::random::Stream;

/// The window of one NIC.
#[derive(Debug)]
pub(crate) struct Window {
    min: u32,
    max: u32,
    now: u32,
    stream: Stream,
}

/// The windows of a medium's NICs, in the order of its contenders.
#[derive(Debug, Default)]
pub(crate) struct Dcf {
    windows: Vec<Window>,
}

impl Dcf {
    /// Adds the next contender.
    pub(crate) fn join(&mut self, cw_min: u32, cw_max: u32, stream: Stream) {
        self.windows.push(Window { min: cw_min, max: cw_max, now: cw_min, stream });
    }

    /// After a success, or when a frame was given up: back to aCWmin.
    #[inline]
    pub(crate) fn reset(&mut self, member: usize) {
        let window = &mut self.windows[member];
        window.now = window.min;
    }

    /// After a failure: the next power of two less one, at most aCWmax.
    pub(crate) fn widen(&mut self, member: usize) {
        let window = &mut self.windows[member];
        window.now = (2 * window.now + 1).min(window.max);
    }
}

impl Backoff for Dcf {
    #[inline]
    fn draw(&mut self, member: usize) -> u32 {
        let window = &mut self.windows[member];
        window.stream.slots(window.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;
    use airtcp_plan::MacAddress;

    fn dcf(cw_min: u32, cw_max: u32) -> Dcf {
        let mac = MacAddress([2, 0, 0, 0, 0, 1]);
        let mut dcf = Dcf::default();
        dcf.join(cw_min, cw_max, Stream::new(1, Purpose::Backoff, mac, mac));
        dcf
    }

    #[test]
    fn the_window_doubles_up_to_its_maximum_and_resets() {
        let mut dcf = dcf(15, 1023);
        let widths: Vec<u32> = (0..8)
            .map(|_| {
                dcf.widen(0);
                dcf.windows[0].now
            })
            .collect();
        assert_eq!(widths, [31, 63, 127, 255, 511, 1023, 1023, 1023]);
        dcf.reset(0);
        assert_eq!(dcf.windows[0].now, 15);
    }

    #[test]
    fn draws_reach_both_ends_of_the_window() {
        let mut dcf = dcf(7, 7);
        let drawn: std::collections::BTreeSet<u32> = (0..200).map(|_| dcf.draw(0)).collect();
        assert!(drawn.into_iter().eq(0..=7));
    }
}
