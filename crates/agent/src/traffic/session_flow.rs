//! A TCP flow that a session starts: a process of this program.
//!
//! As a process of its own it is a job like any other, and the kernel watches its sockets as it watches those of programs
//! (`drivers/airtcp/probe` of the kernel). It sends and receives as the flows of a plan do.
//!
//! ```text
//! main thread   sleeps until standard input or the flow's time ends, then shuts the sender down
//! source        connects, writes
//! sink          reads to the end of the data, says how it went, and ends the process
//! ```

use std::fs::File;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, exit};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use airtcp_plan::SessionFlow;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{Shutdown, SocketFlags, accept_with, connect, shutdown};
use rustix::stdio::stdin;
use rustix::thread::set_current_timer_slack;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::{sockets, source};
use crate::clock::timespec;
use crate::guest_paths::NAMESPACES;
use crate::process::spawn;
use crate::sys::namespace::enter_network;
use crate::sys::tcp::discard;

/// The name under which this program is a flow.
const NAME: &str = "airtcp-flow";

/// The process of a flow. It keeps the agent's capabilities: programs, which have fewer, can't look into it, whose folders are
/// those of the agent.
pub(super) fn program(flow: &SessionFlow) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg0(NAME).arg(serde_json::to_string(flow).expect("plain data")).env_clear();
    command
}

/// The flow that this process is to be, if it was started as one.
pub(crate) fn asked_for() -> Option<SessionFlow> {
    let mut words = std::env::args();
    let flow = (words.next()? == NAME).then(|| words.next())??;
    Some(serde_json::from_str(&flow).expect("the agent starts it"))
}

