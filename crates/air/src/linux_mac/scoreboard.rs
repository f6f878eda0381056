//! What a receiver has of a block acknowledgement agreement (IEEE 802.11-2020, 10.25.6.3: full-state operation).

/// Sequence numbers are counted modulo 4096 (9.2.4.4.2); what is less than half of that ahead is later.
const NUMBERS: u16 = 4096;
/// The largest window (IEEE 802.11be, 9.4.1.13), a power of two so that each number has its bit.
const LARGEST: u16 = 1024;
const WORD: u16 = u64::BITS as u16;

/// The scoreboard of one agreement: for each number of its window whether an MPDU with it has arrived.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    /// `WinStart_R`.
    start: u16,
    /// `WinSize_R`.
    window: u16,
    /// By number modulo [`LARGEST`]; outside of the window they are 0.
    bits: [u64; (LARGEST / WORD) as usize],
}

impl Scoreboard {
    /// The scoreboard of a new agreement with this starting sequence number and window.
    pub(crate) fn new(start: u16, window: u16) -> Self {
        let window = window.clamp(1, LARGEST);
        Self { start: start % NUMBERS, window, bits: [0; (LARGEST / WORD) as usize] }
    }

    /// The scoreboard of an agreement whose context was lost: the window ends with this MPDU (10.25.6.4).
    pub(crate) fn ending_with(number: u16, window: u16) -> Self {
        Self::new(number.wrapping_sub(window.clamp(1, LARGEST) - 1), window)
    }

    /// The first number that it speaks of.
    pub(crate) const fn start(&self) -> u16 {
        self.start
    }

    /// Whether an MPDU with this number, within the window, has arrived.
    pub(crate) fn has(&self, number: u16) -> bool {
        self.ahead(number) < self.window && self.bits[Self::word(number)] & Self::bit(number) != 0
    }

    /// An MPDU arrives. One that is older than the window changes nothing.
    pub(crate) fn receive(&mut self, number: u16) {
        let ahead = self.ahead(number);
        if ahead >= NUMBERS / 2 {
            return;
        }
        if ahead >= self.window {
            self.advance(ahead - self.window + 1);
        }
        self.bits[Self::word(number)] |= Self::bit(number);
    }

    /// A `BlockAckReq` arrives: the window begins with its number, if that is later.
    pub(crate) fn request(&mut self, start: u16) {
        let ahead = self.ahead(start);
        if ahead < NUMBERS / 2 {
            self.advance(ahead);
        }
    }

    const fn ahead(&self, number: u16) -> u16 {
        number.wrapping_sub(self.start) % NUMBERS
    }

    fn advance(&mut self, by: u16) {
        for passed in 0..by.min(self.window) {
            let number = self.start.wrapping_add(passed);
            self.bits[Self::word(number)] &= !Self::bit(number);
        }
        self.start = self.start.wrapping_add(by) % NUMBERS;
    }

    const fn word(number: u16) -> usize {
        (number % LARGEST / WORD) as usize
    }

    const fn bit(number: u16) -> u64 {
        1 << (number % WORD)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn numbers(board: &Scoreboard) -> Vec<u16> {
        (0..NUMBERS).map(|ahead| (board.start() + ahead) % NUMBERS).filter(|&n| board.has(n)).collect()
    }

    #[test]
    fn what_arrives_within_the_window_is_marked() {
        let mut board = Scoreboard::new(4094, 8);
        for number in [4094, 0, 5] {
            board.receive(number);
        }
        assert_eq!((board.start(), numbers(&board)), (4094, vec![4094, 0, 5]));
    }

    #[test]
    fn what_is_later_moves_the_window_and_what_is_older_nothing() {
        let mut board = Scoreboard::new(100, 8);
        for number in [100, 103, 109] {
            board.receive(number);
        }
        assert_eq!((board.start(), numbers(&board)), (102, vec![103, 109]));
        board.receive(101);
        board.receive(99);
        assert_eq!((board.start(), numbers(&board)), (102, vec![103, 109]));
        board.receive(1000);
        assert_eq!((board.start(), numbers(&board)), (993, vec![1000]));
    }

    #[test]
    fn a_request_moves_the_window_forwards_only() {
        let mut board = Scoreboard::new(100, 8);
        for number in [101, 104] {
            board.receive(number);
        }
        board.request(102);
        assert_eq!((board.start(), numbers(&board)), (102, vec![104]));
        board.request(90);
        assert_eq!((board.start(), numbers(&board)), (102, vec![104]));
        board.request(500);
        assert_eq!((board.start(), numbers(&board)), (500, vec![]));
    }

    #[test]
    fn one_without_a_past_ends_with_what_arrives() {
        let mut board = Scoreboard::ending_with(3, 64);
        board.receive(3);
        assert_eq!((board.start(), numbers(&board)), (4096 + 3 - 63, vec![3]));
    }

    proptest! {
        /// The same in words: a set of numbers, of which those before the window are forgotten.
        #[test]
        fn it_is_a_set_of_numbers_with_a_beginning(
            (start, window) in (0..NUMBERS, 1..=LARGEST),
            steps in prop::collection::vec((any::<bool>(), -1100..1100_i64), 1..60),
        ) {
            let mut board = Scoreboard::new(start, window);
            // Without the wrap; a number is given relative to the beginning of the window.
            let (mut first, mut arrived) = (i64::from(start) + 8192, BTreeSet::new());
            for (is_request, offset) in steps {
                let number = first + offset;
                let wrapped = number.rem_euclid(4096) as u16;
                if is_request {
                    board.request(wrapped);
                    first = first.max(number);
                } else {
                    board.receive(wrapped);
                    first = first.max(number - i64::from(window) + 1);
                    arrived.insert(number);
                }
                arrived = arrived.split_off(&first);
                prop_assert_eq!(i64::from(board.start()), first.rem_euclid(4096));
                let expected: Vec<_> = arrived.iter().map(|n| n.rem_euclid(4096) as u16).collect();
                prop_assert_eq!(numbers(&board), expected);
            }
        }
    }
}
