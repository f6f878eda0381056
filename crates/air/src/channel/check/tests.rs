use airtcp_plan::{DopplerSpectrum, FadingProfile, FadingTap, FloorPlan, LinkLoss, TgnModel};
use airtcp_units::{BitRate, Dbm};

use super::super::scene;
use super::*;

fn plan() -> AirPlan {
    scene::plan(&[[0.0, 0.0, 1.5], [5.0, 0.0, 1.5], [9.0, 0.0, 1.5]])
}

/// A plan with this channel, or NICs, is refused, and the error is about this key (below `air.`).
#[track_caller]
fn refused(key: &str, change: impl FnOnce(&mut AirPlan)) {
    let mut plan = plan();
    change(&mut plan);
    let error = check(&plan).expect_err("this plan is wrong");
    assert_eq!(error.key, format!("air.{key}"), "{error}");
    assert!(!error.reason.is_empty() && !error.remedy.is_empty());
}

#[track_caller]
fn accepted(change: impl FnOnce(&mut AirPlan)) {
    let mut plan = plan();
    change(&mut plan);
    assert_eq!(check(&plan), Ok(()));
}

fn log_distance(exponent: f64, loss_db: f64, distance_m: f64) -> Propagation {
    Propagation::LogDistance {
        exponent,
        reference_loss_db: Some(Decibel::new(loss_db)),
        reference_distance_m: Metre::new(distance_m),
    }
}

fn wall(to_m: [f64; 2], height_m: [f64; 2], loss_db: f64) -> Wall {
    Wall {
        from_m: [0.0, 0.0].map(Metre::new),
        to_m: to_m.map(Metre::new),
        height_m: height_m.map(Metre::new),
        loss_db: Decibel::new(loss_db),
    }
}

fn walls(walls: Vec<Wall>) -> Propagation {
    Propagation::MultiWall {
        exponent: 2.0,
        reference_loss_db: Some(Decibel::new(40.0)),
        floor_plan: FloorPlan { walls },
    }
}

fn office(coefficient: f64, floor_loss_db: &[f64], floor_height_m: f64) -> Propagation {
    Propagation::ItuIndoor {
        coefficient,
        floor_loss_db: floor_loss_db.iter().map(|&l| Decibel::new(l)).collect(),
        floor_height_m: Metre::new(floor_height_m),
    }
}

fn rssi(links: &[(u32, u32, f64)]) -> Propagation {
    let link = |&(a, b, dbm): &(u32, u32, f64)| RssiLink { a, b, rssi_dbm: Dbm::new(dbm) };
    Propagation::Rssi { links: links.iter().map(link).collect(), default_dbm: Dbm::new(-60.0) }
}

fn point(time_ns: u64) -> TracePoint {
    TracePoint { time_ns, rssi_dbm: None, loss: None, rate_bps: None }
}

fn trace(points: Vec<TracePoint>, repeat: bool) -> LinkTrace {
    LinkTrace { from: 0, to: 1, repeat, points }
}

#[test]
fn plans_that_make_sense() {
    accepted(|_| ());
    for propagation in [
        log_distance(3.0, 46.7, 1.0),
        log_distance(0.0, -10.0, 0.5),
        Propagation::TwoRay { permittivity: None },
        Propagation::TwoRay { permittivity: Some(15.0) },
        office(30.0, &[], 3.0),
        office(30.0, &[15.0, 19.0], 3.0),
        walls(vec![]),
        walls(vec![wall([4.0, 0.0], [0.0, 3.0], 10.0), wall([0.0, -4.0], [-3.0, 0.0], 0.0)]),
        rssi(&[(0, 1, -50.0), (2, 0, -55.0)]),
    ] {
        accepted(|plan| plan.channel.propagation = propagation);
    }
    for fading in [
        Fading::Rayleigh { coherence_ns: 1 },
        Fading::Rician { k_db: Decibel::new(-3.0), coherence_ns: 1 },
        Fading::Nakagami { m: 0.5, coherence_ns: u64::MAX },
    ] {
        accepted(|plan| plan.channel.fading = fading);
    }
    accepted(|plan| {
        let rate_bps = Some(BitRate::from_mbps(6));
        let full = TracePoint { rssi_dbm: Some(Dbm::new(-50.0)), loss: Some(1.0), rate_bps, ..point(7) };
        let back = LinkTrace { from: 1, to: 0, ..trace(vec![point(0)], false) };
        plan.channel.traces = vec![trace(vec![point(0), full], true), back];
        plan.channel.losses =
            vec![LinkLoss { from: 0, to: 1, loss: 0.0 }, LinkLoss { from: 1, to: 0, loss: 1.0 }];
        plan.channel.capture_db = Some(Decibel::new(0.0));
    });
}

