//! What the worker says: one line for each answer, whole.

use std::io::{Write, stdout};

use airtcp_plan::measurement::Answer;

/// Writes an answer to standard output. Any thread may.
///
/// # Errors
/// Nobody reads any more.
pub(super) fn say(answer: &Answer) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(answer).expect("answers are plain data");
    line.push(b'\n');
    let mut out = stdout().lock();
    out.write_all(&line).and_then(|()| out.flush())
}

/// Writes an answer where nothing can be done about an error: the worker finds the end of its orders soon.
pub(super) fn tell(answer: &Answer) {
    let _ = say(answer);
}
