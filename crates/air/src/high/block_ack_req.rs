//! The `BlockAckReq` that moves a receiver's window past an MPDU that was given up.
//!
//! Without it the receiver would hold what comes after until its timer ends (IEEE 802.11-2020, 10.25.6.7). As in mac80211
//! (`ieee80211_send_bar`, `ieee80211_check_pending_bar`) one that was not acknowledged is sent again when the
//! receiver has been heard next, that is after the next MPDU that it acknowledges.

/// What there is to say to one receiver for one TID. Of several new starts the newest holds: it says the others too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PendingBlockAckReq {
    /// The start that the outstanding one says.
    outstanding: Option<u16>,
    /// A newer start, or one that has to be said again.
    due: Option<u16>,
}

/// What to do about it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarRequest {
    /// Nothing.
    Nothing,
    /// Send one with this start.
    Send(u16),
    /// One is outstanding: it may say this start instead, if it has not been taken yet.
    Amend(u16),
}

impl PendingBlockAckReq {
    /// An MPDU was given up: the window must start after it.
    pub(super) fn advance(&mut self, start: u16) -> BarRequest {
        if let Some(said) = self.outstanding {
            let due = newest(self.due, start);
            self.due = Some(due);
            return BarRequest::Amend(newest(Some(said), due));
        }
        let start = newest(self.due.take(), start);
        self.outstanding = Some(start);
        BarRequest::Send(start)
    }

    /// The outstanding one was amended.
    pub(super) fn amended(&mut self, start: u16) {
        self.outstanding = Some(start);
        self.due = None;
    }

    /// The outstanding one is at its end.
    pub(super) fn done(&mut self, acked: bool) -> BarRequest {
        let said = self.outstanding.take().expect("a BlockAckReq that ends was outstanding");
        if acked {
            return self.due.take().map_or(BarRequest::Nothing, |start| self.advance(start));
        }
        self.due = Some(newest(self.due, said));
        BarRequest::Nothing
    }

    /// The receiver acknowledged an MPDU.
    #[inline]
    pub(super) fn heard(&mut self) -> BarRequest {
        match self.due {
            Some(start) if self.outstanding.is_none() => self.advance(start),
            _ => BarRequest::Nothing,
        }
    }
}

/// The later of two sequence numbers on their circle.
fn newest(one: Option<u16>, other: u16) -> u16 {
    match one {
        Some(one) if other.wrapping_sub(one) & 4095 >= 2048 => one,
        _ => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_outstanding_and_the_newest_start_wins() {
        let mut pending = PendingBlockAckReq::default();
        assert_eq!(pending.advance(6), BarRequest::Send(6));
        assert_eq!(pending.advance(8), BarRequest::Amend(8));
        assert_eq!(pending.advance(7), BarRequest::Amend(8));
        assert_eq!(pending.done(true), BarRequest::Send(8));
        assert_eq!(pending.done(true), BarRequest::Nothing);
    }

    #[test]
    fn what_was_amended_is_not_said_again() {
        let mut pending = PendingBlockAckReq::default();
        pending.advance(4095);
        assert_eq!(pending.advance(1), BarRequest::Amend(1));
        pending.amended(1);
        assert_eq!(pending.done(true), BarRequest::Nothing);
    }

    #[test]
    fn a_lost_one_is_said_again_when_the_receiver_is_heard() {
        let mut pending = PendingBlockAckReq::default();
        pending.advance(4000);
        assert_eq!(pending.heard(), BarRequest::Nothing);
        assert_eq!(pending.done(false), BarRequest::Nothing);
        assert_eq!(pending.heard(), BarRequest::Send(4000));
        assert_eq!(pending.heard(), BarRequest::Nothing);
        pending.done(false);
        // The numbers have gone round.
        assert_eq!(pending.advance(3), BarRequest::Send(3));
    }
}
