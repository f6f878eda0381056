//! Resource units and PPDUs of several users against ns-3 3.44 (`tools/crosscheck/ns3/ru_durations.cc` prints the tables in
//! `data/ns3-resource-units`).
//!
//! Everything agrees to the nanosecond but for what is put right here: ns-3 gives every code the tail of BCC and LDPC no further
//! quarter of a symbol (`ldpc_symbols.rs` counts these), every HE-LTF lasts 8 us in it (`published_durations.rs`), and what each test
//! says.

use airtcp_air::phy::multi_user::{CommonData, MuPpdu, MuUser, TbParameters};
use airtcp_air::phy::{Allocation, Coding, Extent, Format, Guard, ResourceUnit, RuSize, TxVector, Width};
use airtcp_units::Duration;

const TONES: &str = include_str!("data/ns3-resource-units/tones.csv");
const PREAMBLES: &str = include_str!("data/ns3-resource-units/preambles.csv");
const DATA: &str = include_str!("data/ns3-resource-units/data.csv");
const MIXED: &str = include_str!("data/ns3-resource-units/mixed.csv");
const UPLINK: &str = include_str!("data/ns3-resource-units/uplink.csv");

/// What ns-3 counts for an HE-LTF, in nanoseconds.
const NS3_LTF_NS: i64 = 8_000;

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

fn number<T: std::str::FromStr>(cell: &str) -> T {
    cell.parse().ok().unwrap_or_else(|| panic!("{cell} is no number"))
}

fn width(cell: &str) -> Width {
    Width::from_mhz(number(cell)).expect("a width")
}

fn guard(cell: &str) -> Guard {
    Guard::from_nanos(number(cell)).expect("a guard interval")
}

fn size(cell: &str) -> RuSize {
    RuSize::ALL.into_iter().find(|size| size.to_string() == cell).expect("a size")
}

fn format(cell: &str) -> Format {
    if cell == "eht" { Format::Eht } else { Format::He }
}

/// What our HE-LTFs last less than ns-3's.
fn shorter_ltfs(tx: TxVector) -> i64 {
    let fields = [1, 2, 4, 4, 6, 6, 8, 8][usize::from(tx.streams) - 1];
    let ours = match tx.guard {
        Guard::Ns3200 => 16_000,
        guard => 6_400 + guard.nanos().cast_signed(),
    };
    fields * (NS3_LTF_NS - ours)
}

fn user(tx: TxVector, psdu_bytes: u32) -> MuUser {
    MuUser { tx, coding: Coding::Bcc, psdu_bytes }
}

/// ns-3 joins ranges that meet. Of 2x996 tones it has the tones between the two RUs of 996 too.
#[test]
fn tones() {
    let mut count = 0;
    for row in rows(TONES) {
        let ru = Allocation::ru(width(row[0]), size(row[1]), number(row[2])).expect("an RU");
        let ends: Vec<i16> = row[3].split(' ').map(number).collect();
        let theirs: Vec<i16> = ends.chunks(2).flat_map(|ends| ends[0]..=ends[1]).collect();
        let tones = ru.tones(Format::He);
        let ours: Vec<i16> = tones.ranges().iter().flat_map(|r| r.first..=r.last).collect();
        if row[1] == "2x996" {
            assert_eq!(theirs.len(), 2020);
            assert!(ours.iter().all(|tone| theirs.contains(tone)));
        } else {
            assert_eq!(ours, theirs, "{ru}");
        }
        count += 1;
    }
    assert_eq!(count, 16 + 33 + 68 + 137);
}

/// Bits of HE-SIG-B with this many User fields in the longer content channel (IEEE 802.11ax-2021, 27.3.11.8), over those of a symbol.
fn sig_symbols(width: Width, fields: u32, mcs: u8) -> i64 {
    let common = [18, 18, 27, 43][width as usize];
    let bits = common + fields / 2 * 52 + fields % 2 * 31;
    i64::from(bits.div_ceil([26, 52, 78, 104, 156, 208][usize::from(mcs.min(5))]))
}

