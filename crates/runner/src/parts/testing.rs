//! The plan of tests.

use airtcp_plan::Plan;

/// The plan of [`airtcp_testing::split_plan`], read.
pub(super) fn split_plan() -> Plan {
    Plan::from_json(&airtcp_testing::split_plan::split_plan().to_string()).expect("the plan is accepted")
}
