//! Where the coded bits of an OFDM symbol go: the data subcarriers of a format, and its permutations over them.

use crate::code_rate::CodeRate;
use crate::constellation::Constellation;
use crate::interleaver;
use crate::ldpc::codewords::{Codewords, HeSubcarriers};

/// A format and width of OFDM with one spatial stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HT of 20 MHz, as VHT: 52 data subcarriers (IEEE 802.11-2020, Tables 19-6 and 21-5).
    Ht20,
    /// VHT of 80 MHz: 234 (Table 21-5).
    Vht80,
    /// HE of 20 MHz: 234 of a resource unit of 242 (IEEE 802.11ax-2021, Table 27-13).
    He20,
    /// HE of 80 MHz: 980 of a resource unit of 996 (the same table).
    He80,
}

/// Subcarriers between these two, on either side of the centre, without the pilots.
struct Plan {
    first: i32,
    last: i32,
    pilots: &'static [i32],
    spacing_mhz: f64,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Ht20, Self::Vht80, Self::He20, Self::He80];

    /// 19.3.11.10 and 21.3.10.10 (pilots), Table 27-8 and 27.3.12.13 of IEEE 802.11ax-2021.
    const fn plan(self) -> Plan {
        match self {
            Self::Ht20 => Plan { first: 1, last: 28, pilots: &[7, 21], spacing_mhz: 0.3125 },
            Self::Vht80 => Plan { first: 2, last: 122, pilots: &[11, 39, 75, 103], spacing_mhz: 0.3125 },
            Self::He20 => Plan { first: 2, last: 122, pilots: &[22, 48, 90, 116], spacing_mhz: 0.078_125 },
            Self::He80 => Plan {
                first: 3,
                last: 500,
                pilots: &[24, 92, 158, 226, 266, 334, 400, 468],
                spacing_mhz: 0.078_125,
            },
        }
    }

    /// Width of the channel.
    pub const fn width_mhz(self) -> u32 {
        match self {
            Self::Ht20 | Self::He20 => 20,
            Self::Vht80 | Self::He80 => 80,
        }
    }

    /// Distance of each data subcarrier from the centre of the channel, ascending.
    pub fn data_subcarriers_mhz(self) -> Vec<f64> {
        let Plan { first, last, pilots, spacing_mhz } = self.plan();
        (-last..=last)
            .filter(|index| index.abs() >= first && !pilots.contains(&index.abs()))
            .map(|index| f64::from(index) * spacing_mhz)
            .collect()
    }

    /// The interleaver of the convolutional code: place in the symbol of each coded bit (19.3.11.8.1, Tables 19-17 and
    /// 21-17; IEEE 802.11ax-2021, 27.3.12.8). One stream is not rotated.
    ///
    /// # Panics
    /// For HE of 80 MHz, which has no convolutional code.
    pub fn interleaver(self, constellation: Constellation) -> Vec<usize> {
        match self {
            Self::Ht20 => interleaver::with_columns(constellation, 13, 4),
            Self::Vht80 | Self::He20 => interleaver::with_columns(constellation, 26, 9),
            Self::He80 => panic!("the convolutional code is not used in resource units of more than 242"),
        }
    }

    /// The tone mapper of LDPC: data subcarrier of each mapped point of a symbol (21.3.10.9.2 and Table 21-19; IEEE
    /// 802.11ax-2021, 27.3.12.10, Table 27-36). HT of 20 MHz has none.
    pub fn tone_mapper(self) -> Vec<usize> {
        let count = self.data_subcarriers_mhz().len();
        let distance = match self {
            Self::Ht20 => 1,
            Self::Vht80 | Self::He20 => 9,
            Self::He80 => 20,
        };
        (0..count).map(|k| distance * (k % (count / distance)) + k * distance / count).collect()
    }

    /// LDPC codewords of a PPDU.
    ///
    /// # Panics
    /// For HT and VHT, whose codewords are not simulated.
    pub fn codewords(
        self,
        constellation: Constellation,
        code_rate: CodeRate,
        psdu_bytes: usize,
    ) -> Codewords {
        let subcarriers = match self {
            Self::He20 => HeSubcarriers::OF_242,
            Self::He80 => HeSubcarriers::OF_996,
            Self::Ht20 | Self::Vht80 => panic!("codewords are those of HE"),
        };
        Codewords::he(subcarriers, constellation, code_rate, psdu_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_subcarriers_are_as_many_as_the_standard_has() {
        let counts = Format::ALL.map(|format| format.data_subcarriers_mhz().len());
        assert_eq!(counts, [52, 234, 234, 980]);
        for format in Format::ALL {
            let mhz = format.data_subcarriers_mhz();
            assert!(mhz.iter().zip(mhz.iter().rev()).all(|(a, b)| (a + b).abs() < 1e-12), "{format:?}");
            assert!(mhz[0] > -f64::from(format.width_mhz()) / 2.0, "{format:?}");
        }
    }

    #[test]
    fn permutations_use_every_place_once() {
        for format in Format::ALL {
            let mut tones = format.tone_mapper();
            // Neighbours are apart by the distance of the mapper, except where it wraps.
            let apart = tones.windows(2).filter(|pair| pair[1] == pair[0] + tones[1]).count();
            assert!(apart + tones[1] >= tones.len(), "{format:?}");
            tones.sort_unstable();
            assert!(tones.iter().copied().eq(0..format.data_subcarriers_mhz().len()), "{format:?}");
            if format != Format::He80 {
                let bits = format.interleaver(Constellation::Qam64).len();
                assert_eq!(bits, 6 * format.data_subcarriers_mhz().len());
            }
        }
    }
}
