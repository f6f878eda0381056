//! Trigger frames in bytes (IEEE 802.11ax-2021, 9.3.1.22), and what acknowledges the answers of several stations (9.3.1.8.6).
//!
//! EHT TB PPDUs are asked for in the EHT variant (IEEE 802.11be, 9.3.1.22), with its Special User Info field. What the model does not have
//! is written as "not used": spatial reuse, STBC, midambles, DCM, MU-MIMO.

use airtcp_air::border::AccessCategory;
use airtcp_air::phy::multi_user::TbParameters;
use airtcp_air::phy::{Allocation, Coding, Extent, Format, Guard, ResourceUnit, RuSize, Width};
use airtcp_air::{AskedOfStation, CapturedTrigger, NicId, TriggerVariant, TriggeredStation};
use airtcp_plan::MacAddress;
use airtcp_units::{Dbm, Duration};

use super::control_frame::{COMPRESSED, bitmap_size, duration_us};

/// First octet of the Frame Control field: subtype, type, version (IEEE 802.11-2020, 9.2.4.1).
const TRIGGER: u8 = 0x24;
const BLOCK_ACK: u8 = 0x94;
/// `BA` Control: the Multi-STA variant (Table 9-28).
const MULTI_STA: u16 = 11 << 1;
/// AID12 of a random access RU for associated stations (Table 9-29h), and that of the Special User Info field (IEEE 802.11be,
/// 9.3.1.22.3).
const RANDOM_ACCESS_AID: u64 = 0;
const SPECIAL_AID: u64 = 2007;
/// UL Target Receive Power: as much as the station has.
const ALL_ITS_POWER: u64 = 127;
/// UL Target Receive Power counts from -110 dBm (Table 9-29g), AP Tx Power from -20 dBm.
const LEAST_TARGET_DBM: f64 = -110.0;
const LEAST_POWER_DBM: f64 = -20.0;

/// Who sends a frame to several stations, and how it names them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announcer<'a> {
    pub(super) transmitter: MacAddress,
    /// The only station, or everybody.
    pub(super) receiver: MacAddress,
    pub(super) nav: Duration,
    pub(super) power: Dbm,
    /// Where its primary channel is.
    pub(super) primary: PrimaryPlace,
    /// The number of each NIC in its BSS.
    pub(super) aids: &'a [u16],
}

/// Where a primary channel is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrimaryPlace {
    /// Number of the 20 MHz channel from the lowest of the whole channel on.
    pub(super) subchannel: u32,
}

impl PrimaryPlace {
    /// Which part of this width of its 80 MHz has the primary channel.
    const fn part_of_80(self, width: Width) -> u64 {
        (self.subchannel % 4 / (width.mhz() / 20)) as u64
    }

    /// Number of the 80 MHz that have it.
    const fn segment(self) -> u32 {
        self.subchannel / 4
    }
}

