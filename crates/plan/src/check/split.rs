//! What must hold of a network in two parts that two guests may compute: nothing but frames of wires with a delay goes from one
//! part to the other.

use super::refusal::{Check, check_time, wrong};
use crate::{Attachment, Interface, PARTS, Plan, Split, Workload};

impl Plan {
    pub(super) fn check_split(&self) -> Check {
        let Some(split) = &self.split else { return Ok(()) };
        self.check_parts(split)?;
        self.check_undivided()?;
        self.check_wires_between(split)?;
        self.check_cells_of_parts()?;
        self.check_channels_of_parts()?;
        self.check_traffic_between()
    }

    fn check_parts(&self, split: &Split) -> Check {
        let (entries, nodes) = (split.parts.len(), self.nodes.len());
        if entries != nodes {
            return wrong("split.parts", format!("has {entries} entries, there are {nodes} nodes"));
        }
        if let Some(place) = split.parts.iter().position(|&part| part as usize >= PARTS) {
            return wrong(format!("split.parts[{place}]"), format!("must be less than {PARTS}"));
        }
        if let Some(part) = (0..PARTS as u32).find(|part| !split.parts.contains(part)) {
            return wrong("split.parts", format!("no node is in part {part}"));
        }
        if split.lookahead_ns == 0 {
            return wrong("split.lookahead_ns", "must be more than 0");
        }
        check_time("split.lookahead_ns", split.lookahead_ns)
    }

    /// Refuses what one guest alone can do: it needs both parts, or the whole kernel.
    fn check_undivided(&self) -> Check {
        let linux = self.air.cells.iter().position(|cell| cell.linux.is_some());
        let present = [
            ("programs", !self.programs.is_empty()),
            ("session", self.session.is_some()),
            ("captures", !self.captures.is_empty()),
            ("ends_with", !self.ends_with.is_empty()),
            ("ends_with_programs", !self.ends_with_programs.is_empty()),
        ];
        if let Some((key, _)) = present.into_iter().find(|(_, is_present)| *is_present) {
            return wrong(key, "a network in two parts can not have this");
        }
        linux.map_or(Ok(()), |c| {
            wrong(format!("air.cells[{c}].linux"), "a network in two parts has no radios of mac80211")
        })
    }

    fn check_wires_between(&self, split: &Split) -> Check {
        let wired = self.interfaces().filter_map(|(key, node, interface)| match interface.attachment {
            Attachment::Wire { wire } => Some((wire, self.part_of(&node.name), key, interface)),
            Attachment::Air { .. } => None,
        });
        let ends: Vec<_> = wired.collect();
        for (wire, part, key, interface) in &ends {
            if ends.iter().any(|(other, at, ..)| other == wire && at != part) {
                check_end_between(key, interface, split.lookahead_ns)?;
            }
        }
        Ok(())
    }

    fn check_cells_of_parts(&self) -> Check {
        for (i, nic) in self.air.nics.iter().enumerate() {
            if self.part_of(&nic.node) != self.part_of_cell(nic.cell) {
                let cell = &self.air.cells[nic.cell as usize].name;
                return wrong(format!("air.nics[{i}].cell"), format!("the cell '{cell}' is in both parts"));
            }
        }
        Ok(())
    }

    fn check_channels_of_parts(&self) -> Check {
        for (c, cell) in self.air.cells.iter().enumerate() {
            for (d, other) in self.air.cells.iter().enumerate().take(c) {
                let apart = self.part_of_cell(c as u32) != self.part_of_cell(d as u32);
                if apart && cell.channel.may_touch(other.channel) {
                    let why =
                        format!("reaches that of the cell '{}', which is in the other part", other.name);
                    return wrong(format!("air.cells[{c}].channel"), why);
                }
            }
        }
        Ok(())
    }

    fn check_traffic_between(&self) -> Check {
        for (i, flow) in self.flows.iter().enumerate().filter(|(_, flow)| self.crosses_parts(flow)) {
            if !matches!(flow.workload, Workload::Bulk {} | Workload::Bytes { .. }) {
                let why = "only bulk transfers and numbers of bytes go from one part to the other";
                return wrong(format!("flows[{i}].workload"), why);
            }
            if self.sampling.delays {
                let why = format!("flows[{i}] goes from one part to the other, and no guest sees both ends");
                return wrong("sampling.delays", why);
            }
        }
        for (i, stream) in self.datagrams.iter().enumerate() {
            if self.part_of(&stream.from) != self.part_of(&stream.to) {
                return wrong(format!("datagrams[{i}].to"), "must be in the same part as the sender");
            }
        }
        Ok(())
    }
}

/// A wire between the parts has a delay of at least the lookahead and no moderation: the other guest has to receive a frame a
/// lookahead before it arrives, and receives it in no poll of its own.
fn check_end_between(key: &str, interface: &Interface, lookahead_ns: u64) -> Check {
    if interface.egress.trace.is_some() {
        return wrong(format!("{key}.egress.trace"), "a wire that joins the parts has none");
    }
    if interface.egress.delay_ns < lookahead_ns {
        let why =
            format!("the wire joins the parts, and must have at least split.lookahead_ns, {lookahead_ns}");
        return wrong(format!("{key}.egress.delay_ns"), why);
    }
    if interface.rx_interrupt.is_some() {
        return wrong(format!("{key}.rx_interrupt"), "a wire that joins the parts has none");
    }
    Ok(())
}
