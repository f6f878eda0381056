//! The packets of a stream, each with the time from its sending to its arrival.

use std::path::Path;

use airtcp_plan::record::{RowWriter, Table};

use super::merge::{Ordered, merge};
use super::records::RecordFile;
use super::spool::{Entries, Entry, Spool};
use crate::failure::Outcome;

/// `delay_ns` of a packet that has not arrived.
const NOT_ARRIVED: i64 = -1;

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet {
    /// From the epoch.
    sent_ns: i64,
    delay_ns: i64,
}

impl Entry for Packet {
    type Bytes = [u8; 16];
    const ZEROS: [u8; 16] = [0; 16];

    fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.sent_ns.cast_unsigned()) | u128::from(self.delay_ns.cast_unsigned()) << 64)
            .to_le_bytes()
    }

    fn from_bytes(bytes: &[u8; 16]) -> Self {
        let both = u128::from_le_bytes(*bytes);
        Self { sent_ns: (both as u64).cast_signed(), delay_ns: ((both >> 64) as u64).cast_signed() }
    }
}

/// The packets of a stream, by their numbers from 0.
#[derive(Debug)]
pub(super) struct PacketLog {
    packets: Spool<Packet>,
    arrived: u64,
}

impl PacketLog {
    /// An empty log, with a name of its own in the folder of records.
    pub(super) fn new(records: &Path, name: &str) -> Self {
        Self { packets: Spool::new(records, name), arrived: 0 }
    }

    /// How many packets were sent.
    pub(super) fn sent(&self) -> usize {
        self.packets.len()
    }

    /// Number of packets that have arrived.
    pub(super) fn arrived(&self) -> u64 {
        self.arrived
    }

    /// A packet is sent.
    ///
    /// # Errors
    /// The disk is full; so for all of these.
    pub(super) fn send(&mut self, sent_ns: i64) -> Outcome<()> {
        self.packets.push(Packet { sent_ns, delay_ns: NOT_ARRIVED })
    }

    /// A packet has arrived; of duplicates the first one counts, and one of a number that was not sent is a stranger's.
    pub(super) fn arrive(&mut self, number: usize, at_ns: i64) -> Outcome<()> {
        let first = self.packets.change(number, |packet| {
            let first = packet.delay_ns == NOT_ARRIVED;
            if first {
                packet.delay_ns = at_ns - packet.sent_ns;
            }
            first
        })?;
        self.arrived += u64::from(first);
        Ok(())
    }
}

/// The packets of one of several streams.
struct OfStream<'a> {
    stream: u32,
    packets: Entries<'a, Packet>,
}

impl Ordered for OfStream<'_> {
    /// Time at which the packet was sent, its stream, its number in the stream, its delay.
    type Row = (i64, u32, u32, i64);

    fn next(&mut self) -> Outcome<Option<Self::Row>> {
        let next = self.packets.next()?;
        Ok(next.map(|(number, packet)| (packet.sent_ns, self.stream, number as u32, packet.delay_ns)))
    }
}

/// Packs the row of a packet: when it was sent, its stream, its number in it, and its delay.
pub(super) type PacketRow = fn(&mut RowWriter, i64, u32, u32, i64);

/// Writes the packets of streams, which are numbered from 0, in the order of their sending.
///
/// # Errors
/// The disk is full.
pub(super) fn write_packets<'a>(
    records: &Path,
    table: &Table,
    write_row: PacketRow,
    streams: impl Iterator<Item = &'a PacketLog>,
) -> Outcome<()> {
    let streams = streams.zip(0..).map(|(log, stream)| OfStream { stream, packets: log.packets.read() });
    let mut file = RecordFile::create(records, table)?;
    merge(streams.collect(), |(sent_ns, stream, number, delay_ns)| {
        file.add(|row| write_row(row, sent_ns, stream, number, delay_ns))
    })?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    airtcp_plan::record! {
        fn table() = "packets", key [stream], Keep;
        fn write_row(sent_ns: i64, stream: u32, number: u32, delay_ns: i64) {
            time_ns: i64 = sent_ns,
            stream: u32 = stream,
            number: u32 = number,
            delay_ns: i64 = delay_ns,
        }
    }

    #[test]
    fn an_arrival_is_timed_once_and_strangers_are_ignored() {
        let mut log = PacketLog::new(Path::new("/nonexistent"), "stream");
        (0..2).for_each(|_| log.send(1_000).unwrap());
        for (number, at_ns) in [(1, 1_250), (1, 10_000), (2, 1_000), (usize::MAX, 1_000)] {
            log.arrive(number, at_ns).unwrap();
        }
        let mut packets = log.packets.read();
        let delays: Vec<_> =
            std::iter::from_fn(|| packets.next().unwrap()).map(|(_, p)| p.delay_ns).collect();
        assert_eq!((delays, log.sent(), log.arrived()), (vec![NOT_ARRIVED, 250], 2, 1));
    }

    #[test]
    fn packets_of_all_streams_are_in_the_order_of_sending() {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-packets-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut logs: Vec<_> = (0..3).map(|i| PacketLog::new(&folder, &i.to_string())).collect();
        // More than stay in memory of the first one, and late arrivals of what is on the disk.
        let mut expected = Vec::new();
        for number in 0..20_000 {
            logs[0].send(number).unwrap();
            expected.push((number, 0, number as u32, if number < 5 { 30_000 - number } else { NOT_ARRIVED }));
        }
        (0..5).for_each(|number| logs[0].arrive(number, 30_000).unwrap());
        for (number, sent_ns) in [(0, 7), (1, 7), (2, 12_000)] {
            logs[2].send(sent_ns).unwrap();
            expected.push((sent_ns, 2, number, NOT_ARRIVED));
        }
        expected.sort_unstable();
        write_packets(&folder, &table(), write_row, logs.iter()).unwrap();
        let (_, rows) = Table::read(&mut File::open(folder.join("packets.rec")).unwrap()).unwrap();
        let i64_at = |row: &[u8], at: usize| i64::from_le_bytes(row[at..at + 8].try_into().unwrap());
        let u32_at = |row: &[u8], at: usize| u32::from_le_bytes(row[at..at + 4].try_into().unwrap());
        let read = rows.chunks(24).map(|r| (i64_at(r, 0), u32_at(r, 8), u32_at(r, 12), i64_at(r, 16)));
        assert_eq!(read.collect::<Vec<_>>(), expected);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
