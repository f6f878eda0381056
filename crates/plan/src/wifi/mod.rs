//! The radio side of a plan.

mod beacons;
mod card;
mod cell;
mod channel;
mod generations;
mod interferer;
mod linux;
mod multi_user;
mod nic;
mod phy_options;
mod queue;
mod rate;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use beacons::BeaconSender;
pub use card::{
    AggregatesFormed, CardPlan, HardwareQueue, HardwareQueueSize, HostDelay, InterruptModeration,
    ModerationLoad, TxInterrupt,
};
pub use cell::{
    AccessParameters, BandwidthOperation, BeaconAccess, BeaconPlan, Cell, CellKind, ErpProtection,
    HtProtection, NicRole, RadioChannel, RtsPolicy, Slot, Standard,
};
pub use channel::{
    ChannelPlan, CodeChoice, DopplerSpectrum, Fading, FadingProfile, FadingTap, FloorPlan, LinkLoss,
    LinkTrace, Propagation, Reception, RssiLink, Shadowing, TgnModel, TracePoint, Wall,
};
pub use generations::HtProtectionMode;
pub use interferer::{EmissionPattern, EmissionPower, Interferer, ReceivedEmission};
pub use linux::{LINUX_BSS_MAX, LinuxBss, LinuxCell, LinuxRateControl, LinuxSetup, LinuxTxq, Security};
pub use multi_user::{
    MuEdcaParameters, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, RandomAccessPlan,
    UplinkPlan,
};
pub use nic::{AirNic, Delivery, MeshRoute, Waypoint};
pub use phy_options::*;
pub use queue::{Aggregation, FqCodelPlan, QueuePlan, SlowStationCodel};
pub use rate::{McsFormat, Mode, RateControlPlan};

/// Cells, NICs and the channel between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AirPlan {
    /// Basic service sets, numbered by their place.
    pub cells: Vec<Cell>,
    /// Radio interfaces, numbered by their place.
    pub nics: Vec<AirNic>,
    /// What happens between antennas.
    pub channel: ChannelPlan,
}
