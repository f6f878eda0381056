//! A writer of pcapng files (IETF, draft-ietf-opsawg-pcapng; the section numbers below are its).
//!
//! One section, little-endian, with times in nanoseconds from the run's epoch; each interface has the date of the epoch, which
//! readers add.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use airtcp_plan::Plan;
use airtcp_plan::report::CAPTURES_FOLDER;

use crate::output::create_buffered;

/// Block types (4.1, 4.2, 4.3).
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Tells the byte order (4.1).
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// Version of the format, major and minor (4.1).
const VERSION: [u16; 2] = [1, 0];
/// The section's length is not specified (4.1).
const LENGTH_UNKNOWN: u64 = u64::MAX;
/// Option codes: of every block (3.5), of the section (4.1), of an interface (4.2), of a packet (4.3).
const OPTION_END: u16 = 0;
const OPTION_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;
const EPB_FLAGS: u16 = 2;
/// Times count 10^-9 seconds (4.2).
const NANOSECONDS: u8 = 9;

/// What the packets of an interface begin with (the registry of link-layer types at tcpdump.org).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum LinkType {
    /// An Ethernet header (`LINKTYPE_ETHERNET`).
    Ethernet = 1,
    /// A radiotap header, then an MPDU with its frame check sequence if the header says so (`LINKTYPE_IEEE802_11_RADIOTAP`).
    Radiotap = 127,
}

/// An interface on which packets are captured.
#[derive(Clone, Copy, Debug)]
pub struct CaptureInterface<'a> {
    /// Name of the interface.
    pub name: &'a str,
    /// Link type: the header that packets of the interface begin with.
    pub link_type: LinkType,
    /// Most bytes kept of a packet; 0: no limit.
    pub snap_bytes: u32,
}

/// The direction of a packet, as seen from its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Direction {
    /// The interface received the packet.
    In = 1,
    /// The interface sent the packet.
    Out = 2,
}

/// A captured packet.
#[derive(Clone, Copy, Debug)]
pub struct CapturedPacket<'a> {
    /// Number of the interface, in the order in which interfaces were described, from 0.
    pub interface: u32,
    /// Time of the packet, in nanoseconds from the epoch.
    pub time_ns: u64,
    /// Captured bytes.
    pub bytes: &'a [u8],
    /// Original length of the packet, at least that of the captured bytes.
    pub original_bytes: u32,
    /// Direction of the packet, if it is worth saying.
    pub direction: Option<Direction>,
    /// A comment for the reader.
    pub comment: Option<&'a str>,
}

/// Writes one capture file. `out` should be buffered.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    out: W,
    /// The block being written; kept to reuse its memory.
    block: Vec<u8>,
    interfaces: u32,
    date_s: u64,
}

impl<W: Write> PcapngWriter<W> {
    /// Begins a file; `date_s` is the epoch's date, in seconds since 1970.
    ///
    /// # Errors
    /// An error of `out`.
    pub fn new(out: W, date_s: u64) -> io::Result<Self> {
        let mut writer = Self { out, block: Vec::with_capacity(4096), interfaces: 0, date_s };
        writer.begin(SECTION_HEADER);
        writer.u32(BYTE_ORDER_MAGIC);
        writer.block.extend(VERSION.into_iter().flat_map(u16::to_le_bytes));
        writer.block.extend(LENGTH_UNKNOWN.to_le_bytes());
        writer.option(SHB_USERAPPL, b"airtcp");
        writer.option(OPTION_END, &[]);
        writer.end()?;
        Ok(writer)
    }