#[test]
fn nics_without_place_or_power() {
    refused("nics[1].tx_power_dbm", |p| p.nics[1].tx_power_dbm = Dbm::new(f64::NAN));
    refused("nics[2].position_m", |p| p.nics[2].position_m[1] = Metre::new(f64::INFINITY));
    refused("nics[0].position_m", |p| p.nics[0].position_m[0] = Metre::new(-1.1e6));
    refused("nics[0].waypoints[1].position_m", |p| {
        p.nics[0].waypoints = vec![scene::waypoint(1.0, [0.0; 3]), scene::waypoint(2.0, [f64::NAN; 3])];
    });
}

#[test]
fn waypoints_whose_times_do_not_rise() {
    for times_s in [[2.0, 2.0], [2.0, 1.0]] {
        refused("nics[0].waypoints[1].time_ns", |p| {
            p.nics[0].waypoints = times_s.map(|t| scene::waypoint(t, [0.0; 3])).to_vec();
        });
    }
}

#[test]
fn receivers_that_make_no_sense() {
    refused("channel.carrier_sense_dbm", |p| p.channel.carrier_sense_dbm = Dbm::new(f64::NAN));
    refused("channel.noise_figure_db", |p| p.channel.noise_figure_db = Decibel::new(-1.0));
    refused("channel.capture_db", |p| p.channel.capture_db = Some(Decibel::new(f64::NEG_INFINITY)));
    refused("channel.preamble_detection_ns", |p| p.channel.preamble_detection_ns = 0);
    refused("channel.preamble_detection_ns", |p| p.channel.preamble_detection_ns = 16_001);
    refused("channel.update_ns", |p| p.channel.update_ns = 0);
}

#[test]
fn path_losses_that_make_no_sense() {
    let refused = |key: &str, propagation| {
        refused(&format!("channel.propagation.{key}"), |p| p.channel.propagation = propagation);
    };
    refused("exponent", log_distance(-1.0, 40.0, 1.0));
    refused("exponent", log_distance(f64::NAN, 40.0, 1.0));
    refused("reference_loss_db", log_distance(2.0, f64::INFINITY, 1.0));
    refused("reference_distance_m", log_distance(2.0, 40.0, 0.0));
    refused("permittivity", Propagation::TwoRay { permittivity: Some(0.5) });
    refused("coefficient", office(-3.0, &[], 3.0));
    refused("floor_loss_db[1]", office(30.0, &[15.0, -1.0], 3.0));
    refused("floor_height_m", office(30.0, &[15.0], 0.0));
    refused("default_dbm", Propagation::Rssi { links: vec![], default_dbm: Dbm::new(f64::NAN) });
    let exponent = Propagation::MultiWall {
        exponent: f64::NAN,
        reference_loss_db: Some(Decibel::new(40.0)),
        floor_plan: FloorPlan { walls: vec![] },
    };
    refused("exponent", exponent);
}

#[test]
fn antennas_on_reflecting_ground() {
    refused("nics[1].position_m[2]", |p| {
        p.channel.propagation = Propagation::TwoRay { permittivity: None };
        p.nics[1].position_m[2] = Metre::new(0.0);
    });
    refused("nics[1].waypoints[0].position_m[2]", |p| {
        p.channel.propagation = Propagation::TwoRay { permittivity: None };
        p.nics[1].waypoints = vec![scene::waypoint(1.0, [0.0, 0.0, -2.0])];
    });
}

#[test]
fn walls_that_are_none() {
    let refused = |key: &str, second: Wall| {
        let first = wall([4.0, 0.0], [0.0, 3.0], 10.0);
        let key = format!("channel.propagation.floor_plan.walls[1].{key}");
        refused(&key, |p| p.channel.propagation = walls(vec![first, second]));
    };
    refused("to_m", wall([0.0, 0.0], [0.0, 3.0], 10.0));
    refused("to_m", wall([f64::NAN, 0.0], [0.0, 3.0], 10.0));
    refused("height_m", wall([4.0, 0.0], [3.0, 3.0], 10.0));
    refused("height_m", wall([4.0, 0.0], [3.0, 0.0], 10.0));
    refused("loss_db", wall([4.0, 0.0], [0.0, 3.0], -10.0));
}

