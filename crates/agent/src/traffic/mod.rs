//! What happens in the network: flows, datagrams, pings, the user's programs, and samples of their state.

pub(crate) mod burst_reads;
mod bursts;
mod client;
pub(crate) mod confinement;
pub(crate) mod datagrams;
pub(crate) mod flow;
pub(crate) mod heartbeat;
mod merge;
mod packet_log;
pub(crate) mod ping;
pub(crate) mod program;
pub(crate) mod records;
pub(crate) mod run_end;
pub(crate) mod schedule;
mod server;
pub(crate) mod session;
pub(crate) mod session_flow;
mod shared_bursts;
mod sink;
mod sockets;
pub(crate) mod source;
mod spool;
mod start;
pub(crate) mod transfers;
mod user_command;
pub(crate) mod watch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_of_the_agent_are_declared() {
        let tables = [transfers::table(), datagrams::table(), ping::table()];
        airtcp_testing::series::assert_declared("agent", &tables);
    }
}
