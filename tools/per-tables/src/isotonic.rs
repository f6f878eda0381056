//! Isotonic regression by pooling adjacent violators (Ayer et al. 1955, Ann. Math. Statist. 26).

/// The non-increasing sequence nearest to `measured` (value, weight) in the
/// weighted least-squares sense. A sequence that does not increase comes back
/// unchanged; neighbours that do are replaced by their weighted mean, which for
/// error rates weighted by frames is the rate of the pooled frames.
pub fn non_increasing(measured: &[(f64, f64)]) -> Vec<f64> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for &(value, weight) in measured {
        let mut block = (value, weight, 1);
        while let Some(last) = blocks.last().copied().filter(|last| last.0 < block.0) {
            blocks.pop();
            let total = last.1 + block.1;
            let mean = (last.0 * last.1 + block.0 * block.1) / total;
            block = (mean, total, last.2 + block.2);
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(value, _, count)| std::iter::repeat_n(value, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falling_sequences_stay() {
        assert_eq!(non_increasing(&[(1.0, 5.0), (0.5, 1.0), (0.5, 9.0), (0.1, 2.0)]), [1.0, 0.5, 0.5, 0.1]);
    }

    #[test]
    fn violators_are_pooled_by_weight() {
        assert_eq!(
            non_increasing(&[(1.0, 1.0), (0.25, 3.0), (0.75, 1.0), (0.1, 1.0)]),
            [1.0, 0.375, 0.375, 0.1]
        );
    }

    #[test]
    fn pooling_reaches_back() {
        assert_eq!(non_increasing(&[(0.5, 1.0), (0.25, 1.0), (0.75, 2.0)]), [0.5625, 0.5625, 0.5625]);
    }
}