impl Announcer<'_> {
    fn head(&self, control: u8, put: &mut impl FnMut(&[u8])) {
        put(&[control, 0]);
        put(&duration_us(self.nav).to_le_bytes());
        put(&self.receiver.0);
        put(&self.transmitter.0);
    }

    fn aid(&self, station: NicId) -> u16 {
        self.aids[station.index()]
    }

    /// Writes a trigger frame without its check sequence.
    pub(super) fn trigger(
        &self,
        trigger: &CapturedTrigger,
        stations: &[TriggeredStation],
        mut put: impl FnMut(&[u8]),
    ) {
        self.head(TRIGGER, &mut put);
        put(&self.common_info(trigger).to_le_bytes());
        let is_eht = is_eht(trigger);
        if is_eht {
            put(&special_user_info(trigger.width).to_le_bytes()[..5]);
        }
        for station in stations {
            put(&self.user_info(trigger, station, is_eht).to_le_bytes()[..5]);
            match (trigger.variant, station.asked) {
                (TriggerVariant::Basic, AskedOfStation::Data(preferred)) => {
                    put(&[basic_user_info(preferred)]);
                }
                (TriggerVariant::Basic, _) => put(&[basic_user_info(AccessCategory::BestEffort)]),
                (_, AskedOfStation::BlockAck { tid, start }) => {
                    put(&(COMPRESSED | u16::from(tid) << 12).to_le_bytes());
                    put(&(start << 4).to_le_bytes());
                }
                _ => {}
            }
        }
    }

    /// Common Info (Figure 9-64b).
    fn common_info(&self, trigger: &CapturedTrigger) -> u64 {
        let mut info = BitField::default();
        info.put(0, 4, trigger_type(trigger.variant));
        info.put(17, 1, u64::from(trigger.variant != TriggerVariant::MuBar)); // CS Required
        info.put(18, 2, (trigger.width as u64).min(3));
        info.put(28, 6, decibels_above(self.power, LEAST_POWER_DBM, 60));
        // HE/EHT P160, Special User Info Field Flag and reserved bits are 1 but in the EHT variant.
        info.put(54, 9, if is_eht(trigger) { 0b1_1111_1100 } else { 0b1_1111_1111 });
        let Some(answers) = trigger.answers else { return info.0 };
        let TbParameters { guard, training_fields, ul_length, padding_factor, .. } = answers;
        info.put(4, 12, u64::from(ul_length));
        info.put(20, 2, if guard == Guard::Ns3200 { 2 } else { 1 });
        info.put(23, 3, if training_fields > 1 { training_fields / 2 } else { 0 });
        info.put(27, 1, u64::from(answers.ldpc_segment));
        info.put(34, 2, u64::from(padding_factor % 4));
        info.put(36, 1, u64::from(answers.pe_disambiguity));
        info.0
    }

    /// User Info (Figure 9-64d) without what depends on the variant.
    fn user_info(&self, trigger: &CapturedTrigger, station: &TriggeredStation, is_eht: bool) -> u64 {
        let mut info = BitField::default();
        info.put(0, 12, station.station.map_or(RANDOM_ACCESS_AID, |of| u64::from(self.aid(of))));
        if trigger.variant == TriggerVariant::MuRts {
            info.put(12, 8, self.cts_allocation(trigger.width));
            return info.0;
        }
        let unit = self.ru_allocation(station.tx.allocation);
        info.put(12, 8, unit.allocation);
        info.put(20, 1, u64::from(station.tx.coding() == Coding::Ldpc));
        info.put(21, 4, u64::from(station.tx.index));
        if station.station.is_some() {
            // Streams begin with the first. Of random access RUs their number less 1 is here: each has a field of its own.
            let streams = u64::from(station.tx.streams) - 1;
            info.put(if is_eht { 30 } else { 29 }, if is_eht { 2 } else { 3 }, streams);
        }
        let target = station.target.map_or(ALL_ITS_POWER, |of| decibels_above(of, LEAST_TARGET_DBM, 90));
        info.put(32, 7, target);
        info.put(39, 1, u64::from(is_eht && unit.in_secondary_160));
        info.0
    }

    /// RU Allocation (Table 9-29i; IEEE 802.11be, Table 9-46j): whether it is in the secondary 80 MHz, then its number.
    fn ru_allocation(&self, allocation: Allocation) -> RuAllocation {
        let width = allocation.width();
        let unit = match allocation.extent() {
            Extent::Ru(unit) => unit,
            Extent::Whole | Extent::Punctured(_) => ResourceUnit { size: RuSize::filling(width), index: 1 },
        };
        let Some(first) = first_number(unit.size) else {
            // The whole of 160 and of 320 MHz.
            let number = if width == Width::Mhz320 { 69 } else { 68 };
            return RuAllocation { allocation: number << 1 | 1, in_secondary_160: width == Width::Mhz320 };
        };
        let in_80 = unit.size.count_in(Width::Mhz80);
        let place = u32::from(unit.index) - 1;
        let (segment, place) = (place / in_80, place % in_80);
        let primary = self.primary.segment();
        let in_secondary_160 = segment / 2 != primary / 2;
        // In the secondary 160 MHz the upper 80 MHz have the bit.
        let bit = if in_secondary_160 { segment % 2 == 1 } else { segment != primary };
        RuAllocation { allocation: (first + u64::from(place)) << 1 | u64::from(bit), in_secondary_160 }
    }

    /// RU Allocation of MU-RTS: the primary channel of the CTS's width (9.3.1.22.5).
    fn cts_allocation(&self, width: Width) -> u64 {
        match width {
            Width::Mhz20 => (61 + self.primary.part_of_80(width)) << 1,
            Width::Mhz40 => (65 + self.primary.part_of_80(width)) << 1,
            Width::Mhz80 => 67 << 1,
            _ => 68 << 1 | 1,
        }
    }

    /// Writes a `BlockAck` of the Multi-STA variant without its check sequence: of each station its only MPDU, or a bitmap.
    pub(super) fn multi_sta_block_ack<'s>(
        &self,
        stations: impl Iterator<Item = (NicId, u8, Option<(u16, &'s [u8])>)>,
        mut put: impl FnMut(&[u8]),
    ) {
        self.head(BLOCK_ACK, &mut put);
        put(&MULTI_STA.to_le_bytes());
        for (station, tid, bitmap) in stations {
            // Ack Type 1: an acknowledgement without a bitmap (Table 9-28a).
            let ack_type = u16::from(bitmap.is_none());
            put(&(self.aid(station) | ack_type << 11 | u16::from(tid) << 12).to_le_bytes());
            if let Some((start, bitmap)) = bitmap {
                put(&(start << 4 | bitmap_size(bitmap.len())).to_le_bytes());
                put(bitmap);
            }
        }
    }
}

