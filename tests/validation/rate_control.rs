//! Rate control under collisions on perfect links.
//!
//! Source: N. Khademi, M. Welzl and R. Lo Cigno, "On the uplink performance of TCP in multi-rate 802.11 WLANs", NETWORKING 2011: ten
//! stations, no noise; uploads with ARF fall to 15 to 20 % of the achievable goodput in 11b, downloads do not suffer. The paper's loads are
//! TCP; here they are saturated UDP, where more stations contend and the fall is at least as deep (D. Qiao and S. Choi's and the CARA
//! paper's setting). How deep is computed: by Bianchi's model a loss happens with the same probability at every rate, and a chain of ARF's
//! own rules under such losses gives the share of attempts at each rate. Tolerance 5 % for the total (the chain takes losses as
//! independent), the orders exactly.

use airtcp_air::analytic::{Link, Saturation};
use airtcp_plan::{AirPlan, RateControlPlan, Standard};
use airtcp_testing::plans::{AARF, ARF, CARA, MINSTREL};

use crate::scene::{
    Direction, Down, FRAME_BYTES, PAYLOAD_BYTES, Phy, Up, Worst, legacy, mbps, plan, run_after,
    saturated_stations,
};

fn controlled(phy: Phy, stations: u32, control: Option<RateControlPlan>) -> AirPlan {
    let mut air = plan(phy, stations);
    // Retry limits as the paper's simulator has them.
    (air.cells[0].short_retry_limit, air.cells[0].long_retry_limit) = (7, 7);
    if let Some(control) = control {
        air.nics.iter_mut().for_each(|nic| nic.rate_control = control);
    }
    air
}

fn run(phy: Phy, stations: u32, control: Option<RateControlPlan>, direction: Direction) -> f64 {
    measured_mbps(controlled(phy, stations, control), direction, 1.0)
}

/// For 11b `scale` x 90 s, for 11g a third of it: falls and climbs are rare once all are slow.
fn measured_mbps(air: AirPlan, direction: Direction, scale: f64) -> f64 {
    let sources = saturated_stations(&air, direction);
    let seconds = if air.cells[0].standard == Standard::HrDsss { 90.0 } else { 30.0 };
    // Everybody begins at the slowest rate: three rungs of ten to fifteen frames take ten links of 11b three seconds.
    mbps(&run_after(10.0, air, sources, (seconds * scale, 1)), PAYLOAD_BYTES)
}

/// Shares of attempts at each of so many rates under ARF's rules where each attempt is lost with probability `p`: up after ten
/// successes in a row or at the first success after fifteen attempts; down after two failures in a row, or if the first attempt after
/// a step up fails. The paper's numbers, typed again from them, with a generator of its own.
fn shares_of_rates(rates: usize, p: f64) -> Vec<f64> {
    let (mut attempts, mut rate, mut state) = (vec![0_u64; rates], rates - 1, 0x9e37_79b9_7f4a_7c15_u64);
    let (mut successes, mut failures, mut since_step, mut probing) = (0, 0, 0, false);
    for _ in 0..1_000_000 {
        attempts[rate] += 1;
        since_step += 1;
        // Xorshift (G. Marsaglia, Journal of Statistical Software 8(14), 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let lost = (state >> 11) as f64 / (1_u64 << 53) as f64 <= p;
        let step = if lost {
            (successes, failures) = (0, failures + 1);
            if probing || failures == 2 { -1 } else { 0 }
        } else {
            (successes, failures) = (successes + 1, 0);
            i32::from(successes == 10 || since_step >= 15)
        };
        probing = step > 0 && rate + 1 < rates;
        if step != 0 {
            (successes, failures, since_step) = (0, 0, 0);
            rate = if step > 0 { (rate + 1).min(rates - 1) } else { rate.saturating_sub(1) };
        }
    }
    attempts.iter().map(|&count| count as f64 / 1e6).collect()
}

