//! The engine that runs, and the kernel as its host.

#![expect(unsafe_code, reason = "calls of the kernel's functions")]

use std::cell::RefCell;
use std::ffi::{c_ulonglong, c_void};
use std::io;

use airtcp_air::NicId;
use airtcp_plan::AirPlan;
use airtcp_plan::report::EXIT_RECORD;
use airtcp_units::Instant;

use super::radio::KernelRadios;
use super::socket_samples::SocketSamples;
use crate::abi::HostTable;
use crate::engine::Engine;
use crate::frames::KernelHandle;
use crate::host::Host;
use crate::parts::Parts;
use crate::watch::Watch;

pub(super) struct KernelHost {
    pub(super) table: HostTable,
}

fn pointer(frame: KernelHandle) -> *mut c_void {
    frame.0 as *mut c_void
}

impl Host for KernelHost {
    fn deliver(&mut self, nic: NicId, frame: KernelHandle) {
        // SAFETY: the handle came from the kernel and has not ended (`Frames`).
        unsafe { (self.table.deliver)(nic.0, pointer(frame)) }
    }

    fn sent(&mut self, nic: NicId, frame: KernelHandle) {
        // SAFETY: as above; `Frames` ends it only once.
        unsafe { (self.table.sent)(nic.0, pointer(frame)) }
    }

    fn dropped(&mut self, nic: NicId, frame: KernelHandle) {
        // SAFETY: as above; `Frames` ends it only once.
        unsafe { (self.table.dropped)(nic.0, pointer(frame)) }
    }

    fn hold(&mut self, frame: KernelHandle) {
        // SAFETY: the handle came from the kernel and has not ended (`Frames`).
        unsafe { (self.table.hold)(pointer(frame)) }
    }

    fn release(&mut self, frame: KernelHandle) {
        // SAFETY: as above; `Frames` releases it as often as it was held.
        unsafe { (self.table.release)(pointer(frame)) }
    }

    fn mark_ce(&mut self, frame: KernelHandle) {
        // SAFETY: as above. The kernel may move the frame's bytes, of which nothing here has kept a slice.
        unsafe { (self.table.mark_ce)(pointer(frame)) }
    }

    fn relay(&mut self, nic: NicId, frame: KernelHandle) -> KernelHandle {
        // SAFETY: the handle came from the kernel and has not ended.
        KernelHandle(unsafe { (self.table.relay)(nic.0, pointer(frame)) } as usize)
    }

    fn stop(&mut self, nic: NicId) {
        // SAFETY: the NIC exists: the kernel created as many as it was asked for.
        unsafe { (self.table.stop)(nic.0) }
    }

    fn wake(&mut self, nic: NicId) {
        // SAFETY: the NIC exists: the kernel created as many as it was asked for.
        unsafe { (self.table.wake)(nic.0) }
    }
}

pub(super) struct Running {
    pub(super) engine: Engine<KernelHost, KernelRadios>,
    pub(super) watch: Watch,
    /// Samples of an instant that is over.
    pub(super) sockets: SocketSamples,
    /// Whether samples are those of an instant, and not recorded.
    pub(super) is_instant: bool,
    pub(super) parts: Option<Parts>,
    pub(super) host: HostTable,
    pub(super) air: AirPlan,
    pub(super) seed: u64,
    pub(super) planned_end: Instant,
}

impl Running {
    /// What the kernel watches shows that time moves. Samples of the run's end have its planned time, even if it ends before.
    pub(super) fn seen_at(&mut self, ns: c_ulonglong) {
        let now = Instant::from_nanos(ns);
        if now < self.planned_end {
            self.engine.seen_at(now);
        }
    }
}

thread_local! {
    pub(super) static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

pub(super) fn with<R>(call: impl FnOnce(&mut Running) -> R) -> R {
    RUNNING.with_borrow_mut(|running| call(running.as_mut().expect("the kernel calls after airtcp_start")))
}

/// A record that can't be written would leave a wrong result: the guest ends.
pub(super) fn or_end(result: io::Result<()>) {
    if let Err(error) = result {
        eprintln!("airtcp: cannot write the records: {error}");
        std::process::exit(EXIT_RECORD);
    }
}
