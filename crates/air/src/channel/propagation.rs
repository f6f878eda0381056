//! How strongly one antenna is received at another.

use airtcp_plan::{AirNic, Propagation};
use airtcp_units::{Dbm, Decibel, Metre};

/// Power of NIC `from` at NIC `to`, both numbers of `nics`. Panics if a number is too large.
pub fn received_power(propagation: &Propagation, nics: &[AirNic], from: usize, to: usize) -> Dbm {
    match propagation {
        Propagation::Rssi { links, default_dbm } => {
            let ends = (from as u32, to as u32);
            let link = links.iter().find(|l| (l.a, l.b) == ends || (l.b, l.a) == ends);
            link.map_or(*default_dbm, |l| l.rssi_dbm)
        }
        Propagation::LogDistance { exponent, reference_loss_db, reference_distance_m } => {
            let distance = distance_m(&nics[from].position_m, &nics[to].position_m);
            let ratio = (distance / reference_distance_m.get()).max(1.0);
            let beyond = Decibel::new(10.0 * exponent * libm::log10(ratio));
            nics[from].tx_power_dbm - *reference_loss_db - beyond
        }
    }
}

fn distance_m(a: &[Metre; 3], b: &[Metre; 3]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a.get() - b.get()) * (a.get() - b.get())).sum();
    libm::sqrt(square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::RssiLink;

    fn nics(distance_m: f64) -> Vec<AirNic> {
        let mut nics = crate::example_plan().nics;
        nics[0].tx_power_dbm = Dbm::new(16.0);
        nics[1].tx_power_dbm = Dbm::new(20.0);
        nics[0].position_m = [Metre::new(1.0), Metre::new(2.0), Metre::new(3.0)];
        nics[1].position_m = [Metre::new(1.0 + distance_m), Metre::new(2.0), Metre::new(3.0)];
        nics
    }

    fn power(distance: f64, from: usize, to: usize) -> f64 {
        let propagation = Propagation::LogDistance {
            exponent: 3.0,
            reference_loss_db: Decibel::new(46.677_7),
            reference_distance_m: Metre::new(1.0),
        };
        received_power(&propagation, &nics(distance), from, to).get()
    }

    #[test]
    fn log_distance_by_hand() {
        // 16 - 46.6777 - 30 log10(10) and the same from 20 dBm the other way.
        assert!((power(10.0, 0, 1) - -60.677_7).abs() < 1e-9);
        assert!((power(10.0, 1, 0) - -56.677_7).abs() < 1e-9);
        assert!((power(20.0, 0, 1) - (-60.677_7 - 30.0 * libm::log10(2.0))).abs() < 1e-9);
    }

    #[test]
    fn nearer_than_the_reference_counts_as_there() {
        assert!((power(1.0, 0, 1) - -30.677_7).abs() < 1e-9);
        assert!((power(0.0, 0, 1) - -30.677_7).abs() < 1e-9);
        assert!(power(1.01, 0, 1) < -30.677_7);
    }

    #[test]
    fn given_power_holds_both_ways_and_by_default() {
        let links = vec![RssiLink { a: 1, b: 0, rssi_dbm: Dbm::new(-45.0) }];
        let given = Propagation::Rssi { links, default_dbm: Dbm::new(-70.0) };
        let nics = nics(1.0);
        assert_eq!(received_power(&given, &nics, 0, 1), Dbm::new(-45.0));
        assert_eq!(received_power(&given, &nics, 1, 0), Dbm::new(-45.0));
        let nobody = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-70.0) };
        assert_eq!(received_power(&nobody, &nics, 0, 1), Dbm::new(-70.0));
    }
}
