//! The reports of both parts, made one.

use std::collections::BTreeSet;

use airtcp_plan::report::{
    AgentReport, AirReport, FlowReport, LimitReport, MediumReport, QdiscReport, WireReport,
};
use airtcp_plan::{PARTS, Plan};
use sha2::{Digest, Sha256};

use crate::failure::{Kind, RunFailure};
use crate::installation::hex;
use crate::verdict::Reports;

/// Digits of a hash of frames.
const FRAME_HASH_DIGITS: usize = 16;

/// One report of each kind, of what the reports of both parts say of their own part. `events` is that of part 0.
///
/// # Errors
/// A [`RunFailure`] if something of the plan is in no report.
pub(super) fn merged(plan: &Plan, parts: [&Reports; PARTS]) -> Result<Reports, RunFailure> {
    let agent = merged_agent(plan, parts.map(|reports| &reports.agent))?;
    let air = merged_air(plan, parts.map(|reports| &reports.air))?;
    Ok(Reports { agent, air, sockets: parts[0].sockets.clone() })
}

fn merged_agent(plan: &Plan, parts: [&AgentReport; PARTS]) -> Result<AgentReport, RunFailure> {
    // In the order of their texts: which guest has a warning is of no importance.
    let warnings: BTreeSet<_> = parts.iter().flat_map(|report| &report.warnings).collect();
    let senders = plan.flows.iter().map(|flow| flow.from.as_str());
    let mut flows = of_owners(plan, senders, parts.map(|report| &report.flows[..]), "flows")?;
    for ((number, flow), report) in plan.flows.iter().enumerate().zip(&mut flows) {
        if plan.crosses_parts(flow) {
            let receiver = parts[part_of(plan, &flow.to)].flows.get(number);
            add_receiver(report, receiver.ok_or_else(|| incomplete("flows"))?);
        }
    }
    let streams = plan.datagrams.iter().map(|stream| stream.from.as_str());
    let pings = plan.pings.iter().map(|ping| ping.from.as_str());
    Ok(AgentReport {
        flows,
        datagrams: of_owners(plan, streams, parts.map(|report| &report.datagrams[..]), "datagrams")?,
        pings: of_owners(plan, pings, parts.map(|report| &report.pings[..]), "pings")?,
        qdiscs: of_nodes(plan, parts.map(|report| &report.qdiscs[..]), |qdisc: &QdiscReport| &qdisc.node),
        wires: of_nodes(plan, parts.map(|report| &report.wires[..]), |wire: &WireReport| &wire.node),
        limits: merged_limits(plan, parts.map(|report| &report.limits[..])),
        warnings: warnings.into_iter().cloned().collect(),
        ..parts[0].clone()
    })
}

/// Merges the limits that guests have met: limits of nodes from the report of their part, then those of each guest.
fn merged_limits(plan: &Plan, parts: [&[LimitReport]; PARTS]) -> Vec<LimitReport> {
    let part_of = |entry: &LimitReport| entry.node.as_deref().map(|node| plan.part_of(node));
    let own = parts.iter().enumerate().flat_map(|(part, entries)| {
        entries.iter().filter(move |&entry| part_of(entry).is_none_or(|found| found == Some(part)))
    });
    let mut entries: Vec<_> = own.cloned().collect();
    entries.sort_by_key(|entry| {
        let place = plan.nodes.iter().position(|own| Some(&own.name) == entry.node.as_ref());
        place.unwrap_or(plan.nodes.len())
    });
    // One guest that computes both parts counts once.
    entries.dedup();
    entries
}

/// Adds what only the receiver of a flow knows.
fn add_receiver(sender: &mut FlowReport, receiver: &FlowReport) {
    sender.finished_ns = receiver.finished_ns;
    sender.bytes_received = receiver.bytes_received;
    sender.error = sender.error.take().or_else(|| receiver.error.clone());
}

fn merged_air(plan: &Plan, parts: [&AirReport; PARTS]) -> Result<AirReport, RunFailure> {
    let nodes = plan.air.nics.iter().map(|nic| nic.node.as_str());
    let media = parts[0].media.iter().map(|medium| {
        let owner = parts[part_of_medium(plan, medium)];
        let same = |own: &&MediumReport| own.frequency_mhz == medium.frequency_mhz;
        owner.media.iter().find(same).cloned().ok_or_else(|| incomplete("media"))
    });
    let late_max_ns = parts.map(|report| report.late_max_ns).into_iter().max().unwrap_or_default();
    Ok(AirReport {
        late_max_ns,
        frame_hash: frame_hash(parts)?,
        part_hashes: Vec::new(),
        nics: of_owners(plan, nodes, parts.map(|report| &report.nics[..]), "nics")?,
        media: media.collect::<Result<_, _>>()?,
        ..parts[0].clone()
    })
}

