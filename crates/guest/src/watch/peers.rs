//! Samples of mac80211's state for the peers of its radios.

use std::io;
use std::path::Path;

use airtcp_plan::Sampling;
use airtcp_plan::record::{EarlyEndRule, Kind, RowWriter, Table};

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

/// The key of a row: radio, its interface (from 1), and the peer's radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerKey {
    /// The radio.
    pub nic: u32,
    /// Its interface, from 1.
    pub interface: u32,
    /// The peer's radio; `u32::MAX` for groups.
    pub peer: u32,
}

/// How a PPDU was sent, in numbers of the border; no streams: there was none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeSample {
    /// 0 DSSS, 1 OFDM, 2 HT, 3 VHT, 4 HE, 5 EHT.
    pub format: u32,
    /// MCS of its number of streams; of DSSS and OFDM the place among the rates.
    pub mcs: u32,
    /// Spatial streams.
    pub streams: u32,
    /// Width of the channel.
    pub width_mhz: u32,
    /// Guard interval; 0 in DSSS.
    pub guard_ns: u32,
    /// Whether a preamble of DSSS is short.
    pub short_preamble: bool,
    /// Bit rate in units of 100 kbit/s.
    pub bitrate: u32,
}

/// Statistics of a peer.
#[derive(Clone, Copy, Debug, Default)]
pub struct PeerSample {
    /// MPDUs sent.
    pub tx_packets: u64,
    /// Their bytes.
    pub tx_bytes: u64,
    /// MPDUs received.
    pub rx_packets: u64,
    /// Their bytes.
    pub rx_bytes: u64,
    /// Airtime of what was sent.
    pub tx_airtime_us: u64,
    /// Airtime of what was received.
    pub rx_airtime_us: u64,
    /// Attempts after the first.
    pub tx_retries: u32,
    /// MPDUs discarded after their last retry.
    pub tx_failed: u32,
    /// Weight of its airtime.
    pub weight: u32,
    /// Throughput that rate control expects; 0 if it has no estimate.
    pub expected_kbps: u32,
    /// Strength of the last PPDU.
    pub signal_dbm: i32,
    /// Its moving average.
    pub signal_avg_dbm: i32,
    /// The last PPDU sent.
    pub tx: ModeSample,
    /// The last PPDU received.
    pub rx: ModeSample,
}

/// Airtime of frames that the driver has and that are not yet sent, and its limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct AirtimeLimits {
    /// Handed out.
    pub pending_us: u32,
    /// The limit while all of the radio have much.
    pub low_us: u32,
    /// The limit else.
    pub high_us: u32,
}

/// The queues for a peer in an access category.
#[derive(Clone, Copy, Debug, Default)]
pub struct PeerQueueSample {
    /// Access category, from 0 (background) to 3 (voice).
    pub ac: u32,
    /// Packets that wait.
    pub backlog_packets: u32,
    /// Bytes that wait.
    pub backlog_bytes: u32,
    /// Flows in the rotation.
    pub flows: u32,
    /// Flows that began.
    pub new_flows: u32,
    /// Packets that `CoDel` dropped.
    pub drops: u32,
    /// Packets that `CoDel` marked.
    pub marks: u32,
    /// Packets dropped because the radio's queues were too long.
    pub overlimit: u32,
    /// Packets whose flow had to share a queue.
    pub collisions: u32,
    /// Airtime left in its turn.
    pub deficit_us: i32,
    /// Airtime in the driver.
    pub airtime: AirtimeLimits,
    /// MPDUs sent.
    pub tx_packets: u64,
    /// Their bytes.
    pub tx_bytes: u64,
    /// Airtime of what was sent.
    pub tx_airtime_us: u64,
    /// Airtime of what was received.
    pub rx_airtime_us: u64,
}

/// All queues of a radio.
#[derive(Clone, Copy, Debug, Default)]
pub struct RadioQueueSample {
    /// Packets that wait.
    pub backlog_packets: u32,
    /// Memory that they use.
    pub memory_bytes: u32,
    /// Packets dropped because too many waited.
    pub overlimit: u32,
    /// Of these, because they took too much memory.
    pub overmemory: u32,
    /// Packets whose flow had to share a queue.
    pub collisions: u32,
    /// Airtime of frames that the driver has and that are not yet sent.
    pub pending_us: u32,
}

/// What `minstrel_ht` thinks of a rate.
#[derive(Clone, Copy, Debug, Default)]
pub struct RateSample {
    /// Its own number for the rate.
    pub index: u32,
    /// 1, 2, 4, 8: first to fourth of throughput; 16: best probability; 32: to be tried.
    pub chosen: u32,
    /// Probability of success, of 4096.
    pub probability: u32,
    /// Throughput in 10 packets of 1200 bytes per second.
    pub throughput: u32,
    /// MPDUs sent.
    pub attempts: u32,
    /// Of these, acknowledged.
    pub successes: u32,
    /// The rate.
    pub mode: ModeSample,
}

/// Their series, as far as the plan records them.
#[derive(Debug)]
pub(super) struct Peers {
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

    pub(super) fn peer(&mut self, time_ns: i64, key: PeerKey, sample: &PeerSample) -> io::Result<()> {
        self.stations.as_mut().map_or(Ok(()), |series| series.add(|row| sample.write(row, time_ns, key)))
    }

    pub(super) fn peer_queue(
        &mut self,
        time_ns: i64,
        key: PeerKey,
        sample: &PeerQueueSample,
    ) -> io::Result<()> {
        self.queues.as_mut().map_or(Ok(()), |series| series.add(|row| sample.write(row, time_ns, key)))
    }

