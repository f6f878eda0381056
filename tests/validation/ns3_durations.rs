//! Bit rates and durations of 1672 modes against ns-3 (`data/ns3-ppdu-durations.csv` says how the file was made).
//!
//! Data fields agree to the nanosecond once two things are put right: ns-3 does not round short guard intervals up
//! to 4 us, and it gives HE and EHT the tail of the convolutional code whatever the code. `ldpc_symbols.rs` has what
//! LDPC changes. Preambles differ as `published_durations.rs` says.

use airtcp_air::phy::{Coding, Format, Guard, TxVector, Width};

const TABLE: &str = include_str!("data/ns3-ppdu-durations.csv");

struct Row {
    tx: TxVector,
    bit_rate_bps: u64,
    preamble_ns: u64,
    /// (octets, nanoseconds).
    durations: [(u32, u64); 4],
}

fn parse(line: &str) -> Row {
    let (name, numbers) = line.split_once(',').expect("columns");
    let n: Vec<u64> = numbers.split(',').map(|cell| cell.parse().expect("a number")).collect();
    let format = match name {
        "hr_dsss" => Format::HrDsss,
        "ofdm" => Format::Ofdm,
        "ht" => Format::Ht,
        "vht" => Format::Vht,
        "he" => Format::He,
        "eht" => Format::Eht,
        other => panic!("{other} is no format"),
    };
    let lengths = match format {
        Format::HrDsss | Format::Ofdm => [14, 76, 1536, 4095],
        _ => [14, 1536, 11454, 65535],
    };
    let width = Width::from_mhz(n[2] as u32).expect("a width");
    let guard = Guard::from_nanos(n[3] as u32).expect("a guard interval");
    Row {
        tx: match format {
            Format::HrDsss => TxVector::hr_dsss(n[0] as u8, n[4] == 1),
            _ => TxVector::mimo(format, n[0] as u8, n[1] as u8, width, guard),
        },
        bit_rate_bps: n[5],
        preamble_ns: n[6],
        durations: std::array::from_fn(|i| (lengths[i], n[7 + i])),
    }
}

fn rows() -> Vec<Row> {
    TABLE.lines().filter(|line| !line.starts_with(['#'])).skip(1).map(parse).collect()
}

#[test]
fn the_file_is_whole() {
    let count = |format| rows().iter().filter(|row| row.tx.format == format).count();
    let counts = [Format::HrDsss, Format::Ofdm, Format::Ht, Format::Vht, Format::He, Format::Eht].map(count);
    // ns-3 leaves out VHT MCS 9 at 20 MHz with six streams too, which the standard has; it has no 320 MHz.
    assert_eq!(counts, [7, 8, 128, (320 - 10 - 1) * 2, 12 * 4 * 4 * 3, 14 * 2 * 4 * 3]);
}

/// ns-3 rounds the rate of one stream and multiplies it.
#[test]
fn bit_rates() {
    for Row { tx, bit_rate_bps, .. } in rows() {
        let difference = tx.bit_rate().as_bps().abs_diff(bit_rate_bps);
        assert!(difference <= u64::from(tx.streams), "{tx}: {bit_rate_bps} b/s");
    }
}

#[test]
fn data_fields() {
    for Row { tx, preamble_ns, durations, .. } in rows() {
        for (bytes, ns3) in durations {
            let data = ns3 - preamble_ns;
            let expected = if tx.guard == Guard::Ns400 { data.next_multiple_of(4_000) } else { data };
            let ours = tx.ppdu_duration_coded(Coding::Bcc, bytes).saturating_sub(tx.preamble_duration());
            assert_eq!(ours.as_nanos(), expected, "{tx}, {bytes} octets");
        }
    }
}

#[test]
fn preambles() {
    for Row { tx, preamble_ns, .. } in rows() {
        let training_fields = [0, 1, 2, 4, 4, 6, 6, 8, 8][tx.streams as usize];
        let training = match tx.guard {
            Guard::Ns3200 => 16_000,
            guard => 6_400 + guard.nanos(),
        };
        // What ns-3 has, without its HE-LTFs of 8 us and its fields for the allocation of RUs.
        let expected = match tx.format {
            Format::Vht => preamble_ns + 4_000,
            Format::He => preamble_ns - 8_000 * training_fields + training * training_fields,
            Format::Eht => {
                let sig_symbols = if tx.index == 0 { 2 } else { 1 };
                36_000 + 4_000 * sig_symbols + training * training_fields
            }
            _ => preamble_ns,
        };
        assert_eq!(tx.preamble_duration().as_nanos(), expected, "{tx}");
    }
}
