//! How the agent reports an error: what is wrong, where, and the remedy.

use airtcp_plan::report::Failure;

/// A result whose error a user can understand.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// What to do when the kernel refuses something that every plan needs.
pub(crate) const KERNEL_REMEDY: &str = "build the guest's kernel with airtcp's own configuration";

/// A failure.
pub(crate) fn failure(
    what: impl Into<String>,
    place: impl Into<String>,
    remedy: impl Into<String>,
) -> Failure {
    Failure { what: what.into(), place: place.into(), remedy: remedy.into() }
}

/// An error of a system call as a failure; for `map_err`.
pub(crate) fn because<E: std::fmt::Display>(
    what: &str,
    place: &str,
    remedy: &str,
) -> impl FnOnce(E) -> Failure {
    move |error| failure(format!("{what}: {error}"), place, remedy)
}
