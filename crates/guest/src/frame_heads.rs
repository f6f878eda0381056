//! The first bytes of frames in transit, kept only if the air is captured.

/// Heads by the places of [`crate::frames::Frames`]; each place keeps its memory.
#[derive(Debug)]
pub(crate) struct FrameHeads {
    snap_bytes: usize,
    by_place: Vec<Vec<u8>>,
    /// Head of the frame that was read last and has no place yet.
    next: Vec<u8>,
}

impl FrameHeads {
    /// Keeps at most this many bytes of each frame.
    pub(crate) fn new(snap_bytes: usize) -> Self {
        Self { snap_bytes, by_place: Vec::new(), next: Vec::new() }
    }

    /// A frame is read that will get a place.
    pub(crate) fn read(&mut self, head: &[u8]) {
        self.next.clear();
        self.next.extend_from_slice(&head[..head.len().min(self.snap_bytes)]);
    }

    /// The frame that will get a place is a copy of this one.
    pub(crate) fn copy(&mut self, place: usize) {
        self.next.clear();
        self.next.extend_from_slice(&self.by_place[place]);
    }

    /// The frame that was read has this place.
    pub(crate) fn settle(&mut self, place: usize) {
        if self.by_place.len() <= place {
            self.by_place.resize_with(place + 1, Vec::new);
        }
        std::mem::swap(&mut self.by_place[place], &mut self.next);
    }

    /// The head of the frame at this place.
    pub(crate) fn get(&self, place: usize) -> &[u8] {
        &self.by_place[place]
    }

    /// The frame at this place has been marked: its ECN field becomes CE (RFC 3168, section 5), and the checksum of an IPv4 header
    /// changes with it (RFC 1624).
    pub(crate) fn mark_ce(&mut self, place: usize) {
        const CE: u8 = 0b11;
        let head = &mut self.by_place[place];
        let mut at = 12;
        while matches!(head.get(at..at + 2), Some([0x81, 0] | [0x88, 0xa8])) {
            at += 4;
        }
        match (head.get(at..at + 2), head.get(at + 2..).map_or(0, <[u8]>::len)) {
            (Some([8, 0]), 20..) => {
                let packet = &mut head[at + 2..];
                let added = u32::from(CE - (packet[1] & CE));
                packet[1] |= CE;
                let sum = u32::from(!u16::from_be_bytes([packet[10], packet[11]])) + added;
                let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
                packet[10..12].copy_from_slice(&checksum.to_be_bytes());
            }
            (Some([0x86, 0xdd]), 40..) => head[at + 3] |= CE << 4,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(frame: &[u8]) -> FrameHeads {
        let mut heads = FrameHeads::new(64);
        heads.read(frame);
        heads.settle(0);
        heads
    }

    #[test]
    fn places_keep_the_first_bytes_of_their_frames() {
        let mut heads = heads(&[1; 100]);
        heads.read(&[2; 10]);
        heads.settle(2);
        heads.copy(0);
        heads.settle(1);
        assert_eq!((heads.get(0), heads.get(1), heads.get(2)), (&[1; 64][..], &[1; 64][..], &[2; 10][..]));
    }

    fn sum(header: &[u8]) -> u16 {
        let words = header.chunks_exact(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]])));
        let sum: u32 = words.sum();
        ((sum & 0xffff) + (sum >> 16)) as u16
    }

    #[test]
    fn a_mark_keeps_the_checksum_right() {
        for (tags, ecn) in [(0, 0b01), (0, 0b10), (4, 0b10), (8, 0b11)] {
            let mut frame = vec![2; 12];
            (0..tags / 4).for_each(|_| frame.extend([0x81, 0, 0, 5]));
            frame.extend([
                8,
                0,
                0x45,
                0xb8 | ecn,
                5,
                0xdc,
                0,
                1,
                0x40,
                0,
                64,
                6,
                0,
                0,
                10,
                0,
                0,
                1,
                10,
                0,
                0,
                2,
            ]);
            let packet = 14 + tags;
            let checksum = !sum(&frame[packet..]);
            frame[packet + 10..packet + 12].copy_from_slice(&checksum.to_be_bytes());
            let mut heads = heads(&frame);
            heads.mark_ce(0);
            assert_eq!(heads.get(0)[packet + 1], 0xbb);
            assert_eq!(sum(&heads.get(0)[packet..]), 0xffff);
        }
    }

    #[test]
    fn ipv6_has_no_checksum() {
        let mut frame = vec![2; 12];
        frame.extend([0x86, 0xdd, 0x6b, 0x2f]);
        frame.resize(60, 0);
        let mut heads = heads(&frame);
        heads.mark_ce(0);
        assert_eq!(heads.get(0)[14..16], [0x6b, 0x3f]);
    }
}
