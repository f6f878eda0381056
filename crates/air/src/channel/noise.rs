//! Noise in a 20 MHz channel.

use airtcp_units::{Dbm, Decibel};

/// Thermal noise density at 290 K, dBm in one hertz: `10 log10(1.380649e-23 * 290 * 1000)`,
/// rounded as everywhere in the field.
const DENSITY_DBM_PER_HZ: f64 = -174.0;
/// Channel width (IEEE 802.11-2020, 17.3.8.5).
const BANDWIDTH_HZ: f64 = 20e6;
/// Subcarriers of the transform, and those in use (Table 17-5: 48 data and 4 pilots).
const SUBCARRIERS: f64 = 64.0;
const SUBCARRIERS_USED: f64 = 52.0;

/// Noise power in the channel at a receiver with this noise figure.
pub fn thermal_noise(noise_figure: Decibel) -> Dbm {
    Dbm::new(DENSITY_DBM_PER_HZ + 10.0 * libm::log10(BANDWIDTH_HZ)) + noise_figure
}

/// Energy per symbol and subcarrier over noise density, from the SNR in 20 MHz.
///
/// The noise spreads over 64 subcarriers, the signal over 52 of them: +0.90 dB.
pub fn es_n0(snr: Decibel) -> Decibel {
    Decibel::new(snr.get() + 10.0 * libm::log10(SUBCARRIERS / SUBCARRIERS_USED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_in_20_mhz() {
        assert!((thermal_noise(Decibel::new(0.0)).get() - -100.99).abs() < 0.005);
        assert!((thermal_noise(Decibel::new(7.0)).get() - -93.99).abs() < 0.005);
    }

    #[test]
    fn the_signal_uses_52_of_64_subcarriers() {
        assert!((es_n0(Decibel::new(20.0)).get() - 20.901_8).abs() < 1e-4);
    }
}
