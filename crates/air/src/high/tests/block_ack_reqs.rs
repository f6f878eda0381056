//! What is given up must not be waited for.

use super::lower::{ATTEMPTS, Bench, Luck};
use super::plans::high_throughput;
use crate::NicId;
use crate::border::{AccessCategory, Mpdu, MpduKind};
use crate::phy::TxVector;

/// Four MPDUs of which these are lost until they are given up.
fn give_up(lost: &'static [u16]) -> Bench {
    let mut bench = Bench::new(&high_throughput(1));
    (0..4).for_each(|_| bench.send(0, 1));
    for _ in 0..ATTEMPTS {
        bench.grant(0, |mpdu| if lost.contains(&mpdu.sequence) { Luck::Lost } else { Luck::Received });
    }
    bench
}

fn requests(bench: &Bench) -> Vec<u16> {
    let requests = bench.ppdus.iter().map(|(mpdus, _)| &mpdus[0]);
    requests.filter(|mpdu| mpdu.kind == MpduKind::BlockAckReq).map(|mpdu| mpdu.sequence).collect()
}

#[test]
fn the_receivers_window_moves_past_it() {
    let mut bench = give_up(&[1]);
    assert_eq!(
        bench.host.news(),
        [
            "deliver 0 to 1",
            "hold 2",
            "hold 3",
            "sent 0 of 0",
            "sent 2 of 0",
            "sent 3 of 0",
            "dropped 1 of 0: retry_limit"
        ]
    );
    bench.grant(0, |_| Luck::Received);
    assert_eq!(bench.host.news(), ["deliver 2 to 1", "release 2", "deliver 3 to 1", "release 3"]);
    let (mpdus, chain) = bench.ppdus.last().expect("a BlockAckReq was sent");
    let mpdu = mpdus[0];
    assert_eq!((mpdu.kind, mpdu.sequence, mpdu.bytes, mpdu.tid), (MpduKind::BlockAckReq, 2, 24, 0));
    assert!((0..=4).map(TxVector::ofdm).any(|tx| chain.stages()[0].tx == tx), "a control rate");
    assert_eq!(bench.host.living(), 0);
    bench.upper.finish();
}

#[test]
fn one_says_it_for_all_that_were_given_up_together() {
    let mut bench = give_up(&[0, 2]);
    bench.drain();
    assert_eq!(requests(&bench), [3]);
    assert_eq!(bench.upper.counters(NicId(0)).block_ack_reqs, 1);
    assert_eq!(bench.host.living(), 0);
}

#[test]
fn a_lost_one_is_said_again_after_the_next_acknowledgement() {
    let mut bench = give_up(&[0]);
    for _ in 0..ATTEMPTS {
        bench.grant(0, |mpdu: &Mpdu| {
            assert_eq!(mpdu.kind, MpduKind::BlockAckReq);
            Luck::Lost
        });
    }
    bench.drain();
    assert_eq!((requests(&bench).len(), bench.host.living()), (3, 3));
    bench.send(0, 1);
    bench.grant(0, |_| Luck::Received);
    assert_eq!(bench.contenders(), [(NicId(0), AccessCategory::BestEffort)]);
    bench.drain();
    assert_eq!((requests(&bench).len(), bench.host.living()), (4, 0));
    let order: Vec<_> = bench.host.delivered.iter().map(|&(_, label)| label).collect();
    assert_eq!(order, [1, 2, 3, 4]);
}

#[test]
fn a_frame_given_up_after_its_reception_is_delivered_in_its_turn() {
    let mut bench = Bench::new(&high_throughput(1));
    (0..2).for_each(|_| bench.send(0, 1));
    let luck = |mpdu: &Mpdu| if mpdu.sequence == 0 { Luck::Lost } else { Luck::AckLost };
    for _ in 0..ATTEMPTS {
        bench.grant(0, luck);
    }
    assert_eq!(bench.host.news(), ["hold 1", "dropped 0 of 0: retry_limit", "dropped 1 of 0: retry_limit"]);
    bench.drain();
    assert_eq!(bench.host.news(), ["deliver 1 to 1", "release 1"]);
    assert_eq!(requests(&bench), [2]);
    assert_eq!(bench.host.living(), 0);
    bench.upper.finish();
}
