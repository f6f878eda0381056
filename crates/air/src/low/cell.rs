//! What the lower halves of one cell have in common.

use airtcp_plan::{AirPlan, BandwidthOperation, ErpProtection, RadioChannel, RtsPolicy, Slot};
use airtcp_units::Duration;
use typed_index_collections::TiVec;

use crate::border::Protection;
use crate::handle::index_type;
use crate::low::psdu::PsduLength;
use crate::phy::{
    self, ACK_BYTES, Band, BasicRates, DMG_CTS_BYTES, Format, InterFrame, SlotTime, TxVector, block_ack_bytes,
};
use crate::{NicId, SetupError};

index_type! {
    /// A cell, by its place in `air.cells` of the plan; those of channels that no cell has come after them.
    pub(crate) struct CellId(u32);
}

/// A basic service set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BssId {
    /// All NICs of a cell of the plan.
    Cell(CellId),
    /// The radio of mac80211 that is its access point, and the radios that are associated with it.
    AccessPoint(NicId),
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

/// The cells of a plan. If radios of mac80211 may leave them, what holds elsewhere in each band comes last.
///
/// # Errors
/// [`SetupError`] with the key at fault if the channel of a cell is in no band.
pub(crate) fn cells(plan: &AirPlan) -> Result<TiVec<CellId, Cell>, SetupError> {
    let mut cells =
        (0..plan.cells.len()).map(|c| Cell::of_plan(plan, c)).collect::<Result<TiVec<_, _>, _>>()?;
    if plan.cells.iter().any(|cell| cell.linux.is_some()) {
        cells.extend([Band::Ghz2_4, Band::Ghz5].map(Cell::elsewhere));
    }
    Ok(cells)
}

/// The cell of a NIC.
pub(crate) fn cell_of(plan: &AirPlan, nic: NicId) -> CellId {
    CellId(plan.nics[nic.index()].cell)
}

/// Whether a NIC is a radio of mac80211.
pub(crate) fn runs_linux(plan: &AirPlan, nic: NicId) -> bool {
    plan.cells[plan.nics[nic.index()].cell as usize].linux.is_some()
}

/// A cell, as its lower halves use it.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) members: Vec<NicId>,
    /// Centre of its primary channel; 0 on channels that no cell of the plan has.
    pub(crate) primary_mhz: u32,
    /// The whole of it.
    pub(crate) channel: RadioChannel,
    /// What NICs of the cell do if only a part of its channel is idle.
    pub(crate) bandwidth_operation: BandwidthOperation,
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
    /// A cell of the plan.
    fn of_plan(plan: &AirPlan, c: usize) -> Result<Self, SetupError> {
        let cell = &plan.cells[c];
        let Some(band) = Band::of_mhz(cell.channel.primary_mhz) else {
            let reason = format!("{} MHz is in no band of 802.11", cell.channel.primary_mhz);
            let key = format!("air.cells[{c}].channel.primary_mhz");
            return Err(SetupError::new(key, reason, "choose 2.4, 5, 6 or 60 GHz"));
        };
        let basic = BasicRates::from_bit_rates(&cell.basic_rates_bps).expect("the upper half checked it");
        let slot = match cell.slot {
            Slot::Long => SlotTime::Long,
            Slot::Short => SlotTime::Short,
        };
        Ok(Self {
            members: (0..plan.nics.len() as u32)
                .map(NicId)
                .filter(|id| plan.nics[id.index()].cell as usize == c)
                .collect(),
            primary_mhz: cell.channel.primary_mhz,
            channel: cell.channel,
            bandwidth_operation: cell.bandwidth_operation,
            band,
            times: InterFrame::new(band, slot),
            basic,
            short_preamble: cell.short_preamble,
            hr_dsss_protection: cell.protection != ErpProtection::None,
            retry_limits: RetryLimits {
                short: cell.short_retry_limit,
                long: cell.long_retry_limit,
                subframe: cell.subframe_retry_limit,
                rts: cell.rts_retry_limit,
                block_ack_req: cell.block_ack_req_retry_limit,
            },
            txop_duration: cell.txop_duration,
            rts_threshold_bytes: cell.rts_threshold_bytes,
            rts_threshold: cell.rts_threshold_us.map(|us| Duration::from_micros(u64::from(us))),
            rts_policy: cell.rts_policy,
            beacon: cell.beacon.map(|b| (Duration::from_micros(u64::from(b.interval_us)), b.bytes)),
        })
    }

    /// What holds on channels that no cell of the plan has, where radios of mac80211 look for networks: as for any station of the band.
    const fn elsewhere(band: Band) -> Self {
        /// `dot11ShortRetryLimit` and `dot11LongRetryLimit` as they are by default (IEEE 802.11-2020, annex C); ath9k repeats
        /// subframes up to 30 times (`ATH_MAX_SW_RETRIES`).
        const LIMITS: RetryLimits =
            RetryLimits { short: 7, long: 4, subframe: 30, rts: None, block_ack_req: None };
        let basic = match band {
            Band::Ghz2_4 => BasicRates::HR_DSSS_MANDATORY,
            _ => BasicRates::OFDM_MANDATORY,
        };
        Self {
            members: Vec::new(),
            primary_mhz: 0,
            channel: RadioChannel { primary_mhz: 0, centre_mhz: 0, width_mhz: 0 },
            bandwidth_operation: BandwidthOperation::Dynamic,
            band,
            times: InterFrame::new(band, SlotTime::Short),
            basic,
            short_preamble: false,
            hr_dsss_protection: false,
            retry_limits: LIMITS,
            txop_duration: false,
            rts_threshold_bytes: u32::MAX,
            rts_threshold: None,
            rts_policy: RtsPolicy::RateControl,
            beacon: None,
        }
    }

    /// The response to a PPDU in this mode: an Ack, or a `BlockAck` with a bitmap for this window.
    pub(crate) fn response(&self, data: TxVector, block_ack_window: Option<u16>) -> Response {
        let tx = phy::control_response(data, self.basic);
        let bytes = block_ack_window.map_or(ACK_BYTES, block_ack_bytes);
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

    /// The CTS that answers an MU-RTS: the same of all stations, at 6 Mbit/s (IEEE 802.11ax-2021, 26.2.6.3).
    pub(crate) fn clear_to_send_together(&self) -> Response {
        let tx = TxVector::ofdm(0);
        let duration = self.times.ppdu_duration(tx, phy::CTS_BYTES);
        Response { block_ack: false, tx, bytes: phy::CTS_BYTES, duration }
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
