//! When beacons are due.

use super::{AirPlan, CellKind, NicRole};

/// Microseconds of the time unit of beacon intervals (IEEE 802.11-2020, 3.1).
const TIME_UNIT_US: u64 = 1024;

/// A sender of beacons. They are due `part_ns` after multiples of `interval_us` since the machine started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconSender {
    /// The NIC; for an IBSS, whose stations take turns, the first.
    pub nic: usize,
    /// Time between two of its beacons.
    pub interval_us: u64,
    /// Offset of the beacons in the interval, in nanoseconds.
    pub part_ns: u64,
}

impl AirPlan {
    /// The senders of beacons on a channel, by the numbers of the NICs. Real devices do not start at one instant. With one virtual
    /// clock their beacons would collide for ever, so the beacons of a channel are spread evenly over the interval.
    pub fn beacon_senders(&self, primary_mhz: u32) -> Vec<BeaconSender> {
        let intervals: Vec<_> = (0..self.nics.len())
            .filter(|&nic| self.cells[self.nics[nic].cell as usize].channel.primary_mhz == primary_mhz)
            .filter_map(|nic| Some((nic, self.beacon_interval_us(nic)?)))
            .collect();
        let part =
            |place: usize, interval_us: u64| interval_us * 1000 * place as u64 / intervals.len() as u64;
        let senders = intervals.iter().enumerate();
        senders
            .map(|(place, &(nic, interval_us))| BeaconSender {
                nic,
                interval_us,
                part_ns: part(place, interval_us),
            })
            .collect()
    }

    /// The beacon interval of a NIC that sends beacons, in microseconds; `None` if it sends none. With airtcp's own MAC the first
    /// member of a cell sends its beacons: the access point, or one mesh station for all. With mac80211 each access point and
    /// mesh station sends them, and the stations of an IBSS count as one sender.
    fn beacon_interval_us(&self, nic: usize) -> Option<u64> {
        let (own, cell) = (&self.nics[nic], &self.cells[self.nics[nic].cell as usize]);
        let first = !self.nics[..nic].iter().any(|before| before.cell == own.cell);
        let Some(linux) = &cell.linux else {
            return cell.beacon.filter(|_| first).map(|beacon| u64::from(beacon.interval_us));
        };
        let sends = match cell.kind {
            CellKind::Infrastructure => own.role == NicRole::AccessPoint,
            CellKind::Mesh => own.role == NicRole::Mesh,
            CellKind::Ibss => first,
        };
        sends.then(|| u64::from(linux.beacon_tu) * TIME_UNIT_US)
    }
}
