//! The parameters of an exchange between two NICs that determine its duration.

use airtcp_plan::{
    AccessParameters, Aggregation, AirPlan, CellKind, ErpProtection, NicRole, RtsPolicy, Slot,
};
use airtcp_units::Duration;

use super::FrameLengths;
use crate::border::{AccessCategory, Protection};
use crate::high::{HtProtectionPolicy, Upper, link_standard, padding_of};
use crate::phy::{
    self, ACK_BYTES, BLOCK_ACK_64_BYTES, BLOCK_ACK_256_BYTES, BLOCK_ACK_1024_BYTES, Band, BasicRates,
    CTS_BYTES, DMG_CTS_BYTES, Format, InterFrame, SlotTime, TxVector,
};
use crate::rate::ErrorModel;
use crate::{NicId, SetupError};

/// One direction between two NICs, in one mode and access category, without losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Mode of its data.
    pub tx: TxVector,
    /// Band in which the modes are legal.
    pub band: Band,
    /// Times of its cell.
    pub times: InterFrame,
    /// Rates of its control responses.
    pub basic: BasicRates,
    /// Channel access of the sender.
    pub access: AccessParameters,
    /// Whether the sender contends by EDCA, or by DCF.
    pub edca: bool,
    /// Attempts of a frame up to the RTS threshold.
    pub short_retry_limit: u32,
    /// Attempts of a longer one.
    pub long_retry_limit: u32,
    /// Attempts of an MPDU under block acknowledgement.
    pub subframe_retry_limit: u32,
    /// Lengths of its frames.
    pub lengths: FrameLengths,
    /// What both ends agree on; `None`: no A-MPDU and no A-MSDU.
    pub aggregation: Option<Aggregation>,
    /// PSDUs longer than this begin with RTS.
    pub rts_threshold_bytes: u32,
    /// PPDUs longer than this begin with RTS.
    pub rts_threshold: Option<Duration>,
    /// What else begins with RTS. (Nothing fails here, so that there are no retries.)
    pub rts_policy: RtsPolicy,
    /// The protection before data that is not HR/DSSS, at HR/DSSS rates.
    pub erp: ErpProtection,
    /// The preamble of these.
    pub short_preamble: bool,
    /// What data begins with that a member of the cell can't receive.
    pub ht: Protection,
}

impl Link {
    /// The link of two NICs of a plan in a mode, for frames of a user priority. The plan must be legal: the world has been built
    /// from it, or could be.
    pub fn new(plan: &AirPlan, from: u32, to: u32, tx: TxVector, priority: u8) -> Self {
        let [own, other] = [from, to].map(|nic| &plan.nics[nic as usize]);
        let cell = &plan.cells[own.cell as usize];
        let band = Band::of_mhz(cell.channel.primary_mhz).expect("the channel is in a band");
        let slot = match cell.slot {
            Slot::Long => SlotTime::Long,
            Slot::Short => SlotTime::Short,
        };
        let edca = cell.access.len() == 4;
        let category = if edca { AccessCategory::of_priority(priority) as usize } else { 0 };
        let is_voice = edca && AccessCategory::of_priority(priority) == AccessCategory::Voice;
        let aggregation = own.aggregation.zip(other.aggregation).and_then(|(a, b)| agreed(&a, &b, is_voice));
        Self {
            tx: tx.to_receiver(padding_of(other)),
            band,
            times: InterFrame::new(band, slot),
            basic: BasicRates::from_bit_rates(&cell.basic_rates_bps).expect("basic rates are legacy rates"),
            access: own.access_in(cell)[category],
            edca,
            short_retry_limit: cell.short_retry_limit,
            long_retry_limit: cell.long_retry_limit,
            subframe_retry_limit: cell.subframe_retry_limit,
            lengths: FrameLengths::new(cell, link_standard(plan, own, other), band, aggregation.as_ref()),
            aggregation,
            rts_threshold_bytes: cell.rts_threshold_bytes,
            rts_threshold: cell.rts_threshold_us.map(|us| Duration::from_micros(u64::from(us))),
            rts_policy: cell.rts_policy,
            erp: cell.protection,
            short_preamble: cell.short_preamble,
            ht: HtProtectionPolicy::of_cell(plan, own.cell as usize).over(tx),
        }
    }

    /// The modes that a NIC of a plan may use towards another: the fixed one, or all that its rate control chooses from, slowest first.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault if the plan has modes that do not exist.
    pub fn modes(plan: &AirPlan, from: u32, to: u32) -> Result<Vec<TxVector>, SetupError> {
        crate::world::check(plan)?;
        // The seed decides which modes are sampled first, not which there are.
        let upper = Upper::new(&with_own_mac(plan), 0, &NoNoise)?;
        Ok(upper.modes(NicId(from), NicId(to)))
    }

    /// Time between the end of a PPDU and the first backoff slot.
    pub const fn aifs(&self) -> Duration {
        self.times.aifs(self.access.aifsn)
    }

