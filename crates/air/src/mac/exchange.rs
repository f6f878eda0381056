//! Frame exchanges: data, its acknowledgement or none, and what everybody does next.

use airtcp_units::Instant;

use super::hearing::{Hearing, Last};
use super::host::{Action, Outbox};
use super::nic::{Outgoing, Sending};
use super::{DropReason, Mac, NicId, Receiver};
use crate::channel::Link;
use crate::des::Event;
use crate::low::Activity;
use crate::phy::{ACK_BYTES, OfdmRate};
use crate::random::Purpose;
use crate::trace::{PpduKind, PpduOutcome, PpduRecord, signed_nanos};

impl Mac {
    /// The next access to this medium: PPDUs start.
    pub(crate) fn start(&mut self, medium: usize) {
        let now = self.media[medium].contention.next();
        let mut starting = std::mem::take(&mut self.starting);
        self.media[medium].contention.seize(&mut starting);
        for &member in &starting {
            let id = self.media[medium].members[member];
            let rate = self.head_rate(id).expect("only who has a frame contends");
            let airtime = self.head_airtime(id).expect("only who has a frame contends");
            let nic = &mut self.nics[id.0 as usize];
            nic.sending = Some(Sending { start: now, rate });
            nic.attempts += 1;
            self.events.plan(now + airtime, Event::DataEnd(id));
        }
        let medium = &mut self.media[medium];
        if medium.on_air == 0 {
            medium.on_air_since = now;
        }
        medium.on_air += starting.len() as u32;
        medium.collided = medium.on_air > 1;
        medium.airtime.turn_to(now, if medium.collided { Activity::Collision } else { Activity::Data });
        starting.clear();
        self.starting = starting;
    }

    /// An event is due.
    pub(crate) fn handle(&mut self, now: Instant, event: Event, out: &mut Outbox) {
        match event {
            Event::DataEnd(id) => self.data_end(now, id, out),
            Event::AckEnd(id) => self.ack_end(now, id, out),
            Event::AckTimeout(id) => self.fail(now, id, out),
        }
    }

    fn data_end(&mut self, now: Instant, id: NicId, out: &mut Outbox) {
        let nic = &self.nics[id.0 as usize];
        let frame = *nic.queue.head().expect("a frame on the air is in its queue");
        let sending = nic.sending.expect("its data PPDU ends");
        let m = nic.medium;
        let medium = &mut self.media[m];
        medium.on_air -= 1;
        let outcome = if medium.collided {
            PpduOutcome::Collision
        } else {
            self.receive_data(id, &frame, sending.rate, out)
        };
        self.book_data(now, id, &frame, outcome, out);
        let answered = match frame.receiver {
            Receiver::Group { .. } => {
                self.succeed(now, id, out);
                false
            }
            _ => self.await_ack(now, id, outcome),
        };
        let medium = &self.media[m];
        if medium.on_air == 0 && !answered {
            let last =
                Last::Data { from: id, to: frame.receiver, rate: sending.rate, psdu_bytes: frame.psdu_bytes };
            self.release(now, m, if medium.collided { Last::Collision } else { last });
        }
    }

    /// Whether an acknowledgement comes; if not, the sender will notice.
    fn await_ack(&mut self, now: Instant, id: NicId, outcome: PpduOutcome) -> bool {
        let nic = &self.nics[id.0 as usize];
        let rate = nic.sending.expect("data was sent").rate;
        let medium = &mut self.media[nic.medium];
        let timing = medium.timing;
        if outcome != PpduOutcome::Received {
            self.events.plan(now + timing.ack_timeout, Event::AckTimeout(id));
            return false;
        }
        let (_, ack) = self.cells[nic.cell].responses[rate as usize];
        medium.airtime.turn_to(now, Activity::Response);
        self.events.plan(now + timing.sifs + ack, Event::AckEnd(id));
        true
    }

    /// Undisturbed data reaches its receivers, or is lost to noise.
    fn receive_data(&mut self, id: NicId, frame: &Outgoing, rate: OfdmRate, out: &mut Outbox) -> PpduOutcome {
        let cell = self.nics[id.0 as usize].cell;
        let to = match frame.receiver {
            Receiver::Group { except } => return self.receive_group(id, frame, except, out),
            Receiver::Station(station) => station,
            Receiver::AccessPoint { .. } => self.cells[cell].access_point,
        };
        let link = Link { from: id, to, purpose: Purpose::Data };
        if !self.reception.receives(link, rate, frame.psdu_bytes) {
            return PpduOutcome::Corrupted;
        }
        if !frame.received {
            let head = self.nics[id.0 as usize].queue.head_mut();
            head.expect("a frame on the air is in its queue").received = true;
            let (deliver, relay) = match frame.receiver {
                Receiver::AccessPoint { deliver, relay } => (deliver, relay),
                _ => (true, false),
            };
            if deliver {
                self.deliver(to, frame, out);
            }
            if relay {
                out.actions.push(Action::Relay { nic: to, frame: frame.handle });
            }
        }
        PpduOutcome::Received
    }

