//! From the egress of a plan to a chain of queueing disciplines.
//!
//! ```text
//!   stack -> netem 1: (delay) -> tbf 2: (rate) -> queue 3: -> device
//! ```
//! Parts that the plan does not require are left out; the first one present is the root.

use airtcp_plan::{Egress, Queue};

use crate::failure::{Outcome, failure};
use crate::netlink::qdisc::{Discipline, ROOT};

/// No handle (`TC_H_UNSPEC`).
pub(crate) const ANY: u32 = 0;
/// Handle of the delay.
const DELAY: u32 = 0x1_0000;
/// Handle of the rate.
const RATE: u32 = 0x2_0000;
/// Handle of the queue.
const QUEUE: u32 = 0x3_0000;
/// Bytes of an Ethernet header, which every queue counts.
const ETHERNET_HEADER_BYTES: u64 = 14;
/// Packets in transit in a delay are not a queue: the limit is high enough never to be reached.
const UNDER_WAY_MAX: u32 = 1_000_000;

/// One element of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// Its handle; [`ANY`]: the kernel chooses.
    pub(crate) handle: u32,
    /// Its place: the root, or the only class of the element before.
    pub(crate) parent: u32,
    /// What it is.
    pub(crate) content: Content,
}

/// How an element is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// By a message to the kernel.
    Native(Discipline),
    /// By the `tc` program, with these arguments.
    Program(Vec<String>),
}

/// The kind of device that the chain feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// One end of a virtual wire, which accepts every packet at once and has no queue of its own.
    Wire,
    /// A NIC of the air.
    Air {
        /// It may stop the queue above: when it is full, or at its byte queue limit.
        stops: bool,
    },
}

/// A tick of the guest's clock (`TIMER_MULTIPLIER` of arch/um).
const TICK_NS: u64 = 256;
/// A loss of rate that is worth a warning: one in a thousand.
const LOSS_SHARE: u64 = 1000;

/// What a bucket loses that holds one frame and not a tick's worth of bytes more.
///
/// Tokens are earned in whole ticks; if the bucket is full before the tick at which the next
/// frame leaves, the rest of that tick is lost, for every frame.
pub(crate) fn tick_loss(egress: &Egress, mtu: u32) -> Option<String> {
    let (rate_bps, frame_bytes) = (egress.rate_bps?, u64::from(mtu) + ETHERNET_HEADER_BYTES);
    let tick_bytes = (rate_bps * TICK_NS).div_ceil(8 * 1_000_000_000);
    let needed_bytes = frame_bytes + tick_bytes;
    let lost = u64::from(egress.burst_bytes) < needed_bytes && tick_bytes * LOSS_SHARE > frame_bytes;
    let percent = 100.0 * tick_bytes as f64 / frame_bytes as f64;
    lost.then(|| {
        format!(
            "a bucket of {} bytes loses up to {percent:.1} % of {rate_bps} bit/s to ticks of the clock; \
             choose burst_bytes of {needed_bytes} or more",
            egress.burst_bytes
        )
    })
}

