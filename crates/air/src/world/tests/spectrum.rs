//! Power by 20 MHz, by hand: who hears what, in which width NICs send, and what interferes with what.

use airtcp_plan::{
    AirPlan, BandwidthOperation, MacAddress, McsFormat, Mode, NicRole, Propagation, RadioChannel,
    RateControlPlan, Standard,
};
use airtcp_testing::plans::{AMPDU, mac};
use airtcp_units::{Dbm, Decibel};

use super::hosts::{Hosts, us};
use super::plans::{AT_ONCE, Cliff, fixed, no_backoff, set_rssi};
use crate::low::{ErrorRates, Ppdu};
use crate::phy::error_rate::effective_snr::effective_sinr;
use crate::phy::{Format, Guard, TxVector, Width};
use crate::{NicId, PpduKind};

const AP: NicId = NicId(0);
const STA: NicId = NicId(1);
const OTHER_AP: NicId = NicId(2);
const OTHER_STA: NicId = NicId(3);

const fn channel(primary_mhz: u32, centre_mhz: u32, width_mhz: u32) -> RadioChannel {
    RadioChannel { primary_mhz, centre_mhz, width_mhz }
}

/// Two cells of one station each, without backoff: one of this width at 5180 MHz in 11ac at MCS 4, which the other receives with this
/// power, and one of 20 MHz in 11a at 24 Mbit/s.
fn two_cells(wide: RadioChannel, narrow: RadioChannel, between_dbm: f64) -> AirPlan {
    let mut plan = no_backoff(1, 7);
    let mut cell = plan.cells[0].clone();
    (cell.name, cell.channel) = ("other".to_owned(), narrow);
    plan.cells.push(cell);
    plan.cells[0].standard = Standard::Vht;
    plan.cells[0].access = vec![AT_ONCE; 4];
    plan.cells[0].channel = wide;
    for (place, role) in [(0, NicRole::AccessPoint), (1, NicRole::Station)] {
        let mut nic = plan.nics[place].clone();
        (nic.node, nic.mac, nic.role, nic.cell) = (format!("other{place}"), mac(70 + place as u32), role, 1);
        nic.rate_control = fixed(24);
        plan.nics.push(nic);
    }
    let mode =
        Mode::Mcs { format: McsFormat::Vht, mcs: 4, streams: 1, width_mhz: wide.width_mhz, guard_ns: 800 };
    plan.nics[..2].iter_mut().for_each(|nic| nic.rate_control = RateControlPlan::Fixed { mode });
    set_rssi(
        &mut plan,
        &[(0, 2, between_dbm), (0, 3, between_dbm), (1, 2, between_dbm), (1, 3, between_dbm)],
    );
    plan
}

const WIDE: RadioChannel = channel(5180, 5210, 80);
const INSIDE: RadioChannel = channel(5240, 5240, 20);

/// The data PPDUs of a NIC: start, end in us, and width.
fn data(h: &Hosts, from: NicId) -> Vec<(u64, u64, Width)> {
    let own = |ppdu: &&Ppdu| ppdu.from == from && ppdu.kind == PpduKind::Data;
    let line = |ppdu: &Ppdu| (ppdu.start.as_nanos() / 1000, ppdu.end.as_nanos() / 1000, ppdu.width);
    h.journal().iter().filter(own).map(line).collect()
}

fn run(plan: AirPlan, wide_at: u64, narrow_at: u64) -> Hosts {
    let mut h = Hosts::new(plan, 1);
    let (first, second) = ((wide_at, STA, mac(0)), (narrow_at, OTHER_STA, mac(70)));
    let mut sends = [first, second];
    sends.sort_unstable_by_key(|&(at, ..)| at);
    for (at, from, to) in sends {
        h.send_at(at, from, to);
    }
    h.settle();
    h
}

