//! What must hold between the parts of a plan.

mod files;
mod linux;
mod mptcp;
mod refusal;
mod session;
mod split;
mod traffic;
mod wire_trace;
mod workload;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Attachment, CLOCK_OFFSET_MOST_NS, CLOCK_SKEW_MOST_PPB, Capture, CapturePoint, DATE_MAX_S, DEVICES_MAX,
    HostClock, INTERFACE_NAME_MAX, Interface, LAB_FLAVOUR, MacAddress, Namespace, NicRole, Node, Offloads,
    PLAN_VERSION, Plan, SAMPLING_INTERVAL_MIN_NS, SNAP_BYTES_MAX, SNAP_BYTES_MIN, Sysctl, WireInterrupt,
};
pub use refusal::PlanError;
pub(crate) use refusal::{Check, wrong};

use files::check_files;
use mptcp::check_mptcp;
use refusal::{check_time, file_name, unique};
use wire_trace::check_trace;

/// Settings that make a node a router.
const FORWARDING: [&str; 3] =
    ["net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding", "net.ipv6.conf.all.forwarding"];
impl Plan {
    /// Checks the plan as a whole.
    ///
    /// # Errors
    /// The first [`PlanError`] found.
    pub fn check(&self) -> Check {
        if self.version != PLAN_VERSION {
            return Err(PlanError::Version { found: self.version });
        }
        if self.memory_mib < 256 {
            // Below this Linux shrinks TCP's memory limits and results change.
            return wrong("memory_mib", format!("{} is less than 256", self.memory_mib));
        }
        if self.duration_ns == 0 {
            return wrong("duration_ns", "must be more than 0");
        }
        for (key, time_ns) in [("epoch_ns", self.epoch_ns), ("duration_ns", self.duration_ns)] {
            check_time(key, time_ns)?;
        }
        if self.date_s > DATE_MAX_S || self.date_s.saturating_mul(1_000_000_000) < self.epoch_ns {
            return wrong(
                "date_s",
                format!("must be after the guest's boot in 1970, and at most {DATE_MAX_S}"),
            );
        }
        if self.guest.privileged && self.kernel.split('-').nth(1) != Some(LAB_FLAVOUR) {
            let why = format!("kernel {} is not of the flavour {LAB_FLAVOUR}", self.kernel);
            return wrong("guest.privileged", why);
        }
        check_files(&self.files)?;
        self.check_nodes()?;
        self.check_initial_node()?;
        self.check_wires()?;
        self.check_air()?;
        self.check_linux()?;
        self.check_traffic()?;
        self.check_sampling()?;
        self.check_captures()?;
        self.check_session()?;
        self.check_split()
    }

    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|n| n.name == name)
    }

    fn interfaces(&self) -> impl Iterator<Item = (String, &Node, &Interface)> {
        self.nodes.iter().enumerate().flat_map(|(n, node)| {
            node.interfaces
                .iter()
                .enumerate()
                .map(move |(i, interface)| (format!("nodes[{n}].interfaces[{i}]"), node, interface))
        })
    }

    fn check_nodes(&self) -> Check {
        unique("nodes", self.nodes.iter().map(|n| n.name.as_str()))?;
        for (n, node) in self.nodes.iter().enumerate() {
            let names = node.interfaces.iter().map(|i| i.name.as_str());
            let names = names.chain(node.bridges.iter().map(|b| b.name.as_str()));
            unique(&format!("nodes[{n}].interfaces"), names.clone())?;
            for name in names {
                if name.is_empty() || name.len() > INTERFACE_NAME_MAX {
                    let why =
                        format!("interface name '{name}' must have 1 to {INTERFACE_NAME_MAX} characters");
                    return wrong(format!("nodes[{n}].interfaces"), why);
                }
            }
            check_clock(&format!("nodes[{n}].clock"), node.clock)?;
            check_sysctls(&format!("nodes[{n}].sysctls"), &node.sysctls)?;
            check_mptcp(&format!("nodes[{n}].mptcp"), node)?;
            check_offloads(&format!("nodes[{n}].offloads"), node)?;
            self.check_namespaces(&format!("nodes[{n}].namespaces"), &node.namespaces)?;
        }
        for (key, node, interface) in self.interfaces() {
            check_interface(&key, node, interface)?;
        }
        Ok(())
    }

    fn check_initial_node(&self) -> Check {
        let Some(number) = self.guest.initial_node else { return Ok(()) };
        let Some(node) = self.nodes.get(number as usize) else {
            return wrong("guest.initial_node", format!("there is no node {number}"));
        };
        if !self.guest.privileged {
            return wrong("guest.initial_node", "only privileged programs have the kernel's first namespace");
        }
        let is_radio = |interface: &Interface| {
            let Attachment::Air { nic } = interface.attachment else { return false };
            let nic = self.air.nics.get(nic as usize);
            nic.and_then(|nic| self.air.cells.get(nic.cell as usize)).is_some_and(|cell| cell.linux.is_some())
        };
        if !node.bridges.is_empty() || !node.interfaces.iter().all(is_radio) {
            return wrong(
                format!("nodes[{number}].interfaces"),
                "of the initial node only radios of mac80211 are possible",
            );
        }
        if node.clock != HostClock::default() {
            return wrong(format!("nodes[{number}].clock"), "the clock of the initial node is virtual time");
        }
        Ok(())
    }

    fn check_namespaces(&self, key: &str, namespaces: &[Namespace]) -> Check {
        if (1..namespaces.len()).any(|n| namespaces[..n].contains(&namespaces[n])) {
            return wrong(key, "names one twice");
        }
        if namespaces.contains(&Namespace::Mount) && !self.guest.privileged {
            return wrong(key, "only privileged programs mount");
        }
        Ok(())
    }

    fn check_wires(&self) -> Check {
        let mut ends: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for (key, _, interface) in self.interfaces() {
            if let Attachment::Wire { wire } = interface.attachment {
                ends.entry(wire).or_default().push(key);
            }
        }
        for (wire, keys) in ends {
            if keys.len() != 2 {
                return wrong(&keys[0], format!("wire {wire} has {} ends, a wire has two", keys.len()));
            }
        }
        Ok(())
    }

    fn check_air(&self) -> Check {
        let mut used = BTreeSet::new();
        for (key, node, interface) in self.interfaces() {
            let Attachment::Air { nic } = interface.attachment else { continue };
            let Some(air) = self.air.nics.get(nic as usize) else {
                return wrong(key, format!("there is no air.nics[{nic}]"));
            };
            if air.node != node.name || air.mac != interface.mac || !used.insert(nic) {
                return wrong(key, format!("air.nics[{nic}] belongs to another interface"));
            }
        }
        for (i, nic) in self.air.nics.iter().enumerate() {
            let key = format!("air.nics[{i}]");
            if !used.contains(&(i as u32)) {
                return wrong(key, "no interface is attached to it");
            }
            if self.air.cells.get(nic.cell as usize).is_none() {
                return wrong(key, format!("there is no air.cells[{}]", nic.cell));
            }
        }
        for (c, cell) in self.air.cells.iter().enumerate().filter(|(_, cell)| cell.has_access_point()) {
            let is_ap = |n: &&crate::AirNic| n.cell as usize == c && n.role == NicRole::AccessPoint;
            let aps = self.air.nics.iter().filter(is_ap).count();
            if aps != 1 {
                return wrong(
                    format!("air.cells[{c}]"),
                    format!("'{}' has {aps} access points, it needs exactly one", cell.name),
                );
            }
        }
        Ok(())
    }

    fn check_sampling(&self) -> Check {
        let sampling = &self.sampling;
        for (key, interval_ns) in [
            ("flows_interval_ns", sampling.flows_interval_ns),
            ("qdiscs_interval_ns", sampling.qdiscs_interval_ns),
            ("stations_interval_ns", sampling.stations_interval_ns),
            ("rates_interval_ns", sampling.rates_interval_ns),
            ("air_interval_ns", sampling.air_interval_ns),
        ] {
            if (1..SAMPLING_INTERVAL_MIN_NS).contains(&interval_ns) {
                let why =
                    format!("{interval_ns} is less than {SAMPLING_INTERVAL_MIN_NS}; 0 switches sampling off");
                return wrong(format!("sampling.{key}"), why);
            }
        }
        let devices: usize = self.nodes.iter().map(|n| n.interfaces.len() + n.bridges.len()).sum();
        if devices > DEVICES_MAX {
            return wrong("nodes", format!("{devices} interfaces, at most {DEVICES_MAX} are possible"));
        }
        Ok(())
    }

    fn check_captures(&self) -> Check {
        unique("captures", self.captures.iter().map(|c| c.name.as_str()))?;
        for (i, capture) in self.captures.iter().enumerate() {
            self.check_capture(&format!("captures[{i}]"), capture)?;
        }
        Ok(())
    }

    fn check_capture(&self, key: &str, capture: &Capture) -> Check {
        file_name(&format!("{key}.name"), &capture.name)?;
        if !(SNAP_BYTES_MIN..=SNAP_BYTES_MAX).contains(&capture.snap_bytes) {
            let why = format!("must be from {SNAP_BYTES_MIN} to {SNAP_BYTES_MAX}");
            return wrong(format!("{key}.snap_bytes"), why);
        }
        if capture.stop_ns <= capture.start_ns {
            return wrong(format!("{key}.stop_ns"), "must be after start_ns");
        }
        if let Some(flow) = capture.flows.iter().find(|&&flow| flow as usize >= self.flows.len()) {
            return wrong(format!("{key}.flows"), format!("there is no flows[{flow}]"));
        }
        if let Some(flow) = capture.flows.iter().find(|&&flow| self.flows[flow as usize].address.is_ipv6()) {
            let why = format!("flows[{flow}] uses IPv6, and packets are chosen by flows of IPv4 only");
            return wrong(format!("{key}.flows"), why);
        }
        let CapturePoint::Interfaces { node, names } = &capture.point else { return Ok(()) };
        let Some(node) = self.node(node) else {
            return wrong(format!("{key}.point.node"), format!("there is no node '{node}'"));
        };
        if names.is_empty() {
            return wrong(format!("{key}.point.names"), "must name an interface");
        }
        unique(&format!("{key}.point.names"), names.iter().map(String::as_str))?;
        match names.iter().find(|name| node.device(name).is_none()) {
            Some(name) => {
                wrong(format!("{key}.point.names"), format!("node '{}' has no interface '{name}'", node.name))
            }
            None => Ok(()),
        }
    }
}

