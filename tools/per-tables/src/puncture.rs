//! Puncturing: bits of the rate 1/2 code that are not sent (IEEE 802.11-2020, 17.3.5.6 and 19.3.11.6).

use crate::code_rate::CodeRate;

impl CodeRate {
    /// Which of the bits A, B, A, B, ... are sent, over one period.
    ///
    /// # Panics
    /// If the convolutional code is not used at this rate.
    pub const fn sent(self) -> &'static [bool] {
        match self {
            Self::Half => &[true, true],
            Self::TwoThirds => &[true, true, true, false],
            Self::ThreeQuarters => &[true, true, true, false, false, true],
            Self::FiveSixths => &[true, true, true, false, false, true, true, false, false, true],
            Self::FiveEighths | Self::ThirteenSixteenths => panic!("no convolutional code of this rate"),
        }
    }
}

/// Appends to `sent` the bits of `coded` that the pattern of `code_rate` keeps.
pub fn puncture(code_rate: CodeRate, coded: &[u8], sent: &mut Vec<u8>) {
    let pattern = code_rate.sent();
    for period in coded.chunks(pattern.len()) {
        sent.extend(period.iter().zip(pattern).filter(|(_, keep)| **keep).map(|(bit, _)| *bit));
    }
}

/// Puts the soft values of the bits sent back into their places in `coded`;
/// a bit that was not sent gets zero, which favours neither value.
///
/// # Panics
/// If `sent` holds fewer values than the pattern asks for.
pub fn depuncture(code_rate: CodeRate, sent: &[i32], coded: &mut [i32]) {
    let mut sent = sent.iter();
    let pattern = code_rate.sent();
    for period in coded.chunks_mut(pattern.len()) {
        for (value, keep) in period.iter_mut().zip(pattern) {
            *value = if *keep { *sent.next().expect("one soft value per bit sent") } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE_RATES: [CodeRate; 4] =
        [CodeRate::Half, CodeRate::TwoThirds, CodeRate::ThreeQuarters, CodeRate::FiveSixths];

    #[test]
    fn pattern_gives_the_code_rate() {
        for code_rate in CODE_RATES {
            let (data, coded) = code_rate.fraction();
            let sent = code_rate.sent().iter().filter(|keep| **keep).count();
            assert_eq!(code_rate.sent().len() / 2 * coded, sent * data);
        }
    }

    /// Figure 17-9: of A0 B0 A1 B1 A2 B2, rate 3/4 steals B1 and A2; of A0 B0 A1 B1, rate 2/3 steals B1. 19.3.11.6: of
    /// five pairs, rate 5/6 sends A0 B0 A1 B2 A3 B4.
    #[test]
    fn stolen_bits_are_those_of_figure_17_9() {
        let coded: Vec<u8> = (0..12).collect();
        let mut sent = Vec::new();
        puncture(CodeRate::ThreeQuarters, &coded, &mut sent);
        assert_eq!(sent, [0, 1, 2, 5, 6, 7, 8, 11]);
        sent.clear();
        puncture(CodeRate::TwoThirds, &coded, &mut sent);
        assert_eq!(sent, [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        sent.clear();
        puncture(CodeRate::FiveSixths, &coded[..10], &mut sent);
        assert_eq!(sent, [0, 1, 2, 5, 6, 9]);
    }

    #[test]
    fn depuncture_restores_places_and_erases_the_rest() {
        let mut coded = [9; 6];
        depuncture(CodeRate::ThreeQuarters, &[10, 20, 30, 40], &mut coded);
        assert_eq!(coded, [10, 20, 30, 0, 0, 40]);
    }
}
