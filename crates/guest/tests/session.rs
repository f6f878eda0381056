//! The session of a run without a kernel: what enters when, and what its user is told.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;

use airtcp_air::NicId;
use airtcp_guest::session::{Entered, RunSoFar, Session, UserChannel};
use airtcp_plan::{JobEvent, NicRole, Plan, Session as Inputs, SessionAct, SessionEvent, SessionInput};
use airtcp_units::{Dbm, Duration, Instant};

/// A plan with these inputs.
fn plan(inputs: Vec<SessionInput>) -> Plan {
    let mut plan = airtcp_testing::golden_plans::plan("ping");
    plan.session = Some(Inputs { inputs });
    plan
}

fn input(at_ns: u64, job: u32, act: SessionAct) -> SessionInput {
    SessionInput { at_ns, job, act }
}

fn start(node: &str) -> SessionAct {
    SessionAct::Start { node: node.to_owned(), command: "true".to_owned(), terminal: None }
}

/// A run that has a hash and no records.
struct Run;

impl RunSoFar for Run {
    fn frame_hash(&self) -> String {
        "0123".to_owned()
    }

    fn mean_power(&self, _: NicId, _: NicId) -> Dbm {
        Dbm::new(-50.0)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The user's side.
struct Desk {
    orders: File,
    answers: BufReader<File>,
}

impl Desk {
    fn new() -> (Self, UserChannel) {
        let file = |end: std::io::Result<OwnedFd>| File::from(end.unwrap());
        let (orders, to_session) = std::io::pipe().unwrap();
        let (from_session, answers) = std::io::pipe().unwrap();
        let channel = UserChannel::between(file(Ok(orders.into())), file(Ok(answers.into())));
        (
            Self {
                orders: File::from(OwnedFd::from(to_session)),
                answers: BufReader::new(File::from(OwnedFd::from(from_session))),
            },
            channel,
        )
    }

    fn order(&mut self, line: &str) {
        writeln!(self.orders, "{line}").unwrap();
    }

    fn answer(&mut self) -> serde_json::Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

#[test]
fn planned_inputs_enter_at_their_instants_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let node = plan(vec![]).nodes[0].name.clone();
    let plan = plan(vec![
        input(5, 1, start(&node)),
        input(5, 1, SessionAct::CloseInput {}),
        input(9, 2, start(&node)),
    ]);
    let epoch = Instant::from_nanos(plan.epoch_ns);
    let mut session = Session::of(&plan, folder.path(), None).unwrap().unwrap();
    assert_eq!(session.next(), epoch);
    assert_eq!(session.look(epoch, &mut Run).unwrap(), Entered::default());
    let at = |ns| epoch + Duration::from_nanos(ns);
    assert_eq!(session.next(), at(5));
    assert!(session.look(at(5), &mut Run).unwrap().messages);
    let taken: Vec<SessionInput> =
        std::iter::from_fn(|| session.take_message()).map(|m| serde_json::from_slice(&m).unwrap()).collect();
    assert_eq!(taken, plan.session.as_ref().unwrap().inputs[..2]);
    assert_eq!(session.next(), at(9));
    session.look(at(9), &mut Run).unwrap();
    assert!(session.has_messages());
    assert_eq!(session.next(), Instant::FAR_FUTURE);
}

#[test]
fn a_run_without_a_session_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(vec![]);
    plan.session = None;
    assert!(Session::of(&plan, folder.path(), None).unwrap().is_none());
}

#[test]
fn the_clock_stops_where_the_user_wants_and_before_anything_of_the_next_instant() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(vec![]);
    let node = plan.nodes[0].name.clone();
    let epoch = Instant::from_nanos(plan.epoch_ns);
    let at = |ns| epoch + Duration::from_nanos(ns);
    let (mut desk, channel) = Desk::new();
    let mut session = Session::of(&plan, folder.path(), Some(channel)).unwrap().unwrap();
    desk.order(&format!(
        r#"{{"order":"enter","job":1,"act":{{"kind":"start","node":"{node}","command":"true","terminal":null}}}}"#
    ));
    desk.order(
        r#"{"order":"enter","job":2,"act":{"kind":"start","node":"nobody","command":"x","terminal":null}}"#,
    );
    desk.order(r#"{"order":"frame_hash"}"#);
    desk.order(r#"{"order":"go","job":1}"#);
    assert!(session.look(epoch, &mut Run).unwrap().messages);
    assert_eq!(desk.answer()["why"], "begin");
    assert_eq!(desk.answer()["act"]["node"], node.as_str());
    let refused = desk.answer();
    assert_eq!(refused["happened"]["why"], "node: there is no node 'nobody'");
    assert_eq!(desk.answer()["hash"], "0123");
    // A running session looks for orders each millisecond.
    assert_eq!(session.next(), at(1_000_000));
    let event = SessionEvent { job: 1, happened: JobEvent::Ended { status: Some(0), signal: None } };
    session.say(&event, at(300)).unwrap();
    assert_eq!(desk.answer()["at_ns"], 300);
    assert_eq!(session.next(), at(301));
    desk.order(r#"{"order":"go","at_ns":777}"#);
    session.look(at(301), &mut Run).unwrap();
    let stopped = desk.answer();
    assert_eq!((stopped["at_ns"].as_u64(), stopped["why"].as_str()), (Some(301), Some("job")));
    assert_eq!(session.next(), at(777));
    desk.order(r#"{"order":"go"}"#);
    session.look(at(777), &mut Run).unwrap();
    assert_eq!(desk.answer()["why"], "time");
}

#[test]
fn whoever_does_something_else_than_was_planned_leaves_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let node = plan(vec![]).nodes[0].name.clone();
    let plan = plan(vec![input(500, 1, start(&node))]);
    let epoch = Instant::from_nanos(plan.epoch_ns);
    let (mut desk, channel) = Desk::new();
    let mut session = Session::of(&plan, folder.path(), Some(channel)).unwrap().unwrap();
    desk.order(&format!(
        r#"{{"order":"enter","job":7,"act":{{"kind":"link","node":"{node}","interface":"eth0","up":false}}}}"#
    ));
    desk.order(r#"{"order":"go"}"#);
    session.look(epoch, &mut Run).unwrap();
    // Not the planned input at 500 ns.
    assert_eq!(session.next(), epoch + Duration::from_millis(1));
}

#[test]
fn a_user_who_has_gone_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(vec![]);
    let (desk, channel) = Desk::new();
    let mut session = Session::of(&plan, folder.path(), Some(channel)).unwrap().unwrap();
    drop(desk.orders);
    let error = session.look(Instant::from_nanos(plan.epoch_ns), &mut Run).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
}

#[test]
fn the_transcript_has_what_entered_and_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let node = plan(vec![]).nodes[0].name.clone();
    let plan = plan(vec![input(0, 3, start(&node))]);
    let epoch = Instant::from_nanos(plan.epoch_ns);
    let mut session = Session::of(&plan, folder.path(), None).unwrap().unwrap();
    session.look(epoch, &mut Run).unwrap();
    let event = SessionEvent { job: 3, happened: JobEvent::Ended { status: None, signal: Some(9) } };
    session.say(&event, epoch + Duration::from_nanos(40)).unwrap();
    session.close("0123", epoch + Duration::from_nanos(50)).unwrap();
    let text = std::fs::read_to_string(folder.path().join("session.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines[0]["at_ns"].as_u64(), lines[0]["act"]["kind"].as_str()), (Some(0), Some("start")));
    assert_eq!((lines[1]["at_ns"].as_u64(), lines[1]["happened"]["signal"].as_i64()), (Some(40), Some(9)));
    assert_eq!(lines.len(), 2);
}

#[test]
fn the_user_gets_the_records_so_far_and_the_signals_of_stations() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(vec![]);
    let (mut desk, channel) = Desk::new();
    let mut session = Session::of(&plan, folder.path(), Some(channel)).unwrap().unwrap();
    desk.order(r#"{"order":"flush"}"#);
    desk.order(r#"{"order":"go"}"#);
    let mut run = CountedFlushes(0);
    session.look(Instant::from_nanos(plan.epoch_ns), &mut run).unwrap();
    assert_eq!(run.0, 1);
    assert_eq!(desk.answer()["why"], "begin");
    let flushed = desk.answer();
    let expected: Vec<_> = plan
        .air
        .nics
        .iter()
        .map(|nic| if nic.role == NicRole::AccessPoint { None } else { Some(-50.0) })
        .collect();
    assert!(expected.contains(&Some(-50.0)) && expected.contains(&None));
    assert_eq!(flushed["signals_dbm"], serde_json::json!(expected));
}

/// A run that counts how often its records were written.
struct CountedFlushes(u32);

impl RunSoFar for CountedFlushes {
    fn frame_hash(&self) -> String {
        unreachable!("nobody asks")
    }

    fn mean_power(&self, _: NicId, _: NicId) -> Dbm {
        Dbm::new(-50.0)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0 += 1;
        Ok(())
    }
}
