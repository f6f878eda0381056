//! Parameters of channel access that change while a NIC is at work.

use airtcp_plan::{AccessParameters, MuEdcaParameters};
use airtcp_units::Instant;

use super::mu_edca::{Contends, Found};
use crate::NicId;
use crate::border::AccessCategory;
use crate::low::Low;
use crate::low::contention::AccessFunction;
use crate::low::event::Event;

impl Low {
    /// Access parameters of a category of a radio. While its MU EDCA timer runs they wait for its end, but for the TXOP limit, which MU
    /// EDCA parameters do not have.
    pub(crate) fn set_access(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        parameters: &AccessParameters,
    ) {
        let radio = &mut self.exchanges.radios[nic];
        if radio.mu_edca.as_mut().is_some_and(|timers| !timers.set_without(ac, parameters)) {
            return radio.edcafs[ac].set_txop_limit(parameters);
        }
        radio.edcafs[ac].set(parameters);
        self.on_air.set_aifsn(now, nic, ac, parameters.aifsn, radio.edca);
    }

    /// What a radio of mac80211 is told of MU EDCA for a category; `None`: it has none. A timer that runs goes on with the parameters
    /// before.
    pub(crate) fn set_mu_edca(
        &mut self,
        now: Instant,
        nic: NicId,
        ac: AccessCategory,
        parameters: Option<MuEdcaParameters>,
    ) {
        let timers = self.exchanges.radios[nic].mu_edca.as_mut();
        if let Some(contends) = timers.and_then(|timers| timers.set(ac, parameters)) {
            self.contend_like(now, nic, ac, contends);
        }
    }

    /// Data of a station has come in answer to a trigger frame: its MU EDCA timer starts.
    pub(super) fn start_mu_edca(&mut self, now: Instant, nic: NicId, function: AccessFunction) {
        let Some(ac) = function.category() else { return };
        let timers = self.exchanges.radios[nic].mu_edca.as_mut();
        let Some(started) = timers.and_then(|timers| timers.start(now, ac)) else { return };
        if let Some(contends) = started.contends {
            self.contend_like(now, nic, ac, contends);
        }
        if let Some(at) = started.look_at {
            self.events.schedule(at, Event::MuEdcaTimer(nic, ac));
        }
    }

    /// The MU EDCA timer of a station may have ended.
    pub(crate) fn end_mu_edca(&mut self, now: Instant, nic: NicId, ac: AccessCategory) {
        let Some(timers) = &mut self.exchanges.radios[nic].mu_edca else { return };
        match timers.look(now, ac) {
            Found::Runs(until) => self.events.schedule(until, Event::MuEdcaTimer(nic, ac)),
            Found::Ended(contends) => self.contend_like(now, nic, ac, contends),
            Found::Stopped => {}
        }
    }

    fn contend_like(&mut self, now: Instant, nic: NicId, ac: AccessCategory, contends: Contends) {
        let Contends { aifsn, cw_min, cw_max } = contends;
        let radio = &mut self.exchanges.radios[nic];
        radio.edcafs[ac].bound_window(cw_min, cw_max);
        self.on_air.set_aifsn(now, nic, ac, aifsn, radio.edca);
    }
}
