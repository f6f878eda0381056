//! The kernel's looks at the session, and the messages between the session and the agent.

use std::ffi::{c_int, c_uchar, c_uint, c_ulonglong};
use std::io;

use airtcp_plan::SessionEvent;
use airtcp_units::Instant;

use super::running::{Running, or_end, with};
use crate::abi::{
    SESSION_AIR, SESSION_BYTES, SESSION_FLOWS, SESSION_LOSSES, SESSION_MESSAGES, SESSION_QUEUES,
    SESSION_SAMPLE,
};
use crate::session::{Entered, Watched};

pub(super) extern "C" fn next() -> c_ulonglong {
    with(|running| running.engine.next_look().as_nanos())
}

pub(super) extern "C" fn look(now: c_ulonglong) -> c_uint {
    let looked = with(|running| {
        let Running { engine, watch, .. } = running;
        engine.look_at_session(Instant::from_nanos(now), || watch.flush())
    });
    match looked {
        Ok(Entered { messages, air, watched: Watched { flows, queues, losses, begins } }) => {
            let bits = [
                (messages, SESSION_MESSAGES),
                (air, SESSION_AIR),
                (flows, SESSION_FLOWS),
                (queues, SESSION_QUEUES),
                (losses, SESSION_LOSSES),
                (begins, SESSION_SAMPLE),
            ];
            bits.into_iter().map(|(is_set, bit)| c_uint::from(is_set) * bit).sum()
        }
        // Whoever had opened it has closed it: there is nobody to tell.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => std::process::exit(0),
        Err(error) => {
            or_end(Err(error));
            0
        }
    }
}

pub(super) extern "C" fn take(message: *mut c_uchar, size: c_uint, more: *mut c_int) -> c_uint {
    let taken = with(|running| {
        let session = running.engine.session()?;
        Some((session.take_message()?, session.has_messages()))
    });
    let Some((taken, waits)) = taken else { return 0 };
    // SAFETY: the kernel gives a number to fill.
    unsafe { more.write(waits.into()) };
    assert!(
        taken.len() <= SESSION_BYTES && taken.len() <= size as usize,
        "inputs are checked when they enter"
    );
    // SAFETY: the kernel gives room for `size` bytes.
    unsafe { std::ptr::copy_nonoverlapping(taken.as_ptr(), message, taken.len()) };
    taken.len() as c_uint
}

pub(super) extern "C" fn send(message: *const c_uchar, len: c_uint, now: c_ulonglong) {
    // SAFETY: the kernel gives a valid message for the time of the call.
    let message = unsafe { std::slice::from_raw_parts(message, len as usize) };
    let event: SessionEvent = serde_json::from_slice(message).expect("only the agent sends messages");
    or_end(with(|running| match running.engine.session() {
        Some(session) => session.say(&event, Instant::from_nanos(now)),
        None => Ok(()),
    }));
}
