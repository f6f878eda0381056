//! MPTCP connections of programs (RFC 8684): which TCP connections are their subflows, and what arrived in order of all of them.
//!
//! The kernel tells with each sample of a subflow what its end of the connection has. Each end has a token of its own; the ends of a
//! connection are matched by their subflows, whose ends are matched by addresses ([`super::sockets`]).

use std::collections::BTreeMap;

use super::flow_rows::{EpochNs, FlowRows};
use super::mptcp_sample::MptcpSample;

/// Which of the two ends of a connection: 0 is the one that made the connection.
type Side = usize;

#[derive(Debug, Default)]
struct MptcpConnection {
    ends: [Option<MptcpSample>; 2],
    /// Whether an end was sampled after its last row.
    is_new: [bool; 2],
    /// Most subflows at a time, as each end saw them.
    most_subflows: [u32; 2],
    /// Places of its subflows that are still known, the first one first.
    subflows: Vec<usize>,
}

/// One direction of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MptcpDirection {
    /// Its number among the directions of all connections.
    pub(super) number: u32,
    /// Place of the connection's first known subflow.
    pub(super) first_subflow: usize,
    /// The end of the first subflow that sends.
    pub(super) from: Side,
    /// Most subflows at a time.
    pub(super) subflows: u32,
    /// Bytes at the receiver, in order; if its end is not known, those that are acknowledged.
    pub(super) bytes_received: u64,
    /// Bytes that were sent again; `None` if the kernel does not count them.
    pub(super) bytes_reinjected: Option<u64>,
}

/// All connections, by their numbers.
#[derive(Debug, Default)]
pub(super) struct MptcpConnections {
    all: BTreeMap<usize, MptcpConnection>,
    next: usize,
    tokens: BTreeMap<u32, (usize, Side)>,
    /// Connection of a subflow by its place, and the side of the end that made the subflow.
    of_subflow: BTreeMap<usize, (usize, Side)>,
}

impl MptcpConnections {
    /// A sample that came with that of the end `end` of a subflow.
    pub(super) fn sample(&mut self, subflow: usize, end: usize, sample: MptcpSample) {
        let Some((number, side)) = self.place(subflow, end, sample.token) else { return };
        let connection = self.all.entry(number).or_default();
        if self.of_subflow.insert(subflow, (number, side ^ end)).is_none() {
            connection.subflows.push(subflow);
        }
        connection.ends[side] = Some(sample);
        connection.is_new[side] = true;
        connection.most_subflows[side] = connection.most_subflows[side].max(sample.subflows);
    }

    /// The connection of a token and the side that has it: known, the other side of a known subflow, or new. `None` for a third
    /// token of a connection, which no kernel has.
    fn place(&mut self, subflow: usize, end: usize, token: u32) -> Option<(usize, Side)> {
        if let Some(&known) = self.tokens.get(&token) {
            return Some(known);
        }
        let found = match self.of_subflow.get(&subflow) {
            Some(&(number, maker)) => (number, maker ^ end),
            None => (self.next, end),
        };
        if self.all.get(&found.0).is_some_and(|connection| connection.ends[found.1].is_some()) {
            return None;
        }
        self.next = self.next.max(found.0 + 1);
        self.tokens.insert(token, found);
        Some(found)
    }

    /// The TCP connection at this place is forgotten, and the connection with its last subflow.
    pub(super) fn forget(&mut self, subflow: usize) {
        let Some((number, _)) = self.of_subflow.remove(&subflow) else { return };
        let Some(connection) = self.all.get_mut(&number) else { return };
        connection.subflows.retain(|&known| known != subflow);
        if connection.subflows.is_empty() {
            self.all.remove(&number);
            self.tokens.retain(|_, (of, _)| *of != number);
        }
    }

    /// The number of the direction in which the end `from` of a subflow sends, if it is one.
    pub(super) fn direction_of(&self, subflow: usize, from: usize) -> Option<u32> {
        self.of_subflow.get(&subflow).map(|&(number, maker)| direction(number, maker ^ from))
    }

