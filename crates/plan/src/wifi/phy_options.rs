//! Options of PPDUs that the standard leaves to the sender.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of the PPDUs that a radio sends; `null`: the default of the standard or of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhyOptions {
    /// HE-LTF of its HE PPDUs, whose guard interval must be one of this HE-LTF; `null`: the shortest that every receiver
    /// supports, 2x, and 4x with a guard interval of 3200 ns.
    pub he_ltf: Option<HeLtf>,
}

impl PhyOptions {
    /// Nothing chosen.
    pub const NONE: Self = Self { he_ltf: None };
}

/// Size of the HE long training field: the symbol without guard interval, of which one or two quarters may be sent (IEEE
/// 802.11ax-2021, 27.3.11.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum HeLtf {
    /// 3.2 us.
    #[serde(rename = "1x")]
    X1,
    /// 6.4 us.
    #[serde(rename = "2x")]
    X2,
    /// 12.8 us.
    #[serde(rename = "4x")]
    X4,
}
