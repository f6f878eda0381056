//! What the lower halves of one cell have in common.

use airtcp_plan::{BandwidthOperation, RadioChannel, RtsPolicy};
use airtcp_units::Duration;

use crate::NicId;
use crate::border::Protection;
use crate::handle::index_type;
use crate::low::psdu::PsduLength;
use crate::phy::{
    self, ACK_BYTES, BLOCK_ACK_64_BYTES, BLOCK_ACK_256_BYTES, BLOCK_ACK_1024_BYTES, Band, BasicRates,
    DMG_CTS_BYTES, Format, InterFrame, TxVector,
};

index_type! {
    /// A cell, by its place in `air.cells` of the plan; those of channels that no cell has come after them.
    pub(crate) struct CellId(u32);
}

/// How an attempt failed; each counts against a retry limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// RTS without CTS.
    NotCleared,
    /// A PSDU up to the RTS threshold.
    Short,
    /// A longer one.
    Long,
}

/// `dot11ShortRetryLimit` and `dot11LongRetryLimit`, and the limit of drivers for MPDUs under block acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RetryLimits {
    /// Attempts with PSDUs up to the RTS threshold, and RTS frames.
    pub(crate) short: u32,
    /// Attempts with longer PSDUs.
    pub(crate) long: u32,
    /// Attempts with an MPDU under block acknowledgement, of any length, and with RTS frames before it.
    pub(crate) subframe: u32,
    /// RTS frames without CTS for one MPDU, if they do not count as attempts with it.
    pub(crate) rts: Option<u32>,
    /// Attempts with a `BlockAckReq`, if they have a limit of their own.
    pub(crate) block_ack_req: Option<u32>,
}

/// A control response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) block_ack: bool,
    pub(crate) tx: TxVector,
    pub(crate) bytes: u32,
    pub(crate) duration: Duration,
}

/// A cell, as its lower halves use it.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of a cell")]
pub(crate) struct Cell {
    pub(crate) members: Vec<NicId>,
    /// Centre of its primary channel; 0 on channels that no cell of the plan has.
    pub(crate) primary_mhz: u32,
    /// The whole of it.
    pub(crate) channel: RadioChannel,
    /// What NICs of the cell do if only a part of its channel is idle.
    pub(crate) bandwidth_operation: BandwidthOperation,
    /// Whether NICs of the cell detect PPDUs in secondary channels; HT has only energy detection there (19.3.19).
    pub(crate) detects_secondary: bool,
    pub(crate) band: Band,
    pub(crate) times: InterFrame,
    pub(crate) basic: BasicRates,
    /// The preamble of HR/DSSS frames for protection.
    pub(crate) short_preamble: bool,
    /// Whether HR/DSSS stations must be able to decode protection.
    pub(crate) hr_dsss_protection: bool,
    pub(crate) retry_limits: RetryLimits,
    /// Whether HE and EHT PPDUs of the cell name the duration of the TXOP in the header.
    pub(crate) txop_duration: bool,
    /// Whether members of the cell read the header of HE and EHT PPDUs.
    pub(crate) reads_he_headers: bool,
    /// PSDUs longer than this begin with RTS, and count as long when they fail (10.3.1, 10.3.4.4).
    pub(crate) rts_threshold_bytes: u32,
    /// Data PPDUs that last longer begin with RTS.
    pub(crate) rts_threshold: Option<Duration>,
    /// What else begins with RTS; what rate control asks for is the upper half's to say.
    pub(crate) rts_policy: RtsPolicy,
    /// Interval and length.
    pub(crate) beacon: Option<(Duration, u32)>,
}

impl Cell {
    /// The response to a PPDU in this mode: an Ack, or a `BlockAck` with a bitmap for this window.
    pub(crate) fn response(&self, data: TxVector, block_ack_window: Option<u16>) -> Response {
        let tx = phy::control_response(data, self.basic);
        let bytes = match block_ack_window {
            None => ACK_BYTES,
            Some(..=64) => BLOCK_ACK_64_BYTES,
            Some(65..=256) => BLOCK_ACK_256_BYTES,
            Some(_) => BLOCK_ACK_1024_BYTES,
        };
        let duration = self.times.ppdu_duration(tx, bytes);
        Response { block_ack: block_ack_window.is_some(), tx, bytes, duration }
    }

    /// The mode of the frames before data in this mode: RTS, CTS-to-self, `BlockAckReq`.
    pub(crate) fn control(&self, data: TxVector, protection: Protection) -> TxVector {
        let foreign =
            self.hr_dsss_protection && protection != Protection::None && data.format != Format::HrDsss;
        if foreign {
            phy::erp_protection(data, self.basic, self.short_preamble)
        } else {
            phy::initiating_control(data, self.basic)
        }
    }

    /// The CTS that answers an RTS in this mode.
    pub(crate) fn clear_to_send(&self, rts: TxVector) -> Response {
        let tx = phy::control_response(rts, self.basic);
        let bytes = if tx.format == Format::Dmg { DMG_CTS_BYTES } else { phy::CTS_BYTES };
        Response { block_ack: false, tx, bytes, duration: self.times.ppdu_duration(tx, bytes) }
    }

    /// This mode, or a faster one if a PPDU with one MPDU of this length would be too long in it. (An A-MSDU may have been made
    /// for a faster mode than that of its repetition.)
    pub(crate) fn fitting(&self, tx: TxVector, mpdu_bytes: u32) -> TxVector {
        tx.fitting(self.band, PsduLength::one(tx.format, mpdu_bytes).bytes())
    }

    /// The retry count that a failed PSDU of this length increments (IEEE 802.11-2020, 10.3.4.4).
    pub(crate) const fn failure(&self, psdu_bytes: u32) -> Failure {
        if psdu_bytes > self.rts_threshold_bytes { Failure::Long } else { Failure::Short }
    }
}
