use airtcp_plan::{RadioChannel, TgnModel};
use airtcp_units::Decibel;

use super::complex::Complex;
use super::*;
use crate::channel::scene;
use crate::phy::{Allocation, Format, Guard, RuSize, Width};

fn selective(model: TgnModel, spectrum: DopplerSpectrum, speed_mps: f64) -> Fading {
    Fading::Tapped { profile: FadingProfile::Tgn { model }, spectrum, speed_mps, line_of_sight: None }
}

/// So many NICs in a cell of this width, with as many antennas.
fn plan(fading: Fading, width_mhz: u32, nics: usize, antennas: u32) -> AirPlan {
    let mut plan = scene::plan(&vec![[0.0; 3]; nics]);
    let centre_mhz = 5_170 + width_mhz / 2;
    plan.cells[0].channel = RadioChannel { primary_mhz: 5_180, centre_mhz, width_mhz };
    for nic in &mut plan.nics {
        (nic.streams, nic.antennas) = (antennas, antennas);
    }
    plan.channel.fading = fading;
    plan
}

fn lines(fading: Fading, width_mhz: u32, nics: usize, antennas: u32) -> TappedDelayLines {
    TappedDelayLines::new(&plan(fading, width_mhz, nics, antennas), 1).expect("there are lines")
}

fn still(model: TgnModel) -> Fading {
    selective(model, DopplerSpectrum::Bell, 0.0)
}

fn responses(of: &mut TappedDelayLines, nics: usize, mut each: impl FnMut(&mut Link, &Grid)) {
    for b in 0..nics {
        for a in 0..b {
            let place = of.renew(0, a, b);
            each(of.links[place].as_deref_mut().expect("it has been renewed"), &of.grids[0]);
        }
    }
}

/// Of the first pair of antennas of a link that has been renewed.
fn response(of: &mut TappedDelayLines, place: usize) -> Vec<Complex> {
    of.links[place].as_deref_mut().expect("it has been renewed").response(&of.grids[0])
}

/// Variance of the mean power over a band of Rayleigh subcarriers, `mean of |R(df)|^2` over all pairs: 20, 40 and 80 MHz of
/// the plain table, and 160 MHz with taps between ("docs/models/fading.md"). 4950 links; tolerance for bins of 1.25 MHz and
/// four standard errors.
#[test]
fn band_means_have_the_variance_of_their_profile() {
    let cases = [
        // Eight sinusoids: 1 - 1/8.
        (TgnModel::A, 20, 0.875),
        (TgnModel::B, 20, 0.663),
        (TgnModel::B, 40, 0.425),
        (TgnModel::B, 160, 0.146),
        (TgnModel::D, 20, 0.355),
        (TgnModel::D, 40, 0.207),
        (TgnModel::D, 80, 0.114),
        (TgnModel::E, 20, 0.203),
        (TgnModel::F, 40, 0.099),
    ];
    let nics = 100;
    for (model, width_mhz, variance) in cases {
        let mut of = lines(still(model), width_mhz, nics, 1);
        let mut means = Vec::new();
        responses(&mut of, nics, |link, grid| means.push(link.mean(grid)));
        let count = means.len() as f64;
        let mean = means.iter().sum::<f64>() / count;
        let found = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / count;
        assert!((mean - 1.0).abs() < 4.0 * (variance / count).sqrt(), "{model:?} {width_mhz}: mean {mean}");
        assert!((found / variance - 1.0).abs() < 0.13, "{model:?} {width_mhz}: {found}, not {variance}");
    }
}

/// Widths at which the correlation over frequency is 0.5: 13.17 MHz in B, 5.48 in D. Here between bins, against the sum
/// over the profile.
#[test]
fn frequencies_are_correlated_as_the_profile_says() {
    let nics = 100;
    for model in [TgnModel::B, TgnModel::D] {
        let mut of = lines(still(model), 40, nics, 1);
        for distance in [1_usize, 4, 8] {
            let df_mhz = distance as f64 * 1.25;
            let expected = of.lines[0].all.iter().fold(Complex::ZERO, |sum, line| {
                let turn = Complex::unit(-std::f64::consts::TAU * df_mhz * line.delay_ns / 1e3);
                sum + turn.scale(line.scattered[0].powi(2))
            });
            let (mut sum, mut count) = (Complex::ZERO, 0.0);
            responses(&mut of, nics, |link, grid| {
                let bins = link.response(grid);
                for pair in bins.windows(distance + 1) {
                    sum = sum + pair[distance] * pair[0].conjugate();
                    count += 1.0;
                }
            });
            let found = sum.scale(1.0 / count);
            let error = (found + expected.scale(-1.0)).norm().sqrt();
            assert!(error < 0.04, "{model:?} {df_mhz} MHz: {found:?}, not {expected:?}");
        }
    }
}

