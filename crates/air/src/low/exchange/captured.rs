//! What a capture has of exchanges with several stations: whom trigger frames ask, and what a `BlockAck` for all acknowledges.

use super::uplink::UplinkTrigger;
use crate::PpduKind;
use crate::border::{BlockAck, Receiver};
use crate::low::Low;
use crate::low::context::Context;
use crate::low::multi_user::TriggerKind;
use crate::low::noted::{CapturedSending, mark};
use crate::low::on_air::{Ppdu, Reception, UserId};
use crate::phy::multi_user::TbParameters;
use crate::phy::{Allocation, BLOCK_ACK_64_BYTES, TxVector, block_ack_bytes};
use crate::trace::{AskedOfStation, CapturedTrigger, TriggerVariant, TriggeredStation};

impl Low {
    /// Captures a PPDU that ends now, if the air is captured: once for each user, but once in all what is one frame for them.
    #[inline]
    pub(super) fn capture(&mut self, ppdu: &Ppdu, high: &mut impl Context) {
        if self.notes.capture_of(ppdu).is_some() {
            self.capture_users(ppdu, high);
        }
    }

    #[cold]
    fn capture_users(&mut self, ppdu: &Ppdu, high: &mut impl Context) {
        let frames = if ppdu.is_one_frame_for_all() { 1 } else { ppdu.users.count() };
        for user in ppdu.users.ids().take(frames) {
            let trigger = match ppdu.kind {
                PpduKind::Rts if ppdu.is_trigger_frame() => self.capture_mu_rts(ppdu),
                PpduKind::Trigger if self.asks_for_uplink(ppdu) => self.capture_uplink_trigger(ppdu),
                PpduKind::Trigger => self.capture_mu_bar(ppdu, ppdu.users.ids()),
                PpduKind::Data if ppdu.users[user].own_trigger.is_some() => {
                    self.capture_mu_bar(ppdu, std::iter::once(user))
                }
                PpduKind::MultiStaBlockAck => {
                    self.capture_acknowledged(ppdu);
                    None
                }
                _ => None,
            };
            let sending = CapturedSending { psdus: self.buffers.psdus(ppdu.from), trigger };
            self.notes.capture(ppdu, user, &self.on_air, &sending, high);
        }
    }

    fn asks_for_uplink(&self, ppdu: &Ppdu) -> bool {
        let exchange = self.exchanges.radios[ppdu.from].exchange.as_ref();
        exchange.is_some_and(|exchange| exchange.multi_user.is_none())
    }

    /// MU-RTS: every station answers with the same CTS, on the whole width.
    fn capture_mu_rts(&mut self, ppdu: &Ppdu) -> Option<CapturedTrigger> {
        let captured = self.notes.capture_of(ppdu)?;
        for user in ppdu.users.iter() {
            captured.add_triggered(TriggeredStation {
                station: user.receiver.nic(),
                tx: TxVector { allocation: Allocation::whole(ppdu.width), ..user.tx },
                target: None,
                asked: AskedOfStation::Nothing,
            });
        }
        Some(CapturedTrigger { variant: TriggerVariant::MuRts, width: ppdu.width, answers: None })
    }

    /// MU-BAR for these users, which comes after the data of all of them, or at the end of the PSDU of one.
    fn capture_mu_bar(
        &mut self,
        ppdu: &Ppdu,
        users: impl Iterator<Item = UserId>,
    ) -> Option<CapturedTrigger> {
        let radio = &self.exchanges.radios[ppdu.from];
        let (exchange, sharing) = (radio.exchange.as_ref()?, radio.sharing.as_ref()?);
        let captured = self.notes.capture_of(ppdu)?;
        for user in users {
            let of_user = &exchange.users[user];
            let first = self.buffers.psdu(ppdu.from, user).first()?.mpdu;
            captured.add_triggered(TriggeredStation {
                station: of_user.receiver.nic(),
                tx: of_user.response?.tx,
                target: None,
                asked: AskedOfStation::BlockAck { tid: first.tid, start: first.sequence },
            });
        }
        let answers = Some(TbParameters::holding(&sharing.answers));
        Some(CapturedTrigger { variant: TriggerVariant::MuBar, width: exchange.width(), answers })
    }

    /// Basic or BSRP; behind the stations that it names are random access RUs.
    fn capture_uplink_trigger(&mut self, ppdu: &Ppdu) -> Option<CapturedTrigger> {
        let triggering = self.exchanges.radios[ppdu.from].triggering.as_ref()?;
        let UplinkTrigger { kind, data, .. } = triggering.trigger?;
        let captured = self.notes.capture_of(ppdu)?;
        for (place, user) in triggering.users.iter().enumerate() {
            let named = triggering.asked.get(place);
            captured.add_triggered(TriggeredStation {
                station: named.map(|asked| asked.station),
                tx: user.tx,
                target: triggering.target,
                asked: match (kind, named) {
                    (TriggerKind::Basic, Some(asked)) => AskedOfStation::Data(asked.preferred),
                    _ => AskedOfStation::Nothing,
                },
            });
        }
        let variant = match kind {
            TriggerKind::Basic => TriggerVariant::Basic,
            TriggerKind::Bsrp => TriggerVariant::Bsrp,
        };
        let answers = Some(TbParameters::of(&triggering.users, data));
        let width = triggering.users.first()?.tx.width();
        Some(CapturedTrigger { variant, width, answers })
    }

    /// What the `BlockAck` for all says of each station whose data has come: all of a PPDU's only MPDU, or a bitmap.
    fn capture_acknowledged(&mut self, ppdu: &Ppdu) {
        let Some(exchange) = &self.exchanges.radios[ppdu.from].exchange else { return };
        let Some(captured) = self.notes.capture_of(ppdu) else { return };
        for user in exchange.users.iter().filter(|user| user.answered) {
            let Receiver::One(station) = user.receiver else { continue };
            let data = self.on_air.ppdu(station);
            let (mpdus, received) = (&data.mpdus[UserId::FIRST], &data.received[UserId::FIRST]);
            let Some(first) = mpdus.first() else { continue };
            if mpdus.len() == 1 {
                captured.add_acknowledged(station, first.tid, None);
                continue;
            }
            let octets = block_ack_bytes(user.window.unwrap_or_default()) - BLOCK_ACK_64_BYTES + 8;
            let mut bitmap = vec![0; octets as usize];
            for (mpdu, _) in mpdus.iter().zip(received).filter(|&(_, of)| *of == Reception::Good) {
                mark(&mut bitmap, mpdu.sequence.wrapping_sub(first.sequence) & 0xfff);
            }
            let block_ack = BlockAck { tid: first.tid, start: first.sequence, bitmap: &bitmap };
            captured.add_acknowledged(station, first.tid, Some(&block_ack));
        }
    }
}
