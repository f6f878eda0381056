//! A curve of packet error rates over SNR, and what lies between its points.

/// A packet error rate of one is entered as this, which is consistent with the 500 lost frames behind it: it
/// has a logarithm.
const ALMOST_ONE: f64 = 0.9995;

/// A curve, read by cubic interpolation of the logarithm of `-ln(1 - PER)` over dB.
///
/// That quantity is the rate of errors in a frame. In the tail its logarithm falls nearly on a line, and where the packet
/// error rate nears one it goes on smoothly. The cubics are monotone (Fritsch and Carlson 1980, SIAM J. Numer. Anal.
/// 17(2); slopes by Butland's harmonic mean), so that more SNR is never worse.
#[derive(Clone, Debug)]
pub(super) struct Waterfall {
    /// By rising SNR.
    knots: Box<[Knot]>,
    /// The ratio at which the packet error rate is zero, if the curve ends with such a point.
    zero_from_db: Option<f64>,
}

/// A point of the curve with its slope.
#[derive(Clone, Copy, Debug)]
struct Knot {
    snr_db: f64,
    /// `ln(-ln(1 - PER))`.
    log_rate: f64,
    /// Change of `log_rate` per dB.
    slope: f64,
}

impl Waterfall {
    /// The curve through these points of SNR in dB and packet error rate.
    ///
    /// # Panics
    /// If there are fewer than two points above zero, or points out of order.
    pub(super) fn new(points: &[[f64; 2]]) -> Self {
        let (above_zero, zeros) = points.split_at(points.partition_point(|point| point[1] > 0.0));
        assert!(above_zero.len() > 1 && zeros.len() < 2, "a curve of packet error rates: {points:?}");
        let values: Vec<[f64; 2]> = above_zero
            .iter()
            .map(|&[snr_db, per]| [snr_db, libm::log(-libm::log1p(-per.min(ALMOST_ONE)))])
            .collect();
        let secants: Vec<f64> =
            values.windows(2).map(|p| (p[1][1] - p[0][1]) / (p[1][0] - p[0][0])).collect();
        assert!(secants.iter().all(|secant| *secant <= 0.0), "packet error rates fall: {points:?}");
        let knot = |(i, &[snr_db, log_rate]): (usize, &[f64; 2])| {
            let neighbours = [i.checked_sub(1), Some(i)].map(|i| i.and_then(|i| secants.get(i)));
            let slope = match neighbours {
                [Some(left), Some(right)] => harmonic_mean(*left, *right),
                [one, other] => *one.or(other).expect("there are two points"),
            };
            Knot { snr_db, log_rate, slope }
        };
        let knots = values.iter().enumerate().map(knot).collect();
        Self { knots, zero_from_db: zeros.first().map(|zero| zero[0]) }
    }

    /// `-ln(1 - PER)`: infinite below the curve, zero above it.
    pub(super) fn minus_ln_success(&self, snr_db: f64) -> f64 {
        let right = self.knots.partition_point(|knot| knot.snr_db <= snr_db);
        let Some(left) = right.checked_sub(1).map(|i| &self.knots[i]) else { return f64::INFINITY };
        match self.knots.get(right) {
            Some(right) => libm::exp(cubic(left, right, snr_db)),
            None => self.beyond(left, snr_db),
        }
    }

    /// From the last point above zero on: down to the zero in a line, or at once.
    fn beyond(&self, last: &Knot, snr_db: f64) -> f64 {
        let end = self.zero_from_db.unwrap_or(last.snr_db);
        if snr_db > end {
            return 0.0;
        }
        let width = end - last.snr_db;
        let left = if width > 0.0 { (end - snr_db) / width } else { 1.0 };
        left * libm::exp(last.log_rate)
    }
}

/// Harmonic mean of two slopes that are not positive; zero if one of them is.
fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a < 0.0 && b < 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

/// The cubic between two points that has their values and slopes (Hermite), written so that it is constant to the last bit
/// where they have one value.
fn cubic(left: &Knot, right: &Knot, snr_db: f64) -> f64 {
    let width = right.snr_db - left.snr_db;
    let t = (snr_db - left.snr_db) / width;
    let s = 1.0 - t;
    left.log_rate
        + (right.log_rate - left.log_rate) * t * t * (1.0 + 2.0 * s)
        + width * s * t * (left.slope * s - right.slope * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per(curve: &Waterfall, snr_db: f64) -> f64 {
        -libm::expm1(-curve.minus_ln_success(snr_db))
    }

    #[test]
    fn points_are_found_again() {
        let points = [[1.0, 1.0], [1.25, 0.8], [1.5, 0.3], [1.75, 0.02], [2.0, 0.0]];
        let curve = Waterfall::new(&points);
        for [snr_db, expected] in points {
            assert!((per(&curve, snr_db) - expected.min(ALMOST_ONE)).abs() < 1e-12, "{snr_db}");
        }
        assert!((per(&curve, 1.875) - 0.01).abs() < 1e-4);
        assert!(per(&curve, 0.99) >= 1.0 && per(&curve, 2.1) <= 0.0);
    }

    #[test]
    fn a_curve_may_end_above_zero() {
        let curve = Waterfall::new(&[[1.0, 1.0], [2.0, 0.01]]);
        assert!((per(&curve, 2.0) - 0.01).abs() < 1e-12 && per(&curve, 2.01) <= 0.0);
    }

    /// Where the rate of errors falls exponentially, three points determine all others.
    #[test]
    fn exponential_tails_are_exact() {
        let per_at = |db: f64| -libm::expm1(-libm::exp(-3.0 * db));
        let points: Vec<[f64; 2]> = (0..9).map(|i| f64::from(i) * 0.25).map(|db| [db, per_at(db)]).collect();
        let curve = Waterfall::new(&points);
        for step in 0..=200 {
            let db = f64::from(step) * 0.01;
            assert!((per(&curve, db) / per_at(db) - 1.0).abs() < 1e-9, "{db}");
        }
    }

    #[test]
    fn more_snr_is_never_worse() {
        let curve =
            Waterfall::new(&[[0.0, 1.0], [0.25, 0.99], [0.5, 0.4], [0.75, 0.4], [1.0, 0.05], [1.25, 0.0009]]);
        let pers: Vec<f64> = (-50..200).map(|step| per(&curve, f64::from(step) * 0.01)).collect();
        assert!(pers.windows(2).all(|pair| pair[1] <= pair[0]));
    }
}
