//! The contents of trigger frames, for a capture of the air.

use airtcp_units::Dbm;

use crate::NicId;
use crate::border::AccessCategory;
use crate::phy::multi_user::TbParameters;
use crate::phy::{TxVector, Width};

/// What a trigger frame asks for: its Trigger Type (IEEE 802.11ax-2021, Table 9-29c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerVariant {
    /// Data.
    Basic,
    /// Block acknowledgements.
    MuBar,
    /// CTS.
    MuRts,
    /// Buffer status.
    Bsrp,
}

/// What a trigger frame says to all stations. Whom it asks is in [`super::AirCapture::triggered`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedTrigger {
    /// What it asks for.
    pub variant: TriggerVariant,
    /// Bandwidth of the PPDUs that answer it.
    pub width: Width,
    /// What else it says of them; `None`: they are CTS.
    pub answers: Option<TbParameters>,
}

/// A station that a trigger frame asks, or a random access RU of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriggeredStation {
    /// Who is asked; `None`: any station may use the RU.
    pub station: Option<NicId>,
    /// Mode of the answer, in its RU.
    pub tx: TxVector,
    /// Power with which the access point wants to receive it; `None`: all that the station has.
    pub target: Option<Dbm>,
    /// What the variant asks beside.
    pub asked: AskedOfStation,
}

/// What a trigger frame asks of one station, by its variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedOfStation {
    /// CTS, or buffer status.
    Nothing,
    /// Data, from this category if that has something.
    Data(AccessCategory),
    /// A block acknowledgement of this TID, from this number on.
    BlockAck {
        /// The TID.
        tid: u8,
        /// Number of the first MPDU of the bitmap.
        start: u16,
    },
}
