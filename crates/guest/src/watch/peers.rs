//! Samples of mac80211's state for the peers of its radios.

use std::io;
use std::path::Path;

use airtcp_plan::Sampling;
use airtcp_plan::record::{EarlyEndRule, Kind, RowWriter, Table};

use crate::abi::{
    KernelMode, KernelRadioQueue, KernelRate, KernelStation, KernelStationQueue, KernelStationRate,
};
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

/// The columns of the key.
fn keyed() -> Vec<(&'static str, Kind)> {
    vec![("time_ns", Kind::I64), ("nic", Kind::U32), ("interface", Kind::U32), ("peer", Kind::U32)]
}

/// Writes the key of a row: radio, its interface (from 1), and the peer's radio.
fn write_key(row: &mut RowWriter, time_ns: i64, key: [u32; 3]) {
    let [nic, interface, peer] = key;
    row.i64(time_ns).u32(nic).u32(interface).u32(peer);
}

fn stations_table() -> Table {
    let mut columns = keyed();
    let counts = ["tx_packets", "tx_bytes", "rx_packets", "rx_bytes", "tx_airtime_us", "rx_airtime_us"];
    columns.extend(counts.map(|name| (name, Kind::U64)));
    let rest = ["tx_retries", "tx_failed", "airtime_weight", "expected_throughput_kbps"];
    columns.extend(rest.map(|name| (name, Kind::U32)));
    columns.extend(["signal_dbm", "signal_avg_dbm"].map(|name| (name, Kind::I64)));
    for names in [
        ["tx_format", "tx_mcs", "tx_streams", "tx_width_mhz", "tx_guard_ns", "tx_rate_bps"],
        ["rx_format", "rx_mcs", "rx_streams", "rx_width_mhz", "rx_guard_ns", "rx_rate_bps"],
    ] {
        columns.extend(mode_columns(&names));
    }
    let key = ["nic", "interface", "peer"];
    Table::new("stations", &key, EarlyEndRule::CutWithLastSample, &columns)
}

fn mode_columns(names: &[&'static str; 6]) -> Vec<(&'static str, Kind)> {
    let kind = |name: &str| if name.ends_with("_bps") { Kind::U64 } else { Kind::U32 };
    names.iter().map(|&name| (name, kind(name))).collect()
}

fn queues_table() -> Table {
    let mut columns = keyed();
    let counts = ["ac", "backlog_packets", "backlog_bytes", "flows", "new_flows", "drops", "marks"];
    columns.extend(counts.map(|name| (name, Kind::U32)));
    columns.extend(["overlimit", "collisions"].map(|name| (name, Kind::U32)));
    columns.push(("deficit_us", Kind::I64));
    columns.extend(["pending_us", "limit_low_us", "limit_high_us"].map(|name| (name, Kind::U32)));
    let counts = ["tx_packets", "tx_bytes", "tx_airtime_us", "rx_airtime_us"];
    columns.extend(counts.map(|name| (name, Kind::U64)));
    let key = ["nic", "interface", "peer", "ac"];
    Table::new("station_queues", &key, EarlyEndRule::CutWithLastSample, &columns)
}

fn radios_table() -> Table {
    let mut columns = vec![("time_ns", Kind::I64), ("nic", Kind::U32)];
    let counts = ["backlog_packets", "memory_bytes", "overlimit", "overmemory", "collisions", "pending_us"];
    columns.extend(counts.map(|name| (name, Kind::U32)));
    let key = ["nic"];
    Table::new("radio_queues", &key, EarlyEndRule::CutWithLastSample, &columns)
}

fn rates_table() -> Table {
    let mut columns = keyed();
    columns.push(("index", Kind::U32));
    columns.extend(mode_columns(&["format", "mcs", "streams", "width_mhz", "guard_ns", "rate_bps"]));
    columns.extend(["short_preamble", "chosen"].map(|name| (name, Kind::U32)));
    columns.push(("probability_ppm", Kind::U32));
    columns.push(("throughput_bps", Kind::U64));
    columns.extend(["attempts", "successes"].map(|name| (name, Kind::U32)));
    let key = ["nic", "interface", "peer", "index"];
    Table::new("station_rates", &key, EarlyEndRule::CutWithLastSample, &columns)
}

impl KernelMode {
    fn write(self, row: &mut RowWriter) {
        let KernelRate { format, index, streams, width_mhz, guard_ns, .. } = self.rate;
        row.u32(format.into())
            .u32(index.into())
            .u32(streams.into())
            .u32(width_mhz.into())
            .u32(guard_ns.into());
        row.u64(u64::from(self.bitrate) * BITRATE_UNIT_BPS);
    }
}

impl RadioSample for KernelStation {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.stations.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        write_key(row, time_ns, [nic, self.interface, self.peer]);
        row.u64(self.tx_packets).u64(self.tx_bytes).u64(self.rx_packets).u64(self.rx_bytes);
        row.u64(self.tx_airtime_us).u64(self.rx_airtime_us);
        row.u32(self.tx_retries).u32(self.tx_failed).u32(self.weight).u32(self.expected_kbps);
        row.i64(self.signal_dbm.into()).i64(self.signal_avg_dbm.into());
        self.tx.write(row);
        self.rx.write(row);
    }
}

impl RadioSample for KernelStationQueue {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.queues.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        write_key(row, time_ns, [nic, self.interface, self.peer]);
        row.u32(self.ac).u32(self.backlog_packets).u32(self.backlog_bytes).u32(self.flows);
        row.u32(self.new_flows).u32(self.drops).u32(self.marks).u32(self.overlimit).u32(self.collisions);
        row.i64(self.deficit_us.into());
        row.u32(self.pending_us).u32(self.limit_low_us).u32(self.limit_high_us);
        row.u64(self.tx_packets).u64(self.tx_bytes).u64(self.tx_airtime_us).u64(self.rx_airtime_us);
    }
}

impl RadioSample for KernelRadioQueue {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.radios.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        row.i64(time_ns).u32(nic).u32(self.backlog_packets).u32(self.memory_bytes);
        row.u32(self.overlimit).u32(self.overmemory).u32(self.collisions).u32(self.pending_us);
    }
}

impl RadioSample for KernelStationRate {
    fn series(peers: &mut Peers) -> Option<&mut Series> {
        peers.rates.as_mut()
    }

    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        write_key(row, time_ns, [nic, self.interface, self.peer]);
        row.u32(self.index);
        self.mode.write(row);
        row.u32((self.mode.rate.short_preamble != 0).into()).u32(self.chosen);
        row.u32((u64::from(self.probability) * PPM / PROBABILITY_ONE) as u32);
        row.u64(u64::from(self.throughput) * THROUGHPUT_UNIT_BPS);
        row.u32(self.attempts).u32(self.successes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
