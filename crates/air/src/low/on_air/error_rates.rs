//! The error rates that a plan's reception names: `docs/models/reception.md`.

use airtcp_plan::{AirPlan, Reception, Standard};
use airtcp_units::Decibel;

use super::decoding::ErrorRates;
use crate::SetupError;
use crate::phy::TxVector;
use crate::phy::error_rate::{ErrorModel, PerTable};

/// The error rates of a plan; `None` if noise spoils nothing.
///
/// # Errors
/// [`SetupError`] if the model has none for a standard of the plan. Every other mode of every standard has some.
pub(crate) fn error_rates(plan: &AirPlan) -> Result<Option<Box<dyn ErrorRates>>, SetupError> {
    let model = match plan.channel.reception {
        Reception::Ideal => return Ok(None),
        Reception::Table { .. } => ErrorModel::Table(PerTable::new()),
        Reception::Nist => ErrorModel::Nist,
    };
    let dmg = plan.cells.iter().find(|cell| cell.standard == Standard::Dmg);
    if let (ErrorModel::Nist, Some(cell)) = (&model, dmg) {
        return Err(SetupError::new(
            "air.channel.reception",
            format!("the NIST formula is for OFDM, and cell '{}' is 11ad with a single carrier", cell.name),
            "choose the reception 'table' or 'ideal'",
        ));
    }
    Ok(Some(Box::new(model)))
}

/// By the code of the mode. Streams share the power evenly, and each meets the noise and interference of one antenna.
impl ErrorRates for ErrorModel {
    fn decay_per_octet(&self, tx: TxVector, sinr_db: Decibel, psdu_bytes: u32) -> f64 {
        let share_db = if tx.streams > 1 { 10.0 * libm::log10(f64::from(tx.streams)) } else { 0.0 };
        let of_stream = Decibel::new(sinr_db.get() - share_db);
        let decay = self.decay(tx, tx.coding(), of_stream);
        decay.expect("the model knows the modes of the plan").per_octet(psdu_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Format, Guard, Width};

    #[test]
    fn streams_share_the_power() {
        let model = ErrorModel::Table(PerTable::new());
        let decay = |streams, snr_db| {
            let tx = TxVector::mimo(Format::He, 7, streams, Width::Mhz80, Guard::Ns800);
            model.decay_per_octet(tx, Decibel::new(snr_db), 1_500)
        };
        let alone = decay(1, 17.5);
        for (streams, more_db) in [(2, 3.010_3), (3, 4.771_2), (4, 6.020_6), (8, 9.030_9)] {
            assert!((decay(streams, 17.5 + more_db) / alone - 1.0).abs() < 1e-3, "{streams} streams");
        }
    }

    /// The code that a mode asks for: LDPC does better in long PSDUs.
    #[test]
    fn modes_have_the_rates_of_their_code() {
        let model = ErrorModel::Table(PerTable::new());
        let tx = TxVector::mimo(Format::Ht, 7, 1, Width::Mhz20, Guard::Ns800);
        let decay = |tx| model.decay_per_octet(tx, Decibel::new(18.0), 1_500);
        assert!(decay(tx.with_ldpc()) < decay(tx) / 10.0);
    }
}
