//! Where a NIC is, and on which channel.

use airtcp_plan::{RadioChannel, Standard};
use airtcp_units::{Duration, Instant};

use super::primary_channel::PrimaryId;
use crate::handle::index_type;
use crate::low::cell::{CellId, Response};
use crate::low::contention::MemberId;
use crate::phy::{Format, TxVector, format_of};

index_type! {
    /// A medium, by its place among those of the air.
    pub(crate) struct MediumId(u32);
}

/// A NIC's place in the air: its medium, its place among the members, and its primary channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MediumPlace {
    pub(crate) medium: MediumId,
    pub(crate) member: MemberId,
    pub(crate) primary: PrimaryId,
}

/// A NIC on the air.
#[derive(Debug)]
pub(super) struct Station {
    /// The cell whose parameters hold for it here.
    pub(super) cell: CellId,
    pub(super) place: MediumPlace,
    /// Its newest PHY.
    pub(super) standard: Standard,
    /// The part of its cell's channel that it uses, unless its upper half tunes it.
    pub(super) channel: RadioChannel,
    /// Responses to its data, an Ack and a `BlockAck`, remembered for the mode and the window asked for last.
    pub(super) responses: [Option<Remembered>; 2],
    /// EIFS - DIFS after the PPDU that it received last; zero if it decoded that, or has sent since.
    pub(super) eifs_extra: Duration,
    /// Tuning of a radio that its upper half tunes; the channel of other NICs is their cell's.
    pub(super) tuning: Option<Box<Tuning>>,
}

impl Station {
    /// Whether it detects PPDUs in secondary channels; HT has only energy detection there (19.3.19).
    pub(super) fn detects_secondary(&self) -> bool {
        self.standard > Standard::Ht
    }

    /// Whether it reads the header of HE and EHT PPDUs.
    pub(super) const fn reads_he_headers(&self) -> bool {
        matches!(self.standard, Standard::He | Standard::Eht)
    }

    /// Whether it can decode frames in this format. All that newer stations send in the formats of older ones is theirs too.
    #[inline]
    pub(super) fn reads(&self, format: Format) -> bool {
        // Stations of HR/DSSS count as if they could read OFDM (see `docs/models/protection.md`).
        format <= format_of(self.standard).max(Format::Ofdm)
    }
}

/// The response to data in one mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remembered {
    pub(super) data: TxVector,
    pub(super) window: Option<u16>,
    pub(super) response: Response,
}

/// The channel of a radio whose upper half tunes it.
#[derive(Debug)]
pub(super) struct Tuning {
    /// Cell of the radio in the plan.
    pub(super) home: CellId,
    /// `None`: it is off.
    pub(super) channel: Option<RadioChannel>,
    /// Start of reception on this channel: PPDUs that begin from here on are heard.
    pub(super) since: Instant,
}

impl Tuning {
    /// A radio of a cell of the plan that is off.
    pub(super) const fn off(home: CellId) -> Self {
        Self { home, channel: None, since: Instant::ZERO }
    }

    /// Centre of the primary channel; 0 if it is off.
    pub(super) fn primary_mhz(&self) -> u32 {
        self.channel.map_or(0, |channel| channel.primary_mhz)
    }
}
