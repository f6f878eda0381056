//! Radios around a world, and what they do by hand.

use std::fmt::Write;

use airtcp_plan::{AirPlan, MacAddress, RadioChannel};
use airtcp_testing::plans::{linux_cell, mac};
use airtcp_units::{Decibel, Instant};

use super::super::super::{Outbox, World};
use super::super::hosts::{OPTIONS, line, lines, us};
use super::super::plans::no_backoff;
use super::fake::{Fake, HeardFrame, Told, data};
use crate::NicId;
use crate::border::{AccessCategory, MpduFate, TxqId};
use crate::linux_mac::{RadioMpdu, RadioMpduKind};
use crate::low::ErrorRates;
use crate::phy::{Format, Guard, TxVector, Width};
use crate::trace::PpduRecord;
use crate::world::{RadioEdcaf, WorldReport};

/// HT MCS 7 at 65 Mbit/s.
pub(super) const HT7: TxVector = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);

/// Octets of a frame of 1514 in a `QoS` data MPDU.
pub(super) const MPDU_BYTES: u32 = 1538;

/// The same plan with mac80211 in every cell.
pub(super) fn on_linux(mut plan: AirPlan) -> AirPlan {
    plan.cells.iter_mut().for_each(|cell| cell.linux = Some(linux_cell()));
    plan
}

/// Legacy radios that try so many times.
pub(super) fn legacy(stations: u32, attempts: u32) -> Fleet {
    Fleet::new(on_linux(no_backoff(stations, attempts)), TxVector::ofdm(7))
}

/// What is faster than 24 Mbit/s is lost.
#[derive(Debug)]
pub(super) struct OnlySlow;

impl ErrorRates for OnlySlow {
    fn decay_per_octet(&self, tx: TxVector, _sinr_db: Decibel, _psdu_bytes: u32) -> f64 {
        if tx.bit_rate().as_bps() > 24_000_000 { f64::INFINITY } else { 0.0 }
    }
}

/// The EDCA function of a radio for best effort.
pub(super) const fn best_effort(nic: NicId) -> RadioEdcaf {
    RadioEdcaf { nic, ac: AccessCategory::BestEffort }
}

/// A world of radios that are on, on the channel of their cell, with their addresses.
#[derive(Debug)]
pub(super) struct Fleet {
    pub(super) plan: AirPlan,
    pub(super) world: World,
    pub(super) fake: Fake,
    pub(super) now: Instant,
    pub(super) out: Outbox,
    pub(super) ppdus: Vec<PpduRecord>,
}

impl Fleet {
    pub(super) fn new(plan: AirPlan, tx: TxVector) -> Self {
        let world = World::new(&plan, 1, OPTIONS).expect("the plan can be modelled");
        Self::around(plan, world, tx)
    }

    /// The same with these error rates.
    pub(super) fn with_errors(plan: AirPlan, tx: TxVector, errors: Box<dyn ErrorRates>) -> Self {
        let world = World::with_errors(&plan, 1, &OPTIONS, Some(errors)).expect("the plan can be modelled");
        Self::around(plan, world, tx)
    }

    pub(super) fn around(plan: AirPlan, world: World, tx: TxVector) -> Self {
        let fake = Fake::new(plan.nics.len(), tx);
        let (now, out) = (Instant::ZERO, Outbox::default());
        let mut fleet = Self { plan, world, fake, now, out, ppdus: Vec::new() };
        for i in 0..fleet.plan.nics.len() {
            let cell = &fleet.plan.cells[fleet.plan.nics[i].cell as usize];
            let (nic, channel) = (NicId(i as u32), cell.channel);
            if cell.linux.is_some() {
                fleet.world.add_address(now, nic, fleet.plan.nics[i].mac, &mut fleet.out);
                fleet.tune(nic, Some(channel));
            }
        }
        fleet
    }

    pub(super) fn tune(&mut self, nic: NicId, channel: Option<RadioChannel>) {
        self.world.channel(self.now, nic, channel, &mut self.fake, &mut self.out);
    }

    /// A radio is associated with another from now on, or with none.
    pub(super) fn associate(&mut self, nic: NicId, access_point: Option<NicId>) {
        let address = access_point.map(|nic| self.mac(nic));
        self.world.associated(self.now, nic, address, &mut self.out);
    }

    /// Runs the air up to and including this instant.
    pub(super) fn advance_to(&mut self, to: Instant) {
        while self.world.next_wakeup() <= to {
            self.now = self.world.next_wakeup();
            self.world.run(self.now, &mut self.fake, &mut self.out);
            self.ppdus.append(&mut self.out.records.ppdus);
        }
        self.now = to;
    }

    pub(super) fn at(&mut self, at_us: u64) {
        if us(at_us) > self.now {
            self.advance_to(us(at_us));
        }
    }

    /// Runs until nothing happens by itself any more.
    pub(super) fn settle(&mut self) {
        while self.world.next_wakeup() != Instant::FAR_FUTURE {
            self.advance_to(self.world.next_wakeup());
        }
    }

    /// So many frames of full length come to a queue now.
    pub(super) fn send(&mut self, from: NicId, to: MacAddress, count: u32) {
        for _ in 0..count {
            let mpdu = data(self.mac(from), to, MPDU_BYTES, self.fake.aggregates);
            self.fake.enqueue(from, mpdu);
        }
        self.pending(from);
    }

