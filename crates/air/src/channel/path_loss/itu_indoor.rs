//! Indoor: `L = 20 log10 f + N log10 d + Lf(n) - 28`, f in MHz, d in metres, n floors between (Recommendation ITU-R
//! P.1238-7, 2012, section 3.1).

use airtcp_units::Decibel;

use super::path::Path;

/// The model holds for distances above 1 m (the same section); nearer counts as this.
const NEAREST_M: f64 = 1.0;

/// Power loss coefficient and floors of a building.
#[derive(Debug)]
pub(crate) struct ItuIndoor {
    /// N.
    pub(super) coefficient: f64,
    /// Lf(1), Lf(2) ...; more floors count as the last, none cost nothing.
    pub(super) floor_loss: Vec<Decibel>,
    /// From slab to slab; floor k begins at k times this height.
    pub(super) floor_height_m: f64,
}

impl ItuIndoor {
    pub(super) fn loss(&self, path: &Path) -> Decibel {
        let frequency_mhz = path.frequency.get() / 1e6;
        let beyond = self.coefficient * libm::log10(path.distance().max(NEAREST_M));
        let floors = self.floors_between(path.places.map(|p| p.0[2]));
        Decibel::new(20.0 * libm::log10(frequency_mhz) + beyond + self.floors_loss(floors) - 28.0)
    }

    /// An antenna at the height of a slab is on the floor above it.
    fn floors_between(&self, heights_m: [f64; 2]) -> usize {
        let [a, b] = heights_m.map(|h| libm::floor(h / self.floor_height_m));
        // Saturates, and more floors than the list has count as its last.
        libm::fabs(a - b) as usize
    }

    fn floors_loss(&self, floors: usize) -> f64 {
        let Some(last) = self.floor_loss.len().checked_sub(1).filter(|_| floors > 0) else { return 0.0 };
        self.floor_loss[last.min(floors - 1)].get()
    }
}