    pub(super) fn radio_queue(
        &mut self,
        time_ns: i64,
        nic: u32,
        sample: &RadioQueueSample,
    ) -> io::Result<()> {
        self.radios.as_mut().map_or(Ok(()), |series| series.add(|row| sample.write(row, time_ns, nic)))
    }

    pub(super) fn rate(&mut self, time_ns: i64, key: PeerKey, sample: &RateSample) -> io::Result<()> {
        self.rates.as_mut().map_or(Ok(()), |series| series.add(|row| sample.write(row, time_ns, key)))
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// A record can't be written.
    pub(super) fn close(&mut self) -> io::Result<()> {
        let all = [&mut self.stations, &mut self.queues, &mut self.radios, &mut self.rates];
        all.into_iter().flatten().try_for_each(Series::flush)
    }
}

/// The columns of the key.
fn keyed() -> Vec<(&'static str, Kind)> {
    vec![("time_ns", Kind::I64), ("nic", Kind::U32), ("interface", Kind::U32), ("peer", Kind::U32)]
}

fn write_key(row: &mut RowWriter, time_ns: i64, key: PeerKey) {
    row.i64(time_ns).u32(key.nic).u32(key.interface).u32(key.peer);
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

impl ModeSample {
    fn write(self, row: &mut RowWriter) {
        row.u32(self.format).u32(self.mcs).u32(self.streams).u32(self.width_mhz).u32(self.guard_ns);
        row.u64(u64::from(self.bitrate) * BITRATE_UNIT_BPS);
    }
}

impl PeerSample {
    fn write(&self, row: &mut RowWriter, time_ns: i64, key: PeerKey) {
        write_key(row, time_ns, key);
        row.u64(self.tx_packets).u64(self.tx_bytes).u64(self.rx_packets).u64(self.rx_bytes);
        row.u64(self.tx_airtime_us).u64(self.rx_airtime_us);
        row.u32(self.tx_retries).u32(self.tx_failed).u32(self.weight).u32(self.expected_kbps);
        row.i64(self.signal_dbm.into()).i64(self.signal_avg_dbm.into());
        self.tx.write(row);
        self.rx.write(row);
    }
}

impl PeerQueueSample {
    fn write(&self, row: &mut RowWriter, time_ns: i64, key: PeerKey) {
        write_key(row, time_ns, key);
        row.u32(self.ac).u32(self.backlog_packets).u32(self.backlog_bytes).u32(self.flows);
        row.u32(self.new_flows).u32(self.drops).u32(self.marks).u32(self.overlimit).u32(self.collisions);
        row.i64(self.deficit_us.into());
        row.u32(self.airtime.pending_us).u32(self.airtime.low_us).u32(self.airtime.high_us);
        row.u64(self.tx_packets).u64(self.tx_bytes).u64(self.tx_airtime_us).u64(self.rx_airtime_us);
    }
}

impl RadioQueueSample {
    fn write(&self, row: &mut RowWriter, time_ns: i64, nic: u32) {
        row.i64(time_ns).u32(nic).u32(self.backlog_packets).u32(self.memory_bytes);
        row.u32(self.overlimit).u32(self.overmemory).u32(self.collisions).u32(self.pending_us);
    }
}

impl RateSample {
    fn write(&self, row: &mut RowWriter, time_ns: i64, key: PeerKey) {
        write_key(row, time_ns, key);
        row.u32(self.index);
        self.mode.write(row);
        row.u32(self.mode.short_preamble.into()).u32(self.chosen);
        row.u32((u64::from(self.probability) * PPM / PROBABILITY_ONE) as u32);
        row.u64(u64::from(self.throughput) * THROUGHPUT_UNIT_BPS);
        row.u32(self.attempts).u32(self.successes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: PeerKey = PeerKey { nic: 0, interface: 1, peer: 2 };

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
        let sample = PeerSample { signal_dbm: -50, rx: mode(), ..PeerSample::default() };
        let table = stations_table();
        let bytes = row(&table, |row| sample.write(row, 7, KEY));
        assert_eq!(bytes.len(), table.row_width());
        assert_eq!(i64::from_le_bytes(eight(&bytes, &table, "signal_dbm")), -50);
        assert_eq!(u64::from_le_bytes(eight(&bytes, &table, "rx_rate_bps")), 866_700_000);
        let table = queues_table();
        let sample = PeerQueueSample { deficit_us: -300, tx_bytes: 9, ..PeerQueueSample::default() };
        let bytes = row(&table, |row| sample.write(row, 7, KEY));
        assert_eq!(i64::from_le_bytes(eight(&bytes, &table, "deficit_us")), -300);
        assert_eq!(u64::from_le_bytes(eight(&bytes, &table, "tx_bytes")), 9);
        let table = radios_table();
        let bytes = row(&table, |row| RadioQueueSample::default().write(row, 7, 0));
        assert_eq!(bytes.len(), table.row_width());
    }

    fn mode() -> ModeSample {
        let (width_mhz, guard_ns) = (80, 400);
        ModeSample {
            format: 3,
            mcs: 9,
            streams: 2,
            width_mhz,
            guard_ns,
            short_preamble: false,
            bitrate: 8667,
        }
    }

    #[test]
    fn minstrels_numbers_get_units() {
        let table = rates_table();
        let sample = RateSample { probability: 3072, throughput: 100, mode: mode(), ..RateSample::default() };
        let bytes = row(&table, |row| sample.write(row, 7, KEY));
        assert_eq!(bytes.len(), table.row_width());
        let start = at(&table, "probability_ppm");
        assert_eq!(bytes[start..start + 4], 750_000_u32.to_le_bytes());
        // 1000 packets of 1200 bytes in a second.
        assert_eq!(u64::from_le_bytes(eight(&bytes, &table, "throughput_bps")), 9_600_000);
    }
}
