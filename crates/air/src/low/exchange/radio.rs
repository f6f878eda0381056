//! What one NIC does: its exchange, what it will answer, and what it waits for.

use airtcp_plan::{AirPlan, Delivery, LinuxRateControl};
use airtcp_units::{Duration, Instant};

use super::edcaf::{Edcaf, Edcafs};
use super::mu_edca::MuEdca;
use super::shared_by_users::{MultiUser, TriggeredResponse};
use super::sharing::Sharing;
use super::uplink::{Grant, Triggering, may_be_asked};
use crate::border::{AccessCategory, Mpdu, MpduKind, Protection, Receiver, TxqId};
use crate::low::cell::{Cell, Response};
use crate::low::contention::AccessFunction;
use crate::low::multi_user::{BufferStatus, OfdmaBackoff};
use crate::low::on_air::{DataSpan, Emission, Others, Trigger, UserId, Users, beacons_after_pifs};
use crate::phy::{ToneShare, TxVector, Width};
use crate::{NicId, PpduKind};

/// What a NIC waits for in its exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Data follows by SIFS: after a CTS, the NIC's own or that of its receiver, or in a TXOP.
    Ready,
    /// The RTS is on the air, or the CTS is due.
    Clearing,
    /// Data is on the air, or the response is due.
    Sending,
    /// The next user of several will be asked for its acknowledgement.
    Asking,
    /// The next user is being asked, or its acknowledgement is due.
    Asked,
    /// A trigger frame for an uplink is sent, or answers to it are due.
    Triggering,
    /// What has been sent in answer to a trigger frame is acknowledged.
    Acknowledging,
    /// Data is on the air that answers a trigger frame, or its acknowledgement is due.
    Answering { by_random_access: bool },
}

impl Step {
    /// Whether MPDUs of the exchange are on the air.
    #[inline]
    pub(super) const fn carries_data(self) -> bool {
        matches!(self, Self::Sending | Self::Answering { .. })
    }
}

/// One receiver of an exchange: what it is sent, and what became of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExchangeUser {
    /// The queue of its MPDUs; `None`: frames that go before all queues.
    pub(super) txq: Option<TxqId>,
    pub(super) receiver: Receiver,
    /// Mode of the user's PSDU.
    pub(super) tx: TxVector,
    /// Bandwidth of the PPDU: that of the mode, or of all copies of a control frame.
    pub(super) width: Width,
    /// What rate control chose, and hears about; a narrower channel may ask for another.
    pub(super) chosen: TxVector,
    /// Window of its agreement, if it is asked for a `BlockAck`.
    pub(super) window: Option<u16>,
    /// Least octets from the start of an MPDU to that of the next, in this mode.
    pub(super) spacing_octets: u32,
    pub(super) probe: bool,
    pub(super) attempt: u32,
    pub(super) psdu_bytes: u32,
    /// The response that its PSDU asks for: mode, length and duration.
    pub(super) response: Option<Response>,
    /// Whether the response came.
    pub(super) answered: bool,
    /// Whether the upper half takes back the MPDUs that are left for this receiver.
    pub(super) purged: bool,
}

/// A frame exchange that a NIC has begun.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    /// What has gained the medium for it.
    pub(super) function: AccessFunction,
    /// Whether the exchange begins its TXOP; others follow by SIFS.
    pub(super) begins_txop: bool,
    pub(super) step: Step,
    /// What goes before the data: a PSDU over the RTS threshold begins with RTS in any case.
    pub(super) protection: Protection,
    /// Duration of its data PPDU.
    pub(super) data: Duration,
    /// Whether others were on the air with its data.
    pub(super) collided: bool,
    /// Start of the first PPDU of the exchange.
    pub(super) began: Instant,
    /// Time at which the TXOP must have ended; the far future without a limit.
    pub(super) txop_end: Instant,
    /// The widest PPDU that its TXOP allows: no later one is wider than what was idle at its start (10.23.2.8).
    pub(super) widest: Width,
    pub(super) users: Users<ExchangeUser>,
    /// What several users share; `None`: there is one.
    pub(super) multi_user: Option<Box<MultiUser>>,
}

