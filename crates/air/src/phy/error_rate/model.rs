//! The error rate of every PPDU.

use airtcp_units::Decibel;

use super::{Decay, PerTable, dsss, es_n0, nist};
use crate::phy::{Coding, Format, TxVector};

/// Where error rates come from. HR/DSSS has formulas of its own in either case.
#[derive(Clone, Debug)]
pub enum ErrorModel {
    /// From tables of link simulations with a soft-decision receiver.
    Table(PerTable),
    /// By the NIST formula, for comparison with simulators that use it.
    Nist,
}

impl ErrorModel {
    /// The decay of a PPDU of this kind with this code. `snr` is the power of one spatial stream over noise and
    /// interference in the width of its channel ([`crate::phy::Width::mhz`], 20 MHz for HR/DSSS). HR/DSSS and DMG have
    /// one code and do not look at `coding`.
    ///
    /// None where the model has no answer: a code that 802.11 does not join to the modulation (BCC with 1024-QAM), and
    /// DMG by the NIST formula. [`ErrorModel::knows`] checks that beforehand.
    ///
    /// ```
    /// use airtcp_air::phy::error_rate::{ErrorModel, PerTable};
    /// use airtcp_air::phy::{Coding, TxVector};
    /// use airtcp_units::Decibel;
    /// let model = ErrorModel::Table(PerTable::new());
    /// let decay = model.decay(TxVector::ofdm(7), Coding::Bcc, Decibel::new(18.0)).unwrap();
    /// assert!(decay.reception(14) > decay.reception(1500));
    /// ```
    pub fn decay(&self, tx: TxVector, coding: Coding, snr: Decibel) -> Option<Decay> {
        if tx.format == Format::HrDsss {
            let width_hz = f64::from(tx.width().mhz()) * 1e6;
            return Some(dsss::decay(tx.index, libm::pow(10.0, snr.get() / 10.0) * width_hz));
        }
        match (self, tx.format) {
            (Self::Table(table), Format::Dmg) => table.dmg_decay(tx.index, es_n0(tx, snr)?),
            (Self::Table(table), _) => table.decay(tx.modulation()?, coding, es_n0(tx, snr)?),
            (Self::Nist, Format::Dmg) => None,
            (Self::Nist, _) => nist::decay(tx.modulation()?, snr),
        }
    }

    /// Whether the model has an answer for a PPDU of this kind with this code.
    pub fn knows(&self, tx: TxVector, coding: Coding) -> bool {
        self.decay(tx, coding, Decibel::new(0.0)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};

    fn mimo(format: Format, mcs: u8, width: Width) -> TxVector {
        TxVector::mimo(format, mcs, 1, width, Guard::Ns800)
    }

    /// Each format to its highest MCS, with each of its codes.
    fn every_mode() -> Vec<TxVector> {
        let formats = [(Format::Ht, 8), (Format::Vht, 10), (Format::He, 12), (Format::Eht, 14)];
        let pairs = formats.into_iter().flat_map(|(format, count)| (0..count).map(move |mcs| (format, mcs)));
        (0..4)
            .map(|index| TxVector::hr_dsss(index, false))
            .chain((0..8).map(TxVector::ofdm))
            .chain(pairs.map(|(format, mcs)| mimo(format, mcs, Width::Mhz20)))
            .chain((0..13).map(dmg_mcs))
            .chain((0..8).map(|mcs| mimo(Format::Ht, mcs, Width::Mhz20).with_ldpc()))
            .chain((0..10).map(|mcs| mimo(Format::Vht, mcs, Width::Mhz80).with_ldpc()))
            .collect()
    }

    fn dmg_mcs(mcs: u8) -> TxVector {
        mimo(Format::Dmg, mcs, Width::Mhz2160)
    }

    #[test]
    fn every_ppdu_has_an_error_rate_that_falls_with_the_ratio() {
        let table = ErrorModel::Table(PerTable::new());
        for tx in every_mode() {
            for model in [&table, &ErrorModel::Nist] {
                if !model.knows(tx, tx.coding()) {
                    assert!(matches!((model, tx.format), (ErrorModel::Nist, Format::Dmg)), "{tx:?}");
                    continue;
                }
                let at =
                    |db: f64| model.decay(tx, tx.coding(), Decibel::new(db)).expect("known").reception(1000);
                let successes: Vec<f64> = (-120..=240).map(|step| at(f64::from(step) * 0.25)).collect();
                assert!(successes.windows(2).all(|pair| pair[0] <= pair[1]), "{tx:?}");
                assert!(successes[0] < 1e-6 && successes[360] > 1.0 - 1e-6, "{tx:?}");
            }
        }
    }

    #[test]
    fn pairs_that_802_11_does_not_have_are_none() {
        let table = ErrorModel::Table(PerTable::new());
        assert!(!table.knows(mimo(Format::He, 11, Width::Mhz20), Coding::Bcc));
        assert!(table.knows(mimo(Format::He, 11, Width::Mhz20), Coding::Ldpc));
        // BPSK 3/4 is a rate of clause 17 only, which has no LDPC.
        assert!(!table.knows(TxVector::ofdm(1), Coding::Ldpc));
    }

    /// The same Es/N0 is reached at different ratios in 20 MHz, as many subcarriers as are in use: 52 or 242/4 of 64.
    #[test]
    fn formats_differ_by_their_subcarriers() {
        let table = PerTable::new();
        let modulation = TxVector::ofdm(7).modulation().expect("a modulation");
        let direct = table.decay(modulation, Coding::Bcc, Decibel::new(17.5)).expect("known");
        let model = ErrorModel::Table(table);
        let ht = model.decay(mimo(Format::Ht, 6, Width::Mhz20), Coding::Bcc, Decibel::new(17.5 - 0.5799));
        let ofdm = model.decay(TxVector::ofdm(7), Coding::Bcc, Decibel::new(17.5 - 0.9018));
        for decay in [ht.expect("known"), ofdm.expect("known")] {
            let [a, b] = [decay.reception(1458), direct.reception(1458)];
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }

    /// The NIST formula looks at the ratio in the channel, whatever the format.
    #[test]
    fn nist_takes_the_ratio_as_it_is() {
        let at = |tx| ErrorModel::Nist.decay(tx, Coding::Bcc, Decibel::new(22.0));
        assert_eq!(at(TxVector::ofdm(7)), at(mimo(Format::Vht, 6, Width::Mhz80)));
    }

    /// HR/DSSS takes the noise of 20 MHz: -174 dBm/Hz, 7 dB and 73.01 dB against a signal of -97 dBm.
    #[test]
    fn hr_dsss_takes_the_noise_of_20_mhz() {
        let snr = -97.0 - (10.0 * libm::log10(1.380_649e-23 * 290.0 * 1000.0) + 7.0 + 73.0103);
        let decay = ErrorModel::Nist.decay(TxVector::hr_dsss(0, false), Coding::Bcc, Decibel::new(snr));
        assert!((decay.expect("known").reception(1078) - 0.813).abs() < 0.005);
    }
}
