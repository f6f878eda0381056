//! Whether a PPDU that met no collision is received.

use airtcp_plan::{AirNic, ChannelPlan, MacAddress};
use airtcp_units::Decibel;

use super::{es_n0, received_power, thermal_noise};
use crate::mac::NicId;
use crate::phy::{Decay, OfdmRate, PerTable};
use crate::random::{Purpose, Stream};

/// One direction between two NICs, and why it is asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) from: NicId,
    pub(crate) to: NicId,
    pub(crate) purpose: Purpose,
}

/// Decides about reception, each link by its own random streams.
#[derive(Debug)]
pub(crate) enum Reception {
    /// Nothing is lost.
    Ideal,
    /// By packet error rate.
    Noisy(Box<Noisy>),
}

/// Reception in noise.
#[derive(Debug)]
pub(crate) struct Noisy {
    seed: u64,
    addresses: Vec<MacAddress>,
    /// By sender, then receiver.
    links: Vec<LinkState>,
}

#[derive(Debug)]
struct LinkState {
    decay: [Decay; 8],
    /// By purpose; made when a link first needs one, for few links are lossy.
    streams: [Option<Box<Stream>>; 3],
}

impl Reception {
    /// The reception that the plan asks for.
    pub(crate) fn new(channel: &ChannelPlan, nics: &[AirNic], seed: u64) -> Self {
        match channel.reception {
            airtcp_plan::Reception::Ideal => Self::Ideal,
            airtcp_plan::Reception::PerTable { noise_figure_db } => {
                Self::Noisy(Box::new(Noisy::new(channel, nics, seed, noise_figure_db)))
            }
        }
    }

    /// Whether a PSDU of this length at this rate is received.
    #[inline]
    pub(crate) fn receives(&mut self, link: Link, rate: OfdmRate, psdu_bytes: u32) -> bool {
        match self {
            Self::Ideal => true,
            Self::Noisy(noisy) => noisy.receives(link, rate, psdu_bytes),
        }
    }
}

impl Noisy {
    fn new(channel: &ChannelPlan, nics: &[AirNic], seed: u64, noise_figure: Decibel) -> Self {
        let table = PerTable::new();
        let noise = thermal_noise(noise_figure);
        let pairs = (0..nics.len()).flat_map(|from| (0..nics.len()).map(move |to| (from, to)));
        let links = pairs.map(|(from, to)| {
            let snr = received_power(&channel.propagation, nics, from, to) - noise;
            let decay = OfdmRate::ALL.map(|rate| table.decay(rate, es_n0(snr)));
            LinkState { decay, streams: [None, None, None] }
        });
        Self { seed, addresses: nics.iter().map(|n| n.mac).collect(), links: links.collect() }
    }

    fn receives(&mut self, link: Link, rate: OfdmRate, psdu_bytes: u32) -> bool {
        let [from, to] = [link.from, link.to].map(|n| n.0 as usize);
        let state = &mut self.links[from * self.addresses.len() + to];
        let probability = state.decay[rate as usize].reception(psdu_bytes);
        // Certainties draw nothing.
        if probability >= 1.0 {
            return true;
        }
        if probability <= 0.0 {
            return false;
        }
        let stream = state.streams[slot_of(link.purpose)].get_or_insert_with(|| {
            Box::new(Stream::new(self.seed, link.purpose, self.addresses[from], self.addresses[to]))
        });
        stream.unit() < probability
    }
}

const fn slot_of(purpose: Purpose) -> usize {
    match purpose {
        Purpose::Data => 0,
        Purpose::Response => 1,
        Purpose::Overheard => 2,
        _ => panic!("this purpose is not a matter of reception"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_plan::Propagation;
    use airtcp_units::Dbm;

    /// SNR of 17.0 dB in 20 MHz on every link.
    fn reception() -> Reception {
        let mut plan = crate::example_plan();
        plan.channel.reception = airtcp_plan::Reception::PerTable { noise_figure_db: Decibel::new(7.0) };
        let rssi = thermal_noise(Decibel::new(7.0)).get() + 17.0;
        plan.channel.propagation = Propagation::Rssi { links: vec![], default_dbm: Dbm::new(rssi) };
        Reception::new(&plan.channel, &plan.nics, 5)
    }

    #[test]
    fn losses_have_the_frequency_of_the_table() {
        let mut reception = reception();
        let link = Link { from: NicId(1), to: NicId(0), purpose: Purpose::Data };
        let n = 20_000;
        let lost = (0..n).filter(|_| !reception.receives(link, OfdmRate::Mbps54, 1458)).count();
        let per = PerTable::new().per(OfdmRate::Mbps54, es_n0(Decibel::new(17.0)), 1458);
        assert!((0.05..0.95).contains(&per), "{per}: the test needs a lossy link");
        // Four standard errors.
        let error = 4.0 * (per * (1.0 - per) / f64::from(n)).sqrt();
        assert!((lost as f64 / f64::from(n) - per).abs() < error, "{lost} of {n}, PER {per}");
    }

    #[test]
    fn other_links_and_purposes_do_not_move_a_link() {
        let link = Link { from: NicId(1), to: NicId(0), purpose: Purpose::Data };
        let others = [
            Link { from: NicId(0), to: NicId(1), purpose: Purpose::Data },
            Link { purpose: Purpose::Overheard, ..link },
        ];
        let (mut alone, mut among) = (reception(), reception());
        for _ in 0..200 {
            for other in others {
                among.receives(other, OfdmRate::Mbps54, 1458);
            }
            let [a, b] = [&mut alone, &mut among].map(|r| r.receives(link, OfdmRate::Mbps54, 1458));
            assert_eq!(a, b);
        }
    }
}
