//! Everything that entered and was said, with its instant, in the run's folder.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use airtcp_plan::report::TRANSCRIPT;
use airtcp_plan::{JobEvent, SessionEvent, SessionInput};
use serde::Serialize;

use crate::output::create_buffered;

/// One JSON object per line.
pub(super) struct Transcript {
    file: BufWriter<File>,
}

#[derive(Serialize)]
struct Said<'a> {
    at_ns: u64,
    job: u32,
    happened: &'a JobEvent,
}

impl Transcript {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: create_buffered(&folder.join(TRANSCRIPT))? })
    }

    pub(super) fn entered(&mut self, input: &SessionInput) -> io::Result<()> {
        self.line(input)
    }

    pub(super) fn said(&mut self, at_ns: u64, event: &SessionEvent) -> io::Result<()> {
        self.line(&Said { at_ns, job: event.job, happened: &event.happened })
    }

    fn line(&mut self, what: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, what)?;
        self.file.write_all(b"\n")
    }

    pub(super) fn close(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
