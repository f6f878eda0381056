//! From a plan to a scene.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_plan::{
    AccessParameters, AirNic, AirPlan, ErpProtection, Fading, LinuxRateControl, Slot, Standard,
};
use airtcp_units::{Decibel, Duration, Instant};
use typed_index_collections::{TiSlice, TiVec};

use super::{ChannelLinks, Interrupts, World, WorldOptions, check};
use crate::border::AccessCategory;
use crate::channel::Channel;
use crate::des::EventQueue;
use crate::high::Upper;
use crate::linux_mac::LinuxRadios;
use crate::low::contention::{Aifs, Contention, MemberId};
use crate::low::{
    AggregateLimits, Aggregation, Capabilities, Cell, CellId, Decoder, Edcaf, ErrorRates, Event, Low, Medium,
    MediumId, MediumPlace, MediumTime, Radio, RetryLimits, Transmissions, Tuning, TxqState, error_rates,
    groups, hearing,
};
use crate::phy::{Band, BasicRates, InterFrame, SlotTime, TxVector};
use crate::trace::{EventRecords, Sampler};
use crate::{NicId, SetupError};

impl World {
    /// The air of this plan, silent since the start of virtual time.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault if the plan asks for something that does not exist or is not modelled.
    pub fn new(plan: &AirPlan, seed: u64, options: WorldOptions) -> Result<Self, SetupError> {
        check::check(plan)?;
        Self::with_errors(plan, seed, &options, error_rates(plan)?)
    }

    /// The same with given error rates; `None`: noise spoils nothing.
    pub(crate) fn with_errors(
        plan: &AirPlan,
        seed: u64,
        options: &WorldOptions,
        errors: Option<Box<dyn ErrorRates>>,
    ) -> Result<Self, SetupError> {
        let noisy = errors.is_some();
        let channel = Channel::new(plan, seed, options.epoch);
        let upper = Upper::new(plan, seed, &Errors(errors.as_deref()))?;
        let linux = LinuxRadios::new(plan, seed, &upper, &Errors(errors.as_deref()))?;
        let mut cells = (0..plan.cells.len()).map(|c| cell(plan, c)).collect::<Result<TiVec<_, _>, _>>()?;
        if plan.cells.iter().any(|cell| cell.linux.is_some()) {
            cells.extend([Band::Ghz2_4, Band::Ghz5].map(elsewhere));
        }
        let builder = MediaBuilder { plan, cells: &cells, channel: &channel, epoch: options.epoch };
        let media = builder.media()?;
        let mut radios: TiVec<NicId, _> =
            (0..plan.nics.len()).map(|i| radio(plan, i, &media, seed)).collect();
        if options.sample_interval != Duration::ZERO {
            for radio in &mut radios {
                radio.counters.links = Some(Box::default());
            }
        }
        let mut low = Low {
            radios,
            media,
            air: Transmissions::idle(ids(plan)),
            txqs: (0..upper.txq_count()).map(|_| TxqState::default()).collect(),
            aggregation: aggregation(plan),
            decoder: Decoder::new(plan, seed, errors),
            events: EventQueue::with_capacity(4 * plan.nics.len()),
            requests: Vec::new(),
            records: options.ppdu_trace.then(EventRecords::default),
            capturing: None,
            answers: None,
            #[cfg(test)]
            journal: None,
            epoch: options.epoch,
            carrier_sense_dbm: plan.channel.carrier_sense_dbm.get(),
            retuning: Vec::new(),
            monitors: 0,
            scratch: crate::low::Scratch::default(),
            cells,
        };
        plan_beacons(plan, &mut low);
        let interrupts = Interrupts::new(plan, seed);
        Ok(Self {
            low,
            upper,
            linux,
            links: ChannelLinks { channel, noisy, widths: widths(plan) },
            moderated: ids(plan).any(|nic| interrupts.moderates(nic)),
            interrupts,
            sampler: Sampler::new(options.epoch, options.sample_interval, options.end),
            nodes: plan.nics.iter().map(|nic| nic.node.clone()).collect(),
            now: Instant::ZERO,
            events: 0,
        })
    }
}

