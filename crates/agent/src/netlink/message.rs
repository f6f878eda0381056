//! Requests to rtnetlink, and a reader of what it sends.
//!
//! Layout: `struct nlmsghdr`, the family's fixed header, then attributes
//! (`struct nlattr`, payload, padding to four bytes), all in the machine's byte
//! order (Linux `include/uapi/linux/netlink.h`, RFC 3549).

/// Length of `struct nlmsghdr`.
pub(crate) const HEADER_BYTES: usize = 16;
/// Length of `struct nlattr`.
const ATTRIBUTE_HEADER_BYTES: usize = 4;
/// Bits of `nla_type` that are flags (`NLA_F_NESTED`, `NLA_F_NET_BYTEORDER`).
const ATTRIBUTE_FLAGS: u16 = 0xc000;

/// Rounds up to netlink's alignment.
pub(super) const fn aligned(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// One request under construction.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    bytes: Vec<u8>,
}

impl Request {
    /// A request of this type (`RTM_...`) with these flags (`NLM_F_...`) and fixed header.
    pub(crate) fn new(kind: u16, flags: u16, fixed: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(256);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&kind.to_ne_bytes());
        bytes.extend_from_slice(&(flags | libc::NLM_F_REQUEST as u16).to_ne_bytes());
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(fixed);
        bytes.resize(aligned(bytes.len()), 0);
        Self { bytes }
    }

    /// Adds an attribute.
    pub(crate) fn attribute(mut self, kind: u16, value: &[u8]) -> Self {
        let length = (ATTRIBUTE_HEADER_BYTES + value.len()) as u16;
        self.bytes.extend_from_slice(&length.to_ne_bytes());
        self.bytes.extend_from_slice(&kind.to_ne_bytes());
        self.bytes.extend_from_slice(value);
        self.bytes.resize(aligned(self.bytes.len()), 0);
        self
    }

    /// Adds a byte.
    pub(crate) fn u8(self, kind: u16, value: u8) -> Self {
        self.attribute(kind, &[value])
    }

    /// Adds a number.
    pub(crate) fn u16(self, kind: u16, value: u16) -> Self {
        self.attribute(kind, &value.to_ne_bytes())
    }

    /// Adds a flag: an attribute without a payload.
    pub(crate) fn flag(self, kind: u16) -> Self {
        self.attribute(kind, &[])
    }

    /// Adds a number.
    pub(crate) fn u32(self, kind: u16, value: u32) -> Self {
        self.attribute(kind, &value.to_ne_bytes())
    }

    /// Adds a number.
    pub(crate) fn u64(self, kind: u16, value: u64) -> Self {
        self.attribute(kind, &value.to_ne_bytes())
    }

    /// Adds a text with its final zero.
    pub(crate) fn text(self, kind: u16, value: &str) -> Self {
        self.attribute(kind, &[value.as_bytes(), &[0]].concat())
    }

    /// Adds an attribute whose payload begins with `fixed` and goes on with the attributes that `fill` adds.
    pub(crate) fn nest(mut self, kind: u16, fixed: &[u8], fill: impl FnOnce(Self) -> Self) -> Self {
        let start = self.bytes.len();
        self = self.attribute(kind, fixed);
        self = fill(self);
        let length = (self.bytes.len() - start) as u16;
        self.bytes[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        self
    }

    /// The finished message with its sequence number and further flags.
    pub(crate) fn finish(mut self, sequence: u32, flags: u16) -> Vec<u8> {
        let length = self.bytes.len() as u32;
        self.bytes[0..4].copy_from_slice(&length.to_ne_bytes());
        let flags = flags | u16_at(&self.bytes, 6);
        self.bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        self.bytes[8..12].copy_from_slice(&sequence.to_ne_bytes());
        self.bytes
    }
}

/// One message from the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply<'a> {
    /// `nlmsg_type`.
    pub(crate) kind: u16,
    /// `nlmsg_flags`.
    pub(crate) flags: u16,
    /// `nlmsg_seq`.
    pub(crate) sequence: u32,
    /// What follows the header.
    pub(crate) body: &'a [u8],
}

