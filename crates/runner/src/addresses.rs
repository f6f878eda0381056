//! Addresses of the guest's process: the same in every run.
//!
//! The kernel in user space takes the end of its heap for the end of its own memory (Linux, `arch/um/kernel/um_arch.c`,
//! `linux_main`). Where the host randomises the address of the heap, the guest's memory has another size in every run, and so have its
//! limits of processes and its temporary folders: a program sees that. So a run without fixed addresses is refused.

use std::io;

use nix::errno::Errno;
use nix::sys::personality::{self, Persona};

/// Whether the system randomises addresses at all (Linux, Documentation/admin-guide/sysctl/kernel.rst).
const SYSTEM_WIDE: &str = "/proc/sys/kernel/randomize_va_space";
/// The message of a refused call, which is searched for in a console.
pub const REFUSED: &str = "cannot switch address-space randomisation off";
/// The remedy.
pub const REMEDY: &str = "let it call personality(ADDR_NO_RANDOMIZE): docker run --security-opt seccomp=unconfined, or a \
                          profile of its own (docs/how-to/install.md)";

/// Switches address randomisation off for the program that this process becomes.
///
/// # Errors
/// The system refuses that, as Docker's default profile of system calls does, and randomises addresses.
pub fn fix() -> io::Result<()> {
    let persona = personality::get().unwrap_or(Persona::empty());
    if persona.contains(Persona::ADDR_NO_RANDOMIZE) {
        return Ok(());
    }
    match personality::set(persona | Persona::ADDR_NO_RANDOMIZE) {
        Ok(_) => Ok(()),
        Err(_) if std::fs::read_to_string(SYSTEM_WIDE).is_ok_and(|text| text.trim() == "0") => Ok(()),
        Err(errno) => Err(refusal(errno)),
    }
}

fn refusal(errno: Errno) -> io::Error {
    io::Error::other(format!("{REFUSED}: {}", errno.desc()))
}
