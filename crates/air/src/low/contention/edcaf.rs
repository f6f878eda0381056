//! One EDCA function: the contender of a NIC in one access category (IEEE 802.11-2020, 10.23.2).

use airtcp_units::{Duration, Instant};

use super::access_function::AccessFunction;
use super::hearing::{GroupId, MemberId};
use crate::handle::index_type;
use crate::low::cell::BssId;
use crate::phy::Width;

/// EDCAFs of a NIC, the one of beacons among them.
pub(crate) const EDCAFS_PER_NIC: u32 = AccessFunction::COUNT as u32;

index_type! {
    /// An EDCAF: NIC times five plus access function.
    pub(crate) struct EdcafId(u32);
}

impl EdcafId {
    /// The EDCAF of this NIC for this function.
    #[inline]
    pub(crate) fn new(nic: MemberId, function: impl Into<AccessFunction>) -> Self {
        Self(nic.0 * EDCAFS_PER_NIC + function.into().index() as u32)
    }

    /// NIC of the EDCAF, among the members of its medium.
    #[inline]
    pub(crate) const fn member(self) -> MemberId {
        MemberId(self.0 / EDCAFS_PER_NIC)
    }

    /// Access function of the EDCAF in its NIC.
    #[inline]
    pub(crate) const fn function(self) -> AccessFunction {
        AccessFunction::ALL[(self.0 % EDCAFS_PER_NIC) as usize]
    }

    #[inline]
    pub(super) fn all_of(nic: MemberId) -> impl Iterator<Item = Self> {
        (nic.0 * EDCAFS_PER_NIC..(nic.0 + 1) * EDCAFS_PER_NIC).map(Self)
    }
}

/// When a backoff counter goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// At the end of each slot that was wholly idle (DCF; IEEE 802.11-2020, 10.3.4.3).
    WholeSlots,
    /// At each slot boundary, the end of AIFS being the first (EDCA; IEEE 802.11-2020, 10.23.2.4). On an idle medium
    /// access comes at the same time; but a slot that another takes has been counted, so each busy period costs
    /// an EDCAF one slot less than it costs a DCF station.
    Boundaries,
}

/// How an EDCAF waits before its backoff slots, and counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aifs {
    /// AIFS of its category (IEEE 802.11-2020, 10.3.2.3.6), or DIFS.
    pub(crate) duration: Duration,
    /// When the backoff counter goes down.
    pub(crate) counting: Counting,
}

impl Aifs {
    /// DIFS and whole slots.
    pub(crate) const fn dcf(difs: Duration) -> Self {
        Self { duration: difs, counting: Counting::WholeSlots }
    }

    /// This AIFS and slot boundaries.
    pub(crate) const fn edca(aifs: Duration) -> Self {
        Self { duration: aifs, counting: Counting::Boundaries }
    }

    /// Slots counted since `from`, if the medium is idle until `until`; `None` if counting has not begun by then.
    #[inline]
    pub(super) fn counted(self, from: Instant, until: Instant, slot: Duration) -> Option<u64> {
        if until < from {
            return None;
        }
        let passed = until.since(from).as_nanos();
        // Idle periods are short: the narrow division is several times faster.
        let slots = match (u32::try_from(passed), u32::try_from(slot.as_nanos())) {
            (Ok(passed), Ok(slot)) => u64::from(passed / slot),
            _ => passed / slot.as_nanos(),
        };
        Some(slots + u64::from(self.counting == Counting::Boundaries))
    }
}

/// Where an EDCAF is with its backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// No backoff is pending.
    Free,
    /// The EDCAF counts with its lane; its backoff ends at this count of the lane.
    Lane { ends_at: u64 },
    /// The EDCAF counts for itself in this idle period: `slots` slots from an instant on.
    Own { from: Instant, slots: u32 },
    /// A first frame without backoff waits for its AIFS and starts at `at`. If the medium does not stay idle, the
    /// backoff is the one drawn; none was drawn if it starts in the instant in which it came.
    First { at: Instant, drawn: Option<u32> },
    /// Slots are left, and counted when the group is idle again.
    Frozen { slots: u32 },
    /// Slots are left, and counted when the EDCAF has an AIFS again.
    Suspended { slots: u32 },
}

/// The state of an EDCAF.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    pub(super) standing: Standing,
    /// A frame waits for access.
    pub(super) waiting: bool,
    /// The EDCAF does not contend (AIFSN 0).
    pub(super) suspended: bool,
    /// Lane of the EDCAF in the group of its NIC.
    pub(super) lane: u32,
    /// Place in the heap of the lane, while the EDCAF waits there.
    pub(super) place: u32,
}

/// What the engine knows of a NIC, beside its group.
#[derive(Clone, Debug, Default)]
pub(super) struct Nic {
    pub(super) group: GroupId,
    /// Width of the PPDU that the NIC transmits; `None`: it does not transmit.
    pub(super) transmitting: Option<Width>,
    /// The BSS of that PPDU.
    pub(super) transmits_in: Option<BssId>,
    /// Members that hear the NIC with this width, and do not sense what it transmits now.
    pub(super) unsensed: Vec<MemberId>,
    /// Earliest instant at which AIFS of this NIC begins in this idle period, if it defers longer than its group.
    pub(super) apart: Option<Instant>,
}

/// Everybody, over all groups.
#[derive(Clone, Debug)]
pub(super) struct Members {
    pub(super) edcafs: Vec<Contender>,
    pub(super) nics: Vec<Nic>,
}

impl Members {
    /// The first EDCAF of a NIC for which this holds.
    #[inline]
    pub(super) fn find(&self, nic: MemberId, holds: impl Fn(&Contender) -> bool) -> Option<EdcafId> {
        let first = nic.0 * EDCAFS_PER_NIC;
        let all = &self.edcafs[first as usize..][..EDCAFS_PER_NIC as usize];
        all.iter().position(holds).map(|place| EdcafId(first + place as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border::AccessCategory;

    #[test]
    fn the_number_tells_nic_and_category() {
        let id = EdcafId::new(MemberId(7), AccessCategory::Video);
        assert_eq!((id.0, id.member(), id.function()), (37, MemberId(7), AccessCategory::Video.into()));
        let beacons = EdcafId::new(MemberId(7), AccessFunction::Beacons);
        assert_eq!((beacons.0, beacons.function()), (39, AccessFunction::Beacons));
        assert!(EdcafId::all_of(MemberId(7)).eq((35..40).map(EdcafId)));
    }

    #[test]
    fn a_dcf_station_counts_ends_of_slots_and_an_edcaf_their_beginnings() {
        let (slot, from) = (Duration::from_nanos(4), Instant::from_nanos(10));
        let counted = |aifs: Aifs, until| aifs.counted(from, Instant::from_nanos(until), slot);
        for (until, dcf, edca) in
            [(9, None, None), (10, Some(0), Some(1)), (13, Some(0), Some(1)), (14, Some(1), Some(2))]
        {
            assert_eq!(counted(Aifs::dcf(slot), until), dcf);
            assert_eq!(counted(Aifs::edca(slot), until), edca);
        }
    }

    #[test]
    fn long_idle_periods_are_counted_too() {
        let hour = Instant::from_nanos(3_600_000_000_000);
        let slots = Aifs::dcf(Duration::ZERO).counted(Instant::ZERO, hour, Duration::from_micros(9));
        assert_eq!(slots, Some(400_000_000));
    }
}
