//! `/dev/airtcp-session`: inputs come out of it, one for each read, and what is written to it is told.

use std::fs::File;
use std::io::{Read, Write};

use airtcp_plan::{JobEvent, SESSION_MESSAGE_BYTES_MAX, SessionEvent, SessionInput};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use rustix::io::Errno;

use crate::failure::{KERNEL_REMEDY, Outcome, because};

/// Its place; programs have no permission to open it.
const PATH: &str = "/dev/airtcp-session";
/// Major and minor number (`AIRTCP_SESSION_MINOR` of the kernel patches).
const NUMBER: (u32, u32) = (10, 241);

/// The device, open.
#[derive(Debug)]
pub(super) struct Device(File);

impl Device {
    /// Opens it, and makes its node first.
    ///
    /// # Errors
    /// The kernel has none: it was started without a session.
    pub(super) fn open() -> Outcome<Self> {
        let wrong = || because("the session can't be opened", PATH, KERNEL_REMEDY);
        let mode = Mode::RUSR | Mode::WUSR;
        match mknodat(CWD, PATH, FileType::CharacterDevice, mode, makedev(NUMBER.0, NUMBER.1)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(wrong()(error)),
        }
        let opened = File::options().read(true).write(true).open(PATH);
        opened.map(Self).map_err(because("the session can't be opened", PATH, KERNEL_REMEDY))
    }

    /// The next input, as soon as it enters.
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

    /// Tells what happened to a job.
    pub(super) fn say(&self, job: u32, happened: JobEvent) {
        let message = serde_json::to_vec(&SessionEvent { job, happened }).expect("plain data");
        // One write is one message.
        let written = (&self.0).write(&message);
        assert!(matches!(written, Ok(length) if length == message.len()), "the session takes messages: {written:?}");
    }
}
