//! What the lower half asks of mac80211's driver.

use airtcp_units::{Dbm, Instant};

use super::RadioMpdu;
use crate::NicId;
use crate::border::{
    AccessCategory, ControlFrame, MpduFate, MpduHandle, PpduStatus, RateChain, RxStatus, TxqId,
};

/// What the driver was asked for while it was itself called by the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioRequest {
    /// A queue of the NIC in this category has frames ([`crate::World::pending`]).
    Pending(NicId, AccessCategory),
    /// An MPDU goes before all queues of the NIC ([`crate::World::send_first`]).
    SendFirst(NicId, AccessCategory, RadioMpdu),
}

/// mac80211 as the lower half needs it: what `crates/guest` implements by the kernel's driver, and tests by themselves.
///
/// Called only from within [`crate::World::run`] and the other calls of [`crate::World`] that take one; answers at once, and calls
/// nothing of the world. What mac80211 wants meanwhile (`wake_tx_queue`, `tx`) the driver keeps, and gives by [`Self::request`].
/// Queues ([`TxqId`]) and MPDUs are small numbers that the driver gives in the order of first use, over all radios.
pub trait Mac80211 {
    /// Whether there is one. Where there is none ([`NoMac80211`]) no call costs anything.
    const PRESENT: bool = true;

    /// Whether [`Self::next_txq`] may answer now. MPDUs that the lower half itself buffers do not count. A true that was wrong costs
    /// an access to the medium at which nothing is sent.
    fn has(&mut self, nic: NicId, ac: AccessCategory) -> bool;

    /// The queue that sends next (`ieee80211_next_txq`, between `ieee80211_txq_schedule_start` and `_end`). Several may be out before
    /// one is given back: those of a PPDU of several users, and those that had no place in it.
    fn next_txq(&mut self, now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId>;

    /// Takes the next MPDU out of a queue (`ieee80211_tx_dequeue`).
    fn dequeue(&mut self, now: Instant, txq: TxqId) -> Option<RadioMpdu>;

    /// Gives a queue back (`ieee80211_return_txq`), also one that is not out; `more`: the lower half buffers MPDUs of it for retry, so
    /// it takes part in the rotation even if it is empty (`force`).
    fn return_txq(&mut self, now: Instant, txq: TxqId, more: bool);

    /// The queue of a station's frames with this TID to the access point that it is associated with; `None`: it is not.
    fn uplink_txq(&mut self, nic: NicId, tid: u8) -> Option<TxqId>;

    /// Octets of the MSDUs that wait in a queue (`ieee80211_txq_get_depth`), and of those that the driver has taken out of it itself.
    fn depth(&mut self, txq: TxqId) -> u64;

    /// The rates of the next attempts of the PPDU that begins with this MPDU (`ieee80211_get_tx_rates`). Asked only with the kernel's
    /// rate control: when an MPDU is first sent, when a chain is used up, and for every A-MPDU.
    fn rates(&mut self, now: Instant, nic: NicId, mpdu: MpduHandle) -> RateChain;

    /// A PPDU with these MPDUs has ended, and its response, if it came: once per attempt, also for management frames, `BlockAckReq`
    /// and groups. Which MPDUs are done with it, [`Self::mpdu_done`] says next. Before an MPDU is sent again the driver sets its Retry bit.
    /// `response`: the power with which its response was received.
    fn ppdu_done(
        &mut self,
        now: Instant,
        nic: NicId,
        mpdus: &[MpduHandle],
        status: &PpduStatus,
        response: Option<Dbm>,
    );

    /// An MPDU is at its end, and with it its handle: at once, or at the interrupt of a card that moderates completions.
    /// [`MpduFate::GivenUp`] of an aggregable one is `IEEE80211_TX_STAT_AMPDU_NO_BACK`, after which mac80211 sends a `BlockAckReq`.
    fn mpdu_done(&mut self, now: Instant, nic: NicId, mpdu: MpduHandle, fate: MpduFate);

    /// MPDUs of one PPDU arrived at this radio, in their order: the driver makes copies. Frames to groups arrive at every radio
    /// that decodes them, and at monitors everything does.
    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[MpduHandle], status: &RxStatus);

    /// A radio that monitors hears a control frame which the lower half of another made itself.
    fn hear(&mut self, now: Instant, nic: NicId, frame: &ControlFrame<'_>, status: &RxStatus);

    /// What arrived at this radio since the last call, beacons aside, reaches mac80211 now. Only for radios whose card has interrupt
    /// moderation or whose host has a delay: the driver keeps their frames until then.
    fn rx_interrupt(&mut self, _now: Instant, _nic: NicId) {}

    /// What mac80211 wanted during the last calls, in its order; asked until there is no more.
    fn request(&mut self) -> Option<RadioRequest> {
        None
    }
}

/// In place of mac80211 where a world has no radio of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoMac80211;

/// Nobody calls it: a world with radios of mac80211 is given one.
const ABSENT: &str = "a world with radios of mac80211 is run with one";

impl Mac80211 for NoMac80211 {
    const PRESENT: bool = false;

    fn has(&mut self, _nic: NicId, _ac: AccessCategory) -> bool {
        unreachable!("{ABSENT}")
    }

    fn next_txq(&mut self, _now: Instant, _nic: NicId, _ac: AccessCategory) -> Option<TxqId> {
        unreachable!("{ABSENT}")
    }

    fn dequeue(&mut self, _now: Instant, _txq: TxqId) -> Option<RadioMpdu> {
        unreachable!("{ABSENT}")
    }

    fn return_txq(&mut self, _now: Instant, _txq: TxqId, _more: bool) {
        unreachable!("{ABSENT}")
    }

    fn uplink_txq(&mut self, _nic: NicId, _tid: u8) -> Option<TxqId> {
        unreachable!("{ABSENT}")
    }

    fn depth(&mut self, _txq: TxqId) -> u64 {
        unreachable!("{ABSENT}")
    }

    fn rates(&mut self, _now: Instant, _nic: NicId, _mpdu: MpduHandle) -> RateChain {
        unreachable!("{ABSENT}")
    }

    fn ppdu_done(
        &mut self,
        _now: Instant,
        _nic: NicId,
        _mpdus: &[MpduHandle],
        _status: &PpduStatus,
        _response: Option<Dbm>,
    ) {
        unreachable!("{ABSENT}")
    }

    fn mpdu_done(&mut self, _now: Instant, _nic: NicId, _mpdu: MpduHandle, _fate: MpduFate) {
        unreachable!("{ABSENT}")
    }

    fn rx(&mut self, _now: Instant, _nic: NicId, _mpdus: &[MpduHandle], _status: &RxStatus) {
        unreachable!("{ABSENT}")
    }

    fn hear(&mut self, _now: Instant, _nic: NicId, _frame: &ControlFrame<'_>, _status: &RxStatus) {
        unreachable!("{ABSENT}")
    }
}
