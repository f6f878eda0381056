//! The rim: C tables on the outside, [`Engine`] on the inside.
//!
//! The kernel runs on one thread and never re-enters a call, so there is one
//! engine in one cell. That the cell is free is checked at each call.

#![expect(unsafe_code, reason = "the border with the kernel: C tables and raw frames")]

mod parts;
mod radio;
mod radio_calls;
mod radio_rates;
mod running;
mod session;
mod socket_samples;
mod waiting;
mod watch;

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_ulonglong};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use airtcp_air::NicId;
use airtcp_plan::report::WITH_USER;
use airtcp_units::{Duration, Instant};

use crate::abi::{ABI, ETHERNET, EngineTable, HostTable, KernelFrame, NONE, NicConfig, RADIO, Start};
use crate::frames::KernelHandle;
use crate::parts::Parts;
use crate::radio_config::is_radio;
use crate::session::UserChannel;
use crate::start::{Started, start};

use radio::KernelRadios;
use running::{KernelHost, RUNNING, Running, or_end, with};

extern "C" fn nic(index: c_uint, config: *mut NicConfig) {
    with(|running| {
        let nic = &running.air.nics[index as usize];
        let kind = if is_radio(&running.air, index as usize) { RADIO } else { ETHERNET };
        let filled = NicConfig {
            mac: nic.mac.0,
            bql: nic.bql.into(),
            gro: nic.gro.into(),
            rx_copy: nic.rx_copy.into(),
            pacing_shift: nic.pacing_shift,
            kind,
            moderated: nic.card.receives_late().into(),
            stops: nic.may_stop().into(),
            unused: [0; 3],
        };
        // SAFETY: the kernel gives a valid structure to fill.
        unsafe { config.write(filled) }
    });
}

extern "C" fn transmit(nic: c_uint, frame: *const KernelFrame, now: c_ulonglong) {
    // SAFETY: the kernel gives a valid structure for the time of the call.
    let frame = unsafe { frame.read() };
    let travelling = {
        // SAFETY: `head_len` bytes at `head` are the frame's first, which nothing changes before the engine has it.
        let head = unsafe { std::slice::from_raw_parts(frame.head, frame.head_len as usize) };
        let handle = KernelHandle(frame.handle as usize);
        with(|running| running.engine.read(handle, head, frame.len, frame.priority))
    };
    or_end(with(|running| running.engine.transmit(NicId(nic), travelling, Instant::from_nanos(now))));
}

extern "C" fn next() -> c_ulonglong {
    with(|running| running.engine.next().as_nanos())
}

extern "C" fn run(now: c_ulonglong) {
    or_end(with(|running| running.engine.run(Instant::from_nanos(now))));
}

extern "C" fn end(now: c_ulonglong) {
    or_end(with(|running| running.watch.close()));
    or_end(with(|running| running.engine.end(Instant::from_nanos(now))));
    with(|running| running.parts.as_mut().map(Parts::end));
}

/// The library's one symbol: `args` is the run's working folder, with [`WITH_USER`] behind it if the session has a user.
///
/// # Safety
/// To be called once, by a kernel of this ABI, with valid tables.
#[unsafe(no_mangle)]
#[expect(unreachable_pub, reason = "the kernel reaches it, by name")]
pub unsafe extern "C" fn airtcp_start(
    host: *const HostTable,
    engine: *mut EngineTable,
    args: *const c_char,
) -> c_int {
    // SAFETY: the caller's promise. The first field is there in every ABI.
    let table = unsafe { *host };
    if table.abi != ABI {
        eprintln!("airtcp: the kernel has ABI {}, this library has {ABI}; build the kernel again", table.abi);
        return -1;
    }
    // SAFETY: the caller's promise: a string that ends.
    let args = unsafe { CStr::from_ptr(args) }.to_bytes();
    let (folder, user) = match args.strip_suffix(WITH_USER.as_bytes()) {
        Some(folder) => (folder, Some(UserChannel::inherited())),
        None => (args, None),
    };
    let folder = Path::new(OsStr::from_bytes(folder));
    let tcp_info_bytes = u16::try_from(table.tcp_info_len).expect("a structure of fewer than 64 KiB");
    let Started { engine: started, watch: watched, parts, plan } =
        match start(folder, user, KernelHost { table }, KernelRadios::new(table), tcp_info_bytes) {
            Ok(started) => started,
            Err(error) => {
                eprintln!("airtcp: {error}");
                return -1;
            }
        };
    let planned_end = Instant::from_nanos(plan.epoch_ns) + Duration::from_nanos(plan.duration_ns);
    let (seed, air) = (plan.seed, plan.air);
    let filled = engine_table(air.nics.len() as c_uint, parts.as_ref());
    // SAFETY: the caller's promise: a structure to fill.
    unsafe { engine.write(filled) }
    RUNNING.set(Some(Running {
        engine: started,
        watch: watched,
        sockets: socket_samples::SocketSamples::default(),
        is_instant: false,
        parts,
        host: table,
        planned_end,
        air,
        seed,
    }));
    0
}

/// What the kernel calls, of a plan with so many NICs.
fn engine_table(nics: c_uint, parts: Option<&Parts>) -> EngineTable {
    EngineTable {
        abi: ABI,
        nics,
        nic,
        transmit,
        next,
        run,
        end,
        flow: watch::flow,
        ack: watch::ack,
        qdisc: watch::qdisc,
        socket_connected: watch::socket_connected,
        socket: watch::socket,
        socket_closed: watch::socket_closed,
        sockets_sampled: watch::sockets_sampled,
        packet: watch::packet,
        station: watch::radio,
        station_queue: watch::radio,
        radio_queue: watch::radio,
        station_rate: watch::radio,
        radio: radio_calls::radio,
        address: radio_calls::address,
        associated: radio_calls::associated,
        asleep: radio_calls::asleep,
        channel: radio_calls::channel,
        edca: radio_calls::edca,
        tx_power: radio_calls::tx_power,
        monitor: radio_calls::monitor,
        pending: radio_calls::pending,
        send_first: radio_calls::send_first,
        agreement: radio_calls::agreement,
        purge: radio_calls::purge,
        stop_radio: radio_calls::stop_radio,
        flushed: radio_calls::flushed,
        survey: radio_calls::survey,
        session_next: session::next,
        session_look: session::look,
        session_take: session::take,
        session_send: session::send,
        instant_begins: waiting::begins,
        instant_ends: waiting::ends,
        lost: waiting::lost,
        given_up: waiting::given_up,
        separate_at: parts.map_or(0, |parts| parts.separate_at().as_nanos()),
        part: parts.and_then(Parts::own).map_or(NONE, |part| part as c_uint),
        unused: 0,
        part_of: parts::part_of,
        wire_leaves: parts::wire_leaves,
        exchange: parts::exchange,
    }
}

// The symbol has the type that the kernel expects of it.
const _: Start = airtcp_start;