/// An RU Allocation field, and PS160 of the EHT variant.
struct RuAllocation {
    allocation: u64,
    in_secondary_160: bool,
}

/// Number of the first RU of a size in 80 MHz; `None`: it is wider.
const fn first_number(size: RuSize) -> Option<u64> {
    Some(match size.tones() {
        26 => 0,
        52 => 37,
        106 => 53,
        242 => 61,
        484 => 65,
        996 => 67,
        _ => return None,
    })
}

fn is_eht(trigger: &CapturedTrigger) -> bool {
    trigger.answers.is_some_and(|answers| answers.format == Format::Eht)
}

/// Trigger Type (Table 9-29c).
const fn trigger_type(variant: TriggerVariant) -> u64 {
    match variant {
        TriggerVariant::Basic => 0,
        TriggerVariant::MuBar => 2,
        TriggerVariant::MuRts => 3,
        TriggerVariant::Bsrp => 4,
    }
}

/// Special User Info (IEEE 802.11be, Figure 9-90h): PHY version 0 for EHT, and the part of the bandwidth that UL BW has no room for.
const fn special_user_info(width: Width) -> u64 {
    let extension = match width {
        Width::Mhz160 => 1,
        Width::Mhz320 => 2,
        _ => 0,
    };
    SPECIAL_AID | extension << 15
}

/// What Basic says of a user: MPDU MU Spacing Factor 0, TID Aggregation Limit 1, Preferred AC (Figure 9-64g).
const fn basic_user_info(preferred: AccessCategory) -> u8 {
    const ONE_TID: u8 = 1 << 2;
    // ACI (IEEE 802.11-2020, Table 9-155).
    let aci = match preferred {
        AccessCategory::BestEffort => 0,
        AccessCategory::Background => 1,
        AccessCategory::Video => 2,
        AccessCategory::Voice => 3,
    };
    ONE_TID | aci << 6
}

fn decibels_above(power: Dbm, least_dbm: f64, most: u64) -> u64 {
    ((power.get() - least_dbm).round().max(0.0) as u64).min(most)
}

