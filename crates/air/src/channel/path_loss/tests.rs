use airtcp_plan::{FloorPlan, RssiLink};
use airtcp_units::Metre;
use proptest::prelude::*;

use airtcp_units::{Decibel, Hertz};

use super::*;
use crate::channel::Position;

const WIFI_2: Hertz = Hertz::new(2.412e9);
const WIFI_5: Hertz = Hertz::new(5.18e9);

/// A path of this length at 5.18 GHz with 20 dBm, 1.5 m above ground.
fn path(distance_m: f64) -> Path {
    Path {
        ends: [0, 1],
        places: [Position([0.0, 0.0, 1.5]), Position([distance_m, 0.0, 1.5])],
        frequency: WIFI_5,
        sent: Dbm::new(20.0),
    }
}

/// Loss of a model in decibels.
fn loss(propagation: &Propagation, path: &Path) -> f64 {
    (path.sent - PathLoss::new(propagation).mean_power(path)).get()
}

#[track_caller]
fn assert_db(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-4, "{found} dB, expected {expected} dB");
}

fn log_distance(exponent: f64, reference_distance_m: f64) -> Propagation {
    Propagation::LogDistance {
        exponent,
        reference_loss_db: Some(Decibel::new(46.677_7)),
        reference_distance_m: Metre::new(reference_distance_m),
    }
}

/// Offices at 2 GHz (P.1238-7, Tables 2 and 3): N = 30, Lf(n) = 15 + 4 (n - 1).
fn office() -> Propagation {
    Propagation::ItuIndoor {
        coefficient: 30.0,
        floor_loss_db: [15.0, 19.0, 23.0].map(Decibel::new).to_vec(),
        floor_height_m: Metre::new(3.0),
    }
}

/// 20 log10(4 pi d f / c).
#[test]
fn free_space_by_hand() {
    assert_db(loss(&Propagation::FreeSpace, &Path { frequency: WIFI_2, ..path(1.0) }), 40.095_3);
    assert_db(loss(&Propagation::FreeSpace, &path(1.0)), 46.734_4);
    assert_db(loss(&Propagation::FreeSpace, &path(100.0)), 86.734_4);
    let far = Path { frequency: Hertz::new(60.48e9), ..path(10.0) };
    assert_db(loss(&Propagation::FreeSpace, &far), 88.080_0);
}

/// At half a wavelength the amplitude has fallen by 2 pi.
#[test]
fn free_space_ends_where_the_far_field_does() {
    for distance_m in [0.0, 0.01, 0.5 * path(1.0).wavelength()] {
        assert_db(loss(&Propagation::FreeSpace, &path(distance_m)), 15.963_6);
    }
    assert!(loss(&Propagation::FreeSpace, &path(0.0290)) > 15.97);
}

#[test]
fn log_distance_by_hand() {
    assert_db(loss(&log_distance(3.0, 1.0), &path(10.0)), 76.677_7);
    assert_db(loss(&log_distance(3.0, 1.0), &path(20.0)), 76.677_7 + 9.030_9);
    assert_db(loss(&log_distance(3.5, 5.0), &path(20.0)), 46.677_7 + 21.072_1);
}

#[test]
fn log_distance_begins_at_its_reference() {
    for distance_m in [0.0, 1.0, 5.0] {
        assert_db(loss(&log_distance(3.0, 5.0), &path(distance_m)), 46.677_7);
    }
}

/// Without a loss at the reference each band has that of free space: 40.0953 dB at 2.412 GHz, 46.7344 dB at 5.18 GHz, and 14 dB
/// more at 5 m.
#[test]
fn the_loss_at_the_reference_is_that_of_the_band() {
    let at = |reference_distance_m: f64, path: &Path| {
        let reference_distance_m = Metre::new(reference_distance_m);
        loss(&Propagation::LogDistance { exponent: 3.0, reference_loss_db: None, reference_distance_m }, path)
    };
    assert_db(at(1.0, &Path { frequency: WIFI_2, ..path(10.0) }), 70.095_3);
    assert_db(at(1.0, &path(10.0)), 76.734_4);
    assert_db(at(5.0, &path(5.0)), 46.734_4 + 13.979_4);
    let walls = Propagation::MultiWall {
        exponent: 2.0,
        reference_loss_db: None,
        floor_plan: FloorPlan { walls: vec![] },
    };
    assert_db(loss(&walls, &Path { frequency: WIFI_2, ..path(10.0) }), 60.095_3);
}

