//! Random legal plans.

use airtcp_plan::{
    AccessParameters, AggregatesFormed, Aggregation, AirNic, AirPlan, BandwidthOperation, BeaconAccess,
    BeaconPlan, CardPlan, Cell, CellKind, CodeChoice, Delivery, DopplerSpectrum, EmissionPattern,
    EmissionPower, ErpProtection, Fading, FadingProfile, FadingTap, FqCodelPlan, HardwareQueue,
    HardwareQueueSize, HostDelay, HtProtection, Interferer, InterruptModeration, LinkLoss, LinkTrace,
    MacAddress, McsFormat, Mode, ModerationLoad, MuEdcaParameters, MultiUserAcknowledgement, MultiUserPlan,
    MultiUserScheduler, NicRole, Propagation, QueuePlan, RadioChannel, RandomAccessPlan, RateControlPlan,
    Reception, RssiLink, RtsPolicy, Shadowing, Slot, Standard, TgnModel, TracePoint, TxInterrupt, UplinkPlan,
    Variate, Waypoint,
};
use airtcp_testing::plans::{
    AARF, AMPDU, ARF, CARA, FQ_CODEL, IDEAL, MINSTREL, MINSTREL_HT, cell, mac, routes_in_chain,
};
use airtcp_units::{BitRate, Dbm, Decibel, Metre};
use proptest::prelude::*;

/// One random cell.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
#[derive(Clone, Debug)]
pub(super) struct CellKnobs {
    /// A mesh chain, or an access point with stations.
    mesh: bool,
    members: u32,
    place: Place,
    /// Waits until all of its channel is idle, or sends in what is.
    static_bandwidth: bool,
    access: AccessKnobs,
    /// The access point has parameters of its own.
    ap_differs: bool,
    rts_threshold_bytes: u32,
    retry_limits: (u32, u32),
    beacon: bool,
    protection: u8,
    long_slot: bool,
}

/// Where a random cell is in the spectrum.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// On the first cell's channel.
    Shared,
    /// On a channel of its own.
    Apart,
    /// On one that has a part in common with the first cell's, or is its neighbour.
    Overlapping(u8),
}

/// Channel access of a random cell.
#[derive(Clone, Debug)]
struct AccessKnobs {
    edca: bool,
    /// By category: AIFSN, exponent of `CWmin`, TXOP limit.
    categories: Vec<(u32, u32, u32)>,
    cw_max_exponent: u32,
}

/// What the NICs of a random plan have in common.
#[derive(Clone, Debug)]
pub(super) struct NicKnobs {
    queue: u8,
    packets: u32,
    backpressure: bool,
    aggregation: Option<(u32, u32, u32, u32)>,
    mpdu_end: bool,
    rate_control: u8,
    streams: u32,
    card: CardKnobs,
}

/// The card of all NICs of a random plan: 0 is always an ideal one.
#[derive(Clone, Debug)]
struct CardKnobs {
    rx: u8,
    tx: u8,
    queue: u8,
    forms: bool,
    delay: bool,
}

impl CardKnobs {
    fn plan(&self) -> CardPlan {
        let moderation = |load| InterruptModeration {
            after_first_ns: Some(700_000),
            after_last_ns: Some(250_000),
            frames: Some(5),
            load,
        };
        let load = ModerationLoad { above_bps: 1_000_000, every_ns: 1_000_000 };
        let size = match self.queue {
            0 => None,
            1 => Some(HardwareQueueSize::Ppdus { count: 1 }),
            2 => Some(HardwareQueueSize::Frames { count: 20 }),
            _ => Some(HardwareQueueSize::Airtime { ns: 2_000_000 }),
        };
        let aggregates = if self.forms { AggregatesFormed::AtEntry } else { AggregatesFormed::AtAccess };
        CardPlan {
            rx_interrupt: match self.rx {
                0 => None,
                1 => Some(moderation(None)),
                _ => Some(moderation(Some(load))),
            },
            tx_interrupt: match self.tx {
                0 => None,
                1 if self.rx > 0 => Some(TxInterrupt::WithReception),
                _ => Some(TxInterrupt::Own(moderation(None))),
            },
            hardware_queue: size.map(|size| HardwareQueue { size, aggregates }),
            host_delay: self.delay.then_some(HostDelay {
                fixed_ns: 30_000,
                jitter_ns: Some(Variate::Exponential { mean: 100_000 }),
            }),
            ..CardPlan::IDEAL
        }
    }
}

