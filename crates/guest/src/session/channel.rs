//! The two pipes between the session and its user's side, which the runner has opened.

#![expect(unsafe_code, reason = "file descriptors that the runner has opened")]

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::time::Duration;

use airtcp_plan::report::{FD_SESSION_ANSWERS, FD_SESSION_ORDERS};
use airtcp_plan::session_messages::{Answer, Order};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Bytes that are read at a time: orders are short.
const READ_BYTES: usize = 8192;

/// Orders come in, answers go out, each in a line.
pub struct UserChannel {
    orders: File,
    answers: File,
    received: Vec<u8>,
}

impl UserChannel {
    /// The pipes that this process has inherited. To be called at most once.
    pub fn inherited() -> Self {
        // SAFETY: the runner opens both for this process alone, and nothing else in it knows their numbers.
        let file = |number| unsafe { File::from_raw_fd(number) };
        Self::between(file(FD_SESSION_ORDERS), file(FD_SESSION_ANSWERS))
    }

    /// Any two ends.
    pub fn between(orders: File, answers: File) -> Self {
        Self { orders, answers, received: Vec::new() }
    }

    /// The next order, waiting for at most so long; `None`: for ever.
    ///
    /// # Errors
    /// The user's side has gone, or said something else.
    pub(super) fn receive(&mut self, wait: Option<Duration>) -> io::Result<Option<Order>> {
        loop {
            if let Some(end) = self.received.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=end).collect();
                return Ok(Some(serde_json::from_slice(&line)?));
            }
            if !self.readable(wait)? {
                return Ok(None);
            }
            let mut bytes = [0; READ_BYTES];
            match self.orders.read(&mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.received.extend(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn readable(&self, wait: Option<Duration>) -> io::Result<bool> {
        let wait = wait.and_then(|wait| Timespec::try_from(wait).ok());
        match poll(&mut [PollFd::new(&self.orders, PollFlags::IN)], wait.as_ref()) {
            Ok(ready) => Ok(ready > 0),
            // A signal: as if something had come, and the read will say whether it has.
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn tell(&mut self, answer: &Answer<'_>) -> io::Result<()> {
        let mut line = serde_json::to_vec(answer)?;
        line.push(b'\n');
        self.answers.write_all(&line)
    }
}