/// Levels of one subcarrier against `N = sqrt(4 pi <f^2>) rho exp(-rho^2)` and `AFD = (exp(rho^2) - 1) / (rho sqrt(4 pi
/// <f^2>))` (Rice 1945; Jakes 1974, 1.3), over 11 links of 12 s at 5.8 Hz (bell) and 15 Hz (Jakes).
#[test]
fn level_crossings_and_fade_durations_follow_the_formulas() {
    const LEVELS: [f64; 2] = [0.316, 1.0];
    for (spectrum, speed_mps) in [(DopplerSpectrum::Bell, 1.0 / 3.0), (DopplerSpectrum::Jakes, 0.86)] {
        let mut of = lines(selective(TgnModel::D, spectrum, speed_mps), 20, 12, 1);
        let doppler_hz = of.hertz_per_mps[0] * speed_mps;
        let factor = (4.0 * std::f64::consts::PI * doppler::mean_square(spectrum, doppler_hz)).sqrt();
        // A quarter of a step, so that hardly a crossing is missed.
        of.step.length_ns /= 4;
        let step_ns = of.step.length_ns;
        let steps = 12_000_000_000 / step_ns;
        let (mut crossings, mut below) = ([0.0; 2], [0.0; 2]);
        for b in 1..12 {
            let mut was_below = [true; 2];
            for k in 0..steps {
                let place = of.renew(k * step_ns, 0, b);
                let power = response(&mut of, place)[7].norm();
                for (i, rho) in LEVELS.into_iter().enumerate() {
                    let is_below = power < rho * rho;
                    crossings[i] += f64::from(u8::from(was_below[i] && !is_below && k > 0));
                    below[i] += f64::from(u8::from(is_below));
                    was_below[i] = is_below;
                }
            }
        }
        let sample_s = step_ns as f64 / 1e9;
        for (i, rho) in LEVELS.into_iter().enumerate() {
            let rate = factor * rho * libm::exp(-rho * rho);
            let duration = (libm::exp(rho * rho) - 1.0) / (rho * factor);
            let found = crossings[i] / (11.0 * steps as f64 * sample_s);
            let lasted = below[i] * sample_s / crossings[i];
            assert!((found / rate - 1.0).abs() < 0.15, "{spectrum:?} {rho}: {found} per second, not {rate}");
            assert!((lasted / duration - 1.0).abs() < 0.15, "{spectrum:?} {rho}: {lasted} s, not {duration}");
        }
    }
}

/// Second moments: `0.997 f_d^2` of the bell cut at `5 f_d`, half of `f_d^2` of Jakes. Of the drawn frequencies themselves.
#[test]
fn frequencies_have_the_second_moment_of_their_spectrum() {
    for spectrum in [DopplerSpectrum::Bell, DopplerSpectrum::Jakes] {
        let doppler_hz = 8.6;
        let address = MacAddress([2, 0, 0, 0, 0, 1]);
        let mut stream = Stream::new(1, Purpose::Fading, address, address);
        let (mut sum, mut count) = (0.0, 0.0);
        for _ in 0..1000 {
            for wave in doppler::draw(spectrum, doppler_hz, None, &mut stream) {
                sum += (wave.rate / std::f64::consts::TAU).powi(2);
                count += 1.0;
            }
        }
        let expected = doppler::mean_square(spectrum, doppler_hz);
        assert!((sum / count / expected - 1.0).abs() < 0.05, "{spectrum:?}: {} not {expected}", sum / count);
    }
    let unit = doppler::mean_square(DopplerSpectrum::Bell, 1.0);
    assert!((unit - 0.9969).abs() < 1e-4, "{unit}");
}

