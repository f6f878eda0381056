//! Samples of mac80211's state for the peers of its radios.

use std::io;
use std::path::Path;

use airtcp_plan::Sampling;
use airtcp_plan::record::RowWriter;

use crate::abi::{KernelMode, KernelRadioQueue, KernelStation, KernelStationQueue, KernelStationRate};
use crate::series::Series;

/// `minstrel_ht` counts probabilities in parts of this (`MINSTREL_SCALE` of `rc80211_minstrel_ht.h`).
const PROBABILITY_ONE: u64 = 4096;
/// Millionths, for records.
const PPM: u64 = 1_000_000;
/// `minstrel_ht` counts throughput in tens of packets of 1200 bytes per second (`minstrel_ht_get_expected_throughput`,
/// `AVG_PKT_SIZE`).
const THROUGHPUT_UNIT_BPS: u64 = 10 * 1200 * 8;
/// cfg80211 counts bit rates in these.
const BITRATE_UNIT_BPS: u64 = 100_000;

/// A sample of mac80211's state, which is a row of one of the series.
pub(crate) trait RadioSample {
    /// The series of such samples, if it is recorded.
    fn series(peers: &mut Peers) -> Option<&mut Series>;

    /// Writes the values of its row, for this radio.
    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32);
}

/// The series of mac80211's state, as far as the plan records them.
#[derive(Debug)]
pub(crate) struct Peers {
    stations: Option<Series>,
    queues: Option<Series>,
    radios: Option<Series>,
    rates: Option<Series>,
}

impl Peers {
    /// Opens the record files.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn create(records: &Path, sampling: &Sampling) -> io::Result<Self> {
        let open = |wanted: bool, table| wanted.then(|| Series::create(records, &table)).transpose();
        let stations = sampling.stations_interval_ns > 0;
        Ok(Self {
            stations: open(stations, stations_table())?,
            queues: open(stations, queues_table())?,
            radios: open(stations, radios_table())?,
            rates: open(sampling.rates_interval_ns > 0, rates_table())?,
        })
    }

    pub(super) fn add<S: RadioSample>(&mut self, time_ns: i64, nic: u32, sample: &S) -> io::Result<()> {
        S::series(self).map_or(Ok(()), |series| series.add(|row| sample.write(row, time_ns, nic)))
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// A record can't be written.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let all = [&mut self.stations, &mut self.queues, &mut self.radios, &mut self.rates];
        all.into_iter().flatten().try_for_each(Series::flush)
    }
}

airtcp_plan::record! {
    fn stations_table() = "stations", key [nic, interface, peer], CutWithLastSample;
    fn write_station(time_ns: i64, nic: u32, sample: &KernelStation) {
        time_ns: i64 = time_ns,
        nic: u32 = nic,
        interface: u32 = sample.interface,
        peer: u32 = sample.peer,
        tx_packets: u64 = sample.tx_packets,
        tx_bytes: u64 = sample.tx_bytes,
        rx_packets: u64 = sample.rx_packets,
        rx_bytes: u64 = sample.rx_bytes,
        tx_airtime_us: u64 = sample.tx_airtime_us,
        rx_airtime_us: u64 = sample.rx_airtime_us,
        tx_retries: u32 = sample.tx_retries,
        tx_failed: u32 = sample.tx_failed,
        airtime_weight: u32 = sample.weight,
        expected_throughput_kbps: u32 = sample.expected_kbps,
        signal_dbm: i64 = sample.signal_dbm.into(),
        signal_avg_dbm: i64 = sample.signal_avg_dbm.into(),
        access_point: u32 = sample.access_point,
        tx_format: u32 = sample.tx.rate.format.into(),
        tx_mcs: u32 = sample.tx.rate.index.into(),
        tx_streams: u32 = sample.tx.rate.streams.into(),
        tx_width_mhz: u32 = sample.tx.rate.width_mhz.into(),
        tx_guard_ns: u32 = sample.tx.rate.guard_ns.into(),
        tx_rate_bps: u64 = bit_rate_bps(sample.tx),
        rx_format: u32 = sample.rx.rate.format.into(),
        rx_mcs: u32 = sample.rx.rate.index.into(),
        rx_streams: u32 = sample.rx.rate.streams.into(),
        rx_width_mhz: u32 = sample.rx.rate.width_mhz.into(),
        rx_guard_ns: u32 = sample.rx.rate.guard_ns.into(),
        rx_rate_bps: u64 = bit_rate_bps(sample.rx),
    }
}

airtcp_plan::record! {
    fn queues_table() = "station_queues", key [nic, interface, peer, ac], CutWithLastSample;
    fn write_queue(time_ns: i64, nic: u32, sample: &KernelStationQueue) {
        time_ns: i64 = time_ns,
        nic: u32 = nic,
        interface: u32 = sample.interface,
        peer: u32 = sample.peer,
        ac: u32 = sample.ac,
        backlog_packets: u32 = sample.backlog_packets,
        backlog_bytes: u32 = sample.backlog_bytes,
        flows: u32 = sample.flows,
        new_flows: u32 = sample.new_flows,
        drops: u32 = sample.drops,
        marks: u32 = sample.marks,
        overlimit: u32 = sample.overlimit,
        collisions: u32 = sample.collisions,
        deficit_us: i64 = sample.deficit_us.into(),
        pending_us: u32 = sample.pending_us,
        limit_low_us: u32 = sample.limit_low_us,
        limit_high_us: u32 = sample.limit_high_us,
        tx_packets: u64 = sample.tx_packets,
        tx_bytes: u64 = sample.tx_bytes,
        tx_airtime_us: u64 = sample.tx_airtime_us,
        rx_airtime_us: u64 = sample.rx_airtime_us,
    }
}

