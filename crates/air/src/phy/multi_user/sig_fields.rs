//! HE-SIG-B and EHT-SIG: where a PPDU says who has which resource unit (IEEE 802.11ax-2021, 27.3.11.8; IEEE 802.11be, 36.3.12.8).
//!
//! From 40 MHz on there are two content channels: the first describes every other 20 MHz from the lowest on, the second the rest. Each
//! has a common field with an RU Allocation subfield for each of its 20 MHz, and a User field for each RU, assigned or not: two with a
//! CRC and a tail of their own in each block.

use crate::phy::{Allocation, Extent, Format, ResourceUnit, RuSize, Width, eht, mcs};

/// Data subcarriers of a symbol of HE-SIG-B or EHT-SIG (IEEE 802.11ax-2021, 27.3.11.8.1).
const DATA_SUBCARRIERS: u32 = 52;
/// CRC and tail after every part that is encoded by itself.
const CRC_AND_TAIL_BITS: u32 = 4 + 6;
/// What EHT-SIG has before the first RU allocations: U-SIG overflow (IEEE 802.11be, 36.3.12.8).
const OVERFLOW_BITS: u32 = 17;
/// Most subchannels of a channel: 320 MHz.
const MOST_SUBCHANNELS: usize = 16;

/// Modulation of HE-SIG-B or EHT-SIG, by the MCS of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SigMcs {
    /// 0 to 5 (HE-SIG-B); 0, 1 and 3 (EHT-SIG).
    pub mcs: u8,
    /// Dual carrier modulation: each bit is sent twice. EHT-SIG MCS 15 is MCS 0 with it.
    pub dcm: bool,
}

impl SigMcs {
    /// No weaker than data at this MCS, and no longer than needed.
    pub const fn before(format: Format, lowest_mcs: u8) -> Self {
        let mcs = match (format, lowest_mcs) {
            (Format::Eht, 3..) => 3,
            (Format::Eht, 1..) => 1,
            (Format::Eht, _) => 0,
            (_, mcs @ 0..5) => mcs,
            _ => 5,
        };
        Self { mcs, dcm: false }
    }

    /// Whether the format has it (IEEE 802.11ax-2021, 27.3.11.7: HE-SIG-B MCS, HE-SIG-B DCM; IEEE 802.11be, 36.3.12.7: EHT-SIG MCS).
    pub const fn is_of(self, format: Format) -> bool {
        matches!(
            (format, self.mcs, self.dcm),
            (Format::He, 0..=5, false)
                | (Format::He, 0 | 1 | 3 | 4, true)
                | (Format::Eht, 0 | 1 | 3, false)
                | (Format::Eht, 0, true)
        )
    }

    /// Data bits of a symbol, `N_DBPS`.
    const fn bits_per_symbol(self) -> u32 {
        let modulation = mcs::mimo(self.mcs);
        let coded = DATA_SUBCARRIERS * modulation.constellation.bits();
        modulation.code_rate.data_bits(coded) / if self.dcm { 2 } else { 1 }
    }

    /// Symbols of the field in a PPDU whose users have these allocations, which are of one width.
    pub(super) fn symbols(
        self,
        format: Format,
        allocations: impl Iterator<Item = Allocation> + Clone,
    ) -> u32 {
        longest_channel_bits(format, allocations).div_ceil(self.bits_per_symbol())
    }
}

/// Bits of the longer content channel.
fn longest_channel_bits(format: Format, allocations: impl Iterator<Item = Allocation> + Clone) -> u32 {
    let Some(first) = allocations.clone().next() else { return 0 };
    if !matches!(first.extent(), Extent::Ru(_)) {
        // One user on all of the channel: no RU allocation (SIGB Compression; without OFDMA).
        return match format {
            Format::Eht => eht::SIG_BITS,
            _ => user_bits(format) + CRC_AND_TAIL_BITS,
        };
    }
    let [a, b] = fields_by_channel(first.width(), allocations);
    common_bits(format, first.width()) + user_block_bits(format, a.max(b))
}

/// A User field (IEEE 802.11ax-2021, 27.3.11.8.4; IEEE 802.11be, 36.3.12.8).
const fn user_bits(format: Format) -> u32 {
    match format {
        Format::Eht => 22,
        _ => 21,
    }
}

/// User fields in blocks of two.
const fn user_block_bits(format: Format, fields: u32) -> u32 {
    fields * user_bits(format) + fields.div_ceil(2) * CRC_AND_TAIL_BITS
}

