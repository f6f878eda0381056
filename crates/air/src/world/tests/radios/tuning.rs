//! Radios of mac80211 change channels, by hand. Times as in `exchanges`.

use airtcp_plan::{AccessParameters, MacAddress, Propagation, RadioChannel};
use airtcp_testing::plans::mac;
use airtcp_units::Dbm;

use super::super::hosts::{AP, STA1, STA2, us};
use super::super::plans::no_backoff;
use super::fake::data;
use super::fleet::{Fleet, address, best_effort, legacy, on_linux};
use crate::NicId;
use crate::linux_mac::RadioMpduKind;
use crate::phy::{Format, Guard, TxVector, Width};
use crate::trace::PpduOutcome::{Corrupted, Received};

/// A channel of 20 MHz.
const fn narrow(mhz: u32) -> RadioChannel {
    RadioChannel { primary_mhz: mhz, centre_mhz: mhz, width_mhz: 20 }
}

/// A frame waits while others send. Its radio leaves for an idle channel, where it goes after DIFS, and nobody answers. The radio
/// comes back when that exchange is over, and tries once more.
#[test]
fn a_frame_goes_along_to_another_channel() {
    let mut fleet = legacy(2, 2);
    fleet.send_at(100, AP, mac(2), 1);
    fleet.send_at(200, STA1, mac(0), 1);
    fleet.at(250);
    fleet.tune(STA1, Some(narrow(5200)));
    fleet.at(700);
    fleet.tune(STA1, Some(narrow(5180)));
    fleet.send_at(800, STA1, mac(0), 1);
    fleet.expect_history(
        "100 352 ap>sta2 data 54 1 received
         368 396 sta2>ap ack 24 1 received
         284 536 sta1>ap data 54 1 corrupted
         615 867 sta1>ap data 54 2 corrupted
         946 1198 sta1>ap data 54 3 received
         1214 1242 ap>sta1 ack 24 3 received
         1276 1528 sta1>ap data 54 1 received
         1544 1572 ap>sta1 ack 24 1 received",
    );
    let report = fleet.finish();
    assert_eq!((report.nics[1].sent, report.nics[1].dropped["retry_limit"]), (2, 0));
    // Of the channels that no cell has there is no account.
    assert_eq!(report.media.len(), 1);
}

/// A probe on a channel of no cell: radios that are tuned to it receive it. On the cell's channel nobody does, and nobody waits for it.
/// A third channel is another one, though no cell is there either.
#[test]
fn a_probe_is_heard_where_it_is_sent() {
    let mut fleet = legacy(4, 7);
    let (elsewhere, third) = (NicId(3), NicId(4));
    fleet.at(100);
    fleet.tune(STA1, Some(narrow(5200)));
    fleet.tune(elsewhere, Some(narrow(5200)));
    fleet.tune(third, Some(narrow(5220)));
    fleet.at(200);
    fleet.send_first(STA1, MacAddress::BROADCAST, 100, RadioMpduKind::Management);
    fleet.send_at(210, AP, mac(2), 1);
    fleet.at(220);
    fleet.send_first(third, MacAddress::BROADCAST, 100, RadioMpduKind::Management);
    fleet.expect_history(
        "200 360 sta1>all management 6 1 received
         220 380 sta4>all management 6 1 received
         210 462 ap>sta2 data 54 1 received
         478 506 sta2>ap ack 24 1 received",
    );
    fleet.expect_told(
        "360 sta3 rx [0] of sta1 at 5200
         360 sta1 ppdu [0] 6 1 acked 0
         360 sta1 done 0 sent
         380 sta4 ppdu [2] 6 1 acked 0
         380 sta4 done 2 sent
         462 sta2 rx [1] of ap at 5180
         506 ap ppdu [1] 54 1 acked 1
         506 ap done 1 acked",
    );
    fleet.finish();
}

