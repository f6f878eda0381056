//! The frames between the kernel and the model: each is one of the kernel's and has a handle of the model.

use airtcp_air::high::{Class, DscpMap};
use airtcp_air::{Action, Frame, FrameHandle, NicId};
use airtcp_units::Instant;

use crate::frame_hash::{Crossing, FrameHash};
use crate::frames::{Frames, KernelHandle, Travelling};
use crate::host::Host;

/// Gives the kernel's frames to the model, carries out what the model decides about them, and hashes what crosses.
pub struct Border<H> {
    host: H,
    frames: Frames,
    hash: FrameHash,
}

impl<H: Host> Border<H> {
    /// A border that no frame has crossed.
    pub fn new(host: H) -> Self {
        Self { host, frames: Frames::default(), hash: FrameHash::default() }
    }

    /// Keeps this many first bytes of each frame from now on, for a capture.
    pub fn keep_heads(&mut self, snap_bytes: usize) {
        self.frames.keep_heads(snap_bytes);
    }

    /// Priorities of frames that are read from now on follow this map of DSCP.
    pub const fn set_dscp_map(&mut self, map: DscpMap) {
        self.frames.set_dscp_map(map);
    }

    /// Reads a frame of the kernel, which it sends next.
    pub fn read(&mut self, kernel: KernelHandle, head: &[u8], bytes: u32, skb_priority: u32) -> Travelling {
        self.frames.read(kernel, head, bytes, skb_priority)
    }

    /// The kernel sends a frame: as the model gets it.
    pub fn send(&mut self, nic: NicId, frame: Travelling, now: Instant) -> Frame {
        self.hash.add(Crossing::Transmit, nic.0, now.as_nanos(), frame.hash);
        self.admit(frame)
    }

    fn admit(&mut self, frame: Travelling) -> Frame {
        let Travelling { bytes, source, destination, class: Class { priority, flow, ect }, .. } = frame;
        let handle = self.frames.insert(frame);
        Frame { handle, bytes, source, destination, priority, flow, ect }
    }

    /// Carries out one action. Returns a relayed frame, which the model then has to send with this NIC.
    pub fn carry_out(&mut self, action: Action, now: Instant) -> Option<(NicId, Frame)> {
        match action {
            Action::Deliver { nic, frame } => {
                let frame = self.frames.get(frame);
                self.hash.add(Crossing::Deliver, nic.0, now.as_nanos(), frame.hash);
                self.host.deliver(nic, frame.kernel);
            }
            Action::Relay { nic, frame } => return Some((nic, self.relay(nic, frame))),
            Action::Hold { frame } => self.host.hold(self.frames.hold(frame).kernel),
            Action::Release { frame } => self.host.release(self.frames.release(frame).kernel),
            Action::Sent { nic, frame } => self.host.sent(nic, self.frames.end(frame).kernel),
            Action::Dropped { nic, frame, .. } => self.host.dropped(nic, self.frames.end(frame).kernel),
            Action::MarkCe { nic, frame } => {
                self.frames.mark_ce(frame);
                let frame = self.frames.get(frame);
                self.hash.add(Crossing::Mark, nic.0, now.as_nanos(), frame.hash);
                self.host.mark_ce(frame.kernel);
            }
            Action::Stop { nic } => self.host.stop(nic),
            Action::Wake { nic } => self.host.wake(nic),
        }
        None
    }

    fn relay(&mut self, nic: NicId, frame: FrameHandle) -> Frame {
        let kernel = self.host.relay(nic, self.frames.get(frame).kernel);
        let copy = self.frames.copy(kernel, frame);
        self.admit(copy)
    }

    /// Frames that are on their way.
    pub fn frames(&self) -> &Frames {
        &self.frames
    }

    /// The hash over everything that crossed, with that of mac80211's MPDUs.
    pub(crate) fn hash_text(&self, of_radios: Option<u64>) -> String {
        self.hash.text(of_radios)
    }
}
