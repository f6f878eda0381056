//! Files of the scenario's folder that programs find in theirs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bytes of all files of a plan: a plan is read and written as a whole, by the thousand in campaigns.
pub const FILES_BYTES_MAX: usize = 4 << 20;
/// A file, which all programs can read at its path in the scenario's folder of the guest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// Path from the scenario's folder, with `/` between its parts.
    pub path: String,
    /// Whether it may be executed.
    pub executable: bool,
    /// What is in it.
    pub content: FileContent,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum FileContent {
    /// Text in UTF-8.
    Text {
        /// All of it.
        text: String,
    },
    /// Any bytes.
    Base64 {
        /// All of them (RFC 4648, section 4).
        base64: String,
    },
}

impl FileContent {
    /// The bytes of the file; none if they are no base64, which a checked plan does not have.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Text { text } => Some(text.clone().into_bytes()),
            Self::Base64 { base64 } => STANDARD.decode(base64).ok(),
        }
    }
}
