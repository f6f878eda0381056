//! Log-distance: `L = L_0 + 10 n log10(d / d_0)` (Rappaport, Wireless Communications, 2nd edition, 4.11.1).

use airtcp_units::Decibel;

use super::free_space;
use super::path::Path;

/// A path loss exponent and a loss at a reference distance.
#[derive(Debug)]
pub(crate) struct LogDistance {
    pub(super) exponent: f64,
    /// `None`: that of free space at the frequency of the path, so that each band has its own.
    pub(super) reference_loss: Option<Decibel>,
    pub(super) reference_distance_m: f64,
}

impl LogDistance {
    /// Loss over this path; nearer than the reference distance counts as there, where the model begins.
    pub(super) fn loss(&self, path: &Path) -> Decibel {
        let ratio = (path.distance() / self.reference_distance_m).max(1.0);
        let reference = self
            .reference_loss
            .unwrap_or_else(|| free_space::loss_at(self.reference_distance_m, path.wavelength()));
        Decibel::new(reference.get() + 10.0 * self.exponent * libm::log10(ratio))
    }
}
