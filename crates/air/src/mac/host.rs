//! The border to the hosts: frames in, actions out. Frames and actions are those of the upper half (`high`); this MAC
//! looks at no priority, flow or ECN field, and holds, releases and marks nothing.

pub use crate::high::{Action, DropReason, Frame};

use crate::trace::{NicSample, PpduRecord};

/// What the model has to say. The caller drains it and keeps its memory.
#[derive(Debug, Default)]
pub struct Outbox {
    /// To be carried out in this order.
    pub actions: Vec<Action>,
    /// PPDUs that ended, if asked for.
    pub ppdus: Vec<PpduRecord>,
    /// Samples that were due, if asked for.
    pub samples: Vec<NicSample>,
}