fn ids(plan: &AirPlan) -> impl Iterator<Item = NicId> + '_ {
    (0..plan.nics.len() as u32).map(NicId)
}

fn widths(plan: &AirPlan) -> Vec<crate::phy::Width> {
    let width = |nic: &AirNic| plan.cells[nic.cell as usize].channel.width_mhz;
    let known = |nic| crate::phy::Width::from_mhz(width(nic)).expect("the upper half checked it");
    plan.nics.iter().map(known).collect()
}

/// What the error rates tell rate control.
struct Errors<'a>(Option<&'a dyn ErrorRates>);

impl crate::rate::ErrorModel for Errors<'_> {
    fn packet_error_rate(&self, tx: TxVector, snr_db: f64, psdu_bytes: u32) -> f64 {
        let Some(errors) = self.0 else { return 0.0 };
        let a = errors.decay_per_octet(tx, Decibel::new(snr_db), psdu_bytes);
        1.0 - libm::exp(-a * f64::from(psdu_bytes))
    }
}

fn refuse<T>(key: String, reason: String, remedy: &str) -> Result<T, SetupError> {
    Err(SetupError::new(key, reason, remedy))
}

fn cell(plan: &AirPlan, c: usize) -> Result<Cell, SetupError> {
    let cell = &plan.cells[c];
    let Some(band) = Band::of_mhz(cell.channel.primary_mhz) else {
        let reason = format!("{} MHz is in no band of 802.11", cell.channel.primary_mhz);
        return refuse(format!("air.cells[{c}].channel.primary_mhz"), reason, "choose 2.4, 5, 6 or 60 GHz");
    };
    let basic = BasicRates::from_bit_rates(&cell.basic_rates_bps).expect("the upper half checked it");
    let hr_dsss = cell.standard == Standard::HrDsss || cell.protection != ErpProtection::None;
    let slot = match cell.slot {
        Slot::Long => SlotTime::Long,
        Slot::Short => SlotTime::Short,
    };
    Ok(Cell {
        members: ids(plan).filter(|id| plan.nics[id.index()].cell as usize == c).collect(),
        primary_mhz: cell.channel.primary_mhz,
        band,
        times: InterFrame::new(band, slot, band.lowest_mandatory(hr_dsss)),
        basic,
        short_preamble: cell.short_preamble,
        hr_dsss_protection: cell.protection != ErpProtection::None,
        retry_limits: RetryLimits { short: cell.short_retry_limit, long: cell.long_retry_limit },
        rts_threshold_bytes: cell.rts_threshold_bytes,
        beacon: cell.beacon.map(|b| (Duration::from_micros(u64::from(b.interval_us)), b.bytes)),
    })
}

/// What holds on channels that no cell of the plan has, where radios of mac80211 look for networks: as for any station of the band.
fn elsewhere(band: Band) -> Cell {
    /// `dot11ShortRetryLimit` and `dot11LongRetryLimit` as they are by default (IEEE 802.11-2020, annex C).
    const LIMITS: RetryLimits = RetryLimits { short: 7, long: 4 };
    let basic = match band {
        Band::Ghz2_4 => BasicRates::HR_DSSS_MANDATORY,
        _ => BasicRates::OFDM_MANDATORY,
    };
    let slowest = basic.slowest().expect("there are mandatory rates");
    Cell {
        members: Vec::new(),
        primary_mhz: 0,
        band,
        times: InterFrame::new(band, SlotTime::Short, slowest),
        basic,
        short_preamble: false,
        hr_dsss_protection: false,
        retry_limits: LIMITS,
        rts_threshold_bytes: u32::MAX,
        beacon: None,
    }
}

fn runs_linux(plan: &AirPlan, id: NicId) -> bool {
    plan.cells[plan.nics[id.index()].cell as usize].linux.is_some()
}

