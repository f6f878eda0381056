//! Frame exchanges of radios of mac80211, by hand.
//!
//! As in the other timelines, in microseconds at 5 GHz: SIFS 16, DIFS 34, EIFS - DIFS 60, a response is waited for 45. Data of 1538
//! octets 252 at 54 Mbit/s and 536 at 24; 100 octets 160 at 6 Mbit/s. HT MCS 7: one MPDU 228, two 420. An Ack is 28 at 24 Mbit/s and 44 at 6;
//! `BlockAck` and `BlockAckReq` 32.

use airtcp_plan::{
    AggregatesFormed, CardPlan, HardwareQueue, HardwareQueueSize, InterruptModeration, LinkLoss, MacAddress,
    TxInterrupt,
};
use airtcp_testing::plans::mac;
use airtcp_units::{Decibel, Instant};

use super::super::hosts::{AP, STA1, STA2, us};
use super::super::plans::{aggregating, no_backoff};
use super::fake::{Told, data};
use super::fleet::{Fleet, HT7, MPDU_BYTES, OnlySlow, address, best_effort, legacy, on_linux};
use crate::NicId;
use crate::border::{MpduFate, Protection, RateChain, RateStage};
use crate::linux_mac::{RadioMpdu, RadioMpduKind};
use crate::low::ErrorRates;
use crate::phy::TxVector;

/// An address that nobody has.
const NOBODY: MacAddress = MacAddress([2, 0, 0, 0, 9, 9]);

const fn stage(tx: TxVector, tries: u8) -> RateStage {
    RateStage { tx, tries, protection: Protection::None }
}

/// An HT fleet whose stations have agreements with the access point.
fn ht(stations: u32, attempts: u32, errors: Option<Box<dyn ErrorRates>>) -> Fleet {
    let plan = on_linux(aggregating(stations, attempts));
    let mut fleet = match errors {
        Some(errors) => Fleet::with_errors(plan, HT7, errors),
        None => Fleet::new(plan, HT7),
    };
    fleet.fake.aggregates = true;
    for station in 1..=stations {
        fleet.agree(NicId(station), mac(0), 64);
    }
    fleet
}

#[test]
fn data_is_acknowledged() {
    let mut fleet = legacy(1, 7);
    fleet.send_at(100, STA1, mac(0), 1);
    fleet.expect_history(
        "100 352 sta1>ap data 54 1 received
         368 396 ap>sta1 ack 24 1 received",
    );
    fleet.expect_told(
        "352 ap rx [0] of sta1 at 5180
         396 sta1 ppdu [0] 54 1 acked 1
         396 sta1 done 0 acked",
    );
    let report = fleet.finish();
    let sta = &report.nics[1];
    assert_eq!((sta.accepted, sta.sent, sta.in_flight, report.nics[0].delivered), (1, 1, 0, 1));
}

#[test]
fn nobody_answers_for_an_address_that_no_radio_has() {
    let mut fleet = legacy(1, 2);
    fleet.send_at(100, STA1, NOBODY, 1);
    fleet.expect_history(
        "100 352 sta1>all data 54 1 corrupted
         431 683 sta1>all data 54 2 corrupted",
    );
    fleet.expect_told(
        "397 sta1 ppdu [0] 54 1 acked 0
         728 sta1 ppdu [0] 54 2 acked 0
         728 sta1 done 0 given up",
    );
    let report = fleet.finish();
    assert_eq!(report.nics[1].dropped["retry_limit"], 1);
}

/// The first stage is tried once, the second twice; then the kernel is asked again.
#[test]
fn a_chain_has_stages() {
    let mut fleet = legacy(1, 4);
    fleet.fake.chains[1] = RateChain::one(stage(TxVector::ofdm(7), 1)).then(stage(TxVector::ofdm(4), 2));
    fleet.send_at(100, STA1, NOBODY, 1);
    fleet.expect_history(
        "100 352 sta1>all data 54 1 corrupted
         431 967 sta1>all data 24 2 corrupted
         1046 1582 sta1>all data 24 3 corrupted
         1661 1913 sta1>all data 54 4 corrupted",
    );
}

