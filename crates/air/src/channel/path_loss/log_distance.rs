//! Log-distance: `L = L_0 + 10 n log10(d / d_0)` (Rappaport, Wireless Communications, 2nd edition, 4.11.1).

use airtcp_units::Decibel;

/// A path loss exponent and a loss at a reference distance.
#[derive(Debug)]
pub(crate) struct LogDistance {
    pub(super) exponent: f64,
    pub(super) reference_loss: Decibel,
    pub(super) reference_distance_m: f64,
}

impl LogDistance {
    /// Loss at this distance in metres; nearer than the reference distance counts as there, where the model begins.
    pub(super) fn loss(&self, distance_m: f64) -> Decibel {
        let ratio = (distance_m / self.reference_distance_m).max(1.0);
        Decibel::new(self.reference_loss.get() + 10.0 * self.exponent * libm::log10(ratio))
    }
}
