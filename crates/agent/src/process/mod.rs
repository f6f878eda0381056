//! Threads of the agent and processes that it starts.

pub(crate) mod host_program;
pub(crate) mod output;
pub(crate) mod reaper;
mod thread;

pub(crate) use thread::spawn;

/// The environment of every process: constant, so that nothing of the machine enters the run.
pub(crate) const ENVIRONMENT: [(&str, &str); 3] = [
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/tmp"),
    ("LANG", "C.UTF-8"),
];