/// The chain of an egress, outermost element first. Empty: the device is left as the kernel made it.
///
/// # Errors
/// A queue that the combination can't do without is missing.
pub(crate) fn chain(egress: &Egress, device: Device, place: &str) -> Outcome<Vec<Element>> {
    let mut chain = Vec::new();
    let mut parent = ROOT;
    let mut put = |handle, content| {
        chain.push(Element { handle, parent, content });
        parent = handle | 1;
    };
    if egress.delay_ns > 0 {
        let delay = Discipline::Netem { delay_ns: egress.delay_ns, limit: UNDER_WAY_MAX };
        put(DELAY, Content::Native(delay));
    }
    if let Some(rate_bps) = egress.rate_bps {
        let rate = Discipline::Tbf { rate_bps, burst_bytes: egress.burst_bytes };
        put(RATE, Content::Native(rate));
    }
    let stops = egress.rate_bps.is_some() || device == Device::Air { stops: true };
    match &egress.queue {
        Queue::Packets { limit } => put(QUEUE, Content::Native(Discipline::Pfifo { limit: *limit })),
        Queue::Bytes { limit } => put(QUEUE, Content::Native(Discipline::Bfifo { limit: *limit })),
        Queue::Tc { args } => put(QUEUE, Content::Program(args.clone())),
        Queue::None if stops => {
            let what = "there is no queue before a rate or a NIC that stops its queue: every packet that has to wait would be lost";
            let remedy = "give the egress a queue, for example {\"kind\": \"packets\", \"limit\": 100}, or the NIC neither \
                          backpressure nor bql";
            return Err(failure(what, format!("{place}.egress.queue"), remedy));
        }
        Queue::None if egress.delay_ns == 0 && device != Device::Wire => {
            put(ANY, Content::Native(Discipline::Noqueue));
        }
        Queue::None => {}
    }
    Ok(chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn egress(delay_ns: u64, rate_bps: Option<u64>, queue: Queue) -> Egress {
        Egress { delay_ns, rate_bps, burst_bytes: 1600, queue }
    }

    fn places(egress: &Egress, device: Device) -> Vec<(u32, u32)> {
        chain(egress, device, "x").unwrap().iter().map(|e| (e.handle, e.parent)).collect()
    }

    #[test]
    fn the_queue_stands_behind_rate_and_delay() {
        let all = egress(650_000, Some(10_000_000), Queue::Packets { limit: 20 });
        assert_eq!(places(&all, Device::Wire), [(DELAY, ROOT), (RATE, 0x1_0001), (QUEUE, 0x2_0001)]);
        let kinds: Vec<Content> =
            chain(&all, Device::Wire, "x").unwrap().into_iter().map(|e| e.content).collect();
        assert_eq!(
            kinds,
            [
                Content::Native(Discipline::Netem { delay_ns: 650_000, limit: 1_000_000 }),
                Content::Native(Discipline::Tbf { rate_bps: 10_000_000, burst_bytes: 1600 }),
                Content::Native(Discipline::Pfifo { limit: 20 }),
            ]
        );
    }

    #[test]
    fn what_is_not_asked_for_is_left_out() {
        assert_eq!(places(&egress(0, None, Queue::Bytes { limit: 9 }), Device::Wire), [(QUEUE, ROOT)]);
        assert_eq!(places(&egress(5, None, Queue::None), Device::Wire), [(DELAY, ROOT)]);
        assert_eq!(
            places(&egress(5, None, Queue::Packets { limit: 1 }), Device::Wire),
            [(DELAY, ROOT), (QUEUE, 0x1_0001)]
        );
        assert_eq!(places(&egress(0, None, Queue::None), Device::Wire), []);
    }

    #[test]
    fn a_nic_without_queue_gets_noqueue_only_if_it_never_stops() {
        let none = egress(0, None, Queue::None);
        assert_eq!(places(&none, Device::Air { stops: false }), [(ANY, ROOT)]);
        let error = chain(&none, Device::Air { stops: true }, "nodes[0].interfaces[1]").unwrap_err();
        assert_eq!(error.place, "nodes[0].interfaces[1].egress.queue");
        assert!(chain(&egress(0, Some(1_000_000), Queue::None), Device::Wire, "x").is_err());
    }

    #[test]
    fn a_bucket_of_one_frame_is_too_small_for_a_fast_rate() {
        let with = |rate_bps, burst_bytes| Egress {
            burst_bytes,
            ..egress(0, Some(rate_bps), Queue::Packets { limit: 1 })
        };
        // 256 ns at 1 Gb/s are 32 bytes; measured in the guest: 1514 bytes give 0.971 of the rate.
        assert!(tick_loss(&with(1_000_000_000, 1514), 1500).unwrap().contains("1546 or more"));
        assert!(tick_loss(&with(1_000_000_000, 1545), 1500).is_some());
        assert_eq!(tick_loss(&with(1_000_000_000, 1546), 1500), None);
        // 0.03 % at 10 Mb/s.
        assert_eq!(tick_loss(&with(10_000_000, 1514), 1500), None);
    }

    #[test]
    fn tc_words_become_the_leaf() {
        let args = vec!["fq_codel".to_owned(), "target".to_owned(), "5ms".to_owned()];
        let chain = chain(&egress(0, Some(8), Queue::Tc { args: args.clone() }), Device::Wire, "x").unwrap();
        assert_eq!(chain[1], Element { handle: QUEUE, parent: 0x2_0001, content: Content::Program(args) });
    }
}
