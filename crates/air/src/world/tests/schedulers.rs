//! Schedulers of PPDUs to several stations, by hand, at 20 MHz as in [`super::multi_user`] and [`super::uplink`]: in 13.6 us the whole width
//! has 1170 bits, 106 tones 510 and 52 tones 240. An MPDU with 1508 octets takes 140.2 us of the whole width, 8 of them 1121.8 us.

use airtcp_plan::{AirPlan, FqCodelPlan, MultiUserPlan, MultiUserScheduler, QueuePlan};
use airtcp_testing::plans::FQ_CODEL;

use super::hosts::{BEYOND, Hosts, STA1, STA2, STA3, us};
use super::multi_user::{SEQUENTIAL, give, receivers, sharing};
use super::uplink::{UPLINK, triggering};

const FIFO: QueuePlan = QueuePlan::Fifo { packets: 1000 };
/// Without a limit of what may be on its way to a station, which is less than 8 frames.
const FAIR: QueuePlan = QueuePlan::FqCodel(FqCodelPlan { aql_us: None, ..FQ_CODEL });

fn scheduled(stations: u32, scheduler: MultiUserScheduler, queue: QueuePlan) -> AirPlan {
    let mut plan = sharing(stations);
    plan.cells[0].multi_user = Some(MultiUserPlan { scheduler, stations, ..SEQUENTIAL });
    plan.nics[0].queue = queue;
    plan
}

/// The frames of a station that many times, and one of another; the first station has the first turn with either queue.
fn give_much_beside_little(h: &mut Hosts, queue: &QueuePlan, frames: usize) {
    let mut given = vec![1; frames];
    match queue {
        QueuePlan::FqCodel(_) => given.insert(0, 2),
        _ => given.push(2),
    }
    give(h, &given);
}

/// Two frames for one station, one for each of two others: needs of 2 : 1 : 1. With 106 tones the two take 8 (1544 + 1542) + 16 = 24,704 bits,
/// 49 symbols; with 52 tones one takes 52 symbols, 707.2 us, and so the PPDU 754.4 us. HE-SIG-B has 18 + 52 + 31 bits, one symbol. The
/// sizes of the resource units are by need, their places too: 106 tones are the lowest, whoever has them.
#[test]
fn proportional_gives_more_to_whom_more_waits_for() {
    let plan = || scheduled(3, MultiUserScheduler::Proportional, FIFO);
    let mut h = Hosts::new(plan(), 1);
    give(&mut h, &[1, 1, 2, 3]);
    h.expect_history(
        "100 854.4 ap>sta1 data 0 1 37.5 1 received
         100 854.4 ap>sta2 data 17.647058 1 received
         100 854.4 ap>sta3 data 17.647058 1 received
         870.4 902.4 sta1>ap ba 24 1 received
         918.4 974.4 ap>sta2 bar 0 6 1 received
         990.4 1058.4 sta2>ap ba 6 1 received
         1074.4 1130.4 ap>sta3 bar 0 6 1 received
         1146.4 1214.4 sta3>ap ba 6 1 received",
    );
    let mut h = Hosts::new(plan(), 1);
    give(&mut h, &[2, 1, 1, 3]);
    h.settle();
    let rus: Vec<_> = h.ppdus[..3].iter().map(|ppdu| ppdu.tx.allocation.to_string()).collect();
    assert_eq!(rus, ["RU 52/3 of 20 MHz", "RU 106/1 of 20 MHz", "RU 52/4 of 20 MHz"]);
}

/// Eight frames for one station and one for another: in halves they would take 2573.6 us, and half of the second half would be empty. The
/// first is sent its PPDU alone: 8 (7 * 1544 + 1542) + 16 = 98,816 bits, 85 symbols, 1156 us and a preamble of 43.2 us. `latency` does the
/// same, since eight take more than 1 ms.
#[test]
fn much_beside_little_is_sent_alone() {
    for scheduler in [MultiUserScheduler::Proportional, MultiUserScheduler::Latency] {
        for queue in [FIFO, FAIR] {
            let mut h = Hosts::new(scheduled(2, scheduler, queue), 1);
            give_much_beside_little(&mut h, &queue, 8);
            h.settle();
            let expected = "100 1299.2 ap>sta1 data 0 1 2 3 4 5 6 7 86.029411 1 received
                            1315.2 1347.2 sta1>ap ba 24 1 received
                            1381.2 1574 ap>sta2 data 86.029411 1 received
                            1590 1618 sta2>ap ack 24 1 received";
            h.expect_ppdus(expected);
        }
    }
}

