//! Doppler spectra, as sums of sinusoids.
//!
//! A path is a sum of sinusoids of equal amplitude whose frequencies are drawn from the spectrum, one in each of as many
//! equal parts of its probability. Equal amplitudes give each link its mean power exactly; eight of them keep the rate of
//! level crossings within 5 % of a Gaussian process down to fades of 20 dB (`docs/models/fading.md`).

use std::f64::consts::{PI, TAU};

use airtcp_plan::DopplerSpectrum;

use crate::random::Stream;

/// Sinusoids per path.
pub(super) const WAVES: usize = 8;

/// The bell spectrum is `1 / (1 + 9 (f / f_d)^2)` (IEEE 802.11-03/940r4, 4.7.1) up to this multiple of `f_d`.
const BELL_CUT: f64 = 5.0;

/// Model F has, in its third tap, a vehicle of 40 km/h (940r4, 4.7.1); in m/s.
const VEHICLE_MPS: f64 = 40.0 / 3.6;
/// Half width of the vehicle's line at half its power over its frequency: `1 / sqrt(C)`, `C = 90000`.
const VEHICLE_HALF_WIDTH: f64 = 1.0 / 300.0;
/// Share of the vehicle in the tap's power at the speed of the report: `0.5 / 300 v_1` over that and the bell's `v_0 / 3`.
const VEHICLE_SHARE: f64 = 0.142_857;

/// One sinusoid: its phase is `rate * time + phase`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    /// Radians per second.
    pub(super) rate: f64,
    /// Radians.
    pub(super) phase: f64,
    pub(super) amplitude: f64,
}

/// The frequency below which this share of the spectrum's power lies.
fn quantile(spectrum: DopplerSpectrum, doppler_hz: f64, share: f64) -> f64 {
    match spectrum {
        DopplerSpectrum::Bell => {
            doppler_hz / 3.0 * libm::tan((2.0 * share - 1.0) * libm::atan(3.0 * BELL_CUT))
        }
        DopplerSpectrum::Jakes => doppler_hz * libm::cos(PI * share),
    }
}

/// Mean square of the frequency over the spectrum.
pub(super) fn mean_square(spectrum: DopplerSpectrum, doppler_hz: f64) -> f64 {
    let square = doppler_hz * doppler_hz;
    match spectrum {
        DopplerSpectrum::Bell => {
            let cut = 3.0 * BELL_CUT;
            square / 9.0 * (cut / libm::atan(cut) - 1.0)
        }
        DopplerSpectrum::Jakes => square / 2.0,
    }
}

/// Time after which the correlation has fallen to one half: `3 ln 2 / (2 pi f_d)` for the bell (without its cut: 55 ms at 6
/// Hz, as the report has it), `J0(2 pi f_d t) = 1/2` for Jakes.
pub(super) fn coherence_s(spectrum: DopplerSpectrum, doppler_hz: f64) -> f64 {
    match spectrum {
        DopplerSpectrum::Bell => 3.0 * std::f64::consts::LN_2 / (TAU * doppler_hz),
        DopplerSpectrum::Jakes => 0.242 / doppler_hz,
    }
}

/// Draws the sinusoids of one path with mean power 1. `vehicle_hz` per m/s is given for the path on which model F has its
/// vehicle: one of the sinusoids then stands for it.
pub(super) fn draw(
    spectrum: DopplerSpectrum,
    doppler_hz: f64,
    vehicle: Option<f64>,
    stream: &mut Stream,
) -> [Wave; WAVES] {
    let others = if vehicle.is_some() { WAVES - 1 } else { WAVES };
    std::array::from_fn(|n| {
        let (jitter, phase) = (stream.unit(), TAU * stream.unit());
        let (hertz, power) = match vehicle {
            Some(hertz_per_mps) if n == others => {
                // A Lorentzian line, cut like the bell where little is left.
                let line = VEHICLE_HALF_WIDTH * libm::tan((2.0 * jitter - 1.0) * libm::atan(3.0 * BELL_CUT));
                (hertz_per_mps * VEHICLE_MPS * (1.0 + line), VEHICLE_SHARE)
            }
            _ => {
                let share = (n as f64 + jitter) / others as f64;
                let power = if vehicle.is_some() { 1.0 - VEHICLE_SHARE } else { 1.0 };
                (quantile(spectrum, doppler_hz, share), power / others as f64)
            }
        };
        Wave { rate: TAU * hertz, phase, amplitude: libm::sqrt(power) }
    })
}
