//! A lower half that sends when a test tells it to, and loses what a test tells it to lose.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use airtcp_plan::AirPlan;
use airtcp_testing::plans::mac;
use airtcp_units::{Dbm, Duration, Instant};

use super::host::Host;
use crate::NicId;
use crate::border::{
    AccessCategory, HighMac, Mpdu, MpduFate, MpduKind, PpduStatus, Protection, RateChain, Receiver, Request,
    Requests, RxStatus, TxqId,
};
use crate::high::{Action, Frame, Links, OwnMac, Upper};
use crate::phy::TxVector;
use crate::rate::{ErrorModel, LinkState};

/// Attempts for each MPDU.
pub(super) const ATTEMPTS: u32 = 3;
/// MPDUs in a PPDU.
pub(super) const AMPDU_MPDUS: usize = 8;

/// What becomes of an MPDU in one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Luck {
    Received,
    Lost,
    /// It is received, but its sender does not learn it.
    AckLost,
}

pub(super) struct Silent;

impl Links for Silent {
    fn link_state(&mut self, _now: Instant, _ends: [NicId; 2], _snr: bool) -> LinkState {
        LinkState::default()
    }

    fn power(&self, _from: NicId, _to: NicId) -> Dbm {
        Dbm::new(-50.0)
    }
}

struct Flawless;

impl ErrorModel for Flawless {
    fn packet_error_rate(&self, _tx: TxVector, _snr_db: f64, _psdu_bytes: u32) -> f64 {
        0.0
    }
}

/// The upper half of a plan.
pub(super) fn upper(plan: &AirPlan) -> Result<Upper, crate::SetupError> {
    Upper::new(plan, 1, &Flawless)
}

#[derive(Clone, Copy, Debug)]
struct Held {
    mpdu: Mpdu,
    tries: u32,
}

/// An upper half, a host above and a scripted lower half below.
pub(super) struct Bench {
    pub(super) upper: Upper,
    pub(super) host: Host,
    pub(super) now: Instant,
    out: Vec<Action>,
    requests: Requests,
    contending: BTreeSet<(NicId, AccessCategory)>,
    first: VecDeque<(NicId, AccessCategory, Held)>,
    held: BTreeMap<TxqId, VecDeque<Held>>,
    /// Cell of each NIC.
    cells: Vec<u32>,
    /// Every PPDU: its MPDUs and the chain it was sent with.
    pub(super) ppdus: Vec<(Vec<Mpdu>, RateChain)>,
}

impl Bench {
    pub(super) fn new(plan: &AirPlan) -> Self {
        Self {
            upper: upper(plan).expect("the plan is legal"),
            host: Host::default(),
            now: Instant::from_nanos(1_000_000),
            out: Vec::new(),
            requests: Requests::new(),
            contending: BTreeSet::new(),
            first: VecDeque::new(),
            held: BTreeMap::new(),
            cells: plan.nics.iter().map(|nic| nic.cell).collect(),
            ppdus: Vec::new(),
        }
    }

    /// The host of `nic` sends a frame of 1000 bytes.
    pub(super) fn send(&mut self, nic: u32, to: u32) {
        let frame = self.host.frame(NicId(nic), mac(to), 1000);
        self.transmit(nic, frame);
    }

    pub(super) fn transmit(&mut self, nic: u32, frame: Frame) {
        self.host.note(&frame);
        self.upper.transmit(self.now, NicId(nic), &frame, &mut self.requests, &mut self.out);
        self.settle();
    }

    /// Lets time pass; the reordering buffers' timers run.
    pub(super) fn wait(&mut self, span: Duration) {
        let end = self.now + span;
        while self.upper.next_timeout() <= end {
            self.now = self.now.max(self.upper.next_timeout());
            self.upper.expire(self.now, &mut self.out);
            self.settle();
        }
        self.now = end;
    }