/// 80 MHz at -77 dBm are -83 dBm in each 20 MHz: below -82. With 2 dB more the neighbour waits.
#[test]
fn who_hears_a_wide_ppdu_depends_on_its_power_in_20_mhz() {
    for (dbm, waits) in [(-77.0, false), (-75.0, true)] {
        let h = run(two_cells(WIDE, channel(5180, 5180, 20), dbm), 100, 120);
        let ((_, wide_end, _), (start, ..)) = (data(&h, STA)[0], data(&h, OTHER_STA)[0]);
        assert_eq!((start > wide_end, start == 120), (waits, !waits), "{dbm}");
    }
}

/// What a cell of 20 MHz hears of one that is 80 MHz wide around it: a quarter, on whichever of the four channels it is.
#[test]
fn a_narrow_cell_inside_a_wide_one_waits_for_it() {
    for mhz in [5180, 5200, 5220, 5240] {
        let h = run(two_cells(WIDE, channel(mhz, mhz, 20), -75.0), 100, 120);
        assert!(data(&h, OTHER_STA)[0].0 > data(&h, STA)[0].1, "{mhz}");
    }
}

/// A PPDU of 20 MHz on the last of four channels, on the air since more than 25 us: secondary 40 MHz are busy from -72 dBm on. With
/// dynamic bandwidth the others send with 40 MHz; with static bandwidth they wait for its end.
#[test]
fn a_busy_secondary_channel_makes_a_ppdu_narrower_or_later() {
    let sent = |operation, dbm| {
        let mut plan = two_cells(WIDE, INSIDE, dbm);
        plan.cells[0].bandwidth_operation = operation;
        let h = run(plan, 150, 100);
        let end = data(&h, OTHER_STA)[0].1;
        let (start, _, width) = data(&h, STA)[0];
        (start, width, start > end)
    };
    assert_eq!(sent(BandwidthOperation::Dynamic, -71.0), (150, Width::Mhz40, false));
    assert_eq!(sent(BandwidthOperation::Dynamic, -73.0), (150, Width::Mhz80, false));
    assert_eq!(sent(BandwidthOperation::Static, -73.0), (150, Width::Mhz80, false));
    let (_, width, after) = sent(BandwidthOperation::Static, -71.0);
    assert_eq!((width, after), (Width::Mhz80, true));
    // On the second channel it leaves the primary 20 MHz alone, and on the primary channel nothing at all.
    for (mhz, dbm, width) in [(5200, -71.0, Width::Mhz20), (5220, -71.0, Width::Mhz40)] {
        let h = run(two_cells(WIDE, channel(mhz, mhz, 20), dbm), 150, 100);
        assert_eq!(data(&h, STA)[0].2, width, "{mhz}");
    }
}

/// What ended less than PIFS (25 us) before still counts. 11a data of 1536 octets at 24 Mbit/s from 100 on: 20 + 4 * 129 us, until 636;
/// then SIFS and an Ack, which ends at 680.
#[test]
fn a_secondary_channel_is_idle_when_pifs_has_passed() {
    for (at, width) in [(704, Width::Mhz40), (705, Width::Mhz80)] {
        let h = run(two_cells(WIDE, INSIDE, -60.0), at, 100);
        assert_eq!(data(&h, STA)[0], (at, data(&h, STA)[0].1, width));
    }
}

/// HT detects only energy in its secondary channel: from -62 dBm on.
#[test]
fn ht_detects_only_energy_in_its_secondary_channel() {
    for (dbm, width) in [(-63.0, Width::Mhz40), (-61.0, Width::Mhz20)] {
        let mut plan = two_cells(channel(5180, 5190, 40), channel(5200, 5200, 20), dbm);
        plan.cells[0].standard = Standard::Ht;
        let mode = Mode::Mcs { format: McsFormat::Ht, mcs: 4, streams: 1, width_mhz: 40, guard_ns: 800 };
        plan.nics[..2].iter_mut().for_each(|nic| nic.rate_control = RateControlPlan::Fixed { mode });
        assert_eq!(data(&run(plan, 150, 100), STA)[0].2, width, "{dbm}");
    }
}