/// A channel of no cell, 40 MHz wide, the other half of which is the channel of a cell: radios of 20 MHz on its primary channel hear
/// it, also if it became so wide only later.
#[test]
fn who_is_on_one_primary_channel_hears_the_others_whatever_their_width() {
    let wide = RadioChannel { primary_mhz: 5200, centre_mhz: 5190, width_mhz: 40 };
    for at_first in [wide, narrow(5200)] {
        let mut fleet = legacy(2, 7);
        fleet.at(100);
        fleet.tune(STA1, Some(at_first));
        fleet.tune(STA2, Some(narrow(5200)));
        fleet.at(150);
        fleet.tune(STA1, Some(wide));
        fleet.at(200);
        fleet.send_first(STA1, MacAddress::BROADCAST, 100, RadioMpduKind::Management);
        fleet.expect_history("200 360 sta1>all management 6 1 received");
        fleet.expect_told(
            "360 sta2 rx [0] of sta1 at 5200
             360 sta1 ppdu [0] 6 1 acked 0
             360 sta1 done 0 sent",
        );
        fleet.finish();
    }
}

/// The load of a channel: a data frame of 252 us and its Ack of 28 us, as its sender, its receiver and a third radio sense it, which
/// is not associated. The third leaves in the middle of a second data frame, and comes back.
#[test]
fn radios_count_what_they_sense_and_send() {
    let mut fleet = legacy(2, 7);
    fleet.associate(STA1, Some(AP));
    fleet.send_at(100, STA1, mac(0), 1);
    fleet.at(1000);
    let spent = |fleet: &mut Fleet, at, nic| {
        let spent = fleet.world.survey(us(at), nic, &mut fleet.out).load;
        [spent.busy, spent.tx, spent.bss_rx].map(|time| time.as_nanos() / 1000)
    };
    assert_eq!(spent(&mut fleet, 1000, STA1), [280, 252, 28]);
    assert_eq!(spent(&mut fleet, 1000, AP), [280, 28, 252]);
    assert_eq!(spent(&mut fleet, 1000, STA2), [280, 0, 0]);
    fleet.send_at(2000, STA1, mac(0), 1);
    fleet.at(2100);
    assert_eq!(spent(&mut fleet, 2100, STA1), [380, 352, 28]);
    fleet.tune(STA2, Some(narrow(5200)));
    fleet.at(2200);
    fleet.tune(STA2, Some(narrow(5180)));
    fleet.at(3000);
    assert_eq!(spent(&mut fleet, 3000, STA2), [280 + 100 + 80, 0, 0]);
    assert_eq!(spent(&mut fleet, 3000, AP), [560, 56, 504]);
}

/// A station changes its access point in the middle of the data that another sends (100 to 352 us) and of what it sends itself (1000
/// to 1252 us): what counts as its own BSS is what it hears there while it is there.
#[test]
fn a_station_that_roams_takes_its_load_along() {
    let mut fleet = legacy(2, 7);
    fleet.associate(STA1, Some(AP));
    fleet.associate(STA2, Some(AP));
    let bss_rx = |fleet: &mut Fleet, at, nic| {
        fleet.at(at);
        fleet.world.survey(us(at), nic, &mut fleet.out).load.bss_rx.as_nanos() / 1000
    };
    fleet.send_at(100, STA1, mac(0), 1);
    assert_eq!(bss_rx(&mut fleet, 200, STA2), 100);
    fleet.associate(STA2, None);
    assert_eq!(bss_rx(&mut fleet, 300, STA2), 100);
    fleet.associate(STA2, Some(AP));
    // From 300 us to the end of the data, and the Ack.
    assert_eq!(bss_rx(&mut fleet, 900, STA2), 100 + 52 + 28);
    fleet.send_at(1000, STA2, mac(0), 1);
    fleet.at(1100);
    // The rest of its data is not of this BSS any more for itself, and is for others.
    fleet.associate(STA2, Some(STA1));
    assert_eq!(bss_rx(&mut fleet, 2000, STA2), 180);
    assert_eq!(bss_rx(&mut fleet, 2000, AP), 2 * 252);
    fleet.finish();
}