/// Bits of a field, the lowest first.
#[derive(Default)]
struct BitField(u64);

impl BitField {
    fn put(&mut self, first: u32, bits: u32, value: u64) {
        debug_assert!(value < 1 << bits, "{value} has more than {bits} bits");
        self.0 |= value << first;
    }
}

#[cfg(test)]
mod tests {
    use airtcp_air::phy::TxVector;
    use airtcp_air::phy::multi_user::MuUser;

    use super::*;

    const AP: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const EVERYBODY: [u8; 6] = [0xff; 6];

    fn announcer(aids: &[u16], subchannel: u32) -> Announcer<'_> {
        Announcer {
            transmitter: MacAddress(AP),
            receiver: MacAddress(EVERYBODY),
            nav: Duration::from_nanos(300_001),
            power: Dbm::new(20.0),
            primary: PrimaryPlace { subchannel },
            aids,
        }
    }

    fn in_ru(format: Format, width: Width, size: RuSize, index: u8) -> TxVector {
        let allocation = Allocation::ru(width, size, index).expect("there is one");
        TxVector { allocation, ..TxVector::mimo(format, 5, 1, width, Guard::Ns1600) }
    }

    fn asking(variant: TriggerVariant, stations: &[TriggeredStation]) -> CapturedTrigger {
        let users: Vec<_> = stations
            .iter()
            .map(|of| MuUser { tx: of.tx, coding: of.tx.coding(), psdu_bytes: 1000 })
            .collect();
        let answers = Some(TbParameters::holding(&users));
        CapturedTrigger { variant, width: stations[0].tx.width(), answers }
    }

    fn written(
        announcer: &Announcer<'_>,
        trigger: &CapturedTrigger,
        stations: &[TriggeredStation],
    ) -> Vec<u8> {
        let mut out = Vec::new();
        announcer.trigger(trigger, stations, |octets| out.extend(octets));
        out
    }

    #[test]
    fn basic_names_stations_and_random_access_rus() {
        let named = TriggeredStation {
            station: Some(NicId(2)),
            tx: in_ru(Format::He, Width::Mhz20, RuSize::Tones106, 2),
            target: Some(Dbm::new(-60.0)),
            asked: AskedOfStation::Data(AccessCategory::Video),
        };
        let anybody = TriggeredStation {
            station: None,
            tx: in_ru(Format::He, Width::Mhz20, RuSize::Tones106, 1),
            target: None,
            asked: AskedOfStation::Nothing,
        };
        let stations = [named, anybody];
        let trigger = asking(TriggerVariant::Basic, &stations);
        let out = written(&announcer(&[0, 1, 2], 0), &trigger, &stations);
        assert_eq!(out[..16], [&[0x24, 0, 45, 1][..], &EVERYBODY, &AP].concat());
        let common = u64::from_le_bytes(out[16..24].try_into().expect("eight octets"));
        let field = |first: u32, bits: u32| common >> first & ((1 << bits) - 1);
        let TbParameters { ul_length, padding_factor, .. } = trigger.answers.expect("they are PPDUs");
        assert_eq!([field(0, 4), field(4, 12)], [0, u64::from(ul_length)]);
        // CS Required, 20 MHz, 2x HE-LTF with 1.6 us, one LTF symbol, 20 dBm, all reserved bits.
        assert_eq!([field(17, 1), field(18, 2), field(20, 2), field(23, 3)], [1, 0, 1, 0]);
        assert_eq!([field(28, 6), field(34, 2)], [40, u64::from(padding_factor % 4)]);
        assert_eq!([field(54, 9), field(63, 1)], [0x1ff, 0]);
        // AID 2, RU 54 (the second of 106 tones), LDPC, MCS 5, -60 dBm; one TID, preferably of AC_VI.
        assert_eq!(out[24..30], [2, 54 << 5, 5 << 5 | 1 << 4 | 54 >> 3, 0, 50, 0x84]);
        // AID 0, RU 53, all of their power.
        assert_eq!(out[30..36], [0, 53 << 5, 5 << 5 | 1 << 4 | 53 >> 3, 0, 127, 0x04]);
        assert_eq!(out.len(), 36);
    }

    #[test]
    fn mu_bar_has_the_request_of_each_station() {
        let stations = [TriggeredStation {
            station: Some(NicId(1)),
            tx: in_ru(Format::He, Width::Mhz160, RuSize::Tones484, 3),
            target: None,
            asked: AskedOfStation::BlockAck { tid: 6, start: 0xabc },
        }];
        let trigger = asking(TriggerVariant::MuBar, &stations);
        // The primary channel is in the lower 80 MHz, the third RU of 484 tones in the upper.
        let out = written(&announcer(&[0, 7], 1), &trigger, &stations);
        assert_eq!(out[16] & 0xf, 2);
        let user = u64::from_le_bytes([&out[24..29], &[0; 3]].concat().try_into().expect("eight octets"));
        assert_eq!([user & 0xfff, user >> 12 & 0xff, user >> 20 & 1], [7, 65 << 1 | 1, 1]);
        assert_eq!(out[29..], [4, 0x60, 0xc0, 0xab]);
        let in_upper = written(&announcer(&[0, 7], 5), &trigger, &stations);
        assert_eq!(in_upper[25] >> 4 & 1, 0);
    }

    #[test]
    fn mu_rts_names_the_primary_channel_of_the_cts() {
        let of = |width: Width| {
            let tx = TxVector::mimo(Format::He, 0, 1, width, Guard::Ns1600);
            let station = NicId(1);
            let asked = AskedOfStation::Nothing;
            let stations = [TriggeredStation { station: Some(station), tx, target: None, asked }];
            let trigger = CapturedTrigger { variant: TriggerVariant::MuRts, width, answers: None };
            let out = written(&announcer(&[0, 1], 2), &trigger, &stations);
            u16::from_le_bytes([out[25], out[26]]) >> 4 & 0xff
        };
        let numbers = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160].map(of);
        assert_eq!(numbers, [63 << 1, 66 << 1, 67 << 1, 68 << 1 | 1]);
    }

    #[test]
    fn eht_has_a_special_user_info_field() {
        let stations = [TriggeredStation {
            station: Some(NicId(1)),
            tx: in_ru(Format::Eht, Width::Mhz320, RuSize::Tones996, 4),
            target: None,
            asked: AskedOfStation::Nothing,
        }];
        let trigger = asking(TriggerVariant::Bsrp, &stations);
        let out = written(&announcer(&[0, 1], 0), &trigger, &stations);
        assert_eq!(out.len(), 16 + 8 + 5 + 5);
        // The flag is 0: the field is there; so is HE/EHT P160: the primary 160 MHz answer with EHT.
        assert_eq!(out[22] >> 6, 0);
        assert_eq!(out[24..29], [0xd7, 0x07, 1, 0, 0]);
        // RU 67 in the upper 80 MHz of the secondary 160 MHz.
        assert_eq!([out[30] >> 4 | (out[31] & 0xf) << 4, out[33] >> 7], [67 << 1 | 1, 1]);
    }

    #[test]
    fn a_block_ack_for_several_has_an_entry_for_each() {
        let mut out: Vec<u8> = Vec::new();
        let bitmap = [0x81; 8];
        let stations = [(NicId(1), 0, None), (NicId(2), 5, Some((0xabc, &bitmap[..])))];
        announcer(&[0, 1, 2], 0).multi_sta_block_ack(stations.into_iter(), |octets| out.extend(octets));
        let head = [&[0x94, 0, 45, 1][..], &EVERYBODY, &AP, &[0x16, 0]].concat();
        assert_eq!(out, [&head[..], &[0x01, 0x08], &[0x02, 0x50, 0xc0, 0xab], &bitmap].concat());
    }
}
