//! Samples and record files.

use airtcp_plan::MacAddress;
use airtcp_plan::record::{Record, RowWriter, Table};
use airtcp_testing::plans::cell;
use airtcp_units::{Duration, Instant};

use super::hosts::{AP, BEYOND, Hosts, us};
use super::plans::fixed;
use crate::NicId;
use crate::linux_mac::NoMac80211;
use crate::trace::{LinkSample, NicSample, PpduRecord, TxopCounts, TxopRecord};
use crate::world::{Outbox, WorldOptions};

const OPTIONS: WorldOptions = WorldOptions {
    epoch: us(1000),
    end: us(2000),
    sample_interval: Duration::from_micros(250),
    ppdu_trace: true,
};

fn hosts() -> Hosts {
    let mut plan = cell(1);
    plan.cells[0].access[0].cw_min = 0;
    Hosts::with_options(plan, 1, OPTIONS)
}

fn samples(out: &Outbox) -> Vec<(i64, u32, u64, u64, u64)> {
    let station = out.samples.iter().filter(|s| s.nic == NicId(1));
    station
        .map(|s| (s.time_ns / 1000, s.queue_packets, s.sent, s.transmissions, s.airtime_ns / 1000))
        .collect()
}

/// Samples at 0, 250, 500, 750 and 1000 us after the epoch at 1000; the second of two
/// frames leaves at 250 exactly, and its sample already knows. Airtime counts from the epoch: the second PPDU lasts
/// from 958 to 1206.
#[test]
fn samples_show_the_state_after_everything_at_their_instant() {
    let mut h = hosts();
    h.send_at(632, NicId(1), BEYOND);
    h.send_at(632, NicId(1), BEYOND);
    h.settle();
    assert_eq!(h.now, us(1250));
    // Samples do not wake anybody, and are not lost either.
    assert_eq!(h.world.next_wakeup(), Instant::FAR_FUTURE);
    h.now = us(2500);
    let mut out = std::mem::take(&mut h.out);
    h.world.finish(us(2500), &mut NoMac80211, &mut out);
    let expected = [
        (0, 1, 1, 1, 0),
        (250, 0, 2, 2, 206),
        (500, 0, 2, 2, 206),
        (750, 0, 2, 2, 206),
        (1000, 0, 2, 2, 206),
    ];
    assert_eq!(samples(&out), expected);
}

/// (time, sender, peer, transmissions, retries, collisions, corrupted, airtime, rate), in microseconds and Mbit/s.
type LinkRow = (i64, u32, u32, [u64; 4], u64, u64);

fn links(out: &Outbox) -> Vec<LinkRow> {
    let row = |s: &LinkSample| {
        let counts = [s.transmissions, s.retries, s.collisions, s.corrupted];
        (s.time_ns / 1000, s.nic.0, s.peer.0, counts, s.airtime_ns / 1000, s.rate.as_bps() / 1_000_000)
    };
    out.links.iter().map(row).collect()
}

/// Two stations that begin in one slot collide, and repeat. What the access point sends to its group belongs to no link.
#[test]
fn links_count_what_went_over_them() {
    let mut plan = cell(2);
    plan.cells[0].access[0].cw_min = 0;
    plan.cells[0].access[0].cw_max = 1023;
    plan.nics[2].rate_control = fixed(24);
    let mut h = Hosts::with_options(plan, 1, WorldOptions { end: us(11_000), ..OPTIONS });
    h.send_at(1200, NicId(1), BEYOND);
    h.send_at(1200, NicId(2), BEYOND);
    h.send_at(8000, AP, MacAddress::BROADCAST);
    h.settle();
    let mut out = std::mem::take(&mut h.out);
    h.world.finish(us(11_000), &mut NoMac80211, &mut out);
    // Links are there from their first PPDU on; 248 us at 54 Mbit/s, 536 us at 24 Mbit/s.
    assert_eq!(links(&out)[0], (500, 1, 0, [1, 0, 1, 0], 248, 54));
    let last: Vec<_> = links(&out).into_iter().filter(|row| row.0 == 10_000).collect();
    assert_eq!(last, [(10_000, 1, 0, [2, 1, 1, 0], 496, 54), (10_000, 2, 0, [2, 1, 1, 0], 1072, 24)]);
    let rates: Vec<_> = out.samples[out.samples.len() - 3..].iter().map(|s| s.rate.as_bps()).collect();
    assert_eq!(rates, [6_000_000, 54_000_000, 24_000_000]);
    assert!(out.samples[..3].iter().all(|s| s.rate.as_bps() == 0));
}

