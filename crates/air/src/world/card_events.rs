//! What happens at cards while the lower half runs, for [`super::interrupts`].

use airtcp_plan::AirPlan;

use crate::NicId;
use crate::border::{Mpdu, MpduFate, MpduKind, Receiver};

/// An MPDU whose frames are to be completed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    pub(super) mpdu: Mpdu,
    pub(super) fate: MpduFate,
}

/// Something that a card does with frames.
#[derive(Clone, Copy, Debug)]
pub(super) enum CardEvent {
    /// MPDUs arrived at a radio of mac80211, whose driver keeps them until the interrupt.
    Heard { nic: NicId, mpdus: u32 },
    /// An MPDU is at its end for the card.
    Completed { nic: NicId, completion: Completion },
    /// Data was carried, at a card that moderates under load.
    Carried { nic: NicId, mpdus: u32, octets: u64, sent: bool },
}

/// What the interrupts of a card need to know.
#[derive(Clone, Copy, Debug)]
struct Card {
    receives_late: bool,
    completes_late: bool,
    measures_load: bool,
}

/// Events of all cards, in their order; the world hands them on after each call of the lower half.
#[derive(Debug)]
pub(super) struct CardEvents {
    cards: Vec<Card>,
    /// Whether any card has an event at all.
    pub(super) any: bool,
    pub(super) events: Vec<CardEvent>,
}

impl CardEvents {
    /// The cards of a plan's NICs, without events.
    pub(super) fn new(plan: &AirPlan) -> Self {
        let card = |nic: &airtcp_plan::AirNic| Card {
            receives_late: nic.card.receives_late(),
            completes_late: nic.card.completes_late(),
            measures_load: nic.card.moderations().any(|moderation| moderation.load.is_some()),
        };
        let cards: Vec<_> = plan.nics.iter().map(card).collect();
        let any = cards.iter().any(|card| card.receives_late || card.completes_late);
        Self { cards, any, events: Vec::new() }
    }

    /// MPDUs arrived at a NIC; `mac80211`: at a radio of it. Beacons raise their own interrupt (ath9k has a queue without moderation for
    /// them).
    pub(super) fn arrived(&mut self, nic: NicId, mpdus: &[Mpdu], mac80211: bool) {
        let Card { receives_late, measures_load, .. } = self.cards[nic.index()];
        if mac80211 && receives_late {
            let waits = mpdus.iter().filter(|mpdu| mpdu.kind != MpduKind::Beacon).count() as u32;
            if waits > 0 {
                self.events.push(CardEvent::Heard { nic, mpdus: waits });
            }
        }
        if measures_load {
            let own = mpdus.iter().filter(|mpdu| mpdu.receiver == Receiver::One(nic));
            self.carried(nic, own, false);
        }
    }

    /// An MPDU is at its end for the card; true if its frames are to be completed later. Only data waits.
    pub(super) fn ended(&mut self, nic: NicId, mpdu: &Mpdu, fate: MpduFate) -> bool {
        let Card { completes_late, measures_load, .. } = self.cards[nic.index()];
        if measures_load && matches!(mpdu.receiver, Receiver::One(_)) && fate != MpduFate::Purged {
            self.carried(nic, std::iter::once(mpdu), true);
        }
        let waits = completes_late && mpdu.kind.carries_data();
        if waits {
            let completion = Completion { mpdu: *mpdu, fate };
            self.events.push(CardEvent::Completed { nic, completion });
        }
        waits
    }

    fn carried<'m>(&mut self, nic: NicId, mpdus: impl Iterator<Item = &'m Mpdu>, sent: bool) {
        let data = mpdus.filter(|mpdu| mpdu.kind.carries_data());
        let (mpdus, octets) = data.fold((0, 0), |(n, sum), mpdu| (n + 1, sum + u64::from(mpdu.bytes)));
        if mpdus > 0 {
            self.events.push(CardEvent::Carried { nic, mpdus, octets, sent });
        }
    }
}
