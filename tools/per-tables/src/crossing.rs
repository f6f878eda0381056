//! The SNR at which a curve crosses a packet error rate.

/// The SNR in dB at which `curve` (SNR in dB ascending, packet error rate)
/// falls through `per`, interpolated linearly in the logarithm of the packet
/// error rate. `None` if the curve does not cross it.
pub fn snr_db_at(curve: &[(f64, f64)], per: f64) -> Option<f64> {
    curve.windows(2).find(|pair| pair[0].1 >= per && pair[1].1 < per).map(|pair| {
        let [(snr_high, per_high), (snr_low, per_low)] = [pair[0], pair[1]];
        let fraction = if per_low > 0.0 {
            libm::log(per / per_high) / libm::log(per_low / per_high)
        } else {
            (per_high - per) / per_high
        };
        snr_high + fraction * (snr_low - snr_high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates_the_logarithm() {
        let curve = [(1.0, 1.0), (2.0, 0.1), (3.0, 0.001)];
        let at = |per| snr_db_at(&curve, per).expect("within the curve");
        assert!((at(0.1) - 2.0).abs() < 1e-12);
        assert!((at(0.01) - 2.5).abs() < 1e-12);
        assert_eq!(snr_db_at(&curve, 1e-4), None);
    }
}