/// The common field with OFDMA. HE: 8 bits for each 20 MHz of the content channel, and from 80 MHz on one for the RU in the centre of
/// 80 MHz (27.3.11.8.3). EHT: 9 bits for each; those above 80 MHz are encoded apart (36.3.12.8).
const fn common_bits(format: Format, width: Width) -> u32 {
    let parts = (width.mhz() / 20).div_ceil(2);
    match format {
        Format::Eht if parts > 2 => OVERFLOW_BITS + 9 * parts + 2 * CRC_AND_TAIL_BITS,
        Format::Eht => OVERFLOW_BITS + 9 * parts + CRC_AND_TAIL_BITS,
        _ => 8 * parts + (width.mhz() >= 80) as u32 + CRC_AND_TAIL_BITS,
    }
}

/// User fields in each content channel. Those of an RU of 484 tones or more may be in either (27.3.11.8.5); the sender chooses the
/// shorter one.
fn fields_by_channel(width: Width, allocations: impl Iterator<Item = Allocation>) -> [u32; 2] {
    let mut parts = [Part::default(); MOST_SUBCHANNELS];
    let mut fields = [0; 2];
    let mut large = 0;
    for allocation in allocations {
        let Extent::Ru(ru) = allocation.extent() else { continue };
        let subchannel = allocation.subchannels().trailing_zeros() as usize;
        if ru.is_centre_of_80_mhz(width) {
            // In the first channel for the lowest 80 MHz, in the second for the next.
            fields[subchannel / 4 % 2] += 1;
        } else if ru.size > RuSize::Tones242 {
            large += 1;
        } else {
            parts[subchannel].take(ru, subchannel, width);
        }
    }
    for (subchannel, part) in parts.into_iter().enumerate() {
        fields[subchannel % 2] += part.fields();
    }
    if width == Width::Mhz20 {
        return [fields[0] + large, 0];
    }
    for _ in 0..large {
        let shorter = usize::from(fields[1] < fields[0]);
        fields[shorter] += 1;
    }
    fields
}

/// What of 20 MHz is assigned.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    is_whole: bool,
    /// By half: whether its RU of 106 tones is.
    halves: [bool; 2],
    /// By quarter: whether its RU of 52 tones is.
    quarters: [bool; 4],
    /// By quarter: whether one of its RUs of 26 tones is.
    in_quarters: [bool; 4],
    /// Whether the RU of 26 tones in the centre is.
    centre: bool,
}

impl Part {
    fn take(&mut self, ru: ResourceUnit, subchannel: usize, width: Width) {
        let place = usize::from(ru.index) - 1;
        match ru.size {
            RuSize::Tones26 => {
                // RUs in the centres of 80 MHz lie between those of subchannels.
                let centres =
                    if width.mhz() >= 80 { subchannel / 4 + usize::from(subchannel % 4 >= 2) } else { 0 };
                match place - centres - 9 * subchannel {
                    4 => self.centre = true,
                    lower @ 0..4 => self.in_quarters[lower / 2] = true,
                    upper => self.in_quarters[(upper - 1) / 2] = true,
                }
            }
            RuSize::Tones52 => self.quarters[place - 4 * subchannel] = true,
            RuSize::Tones106 => self.halves[place - 2 * subchannel] = true,
            _ => self.is_whole = true,
        }
    }

    /// User fields of the RU Allocation that the sender chooses (IEEE 802.11ax-2021, Table 27-26; IEEE 802.11be, 36.3.12.8): RUs that
    /// are not assigned have a field too, with the STA-ID 2046, and 20 MHz with no assigned RU have none.
    ///
    /// 20 MHz of which RUs of one size are assigned have this size throughout, as ns-3 has it. Where sizes are mixed, it is the
    /// allocation with the fewest RUs. Only where both halves are of 52 or 106 tones can the RU in the centre be left out.
    fn fields(self) -> u32 {
        if self.is_whole {
            return 1;
        }
        let [of_106, of_52] = [self.halves.contains(&true), self.quarters.contains(&true)];
        let of_26 = self.in_quarters.contains(&true);
        match (of_106, of_52, of_26) {
            (false, false, false) if !self.centre => 0,
            (false, false, _) => 9,
            (false, true, false) => 4 + u32::from(self.centre),
            (true, false, false) => 2 + u32::from(self.centre),
            _ => self.in_half(0) + self.in_half(1) + u32::from(of_26 || self.centre),
        }
    }