/// The channel of a random plan.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
#[derive(Clone, Debug)]
pub(super) struct ChannelKnobs {
    propagation: u8,
    /// For each pair of NICs, where powers are given: 0 and 1 are out of range.
    links: Vec<u8>,
    pub(super) noise: bool,
    fading: u8,
    shadowing: bool,
    capture: bool,
    moving: bool,
    loss: f64,
    trace: u8,
    /// 0 to 2: a source of interference.
    interferer: u8,
}

impl ChannelKnobs {
    /// Whether a NIC that hears the beginning of a PPDU also hears its end.
    pub(super) fn is_steady(&self) -> bool {
        !self.moving && self.fading == 0 && self.trace > 0
    }

    /// Whether nothing depends on powers or changes.
    fn reading_is_known(&self) -> bool {
        !self.noise && !self.capture && self.interferer > 2 && self.is_steady()
    }
}

/// Everything that makes a random plan.
#[derive(Clone, Debug)]
pub(super) struct Knobs {
    standard: Standard,
    wide: bool,
    cells: Vec<CellKnobs>,
    nics: NicKnobs,
    pub(super) channel: ChannelKnobs,
    pub(super) seed: u64,
}

fn access() -> impl Strategy<Value = AccessKnobs> {
    let txop = prop_oneof![3 => Just(0_u32), 1 => Just(300), 1 => Just(1504), 1 => Just(3008)];
    let categories = prop::collection::vec((1..8_u32, 0..5_u32, txop), 4);
    (any::<bool>(), categories, 4..8_u32).prop_map(|(edca, categories, cw_max_exponent)| AccessKnobs {
        edca,
        categories,
        cw_max_exponent,
    })
}

fn cell_knobs() -> impl Strategy<Value = CellKnobs> {
    let rts = prop_oneof![3 => Just(65_535_u32), 1 => Just(0), 1 => Just(400), 1 => Just(2000)];
    let place = prop_oneof![
        4 => Just(Place::Shared), 3 => Just(Place::Apart), 5 => (0..5_u8).prop_map(Place::Overlapping),
    ];
    let shape = (prop::bool::weighted(0.25), 1..5_u32, place, prop::bool::weighted(0.4));
    let access = (access(), prop::bool::weighted(0.2));
    let rest = (rts, (1..5_u32, 1..5_u32), prop::bool::weighted(0.2), 0..3_u8, any::<bool>());
    (shape, access, rest).prop_map(
        |((mesh, members, place, static_bandwidth), (access, ap_differs), rest)| {
            let (rts_threshold_bytes, retry_limits, beacon, protection, long_slot) = rest;
            CellKnobs {
                mesh,
                members,
                place,
                static_bandwidth,
                access,
                ap_differs,
                rts_threshold_bytes,
                retry_limits,
                beacon,
                protection,
                long_slot,
            }
        },
    )
}

fn nic_knobs() -> impl Strategy<Value = NicKnobs> {
    let aggregation = prop_oneof![
        1 => Just(None),
        3 => (
            prop_oneof![Just(0_u32), Just(4000), Just(65_535), Just(1_048_575)],
            prop_oneof![Just(1000_u32), Just(5484)],
            prop_oneof![Just(2_u32), Just(8), Just(64), Just(256)],
            prop_oneof![2 => Just(0_u32), 1 => Just(3839), 1 => Just(7935)],
        ).prop_map(Some),
    ];
    let queue = (0..4_u8, prop_oneof![Just(2_u32), Just(10), Just(100)], any::<bool>());
    let ideal = Just(CardKnobs { rx: 0, tx: 0, queue: 0, forms: false, delay: false });
    let real = (0..3_u8, 0..3_u8, 0..4_u8, any::<bool>(), prop::bool::weighted(0.2));
    let card = prop_oneof![
        1 => ideal,
        1 => real.prop_map(|(rx, tx, queue, forms, delay)| CardKnobs { rx, tx, queue, forms, delay }),
    ];
    (queue, aggregation, any::<bool>(), 0..8_u8, 1..3_u32, card).prop_map(
        |((queue, packets, backpressure), aggregation, mpdu_end, rate_control, streams, card)| NicKnobs {
            queue,
            packets,
            backpressure,
            aggregation,
            mpdu_end,
            rate_control,
            streams,
            card,
        },
    )
}

