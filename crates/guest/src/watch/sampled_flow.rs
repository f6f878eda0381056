//! A flow whose state is sampled.

/// A flow of the plan, or of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampledFlow {
    /// Number in the series `flows`.
    pub number: u32,
    /// Node that sends, if it is known.
    pub node: Option<u32>,
}
