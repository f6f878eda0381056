//! The client's end of a flow: sends the requests of its client, and records when the answers arrived.

use std::os::fd::AsFd;

use airtcp_plan::{Flow, Workload};
use airtcp_workload::{Ask, Client, NEVER, Step, Transfer};
use rustix::io::Result;
use rustix::net::{SendFlags, Shutdown, send, shutdown};

use super::flow::FlowState;
use super::watch::Watch;
use crate::clock::Timeline;
use crate::sys::tcp::{CUT, discard, wait_readable};

/// Length of each request of a flow.
pub(super) fn request_bytes(flow: &Flow) -> u32 {
    match flow.workload {
        Workload::Requests { request_bytes, .. }
        | Workload::Web { request_bytes, .. }
        | Workload::Video { request_bytes, .. } => request_bytes,
        _ => unreachable!("nothing is asked for"),
    }
}

/// Requests for so many bytes each: the number (big-endian, eight bytes), then zeros.
pub(super) fn requests(answers: &[u64], request_bytes: u32) -> Vec<u8> {
    let mut all = Vec::with_capacity(answers.len() * request_bytes as usize);
    for (number, bytes) in answers.iter().enumerate() {
        all.extend(bytes.to_be_bytes());
        all.resize((number + 1) * request_bytes as usize, 0);
    }
    all
}

/// The thread of the client, from connecting to its last answer.
pub(super) fn run(flow: &FlowState, timeline: Timeline, watch: &Watch, mut client: Box<dyn Client>) {
    if let Err(error) = watch.receiver(flow.number, flow.caller()) {
        return flow.note_failure("watch", &error);
    }
    if !flow.connect(timeline) {
        return;
    }
    let taken = converse(flow, timeline, client.as_mut()).and_then(|taken| {
        shutdown(flow.caller(), Shutdown::Write)?;
        Ok(taken + discard(flow.caller().as_fd(), u64::MAX)?)
    });
    match taken {
        Ok(taken) => flow.finish(taken, timeline, watch),
        Err(error) => flow.note_error("ask", error),
    }
}

/// Sends requests until the client has no more; returns the bytes received.
fn converse(flow: &FlowState, timeline: Timeline, client: &mut dyn Client) -> Result<u64> {
    let (mut taken, mut now_ns) = (0, timeline.now_from_epoch_ns());
    loop {
        match client.next(now_ns) {
            Step::End => return Ok(taken),
            Step::Wait { until_ns } => {
                timeline.sleep_until(until_ns);
                now_ns = until_ns;
            }
            Step::Ask(ask) => {
                taken += fetch(flow, timeline, &ask)?;
                now_ns = timeline.now_from_epoch_ns();
                let level_ns = client.received(now_ns);
                let ended = take_ended(&mut flow.asked(), &ask, now_ns, level_ns);
                if let Some(transfer) = ended {
                    flow.note_ended(transfer);
                }
            }
        }
    }
}

/// Sends one request, and receives all that it requested.
fn fetch(flow: &FlowState, timeline: Timeline, ask: &Ask) -> Result<u64> {
    let all: u64 = ask.answers.iter().sum();
    note_begin(&mut flow.asked(), ask, all);
    let mut left = &requests(&ask.answers, request_bytes(&flow.plan))[..];
    while !left.is_empty() {
        left = &left[send(flow.caller(), left, SendFlags::NOSIGNAL)?..];
    }
    if ask.begins_ns.is_some() {
        wait_readable(flow.caller().as_fd())?;
        let now_ns = timeline.now_from_epoch_ns();
        last(&mut flow.asked()).first_byte_ns = now_ns.cast_signed();
    }
    if discard(flow.caller().as_fd(), all)? < all {
        return Err(CUT);
    }
    Ok(all)
}

fn last(transfers: &mut [Transfer]) -> &mut Transfer {
    transfers.last_mut().expect("a transfer has begun")
}

fn note_begin(transfers: &mut Vec<Transfer>, ask: &Ask, bytes: u64) {
    if let Some(begins_ns) = ask.begins_ns {
        transfers.push(Transfer { rate_bps: ask.rate_bps, ..Transfer::asked(begins_ns) });
    }
    last(transfers).bytes += bytes;
}

/// The transfer, if it has ended.
fn take_ended(
    transfers: &mut Vec<Transfer>,
    ask: &Ask,
    now_ns: u64,
    level_ns: Option<u64>,
) -> Option<Transfer> {
    let transfer = transfers.pop_if(|_| ask.ends)?;
    let buffer_ns = level_ns.map_or(NEVER, u64::cast_signed);
    Some(Transfer { end_ns: now_ns.cast_signed(), buffer_ns, ..transfer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_how_much_and_has_its_length() {
        let both = requests(&[5, 0x0102], 10);
        assert_eq!(both, [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0]);
    }

    #[test]
    fn a_page_is_one_transfer_of_two_asks() {
        let main = Ask { answers: vec![10], begins_ns: Some(100), ends: false, rate_bps: 0 };
        let embedded = Ask { answers: vec![2, 3], begins_ns: None, ends: true, rate_bps: 0 };
        let mut transfers = Vec::new();
        note_begin(&mut transfers, &main, 10);
        assert_eq!(take_ended(&mut transfers, &main, 150, None), None);
        note_begin(&mut transfers, &embedded, 5);
        assert_eq!(transfers, [Transfer { bytes: 15, ..Transfer::asked(100) }]);
        let expected = Transfer { bytes: 15, end_ns: 200, ..Transfer::asked(100) };
        assert_eq!(take_ended(&mut transfers, &embedded, 200, None), Some(expected));
        assert_eq!(transfers, []);
    }

    #[test]
    fn a_segment_has_its_rate_and_the_level_of_the_buffer() {
        let ask = Ask { answers: vec![500], begins_ns: Some(7), ends: true, rate_bps: 1_000 };
        let mut transfers = Vec::new();
        note_begin(&mut transfers, &ask, 500);
        let ended = take_ended(&mut transfers, &ask, 9, Some(4_000));
        let expected =
            Transfer { bytes: 500, end_ns: 9, rate_bps: 1_000, buffer_ns: 4_000, ..Transfer::asked(7) };
        assert_eq!(ended, Some(expected));
    }
}
