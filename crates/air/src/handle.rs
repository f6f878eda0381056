//! Names for NICs and frames, and what all such names have in common.

/// A type whose values are places in lists of one kind: it converts to and from `usize`.
macro_rules! index_type {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident($integer:ty);) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name($visibility $integer);

        impl $name {
            /// Index in a list that has an entry for every handle.
            #[inline]
            $visibility const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$name> for usize {
            #[inline]
            fn from(value: $name) -> Self {
                value.index()
            }
        }

        impl From<usize> for $name {
            #[inline]
            fn from(index: usize) -> Self {
                Self(index as $integer)
            }
        }
    };
}
pub(crate) use index_type;

index_type! {
    /// A NIC, by its place in `air.nics` of the plan.
    pub struct NicId(u32);
}

index_type! {
    /// The caller's name for a frame: its place in the caller's table. The model only hands it back.
    pub struct FrameHandle(u64);
}
