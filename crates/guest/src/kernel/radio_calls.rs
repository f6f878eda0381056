//! What the driver of mac80211's radios calls, as calls of the world.

use std::ffi::{c_int, c_uchar, c_uint, c_ulonglong};

use airtcp_air::border::{AccessCategory, TxqId};
use airtcp_air::{ChannelLoad, NicId, Outbox, RadioEdcaf, World};
use airtcp_plan::{AccessParameters, MacAddress, MuEdcaParameters, RadioChannel};
use airtcp_units::{Dbm, Duration, Instant};

use super::radio::KernelRadios;
use super::running::{or_end, with};
use crate::abi::{KernelChannel, KernelEdca, KernelMpdu, KernelSurvey, NO_NOISE, RadioConfig};
use crate::radio_config::radio_config;

/// A call of the driver.
fn call(now_ns: c_ulonglong, action: impl FnOnce(&mut World, Instant, &mut KernelRadios, &mut Outbox)) {
    let now = Instant::from_nanos(now_ns);
    or_end(with(|running| running.engine.radio_call(now, |world, mac, out| action(world, now, mac, out))));
}

fn edcaf_of(nic: c_uint, ac: c_uint) -> RadioEdcaf {
    RadioEdcaf { nic: NicId(nic), ac: AccessCategory::ALL[ac as usize] }
}

pub(super) extern "C" fn radio(nic: c_uint, config: *mut RadioConfig) {
    let filled = with(|running| radio_config(&running.air, nic as usize, running.seed));
    // SAFETY: the kernel gives a valid structure to fill.
    unsafe { config.write(filled) }
}

pub(super) extern "C" fn address(nic: c_uint, mac: *const c_uchar, add: c_int, now: c_ulonglong) {
    // SAFETY: the kernel gives six bytes.
    let address = MacAddress(unsafe { mac.cast::<[u8; 6]>().read() });
    with(|running| {
        if let Some(session) = running.engine.session() {
            session.address(NicId(nic), address, add != 0);
        }
    });
    call(now, |world, now, _, out| match add {
        0 => world.remove_address(now, NicId(nic), address, out),
        _ => world.add_address(now, NicId(nic), address, out),
    });
}

pub(super) extern "C" fn associated(nic: c_uint, access_point: *const c_uchar, now: c_ulonglong) {
    // SAFETY: the kernel gives six bytes, or null.
    let address = unsafe { access_point.cast::<[u8; 6]>().as_ref() }.map(|octets| MacAddress(*octets));
    with(|running| {
        if let (Some(session), Some(peer)) = (running.engine.session(), address) {
            session.associated(NicId(nic), peer, Instant::from_nanos(now));
        }
    });
    call(now, |world, now, _, out| world.associated(now, NicId(nic), address, out));
}

pub(super) extern "C" fn asleep(nic: c_uint, station: *const c_uchar, asleep: c_int, now: c_ulonglong) {
    // SAFETY: the kernel gives six bytes.
    let station = MacAddress(unsafe { station.cast::<[u8; 6]>().read() });
    call(now, |world, now, _, out| world.asleep(now, NicId(nic), station, asleep != 0, out));
}

pub(super) extern "C" fn channel(nic: c_uint, channel: *const KernelChannel, now: c_ulonglong) {
    // SAFETY: the kernel gives a valid structure.
    let channel = unsafe { channel.read() };
    let tuned = (channel.primary_mhz != 0).then_some(RadioChannel {
        primary_mhz: channel.primary_mhz,
        centre_mhz: channel.centre_mhz,
        width_mhz: channel.width_mhz,
    });
    call(now, |world, now, mac, out| world.channel(now, NicId(nic), tuned, mac, out));
}

pub(super) extern "C" fn edca(nic: c_uint, edca: *const KernelEdca, now: c_ulonglong) {
    // SAFETY: the kernel gives a valid structure.
    let edca = unsafe { edca.read() };
    let parameters = AccessParameters {
        aifsn: edca.aifsn,
        cw_min: edca.cw_min,
        cw_max: edca.cw_max,
        txop_us: edca.txop_us,
    };
    let mu_edca = (edca.mu_edca != 0).then(|| MuEdcaParameters {
        aifsn: edca.mu_aifsn,
        cw_min: edca.mu_cw_min,
        cw_max: edca.mu_cw_max,
        timer: (u64::from(edca.mu_timer_us) / MuEdcaParameters::TIMER_UNIT_US) as u8,
    });
    let edcaf = edcaf_of(nic, edca.ac);
    call(now, |world, now, _, out| {
        world.edca(now, edcaf, parameters, out);
        world.mu_edca(now, edcaf, mu_edca, out);
    });
}

pub(super) extern "C" fn tx_power(nic: c_uint, dbm: c_int, now: c_ulonglong) {
    call(now, |world, now, _, out| world.tx_power(now, NicId(nic), Dbm::new(dbm.into()), out));
}

pub(super) extern "C" fn monitor(nic: c_uint, on: c_int, now: c_ulonglong) {
    call(now, |world, now, _, out| world.monitor(now, NicId(nic), on != 0, out));
}

pub(super) extern "C" fn pending(nic: c_uint, ac: c_uint, now: c_ulonglong) {
    call(now, |world, now, mac, out| world.pending(now, edcaf_of(nic, ac), mac, out));
}

pub(super) extern "C" fn send_first(nic: c_uint, ac: c_uint, mpdu: *const KernelMpdu, now: c_ulonglong) {
    call(now, |world, now, mac, out| {
        // SAFETY: the kernel gives a valid structure, with a pointer that is valid for the time of the call.
        let mpdu = unsafe { mac.take(now, NicId(nic), &*mpdu) };
        world.send_first(now, edcaf_of(nic, ac), mpdu, mac, out);
    });
}

pub(super) extern "C" fn agreement(nic: c_uint, txq: c_uint, window: c_uint, now: c_ulonglong) {
    call(now, |world, now, _, out| world.agreement(now, NicId(nic), TxqId(txq), window as u16, out));
}

pub(super) extern "C" fn purge(nic: c_uint, txq: c_uint, now: c_ulonglong) {
    call(now, |world, now, mac, out| world.purge(now, NicId(nic), TxqId(txq), mac, out));
}

pub(super) extern "C" fn stop_radio(nic: c_uint, now: c_ulonglong) {
    call(now, |world, now, mac, out| world.stop(now, NicId(nic), mac, out));
}

pub(super) extern "C" fn flushed(nic: c_uint) -> c_int {
    with(|running| running.engine.flushed(NicId(nic)).into())
}

pub(super) extern "C" fn survey(nic: c_uint, survey: *mut KernelSurvey, now: c_ulonglong) {
    call(now, |world, now, _, out| {
        let spent = world.survey(now, NicId(nic), out);
        let noise_dbm = spent.noise.map_or(NO_NOISE, |noise| libm::round(noise.get()) as c_int);
        let ChannelLoad { busy, tx, bss_rx } = spent.load;
        let [busy_ns, tx_ns, bss_rx_ns] = [busy, tx, bss_rx].map(Duration::as_nanos);
        // SAFETY: the kernel gives a valid structure to fill.
        unsafe { survey.write(KernelSurvey { busy_ns, tx_ns, bss_rx_ns, noise_dbm, unused: 0 }) }
    });
}
