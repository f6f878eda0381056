//! Stations that have answered a trigger frame contend with MU EDCA parameters, by hand. The scene is that of [`super::uplink`].

use airtcp_plan::{AirPlan, MuEdcaParameters, UplinkPlan};
use airtcp_units::Decibel;

use super::hosts::{BEYOND, Hosts, OPTIONS, STA1, us};
use super::plans::{allow_attempts, set_rssi};
use super::uplink::{NOISE_DBM, Steep, UPLINK, give_both, triggering};
use crate::World;
use crate::low::ErrorRates;
use crate::phy::TxVector;

/// Best effort of two stations has this AIFSN for 8.192 ms.
fn with_aifsn(aifsn: u32) -> AirPlan {
    let parameters = MuEdcaParameters { aifsn, cw_min: 0, cw_max: 0, timer: 1 };
    triggering(2, UplinkPlan { mu_edca: Some([parameters; 4]), ..UPLINK })
}

/// ```text
/// 100      180   196             373.6   389.6          421.6                            8613.6
///  | trigger |SIFS| data of both   |SIFS| multi-STA ack |  suspended, 8.192 ms ...        | data of sta1
/// ```
/// Both have said that nothing is left, so the access point does not ask again. What comes meanwhile waits for the end of the timer.
#[test]
fn aifsn_0_suspends_until_the_timer_ends() {
    let mut h = Hosts::new(with_aifsn(0), 1);
    give_both(&mut h);
    h.send_as(1_000, STA1, BEYOND, (400, 0));
    h.advance_to(us(8_800));
    h.expect_ppdus(
        "100 180 ap>sta1 trigger 6 1 received
         100 180 ap>sta2 trigger 6 1 received
         196 373.6 sta1>ap data 35.416666 1 received
         196 373.6 sta2>ap data 35.416666 1 received
         389.6 421.6 ap>sta1 multistablockack 24 1 received
         389.6 421.6 ap>sta2 multistablockack 24 1 received
         8613.6 8711.2 sta1>ap data 86.029411 1 received
         8727.2 8755.2 ap>sta1 ack 24 1 received",
    );
}

/// Other categories go on as before: voice waits for an AIFS of 151 us. The NAV of the trigger frame ends at 429.6 us: it allows for an
/// acknowledgement with two bitmaps, 40 us.
#[test]
fn other_categories_are_not_suspended() {
    let mut h = Hosts::new(with_aifsn(0), 1);
    give_both(&mut h);
    h.send_as(400, STA1, BEYOND, (400, 6));
    h.advance_to(us(800));
    assert_eq!(h.timeline()[6], "580.6 678.2 sta1>ap data 86.029411 1 received");
}

/// AIFSN 5 is 61 us, and holds for the AIFS that begins when the timer does, or the NAV ends.
#[test]
fn another_aifsn_holds_at_once() {
    let mut h = Hosts::new(with_aifsn(5), 1);
    give_both(&mut h);
    h.send_as(400, STA1, BEYOND, (400, 0));
    h.advance_to(us(700));
    assert_eq!(h.timeline()[6], "490.6 588.2 sta1>ap data 86.029411 1 received");
}

/// `QoS` Null frames start no timer: what comes after them contends as always.
#[test]
fn without_data_no_timer_starts() {
    let mut h = Hosts::new(with_aifsn(0), 1);
    h.send_as(300, STA1, BEYOND, (400, 0));
    h.advance_to(us(700));
    assert_eq!(
        h.timeline()[2..],
        [
            "196 373.6 sta1>ap qosnull 35.416666 1 received",
            "196 373.6 sta2>ap qosnull 35.416666 1 received",
            "580.6 678.2 sta1>ap data 86.029411 1 received",
        ]
    );
}

/// Nor does data whose acknowledgement does not come.
#[test]
fn without_acknowledgement_no_timer_starts() {
    let mut plan = with_aifsn(0);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 17.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(Steep));
    give_both(&mut h);
    h.advance_to(us(900));
    assert_eq!(h.timeline()[6], "632.6 730.2 sta2>ap data 86.029411 2 corrupted");
}

/// Of one station long PSDUs are lost.
#[derive(Debug)]
struct LongIsLost;

impl ErrorRates for LongIsLost {
    fn decay_per_octet(&self, _tx: TxVector, sinr_db: Decibel, psdu_bytes: u32) -> f64 {
        if sinr_db.get() >= 20.0 || psdu_bytes < 300 { 0.0 } else { f64::INFINITY }
    }
}

/// sta2 has given up its frame and owes a `BlockAckReq`. It is asked alone, and answers with that: a category that is suspended has no other
/// way to send it. (24 octets, padded to the 534 that are asked of an unknown station: 105.6 us.)
#[test]
fn a_block_ack_req_answers_a_trigger() {
    let mut plan = with_aifsn(0);
    allow_attempts(&mut plan.cells[0], 1);
    set_rssi(&mut plan, &[(0, 2, NOISE_DBM + 15.0)]);
    let mut h = Hosts::with_errors(plan, 1, Box::new(LongIsLost));
    give_both(&mut h);
    h.advance_to(us(720));
    assert_eq!(
        h.timeline()[5..],
        [
            "455.6 527.6 ap>sta2 trigger 6 1 received",
            "543.6 649.2 sta2>ap bar 1 81.25 1 received",
            "665.2 697.2 ap>sta2 multistablockack 24 1 received",
        ]
    );
    h.finish();
}

/// What can't be is refused with key, reason and remedy.
#[test]
fn parameters_that_no_element_announces_are_refused() {
    let refused = |change: fn(&mut MuEdcaParameters), expected: &str| {
        let mut plan = with_aifsn(0);
        let uplink = plan.cells[0].multi_user.as_mut().and_then(|plan| plan.uplink.as_mut());
        change(&mut uplink.expect("it has uplinks").mu_edca.as_mut().expect("it has MU EDCA")[2]);
        let error = World::new(&plan, 1, OPTIONS).expect_err("it can't be").to_string();
        assert!(error.contains("air.cells[0].multi_user.uplink.mu_edca[2]"), "{error}");
        assert!(error.contains(expected), "{error}");
    };
    refused(|p| p.aifsn = 1, "1 is no AIFSN of a station");
    refused(|p| p.aifsn = 16, "use 2 to 15, or 0 for a category that does not contend");
    refused(|p| p.cw_min = 1, "1 to 0 are no contention windows");
    refused(|p| p.cw_max = 65_535, "use powers of two less one");
    refused(|p| p.cw_max = 12, "0 to 12 are no contention windows");
    refused(|p| p.timer = 0, "a timer of 0 is reserved");
}
