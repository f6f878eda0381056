use super::*;
use AccessCategory::{BestEffort, Voice};

const A: TxqKey = TxqKey { station: 0, tid: 0 };
const B: TxqKey = TxqKey { station: 1, tid: 0 };
const VOICE: TxqKey = TxqKey { station: 0, tid: 6 };

fn frame(item: u32, key: TxqKey) -> Waiting<u32> {
    Waiting { item, station: key.station, tid: key.tid, flow: 0, bytes: 100 + item, ect: true }
}

fn filled(room: Room, frames: &[(u32, TxqKey)]) -> (Fifo<u32>, Vec<Expelled<u32>>) {
    let mut fifo = Fifo::new(room, 2);
    let mut expelled = Vec::new();
    for &(item, key) in frames {
        fifo.enqueue(frame(item, key), &mut expelled);
    }
    (fifo, expelled)
}

fn take(fifo: &mut Fifo<u32>, key: TxqKey) -> Option<u32> {
    let seen = fifo.peek(key).copied();
    let taken = fifo.dequeue(key).copied();
    assert_eq!(seen, taken);
    taken.map(|frame| frame.item)
}

#[test]
fn the_order_of_a_category_holds_across_receivers() {
    let (mut fifo, expelled) = filled(Room::Common(10), &[(1, A), (2, B), (3, A), (4, VOICE)]);
    assert!(expelled.is_empty());
    assert_eq!(fifo.next_txq(BestEffort), Some(A));
    assert_eq!(take(&mut fifo, A), Some(1));
    // 3 is for A as well, but behind 2.
    assert_eq!(take(&mut fifo, A), None);
    fifo.return_txq(A, false);
    assert_eq!(fifo.next_txq(BestEffort), Some(B));
    assert_eq!(take(&mut fifo, B), Some(2));
    assert_eq!(fifo.next_txq(Voice), Some(VOICE));
    assert_eq!(take(&mut fifo, VOICE), Some(4));
    assert!(fifo.has(BestEffort) && !fifo.has(Voice));
    assert_eq!(take(&mut fifo, A), Some(3));
    assert_eq!(fifo.next_txq(BestEffort), None);
}

#[test]
fn what_the_lower_half_holds_goes_first() {
    let (mut fifo, _) = filled(Room::Common(10), &[(1, A), (2, B)]);
    assert_eq!(fifo.next_txq(BestEffort), Some(A));
    assert_eq!(take(&mut fifo, A), Some(1));
    fifo.return_txq(A, true);
    fifo.return_txq(A, true);
    assert_eq!(fifo.next_txq(BestEffort), Some(A));
    assert_eq!(take(&mut fifo, A), None);
    fifo.return_txq(A, false);
    assert_eq!(fifo.next_txq(BestEffort), Some(B));
}

#[test]
fn frames_on_the_air_count_and_the_tail_drops() {
    let (mut fifo, expelled) = filled(Room::Common(2), &[(1, A), (2, VOICE), (3, B)]);
    assert_eq!(expelled, [Expelled::Dropped(3, DropCause::QueueFull)]);
    assert_eq!(take(&mut fifo, A), Some(1));
    assert!(fifo.is_full());
    fifo.finished(A);
    assert!(!fifo.is_full());
    let ledger = fifo.ledger();
    assert_eq!((ledger.total().frames, ledger.total().bytes, ledger.longest()), (1, 102, 2));
    assert_eq!(ledger.backlog_of_station(0).frames, 1);
    let counts = ledger.counts();
    assert_eq!((counts.enqueued, counts.dequeued, counts.dropped_full), (3, 1, 1));
}

#[test]
fn one_full_category_stops_the_nic_and_leaves_room_to_others() {
    let (mut fifo, expelled) = filled(Room::PerCategory(2), &[(1, A), (2, B), (3, VOICE), (4, A)]);
    assert_eq!(expelled, [Expelled::Dropped(4, DropCause::QueueFull)]);
    assert!(fifo.is_full());
    assert_eq!(take(&mut fifo, A), Some(1));
    assert!(fifo.is_full());
    fifo.finished(A);
    assert!(!fifo.is_full());
}

#[test]
#[should_panic(expected = "more frames of a category ended")]
fn a_frame_ends_once() {
    let (mut fifo, _) = filled(Room::Common(2), &[(1, A)]);
    let _ = fifo.dequeue(A);
    fifo.finished(A);
    fifo.finished(A);
}