/// A stage asks for its protection. An RTS that nobody answers costs the station its timeout too.
#[test]
fn a_stage_has_its_protection() {
    let mut fleet = legacy(1, 2);
    let protection = Protection::RtsCts;
    fleet.fake.chains[1] = RateChain::one(RateStage { protection, ..stage(TxVector::ofdm(7), 3) });
    fleet.send_at(100, STA1, mac(0), 1);
    fleet.send(STA1, NOBODY, 1);
    fleet.expect_history(
        "100 128 sta1>ap rts 24 1 received
         144 172 ap>sta1 cts 24 1 received
         188 440 sta1>ap data 54 1 received
         456 484 ap>sta1 ack 24 1 received
         518 546 sta1>all rts 24 1 corrupted
         625 653 sta1>all rts 24 1 corrupted",
    );
}

/// A rate is sampled with one MPDU alone.
#[test]
fn a_probe_goes_alone() {
    let mut fleet = ht(1, 7, None);
    fleet.fake.chains[1].probe = true;
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.expect_history(
        "100 328 sta1>ap data 65 1 received
         344 372 ap>sta1 ack 24 1 received
         406 634 sta1>ap data 65 1 received
         650 678 ap>sta1 ack 24 1 received",
    );
}

/// `BlockAck`s of 32 octets are lost, everything else arrives.
#[derive(Debug)]
struct NoBlockAcks;

impl ErrorRates for NoBlockAcks {
    fn decay_per_octet(&self, _tx: TxVector, _sinr_db: Decibel, psdu_bytes: u32) -> f64 {
        if psdu_bytes == 32 { f64::INFINITY } else { 0.0 }
    }
}

/// The wait ends with what was heard in place of the response; EIFS follows. The receiver gets both MPDUs twice.
#[test]
fn a_lost_block_ack_repeats_the_aggregate() {
    let mut fleet = ht(1, 2, Some(Box::new(NoBlockAcks)));
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.expect_history(
        "100 520 sta1>ap data 65 1 received
         536 568 ap>sta1 ba 24 1 corrupted
         662 1082 sta1>ap data 65 2 received
         1098 1130 ap>sta1 ba 24 2 corrupted",
    );
    fleet.expect_told(
        "520 ap rx [0, 1] of sta1 at 5180
         568 sta1 ppdu [0, 1] 65 1 acked 0
         1082 ap rx [0, 1] of sta1 at 5180
         1130 sta1 ppdu [0, 1] 65 2 acked 0
         1130 sta1 done 0 given up
         1130 sta1 done 1 given up",
    );
    fleet.finish();
}

/// mac80211 asks for a `BlockAck` for each MPDU that was given up: what it wants while it is told goes out before everything else.
#[test]
fn a_block_ack_req_follows_what_was_given_up() {
    let mut fleet = ht(1, 1, Some(Box::new(OnlySlow)));
    fleet.fake.asks = true;
    fleet.fake.chains[1] = RateChain::one(stage(HT7, 1));
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.expect_history(
        "100 520 sta1>ap data 65 1 corrupted
         599 655 sta1>ap bar 6 1 received
         671 739 ap>sta1 ba 6 1 received
         773 829 sta1>ap bar 6 1 received
         845 913 ap>sta1 ba 6 1 received",
    );
    fleet.expect_told(
        "565 sta1 ppdu [0, 1] 65 1 acked 0
         565 sta1 done 0 given up
         565 sta1 done 1 given up
         655 ap rx [2] of sta1 at 5180
         739 sta1 ppdu [2] 6 1 acked 1
         739 sta1 done 2 acked
         829 ap rx [3] of sta1 at 5180
         913 sta1 ppdu [3] 6 1 acked 1
         913 sta1 done 3 acked",
    );
    assert_eq!(fleet.finish().nics[1].block_ack_requests, 2);
}

