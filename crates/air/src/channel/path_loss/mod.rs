//! Mean received power: a file for each model.
//!
//! Antennas are isotropic: antenna gains belong into the transmit power.

mod free_space;
mod given;
mod itu_indoor;
mod log_distance;
mod multi_wall;
mod path;
mod two_ray;

use airtcp_plan::Propagation;
use airtcp_units::Dbm;

use given::Given;
use itu_indoor::ItuIndoor;
use log_distance::LogDistance;
use multi_wall::MultiWall;
pub(super) use path::{Path, SPEED_OF_LIGHT};
use two_ray::TwoRay;

/// A model of mean received power.
#[derive(Debug)]
pub(super) enum PathLoss {
    Given(Given),
    FreeSpace,
    LogDistance(LogDistance),
    TwoRay(TwoRay),
    ItuIndoor(ItuIndoor),
    MultiWall(MultiWall),
}

impl PathLoss {
    /// Whether powers are given, so that places say nothing.
    pub(super) const fn is_given(&self) -> bool {
        matches!(self, Self::Given(_))
    }

    /// The model that the plan names. The plan is checked.
    pub(super) fn new(propagation: &Propagation) -> Self {
        match propagation {
            Propagation::Rssi { links, default_dbm } => Self::Given(Given::new(links, *default_dbm)),
            Propagation::FreeSpace => Self::FreeSpace,
            Propagation::LogDistance { exponent, reference_loss_db, reference_distance_m } => {
                Self::LogDistance(LogDistance {
                    exponent: *exponent,
                    reference_loss: *reference_loss_db,
                    reference_distance_m: reference_distance_m.get(),
                })
            }
            Propagation::TwoRay { permittivity } => Self::TwoRay(TwoRay { permittivity: *permittivity }),
            Propagation::ItuIndoor { coefficient, floor_loss_db, floor_height_m } => {
                Self::ItuIndoor(ItuIndoor {
                    coefficient: *coefficient,
                    floor_loss: floor_loss_db.clone(),
                    floor_height_m: floor_height_m.get(),
                })
            }
            Propagation::MultiWall { exponent, reference_loss_db, floor_plan } => {
                Self::MultiWall(MultiWall::new(*exponent, *reference_loss_db, floor_plan))
            }
        }
    }

    /// Mean power at the receiver: a pure function of the path.
    pub(super) fn mean_power(&self, path: &Path) -> Dbm {
        let loss = match self {
            Self::Given(given) => return given.mean_power(path.ends),
            Self::FreeSpace => free_space::loss(path),
            Self::LogDistance(model) => model.loss(path),
            Self::TwoRay(model) => model.loss(path),
            Self::ItuIndoor(model) => model.loss(path),
            Self::MultiWall(model) => model.loss(path),
        };
        path.sent - loss
    }
}

#[cfg(test)]
mod tests;