    /// NICs and categories that contend, in a fixed order.
    pub(super) fn contenders(&self) -> Vec<(NicId, AccessCategory)> {
        let first = self.first.iter().map(|&(nic, ac, _)| (nic, ac));
        let mut all: Vec<_> = self.contending.iter().copied().chain(first).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// This NIC wins the medium in best effort.
    pub(super) fn grant(&mut self, nic: u32, luck: impl FnMut(&Mpdu) -> Luck) {
        self.grant_category(NicId(nic), AccessCategory::BestEffort, luck);
    }

    /// Everybody sends without loss until nobody contends.
    pub(super) fn drain(&mut self) {
        while let Some(&(nic, ac)) = self.contenders().first() {
            self.grant_category(nic, ac, |_| Luck::Received);
        }
    }

    /// This NIC wins the medium in this category.
    pub(super) fn grant_category(
        &mut self,
        nic: NicId,
        ac: AccessCategory,
        mut luck: impl FnMut(&Mpdu) -> Luck,
    ) {
        self.now += Duration::from_millis(1);
        if let Some(place) = self.first.iter().position(|&(n, a, _)| (n, a) == (nic, ac)) {
            let (_, _, held) = self.first.remove(place).expect("it was found");
            self.send_first(nic, ac, held, &mut luck);
            return;
        }
        let Some(txq) = self.high(|high, now, _| high.next_txq(now, nic, ac)) else {
            self.contending.remove(&(nic, ac));
            return;
        };
        self.exchange(nic, txq, &mut luck);
        self.settle();
    }

    fn exchange(&mut self, nic: NicId, txq: TxqId, luck: &mut impl FnMut(&Mpdu) -> Luck) {
        let mut psdu = self.held.remove(&txq).unwrap_or_default();
        self.fill(txq, &mut psdu);
        if psdu.is_empty() {
            self.high(|high, now, _| high.return_txq(now, txq, false));
            return;
        }
        let mpdus: Vec<_> = psdu.iter().map(|held| held.mpdu).collect();
        let chain = self.high(|high, now, _| high.rates(now, nic, &mpdus[0]));
        self.ppdus.push((mpdus.clone(), chain));
        let lucks: Vec<_> = mpdus.iter().map(&mut *luck).collect();
        let arrived: Vec<_> =
            mpdus.iter().zip(&lucks).filter(|&(_, &l)| l != Luck::Lost).map(|(&m, _)| m).collect();
        self.arrive(nic, &arrived, chain);
        let acked = lucks.iter().filter(|&&l| l == Luck::Received).count() as u32;
        self.report(nic, &mpdus, acked, chain);
        let mut again = VecDeque::new();
        for (mut held, luck) in psdu.into_iter().zip(lucks) {
            held.tries += 1;
            let group = held.mpdu.receiver == Receiver::Group;
            if group {
                self.done(nic, &held.mpdu, MpduFate::Sent);
            } else if luck == Luck::Received {
                self.done(nic, &held.mpdu, MpduFate::Acked);
            } else if held.tries == ATTEMPTS {
                self.done(nic, &held.mpdu, MpduFate::GivenUp);
            } else {
                again.push_back(held);
            }
        }
        let more = !again.is_empty();
        self.held.insert(txq, again);
        self.high(|high, now, _| high.return_txq(now, txq, more));
    }

    /// Adds MPDUs to those to be repeated, within the window of 64 and in numbers that rise by one.
    fn fill(&mut self, txq: TxqId, psdu: &mut VecDeque<Held>) {
        let fits = |psdu: &VecDeque<Held>| match (psdu.front(), psdu.back()) {
            (Some(first), Some(last)) => {
                let used = last.mpdu.sequence.wrapping_sub(first.mpdu.sequence) & 4095;
                first.mpdu.kind == MpduKind::Aggregable && psdu.len() < AMPDU_MPDUS && used < 63
            }
            _ => true,
        };
        while fits(psdu) {
            let Some(mpdu) = self.high(|high, now, _| high.dequeue(now, txq)) else { return };
            if let Some(last) = psdu.back() {
                let ahead = mpdu.sequence.wrapping_sub(last.mpdu.sequence) & 4095;
                assert!((1..64).contains(&ahead), "numbers of a queue rise");
                assert_eq!((mpdu.tid, mpdu.receiver), (last.mpdu.tid, last.mpdu.receiver));
            }
            psdu.push_back(Held { mpdu, tries: 0 });
        }
    }

    /// A `BlockAckReq` goes out.
    fn send_first(
        &mut self,
        nic: NicId,
        ac: AccessCategory,
        mut held: Held,
        luck: &mut impl FnMut(&Mpdu) -> Luck,
    ) {
        assert_eq!(held.mpdu.kind, MpduKind::BlockAckReq);
        let chain = self.high(|high, now, _| high.rates(now, nic, &held.mpdu));
        self.ppdus.push((vec![held.mpdu], chain));
        let luck = luck(&held.mpdu);
        if luck != Luck::Lost {
            self.arrive(nic, &[held.mpdu], chain);
        }
        held.tries += 1;
        if luck == Luck::Received {
            self.done(nic, &held.mpdu, MpduFate::Acked);
        } else if held.tries == ATTEMPTS {
            self.done(nic, &held.mpdu, MpduFate::GivenUp);
        } else {
            self.first.push_front((nic, ac, held));
        }
        self.settle();
    }

    fn arrive(&mut self, from: NicId, mpdus: &[Mpdu], chain: RateChain) {
        let Some(first) = mpdus.first() else { return };
        let start = self.now;
        let end = start + Duration::from_micros(500);
        let status = RxStatus {
            share: crate::phy::ToneShare::WHOLE,
            from,
            tx: chain.stages()[0].tx,
            rssi: Dbm::new(-50.0),
            start,
            end,
            primary_mhz: 5180,
            mpdus: mpdus.len() as u32,
            last: mpdus.last().map(|mpdu| mpdu.handle),
            nav: Duration::ZERO,
        };
        let receivers: Vec<_> = match first.receiver {
            Receiver::Absent => vec![],
            Receiver::One(to) => vec![to],
            Receiver::Group => (0..self.cells.len() as u32).map(NicId).filter(|&to| to != from).collect(),
        };
        for to in receivers {
            self.high(|high, now, requests| high.rx(now, to, mpdus, &status, requests));
        }
    }

    fn report(&mut self, nic: NicId, mpdus: &[Mpdu], acked: u32, chain: RateChain) {
        let stage = chain.stages()[0];
        let status = PpduStatus {
            tid: mpdus[0].tid,
            tx: stage.tx,
            protection: Protection::None,
            cleared: true,
            mpdus: mpdus.len() as u32,
            acked,
            answered: acked > 0,
            probe: chain.probe,
            attempt: 1,
            bytes: mpdus.iter().map(|mpdu| mpdu.bytes).sum(),
            airtime: Duration::from_micros(500),
            solicited: false,
        };
        self.high(|high, now, _| high.ppdu_done(now, nic, mpdus[0].receiver, mpdus.iter(), &status));
    }

    fn done(&mut self, nic: NicId, mpdu: &Mpdu, fate: MpduFate) {
        self.high(|high, now, requests| high.mpdu_done(now, nic, mpdu, fate, requests));
    }

    /// Calls the upper half as the lower half does.
    pub(super) fn high<R>(
        &mut self,
        call: impl FnOnce(&mut OwnMac<'_, Silent>, Instant, &mut Requests) -> R,
    ) -> R {
        let mut high = OwnMac { upper: &mut self.upper, links: &mut Silent, out: &mut self.out };
        call(&mut high, self.now, &mut self.requests)
    }

    /// Requests and actions are carried out, relayed frames enter again.
    pub(super) fn settle(&mut self) {
        loop {
            for request in self.requests.drain(..) {
                match request {
                    Request::Pending(nic, ac) => {
                        self.contending.insert((nic, ac));
                    }
                    Request::SendFirst(nic, ac, mpdu) => {
                        let same = |&(_, _, held): &(_, _, Held)| held.mpdu.handle == mpdu.handle;
                        assert!(!self.first.iter().any(same), "a second BlockAckReq of one queue");
                        self.first.push_back((nic, ac, Held { mpdu, tries: 0 }));
                    }
                }
            }
            self.host.carry_out(&mut self.out);
            let relays = std::mem::take(&mut self.host.relays);
            if relays.is_empty() {
                break;
            }
            for (nic, frame) in relays {
                self.upper.transmit(self.now, nic, &frame, &mut self.requests, &mut self.out);
            }
        }
        self.check_contention();
    }

    /// Every NIC that may send contends.
    fn check_contention(&mut self) {
        for nic in (0..self.cells.len() as u32).map(NicId) {
            for ac in AccessCategory::ALL {
                let may = self.high(|high, now, _| high.pending(now, nic, ac));
                assert!(!may || self.contending.contains(&(nic, ac)), "{nic:?} may send in {ac:?} unnoticed");
            }
        }
    }
}
