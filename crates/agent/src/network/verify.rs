//! Compares the network that the kernel reports with the plan.

use airtcp_plan::MacAddress;

use super::egress::{ANY, Content, Root};
use crate::failure::{KERNEL_REMEDY, Outcome, failure};
use crate::netlink::link_report::Link;
use crate::netlink::qdisc::{Discipline, Installed, ROOT};
use crate::netlink::wire::WireEnd;
use crate::netlink::wire_trace::TraceSteps;

/// What the plan requires of one interface.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// Key of the plan.
    pub(crate) place: String,
    /// Number.
    pub(crate) index: u32,
    /// Name.
    pub(crate) name: String,
    /// Hardware address.
    pub(crate) mac: MacAddress,
    /// Largest IP packet; `None` where ports decide (a bridge).
    pub(crate) mtu: Option<u32>,
    /// Root discipline of the interface; `None`: as the kernel made it.
    pub(crate) root: Option<Root>,
    /// Most segments TCP may put into one packet.
    pub(crate) gso_max_segments: u32,
    /// Settings of the end of a wire; `None` for another device.
    pub(crate) wire: Option<WireEnd>,
    /// Trace of the end of a wire, if rate, delay or loss change over time.
    pub(crate) trace: Option<TraceSteps>,
    /// How the interface shows that it carries packets.
    pub(crate) sign: Sign,
}

/// How an interface shows that it carries packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// The kernel notices that its carrier comes (a wire: at first it has none).
    CarrierNoticed,
    /// The interface may have had a carrier from the beginning (a NIC of the air, a bridge with such a port).
    Carrier,
    /// The interface never has a carrier (a bridge without ports, a radio that is left to programs).
    Nothing,
}

impl Expected {
    /// Whether the interface works by now.
    pub(crate) fn works(&self, links: &[Link]) -> bool {
        let link = links.iter().find(|l| l.index == self.index);
        link.is_some_and(|l| match self.sign {
            Sign::CarrierNoticed => l.carrier_noticed,
            Sign::Carrier => l.operational,
            Sign::Nothing => true,
        })
    }

    /// Compares the interface with the plan.
    pub(crate) fn check_link(&self, links: &[Link]) -> Outcome<()> {
        let differs = |what: String| Err(failure(what, &self.place, KERNEL_REMEDY));
        let Some(link) = links.iter().find(|l| l.index == self.index) else {
            return differs(format!("the kernel has no interface '{}'", self.name));
        };
        if link.name != self.name || link.mac != Some(self.mac) || self.mtu.is_some_and(|m| m != link.mtu) {
            let (name, mtu) = (&self.name, self.mtu.unwrap_or(link.mtu));
            return differs(format!("interface {name} {} mtu {mtu} became {link:?}", self.mac));
        }
        if link.gso_max_segments != self.gso_max_segments {
            let (found, wanted) = (link.gso_max_segments, self.gso_max_segments);
            return differs(format!(
                "{} takes {found} segments in one packet instead of {wanted}",
                self.name
            ));
        }
        if link.wire != self.wire {
            return differs(format!("{} is set to {:?} instead of {:?}", self.name, link.wire, self.wire));
        }
        Ok(())
    }

    /// Compares the queue with the plan.
    pub(crate) fn check_egress(&self, installed: &[Installed]) -> Outcome<()> {
        let differs = |what: String| Err(failure(what, format!("{}.egress", self.place), KERNEL_REMEDY));
        let found = installed.iter().find(|q| q.index == self.index && q.parent == ROOT);
        let Some(root) = &self.root else {
            return match found {
                Some(q) if q.kind != "noqueue" => {
                    differs(format!("{} has a queue that is not in the plan", self.name))
                }
                _ => Ok(()),
            };
        };
        let wanted = match &root.content {
            Content::Native(discipline) => discipline.kind(),
            Content::Program(words) => words.first().map_or("", String::as_str),
        };
        let has_handle = |q: &&Installed| root.handle == ANY || q.handle == root.handle;
        let Some(own) = found.filter(|q| q.kind == wanted).filter(has_handle) else {
            return differs(format!("{} has {found:?} where {wanted} is expected", self.name));
        };
        match root.content {
            Content::Native(discipline) => self.check_settings(discipline, own),
            Content::Program(_) => Ok(()),
        }
    }

    fn check_settings(&self, wanted: Discipline, own: &Installed) -> Outcome<()> {
        let found = own.discipline();
        if wanted.is(found) {
            return Ok(());
        }
        let what = format!("{} has {found:?} instead of {wanted:?}", self.name);
        Err(failure(what, format!("{}.egress", self.place), "choose a value that the kernel can represent"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(root: Root) -> Expected {
        Expected {
            place: "nodes[0].interfaces[0]".to_owned(),
            index: 10,
            name: "eth0".to_owned(),
            mac: MacAddress([2; 6]),
            mtu: Some(1500),
            root: Some(root),
            gso_max_segments: 1,
            wire: None,
            trace: None,
            sign: Sign::Carrier,
        }
    }

    #[test]
    fn a_wrong_limit_is_found() {
        let content = Content::Native(Discipline::Pfifo { limit: 20 });
        let expected = expected(Root { handle: 0x3_0000, content });
        let installed = |limit: u32| Installed {
            index: 10,
            handle: 0x3_0000,
            parent: ROOT,
            kind: "pfifo".to_owned(),
            options: limit.to_ne_bytes().to_vec(),
            ..Installed::default()
        };
        assert!(expected.check_egress(&[installed(20)]).is_ok());
        assert!(expected.check_egress(&[installed(1000)]).unwrap_err().what.contains("limit: 1000"));
        assert!(expected.check_egress(&[]).unwrap_err().what.contains("where pfifo is expected"));
        let elsewhere = Installed { handle: 0x4_0000, ..installed(20) };
        assert!(expected.check_egress(&[elsewhere]).unwrap_err().what.contains("where pfifo is expected"));
    }

    #[test]
    fn the_kernel_chooses_the_handle_of_no_queue() {
        let content = Content::Native(Discipline::Noqueue);
        let expected = expected(Root { handle: ANY, content });
        let installed = |kind: &str| Installed {
            index: 10,
            // The first handle that the kernel allocates (`qdisc_alloc_handle`).
            handle: 0x8001_0000,
            parent: ROOT,
            kind: kind.to_owned(),
            ..Installed::default()
        };
        assert!(expected.check_egress(&[installed("noqueue")]).is_ok());
        assert!(
            expected
                .check_egress(&[installed("pfifo")])
                .unwrap_err()
                .what
                .contains("where noqueue is expected")
        );
    }
}
