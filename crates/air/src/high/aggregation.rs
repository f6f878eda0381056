//! What two NICs agree on about aggregation.
//!
//! A block acknowledgement agreement stands from the beginning for every TID where both ends have A-MPDUs: the exchange of
//! ADDBA frames is not modelled. mac80211 sets it up with the first frames, which takes about a millisecond. TIDs of access
//! category voice have none unless the plan wants it: mac80211 starts none for them (`ieee80211_aggr_check`,
//! net/mac80211/tx.c), since an aggregate would wait for a window to fill.

use airtcp_plan::{AirNic, Standard};

use super::mpdu_length::{AmsduLimits, Framing, msdu_bytes};
use super::nic::{Station, Tids};
use crate::phy::{Band, DELIMITER_BYTES};
use crate::setup_error::{Check, refuse};

/// Longest Ethernet frame with the usual MTU, by which aggregates are sized.
const FULL_FRAME_BYTES: u32 = 1514;

/// What one end does towards the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Agreement {
    /// TIDs whose data goes under block acknowledgement.
    pub(super) aggregable: Tids,
    pub(super) amsdu: AmsduLimits,
    /// Size of the reordering buffer for what comes from the other end.
    pub(super) reorder_window: u16,
}

/// The agreement of a NIC with another one to which it sends. `standard`: the newest that both have.
pub(super) fn agreement(standard: Standard, band: Band, own: &AirNic, other: &AirNic) -> Agreement {
    let (Some(ours), Some(theirs)) = (own.aggregation, other.aggregation) else {
        return Agreement { aggregable: Tids::NONE, amsdu: AmsduLimits::NONE, reorder_window: 1 };
    };
    let aggregable = match ours.ampdu_bytes > 0 && theirs.ampdu_bytes > 0 {
        false => Tids::NONE,
        true if ours.voice => Tids::ALL,
        true => Tids::ALL_BUT_VOICE,
    };
    let window = ours.block_ack_window.min(theirs.block_ack_window).clamp(1, 1024);
    Agreement {
        aggregable,
        amsdu: AmsduLimits::new(&ours, standard, band, aggregable != Tids::NONE),
        // A buffer may be larger than what the originator uses of it (IEEE 802.11-2020, 10.25.2).
        reorder_window: window.next_power_of_two() as u16,
    }
}

/// Frames of the usual full length that fill an aggregate to this station; 1 where there is no aggregation.
pub(super) fn aggregate_frames(plan: &AirNic, station: &Station, framing: Framing) -> u32 {
    let Some(aggregation) = plan.aggregation else { return 1 };
    let frame = msdu_bytes(FULL_FRAME_BYTES).expect("an MSDU can be so long");
    let (mut frames, mut bytes) = (1, framing.alone(frame));
    let mut amsdu = framing.extend(0, frame);
    while station.amsdu.room(framing, amsdu, frames) >= frame {
        amsdu = framing.extend(amsdu, frame);
        (frames, bytes) = (frames + 1, framing.around(amsdu));
    }
    if station.aggregable == Tids::NONE {
        return frames;
    }
    // Padded to four octets, but the last (9.7.1).
    let subframe = (DELIMITER_BYTES + bytes).next_multiple_of(4);
    let subframes = (aggregation.ampdu_bytes + 3) / subframe;
    frames * subframes.clamp(1, u32::from(station.reorder_window))
}

/// Refuses aggregation where the NIC's standard or its cell has none. `qos`: the cell has four access categories.
pub(super) fn check_aggregation(i: usize, plan: &AirNic, standard: Standard, qos: bool) -> Check {
    let Some(aggregation) = plan.aggregation else { return Ok(()) };
    let refuse = |reason: &str, remedy: &str| refuse(format!("air.nics[{i}].aggregation"), reason, remedy);
    if matches!(standard, Standard::HrDsss | Standard::Ofdm | Standard::Erp) {
        return refuse("802.11b, a and g have no aggregation", "use null, or 11n or newer");
    }
    if !qos {
        let reason =
            "block acknowledgement and A-MSDUs need QoS data frames, and the cell has one access category";
        return refuse(reason, "give the cell four, or use null");
    }
    if aggregation.block_ack_window == 0 || aggregation.block_ack_window > 1024 {
        return refuse("the window of block acknowledgement has 1 to 1024 MPDUs", "use 64");
    }
    Ok(())
}
