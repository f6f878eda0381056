//! PPDUs from an access point to several stations: HE MU (IEEE 802.11ax-2021, clause 27) and EHT MU (IEEE 802.11be, clause 36).

use airtcp_units::Duration;

use super::{CommonData, IllegalMultiUser, MuUser, SigMcs};
use crate::phy::eht::{BEFORE_SIG_NANOS, SIG_SYMBOL_NANOS, STF_NANOS};
use crate::phy::{Band, Format, he, vht};

/// A PPDU to several users.
#[derive(Clone, Copy, Debug)]
pub struct MuPpdu<'a> {
    users: &'a [MuUser],
    sig: SigMcs,
    preamble: Duration,
}

impl<'a> MuPpdu<'a> {
    /// A PPDU to these users. Its HE-SIG-B or EHT-SIG is no weaker than the weakest data, and no longer than needed.
    ///
    /// # Panics
    /// If there is no user.
    pub fn new(users: &'a [MuUser]) -> Self {
        let sig = Self::sig_before(users);
        Self { users, sig, preamble: preamble_duration(users, sig) }
    }

    /// A PPDU to these users before which this is sent: what [`Self::preamble_duration`] was for their modes. Their PSDUs do not matter
    /// for it, and to compute it takes as long as all else.
    ///
    /// # Panics
    /// If there is no user.
    pub fn with_preamble(users: &'a [MuUser], preamble: Duration) -> Self {
        Self { users, sig: Self::sig_before(users), preamble }
    }

    fn sig_before(users: &[MuUser]) -> SigMcs {
        let lowest = users.iter().map(|user| user.tx.index).min().expect("a PPDU has a user");
        SigMcs::before(users[0].tx.format, lowest)
    }

    /// The same with this modulation of HE-SIG-B or EHT-SIG.
    #[must_use]
    pub fn with_sig(self, sig: SigMcs) -> Self {
        Self { sig, preamble: preamble_duration(self.users, sig), ..self }
    }

    /// Whether the standard has it in this band.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(self, band: Band) -> Result<(), IllegalMultiUser> {
        IllegalMultiUser::check_downlink(self.users, band)?;
        let format = self.format();
        if self.sig.is_of(format) { Ok(()) } else { Err(IllegalMultiUser::Sig { format, sig: self.sig }) }
    }

    const fn format(self) -> Format {
        self.users[0].tx.format
    }

    /// Symbols of HE-SIG-B or EHT-SIG.
    pub fn sig_symbols(self) -> u32 {
        sig_symbols(self.users, self.sig)
    }

    /// Everything before the data field. There are as many HE-LTFs or EHT-LTFs as the user with most streams needs.
    pub const fn preamble_duration(self) -> Duration {
        self.preamble
    }

    /// The data field that holds the users' PSDUs.
    pub fn common_data(self) -> CommonData {
        CommonData::holding(self.users)
    }

    /// TXTIME (27.4.3, 36.4.3) without signal extension.
    pub fn duration(self) -> Duration {
        self.duration_with(self.common_data())
    }

    /// TXTIME with this data field.
    pub fn duration_with(self, data: CommonData) -> Duration {
        self.preamble + data.duration(self.users) + data.packet_extension(self.users)
    }

    /// The longest data field with which the PPDU lasts no longer than this; what a user may send is [`CommonData::octets`]. The users'
    /// PSDUs do not matter. `None`: there is no time for any.
    pub fn room_within(self, limit: Duration) -> Option<CommonData> {
        CommonData::within(self.users, limit.saturating_sub(self.preamble))
    }
}

fn sig_symbols(users: &[MuUser], sig: SigMcs) -> u32 {
    sig.symbols(users[0].tx.format, users.iter().map(|user| user.tx.allocation))
}

fn preamble_duration(users: &[MuUser], sig: SigMcs) -> Duration {
    let fields = users.iter().map(|user| vht::training_fields(user.tx.streams)).max().unwrap_or(0);
    let training = fields * he::training_nanos(users[0].tx);
    let sig = SIG_SYMBOL_NANOS * u64::from(sig_symbols(users, sig));
    Duration::from_nanos(BEFORE_SIG_NANOS + sig + STF_NANOS + training)
}