/// The whole life of this process.
pub(crate) fn run(flow: &SessionFlow) -> ExitCode {
    let ended = Flow::open(flow).and_then(|opened| {
        let opened = Arc::new(opened);
        for (name, work) in [("sink", Flow::receive as fn(&Flow) -> _), ("source", Flow::send)] {
            let end = Arc::clone(&opened);
            spawn(name.to_owned(), move || or_exit(work(&end))).map_err(|failure| failure.what)?;
        }
        opened.stop_in_time()
    });
    match ended {
        Ok(()) => loop {
            // The sink ends the process.
            std::thread::park();
        },
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// An open flow.
struct Flow {
    plan: SessionFlow,
    listener: OwnedFd,
    caller: OwnedFd,
    connected: OnceLock<Instant>,
}

impl Flow {
    /// The sockets of the flow, each in its node. The thread stays in the sender's.
    fn open(plan: &SessionFlow) -> Result<Self, String> {
        let slack = set_current_timer_slack(std::num::NonZeroU64::new(1));
        slack.map_err(|error| format!("timers can't be made exact: {error}"))?;
        enter(&plan.to)?;
        let listener = sockets::listener(plan.address, plan.port)
            .map_err(|error| format!("port {} of {} can't be used: {error}", plan.port, plan.to))?;
        enter(&plan.from)?;
        let caller = sockets::tcp_socket(plan.address)
            .map_err(|error| format!("no socket in {}: {error}", plan.from))?;
        let name = &plan.congestion_control;
        sockets::control(Some(&caller), Some(&listener), name, false).map_err(|error| match error {
            Errno::NOENT => {
                format!("the kernel has no congestion control '{name}'; it has {}", sockets::available())
            }
            error => format!("'{name}' can't be used: {error}"),
        })?;
        Ok(Self { plan: plan.clone(), listener, caller, connected: OnceLock::new() })
    }

    fn send(&self) -> Result<(), String> {
        let failed = |doing: &str| {
            let ends = format!("{} > {}", self.plan.from, self.plan.to);
            let doing = doing.to_owned();
            move |error: Errno| format!("{ends}: {doing}: {error}")
        };
        connect(&self.caller, &SocketAddr::new(self.plan.address, self.plan.port))
            .map_err(failed("connect"))?;
        self.connected.set(Instant::now()).expect("it connects once");
        match source::send_bytes(self.caller.as_fd(), self.plan.bytes.unwrap_or(u64::MAX)) {
            Ok(()) => self.stop(),
            // It was stopped.
            Err(Errno::PIPE) => {}
            Err(error) => return Err(failed("send")(error)),
        }
        Ok(())
    }

    /// Nothing more is written; what was written is still delivered. A connection that is being made is given up.
    fn stop(&self) {
        let _ = shutdown(&self.caller, Shutdown::Write);
    }

    fn receive(&self) -> Result<(), String> {
        let failed = |error: Errno| format!("{} > {}: receive: {error}", self.plan.from, self.plan.to);
        let receiver = accept_with(&self.listener, SocketFlags::CLOEXEC).map_err(failed)?;
        let bytes = discard(receiver.as_fd(), u64::MAX).map_err(failed)?;
        let seconds = self.connected.get().map_or(0.0, |begin| begin.elapsed().as_secs_f64());
        println!("{}", summary(&self.plan, bytes, seconds));
        exit(0)
    }

    /// Sleeps until standard input ends, or the flow's time, and stops the flow.
    fn stop_in_time(&self) -> Result<(), String> {
        let failed = |error: Errno| format!("no timer: {error}");
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).map_err(failed)?;
        if let Some(ns) = self.plan.length_ns {
            // Zero would disarm the timer.
            let once = Itimerspec { it_interval: timespec(0), it_value: timespec(ns.max(1)) };
            timerfd_settime(&timer, TimerfdTimerFlags::empty(), &once).map_err(failed)?;
        }
        let input = stdin();
        let mut ends = [PollFd::new(&timer, PollFlags::IN), PollFd::from_borrowed_fd(input, PollFlags::IN)];
        while poll(&mut ends, None) == Err(Errno::INTR) {}
        self.stop();
        Ok(())
    }
}

/// A thread has ended, and with an error the process does.
fn or_exit(ended: Result<(), String>) {
    if let Err(why) = ended {
        eprintln!("{why}");
        exit(1);
    }
}

fn enter(node: &str) -> Result<(), String> {
    let namespace = File::open(Path::new(NAMESPACES).join(node));
    let namespace = namespace.map_err(|error| format!("node {node} can't be entered: {error}"))?;
    enter_network(namespace.as_fd()).map_err(|failure| failure.what)
}

/// Without a rate: that of tables is over the time of the connection, which is closed a round trip after the last byte.
fn summary(plan: &SessionFlow, bytes: u64, seconds: f64) -> String {
    let SessionFlow { from, to, congestion_control, .. } = plan;
    format!("{from} > {to}, {congestion_control}: {bytes} bytes in {seconds:.3} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_says_how_it_went() {
        let plan = SessionFlow {
            from: "sta1".to_owned(),
            to: "h1".to_owned(),
            address: std::net::Ipv4Addr::new(10, 0, 0, 2).into(),
            port: 6001,
            congestion_control: "bbr".to_owned(),
            bytes: None,
            length_ns: None,
        };
        assert_eq!(summary(&plan, 2_500_000, 2.0), "sta1 > h1, bbr: 2500000 bytes in 2.000 s");
        assert_eq!(summary(&plan, 0, 0.0), "sta1 > h1, bbr: 0 bytes in 0.000 s");
    }

    #[test]
    fn the_process_gets_its_flow_as_its_argument() {
        let plan: SessionFlow = serde_json::from_str(
            r#"{"from":"a","to":"b","address":"10.0.0.2","port":6001,"congestion_control":"cubic","bytes":5,"length_ns":null}"#,
        )
        .unwrap();
        let command = program(&plan);
        let words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(words.len(), 1);
        assert_eq!(serde_json::from_str::<SessionFlow>(words[0]).unwrap(), plan);
    }
}
