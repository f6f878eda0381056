//! What the main thread does while traffic runs: samples, ends flows and programs, each at its time.
//!
//! At one instant samples come first, then flows end, then programs are told to end.

use std::sync::Arc;

use airtcp_plan::record::{Kind, Table};
use airtcp_plan::{FlowEnd, Plan};

use super::flow::FlowState;
use super::program::ProgramState;
use super::records::RecordFile;
use super::tcp_info::TcpInfo;
use crate::clock::Timeline;
use crate::failure::Outcome;
use crate::sys::tcp::TCP_INFO_BYTES;

/// How long a program may take to end before it is killed.
pub(crate) const GRACE_NS: u64 = 100_000_000;
/// A sample taken later than this is worth a warning. Programs that run at the same instant
/// delay it by the ticks of the clocks they read: tens of microseconds.
const LATE_NS: i64 = 1_000_000;

/// Something that happens at a planned time. The order decides between equal times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    /// The flow's sender has written its last byte.
    EndFlow(usize),
    /// The program is told to end.
    StopProgram(usize),
    /// The program is killed.
    KillProgram(usize),
}

/// The table of `records/flows.rec`.
///
/// `time_ns` is the planned time of the sample, from the epoch. Byte counts are the kernel's: SYN and FIN are one each.
pub(crate) fn flows_table() -> Table {
    let u32_columns = |names: &[&'static str]| names.iter().map(|&n| (n, Kind::U32)).collect::<Vec<_>>();
    let u64_columns = |names: &[&'static str]| names.iter().map(|&n| (n, Kind::U64)).collect::<Vec<_>>();
    let mut columns = vec![("time_ns", Kind::I64), ("flow", Kind::U32)];
    columns.extend(u64_columns(&["bytes_received", "bytes_acked"]));
    columns.extend(u32_columns(&["cwnd", "ssthresh", "srtt_us", "rttvar_us", "min_rtt_us", "rto_us"]));
    columns.extend(u32_columns(&["unacked", "sacked", "lost", "retrans", "total_retrans", "snd_mss"]));
    columns.extend(u64_columns(&["pacing_rate_bps", "delivery_rate_bps"]));
    columns.extend(u64_columns(&["busy_us", "rwnd_limited_us", "sndbuf_limited_us"]));
    columns.extend(u32_columns(&["ca_state", "delivery_app_limited"]));
    columns.push(("tcp_info", Kind::Bytes(TCP_INFO_BYTES as u16)));
    Table::new("flows", &columns)
}

/// The main thread's work.
#[derive(Debug)]
pub(crate) struct Conductor<'a> {
    /// The clock.
    pub(crate) timeline: Timeline,
    /// What is executed.
    pub(crate) plan: &'a Plan,
    /// Every flow of the plan.
    pub(crate) flows: &'a [Arc<FlowState>],
    /// Every program of the plan.
    pub(crate) programs: &'a [Arc<ProgramState>],
    /// Where samples go; `None`: none are taken.
    pub(crate) samples: Option<RecordFile>,
    /// Samples that came late, and by how much at most.
    pub(crate) late: (u64, i64),
}

impl Conductor<'_> {
    /// Conducts the run to its end, where the last sample is taken.
    ///
    /// # Errors
    /// A record can't be written.
    pub(crate) fn conduct(&mut self) -> Outcome<()> {
        let end_ns = self.plan.duration_ns;
        let interval_ns = self.plan.sampling.flows_interval_ns;
        let mut sample_ns = if self.samples.is_some() { interval_ns.min(end_ns) } else { u64::MAX };
        for (time_ns, action) in actions(self.plan).into_iter().chain([(end_ns, None)]) {
            while sample_ns <= time_ns {
                self.timeline.sleep_until(sample_ns);
                self.sample(sample_ns)?;
                sample_ns = next_sample(sample_ns, interval_ns, end_ns);
            }
            self.timeline.sleep_until(time_ns);
            match action {
                Some(Action::EndFlow(flow)) => self.flows[flow].end_sending(),
                Some(Action::StopProgram(program)) => self.programs[program].stop(),
                Some(Action::KillProgram(program)) => self.programs[program].kill(),
                None => {}
            }
        }
        self.samples.take().map_or(Ok(()), RecordFile::finish)
    }

    fn sample(&mut self, time_ns: u64) -> Outcome<()> {
        let late_ns = self.timeline.now_ns() - time_ns.cast_signed();
        if late_ns > LATE_NS {
            self.late = (self.late.0 + 1, self.late.1.max(late_ns));
        }
        let Some(samples) = &mut self.samples else { return Ok(()) };
        for (number, flow) in self.flows.iter().enumerate() {
            if let Some((sender, receiver)) = flow.books() {
                samples.add(|row| {
                    row.i64(time_ns.cast_signed()).u32(number as u32);
                    fill(row, &sender, &receiver);
                })?;
            }
        }
        Ok(())
    }

    /// What a reader should know about the samples.
    pub(crate) fn warning(&self) -> Option<String> {
        let (count, worst_ns) = self.late;
        let warn = || format!("{count} samples of flows were taken late, by up to {} us", worst_ns / 1000);
        (count > 0).then(warn)
    }
}

