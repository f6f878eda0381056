//! Records of what happened on the air.

use airtcp_units::Duration;

mod capture;
mod link;
mod ppdu;
mod sample;

pub use capture::{AirCapture, CapturedBlockAck, CapturedMpdu, CapturedPpdu};
pub use link::LinkSample;
pub(crate) use link::{LinkCounters, LinkUse};
pub use ppdu::{PpduOutcome, PpduRecord};
pub use sample::NicSample;
pub(crate) use sample::Sampler;

/// A span in the signed nanoseconds of records.
pub(crate) fn signed_nanos(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).expect("virtual time fits 63 bits")
}
