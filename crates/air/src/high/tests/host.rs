//! A host that keeps the frames, and checks that the air keeps to the border's rules.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_plan::MacAddress;
use airtcp_testing::plans::mac;

use crate::high::{Action, Frame};
use crate::{FrameHandle, NicId};

/// A frame while it is on its way.
#[derive(Clone, Copy, Debug)]
struct Travelling {
    frame: Frame,
    nic: NicId,
    /// The order in which it was given, and its flow; kept over relays.
    label: u64,
    references: u32,
    ended: bool,
}

/// The host side of every NIC.
#[derive(Debug, Default)]
pub(super) struct Host {
    frames: BTreeMap<u64, Travelling>,
    next_handle: u64,
    next_label: u64,
    /// (receiver, label) in their order.
    pub(super) delivered: Vec<(NicId, u64)>,
    pub(super) sent: Vec<(NicId, u64)>,
    pub(super) dropped: Vec<(NicId, u64, &'static str)>,
    pub(super) marked: Vec<u64>,
    /// Frames given back to be forwarded: (by whom, the frame).
    pub(super) relays: Vec<(NicId, Frame)>,
    pub(super) stopped: BTreeSet<NicId>,
    /// Everything in words, for scripts.
    pub(super) log: Vec<String>,
}

impl Host {
    /// A new frame from a NIC's own host.
    pub(super) fn frame(&mut self, nic: NicId, to: MacAddress, bytes: u32) -> Frame {
        let label = self.next_label;
        self.next_label += 1;
        let frame = Frame {
            handle: FrameHandle(0),
            bytes,
            source: mac(nic.0),
            destination: to,
            priority: 0,
            flow: 1,
            ect: false,
        };
        self.register(nic, frame, label)
    }

    fn register(&mut self, nic: NicId, frame: Frame, label: u64) -> Frame {
        let frame = Frame { handle: FrameHandle(self.next_handle), ..frame };
        self.next_handle += 1;
        self.frames.insert(frame.handle.0, Travelling { frame, nic, label, references: 1, ended: false });
        frame
    }

    /// A test has changed a frame before it is given to the air.
    pub(super) fn note(&mut self, frame: &Frame) {
        self.frames.get_mut(&frame.handle.0).expect("a frame that is given lives").frame = *frame;
    }

    /// The number of a frame in the order in which it was first given.
    pub(super) fn label(&self, handle: FrameHandle) -> u64 {
        self.get(handle).label
    }

    fn get(&self, handle: FrameHandle) -> &Travelling {
        self.frames.get(&handle.0).unwrap_or_else(|| panic!("the air named {handle:?}, which has ended"))
    }

    /// Carries out actions in their order.
    pub(super) fn carry_out(&mut self, actions: &mut Vec<Action>) {
        for action in actions.drain(..) {
            let word = self.carry_out_one(action);
            self.log.push(word);
        }
    }

    fn carry_out_one(&mut self, action: Action) -> String {
        match action {
            Action::Deliver { nic, frame } => {
                let label = self.label(frame);
                self.delivered.push((nic, label));
                format!("deliver {label} to {}", nic.0)
            }
            Action::Relay { nic, frame } => {
                let Travelling { frame, label, .. } = *self.get(frame);
                let copy = self.register(nic, frame, label);
                self.relays.push((nic, copy));
                format!("relay {label} by {}", nic.0)
            }
            Action::Hold { frame } => {
                self.frames.get_mut(&frame.0).expect("a frame that is held lives").references += 1;
                format!("hold {}", self.label(frame))
            }
            Action::Release { frame } => {
                let label = self.label(frame);
                self.unreference(frame);
                format!("release {label}")
            }
            Action::Sent { nic, frame } => {
                let label = self.end(nic, frame);
                self.sent.push((nic, label));
                format!("sent {label} of {}", nic.0)
            }
            Action::Dropped { nic, frame, reason } => {
                let label = self.end(nic, frame);
                self.dropped.push((nic, label, reason.name()));
                format!("dropped {label} of {}: {reason}", nic.0)
            }
            Action::MarkCe { nic, frame } => {
                let travelling = self.get(frame);
                assert!(
                    travelling.frame.ect && !travelling.ended && travelling.nic == nic,
                    "marked {frame:?}"
                );
                self.marked.push(travelling.label);
                format!("mark {}", self.label(frame))
            }
            Action::Stop { nic } => {
                assert!(self.stopped.insert(nic), "stopped twice");
                format!("stop {}", nic.0)
            }
            Action::Wake { nic } => {
                assert!(self.stopped.remove(&nic), "woken while awake");
                format!("wake {}", nic.0)
            }
        }
    }

    /// The sender's last action.
    fn end(&mut self, nic: NicId, handle: FrameHandle) -> u64 {
        let travelling = self.frames.get_mut(&handle.0).expect("a frame that ends lives");
        assert!(!travelling.ended && travelling.nic == nic, "{handle:?} ended twice, or at another NIC");
        travelling.ended = true;
        let label = travelling.label;
        self.unreference(handle);
        label
    }

    fn unreference(&mut self, handle: FrameHandle) {
        let travelling = self.frames.get_mut(&handle.0).expect("a frame that is released lives");
        travelling.references -= 1;
        if travelling.references == 0 {
            assert!(travelling.ended, "{handle:?} is gone, but its sender still has it");
            self.frames.remove(&handle.0);
        }
    }

    /// Frames that have not ended.
    pub(super) fn living(&self) -> usize {
        self.frames.len()
    }

    /// What happened since the last call.
    pub(super) fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
}
