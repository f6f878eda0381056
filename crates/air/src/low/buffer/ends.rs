//! The attempt with a PSDU is over: its MPDUs end, or wait for another.

use airtcp_units::Instant;

use super::Buffers;
use super::nic_buffers::{Buffer, NicBuffers};
use crate::NicId;
use crate::border::{HighMac, MpduFate, Requests, TxqId};
use crate::low::cell::{Failure, RetryLimits};
use crate::low::contention::AccessFunction;
use crate::low::on_air::UserId;

/// With whom a PSDU shared the medium, and by whose choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentAs {
    /// Its PPDU had no other user.
    Alone,
    /// Its PPDU had other users. Then no queue is repeated before others have their turn: a station that is gone would keep them all
    /// waiting.
    Shared,
    /// It answered a trigger frame, whose sender chose the mode: no attempt of the rate chain is used up.
    Solicited,
}

/// The PSDU of a user whose attempt is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    pub(crate) nic: NicId,
    pub(crate) function: AccessFunction,
    pub(crate) user: UserId,
    pub(crate) txq: Option<TxqId>,
    pub(crate) failure: Failure,
    /// Whether the response came.
    pub(crate) answered: bool,
    /// Whether the upper half takes back the MPDUs that are left.
    pub(crate) purged: bool,
    pub(crate) sent_as: SentAs,
}

impl Buffers {
    /// The attempt went well: what the receiver decoded is done, the rest of an aggregate is kept for repetition.
    #[inline(always)]
    pub(crate) fn succeed(
        &mut self,
        now: Instant,
        attempt: Attempt,
        limits: &RetryLimits,
        high: &mut impl HighMac,
        requests: &mut Requests,
    ) {
        let Attempt { nic, function, user, txq, failure, answered, purged, .. } = attempt;
        let NicBuffers { functions, psdus, .. } = &mut self.nics[nic];
        let (of_function, psdu) = (&mut functions[function.index()], &mut psdus[user]);
        if answered && psdu.iter().all(|held| held.arrived) {
            let mpdus = psdu.iter().map(|held| &held.mpdu);
            high.mpdus_done(now, nic, mpdus, MpduFate::Acked, requests);
            psdu.clear();
        }
        psdu.retain_mut(|held| {
            let fate = match (held.arrived, answered) {
                (_, false) => MpduFate::Sent,
                (true, true) => MpduFate::Acked,
                (false, true) if held.fails(failure, limits) => MpduFate::GivenUp,
                _ if purged => MpduFate::Purged,
                _ => return true,
            };
            high.mpdu_done(now, nic, &held.mpdu, fate, requests);
            false
        });
        let Some(txq) = txq else { return of_function.keep(None, psdu) };
        let queue = &mut self.txqs[txq];
        of_function.keep(Some(queue), psdu);
        queue.end_chain();
        if !queue.held.is_empty() && of_function.buffer.needs_turn(txq) {
            high.return_txq(now, txq, true);
        }
    }

    /// The attempt has failed; true if its first MPDU is given up.
    #[inline(never)]
    pub(crate) fn fail(
        &mut self,
        now: Instant,
        attempt: Attempt,
        limits: &RetryLimits,
        high: &mut impl HighMac,
        requests: &mut Requests,
    ) -> bool {
        let Attempt { nic, function, user, txq, failure, purged, sent_as, .. } = attempt;
        let NicBuffers { functions, psdus, .. } = &mut self.nics[nic];
        let (of_function, psdu) = (&mut functions[function.index()], &mut psdus[user]);
        // MPDUs whose attempts have failed as often as allowed are given up. An RTS counts for every MPDU that it announced.
        let first = psdu[0].mpdu.handle;
        let mut any_worn = false;
        for held in &mut *psdu {
            any_worn |= held.fails(failure, limits);
        }
        if any_worn {
            psdu.retain(|held| {
                let worn = held.is_worn(limits);
                if worn {
                    high.mpdu_done(now, nic, &held.mpdu, MpduFate::GivenUp, requests);
                }
                !worn
            });
        }
        let mut given_up = psdu.first().is_none_or(|held| held.mpdu.handle != first);
        if purged {
            given_up = true;
            for held in psdu.drain(..) {
                high.mpdu_done(now, nic, &held.mpdu, MpduFate::Purged, requests);
            }
        }
        let Some(txq) = txq else {
            of_function.keep(None, psdu);
            return given_up;
        };
        let queue = &mut self.txqs[txq];
        if given_up {
            queue.end_chain();
        } else if failure != Failure::NotCleared && sent_as != SentAs::Solicited {
            queue.attempt_failed();
        }
        let goes_on = match &mut of_function.buffer {
            Buffer::AtAccess(turns) => {
                let repeats = !given_up && sent_as == SentAs::Alone;
                if repeats && !psdu.is_empty() {
                    turns.repeat(txq);
                }
                repeats
            }
            // A card that forms its aggregates puts them back, and their queue competes with the others again.
            Buffer::AtEntry(aggregates) => {
                aggregates.repeat(txq, queue, &mut of_function.held, psdu);
                false
            }
        };
        of_function.keep(Some(queue), psdu);
        if !goes_on && !queue.held.is_empty() && of_function.buffer.needs_turn(txq) {
            high.return_txq(now, txq, true);
        }
        given_up
    }
}
