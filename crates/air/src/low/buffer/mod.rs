//! What waits in the lower half: MPDUs of queues, and what goes before them.

mod edcaf;
mod formed;
mod prefetch;
mod purging;
mod share_txop;
mod txq;

pub(crate) use edcaf::{Edcaf, Edcafs};
pub(crate) use txq::{Head, Held, TxqState};