fn check_interface(key: &str, node: &Node, interface: &Interface) -> Check {
    if interface.mac.is_group() || interface.mac == MacAddress([0; 6]) {
        return wrong(key, format!("{} is not the address of one station", interface.mac));
    }
    if let Some(bridge) = &interface.bridge {
        if !node.bridges.iter().any(|b| b.name == *bridge) {
            return wrong(key, format!("node '{}' has no bridge '{bridge}'", node.name));
        }
    }
    let egress = &interface.egress;
    let is_timed = egress.rate_bps.is_some() || egress.delay_ns > 0 || egress.trace.is_some();
    if is_timed && matches!(interface.attachment, Attachment::Air { .. }) {
        return wrong(key, "only a wire has a rate, a delay or a trace, not a NIC of the air");
    }
    if egress.rate_bps == Some(0) {
        return wrong(key, "rate_bps must be more than 0");
    }
    if let Some(trace) = &egress.trace {
        check_trace(&format!("{key}.egress.trace"), trace)?;
    }
    interface.rx_interrupt.map_or(Ok(()), |rx| check_rx_interrupt(key, interface, rx))
}

fn check_rx_interrupt(key: &str, interface: &Interface, rx: WireInterrupt) -> Check {
    let key = format!("{key}.rx_interrupt");
    if matches!(interface.attachment, Attachment::Air { .. }) {
        return wrong(key, "the card of a NIC of the air says when it interrupts");
    }
    if rx.interval_ns == 0 && rx.after_first_ns == 0 {
        return wrong(key, "has neither interval_ns nor after_first_ns");
    }
    if rx.frames == Some(0) || rx.frames.is_some() && rx.after_first_ns == 0 {
        return wrong(format!("{key}.frames"), "must be more than 0, and beside after_first_ns");
    }
    check_time(&format!("{key}.interval_ns"), rx.interval_ns)?;
    check_time(&format!("{key}.after_first_ns"), rx.after_first_ns)
}

fn check_sysctls(key: &str, sysctls: &[Sysctl]) -> Check {
    match sysctls.iter().find(|sysctl| sysctl.path().is_none()) {
        Some(outside) => wrong(key, format!("'{}' is not a setting below /proc/sys", outside.key)),
        None => Ok(()),
    }
}

/// A packet of several segments that is forwarded would count as one in a queue.
fn check_offloads(key: &str, node: &Node) -> Check {
    let routes = |s: &Sysctl| FORWARDING.contains(&s.key.as_str()) && s.value != "0";
    if node.offloads == Offloads::Host && (!node.bridges.is_empty() || node.sysctls.iter().any(routes)) {
        return wrong(key, "a node that forwards packets has no offloads of a host");
    }
    Ok(())
}

fn check_clock(key: &str, clock: HostClock) -> Check {
    if clock.offset_ns.unsigned_abs() > CLOCK_OFFSET_MOST_NS {
        return wrong(format!("{key}.offset_ns"), "must be at most a day");
    }
    if clock.skew_ppb.unsigned_abs() > CLOCK_SKEW_MOST_PPB {
        return wrong(format!("{key}.skew_ppb"), "must be at most 500 ppm");
    }
    Ok(())
}
