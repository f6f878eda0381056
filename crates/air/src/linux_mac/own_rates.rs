//! Rate control of the library for radios of mac80211: as in a chip that chooses rates itself (`IEEE80211_HW_HAS_RATE_CONTROL`).

use airtcp_plan::{AirNic, AirPlan, LinuxRateControl, NicRole};
use airtcp_units::{Decibel, Instant};

use crate::border::{Link, Mpdu, MpduKind, PpduStatus, Protection, RateChain, RateStage, Receiver};
use crate::high::{CellRates, Links, link_modes};
use crate::phy::{self, TxVector};
use crate::random::{Purpose, Stream};
use crate::rate::{Controller, ErrorModel, LinkModes, RateSet};
use crate::{NicId, SetupError};

/// The rates of one radio.
#[derive(Debug)]
pub(super) struct OwnRates {
    cell: CellRates,
    /// By NIC, ascending.
    peers: Vec<Peer>,
}

/// What is known of sending to one other radio.
#[derive(Debug)]
struct Peer {
    nic: NicId,
    controller: Controller,
    rng: Stream,
    last_tx: TxVector,
}

impl OwnRates {
    /// Rate control of a NIC, if the cell leaves it to the model. The NIC may send to all radios of mac80211 of its kind:
    /// stations to access points and the other way round, in every cell, and mesh and IBSS stations to each other.
    ///
    /// # Errors
    /// Rates or parameters that the standard does not have.
    pub(super) fn of(
        plan: &AirPlan,
        seed: u64,
        i: usize,
        cell: CellRates,
        errors: &dyn ErrorModel,
    ) -> Result<Option<Self>, SetupError> {
        let own = &plan.nics[i];
        let linux = |nic: &AirNic| plan.cells[nic.cell as usize].linux.as_ref();
        if linux(own).is_none_or(|linux| linux.rate_control == LinuxRateControl::Kernel) {
            return Ok(None);
        }
        let mut known: Vec<(_, Controller)> = Vec::new();
        let mut peers = Vec::new();
        for (nic, other) in (0..).map(NicId).zip(&plan.nics) {
            if nic.index() == i || linux(other).is_none() || !meets(own.role, other.role) {
                continue;
            }
            let modes = link_modes(plan, i, own, other)?;
            let found = known.iter().find(|(of, _)| *of == modes).map(|(_, controller)| controller.clone());
            let controller = match found {
                Some(controller) => controller,
                None => controller(i, own, modes, errors)?,
            };
            if known.iter().all(|(of, _)| *of != modes) {
                known.push((modes, controller.clone()));
            }
            let last_tx = controller.rates().mode(0);
            let rng = Stream::new(seed, Purpose::RateControl, own.mac, other.mac);
            peers.push(Peer { nic, controller, rng, last_tx });
        }
        Ok(Some(Self { cell, peers }))
    }

    /// The rate chain of a PPDU that begins with this MPDU. What no controller knows goes at the group rate: management and group
    /// frames, and data for an address that no NIC has.
    pub(super) fn chain(
        &mut self,
        now: Instant,
        nic: NicId,
        mpdu: &Mpdu,
        links: &mut impl Links,
    ) -> RateChain {
        let Receiver::One(to) = mpdu.receiver else { return self.cell.group_chain() };
        let Some(place) = self.place(to) else { return self.cell.group_chain() };
        let peer = &mut self.peers[place];
        match mpdu.kind {
            MpduKind::Data | MpduKind::Aggregable | MpduKind::NoAck => {
                let state = links.link_state(now, [nic, to], peer.controller.reads_snr());
                self.cell.protected(peer.controller.chain(now, state, &mut peer.rng))
            }
            MpduKind::BlockAckReq => RateChain::one(RateStage {
                tx: phy::initiating_control(peer.last_tx, self.cell.basic()),
                tries: 1,
                protection: Protection::None,
            }),
            MpduKind::Management | MpduKind::NoAckManagement | MpduKind::Beacon => self.cell.group_chain(),
        }
    }

    /// The mode in which an access point asks a station for data: what its controller for the station holds for the best. One that
    /// reads signal-to-noise ratios reads that of the uplink, which this is above that of the link. `None`: it is no station.
    pub(super) fn uplink_mode(
        &mut self,
        now: Instant,
        link: Link,
        more: Decibel,
        links: &mut impl Links,
    ) -> Option<TxVector> {
        let Link { from: station, to: access_point } = link;
        let place = self.place(station)?;
        let controller = &mut self.peers[place].controller;
        let state = links.link_state(now, [station, access_point], controller.reads_snr());
        Some(controller.mode_on(state.raised(more)))
    }

    /// A PPDU with data ended: rate control learns from it.
    pub(super) fn learn(&mut self, now: Instant, receiver: Receiver, status: &PpduStatus) {
        let Receiver::One(to) = receiver else { return };
        let Some(place) = self.place(to) else { return };
        let peer = &mut self.peers[place];
        peer.controller.report(now, status);
        peer.last_tx = status.tx;
    }

    #[inline]
    fn place(&self, nic: NicId) -> Option<usize> {
        self.peers.binary_search_by_key(&nic, |peer| peer.nic).ok()
    }
}

/// A new controller for these modes.
fn controller(
    i: usize,
    own: &AirNic,
    modes: LinkModes,
    errors: &dyn ErrorModel,
) -> Result<Controller, SetupError> {
    let new = RateSet::of(modes).and_then(|rates| Controller::new(&own.rate_control, rates, errors));
    new.map_err(|e| {
        let key = format!("air.nics[{i}].rate_control");
        SetupError::new(key, e.to_string(), "choose one of these")
    })
}

/// Whether two roles send to each other.
const fn meets(one: NicRole, other: NicRole) -> bool {
    use NicRole::{AccessPoint, Ibss, Mesh, Station};
    matches!((one, other), (AccessPoint, Station) | (Station, AccessPoint) | (Mesh, Mesh) | (Ibss, Ibss))
}
