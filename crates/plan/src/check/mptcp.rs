//! The path manager of MPTCP in a node.

use std::collections::BTreeSet;

use super::refusal::{Check, wrong};
use crate::{MPTCP_ADDRESSES_MAX, Mptcp, MptcpFlag, Node};

pub(super) fn check_mptcp(key: &str, node: &Node) -> Check {
    let Some(mptcp) = &node.mptcp else { return Ok(()) };
    check_numbers(key, mptcp)?;
    for (e, endpoint) in mptcp.endpoints.iter().enumerate() {
        let key = format!("{key}.endpoints[{e}]");
        let owners = [
            node.interfaces.iter().map(|own| (&own.name, &own.addresses)).collect::<Vec<_>>(),
            node.bridges.iter().map(|own| (&own.name, &own.addresses)).collect(),
        ]
        .concat();
        let own = format!("{}/", endpoint.address);
        if !owners.iter().any(|(name, addresses)| {
            **name == endpoint.interface && addresses.iter().any(|text| text.starts_with(&own))
        }) {
            let why = format!("{} is no address of {}", endpoint.address, endpoint.interface);
            return wrong(format!("{key}.address"), why);
        }
        let flags: BTreeSet<MptcpFlag> = endpoint.flags.iter().copied().collect();
        if flags.is_empty() || flags.len() < endpoint.flags.len() {
            return wrong(format!("{key}.flags"), "must be one or more, none twice");
        }
        if flags.contains(&MptcpFlag::Signal) && flags.contains(&MptcpFlag::Fullmesh) {
            return wrong(format!("{key}.flags"), "has signal and fullmesh, which Linux refuses together");
        }
    }
    Ok(())
}

fn check_numbers(key: &str, mptcp: &Mptcp) -> Check {
    let endpoints = mptcp.endpoints.len() as u32;
    let numbers = [
        ("subflows", mptcp.subflows),
        ("add_addr_accepted", mptcp.add_addr_accepted),
        ("endpoints", endpoints),
    ];
    match numbers.into_iter().find(|&(_, number)| number > MPTCP_ADDRESSES_MAX) {
        Some((name, _)) => wrong(format!("{key}.{name}"), format!("must be at most {MPTCP_ADDRESSES_MAX}")),
        None => Ok(()),
    }
}
