//! How the next PPDU is sent.

use airtcp_units::Instant;

use super::upper::{Links, Upper};
use crate::NicId;
use crate::border::{Mpdu, MpduKind, PpduStatus, Protection, RateChain, RateStage, Receiver};
use crate::phy;
use crate::queue::TxqKey;

impl Upper {
    /// The rate chain of a PPDU that begins with this MPDU. Group frames and beacons go at the cell's group rate, a
    /// `BlockAckReq` as control frames before data do, everything else as rate control says.
    #[inline(always)]
    pub(super) fn rates(
        &mut self,
        now: Instant,
        id: NicId,
        mpdu: &Mpdu,
        links: &mut impl Links,
    ) -> RateChain {
        let nic = &mut self.nics[id.index()];
        let bss = &self.cells[nic.bss];
        if mpdu.kind == MpduKind::Beacon {
            // A beacon is not protected: it goes at a basic rate, and nothing answers it.
            return RateChain::one(RateStage { protection: Protection::None, ..bss.group });
        }
        let Receiver::One(to) = mpdu.receiver else {
            return RateChain::one(bss.group);
        };
        let number = nic.station(to);
        let station = &mut nic.stations[number as usize];
        match mpdu.kind {
            MpduKind::Beacon | MpduKind::Management | MpduKind::NoAckManagement => RateChain::one(bss.group),
            MpduKind::BlockAckReq => RateChain::one(RateStage {
                tx: phy::initiating_control(station.last_tx, bss.basic),
                tries: bss.short_retry_limit,
                protection: Protection::None,
            }),
            MpduKind::Data | MpduKind::Aggregable | MpduKind::NoAck => {
                let state = links.link_state(now, [id, to], station.controller.reads_snr());
                let chain = station.controller.chain(now, state, &mut station.rng);
                bss.policy.over(chain)
            }
        }
    }

    /// A PPDU with data ended: rate control learns from it, and its station has used airtime.
    #[inline(always)]
    pub(super) fn ppdu_done(&mut self, now: Instant, id: NicId, receiver: Receiver, status: &PpduStatus) {
        let nic = self.nic_mut(id);
        let Receiver::One(to) = receiver else { return };
        let number = nic.station(to);
        let station = &mut nic.stations[number as usize];
        station.controller.report(now, status);
        station.last_tx = status.tx;
        if nic.queues.knows_slow_stations() {
            nic.queues.expect_throughput(number, station.controller.expected_kbps());
        }
        nic.queues.airtime_used(now, TxqKey { station: number, tid: status.tid }, status.airtime);
    }
}
