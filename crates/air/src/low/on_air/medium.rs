//! One medium: NICs whose channels have something to do with each other, which of them hear which others, and what is on the air.

use airtcp_units::{Duration, Instant};
use typed_index_collections::{TiSlice, TiVec, ti_vec};

use super::carrier_sense::CarrierSense;
use super::ppdu::{Emitted, Overlap};
use super::primary_channel::PrimaryId;
use crate::NicId;
use crate::channel::Channel;
use crate::handle::index_type;
use crate::low::cell::CellId;
use crate::low::contention::{Contention, GroupId, Hearing, HearingScene, MemberId};
use crate::phy::Width;

index_type! {
    /// A medium, by its place among those of the air.
    pub(crate) struct MediumId(u32);
}

/// What has ended is remembered for as long as somebody may ask: PIFS, and the slowest OFDM RTS that is answered (52 us).
pub(crate) const MEMORY: Duration = Duration::from_micros(100);

/// A NIC's place in the air: its medium, its place among the members, and its primary channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MediumPlace {
    pub(crate) medium: MediumId,
    pub(crate) member: MemberId,
    pub(crate) primary: PrimaryId,
}

/// What one NIC, or the most that a group of them, decodes of a PPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Heard {
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
pub(crate) struct Extremes {
    pub(crate) weakest: NicId,
    pub(crate) strongest: NicId,
}

/// Members of a medium that are on one channel and hear the same transmitters.
#[derive(Clone, Debug, Default)]
pub(crate) struct HearingGroup {
    pub(crate) members: Vec<NicId>,
    /// By transmitter; `None`: the group has no other member.
    pub(crate) extremes: TiVec<MemberId, Option<Extremes>>,
    /// What the group decoded of the PPDU that ended last.
    pub(crate) heard: Heard,
}

/// What is shared by NICs on channels that overlap, or into which the others leak.
#[derive(Debug)]
pub(crate) struct Medium {
    /// Cells of the medium; for all channels which no cell of the plan has, the cell that stands for them.
    pub(crate) cells: Vec<CellId>,
    /// The cell whose parameters hold for radios on a primary channel of no cell.
    pub(crate) cell: CellId,
    pub(crate) members: TiVec<MemberId, NicId>,
    /// By member: whether it is tuned to a channel here.
    pub(crate) present: TiVec<MemberId, bool>,
    /// Whether all members that are here are on one channel, which only NICs use.
    pub(crate) uniform: bool,
    /// Widths in which members may send.
    pub(crate) widths: Vec<Width>,
    pub(crate) contention: Contention,
    pub(crate) groups: TiVec<GroupId, HearingGroup>,
    /// By member: whether it hears another by the preamble alone. Then it is alone in its group: what it senses depends on which
    /// preambles it receives.
    pub(crate) by_preamble: TiVec<MemberId, bool>,
    pub(crate) any_by_preamble: bool,
    /// NICs with a PPDU on the air.
    pub(crate) on_air: Vec<NicId>,
    /// PPDUs that ended lately, unless the medium is uniform.
    pub(crate) ended: Vec<Overlap>,
    /// What sources that are no NICs emit now, or did lately.
    pub(crate) emissions: Vec<Emitted>,
    /// NICs that wait for a response, which may not come.
    pub(crate) awaiting: Vec<NicId>,
    /// Whether powers change from PPDU to PPDU.
    pub(crate) fades: bool,
}

/// The members of a medium, as its hearing sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listeners<'a> {
    pub(crate) members: &'a TiSlice<MemberId, NicId>,
    pub(crate) present: &'a TiSlice<MemberId, bool>,
    pub(crate) widths: &'a [Width],
}

/// Which members hear which others, by the width of the PPDU. A NIC hears itself.
pub(crate) fn hearing(
    listeners: Listeners<'_>,
    by_preamble: &TiSlice<MemberId, bool>,
    channel: &Channel,
    carrier_sense: &CarrierSense,
) -> Hearing {
    let Listeners { members, present, widths } = listeners;
    let kind = |member: MemberId| {
        let channel = channel.channel_of(members[member]).filter(|_| present[member]);
        (channel, by_preamble[member].then_some(member))
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
pub(crate) fn by_preamble(
    listeners: Listeners<'_>,
    channel: &Channel,
    carrier_sense: &CarrierSense,
) -> TiVec<MemberId, bool> {
    let Listeners { members, present, widths } = listeners;
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
pub(crate) fn groups(
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
pub(crate) fn is_uniform(
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
    /// The members that hear each other have changed, perhaps because one has been tuned to this medium, whose cell has this timing.
    pub(crate) fn update_hearing(
        &mut self,
        now: Instant,
        channel: &Channel,
        carrier_sense: &CarrierSense,
        newcomer: Option<(MemberId, Duration)>,
    ) {
        let Self { members, present, widths, .. } = self;
        let listeners = Listeners { members, present, widths };
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
