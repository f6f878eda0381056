//! What mac80211's driver asks of the air: the calls that come beside [`World::run`].
//!
//! Each is for a radio of mac80211 and panics for another NIC. Like every call they come in the order of time, and not from within
//! a call of [`Mac80211`].

use airtcp_plan::{AccessParameters, MacAddress, MuEdcaParameters, RadioChannel};
use airtcp_units::{Dbm, Instant, Milliwatt};

use super::upper_macs::UpperMacs;
use super::{Outbox, World};
use crate::NicId;
use crate::border::ChannelLoad;
use crate::border::{AccessCategory, Request, TxqId};
use crate::high::OwnMac;
use crate::linux_mac::{Mac80211, RadioMpdu};
use crate::low::{BssId, Low};
use crate::phy::Width;

/// An EDCA function of a radio: one of its four access categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RadioEdcaf {
    /// The radio.
    pub nic: NicId,
    /// The category.
    pub ac: AccessCategory,
}

/// What a radio has spent its time with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survey {
    /// By carrier sense and transmissions.
    pub load: ChannelLoad,
    /// Noise in 20 MHz; `None`: the model has none.
    pub noise: Option<Dbm>,
}

impl World {
    /// Something may be waiting in the queues of this category (`wake_tx_queue`). Cheap to repeat.
    pub fn pending(&mut self, now: Instant, edcaf: RadioEdcaf, mac: &mut impl Mac80211, out: &mut Outbox) {
        let RadioEdcaf { nic, ac } = edcaf;
        self.enter_radio(now, nic, out);
        self.low.requests.push(Request::Pending(nic, ac));
        self.grant_radio(now, mac, out);
    }

    /// This MPDU goes before everything in the queues of the category (`tx`): management, `BlockAckReq`, beacons at their time,
    /// buffered group frames, answers to sleeping stations.
    pub fn send_first(
        &mut self,
        now: Instant,
        edcaf: RadioEdcaf,
        mpdu: RadioMpdu,
        mac: &mut impl Mac80211,
        out: &mut Outbox,
    ) {
        let RadioEdcaf { nic, ac } = edcaf;
        self.enter_radio(now, nic, out);
        let mpdu = self.linux.take(nic, None, &mpdu);
        self.low.requests.push(Request::SendFirst(nic, ac, mpdu));
        self.grant_radio(now, mac, out);
    }

    /// An interface of this radio has this address now (`add_interface`): frames for it reach this radio.
    pub fn add_address(&mut self, now: Instant, nic: NicId, address: MacAddress, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        self.linux.add_address(nic, address);
    }

    /// No interface of this radio has this address any more (`remove_interface`).
    pub fn remove_address(&mut self, now: Instant, nic: NicId, address: MacAddress, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        self.linux.remove_address(nic, address);
    }

    /// This radio is tuned to a channel, or to none. It first ends the exchange that it is in.
    pub fn channel(
        &mut self,
        now: Instant,
        nic: NicId,
        tuned: Option<RadioChannel>,
        mac: &mut impl Mac80211,
        out: &mut Outbox,
    ) {
        self.enter_radio(now, nic, out);
        self.with_low(mac, out, |low, macs| low.tune(now, nic, tuned, macs));
        self.grant_radio(now, mac, out);
    }

    /// Access parameters of a category (`conf_tx`). A backoff that runs goes on with those before.
    pub fn edca(&mut self, now: Instant, edcaf: RadioEdcaf, parameters: AccessParameters, out: &mut Outbox) {
        let RadioEdcaf { nic, ac } = edcaf;
        self.enter_radio(now, nic, out);
        self.low.set_access(now, nic, ac, &parameters);
    }

    /// MU EDCA parameters of a category (`conf_tx`, `mu_edca_param_rec`); `None`: its access point announces none. A timer of 0 is
    /// reserved, and what hostapd announces where nothing is configured: it is none.
    pub fn mu_edca(
        &mut self,
        now: Instant,
        edcaf: RadioEdcaf,
        parameters: Option<MuEdcaParameters>,
        out: &mut Outbox,
    ) {
        let RadioEdcaf { nic, ac } = edcaf;
        self.enter_radio(now, nic, out);
        self.low.set_mu_edca(now, nic, ac, parameters.filter(|parameters| parameters.timer > 0));
    }

    /// The block acknowledgement window of a queue; 0: there is no agreement any more (`ampdu_action`).
    pub fn agreement(&mut self, now: Instant, nic: NicId, txq: TxqId, window: u16, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        self.linux.agreement(txq, window);
        let txq = self.linux.asked(nic, txq);
        self.low.buffers.agree(txq, (window > 0).then_some(window));
    }

