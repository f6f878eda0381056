//! A split network's parts, made one run again: of each part what the guest that computed it has left.
//!
//! Each guest leaves records and reports of the whole network, of which only its own part is valid. A guest that was alone has
//! computed both parts. What it has left takes the same way, as that of part 0 and as that of part 1: so the result does not
//! depend on the number of guests.

mod arrivals;
mod leftovers;
mod owners;
mod records;
mod reports;
mod rows;
#[cfg(test)]
mod testing;

use std::path::{Path, PathBuf};

use airtcp_plan::{PARTS, Plan};

use crate::failure::RunFailure;
use crate::verdict::Reports;

/// A guest of a split network that has ended, as it should.
#[derive(Debug)]
pub struct Left {
    /// Working folder of the guest, in that of the run.
    pub folder: PathBuf,
    /// Reports of the guest.
    pub reports: Reports,
}

/// Makes one run of what one guest has left in its folder, or two in theirs, in the run's working folder.
///
/// # Errors
/// A [`RunFailure`] if a record or a report is damaged or a file can't be written.
pub fn join(plan: &Plan, work: &Path, guests: &[Left]) -> Result<Reports, RunFailure> {
    let of_part = |part: usize| &guests[part.min(guests.len() - 1)];
    let parts: [&Left; PARTS] = std::array::from_fn(of_part);
    records::merge(plan, work, parts.map(|left| left.folder.as_path()))?;
    let mut reports = reports::merged(plan, parts.map(|left| &left.reports))?;
    reports.air.events = guests.iter().map(|guest| guest.reports.air.events).sum();
    leftovers::take(work, guests.iter().map(|guest| guest.folder.as_path()))?;
    Ok(reports)
}
