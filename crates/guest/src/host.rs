//! What the engine asks of the kernel, without the kernel's types.

use airtcp_air::NicId;

use crate::frames::KernelHandle;

/// The kernel side, as the engine sees it. Frames are opaque handles.
pub trait Host {
    /// A copy of the frame arrives at this NIC now.
    fn deliver(&mut self, nic: NicId, frame: KernelHandle);
    /// The frame has left its sender: it is completed, and its handle ends unless it is held.
    fn sent(&mut self, nic: NicId, frame: KernelHandle);
    /// The frame was lost for its sender: it is completed, and its handle ends unless it is held.
    fn dropped(&mut self, nic: NicId, frame: KernelHandle);
    /// A receiver needs the frame longer than its sender: one more [`Self::release`] ends its handle.
    fn hold(&mut self, frame: KernelHandle);
    /// A receiver no longer needs a frame it held.
    fn release(&mut self, frame: KernelHandle);
    /// Congestion: the frame's ECN field becomes CE. Its sender is not done with it, and nobody holds it.
    fn mark_ce(&mut self, frame: KernelHandle);
    /// An own copy of the frame, for the given NIC to send.
    fn relay(&mut self, nic: NicId, frame: KernelHandle) -> KernelHandle;
    /// The NIC takes no more frames.
    fn stop(&mut self, nic: NicId);
    /// The NIC takes frames again.
    fn wake(&mut self, nic: NicId);
}