impl Exchange {
    /// The mode from which that of the control frames before the data follows.
    #[inline]
    pub(super) fn tx(&self) -> TxVector {
        self.users.first().tx
    }

    /// The width of its data PPDU.
    #[inline]
    pub(super) fn width(&self) -> Width {
        self.users.largest(|user| user.width)
    }

    /// Whether data of the exchange goes to a group.
    #[inline]
    pub(super) fn is_for_group(&self) -> bool {
        self.users.first().receiver == Receiver::Group
    }

    /// What follows its data, with the SIFS before each frame: the response, or those of several users.
    #[inline]
    pub(super) fn after_data(&self, cell: &Cell) -> Duration {
        match (&self.multi_user, self.users.first().response) {
            (Some(multi_user), _) => match multi_user.triggered {
                Some(triggered) => multi_user.after_data_triggered(triggered, cell),
                None => self.after_request(UserId::FIRST, multi_user, cell),
            },
            (None, Some(response)) => cell.times.sifs + response.duration,
            (None, None) => Duration::ZERO,
        }
    }

    /// The user of the exchange that a user of its PPDU on the air is.
    #[inline]
    pub(super) fn user_of_ppdu(&self, user: UserId) -> UserId {
        match &self.multi_user {
            Some(multi_user) if self.step == Step::Asked && multi_user.triggered.is_none() => {
                multi_user.asked
            }
            _ => user,
        }
    }

    /// How several users answer a trigger frame; `None`: they do not.
    #[inline]
    pub(super) fn triggered(&self) -> Option<TriggeredResponse> {
        self.multi_user.as_ref().and_then(|multi_user| multi_user.triggered)
    }

    /// Whether its protection asks all users.
    #[inline]
    pub(super) fn has_mu_rts(&self) -> bool {
        self.multi_user.as_ref().is_some_and(|multi_user| multi_user.mu_rts)
    }

    /// Whether several users answer together what has been sent: MU-RTS, or a trigger frame.
    #[inline(always)]
    pub(super) fn is_answered_together(&self) -> bool {
        let Some(multi_user) = &self.multi_user else { return self.step == Step::Triggering };
        match self.step {
            Step::Clearing => multi_user.mu_rts,
            Step::Asked => multi_user.triggered.is_some(),
            Step::Sending => multi_user.triggered.is_some_and(|triggered| triggered.is_aggregated),
            Step::Ready | Step::Asking | Step::Triggering | Step::Acknowledging | Step::Answering { .. } => {
                false
            }
        }
    }

    /// What an answer to its trigger frame, or to its MU-RTS, needs beside.
    #[cold]
    pub(super) fn trigger_of(&self, answer: &Answer) -> Triggered {
        let trigger = Trigger { by: answer.to, start: answer.start, tones: self.tone_count() };
        let span = self.triggered().filter(|_| !answer.cts).map(|triggered| triggered.span);
        Triggered { trigger, span, grant: None }
    }

    /// Tones of all users.
    pub(super) fn tone_count(&self) -> u32 {
        self.users.iter().map(|user| user.tx.allocation.tone_count()).sum()
    }

    /// The part of the medium's time that counts as a user's.
    #[inline]
    pub(super) fn tone_share(&self, user: UserId) -> ToneShare {
        if self.multi_user.is_none() {
            return ToneShare::WHOLE;
        }
        ToneShare { own: self.users[user].tx.allocation.tone_count(), all: self.tone_count() }
    }
}

/// What a NIC will answer SIFS after what it received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) to: NicId,
    pub(super) cts: bool,
    /// The attempt that it answers.
    pub(super) attempt: u32,
    pub(super) response: Response,
    pub(super) width: Width,
    pub(super) start: Instant,
    pub(super) nav_until: Instant,
}

