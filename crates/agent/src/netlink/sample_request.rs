//! A request of a generic netlink family, for tests.

use super::Request;
use super::generic::{HEADER_BYTES, header};
use super::message::{attributes, replies};

/// A request without attributes.
pub(crate) fn empty() -> Request {
    Request::new(30, 0, &header(0))
}

/// The attributes of a request, as the kernel would read them.
pub(crate) fn read(request: Request) -> Vec<(u16, Vec<u8>)> {
    let bytes = request.finish(1, 0);
    let body = replies(&bytes).next().unwrap().body;
    attributes(&body[HEADER_BYTES..]).map(|(kind, value)| (kind, value.to_vec())).collect()
}
