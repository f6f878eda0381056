//! An upper half takes back what the lower half buffers.

use airtcp_units::Instant;

use crate::NicId;
use crate::border::{MpduFate, TxqId};
use crate::low::contention::AccessFunction;
use crate::low::{Low, LowerMacContext};

impl Low {
    /// Ends the buffered MPDUs of a queue of mac80211. What is in an exchange ends with it.
    pub(crate) fn purge(&mut self, now: Instant, txq: TxqId, high: &mut impl LowerMacContext) {
        let Some(state) = self.txqs.get_mut(txq) else { return };
        state.end_chain();
        let Some((nic, ac)) = state.owner else { return };
        let held = std::mem::take(&mut state.held);
        let radio = &mut self.radios[nic];
        if let Some(exchange) = &mut radio.exchange {
            exchange.users.iter_mut().for_each(|user| user.purged |= user.txq == Some(txq));
        }
        let edcaf = &mut radio.edcafs[ac];
        for held in &held {
            edcaf.releases(held);
        }
        let formed = edcaf.take_formed_of(txq);
        edcaf.repeated = edcaf.repeated.filter(|&repeated| repeated != txq);
        edcaf.ready.retain(|turn| turn.txq != txq);
        for held in held.iter().chain(&formed) {
            high.mpdu_done(now, nic, &held.mpdu, MpduFate::Purged, &mut self.requests);
        }
    }

    /// Ends all buffered MPDUs of a radio of mac80211. What is in an exchange ends with it.
    pub(crate) fn purge_all(&mut self, now: Instant, nic: NicId, high: &mut impl LowerMacContext) {
        for txq in self.txqs.keys() {
            if self.txqs[txq].owner.is_some_and(|(owner, _)| owner == nic) {
                self.purge(now, txq, high);
            }
        }
        if let Some(exchange) = &mut self.radios[nic].exchange {
            exchange.users.iter_mut().for_each(|user| user.purged = true);
        }
        for function in AccessFunction::ALL {
            let direct = std::mem::take(&mut self.radios[nic].edcafs[function].direct);
            for held in &direct {
                high.mpdu_done(now, nic, &held.mpdu, MpduFate::Purged, &mut self.requests);
            }
        }
    }

    /// Whether no MPDU of a NIC is buffered, and it is in no exchange.
    pub(crate) fn is_empty(&self, nic: NicId) -> bool {
        let radio = &self.radios[nic];
        radio.exchange.is_none()
            && radio.edcafs.iter().all(|edcaf| edcaf.direct.is_empty() && edcaf.held == 0)
    }

    /// Number of buffered MPDUs of a NIC: of all kinds, and of those with data.
    pub(crate) fn held_for(&self, nic: NicId) -> (u32, u32) {
        let radio = &self.radios[nic];
        let direct = radio.edcafs.iter().flat_map(|edcaf| &edcaf.direct);
        let own = |state: &&crate::low::buffer::TxqState| state.owner.is_some_and(|(owner, _)| owner == nic);
        let queued = self.txqs.iter().filter(own).flat_map(|state| &state.held);
        let formed = radio.edcafs.iter().flat_map(|edcaf| &edcaf.formed_mpdus);
        let all = direct.chain(queued).chain(formed).chain(radio.psdus.iter()).map(|held| &held.mpdu);
        all.fold((0, 0), |(all, data), mpdu| (all + 1, data + u32::from(mpdu.kind.carries_data())))
    }
}
