//! The agent on a real machine, by its program: orders in, answers out, and nothing left behind.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use airtcp_plan::Program;
use airtcp_plan::measurement::{Answer, MEASUREMENT_VERSION, Order, PIECE_BYTES, StartOrder};

/// Patience with a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// An agent with a folder of temporary files of its own.
struct Agent {
    guard: Child,
    orders: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
    folder: PathBuf,
}

impl Agent {
    fn start(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("airtcp-agent-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("tmp")).unwrap();
        Self::start_in(folder)
    }

    fn start_in(folder: PathBuf) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_airtcp-agent"));
        command.arg("measure").env("TMPDIR", folder.join("tmp"));
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut guard = piped.spawn().unwrap();
        let (orders, output) = (guard.stdin.take(), guard.stdout.take().unwrap());
        let mut own = Self { guard, orders, answers: BufReader::new(output).lines(), folder };
        let ready = own.answer();
        assert!(matches!(ready, Answer::Ready { version: MEASUREMENT_VERSION, .. }), "{ready:?}");
        own
    }

    fn say(&mut self, line: &str) {
        writeln!(self.orders.as_mut().unwrap(), "{line}").unwrap();
    }

    fn order(&mut self, order: &Order) {
        self.say(&serde_json::to_string(order).unwrap());
    }

    fn answer(&mut self) -> Answer {
        serde_json::from_str(&self.answers.next().expect("an answer").unwrap()).unwrap()
    }

    fn execute(&mut self, line: &str, undo: Option<&str>) -> (Option<i32>, String) {
        let shell = |line: &str| ["/bin/sh", "-c", line].map(str::to_owned).to_vec();
        let (command, input) = (shell(line), "input".to_owned());
        self.order(&match undo {
            None => Order::Execute { number: 5, command, input },
            Some(undo) => {
                Order::Change { number: 5, command, input, undo: shell(undo), undo_input: String::new() }
            }
        });
        match self.answer() {
            Answer::Executed { number: 5, status, output, .. } => (status, output),
            other => panic!("{other:?}"),
        }
    }

    /// Ends the orders, and waits for the end of the guard; what it said on standard error.
    fn end(mut self) -> (ExitStatus, String) {
        let left: Vec<_> = std::fs::read_dir(self.folder.join("tmp")).unwrap().collect();
        assert_eq!(left.len(), 1, "the folder of the measurement");
        self.orders = None;
        self.ended()
    }