/// Only the access point hears the narrow cell. The RTS is repeated in 80 MHz, the CTS in the 40 MHz that are idle there, and the data
/// follows in these. MPDUs that do not fit into the announced time go back, and are sent next in their order.
#[test]
fn a_narrower_cts_makes_the_data_narrower() {
    let with = |operation| {
        let mut plan = two_cells(WIDE, INSIDE, -71.0);
        let Propagation::Rssi { links, .. } = &mut plan.channel.propagation else { unreachable!() };
        for link in links.iter_mut().filter(|link| link.a == 1 || link.b == 1) {
            link.rssi_dbm = Dbm::new(-100.0);
        }
        plan.cells[0].rts_threshold_bytes = 0;
        plan.cells[0].bandwidth_operation = operation;
        plan.nics[..2].iter_mut().for_each(|nic| nic.aggregation = Some(AMPDU));
        let mut h = Hosts::new(plan, 1);
        h.send_at(100, OTHER_STA, mac(70));
        // The first of the six goes alone; it has no others to go with yet.
        for _ in 0..6 {
            h.send_at(150, STA, mac(0));
        }
        h.settle();
        h
    };
    let h = with(BandwidthOperation::Dynamic);
    let first = |kind, from| {
        let mut ppdus = h.journal().iter().filter(move |ppdu: &&Ppdu| (ppdu.kind, ppdu.from) == (kind, from));
        ppdus.next().expect("there is one").clone()
    };
    assert_eq!(first(PpduKind::Rts, STA).width, Width::Mhz80);
    assert_eq!(first(PpduKind::Cts, AP).width, Width::Mhz40);
    assert_eq!(first(PpduKind::Data, STA).width, Width::Mhz40);
    let sequences: Vec<u16> = h
        .journal()
        .iter()
        .filter(|ppdu| (ppdu.kind, ppdu.from) == (PpduKind::Data, STA))
        .flat_map(|ppdu| ppdu.mpdus.iter().map(|mpdu| mpdu.sequence).collect::<Vec<_>>())
        .collect();
    assert_eq!(sequences, [0, 1, 2, 3, 4, 5]);
    let rts = first(PpduKind::Rts, STA);
    let data = first(PpduKind::Data, STA);
    assert!(data.end <= rts.nav_until, "{} after {}", data.end, rts.nav_until);
    // With static bandwidth no CTS comes while the other cell sends (until 680).
    let h = with(BandwidthOperation::Static);
    let cts = h.journal().iter().find(|ppdu| (ppdu.kind, ppdu.from) == (PpduKind::Cts, AP)).expect("a CTS");
    assert!(cts.start > us(680) && cts.width == Width::Mhz80);
}

/// Channels 1 and 3 share half of their width: no preamble is detected, but energy of -60 - 2.98 dBm is below -62, and of
/// -59 - 2.98 above. Nothing was received, so DIFS of 28 us follows the Ack, and not EIFS.
#[test]
fn a_neighbour_that_overlaps_in_part_is_heard_as_energy() {
    for (dbm, waits) in [(-60.0, false), (-59.0, true)] {
        let mut plan = two_cells(channel(2412, 2412, 20), channel(2422, 2422, 20), dbm);
        plan.cells.iter_mut().for_each(|cell| cell.standard = Standard::Erp);
        plan.cells[0].access.truncate(1);
        plan.nics.iter_mut().for_each(|nic| nic.rate_control = fixed(24));
        plan.channel.capture_db = Some(Decibel::new(10.0));
        let h = run(plan, 100, 130);
        let start = data(&h, OTHER_STA)[0].0;
        assert_eq!(start > data(&h, STA)[0].1, waits, "{dbm}");
        let acknowledged = h.journal().iter().find(|ppdu| (ppdu.kind, ppdu.from) == (PpduKind::Ack, AP));
        assert!(!waits || start == acknowledged.expect("an Ack").end.as_nanos() / 1000 + 28);
    }
}

