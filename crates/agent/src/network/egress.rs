//! The queue of an egress: the root discipline of its device.
//!
//! Rate and delay belong to the device, a wire ([`crate::netlink::wire`]): it takes a packet from
//! the queue when it is free to send it.

use airtcp_plan::{Egress, Queue};

use crate::failure::{Outcome, failure};
use crate::netlink::qdisc::Discipline;

/// No handle (`TC_H_UNSPEC`).
pub(crate) const ANY: u32 = 0;
/// Handle of the queue.
pub(crate) const QUEUE: u32 = 0x3_0000;

/// The root discipline of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// Handle of the discipline; [`ANY`]: the kernel chooses.
    pub(crate) handle: u32,
    /// Content of the discipline.
    pub(crate) content: Content,
}

/// How a discipline is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// By a message to the kernel.
    Native(Discipline),
    /// By the `tc` program, with these arguments.
    Program(Vec<String>),
}

/// The kind of device below the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// One end of a wire. With a rate it stops the queue while it sends a packet.
    Wire,
    /// A NIC of the air.
    Air {
        /// Whether the NIC may stop the queue above: when it is full, or at its byte queue limit.
        stops: bool,
    },
}

/// The root discipline of an egress. `None`: the device is left as the kernel made it.
///
/// # Errors
/// A queue that the device can't do without is missing.
pub(crate) fn root(egress: &Egress, device: Device, place: &str) -> Outcome<Option<Root>> {
    let stops = egress.has_rate() || device == Device::Air { stops: true };
    let content = match &egress.queue {
        Queue::Packets { limit } => Content::Native(Discipline::Pfifo { limit: *limit }),
        Queue::Bytes { limit } => Content::Native(Discipline::Bfifo { limit: *limit }),
        Queue::Dualpi2(settings) => Content::Native(Discipline::Dualpi2(*settings)),
        Queue::Tc { args } => Content::Program(args.clone()),
        Queue::None if stops => {
            let what = "there is no queue before a rate or a NIC that stops its queue: every packet that has to wait would be lost";
            let remedy = "give the egress a queue, for example {\"kind\": \"packets\", \"limit\": 100}, or the NIC neither \
                          backpressure nor bql";
            return Err(failure(what, format!("{place}.egress.queue"), remedy));
        }
        Queue::None if device != Device::Wire => {
            return Ok(Some(Root { handle: ANY, content: Content::Native(Discipline::Noqueue) }));
        }
        Queue::None => return Ok(None),
    };
    Ok(Some(Root { handle: QUEUE, content }))
}

#[cfg(test)]
mod tests {
    use airtcp_plan::{WirePoint, WireTrace};

    use super::*;

    fn egress(rate_bps: Option<u64>, queue: Queue) -> Egress {
        Egress { delay_ns: 650_000, rate_bps, trace: None, queue }
    }

    #[test]
    fn the_queue_is_the_root() {
        let native = |discipline| Ok(Some(Root { handle: QUEUE, content: Content::Native(discipline) }));
        let rate = Some(10_000_000);
        let packets = egress(rate, Queue::Packets { limit: 20 });
        assert_eq!(root(&packets, Device::Wire, "x"), native(Discipline::Pfifo { limit: 20 }));
        let bytes = egress(None, Queue::Bytes { limit: 9 });
        assert_eq!(root(&bytes, Device::Wire, "x"), native(Discipline::Bfifo { limit: 9 }));
        let args = vec!["fq_codel".to_owned(), "target".to_owned(), "5ms".to_owned()];
        let words = egress(rate, Queue::Tc { args: args.clone() });
        let expected = Root { handle: QUEUE, content: Content::Program(args) };
        assert_eq!(root(&words, Device::Wire, "x"), Ok(Some(expected)));
    }

    #[test]
    fn only_what_never_stops_may_do_without_a_queue() {
        let none = egress(None, Queue::None);
        assert_eq!(root(&none, Device::Wire, "x"), Ok(None));
        let noqueue = Root { handle: ANY, content: Content::Native(Discipline::Noqueue) };
        assert_eq!(root(&none, Device::Air { stops: false }, "x"), Ok(Some(noqueue)));
        let error = root(&none, Device::Air { stops: true }, "nodes[0].interfaces[1]").unwrap_err();
        assert_eq!(error.place, "nodes[0].interfaces[1].egress.queue");
        assert!(root(&egress(Some(1_000_000), Queue::None), Device::Wire, "x").is_err());
        let point = |rate_bps| WirePoint { time_ns: 0, rate_bps, delay_ns: None, loss: Some(0.1) };
        let traced = |rate_bps| {
            let trace = WireTrace { repeat: false, points: vec![point(None), point(rate_bps)] };
            Egress { trace: Some(trace), ..none.clone() }
        };
        assert_eq!(root(&traced(None), Device::Wire, "x"), Ok(None));
        assert!(root(&traced(Some(0)), Device::Wire, "x").is_err());
    }
}
