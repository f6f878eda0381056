//! The effective SNR of many subcarriers at little cost: what is averaged, by tables.

use super::effective_snr::{Curve, effective_sinr};
use super::subcarrier_snr::subcarriers;
use crate::phy::{Coding, Constellation, Format, TxVector};

/// Parts of an octave of Es/N0, by the leading bits of a number's fraction. Straight lines between them are off by less than 0.01
/// dB from the curves.
const PARTS_BITS: u32 = 5;
/// What is left of a number in single precision below sign, exponent (8 bits) and those.
const REST_BITS: u32 = 23 - PARTS_BITS;
/// The tables begin at an Es/N0 of 2^-10 (-30 dB), below which a straight line leads to nothing received; they end at 2^20 (60 dB).
const LEAST: u32 = (127 - 10) << (23 - REST_BITS);
const MOST: u32 = (127 + 20) << (23 - REST_BITS);

const CONSTELLATIONS: [Constellation; 7] = [
    Constellation::Bpsk,
    Constellation::Qpsk,
    Constellation::Qam16,
    Constellation::Qam64,
    Constellation::Qam256,
    Constellation::Qam1024,
    Constellation::Qam4096,
];

/// The curves of [`effective_sinr`] for all constellations.
#[derive(Debug)]
pub(crate) struct EffectiveTables {
    convolutional: [Table; CONSTELLATIONS.len()],
    ldpc: [Table; CONSTELLATIONS.len()],
}

/// By parts of octaves of Es/N0: what is averaged; with LDPC, what a coded bit lacks of one bit of information.
#[derive(Debug)]
struct Table {
    lacking: Vec<f64>,
}

impl EffectiveTables {
    /// Computes them.
    pub(crate) fn new() -> Self {
        let of = |coding| CONSTELLATIONS.map(|constellation| Table::new(constellation, coding));
        Self { convolutional: of(Coding::Bcc), ldpc: of(Coding::Ldpc) }
    }

    /// The effective ratio of a PPDU from ratios in single precision, by tables. It is within 0.02 dB of [`effective_sinr`] where
    /// more than 1e-30 bits are lacking, and within 0.1 dB where nothing is lost whatever the ratio. A ratio that all have is
    /// kept.
    pub(crate) fn effective_sinr(&self, tx: TxVector, sinrs: &[f32]) -> f64 {
        let modulation = tx.modulation().filter(|_| tx.format != Format::Dmg);
        let (Some(modulation), Some((used, all))) = (modulation, subcarriers(tx)) else {
            return effective_sinr(tx, sinrs.iter().copied().map(f64::from));
        };
        let (least, greatest) = range(sinrs);
        if least >= greatest {
            return least.into();
        }
        let es_n0_over_sinr = f64::from(all) / (f64::from(used) * f64::from(tx.streams.max(1)));
        let tables = match tx.coding() {
            Coding::Bcc => &self.convolutional,
            Coding::Ldpc => &self.ldpc,
        };
        let table = &tables[modulation.constellation as usize];
        let sum: f64 = sinrs.iter().map(|&sinr| table.lacking(sinr * es_n0_over_sinr as f32)).sum();
        let es_n0 = table.es_n0(sum / sinrs.len() as f64);
        (es_n0 / es_n0_over_sinr).clamp(least.into(), greatest.into())
    }
}

/// The least and the greatest of the ratios, by lanes.
fn range(sinrs: &[f32]) -> (f32, f32) {
    let (mut least, mut greatest) = ([f32::INFINITY; 4], [0.0_f32; 4]);
    let lanes = sinrs.chunks_exact(4);
    let rest = lanes.remainder();
    for lane in lanes {
        for k in 0..4 {
            least[k] = if lane[k] < least[k] { lane[k] } else { least[k] };
            greatest[k] = if lane[k] > greatest[k] { lane[k] } else { greatest[k] };
        }
    }
    let least = least.iter().chain(rest).copied().fold(f32::INFINITY, f32::min);
    (least, greatest.iter().chain(rest).copied().fold(0.0, f32::max))
}