/// Users on RUs of one size, from one to all, and all with one MCS. (HE only: in an EHT MU PPDU with OFDMA ns-3 has the fields of
/// HE-SIG-B in place of EHT-SIG. `sig_fields.rs` has those by hand.) What differs:
/// - ns-3 counts the RU in the centre of 80 MHz as one of the 20 MHz above it, and has no User field for it; in the upper 80 MHz the RU
///   before it too;
/// - it has the User fields of all RUs of 484 and 996 tones in one content channel, which is a sender's choice. Here they are in the
///   shorter one.
#[test]
fn preambles() {
    let mut count = 0;
    for row in rows(PREAMBLES) {
        let (width, size) = (width(row[0]), size(row[1]));
        let (users, mcs) = (number::<u32>(row[2]), number(row[3]));
        let tx = TxVector::mimo(Format::He, mcs, 1, width, Guard::Ns800);
        let as_ns3_has_it = |ru: Allocation| match ru.extent() {
            Extent::Ru(ResourceUnit { size: RuSize::Tones26, index }) if width >= Width::Mhz80 => {
                let instead = [(19, 20), (55, 57), (56, 57)].into_iter().find(|(from, _)| *from == index);
                Allocation::ru(width, size, instead.map_or(index, |(_, to)| to)).expect("an RU")
            }
            _ => ru,
        };
        let rus = Allocation::rus(width, size).take(users as usize).map(as_ns3_has_it);
        let all: Vec<MuUser> = rus.map(|ru| user(tx.within(ru), 0)).collect();
        let ours = MuPpdu::new(&all).preamble_duration().as_nanos().cast_signed();
        let more_symbols = match size {
            RuSize::Tones484 | RuSize::Tones996 => {
                sig_symbols(width, users, mcs) - sig_symbols(width, users.div_ceil(2), mcs)
            }
            _ => 0,
        };
        assert_eq!(ours + shorter_ltfs(tx) + 4_000 * more_symbols, number::<i64>(row[4]), "{row:?}");
        count += 1;
    }
    // By width the RUs of every size but the one that fills it.
    assert_eq!(count, 7 * (15 + 32 + 67 + 136));
}

#[test]
fn data_fields() {
    let mut count = 0;
    for row in rows(DATA) {
        let ru = Allocation::ru(Width::Mhz160, size(row[1]), 1).expect("an RU");
        let mode =
            TxVector::mimo(format(row[0]), number(row[2]), number(row[3]), Width::Mhz160, guard(row[4]));
        for (cell, bytes) in row[5..].iter().zip([14, 100, 1536, 11454]) {
            let users = [user(mode.within(ru), bytes)];
            let ours = CommonData::holding(&users).duration(&users);
            assert_eq!(ours.as_nanos(), number::<u64>(cell), "{}, {bytes} octets", users[0].tx);
            count += 1;
        }
    }
    assert_eq!(count, 7 * (12 + 14) * 4 * 3 * 4);
}

/// Random users whose RUs, MCS, streams and lengths differ. Of the preamble only HE-LTFs are compared: ns-3 makes an RU Allocation of
/// one size of what is mixed.
#[test]
fn mixed() {
    let mut count = 0;
    for row in rows(MIXED) {
        let (width, guard) = (width(row[0]), guard(row[1]));
        let words: Vec<&str> = row[4].split(' ').collect();
        let of = |w: &[&str]| {
            let ru = Allocation::ru(width, size(w[0]), number(w[1])).expect("an RU");
            let tx = TxVector::mimo(Format::He, number(w[2]), number(w[3]), width, guard);
            user(tx.within(ru), number(w[4]))
        };
        let users: Vec<MuUser> = words.chunks(5).map(of).collect();
        let ppdu = MuPpdu::new(&users);
        let [preamble, duration] = [ppdu.preamble_duration(), ppdu.duration()].map(Duration::as_nanos);
        let theirs: [u64; 2] = [number(row[2]), number(row[3])];
        assert_eq!(duration - preamble, theirs[1] - theirs[0], "{row:?}");
        let most = users.iter().max_by_key(|user| user.tx.streams).expect("a user").tx;
        let apart = preamble.cast_signed() + shorter_ltfs(most) - theirs[0].cast_signed();
        assert_eq!(apart % 4_000, 0, "whole symbols of HE-SIG-B: {row:?}");
        count += 1;
    }
    assert_eq!(count, 600);
}

/// UL Length and the duration that follows from it, by steps of 106.7 us.
#[test]
fn uplink() {
    let mut count = 0;
    for row in rows(UPLINK) {
        let (format, guard) = (format(row[0]), guard(row[2]));
        let tx = TxVector::mimo(format, 5, number(row[1]), Width::Mhz80, guard);
        let ru = Allocation::ru(Width::Mhz80, RuSize::Tones106, 1).expect("an RU");
        let users = [user(tx.within(ru), 100)];
        // ns-3's duration with our HE-LTFs.
        let duration = Duration::from_nanos((number::<i64>(row[5]) - shorter_ltfs(tx)).cast_unsigned());
        let ours = TbParameters::within(&users, duration).expect("room");
        assert_eq!(
            ours.preamble_duration().as_nanos().cast_signed() + shorter_ltfs(tx),
            number::<i64>(row[6])
        );
        assert_eq!(ours.duration(), duration, "{row:?}");
        if guard == Guard::Ns1600 {
            assert_eq!(ours.ul_length, number::<u32>(row[4]), "{row:?}");
        }
        count += 1;
    }
    assert_eq!(count, 816);
}