fn fill(row: &mut airtcp_plan::record::RowWriter, sender: &TcpInfo, receiver: &TcpInfo) {
    row.u64(receiver.bytes_received()).u64(sender.bytes_acked());
    row.u32(sender.cwnd()).u32(sender.ssthresh()).u32(sender.srtt_us()).u32(sender.rttvar_us());
    row.u32(sender.min_rtt_us()).u32(sender.rto_us());
    row.u32(sender.unacked()).u32(sender.sacked()).u32(sender.lost()).u32(sender.retrans());
    row.u32(sender.total_retrans()).u32(sender.snd_mss());
    row.u64(sender.pacing_rate_bps()).u64(sender.delivery_rate_bps());
    row.u64(sender.busy_us()).u64(sender.rwnd_limited_us()).u64(sender.sndbuf_limited_us());
    row.u32(sender.ca_state()).u32(sender.delivery_app_limited()).bytes(&sender.0);
}

/// Samples are at multiples of the interval and at the end.
fn next_sample(previous_ns: u64, interval_ns: u64, end_ns: u64) -> u64 {
    if previous_ns >= end_ns { u64::MAX } else { (previous_ns + interval_ns).min(end_ns) }
}

/// Everything that happens before the end at a planned time, in order.
fn actions(plan: &Plan) -> Vec<(u64, Option<Action>)> {
    let flows = plan.flows.iter().enumerate().filter_map(|(i, flow)| match flow.end {
        FlowEnd::At { time_ns } => Some((time_ns, Some(Action::EndFlow(i)))),
        FlowEnd::Bytes { .. } => None,
    });
    let programs = plan.programs.iter().enumerate().filter_map(|(i, p)| Some((i, p.stop_ns?)));
    let programs = programs.flat_map(|(i, stop_ns)| {
        let kill_ns = stop_ns.saturating_add(GRACE_NS);
        [(stop_ns, Some(Action::StopProgram(i))), (kill_ns, Some(Action::KillProgram(i)))]
    });
    let mut actions: Vec<_> = flows.chain(programs).filter(|&(t, _)| t < plan.duration_ns).collect();
    actions.sort_unstable();
    actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_plan::two_hosts_and_a_switch;

    #[test]
    fn samples_are_at_multiples_and_at_the_end() {
        let times = |interval, end: u64| {
            let mut t = u64::min(interval, end);
            let mut all = vec![];
            while t != u64::MAX {
                all.push(t);
                t = next_sample(t, interval, end);
            }
            all
        };
        assert_eq!(times(10, 25), [10, 20, 25]);
        assert_eq!(times(10, 20), [10, 20]);
        assert_eq!(times(30, 20), [20]);
    }

    #[test]
    fn actions_come_in_the_order_of_time_then_kind() {
        let mut plan = two_hosts_and_a_switch();
        plan.duration_ns = 10_000_000_000;
        plan.flows[0].end = FlowEnd::At { time_ns: 5_000_000_000 };
        plan.programs[0].stop_ns = Some(5_000_000_000);
        let kinds: Vec<_> = actions(&plan).into_iter().map(|(t, a)| (t / 1_000_000, a.unwrap())).collect();
        assert_eq!(
            kinds,
            [(5000, Action::EndFlow(0)), (5000, Action::StopProgram(0)), (5100, Action::KillProgram(0))]
        );
        plan.flows[0].end = FlowEnd::At { time_ns: plan.duration_ns };
        plan.programs[0].stop_ns = None;
        assert_eq!(actions(&plan), []);
    }

    #[test]
    fn a_row_has_the_columns_of_its_table() {
        let mut row = airtcp_plan::record::RowWriter::new(&flows_table());
        row.i64(0).u32(0);
        fill(&mut row, &TcpInfo::EMPTY, &TcpInfo::EMPTY);
        let mut bytes = Vec::new();
        row.end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), flows_table().row_width());
    }
}