/// Correlations of clusters B1, D1 and F2 that were integrated apart.
#[test]
fn antennas_are_correlated_as_their_angles_say() {
    let cases = [
        ([4.3, 14.4], [(0.753, 0.180), (0.393, 0.205), (0.197, 0.172)]),
        ([158.9, 27.7], [(0.193, 0.500), (-0.131, 0.095), (-0.102, -0.003)]),
        ([180.4, 55.0], [(0.075, -0.006), (0.130, -0.001), (-0.050, -0.003)]),
    ];
    for ([mean, spread], expected) in cases {
        for (lag, (re, im)) in (1..).zip(expected) {
            let found = correlation::correlation(f64::to_radians(mean), f64::to_radians(spread), lag);
            assert!((found.re - re).abs() < 1e-3 && (found.im - im).abs() < 1e-3, "{mean} {lag}: {found:?}");
        }
    }
}

/// Capacity at 10 dB of 2x2 without line of sight at one subcarrier, bit/s/Hz: computed apart with the report's matrices, whose
/// 4x4 results are those of its table III within 0.1.
#[test]
fn capacity_is_that_of_the_report() {
    let cases = [(TgnModel::B, 5.01), (TgnModel::D, 5.21), (TgnModel::F, 5.42)];
    let nics = 100;
    for (model, capacity) in cases {
        let mut of = lines(still(model), 20, nics, 2);
        let (mut sum, mut count) = (0.0, 0.0);
        responses(&mut of, nics, |link, grid| {
            link.compute_bins(0..1, grid);
            let h = [0, 1].map(|sender| {
                [0, 1].map(|receiver| {
                    let bins = link.bins(link.lower(), 0, [sender, receiver]);
                    Complex { re: bins.re[5].into(), im: bins.im[5].into() }
                })
            });
            let [a, b] = [0, 1].map(|k| h[k][0].norm() + h[k][1].norm());
            let c = (h[0][0].conjugate() * h[1][0] + h[0][1].conjugate() * h[1][1]).norm();
            let rho = 10.0 / 2.0;
            sum += libm::log2((1.0 + rho * a) * (1.0 + rho * b) - rho * rho * c);
            count += 1.0;
        });
        assert!((sum / count - capacity).abs() < 0.1, "{model:?}: {}", sum / count);
    }
}

#[test]
fn gains_do_not_depend_on_order_or_direction() {
    let fading = selective(TgnModel::D, DopplerSpectrum::Bell, 0.3);
    let tx = TxVector::mimo(Format::He, 5, 2, Width::Mhz80, Guard::Ns800);
    let times = [0, 7_000_000, 3_600_000_000_000];
    let read =
        |of: &mut TappedDelayLines, time, a, b| [of.gain(time, a, b), of.sinr(time, [a, b], tx, 100.0)];
    let mut forwards = lines(fading.clone(), 80, 3, 2);
    let first: Vec<_> = times.iter().map(|&t| read(&mut forwards, t, 0, 1)).collect();
    let mut backwards = lines(fading, 80, 3, 2);
    backwards.gain(1, 1, 2);
    for (time, expected) in times.iter().zip(first).rev() {
        let found = read(&mut backwards, *time, 0, 1);
        assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits));
        assert_eq!(backwards.gain(*time, 1, 0).to_bits(), expected[0].to_bits());
    }
}

/// One antenna at each end and model A: flat Rayleigh, so the ratio is that of power.
#[test]
fn a_flat_response_gives_the_ratio_of_powers() {
    let mut of = lines(still(TgnModel::A), 80, 2, 1);
    let tx = TxVector::mimo(Format::He, 5, 1, Width::Mhz80, Guard::Ns800);
    let gain = of.gain(0, 0, 1);
    assert!((of.sinr(0, [0, 1], tx, 50.0) / (50.0 * gain) - 1.0).abs() < 1e-6);
}

/// With line of sight the mean power stays 1, and less of it fades: with K = 1 a variance of 3/4, less 1/32 for eight
/// sinusoids. Model A has it up to 5 m.
#[test]
fn line_of_sight_keeps_the_mean() {
    let nics = 100;
    let of_sight = |distance_m: f64| {
        let mut of = lines(still(TgnModel::A), 20, nics, 1);
        for b in 0..nics {
            for a in 0..b {
                of.set_distance(a, b, distance_m);
            }
        }
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        responses(&mut of, nics, |link, grid| {
            let mean = link.mean(grid);
            sum += mean;
            squares += mean * mean;
            count += 1.0;
        });
        [sum / count, squares / count - (sum / count).powi(2)]
    };
    for (distance_m, variance) in [(5.0, 0.719), (5.1, 0.875)] {
        let [mean, found] = of_sight(distance_m);
        assert!((mean - 1.0).abs() < 0.06, "{distance_m} m: mean {mean}");
        assert!((found - variance).abs() < 0.1, "{distance_m} m: {found}");
    }
}