/// Friis is the special case of exponent 2 and his loss at the reference.
#[test]
fn log_distance_with_exponent_2_is_free_space() {
    for reference_loss_db in [Some(free_space::loss(&path(1.0))), None] {
        let model = Propagation::LogDistance {
            exponent: 2.0,
            reference_loss_db,
            reference_distance_m: Metre::new(1.0),
        };
        for distance_m in [1.0, 7.3, 150.0] {
            assert_db(loss(&model, &path(distance_m)), loss(&Propagation::FreeSpace, &path(distance_m)));
        }
    }
}

/// 20 log10(2000) + 30 log10(20) + Lf - 28 = 66.0206 + 39.0309 + Lf - 28.
#[test]
fn itu_indoor_by_hand() {
    let between = |sender: f64, receiver: f64| {
        let ground = (400.0 - (sender - receiver).powi(2)).sqrt();
        let places = [Position([0.0, 0.0, sender]), Position([0.0, ground, receiver])];
        loss(&office(), &Path { places, frequency: Hertz::new(2e9), ..path(0.0) })
    };
    assert_db(between(1.5, 1.5), 77.051_5);
    assert_db(between(0.0, 2.999), 77.051_5);
    assert_db(between(1.5, 4.5), 77.051_5 + 15.0);
    assert_db(between(4.5, 1.5), 77.051_5 + 15.0);
    assert_db(between(2.999, 3.0), 77.051_5 + 15.0);
    assert_db(between(-0.1, 6.5), 77.051_5 + 23.0);
    assert_db(between(1.5, 13.5), 77.051_5 + 23.0);
}

#[test]
fn itu_indoor_begins_at_a_metre_and_may_have_no_floors() {
    for distance_m in [0.0, 0.5, 1.0] {
        assert_db(loss(&office(), &path(distance_m)), 46.286_6);
    }
    let model =
        Propagation::ItuIndoor { coefficient: 30.0, floor_loss_db: vec![], floor_height_m: Metre::new(3.0) };
    let up = Path { places: [Position([0.0; 3]), Position([0.0, 0.0, 10.0])], ..path(0.0) };
    assert_db(loss(&model, &up), 46.286_6 + 30.0);
}

#[test]
fn given_power_holds_both_ways_by_default_and_whatever_is_sent() {
    let links = [(3, 1, -45.0), (0, 7, -50.0), (1, 2, -55.0)].map(|(a, b, rssi)| RssiLink {
        a,
        b,
        rssi_dbm: Dbm::new(rssi),
    });
    let model = PathLoss::new(&Propagation::Rssi { links: links.to_vec(), default_dbm: Dbm::new(-70.0) });
    let power = |from, to| {
        let path = Path { ends: [from, to], sent: Dbm::new(from as f64), ..path(99.0) };
        model.mean_power(&path)
    };
    assert_eq!([power(1, 3), power(3, 1)], [Dbm::new(-45.0); 2]);
    assert_eq!([power(0, 7), power(7, 0)], [Dbm::new(-50.0); 2]);
    assert_eq!([power(2, 1), power(1, 2)], [Dbm::new(-55.0); 2]);
    assert_eq!([power(2, 3), power(0, 1)], [Dbm::new(-70.0); 2]);
}

#[test]
fn more_power_is_received_as_more() {
    for model in plain() {
        let [weak, strong] = [-10.0, 20.0].map(|dbm| Path { sent: Dbm::new(dbm), ..path(37.0) });
        let [weak, strong] = [weak, strong].map(|p| PathLoss::new(&model).mean_power(&p));
        assert_db((strong - weak).get(), 30.0);
    }
}

/// The models in which only distance counts.
fn plain() -> Vec<Propagation> {
    let empty = Propagation::MultiWall {
        exponent: 2.0,
        reference_loss_db: Some(Decibel::new(46.7)),
        floor_plan: FloorPlan { walls: vec![] },
    };
    vec![Propagation::FreeSpace, log_distance(3.0, 1.0), office(), empty]
}

proptest! {
    #[test]
    fn nearer_is_never_weaker(near in 0.0..1e4_f64, more in 0.0..1e4_f64, model in 0..4_usize) {
        let model = &plain()[model];
        prop_assert!(loss(model, &path(near)) <= loss(model, &path(near + more)));
    }

    #[test]
    fn both_directions_lose_the_same(
        a in prop::array::uniform3(0.1..50.0_f64),
        b in prop::array::uniform3(0.1..50.0_f64),
        model in 0..6_usize,
    ) {
        let mut models = plain();
        models.extend([None, Some(15.0)].map(|permittivity| Propagation::TwoRay { permittivity }));
        let there = Path { places: [Position(a), Position(b)], ..path(0.0) };
        let back = Path { ends: [1, 0], places: [Position(b), Position(a)], ..there };
        prop_assert_eq!(loss(&models[model], &there).to_bits(), loss(&models[model], &back).to_bits());
    }
}
