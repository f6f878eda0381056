//! One plan to one run folder.
//!
//! ```text
//! plan + kernel + guest library + agent
//!    -> identity      name of the run: a hash of all it depends on
//!    -> run_lock      one process at a time computes a run of a store
//!    -> workspace     a working folder beside the store's finished runs
//!    -> launch        the guest: clean environment, no address randomisation, only the rights that it needs
//!    -> watch         progress, stall, signals; nothing is left running
//!    -> verdict       what the guest left, or why it left nothing
//!    -> parts         of a split network: both parts made one run, whether one guest computed them or two
//!    -> kept_output   of a failed run, what its programs wrote
//!    -> seal          records to Parquet, manifest, rename into the store
//! ```
//! [`names`] names many runs without making them. Beside that [`air`] runs the model of the air without a guest, and explains its links.
//!
//! Every failure is one [`failure::RunFailure`]: a kind, the thing, the place, the
//! remedy, and the lines of the console that explain it.

pub mod addresses;
pub mod air;
pub mod console;
pub mod containment;
pub mod doctor;
pub mod early_end;
pub mod events;
pub mod failure;
pub mod guest_file;
pub mod host_tools;
pub mod identity;
pub mod initrd;
pub mod installation;
pub mod kept_output;
pub mod kernel_fault;
pub mod launch;
pub mod memory_folder;
pub mod names;
pub mod own_core;
pub mod partner;
pub mod parts;
pub mod processes;
pub mod program_flows;
pub mod room;
pub mod run;
pub mod run_lock;
pub mod running_program;
pub mod seal;
pub mod series;
pub mod session;
pub mod stall;
pub mod system_calls;
pub mod verdict;
pub mod watch;
pub mod wifi_table;
pub mod workspace;
