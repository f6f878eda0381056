//! The lower half of one radio interface.

use airtcp_plan::{AggregatesFormed, Delivery, HardwareQueue, HardwareQueueSize};
use airtcp_units::{Duration, Instant};

use crate::NicId;
use crate::border::{AccessCategory, Mpdu, MpduKind, Protection, Receiver, TxqId};
use crate::low::buffer::{Edcafs, Held};
use crate::low::cell::{CellId, Response};
use crate::low::contention::{AccessFunction, MemberId};
use crate::low::noted::ModeCounts;
use crate::low::on_air::{MediumId, MediumPlace, PerUser, PrimaryId, Tuning, Users};
use crate::low::psdu::LengthLimit;
use crate::phy::{TxVector, Width};
use crate::trace::LinkCounters;

/// What a NIC waits for in its exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Data follows by SIFS: after a CTS, the NIC's own or that of its receiver, or in a TXOP.
    Ready,
    /// The RTS is on the air, or the CTS is due.
    Clearing,
    /// Data is on the air, or the response is due.
    Sending,
}

/// One receiver of an exchange: what it is sent, and what became of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExchangeUser {
    /// The queue of its MPDUs; `None`: frames that go before all queues.
    pub(crate) txq: Option<TxqId>,
    pub(crate) receiver: Receiver,
    /// Mode of the user's PSDU.
    pub(crate) tx: TxVector,
    /// Bandwidth of the PPDU: that of the mode, or of all copies of a control frame.
    pub(crate) width: Width,
    /// What rate control chose, and hears about; a narrower channel may ask for another.
    pub(crate) chosen: TxVector,
    /// Window of its agreement, if it is asked for a `BlockAck`.
    pub(crate) window: Option<u16>,
    /// Least octets from the start of an MPDU to that of the next, in this mode.
    pub(crate) spacing_octets: u32,
    pub(crate) probe: bool,
    pub(crate) attempt: u32,
    pub(crate) psdu_bytes: u32,
    /// The response that its PSDU asks for: mode, length and duration.
    pub(crate) response: Option<Response>,
    /// Whether the response came.
    pub(crate) answered: bool,
    /// Whether the upper half takes back the MPDUs that are left for this receiver.
    pub(crate) purged: bool,
}

/// A frame exchange that a NIC has begun.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// What has gained the medium for it.
    pub(crate) function: AccessFunction,
    /// Whether the exchange begins its TXOP; others follow by SIFS.
    pub(crate) begins_txop: bool,
    pub(crate) step: Step,
    /// What the rate chain asks to go before the data.
    pub(crate) asked_protection: Protection,
    /// What goes before the data: a PSDU over the RTS threshold begins with RTS in any case.
    pub(crate) protection: Protection,
    /// Duration of its data PPDU.
    pub(crate) data: Duration,
    /// Whether others were on the air with its data.
    pub(crate) collided: bool,
    /// Start of the first PPDU of the exchange.
    pub(crate) began: Instant,
    /// Time at which the TXOP must have ended; the far future without a limit.
    pub(crate) txop_end: Instant,
    /// The widest PPDU that its TXOP allows: no later one is wider than what was idle at its start (10.23.2.8).
    pub(crate) widest: Width,
    pub(crate) users: Users<ExchangeUser>,
}

impl Exchange {
    /// The mode from which that of the control frames before the data follows.
    #[inline]
    pub(crate) fn tx(&self) -> TxVector {
        self.users.first().tx
    }

    /// The width of its data PPDU.
    #[inline]
    pub(crate) fn width(&self) -> Width {
        self.users.iter().map(|user| user.width).max().expect("an exchange has a user")
    }

    /// Whether data of the exchange goes to a group.
    #[inline]
    pub(crate) fn is_for_group(&self) -> bool {
        self.users.first().receiver == Receiver::Group
    }

    /// The longest response that its data asks for.
    #[inline]
    pub(crate) fn response_duration(&self) -> Option<Duration> {
        self.users.iter().filter_map(|user| user.response).map(|response| response.duration).max()
    }
}

