//! What a radio of mac80211 is, from the plan to the kernel's driver.

use airtcp_plan::{
    AirNic, AirPlan, Cell, CellKind, CodeChoice, LinuxRateControl, LinuxSetup, Reception, Standard,
};

use airtcp_random::Stream;

use crate::abi::{RadioConfig, band, phy};

/// The longest MPDU of a radio without HT (IEEE 802.11-2020, 9.2.4.8), HT and later (9.4.2.157.2, the first step).
const MPDU_BYTES: u16 = 3895;
/// A time unit (IEEE 802.11-2020, 3.1).
const TU_US: u64 = 1024;

/// Whether this NIC is a radio of mac80211.
pub(crate) fn is_radio(plan: &AirPlan, nic: usize) -> bool {
    cell_of(plan, nic).linux.is_some()
}

/// The configuration of a radio. Panics if the NIC is none.
pub(crate) fn radio_config(plan: &AirPlan, nic: usize, seed: u64) -> RadioConfig {
    let (air_nic, cell) = (&plan.nics[nic], cell_of(plan, nic));
    let linux = cell.linux.as_ref().expect("a radio's cell is one of mac80211");
    let aggregation = air_nic.aggregation.as_ref();
    RadioConfig {
        phy: newest(air_nic.standard_in(cell)),
        bands: bands(plan, linux_ssid(cell)),
        streams: narrow(air_nic.streams),
        short_guard: has_short_guard(plan, air_nic).into(),
        ldpc: has_ldpc(plan, air_nic.standard_in(cell)).into(),
        short_preamble: cell.short_preamble.into(),
        own_rate_control: (linux.rate_control == LinuxRateControl::Ours).into(),
        airtime_fairness: air_nic.card.airtime_fairness.unwrap_or(linux.airtime_fairness).into(),
        aql: air_nic.card.aql.unwrap_or(linux.aql).into(),
        hardware_crypto: linux.hardware_crypto.into(),
        power_save: linux.power_save.into(),
        uapsd: linux.uapsd.into(),
        width_mhz: narrow(air_nic.channel_in(cell).width_mhz),
        ba_window: aggregation.map_or(1, |limits| narrow(limits.block_ack_window)),
        mpdu_bytes: MPDU_BYTES,
        power_dbm: libm::round(air_nic.tx_power_dbm.get()) as i16,
        ampdu_bytes: aggregation.map_or(0, |limits| limits.ampdu_bytes),
        rts_threshold_bytes: cell.rts_threshold_bytes,
        txq_packets: linux.txq.limit_packets.unwrap_or(0),
        txq_bytes: linux.txq.memory_bytes.unwrap_or(0),
        txq_quantum_bytes: linux.txq.quantum_bytes.unwrap_or(0),
        short_retry_limit: narrow(cell.short_retry_limit),
        long_retry_limit: narrow(cell.long_retry_limit),
        voice_agreements: aggregation.is_some_and(|limits| limits.voice).into(),
        mpdu_density: aggregation.map_or(0, |limits| mpdu_density(limits.start_spacing_ns)),
        clock_error_ppb: clock_error_ppb(plan, nic, seed),
        tsf_us: timer_at_start_us(plan, nic),
    }
}

fn cell_of(plan: &AirPlan, nic: usize) -> &Cell {
    &plan.cells[plan.nics[nic].cell as usize]
}

fn linux_ssid(cell: &Cell) -> Option<&str> {
    cell.linux.as_ref().map(|linux| linux.ssid.as_str())
}

/// The subfield Minimum MPDU Start Spacing: 0 is no restriction, 1 is 250 ns, and each more doubles it (IEEE 802.11-2020, Table
/// 9-185).
fn mpdu_density(start_spacing_ns: u32) -> u8 {
    (start_spacing_ns / 250).checked_ilog2().map_or(0, |power| power as u8 + 1)
}

/// A number of the plan in the kernel's type; the plan's check keeps it in range.
fn narrow<T: TryFrom<u32>>(value: u32) -> T {
    T::try_from(value).unwrap_or_else(|_| panic!("{value} of the plan does not fit"))
}

fn newest(standard: Standard) -> u8 {
    match standard {
        Standard::HrDsss => phy::DSSS,
        Standard::Ofdm | Standard::Erp => phy::OFDM,
        Standard::Ht => phy::HT,
        Standard::Vht => phy::VHT,
        Standard::He => phy::HE,
        Standard::Eht => phy::EHT,
        Standard::Dmg => panic!("mac80211 has no DMG"),
    }
}

