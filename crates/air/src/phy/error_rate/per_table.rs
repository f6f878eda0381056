//! Packet error rates from the tables in `data`.

use airtcp_units::Decibel;

use super::Decay;
use super::waterfall::Waterfall;
use crate::phy::{CodeRate, Coding, Constellation, Modulation};

/// The tables, made by `tools/per-tables` (`docs/models/packet-error-rate.md`).
const BCC: &str = include_str!("../../../data/bcc-awgn.csv");
const LDPC: &str = include_str!("../../../data/ldpc-awgn.csv");
const DMG: &str = include_str!("../../../data/dmg-awgn.csv");
const HEADER: &str = "mode,psdu_bytes,snr_db,per";

/// PSDU lengths that the tables have, in octets.
const REFERENCE_BYTES: [u32; 2] = [32, 1458];

/// Length in octets from which the long reference is used with BCC; IEEE 802.11-14/0571r12 (the `TGax` evaluation methodology)
/// divides its reference lengths here.
const BCC_LONG_FROM_BYTES: u32 = 400;

/// Bits of the LDPC codewords that the short references are made of (IEEE 802.11-2020, Table 19-15, 20.3.8.1).
const SHORT_CODEWORD_BITS: u32 = 648;
const DMG_CODEWORD_BITS: u32 = 672;
/// SERVICE (17.3.5.2), coded with the PSDU in OFDM.
const SERVICE_BITS: u32 = 16;

/// The curves of one mode at both reference lengths, and the length from which the second is used.
#[derive(Clone, Debug)]
struct Mode {
    /// By reference length.
    curves: [Waterfall; 2],
    long_from_bytes: u32,
}

/// Packet error rates of OFDM and of directional multi-gigabit in white Gaussian noise.
///
/// ```
/// use airtcp_air::phy::error_rate::PerTable;
/// use airtcp_air::phy::{CodeRate, Coding, Constellation, Modulation};
/// use airtcp_units::Decibel;
/// let table = PerTable::new();
/// let modulation = Modulation::new(Constellation::Qam64, CodeRate::FiveSixths);
/// let at = |es_n0| table.decay(modulation, Coding::Ldpc, Decibel::new(es_n0)).unwrap().reception(1458);
/// assert!(at(16.0) < 0.1 && at(19.0) > 0.99);
/// // 802.11 has no such pair.
/// let odd = Modulation::new(Constellation::Bpsk, CodeRate::FiveSixths);
/// assert_eq!(table.decay(odd, Coding::Ldpc, Decibel::new(40.0)), None);
/// ```
#[derive(Clone, Debug)]
pub struct PerTable {
    bcc: Box<[Option<Mode>]>,
    ldpc: Box<[Option<Mode>]>,
    dmg: Box<[Mode]>,
}

impl Default for PerTable {
    fn default() -> Self {
        Self::new()
    }
}

impl PerTable {
    /// Reads the tables.
    ///
    /// # Panics
    /// If they are damaged: they are part of the program.
    pub fn new() -> Self {
        let mut bcc = vec![None; Modulation::COUNT];
        for (name, curves) in read(BCC) {
            bcc[modulation(name).index()] = Some(Mode { curves, long_from_bytes: BCC_LONG_FROM_BYTES });
        }
        let mut ldpc = vec![None; Modulation::COUNT];
        for (name, curves) in read(LDPC) {
            let modulation = modulation(name);
            let long_from_bytes = first_beyond_a_codeword(modulation.code_rate);
            ldpc[modulation.index()] = Some(Mode { curves, long_from_bytes });
        }
        let dmg = read(DMG).into_iter().enumerate().map(|(mcs, (name, curves))| {
            assert_eq!(name, format!("mcs-{mcs}"), "PER table: modes of DMG");
            Mode { curves, long_from_bytes: first_beyond_a_dmg_codeword(mcs) }
        });
        Self { bcc: bcc.into(), ldpc: ldpc.into(), dmg: dmg.collect() }
    }

    /// The decay of an OFDM PPDU at this ratio of energy per symbol and subcarrier to noise density. None where
    /// 802.11 does not join the three.
    #[inline]
    pub fn decay(&self, modulation: Modulation, coding: Coding, es_n0: Decibel) -> Option<Decay> {
        let modes = match coding {
            Coding::Bcc => &self.bcc,
            Coding::Ldpc => &self.ldpc,
        };
        Some(modes[modulation.index()].as_ref()?.decay(es_n0.get()))
    }

    /// The decay of a DMG PPDU in the control mode (MCS 0) or in a single-carrier mode (1 to 12) at this ratio of energy
    /// per chip to noise density. None for other MCS.
    #[inline]
    pub fn dmg_decay(&self, mcs: u8, ec_n0: Decibel) -> Option<Decay> {
        Some(self.dmg.get(usize::from(mcs))?.decay(ec_n0.get()))
    }
}

impl Mode {
    fn decay(&self, snr_db: f64) -> Decay {
        let [short, long] =
            std::array::from_fn(|i| self.curves[i].minus_ln_success(snr_db) / f64::from(REFERENCE_BYTES[i]));
        Decay::of_references(short, long, self.long_from_bytes)
    }
}

