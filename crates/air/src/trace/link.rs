//! What went over each link: counts of a NIC's data PPDUs by receiver, and their samples.

use airtcp_plan::record::{Record, RowWriter, Table};
use airtcp_units::{BitRate, Dbm, Duration};

use crate::NicId;
use crate::phy::{ToneShare, TxVector};

/// Data PPDUs of one NIC to one other so far. A row of the table `links`. Counts are from boot on.
///
/// A link is there from its first data PPDU that ended. Group-addressed PPDUs belong to no link: `transmissions` of a NIC minus
/// those of its links are the group's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSample {
    /// The instant, from the epoch.
    pub time_ns: i64,
    /// The NIC that sends.
    pub nic: NicId,
    /// The NIC they are for.
    pub peer: NicId,
    /// Data PPDUs sent to their end.
    pub transmissions: u64,
    /// Data PPDUs that were retries.
    pub retries: u64,
    /// Data PPDUs that were lost in collisions.
    pub collisions: u64,
    /// Data PPDUs that were lost to noise.
    pub corrupted: u64,
    /// Time they took since the epoch.
    pub airtime_ns: u64,
    /// Rate of the last of them.
    pub rate: BitRate,
    /// Mean power of the sender at the receiver now: without fading.
    pub signal: Dbm,
}

airtcp_plan::record! {
    fn table() = "links", key [nic, peer], Cut;
    fn write(record: &LinkSample) {
        time_ns: i64 = record.time_ns,
        nic: u32 = record.nic.0,
        peer: u32 = record.peer.0,
        transmissions: u64 = record.transmissions,
        retries: u64 = record.retries,
        collisions: u64 = record.collisions,
        corrupted: u64 = record.corrupted,
        airtime_ns: u64 = record.airtime_ns,
        rate_bps: u64 = record.rate.as_bps(),
        signal_mdbm: i64 = libm::round(1000.0 * record.signal.get()) as i64,
    }
}

impl LinkSample {
    /// The table of these records.
    pub fn table() -> Table {
        table()
    }
}

impl Record for LinkSample {
    fn write(&self, row: &mut RowWriter) {
        write(row, self);
    }
}

/// A data PPDU that has ended, with its exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkUse {
    pub(crate) tx: TxVector,
    pub(crate) retry: bool,
    /// Whether the PPDU was lost: in a collision (true) or to noise.
    pub(crate) lost: Option<bool>,
    /// Its part of the PPDU, and of the time that this took.
    pub(crate) share: ToneShare,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    peer: NicId,
    tx: TxVector,
    transmissions: u64,
    retries: u64,
    collisions: u64,
    corrupted: u64,
    airtime: Duration,
}

/// The links of one NIC, by peer.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkCounters {
    links: Vec<Link>,
    /// Place of the link used last.
    last: usize,
    /// Time that the PPDU took that ended last.
    airtime: Duration,
}

impl LinkCounters {
    /// A data PPDU has ended, after this time on the air. Its outcome follows when its exchange is over.
    #[inline]
    pub(crate) fn ended(&mut self, airtime: Duration) {
        self.airtime = airtime;
    }

    /// Counts the PPDU that ended last. The first to a peer makes its link; nothing else takes memory.
    #[inline]
    pub(crate) fn add(&mut self, peer: NicId, used: LinkUse) {
        if self.links.get(self.last).is_none_or(|link| link.peer != peer) {
            self.last = self.place(peer, used.tx);
        }
        let link = &mut self.links[self.last];
        link.tx = used.tx;
        link.transmissions += 1;
        link.retries += u64::from(used.retry);
        link.collisions += u64::from(used.lost == Some(true));
        link.corrupted += u64::from(used.lost == Some(false));
        link.airtime += used.share.of(self.airtime);
    }

    fn place(&mut self, peer: NicId, tx: TxVector) -> usize {
        let found = self.links.binary_search_by_key(&peer, |link| link.peer);
        found.unwrap_or_else(|place| {
            let (none, airtime) = (0, Duration::ZERO);
            let link = Link {
                peer,
                tx,
                transmissions: none,
                retries: none,
                collisions: none,
                corrupted: none,
                airtime,
            };
            self.links.insert(place, link);
            place
        })
    }

    /// State of the NIC's links, by peer; `signal` is the power at each.
    pub(crate) fn samples(
        &self,
        time_ns: i64,
        nic: NicId,
        signal: impl Fn(NicId) -> Dbm,
    ) -> impl Iterator<Item = LinkSample> {
        self.links.iter().map(move |link| LinkSample {
            time_ns,
            nic,
            peer: link.peer,
            transmissions: link.transmissions,
            retries: link.retries,
            collisions: link.collisions,
            corrupted: link.corrupted,
            airtime_ns: link.airtime.as_nanos(),
            rate: link.tx.bit_rate(),
            signal: signal(link.peer),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(counters: &mut LinkCounters, peer: u32, index: u8, us: u64, lost: Option<bool>) {
        counters.ended(Duration::from_micros(us));
        counters.add(
            NicId(peer),
            LinkUse { tx: TxVector::ofdm(index), retry: index == 3, lost, share: ToneShare::WHOLE },
        );
    }

    #[test]
    fn each_link_is_counted_for_itself_and_comes_in_its_place() {
        let mut counters = LinkCounters::default();
        add(&mut counters, 7, 7, 100, None);
        add(&mut counters, 2, 5, 10, Some(true));
        add(&mut counters, 7, 4, 200, Some(false));
        add(&mut counters, 7, 3, 300, None);
        let rows: Vec<_> = counters.samples(5, NicId(0), |to| Dbm::new(-40.0 - f64::from(to.0))).collect();
        let expected = |peer, counts: [u64; 4], airtime_us: u64, mbps: u64| LinkSample {
            time_ns: 5,
            nic: NicId(0),
            peer: NicId(peer),
            transmissions: counts[0],
            retries: counts[1],
            collisions: counts[2],
            corrupted: counts[3],
            airtime_ns: airtime_us * 1000,
            rate: BitRate::from_bps(mbps * 1_000_000),
            signal: Dbm::new(-40.0 - f64::from(peer)),
        };
        assert_eq!(rows, [expected(2, [1, 0, 1, 0], 10, 36), expected(7, [3, 1, 0, 1], 600, 18)]);
    }
}
