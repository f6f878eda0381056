//! What contends for the medium in a NIC.

use crate::border::AccessCategory;

/// AIFSN with which a station begins after PIFS (IEEE 802.11-2020, 10.3.2.3.4): SIFS and a slot.
pub(crate) const PIFS_AIFSN: u32 = 1;

/// What contends for the medium in a NIC, lowest priority first: the EDCAF of each access category, and the queue of beacons that
/// chips have beside them. DCF is the function of best effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AccessFunction {
    /// EDCAF of an access category.
    Category(AccessCategory),
    /// Queue of beacons, which follow PIFS without backoff.
    Beacons,
}

impl AccessFunction {
    /// Functions of a NIC.
    pub(crate) const COUNT: usize = AccessCategory::ALL.len() + 1;
    /// Every function, lowest priority first.
    pub(crate) const ALL: [Self; Self::COUNT] = {
        let [background, best_effort, video, voice] = AccessCategory::ALL;
        [
            Self::Category(background),
            Self::Category(best_effort),
            Self::Category(video),
            Self::Category(voice),
            Self::Beacons,
        ]
    };

    /// Index of the function in [`Self::ALL`].
    #[inline]
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Category(ac) => ac as usize,
            Self::Beacons => AccessCategory::ALL.len(),
        }
    }

    /// Access category of the function; beacons have none.
    #[inline]
    pub(crate) const fn category(self) -> Option<AccessCategory> {
        match self {
            Self::Category(ac) => Some(ac),
            Self::Beacons => None,
        }
    }
}

impl From<AccessCategory> for AccessFunction {
    #[inline]
    fn from(ac: AccessCategory) -> Self {
        Self::Category(ac)
    }
}
