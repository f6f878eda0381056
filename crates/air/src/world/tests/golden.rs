//! The golden timeline: a diff of it tells what a change does to the air.

use airtcp_plan::{CodeChoice, MacAddress, Reception};
use airtcp_testing::plans::{cell, mac};

use super::hosts::{AP, BEYOND, Hosts, us};
use super::plans::{allow_attempts, at_2_4_ghz, fixed, set_rssi};
use crate::NicId;

/// An 11g cell: sta1 near, sta2 too far for 54 Mbit/s to the access point though not for its
/// acknowledgements and broadcasts, sta3 slow. All start at once; the access point answers.
#[test]
fn a_small_cell() {
    let mut plan = cell(3);
    at_2_4_ghz(&mut plan);
    set_rssi(&mut plan, &[(0, 2, -81.0)]);
    plan.channel.reception = Reception::Table { code: CodeChoice::Bcc };
    allow_attempts(&mut plan.cells[0], 3);
    plan.nics[3].rate_control = fixed(12);
    let mut h = Hosts::new(plan, 7);
    h.advance_to(us(50));
    for station in 1..=3 {
        for _ in 0..4 {
            h.send_at(50, NicId(station), BEYOND);
        }
    }
    h.send_at(500, AP, mac(2));
    h.send_at(500, AP, MacAddress::BROADCAST);
    h.send_at(3000, AP, mac(1));
    h.settle();
    insta::assert_snapshot!(format!("{}\n\n{}", h.timeline().join("\n"), h.actions().join("\n")));
}
