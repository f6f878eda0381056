//! Frames over several hops.

use airtcp_plan::MacAddress;

use super::lower::Bench;
use super::plans::{BEYOND, chain};
use crate::NicId;
use crate::border::Receiver;
use airtcp_testing::plans::mac;

#[test]
fn a_frame_goes_from_hop_to_hop() {
    let mut bench = Bench::new(&chain(4));
    bench.send(0, 3);
    bench.drain();
    assert_eq!(
        bench.host.news(),
        ["relay 0 by 1", "sent 0 of 0", "relay 0 by 2", "sent 0 of 1", "deliver 0 to 3", "sent 0 of 2"]
    );
    let hops: Vec<_> = bench.ppdus.iter().map(|(mpdus, _)| (mpdus[0].receiver, mpdus[0].bytes)).collect();
    assert_eq!(hops, [1, 2, 3].map(|hop| (Receiver::One(NicId(hop)), 1028)));
    bench.upper.finish();
}

#[test]
fn a_group_frame_reaches_every_station_once() {
    let mut bench = Bench::new(&chain(5));
    let frame = bench.host.frame(NicId(1), MacAddress::BROADCAST, 100);
    bench.transmit(1, frame);
    bench.drain();
    let mut receivers: Vec<_> = bench.host.delivered.iter().map(|&(nic, _)| nic.0).collect();
    receivers.sort_unstable();
    assert_eq!(receivers, [0, 2, 3, 4]);
    // Everybody sends it once.
    assert_eq!(bench.ppdus.len(), 5);
    assert_eq!(bench.host.living(), 0);
}

#[test]
fn unknown_stations_are_not_reached() {
    let mut bench = Bench::new(&chain(2));
    let frame = bench.host.frame(NicId(0), BEYOND, 100);
    bench.transmit(0, frame);
    assert_eq!(bench.host.news(), ["dropped 0 of 0: no_such_station"]);
}

#[test]
fn a_bridged_hosts_frame_carries_its_address_along() {
    let mut plan = chain(2);
    plan.cells[0].access = vec![plan.cells[0].access[0]; 4];
    let mut bench = Bench::new(&plan);
    let mut frame = bench.host.frame(NicId(0), mac(1), 1000);
    bench.transmit(0, frame);
    frame = bench.host.frame(NicId(0), mac(1), 1000);
    frame.source = BEYOND;
    bench.transmit(0, frame);
    bench.drain();
    let lengths: Vec<_> = bench.ppdus.iter().map(|(mpdus, _)| mpdus[0].bytes).collect();
    assert_eq!(lengths, [1022 + 6 + 2 + 6, 1022 + 6 + 2 + 18]);
}
