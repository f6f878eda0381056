//! A saturated cell of 80 MHz under tapped delay lines.

use airtcp_plan::{DopplerSpectrum, Fading, FadingProfile, TgnModel};

use super::*;

/// 11ax with the best mode of each instant, 20 dB above the noise of -88 dBm.
fn wide(fading: Fading, antennas: u32) -> AirPlan {
    let mut plan = plan(Standard::He, mcs(McsFormat::He, 7, 80), 1, Some(AMPDU));
    for nic in &mut plan.nics {
        nic.rate_control = RateControlPlan::Ideal { error_rate: 0.01 };
        (nic.streams, nic.antennas) = (antennas, antennas);
    }
    plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-68.0) };
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    plan.channel.fading = fading;
    plan
}

fn office(speed_mps: f64) -> Fading {
    Fading::Tapped {
        profile: FadingProfile::Tgn { model: TgnModel::D },
        spectrum: DopplerSpectrum::Bell,
        speed_mps,
        line_of_sight: None,
    }
}

/// Model D needs more than white noise does, and loses hardly anything to fades of the whole band. A second antenna at each end
/// gains: a second stream where it is worth it, and the power of a second receiver where not.
#[test]
fn selective_fading_costs_and_antennas_gain() {
    let of = |fading, antennas| goodput(&wide(fading, antennas), 1514, 1472, 4);
    let flat = of(Fading::None, 1);
    let [one, two] = [1, 2].map(|antennas| of(office(1.0 / 3.0), antennas));
    assert!(one < 0.95 * flat && one > 0.4 * flat, "{one} against {flat} Mbit/s");
    assert!(two > 1.1 * one, "{two} against {one} Mbit/s");
}

/// `ideal` selects modes that the convolutional code receives over such a channel: goodput is below that of LDPC, which needs
/// about 2 dB less in white noise, by no more than one or two modes (a third of the rate each).
#[test]
fn ideal_rates_fit_the_convolutional_code() {
    let mut plan = wide(office(0.1), 1);
    for cell in &mut plan.cells {
        cell.standard = Standard::Vht;
    }
    let convolutional = goodput(&plan, 1514, 1472, 4);
    plan.channel.reception = Reception::Table { code: CodeChoice::Ldpc };
    let ldpc = goodput(&plan, 1514, 1472, 4);
    assert!(convolutional > 0.6 * ldpc && convolutional < ldpc, "{convolutional} against {ldpc} Mbit/s");
}
