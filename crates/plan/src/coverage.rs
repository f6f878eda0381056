//! What radios at many places would have of the access points of a plan.

use airtcp_units::{BitRate, Dbm, Metre};
use serde::{Deserialize, Serialize};

/// Where to look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageRequest {
    /// The highest packet error rate of a PSDU of 1500 octets at which a mode is used, as of `ideal` rate control.
    pub error_rate: f64,
    /// The places.
    pub places_m: Vec<[Metre; 3]>,
}

/// What there is of each access point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Weakest PPDU that a receiver can synchronise to.
    pub sensitivity_dbm: Dbm,
    /// Each access point, in the order of the plan.
    pub access_points: Vec<AccessPointCoverage>,
}

/// One access point at each place. At the start of the run, without shadowing and fading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessPointCoverage {
    /// Number of its NIC.
    pub nic: u32,
    /// Its node.
    pub node: String,
    /// Name of its cell.
    pub cell: String,
    /// Mean power of what it sends.
    pub signal_dbm: Vec<Dbm>,
    /// Place in `modes` of the mode in which it would send data.
    pub mode: Vec<u32>,
    /// The modes that occur.
    pub modes: Vec<CoverageMode>,
}

/// A mode of data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageMode {
    /// Its name.
    pub name: String,
    /// Its PHY rate.
    pub rate_bps: BitRate,
}
