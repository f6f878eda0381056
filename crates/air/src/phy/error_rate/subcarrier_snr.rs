//! From the signal-to-noise ratio in a channel to that of a subcarrier.

use airtcp_units::Decibel;

use crate::phy::{Format, TxVector, Width};

/// Symbol rate of the single carrier of DMG over its channel spacing (IEEE 802.11-2020, Table 20-4, and the channels
/// of Annex E): 1.76 of 2.16 GHz.
const DMG_CHIPS_OVER_SPACING: (u32, u32) = (1760, 2160);

/// Energy per symbol and subcarrier over noise density, `Es/N0`, of an OFDM PPDU on the whole width, or per chip of a DMG
/// PPDU. `snr` is the ratio of the power of one spatial stream to the noise in the width of the channel; of an RU, to that in its tones. None for
/// HR/DSSS, which has no subcarriers.
///
/// The noise spreads over all subcarriers of the transform, the signal evenly over those in use, data and pilots:
///
/// ```
/// use airtcp_air::phy::{Format, Guard, TxVector, Width, error_rate::es_n0};
/// use airtcp_units::Decibel;
/// let gain = |tx| es_n0(tx, Decibel::new(0.0)).map(|es_n0| (100.0 * es_n0.get()).round());
/// assert_eq!(gain(TxVector::ofdm(0)), Some(90.0));
/// assert_eq!(gain(TxVector::mimo(Format::He, 0, 1, Width::Mhz80, Guard::Ns800)), Some(12.0));
/// ```
#[inline]
pub fn es_n0(tx: TxVector, snr: Decibel) -> Option<Decibel> {
    let (used, all) = subcarriers(tx)?;
    Some(Decibel::new(snr.get() + 10.0 * libm::log10(f64::from(all) / f64::from(used))))
}

/// Subcarriers in use and those of the transform: `N_ST` and the width over the subcarrier spacing (IEEE 802.11-2020,
/// Tables 17-5, 19-6 and 21-5; IEEE 802.11ax-2021, Table 27-13; IEEE 802.11be, Table 36-19).
pub(super) const fn subcarriers(tx: TxVector) -> Option<(u32, u32)> {
    match tx.format {
        Format::HrDsss => None,
        Format::Ofdm => Some((52, 64)),
        Format::Ht | Format::Vht => Some(match tx.width() {
            Width::Mhz20 => (56, 64),
            Width::Mhz40 => (114, 128),
            Width::Mhz80 => (242, 256),
            _ => (484, 512),
        }),
        // The noise of an RU, or of what puncturing leaves, is that of its own tones.
        Format::He | Format::Eht if !tx.allocation.is_whole() => {
            let tones = tx.allocation.tone_count();
            Some((tones, tones))
        }
        Format::He | Format::Eht => Some(match tx.width() {
            Width::Mhz20 => (242, 256),
            Width::Mhz40 => (484, 512),
            Width::Mhz80 => (996, 1024),
            Width::Mhz160 => (1992, 2048),
            _ => (3984, 4096),
        }),
        Format::Dmg => Some(DMG_CHIPS_OVER_SPACING),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Guard;

    fn gain(tx: TxVector) -> f64 {
        es_n0(tx, Decibel::new(0.0)).expect("subcarriers").get()
    }

    fn mimo(format: Format, width: Width) -> TxVector {
        TxVector::mimo(format, 0, 1, width, Guard::Ns800)
    }

    /// 10 log10 of subcarriers over those in use, by hand.
    #[test]
    fn gains() {
        let cases = [
            (TxVector::ofdm(3), 0.9018),
            (mimo(Format::Ht, Width::Mhz20), 0.5799),
            (mimo(Format::Ht, Width::Mhz40), 0.5031),
            (mimo(Format::Vht, Width::Mhz80), 0.2442),
            (mimo(Format::Vht, Width::Mhz160), 0.2442),
            (mimo(Format::He, Width::Mhz20), 0.2442),
            (mimo(Format::He, Width::Mhz80), 0.1204),
            (mimo(Format::Eht, Width::Mhz320), 0.1204),
            (mimo(Format::Dmg, Width::Mhz2160), 0.8894),
        ];
        for (tx, gain_db) in cases {
            assert!((gain(tx) - gain_db).abs() < 1e-4, "{tx:?} {}", gain(tx));
        }
        assert_eq!(es_n0(TxVector::hr_dsss(0, false), Decibel::new(0.0)), None);
    }

    /// Subcarrier spacing 312.5 kHz, or 78.125 kHz from HE on: the transform spans the width.
    #[test]
    fn transforms_span_the_width() {
        for width in [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160, Width::Mhz320] {
            let all = |format| f64::from(subcarriers(mimo(format, width)).expect("subcarriers").1);
            assert!((all(Format::Eht) * 78.125 - f64::from(width.mhz()) * 1e3).abs() < 1e-9);
            if width != Width::Mhz320 {
                assert!((all(Format::Vht) * 312.5 - f64::from(width.mhz()) * 1e3).abs() < 1e-9);
            }
        }
    }
}
