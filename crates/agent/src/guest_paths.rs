//! Folders of the guest that several rooms use.

/// The run's working folder, read-write. It is the folder that process 1 is in and has no other name: programs can rename whatever
/// has a name in a folder that they may write.
pub(crate) const WORK: &str = ".";
/// What programs see of it.
pub(crate) const PROGRAMS: &str = "/run/airtcp/programs";
/// The scenario's folder, read-only.
pub(crate) const SCENARIO: &str = "/run/scenario";
/// The namespaces of nodes, by their names, where `ip netns` looks for them.
pub(crate) const NAMESPACES: &str = "/run/netns";
/// Where privileged programs ask for changes of the air.
pub(crate) const AIR_REQUESTS: &str = "/run/airtcp-air";
