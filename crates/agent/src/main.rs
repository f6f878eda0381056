//! PID 1 of the guest.
fn main() {}