impl Answer {
    /// The kind of its PPDU, unless it carries data.
    #[inline]
    pub(super) const fn kind(&self) -> PpduKind {
        match (self.cts, self.response.block_ack) {
            (true, _) => PpduKind::Cts,
            (false, true) => PpduKind::BlockAck,
            (false, false) => PpduKind::Ack,
        }
    }

    /// Its PPDU.
    #[inline]
    pub(super) const fn emission(&self, kind: PpduKind) -> Emission {
        let &Self { start, width, response, nav_until, .. } = self;
        Emission { kind, start, width, duration: response.duration, nav_until }
    }
}

/// What a NIC needs for an answer to a trigger frame beside the answer: which frame, and where its data is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triggered {
    pub(super) trigger: Trigger,
    /// `None`: it follows from the mode.
    pub(super) span: Option<DataSpan>,
    /// What a trigger frame for an uplink lets it send.
    pub(super) grant: Option<Grant>,
}

/// The wait of a NIC for a response (IEEE 802.11-2020, 10.3.2.9 and 10.3.2.11).
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// The NIC that should respond; `None`: nobody has the address.
    pub(super) responder: Option<NicId>,
    /// Latest start of a PPDU that, if heard, ends the wait at its own end.
    pub(super) heard_by: Instant,
    /// End of the wait if nothing has been heard to begin.
    pub(super) timeout_at: Instant,
    /// Transmitter of the PPDU that the NIC has heard begin.
    pub(super) hears: Option<NicId>,
}

impl Wait {
    /// The response begins already, and nobody can come between.
    pub(super) const fn answered_by(responder: NicId) -> Self {
        let never = Instant::FAR_FUTURE;
        Self {
            responder: Some(responder),
            heard_by: Instant::ZERO,
            timeout_at: never,
            hears: Some(responder),
        }
    }
}

/// What the two halves of a radio leave to each other; decided when the scene is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capabilities {
    /// A PSDU over the RTS threshold of its cell begins with RTS. If not, rate control alone says what does.
    pub(super) rts_threshold: bool,
    /// The upper half limits the airtime on its way and does not say when that lets a queue go on, so it is asked again after each
    /// exchange (AQL, whose `wake_tx_queue` comes with the next packet only).
    pub(super) airtime_limit_above: bool,
    /// Group frames go to every NIC on the channel, and the upper half filters them. If not, they go to the NICs of the cell.
    pub(super) filters_groups_above: bool,
}

impl Capabilities {
    /// Capabilities of a NIC with airtcp's own MAC.
    pub(super) const OWN_MAC: Self =
        Self { rts_threshold: true, airtime_limit_above: false, filters_groups_above: false };

    /// Capabilities of a radio of mac80211.
    pub(super) const fn mac80211(rts_threshold: bool) -> Self {
        Self { rts_threshold, airtime_limit_above: true, filters_groups_above: true }
    }
}

/// The frame exchanges of one radio interface.
#[derive(Debug)]
pub(crate) struct Radio {
    pub(super) edcafs: Edcafs,
    pub(super) delivery: Delivery,
    /// Whether the radio has four access categories, or DCF.
    pub(super) edca: bool,
    /// Whether beacons follow PIFS without backoff.
    beacons_after_pifs: bool,
    pub(super) exchange: Option<Exchange>,
    pub(super) answer: Option<Answer>,
    /// What its answer needs beside, if a trigger frame asks for it.
    pub(super) triggered: Option<Triggered>,
    pub(super) wait: Option<Wait>,
    /// MPDUs that arrived in the PPDU at hand; kept for its memory.
    pub(super) arrived: Vec<Mpdu>,
    /// Users of exchanges behind the first; kept for its memory.
    pub(super) users: Others<ExchangeUser>,
    /// What an access point has for PPDUs of several users.
    pub(super) sharing: Option<Box<Sharing>>,
    /// What it has for uplinks that it triggers.
    pub(super) triggering: Option<Box<Triggering>>,
    /// What the data at hand of a station tells its access point of what waits in its queues; `None`: it never does.
    pub(super) buffer_status: Option<BufferStatus>,
    /// What a station has for random access RUs of trigger frames; `None`: nobody offers it any.
    pub(super) ofdma_backoff: Option<Box<OfdmaBackoff>>,
    /// What a station has for the time after it has answered a trigger frame.
    pub(super) mu_edca: Option<Box<MuEdca>>,
    pub(super) capabilities: Capabilities,
    /// Whether the radio gets every frame that it can decode (monitor mode).
    pub(super) monitors: bool,
}

