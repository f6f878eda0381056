//! An MPDU that is written as far as its bytes are known.

use super::fcs;

/// Appends an MPDU to a list. After the first unknown byte only lengths are counted: a capture can
/// be cut at the end, but has no holes.
#[derive(Debug)]
pub(super) struct CutMpdu<'a> {
    out: &'a mut Vec<u8>,
    /// Start of the MPDU in the list.
    begin: usize,
    bytes: u32,
    cut: bool,
}

impl<'a> CutMpdu<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        let begin = out.len();
        Self { out, begin, bytes: 0, cut: false }
    }

    /// Known bytes.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.put_head(bytes, bytes.len() as u32);
    }

    /// A part of which only the first bytes may be known.
    pub(super) fn put_head(&mut self, head: &[u8], bytes: u32) {
        if !self.cut {
            self.out.extend_from_slice(head);
        }
        self.cut |= (head.len() as u32) < bytes;
        self.bytes += bytes;
    }

    /// Zeros up to a multiple of four from `from` on.
    pub(super) fn pad(&mut self, from: u32) {
        let length = self.bytes - from;
        self.put(&[0; 3][..(length.next_multiple_of(4) - length) as usize]);
    }

    /// Length of the MPDU as built so far, in bytes.
    pub(super) const fn bytes(&self) -> u32 {
        self.bytes
    }

    /// What is left of its length is not known.
    pub(super) fn leave(&mut self, bytes: u32) {
        self.put_head(&[], bytes);
    }

    /// Ends it with its frame check sequence, which is wrong if its receiver could not read it. Its length.
    pub(super) fn end(mut self, bad_fcs: bool) -> u32 {
        let mut octets = if self.cut { [0; 4] } else { fcs::of(&self.out[self.begin..]) };
        if bad_fcs {
            octets = octets.map(|octet| !octet);
        }
        self.put(&octets);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_ends_what_is_written() {
        let mut out = vec![9];
        let mut mpdu = CutMpdu::new(&mut out);
        mpdu.put(&[1, 2]);
        mpdu.put_head(&[3], 10);
        mpdu.put(&[4]);
        mpdu.pad(2);
        assert_eq!(mpdu.end(false), 2 + 10 + 1 + 1 + 4);
        assert_eq!(out, [9, 1, 2, 3]);
    }

    #[test]
    fn a_whole_one_has_its_check_sequence() {
        for (bad, expected) in [(false, 0xcbf4_3926_u32), (true, !0xcbf4_3926)] {
            let mut out = vec![9];
            let mut mpdu = CutMpdu::new(&mut out);
            mpdu.put(b"12345");
            mpdu.put_head(b"6789", 4);
            assert_eq!(mpdu.end(bad), 13);
            assert_eq!(out[10..], expected.to_le_bytes());
        }
    }
}
