//! The server's end of a flow: answers requests in their order, each with as many bytes as it requests.

use std::os::fd::AsFd;

use airtcp_plan::REQUEST_BYTES_MIN;
use rustix::io::Result;
use rustix::net::{RecvFlags, Shutdown, SocketFlags, accept_with, recv, shutdown};

use super::client::request_bytes;
use super::flow::FlowState;
use super::source::send_bytes;
use super::watch::Watch;
use crate::clock::Timeline;
use crate::ending;
use crate::sys::tcp::{CUT, discard};

/// The thread of the server, from accepting to the end of the requests.
pub(super) fn run(flow: &FlowState, timeline: Timeline, watch: &Watch) {
    let server = match accept_with(flow.listener(), SocketFlags::CLOEXEC) {
        Ok(server) => flow.accepted.get_or_init(|| server),
        Err(error) => return flow.note_error("accept", error),
    };
    if let Err(error) = watch.sender(flow.number, server) {
        return flow.note_failure("watch", &error);
    }
    flow.note_connected(timeline);
    if let Err(failure) = flow.checked_congestion_control() {
        ending::fail(failure);
    }
    if let Err(error) = answer_all(server, request_bytes(&flow.plan)) {
        flow.note_error("answer", error);
    }
}

fn answer_all(server: &impl AsFd, request_bytes: u32) -> Result<()> {
    let padding = u64::from(request_bytes - REQUEST_BYTES_MIN);
    let mut size = [0; REQUEST_BYTES_MIN as usize];
    loop {
        match recv(server, &mut size, RecvFlags::WAITALL)?.1 {
            0 => return shutdown(server, Shutdown::Write),
            count if count < size.len() => return Err(CUT),
            _ => {}
        }
        if discard(server.as_fd(), padding)? < padding {
            return Err(CUT);
        }
        send_bytes(server.as_fd(), u64::from_be_bytes(size))?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::traffic::client::requests;

    #[test]
    fn requests_are_answered_in_their_order_with_what_they_ask_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let there = listener.accept().unwrap().0;
        let server = std::thread::spawn(move || answer_all(&there, 100));
        here.write_all(&requests(&[3, 300_000, 5], 100)).unwrap();
        here.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answers = Vec::new();
        here.read_to_end(&mut answers).unwrap();
        assert_eq!(answers.len(), 300_008);
        assert_eq!(server.join().unwrap(), Ok(()));
    }

    #[test]
    fn a_request_that_is_cut_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let there = listener.accept().unwrap().0;
        here.write_all(&requests(&[3], 100)[..50]).unwrap();
        here.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(answer_all(&there, 100), Err(CUT));
    }
}
