//! A frame of a radio of mac80211 costs no allocation either.

use std::alloc::System;

use airtcp_air::border::{
    AccessCategory, ControlFrame, MpduFate, MpduHandle, PpduStatus, Protection, RateChain, RateStage,
    RxStatus, TxqId,
};
use airtcp_air::linux_mac::{Mac80211, RadioMpdu, RadioMpduKind};
use airtcp_air::phy::{Format, Guard, TxVector, Width};
use airtcp_air::{NicId, Outbox, RadioEdcaf, World, WorldOptions};
use airtcp_plan::{
    AirPlan, InterruptModeration, LinkLoss, LinuxCell, LinuxRateControl, MacAddress, McsFormat, Mode,
    MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, RateControlPlan, Standard, UplinkPlan,
};
use airtcp_testing::plans::{AMPDU, linux_cell, one_station};
use airtcp_units::{Dbm, Duration, Instant};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A station that always has data for its access point, which asks for it too.
#[derive(Debug)]
struct Saturated {
    addresses: [MacAddress; 2],
    taken: u64,
    ended: u64,
}

impl Mac80211 for Saturated {
    fn has(&mut self, nic: NicId, ac: AccessCategory) -> bool {
        (nic, ac) == (NicId(1), AccessCategory::BestEffort)
    }

    fn next_txq(&mut self, _now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId> {
        self.has(nic, ac).then_some(TxqId(0))
    }

    fn dequeue(&mut self, _now: Instant, _txq: TxqId) -> Option<RadioMpdu> {
        let handle = MpduHandle(self.taken);
        self.taken += 1;
        Some(RadioMpdu {
            handle,
            receiver: self.addresses[0],
            transmitter: self.addresses[1],
            bytes: 1538,
            tid: 0,
            sequence: (handle.0 & 4095) as u16,
            kind: RadioMpduKind::Aggregable,
            no_ack: false,
            agreed: true,
            slow: false,
        })
    }

    fn return_txq(&mut self, _now: Instant, _txq: TxqId, _more: bool) {}

    fn uplink_txq(&mut self, nic: NicId, tid: u8) -> Option<TxqId> {
        ((nic, tid) == (NicId(1), 0)).then_some(TxqId(0))
    }

    fn depth(&mut self, _txq: TxqId) -> u64 {
        30_000
    }

    fn rates(&mut self, _now: Instant, _nic: NicId, _mpdu: MpduHandle) -> RateChain {
        let tx = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
        RateChain::one(RateStage { tx, tries: 2, protection: Protection::None })
    }

    fn ppdu_done(
        &mut self,
        _now: Instant,
        _nic: NicId,
        _mpdus: &[MpduHandle],
        _status: &PpduStatus,
        _response: Option<Dbm>,
    ) {
    }

    fn mpdu_done(&mut self, _now: Instant, _nic: NicId, _mpdu: MpduHandle, _fate: MpduFate) {
        self.ended += 1;
    }

    fn rx(&mut self, _now: Instant, _nic: NicId, _mpdus: &[MpduHandle], _status: &RxStatus) {}

    fn hear(&mut self, _now: Instant, _nic: NicId, _frame: &ControlFrame<'_>, _status: &RxStatus) {}
}

fn plan(prefetch_ppdus: u32) -> AirPlan {
    let mut plan = one_station();
    let cell = &mut plan.cells[0];
    (cell.standard, cell.access) = (Standard::Ht, vec![cell.access[0]; 4]);
    cell.linux = Some(LinuxCell { prefetch_ppdus, ..linux_cell() });
    plan.nics.iter_mut().for_each(|nic| nic.aggregation = Some(AMPDU));
    plan.nics[0].card.rx_interrupt = Some(InterruptModeration {
        after_first_ns: Some(2_000_000),
        after_last_ns: Some(500_000),
        frames: Some(128),
        load: None,
    });
    plan.channel.losses = vec![LinkLoss { from: 1, to: 0, loss: 0.1 }];
    plan
}

/// The same of 11ax, whose access point asks the station for its data.
fn triggering() -> AirPlan {
    let mut plan = plan(0);
    let cell = &mut plan.cells[0];
    cell.standard = Standard::He;
    cell.multi_user = Some(MultiUserPlan {
        scheduler: MultiUserScheduler::RoundRobin,
        stations: 4,
        acknowledgement: MultiUserAcknowledgement::MuBar,
        mu_rts: false,
        uplink: Some(UplinkPlan {
            bsrp: false,
            interval_us: 1_000,
            report_lifetime_us: 20_000,
            target_rssi_dbm: None,
            mu_edca: None,
            random_access: None,
        }),
    });
    cell.linux = Some(LinuxCell { rate_control: LinuxRateControl::Ours, ..linux_cell() });
    for nic in &mut plan.nics {
        let (format, mcs, streams) = (McsFormat::He, 7, 1);
        nic.rate_control =
            RateControlPlan::Fixed { mode: Mode::Mcs { format, mcs, streams, width_mhz: 20, guard_ns: 800 } };
    }
    plan
}

/// MPDUs that ended, and allocations, of so many seconds.
fn allocations(plan: &AirPlan, seconds: u64) -> (u64, usize) {
    let end = Instant::from_nanos(seconds * 1_000_000_000);
    let (epoch, sample_interval) = (Instant::ZERO, Duration::ZERO);
    let region = Region::new(ALLOCATOR);
    let options = WorldOptions { epoch, end, sample_interval, ppdu_trace: false };
    let mut world = World::new(plan, 1, options).expect("a legal plan");
    let mut mac = Saturated { addresses: [plan.nics[0].mac, plan.nics[1].mac], taken: 0, ended: 0 };
    let mut out = Outbox::default();
    for (nic, own) in [NicId(0), NicId(1)].into_iter().zip(mac.addresses) {
        world.add_address(epoch, nic, own, &mut out);
        world.channel(epoch, nic, Some(plan.cells[0].channel), &mut mac, &mut out);
    }
    world.associated(epoch, NicId(1), Some(mac.addresses[0]), &mut out);
    world.agreement(epoch, NicId(1), TxqId(0), 64, &mut out);
    let edcaf = RadioEdcaf { nic: NicId(1), ac: AccessCategory::BestEffort };
    world.pending(epoch, edcaf, &mut mac, &mut out);
    while world.next_wakeup() <= end {
        world.run(world.next_wakeup(), &mut mac, &mut out);
    }
    world.finish(end, &mut mac, &mut out);
    let stats = region.change();
    (mac.ended, stats.allocations + stats.reallocations)
}

#[test]
fn time_costs_a_radio_no_allocation() {
    for (name, plan) in [("none", plan(0)), ("two", plan(2)), ("triggered, none", triggering())] {
        let [(few, short), (many, long)] = [1, 5].map(|seconds| allocations(&plan, seconds));
        assert!(few > 1_000 && many > 4 * few, "{few} and {many} MPDUs");
        assert!(long <= short + 20, "{name} ready: {short} allocations for {few} MPDUs, {long} for {many}");
    }
}
