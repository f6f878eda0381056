//! The plan of tests.

use airtcp_plan::Plan;

/// That of [`airtcp_testing::split_plan`].
pub(super) fn split_plan() -> Plan {
    Plan::from_json(&airtcp_testing::split_plan::split_plan().to_string()).expect("the plan is accepted")
}