/// A tap of one's own with nearly all of its power constant is no fading at all.
#[test]
fn own_taps_have_their_constant_part() {
    let tap = |delay_ns, k| airtcp_plan::FadingTap {
        delay_ns,
        power_db: Decibel::new(0.0),
        k_db: Some(Decibel::new(k)),
        speed_mps: None,
    };
    let fading = |taps| Fading::Tapped {
        profile: FadingProfile::Taps { taps },
        spectrum: DopplerSpectrum::Jakes,
        speed_mps: 1.0,
        line_of_sight: None,
    };
    let mut of = lines(fading(vec![tap(0.0, 100.0)]), 20, 2, 1);
    assert!((of.gain(0, 0, 1) - 1.0).abs() < 1e-3);
    // Two equal paths 50 ns apart have a notch every 20 MHz: at 10 MHz from a peak of 2^2 / 2.
    let mut of = lines(fading(vec![tap(0.0, 100.0), tap(50.0, 100.0)]), 40, 2, 1);
    let place = of.renew(0, 0, 1);
    let powers: Vec<f64> = response(&mut of, place).iter().map(|bin| bin.norm()).collect();
    let [least, most] =
        [powers.iter().copied().fold(9.0, f64::min), powers.iter().copied().fold(0.0, f64::max)];
    assert!(least < 0.05 && (most - 2.0).abs() < 0.05, "{least} {most}");
}

/// One flat tap of one's own, Rayleigh: NICs with one antenna and with two, all with one stream, alternate. Ratios of PPDUs from
/// those with one to those with two, and back, over the ratio at one antenna.
fn gains_of_one_and_two_antennas() -> [Vec<f64>; 2] {
    let tap =
        airtcp_plan::FadingTap { delay_ns: 0.0, power_db: Decibel::new(0.0), k_db: None, speed_mps: None };
    let fading = Fading::Tapped {
        profile: FadingProfile::Taps { taps: vec![tap] },
        spectrum: DopplerSpectrum::Jakes,
        speed_mps: 1.0,
        line_of_sight: None,
    };
    let nics = 80;
    let mut plan = plan(fading, 20, nics, 1);
    plan.nics.iter_mut().skip(1).step_by(2).for_each(|nic| nic.antennas = 2);
    let mut of = TappedDelayLines::new(&plan, 1).expect("there are lines");
    let tx = TxVector::mimo(Format::He, 0, 1, Width::Mhz20, Guard::Ns800);
    let mut gains = [Vec::new(), Vec::new()];
    for time_ns in (0..8).map(|k| k * 10_000_000_000) {
        for one in (0..nics).step_by(2) {
            for two in (1..nics).step_by(2) {
                gains[0].push(of.sinr(time_ns, [one, two], tx, 1.0));
                gains[1].push(of.sinr(time_ns, [two, one], tx, 1.0));
            }
        }
    }
    gains
}

/// A second antenna of the receiver brings 3 dB of mean power and diversity: with one antenna a gain is below x with probability `1 -
/// exp(-x)`, with two `1 - (1 + x) exp(-x)` (for example Tse and Viswanath, 3.3.1), which rise from 0.1 to 0.5 by a power of 0.88
/// and 1.84. A second antenna of the sender has no effect. 12800 links and times; four standard errors.
#[test]
fn a_second_antenna_of_the_receiver_gains_power_and_diversity() {
    let [two, one] = gains_of_one_and_two_antennas();
    for (gains, mean, slope, error) in [(&one, 1.0, 0.881, 0.08), (&two, 2.0, 1.838, 0.25)] {
        let found = gains.iter().sum::<f64>() / gains.len() as f64;
        assert!((found / mean - 1.0).abs() < 0.04, "{found}, not {mean}");
        let below = |x: f64| gains.iter().filter(|gain| **gain < x).count() as f64;
        let found = libm::log(below(0.5) / below(0.1)) / libm::log(5.0);
        assert!((found - slope).abs() < error, "{found}, not {slope}");
    }
}