#[test]
fn what_waits_for_repetition_is_purged_at_once() {
    let mut fleet = ht(1, 7, None);
    let txq = fleet.agree(STA1, NOBODY, 64);
    fleet.send_at(100, STA1, NOBODY, 2);
    fleet.at(580);
    assert!(!fleet.world.flush(STA1));
    fleet.purge(STA1, txq);
    assert!(fleet.world.flush(STA1));
    fleet.expect_history("100 520 sta1>all data 65 1 corrupted");
    fleet.expect_told(
        "565 sta1 ppdu [0, 1] 65 1 acked 0
         580 sta1 done 0 purged
         580 sta1 done 1 purged",
    );
    assert_eq!(fleet.finish().nics[1].dropped["purged"], 2);
}

#[test]
fn what_is_on_the_air_when_it_is_purged_is_not_repeated() {
    let mut fleet = ht(1, 7, None);
    let txq = fleet.agree(STA1, NOBODY, 64);
    fleet.send_at(100, STA1, NOBODY, 2);
    fleet.at(300);
    fleet.purge(STA1, txq);
    fleet.expect_history("100 520 sta1>all data 65 1 corrupted");
    fleet.expect_told(
        "565 sta1 ppdu [0, 1] 65 1 acked 0
         565 sta1 done 0 purged
         565 sta1 done 1 purged",
    );
    // It arrives after all: then it has been sent.
    fleet.fake.told = Some(Vec::new());
    fleet.send_at(1000, STA1, mac(0), 1);
    fleet.at(1100);
    let to_ap = fleet.fake.queue(STA1, mac(0), 0);
    fleet.purge(STA1, to_ap);
    fleet.settle();
    let Some(Told::Done { fate, .. }) = fleet.fake.told.iter().flatten().last() else { panic!("it ends") };
    assert_eq!(*fate, MpduFate::Acked);
    fleet.finish();
}

#[test]
fn a_radio_that_stops_gives_everything_back() {
    let mut fleet = ht(1, 7, None);
    fleet.agree(STA1, NOBODY, 64);
    fleet.send_at(100, STA1, NOBODY, 2);
    fleet.at(570);
    fleet.send_first(STA1, mac(0), 100, RadioMpduKind::Management);
    fleet.world.stop(fleet.now, STA1, &mut fleet.fake, &mut fleet.out);
    fleet.settle();
    fleet.expect_told(
        "565 sta1 ppdu [0, 1] 65 1 acked 0
         570 sta1 done 0 purged
         570 sta1 done 1 purged
         570 sta1 done 2 purged",
    );
    fleet.finish();
}

#[test]
fn nobody_acknowledges_what_asks_for_nothing() {
    let mut fleet = legacy(1, 7);
    fleet.at(100);
    let mpdu = RadioMpdu { no_ack: true, ..data(address(STA1), mac(0), MPDU_BYTES, false) };
    fleet.send_as(STA1, mpdu);
    fleet.expect_history("100 352 sta1>ap data 54 1 received");
    fleet.expect_told(
        "352 ap rx [0] of sta1 at 5180
         352 sta1 ppdu [0] 54 1 acked 0
         352 sta1 done 0 sent",
    );
    fleet.finish();
}

/// A probe response: a management frame all the same, no data.
#[test]
fn nobody_acknowledges_a_probe_response() {
    let mut fleet = legacy(1, 7);
    fleet.at(100);
    let kind = RadioMpduKind::Management;
    let mpdu = RadioMpdu { no_ack: true, kind, ..data(address(STA1), mac(0), 100, false) };
    let mpdu = fleet.fake.first(mpdu);
    fleet.world.send_first(fleet.now, best_effort(STA1), mpdu, &mut fleet.fake, &mut fleet.out);
    fleet.expect_history("100 260 sta1>ap management 6 1 received");
    fleet.expect_told(
        "260 ap rx [0] of sta1 at 5180
         260 sta1 ppdu [0] 6 1 acked 0
         260 sta1 done 0 sent",
    );
    let report = fleet.finish();
    assert_eq!((report.nics[1].accepted, report.nics[1].transmissions, report.nics[0].delivered), (0, 0, 0));
}