/// Channel 40 leaks into 36: 23.69 dB less. At 54 Mbit/s, which need 20 dB, a neighbour may be 3.6 dB stronger and not 3.8 dB. (Noise is
/// 44 dB below.)
#[test]
fn the_next_channel_leaks() {
    for (dbm, received) in [(-46.4, true), (-46.2, false)] {
        let mut plan = two_cells(channel(5180, 5180, 20), channel(5200, 5200, 20), dbm);
        plan.cells[0].standard = Standard::Ofdm;
        plan.cells[0].access.truncate(1);
        plan.nics.iter_mut().for_each(|nic| nic.rate_control = fixed(54));
        let mut h = Hosts::with_errors(plan, 1, Box::new(Cliff));
        h.send_at(100, OTHER_STA, mac(70));
        h.send_at(120, STA, mac(0));
        h.settle();
        let first = h.journal().iter().find(|ppdu| ppdu.from == STA).expect("its data");
        assert_eq!(first.start, us(120), "a leak of -70 dBm is no reason to wait");
        assert_eq!(first.first().decoded, received, "{dbm}");
    }
}

/// Everything comes through from this ratio in decibels on.
#[derive(Debug)]
struct Needs(f64);

impl ErrorRates for Needs {
    fn decay_per_octet(&self, _: TxVector, sinr_db: Decibel, _: u32) -> f64 {
        if sinr_db.get() >= self.0 { 0.0 } else { f64::INFINITY }
    }
}

/// 20 MHz of -56 dBm meet one of four subchannels of an 80 MHz PPDU of -50 dBm: -56.02 dBm in each, and noise of -93.965 dBm. The
/// effective ratio of that decides. What leaks into the other three is worth 0.011 dB.
#[test]
fn interference_is_where_it_is() {
    let tx = TxVector::mimo(Format::Vht, 7, 1, Width::Mhz80, Guard::Ns800);
    let mw = |dbm: f64| libm::pow(10.0, dbm / 10.0);
    let (signal, noise) = (mw(-50.0) / 4.0, mw(-93.9649));
    let sinrs = [noise, noise, noise, noise + mw(-56.0)].map(|disturbed| signal / disturbed);
    let effective_db = 10.0 * libm::log10(effective_sinr(tx, sinrs.into_iter()));
    for (needed_db, received) in [(effective_db - 0.02, true), (effective_db + 0.01, false)] {
        let mut plan = two_cells(WIDE, INSIDE, -56.0);
        let mode = Mode::Mcs { format: McsFormat::Vht, mcs: 7, streams: 1, width_mhz: 80, guard_ns: 800 };
        plan.nics[..2].iter_mut().for_each(|nic| nic.rate_control = RateControlPlan::Fixed { mode });
        // The sender hears nothing of the other cell, and so sends with 80 MHz.
        let Propagation::Rssi { links, .. } = &mut plan.channel.propagation else { unreachable!() };
        links
            .iter_mut()
            .filter(|link| link.a == 1 || link.b == 1)
            .for_each(|link| link.rssi_dbm = Dbm::new(-120.0));
        let mut h = Hosts::with_errors(plan, 1, Box::new(Needs(needed_db)));
        h.send_at(100, OTHER_STA, mac(70));
        h.send_at(150, STA, mac(0));
        h.settle();
        let first = h.journal().iter().find(|ppdu| ppdu.from == STA).expect("its data");
        assert_eq!((first.width, first.first().decoded), (Width::Mhz80, received), "{needed_db}");
    }
}

#[test]
fn a_history_is_the_same_every_time() {
    let history = || {
        let mut h = run(two_cells(WIDE, INSIDE, -60.0), 100, 100);
        h.send_as(5_000, OTHER_AP, MacAddress::BROADCAST, (60, 0));
        h.send_at(5_010, STA, mac(0));
        h.settle();
        h.timeline()
    };
    let first = history();
    assert!(first.len() > 4);
    assert_eq!(first, history());
}
