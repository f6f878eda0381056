//! The frames between the kernel and the model: each is one of the kernel's and has a handle of the model.

use airtcp_air::high::Class;
use airtcp_air::{Action, Frame, FrameHandle, NicId};
use airtcp_plan::DscpMap;
use airtcp_units::Instant;

use crate::frame_hash::{Crossing, FrameHash, PartHashes};
use crate::frames::{Frames, KernelHandle, Travelling};
use crate::host::Host;

/// Gives the kernel's frames to the model, carries out what the model decides about them, and hashes what crosses.
pub struct Border<H> {
    host: H,
    frames: Frames,
    hash: FrameHash,
    /// Hashes of the parts, if the network is split.
    parts: Option<PartHashes>,
}

impl<H: Host> Border<H> {
    /// A border that no frame has crossed.
    pub fn new(host: H) -> Self {
        Self { host, frames: Frames::default(), hash: FrameHash::default(), parts: None }
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
        self.note(Crossing::Transmit, nic, now, frame.hash);
        self.admit(frame)
    }

    /// From now on there are hashes of the parts of a split network, too; by the part of each NIC. Before the first frame only.
    pub fn hash_parts(&mut self, of_nic: Vec<u32>) {
        self.parts = Some(PartHashes::new(of_nic));
    }

    #[inline]
    fn note(&mut self, what: Crossing, nic: NicId, now: Instant, frame: u64) {
        self.hash.add(what, nic.0, now.as_nanos(), frame);
        if let Some(parts) = &mut self.parts {
            parts.add(what, nic.0, now.as_nanos(), frame);
        }
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
                let Travelling { kernel, hash, .. } = *self.frames.get(frame);
                self.note(Crossing::Deliver, nic, now, hash);
                self.host.deliver(nic, kernel);
            }
            Action::Relay { nic, frame } => return Some((nic, self.relay(nic, frame))),
            Action::Hold { frame } => self.host.hold(self.frames.hold(frame).kernel),
            Action::Release { frame } => self.host.release(self.frames.release(frame).kernel),
            Action::Sent { nic, frame } => self.host.sent(nic, self.frames.end(frame).kernel),
            Action::Dropped { nic, frame, .. } => self.host.dropped(nic, self.frames.end(frame).kernel),
            Action::MarkCe { nic, frame } => {
                self.frames.mark_ce(frame);
                let Travelling { kernel, hash, .. } = *self.frames.get(frame);
                self.note(Crossing::Mark, nic, now, hash);
                self.host.mark_ce(kernel);
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

    /// The hashes of the parts of a split network.
    pub(crate) fn part_hashes(&self) -> Option<Vec<String>> {
        self.parts.as_ref().map(PartHashes::texts)
    }
}