    /// What follows a PPDU that could not be read and was the first of its exchange, before the first backoff slot: AIFS longer by as much as EIFS is
    /// longer than DIFS (IEEE 802.11-2020, 10.3.2.3.7).
    pub fn eifs(&self) -> Duration {
        let first = if self.erp == ErpProtection::None { self.tx } else { TxVector::hr_dsss(0, false) };
        self.aifs() + self.times.eifs_extra(first)
    }

    /// Attempts of a frame in a PSDU of this length (10.3.4.4), or of an MPDU under block acknowledgement.
    pub const fn attempts(&self, psdu_bytes: u32) -> u32 {
        if self.is_under_block_ack() {
            self.subframe_retry_limit
        } else if psdu_bytes > self.rts_threshold_bytes {
            self.long_retry_limit
        } else {
            self.short_retry_limit
        }
    }

    /// From the start of an MPDU to that of the next in an A-MPDU.
    pub fn start_spacing(&self) -> Duration {
        Duration::from_nanos(self.aggregation.map_or(0, |limits| u64::from(limits.start_spacing_ns)))
    }

    /// Whether data of the link goes under block acknowledgement.
    pub const fn is_under_block_ack(&self) -> bool {
        matches!(self.aggregation, Some(Aggregation { ampdu_bytes: 1.., .. }))
    }

    /// The protection before data in a PSDU of this length with so many MPDUs (10.3.1, 10.27.2).
    pub fn protection(&self, psdu_bytes: u32, mpdus: u32) -> Protection {
        let foreign = self.tx.format != Format::HrDsss;
        let lasts = || self.times.ppdu_duration(self.tx, psdu_bytes);
        let longer = psdu_bytes > self.rts_threshold_bytes
            || self.rts_threshold.is_some_and(|longest| lasts() > longest);
        match self.erp {
            _ if longer || (mpdus > 1 && self.rts_policy == RtsPolicy::Aggregates) => Protection::RtsCts,
            ErpProtection::RtsCts if foreign => Protection::RtsCts,
            ErpProtection::CtsToSelf if foreign => Protection::CtsToSelf,
            _ => self.ht,
        }
    }

    /// The mode of RTS, and of CTS to oneself.
    pub fn control_mode(&self) -> TxVector {
        if self.erp == ErpProtection::None || self.tx.format == Format::HrDsss {
            phy::initiating_control(self.tx, self.basic)
        } else {
            phy::erp_protection(self.tx, self.basic, self.short_preamble)
        }
    }

    /// The mode of the CTS that answers an RTS.
    pub fn cts_mode(&self) -> TxVector {
        phy::control_response(self.control_mode(), self.basic)
    }

    /// Octets of a CTS.
    pub fn cts_bytes(&self) -> u32 {
        if self.tx.format == Format::Dmg { DMG_CTS_BYTES } else { CTS_BYTES }
    }

    /// The mode of Ack and `BlockAck`.
    pub fn response_mode(&self) -> TxVector {
        phy::control_response(self.tx, self.basic)
    }

    /// Octets of what acknowledges so many MPDUs: an Ack for one, a compressed `BlockAck` with a bitmap for the window (9.3.1.8).
    pub fn response_bytes(&self, mpdus: u32) -> u32 {
        match self.aggregation.map_or(0, |a| a.block_ack_window) {
            _ if mpdus == 1 => ACK_BYTES,
            0..=64 => BLOCK_ACK_64_BYTES,
            65..=256 => BLOCK_ACK_256_BYTES,
            _ => BLOCK_ACK_1024_BYTES,
        }
    }
}

/// The narrower limits of two ends; an A-MPDU needs both.
/// The same cells under airtcp's own upper half, which has what is common to both: the modes between two NICs.
fn with_own_mac(plan: &AirPlan) -> AirPlan {
    let mut plan = plan.clone();
    for cell in &mut plan.cells {
        cell.linux = None;
        if cell.kind == CellKind::Ibss {
            cell.kind = CellKind::Mesh;
        }
    }
    for nic in &mut plan.nics {
        match nic.role {
            NicRole::Ibss => nic.role = NicRole::Mesh,
            NicRole::Monitor => nic.role = NicRole::Station,
            _ => {}
        }
    }
    plan
}

fn agreed(a: &Aggregation, b: &Aggregation, is_voice: bool) -> Option<Aggregation> {
    let ampdu_bytes = if is_voice && !a.voice { 0 } else { a.ampdu_bytes.min(b.ampdu_bytes) };
    let block_ack_window = a.block_ack_window.min(b.block_ack_window);
    // The sender keeps what the receiver needs.
    let agreed = Aggregation { ampdu_bytes, block_ack_window, start_spacing_ns: b.start_spacing_ns, ..*a };
    (agreed.ampdu_bytes > 0 || agreed.amsdu_bytes > 0).then_some(agreed)
}

/// Rate control needs error rates to choose a mode, not to list the modes.
struct NoNoise;

impl ErrorModel for NoNoise {
    fn packet_error_rate(&self, _: TxVector, _: f64, _: u32) -> f64 {
        0.0
    }
}
