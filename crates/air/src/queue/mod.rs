//! The transmit queues of a NIC: first in, first out, with a limit; and those of airtcp's own high MAC ([`Queues`]).

mod airtime;
mod chain;
mod codel;
mod fair_queue;
mod fifo;
mod fq_codel;
mod ledger;
mod packets;
mod queues;
mod waiting;

#[cfg(test)]
pub(crate) use airtime::kept as kept_estimate;
pub(crate) use {
    queues::Queues,
    waiting::{DropCause, Expelled, TxqKey, Waiting},
};
