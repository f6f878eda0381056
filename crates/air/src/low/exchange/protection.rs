//! What goes before the data of an exchange, and how much room that leaves for it.

use airtcp_plan::RtsPolicy;
use airtcp_units::Duration;

use super::radio::Exchange;
use crate::NicId;
use crate::border::Protection;
use crate::low::Low;
use crate::low::cell::Cell;
use crate::low::on_air::UserId;
use crate::low::psdu::AggregateLimits;
use crate::phy::{Format, RTS_BYTES, TxVector, mu_rts_bytes};

impl Low {
    /// RTS goes before what is longer than a threshold (IEEE 802.11-2020, 10.3.1), and what the policy of the cell names. Not so
    /// inside a TXOP: the medium is the sender's already.
    #[inline(always)]
    pub(super) fn protect(&self, nic: NicId, exchange: &mut Exchange) {
        if exchange.begins_txop && !exchange.is_for_group() && self.wants_rts(nic, exchange) {
            exchange.protection = Protection::RtsCts;
        }
    }

    /// Where the kernel's rate control says what begins with RTS, it alone does.
    fn wants_rts(&self, nic: NicId, exchange: &Exchange) -> bool {
        let cell = self.on_air.cell(nic);
        let is_named = |id: UserId| {
            let user = &exchange.users[id];
            let named = match cell.rts_policy {
                RtsPolicy::RateControl | RtsPolicy::Threshold => false,
                RtsPolicy::Retries => user.txq.is_some() && user.attempt > 1,
                RtsPolicy::Aggregates => self.buffers.psdu(nic, id).len() > 1,
            };
            named || user.psdu_bytes > cell.rts_threshold_bytes
        };
        let is_long = cell.rts_threshold.is_some_and(|longest| exchange.data > longest);
        (is_long || exchange.users.find(is_named).is_some())
            && self.exchanges.radios[nic].capabilities.rts_threshold
    }

    /// The most octets of an aggregate for a user by the limits of the standard and the plan, and by its TXOP. One that will begin
    /// with RTS leaves room for RTS and CTS.
    pub(super) fn most_octets(
        &mut self,
        nic: NicId,
        exchange: &Exchange,
        user: UserId,
        limits: AggregateLimits,
    ) -> u32 {
        let most = self.octets_after(nic, exchange, user, exchange.protection, limits);
        let without = self.most_without_rts(nic, exchange.users[user].tx);
        if exchange.protection == Protection::RtsCts || most <= without || !exchange.begins_txop {
            return most;
        }
        self.octets_after(nic, exchange, user, Protection::RtsCts, limits).max(without)
    }

    /// The most octets of an aggregate that does not begin with RTS.
    fn most_without_rts(&mut self, nic: NicId, tx: TxVector) -> u32 {
        let cell = self.on_air.cell(nic);
        if !self.exchanges.radios[nic].capabilities.rts_threshold {
            return u32::MAX;
        }
        if cell.rts_policy == RtsPolicy::Aggregates {
            return 0;
        }
        let by_duration = cell.rts_threshold.map_or(u32::MAX, |longest| {
            self.buffers.largest_psdu(nic, tx, longest.saturating_sub(cell.times.extension_of(tx)))
        });
        by_duration.min(cell.rts_threshold_bytes)
    }

    fn octets_after(
        &mut self,
        nic: NicId,
        exchange: &Exchange,
        user: UserId,
        protection: Protection,
        limits: AggregateLimits,
    ) -> u32 {
        let tx = exchange.users[user].tx;
        let block_ack = self.on_air.response(nic, tx, Some(limits.window)).duration;
        let cell = self.on_air.cell(nic);
        let around = exchange.duration_of(protection, cell) + cell.times.sifs + block_ack;
        let left = exchange.txop_end.saturating_since(exchange.began).saturating_sub(around);
        let longest = tx.max_ppdu_duration().unwrap_or(limits.duration).min(limits.duration);
        let duration = longest.min(left.saturating_sub(cell.times.extension_of(tx)));
        self.buffers.largest_psdu(nic, tx, duration).min(limits.bytes)
    }
}

impl Exchange {
    /// What goes before the data, with the SIFS after each frame.
    #[inline(always)]
    pub(super) fn protection_duration(&self, cell: &Cell) -> Duration {
        self.duration_of(self.protection, cell)
    }

    #[inline(always)]
    pub(super) fn duration_of(&self, protection: Protection, cell: &Cell) -> Duration {
        if protection == Protection::None || self.is_for_group() && protection == Protection::RtsCts {
            return Duration::ZERO;
        }
        let control = cell.control(self.tx(), protection);
        if protection == Protection::RtsCts && self.has_mu_rts() {
            let mu_rts = cell.times.ppdu_duration(control, mu_rts_bytes(self.users.count() as u32));
            return mu_rts + cell.times.sifs * 2 + cell.clear_to_send_together().duration;
        }
        let cts = cell.clear_to_send(control).duration + cell.times.sifs;
        match protection {
            Protection::RtsCts => cell.times.ppdu_duration(control, RTS_BYTES) + cell.times.sifs + cts,
            _ => cts,
        }
    }

    /// Protection, data, response and the SIFS between them.
    pub(super) fn total(&self, cell: &Cell) -> Duration {
        self.protection_duration(cell) + self.data + self.after_data(cell)
    }
}

/// Whether an RTS before data in this format says how wide it is, and its CTS comes in the part that is idle (10.3.2.9: a VHT STA).
pub(super) const fn signals_bandwidth(data: Format) -> bool {
    matches!(data, Format::Vht | Format::He | Format::Eht)
}