fn channel_knobs() -> impl Strategy<Value = ChannelKnobs> {
    let links = prop::collection::vec(0..8_u8, 28);
    let weighted = prop::bool::weighted;
    let kinds = (0..4_u8, weighted(0.4), prop_oneof![3 => Just(0_u8), 1 => 1..7_u8], weighted(0.2));
    let rest = (weighted(0.3), weighted(0.2), prop_oneof![3 => Just(0.0), 1 => Just(0.3)], 0..6_u8);
    (links, kinds, rest, 0..8_u8).prop_map(|(links, kinds, rest, interferer)| {
        let (propagation, noise, fading, shadowing) = kinds;
        let (capture, moving, loss, trace) = rest;
        ChannelKnobs {
            propagation,
            links,
            noise,
            fading,
            shadowing,
            capture,
            moving,
            loss,
            trace,
            interferer,
        }
    })
}

/// Random legal plans.
pub(super) fn knobs() -> impl Strategy<Value = Knobs> {
    use Standard::{Dmg, Eht, Erp, He, HrDsss, Ht, Ofdm, Vht};
    let standard = prop_oneof![
        1 => Just(HrDsss), 2 => Just(Ofdm), 2 => Just(Erp), 3 => Just(Ht),
        2 => Just(Vht), 4 => Just(He), 2 => Just(Eht), 1 => Just(Dmg),
    ];
    let cells = prop::collection::vec(cell_knobs(), 1..4);
    let wide = prop::bool::weighted(0.7);
    (standard, wide, cells, nic_knobs(), channel_knobs(), any::<u64>()).prop_map(
        |(standard, wide, cells, nics, channel, seed)| Knobs { standard, wide, cells, nics, channel, seed },
    )
}

impl Knobs {
    /// The plan.
    pub(super) fn plan(&self) -> AirPlan {
        let mut plan = cell(0);
        let template = plan.nics.remove(0);
        plan.cells.clear();
        for (c, knobs) in (0..).zip(&self.cells) {
            plan.cells.push(self.cell(c, knobs));
            let first = plan.nics.len() as u32;
            plan.nics.extend((0..=knobs.members).map(|m| self.nic(&template, (c, knobs), (first, m))));
        }
        self.mix_generations(&mut plan);
        self.share_ppdus(&mut plan);
        self.set_channel(&mut plan);
        plan
    }

    /// Whether a NIC that hears one PPDU alone always decodes it.
    pub(super) fn reading_is_known(&self) -> bool {
        self.channel.reading_is_known() && !self.is_mixed()
    }

    /// Whether members of a cell have different generations: in one plan of four from 11n on.
    pub(super) fn is_mixed(&self) -> bool {
        self.standard >= Standard::Ht
            && self.standard != Standard::Dmg
            && self.seed.to_le_bytes()[7].is_multiple_of(4)
    }

    /// Every second NIC, but for access points, has an older PHY or a narrower part of the channel.
    fn mix_generations(&self, plan: &mut AirPlan) {
        if !self.is_mixed() {
            return;
        }
        let [.., protection, choice, _] = self.seed.to_le_bytes();
        for (i, nic) in (0_u8..).zip(&mut plan.nics) {
            let channel = plan.cells[nic.cell as usize].channel;
            nic.rate_control = MINSTREL_HT;
            if i % 2 == 0 || nic.role == NicRole::AccessPoint {
                continue;
            }
            match choice.wrapping_add(i) / 2 % 3 {
                0 if channel.primary_mhz < 5_900 => {
                    let legacy = if channel.primary_mhz < 3_000 { Standard::Erp } else { Standard::Ofdm };
                    (nic.standard, nic.width_mhz, nic.aggregation) = (Some(legacy), Some(20), None);
                    (nic.streams, nic.antennas) = (1, 1);
                }
                1 if channel.primary_mhz < 5_900 => {
                    (nic.standard, nic.width_mhz) = (Some(Standard::Ht), Some(channel.width_mhz.min(40)));
                    if let Some(limits) = &mut nic.aggregation {
                        limits.ampdu_bytes = limits.ampdu_bytes.min(65_535);
                    }
                }
                _ => nic.width_mhz = Some(20),
            }
        }
        for cell in &mut plan.cells {
            cell.ht_protection = match protection % 4 {
                0 => HtProtection::CtsToSelf,
                1 => HtProtection::RtsCts,
                _ => HtProtection::None,
            };
        }
    }