airtcp_plan::record! {
    fn radios_table() = "radio_queues", key [nic], CutWithLastSample;
    fn write_radio(time_ns: i64, nic: u32, sample: &KernelRadioQueue) {
        time_ns: i64 = time_ns,
        nic: u32 = nic,
        backlog_packets: u32 = sample.backlog_packets,
        memory_bytes: u32 = sample.memory_bytes,
        overlimit: u32 = sample.overlimit,
        overmemory: u32 = sample.overmemory,
        collisions: u32 = sample.collisions,
        pending_us: u32 = sample.pending_us,
    }
}

airtcp_plan::record! {
    fn rates_table() = "station_rates", key [nic, interface, peer, index], CutWithLastSample;
    fn write_rate(time_ns: i64, nic: u32, sample: &KernelStationRate) {
        time_ns: i64 = time_ns,
        nic: u32 = nic,
        interface: u32 = sample.interface,
        peer: u32 = sample.peer,
        index: u32 = sample.index,
        format: u32 = sample.mode.rate.format.into(),
        mcs: u32 = sample.mode.rate.index.into(),
        streams: u32 = sample.mode.rate.streams.into(),
        width_mhz: u32 = sample.mode.rate.width_mhz.into(),
        guard_ns: u32 = sample.mode.rate.guard_ns.into(),
        rate_bps: u64 = bit_rate_bps(sample.mode),
        short_preamble: u32 = (sample.mode.rate.short_preamble != 0).into(),
        chosen: u32 = sample.chosen,
        probability_ppm: u32 = (u64::from(sample.probability) * PPM / PROBABILITY_ONE) as u32,
        throughput_bps: u64 = u64::from(sample.throughput) * THROUGHPUT_UNIT_BPS,
        attempts: u32 = sample.attempts,
        successes: u32 = sample.successes,
    }
}

fn bit_rate_bps(mode: KernelMode) -> u64 {
    u64::from(mode.bitrate) * BITRATE_UNIT_BPS
}

impl RadioSample for KernelStation {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.stations.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        write_station(row, time_ns, nic, self);
    }
}

impl RadioSample for KernelStationQueue {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.queues.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        write_queue(row, time_ns, nic, self);
    }
}

impl RadioSample for KernelRadioQueue {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.radios.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        write_radio(row, time_ns, nic, self);
    }
}

impl RadioSample for KernelStationRate {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.rates.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        write_rate(row, time_ns, nic, self);
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::record::Table;

    use super::*;
    use crate::abi::KernelRate;

    fn row(table: &Table, fill: impl FnOnce(&mut RowWriter)) -> Vec<u8> {
        let (mut bytes, mut row) = (Vec::new(), RowWriter::new(table));
        fill(&mut row);
        row.end(&mut bytes).unwrap();
        bytes
    }

    /// Where a column begins.
    fn at(table: &Table, name: &str) -> usize {
        let before = table.columns.iter().take_while(|column| column.name != name);
        before.map(|column| column.kind.width()).sum()
    }

    fn eight(bytes: &[u8], table: &Table, name: &str) -> [u8; 8] {
        let start = at(table, name);
        bytes[start..start + 8].try_into().unwrap()
    }

    #[test]
    fn rows_have_the_columns_of_their_tables() {
        let sample = KernelStation { signal_dbm: -50, rx: mode(), ..KernelStation::default() };
        let table = stations_table();
        let bytes = row(&table, |row| sample.write(row, 7, 0));
        assert_eq!(bytes.len(), table.row_width());
        assert_eq!(i64::from_le_bytes(eight(&bytes, &table, "signal_dbm")), -50);
        assert_eq!(u64::from_le_bytes(eight(&bytes, &table, "rx_rate_bps")), 866_700_000);
        let table = queues_table();
        let sample = KernelStationQueue { deficit_us: -300, tx_bytes: 9, ..KernelStationQueue::default() };
        let bytes = row(&table, |row| sample.write(row, 7, 0));
        assert_eq!(i64::from_le_bytes(eight(&bytes, &table, "deficit_us")), -300);
        assert_eq!(u64::from_le_bytes(eight(&bytes, &table, "tx_bytes")), 9);
        let table = radios_table();
        let bytes = row(&table, |row| KernelRadioQueue::default().write(row, 7, 0));
        assert_eq!(bytes.len(), table.row_width());
    }

    fn mode() -> KernelMode {
        let (width_mhz, guard_ns) = (80, 400);
        let rate =
            KernelRate { format: 3, index: 9, streams: 2, width_mhz, guard_ns, ..KernelRate::default() };
        KernelMode { rate, bitrate: 8667 }
    }

    #[test]
    fn minstrels_numbers_get_units() {
        let table = rates_table();
        let sample = KernelStationRate {
            probability: 3072,
            throughput: 100,
            mode: mode(),
            ..KernelStationRate::default()
        };
        let bytes = row(&table, |row| sample.write(row, 7, 0));
        assert_eq!(bytes.len(), table.row_width());
        let start = at(&table, "probability_ppm");
        assert_eq!(bytes[start..start + 4], 750_000_u32.to_le_bytes());
        // 1000 packets of 1200 bytes in a second.
        assert_eq!(u64::from_le_bytes(eight(&bytes, &table, "throughput_bps")), 9_600_000);
    }
}