/// What a NIC will answer SIFS after what it received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) to: NicId,
    pub(crate) cts: bool,
    /// The attempt that it answers.
    pub(crate) attempt: u32,
    pub(crate) response: Response,
    pub(crate) width: Width,
    pub(crate) start: Instant,
    pub(crate) nav_until: Instant,
}

/// The wait of a NIC for a response (IEEE 802.11-2020, 10.3.2.9 and 10.3.2.11).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// The NIC that should respond; `None`: nobody has the address.
    pub(crate) responder: Option<NicId>,
    /// Latest start of a PPDU that, if heard, ends the wait at its own end.
    pub(crate) heard_by: Instant,
    /// End of the wait if nothing has been heard to begin.
    pub(crate) timeout_at: Instant,
    /// Transmitter of the PPDU that the NIC has heard begin.
    pub(crate) hears: Option<NicId>,
}

impl Wait {
    /// The response begins already, and nobody can come between.
    pub(crate) const fn answered_by(responder: NicId) -> Self {
        let never = Instant::FAR_FUTURE;
        Self {
            responder: Some(responder),
            heard_by: Instant::ZERO,
            timeout_at: never,
            hears: Some(responder),
        }
    }
}

/// What a NIC did on the air.
#[derive(Clone, Debug, Default)]
pub(crate) struct RadioCounters {
    pub(crate) transmissions: u64,
    pub(crate) retries: u64,
    pub(crate) collisions: u64,
    pub(crate) corrupted: u64,
    pub(crate) mpdus: u64,
    pub(crate) mpdus_lost: u64,
    pub(crate) rts: u64,
    pub(crate) rts_failed: u64,
    pub(crate) airtime: Duration,
    /// Time for which the NIC transmitted since the start of virtual time; `airtime` counts from the epoch.
    pub(crate) all_airtime: Duration,
    pub(crate) modes: ModeCounts,
    /// Data PPDUs by receiver, if they are sampled.
    pub(crate) links: Option<Box<LinkCounters>>,
}

/// What the two halves of a radio leave to each other; decided when the scene is built.
#[expect(clippy::struct_excessive_bools, reason = "independent capabilities")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// MPDUs that the lower half takes for each category before the medium is won, as the hardware queues of a chip do.
    pub(crate) prefetch: Prefetch,
    /// A PSDU over the RTS threshold of its cell begins with RTS. If not, rate control alone says what does.
    pub(crate) rts_threshold: bool,
    /// The upper half makes block acknowledgement agreements for each queue (`ampdu_action`). If not, those of the plan hold.
    pub(crate) agreement_per_queue: bool,
    /// The upper half limits the airtime on its way and does not say when that lets a queue go on, so it is asked again after each
    /// exchange (AQL, whose `wake_tx_queue` comes with the next packet only).
    pub(crate) airtime_limit_above: bool,
    /// Group frames go to every NIC on the channel, and the upper half filters them. If not, they go to the NICs of the cell.
    pub(crate) filters_groups_above: bool,
}

impl Capabilities {
    /// Capabilities of a NIC with airtcp's own MAC.
    pub(crate) const OWN_MAC: Self = Self {
        prefetch: Prefetch::NONE,
        rts_threshold: true,
        agreement_per_queue: false,
        airtime_limit_above: false,
        filters_groups_above: false,
    };

    /// Capabilities of a radio of mac80211.
    pub(crate) const fn mac80211(prefetch_ppdus: usize, rts_threshold: bool) -> Self {
        Self {
            prefetch: Prefetch { ppdus: prefetch_ppdus, ..Prefetch::NONE },
            rts_threshold,
            agreement_per_queue: true,
            airtime_limit_above: true,
            filters_groups_above: true,
        }
    }
}

/// How much a NIC takes for each category before the medium is won. All of the limits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefetch {
    /// PPDUs; 0: it takes nothing.
    pub(crate) ppdus: usize,
    /// MPDUs.
    pub(crate) mpdus: usize,
    /// Time that the MPDUs take at their data rates. Only with this limit it is counted.
    pub(crate) airtime: Option<Duration>,
    /// Aggregates are formed of what is taken at once; if not, when the medium is won.
    pub(crate) forms: bool,
}

