//! Rate control: at which rate an attempt is sent.

use crate::phy::OfdmRate;

/// A rate control algorithm; a closed set, so that state is plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateControl {
    /// Always the same rate.
    Fixed(OfdmRate),
}

impl RateControl {
    /// The rate of the next unicast data PPDU.
    #[inline]
    pub(crate) const fn next(self) -> OfdmRate {
        match self {
            Self::Fixed(rate) => rate,
        }
    }
}