/// The hash over the frames of both parts: of the hash of each.
fn frame_hash(parts: [&AirReport; PARTS]) -> Result<String, RunFailure> {
    let hashes =
        parts.iter().enumerate().map(|(part, report)| report.part_hashes.get(part).map(String::as_str));
    let hashes: Vec<&str> = hashes.collect::<Option<_>>().ok_or_else(|| incomplete("part_hashes"))?;
    let mut digits = hex(&Sha256::digest(hashes.join("\n")));
    digits.truncate(FRAME_HASH_DIGITS);
    Ok(digits)
}

/// Entries of reports that stand in the order of the plan, each from the report of its node's part.
fn of_owners<'a, T: Clone>(
    plan: &Plan,
    nodes: impl Iterator<Item = &'a str>,
    parts: [&[T]; PARTS],
    place: &str,
) -> Result<Vec<T>, RunFailure> {
    let entry = |(number, node)| parts[part_of(plan, node)].get(number).cloned();
    nodes.enumerate().map(entry).collect::<Option<_>>().ok_or_else(|| incomplete(place))
}

/// Entries that name a node of the part of their report, in the order of nodes.
fn of_nodes<T: Clone>(plan: &Plan, parts: [&[T]; PARTS], node: fn(&T) -> &String) -> Vec<T> {
    let own = parts.iter().enumerate().flat_map(|(part, entries)| {
        entries.iter().filter(move |entry| plan.part_of(node(entry)) == Some(part))
    });
    let mut entries: Vec<_> = own.cloned().collect();
    entries.sort_by_key(|entry| plan.nodes.iter().position(|own| own.name == *node(entry)));
    entries
}

fn part_of(plan: &Plan, node: &str) -> usize {
    plan.part_of(node).expect("a plan was checked, and is split")
}

/// The part whose cells are on this frequency.
fn part_of_medium(plan: &Plan, medium: &MediumReport) -> usize {
    let mut cells = plan.air.cells.iter().zip(0..);
    let cell = cells.find(|(cell, _)| cell.channel.primary_mhz == medium.frequency_mhz);
    // Nothing happens in a cell without NICs, in whichever guest.
    cell.and_then(|(_, number)| plan.part_of_cell(number)).unwrap_or(0)
}