    /// Access points of 11ax and 11be send to several stations at once, in three of four plans that may have it.
    fn share_ppdus(&self, plan: &mut AirPlan) {
        let [.., scheduler, choice, stations, random, _] = self.seed.to_le_bytes();
        let has_aggregates = self.nics.aggregation.is_some_and(|(ampdu_bytes, ..)| ampdu_bytes > 0);
        let forms = self.nics.card.queue > 0 && self.nics.card.forms;
        if choice % 4 == 0 || forms || !has_aggregates {
            return;
        }
        let is_he = |standard| matches!(standard, Standard::He | Standard::Eht);
        for (c, cell) in (0_u32..).zip(&mut plan.cells) {
            let understands =
                |nic: &AirNic| nic.cell == c && nic.role == NicRole::Station && is_he(nic.standard_in(cell));
            if is_he(cell.standard) && plan.nics.iter().any(understands) {
                cell.multi_user = Some(MultiUserPlan {
                    scheduler: MultiUserScheduler::ALL
                        [usize::from(scheduler) % MultiUserScheduler::ALL.len()],
                    stations: 2 + u32::from(stations) % 4,
                    mu_rts: stations % 3 > 0,
                    acknowledgement: match stations % 8 {
                        0..=2 => MultiUserAcknowledgement::Sequential,
                        3..=5 => MultiUserAcknowledgement::MuBar,
                        _ => MultiUserAcknowledgement::AggregatedMuBar,
                    },
                    uplink: uplink_of(stations / 8).filter(|_| cell.access.len() == 4).map(|uplink| {
                        UplinkPlan {
                            mu_edca: mu_edca_of(random),
                            random_access: random_access_of(random),
                            ..uplink
                        }
                    }),
                });
            }
        }
    }

    fn cell(&self, c: u32, knobs: &CellKnobs) -> Cell {
        let mut bss = cell(0).cells.remove(0);
        bss.name = format!("cell{c}");
        bss.kind = if knobs.mesh { CellKind::Mesh } else { CellKind::Infrastructure };
        bss.standard = self.standard;
        bss.channel = self.channel_of(c, knobs.place);
        if knobs.static_bandwidth {
            bss.bandwidth_operation = BandwidthOperation::Static;
        }
        (bss.short_retry_limit, bss.long_retry_limit) = knobs.retry_limits;
        bss.rts_threshold_bytes = knobs.rts_threshold_bytes;
        bss.beacon = knobs.beacon.then_some(BeaconPlan { interval_us: 10_240, bytes: 150 });
        self.set_practice(&mut bss);
        bss.access = self.access(&knobs.access);
        bss.subframe_retry_limit = 1 + 3 * knobs.retry_limits.0;
        bss.station_retry_limit = 1 + knobs.retry_limits.0;
        let own = bss.access.iter().map(|&category| AccessParameters { cw_min: 1, ..category });
        bss.ap_access = (knobs.ap_differs && !knobs.mesh).then(|| own.collect());
        if bss.channel.primary_mhz < 3000 {
            self.set_2_4_ghz(&mut bss, knobs);
        }
        if self.standard == Standard::Dmg {
            bss.group_rate_bps = BitRate::from_bps(385_000_000);
        }
        bss
    }

    /// What drivers choose; most plans have the defaults.
    fn set_practice(&self, bss: &mut Cell) {
        let [policy, longest, access, _, _, _, _, _] = self.seed.to_le_bytes();
        bss.rts_policy = match policy % 8 {
            0 => RtsPolicy::Threshold,
            1 => RtsPolicy::Retries,
            2 => RtsPolicy::Aggregates,
            _ => RtsPolicy::RateControl,
        };
        bss.rts_threshold_us = (longest % 8 == 0).then_some(200);
        bss.beacon_access = if access % 2 == 0 { BeaconAccess::Pifs } else { BeaconAccess::Edca };
    }

