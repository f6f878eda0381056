//! Mean packet error rates over models B and D, against simulated links: `tools/per-tables`, example `selective_mean`, sent each
//! of 1000 frames over a channel of its own. It shares neither the draw of channels nor the effective SNR with the air.

use airtcp_plan::{AirPlan, DopplerSpectrum, Fading, FadingProfile, RadioChannel, TgnModel};
use airtcp_units::Decibel;

use super::fading::TappedDelayLines;
use super::scene;
use crate::phy::error_rate::{ErrorModel, PerTable, es_n0};
use crate::phy::{Format, Guard, TxVector, Width};

const PSDU_BYTES: u32 = 1458;
/// 4950 links.
const NICS: usize = 100;

fn lines(model: TgnModel) -> TappedDelayLines {
    let mut plan: AirPlan = scene::plan(&vec![[0.0; 3]; NICS]);
    plan.cells[0].channel = RadioChannel { primary_mhz: 5_180, centre_mhz: 5_180, width_mhz: 20 };
    plan.channel.fading = Fading::Tapped {
        profile: FadingProfile::Tgn { model },
        spectrum: DopplerSpectrum::Bell,
        speed_mps: 0.0,
        line_of_sight: Some(false),
    };
    TappedDelayLines::new(&plan, 1).expect("there are lines")
}

/// Mean over all links of the probability that a PSDU is lost, if the ratio at the mean gain is this Es/N0.
fn mean_loss(lines: &mut TappedDelayLines, tx: TxVector, snr_db: f64) -> f64 {
    let model = ErrorModel::Table(PerTable::new());
    let offset_db = es_n0(tx, Decibel::new(0.0)).expect("subcarriers").get();
    let ratio = libm::pow(10.0, (snr_db - offset_db) / 10.0);
    let (mut sum, mut count) = (0.0, 0.0);
    for to in 0..NICS {
        for from in 0..to {
            let effective = lines.sinr(0, [from, to], tx, ratio);
            let snr = Decibel::new(10.0 * libm::log10(effective));
            let decay = model.decay(tx, tx.coding(), snr).expect("a mode of the tables");
            sum += 1.0 - decay.reception(PSDU_BYTES);
            count += 1.0;
        }
    }
    sum / count
}

/// Within four standard deviations of 1000 frames and 4950 links, and 0.02.
#[test]
fn mean_losses_are_those_of_simulated_links() {
    let mut models = [lines(TgnModel::B), lines(TgnModel::D)];
    let text = include_str!("../../../../tests/validation/data/selective-mean.csv");
    for line in text.lines().skip_while(|line| line.starts_with('#')).skip(1) {
        let [_, mode, format, profile, snr_db, per] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("six cells: {line}")
        };
        let mcs = match mode {
            "bpsk-1/2" => 0,
            "qam16-3/4" => 4,
            _ => 7,
        };
        let format = if format == "Ht20" { Format::Ht } else { Format::He };
        let tx = TxVector::mimo(format, mcs, 1, Width::Mhz20, Guard::Ns800);
        let [snr_db, per] = [snr_db, per].map(|cell| cell.parse::<f64>().expect("a number"));
        let ours = mean_loss(&mut models[usize::from(profile == "D")], tx, snr_db);
        println!("{line}: {ours:.3}");
        let deviation = (per * (1.0 - per) * (1.0 / 1000.0 + 1.0 / 4950.0)).sqrt();
        assert!((ours - per).abs() < 4.0 * deviation + 0.02, "{line}: {ours}");
    }
}
