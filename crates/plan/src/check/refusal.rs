//! Why a plan is refused, and what several of its parts must fulfil.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::PLAN_VERSION;

/// Why a plan is refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// The text is not a plan of this format.
    #[error("not a plan: {0}")]
    Format(String),
    /// The plan was made for another version.
    #[error(
        "version: the plan has {found}, this program executes {PLAN_VERSION}; compile the scenario again"
    )]
    Version {
        /// Version of the plan.
        found: u32,
    },
    /// A value that is not possible, or contradicts another.
    #[error("{key}: {why}")]
    Value {
        /// Path of the key, for example `nodes[2].interfaces[0].mac`.
        key: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Longest name that has room for an ending in a file's name (`NAME_MAX` of Linux is 255).
const FILE_NAME_MAX: usize = 240;
/// Times from boot are less than this, 73 years: what is added to them stays far from the ends of 64 bits.
const TIME_MAX_NS: u64 = 1 << 61;

pub(crate) type Check = Result<(), PlanError>;

pub(crate) fn wrong(key: impl Into<String>, why: impl Into<String>) -> Check {
    Err(PlanError::Value { key: key.into(), why: why.into() })
}

pub(super) fn check_time(key: &str, time_ns: u64) -> Check {
    if time_ns >= TIME_MAX_NS { wrong(key, format!("must be less than {TIME_MAX_NS}")) } else { Ok(()) }
}

/// A name that becomes part of a file's name.
pub(super) fn file_name(key: &str, name: &str) -> Check {
    if name.is_empty() || name.len() > FILE_NAME_MAX || name.contains(['/', '\0']) {
        return wrong(key, "must be a file's name");
    }
    Ok(())
}

pub(super) fn unique<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Check {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return wrong(key, format!("'{name}' appears twice"));
        }
    }
    Ok(())
}
