//! Bursts on one connection: where each begins and ends in its stream of bytes, and what the receiver has taken.
//!
//! The receiver must not wake up for each segment. It reads what the sender has written so far, in one piece, and learns
//! where a burst ends from here, when it ends.

use crate::Transfer;

/// Where a burst lies in the connection's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    begin: u64,
    end: Option<u64>,
}

/// What the receiver should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Wait until more is written.
    Nothing,
    /// See when the first byte of a burst comes.
    FirstByte,
    /// Take so many bytes, all of which will come.
    Bytes(u64),
    /// Nothing is written any more: see the end of the connection.
    End,
}

/// The account of a connection's bursts, which its two ends share.
#[derive(Clone, Debug, Default)]
pub struct Bursts {
    written: u64,
    taken: u64,
    /// When the receiver took something last.
    taken_ns: u64,
    spans: Vec<Span>,
    transfers: Vec<Transfer>,
    /// The burst that the receiver is at.
    current: usize,
    closed: bool,
}

impl Bursts {
    /// The sender begins a burst.
    pub fn begin(&mut self, now_ns: u64) {
        self.spans.push(Span { begin: self.written, end: None });
        self.transfers.push(Transfer::asked(now_ns));
    }

    /// The sender has written so much of it.
    pub fn wrote(&mut self, bytes: u64) {
        self.written += bytes;
    }

    /// The sender ends the burst. One in which nothing was written (the send buffer was full all the time) never was.
    pub fn end(&mut self) {
        let span = self.spans.last_mut().expect("a burst has begun");
        if span.begin == self.written {
            self.spans.pop();
            self.transfers.pop();
            return;
        }
        span.end = Some(self.written);
        // Before the sender knew, all of it may have come.
        self.complete();
    }

    /// The sender writes no more.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// What the receiver should do now.
    pub fn want(&self) -> Want {
        let Some(span) = self.spans.get(self.current) else {
            return if self.closed { Want::End } else { Want::Nothing };
        };
        let known = span.end.unwrap_or(self.written) - self.taken;
        match known {
            0 => Want::Nothing,
            _ if self.taken == span.begin && self.transfers[self.current].first_byte_ns < 0 => {
                Want::FirstByte
            }
            _ => Want::Bytes(known),
        }
    }

    /// The first byte of a burst has arrived.
    pub fn first_byte(&mut self, now_ns: u64) {
        self.transfers[self.current].first_byte_ns = now_ns.cast_signed();
    }

    /// The receiver has read so many bytes.
    pub fn took(&mut self, bytes: u64, now_ns: u64) {
        self.taken += bytes;
        self.taken_ns = now_ns;
        self.complete();
    }

    fn complete(&mut self) {
        if self.spans.get(self.current).is_some_and(|span| span.end == Some(self.taken)) {
            self.transfers[self.current].end_ns = self.taken_ns.cast_signed();
            self.current += 1;
        }
    }

    /// Bytes that the receiver has read.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The bursts that have ended since the last call, in their order; they are forgotten here.
    pub fn take_ended(&mut self) -> impl Iterator<Item = Transfer> {
        let ended = std::mem::take(&mut self.current);
        let spans = self.spans.drain(..ended).zip(self.transfers.drain(..ended));
        spans.map(|(span, transfer)| Transfer {
            bytes: span.end.expect("it has ended") - span.begin,
            ..transfer
        })
    }

    /// The bursts that have not been taken, in their order.
    pub fn transfers(&self) -> Vec<Transfer> {
        let spans = self.spans.iter().zip(&self.transfers);
        let with_bytes = spans.map(|(span, transfer)| Transfer {
            bytes: span.end.unwrap_or(self.written) - span.begin,
            ..*transfer
        });
        with_bytes.filter(|transfer| transfer.bytes > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(bursts: &Bursts) -> Vec<(i64, i64, i64, u64)> {
        bursts.transfers().iter().map(|t| (t.asked_ns, t.first_byte_ns, t.end_ns, t.bytes)).collect()
    }

    #[test]
    fn a_burst_ends_with_its_last_byte() {
        let mut bursts = Bursts::default();
        assert_eq!(bursts.want(), Want::Nothing);
        bursts.begin(100);
        bursts.wrote(3_000);
        assert_eq!(bursts.want(), Want::FirstByte);
        bursts.first_byte(150);
        assert_eq!(bursts.want(), Want::Bytes(3_000));
        bursts.wrote(1_000);
        bursts.end();
        bursts.took(3_000, 180);
        // The next burst is written before the first has come.
        bursts.begin(190);
        bursts.wrote(500);
        assert_eq!(bursts.want(), Want::Bytes(1_000));
        bursts.took(1_000, 200);
        assert_eq!(bursts.want(), Want::FirstByte);
        assert_eq!(times(&bursts), [(100, 150, 200, 4_000), (190, -1, -1, 500)]);
        let ended: Vec<_> = bursts.take_ended().map(|t| (t.end_ns, t.bytes)).collect();
        assert_eq!(ended, [(200, 4_000)]);
        // What is left goes on as before.
        assert_eq!(times(&bursts), [(190, -1, -1, 500)]);
        assert_eq!(bursts.want(), Want::FirstByte);
        bursts.end();
        bursts.took(500, 230);
        assert_eq!(bursts.take_ended().map(|t| (t.end_ns, t.bytes)).collect::<Vec<_>>(), [(230, 500)]);
        assert_eq!((times(&bursts), bursts.want()), (vec![], Want::Nothing));
    }

    #[test]
    fn what_has_come_before_the_burst_ended_ends_it() {
        let mut bursts = Bursts::default();
        bursts.begin(100);
        bursts.wrote(10);
        bursts.first_byte(110);
        bursts.took(10, 120);
        assert_eq!(bursts.want(), Want::Nothing);
        bursts.end();
        bursts.close();
        assert_eq!(bursts.want(), Want::End);
        assert_eq!(times(&bursts), [(100, 110, 120, 10)]);
        assert_eq!(bursts.taken(), 10);
    }

    #[test]
    fn a_burst_without_a_byte_never_was() {
        let mut bursts = Bursts::default();
        bursts.begin(100);
        bursts.end();
        assert_eq!(bursts.transfers(), []);
        bursts.begin(200);
        assert_eq!(bursts.transfers(), []);
        assert_eq!(bursts.want(), Want::Nothing);
    }
}
