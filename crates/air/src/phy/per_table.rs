//! Packet error rates from the table in `data/ofdm-bcc-awgn.csv`.

use airtcp_units::Decibel;

use super::OfdmRate;

/// The table, made by `tools/per-tables` (`docs/models/packet-error-rate.md`).
const TABLE: &str = include_str!("../../data/ofdm-bcc-awgn.csv");
const HEADER: &str = "rate_mbps,psdu_bytes,snr_db,per";

/// PSDU lengths that the table has, in octets.
const REFERENCE_BYTES: [u32; 2] = [32, 1458];
/// From this length on the long reference is used; IEEE 802.11-14/0571r12 (the `TGax`
/// evaluation methodology) divides its reference lengths for BCC here.
const LONG_FROM_BYTES: u32 = 400;

/// Packet error rate over SNR of one rate and length.
#[derive(Clone, Debug, Default)]
struct Curve {
    /// (SNR in dB, PER), rising in SNR.
    points: Vec<(f64, f64)>,
}

/// Packet error rates of OFDM with its convolutional code in white Gaussian noise.
#[derive(Clone, Debug)]
pub struct PerTable {
    curves: [[Curve; 2]; 8],
}

/// How fast the probability of reception falls with the length of a PSDU, at one SNR.
///
/// Reception of `L` octets has probability `exp(-a L)`; `a` comes from the nearer
/// reference length, so that `1 - PER(L) = (1 - PER(L_ref))^(L / L_ref)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    per_octet: [f64; 2],
}

impl Decay {
    /// Nothing is ever lost.
    pub const NONE: Self = Self { per_octet: [0.0; 2] };

    /// Probability that a PSDU of this length is received.
    #[inline]
    pub fn reception(&self, psdu_bytes: u32) -> f64 {
        let a = self.per_octet[reference(psdu_bytes)];
        if a == 0.0 { 1.0 } else { libm::exp(-a * f64::from(psdu_bytes)) }
    }
}

const fn reference(psdu_bytes: u32) -> usize {
    (psdu_bytes >= LONG_FROM_BYTES) as usize
}

impl Default for PerTable {
    fn default() -> Self {
        Self::new()
    }
}

impl PerTable {
    /// Reads the table.
    ///
    /// # Panics
    /// If it is damaged: it is part of the program.
    pub fn new() -> Self {
        let mut curves: [[Curve; 2]; 8] = Default::default();
        let mut rows = TABLE.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
        assert_eq!(rows.next(), Some(HEADER), "columns of the PER table");
        for row in rows {
            let (rate, length, point) = parse(row).unwrap_or_else(|| panic!("PER table: bad row '{row}'"));
            let points = &mut curves[rate][length].points;
            let follows = points.last().is_none_or(|last| last.0 < point.0 && last.1 >= point.1);
            assert!(follows, "PER table: '{row}' is out of order");
            points.push(point);
        }
        for curve in curves.iter().flatten() {
            assert!(curve.points.len() > 1, "PER table: a curve is missing");
        }
        Self { curves }
    }

    /// The decay at this ratio of energy per symbol and subcarrier to noise density.
    pub fn decay(&self, rate: OfdmRate, es_n0: Decibel) -> Decay {
        let octet = |i: usize| {
            let per = self.curves[rate as usize][i].per(es_n0.get());
            -libm::log1p(-per) / f64::from(REFERENCE_BYTES[i])
        };
        Decay { per_octet: [octet(0), octet(1)] }
    }

    /// Packet error rate of a PSDU of this length.
    pub fn per(&self, rate: OfdmRate, es_n0: Decibel, psdu_bytes: u32) -> f64 {
        1.0 - self.decay(rate, es_n0).reception(psdu_bytes)
    }
}

impl Curve {
    /// Between two points the logarithm of the PER is linear in dB, as the tail of a
    /// waterfall nearly is; next to a zero the PER itself is.
    fn per(&self, snr_db: f64) -> f64 {
        let above = self.points.partition_point(|p| p.0 <= snr_db);
        let Some(&(x1, y1)) = self.points.get(above) else {
            let last = self.points[self.points.len() - 1];
            return if snr_db > last.0 { 0.0 } else { last.1 };
        };
        let Some(&(x0, y0)) = above.checked_sub(1).map(|i| &self.points[i]) else { return 1.0 };
        let t = (snr_db - x0) / (x1 - x0);
        if y1 > 0.0 { y0 * libm::pow(y1 / y0, t) } else { y0 + (y1 - y0) * t }
    }
}

fn parse(row: &str) -> Option<(usize, usize, (f64, f64))> {
    let mut cells = row.split(',');
    let mbps = cells.next()?.parse().ok()?;
    let rate = OfdmRate::from_bit_rate(airtcp_units::BitRate::from_mbps(mbps))? as usize;
    let bytes: u32 = cells.next()?.parse().ok()?;
    let length = REFERENCE_BYTES.iter().position(|&b| b == bytes)?;
    let point: (f64, f64) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
    let valid = point.0.is_finite() && (0.0..=1.0).contains(&point.1) && cells.next().is_none();
    valid.then_some((rate, length, point))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "certainties and grid points are exact")]
mod tests {
    use super::*;

    fn curve() -> Curve {
        Curve { points: vec![(1.0, 1.0), (2.0, 0.01), (3.0, 0.0)] }
    }

    #[test]
    fn between_points_the_logarithm_is_linear() {
        assert!((curve().per(1.5) - 0.1).abs() < 1e-12);
        assert!((curve().per(2.5) - 0.005).abs() < 1e-12);
        assert!((curve().per(2.0) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn outside_the_grid_all_or_nothing_is_lost() {
        assert_eq!([curve().per(0.99), curve().per(3.0), curve().per(9.0)], [1.0, 0.0, 0.0]);
        let ends_above_zero = Curve { points: vec![(1.0, 1.0), (2.0, 0.01)] };
        assert_eq!([ends_above_zero.per(2.0), ends_above_zero.per(2.01)], [0.01, 0.0]);
    }

    #[test]
    fn lengths_scale_from_the_nearer_reference() {
        let decay = Decay { per_octet: [-libm::log(0.5) / 32.0, -libm::log(0.9) / 1458.0] };
        assert!((decay.reception(32) - 0.5).abs() < 1e-12);
        assert!((decay.reception(64) - 0.25).abs() < 1e-12);
        assert!((decay.reception(1458) - 0.9).abs() < 1e-12);
        assert!((decay.reception(729) - 0.9_f64.sqrt()).abs() < 1e-12);
        // Around the threshold: 399 octets by the short reference, 400 by the long.
        assert!((decay.reception(399) - libm::pow(0.5, 399.0 / 32.0)).abs() < 1e-12);
        assert!((decay.reception(400) - libm::pow(0.9, 400.0 / 1458.0)).abs() < 1e-12);
    }

    #[test]
    fn certain_loss_and_certain_reception_are_exact() {
        let table = PerTable::new();
        assert_eq!(table.decay(OfdmRate::Mbps54, Decibel::new(-20.0)).reception(14), 0.0);
        assert_eq!(table.decay(OfdmRate::Mbps54, Decibel::new(60.0)).reception(2332), 1.0);
    }

    #[test]
    fn a_row_of_the_table_is_found_again() {
        let table = PerTable::new();
        let row = TABLE.lines().find(|l| l.starts_with("54,1458,17.")).expect("54 Mb/s has 17 dB");
        let (_, _, (snr, per)) = parse(row).expect("a row");
        assert!((table.per(OfdmRate::Mbps54, Decibel::new(snr), 1458) - per).abs() < 1e-9);
    }
}
