//! PPDUs with which stations answer a trigger frame: HE TB (IEEE 802.11ax-2021, clause 27) and EHT TB (IEEE 802.11be, clause 36).
//!
//! The access point says how long they are, by what they put into L-SIG as LENGTH. Every station derives the symbols from it (27.3.12.5,
//! 27.3.13), so that all end together.

use airtcp_plan::HeLtf;
use airtcp_units::Duration;

use super::{CommonData, MuUser};
use crate::phy::bit_rate::HE_FFT_NANOS;
use crate::phy::packet_extension::Filling;
use crate::phy::tx_vector::mandatory_ltf;
use crate::phy::{Format, Guard, he, vht};

/// Legacy preamble and L-SIG, which LENGTH does not count (IEEE 802.11ax-2021, 27.3.11.5).
const LEGACY_NANOS: u64 = 16_000 + 4_000;
/// Between L-SIG and HE-LTFs: RL-SIG 4 us, HE-SIG-A or U-SIG 8 us, HE-STF or EHT-STF of TB PPDUs 8 us (Table 27-12: `T_HE-STF-T`; IEEE
/// 802.11be, Table 36-18: `T_EHT-STF-T`).
const BEFORE_TRAINING_NANOS: u64 = 4_000 + 8_000 + 8_000;
/// What three octets of LENGTH last at 6 Mbit/s.
const LENGTH_UNIT_NANOS: u64 = 4_000;
/// Packet extensions have whole multiples of this.
const EXTENSION_UNIT_NANOS: u64 = 4_000;

/// What a trigger frame says of the PPDUs that answer it (IEEE 802.11ax-2021, 9.3.1.22.1: Common Info field).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TbParameters {
    /// HE or EHT.
    pub format: Format,
    /// GI And HE-LTF Type: 1.6 us with 2x, 3.2 us with 4x. (1x with 1.6 us is for MU-MIMO on the whole width.)
    pub guard: Guard,
    /// Number Of HE-LTF Symbols.
    pub training_fields: u64,
    /// UL Length, from which the LENGTH of L-SIG follows.
    pub ul_length: u32,
    /// Pre-FEC Padding Factor, 1 to 4.
    pub padding_factor: u32,
    /// LDPC Extra Symbol Segment.
    pub ldpc_segment: bool,
    /// PE Disambiguity: the packet extension and the rounding of LENGTH together are as long as a symbol, which is none.
    pub pe_disambiguity: bool,
}

impl TbParameters {
    /// What asks these users for their PSDUs. All have one format and one guard interval.
    ///
    /// # Panics
    /// If there is no user.
    pub fn holding(users: &[MuUser]) -> Self {
        Self::of(users, CommonData::holding(users))
    }

    /// The longest with which PPDUs last no longer than this; `None`: there is no time for any data.
    pub fn within(users: &[MuUser], limit: Duration) -> Option<Self> {
        let preamble = preamble_nanos(users[0].tx.guard, most_training_fields(users));
        let limit = limit.saturating_sub(Duration::from_nanos(preamble));
        CommonData::within(users, limit).map(|data| Self::of(users, data))
    }

    /// What asks these users for PPDUs with this data field.
    pub fn of(users: &[MuUser], data: CommonData) -> Self {
        let tx = users[0].tx;
        let training_fields = most_training_fields(users);
        let extension = data.packet_extension(users).as_nanos();
        let after_legacy = preamble_nanos(tx.guard, training_fields) - LEGACY_NANOS
            + data.duration(users).as_nanos()
            + extension;
        let units = after_legacy.div_ceil(LENGTH_UNIT_NANOS);
        let rounding = units * LENGTH_UNIT_NANOS - after_legacy;
        Self {
            format: tx.format,
            guard: tx.guard,
            training_fields,
            ul_length: 3 * units as u32 - 3 - LENGTH_REMAINDER,
            padding_factor: data.sent.quarters,
            ldpc_segment: data.has_ldpc_segment(),
            pe_disambiguity: extension + rounding >= tx.symbol_nanos(),
        }
    }

    /// LENGTH of L-SIG in the PPDUs.
    pub const fn l_sig_length(self) -> u32 {
        match self.format {
            Format::Eht => self.ul_length + LENGTH_REMAINDER,
            _ => self.ul_length,
        }
    }

    /// Time from the end of L-SIG on that LENGTH announces.
    fn announced_nanos(self) -> u64 {
        u64::from(self.ul_length + LENGTH_REMAINDER + 3) / 3 * LENGTH_UNIT_NANOS
    }

    fn symbol_nanos(self) -> u64 {
        HE_FFT_NANOS + self.guard.nanos()
    }

    /// Time that LENGTH leaves for data and packet extension.
    fn left_nanos(self) -> u64 {
        let preamble = preamble_nanos(self.guard, self.training_fields) - LEGACY_NANOS;
        self.announced_nanos().saturating_sub(preamble)
    }

    /// Symbols of the data field (27.3.12.5: `N_SYM`).
    pub fn symbols(self) -> u32 {
        (self.left_nanos() / self.symbol_nanos()) as u32 - u32::from(self.pe_disambiguity)
    }

    /// Packet extension (27.3.13: `T_PE`).
    pub fn packet_extension(self) -> Duration {
        let rest = self.left_nanos() - u64::from(self.symbols()) * self.symbol_nanos();
        Duration::from_nanos(rest / EXTENSION_UNIT_NANOS * EXTENSION_UNIT_NANOS)
    }

    /// Everything before the data field.
    pub fn preamble_duration(self) -> Duration {
        Duration::from_nanos(preamble_nanos(self.guard, self.training_fields))
    }

    /// TXTIME (27.4.3, 36.4.3) without signal extension.
    pub fn duration(self) -> Duration {
        let data = u64::from(self.symbols()) * self.symbol_nanos();
        self.preamble_duration() + Duration::from_nanos(data) + self.packet_extension()
    }

    /// The data field, in which a user may send [`CommonData::octets`].
    pub fn common_data(self) -> CommonData {
        let sent = Filling { symbols: self.symbols(), quarters: self.padding_factor };
        let initial = if self.ldpc_segment { sent.with_a_quarter_less().unwrap_or(sent) } else { sent };
        CommonData { initial, sent }
    }

    /// Size of the HE-LTF or EHT-LTF.
    pub const fn ltf(self) -> HeLtf {
        mandatory_ltf(self.guard)
    }
}

/// What UL Length lacks of a multiple of 3: `m` of an HE TB PPDU (IEEE 802.11ax-2021, 27.3.11.5). It is the same for stations that
/// answer with EHT TB PPDUs, whose L-SIG has 2 more, since receivers know EHT by a multiple of 3 (IEEE 802.11be, 36.3.12.5).
const LENGTH_REMAINDER: u32 = 2;

fn most_training_fields(users: &[MuUser]) -> u64 {
    users.iter().map(|user| vht::training_fields(user.tx.streams)).max().unwrap_or(0)
}

const fn preamble_nanos(guard: Guard, training_fields: u64) -> u64 {
    let training = training_fields * he::ltf_nanos(mandatory_ltf(guard), guard);
    LEGACY_NANOS + BEFORE_TRAINING_NANOS + training
}
