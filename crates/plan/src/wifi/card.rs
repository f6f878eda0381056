//! What a real card and its host put between the air and the network stack.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Variate;

/// The card of a NIC, and the host behind it. All `null`: an ideal card.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardPlan {
    /// When received frames raise an interrupt; `null`: at once.
    pub rx_interrupt: Option<RxInterrupt>,
    /// The queue of the hardware or firmware below the driver, of each access category; `null`: none, or `prefetch_ppdus` of a cell
    /// of mac80211.
    pub hardware_queue: Option<HardwareQueue>,
    /// Time from an interrupt to the poll that hands the frames to the network stack; `null`: none.
    pub host_delay: Option<HostDelay>,
}

impl CardPlan {
    /// A card that interrupts at once and takes frames when it has won the medium, in a host without delay.
    pub const IDEAL: Self = Self { rx_interrupt: None, hardware_queue: None, host_delay: None };

    /// Whether received frames reach the host later than they arrive.
    pub const fn interrupts_late(&self) -> bool {
        self.rx_interrupt.is_some() || self.host_delay.is_some()
    }
}

/// Interrupt moderation on reception: the interrupt comes when the first of these conditions holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RxInterrupt {
    /// Time since the first frame that waits.
    pub after_first_ns: Option<u64>,
    /// Time since the last frame that waits.
    pub after_last_ns: Option<u64>,
    /// Frames that wait.
    pub frames: Option<u32>,
}

/// How much has left the queues above before the medium is won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum HardwareQueue {
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
}

/// The delay of a host between interrupt and poll: the sum of both. Frames that arrive meanwhile join the poll.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostDelay {
    /// The part that is always the same.
    pub fixed_ns: u64,
    /// The part that is drawn for each poll, in nanoseconds; `null`: none.
    pub jitter_ns: Option<Variate>,
}