/// The number whose leading bits are these.
fn number(leading: u32) -> f32 {
    f32::from_bits(leading << REST_BITS)
}

impl Table {
    fn new(constellation: Constellation, coding: Coding) -> Self {
        let curve = Curve::of(constellation, coding);
        let lacking = (LEAST..=MOST).map(|leading| curve.lacking(0.0, number(leading).into())[0]).collect();
        Self { lacking }
    }

    /// What is lacking at this Es/N0.
    #[inline]
    fn lacking(&self, es_n0: f32) -> f64 {
        let bits = es_n0.to_bits();
        let Some(part) = (bits >> REST_BITS).checked_sub(LEAST) else {
            return 1.0 - f64::from(es_n0 / number(LEAST)) * (1.0 - self.lacking[0]);
        };
        let Some(&[from, to]) = self.lacking.get(part as usize..).and_then(|rest| rest.first_chunk()) else {
            return 0.0;
        };
        let share = f64::from(bits & ((1 << REST_BITS) - 1)) / f64::from(1_u32 << REST_BITS);
        from + share * (to - from)
    }

    /// The Es/N0 at which this much is lacking.
    fn es_n0(&self, lacking: f64) -> f64 {
        if lacking >= self.lacking[0] {
            return f64::from(number(LEAST)) * (1.0 - lacking) / (1.0 - self.lacking[0]);
        }
        // Where nothing is lacking to the precision of a number, it is the least of such.
        let place = self.lacking.partition_point(|&more| more > lacking);
        let Some(&to) = self.lacking.get(place) else { return number(MOST).into() };
        let from = self.lacking[place - 1];
        let [low, high] = [place - 1, place].map(|part| f64::from(number(LEAST + part as u32)));
        low + (from - lacking) / (from - to) * (high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};

    fn ratio(db: f64) -> f32 {
        libm::pow(10.0, db / 10.0) as f32
    }

    fn lacking(tx: TxVector, sinr: f64) -> f64 {
        let (Some(modulation), Some((used, all))) = (tx.modulation(), subcarriers(tx)) else { return 1.0 };
        let es_n0 = sinr * f64::from(all) / (f64::from(used) * f64::from(tx.streams.max(1)));
        Curve::of(modulation.constellation, tx.coding()).lacking(0.0, es_n0)[0]
    }

    /// Over a fade of 20 dB, from where hardly anything is received to where hardly anything is lost.
    #[test]
    fn tables_agree_with_the_curves() {
        let tables = EffectiveTables::new();
        let eht = (0..14).map(|mcs| TxVector::mimo(Format::Eht, mcs, 2, Width::Mhz80, Guard::Ns800));
        let vht = (0..10).map(|mcs| TxVector::mimo(Format::Vht, mcs, 2, Width::Mhz80, Guard::Ns800));
        for tx in eht.chain(vht).chain([TxVector::ofdm(0), TxVector::hr_dsss(1, false)]) {
            for level_db in -10..50 {
                let sinrs: Vec<f32> =
                    (0..32).map(|n| ratio(f64::from(level_db) - 20.0 * f64::from(n % 9) / 8.0)).collect();
                let exact = effective_sinr(tx, sinrs.iter().copied().map(f64::from));
                let found = tables.effective_sinr(tx, &sinrs);
                let off_db = 10.0 * libm::log10(found / exact);
                let error_db = if lacking(tx, exact) > 1e-30 { 0.02 } else { 0.1 };
                assert!(off_db.abs() < error_db, "{tx:?} at {level_db} dB: {off_db} dB");
            }
        }
    }

    #[test]
    fn extremes_have_a_result() {
        let tables = EffectiveTables::new();
        let tx = TxVector::mimo(Format::He, 1, 1, Width::Mhz80, Guard::Ns800);
        for sinrs in [[0.0, 1e8], [1e7, 1e8], [1e-12, 1e-11], [0.0, 1e-12], [3.0, 3.0]] {
            let found = tables.effective_sinr(tx, &sinrs);
            assert!(found >= sinrs[0].into() && found <= sinrs[1].into(), "{sinrs:?}: {found}");
        }
    }
}
