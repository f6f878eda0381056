//! A-MPDUs and A-MSDUs, and what answers them.

use airtcp_units::Duration;
use serde_json::{Value, json};

use crate::bench::{BEYOND, Bench, NOON, Packet, STA, capture, mac, segment};

/// The cell becomes one of this standard, in this mode, with aggregates.
pub(crate) fn aggregating(plan: &mut Value, standard: &str, mode: &Value, aggregation: &Value) {
    let cell = &mut plan["air"]["cells"][0];
    let width = &mode["width_mhz"];
    cell["standard"] = json!(standard);
    let centre = if width == 80 { 5_210 } else { 5_180 };
    cell["channel"] = json!({"primary_mhz": 5_180, "centre_mhz": centre, "width_mhz": width});
    cell["short_preamble"] = json!(false);
    let category = json!({"aifsn": 3, "cw_min": 15, "cw_max": 1023, "txop_us": 0});
    cell["access"] = json!([category, category, category, category]);
    for nic in plan["air"]["nics"].as_array_mut().unwrap() {
        nic["streams"] = mode["streams"].clone();
        nic["guard_ns"] = mode["guard_ns"].clone();
        nic["rate_control"] = json!({"kind": "fixed", "mode": mode});
        nic["aggregation"] = aggregation.clone();
    }
}

fn ampdus(amsdu_bytes: u32, window: u32) -> Value {
    json!({"ampdu_bytes": 65_535, "ampdu_us": 5_484, "block_ack_window": window, "start_spacing_ns": 0,
        "amsdu_bytes": amsdu_bytes, "amsdu_frames": 0, "voice": false})
}

fn vht() -> Value {
    json!({"kind": "mcs", "format": "vht", "mcs": 7, "streams": 1, "width_mhz": 80, "guard_ns": 400})
}

fn he() -> Value {
    json!({"kind": "mcs", "format": "he", "mcs": 11, "streams": 1, "width_mhz": 80, "guard_ns": 800})
}

/// The first goes alone, the others wait for it and share a PPDU.
fn send(bench: &mut Bench, frames: u32, bytes: u32) {
    for number in 0..frames {
        let head = segment(BEYOND, mac(2), 5000 + number as u16);
        bench.transmit(STA, &head, bytes, NOON + Duration::from_micros(u64::from(number)));
    }
}

fn sequence(packet: &Packet) -> u16 {
    u16::from_le_bytes([packet.mpdu[22], packet.mpdu[23]]) >> 4
}

/// Reference number and flags of the A-MPDU status, which stands behind the fields up to the signal.
fn status(packet: &Packet) -> (u32, u8) {
    (u32::from_le_bytes(packet.radiotap[24..28].try_into().unwrap()), packet.radiotap[28])
}

const BLOCK_ACK: u8 = 0x94;

#[test]
fn mpdus_of_an_aggregate_share_its_number_and_time() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| {
        aggregating(plan, "11ac", &vht(), &ampdus(0, 64));
    });
    send(&mut bench, 4, 1514);
    let captured = bench.captured("air");
    let kinds: Vec<_> = captured.iter().map(|packet| packet.mpdu[0]).collect();
    assert_eq!(kinds, [0x88, 0xd4, 0x88, 0x88, 0x88, BLOCK_ACK]);
    let of = |packet: &Packet| (status(packet), sequence(packet), packet.mpdu_bytes);
    assert_eq!(of(&captured[0]), ((1, 0xcc), 0, 1538));
    let together: Vec<_> = captured[2..5].iter().map(of).collect();
    assert_eq!(together, [((2, 0x84), 1, 1538), ((2, 0x84), 2, 1538), ((2, 0x8c), 3, 1538)]);
    assert!(captured[2..5].iter().all(|packet| packet.time_ns == captured[2].time_ns));
    // VHT-MCS 7 on 80 MHz with a short guard interval.
    assert_eq!(captured[2].radiotap[32..40], [0x45, 0, 4, 4, 0x71, 0, 0, 0]);
    // Port 5001 behind 26 octets of header, 8 of LLC and SNAP, 20 of IPv4.
    assert_eq!(captured[2].mpdu[26 + 8 + 22..][..2], 5001_u16.to_be_bytes());
}

