//! Formats of PPDUs.

/// The format of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// DSSS and HR/DSSS (IEEE 802.11-2020, clauses 15 and 16): index 0 to 3 are 1, 2, 5.5 and 11 Mbit/s.
    HrDsss,
    /// OFDM and ERP-OFDM (clauses 17 and 18): index 0 to 7 are 6 to 54 Mbit/s.
    Ofdm,
    /// HT-mixed (clause 19): index is the MCS of one stream, 0 to 7.
    Ht,
    /// VHT single user (clause 21): MCS 0 to 9.
    Vht,
    /// HE (IEEE 802.11ax-2021, clause 27): MCS 0 to 11.
    He,
    /// EHT (IEEE 802.11be, clause 36): MCS 0 to 13.
    Eht,
    /// Directional multi-gigabit single carrier (clause 20): MCS 1 to 12.
    Dmg,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 7] =
        [Self::HrDsss, Self::Ofdm, Self::Ht, Self::Vht, Self::He, Self::Eht, Self::Dmg];
}