/// Mbit/s of the saturated stations of a plan that choose rates so.
fn predicted_mbps(air: &AirPlan) -> f64 {
    let stations = air.nics.len() as u32 - 1;
    let rates = Link::modes(air, 1, 0).expect("a legal plan");
    let models: Vec<Saturation> = rates
        .iter()
        .map(|&tx| Saturation::new(&Link::new(air, 1, 0, tx, 0), stations, FRAME_BYTES, PAYLOAD_BYTES))
        .collect();
    let solved = models[0].solve();
    let shares = shares_of_rates(rates.len(), solved.collision_probability);
    let seconds = |duration: airtcp_units::Duration| duration.as_secs_f64();
    let success: f64 = shares.iter().zip(&models).map(|(share, model)| share * seconds(model.success)).sum();
    // The longest of k: slower rates last longer. k stations collide with the probabilities of a binomial distribution.
    let (tau, n) = (solved.start_probability, stations.cast_signed());
    let (mut weight, mut collision) = (0.0, 0.0);
    let mut choose = f64::from(stations);
    for k in 2..=n {
        choose *= f64::from(n - k + 1) / f64::from(k);
        let p = choose * tau.powi(k) * (1.0 - tau).powi(n - k);
        let (mut slower, mut longest) = (0.0, 0.0);
        for (share, model) in shares.iter().zip(&models) {
            // All of them at this rate or faster, less all faster.
            let at_least = 1.0 - slower;
            slower += share;
            longest +=
                (f64::powi(at_least, k) - f64::max(1.0 - slower, 0.0).powi(k)) * seconds(model.collision);
        }
        weight += p;
        collision += p * longest;
    }
    let ns = |seconds: f64| airtcp_units::Duration::from_nanos((seconds * 1e9) as u64);
    let mixed = Saturation { success: ns(success), collision: ns(collision / weight), ..models[0] };
    mixed.solve().throughput_bps / 1e6
}

const B: Phy = legacy(Standard::HrDsss, 11_000);
const G: Phy = legacy(Standard::Erp, 54_000);

/// The total of the model. Losses are as independent as the chain takes them only where windows are large: those who collided begin again
/// with twice the window, and one whose frame was the shorter goes on before everybody else (by up to EIFS - DIFS, 314 us or 15 slots
/// of 11b), so that two losses in a row are rarer. With windows from 255 on all that is small: 5 %. With the usual windows 12 %.
#[test]
fn arf_falls_as_far_as_collisions_drive_it() {
    let (mut large, mut usual) = (Worst::default(), Worst::default());
    for (what, phy) in [("11b", B), ("11g", G)] {
        for (stations, cw_min) in [(3, None), (10, None), (20, None), (25, Some(255)), (50, Some(255))] {
            let mut air = controlled(phy, stations, Some(ARF));
            let windows = &mut air.cells[0].access[0].cw_min;
            *windows = cw_min.unwrap_or(*windows);
            let of = format!("{what}, {stations} stations, CWmin {windows}");
            let expected = predicted_mbps(&air);
            let measured = measured_mbps(air, Up, 4.0);
            println!("ARF, {of}: {measured:.3} Mbit/s, predicted {expected:.3}");
            let worst = if cw_min.is_some() { &mut large } else { &mut usual };
            worst.note(of, measured, expected);
        }
    }
    large.within(0.05, "ARF under collisions, large windows, total against the chain");
    usual.within(0.12, "ARF under collisions, usual windows, total against the chain");
}

/// Ten stations in 11b and 11g: shares of what the fastest rate gives. In 11b the paper has 15 to 20 % (TCP; AARF, which it calls ARF):
/// 12 to 20 % here. 11g falls as far; the paper's 30 to 42 % there are those of TCP, whose acknowledgements and windows keep fewer
/// stations busy. AARF is no better than ARF; CARA and Minstrel keep four fifths: CARA pays with RTS at the slowest rate after each
/// failure, Minstrel with samples.
#[test]
fn uploads_collapse_with_arf_and_not_with_cara() {
    for (what, phy) in [("11b", B), ("11g", G)] {
        let best = run(phy, 10, None, Up);
        let [arf, adaptive, minstrel, cara] =
            [ARF, AARF, MINSTREL, CARA].map(|control| run(phy, 10, Some(control), Up) / best);
        println!(
            "{what}: ARF {arf:.3}, AARF {adaptive:.3}, Minstrel {minstrel:.3}, CARA {cara:.3} of {best:.2} Mbit/s"
        );
        assert!((0.12..0.20).contains(&arf) && (0.12..0.20).contains(&adaptive), "{what}: {arf} {adaptive}");
        assert!(adaptive < arf, "{what}: AARF's failed probes make it wait longer");
        assert!(minstrel > 0.8 && cara > 0.8, "{what}: {minstrel} {cara}");
    }
}

/// Downloads: the access point alone sends, nothing collides, and rate control costs nothing: within 1 %.
#[test]
fn downloads_do_not_suffer() {
    for (what, phy) in [("11b", B), ("11g", G)] {
        let best = run(phy, 10, None, Down);
        let mut worst = Worst::default();
        for (name, control) in [("ARF", ARF), ("AARF", AARF), ("CARA", CARA)] {
            worst.note(name, run(phy, 10, Some(control), Down), best);
        }
        worst.within(0.01, &format!("downloads with rate control, {what}"));
    }
}
