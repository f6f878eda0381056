//! Addresses of interfaces (Linux `include/uapi/linux/if_addr.h`).

use std::net::IpAddr;

use super::Request;

/// An address with the length of its network's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefixed {
    /// The address.
    pub(crate) address: IpAddr,
    /// Length of the prefix.
    pub(crate) length: u8,
}

impl Prefixed {
    /// Reads `10.0.0.1/24`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let length = length.parse().ok().filter(|&l| l <= longest)?;
        Some(Self { address, length })
    }

    /// `AF_INET` or `AF_INET6`.
    pub(crate) fn family(&self) -> u8 {
        if self.address.is_ipv4() { libc::AF_INET as u8 } else { libc::AF_INET6 as u8 }
    }
}

/// The bytes of an address, as on the wire.
pub(crate) fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    }
}

/// Gives an interface an address. IPv6 addresses are used at once, without duplicate detection.
pub(crate) fn add_address(index: u32, address: &Prefixed) -> Request {
    let flags = if address.address.is_ipv6() { libc::IFA_F_NODAD as u8 } else { 0 };
    let mut fixed = vec![address.family(), address.length, flags, libc::RT_SCOPE_UNIVERSE];
    fixed.extend(index.to_ne_bytes());
    let create = (libc::NLM_F_CREATE | libc::NLM_F_EXCL) as u16;
    let octets = octets(address.address);
    Request::new(libc::RTM_NEWADDR, create, &fixed)
        .attribute(libc::IFA_LOCAL, &octets)
        .attribute(libc::IFA_ADDRESS, &octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_need_a_prefix_that_fits() {
        assert_eq!(Prefixed::parse("10.0.0.1/24").unwrap().length, 24);
        assert!(Prefixed::parse("fd00::1/64").is_some());
        for wrong in ["10.0.0.1", "10.0.0.1/33", "10.0.0/24", "10.0.0.1/-1", ""] {
            assert_eq!(Prefixed::parse(wrong), None, "{wrong}");
        }
    }
}