/// The messages in one datagram. A malformed rest is not returned.
pub(crate) fn replies(mut datagram: &[u8]) -> impl Iterator<Item = Reply<'_>> {
    std::iter::from_fn(move || {
        let length = u32_at(datagram.get(..HEADER_BYTES)?, 0) as usize;
        let message = datagram.get(..length).filter(|m| m.len() >= HEADER_BYTES)?;
        datagram = datagram.get(aligned(length)..).unwrap_or_default();
        Some(Reply {
            kind: u16_at(message, 4),
            flags: u16_at(message, 6),
            sequence: u32_at(message, 8),
            body: &message[HEADER_BYTES..],
        })
    })
}

/// The attributes in a payload: type without flags, and value.
pub(crate) fn attributes(mut payload: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = u16_at(payload.get(..ATTRIBUTE_HEADER_BYTES)?, 0) as usize;
        let attribute = payload.get(..length).filter(|a| a.len() >= ATTRIBUTE_HEADER_BYTES)?;
        payload = payload.get(aligned(length)..).unwrap_or_default();
        Some((u16_at(attribute, 2) & !ATTRIBUTE_FLAGS, &attribute[ATTRIBUTE_HEADER_BYTES..]))
    })
}

/// The value of the first attribute of this type.
pub(crate) fn find(payload: &[u8], kind: u16) -> Option<&[u8]> {
    attributes(payload).find(|&(k, _)| k == kind).map(|(_, value)| value)
}

/// A text attribute without its final zero.
pub(crate) fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value.strip_suffix(&[0]).unwrap_or(value)).into_owned()
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|b| b.try_into().ok()).unwrap_or([0; N])
}

/// A number in a kernel structure; 0 where the kernel's structure is shorter.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(array_at(bytes, at))
}

/// A number in a kernel structure; 0 where the kernel's structure is shorter.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(array_at(bytes, at))
}

/// A number in a kernel structure; 0 where the kernel's structure is shorter.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(array_at(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_has_the_bytes_of_the_specification() {
        let bytes = Request::new(16, 0x500, &[1, 2, 3, 4]).text(3, "lo").finish(7, 4);
        let length: u32 = 16 + 4 + 8;
        let mut expected = length.to_ne_bytes().to_vec();
        expected.extend(16u16.to_ne_bytes());
        expected.extend(0x505u16.to_ne_bytes());
        expected.extend(7u32.to_ne_bytes());
        expected.extend([0; 4]);
        expected.extend([1, 2, 3, 4]);
        expected.extend(7u16.to_ne_bytes());
        expected.extend(3u16.to_ne_bytes());
        expected.extend(b"lo\0\0");
        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_nest_counts_its_fixed_part_and_its_attributes() {
        let bytes =
            Request::new(1, 0, &[]).nest(9, &[0xaa; 8], |r| r.u8(1, 5).u32(2, 6)).u8(3, 1).finish(0, 0);
        let (kind, nested) = attributes(&bytes[HEADER_BYTES..]).next().unwrap();
        assert_eq!((kind, nested.len()), (9, 8 + 8 + 8));
        assert_eq!(find(&nested[8..], 2), Some(&6u32.to_ne_bytes()[..]));
        assert_eq!(find(&bytes[HEADER_BYTES..], 3), Some(&[1][..]));
    }

    #[test]
    fn a_cut_datagram_gives_only_whole_messages() {
        let mut two = Request::new(1, 0, &[]).finish(1, 0);
        two.extend(Request::new(2, 0, &[0; 8]).finish(2, 0));
        two.pop();
        assert_eq!(replies(&two).map(|r| r.kind).collect::<Vec<_>>(), [1]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(values in prop::collection::vec((0u16..0x3fff, prop::collection::vec(any::<u8>(), 0..40)), 0..12)) {
            let request = values.iter().fold(Request::new(20, 0, &[0; 12]), |r, (k, v)| r.attribute(*k, v));
            let bytes = request.finish(3, 0);
            let read: Vec<Reply> = replies(&bytes).collect();
            prop_assert_eq!(read.len(), 1);
            let back: Vec<(u16, Vec<u8>)> = attributes(&read[0].body[12..]).map(|(k, v)| (k, v.to_vec())).collect();
            prop_assert_eq!(back, values);
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for reply in replies(&bytes) {
                attributes(reply.body).for_each(drop);
            }
        }
    }
}