/// A radio that comes while a PPDU is on the air does not decode it, but senses it and waits for its end. It knows nothing of the
/// exchange, for it has decoded no Duration field; but its hearing group has.
#[test]
fn who_comes_in_the_middle_reads_nothing() {
    let mut fleet = legacy(2, 7);
    fleet.tune(STA2, Some(narrow(5200)));
    fleet.at(100);
    fleet.send_as(AP, data(address(AP), MacAddress::BROADCAST, 100, false));
    fleet.at(200);
    fleet.tune(STA2, Some(narrow(5180)));
    fleet.send(STA2, mac(0), 1);
    fleet.expect_history(
        "100 260 ap>all data 6 1 received
         294 546 sta2>ap data 54 1 received
         562 590 ap>sta2 ack 24 1 received",
    );
    fleet.finish();
}

/// A radio that is off sends nothing; what it was given goes when it is on.
#[test]
fn frames_wait_for_a_channel() {
    let mut fleet = legacy(1, 7);
    fleet.tune(STA1, None);
    fleet.send_at(100, STA1, mac(0), 1);
    fleet.send_first(STA1, mac(0), 100, RadioMpduKind::Management);
    fleet.at(500);
    assert!(fleet.ppdus.is_empty());
    fleet.tune(STA1, Some(narrow(5180)));
    fleet.expect_history(
        "534 694 sta1>ap management 6 1 received
         710 754 ap>sta1 ack 6 1 received
         788 1040 sta1>ap data 54 1 received
         1056 1084 ap>sta1 ack 24 1 received",
    );
}

/// A station on 20 MHz reads nothing wider, but waits for it.
#[test]
fn a_narrow_receiver_reads_no_wide_ppdu() {
    let mut plan = no_backoff(2, 1);
    plan.cells[0].standard = airtcp_plan::Standard::Ht;
    plan.cells[0].access = vec![super::super::plans::AT_ONCE; 4];
    plan.cells[0].channel = RadioChannel { primary_mhz: 5180, centre_mhz: 5190, width_mhz: 40 };
    plan.nics.iter_mut().for_each(|nic| nic.rate_control = super::super::plans::ht(7));
    let tx = |width| TxVector::mimo(Format::Ht, 7, 1, width, Guard::Ns800);
    let mut fleet = Fleet::new(on_linux(plan), tx(Width::Mhz40));
    fleet.tune(STA1, Some(narrow(5180)));
    fleet.send_at(100, AP, mac(1), 1);
    fleet.settle();
    fleet.send(AP, mac(2), 1);
    fleet.settle();
    let outcome: Vec<_> = fleet.ppdus.iter().map(|ppdu| (ppdu.nic, ppdu.outcome)).collect();
    assert_eq!(outcome, [(AP, Corrupted), (AP, Received), (STA2, Received)]);
}

/// AIFSN 7 after the Ack, 79 us, in place of 34.
#[test]
fn access_parameters_change() {
    let mut fleet = legacy(1, 7);
    let parameters = AccessParameters { aifsn: 7, cw_min: 0, cw_max: 0, txop_us: 0 };
    fleet.send_at(100, STA1, mac(0), 2);
    fleet.at(150);
    fleet.world.edca(us(150), best_effort(STA1), parameters, &mut fleet.out);
    fleet.expect_history(
        "100 352 sta1>ap data 54 1 received
         368 396 ap>sta1 ack 24 1 received
         475 727 sta1>ap data 54 1 received
         743 771 ap>sta1 ack 24 1 received",
    );
}

/// With a millionth of its power a radio is heard by nobody, and hears.
#[test]
fn a_radio_sends_with_less_power() {
    let mut plan = no_backoff(1, 1);
    plan.channel.propagation = Propagation::FreeSpace;
    let mut fleet = Fleet::new(on_linux(plan), TxVector::ofdm(7));
    fleet.at(100);
    fleet.world.tx_power(us(100), STA1, Dbm::new(-44.0), &mut fleet.out);
    fleet.send(STA1, mac(0), 1);
    fleet.settle();
    fleet.at(1000);
    fleet.send_as(AP, data(address(AP), MacAddress::BROADCAST, 100, false));
    fleet.expect_history(
        "100 352 sta1>ap data 54 1 corrupted
         1000 1160 ap>all data 6 1 received",
    );
}
