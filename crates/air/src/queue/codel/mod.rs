//! `CoDel`: drops from a flow whose frames have stayed too long, for too long (RFC 8289), as Linux computes it
//! (`include/net/codel_impl.h`).

use airtcp_units::{Duration, Instant};

/// What a flow's delay is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodelTarget {
    /// Delay that a standing queue may have.
    pub(super) target: Duration,
    /// Time within which the delay must fall below the target once.
    pub(super) interval: Duration,
    /// Whether ECN-capable frames are marked instead of dropped.
    pub(super) ecn: bool,
}

/// A frame, as `CoDel` handles it.
pub(super) trait Packet {
    /// Time at which the frame arrived.
    fn since(&self) -> Instant;
    /// Whether the frame may be marked (ECN-capable).
    fn ect(&self) -> bool;
}

/// A flow's frames, as `CoDel` needs them.
pub(super) trait CodelFlow {
    /// A handle of a frame.
    type Packet: Packet;
    /// Takes the first frame.
    fn pop(&mut self) -> Option<Self::Packet>;
    /// Whether no frame is left.
    fn is_empty(&self) -> bool;
    /// Drops a frame that was dequeued.
    fn drop(&mut self, packet: &Self::Packet);
    /// Marks a frame that was dequeued.
    fn mark(&mut self, packet: &Self::Packet);
}

/// 1 as the 16 bits that Linux keeps of 1 / sqrt(count).
const ONE: u16 = u16::MAX;

/// The number of intervals after the end of dropping within which a flow resumes the old rate (RFC 8289, 5.6).
const REMEMBERED_INTERVALS: u64 = 16;

/// The state of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Codel {
    /// Drops since it began to drop.
    count: u32,
    /// `count` when it last began.
    last_count: u32,
    dropping: bool,
    /// 1 / sqrt(count), in 1/65536.
    inverse_root: u16,
    /// When the delay will have been above the target for an interval.
    first_above: Option<Instant>,
    drop_next: Instant,
}

impl Codel {
    /// State of a flow that had no frame so far.
    pub(super) const NEW: Self = Self {
        count: 0,
        last_count: 0,
        dropping: false,
        inverse_root: 0,
        first_above: None,
        drop_next: Instant::ZERO,
    };

    /// Whether the frame that was taken first is sent as it is, if there is one. `last`: no frame is left behind it.
    #[inline]
    pub(super) fn passes(
        &mut self,
        now: Instant,
        target: CodelTarget,
        packet: Option<&impl Packet>,
        last: bool,
    ) -> bool {
        let passes = !self.stays_above(now, target, packet, last);
        self.dropping &= !passes;
        passes
    }

    /// The next frame to send where the one that was taken first does not pass, after dropping or marking what the law demands. It
    /// never drops a flow's last frame.
    pub(super) fn control<F: CodelFlow>(
        &mut self,
        now: Instant,
        target: CodelTarget,
        packet: Option<F::Packet>,
        flow: &mut F,
    ) -> Option<F::Packet> {
        if self.dropping {
            self.go_on(now, target, packet, flow)
        } else {
            self.begin(now, target, packet, flow)
        }
    }

    /// Whether the delay has been above the target for an interval. `last`: no frame is left behind this one, so there
    /// is no standing queue (Linux's mac80211 leaves the smallest backlog, one MTU in RFC 8289, at 0).
    #[inline]
    fn stays_above(
        &mut self,
        now: Instant,
        target: CodelTarget,
        packet: Option<&impl Packet>,
        last: bool,
    ) -> bool {
        let is_above = packet.is_some_and(|packet| now.since(packet.since()) >= target.target && !last);
        if !is_above {
            self.first_above = None;
            return false;
        }
        now > *self.first_above.get_or_insert(now + target.interval)
    }

    /// Drops as often as is due by now.
    fn go_on<F: CodelFlow>(
        &mut self,
        now: Instant,
        target: CodelTarget,
        mut packet: Option<F::Packet>,
        flow: &mut F,
    ) -> Option<F::Packet> {
        while self.dropping && now >= self.drop_next {
            self.count = self.count.wrapping_add(1);
            self.approach_root();
            if Self::marks(target, packet.as_ref(), flow) {
                self.drop_next = self.next_after(self.drop_next, target);
                break;
            }
            packet = Self::drop(packet.as_ref(), flow);
            if self.stays_above(now, target, packet.as_ref(), flow.is_empty()) {
                self.drop_next = self.next_after(self.drop_next, target);
            } else {
                self.dropping = false;
            }
        }
        packet
    }

    /// The first drop after a while: with the old rate, if the while was short.
    fn begin<F: CodelFlow>(
        &mut self,
        now: Instant,
        target: CodelTarget,
        mut packet: Option<F::Packet>,
        flow: &mut F,
    ) -> Option<F::Packet> {
        if !Self::marks(target, packet.as_ref(), flow) {
            packet = Self::drop(packet.as_ref(), flow);
            self.stays_above(now, target, packet.as_ref(), flow.is_empty());
        }
        self.dropping = true;
        let since_last_time = self.count.wrapping_sub(self.last_count);
        if since_last_time > 1 && now < self.drop_next + target.interval * REMEMBERED_INTERVALS {
            self.count = since_last_time;
            self.approach_root();
        } else {
            self.count = 1;
            self.inverse_root = ONE;
        }
        self.last_count = self.count;
        self.drop_next = self.next_after(now, target);
        packet
    }

    /// Marks a frame if it may be.
    fn marks<F: CodelFlow>(target: CodelTarget, packet: Option<&F::Packet>, flow: &mut F) -> bool {
        match packet {
            Some(packet) if target.ecn && packet.ect() => {
                flow.mark(packet);
                true
            }
            _ => false,
        }
    }

    /// Drops a frame and dequeues the next.
    fn drop<F: CodelFlow>(packet: Option<&F::Packet>, flow: &mut F) -> Option<F::Packet> {
        flow.drop(packet.expect("the last frame of a flow is not dropped"));
        flow.pop()
    }

    /// The control law: `interval / sqrt(count)` later.
    #[inline]
    fn next_after(&self, from: Instant, target: CodelTarget) -> Instant {
        from + Duration::from_nanos((target.interval.as_nanos() * u64::from(self.inverse_root)) >> 16)
    }

    /// One step of Newton's method towards 1 / sqrt(count), x <- x (3 - count x^2) / 2, as Linux takes one with each
    /// drop and keeps 16 bits of it.
    #[inline]
    fn approach_root(&mut self) {
        let x = u64::from(self.inverse_root) << 16;
        let square = (x * x) >> 32;
        let factor = (3_u64 << 32).wrapping_sub(u64::from(self.count).wrapping_mul(square));
        self.inverse_root = (((factor >> 2) * x) >> 31 >> 16) as u16;
    }
}

#[cfg(test)]
impl Codel {
    /// Takes the next frame to send.
    fn dequeue<F: CodelFlow>(
        &mut self,
        now: Instant,
        target: CodelTarget,
        flow: &mut F,
    ) -> Option<F::Packet> {
        let packet = flow.pop();
        if self.passes(now, target, packet.as_ref(), flow.is_empty()) {
            return packet;
        }
        self.control(now, target, packet, flow)
    }
}

#[cfg(test)]
mod tests;
