//! Loss to noise, seen from a link: the share of the table, and what retries make of it.

use airtcp_air::NicId;
use airtcp_air::channel::{es_n0, thermal_noise};
use airtcp_air::phy::{OfdmRate, PerTable};
use airtcp_plan::{Propagation, Reception, Standard};
use airtcp_units::{Dbm, Decibel, Instant};

use crate::harness::{BEYOND, Harness, plan};

const NOISE_FIGURE: Decibel = Decibel::new(7.0);

fn link(snr_db: f64, retry_limit: u32) -> airtcp_plan::report::NicReport {
    let mut plan = plan(Standard::Ofdm, 54, 1);
    let rssi = Dbm::new(thermal_noise(NOISE_FIGURE).get() + snr_db);
    plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: rssi };
    plan.channel.reception = Reception::PerTable { noise_figure_db: NOISE_FIGURE };
    plan.cells[0].contention.retry_limit = retry_limit;
    let mut h = Harness::silent(plan, 2);
    h.saturate(NicId(1), BEYOND, 1514);
    h.advance_to(Instant::from_nanos(20_000_000_000));
    h.finish().nics.remove(1)
}

#[test]
fn the_share_of_lost_data_is_the_packet_error_rate() {
    let table = PerTable::new();
    let mut partly = 0;
    for snr_db in [14.0, 16.0, 16.5, 17.0, 18.0, 19.0, 25.0] {
        let nic = link(snr_db, 2);
        let per = table.per(OfdmRate::Mbps54, es_n0(Decibel::new(snr_db)), 1536);
        let n = nic.transmissions as f64;
        let share = nic.corrupted as f64 / n;
        // Four standard errors.
        let error = 4.0 * (per * (1.0 - per) / n).sqrt();
        assert!((share - per).abs() <= error, "{snr_db} dB: lost {share}, PER {per} +- {error}");
        // A frame is given up if both of its attempts fail.
        let given_up = nic.dropped["retry_limit"] as f64 / (nic.accepted - nic.in_flight) as f64;
        assert!((given_up - per * per).abs() < 0.02, "{snr_db} dB: {given_up}, PER {per}");
        partly += i32::from((0.01..0.99).contains(&per));
    }
    assert!(partly >= 2, "the test must see the slope of the curve");
}