#[test]
fn management_goes_first_and_is_acknowledged() {
    let mut fleet = legacy(1, 7);
    fleet.at(100);
    fleet.send_first(STA1, mac(0), 100, RadioMpduKind::Management);
    fleet.send(STA1, mac(0), 1);
    fleet.expect_history(
        "100 260 sta1>ap management 6 1 received
         276 320 ap>sta1 ack 6 1 received
         354 606 sta1>ap data 54 1 received
         622 650 ap>sta1 ack 24 1 received",
    );
    let report = fleet.finish();
    // Counters are of data.
    assert_eq!((report.nics[1].accepted, report.nics[1].transmissions), (1, 1));
}

#[test]
fn beacons_and_group_frames_reach_every_radio() {
    let mut fleet = legacy(2, 7);
    fleet.at(100);
    fleet.send_first(AP, MacAddress::BROADCAST, 100, RadioMpduKind::Beacon);
    fleet.settle();
    fleet.at(1000);
    fleet.send_as(STA1, data(address(STA1), MacAddress::BROADCAST, 100, false));
    fleet.expect_history(
        "100 260 ap>all beacon 6 1 received
         1000 1160 sta1>all data 6 1 received",
    );
    fleet.expect_told(
        "260 sta1 rx [0] of ap at 5180
         260 sta2 rx [0] of ap at 5180
         260 ap ppdu [0] 6 1 acked 0
         260 ap done 0 sent
         1160 ap rx [1] of sta1 at 5180
         1160 sta2 rx [1] of sta1 at 5180
         1160 sta1 ppdu [1] 6 1 acked 0
         1160 sta1 done 1 sent",
    );
    fleet.finish();
}

/// The beacon comes with voice's frames, and does not contend with them: PIFS (25) after the Ack of sta1, which ends at 396.
#[test]
fn beacons_of_mac80211_follow_pifs() {
    let mut fleet = legacy(2, 7);
    fleet.send_at(100, STA1, mac(0), 1);
    fleet.at(200);
    fleet.send_first(AP, MacAddress::BROADCAST, 100, RadioMpduKind::Beacon);
    fleet.expect_history(
        "100 352 sta1>ap data 54 1 received
         368 396 ap>sta1 ack 24 1 received
         421 581 ap>all beacon 6 1 received",
    );
    fleet.finish();
}

#[test]
fn a_monitor_gets_what_is_for_others() {
    let mut fleet = ht(2, 1, None);
    fleet.world.monitor(fleet.now, STA2, true, &mut fleet.out);
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.settle();
    fleet.send_at(1000, STA1, NOBODY, 1);
    fleet.settle();
    fleet.world.monitor(fleet.now, STA2, false, &mut fleet.out);
    fleet.send(STA1, mac(0), 1);
    fleet.settle();
    let of_monitor = |told: &&Told| matches!(told, Told::Rx { nic: STA2, .. });
    let got: Vec<_> = fleet.fake.told.iter().flatten().filter(of_monitor).collect();
    let Told::Rx { mpdus, status, .. } = got[0] else { unreachable!() };
    assert_eq!((mpdus.as_slice(), status.mpdus), ([0, 1].as_slice(), 2));
    let Told::Rx { mpdus, status, .. } = got[1] else { unreachable!() };
    assert_eq!((mpdus.as_slice(), status.mpdus, got.len()), ([2].as_slice(), 1, 2));
    // It is no receiver: what it got counts nowhere.
    assert_eq!(fleet.finish().nics[2].delivered, 0);
}

/// An agreement that has ended: each MPDU alone.
#[test]
fn without_an_agreement_nothing_is_aggregated() {
    let mut fleet = ht(1, 7, None);
    fleet.agree(STA1, mac(0), 0);
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.expect_history(
        "100 328 sta1>ap data 65 1 received
         344 372 ap>sta1 ack 24 1 received
         406 634 sta1>ap data 65 1 received
         650 678 ap>sta1 ack 24 1 received",
    );
}

/// The window of the agreement limits the aggregate.
#[test]
fn an_agreement_has_a_window() {
    let mut fleet = ht(1, 7, None);
    fleet.agree(STA1, mac(0), 2);
    fleet.send_at(100, STA1, mac(0), 3);
    fleet.expect_history(
        "100 520 sta1>ap data 65 1 received
         536 568 ap>sta1 ba 24 1 received
         602 830 sta1>ap data 65 1 received
         846 874 ap>sta1 ack 24 1 received",
    );
}

