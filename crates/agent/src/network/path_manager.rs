//! The path manager of MPTCP in a node, as its plan has it.

use airtcp_plan::Node;

use super::layout::NodeLayout;
use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::netlink::generic::Family;
use crate::netlink::{Batch, Netlink, mptcp_pm, refused};

/// Sets limits and endpoints, in the namespace of the calling thread.
///
/// # Errors
/// The kernel has no MPTCP, or refuses.
pub(super) fn configure(n: usize, node: &Node, layout: &NodeLayout) -> Outcome<()> {
    let Some(mptcp) = &node.mptcp else { return Ok(()) };
    let place = format!("nodes[{n}].mptcp");
    let failed = because("the path manager of MPTCP can't be reached", &place, KERNEL_REMEDY);
    let opened = Netlink::open_generic().and_then(|mut netlink| {
        let family = Family::of_name(&mut netlink, mptcp_pm::NAME)?;
        Ok((netlink, family))
    });
    let (mut netlink, family) = opened.map_err(failed)?;
    let family = family.ok_or_else(|| failure("this kernel has no MPTCP", &place, KERNEL_REMEDY))?;
    let mut batch = Batch::default();
    batch.add("set limits of MPTCP", &place, mptcp_pm::set_limits(&family, mptcp));
    for (e, endpoint) in mptcp.endpoints.iter().enumerate() {
        let device = layout.devices().find(|device| device.name == endpoint.interface);
        let index = device.expect("the plan was checked").index;
        let what = format!("make {} an endpoint of MPTCP", endpoint.address);
        let request = mptcp_pm::add_endpoint(&family, endpoint, index);
        batch.add(what, format!("{place}.endpoints[{e}]"), request);
    }
    netlink.execute(batch).map_err(refused)
}
