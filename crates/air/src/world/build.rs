//! From a plan to a scene.

use airtcp_plan::{AirNic, AirPlan, CodeChoice, Reception, Standard};
use airtcp_units::{Decibel, Duration, Instant};

use super::{CardEvents, ChannelLinks, Interrupts, World, WorldOptions, check};
use crate::SetupError;
use crate::channel::Channel;
use crate::high::{Upper, link_standard, link_width_mhz};
use crate::linux_mac::LinuxRadios;
use crate::low::{ErrorRates, Low, Setup, error_rates};
use crate::phy::{TxVector, Width};
use crate::trace::Sampler;

impl World {
    /// The air of this plan, silent since the start of virtual time.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault if the plan asks for something that does not exist or is not modelled.
    pub fn new(plan: &AirPlan, seed: u64, options: WorldOptions) -> Result<Self, SetupError> {
        check::check(plan)?;
        Self::with_errors(plan, seed, &options, error_rates(plan)?)
    }

    /// The air of this plan with given error rates; `None`: noise spoils nothing.
    pub(crate) fn with_errors(
        plan: &AirPlan,
        seed: u64,
        options: &WorldOptions,
        errors: Option<Box<dyn ErrorRates>>,
    ) -> Result<Self, SetupError> {
        let noisy = errors.is_some();
        let mut channel = Channel::new(plan, seed, options.epoch);
        let upper = Upper::new(plan, seed, &Errors(errors.as_deref()))?;
        let linux = LinuxRadios::new(plan, seed, &upper, &Errors(errors.as_deref()))?;
        let setup = Setup {
            seed,
            epoch: options.epoch,
            errors,
            txqs: upper.txq_count(),
            samples_links: options.sample_interval != Duration::ZERO,
            records: options.ppdu_trace,
        };
        Ok(Self {
            low: Low::new(plan, setup, &mut channel)?,
            upper,
            linux,
            links: ChannelLinks { channel, noisy, widths: widths(plan), convolutional: convolutional(plan) },
            cards: CardEvents::new(plan),
            interrupts: Interrupts::new(plan, seed),
            sampler: Sampler::new(options.epoch, options.sample_interval, options.end),
            nodes: plan.nics.iter().map(|nic| nic.node.clone()).collect(),
            now: Instant::ZERO,
            events: 0,
        })
    }
}

/// Sender and receiver of every link, in this order.
fn links(plan: &AirPlan) -> impl Iterator<Item = (&AirNic, &AirNic)> {
    plan.nics.iter().flat_map(|own| plan.nics.iter().map(move |other| (own, other)))
}

/// The width of each link.
pub(super) fn widths(plan: &AirPlan) -> Vec<Width> {
    let known = |width_mhz| Width::from_mhz(width_mhz).expect("the upper half checked it");
    links(plan).map(|(own, other)| known(link_width_mhz(plan, own, other))).collect()
}

/// Whether data of each link goes with the convolutional code.
pub(super) fn convolutional(plan: &AirPlan) -> Vec<bool> {
    let ldpc = plan.channel.reception == Reception::Table { code: CodeChoice::Ldpc };
    let has = |(own, other)| match link_standard(plan, own, other) {
        Standard::Ofdm | Standard::Erp => true,
        Standard::Ht | Standard::Vht => !ldpc,
        _ => false,
    };
    links(plan).map(has).collect()
}

/// What the error rates tell rate control.
pub(super) struct Errors<'a>(pub(super) Option<&'a dyn ErrorRates>);

impl crate::rate::ErrorModel for Errors<'_> {
    fn packet_error_rate(&self, tx: TxVector, snr_db: f64, psdu_bytes: u32) -> f64 {
        let Some(errors) = self.0 else { return 0.0 };
        let a = errors.decay_per_octet(tx, Decibel::new(snr_db), psdu_bytes);
        1.0 - libm::exp(-a * f64::from(psdu_bytes))
    }
}
