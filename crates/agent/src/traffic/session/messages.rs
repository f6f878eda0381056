//! Messages of the session: an input comes out of each read, and what is written is reported.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};

use airtcp_plan::{JobEvent, SESSION_MESSAGE_BYTES_MAX, SessionEvent, SessionInput};

/// The kernel's side of the session. No program has it, and it is in no folder.
#[derive(Debug)]
pub(super) struct Messages(File);

impl AsFd for Messages {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Messages {
    /// Messages over a file that the kernel gave.
    pub(super) fn new(file: File) -> Self {
        Self(file)
    }

    /// The next input, as soon as it enters; readable means that there is one.
    pub(super) fn receive(&self) -> SessionInput {
        let mut message = vec![0; SESSION_MESSAGE_BYTES_MAX];
        loop {
            match (&self.0).read(&mut message) {
                Ok(length) => {
                    return serde_json::from_slice(&message[..length]).expect("the session sends inputs");
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => panic!("inputs of the session can't be read: {error}"),
            }
        }
    }

    /// Reports what happened to a job.
    pub(super) fn say(&self, job: u32, happened: JobEvent) {
        let message = serde_json::to_vec(&SessionEvent { job, happened }).expect("plain data");
        // One write is one message.
        let written = (&self.0).write(&message);
        assert!(
            matches!(written, Ok(length) if length == message.len()),
            "the session takes messages: {written:?}"
        );
    }
}