    /// Describes the next interface and returns its number.
    ///
    /// # Errors
    /// An error of `out`.
    pub fn interface(&mut self, interface: &CaptureInterface<'_>) -> io::Result<u32> {
        self.begin(INTERFACE_DESCRIPTION);
        self.u32(u32::from(interface.link_type as u16));
        self.u32(interface.snap_bytes);
        self.option(IF_NAME, interface.name.as_bytes());
        self.option(IF_TSRESOL, &[NANOSECONDS]);
        self.option(IF_TSOFFSET, &self.date_s.to_le_bytes());
        self.option(OPTION_END, &[]);
        self.end()?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes a packet. Panics if its interface was not described, or if more bytes are captured than it had.
    ///
    /// # Errors
    /// An error of `out`.
    pub fn packet(&mut self, packet: &CapturedPacket<'_>) -> io::Result<()> {
        assert!(packet.interface < self.interfaces, "a packet of an interface that was not described");
        assert!(
            packet.bytes.len() <= packet.original_bytes as usize,
            "more bytes are captured than the packet had"
        );
        self.begin(ENHANCED_PACKET);
        self.u32(packet.interface);
        self.u32((packet.time_ns >> 32) as u32);
        self.u32(packet.time_ns as u32);
        self.u32(packet.bytes.len() as u32);
        self.u32(packet.original_bytes);
        self.padded(packet.bytes);
        if let Some(direction) = packet.direction {
            self.option(EPB_FLAGS, &(direction as u32).to_le_bytes());
        }
        if let Some(comment) = packet.comment {
            self.option(OPTION_COMMENT, comment.as_bytes());
        }
        if packet.direction.is_some() || packet.comment.is_some() {
            self.option(OPTION_END, &[]);
        }
        self.end()
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// An error of `out`.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.u32(kind);
        // Its length, known at the end.
        self.u32(0);
    }

    fn end(&mut self) -> io::Result<()> {
        let length = (self.block.len() + 4) as u32;
        self.u32(length);
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.out.write_all(&self.block)
    }

    fn u32(&mut self, value: u32) {
        self.block.extend_from_slice(&value.to_le_bytes());
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        let length = u16::try_from(value.len()).expect("an option of a block is short");
        self.block.extend_from_slice(&code.to_le_bytes());
        self.block.extend_from_slice(&length.to_le_bytes());
        self.padded(value);
    }

    /// Values and packets fill words of 32 bits (3.5, 4.3).
    fn padded(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}

/// Creates the file of a capture in the run's working folder.
///
/// # Errors
/// An error of the file system.
pub(crate) fn create_capture(
    folder: &Path,
    name: &str,
    plan: &Plan,
) -> io::Result<PcapngWriter<BufWriter<File>>> {
    let captures = folder.join(CAPTURES_FOLDER);
    std::fs::create_dir_all(&captures)?;
    PcapngWriter::new(create_buffered(&captures.join(format!("{name}.pcapng")))?, plan.date_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERFACE: CaptureInterface<'static> =
        CaptureInterface { name: "wlan0", link_type: LinkType::Ethernet, snap_bytes: 134 };

    const SECTION: [u8; 44] = [
        0x0a, 0x0d, 0x0d, 0x0a, 44, 0, 0, 0, // type, length
        0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, // byte order, version 1.0
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, // length of the section
        4, 0, 6, 0, b'a', b'i', b'r', b't', b'c', b'p', 0, 0, // application
        0, 0, 0, 0, 44, 0, 0, 0, // end of options, length
    ];

    fn written(write: impl FnOnce(&mut PcapngWriter<&mut Vec<u8>>)) -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = PcapngWriter::new(&mut file, 0x0102_0304).expect("memory");
        writer.interface(&INTERFACE).expect("memory");
        write(&mut writer);
        drop(writer);
        assert_eq!(file[..44], SECTION);
        file.split_off(44)
    }

    #[test]
    fn an_interface_says_its_type_name_and_clock() {
        let expected = [
            1, 0, 0, 0, 56, 0, 0, 0, 1, 0, 0, 0, 134, 0, 0, 0, // type, length, link type, snap length
            2, 0, 5, 0, b'w', b'l', b'a', b'n', b'0', 0, 0, 0, // name
            9, 0, 1, 0, 9, 0, 0, 0, 14, 0, 8, 0, 4, 3, 2, 1, 0, 0, 0, 0, // nanoseconds, date
            0, 0, 0, 0, 56, 0, 0, 0, // end, length
        ];
        assert_eq!(written(|_| ()), expected);
    }

    #[test]
    fn a_packet_has_its_time_in_two_halves_and_may_be_cut() {
        let packet = CapturedPacket {
            interface: 0,
            time_ns: 5 << 32 | 7,
            bytes: &[1, 2, 3, 4, 5],
            original_bytes: 1514,
            direction: None,
            comment: None,
        };
        let expected = [
            6, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0,
            0, // type, length, interface, time
            5, 0, 0, 0, 0xea, 5, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 40, 0, 0, 0,
        ];
        assert_eq!(written(|file| file.packet(&packet).expect("memory"))[56..], expected);
    }

    #[test]
    fn a_packet_may_say_its_direction_and_more() {
        let packet = CapturedPacket {
            interface: 0,
            time_ns: 0,
            bytes: &[],
            original_bytes: 0,
            direction: Some(Direction::Out),
            comment: Some("late"),
        };
        let options = [2, 0, 4, 0, 2, 0, 0, 0, 1, 0, 4, 0, b'l', b'a', b't', b'e', 0, 0, 0, 0, 52, 0, 0, 0];
        assert_eq!(written(|file| file.packet(&packet).expect("memory"))[56 + 28..], options);
    }

    #[test]
    fn interfaces_are_numbered() {
        let more = |file: &mut PcapngWriter<&mut Vec<u8>>| {
            let radio = CaptureInterface { link_type: LinkType::Radiotap, ..INTERFACE };
            assert_eq!(file.interface(&radio).expect("memory"), 1);
        };
        assert_eq!(written(more)[56 + 8..][..4], [127, 0, 0, 0]);
    }

    #[test]
    #[should_panic(expected = "more bytes are captured than the packet had")]
    fn no_packet_is_shorter_than_what_is_kept_of_it() {
        let packet = CapturedPacket {
            interface: 0,
            time_ns: 0,
            bytes: &[0; 60],
            original_bytes: 59,
            direction: None,
            comment: None,
        };
        written(|file| file.packet(&packet).expect("memory"));
    }
}
