//! Files of the scenario's folder that the guest's programs can read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bytes of all files of a plan: a plan is read and written as a whole, by the thousand in campaigns.
pub const FILES_BYTES_MAX: usize = 4 << 20;

/// A file. All programs can read it at its path in the guest's copy of the scenario's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// Path from the scenario's folder, with `/` between its parts.
    pub path: String,
    /// Whether the file may be executed.
    pub executable: bool,
    /// Content of the file.
    pub content: FileContent,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "kind")]
pub enum FileContent {
    /// Text in UTF-8.
    Text {
        /// The text.
        text: String,
    },
    /// Any bytes.
    Base64 {
        /// The bytes in base64 (RFC 4648, section 4).
        base64: String,
    },
}

impl FileContent {
    /// The content that these bytes are: text if they are UTF-8, else binary.
    pub fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text { text: text.to_owned() },
            Err(_) => Self::binary(bytes),
        }
    }

    /// Binary content, which plans carry as Base64.
    pub fn binary(bytes: &[u8]) -> Self {
        Self::Base64 { base64: STANDARD.encode(bytes) }
    }

    /// The bytes of the file; `None` if they are not base64, which the check of a plan refuses.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Text { text } => Some(text.clone().into_bytes()),
            Self::Base64 { base64 } => STANDARD.decode(base64).ok(),
        }
    }
}
