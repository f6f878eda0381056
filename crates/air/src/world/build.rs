//! From a plan to a scene.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_plan::{
    AirNic, AirPlan, BandwidthOperation, BeaconAccess, CellKind, CodeChoice, ErpProtection, Fading,
    LinuxRateControl, RadioChannel, Reception, RtsPolicy, Slot, Standard,
};
use airtcp_units::{Decibel, Duration, Instant};
use typed_index_collections::{TiSlice, TiVec};

use super::{CardEvents, ChannelLinks, Interrupts, World, WorldOptions, check};
use crate::border::AccessCategory;
use crate::channel::{Channel, are_coupled, mask_of};
use crate::des::EventQueue;
use crate::high::Upper;
use crate::linux_mac::LinuxRadios;
use crate::low::contention::{Aifs, Contention, MemberId};
use crate::low::{
    AccessFunction, AggregateLimits, Aggregation, Capabilities, CarrierSense, Cell, CellId, Decoder, Edcaf,
    Edcafs, ErrorRates, Event, Listeners, Low, Medium, MediumId, MediumPlace, PIFS_AIFSN, Prefetch,
    PrimaryChannel, PrimaryId, Radio, RetryLimits, Transmissions, Tuning, TxqState, by_preamble, error_rates,
    groups, hearing, is_uniform,
};
use crate::phy::{Band, BasicRates, InterFrame, SlotTime, TxVector, Width};
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

    /// The air of this plan with given error rates; `None`: noise spoils nothing.
    pub(crate) fn with_errors(
        plan: &AirPlan,
        seed: u64,
        options: &WorldOptions,
        errors: Option<Box<dyn ErrorRates>>,
    ) -> Result<Self, SetupError> {
        let noisy = errors.is_some();
        let mut channel = Channel::new(plan, seed, options.epoch);
        let upper = Upper::new(plan, seed, &Errors(errors.as_deref()))?;
        let linux = LinuxRadios::new(plan, seed, &upper, &Errors(errors.as_deref()))?;
        let mut cells = (0..plan.cells.len()).map(|c| cell(plan, c)).collect::<Result<TiVec<_, _>, _>>()?;
        if plan.cells.iter().any(|cell| cell.linux.is_some()) {
            cells.extend([Band::Ghz2_4, Band::Ghz5].map(elsewhere));
        }
        let builder = MediaBuilder { plan, cells: &cells, channel: &channel, epoch: options.epoch };
        let primaries = builder.primaries()?;
        let media = builder.media();
        let mut radios: TiVec<NicId, _> =
            (0..plan.nics.len()).map(|i| radio(plan, i, place(plan, i, &media, &primaries), seed)).collect();
        if options.sample_interval != Duration::ZERO {
            for radio in &mut radios {
                radio.counters.links = Some(Box::default());
            }
        }
        let mut low = Low {
            any_tuned: radios.iter().any(|radio| radio.tuning.is_some()),
            radios,
            media,
            primaries,
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
            carrier_sense: CarrierSense::new(plan),
            bursts: Vec::new(),
            retuning: Vec::new(),
            monitors: 0,
            scratch: crate::low::Scratch::default(),
            cells,
        };
        plan_beacons(plan, &mut low);
        low.plan_emissions(&mut channel);
        Ok(Self {
            low,
            upper,
            linux,
            links: ChannelLinks { channel, noisy, widths: widths(plan), convolutional: convolutional(plan) },
            cards: CardEvents::new(plan),
            interrupts: Interrupts::new(plan, seed),
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

/// Whether the cell of each NIC sends data with the convolutional code.
fn convolutional(plan: &AirPlan) -> Vec<bool> {
    let ldpc = plan.channel.reception == Reception::Table { code: CodeChoice::Ldpc };
    let has = |nic: &AirNic| match plan.cells[nic.cell as usize].standard {
        Standard::Ofdm | Standard::Erp => true,
        Standard::Ht | Standard::Vht => !ldpc,
        _ => false,
    };
    plan.nics.iter().map(has).collect()
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
    let slot = match cell.slot {
        Slot::Long => SlotTime::Long,
        Slot::Short => SlotTime::Short,
    };
    Ok(Cell {
        members: ids(plan).filter(|id| plan.nics[id.index()].cell as usize == c).collect(),
        primary_mhz: cell.channel.primary_mhz,
        channel: cell.channel,
        bandwidth_operation: cell.bandwidth_operation,
        detects_secondary: cell.standard > Standard::Ht,
        band,
        times: InterFrame::new(band, slot),
        basic,
        short_preamble: cell.short_preamble,
        hr_dsss_protection: cell.protection != ErpProtection::None,
        retry_limits: RetryLimits {
            short: cell.short_retry_limit,
            long: cell.long_retry_limit,
            subframe: cell.subframe_retry_limit,
            rts: cell.rts_retry_limit,
            block_ack_req: cell.block_ack_req_retry_limit,
        },
        txop_duration: cell.txop_duration,
        reads_he_headers: matches!(cell.standard, Standard::He | Standard::Eht),
        rts_threshold_bytes: cell.rts_threshold_bytes,
        rts_threshold: cell.rts_threshold_us.map(|us| Duration::from_micros(u64::from(us))),
        rts_policy: cell.rts_policy,
        beacon: cell.beacon.map(|b| (Duration::from_micros(u64::from(b.interval_us)), b.bytes)),
    })
}

/// What holds on channels that no cell of the plan has, where radios of mac80211 look for networks: as for any station of the band.
fn elsewhere(band: Band) -> Cell {
    /// `dot11ShortRetryLimit` and `dot11LongRetryLimit` as they are by default (IEEE 802.11-2020, annex C); ath9k repeats
    /// subframes up to 30 times (`ATH_MAX_SW_RETRIES`).
    const LIMITS: RetryLimits =
        RetryLimits { short: 7, long: 4, subframe: 30, rts: None, block_ack_req: None };
    let basic = match band {
        Band::Ghz2_4 => BasicRates::HR_DSSS_MANDATORY,
        _ => BasicRates::OFDM_MANDATORY,
    };
    Cell {
        members: Vec::new(),
        primary_mhz: 0,
        channel: RadioChannel { primary_mhz: 0, centre_mhz: 0, width_mhz: 0 },
        bandwidth_operation: BandwidthOperation::Dynamic,
        detects_secondary: true,
        band,
        times: InterFrame::new(band, SlotTime::Short),
        basic,
        short_preamble: false,
        hr_dsss_protection: false,
        retry_limits: LIMITS,
        txop_duration: false,
        reads_he_headers: false,
        rts_threshold_bytes: u32::MAX,
        rts_threshold: None,
        rts_policy: RtsPolicy::RateControl,
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

impl MediaBuilder<'_> {
    /// The primary channels of the plan, lowest first, and those of all other channels, by band.
    fn primaries(&self) -> Result<TiVec<PrimaryId, PrimaryChannel>, SetupError> {
        let mut by_primary: BTreeMap<u32, Vec<CellId>> = BTreeMap::new();
        let of_nics = ids(self.plan).map(|id| cell_of(self.plan, id));
        for cell in of_nics.chain(self.without_nics()) {
            by_primary.entry(self.cells[cell].primary_mhz).or_default().push(cell);
        }
        let of_plan = by_primary.into_iter().map(|(mhz, present)| self.primary(mhz, &present));
        let mut primaries = of_plan.collect::<Result<TiVec<_, _>, _>>()?;
        for cell in self.cells.keys().skip(self.plan.cells.len()) {
            primaries.push(PrimaryChannel::new(0, cell, self.epoch));
        }
        Ok(primaries)
    }

    /// Cells that have none of the NICs: radios of mac80211 come there.
    fn without_nics(&self) -> impl Iterator<Item = CellId> {
        let has_nics = |c: u32| self.plan.nics.iter().any(|nic| nic.cell == c);
        (0..self.plan.cells.len() as u32).filter(move |&c| !has_nics(c)).map(CellId)
    }

    /// The primary channel of NICs of these cells.
    fn primary(&self, frequency_mhz: u32, present: &[CellId]) -> Result<PrimaryChannel, SetupError> {
        let first = present[0];
        let times = self.cells[first].times;
        for &cell in present {
            let other = &self.cells[cell].times;
            if (other.slot, other.sifs) != (times.slot, times.sifs) {
                let reason = format!("cells on {frequency_mhz} MHz have slots of different lengths");
                let remedy = "give cells on one channel the same slot, or other channels";
                return refuse(format!("air.cells[{}].slot", cell.0), reason, remedy);
            }
        }
        let with_linux = present.iter().find(|cell| self.plan.cells[usize::from(**cell)].linux.is_some());
        let cell = with_linux.copied().unwrap_or(first);
        Ok(PrimaryChannel::new(frequency_mhz, cell, self.epoch))
    }

    /// One medium for cells whose channels have something to do with each other, in the order of their lowest primary channels, and
    /// those of all other channels. Radios of mac80211 are members of every one.
    fn media(&self) -> TiVec<MediumId, Medium> {
        let of_plan = 0..self.plan.cells.len();
        let spectrum = |c: usize| (self.plan.cells[c].channel, mask_of(self.plan, c));
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for c in of_plan {
            let coupled =
                |part: &Vec<usize>| part.iter().any(|&other| are_coupled(spectrum(c), spectrum(other)));
            let (joined, apart) = std::mem::take(&mut parts).into_iter().partition::<Vec<_>, _>(coupled);
            parts = apart;
            parts.push(joined.into_iter().flatten().chain([c]).collect());
        }
        for part in &mut parts {
            part.sort_unstable();
        }
        parts.sort_by_key(|part| part.iter().map(|&c| self.plan.cells[c].channel.primary_mhz).min());
        let elsewhere = (self.plan.cells.len()..self.cells.len()).map(|c| vec![c]);
        let cells = parts.into_iter().chain(elsewhere);
        cells.map(|cells| self.medium(cells.into_iter().map(|c| CellId(c as u32)).collect())).collect()
    }

    fn medium(&self, cells: Vec<CellId>) -> Medium {
        let Self { plan, channel, .. } = *self;
        let at_home = |id: NicId| cells.contains(&cell_of(plan, id));
        let members: TiVec<MemberId, _> =
            ids(plan).filter(|&id| at_home(id) || runs_linux(plan, id)).collect();
        // Radios of mac80211 come when they are tuned to a channel.
        let present: TiVec<MemberId, bool> = members.iter().map(|&id| !runs_linux(plan, id)).collect();
        let with_linux =
            |cell: &&CellId| plan.cells.get(usize::from(**cell)).is_some_and(|c| c.linux.is_some());
        let foreign = *cells.iter().find(with_linux).unwrap_or(&cells[0]);
        let place = |id: NicId| if at_home(id) { cell_of(plan, id) } else { foreign };
        let slots = members.iter().map(|&id| self.cells[place(id)].times.slot).collect();
        let aifs: Vec<Aifs> =
            members.iter().flat_map(|&id| self.aifs(id, &self.cells[place(id)].times)).collect();
        let widths = self.widths(&members);
        let listeners = Listeners { members: &members, present: &present, widths: &widths };
        let carrier_sense = CarrierSense::new(plan);
        let by_preamble = by_preamble(listeners, channel, &carrier_sense);
        let hearing = hearing(listeners, &by_preamble, channel, &carrier_sense);
        Medium {
            groups: groups(&members, &hearing, channel),
            contention: Contention::new(slots, hearing, &aifs),
            uniform: is_uniform(&members, &present, channel),
            any_by_preamble: by_preamble.iter().any(|&alone| alone),
            by_preamble,
            cells,
            cell: foreign,
            members,
            present,
            widths,
            on_air: Vec::new(),
            ended: Vec::new(),
            emissions: Vec::new(),
            awaiting: Vec::new(),
            fades: plan.channel.fading != Fading::None,
        }
    }

    /// AIFS of the access functions of a NIC in a cell with these times. That of beacons is one more only where they have a function
    /// of their own.
    fn aifs(&self, id: NicId, times: &InterFrame) -> [Aifs; AccessFunction::COUNT] {
        let nic = &self.plan.nics[id.index()];
        let access = nic.access_in(&self.plan.cells[nic.cell as usize]);
        let pifs = times.aifs(PIFS_AIFSN);
        let after_pifs = beacons_after_pifs(self.plan, id);
        AccessFunction::ALL.map(|function| match (access, function) {
            ([_], AccessFunction::Beacons) if after_pifs => Aifs::dcf(pifs),
            (_, AccessFunction::Beacons) if after_pifs => Aifs::edca(pifs),
            ([dcf], _) => Aifs::dcf(times.aifs(dcf.aifsn)),
            (categories, _) => {
                let ac = function.category().unwrap_or(AccessCategory::Voice);
                Aifs::edca(times.aifs(categories[ac as usize].aifsn))
            }
        })
    }

    /// The widths in which these NICs may send: up to those of their cells.
    fn widths(&self, members: &TiSlice<MemberId, NicId>) -> Vec<Width> {
        let width = |&id: &NicId| self.plan.cells[usize::from(cell_of(self.plan, id))].channel.width_mhz;
        let most = members.iter().map(width).max().unwrap_or(20);
        let up_to = |width: &Width| width.mhz() <= most && (most <= 320) == (width.mhz() <= 320);
        Width::ALL.into_iter().filter(up_to).collect()
    }
}

/// Whether a NIC sends beacons from a function of their own: it sends them in its cell, or is a radio of mac80211, which may come to
/// send them. Those of an IBSS contend: their stations take turns by chance (IEEE 802.11-2020, 11.1.3.5).
fn beacons_after_pifs(plan: &AirPlan, id: NicId) -> bool {
    let cell = &plan.cells[plan.nics[id.index()].cell as usize];
    let mut senders = plan.beacon_senders(cell.channel.primary_mhz).into_iter();
    cell.beacon_access == BeaconAccess::Pifs
        && cell.kind != CellKind::Ibss
        && (cell.linux.is_some() || senders.any(|sender| sender.nic == id.index()))
}

/// Where a NIC is at first. A radio of mac80211 is off.
fn place(
    plan: &AirPlan,
    i: usize,
    media: &TiSlice<MediumId, Medium>,
    primaries: &TiSlice<PrimaryId, PrimaryChannel>,
) -> MediumPlace {
    let (id, home) = (NicId(i as u32), plan.nics[i].cell);
    let off = plan.cells[home as usize].linux.is_some();
    let frequency_mhz = if off { 0 } else { plan.cells[home as usize].channel.primary_mhz };
    let primary = primaries.position(|primary| primary.frequency_mhz == frequency_mhz);
    let primary = primary.expect("every NIC has a primary channel");
    let medium = media.position(|medium| medium.cells.contains(&primaries[primary].cell));
    let medium = medium.expect("every NIC has a medium");
    let member = media[medium].members.position(|&other| other == id).expect("it is a member");
    MediumPlace { medium, member, primary }
}

fn radio(plan: &AirPlan, i: usize, place: MediumPlace, seed: u64) -> Radio {
    let nic = &plan.nics[i];
    let cell = &plan.cells[nic.cell as usize];
    let edca = cell.access.len() == 4;
    let retries = cell.station_retry_limit;
    let edcaf = |function: AccessFunction| match (nic.access_in(cell), function.category()) {
        (_, None) => Edcaf::of_beacons(seed, nic.mac),
        ([dcf], _) => Edcaf::new(dcf, seed, nic.mac, None, retries),
        (categories, Some(ac)) => {
            Edcaf::new(&categories[ac as usize], seed, nic.mac, Some(ac as u8), retries)
        }
    };
    let home = CellId(nic.cell);
    let mut radio = Radio::new(home, place, Edcafs::new(edcaf), nic.delivery, edca);
    radio.beacons_after_pifs = beacons_after_pifs(plan, NicId(i as u32));
    if let Some(linux) = &cell.linux {
        let ours = linux.rate_control == LinuxRateControl::Ours;
        radio.capabilities = Capabilities::mac80211(linux.prefetch_ppdus as usize, ours);
        radio.tuning = Some(Box::new(Tuning::off(home)));
    }
    if let Some(queue) = nic.card.hardware_queue {
        radio.capabilities.prefetch = Prefetch::of(queue);
    }
    radio
}

/// Limits of aggregation from each NIC to each other. Both must have an agreement; the narrower limits hold.
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
                start_spacing: Duration::from_nanos(u64::from(b.start_spacing_ns)),
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