/// Two antennas of a receiver under model D, in one bin of 4950 links: correlated as the clusters' angles there and powers say, and
/// with twice the power of one.
#[test]
fn antennas_of_the_receiver_are_correlated_as_the_model_says() {
    let nics = 100;
    let mut plan = plan(still(TgnModel::D), 20, nics, 1);
    plan.nics.iter_mut().for_each(|nic| nic.antennas = 2);
    let mut of = TappedDelayLines::new(&plan, 1).expect("there are lines");
    let clusters = PROFILES[TgnModel::D as usize].clusters;
    let expected = of.lines[1].all.iter().fold(Complex::ZERO, |sum, line| {
        let [mean, spread] = clusters[line.cluster].angles[0];
        let lag = correlation::correlation(mean.to_radians(), spread.to_radians(), 1);
        sum + lag.scale(line.scattered[0].powi(2))
    });
    let (mut product, mut power, mut count) = (Complex::ZERO, 0.0, 0.0);
    responses(&mut of, nics, |link, grid| {
        link.compute_bins(0..1, grid);
        let [first, second] = [0, 1].map(|receiver| {
            let bins = link.bins(link.lower(), 0, [0, receiver]);
            Complex { re: bins.re[5].into(), im: bins.im[5].into() }
        });
        product = product + second * first.conjugate();
        power += first.norm() + second.norm();
        count += 1.0;
    });
    let error = (product.scale(1.0 / count) + expected.scale(-1.0)).norm().sqrt();
    assert!(error < 0.06, "{:?}, not {expected:?}", product.scale(1.0 / count));
    assert!(expected.norm() > 0.1 && (power / count - 2.0).abs() < 0.1, "{expected:?} {}", power / count);
}

/// Each RU of 26 tones is received as strongly as the bins of its tones are: one of them, or something between two.
#[test]
fn an_ru_has_the_response_of_its_tones() {
    let mut of = lines(still(TgnModel::D), 80, 2, 1);
    let place = of.renew(0, 0, 1);
    let powers: Vec<f64> = response(&mut of, place).iter().map(|value| value.norm()).collect();
    let mut alone = 0;
    for ru in Allocation::rus(Width::Mhz80, RuSize::Tones26) {
        let tx = TxVector::mimo(Format::He, 5, 1, Width::Mhz80, Guard::Ns800).within(ru);
        let found = of.sinr(0, [0, 1], tx, 50.0) / 50.0;
        let bins = of.grids[0].tones(tx).flat_map(|t| (0..BINS).map(move |bin| (t, bin)));
        let bins =
            bins.filter(|(t, bin)| t.bins >> bin & 1 == 1).map(|(t, bin)| powers[t.block * BINS + bin]);
        let bins: Vec<f64> = bins.collect();
        let range = bins.iter().fold([f64::INFINITY, 0.0], |[a, b], &p| [p.min(a), p.max(b)]);
        assert!(
            range[0] * (1.0 - 1e-5) <= found && found <= range[1] * (1.0 + 1e-5),
            "{ru}: {found} {bins:?}"
        );
        alone += u32::from(bins.len() == 1);
    }
    assert!(alone > 5, "{alone} with one bin");
    // The whole width lies between the weakest and the strongest.
    let whole = TxVector::mimo(Format::He, 5, 1, Width::Mhz80, Guard::Ns800);
    let found = of.sinr(0, [0, 1], whole, 50.0) / 50.0;
    assert!(powers.iter().any(|&p| p < found) && powers.iter().any(|&p| p > found));
}

/// Interference in one of the two subchannels of an RU of 484 tones counts there only.
#[test]
fn ratios_of_an_ru_go_by_its_subchannels() {
    let mut of = lines(still(TgnModel::A), 80, 2, 1);
    let ru = Allocation::ru(Width::Mhz80, RuSize::Tones484, 2).expect("an RU");
    let tx = TxVector::mimo(Format::He, 5, 1, Width::Mhz80, Guard::Ns800).within(ru);
    let gain = of.gain(0, 0, 1);
    let both = of.sinr_among(0, [0, 1], tx, [50.0, 5.0].into_iter());
    let turned = of.sinr_among(0, [0, 1], tx, [5.0, 50.0].into_iter());
    assert!(5.0 * gain < both && both < 50.0 * gain);
    assert!((both / turned - 1.0).abs() < 0.05);
}