    /// The MPDUs of a queue that the lower half buffers end now: [`Mac80211::mpdu_done`] says so of each MPDU before this returns, but for what
    /// is in an exchange, which ends with it, without repetition.
    pub fn purge(&mut self, now: Instant, nic: NicId, txq: TxqId, mac: &mut impl Mac80211, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        let txq = self.linux.queue(txq);
        self.with_low(mac, out, |low, macs| low.purge(now, nic, txq, macs));
        self.complete_radio(now, nic, mac, out);
        self.grant_radio(now, mac, out);
    }

    /// Switches monitor mode: the radio gets every frame that it can decode, whatever its receiver.
    pub fn monitor(&mut self, now: Instant, nic: NicId, on: bool, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        self.low.exchanges.monitor(nic, on);
        if on {
            self.watch_control_frames();
        }
    }

    /// This radio stops: all MPDUs that the lower half buffers for it are purged.
    pub fn stop(&mut self, now: Instant, nic: NicId, mac: &mut impl Mac80211, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        self.with_low(mac, out, |low, macs| low.purge_all(now, nic, macs));
        self.complete_radio(now, nic, mac, out);
        self.grant_radio(now, mac, out);
    }

    /// Whether the lower half buffers nothing for this radio, it is in no exchange, and all its frames are completed (`flush` waits for
    /// it).
    pub fn flush(&self, nic: NicId) -> bool {
        self.assert_radio(nic);
        self.low.is_empty(nic) && !self.interrupts.completes(nic)
    }

    /// The power that this radio sends with, from the next PPDU on.
    pub fn tx_power(&mut self, now: Instant, nic: NicId, power: Dbm, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        self.links.channel.set_power(now, nic, power);
        self.low.on_air.update_hearing(now, &self.links.channel);
    }

    /// A radio is associated with the access point that has this address (`None`: with none any more). What it and the radios that
    /// are associated with the same one send is its own BSS ([`ChannelLoad::bss_rx`]).
    pub fn associated(
        &mut self,
        now: Instant,
        nic: NicId,
        access_point: Option<MacAddress>,
        out: &mut Outbox,
    ) {
        self.enter_radio(now, nic, out);
        let access_point = access_point.and_then(|address| self.linux.radio_at(address));
        let bss = access_point.map(BssId::AccessPoint);
        if let Some(access_point) = access_point {
            // A program may have made it one.
            self.low.turn_to_bss(now, access_point, bss);
        }
        self.low.turn_to_bss(now, nic, bss);
        self.low.exchanges.associated(nic, access_point);
    }

    /// A station of this access point, which has this address, sleeps, or has woken up (`sta_notify`).
    pub fn asleep(&mut self, now: Instant, nic: NicId, station: MacAddress, asleep: bool, out: &mut Outbox) {
        self.enter_radio(now, nic, out);
        if let Some(station) = self.linux.radio_at(station) {
            self.low.exchanges.asleep(nic, station, asleep);
        }
    }

    /// What this radio has sensed and sent since the start of virtual time, on all its channels (`get_survey`).
    pub fn survey(&mut self, now: Instant, nic: NicId, out: &mut Outbox) -> Survey {
        self.enter_radio(now, nic, out);
        Survey {
            load: self.low.channel_load(now, nic),
            noise: self
                .links
                .noisy
                .then(|| Milliwatt::new(self.links.channel.noise_mw(Width::Mhz20)).to_dbm()),
        }
    }

    fn enter_radio(&mut self, now: Instant, nic: NicId, out: &mut Outbox) {
        self.assert_radio(nic);
        self.pass(now, out);
    }

    fn assert_radio(&self, nic: NicId) {
        assert!(
            self.linux.is_radio(nic),
            "air.nics[{}] runs airtcp's own MAC: only radios of mac80211 take this call",
            nic.0
        );
    }

    /// What has ended for a radio's card ends for its host, whatever interrupt it waits for.
    fn complete_radio(&mut self, now: Instant, nic: NicId, mac: &mut impl Mac80211, out: &mut Outbox) {
        self.take_card_events(now);
        let Self { low, upper, linux, links, cards, interrupts, .. } = self;
        let own = OwnMac { upper, links, out: &mut out.actions };
        interrupts.complete(now, nic, &mut UpperMacs { own, linux, mac, cards }, &mut low.requests);
    }

    fn grant_radio(&mut self, now: Instant, mac: &mut impl Mac80211, out: &mut Outbox) {
        self.with_low(mac, out, |low, macs| low.grant(now, macs));
    }

    fn with_low<M: Mac80211>(
        &mut self,
        mac: &mut M,
        out: &mut Outbox,
        call: impl FnOnce(&mut Low, &mut UpperMacs<'_, M>),
    ) {
        let Self { low, upper, linux, links, cards, .. } = self;
        let own = OwnMac { upper, links, out: &mut out.actions };
        call(low, &mut UpperMacs { own, linux, mac, cards });
    }
}
