//! One saturated station: goodput against its closed form.
//!
//! A frame takes DIFS + CWmin/2 slots + data + SIFS + acknowledgement on average, for
//! 1472 octets of UDP payload in a PSDU of 1536. INET's throughput showcase assumes the
//! same; the values are in the project's collection of published numbers.

use airtcp_air::NicId;
use airtcp_air::phy::{ACK_BYTES, Band, BasicRates, InterFrame, SlotTime, TxVector, control_response};
use airtcp_plan::Standard;
use airtcp_units::{BitRate, Instant};

use crate::harness::{BEYOND, Harness, plan};

const PAYLOAD_BITS: f64 = 1472.0 * 8.0;
const SECONDS: u64 = 10;

fn measured_mbps(standard: Standard, mbps: u64) -> f64 {
    let mut h = Harness::silent(plan(standard, mbps, 1), 1);
    h.saturate(NicId(1), BEYOND, 1514);
    h.advance_to(Instant::from_nanos(SECONDS * 1_000_000_000));
    h.delivered as f64 * PAYLOAD_BITS / SECONDS as f64 / 1e6
}

fn closed_form_mbps(standard: Standard, mbps: u64) -> f64 {
    let band = if standard == Standard::Erp { Band::Ghz2_4 } else { Band::Ghz5 };
    let t = InterFrame::new(band, SlotTime::Short, band.lowest_mandatory(false));
    let basic = BasicRates::from_bit_rates(&[6, 12, 24].map(BitRate::from_mbps)).expect("rates");
    let tx: TxVector = BasicRates::tx_vector_of(BitRate::from_mbps(mbps)).expect("a rate");
    let ack = t.ppdu_duration(control_response(tx, basic), ACK_BYTES);
    let fixed = t.difs + t.ppdu_duration(tx, 1536) + t.sifs + ack;
    let seconds = fixed.as_secs_f64() + 7.5 * t.slot.as_secs_f64();
    PAYLOAD_BITS / seconds / 1e6
}

#[test]
fn goodput_is_within_one_percent_of_the_closed_form() {
    let published = [5.27, 7.60, 9.83, 13.80, 17.28, 23.11, 27.68, 29.93];
    for standard in [Standard::Ofdm, Standard::Erp] {
        for (mbps, published) in [6, 9, 12, 18, 24, 36, 48, 54].into_iter().zip(published) {
            let formula = closed_form_mbps(standard, mbps);
            // The published values have two decimals.
            assert!((formula - published).abs() < 0.006, "{standard:?} {mbps}: {formula} and {published}");
            let measured = measured_mbps(standard, mbps);
            let error = measured / formula - 1.0;
            assert!(error.abs() < 0.01, "{standard:?} {mbps}: {measured} Mb/s, formula {formula}");
        }
    }
}
