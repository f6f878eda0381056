//! Which NICs receive the preamble of a PPDU that begins while others are on the air.
//!
//! A receiver is synchronised to one PPDU at a time. While it is, or while the NIC sends, it misses the preambles of others: they are
//! interference to it, and once its own PPDU has ended it senses no more of them than their energy (IEEE 802.11-2020, 17.3.10.6). By
//! capture it leaves its PPDU for a stronger one, whose preamble it receives then.
//!
//! Of PPDUs that begin within the time to detect a preamble a receiver takes the strongest. Only NICs that hear others by the preamble
//! alone must know at once which one that is; for all others the [`Decoder`] decides it when it is asked.

use airtcp_units::Instant;

use super::OnAir;
use super::carrier_sense::CarrierSense;
use super::decoding::{Decoder, Order};
use super::medium::{Medium, SensedPreambles};
use super::ppdu::Ppdu;
use super::station::MediumId;
use super::transmissions::Transmissions;
use crate::NicId;
use crate::channel::Channel;
use crate::low::contention::MemberId;

/// What a NIC does when a PPDU begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    /// The NIC receives nothing at present, and takes the PPDU.
    Hears,
    /// The NIC leaves another PPDU for this one (capture).
    Turns,
    /// The NIC misses the PPDU: it receives another and stays with that, sends, or cannot detect this one among others that it
    /// does not receive.
    Misses,
}

/// A PPDU that begins, and what is on the air already.
struct Beginning<'a> {
    decoder: &'a Decoder,
    carrier_sense: &'a CarrierSense,
    channel: &'a mut Channel,
    medium: &'a Medium,
    ppdus: &'a mut Transmissions,
    ppdu: &'a mut Ppdu,
}

impl Beginning<'_> {
    /// What a NIC does. That it misses a preamble is noted, except between PPDUs that begin together.
    fn course(&mut self, listener: NicId) -> Course {
        if self.ppdus[listener].on_air {
            return Course::Misses;
        }
        let Self { decoder, channel, medium, ppdus, ppdu, .. } = self;
        let receives = |channel: &mut Channel, &sender: &NicId| {
            decoder.receives(channel, &ppdus[sender], listener, ppdu.start)
        };
        let Some(&sender) = medium.on_air.iter().find(|sender| receives(channel, sender)) else {
            let others = medium.on_air.iter().map(|&sender| &ppdus[sender]);
            if decoder.detects_among(channel, ppdu, others, listener) {
                return Course::Hears;
            }
            ppdu.missed.insert(listener);
            return Course::Misses;
        };
        let other = &mut ppdus[sender];
        let takes = match Order::of(ppdu.start, other.start, decoder.preamble_detection()) {
            Order::Together => decoder.takes_of_two(channel, ppdu, other, listener),
            Order::After => {
                let captures = decoder.captures(channel, ppdu, other, listener);
                if !captures {
                    ppdu.missed.insert(listener);
                }
                captures
            }
            // The other has been announced, and begins later.
            Order::Before => {
                let takes = decoder.detects(channel, ppdu, listener);
                if takes && !decoder.captures(channel, other, ppdu, listener) {
                    other.missed.insert(listener);
                }
                takes
            }
        };
        if takes { Course::Turns } else { Course::Misses }
    }

    /// Whether a NIC hears what another sends by the preamble alone.
    fn by_preamble_only(&self, listener: NicId, ppdu: &Ppdu) -> bool {
        self.carrier_sense.hears_preamble_only(self.channel, listener, ppdu.from, ppdu.width)
    }

    /// Carrier sense of a NIC that hears others by the preamble alone, and does this.
    fn note(&self, member: MemberId, course: Course, sensed: &mut SensedPreambles) {
        let listener = self.medium.members[member];
        let is_sender = listener == self.ppdu.from;
        if course == Course::Misses && !is_sender && self.by_preamble_only(listener, self.ppdu) {
            sensed.unsensed.push(member);
        }
        if course == Course::Turns || is_sender {
            let contention = &self.medium.contention;
            let lost = self.medium.on_air.iter().map(|&sender| &self.ppdus[sender]).filter(|other| {
                contention.senses(member, other.place.member) && self.by_preamble_only(listener, other)
            });
            sensed.lost.extend(lost.map(|other| (member, other.place.member)));
        }
    }
}

impl OnAir {
    /// A PPDU begins while others are on the air. Notes who misses its preamble, and who turns from another to it.
    #[inline(never)]
    pub(super) fn meet_preambles(&mut self, ppdu: &mut Ppdu, m: MediumId, channel: &mut Channel) {
        let Self { media, ppdus, decoder, carrier_sense, sensed, .. } = self;
        let medium = &media[m];
        let detection = decoder.preamble_detection();
        let is_apart =
            |&other: &NicId| Order::of(ppdu.start, ppdus[other].start, detection) != Order::Together;
        let any_apart = medium.on_air.iter().any(is_apart);
        if !any_apart && !medium.any_by_preamble {
            return;
        }
        let sender = ppdu.from;
        let mut beginning = Beginning { decoder, carrier_sense, channel, medium, ppdus, ppdu };
        for (member, &listener) in medium.members.iter_enumerated() {
            let by_preamble = medium.by_preamble[member];
            if !medium.present[member] || !(any_apart || by_preamble) {
                continue;
            }
            let course = if listener == sender { Course::Misses } else { beginning.course(listener) };
            if by_preamble {
                beginning.note(member, course, sensed);
            }
        }
    }

    /// Members that have turned to another PPDU, or send themselves, do not sense what they sensed before.
    #[inline]
    pub(super) fn lose_carriers(&mut self, now: Instant, m: MediumId) {
        let SensedPreambles { unsensed, lost } = &mut self.sensed;
        unsensed.clear();
        for (listener, sender) in lost.drain(..) {
            self.media[m].contention.carrier_lost(now, listener, sender);
        }
    }
}