/// MPDUs of each PPDU with data so far.
fn sizes(fleet: &Fleet) -> Vec<usize> {
    let size = |told: &Told| match told {
        Told::Ppdu { mpdus, .. } => Some(mpdus.len()),
        _ => None,
    };
    fleet.fake.told.iter().flatten().filter_map(size).collect()
}

/// At 65 Mbit/s 5484 us hold 28 MPDUs. A radio that holds nothing ready takes them when it has won the medium, and one more that
/// does not fit; with one PPDU ready there are as many more below mac80211 while the first is on the air.
#[test]
fn a_radio_holds_ppdus_ready() {
    for (depth, below) in [(0, 29), (1, 56), (2, 84)] {
        let mut plan = on_linux(aggregating(1, 7));
        plan.cells[0].linux.as_mut().expect("it has mac80211").prefetch_ppdus = depth;
        let mut fleet = Fleet::new(plan, HT7);
        fleet.fake.aggregates = true;
        fleet.agree(STA1, mac(0), 64);
        fleet.send_at(100, STA1, mac(0), 200);
        fleet.at(200);
        assert_eq!(200 - fleet.fake.waiting(STA1), below, "{depth} PPDUs ready");
        fleet.settle();
        assert_eq!(sizes(&fleet), [28, 28, 28, 28, 28, 28, 28, 4], "{depth} PPDUs ready");
        fleet.finish();
    }
}

/// With two PPDUs ready while MPDUs come one by one: two turns have one MPDU each, and one PPDU carries both. The turns are over
/// then, and the next two are full ones.
#[test]
fn turns_whose_mpdus_have_left_are_over() {
    let mut plan = on_linux(aggregating(1, 7));
    plan.cells[0].linux.as_mut().expect("it has mac80211").prefetch_ppdus = 2;
    let mut fleet = Fleet::new(plan, HT7);
    fleet.fake.aggregates = true;
    fleet.agree(STA1, mac(0), 64);
    fleet.send_at(100, STA1, mac(0), 1);
    for us in [150, 160] {
        fleet.send_at(us, STA1, mac(0), 1);
    }
    fleet.send_at(170, STA1, mac(0), 100);
    fleet.at(600);
    assert_eq!(sizes(&fleet), [1]);
    assert_eq!(
        fleet.fake.waiting(STA1),
        103 - 1 - 2 - 2 * 28,
        "two are on the air, two full PPDUs are ready"
    );
    fleet.settle();
    assert_eq!(sizes(&fleet), [1, 2, 28, 28, 28, 16]);
    fleet.finish();
}

/// Airtime limits: with a PPDU ready a limit of 40 MPDUs leaves 12 of them for the second; without it does not bite.
#[test]
fn a_limit_below_bites_where_ppdus_are_ready() {
    for (depth, expected) in [(0, vec![28, 28, 28]), (1, vec![28, 12, 28])] {
        let mut plan = on_linux(aggregating(1, 7));
        plan.cells[0].linux.as_mut().expect("it has mac80211").prefetch_ppdus = depth;
        let mut fleet = Fleet::new(plan, HT7);
        (fleet.fake.aggregates, fleet.fake.below_limit) = (true, 40);
        fleet.agree(STA1, mac(0), 64);
        fleet.send_at(100, STA1, mac(0), 200);
        fleet.settle();
        assert_eq!(sizes(&fleet)[..3], expected, "{depth} PPDUs ready");
        fleet.finish();
    }
}

