//! What a user waits for: the kernel's samples of an instant, and losses and associations when they happen.

use std::ffi::{c_uchar, c_uint, c_ulonglong};

use airtcp_air::NicId;
use airtcp_plan::condition::{Loser, Loss};
use airtcp_units::Instant;

use super::running::{Running, with};
use super::socket_samples::SocketSamples;
use crate::abi::{KernelPacket, LOST_WIRE};
use crate::capture::packet_ends::{Addressed, of_ethernet, of_mpdu};
use crate::radio_config::is_radio;
use crate::session::{Session, Waiting};
use crate::watch::{DevicePlace, Watch};

/// Tells a sample to whoever waits; false if it is one that is recorded. What was waited for may have happened at this instant
/// before: then nobody is told.
pub(super) fn of_instant(tell: impl FnOnce(&mut Waiting, &mut SocketSamples, &Watch)) -> bool {
    with(|running| {
        let Running { engine, watch, sockets, is_instant, .. } = running;
        if *is_instant && let Some(waiting) = engine.session().and_then(Session::waiting) {
            tell(waiting, sockets, watch);
        }
        *is_instant
    })
}

pub(super) extern "C" fn begins(now: c_ulonglong) {
    with(|running| {
        running.is_instant = true;
        if let Some(waiting) = running.engine.session().and_then(Session::waiting) {
            waiting.begin(Instant::from_nanos(now));
        }
    });
}

pub(super) extern "C" fn ends(now: c_ulonglong) {
    with(|running| {
        running.is_instant = false;
        if let Some(session) = running.engine.session() {
            session.sampled(Instant::from_nanos(now));
        }
    });
}

pub(super) extern "C" fn lost(device: c_uint, by: c_uint, _now: c_ulonglong, packet: *const KernelPacket) {
    // SAFETY: the kernel gives a valid structure, whose pointer is valid for the time of the call.
    let head = unsafe {
        let packet = packet.read();
        std::slice::from_raw_parts(packet.head, packet.head_len as usize)
    };
    with(|running| {
        let place = running.watch.place(device);
        let nic = running.engine.session().and_then(|session| session.nic(place));
        let is_mac80211s = nic.is_some_and(|nic| is_radio(&running.air, nic.0 as usize));
        // Where mac80211 has not taken a packet yet it has an Ethernet header.
        let read = of_ethernet(head).or_else(|| of_mpdu(head).filter(|_| is_mac80211s));
        let by = match nic {
            _ if by == LOST_WIRE => Loser::Wire,
            Some(_) => Loser::Radio,
            None => Loser::Interface,
        };
        let loss = loss_of(&running.watch, place, by, read);
        if let Some(waiting) = running.engine.session().and_then(Session::waiting) {
            waiting.lost(loss);
        }
    });
}

pub(super) extern "C" fn given_up(nic: c_uint, head: *const c_uchar, head_len: c_uint, now: c_ulonglong) {
    // SAFETY: the kernel gives the MPDU for the time of the call.
    let head = unsafe { std::slice::from_raw_parts(head, head_len as usize) };
    with(|running| {
        let Some(place) = running.engine.session().map(|session| session.place(NicId(nic))) else { return };
        let loss = loss_of(&running.watch, place, Loser::Radio, of_mpdu(head));
        let loss = Loss { detail: airtcp_air::DropReason::RetryLimit.to_string(), ..loss };
        if let Some(session) = running.engine.session() {
            session.given_up(loss, Instant::from_nanos(now));
        }
    });
}

/// A packet that a device has lost.
fn loss_of(watch: &Watch, place: DevicePlace, by: Loser, packet: Option<Addressed>) -> Loss {
    let flow = packet.and_then(|packet| watch.flow_of_packet(&packet));
    Loss {
        node: place.node,
        interface: place.interface,
        by,
        detail: String::new(),
        flow: flow.map(|(flow, _)| flow.number),
        from: flow.and_then(|(flow, _)| flow.node),
        acknowledgment: flow.is_some_and(|(_, acknowledgment)| acknowledgment),
        packet: packet.map(|packet| packet.ends),
        packets: 1,
    }
}