fn incomplete(place: &str) -> RunFailure {
    let what = format!("the report of a part lacks entries of its {place}");
    RunFailure::new(Kind::Internal, what, place, "report this with the plan")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::testing::split_plan;
    use airtcp_plan::report::{DatagramReport, NicReport, PingReport, SocketsReport};

    fn flow(name: &str, guest: u64, error: Option<&str>) -> FlowReport {
        FlowReport {
            name: name.to_owned(),
            congestion_control: "cubic".to_owned(),
            connected_ns: Some(guest),
            finished_ns: Some(100 + guest),
            bytes_received: 200 + guest,
            bytes_acked: 300 + guest,
            retransmits: guest,
            busy_us: guest,
            rwnd_limited_us: guest,
            sndbuf_limited_us: guest,
            error: error.map(|text| format!("{text} {guest}")),
        }
    }

    fn qdisc(node: &str, guest: u64) -> QdiscReport {
        QdiscReport {
            node: node.to_owned(),
            interface: "eth0".to_owned(),
            kind: "pfifo".to_owned(),
            handle: "1:".to_owned(),
            bytes: guest,
            packets: guest,
            drops: 0,
            overlimits: 0,
            backlog_packets: 0,
            backlog_bytes: 0,
        }
    }

    /// Reports of the whole plan in which all values are the guest's number.
    fn reports(guest: u64, warnings: &[&str]) -> Reports {
        let name = |name: &str| name.to_owned();
        let nodes = ["ap1", "sta1", "ap2", "sta2"];
        let medium =
            |frequency_mhz| MediumReport { frequency_mhz, data_ns: guest, ..MediumReport::default() };
        let nic = |node: &str| NicReport { node: name(node), sent: guest, ..NicReport::default() };
        let ping = |ping: &str| PingReport { name: name(ping), sent: guest, received: guest };
        Reports {
            agent: AgentReport {
                failure: None,
                kernel_release: name("6.12"),
                ready_ns: 1,
                end_ns: 2,
                flows: vec![
                    flow("within", guest, None),
                    flow("there", guest, Some("e")),
                    flow("back", guest, None),
                ],
                datagrams: vec![DatagramReport { name: name("d"), sent: guest, refused: 0, received: guest }],
                pings: vec![ping("sta1-ap1"), ping("back")],
                programs: vec![],
                qdiscs: nodes.map(|node| qdisc(node, guest)).into(),
                wires: vec![],
                limits: [Some("ap1"), Some("sta2"), None].map(|node| limit(node, guest + 1)).to_vec(),
                warnings: warnings.iter().map(|text| name(text)).collect(),
            },
            air: AirReport {
                model_version: 1,
                end_ns: 2,
                events: 10 + guest,
                late_max_ns: 5 - guest,
                frame_hash: name("ff"),
                part_hashes: vec![format!("a{guest}"), format!("b{guest}")],
                nics: nodes.map(nic).into(),
                media: vec![medium(2437), medium(5180)],
            },
            sockets: SocketsReport::default(),
        }
    }

    fn limit(node: Option<&str>, times: u64) -> LimitReport {
        LimitReport { node: node.map(str::to_owned), counter: "c".to_owned(), times }
    }

    fn of_two() -> Reports {
        merged(&split_plan(), [&reports(0, &["z", "both"]), &reports(1, &["a", "both"])]).unwrap()
    }

    #[test]
    fn the_sender_of_a_flow_reports_it_and_the_receiver_what_arrived() {
        let flows = of_two().agent.flows;
        assert_eq!(flows[0], flow("within", 0, None));
        let there = FlowReport { finished_ns: Some(101), bytes_received: 201, ..flow("there", 0, Some("e")) };
        assert_eq!(flows[1], there, "its own error is reported");
        let back = FlowReport { finished_ns: Some(100), bytes_received: 200, ..flow("back", 1, None) };
        assert_eq!(flows[2], back);
        let mut sender = flow("f", 0, None);
        add_receiver(&mut sender, &flow("f", 1, Some("reset")));
        assert_eq!(sender.error.as_deref(), Some("reset 1"));
    }

    #[test]
    fn each_part_reports_what_it_has() {
        let Reports { agent, air, .. } = of_two();
        assert_eq!(agent.pings.iter().map(|ping| ping.sent).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(agent.datagrams[0].sent, 1);
        let nodes: Vec<_> = agent.qdiscs.iter().map(|qdisc| (qdisc.node.as_str(), qdisc.packets)).collect();
        assert_eq!(nodes, [("ap1", 0), ("sta1", 0), ("ap2", 1), ("sta2", 1)]);
        assert_eq!(agent.warnings, ["a", "both", "z"]);
        let limits = [(Some("ap1"), 1), (Some("sta2"), 2), (None, 1), (None, 2)];
        assert_eq!(agent.limits, limits.map(|(node, times)| limit(node, times)));
        assert_eq!(air.nics.iter().map(|nic| nic.sent).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!(air.media.iter().map(|medium| medium.data_ns).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(air.late_max_ns, 5);
    }

    #[test]
    fn the_hash_of_frames_is_that_of_both_parts() {
        let Reports { air, .. } = of_two();
        // printf 'a0\nb1' | sha256sum
        assert_eq!(air.frame_hash, "c85dd33802ea62b8");
        assert_eq!(air.part_hashes, Vec::<String>::new());
    }

    #[test]
    fn one_guest_reports_as_two_do() {
        let own = reports(0, &["b", "a"]);
        let Reports { agent, air, .. } = merged(&split_plan(), [&own, &own]).unwrap();
        let warnings = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(agent, AgentReport { warnings, ..own.agent });
        let frame_hash = air.frame_hash.clone();
        assert_eq!(air, AirReport { frame_hash, part_hashes: vec![], ..own.air });
    }

    #[test]
    fn a_report_that_lacks_something_is_refused() {
        let refusal = |change: fn(&mut Reports)| {
            let mut short = reports(1, &[]);
            change(&mut short);
            merged(&split_plan(), [&reports(0, &[]), &short]).map(drop).unwrap_err().what
        };
        assert!(refusal(|reports| reports.agent.flows.truncate(1)).contains("entries of its flows"));
        assert!(refusal(|reports| reports.air.nics.truncate(3)).contains("entries of its nics"));
        assert!(refusal(|reports| reports.air.media.truncate(1)).contains("entries of its media"));
        assert!(
            refusal(|reports| reports.air.part_hashes.truncate(1)).contains("entries of its part_hashes")
        );
    }
}
