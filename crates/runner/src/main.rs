//! One plan to one run folder.
fn main() {}
