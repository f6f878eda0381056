//! Commands that run to their end.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Executed {
    /// Exit status; `None` if a signal ended it or it could not be started.
    pub(super) status: Option<i32>,
    /// Standard output.
    pub(super) output: String,
    /// Standard error, or why it could not be started.
    pub(super) error: String,
}

/// Runs a program with this standard input.
pub(super) fn execute(command: &[String], input: &str) -> Executed {
    let failed =
        |error: std::io::Error| Executed { status: None, output: String::new(), error: error.to_string() };
    let Some((program, arguments)) = command.split_first() else {
        return failed(std::io::Error::other("no program is named"));
    };
    let started = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        // Where programs of the administrator are, which users' paths often lack.
        .env("PATH", path_with_system_folders())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return failed(error),
    };
    let (mut to, input) = (child.stdin.take().expect("it is piped"), input.to_owned());
    // A program that does not read its input may end before.
    let writer = thread::spawn(move || {
        let _ = to.write_all(input.as_bytes());
    });
    let ended = child.wait_with_output();
    let _ = writer.join();
    match ended {
        Ok(ended) => Executed {
            status: ended.status.code(),
            output: String::from_utf8_lossy(&ended.stdout).into_owned(),
            error: String::from_utf8_lossy(&ended.stderr).into_owned(),
        },
        Err(error) => failed(error),
    }
}

/// The user's path, then the system's folders.
pub(super) fn path_with_system_folders() -> String {
    let own = std::env::var("PATH").unwrap_or_default();
    format!("{own}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, input: &str) -> Executed {
        execute(&["/bin/sh", "-c", line].map(str::to_owned), input)
    }

    #[test]
    fn a_command_gets_its_input_and_says_how_it_ended() {
        let ended = shell("cat; echo oops >&2; exit 3", "text");
        assert_eq!(
            ended,
            Executed { status: Some(3), output: "text".to_owned(), error: "oops\n".to_owned() }
        );
        assert_eq!(shell("kill -9 $$", "").status, None);
        // More than a pipe holds, to a program that reads nothing.
        assert_eq!(shell("exit 0", &"x".repeat(1 << 20)).status, Some(0));
    }

    #[test]
    fn a_program_that_is_not_there_is_said_to_be_missing() {
        let ended = execute(&["/nonexistent/program".to_owned()], "");
        assert_eq!(ended.status, None);
        assert!(ended.error.contains("No such file"), "{}", ended.error);
        assert!(execute(&[], "").error.contains("no program"));
    }
}
