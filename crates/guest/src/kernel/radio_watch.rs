//! mac80211's state for peers: the kernel's structures, turned into calls of [`crate::watch::Watch`].

use std::ffi::{c_uint, c_ulonglong};

use super::watch::watched;
use crate::abi::{KernelMode, KernelRadioQueue, KernelStation, KernelStationQueue, KernelStationRate};
use crate::watch::{
    AirtimeLimits, ModeSample, PeerKey, PeerQueueSample, PeerSample, RadioQueueSample, RateSample,
};

fn mode_of(mode: KernelMode) -> ModeSample {
    ModeSample {
        format: mode.rate.format.into(),
        mcs: mode.rate.index.into(),
        streams: mode.rate.streams.into(),
        width_mhz: mode.rate.width_mhz.into(),
        guard_ns: mode.rate.guard_ns.into(),
        short_preamble: mode.rate.short_preamble != 0,
        bitrate: mode.bitrate,
    }
}

pub(super) extern "C" fn station(nic: c_uint, at_ns: c_ulonglong, sample: *const KernelStation) {
    // SAFETY: the kernel gives a valid structure.
    let sample = unsafe { sample.read() };
    let key = PeerKey { nic, interface: sample.interface, peer: sample.peer };
    let seen = PeerSample {
        tx_packets: sample.tx_packets,
        tx_bytes: sample.tx_bytes,
        rx_packets: sample.rx_packets,
        rx_bytes: sample.rx_bytes,
        tx_airtime_us: sample.tx_airtime_us,
        rx_airtime_us: sample.rx_airtime_us,
        tx_retries: sample.tx_retries,
        tx_failed: sample.tx_failed,
        weight: sample.weight,
        expected_kbps: sample.expected_kbps,
        signal_dbm: sample.signal_dbm,
        signal_avg_dbm: sample.signal_avg_dbm,
        tx: mode_of(sample.tx),
        rx: mode_of(sample.rx),
    };
    watched(at_ns, |watch| watch.peer(key, at_ns, &seen));
}

pub(super) extern "C" fn station_queue(nic: c_uint, at_ns: c_ulonglong, sample: *const KernelStationQueue) {
    // SAFETY: the kernel gives a valid structure.
    let sample = unsafe { sample.read() };
    let key = PeerKey { nic, interface: sample.interface, peer: sample.peer };
    let seen = PeerQueueSample {
        ac: sample.ac,
        backlog_packets: sample.backlog_packets,
        backlog_bytes: sample.backlog_bytes,
        flows: sample.flows,
        new_flows: sample.new_flows,
        drops: sample.drops,
        marks: sample.marks,
        overlimit: sample.overlimit,
        collisions: sample.collisions,
        deficit_us: sample.deficit_us,
        airtime: AirtimeLimits {
            pending_us: sample.pending_us,
            low_us: sample.limit_low_us,
            high_us: sample.limit_high_us,
        },
        tx_packets: sample.tx_packets,
        tx_bytes: sample.tx_bytes,
        tx_airtime_us: sample.tx_airtime_us,
        rx_airtime_us: sample.rx_airtime_us,
    };
    watched(at_ns, |watch| watch.peer_queue(key, at_ns, &seen));
}

pub(super) extern "C" fn radio_queue(nic: c_uint, at_ns: c_ulonglong, sample: *const KernelRadioQueue) {
    // SAFETY: the kernel gives a valid structure.
    let sample = unsafe { sample.read() };
    let seen = RadioQueueSample {
        backlog_packets: sample.backlog_packets,
        memory_bytes: sample.memory_bytes,
        overlimit: sample.overlimit,
        overmemory: sample.overmemory,
        collisions: sample.collisions,
        pending_us: sample.pending_us,
    };
    watched(at_ns, |watch| watch.radio_queue(nic, at_ns, &seen));
}

pub(super) extern "C" fn station_rate(nic: c_uint, at_ns: c_ulonglong, sample: *const KernelStationRate) {
    // SAFETY: the kernel gives a valid structure.
    let sample = unsafe { sample.read() };
    let key = PeerKey { nic, interface: sample.interface, peer: sample.peer };
    let seen = RateSample {
        index: sample.index,
        chosen: sample.chosen,
        probability: sample.probability,
        throughput: sample.throughput,
        attempts: sample.attempts,
        successes: sample.successes,
        mode: mode_of(sample.mode),
    };
    watched(at_ns, |watch| watch.peer_rate(key, at_ns, &seen));
}
