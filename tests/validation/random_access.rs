//! Saturated stations with uplink OFDMA random access (UORA; IEEE 802.11ax-2021, 26.5.4) and windows of one size: how many of their
//! attempts succeed, against the exact probability.
//!
//! A counter drawn from 0 to W makes a station send by the K-th trigger frame, where K is the counter over the number R of RA-RUs, rounded up,
//! and at least 1. Windows do not change, so outcomes have no effect on counters: stations are independent, and each sends by a trigger frame
//! with probability t = 1 / E[K]. It has chosen one of R RUs, and nobody else has with probability (1 - t/R)^(N - 1), as in slotted ALOHA with N
//! users (N. Abramson, "The ALOHA system", AFIPS 1970; L. Roberts, 1975).
//!
//! Tolerance 3 %: with 60 s there are more than 10,000 attempts for each, so the standard error is below 1.3 %.

use airtcp_plan::{
    AccessParameters, MultiUserAcknowledgement, MultiUserPlan, MultiUserScheduler, RandomAccessPlan, Source,
    Standard, UplinkPlan,
};

use crate::scene::{AMPDU, aggregate, mcs, plan, run, saturated_source};

/// Successes over attempts of so many stations.
fn measured(stations: u32, random_access: RandomAccessPlan) -> f64 {
    let mut air = plan(mcs(Standard::He, 7, 1, 20, 800), stations);
    aggregate(&mut air, AMPDU);
    // A report counts for no time, so nobody is named. The access point is always first.
    let uplink = UplinkPlan {
        bsrp: false,
        interval_us: 100,
        report_lifetime_us: 0,
        target_rssi_dbm: None,
        mu_edca: None,
        random_access: Some(random_access),
    };
    air.cells[0].multi_user = Some(MultiUserPlan {
        scheduler: MultiUserScheduler::RoundRobin,
        stations: 4,
        acknowledgement: MultiUserAcknowledgement::Sequential,
        mu_rts: false,
        uplink: Some(uplink),
    });
    let at_once = AccessParameters { aifsn: 2, cw_min: 0, cw_max: 0, txop_us: 0 };
    air.nics[0].access = Some(vec![at_once; 4]);
    let late = AccessParameters { aifsn: 15, cw_min: 15, ..at_once };
    air.nics.iter_mut().skip(1).for_each(|nic| {
        nic.access = Some(vec![AccessParameters { cw_max: 1023, ..late }; 4]);
    });
    // Of two frames one goes into what an unknown station is asked for.
    let source = |station| Source { frame_bytes: 400, ..saturated_source(station, 0, 0) };
    let report = run(air, (1..=stations).map(source).collect(), 60.0, u64::from(stations));
    let attempts: u64 = report.nics[1..].iter().map(|nic| nic.mpdus).sum();
    let lost: u64 = report.nics[1..].iter().map(|nic| nic.mpdus_lost).sum();
    assert!(attempts > 10_000, "{attempts}");
    1.0 - lost as f64 / attempts as f64
}

#[test]
fn attempts_succeed_as_in_slotted_aloha() {
    for (stations, rus, ocw) in [(2_u32, 1, 7), (8, 2, 7), (8, 1, 15), (17, 4, 31), (40, 4, 127), (30, 8, 63)]
    {
        let random_access = RandomAccessPlan { rus, ocw_min: ocw, ocw_max: ocw };
        let frames: u32 = (0..=ocw).map(|counter| counter.div_ceil(rus).max(1)).sum();
        let in_one = f64::from(ocw + 1) / f64::from(frames * rus);
        let expected = (1.0 - in_one).powi(stations.cast_signed() - 1);
        let success = measured(stations, random_access);
        println!("{stations} stations, {rus} RA-RUs, OCW {ocw}: {success:.4}, expected {expected:.4}");
        assert!((success / expected - 1.0).abs() < 0.03, "{stations}: {success} of {expected}");
    }
}
