//! Stages to a chain.

use crate::border::{RateChain, RateStage};

/// Most attempts of a stage (three bits in mac80211's rate tables).
const TRIES_MAX: u8 = 7;

/// A chain of one to four stages. Neighbours that differ in nothing but their attempts become one. Panics without a stage.
#[inline]
pub(super) fn chain(stages: &[RateStage]) -> RateChain {
    let mut merged = [stages[0]; 4];
    let mut last = 0;
    for stage in &stages[1..] {
        let before = &mut merged[last];
        if (before.tx, before.protection) == (stage.tx, stage.protection) {
            before.tries = TRIES_MAX.min(before.tries + stage.tries);
        } else {
            last += 1;
            merged[last] = *stage;
        }
    }
    merged[1..=last].iter().fold(RateChain::one(merged[0]), |chain, &stage| chain.then(stage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border::Protection;
    use crate::phy::TxVector;

    #[test]
    fn equal_neighbours_become_one_stage() {
        let stage = |index, tries, protection| RateStage { tx: TxVector::ofdm(index), tries, protection };
        let plain = |index, tries| stage(index, tries, Protection::None);
        let of = |stages: &[RateStage]| chain(stages).stages().to_vec();
        assert_eq!(of(&[plain(3, 2), plain(3, 3), plain(2, 1)]), [plain(3, 5), plain(2, 1)]);
        assert_eq!(of(&[plain(3, 6), plain(3, 6), plain(3, 6)]), [plain(3, 7)]);
        let protected = stage(3, 2, Protection::RtsCts);
        assert_eq!(of(&[plain(3, 2), protected, plain(3, 2)]), [plain(3, 2), protected, plain(3, 2)]);
        assert_eq!(of(&[plain(3, 1), plain(2, 1), plain(1, 1), plain(0, 1)]).len(), 4);
    }
}
