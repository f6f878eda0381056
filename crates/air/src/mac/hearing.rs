//! What each NIC makes of the last PPDU before silence (IEEE 802.11-2020, 10.3.2.3, 10.3.2.4).

use airtcp_units::{Duration, Instant};

use super::contention::Deference;
use super::{Cell, Nic, NicId, Receiver};
use crate::channel::{Link, Reception};
use crate::phy::{ACK_BYTES, OfdmRate, Timing};
use crate::random::Purpose;

/// The PPDU after which the medium fell silent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Last {
    /// Several at once, which nobody could read.
    Collision,
    /// Data that is not answered.
    Data { from: NicId, to: Receiver, rate: OfdmRate, psdu_bytes: u32 },
    /// A response, and whether the one it was for could read it.
    Response { from: NicId, to: NicId, rate: OfdmRate, read: bool },
}

/// Everything that decides about it.
pub(super) struct Hearing<'a> {
    pub(super) nics: &'a [Nic],
    pub(super) cells: &'a [Cell],
    pub(super) reception: &'a mut Reception,
    pub(super) timing: Timing,
    pub(super) last: Last,
    /// When the first data PPDU of this busy period started.
    pub(super) since: Instant,
}

impl Hearing<'_> {
    /// What this NIC waits for before its next slots.
    #[inline]
    pub(super) fn deference(&mut self, id: NicId) -> Deference {
        let readable = match self.last {
            // Who sent in a collision received nothing, not even an error.
            Last::Collision => self.nics[id.0 as usize].sending.is_some_and(|s| s.start >= self.since),
            Last::Data { from, .. } | Last::Response { from, .. } if from == id => true,
            Last::Response { to, read, .. } if to == id => read,
            Last::Response { from, rate, .. } => self.overhears(from, id, rate, ACK_BYTES),
            Last::Data { from, to: Receiver::Group { .. }, rate, psdu_bytes } => {
                let (nic, sender) = (&self.nics[id.0 as usize], &self.nics[from.0 as usize]);
                if nic.cell == sender.cell {
                    nic.read_group
                } else {
                    self.overhears(from, id, rate, psdu_bytes)
                }
            }
            Last::Data { from, to, rate, psdu_bytes } => {
                return self.after_lost_data(id, from, to, rate, psdu_bytes);
            }
        };
        self.ifs(readable)
    }

    /// The receiver of lost data sees an error. Who could read the data respects its NAV
    /// up to the end of the response that does not come.
    fn after_lost_data(
        &mut self,
        id: NicId,
        from: NicId,
        to: Receiver,
        rate: OfdmRate,
        psdu_bytes: u32,
    ) -> Deference {
        let cell = &self.cells[self.nics[from.0 as usize].cell];
        let receiver = match to {
            Receiver::Station(station) => station,
            _ => cell.access_point,
        };
        let nav = self.timing.sifs + cell.responses[rate as usize].1;
        if receiver != id && self.overhears(from, id, rate, psdu_bytes) {
            return Deference { nav, ifs: self.timing.difs };
        }
        self.ifs(false)
    }

    #[inline]
    fn ifs(&self, readable: bool) -> Deference {
        let ifs = if readable { self.timing.difs } else { self.timing.eifs };
        Deference { nav: Duration::ZERO, ifs }
    }

    #[inline]
    fn overhears(&mut self, from: NicId, to: NicId, rate: OfdmRate, psdu_bytes: u32) -> bool {
        self.reception.receives(Link { from, to, purpose: Purpose::Overheard }, rate, psdu_bytes)
    }
}