    /// Places of the subflows of a connection, by the number of one of its directions.
    pub(super) fn subflows(&self, direction: u32) -> impl Iterator<Item = usize> + '_ {
        let connection = self.all.get(&(direction as usize / 2));
        connection.into_iter().flat_map(|connection| connection.subflows.iter().copied())
    }

    /// Writes a row of each direction that has a new sample.
    ///
    /// # Errors
    /// A record can't be written.
    pub(super) fn sampled(&mut self, at_ns: EpochNs, rows: &mut FlowRows<'_>) -> std::io::Result<()> {
        for (&number, connection) in &mut self.all {
            for from in 0..2 {
                let (Some(sender), true) = (connection.ends[from], connection.is_new != [false; 2]) else {
                    continue;
                };
                rows.add_mptcp(at_ns, direction(number, from), &sender, connection.received(from))?;
            }
            connection.is_new = [false; 2];
        }
        Ok(())
    }

    /// Each direction whose sender is known.
    pub(super) fn directions(&self) -> impl Iterator<Item = MptcpDirection> + '_ {
        let sides =
            self.all.iter().flat_map(|(&number, connection)| [0, 1].map(|from| (number, connection, from)));
        sides.filter_map(|(number, connection, from)| {
            let sender = connection.ends[from]?;
            let &first_subflow = connection.subflows.first()?;
            let (_, maker) = self.of_subflow[&first_subflow];
            Some(MptcpDirection {
                number: direction(number, from),
                first_subflow,
                from: maker ^ from,
                subflows: connection.most_subflows[from],
                bytes_received: connection.received(from),
                bytes_reinjected: (sender.bytes_reinjected != u64::MAX).then_some(sender.bytes_reinjected),
            })
        })
    }
}

impl MptcpConnection {
    fn received(&self, from: Side) -> u64 {
        let acked = self.ends[from].map_or(0, |sender| sender.bytes_acked);
        self.ends[1 - from].map_or(acked, |receiver| receiver.bytes_received)
    }
}

/// The number of a direction among those of all connections.
fn direction(number: usize, from: Side) -> u32 {
    (2 * number + from) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: u32 = 0xa;
    const SERVER: u32 = 0xb;

    fn sample(token: u32, bytes_received: u64) -> MptcpSample {
        MptcpSample {
            token,
            subflows: 2,
            bytes_received,
            bytes_reinjected: u64::MAX,
            ..MptcpSample::default()
        }
    }

    #[test]
    fn subflows_of_one_token_are_one_connection() {
        let mut all = MptcpConnections::default();
        all.sample(4, 0, sample(CLIENT, 10));
        all.sample(4, 1, sample(SERVER, 2000));
        all.sample(7, 0, sample(CLIENT, 10));
        all.sample(7, 1, sample(SERVER, 3000));
        all.sample(9, 1, sample(0xc, 1));
        let found: Vec<_> =
            all.directions().map(|d| (d.number, d.first_subflow, d.from, d.bytes_received)).collect();
        assert_eq!(found, [(0, 4, 0, 3000), (1, 4, 1, 10), (3, 9, 1, 0)]);
        assert_eq!(
            (all.direction_of(4, 0), all.direction_of(7, 1), all.direction_of(8, 0)),
            (Some(0), Some(1), None)
        );
    }

    #[test]
    fn a_subflow_that_the_listening_end_makes_has_the_connections_directions() {
        let mut all = MptcpConnections::default();
        all.sample(0, 0, sample(CLIENT, 0));
        all.sample(0, 1, sample(SERVER, 0));
        all.sample(1, 0, sample(SERVER, 5000));
        all.sample(1, 1, sample(CLIENT, 0));
        assert_eq!(all.all.len(), 1);
        assert_eq!((all.direction_of(1, 0), all.direction_of(1, 1)), (Some(1), Some(0)));
        assert_eq!(all.directions().next().unwrap().bytes_received, 5000);
    }

    #[test]
    fn a_connection_is_forgotten_with_its_last_subflow() {
        let mut all = MptcpConnections::default();
        all.sample(0, 0, sample(CLIENT, 0));
        all.sample(1, 0, sample(CLIENT, 0));
        all.forget(0);
        assert_eq!(all.directions().map(|d| d.first_subflow).collect::<Vec<_>>(), [1]);
        all.forget(1);
        assert_eq!(all.directions().count(), 0);
        all.sample(2, 0, sample(CLIENT, 0));
        assert_eq!(all.directions().map(|d| d.number).collect::<Vec<_>>(), [2]);
    }
}
