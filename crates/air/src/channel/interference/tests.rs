use super::super::scene;
use super::*;

fn source(centres_khz: Vec<u32>, bandwidth_khz: u32, pattern: EmissionPattern) -> Interferer {
    let power = EmissionPower::Received { levels: Vec::new(), default_dbm: Dbm::new(-50.0) };
    Interferer { name: "source".to_owned(), power, bandwidth_khz, centres_khz, pattern }
}

/// A cell of 20 MHz at 2437 MHz.
fn interference(source: Interferer) -> Interference {
    let mut plan = scene::plan(&[[0.0; 3], [10.0, 0.0, 0.0]]);
    plan.cells[0].channel = airtcp_plan::RadioChannel { primary_mhz: 2437, centre_mhz: 2437, width_mhz: 20 };
    plan.channel.interferers = vec![source];
    Interference::new(&plan, 1)
}

const SOURCE: SourceId = SourceId(0);

fn bursts(interference: &mut Interference, count: usize) -> Vec<Burst> {
    (0..count).map(|_| interference.next_burst(SOURCE, Instant::ZERO).expect("it is met")).collect()
}

#[test]
fn periodic_bursts() {
    let pattern = EmissionPattern::Periodic { period_ns: 20, on_ns: 8, phase_ns: 5, jitter_ns: 0 };
    let found = bursts(&mut interference(source(vec![2_437_000], 20_000, pattern)), 3);
    let times: Vec<_> = found.iter().map(|b| (b.start.as_nanos(), b.end.as_nanos())).collect();
    assert_eq!(times, [(5, 13), (25, 33), (45, 53)]);
}

#[test]
fn jitter_stays_in_its_period() {
    let pattern = EmissionPattern::Periodic { period_ns: 1000, on_ns: 600, phase_ns: 0, jitter_ns: 400 };
    let found = bursts(&mut interference(source(vec![2_437_000], 20_000, pattern)), 10_000);
    let late: Vec<f64> =
        (0..).zip(&found).map(|(k, b)| b.start.as_nanos() as f64 - 1000.0 * f64::from(k)).collect();
    assert!(late.iter().all(|&late| (0.0..400.0).contains(&late)));
    // Uniform: mean 200, standard error 400 / sqrt(12 * 10000) = 1.15; four of them, and the rounding to nanoseconds.
    let mean = late.iter().sum::<f64>() / 1e4;
    assert!((mean - 200.0).abs() < 5.2, "{mean}");
}

/// 3 ms on and 7 ms off on average: on for 30 % of the time. The standard error of the ratio over 10000 cycles is
/// 0.3 * 0.7 * sqrt(2 / 10000) = 0.003.
#[test]
fn random_bursts_have_their_duty() {
    let pattern = EmissionPattern::Random { mean_on_ns: 3_000_000, mean_off_ns: 7_000_000 };
    let found = bursts(&mut interference(source(vec![2_437_000], 20_000, pattern)), 10_000);
    let on: u64 = found.iter().map(|b| b.end.as_nanos() - b.start.as_nanos()).sum();
    let all = found.last().expect("there are some").end.as_nanos();
    assert!((on as f64 / all as f64 - 0.3).abs() < 0.012, "{on} of {all}");
    assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start));
}

/// Of 79 channels of 1 MHz from 2402 MHz on, those centred on 2427 to 2447 MHz reach the cell: 21, two of them by half.
#[test]
fn one_in_four_hops_reaches_a_channel() {
    let pattern = EmissionPattern::Periodic { period_ns: 625_000, on_ns: 366_000, phase_ns: 0, jitter_ns: 0 };
    let centres: Vec<u32> = (2402..=2480).map(|mhz| 1000 * mhz).collect();
    let mut hopping = interference(source(centres, 1000, pattern));
    assert_eq!(hopping.bands.iter().filter(|band| band.is_met).count(), 21);
    let found = bursts(&mut hopping, 10_000);
    // Slots that went by for 10000 of these: 37619, with a standard deviation of sqrt(10000 (1 - p)) / p = 322.
    let slots = found.last().expect("there are some").start.as_nanos() / 625_000;
    assert!(slots.abs_diff(37_619) < 4 * 322, "{slots}");
    // Each of them is taken as often: 476 times, with a standard deviation of 21.
    for band in 0..79 {
        let count = found.iter().filter(|burst| burst.emission == EmissionId(band)).count();
        let expected = if (25..=45).contains(&band) { 391..=561 } else { 0..=0 };
        assert!(expected.contains(&count), "{band}: {count}");
    }
}

#[test]
fn power_is_where_it_is() {
    let pattern = EmissionPattern::Periodic { period_ns: 20, on_ns: 8, phase_ns: 0, jitter_ns: 0 };
    let mut half = interference(source(vec![2_447_000], 20_000, pattern));
    let path_loss = PathLoss::new(&airtcp_plan::Propagation::FreeSpace);
    half.renew(0, Position([0.0; 3]), &path_loss);
    // Half of -50 dBm, which are 10 nW.
    let power = half.power_mw(EmissionId(0), NicId(0), &(2_427_000..2_447_000));
    assert!((power / 0.5e-5 - 1.0).abs() < 1e-9, "{power}");
    assert!(half.power_mw(EmissionId(0), NicId(1), &(2_427_000..2_447_000)) <= 0.0, "not computed yet");
}

/// Another band costs nothing.
#[test]
fn what_reaches_nobody_has_no_bursts() {
    let pattern = EmissionPattern::Periodic { period_ns: 20, on_ns: 8, phase_ns: 0, jitter_ns: 0 };
    let mut away = interference(source(vec![5_500_000], 20_000, pattern));
    assert_eq!(away.next_burst(SOURCE, Instant::ZERO), None);
}
