//! Names for NICs and frames.

/// A NIC, by its place in `air.nics` of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NicId(pub u32);

impl NicId {
    /// Its place in a list that has an entry for every NIC.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<NicId> for usize {
    #[inline]
    fn from(nic: NicId) -> Self {
        nic.index()
    }
}

impl From<usize> for NicId {
    #[inline]
    fn from(index: usize) -> Self {
        Self(index as u32)
    }
}

/// The caller's name for a frame; the model only hands it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameHandle(pub u64);

impl FrameHandle {
    /// Its place in the caller's table of frames.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
