//! Noise of a receiver.

use airtcp_units::{Decibel, Milliwatt};

use crate::phy::{SUBCARRIER_SPACING_HZ, Width};

/// Boltzmann constant in joules per kelvin (exact: SI Brochure, 9th edition, 2.2).
const BOLTZMANN: f64 = 1.380_649e-23;
/// Temperature for which noise figures are stated, in kelvin (Friis, Noise Figures of Radio Receivers, Proc. IRE 32, 1944).
const TEMPERATURE: f64 = 290.0;

/// Thermal noise in a channel of this width at a receiver with this noise figure: `k T B F`.
pub(crate) fn power(width: Width, noise_figure: Decibel) -> Milliwatt {
    let watt = BOLTZMANN * TEMPERATURE * f64::from(width.mhz()) * 1e6;
    Milliwatt::new(watt * 1e3 * libm::pow(10.0, noise_figure.get() / 10.0))
}

/// Thermal noise in so many tones of HE or EHT.
pub(crate) fn power_in_tones(tones: u32, noise_figure: Decibel) -> Milliwatt {
    let of_20_mhz = power(Width::Mhz20, noise_figure).get();
    Milliwatt::new(of_20_mhz * f64::from(tones) * SUBCARRIER_SPACING_HZ / 20e6)
}

/// Thermal noise in a channel of this width at an ideal receiver, in dBm.
pub fn dbm(width: Width) -> f64 {
    power(width, Decibel::new(0.0)).to_dbm().get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_figure(width: Width, noise_figure: f64) -> f64 {
        power(width, Decibel::new(noise_figure)).to_dbm().get()
    }

    /// -173.9752 dBm/Hz, which is often rounded to -174, and 10 log10 of the width.
    #[test]
    fn noise_by_hand() {
        assert!((dbm(Width::Mhz20) - -100.964_9).abs() < 1e-3);
        assert!((with_figure(Width::Mhz20, 7.0) - -93.964_9).abs() < 1e-3);
        assert!((with_figure(Width::Mhz160, 7.0) - -84.934_0).abs() < 1e-3);
        assert!((with_figure(Width::Mhz2160, 10.0) - -70.630_7).abs() < 1e-3);
    }

    /// A 26-tone RU has 2.03125 MHz: -173.9752 dBm/Hz and 63.0776 dB.
    #[test]
    fn noise_of_resource_units() {
        let dbm = |tones| power_in_tones(tones, Decibel::new(7.0)).to_dbm().get();
        assert!((dbm(26) - -103.897_6).abs() < 1e-3, "{}", dbm(26));
        assert!((dbm(256) - with_figure(Width::Mhz20, 7.0)).abs() < 1e-9);
    }

    #[test]
    fn twice_the_width_has_twice_the_noise() {
        let [narrow, wide] = [Width::Mhz20, Width::Mhz40].map(|w| power(w, Decibel::new(5.0)).get());
        assert!((wide / narrow - 2.0).abs() < 1e-12);
    }
}
