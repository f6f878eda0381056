//! What the kernel watches for the run: it samples and records without the agent, so that this takes no virtual time.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use airtcp_plan::Plan;

use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::network::Network;
use crate::sys::probe::{self, DEVICE, WatchedDevice, Watching};

/// A watch that goes on until the guest ends.
#[derive(Debug)]
pub(crate) struct Watch {
    /// `None`: on a machine whose kernel can't.
    kernel: Option<File>,
    /// The run has ended.
    ended: AtomicBool,
}

impl Watch {
    /// Opens the kernel's device and begins to watch what the plan requires. `senders`: the socket that the kernel knows the sender of
    /// each flow by.
    ///
    /// # Errors
    /// The kernel has no such device, or refuses.
    pub(crate) fn start(plan: &Plan, network: &Network, senders: &[BorrowedFd<'_>]) -> Outcome<Arc<Self>> {
        let kernel = probe::open().map_err(because("the kernel can't watch", DEVICE, KERNEL_REMEDY))?;
        // Programs must not use it.
        let removed = std::fs::remove_file(DEVICE);
        removed.map_err(because("the device can't be hidden", DEVICE, KERNEL_REMEDY))?;
        let sampling = &plan.sampling;
        let devices = watched_devices(plan, network);
        let watching = Watching {
            first_ns: plan.epoch_ns,
            end_ns: plan.epoch_ns.saturating_add(plan.duration_ns),
            flows_interval_ns: sampling.flows_interval_ns,
            qdiscs_interval_ns: sampling.qdiscs_interval_ns,
            stations_interval_ns: sampling.stations_interval_ns,
            rates_interval_ns: sampling.rates_interval_ns,
            acks: sampling.acks,
            sockets: plan.watches_programs().is_some(),
            seen_bytes: plan.seen_bytes(),
        };
        let started = probe::start(&kernel, watching, &devices, senders);
        started.map_err(because("the kernel refuses to watch", "sampling", KERNEL_REMEDY))?;
        Ok(Arc::new(Self { kernel: Some(kernel), ended: AtomicBool::new(false) }))
    }

    /// The watch of a machine whose kernel watches nothing: the agent samples itself.
    pub(crate) fn of_nothing() -> Arc<Self> {
        Arc::new(Self { kernel: None, ended: AtomicBool::new(false) })
    }

    /// Opens the messages of the session.
    ///
    /// # Errors
    /// The kernel was started without one.
    pub(crate) fn session(&self) -> Outcome<File> {
        let kernel = self.kernel.as_ref().expect("sessions are in guests");
        probe::session(kernel).map_err(because("the session can't be opened", "session", KERNEL_REMEDY))
    }

    fn ask(&self, request: impl FnOnce(&File) -> std::io::Result<()>) -> std::io::Result<()> {
        self.kernel.as_ref().map_or(Ok(()), request)
    }

    /// Registers the receiving end of a flow.
    pub(crate) fn receiver(&self, flow: u32, receiver: &impl AsFd) -> std::io::Result<()> {
        self.ask(|kernel| probe::receiver(kernel, flow, receiver.as_fd()))
    }

    /// Registers the sending end of a flow, which its listener has accepted.
    pub(crate) fn sender(&self, flow: u32, sender: &impl AsFd) -> std::io::Result<()> {
        self.ask(|kernel| probe::sender(kernel, flow, sender.as_fd()))
    }

    /// A flow has ended: its last sample is taken now, unless the run has ended before.
    pub(crate) fn flow_ends(&self, flow: u32) -> std::io::Result<()> {
        if self.ended.load(Ordering::Acquire) {
            return Ok(());
        }
        self.ask(|kernel| probe::flow_end(kernel, flow))
    }

    /// The run has ended: the last sample of everything is taken. The kernel stamps it with the planned time of the end.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(crate) fn end(&self) -> Outcome<()> {
        self.ended.store(true, Ordering::Release);
        self.ask(probe::end).map_err(because("the kernel refuses a sample", "sampling", KERNEL_REMEDY))
    }
}

/// Devices of which anything is watched.
fn watched_devices(plan: &Plan, network: &Network) -> Vec<WatchedDevice> {
    let indices = network.device_indices();
    // The user of a session may wait for what a queue does.
    let sampled = plan.sampling.qdiscs_interval_ns > 0 || plan.session.is_some();
    let of_plan = plan.devices().zip(indices).enumerate();
    let all = of_plan.map(|(number, (device, ifindex))| WatchedDevice {
        ifindex,
        device: number as u32,
        points: plan.points(device).0,
        qdiscs: sampled.into(),
    });
    all.filter(|device| device.qdiscs != 0 || device.points != 0).collect()
}