/// Seven frames take 981.6 us: `latency` lets both share, and pads the second. 8 (6 * 1544 + 1542) + 16 = 86,464 bits of 106 tones are 170
/// symbols, 2312 us.
#[test]
fn latency_shares_what_is_little() {
    for queue in [FIFO, FAIR] {
        let mut h = Hosts::new(scheduled(2, MultiUserScheduler::Latency, queue), 1);
        give_much_beside_little(&mut h, &queue, 7);
        h.expect_history(
            "100 2459.2 ap>sta1 data 0 1 2 3 4 5 6 37.5 1 received
             100 2459.2 ap>sta2 data 37.5 1 received
             2475.2 2507.2 sta1>ap ba 24 1 received
             2523.2 2579.2 ap>sta2 bar 0 6 1 received
             2595.2 2663.2 sta2>ap ba 6 1 received",
        );
    }
}

/// Stations are asked by what they have reported: 3028 octets are 3072, and 1514 are 1536. A trigger frame for three has 46 octets, 88 us.
/// While nothing is known all three are asked for 500 octets, and the first has 106 tones: 8 * 534 + 16 = 4288 bits, 18 symbols of 240 bits
/// and 14.4 us, and another since LDPC would puncture 108 of 972 parity bits. Then 8 * 3106 + 16 = 24,864 bits are 49 symbols of 510 bits,
/// and 8 * 1570 + 16 = 12,576 bits 53 symbols of 240: 763.2 us. The `BlockAck` has 22 octets, 12 for an aggregate and 2 for each single MPDU.
#[test]
fn proportional_asks_for_what_was_reported() {
    let mut plan = triggering(3, UPLINK);
    plan.cells[0].multi_user.as_mut().expect("it has").scheduler = MultiUserScheduler::Proportional;
    let mut h = Hosts::new(plan, 1);
    for station in [STA1, STA1, STA2, STA3] {
        h.send_as(150, station, BEYOND, (1514, 0));
    }
    h.advance_to(us(1_550));
    h.expect_ppdus(
        "100 188 ap>sta1 trigger 6 1 received
         100 188 ap>sta2 trigger 6 1 received
         100 188 ap>sta3 trigger 6 1 received
         204 525.6 sta1>ap qosnull 35.416666 1 received
         204 525.6 sta2>ap qosnull 16.666666 1 received
         204 525.6 sta3>ap qosnull 16.666666 1 received
         559.6 647.6 ap>sta1 trigger 6 1 received
         559.6 647.6 ap>sta2 trigger 6 1 received
         559.6 647.6 ap>sta3 trigger 6 1 received
         663.6 1474.8 sta1>ap data 0 1 35.416666 1 received
         663.6 1474.8 sta2>ap data 16.666666 1 received
         663.6 1474.8 sta3>ap data 16.666666 1 received
         1490.8 1526.8 ap>sta1 multistablockack 24 1 received
         1490.8 1526.8 ap>sta2 multistablockack 24 1 received
         1490.8 1526.8 ap>sta3 multistablockack 24 1 received",
    );
}

/// Eight stations with 1 to 36 frames that wait at once: within eight PPDUs each has been served, and in the end all frames have come,
/// whatever the scheduler and the queues.
#[test]
fn nobody_waits_for_those_with_more() {
    for scheduler in MultiUserScheduler::ALL {
        for queue in [FIFO, FAIR] {
            let mut h = Hosts::new(scheduled(8, scheduler, queue), 1);
            for round in 0..36 {
                let given: Vec<u32> = (1..=8).filter(|station| round <= 5 * (station - 1)).collect();
                give(&mut h, &given);
            }
            h.settle();
            let mut first: Vec<u32> = receivers(&h).into_iter().take(8).flatten().collect();
            first.sort_unstable();
            first.dedup();
            assert_eq!(first, (1..=8).collect::<Vec<_>>(), "{scheduler:?}");
            let delivered = h.actions().iter().filter(|action| action.contains(" deliver ")).count();
            assert_eq!(delivered, (0..8).map(|station| 5 * station + 1).sum::<usize>(), "{scheduler:?}");
        }
    }
}
