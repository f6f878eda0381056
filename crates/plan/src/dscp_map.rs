//! How hosts map code points to user priorities.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a kernel maps Differentiated Services code points to user priorities (`cfg80211_classify8021d` of net/wireless/util.c).
/// The compiler knows which kernel has which; nothing else of the name of a kernel concerns the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DscpMap {
    /// The three highest bits: Linux 6.1. EF is video then.
    ThreeBits,
    /// The three highest bits but for the service classes whose meaning they miss (RFC 8325, sections 2.3 and 4): Linux 6.12. EF
    /// is voice then.
    #[default]
    Rfc8325,
}
