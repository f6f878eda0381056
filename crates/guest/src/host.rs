//! What the engine asks of the kernel, without the kernel's types.

use airtcp_air::NicId;

use crate::frames::KernelHandle;

/// The kernel side, as the engine sees it. Frames are opaque handles.
pub trait Host {
    /// A copy of the frame arrives at this NIC now.
    fn deliver(&mut self, nic: NicId, frame: KernelHandle);
    /// The frame has left the air; its handle ends.
    fn sent(&mut self, nic: NicId, frame: KernelHandle);
    /// The frame was lost for good; its handle ends.
    fn dropped(&mut self, nic: NicId, frame: KernelHandle);
    /// An own copy of the frame, for the given NIC to send.
    fn relay(&mut self, nic: NicId, frame: KernelHandle) -> KernelHandle;
    /// The NIC takes no more frames.
    fn stop(&mut self, nic: NicId);
    /// The NIC takes frames again.
    fn wake(&mut self, nic: NicId);
}