    fn receive_group(
        &mut self,
        id: NicId,
        frame: &Outgoing,
        except: Option<NicId>,
        out: &mut Outbox,
    ) -> PpduOutcome {
        let cell = self.nics[id.0 as usize].cell;
        let rate = self.cells[cell].group_rate;
        let mut outcome = PpduOutcome::Received;
        for place in 0..self.cells[cell].stations.len() {
            let to = self.cells[cell].stations[place].1;
            let link = Link { from: id, to, purpose: Purpose::Data };
            let read = self.reception.receives(link, rate, frame.psdu_bytes);
            self.nics[to.0 as usize].read_group = read;
            if !read {
                outcome = PpduOutcome::Corrupted;
            } else if except != Some(to) {
                self.deliver(to, frame, out);
            }
        }
        outcome
    }

    fn deliver(&mut self, to: NicId, frame: &Outgoing, out: &mut Outbox) {
        self.nics[to.0 as usize].books.delivered += 1;
        out.actions.push(Action::Deliver { nic: to, frame: frame.handle });
    }

    fn ack_end(&mut self, now: Instant, id: NicId, out: &mut Outbox) {
        let nic = &self.nics[id.0 as usize];
        let (cell, m) = (&self.cells[nic.cell], nic.medium);
        let frame = nic.queue.head().expect("a frame that is answered is in its queue");
        let (rate, airtime) = cell.responses[nic.sending.expect("data was sent").rate as usize];
        let from = match frame.receiver {
            Receiver::Station(station) => station,
            _ => cell.access_point,
        };
        let link = Link { from, to: id, purpose: Purpose::Response };
        let read = self.reception.receives(link, rate, ACK_BYTES);
        self.nics[from.0 as usize].books.airtime += airtime;
        let attempt = self.nics[id.0 as usize].attempts;
        if self.trace {
            out.ppdus.push(PpduRecord {
                start_ns: self.since_epoch(now) - signed_nanos(airtime),
                end_ns: self.since_epoch(now),
                nic: from,
                to: Some(id),
                kind: PpduKind::Ack,
                rate: rate.bit_rate(),
                bytes: ACK_BYTES,
                attempt,
                outcome: if read { PpduOutcome::Received } else { PpduOutcome::Corrupted },
            });
        }
        if read {
            self.succeed(now, id, out);
        } else {
            self.fail(now, id, out);
        }
        self.release(now, m, Last::Response { from, to: id, rate, read });
    }

    /// The head was acknowledged, or needed no acknowledgement.
    fn succeed(&mut self, now: Instant, id: NicId, out: &mut Outbox) {
        self.leave(now, id, None, out);
        let (medium, member) = self.place(id);
        self.media[medium].dcf.reset(member);
        self.back_off(now, id);
    }

    /// No acknowledgement came, or it could not be read (10.3.2.11, 10.3.3, 10.3.4.4).
    fn fail(&mut self, now: Instant, id: NicId, out: &mut Outbox) {
        let (medium, member) = self.place(id);
        let nic = &self.nics[id.0 as usize];
        if nic.attempts >= self.cells[nic.cell].retry_limit {
            self.leave(now, id, Some(DropReason::RetryLimit), out);
            self.media[medium].dcf.reset(member);
        } else {
            self.media[medium].dcf.widen(member);
        }
        self.back_off(now, id);
    }

    fn back_off(&mut self, now: Instant, id: NicId) {
        let waiting = self.head_airtime(id);
        let (medium, member) = self.place(id);
        let medium = &mut self.media[medium];
        let ready = now + medium.timing.difs;
        medium.contention.begin_backoff(member, ready, waiting, &mut medium.dcf);
    }

    /// The medium falls silent: everybody learns what to wait for.
    fn release(&mut self, now: Instant, m: usize, last: Last) {
        let medium = &mut self.media[m];
        medium.fall_silent(now);
        let (nics, cells, reception) = (&self.nics, &self.cells, &mut self.reception);
        let mut hearing =
            Hearing { nics, cells, reception, timing: medium.timing, last, since: medium.on_air_since };
        let members = &medium.members;
        medium.contention.release(now, &mut medium.dcf, |member| hearing.deference(members[member]));
    }

    fn book_data(
        &mut self,
        now: Instant,
        id: NicId,
        frame: &Outgoing,
        outcome: PpduOutcome,
        out: &mut Outbox,
    ) {
        let nic = &mut self.nics[id.0 as usize];
        let sending = nic.sending.expect("its data PPDU ends");
        nic.books.transmissions += 1;
        nic.books.retries += u64::from(nic.attempts > 1);
        nic.books.collisions += u64::from(outcome == PpduOutcome::Collision);
        nic.books.corrupted += u64::from(outcome == PpduOutcome::Corrupted);
        nic.books.airtime += now.since(sending.start);
        if !self.trace {
            return;
        }
        let (cell, attempt) = (nic.cell, nic.attempts);
        out.ppdus.push(PpduRecord {
            start_ns: self.since_epoch(sending.start),
            end_ns: self.since_epoch(now),
            nic: id,
            to: match frame.receiver {
                Receiver::AccessPoint { .. } => Some(self.cells[cell].access_point),
                Receiver::Station(station) => Some(station),
                Receiver::Group { .. } => None,
            },
            kind: PpduKind::Data,
            rate: sending.rate.bit_rate(),
            bytes: frame.psdu_bytes,
            attempt,
            outcome,
        });
    }

    fn place(&self, id: NicId) -> (usize, usize) {
        let nic = &self.nics[id.0 as usize];
        (nic.medium, nic.member)
    }

    fn since_epoch(&self, at: Instant) -> i64 {
        signed_nanos(at.since(Instant::ZERO)) - signed_nanos(self.epoch.since(Instant::ZERO))
    }
}
