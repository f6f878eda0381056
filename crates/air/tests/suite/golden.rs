//! The golden timeline: a diff of it tells what a change does to the air.

use airtcp_air::NicId;
use airtcp_plan::{CodeChoice, MacAddress, Propagation, Reception, RssiLink, Standard};
use airtcp_units::Dbm;

use crate::harness::{AP, BEYOND, Harness, allow_attempts, fixed, mac, plan, us};

/// An 11g cell: sta1 near, sta2 too far for 54 Mb/s to the access point though not for its
/// acknowledgements and broadcasts, sta3 slow. All start at once; the access point answers.
#[test]
fn a_small_cell() {
    let mut plan = plan(Standard::Erp, 54, 3);
    plan.channel.propagation = Propagation::Rssi {
        links: vec![RssiLink { a: 0, b: 2, rssi_dbm: Dbm::new(-81.0) }],
        default_dbm: Dbm::new(-50.0),
    };
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    allow_attempts(&mut plan.cells[0], 3);
    plan.nics[3].rate_control = fixed(12);
    let mut h = Harness::new(plan, 7);
    h.advance_to(us(50));
    for station in 1..=3 {
        for _ in 0..4 {
            h.send_at(us(50), NicId(station), BEYOND);
        }
    }
    h.send_at(us(500), AP, mac(2));
    h.send_at(us(500), AP, MacAddress::BROADCAST);
    h.send_at(us(3000), AP, mac(1));
    h.settle();
    insta::assert_snapshot!(format!("{}\n\n{}", h.timeline(), h.actions().join("\n")));
}