    fn ended(mut self) -> (ExitStatus, String) {
        let output = self.guard.wait_with_output().unwrap();
        self.orders = None;
        let left: Vec<_> = std::fs::read_dir(self.folder.join("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        std::fs::remove_dir_all(&self.folder).unwrap();
        (output.status, String::from_utf8(output.stderr).unwrap())
    }
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn runs(process: &Path) -> bool {
    let number = std::fs::read_to_string(process).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[test]
fn only_process_1_boots() {
    let asked = Command::new(env!("CARGO_BIN_EXE_airtcp-agent")).arg("--version").output().unwrap();
    assert!(asked.status.success());
    assert!(asked.stdout.starts_with(b"airtcp-agent "));
    let other = Command::new(env!("CARGO_BIN_EXE_airtcp-agent")).output().unwrap();
    assert_eq!(other.status.code(), Some(2));
}

#[test]
fn orders_are_carried_out_one_after_another() {
    let mut agent = Agent::start("orders");
    agent.order(&Order::Alive {});
    agent.order(&Order::Clock { number: 7 });
    let Answer::Clock { number: 7, monotonic_ns: first, .. } = agent.answer() else { panic!("no clock") };
    assert_eq!(agent.execute("cat; exit 4", None), (Some(4), "input".to_owned()));
    agent.order(&Order::Clock { number: 8 });
    let Answer::Clock { number: 8, monotonic_ns: second, .. } = agent.answer() else { panic!("no clock") };
    assert!(first < second);
    let (status, said) = agent.end();
    assert!(status.success(), "{said}");
}

#[test]
fn changes_are_undone_at_the_end_of_the_orders_the_last_one_first() {
    let mut agent = Agent::start("changes");
    let log = agent.folder.join("log");
    let note = |word: &str| format!("echo {word} >> {}", log.display());
    assert_eq!(agent.execute(&note("make-1"), Some(&note("undo-1"))).0, Some(0));
    assert_eq!(agent.execute(&note("make-2"), Some(&note("undo-2"))).0, Some(0));
    // One that fails is undone at once: it may have been made in part.
    let failing = format!("{}; exit 9", note("make-3"));
    assert_eq!(agent.execute(&failing, Some(&note("undo-3"))).0, Some(9));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "make-1\nmake-2\nmake-3\nundo-3\n");
    agent.orders = None;
    wait_until("the last undo", || std::fs::read_to_string(&log).unwrap().ends_with("undo-1\n"));
    assert!(std::fs::read_to_string(&log).unwrap().ends_with("undo-3\nundo-2\nundo-1\n"));
    let (status, said) = agent.ended();
    assert!(status.success(), "{said}");
}

#[test]
fn what_can_not_be_undone_is_said() {
    let mut agent = Agent::start("failures");
    assert_eq!(agent.execute("true", Some("echo stuck >&2; exit 1")).0, Some(0));
    let (status, said) = agent.end();
    assert!(!status.success());
    assert!(said.contains("not undone: /bin/sh -c echo stuck >&2; exit 1: stuck"), "{said}");
}

#[test]
fn what_is_no_order_ends_the_agent_which_undoes_its_changes() {
    let mut agent = Agent::start("no-order");
    let file = agent.folder.join("changed");
    let (make, undo) = (format!("touch {}", file.display()), format!("rm {}", file.display()));
    assert_eq!(agent.execute(&make, Some(&undo)).0, Some(0));
    assert!(file.exists());
    agent.say(r#"{"order":"fly"}"#);
    let Answer::Failed(failure) = agent.answer() else { panic!("no failure") };
    assert_eq!(failure.place, "orders");
    let (status, _) = agent.ended();
    assert!(!status.success());
    assert!(!file.exists());
}

/// A run of node `a` with this program and no other traffic.
fn start_order(command: &str, epoch_ns: u64) -> Order {
    let mut plan = airtcp_testing::golden_plans::plan("two-hosts-and-a-switch");
    plan.flows.clear();
    plan.datagrams.clear();
    plan.pings.clear();
    plan.captures.clear();
    plan.programs = vec![Program {
        name: "own".to_owned(),
        node: "a".to_owned(),
        command: command.to_owned(),
        start_ns: 0,
        stop_ns: None,
        must_succeed: false,
    }];
    let (peers, recorders, polls) = (Vec::new(), Vec::new(), Vec::new());
    Order::Start(Box::new(StartOrder { node: "a".to_owned(), plan, epoch_ns, peers, recorders, polls }))
}

/// Starts a run and waits until its program has written this file.
fn run(agent: &mut Agent, command: &str, sign: &Path) {
    agent.order(&Order::Clock { number: 1 });
    let Answer::Clock { monotonic_ns, .. } = agent.answer() else { panic!("no clock") };
    agent.order(&start_order(command, monotonic_ns + 2_000_000_000));
    let started = agent.answer();
    assert_eq!(started, Answer::Started {});
    wait_until("the program", || std::fs::read_to_string(sign).is_ok_and(|text| text.ends_with('\n')));
}

#[test]
fn files_of_a_run_come_in_pieces_and_its_daemons_end_with_it() {
    let mut agent = Agent::start("run");
    let daemon = agent.folder.join("daemon");
    let bytes = PIECE_BYTES * 2;
    let command = format!(
        "head -c {bytes} /dev/zero; env -i setsid /bin/sh -c 'sleep 600 & echo $! > {}'; trap '' TERM; sleep 601",
        daemon.display()
    );
    run(&mut agent, &command, &daemon);
    assert!(runs(&daemon));
    agent.order(&Order::Stop {});
    agent.order(&Order::Collect {});
    let mut received = 0;
    let report = loop {
        match agent.answer() {
            Answer::File { path, data } if path == "programs/own.out" => {
                received += data.bytes().unwrap().len();
            }
            Answer::File { .. } | Answer::ProgramEnded { .. } => {}
            Answer::Collected(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(received, bytes);
    assert_eq!(report.programs[0].signal, Some(9), "it ignores SIGTERM");
    assert!(!runs(&daemon));
    let (status, said) = agent.end();
    assert!(status.success(), "{said}");
}

#[test]
fn without_its_guard_a_worker_undoes_and_ends_all() {
    let mut agent = Agent::start("guard");
    let (file, daemon) = (agent.folder.join("changed"), agent.folder.join("daemon"));
    let (make, undo) = (format!("touch {}", file.display()), format!("rm {}", file.display()));
    assert_eq!(agent.execute(&make, Some(&undo)).0, Some(0));
    let command = format!("env -i setsid /bin/sh -c 'sleep 600 & echo $! > {}'; sleep 601", daemon.display());
    run(&mut agent, &command, &daemon);
    agent.guard.kill().unwrap();
    wait_until("the undoing", || !file.exists());
    wait_until("the end of the daemon", || !runs(&daemon));
    let tmp = agent.folder.join("tmp");
    wait_until("the end of the files", || std::fs::read_dir(&tmp).unwrap().next().is_none());
    let (status, _) = agent.ended();
    assert!(!status.success());
}

#[test]
fn the_next_agent_undoes_what_a_killed_one_left() {
    let mut agent = Agent::start("both");
    let (file, daemon) = (agent.folder.join("changed"), agent.folder.join("daemon"));
    let (make, undo) = (format!("touch {}", file.display()), format!("rm {}", file.display()));
    assert_eq!(agent.execute(&make, Some(&undo)).0, Some(0));
    run(&mut agent, &format!("setsid sleep 600 & echo $! > {}; sleep 601", daemon.display()), &daemon);
    let worker = agent.execute("echo $PPID", None).1;
    agent.guard.kill().unwrap();
    Command::new("/bin/sh").args(["-c", &format!("kill -9 {worker}")]).status().unwrap();
    agent.guard.wait().unwrap();
    assert!(file.exists());
    assert!(runs(&daemon));
    let next = Agent::start_in(agent.folder.clone());
    assert!(!file.exists());
    wait_until("the end of the daemon", || !runs(&daemon));
    let (status, said) = next.end();
    assert!(status.success(), "{said}");
}
