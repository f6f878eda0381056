//! A plan for tests: two hosts joined by a switch whose way to the second host is slow.

use airtcp_plan::Plan;

/// Sender `a`, switch `s` with a 10 Mb/s egress of 20 packets, receiver `b`.
pub(crate) fn two_hosts_and_a_switch() -> Plan {
    airtcp_testing::golden_plans::plan("two-hosts-and-a-switch")
}