#[test]
fn given_powers_of_links_that_are_none() {
    let refused = |key: &str, links: &[(u32, u32, f64)]| {
        refused(&format!("channel.propagation.{key}"), |p| p.channel.propagation = rssi(links));
    };
    refused("links[0]", &[(1, 1, -50.0)]);
    refused("links[1]", &[(0, 1, -50.0), (3, 0, -50.0)]);
    refused("links[1]", &[(0, 1, -50.0), (1, 0, -50.0)]);
    refused("links[0].rssi_dbm", &[(0, 1, f64::NAN)]);
}

#[test]
fn shadowing_and_fading_that_make_no_sense() {
    for (sigma_db, metres, key) in
        [(-1.0, 5.0, "sigma_db"), (f64::NAN, 5.0, "sigma_db"), (6.0, 0.0, "decorrelation_m")]
    {
        refused(&format!("channel.shadowing.{key}"), |p| {
            let decorrelation_m = Metre::new(metres);
            p.channel.shadowing = Some(Shadowing { sigma_db: Decibel::new(sigma_db), decorrelation_m });
        });
    }
    for (key, fading) in [
        ("coherence_ns", Fading::Rayleigh { coherence_ns: 0 }),
        ("coherence_ns", Fading::Rician { k_db: Decibel::new(3.0), coherence_ns: 0 }),
        ("coherence_ns", Fading::Nakagami { m: 2.0, coherence_ns: 0 }),
        ("k_db", Fading::Rician { k_db: Decibel::new(f64::INFINITY), coherence_ns: 1 }),
        ("m", Fading::Nakagami { m: 0.49, coherence_ns: 1 }),
        ("m", Fading::Nakagami { m: f64::NAN, coherence_ns: 1 }),
    ] {
        refused(&format!("channel.fading.{key}"), |p| p.channel.fading = fading);
    }
}

fn tapped(profile: FadingProfile, spectrum: DopplerSpectrum, speed_mps: f64) -> Fading {
    Fading::Tapped { profile, spectrum, speed_mps, line_of_sight: None }
}

/// At 5.18 GHz the correlation falls to 1/2 within 5.484 ms from 3.49 m/s (bell: `0.331 / f_d`) and 2.55 m/s (Jakes: `0.242 /
/// f_d`) on.
#[test]
fn a_doppler_shift_that_outruns_the_longest_ppdu() {
    let model = || FadingProfile::Tgn { model: TgnModel::D };
    for (spectrum, least, most) in [(DopplerSpectrum::Bell, 3.4, 3.6), (DopplerSpectrum::Jakes, 2.5, 2.6)] {
        accepted(|p| p.channel.fading = tapped(model(), spectrum, least));
        refused("channel.fading.speed_mps", |p| p.channel.fading = tapped(model(), spectrum, most));
    }
    accepted(|p| p.channel.fading = tapped(model(), DopplerSpectrum::Bell, 0.0));
    refused("channel.fading.speed_mps", |p| p.channel.fading = tapped(model(), DopplerSpectrum::Bell, -1.0));
}

#[test]
fn antennas_that_do_not_exist() {
    let plan = |streams, antennas| {
        move |p: &mut AirPlan| {
            p.channel.fading = tapped(FadingProfile::Tgn { model: TgnModel::D }, DopplerSpectrum::Bell, 0.1);
            (p.nics[1].streams, p.nics[1].antennas) = (streams, antennas);
        }
    };
    accepted(plan(1, 1));
    accepted(plan(2, 8));
    refused("nics[1].antennas", plan(2, 1));
    refused("nics[1].antennas", plan(1, 9));
}

#[test]
fn taps_that_make_no_sense() {
    let tap = FadingTap { delay_ns: 50.0, power_db: Decibel::new(0.0), k_db: None, speed_mps: None };
    let own = |taps| tapped(FadingProfile::Taps { taps }, DopplerSpectrum::Jakes, 1.0);
    accepted(|p| p.channel.fading = own(vec![tap; 64]));
    refused("channel.fading.profile.taps", |p| p.channel.fading = own(vec![]));
    refused("channel.fading.profile.taps", |p| p.channel.fading = own(vec![tap; 65]));
    for (key, wrong) in [
        ("delay_ns", FadingTap { delay_ns: -1.0, ..tap }),
        ("power_db", FadingTap { power_db: Decibel::new(f64::NAN), ..tap }),
        ("k_db", FadingTap { k_db: Some(Decibel::new(f64::INFINITY)), ..tap }),
        ("speed_mps", FadingTap { speed_mps: Some(f64::NAN), ..tap }),
    ] {
        refused(&format!("channel.fading.profile.taps[1].{key}"), |p| {
            p.channel.fading = own(vec![tap, wrong]);
        });
    }
}

