//! What the users of an exchange share: the preamble and the end of their PPDU, and where their acknowledgements stand.

use airtcp_units::Duration;

use crate::low::cell::Cell;
use crate::low::on_air::{DataSpan, OwnTrigger, PpduUser, UserId, Users};
use crate::phy::multi_user::{CommonData, MuUser};
use crate::phy::{BLOCK_ACK_REQ_BYTES, TxVector};

/// What the users of an exchange share, and where their acknowledgements stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct MultiUser {
    /// The user that is asked, or was last, for its acknowledgement.
    pub(super) asked: UserId,
    /// Whether the response before it did not come.
    pub(super) recovers: bool,
    /// Mode in which users are asked.
    pub(super) request: TxVector,
    /// Whether its protection asks all users (MU-RTS), and whether any of them has answered that.
    pub(super) mu_rts: bool,
    pub(super) is_cleared: bool,
    /// Of the data PPDU.
    pub(super) preamble: Duration,
    pub(super) packet_extension: Duration,
    pub(super) data: CommonData,
    /// The block acknowledgements of all users at once, if a trigger frame asks for them.
    pub(super) triggered: Option<TriggeredResponse>,
}

/// The PPDUs with which all users answer a trigger frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriggeredResponse {
    /// Length of the trigger frame, or of each.
    pub(super) trigger_bytes: u32,
    /// Whether each user's PSDU ends with a trigger frame; else one follows the data.
    pub(super) is_aggregated: bool,
    pub(super) duration: Duration,
    pub(super) span: DataSpan,
}

impl TriggeredResponse {
    /// Octets of the trigger frame at the end of each PSDU; 0: there is none.
    pub(super) const fn aggregated_bytes(self) -> u32 {
        if self.is_aggregated { self.trigger_bytes } else { 0 }
    }
}

impl MultiUser {
    /// Says of the users of the data PPDU what they share, and who of them answers later; where their data is.
    #[cold]
    pub(super) fn describe(&self, users: &mut Users<PpduUser>) -> DataSpan {
        for user in users.iter_mut() {
            let PpduUser { tx, psdu_bytes, .. } = *user;
            user.padded_bytes = self.data.octets(&MuUser { tx, coding: tx.coding(), psdu_bytes });
        }
        let aggregated = self.triggered.filter(|triggered| triggered.is_aggregated);
        let first_later = usize::from(self.triggered.is_none());
        for (place, user) in users.iter_mut().enumerate() {
            user.own_trigger = aggregated.map(|of| OwnTrigger { bytes: of.trigger_bytes, decoded: false });
            user.answers_later = aggregated.is_none() && place >= first_later;
        }
        DataSpan { preamble: self.preamble, extension: self.packet_extension }
    }

    /// What follows the data where a trigger frame asks all users at once.
    pub(super) fn after_data_triggered(&self, triggered: TriggeredResponse, cell: &Cell) -> Duration {
        let TriggeredResponse { trigger_bytes, is_aggregated, duration, .. } = triggered;
        let answer = cell.times.sifs + duration;
        if is_aggregated {
            return answer;
        }
        cell.times.sifs + cell.times.ppdu_duration(self.request, trigger_bytes) + answer
    }

    /// Duration of a `BlockAckReq`.
    pub(super) fn request_duration(&self, cell: &Cell) -> Duration {
        cell.times.ppdu_duration(self.request, BLOCK_ACK_REQ_BYTES)
    }
}
