//! The session of a run without a kernel: what enters when, and what its user is told.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;

use airtcp_air::{DropReason, NicId};
use airtcp_guest::session::{Entered, RunSoFar, Session, UserChannel, Watched};
use airtcp_guest::watch::{DevicePlace, FlowSample, QdiscSample, SampledFlow};
use airtcp_plan::condition::{Loser, Loss};
use airtcp_plan::{
    JobEvent, MacAddress, NicRole, Plan, Session as Inputs, SessionAct, SessionEvent, SessionInput, TcpInfo,
};
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

/// A sender with so many segments sent again.
fn sender(retransmissions: u8) -> FlowSample {
    let mut info = [0; 248];
    // tcpi_total_retrans of struct tcp_info.
    info[100] = retransmissions;
    FlowSample {
        sender: TcpInfo::from_bytes(&info),
        receiver: TcpInfo::EMPTY,
        limited_ns: [0; 7],
        cc_kind: 0,
        cc_info: [0; 20],
    }
}

/// A queue that has dropped so many packets.
fn queue(drops: u32) -> QdiscSample<'static> {
    QdiscSample {
        handle: 1,
        backlog_packets: 3,
        backlog_bytes: 4500,
        packets: 9,
        bytes: 13500,
        drops,
        overlimits: 0,
        kind: "pfifo",
        own: &[],
    }
}

/// A session whose user waits for this condition from the epoch on, which it returns.
fn waiting(condition: &str) -> (Session, Desk, Instant, Watched) {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(vec![]);
    let epoch = Instant::from_nanos(plan.epoch_ns);
    let (mut desk, channel) = Desk::new();
    let mut session = Session::of(&plan, folder.path(), Some(channel)).unwrap().unwrap();
    desk.order(&format!(r#"{{"order":"go","condition":{condition}}}"#));
    let entered = session.look(epoch, &mut Run).unwrap();
    assert_eq!(desk.answer()["why"], "begin");
    (session, desk, epoch, entered.watched)
}

/// One instant of a flow and a queue, at which a packet of the queue's device is lost or not.
fn instant(session: &mut Session, now: Instant, retransmissions: u8, drops: u32, lost: bool) {
    let place = DevicePlace { node: 0, interface: 0 };
    let waits = session.waiting().unwrap();
    waits.begin(now);
    if lost {
        let (by, detail) = (Loser::Interface, String::new());
        let known = (None, None, false, None, 1);
        let (flow, from, acknowledgment, packet, packets) = known;
        waits.lost(Loss { node: 0, interface: 0, by, detail, flow, from, acknowledgment, packet, packets });
    }
    waits.flow(SampledFlow { number: 4, node: Some(0) }, &sender(retransmissions));
    waits.queue(place, &queue(drops));
    session.sampled(now);
}

/// What the user is told once the clock has stopped.
fn stopped(session: &mut Session, desk: &mut Desk, at: Instant) -> serde_json::Value {
    assert_eq!(session.next(), at);
    desk.order(r#"{"order":"go","at_ns":1000000000}"#);
    session.look(at, &mut Run).unwrap();
    let answer = desk.answer();
    assert_eq!(answer["why"], "condition");
    answer
}

#[test]
fn what_is_so_already_stops_the_clock_where_it_stands() {
    let condition = r#"{"kind":"queue","node":null,"interface":null,
        "value":{"column":"backlog_packets","comparison":"at_least","than":3}}"#
        .replace('\n', "");
    let (mut session, mut desk, epoch, watched) = waiting(&condition);
    assert_eq!(watched, Watched { flows: false, queues: true, losses: false, begins: true });
    instant(&mut session, epoch, 0, 0, false);
    let answer = stopped(&mut session, &mut desk, epoch);
    assert_eq!((&answer["happened"][0]["what"], &answer["happened_ns"]), (&"queue".into(), &0.into()));
    assert_eq!(answer["happened"][0]["value"], 3.0);
}

#[test]
fn what_was_before_is_no_loss_and_no_retransmission() {
    let any = r#"{"kind":"any","of":[{"kind":"loss","of":null,"node":null},
        {"kind":"retransmission","of":{"numbers":[4],"from":null}}]}"#
        .replace('\n', "");
    let (mut session, mut desk, epoch, _) = waiting(&any);
    let at = |ns| epoch + Duration::from_nanos(ns);
    instant(&mut session, epoch, 7, 5, false);
    instant(&mut session, at(10), 7, 5, false);
    assert_eq!(session.next(), at(1_000_000));
    instant(&mut session, at(20), 9, 5, false);
    let answer = stopped(&mut session, &mut desk, at(21));
    assert_eq!(answer["happened_ns"], 20);
    assert_eq!((&answer["happened"][0]["segments"], &answer["happened"][0]["flow"]), (&2.into(), &4.into()));
}

#[test]
fn a_loss_is_that_of_the_queue_that_has_dropped() {
    let (mut session, mut desk, epoch, watched) = waiting(r#"{"kind":"loss","of":null,"node":0}"#);
    assert!(watched.losses && !watched.queues);
    let at = |ns| epoch + Duration::from_nanos(ns);
    instant(&mut session, epoch, 0, 5, false);
    instant(&mut session, at(20), 0, 6, true);
    let answer = stopped(&mut session, &mut desk, at(21));
    let loss = &answer["happened"][0];
    assert_eq!((&loss["by"], &loss["detail"]), (&"queue".into(), &"pfifo".into()));
}

#[test]
fn a_loss_without_a_queue_that_drops_is_that_of_the_radio_or_the_interface() {
    for (is_radios, by, detail) in [(true, "radio", "retry_limit"), (false, "interface", "")] {
        let (mut session, mut desk, epoch, _) = waiting(r#"{"kind":"loss","of":null,"node":null}"#);
        let at = |ns| epoch + Duration::from_nanos(ns);
        instant(&mut session, epoch, 0, 5, false);
        if is_radios {
            session.radio_drops(NicId(0), DropReason::RetryLimit, at(20));
        }
        instant(&mut session, at(20), 0, 5, !is_radios);
        let answer = stopped(&mut session, &mut desk, at(21));
        let loss = &answer["happened"][0];
        assert_eq!((&loss["by"], &loss["detail"]), (&by.into(), &detail.into()));
    }
}

#[test]
fn both_of_a_condition_have_to_be_so_at_one_instant() {
    let all = r#"{"kind":"all","of":[{"kind":"roam","nic":1},
        {"kind":"flow","of":{"numbers":null,"from":0},"value":{"column":"total_retrans","comparison":"greater","than":1}}]}"#
        .replace('\n', "");
    let (mut session, mut desk, epoch, watched) = waiting(&all);
    assert!(watched.flows && !watched.losses);
    let at = |ns| epoch + Duration::from_nanos(ns);
    let access_point = |last| MacAddress([2, 0, 0, 0, 0, last]);
    instant(&mut session, epoch, 0, 0, false);
    session.associated(NicId(1), access_point(1), at(5));
    session.associated(NicId(1), access_point(2), at(10));
    instant(&mut session, at(10), 1, 0, false);
    instant(&mut session, at(20), 2, 0, false);
    session.associated(NicId(1), access_point(1), at(30));
    assert_eq!(session.next(), at(1_000_000), "the instant is not over");
    instant(&mut session, at(30), 2, 0, false);
    let answer = stopped(&mut session, &mut desk, at(31));
    assert_eq!(answer["happened"].as_array().unwrap().len(), 2);
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
