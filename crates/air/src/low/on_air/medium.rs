//! One medium: NICs whose channels have something to do with each other, which of them hear which others, and what is on the air.

use airtcp_units::{Duration, Instant};
use typed_index_collections::{TiSlice, TiVec, ti_vec};

use super::carrier_sense::CarrierSense;
use super::overlap::{Emitted, Overlap};
use super::ppdu::Ppdu;
use crate::NicId;
use crate::channel::Channel;
use crate::low::cell::CellId;
use crate::low::contention::{Contention, GroupId, Hearing, HearingScene, MemberId};
use crate::phy::{Format, Width};

/// What has ended is remembered for as long as somebody may ask: PIFS, and the slowest OFDM RTS that is answered (52 us).
pub(super) const MEMORY: Duration = Duration::from_micros(100);

/// What one NIC, or the most that a group of them, decodes of a PPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Heard {
    /// A frame with the Duration field.
    Frame,
    /// The PHY's header only.
    Header,
    #[default]
    Nothing,
    /// Energy only. The NIC missed the preamble, or there is none in its primary channel: it receives nothing, so that whether
    /// EIFS follows depends on what it received before (10.3.2.3.7).
    Energy,
    /// Energy only, at NICs that defer for this much longer than AIFS by what they received before, or sent.
    Before(Duration),
}

/// The members of a group that receive a transmitter weakest and strongest, itself excepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extremes {
    pub(super) weakest: NicId,
    pub(super) strongest: NicId,
}

/// Members of a medium that are on one channel, read the same formats and hear the same transmitters.
#[derive(Clone, Debug, Default)]
pub(super) struct HearingGroup {
    pub(super) members: Vec<NicId>,
    /// By transmitter; `None`: the group has no other member.
    pub(super) extremes: TiVec<MemberId, Option<Extremes>>,
    /// What the group decoded of the PPDU that ended last.
    pub(super) heard: Heard,
}

/// What is shared by NICs on channels that overlap, or into which the others leak.
#[derive(Debug)]
pub(super) struct Medium {
    /// Cells of the medium; for all channels which no cell of the plan has, the cell that stands for them.
    pub(super) cells: Vec<CellId>,
    /// The cell whose parameters hold for radios on a primary channel of no cell.
    pub(super) cell: CellId,
    pub(super) members: TiVec<MemberId, NicId>,
    /// By member: whether it is tuned to a channel here.
    pub(super) present: TiVec<MemberId, bool>,
    /// Whether all members that are here are on one channel, which only NICs use.
    pub(super) uniform: bool,
    /// By member: the newest format that it can decode.
    pub(super) formats: TiVec<MemberId, Format>,
    /// Widths in which members may send.
    pub(super) widths: Vec<Width>,
    pub(super) contention: Contention,
    pub(super) groups: TiVec<GroupId, HearingGroup>,
    /// By member: whether it hears another by the preamble alone. Then it is alone in its group: what it senses depends on which
    /// preambles it receives.
    pub(super) by_preamble: TiVec<MemberId, bool>,
    pub(super) any_by_preamble: bool,
    /// NICs with a PPDU on the air.
    pub(super) on_air: Vec<NicId>,
    /// PPDUs that ended lately, unless the medium is uniform.
    pub(super) ended: Vec<Overlap>,
    /// What sources that are no NICs emit now, or did lately.
    pub(super) emissions: Vec<Emitted>,
    /// Whether powers change from PPDU to PPDU.
    pub(super) fades: bool,
}

/// What carrier sense must know of a PPDU that begins; kept for its memory.
#[derive(Debug, Default)]
pub(super) struct SensedPreambles {
    /// Members that hear its sender by the preamble alone, and miss it.
    pub(super) unsensed: Vec<MemberId>,
    /// Members that turn to it, or send it, and senders that they do not sense any more.
    pub(super) lost: Vec<(MemberId, MemberId)>,
}

/// The members of a medium, as its hearing sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listeners<'a> {
    pub(super) members: &'a TiSlice<MemberId, NicId>,
    pub(super) present: &'a TiSlice<MemberId, bool>,
    pub(super) formats: &'a TiSlice<MemberId, Format>,
    pub(super) widths: &'a [Width],
}

