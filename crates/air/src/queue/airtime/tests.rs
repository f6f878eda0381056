use AccessCategory::{BestEffort, Voice};
use airtcp_testing::plans::FQ_CODEL;

use super::*;

const fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

fn airtime() -> Airtime {
    Airtime::new(&FQ_CODEL, 3)
}

/// Puts this much on the way, in steps that an estimate can hold.
fn start(airtime: &mut Airtime, station: u32, ac: AccessCategory, total_us: u64) {
    for _ in 0..total_us / 4000 {
        airtime.start(station, ac, us(4000));
    }
    airtime.start(station, ac, us(total_us % 4000));
}

#[test]
fn an_estimate_has_ten_bits_of_four_microseconds() {
    let cases = [(3, 0), (4, 4), (7, 4), (1001, 1000), (4094, 4092), (4095, 4092), (9000, 4092)];
    for (estimate, expected) in cases {
        assert_eq!(kept(us(estimate)), us(expected), "{estimate} us");
    }
    assert_eq!(kept(Duration::from_nanos(7_999)), us(4));
}

#[test]
fn a_station_may_fill_the_high_limit_while_the_nic_is_below_its_threshold() {
    let mut airtime = airtime();
    start(&mut airtime, 0, BestEffort, 11_996);
    assert!(airtime.may_send(0, BestEffort));
    airtime.start(0, BestEffort, us(4));
    assert!(!airtime.may_send(0, BestEffort));
    assert!(airtime.may_send(0, Voice) && airtime.may_send(1, BestEffort));
    airtime.complete(0, BestEffort, us(6));
    assert!(airtime.may_send(0, BestEffort));
}

#[test]
fn above_the_threshold_the_low_limit_holds() {
    let mut airtime = airtime();
    start(&mut airtime, 0, BestEffort, 12_000);
    start(&mut airtime, 1, BestEffort, 7000);
    start(&mut airtime, 2, BestEffort, 4996);
    // 23 996 us in all: just below.
    assert!(airtime.may_send(1, BestEffort));
    airtime.start(0, Voice, us(4));
    assert!(!airtime.may_send(1, BestEffort));
    assert!(airtime.may_send(2, BestEffort));
    airtime.start(2, BestEffort, us(4));
    assert!(!airtime.may_send(2, BestEffort));
}

#[test]
fn a_category_has_a_limit_that_grows_with_its_queues() {
    let mut airtime = airtime();
    start(&mut airtime, 0, BestEffort, 11_996);
    // One queue: 12 000 us; two: 14 500; three: 17 000.
    assert!(airtime.may_category_send(BestEffort, 1));
    airtime.start(0, BestEffort, us(4));
    assert!(!airtime.may_category_send(BestEffort, 1));
    assert!(airtime.may_category_send(Voice, 1));
    start(&mut airtime, 1, BestEffort, 2496);
    assert!(airtime.may_category_send(BestEffort, 2));
    airtime.start(1, BestEffort, us(4));
    assert!(!airtime.may_category_send(BestEffort, 2));
    assert!(airtime.may_category_send(BestEffort, 3));
}

#[test]
fn the_group_and_a_nic_without_limits_may_always_send() {
    let mut grouped = airtime();
    start(&mut grouped, 3, BestEffort, 100_000);
    assert!(grouped.may_send(3, BestEffort) && grouped.pending == Duration::ZERO);
    let mut unlimited = Airtime::new(&FqCodelPlan { aql_us: None, ..FQ_CODEL }, 1);
    start(&mut unlimited, 0, BestEffort, 100_000);
    assert!(unlimited.may_send(0, BestEffort) && unlimited.may_category_send(BestEffort, 1));
    unlimited.complete(0, BestEffort, us(4));
}

#[test]
fn what_is_on_its_way_counts_as_used() {
    let mut airtime = airtime();
    assert!(!airtime.is_indebted(0, BestEffort));
    airtime.start(0, BestEffort, us(300));
    assert!(airtime.is_indebted(0, BestEffort));
    airtime.next_turn(0, BestEffort);
    assert!(airtime.is_indebted(0, BestEffort));
    airtime.next_turn(0, BestEffort);
    assert!(!airtime.is_indebted(0, BestEffort));
}

#[test]
fn who_was_away_for_long_owes_nothing() {
    let mut airtime = airtime();
    let at_ms = |ms| Instant::ZERO + Duration::from_millis(ms);
    airtime.used(at_ms(0), 0, BestEffort, us(1000));
    assert!(!airtime.is_indebted(0, BestEffort));
    airtime.set_active(at_ms(0), 0, BestEffort);
    airtime.used(at_ms(100), 0, BestEffort, us(1000));
    assert!(airtime.pays_off(at_ms(100), 0, BestEffort));
    assert!(!airtime.pays_off(at_ms(101), 0, BestEffort));
    airtime.used(at_ms(101), 0, BestEffort, us(1000));
    assert_eq!(airtime.accounts[0][BestEffort as usize].deficit_ns, -1_000_000);
}

#[test]
#[should_panic(expected = "more airtime completed than was pending")]
fn an_estimate_ends_once() {
    let mut airtime = airtime();
    airtime.start(0, BestEffort, us(40));
    airtime.complete(0, BestEffort, us(40));
    airtime.complete(0, BestEffort, us(40));
}