    /// 11b and protection; cells of one channel need the same slot, so the first cell decides.
    fn set_2_4_ghz(&self, bss: &mut Cell, knobs: &CellKnobs) {
        let hr_dsss = self.standard == Standard::HrDsss;
        let long = hr_dsss || self.cells[0].long_slot;
        bss.slot = if long { Slot::Long } else { Slot::Short };
        bss.short_preamble = knobs.protection == 1;
        let slow = [1_000_000, 2_000_000, 5_500_000, 11_000_000];
        if hr_dsss {
            bss.basic_rates_bps = slow[..2].iter().map(|&bps| BitRate::from_bps(bps)).collect();
            bss.group_rate_bps = BitRate::from_mbps(1);
            return;
        }
        bss.protection = match knobs.protection {
            0 => return,
            1 => ErpProtection::CtsToSelf,
            _ => ErpProtection::RtsCts,
        };
        bss.basic_rates_bps.extend(slow.map(BitRate::from_bps));
    }

    fn access(&self, knobs: &AccessKnobs) -> Vec<AccessParameters> {
        let needs_edca = !matches!(self.standard, Standard::HrDsss | Standard::Ofdm | Standard::Erp);
        let aggregates = needs_edca && self.nics.aggregation.is_some();
        let category = |&(aifsn, exponent, txop_us): &(u32, u32, u32)| AccessParameters {
            aifsn,
            cw_min: (1 << exponent) - 1,
            cw_max: (1 << knobs.cw_max_exponent) - 1,
            txop_us,
        };
        let mut access: Vec<_> = knobs.categories.iter().map(category).collect();
        if !knobs.edca && !aggregates {
            access.truncate(1);
            access[0].aifsn = 2;
        }
        access
    }

    fn radio_channel(&self, number: u32) -> RadioChannel {
        let (primary_mhz, centre_mhz, width_mhz) = match self.standard {
            Standard::Ht if self.wide => (5180 + 40 * number, 5190 + 40 * number, 40),
            Standard::HrDsss | Standard::Erp | Standard::Ht => (2412 + 25 * number, 2412 + 25 * number, 20),
            Standard::Vht if self.wide => (5180 + 80 * number.min(1), 5210 + 80 * number.min(1), 80),
            Standard::Eht if self.wide => (5955 + 320 * number, 6105 + 320 * number, 320),
            Standard::He | Standard::Eht if self.wide => (5955 + 160 * number, 6025 + 160 * number, 160),
            Standard::Dmg => (58_320 + 2160 * number, 58_320 + 2160 * number, 2160),
            _ => (5180 + 20 * number, 5180 + 20 * number, 20),
        };
        RadioChannel { primary_mhz, centre_mhz, width_mhz }
    }

    fn channel_of(&self, c: u32, place: Place) -> RadioChannel {
        match place {
            Place::Shared => self.radio_channel(0),
            Place::Apart => self.radio_channel(c),
            Place::Overlapping(choice) => self.overlapping_channel(usize::from(choice)),
        }
    }

    /// Channels that have a part in common with the first of [`Self::radio_channel`] or are beside it, in various widths.
    fn overlapping_channel(&self, choice: usize) -> RadioChannel {
        type Channel = (u32, u32, u32);
        const NARROW_2_4: [Channel; 5] =
            [(2417, 2417, 20), (2422, 2422, 20), (2427, 2427, 20), (2432, 2432, 20), (2437, 2437, 20)];
        const NARROW_5: [Channel; 5] =
            [(5180, 5180, 20), (5200, 5200, 20), (5220, 5220, 20), (5240, 5240, 20), (5260, 5260, 20)];
        const UP_TO_40: [Channel; 5] =
            [(5200, 5190, 40), (5180, 5180, 20), (5200, 5200, 20), (5220, 5230, 40), (5220, 5220, 20)];
        const UP_TO_160: [Channel; 5] =
            [(5240, 5210, 80), (5220, 5230, 40), (5200, 5200, 20), (5260, 5250, 160), (5260, 5290, 80)];
        const AT_6: [Channel; 5] =
            [(6095, 6025, 160), (5975, 5985, 80), (6075, 6075, 20), (6035, 6025, 160), (6115, 6125, 40)];
        let (primary_mhz, centre_mhz, width_mhz) = match self.standard {
            Standard::Dmg => return self.radio_channel(1),
            Standard::Ht if self.wide => UP_TO_40[choice],
            Standard::HrDsss | Standard::Erp | Standard::Ht => NARROW_2_4[choice],
            Standard::Vht if self.wide => UP_TO_160[choice],
            Standard::He | Standard::Eht if self.wide => AT_6[choice],
            _ => NARROW_5[choice],
        };
        RadioChannel { primary_mhz, centre_mhz, width_mhz }
    }

