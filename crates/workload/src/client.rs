//! A client, which requests data over one connection.

#[cfg(test)]
use airtcp_plan::{Flow, Workload};

/// What a client does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The client sends requests, and waits until the answers are complete.
    Ask(Ask),
    /// The client does nothing until a time.
    Wait {
        /// From the epoch.
        until_ns: u64,
    },
    /// The client sends no further request.
    End,
}

/// Requests that leave at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Bytes of the answer to each request.
    pub answers: Vec<u64>,
    /// Time from which the new transfer is measured, in nanoseconds from the epoch; `None`: the requests belong to the transfer
    /// before.
    pub begins_ns: Option<u64>,
    /// Whether the transfer ends with these requests.
    pub ends: bool,
    /// Rate of the segment asked for; 0 without video.
    pub rate_bps: u64,
}

/// Requests data over one connection.
pub trait Client: Send {
    /// The client's next step at this time, in nanoseconds from the epoch.
    fn next(&mut self, now_ns: u64) -> Step;

    /// Reports that all requests of the last step have been answered in full. Returns the level of the client's buffer, if it has
    /// one.
    fn received(&mut self, now_ns: u64) -> Option<u64>;
}

/// A flow with this workload, for tests.
#[cfg(test)]
pub(crate) fn flow_with(workload: Workload) -> Flow {
    Flow {
        name: "flow".to_owned(),
        from: "server".to_owned(),
        to: "sta1".to_owned(),
        address: [10, 0, 0, 1].into(),
        port: 80,
        congestion_control: "cubic".to_owned(),
        start_ns: 1_000,
        stop_ns: 1_000_000,
        pacing_bps: None,
        low_water_bytes: None,
        dscp: 0,
        workload,
    }
}
