//! A scene without hosts: the air, and built-in sources that stand in for them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AirPlan, PLAN_VERSION, PlanError};

/// Octets of an Ethernet header.
pub const ETHERNET_HEADER_BYTES: u32 = 14;
/// LLC and SNAP header that carries an Ethernet type (IEEE 802.11-2020, 5.1.4; RFC 1042).
pub const LLC_SNAP_BYTES: u32 = 8;
/// Longest MSDU (IEEE 802.11-2020, Table 9-25).
pub const MSDU_BYTES_MAX: u32 = 2304;
/// Shortest frame of a source: an Ethernet header.
pub const SOURCE_FRAME_BYTES_MIN: u32 = ETHERNET_HEADER_BYTES;
/// Longest frame of a source: an MSDU has LLC and SNAP in place of the Ethernet header.
pub const SOURCE_FRAME_BYTES_MAX: u32 = MSDU_BYTES_MAX - LLC_SNAP_BYTES + ETHERNET_HEADER_BYTES;

/// What the model of the air computes without a guest. Times count from the start of virtual time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AirScene {
    /// Format of this scene, [`PLAN_VERSION`].
    pub version: u32,
    /// The scenario's name, for people.
    pub name: String,
    /// Root of every random stream.
    pub seed: u64,
    /// Start of the measured interval.
    pub warmup_ns: u64,
    /// End of the measured interval, and of the scene.
    pub duration_ns: u64,
    /// The radio side: cells, NICs and the channel.
    pub air: AirPlan,
    /// Sources of frames, numbered by their place.
    pub sources: Vec<Source>,
}

/// A stream of Ethernet frames of one length from one NIC to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Unique name, for people.
    pub name: String,
    /// Number of the NIC that sends.
    pub from: u32,
    /// Number of the NIC that receives; of the same cell.
    pub to: u32,
    /// Length of each frame with its header, without frame check sequence: a UDP datagram over IPv4 with 1472 octets of payload
    /// has 1514.
    pub frame_bytes: u32,
    /// User priority, 0 to 7.
    pub priority: u8,
    /// When frames come.
    pub pace: Pace,
    /// When the source begins.
    pub start_ns: u64,
    /// End of the source; at or after the scene's end it never ends.
    pub end_ns: u64,
}

/// When the frames of a source come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum Pace {
    /// The source is saturated: as soon as a frame has left the NIC, another one enters it.
    Saturated,
    /// At a constant rate. The first comes after a part of the interval that the seed decides, so that sources with one
    /// interval don't send at the same instants.
    Cbr {
        /// Time between frames.
        interval_ns: u64,
    },
}

impl AirScene {
    /// Reads a scene and checks it as a whole.
    ///
    /// # Errors
    /// [`PlanError`] naming the key at fault: not JSON, an unknown or missing key, another version, or a value that
    /// contradicts another.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        let scene: Self = crate::reading::read(text)?;
        scene.check()?;
        Ok(scene)
    }

    /// Checks the scene as a whole.
    ///
    /// # Errors
    /// The first [`PlanError`] found.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.version != PLAN_VERSION {
            return Err(PlanError::Version { found: self.version });
        }
        if self.duration_ns == 0 {
            return wrong("duration_ns", "must be more than 0");
        }
        if self.warmup_ns >= self.duration_ns {
            let why = format!("{} leaves nothing to measure of {} ns", self.warmup_ns, self.duration_ns);
            return wrong("warmup_ns", why);
        }
        let mut names = BTreeSet::new();
        for (i, source) in self.sources.iter().enumerate() {
            self.check_source(&format!("sources[{i}]"), source)?;
            if !names.insert(source.name.as_str()) {
                return wrong(format!("sources[{i}].name"), format!("'{}' appears twice", source.name));
            }
        }
        Ok(())
    }

    fn check_source(&self, key: &str, source: &Source) -> Result<(), PlanError> {
        let nic = |end: &str, number: u32| {
            let missing = || PlanError::Value {
                key: format!("{key}.{end}"),
                why: format!("there is no air.nics[{number}]"),
            };
            self.air.nics.get(number as usize).ok_or_else(missing)
        };
        let (from, to) = (nic("from", source.from)?, nic("to", source.to)?);
        if source.from == source.to {
            return wrong(format!("{key}.to"), "a NIC sends nothing to itself");
        }
        if from.cell != to.cell {
            return wrong(format!("{key}.to"), format!("air.nics[{}] is in another cell", source.to));
        }
        let lengths = SOURCE_FRAME_BYTES_MIN..=SOURCE_FRAME_BYTES_MAX;
        if !lengths.contains(&source.frame_bytes) {
            let (shortest, longest) = lengths.into_inner();
            let why = format!("{} is not from {shortest} to {longest}", source.frame_bytes);
            return wrong(format!("{key}.frame_bytes"), why);
        }
        if source.priority > 7 {
            return wrong(format!("{key}.priority"), format!("{} is not from 0 to 7", source.priority));
        }
        if source.pace == (Pace::Cbr { interval_ns: 0 }) {
            return wrong(format!("{key}.pace.interval_ns"), "must be more than 0");
        }
        if source.end_ns <= source.start_ns {
            return wrong(format!("{key}.end_ns"), "must be after start_ns");
        }
        Ok(())
    }
}

fn wrong(key: impl Into<String>, why: impl Into<String>) -> Result<(), PlanError> {
    Err(PlanError::Value { key: key.into(), why: why.into() })
}

/// The JSON schema of a scene.
pub fn scene_schema() -> serde_json::Value {
    serde_json::to_value(schemars::schema_for!(AirScene)).expect("a schema is plain JSON")
}
