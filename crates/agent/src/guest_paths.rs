//! Folders of the guest that several rooms use.

/// The run's working folder, read-write.
pub(crate) const WORK: &str = "/run/airtcp";
/// The scenario's folder, read-only.
pub(crate) const SCENARIO: &str = "/run/scenario";
/// The namespaces of nodes, by their names, where `ip netns` looks for them.
pub(crate) const NAMESPACES: &str = "/run/netns";
/// Where privileged programs ask for changes of the air.
pub(crate) const AIR_REQUESTS: &str = "/run/airtcp-air";