/// Which members hear which others, by the width of the PPDU. A NIC hears itself.
pub(super) fn hearing(
    listeners: Listeners<'_>,
    by_preamble: &TiSlice<MemberId, bool>,
    channel: &Channel,
    carrier_sense: &CarrierSense,
) -> Hearing {
    let Listeners { members, present, formats, widths } = listeners;
    let kind = |member: MemberId| {
        let channel = channel.channel_of(members[member]).filter(|_| present[member]);
        (channel, formats[member], by_preamble[member].then_some(member))
    };
    let hears = |listener: MemberId, sender: MemberId, width| {
        listener == sender
            || present[listener]
                && present[sender]
                && carrier_sense.hears(channel, members[listener], members[sender], width)
    };
    let senses = |listener: MemberId, emission| {
        present[listener]
            && channel.emission_in_primary_mw(emission, members[listener]) >= carrier_sense.energy_mw()
    };
    let emissions = channel.emissions();
    Hearing::new(members.len(), &HearingScene { widths, kind, hears, emissions, senses })
}

/// By member: whether it hears another by the preamble alone.
pub(super) fn by_preamble(
    listeners: Listeners<'_>,
    channel: &Channel,
    carrier_sense: &CarrierSense,
) -> TiVec<MemberId, bool> {
    let Listeners { members, present, widths, .. } = listeners;
    let heard = |listener: MemberId, sender: MemberId| {
        let [to, from] = [listener, sender].map(|member| members[member]);
        let mut widths = widths.iter();
        present[sender]
            && listener != sender
            && widths.any(|&width| carrier_sense.hears_preamble_only(channel, to, from, width))
    };
    let hears_any = |listener| present[listener] && members.keys().any(|sender| heard(listener, sender));
    members.keys().map(hears_any).collect()
}

/// The groups of a hearing, with the extremes of received power.
pub(super) fn groups(
    members: &TiSlice<MemberId, NicId>,
    hearing: &Hearing,
    channel: &Channel,
) -> TiVec<GroupId, HearingGroup> {
    let mut groups = ti_vec![HearingGroup::default(); hearing.groups()];
    for (member, &id) in members.iter_enumerated() {
        groups[hearing.group_of(member)].members.push(id);
    }
    for group in &mut groups {
        let power = |from: NicId, to: NicId| channel.mean_dbm(from, to).get();
        let extremes = members.iter().map(|&from| {
            let others = || group.members.iter().copied().filter(|&to| to != from);
            let weakest = others().min_by(|&a, &b| power(from, a).total_cmp(&power(from, b)))?;
            let strongest = others().max_by(|&a, &b| power(from, a).total_cmp(&power(from, b)))?;
            Some(Extremes { weakest, strongest })
        });
        group.extremes = extremes.collect();
    }
    groups
}

/// Whether all members that are here are on one channel, which only NICs use.
pub(super) fn is_uniform(
    members: &TiSlice<MemberId, NicId>,
    present: &TiSlice<MemberId, bool>,
    channel: &Channel,
) -> bool {
    let mut channels =
        members.iter().zip(present).filter(|(_, here)| **here).map(|(&nic, _)| channel.channel_of(nic));
    let first = channels.next();
    channels.all(|other| Some(other) == first) && !members.iter().any(|&nic| channel.meets_emissions(nic))
}

impl Medium {
    /// A PPDU ends now; it is remembered where NICs may ask for it.
    #[inline]
    pub(super) fn remember(&mut self, now: Instant, ppdu: &Ppdu) {
        self.ended.retain(|other| other.end + MEMORY > now);
        self.ended.push(Overlap::of(ppdu, now));
    }

    /// The members that hear each other have changed, perhaps because one has been tuned to this medium, whose cell has this timing.
    pub(super) fn update_hearing(
        &mut self,
        now: Instant,
        channel: &Channel,
        carrier_sense: &CarrierSense,
        newcomer: Option<(MemberId, Duration)>,
    ) {
        let Self { members, present, formats, widths, .. } = self;
        let listeners = Listeners { members, present, formats, widths };
        self.by_preamble = by_preamble(listeners, channel, carrier_sense);
        self.any_by_preamble = self.by_preamble.iter().any(|&alone| alone);
        let hearing = hearing(listeners, &self.by_preamble, channel, carrier_sense);
        self.uniform = is_uniform(members, present, channel);
        self.groups = groups(members, &hearing, channel);
        match newcomer {
            Some((member, slot)) => self.contention.join(now, hearing, member, slot),
            None => self.contention.update_hearing(now, hearing),
        }
    }
}