impl Prefetch {
    /// MPDUs are taken when the medium has been won.
    pub(crate) const NONE: Self = Self { ppdus: 0, mpdus: usize::MAX, airtime: None, forms: false };

    /// The queue of a card.
    pub(crate) const fn of(queue: HardwareQueue) -> Self {
        let forms = matches!(queue.aggregates, AggregatesFormed::AtEntry);
        match queue.size {
            HardwareQueueSize::Ppdus { count } => Self { ppdus: count as usize, forms, ..Self::NONE },
            // A PPDU has one MPDU at least.
            HardwareQueueSize::Frames { count } => {
                Self { ppdus: count as usize, mpdus: count as usize, airtime: None, forms }
            }
            HardwareQueueSize::Airtime { ns } => {
                Self { ppdus: usize::MAX, mpdus: usize::MAX, airtime: Some(Duration::from_nanos(ns)), forms }
            }
        }
    }
}

/// The lower half of one radio interface.
#[derive(Debug)]
pub(crate) struct Radio {
    pub(crate) cell: CellId,
    pub(crate) medium: MediumId,
    /// Index among the members of the medium.
    pub(crate) member: MemberId,
    pub(crate) primary: PrimaryId,
    pub(crate) edcafs: Edcafs,
    pub(crate) delivery: Delivery,
    /// Whether the radio has four access categories, or DCF.
    pub(crate) edca: bool,
    /// Whether beacons follow PIFS without backoff.
    pub(crate) beacons_after_pifs: bool,
    pub(crate) exchange: Option<Exchange>,
    /// The MPDUs of the exchange for each of its users.
    pub(crate) psdus: PerUser<Held>,
    pub(crate) limit: LengthLimit,
    pub(crate) answer: Option<Answer>,
    pub(crate) wait: Option<Wait>,
    /// EIFS - DIFS after the PPDU that it received last; zero if it decoded that, or has sent since.
    pub(crate) eifs_extra: Duration,
    pub(crate) counters: RadioCounters,
    /// MPDUs that arrived in the PPDU at hand; kept for its memory.
    pub(crate) arrived: Vec<Mpdu>,
    pub(crate) capabilities: Capabilities,
    /// Whether the radio gets every frame that it can decode (monitor mode).
    pub(crate) monitor: bool,
    /// Tuning of the radio, if its upper half tunes it; the channel of other NICs is their cell's.
    pub(crate) tuning: Option<Box<Tuning>>,
}

impl Radio {
    /// A NIC that never sent.
    pub(crate) fn new(
        cell: CellId,
        place: MediumPlace,
        edcafs: Edcafs,
        delivery: Delivery,
        edca: bool,
    ) -> Self {
        Self {
            cell,
            medium: place.medium,
            member: place.member,
            primary: place.primary,
            edcafs,
            delivery,
            edca,
            beacons_after_pifs: false,
            exchange: None,
            psdus: PerUser::default(),
            limit: LengthLimit::default(),
            answer: None,
            wait: None,
            eifs_extra: Duration::ZERO,
            counters: RadioCounters::default(),
            arrived: Vec::new(),
            capabilities: Capabilities::OWN_MAC,
            monitor: false,
            tuning: None,
        }
    }

    /// What contends for a frame that goes before all queues of a category.
    pub(crate) fn function_for(&self, kind: MpduKind, ac: AccessCategory) -> AccessFunction {
        if self.beacons_after_pifs && kind == MpduKind::Beacon { AccessFunction::Beacons } else { ac.into() }
    }

    /// The category as which TXOPs of a function are recorded: that of beacons which contend.
    pub(crate) const fn recorded_category(&self, function: AccessFunction) -> AccessCategory {
        match function {
            AccessFunction::Category(ac) => ac,
            AccessFunction::Beacons => self.beacon_category(),
        }
    }

    /// The category of beacons: the highest that there is.
    pub(crate) const fn beacon_category(&self) -> AccessCategory {
        if self.edca { AccessCategory::Voice } else { AccessCategory::BestEffort }
    }
}