/// Whether a radio announces the short guard interval of HT and VHT: where it uses it, and where an older radio of its cell does,
/// towards which HE radios use what that one has.
fn has_short_guard(plan: &AirPlan, nic: &AirNic) -> bool {
    const SHORT_NS: u32 = 400;
    let cell = &plan.cells[nic.cell as usize];
    let members = || plan.nics.iter().filter(|other| other.cell == nic.cell);
    nic.guard_ns == SHORT_NS
        || nic.standard_in(cell) >= Standard::He && members().any(|other| other.guard_ns == SHORT_NS)
}

/// HE and EHT use LDPC wherever that makes a difference; for HT and VHT the plan chooses.
fn has_ldpc(plan: &AirPlan, standard: Standard) -> bool {
    let chosen = plan.channel.reception == Reception::Table { code: CodeChoice::Ldpc };
    match standard {
        Standard::Ht | Standard::Vht => chosen,
        Standard::He | Standard::Eht => true,
        Standard::HrDsss | Standard::Ofdm | Standard::Erp | Standard::Dmg => false,
    }
}

/// The bands of all cells of the network: a station may roam between them.
fn bands(plan: &AirPlan, ssid: Option<&str>) -> u8 {
    let of_network = plan.cells.iter().filter(|cell| linux_ssid(cell) == ssid);
    of_network.map(|cell| band_of(cell.channel.primary_mhz)).fold(0, |all, one| all | one)
}

/// Where bands end: channel 14 at 2484 MHz, channel 177 at 5885 MHz (IEEE 802.11-2020, Annex E).
fn band_of(mhz: u32) -> u8 {
    match mhz {
        ..3000 => band::GHZ2,
        3000..5925 => band::GHZ5,
        _ => band::GHZ6,
    }
}

/// What a radio's timer shows when the machine starts: mac80211's beacons are due at multiples of their interval.
fn timer_at_start_us(plan: &AirPlan, nic: usize) -> u64 {
    let cell = cell_of(plan, nic);
    if let Some(linux) = cell.linux.as_ref().filter(|linux| linux.setup == LinuxSetup::Programs) {
        // Nobody knows which of them will send beacons: those of the first few are far apart, and those of neighbours in number.
        return part_of_interval(u64::from(linux.beacon_tu) * TU_US, nic as u64 + 1);
    }
    let times_itself = |number: usize| match cell.kind {
        CellKind::Mesh => number == nic,
        CellKind::Infrastructure | CellKind::Ibss => plan.nics[number].cell == plan.nics[nic].cell,
    };
    let senders = plan.beacon_senders(cell.channel.primary_mhz);
    let own = senders.into_iter().find(|sender| times_itself(sender.nic));
    own.map_or(0, |sender| (sender.interval_us * 1000 - sender.part_ns) / 1000)
}

/// This place of the van der Corput sequence (bits in reverse order), as a part of an interval: 1/2, 1/4, 3/4, 1/8, 5/8, ...
fn part_of_interval(interval_us: u64, place: u64) -> u64 {
    ((u128::from(interval_us) * u128::from(place.reverse_bits())) >> 64) as u64
}

/// The error of the oscillator of a radio: uniform within the tolerance of its centre frequency, which comes from the same oscillator
/// (IEEE 802.11-2020, 17.3.9.5 and 17.3.9.6: 20 ppm).
fn clock_error_ppb(plan: &AirPlan, nic: usize, seed: u64) -> i32 {
    const TOLERANCE_PPB: f64 = 20_000.0;
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..14].copy_from_slice(&plan.nics[nic].mac.0);
    key[14..24].copy_from_slice(b"oscillator");
    libm::round((2.0 * Stream::new(key).unit() - 1.0) * TOLERANCE_PPB) as i32
}

#[cfg(test)]
mod tests {
    use airtcp_plan::{LinuxCell, RadioChannel};
    use airtcp_testing::plans::{linux_cell, one_station};

    use super::*;

    fn linux(ssid: &str) -> LinuxCell {
        LinuxCell { ssid: ssid.to_owned(), ..linux_cell() }
    }

    /// So many cells of mac80211 on one channel, each with an access point and a station.
    fn cells(count: u32) -> AirPlan {
        let mut plan = one_station();
        let (cell, nics) = (plan.cells[0].clone(), plan.nics.clone());
        plan.cells =
            (0..count).map(|c| Cell { linux: Some(linux(&format!("net{c}"))), ..cell.clone() }).collect();
        plan.nics = (0..count)
            .flat_map(|c| nics.clone().into_iter().map(move |nic| airtcp_plan::AirNic { cell: c, ..nic }))
            .collect();
        plan
    }

