//! The data field that several users share in time: common symbols, common padding, common packet extension.

use airtcp_units::Duration;

use crate::phy::legacy_ofdm::SERVICE_BITS;
use crate::phy::packet_extension::{Filling, QUARTERS};
use crate::phy::{Coding, TxVector, he};

/// One user of a PPDU for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuUser {
    /// Its mode. The allocation is its RU, the padding that of its receiver.
    pub tx: TxVector,
    /// Its code: BCC is possible up to 242 tones, four streams and 256-QAM ([`TxVector::can_have_bcc`]).
    pub coding: Coding,
    /// Octets of its PSDU before padding.
    pub psdu_bytes: u32,
}

/// Symbols of the data field of all users, and how far the last is filled (IEEE 802.11ax-2021, 27.3.12.5; IEEE 802.11be,
/// 36.3.13.3).
///
/// The user whose PSDU needs most decides. If LDPC would puncture too much for any user, all get another quarter of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonData {
    /// What PSDUs are padded to: `N_SYM,init` and `a_init`.
    pub(super) initial: Filling,
    /// What is sent: `N_SYM` and `a`.
    pub(super) sent: Filling,
}

impl CommonData {
    /// The data field that holds the PSDUs of these users.
    ///
    /// # Panics
    /// If there is no user.
    pub fn holding(users: &[MuUser]) -> Self {
        let own = |user: &MuUser| he::initial_filling(user.tx, user.coding, user.psdu_bytes);
        Self::padded_to(users, users.iter().map(own).max().expect("a PPDU has a user"))
    }

    /// The longest data field that ends with its packet extension within this time; `None`: not even a quarter of a symbol does.
    pub fn within(users: &[MuUser], limit: Duration) -> Option<Self> {
        let symbol_ns = users.first()?.tx.symbol_nanos();
        let most = (limit.as_nanos() / symbol_ns) as u32;
        let fillings = (1..=most)
            .rev()
            .flat_map(|symbols| (1..=QUARTERS).rev().map(move |quarters| Filling { symbols, quarters }));
        let ends_in_time = |filling: &Filling| {
            let extension = extension_nanos(users, *filling);
            u64::from(filling.symbols) * symbol_ns + extension <= limit.as_nanos()
        };
        let sent = fillings.into_iter().find(ends_in_time)?;
        let fullest = Self::padded_to(users, sent);
        if fullest.sent == sent {
            Some(fullest)
        } else {
            Some(Self::padded_to(users, sent.with_a_quarter_less()?))
        }
    }

    fn padded_to(users: &[MuUser], initial: Filling) -> Self {
        let needs_more = |user: &MuUser| {
            matches!(user.coding, Coding::Ldpc) && he::needs_another_quarter(user.tx, initial)
        };
        let sent = if users.iter().any(needs_more) { initial.with_another_quarter() } else { initial };
        Self { initial, sent }
    }

    /// Symbols, `N_SYM`.
    pub const fn symbols(self) -> u32 {
        self.sent.symbols
    }

    /// Pre-FEC padding factor, 1 to 4.
    pub const fn padding_factor(self) -> u32 {
        self.sent.quarters
    }

    /// Whether all users have another quarter of a symbol for LDPC (LDPC Extra Symbol Segment).
    pub const fn has_ldpc_segment(self) -> bool {
        self.sent.symbols != self.initial.symbols || self.sent.quarters != self.initial.quarters
    }

    /// Octets of the longest PSDU of a user, to which a shorter one is padded (`PSDU_LENGTH`).
    pub const fn octets(self, user: &MuUser) -> u32 {
        let [data, _] = he::room(user.tx, self.initial);
        data.saturating_sub(SERVICE_BITS + he::tail_bits(user.coding)) / 8
    }

    /// Packet extension: the longest that a user needs (IEEE 802.11ax-2021, 27.3.13).
    pub fn packet_extension(self, users: &[MuUser]) -> Duration {
        Duration::from_nanos(extension_nanos(users, self.sent))
    }

    /// Length of the data field without packet extension.
    pub fn duration(self, users: &[MuUser]) -> Duration {
        let symbol_ns = users.first().map_or(0, |user| user.tx.symbol_nanos());
        Duration::from_nanos(u64::from(self.sent.symbols) * symbol_ns)
    }
}

fn extension_nanos(users: &[MuUser], filling: Filling) -> u64 {
    users.iter().map(|user| user.tx.padding().extension_nanos(filling)).max().unwrap_or(0)
}