#[test]
fn a_block_ack_says_what_arrived() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| {
        aggregating(plan, "11ax", &he(), &ampdus(0, 256));
        plan["air"]["channel"]["losses"] = json!([{"from": 1, "to": 0, "loss": 0.4}]);
    });
    send(&mut bench, 40, 1514);
    let captured = bench.captured("air");
    let mut sent: Vec<&Packet> = Vec::new();
    let (mut holes, mut retries, mut block_acks) = (0, 0, 0);
    for packet in &captured {
        if packet.is_data() {
            sent.retain(|before| before.time_ns == packet.time_ns);
            sent.push(packet);
            retries += u32::from(packet.retry());
        } else if packet.mpdu[0] == BLOCK_ACK && sent.len() > 1 {
            block_acks += 1;
            assert_eq!((packet.mpdu[4..10].to_vec(), packet.mpdu_bytes), (mac(2).to_vec(), 56));
            // Compressed, TID 0, a bitmap of 256.
            assert_eq!(packet.mpdu[16..18], [4, 0]);
            let start = u16::from_le_bytes([packet.mpdu[18], packet.mpdu[19]]);
            assert_eq!((start & 0xf, start >> 4), (4, sequence(sent[0])));
            let bitmap = &packet.mpdu[20..52];
            let last = sequence(sent[sent.len() - 1]);
            for number in start >> 4..=last {
                let place = usize::from(number - (start >> 4));
                let said = bitmap[place / 8] >> (place % 8) & 1 == 1;
                let own = sent.iter().find(|mpdu| sequence(mpdu) == number);
                holes += u32::from(own.is_none());
                assert_eq!(said, own.is_none_or(|mpdu| !mpdu.bad_fcs()), "number {number}");
            }
        }
    }
    assert!(block_acks > 1 && retries > 5 && holes > 0, "{block_acks} {retries} {holes}");
}

/// A number is given up: a `BlockAckReq` moves the window, and its answer knows what has arrived behind it.
#[test]
fn a_request_is_answered_with_what_is_there() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| {
        aggregating(plan, "11ac", &vht(), &ampdus(0, 64));
        plan["air"]["cells"][0]["short_retry_limit"] = json!(4);
        plan["air"]["cells"][0]["subframe_retry_limit"] = json!(1);
        plan["air"]["channel"]["losses"] = json!([{"from": 1, "to": 0, "loss": 0.4}]);
    });
    send(&mut bench, 200, 1514);
    let captured = bench.captured("air");
    let lost: Vec<u16> = captured.iter().filter(|p| p.is_data() && p.bad_fcs()).map(sequence).collect();
    assert!(!lost.is_empty());
    // A request may be lost, as data may.
    let is_answered = |pair: &[Packet]| pair[0].mpdu[0] == 0x84 && pair[1].mpdu[0] == BLOCK_ACK;
    let request = captured.windows(2).position(is_answered).expect("a window was moved");
    let start = u16::from_le_bytes(captured[request].mpdu[18..20].try_into().unwrap()) >> 4;
    let before = captured[..request].iter().filter(|p| p.is_data());
    let (sent, missing): (Vec<_>, Vec<_>) = before.partition(|packet| !packet.bad_fcs());
    assert_eq!(missing.last().map(|packet| sequence(packet) + 1), Some(start));
    let answer = &captured[request + 1];
    assert_eq!((answer.mpdu[0], answer.mpdu_bytes, captured[request].mpdu_bytes), (BLOCK_ACK, 32, 24));
    let bitmap = u64::from_le_bytes(answer.mpdu[20..28].try_into().unwrap());
    let arrived = sent.iter().map(|p| sequence(p)).filter(|&number| number >= start);
    assert_eq!(bitmap, arrived.fold(0, |bits, number| bits | 1 << (number - start)));
}

/// Two frames in an MPDU. The bytes of the first are known, those of the second only in part.
#[test]
fn an_amsdu_has_subframes() {
    let mut bench = Bench::new(&json!([capture("air")]), |plan| {
        aggregating(plan, "11ac", &vht(), &ampdus(3_839, 64));
    });
    let mut whole = segment(BEYOND, mac(2), 5001);
    whole.resize(57, 0xee);
    bench.transmit(STA, &segment(BEYOND, mac(2), 5000), 1514, NOON);
    bench.transmit(STA, &whole, 57, NOON);
    bench.transmit(STA, &segment(BEYOND, mac(2), 5002), 1514, NOON);
    let captured = bench.captured("air");
    let packet = &captured[2];
    // 14 + 51 of the first subframe, padded to 68; 14 + 1508 of the second.
    assert_eq!(packet.mpdu_bytes, 26 + 68 + 1522 + 4);
    // The third address is the BSSID's; A-MSDU present.
    assert_eq!((packet.mpdu[16..22].to_vec(), &packet.mpdu[24..26]), (mac(1).to_vec(), &[0x80, 0][..]));
    let body = &packet.mpdu[26..];
    assert_eq!(body[..20], [&BEYOND[..], &mac(2), &[0, 51, 0xaa, 0xaa, 3, 0, 0, 0]].concat());
    assert_eq!(body[20..65], whole[12..]);
    assert_eq!(body[65..68], [0; 3]);
    assert_eq!(body[68..82], [&BEYOND[..], &mac(2), &1508_u16.to_be_bytes()].concat());
    assert_eq!(packet.mpdu.len(), 134);
}
