//! The engine's calls of the kernel, without the kernel's types.

use airtcp_air::NicId;

use crate::frames::KernelHandle;

/// The kernel, as the engine calls it. Frames are opaque handles.
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
    /// Congestion: the frame's ECN field becomes CE. Its sender has not completed it, and no receiver holds it.
    fn mark_ce(&mut self, frame: KernelHandle);
    /// A copy of the frame, which the given NIC sends.
    fn relay(&mut self, nic: NicId, frame: KernelHandle) -> KernelHandle;
    /// The NIC stops its queue.
    fn stop(&mut self, nic: NicId);
    /// The NIC wakes its queue.
    fn wake(&mut self, nic: NicId);
}