/// First length that does not fit into one codeword of 648 bits with SERVICE. From there on the codewords are
/// longer and soon as long as those of the long reference (IEEE 802.11-2020, Table 19-16).
fn first_beyond_a_codeword(code_rate: CodeRate) -> u32 {
    let (data, coded) = code_rate.ratio();
    (SHORT_CODEWORD_BITS * data / coded - SERVICE_BITS) / 8 + 1
}

/// First length that does not fit into one codeword of DMG; all its codewords have one length. The short reference of MCS 0 and
/// 1, whose codewords hold 21 octets, has two of them and is used as long as two suffice.
fn first_beyond_a_dmg_codeword(mcs: usize) -> u32 {
    let data_bits = match mcs {
        0 | 1 => 2 * 168,
        2 | 6 | 10 => DMG_CODEWORD_BITS / 2,
        3 | 7 | 11 => DMG_CODEWORD_BITS * 5 / 8,
        4 | 8 | 12 => DMG_CODEWORD_BITS * 3 / 4,
        _ => DMG_CODEWORD_BITS * 13 / 16,
    };
    data_bits / 8 + 1
}

/// The modes of a table in their order, with their names.
fn read(table: &'static str) -> Vec<(&'static str, [Waterfall; 2])> {
    let mut rows = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    assert_eq!(rows.next(), Some(HEADER), "columns of the PER table");
    let mut modes: Vec<(&str, [Vec<[f64; 2]>; 2])> = Vec::new();
    for row in rows {
        let (name, length, point) = parse(row).unwrap_or_else(|| panic!("PER table: bad row '{row}'"));
        if modes.last().is_none_or(|last| last.0 != name) {
            modes.push((name, Default::default()));
        }
        let points = &mut modes.last_mut().expect("just pushed").1[length];
        let follows = points.last().is_none_or(|last| last[0] < point[0] && last[1] >= point[1]);
        assert!(follows, "PER table: '{row}' is out of order");
        points.push(point);
    }
    let curves =
        |(name, curves): (_, [Vec<[f64; 2]>; 2])| (name, curves.map(|points| Waterfall::new(&points)));
    modes.into_iter().map(curves).collect()
}

/// Name, place of the reference length, and SNR in dB with packet error rate.
fn parse(row: &'static str) -> Option<(&'static str, usize, [f64; 2])> {
    let mut cells = row.split(',');
    let name = cells.next()?;
    let bytes: u32 = cells.next()?.parse().ok()?;
    let length = REFERENCE_BYTES.iter().position(|reference| *reference == bytes)?;
    let point: [f64; 2] = [cells.next()?.parse().ok()?, cells.next()?.parse().ok()?];
    let valid = point[0].is_finite() && (0.0..=1.0).contains(&point[1]) && cells.next().is_none();
    valid.then_some((name, length, point))
}

/// The modulation of a name such as `qam64-5/6`.
fn modulation(name: &str) -> Modulation {
    let constellation = match name.split('-').next() {
        Some("bpsk") => Constellation::Bpsk,
        Some("qpsk") => Constellation::Qpsk,
        Some("qam16") => Constellation::Qam16,
        Some("qam64") => Constellation::Qam64,
        Some("qam256") => Constellation::Qam256,
        Some("qam1024") => Constellation::Qam1024,
        Some("qam4096") => Constellation::Qam4096,
        _ => panic!("PER table: no constellation in '{name}'"),
    };
    let code_rate = match name.split('-').nth(1) {
        Some("1/2") => CodeRate::Half,
        Some("2/3") => CodeRate::TwoThirds,
        Some("3/4") => CodeRate::ThreeQuarters,
        Some("5/6") => CodeRate::FiveSixths,
        _ => panic!("PER table: no code rate in '{name}'"),
    };
    Modulation::new(constellation, code_rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 648 R data bits less SERVICE; 672 R data bits.
    #[test]
    fn short_references_serve_one_codeword() {
        let rates = [CodeRate::Half, CodeRate::TwoThirds, CodeRate::ThreeQuarters, CodeRate::FiveSixths];
        assert_eq!(rates.map(first_beyond_a_codeword), [39, 53, 59, 66]);
        let dmg: Vec<_> = (0..13).map(first_beyond_a_dmg_codeword).collect();
        assert_eq!(dmg, [43, 43, 43, 53, 64, 69, 43, 53, 64, 69, 43, 53, 64]);
        assert!(
            rates.map(first_beyond_a_codeword).into_iter().chain(dmg).all(|bytes| bytes > REFERENCE_BYTES[0])
        );
    }

    #[test]
    fn the_tables_have_every_mode_of_802_11() {
        let table = PerTable::new();
        let count = |modes: &[Option<Mode>]| modes.iter().flatten().count();
        assert_eq!([count(&table.bcc), count(&table.ldpc), table.dmg.len()], [11, 14, 13]);
        assert_eq!(table.dmg_decay(13, Decibel::new(50.0)), None);
    }

    #[test]
    fn certain_loss_and_certain_reception_are_exact() {
        let table = PerTable::new();
        let modulation = Modulation::new(Constellation::Qam64, CodeRate::ThreeQuarters);
        let at = |db| table.decay(modulation, Coding::Bcc, Decibel::new(db)).expect("known");
        assert!(at(-20.0).reception(14) <= 0.0 && at(60.0).reception(2332) >= 1.0);
    }
}