    fn nic(&self, template: &AirNic, place: (u32, &CellKnobs), number: (u32, u32)) -> AirNic {
        let ((c, cell), (first, m)) = (place, number);
        let i = first + m;
        let aggregates = !matches!(self.standard, Standard::HrDsss | Standard::Ofdm | Standard::Erp);
        let last = first + cell.members;
        let mesh_routes = if cell.mesh { routes_in_chain(i, first..last + 1) } else { vec![] };
        let streams = if aggregates && self.standard != Standard::Dmg { self.nics.streams } else { 1 };
        AirNic {
            node: format!("n{i}"),
            mac: mac(i),
            role: match (cell.mesh, m) {
                (true, _) => NicRole::Mesh,
                (false, 0) => NicRole::AccessPoint,
                (false, _) => NicRole::Station,
            },
            cell: c,
            streams,
            antennas: streams,
            rate_control: self.rate_control(self.channel_of(c, cell.place).width_mhz),
            queue: self.queue(),
            backpressure: self.nics.backpressure,
            aggregation: self.nics.aggregation.filter(|_| aggregates).map(|(bytes, us, window, amsdu)| {
                Aggregation {
                    ampdu_bytes: bytes,
                    ampdu_us: us,
                    block_ack_window: window,
                    start_spacing_ns: [0, 4_000][window as usize % 2],
                    amsdu_bytes: amsdu,
                    ..AMPDU
                }
            }),
            delivery: if self.nics.mpdu_end { Delivery::MpduEnd } else { Delivery::PpduEnd },
            card: self.nics.card.plan(),
            mesh_routes,
            // Around a square of 8 m, and the cells side by side.
            position_m: [f64::from(i % 3) * 4.0, f64::from(c) * 15.0 + f64::from(i / 3) * 4.0, 1.5]
                .map(Metre::new),
            waypoints: self.waypoints(i),
            ..template.clone()
        }
    }

    fn waypoints(&self, i: u32) -> Vec<Waypoint> {
        let place = |x: f64| [Metre::new(x), Metre::new(0.0), Metre::new(1.5)];
        let moves = self.channel.moving && i % 2 == 1;
        let ways = [(2_000_000, place(300.0)), (9_000_000, place(1.0))];
        let ways = ways.into_iter().filter(|_| moves);
        ways.map(|(time_ns, position_m)| Waypoint { time_ns, position_m }).collect()
    }

    fn queue(&self) -> QueuePlan {
        let packets = self.nics.packets;
        let linux = FqCodelPlan { packets, ..FQ_CODEL };
        match self.nics.queue {
            0 => QueuePlan::Fifo { packets },
            1 => QueuePlan::Direct { aggregates: 1 + packets % 2 },
            2 => QueuePlan::FqCodel(linux),
            // Limits that bite.
            _ => QueuePlan::FqCodel(FqCodelPlan {
                target_us: 500,
                interval_us: 1_000,
                aql_us: Some([200, 400]),
                aql_threshold_us: 600,
                ..linux
            }),
        }
    }

    fn rate_control(&self, width_mhz: u32) -> RateControlPlan {
        let legacy = matches!(self.standard, Standard::HrDsss | Standard::Ofdm | Standard::Erp);
        match self.nics.rate_control {
            0 => ARF,
            1 => AARF,
            2 => CARA,
            3 => IDEAL,
            4 if legacy => MINSTREL,
            4 if self.standard != Standard::Dmg => MINSTREL_HT,
            _ => RateControlPlan::Fixed { mode: self.fixed_mode(width_mhz) },
        }
    }