#[test]
fn recordings_that_make_no_sense() {
    let refused = |key: &str, second: LinkTrace| {
        let first = LinkTrace { from: 1, to: 0, ..trace(vec![point(0)], false) };
        refused(&format!("channel.traces[{key}"), |p| p.channel.traces = vec![first, second]);
    };
    refused("1]", trace(vec![], false));
    refused("1]", LinkTrace { to: 0, ..trace(vec![point(0)], false) });
    refused("1]", LinkTrace { to: 3, ..trace(vec![point(0)], false) });
    refused("1]", LinkTrace { from: 1, to: 0, ..trace(vec![point(0)], false) });
    refused("1].points[1].time_ns", trace(vec![point(5), point(5)], false));
    refused("1].points[2].time_ns", trace(vec![point(5), point(6), point(0)], false));
    refused("1].repeat", trace(vec![point(0)], true));
    refused(
        "1].points[0].rssi_dbm",
        trace(vec![TracePoint { rssi_dbm: Some(Dbm::new(f64::NAN)), ..point(0) }], false),
    );
    refused("1].points[0].loss", trace(vec![TracePoint { loss: Some(1.01), ..point(0) }], false));
    let stopped = TracePoint { rate_bps: Some(BitRate::from_bps(0)), ..point(0) };
    refused("1].points[0].rate_bps", trace(vec![stopped], false));
}

#[test]
fn losses_that_make_no_sense() {
    let loss = |from, to, loss| LinkLoss { from, to, loss };
    refused("channel.losses[0]", |p| p.channel.losses = vec![loss(0, 0, 0.5)]);
    refused("channel.losses[0]", |p| p.channel.losses = vec![loss(9, 0, 0.5)]);
    refused("channel.losses[1]", |p| p.channel.losses = vec![loss(0, 1, 0.5), loss(0, 1, 0.6)]);
    refused("channel.losses[0].loss", |p| p.channel.losses = vec![loss(0, 1, -0.1)]);
    refused("channel.losses[0].loss", |p| p.channel.losses = vec![loss(0, 1, f64::NAN)]);
}

fn interferer() -> airtcp_plan::Interferer {
    serde_json::from_value(serde_json::json!({
        "name": "source", "power": { "kind": "received", "levels": [], "default_dbm": -60.0 },
        "bandwidth_khz": 20_000, "centres_khz": [5_180_000],
        "pattern": { "kind": "periodic", "period_ns": 20_000, "on_ns": 8_000, "phase_ns": 0, "jitter_ns": 12_000 },
    }))
    .expect("it is an interferer")
}

#[test]
fn sources_that_are_no_nics() {
    let with = |change: &dyn Fn(&mut airtcp_plan::Interferer)| {
        let mut source = interferer();
        change(&mut source);
        move |plan: &mut AirPlan| plan.channel.interferers = vec![source]
    };
    accepted(with(&|_| {}));
    refused("channel.interferers[0].bandwidth_khz", with(&|source| source.bandwidth_khz = 0));
    refused("channel.interferers[0].centres_khz", with(&|source| source.centres_khz.clear()));
    refused("channel.interferers[0].centres_khz", with(&|source| source.centres_khz = vec![5_500_000]));
    refused("channel.interferers[0].centres_khz", with(&|source| source.centres_khz = vec![100]));
    let pattern = |period_ns, on_ns, jitter_ns| airtcp_plan::EmissionPattern::Periodic {
        period_ns,
        on_ns,
        phase_ns: 0,
        jitter_ns,
    };
    refused("channel.interferers[0].pattern.on_ns", with(&|s| s.pattern = pattern(20_000, 8_000, 12_001)));
    refused("channel.interferers[0].pattern.on_ns", with(&|s| s.pattern = pattern(20_000, 0, 0)));
    refused("channel.interferers[0].pattern.period_ns", with(&|s| s.pattern = pattern(0, 8_000, 0)));
    let sent =
        airtcp_plan::EmissionPower::Sent { tx_power_dbm: Dbm::new(20.0), position_m: [Metre::new(1.0); 3] };
    accepted(with(&|source| source.power = sent.clone()));
    refused("channel.interferers[0].power", |plan| {
        with(&|source| source.power = sent.clone())(plan);
        plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-50.0) };
    });
}