    /// The fewest RUs of a half in which its assigned ones exist.
    fn in_half(self, half: usize) -> u32 {
        let quarters = [2 * half, 2 * half + 1];
        if quarters.iter().any(|&q| self.quarters[q] || self.in_quarters[q]) {
            quarters.iter().map(|&q| 1 + u32::from(self.in_quarters[q])).sum()
        } else {
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rus(width: Width, list: &[(RuSize, u8)]) -> Vec<Allocation> {
        list.iter().map(|&(size, index)| Allocation::ru(width, size, index).expect("an RU")).collect()
    }

    fn bits(format: Format, allocations: &[Allocation]) -> u32 {
        longest_channel_bits(format, allocations.iter().copied())
    }

    /// 52 data subcarriers (IEEE 802.11ax-2021, 27.3.11.8.1).
    #[test]
    fn bits_of_a_symbol() {
        let bits = [0, 1, 2, 3, 4, 5].map(|mcs| SigMcs { mcs, dcm: false }.bits_per_symbol());
        assert_eq!(bits, [26, 52, 78, 104, 156, 208]);
        let twice = [0, 1, 3, 4].map(|mcs| SigMcs { mcs, dcm: true }.bits_per_symbol());
        assert_eq!(twice, [13, 26, 52, 78]);
        assert!(!SigMcs { mcs: 2, dcm: true }.is_of(Format::He));
        assert!(!SigMcs { mcs: 2, dcm: false }.is_of(Format::Eht));
        assert!(SigMcs { mcs: 0, dcm: true }.is_of(Format::Eht));
        let before = |format| [0, 1, 2, 3, 4, 5, 11].map(|mcs| SigMcs::before(format, mcs).mcs);
        assert_eq!(before(Format::He), [0, 1, 2, 3, 4, 5, 5]);
        assert_eq!(before(Format::Eht), [0, 1, 1, 3, 3, 3, 3]);
    }

    /// Common field: 8 + 10, 8 + 10, 2 * 8 + 1 + 10, 4 * 8 + 1 + 10 in HE; 17 + 9 + 10, the same, 17 + 18 + 10, and at 160 and 320
    /// MHz 9 * 2 + 10 and 9 * 6 + 10 more in EHT.
    #[test]
    fn common_fields() {
        let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
        assert_eq!(widths.map(|width| common_bits(Format::He, width)), [18, 18, 27, 43]);
        assert_eq!(widths.map(|width| common_bits(Format::Eht, width)), [36, 36, 45, 73]);
        assert_eq!(common_bits(Format::Eht, Width::Mhz320), 109);
        assert_eq!([1, 2, 3, 9].map(|fields| user_block_bits(Format::He, fields)), [31, 52, 83, 239]);
        assert_eq!([1, 2, 3].map(|fields| user_block_bits(Format::Eht, fields)), [32, 54, 86]);
    }

    #[test]
    fn a_user_alone_on_its_channel_needs_no_allocation() {
        let whole = [Allocation::whole(Width::Mhz80)];
        assert_eq!(bits(Format::He, &whole), 31);
        assert_eq!(bits(Format::Eht, &whole), 52);
    }

    /// Numbers of User fields by the rows of Table 27-26.
    #[test]
    fn user_fields_are_those_of_the_allocation() {
        use RuSize::{Tones26, Tones52, Tones106, Tones242, Tones484};
        let fields =
            |list: &[(RuSize, u8)]| fields_by_channel(Width::Mhz20, rus(Width::Mhz20, list).into_iter())[0];
        // 106 - 106, with and without the centre.
        assert_eq!(fields(&[(Tones106, 1), (Tones106, 2)]), 2);
        assert_eq!(fields(&[(Tones106, 1), (Tones106, 2), (Tones26, 5)]), 3);
        // Of one size, with what is not assigned: 106 - 106, 52 52 - 52 52, nine of 26.
        assert_eq!(fields(&[(Tones106, 2)]), 2);
        assert_eq!(fields(&[(Tones52, 1)]), 4);
        assert_eq!(fields(&[(Tones26, 1)]), 9);
        assert_eq!(fields(&[(Tones26, 5)]), 9);
        // 52 52 - 106.
        assert_eq!(fields(&[(Tones52, 1), (Tones106, 2)]), 3);
        // 52 52 - 52 52; with the centre 52 52 26 52 52.
        assert_eq!(fields(&[(Tones52, 1), (Tones52, 2), (Tones52, 3), (Tones52, 4)]), 4);
        assert_eq!(fields(&[(Tones52, 1), (Tones52, 4), (Tones26, 5)]), 5);
        // 26 26 26 26 26 26 26 26 26, of which eight are assigned; 26 26 52 26 106.
        assert_eq!(fields(&[1, 2, 3, 4, 6, 7, 8, 9].map(|index| (Tones26, index))), 9);
        assert_eq!(fields(&[(Tones26, 2), (Tones106, 2)]), 5);
        // Two content channels: 242 and the RU of 484 tones in the first, which is shorter; 52 52 - 52 52 in the second.
        let list = [(Tones242, 1), (Tones52, 5), (Tones484, 2)];
        assert_eq!(fields_by_channel(Width::Mhz80, rus(Width::Mhz80, &list).into_iter()), [2, 4]);
        // The RU in the centre of the lower and of the upper 80 MHz.
        let list = [(Tones26, 19), (Tones26, 56), (Tones26, 57)];
        assert_eq!(fields_by_channel(Width::Mhz160, rus(Width::Mhz160, &list).into_iter()), [1 + 9, 1]);
    }
}