    fn fixed_mode(&self, width_mhz: u32) -> Mode {
        let mcs = |format, mcs| Mode::Mcs { format, mcs, streams: 1, width_mhz, guard_ns: 800 };
        let legacy = |mbps| Mode::Legacy { rate_bps: BitRate::from_mbps(mbps) };
        let slow = self.nics.rate_control == 5;
        match self.standard {
            Standard::HrDsss => legacy(if slow { 2 } else { 11 }),
            Standard::Ofdm | Standard::Erp => legacy(if slow { 6 } else { 54 }),
            Standard::Ht => mcs(McsFormat::Ht, if slow { 0 } else { 7 }),
            Standard::Vht => mcs(McsFormat::Vht, if slow { 0 } else { 8 }),
            Standard::He => mcs(McsFormat::He, if slow { 0 } else { 11 }),
            Standard::Eht => mcs(McsFormat::Eht, if slow { 0 } else { 13 }),
            Standard::Dmg => mcs(McsFormat::Dmg, if slow { 1 } else { 12 }),
        }
    }

    fn set_channel(&self, plan: &mut AirPlan) {
        let knobs = &self.channel;
        let nics = plan.nics.len() as u32;
        plan.channel.propagation = match knobs.propagation {
            0 => Propagation::Rssi { links: vec![], default_dbm: Dbm::new(-50.0) },
            3 => Propagation::LogDistance {
                exponent: 3.5,
                reference_loss_db: Some(Decibel::new(46.0)),
                reference_distance_m: Metre::new(1.0),
            },
            _ => Propagation::Rssi { links: self.links(nics), default_dbm: Dbm::new(-50.0) },
        };
        let coherence_ns = 500_000;
        plan.channel.fading = match knobs.fading {
            0 => Fading::None,
            1 => Fading::Rayleigh { coherence_ns },
            2 => Fading::Rician { k_db: Decibel::new(6.0), coherence_ns },
            4..=6 if self.standard != Standard::Dmg => Fading::Tapped {
                profile: profile(knobs.fading),
                spectrum: DopplerSpectrum::Bell,
                speed_mps: 2.0,
                line_of_sight: None,
            },
            _ => Fading::Nakagami { m: 2.0, coherence_ns },
        };
        let shadowing = Shadowing { sigma_db: Decibel::new(6.0), decorrelation_m: Metre::new(6.0) };
        plan.channel.shadowing = Some(shadowing).filter(|_| knobs.shadowing);
        plan.channel.capture_db = Some(Decibel::new(10.0)).filter(|_| knobs.capture);
        plan.channel.update_ns = 1_000_000;
        if knobs.noise {
            let code = if knobs.capture { CodeChoice::Ldpc } else { CodeChoice::Bcc };
            let nist = knobs.links[0] < 3 && self.standard != Standard::Dmg;
            plan.channel.reception = if nist { Reception::Nist } else { Reception::Table { code } };
        }
        if knobs.loss > 0.0 {
            plan.channel.losses = vec![LinkLoss { from: 1, to: 0, loss: knobs.loss }];
        }
        plan.channel.traces = self.traces();
        if knobs.interferer < 3 {
            plan.channel.interferers = vec![self.interferer(knobs.interferer, plan.cells[0].channel)];
        }
    }

    /// On the first cell's primary channel, on all of its channel and its neighbours, or hopping over it.
    fn interferer(&self, kind: u8, channel: RadioChannel) -> Interferer {
        let centre_khz = 1000 * channel.primary_mhz;
        let (bandwidth_khz, bands_khz) = match kind {
            0 => (10_000, vec![centre_khz]),
            1 => (2_000 * channel.width_mhz, vec![1000 * channel.centre_mhz]),
            _ => (1_000, (0..20).map(|n| centre_khz - 10_000 + 5_000 * n).collect()),
        };
        let pattern = match self.channel.links[1] % 2 {
            0 => EmissionPattern::Random { mean_on_ns: 300_000, mean_off_ns: 1_500_000 },
            _ => EmissionPattern::Periodic {
                period_ns: 2_000_000,
                on_ns: 400_000,
                phase_ns: 100_000,
                jitter_ns: 50_000,
            },
        };
        let default_dbm = Dbm::new(if self.channel.links[2].is_multiple_of(2) { -50.0 } else { -66.0 });
        Interferer {
            name: "source".to_owned(),
            power: EmissionPower::Received { levels: vec![], default_dbm },
            bandwidth_khz,
            centres_khz: bands_khz,
            pattern,
        }
    }

