//! What a real card and its host put between the air and the network stack.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Variate;

/// The card of a NIC, and the host behind it. All `null`: an ideal card.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardPlan {
    /// When received frames raise an interrupt; `null`: at once.
    pub rx_interrupt: Option<InterruptModeration>,
    /// When frames that have been sent or given up raise an interrupt, at which the host completes them; `null`: at once.
    pub tx_interrupt: Option<TxInterrupt>,
    /// The queue of the hardware or firmware below the driver, of each access category; `null`: none, or `prefetch_ppdus` of a cell
    /// of mac80211.
    pub hardware_queue: Option<HardwareQueue>,
    /// Time from an interrupt to the poll in which the host handles it; `null`: none.
    pub host_delay: Option<HostDelay>,
    /// Whether the driver of a radio of mac80211 asks for airtime queue limits; `null`: as its cell has it.
    pub aql: Option<bool>,
    /// Whether the driver of a radio of mac80211 asks for airtime fairness; `null`: as its cell has it.
    pub airtime_fairness: Option<bool>,
}

impl CardPlan {
    /// A card that interrupts at once and takes frames when it has won the medium, in a host without delay.
    pub const IDEAL: Self = Self {
        rx_interrupt: None,
        tx_interrupt: None,
        hardware_queue: None,
        host_delay: None,
        aql: None,
        airtime_fairness: None,
    };

    /// Whether received frames reach the host later than they arrive.
    pub const fn receives_late(&self) -> bool {
        self.rx_interrupt.is_some() || self.host_delay.is_some()
    }

    /// The moderations of its interrupts.
    pub fn moderations(&self) -> impl Iterator<Item = InterruptModeration> {
        let own = match self.tx_interrupt {
            Some(TxInterrupt::Own(moderation)) => Some(moderation),
            _ => None,
        };
        self.rx_interrupt.into_iter().chain(own)
    }

    /// Whether the host completes frames later than their exchange ends.
    pub const fn completes_late(&self) -> bool {
        match self.tx_interrupt {
            Some(TxInterrupt::WithReception) => self.receives_late(),
            Some(TxInterrupt::Own(_)) => true,
            None => self.host_delay.is_some(),
        }
    }
}

/// Interrupt moderation: the interrupt comes when the first of these conditions holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterruptModeration {
    /// Time since the first frame that waits.
    pub after_first_ns: Option<u64>,
    /// Time since the last frame that waits.
    pub after_last_ns: Option<u64>,
    /// Frames that wait.
    pub frames: Option<u32>,
    /// The load below which there is no moderation; `null`: it acts always.
    pub load: Option<ModerationLoad>,
}

impl InterruptModeration {
    /// An interrupt for each frame.
    pub const AT_ONCE: Self = Self { after_first_ns: None, after_last_ns: None, frames: Some(1), load: None };
}

/// The load of a NIC from which on interrupts are moderated, as drivers measure it: at the end of each period the octets of data
/// that arrived in it and those that were sent in it, each as a moving average in which every period counts as much as all before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModerationLoad {
    /// One of both must be above this.
    pub above_bps: u64,
    /// Length of a period. Periods begin at multiples of it.
    pub every_ns: u64,
}

/// The interrupt that completes frames which have been sent or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum TxInterrupt {
    /// The interrupt of reception, in whose timers and count these frames take part.
    WithReception,
    /// One of their own.
    Own(InterruptModeration),
}

/// What leaves the queues above before the medium is won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HardwareQueue {
    /// How much.
    pub size: HardwareQueueSize,
    /// When the aggregates of the queue are formed.
    pub aggregates: AggregatesFormed,
}

/// How much leaves the queues above before the medium is won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum HardwareQueueSize {
    /// What fills this many PPDUs beside the one on the air.
    Ppdus {
        /// How many.
        count: u32,
    },
    /// This many MPDUs.
    Frames {
        /// How many.
        count: u32,
    },
    /// MPDUs whose octets take this long at the data rate that each has when it enters; the last may exceed it.
    Airtime {
        /// How long.
        ns: u64,
    },
}

/// When the aggregates of a hardware queue are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AggregatesFormed {
    /// When the medium is won, out of all that waits for the receiver in the queue.
    AtAccess,
    /// When the aggregates enter the queue. An aggregate without response is repeated as it is, and what is lost of it enters anew.
    AtEntry,
}

/// The delay of a host between interrupt and poll: the sum of both. What the card has meanwhile joins the poll.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostDelay {
    /// The part that is always the same.
    pub fixed_ns: u64,
    /// The part that is drawn for each poll, in nanoseconds; `null`: none.
    pub jitter_ns: Option<Variate>,
}