/// (start, end, NIC, PPDUs, MPDUs, lost), in microseconds from the epoch.
type TxopRow = (i64, i64, u32, u64, u64, u64);

/// Two stations that begin in one slot collide. The wait for a response ends after SIFS, a slot and the 20 us of a preamble: 45 us
/// after the 248 us of the data. They repeat, DIFS of 34 us and no and one slot later; SIFS of 16 us and an ACK of 28 us follow the
/// data. What goes to the group lasts 2072 us at 6 Mbit/s.
#[test]
fn txops_last_until_their_response_or_the_wait_for_it() {
    let mut plan = cell(2);
    plan.cells[0].access[0].cw_min = 0;
    plan.cells[0].access[0].cw_max = 1023;
    let mut h = Hosts::with_options(plan, 1, WorldOptions { end: us(11_000), ..OPTIONS });
    h.send_at(1200, NicId(1), BEYOND);
    h.send_at(1200, NicId(2), BEYOND);
    h.send_at(8000, AP, MacAddress::BROADCAST);
    h.settle();
    let row = |t: &TxopRecord| {
        let TxopCounts { ppdus, mpdus, mpdus_lost } = t.sent;
        (t.start_ns / 1000, t.end_ns / 1000, t.nic.0, ppdus, mpdus, mpdus_lost)
    };
    let rows: Vec<TxopRow> = h.out.records.txops.iter().map(row).collect();
    let collided = [(200, 493, 1, 1, 1, 1), (200, 493, 2, 1, 1, 1)];
    let repeated = [(527, 819, 2, 1, 1, 0), (862, 1154, 1, 1, 1, 0)];
    assert_eq!(rows, [&collided[..], &repeated, &[(7000, 9072, 0, 1, 1, 0)]].concat());
}

#[test]
fn without_samples_no_links_are_kept() {
    let options = WorldOptions { sample_interval: Duration::ZERO, ..OPTIONS };
    let mut h = Hosts::with_options(cell(1), 1, options);
    h.send_at(1200, NicId(1), BEYOND);
    h.settle();
    let mut out = std::mem::take(&mut h.out);
    h.world.finish(us(2000), &mut NoMac80211, &mut out);
    assert!(out.links.is_empty() && out.samples.is_empty());
}

#[test]
fn a_run_that_ends_early_has_the_samples_up_to_its_end() {
    for (end, count) in [(1499, 2), (1500, 3)] {
        let mut h = hosts();
        let mut out = std::mem::take(&mut h.out);
        h.world.finish(us(end), &mut NoMac80211, &mut out);
        assert_eq!(samples(&out).len(), count, "ended at {end} us");
    }
}

#[test]
fn records_become_rows_of_their_tables() {
    let mut h = hosts();
    h.send_at(100, NicId(1), BEYOND);
    h.settle();
    let rows = |table: Table, fill: &mut dyn FnMut(&mut RowWriter, &mut Vec<u8>)| {
        let (mut writer, mut file) = (RowWriter::new(&table), Vec::new());
        fill(&mut writer, &mut file);
        assert!(file.len() % table.row_width() == 0 && !file.is_empty());
        (table.name, file)
    };
    let (name, file) = rows(PpduRecord::table(), &mut |writer, file| {
        for ppdu in &h.ppdus {
            ppdu.write(writer);
            writer.end(file).expect("memory takes it");
        }
    });
    assert_eq!((name.as_str(), file.len()), ("ppdus", 2 * 80));
    // The data PPDU started 900 us before the epoch.
    assert_eq!(i64::from_le_bytes(file[..8].try_into().expect("8 bytes")), -900_000);
    let mut out = std::mem::take(&mut h.out);
    h.world.finish(us(1000), &mut NoMac80211, &mut out);
    let (name, file) = rows(NicSample::table(), &mut |writer, file| {
        for sample in &out.samples {
            sample.write(writer);
            writer.end(file).expect("memory takes it");
        }
    });
    assert_eq!((name.as_str(), file.len()), ("air", 2 * 120));
    let (name, file) = rows(LinkSample::table(), &mut |writer, file| {
        for link in &out.links {
            link.write(writer);
            writer.end(file).expect("memory takes it");
        }
    });
    assert_eq!((name.as_str(), file.len()), ("links", 72));
}
