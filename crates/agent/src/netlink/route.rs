//! Routes (Linux `include/uapi/linux/rtnetlink.h`).

use std::net::IpAddr;

use super::Request;
use super::address::{Prefixed, octets};

/// Adds a unicast route by a next hop to the main table.
pub(crate) fn add_route(to: &Prefixed, via: IpAddr) -> Request {
    let fixed = [
        to.family(),
        to.length,
        0,
        0,
        libc::RT_TABLE_MAIN,
        libc::RTPROT_STATIC,
        libc::RT_SCOPE_UNIVERSE,
        libc::RTN_UNICAST,
        0,
        0,
        0,
        0,
    ];
    let create = (libc::NLM_F_CREATE | libc::NLM_F_EXCL) as u16;
    let request = Request::new(libc::RTM_NEWROUTE, create, &fixed);
    let request = if to.length > 0 { request.attribute(libc::RTA_DST, &octets(to.address)) } else { request };
    request.attribute(libc::RTA_GATEWAY, &octets(via))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::{find, replies};

    #[test]
    fn the_default_route_names_no_destination() {
        let route = |to| add_route(&Prefixed::parse(to).unwrap(), "10.0.0.1".parse().unwrap()).finish(1, 0);
        let default = route("0.0.0.0/0");
        let body = replies(&default).next().unwrap().body;
        assert_eq!(find(&body[12..], libc::RTA_DST), None);
        assert_eq!(find(&body[12..], libc::RTA_GATEWAY), Some(&[10, 0, 0, 1][..]));
        let other = route("10.1.0.0/16");
        assert_eq!(
            find(&replies(&other).next().unwrap().body[12..], libc::RTA_DST),
            Some(&[10, 1, 0, 0][..])
        );
    }
}