/// The first frame arrives at 352, the second at 682: 500 us after the last the driver gets one interrupt for both. Acknowledgements
/// do not wait, and a radio with an ideal card has no interrupts.
#[test]
fn received_frames_wait_for_the_interrupt_of_a_card() {
    let interrupt = InterruptModeration {
        after_first_ns: Some(2_000_000),
        after_last_ns: Some(500_000),
        frames: None,
        load: None,
    };
    let mut plan = on_linux(no_backoff(1, 7));
    plan.nics[0].card = CardPlan { rx_interrupt: Some(interrupt), ..CardPlan::IDEAL };
    let mut fleet = Fleet::new(plan, TxVector::ofdm(7));
    fleet.at(100);
    fleet.send(STA1, mac(0), 2);
    fleet.settle();
    fleet.expect_ppdus(
        "100 352 sta1>ap data 54 1 received
         368 396 ap>sta1 ack 24 1 received
         430 682 sta1>ap data 54 1 received
         698 726 ap>sta1 ack 24 1 received",
    );
    assert_eq!(fleet.fake.interrupts, [(us(1182), AP)]);
    fleet.finish();
}

/// Nothing arrives. The first two MPDUs are alone, and then there is no room. An aggregate is repeated as it is while an attempt of its chain is left; then its MPDUs are formed anew, behind
/// what was formed before, and with what has come meanwhile.
#[test]
fn formed_aggregates_are_repeated_as_they_are() {
    let mut plan = on_linux(aggregating(1, 7));
    plan.channel.losses = vec![LinkLoss { from: 1, to: 0, loss: 1.0 }];
    plan.nics[1].card.hardware_queue = Some(HardwareQueue {
        size: HardwareQueueSize::Ppdus { count: 1 },
        aggregates: AggregatesFormed::AtEntry,
    });
    let mut fleet = Fleet::new(plan, HT7);
    fleet.fake.aggregates = true;
    let stage = RateStage { tx: HT7, tries: 2, protection: Protection::None };
    fleet.fake.chains[1] = RateChain::one(stage);
    fleet.agree(STA1, mac(0), 64);
    fleet.send_at(100, STA1, mac(0), 1);
    fleet.send_at(150, STA1, mac(0), 1);
    fleet.send_at(160, STA1, mac(0), 2);
    fleet.settle();
    let mpdus = fleet.fake.told.iter().flatten().filter_map(|told| match told {
        Told::Ppdu { mpdus, .. } => Some(mpdus.clone()),
        _ => None,
    });
    let expected: [&[u64]; 7] = [&[0], &[0], &[1], &[1], &[0, 2, 3], &[0, 2, 3], &[1]];
    assert_eq!(mpdus.take(7).collect::<Vec<_>>(), expected);
    fleet.finish();
}

/// The driver learns of the attempts at once, and completes its frames at the interrupt; a purge does not wait for it.
#[test]
fn completions_of_a_radio_wait_for_the_interrupt_of_its_card() {
    let interrupt = InterruptModeration {
        after_first_ns: Some(1_000_000),
        after_last_ns: None,
        frames: Some(256),
        load: None,
    };
    let mut plan = on_linux(no_backoff(1, 7));
    plan.nics[1].card = CardPlan { tx_interrupt: Some(TxInterrupt::Own(interrupt)), ..CardPlan::IDEAL };
    let mut fleet = Fleet::new(plan, TxVector::ofdm(7));
    fleet.at(100);
    fleet.send(STA1, mac(0), 2);
    fleet.at(1000);
    assert!(!fleet.world.flush(STA1), "two frames are not completed");
    fleet.settle();
    let told = |fleet: &Fleet| -> (Vec<Instant>, Vec<Instant>) {
        let told = || fleet.fake.told.iter().flatten();
        let attempts = told().filter_map(|t| if let Told::Ppdu { at, .. } = t { Some(*at) } else { None });
        let done = told().filter_map(|t| if let Told::Done { at, .. } = t { Some(*at) } else { None });
        (attempts.collect(), done.collect())
    };
    assert_eq!(told(&fleet), (vec![us(396), us(726)], vec![us(1396); 2]));
    assert!(fleet.world.flush(STA1));
    let txq = fleet.fake.queue(STA1, mac(0), 0);
    fleet.send(STA1, mac(0), 1);
    fleet.at(2000);
    fleet.purge(STA1, txq);
    assert_eq!(told(&fleet).1.last(), Some(&us(2000)));
    fleet.finish();
}