    /// The same at this instant, in microseconds.
    pub(super) fn send_at(&mut self, at_us: u64, from: NicId, to: MacAddress, count: u32) {
        self.at(at_us);
        self.send(from, to, count);
    }

    /// One that is described comes.
    pub(super) fn send_as(&mut self, from: NicId, mpdu: RadioMpdu) {
        self.fake.enqueue(from, mpdu);
        self.pending(from);
    }

    pub(super) fn pending(&mut self, nic: NicId) {
        self.world.pending(self.now, best_effort(nic), &mut self.fake, &mut self.out);
    }

    /// An MPDU goes first now, in best effort.
    pub(super) fn send_first(&mut self, from: NicId, to: MacAddress, bytes: u32, kind: RadioMpduKind) {
        let mpdu = RadioMpdu { kind, ..data(self.mac(from), to, bytes, false) };
        let mpdu = self.fake.first(mpdu);
        self.world.send_first(self.now, best_effort(from), mpdu, &mut self.fake, &mut self.out);
    }

    pub(super) fn agree(&mut self, from: NicId, to: MacAddress, window: u16) -> TxqId {
        let txq = self.fake.queue(from, to, 0);
        self.world.agreement(self.now, from, txq, window, &mut self.out);
        txq
    }

    pub(super) fn purge(&mut self, nic: NicId, txq: TxqId) {
        self.world.purge(self.now, nic, txq, &mut self.fake, &mut self.out);
    }

    pub(super) fn finish(&mut self) -> WorldReport {
        let report = self.world.finish(self.now, &mut self.fake, &mut self.out);
        self.ppdus.append(&mut self.out.records.ppdus);
        report
    }

    pub(super) fn mac(&self, nic: NicId) -> MacAddress {
        self.plan.nics[nic.index()].mac
    }

    /// What the driver was told, one line each.
    fn told(&self) -> Vec<String> {
        let name = |nic: NicId| self.plan.nics[nic.index()].node.as_str();
        let time = |at: Instant| at.as_nanos() as f64 / 1000.0;
        let line = |told: &Told| {
            let mut line = String::new();
            match told {
                Told::Ppdu { at, nic, mpdus, status } => {
                    let rate = status.tx.bit_rate().as_bps() as f64 / 1e6;
                    let how = format!("{rate} {} acked {}", status.attempt, status.acked);
                    write!(line, "{} {} ppdu {mpdus:?} {how}", time(*at), name(*nic))
                }
                Told::Done { at, nic, mpdu, fate } => {
                    let fate = match fate {
                        MpduFate::Acked => "acked",
                        MpduFate::Sent => "sent",
                        MpduFate::GivenUp => "given up",
                        MpduFate::Purged => "purged",
                    };
                    write!(line, "{} {} done {mpdu} {fate}", time(*at), name(*nic))
                }
                Told::Rx { at, nic, mpdus, status } => {
                    let from = name(status.from);
                    write!(
                        line,
                        "{} {} rx {mpdus:?} of {from} at {}",
                        time(*at),
                        name(*nic),
                        status.primary_mhz
                    )
                }
                Told::Heard { at, nic, frame } => {
                    write!(line, "{} {} hears {}", time(*at), name(*nic), self.heard(frame))
                }
            }
            .expect("text grows");
            line
        };
        self.fake.told.iter().flatten().map(line).collect()
    }

    /// A control frame as a monitor heard it: its kind, addresses 2 and 1, for how long others are to be silent, and what a
    /// `BlockAck` says: its TID, its first number, its bitmap.
    fn heard(&self, frame: &HeardFrame) -> String {
        let name = |mac: MacAddress| {
            self.plan.nics.iter().find(|nic| nic.mac == mac).map_or("nobody", |nic| nic.node.as_str())
        };
        let (from, to) = (name(frame.addresses.transmitter), name(frame.addresses.receiver));
        let kind = format!("{:?}", frame.kind).to_lowercase();
        let said = frame.block_ack.as_ref().map_or_else(String::new, |(tid, start, bitmap)| {
            let octets: Vec<_> = bitmap.iter().map(|octet| format!("{octet:02x}")).collect();
            format!(" {tid} {start} {}", octets.concat()).trim_end().to_owned()
        });
        format!("{kind} {from}>{to} {}{said}", frame.nav.as_nanos() as f64 / 1000.0)
    }

    /// The PPDUs so far are these, whatever the spaces.
    #[track_caller]
    pub(super) fn expect_ppdus(&self, expected: &str) {
        let ppdus: Vec<_> = self.ppdus.iter().map(|ppdu| line(&self.plan, ppdu, "")).collect();
        assert_eq!(ppdus, lines(expected), "PPDUs");
    }

    /// Runs until nothing happens by itself any more; the PPDUs are then these.
    #[track_caller]
    pub(super) fn expect_history(&mut self, ppdus: &str) {
        self.settle();
        self.expect_ppdus(ppdus);
    }

    /// What the driver was told so far is this.
    #[track_caller]
    pub(super) fn expect_told(&self, expected: &str) {
        assert_eq!(self.told(), lines(expected), "told");
    }
}

/// The address of the NIC with this number.
pub(super) fn address(nic: NicId) -> MacAddress {
    mac(nic.0)
}