    /// Powers of pairs: strong, at the edge, and out of range.
    fn links(&self, nics: u32) -> Vec<RssiLink> {
        let pairs = (0..nics).flat_map(|a| (a + 1..nics).map(move |b| (a, b)));
        let dbm = |kind| [-100.0, -95.0, -78.0, -70.0, -60.0, -55.0, -50.0, -40.0][usize::from(kind)];
        let kinds = self.channel.links.iter().cycle();
        let powers = pairs.zip(kinds).map(|((a, b), &kind)| RssiLink { a, b, rssi_dbm: Dbm::new(dbm(kind)) });
        powers.collect()
    }

    fn traces(&self) -> Vec<LinkTrace> {
        let point = |time_ns, rssi_dbm: Option<f64>, loss, mbps: Option<u64>| TracePoint {
            time_ns,
            rssi_dbm: rssi_dbm.map(Dbm::new),
            loss,
            rate_bps: mbps.map(BitRate::from_mbps),
        };
        let trace = |points| vec![LinkTrace { from: 0, to: 1, repeat: true, points }];
        match self.channel.trace {
            0 => trace(vec![
                point(0, Some(-50.0), None, None),
                point(3_000_000, Some(-90.0), None, None),
                point(5_000_000, None, None, None),
            ]),
            1 => trace(vec![
                point(0, None, Some(0.9), None),
                point(2_000_000, None, Some(0.0), Some(12)),
                point(4_000_000, None, None, None),
            ]),
            _ => vec![],
        }
    }
}

fn profile(fading: u8) -> FadingProfile {
    match fading {
        4 => FadingProfile::Tgn { model: TgnModel::D },
        5 => FadingProfile::Tgn { model: TgnModel::B },
        _ => {
            let tap = |delay_ns, power_db| FadingTap {
                delay_ns,
                power_db: Decibel::new(power_db),
                k_db: None,
                speed_mps: None,
            };
            FadingProfile::Taps { taps: vec![tap(0.0, 0.0), tap(70.0, -3.0)] }
        }
    }
}

/// Where a random frame may go: any NIC of the plan, somewhere else, everybody.
pub(super) fn destination(plan: &AirPlan, choice: u32) -> MacAddress {
    match plan.nics.get(choice as usize) {
        Some(nic) => nic.mac,
        None if choice.is_multiple_of(2) => super::hosts::BEYOND,
        None => MacAddress::BROADCAST,
    }
}

/// Uplinks that are triggered, in five of eight plans with PPDUs to several stations. Without backoff an access point that always asks would
/// leave no time to its stations.
fn uplink_of(choice: u8) -> Option<UplinkPlan> {
    let plan = UplinkPlan {
        bsrp: choice & 1 == 1,
        interval_us: [0, 9_000, 30_000, 14_000][usize::from(choice / 2 % 4)],
        report_lifetime_us: if choice & 8 == 8 { 20_000 } else { 2_000 },
        target_rssi_dbm: (choice & 16 == 16).then(|| Dbm::new(-70.0)),
        mu_edca: None,
        random_access: None,
    };
    (choice % 8 > 2).then_some(plan)
}

/// MU EDCA parameters in half of them; all categories are suspended in half of these.
fn mu_edca_of(choice: u8) -> Option<[MuEdcaParameters; 4]> {
    let aifsn = if choice & 64 == 64 { [0, 0, 0, 0] } else { [9, 0, 7, 2] };
    (choice & 32 == 32).then(|| {
        [1, 2, 3, 1].map(|timer| MuEdcaParameters {
            aifsn: aifsn[usize::from(timer)],
            cw_min: 31,
            cw_max: 1023,
            timer,
        })
    })
}

/// Random access in half of them.
fn random_access_of(choice: u8) -> Option<RandomAccessPlan> {
    let ocw_min = [0, 0, 1, 7][usize::from(choice / 8 % 4)];
    let rus = [1, 1, 2, 4][usize::from(choice / 2 % 4)];
    let plan = RandomAccessPlan { rus, ocw_min, ocw_max: 2 * ocw_min + 1 };
    (choice & 1 == 1).then_some(plan)
}