impl Radio {
    /// A NIC that never sent.
    pub(crate) fn new(plan: &AirPlan, id: NicId, seed: u64) -> Self {
        let nic = &plan.nics[id.index()];
        let cell = &plan.cells[nic.cell as usize];
        let retries = cell.station_retry_limit;
        let edcaf = |function: AccessFunction| match (nic.access_in(cell), function.category()) {
            (_, None) => Edcaf::of_beacons(seed, nic.mac),
            ([dcf], _) => Edcaf::new(dcf, seed, nic.mac, None, retries),
            (categories, Some(ac)) => {
                Edcaf::new(&categories[ac as usize], seed, nic.mac, Some(ac as u8), retries)
            }
        };
        Self {
            edcafs: Edcafs::new(edcaf),
            delivery: nic.delivery,
            edca: cell.access.len() == 4,
            beacons_after_pifs: beacons_after_pifs(plan, id),
            exchange: None,
            answer: None,
            triggered: None,
            wait: None,
            arrived: Vec::new(),
            users: Others::default(),
            sharing: Sharing::of_plan(plan, id),
            triggering: Triggering::of_plan(plan, id),
            buffer_status: may_be_asked(plan, id, |_| true).then(BufferStatus::default),
            ofdma_backoff: may_be_asked(plan, id, |uplink| uplink.random_access.is_some())
                .then(|| Box::new(OfdmaBackoff::new(seed, nic.mac))),
            mu_edca: MuEdca::of_plan(plan, id),
            capabilities: cell.linux.as_ref().map_or(Capabilities::OWN_MAC, |linux| {
                Capabilities::mac80211(linux.rate_control == LinuxRateControl::Ours)
            }),
            monitors: false,
        }
    }

    /// An exchange is over: the next one has its memory.
    #[inline(always)]
    pub(super) fn keep_memory(&mut self, exchange: Exchange) {
        let users = exchange.users.into_memory();
        if users.has_memory() {
            self.users = users;
        }
        if let (Some(multi_user), Some(sharing)) = (exchange.multi_user, &mut self.sharing) {
            sharing.multi_user = Some(multi_user);
        }
    }

    /// Whether a function contends for a trigger frame for an uplink.
    #[inline]
    pub(super) fn wants_trigger(&self, function: AccessFunction) -> bool {
        let due = self.triggering.as_ref().and_then(|triggering| triggering.turns.category());
        due.is_some_and(|ac| function == AccessFunction::Category(ac))
    }

    /// What contends for a frame that goes before all queues of a category.
    pub(super) fn function_for(&self, kind: MpduKind, ac: AccessCategory) -> AccessFunction {
        if self.beacons_after_pifs && kind == MpduKind::Beacon { AccessFunction::Beacons } else { ac.into() }
    }

    /// The category as which TXOPs of a function are recorded: that of beacons which contend.
    pub(super) const fn recorded_category(&self, function: AccessFunction) -> AccessCategory {
        match function {
            AccessFunction::Category(ac) => ac,
            AccessFunction::Beacons => self.beacon_category(),
        }
    }

    /// The category of beacons: the highest that there is.
    pub(super) const fn beacon_category(&self) -> AccessCategory {
        if self.edca { AccessCategory::Voice } else { AccessCategory::BestEffort }
    }
}