    #[test]
    fn beacons_of_a_channel_are_spread_over_the_interval() {
        let plan = cells(4);
        let at = |nic| timer_at_start_us(&plan, nic);
        assert_eq!([at(0), at(2), at(4), at(6)], [102_400, 76_800, 51_200, 25_600]);
        assert_eq!(at(1), at(0), "a station's timer is that of its network");
        let mut apart = cells(2);
        apart.cells[1].channel = RadioChannel { primary_mhz: 5200, centre_mhz: 5200, width_mhz: 20 };
        assert_eq!([timer_at_start_us(&apart, 0), timer_at_start_us(&apart, 2)], [102_400, 102_400]);
    }

    #[test]
    fn beacons_of_radios_of_programs_would_be_apart() {
        let mut plan = cells(1);
        plan.cells[0].linux.as_mut().expect("it is one of mac80211").setup = LinuxSetup::Programs;
        assert_eq!([0, 1].map(|nic| timer_at_start_us(&plan, nic)), [51_200, 25_600]);
        // Of 200 radios those that a program takes side by side are not side by side in time.
        let (nics, cell) = (plan.nics.clone(), plan.cells[0].clone());
        plan.nics = (0..200).map(|nic| nics[nic % 2].clone()).collect();
        plan.cells = vec![cell];
        let apart = |a: u64, b: u64| a.abs_diff(b).min(102_400 - a.abs_diff(b));
        let least =
            (1..200).map(|nic| apart(timer_at_start_us(&plan, nic), timer_at_start_us(&plan, nic - 1)));
        // The closest are numbers 127 and 128, whose reversed bits are 127/128 and 1/256.
        assert_eq!(least.min(), Some(102_400 * 3 / 256));
    }

    #[test]
    fn oscillators_differ_within_the_tolerance() {
        let plan = cells(4);
        let errors = |seed| [0, 2, 4, 6].map(|nic| clock_error_ppb(&plan, nic, seed));
        assert_eq!(errors(1), errors(1));
        assert_ne!(errors(1), errors(2));
        assert!(errors(1).iter().all(|error| error.abs() <= 20_000), "{:?}", errors(1));
    }

    #[test]
    fn beacons_of_both_macs_share_a_channel() {
        let mut plan = cells(2);
        plan.cells[1].linux = None;
        plan.cells[1].beacon = Some(airtcp_plan::BeaconPlan { interval_us: 102_400, bytes: 150 });
        let parts: Vec<_> =
            plan.beacon_senders(5180).iter().map(|sender| (sender.nic, sender.part_ns)).collect();
        assert_eq!(parts, [(0, 0), (2, 51_200_000)]);
        assert_eq!(plan.beacon_senders(5200), []);
    }

    /// IEEE 802.11-2020, Table 9-185.
    #[test]
    fn a_receiver_announces_the_spacing_of_mpdus() {
        let spacings_ns = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000];
        assert_eq!(spacings_ns.map(mpdu_density), [0, 1, 2, 3, 4, 5, 6, 7]);
        let mut plan = cells(1);
        assert_eq!(radio_config(&plan, 0, 1).mpdu_density, 0);
        plan.nics[0].aggregation =
            Some(airtcp_plan::Aggregation { start_spacing_ns: 4_000, ..airtcp_testing::plans::AMPDU });
        assert_eq!(radio_config(&plan, 0, 1).mpdu_density, 5);
    }

    #[test]
    fn a_radio_has_the_bands_of_its_network() {
        let mut plan = cells(3);
        plan.cells[1].channel = RadioChannel { primary_mhz: 2412, centre_mhz: 2412, width_mhz: 20 };
        plan.cells[2].channel = RadioChannel { primary_mhz: 5955, centre_mhz: 5955, width_mhz: 20 };
        plan.cells[2].linux = Some(linux("net0"));
        assert_eq!(radio_config(&plan, 0, 1).bands, band::GHZ5 | band::GHZ6);
        assert_eq!(radio_config(&plan, 2, 1).bands, band::GHZ2);
    }

    #[test]
    fn the_configuration_is_that_of_the_plan() {
        let mut plan = cells(1);
        plan.cells[0].linux.as_mut().expect("it is one of mac80211").rate_control = LinuxRateControl::Ours;
        assert!(is_radio(&plan, 0));
        let config = radio_config(&plan, 0, 1);
        assert_eq!((config.phy, config.own_rate_control, config.ba_window), (phy::OFDM, 1, 1));
        plan.cells[0].linux = None;
        assert!(!is_radio(&plan, 0));
    }
}