/// The cell of a NIC.
fn cell_of(plan: &AirPlan, id: NicId) -> CellId {
    CellId(plan.nics[id.index()].cell)
}

/// Builds the media of a plan.
struct MediaBuilder<'a> {
    plan: &'a AirPlan,
    cells: &'a TiSlice<CellId, Cell>,
    channel: &'a Channel,
    epoch: Instant,
}

/// Where a medium is, and which NICs may be there.
struct Site {
    /// 0: on the channels that no cell of the plan has.
    frequency_mhz: u32,
    eifs: Duration,
    members: TiVec<MemberId, NicId>,
    /// The cell whose parameters hold for radios of other cells.
    cell: CellId,
}

impl MediaBuilder<'_> {
    /// One medium per primary channel, lowest first, and those of all other channels. Radios of mac80211 are members of every one.
    fn media(&self) -> Result<TiVec<MediumId, Medium>, SetupError> {
        let plan = self.plan;
        let mut by_primary: BTreeMap<u32, Vec<NicId>> = BTreeMap::new();
        for id in ids(plan) {
            let cell = &plan.cells[plan.nics[id.index()].cell as usize];
            by_primary.entry(cell.channel.primary_mhz).or_default().push(id);
        }
        let sites = by_primary.into_iter().map(|(primary_mhz, present)| self.site(primary_mhz, &present));
        let mut media =
            sites.map(|site| site.map(|site| self.medium(site))).collect::<Result<TiVec<_, _>, _>>()?;
        for (cell, elsewhere) in self.cells.iter_enumerated().skip(plan.cells.len()) {
            let members = ids(plan).filter(|&id| runs_linux(plan, id)).collect();
            media.push(self.medium(Site { frequency_mhz: 0, eifs: elsewhere.times.eifs, members, cell }));
        }
        Ok(media)
    }

    /// The medium on the primary channel of these NICs.
    fn site(&self, frequency_mhz: u32, present: &[NicId]) -> Result<Site, SetupError> {
        let plan = self.plan;
        let first = cell_of(plan, present[0]);
        let times = self.cells[first].times;
        let mut eifs = times.eifs;
        for cell in present.iter().map(|&id| cell_of(plan, id)) {
            let other = &self.cells[cell].times;
            if (other.slot, other.sifs) != (times.slot, times.sifs) {
                let reason = format!("cells on {frequency_mhz} MHz have slots of different lengths");
                let remedy = "give cells on one channel the same slot, or other channels";
                return refuse(format!("air.cells[{}].slot", cell.0), reason, remedy);
            }
            eifs = eifs.max(other.eifs);
        }
        let with_linux = present.iter().find(|&&id| runs_linux(plan, id));
        let cell = with_linux.map_or(first, |&id| cell_of(plan, id));
        let members = ids(plan).filter(|id| runs_linux(plan, *id) || present.contains(id)).collect();
        Ok(Site { frequency_mhz, eifs, members, cell })
    }

    fn medium(&self, site: Site) -> Medium {
        let Self { plan, channel, .. } = *self;
        let Site { frequency_mhz, eifs, members, cell } = site;
        let times = self.cells[cell].times;
        // Radios of mac80211 come when they are tuned to a channel.
        let tuned: TiVec<MemberId, u32> =
            members.iter().map(|&id| if runs_linux(plan, id) { 0 } else { frequency_mhz }).collect();
        let hearing = hearing(&members, &tuned, channel, plan.channel.carrier_sense_dbm.get());
        let access = |id: NicId| &plan.cells[plan.nics[id.index()].cell as usize].access;
        let aifs: Vec<Aifs> = members.iter().flat_map(|&id| aifs(access(id), &times)).collect();
        Medium {
            frequency_mhz,
            groups: groups(&members, &hearing, channel),
            contention: Contention::new(times.slot, times.difs, eifs, hearing, &aifs),
            members,
            tuned,
            cell,
            on_air: Vec::new(),
            awaiting: Vec::new(),
            collided: false,
            backlogged: 0,
            exchanges: 0,
            following: 0,
            // What happens before the epoch is the setting up of the network.
            airtime: MediumTime::new(self.epoch),
            fades: plan.channel.fading != Fading::None,
        }
    }
}

