//! What must hold of flows, datagrams, pings and programs.

use std::collections::BTreeSet;

use super::refusal::{Check, check_time, file_name, unique, wrong};
use super::workload::check_workload;
use crate::{DATAGRAM_BYTES_MAX, DATAGRAM_BYTES_MIN, DatagramStream, Flow, Ping, Plan, Workload};

/// Code points have six bits (RFC 2474, 3).
const DSCP_MAX: u8 = 63;

/// Largest payload of an echo request in an IPv4 packet (RFC 791: 65535 bytes; 20 of IP and 8 of ICMP, RFC 792).
const PING_BYTES_MAX: u32 = 65_535 - 28;

impl Plan {
    pub(super) fn check_traffic(&self) -> Check {
        unique("flows", self.flows.iter().map(|f| f.name.as_str()))?;
        unique("datagrams", self.datagrams.iter().map(|d| d.name.as_str()))?;
        unique("pings", self.pings.iter().map(|p| p.name.as_str()))?;
        unique("programs", self.programs.iter().map(|p| p.name.as_str()))?;
        self.check_ends()?;
        self.check_ports()?;
        self.check_ends_with()?;
        for (i, flow) in self.flows.iter().enumerate() {
            check_flow(&format!("flows[{i}]"), flow)?;
        }
        for (i, stream) in self.datagrams.iter().enumerate() {
            check_stream(&format!("datagrams[{i}]"), stream)?;
        }
        for (i, ping) in self.pings.iter().enumerate() {
            check_ping(&format!("pings[{i}]"), ping)?;
        }
        for (i, program) in self.programs.iter().enumerate() {
            file_name(&format!("programs[{i}].name"), &program.name)?;
            check_time(&format!("programs[{i}].start_ns"), program.start_ns)?;
        }
        Ok(())
    }

    fn check_ends(&self) -> Check {
        let mut ends = Vec::new();
        for (i, flow) in self.flows.iter().enumerate() {
            ends.extend([(format!("flows[{i}].from"), &flow.from), (format!("flows[{i}].to"), &flow.to)]);
        }
        for (i, stream) in self.datagrams.iter().enumerate() {
            let key = format!("datagrams[{i}]");
            ends.extend([(format!("{key}.from"), &stream.from), (format!("{key}.to"), &stream.to)]);
        }
        ends.extend(self.pings.iter().enumerate().map(|(i, p)| (format!("pings[{i}].from"), &p.from)));
        ends.extend(self.programs.iter().enumerate().map(|(i, p)| (format!("programs[{i}].node"), &p.node)));
        match ends.into_iter().find(|(_, name)| self.node(name).is_none()) {
            Some((key, name)) => wrong(key, format!("there is no node '{name}'")),
            None => Ok(()),
        }
    }

    /// Checks the flows and programs whose end ends the run: each is named once.
    fn check_ends_with(&self) -> Check {
        check_numbers("ends_with", &self.ends_with, "flows", self.flows.len())?;
        check_numbers("ends_with_programs", &self.ends_with_programs, "programs", self.programs.len())
    }

    /// TCP and UDP have their own ports.
    fn check_ports(&self) -> Check {
        let mut ports = BTreeSet::new();
        for (i, flow) in self.flows.iter().enumerate() {
            if !ports.insert((flow.listening(), flow.port)) {
                let why = format!("{} is already used in {}", flow.port, flow.listening());
                return wrong(format!("flows[{i}].port"), why);
            }
        }
        let mut ports = BTreeSet::new();
        for (i, stream) in self.datagrams.iter().enumerate() {
            if !ports.insert((&stream.to, stream.port)) {
                return wrong(
                    format!("datagrams[{i}].port"),
                    format!("{} is already used in {}", stream.port, stream.to),
                );
            }
        }
        Ok(())
    }
}

fn check_flow(key: &str, flow: &Flow) -> Check {
    check_span(key, flow.start_ns, flow.stop_ns)?;
    check_dscp(key, flow.dscp)?;
    if flow.pacing_bps.is_some_and(|bps| bps < 8) {
        return wrong(format!("{key}.pacing_bps"), "must be at least 8 (one byte per second)");
    }
    if flow.low_water_bytes.is_some() && !matches!(flow.workload, Workload::Bulk {} | Workload::Bytes { .. })
    {
        return wrong(format!("{key}.low_water_bytes"), "is for bulk transfers only");
    }
    check_workload(&format!("{key}.workload"), &flow.workload)
}

fn check_stream(key: &str, stream: &DatagramStream) -> Check {
    check_span(key, stream.start_ns, stream.stop_ns)?;
    check_dscp(key, stream.dscp)?;
    if !(DATAGRAM_BYTES_MIN..=DATAGRAM_BYTES_MAX).contains(&stream.payload_bytes) {
        let why = format!("must be from {DATAGRAM_BYTES_MIN} to {DATAGRAM_BYTES_MAX}");
        return wrong(format!("{key}.payload_bytes"), why);
    }
    if stream.rate_bps == 0 {
        return wrong(format!("{key}.rate_bps"), "must be more than 0");
    }
    Ok(())
}

fn check_ping(key: &str, ping: &Ping) -> Check {
    check_time(&format!("{key}.start_ns"), ping.start_ns)?;
    check_time(&format!("{key}.interval_ns"), ping.interval_ns)?;
    check_dscp(key, ping.dscp)?;
    if ping.interval_ns == 0 {
        return wrong(format!("{key}.interval_ns"), "must be more than 0");
    }
    if ping.payload_bytes > PING_BYTES_MAX {
        return wrong(format!("{key}.payload_bytes"), format!("must be at most {PING_BYTES_MAX}"));
    }
    Ok(())
}

fn check_span(key: &str, start_ns: u64, stop_ns: u64) -> Check {
    check_time(&format!("{key}.start_ns"), start_ns)?;
    if stop_ns <= start_ns { wrong(format!("{key}.stop_ns"), "must be after start_ns") } else { Ok(()) }
}

fn check_dscp(key: &str, dscp: u8) -> Check {
    if dscp > DSCP_MAX { wrong(format!("{key}.dscp"), format!("must be 0 to {DSCP_MAX}")) } else { Ok(()) }
}

fn check_numbers(key: &str, numbers: &[u32], of: &str, count: usize) -> Check {
    if let Some(number) = numbers.iter().find(|&&number| number as usize >= count) {
        return wrong(key, format!("there is no {of}[{number}]"));
    }
    if numbers.windows(2).any(|pair| pair[0] >= pair[1]) {
        return wrong(key, "each number must be higher than the one before");
    }
    Ok(())
}
