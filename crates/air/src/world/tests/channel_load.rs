//! How NICs of airtcp's own MAC load their channel, by hand: by samples of each.

use airtcp_plan::{EmissionPattern, EmissionPower, Interferer};
use airtcp_testing::plans::mac;
use airtcp_units::{Dbm, Duration};

use super::hosts::{AP, Hosts, STA1, STA2, us};
use super::plans::{no_backoff, set_rssi};
use crate::NicId;
use crate::linux_mac::NoMac80211;
use crate::world::WorldOptions;

const OPTIONS: WorldOptions = WorldOptions {
    epoch: us(0),
    end: us(2000),
    sample_interval: Duration::from_micros(10),
    ppdu_trace: false,
};

/// Busy, transmitted and received in the own BSS at these instants in us, of one NIC.
fn loads(h: &mut Hosts, nic: NicId, instants_us: &[i64]) -> Vec<[u64; 3]> {
    let mut out = std::mem::take(&mut h.out);
    h.world.finish(us(2000), &mut NoMac80211, &mut out);
    let of = |t| out.samples.iter().find(|s| s.nic == nic && s.time_ns == t * 1000).expect("a sample").load;
    instants_us
        .iter()
        .map(|&t| of(t))
        .map(|load| [load.busy, load.tx, load.bss_rx].map(|time| time.as_nanos() / 1000))
        .collect()
}

/// A frame of a station lasts from 200 to 448 us, its Ack from 464 to 492. The SIFS between counts as silence, and the
/// access point of another cell hears the same as others' business.
#[test]
fn data_and_its_ack_are_the_own_bss_or_others() {
    let sent = |nic| {
        let mut plan = no_backoff(2, 7);
        plan.cells.push(plan.cells[0].clone());
        plan.cells[1].name = "other".to_owned();
        plan.nics[2].cell = 1;
        plan.nics[2].role = airtcp_plan::NicRole::AccessPoint;
        let mut h = Hosts::with_options(plan, 1, OPTIONS);
        h.send_at(200, STA1, mac(0));
        h.advance_to(us(1500));
        loads(&mut h, nic, &[200, 300, 450, 460, 470, 500])
    };
    let silent = [0, 0, 0];
    assert_eq!(
        sent(STA1),
        [silent, [100, 100, 0], [248, 248, 0], [248, 248, 0], [254, 248, 6], [276, 248, 28]]
    );
    assert_eq!(
        sent(AP),
        [silent, [100, 0, 100], [248, 0, 248], [248, 0, 248], [254, 6, 248], [276, 28, 248]]
    );
    assert_eq!(sent(STA2), [silent, [100, 0, 0], [248, 0, 0], [248, 0, 0], [254, 0, 0], [276, 0, 0]]);
}

/// A hidden station is not heard, so its data is no load; the Ack that it gets is.
#[test]
fn what_is_not_sensed_is_no_load() {
    let mut plan = no_backoff(2, 7);
    set_rssi(&mut plan, &[(1, 2, -100.0)]);
    let mut h = Hosts::with_options(plan, 1, OPTIONS);
    h.send_at(200, STA1, mac(0));
    h.advance_to(us(1500));
    assert_eq!(loads(&mut h, STA2, &[300, 500]), [[0, 0, 0], [28, 0, 28]]);
}

/// Bursts of 70 us in each 400 us (17.5 %) from 50 us on: above the threshold of energy all of them, below it none.
#[test]
fn energy_is_load_of_others() {
    let busy_at = |dbm| {
        let mut plan = no_backoff(1, 7);
        plan.channel.interferers.push(Interferer {
            name: "oven".to_owned(),
            power: EmissionPower::Received { levels: Vec::new(), default_dbm: Dbm::new(dbm) },
            bandwidth_khz: 20_000,
            centres_khz: vec![5_180_000],
            pattern: EmissionPattern::Periodic {
                period_ns: 400_000,
                on_ns: 70_000,
                phase_ns: 50_000,
                jitter_ns: 0,
            },
        });
        let mut h = Hosts::with_options(plan, 1, OPTIONS);
        h.advance_to(us(1999));
        loads(&mut h, AP, &[50, 100, 120, 400, 2000])
    };
    assert_eq!(busy_at(-60.0), [[0, 0, 0], [50, 0, 0], [70, 0, 0], [70, 0, 0], [350, 0, 0]]);
    assert_eq!(busy_at(-65.0), [[0; 3]; 5]);
}