fn aifs(access: &[AccessParameters], times: &InterFrame) -> [Aifs; 4] {
    match access {
        [dcf] => [Aifs::dcf(times.aifs(dcf.aifsn)); 4],
        categories => AccessCategory::ALL.map(|ac| Aifs::edca(times.aifs(categories[ac as usize].aifsn))),
    }
}

fn radio(plan: &AirPlan, i: usize, media: &TiSlice<MediumId, Medium>, seed: u64) -> Radio {
    let nic = &plan.nics[i];
    let cell = &plan.cells[nic.cell as usize];
    let id = NicId(i as u32);
    // A radio of mac80211 is off at first.
    let frequency_mhz = if cell.linux.is_some() { 0 } else { cell.channel.primary_mhz };
    let medium = media.position(|medium| medium.frequency_mhz == frequency_mhz);
    let medium = medium.expect("every NIC has a medium");
    let member = media[medium].members.position(|&other| other == id).expect("it is a member");
    let place = MediumPlace { medium, member };
    let edca = cell.access.len() == 4;
    let edcaf = |ac: AccessCategory| match cell.access.as_slice() {
        [dcf] => Edcaf::new(dcf, seed, nic.mac, None),
        categories => Edcaf::new(&categories[ac as usize], seed, nic.mac, Some(ac as u8)),
    };
    let home = CellId(nic.cell);
    let mut radio = Radio::new(home, place, AccessCategory::ALL.map(edcaf), nic.delivery, edca);
    if let Some(linux) = &cell.linux {
        let ours = linux.rate_control == LinuxRateControl::Ours;
        radio.capabilities = Capabilities::mac80211(linux.prefetch_ppdus as usize, ours);
        radio.tuning = Some(Box::new(Tuning::off(home)));
    }
    if let Some(queue) = nic.card.hardware_queue {
        radio.capabilities = radio.capabilities.with_queue(queue);
    }
    radio
}

/// Both ends must have an agreement; the narrower limits hold.
fn aggregation(plan: &AirPlan) -> Aggregation {
    let nics = plan.nics.len();
    let mut limits = Vec::with_capacity(nics * nics);
    for from in &plan.nics {
        for to in &plan.nics {
            let both =
                from.aggregation.zip(to.aggregation).filter(|(a, b)| a.ampdu_bytes > 0 && b.ampdu_bytes > 0);
            limits.push(both.filter(|_| meet(plan, from, to)).map(|(a, b)| AggregateLimits {
                bytes: a.ampdu_bytes.min(b.ampdu_bytes),
                duration: Duration::from_micros(u64::from(a.ampdu_us)),
                window: a.block_ack_window.min(b.block_ack_window) as u16,
            }));
        }
    }
    Aggregation { nics, limits }
}

/// Whether two NICs may exchange frames: those of one cell, and all radios of mac80211.
fn meet(plan: &AirPlan, a: &AirNic, b: &AirNic) -> bool {
    let linux = |nic: &AirNic| plan.cells[nic.cell as usize].linux.is_some();
    a.cell == b.cell || linux(a) && linux(b)
}

/// Beacons of airtcp's own MAC; those of mac80211 are its own to send.
fn plan_beacons(plan: &AirPlan, low: &mut Low) {
    let channels: BTreeSet<_> = plan.cells.iter().map(|cell| cell.channel.primary_mhz).collect();
    for sender in channels.into_iter().flat_map(|primary_mhz| plan.beacon_senders(primary_mhz)) {
        let nic = NicId(sender.nic as u32);
        if !runs_linux(plan, nic) {
            let first = Duration::from_micros(sender.interval_us) + Duration::from_nanos(sender.part_ns);
            low.events.schedule(Instant::ZERO + first, Event::Beacon(nic));
        }
    }
}
