//! Saturation throughput of n equal stations in range of each other.
//!
//! G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC 18(3), 2000: time is a
//! sequence of *model slots*, each of which is idle, a success or a collision, and in each of which every station begins to send
//! with the same probability, whatever happened before.

use airtcp_units::Duration;

use super::Link;
use crate::border::Protection;

/// Steps of bisection: each halves the interval, and a double has 53 bits.
const BISECTIONS: u32 = 60;

/// What the first slot after a busy period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterBusy {
    /// A slot as any other, and the busy period itself was counted by everybody: Bianchi's model of 2000, and what EDCA does
    /// (IEEE 802.11-2020, 10.23.2.4).
    CountsAsSlot,
    /// A slot in which only a station that has just sent can begin, with a backoff of zero; the others, whose counters are at
    /// least 1, count it first. DCF (10.3.4.3), after G. Bianchi and I. Tinnirello, "Remarks on IEEE 802.11 DCF performance
    /// analysis", IEEE Communications Letters 9(8), 2005, and I. Tinnirello, G. Bianchi and Y. Xiao, "Refinements on IEEE 802.11
    /// distributed coordination function modeling approaches", IEEE TVT 59(3), 2010.
    SendersOnly,
}

/// Stations that always have frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saturation {
    /// How many.
    pub stations: u32,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Attempts before a frame is discarded; `None` without a limit.
    pub attempts: Option<u32>,
    /// How backoffs count.
    pub after_busy: AfterBusy,
    /// An idle slot.
    pub slot: Duration,
    /// What a success takes until slots are counted again: the access and AIFS.
    pub success: Duration,
    /// What a collision takes: what collides, and EIFS or AIFS.
    pub collision: Duration,
    /// Time by which stations that collided may count slots before the others: they wait for the timeout of a response and AIFS,
    /// the others for EIFS.
    pub head_start: Duration,
    /// Octets of payload in one success.
    pub payload_bytes: u32,
}

/// Throughput and probabilities of saturated stations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saturated {
    /// Probability that a station begins to send in a model slot (tau).
    pub start_probability: f64,
    /// Probability that an attempt collides (p).
    pub collision_probability: f64,
    /// Probability that a frame is discarded.
    pub give_up_probability: f64,
    /// Payload of all stations together, bits per second.
    pub throughput_bps: f64,
    /// Share of time in idle slots.
    pub idle_share: f64,
    /// Share of time in successes, with what follows them.
    pub success_share: f64,
    /// Share of time in collisions, with what follows them.
    pub collision_share: f64,
}

impl Saturation {
    /// Stations with one link each to one receiver, or to each other. Frames of `frame_bytes`, of which `payload_bytes` count.
    pub fn new(link: &Link, stations: u32, frame_bytes: u32, payload_bytes: u32) -> Self {
        let txop = link.txop(frame_bytes);
        let after_busy = if link.edca { AfterBusy::CountsAsSlot } else { AfterBusy::SendersOnly };
        let response = match txop.exchanges[0].protection {
            Protection::RtsCts => link.cts_mode(),
            _ => link.response_mode(),
        };
        let response_timeout = link.times.response_timeout(response);
        Self {
            stations,
            cw_min: link.access.cw_min,
            cw_max: link.access.cw_max,
            attempts: Some(link.attempts(txop.exchanges[0].psdu_bytes)),
            after_busy,
            slot: link.times.slot,
            success: txop.duration + link.aifs(),
            collision: txop.exchanges[0].exposed + link.eifs(),
            head_start: link.eifs().saturating_sub(link.aifs()).saturating_sub(response_timeout),
            payload_bytes: txop.frames() * payload_bytes,
        }
    }

    /// Solves the model.
    pub fn solve(&self) -> Saturated {
        let frame = self.frame(self.collision_rate());
        let tau = frame.attempts / frame.slots;
        let n = f64::from(self.stations);
        let silent = libm::pow(1.0 - tau, n);
        let one = n * tau * libm::pow(1.0 - tau, n - 1.0);
        let undisturbed = n * frame.undisturbed / frame.slots;
        let times = self.times();
        let idle = silent * times.idle;
        let success = one * times.success + undisturbed * self.success.as_secs_f64();
        let collision = (1.0 - silent - one) * times.collision;
        let all = idle + success + collision;
        let successes = one * times.successes + undisturbed;
        Saturated {
            start_probability: tau,
            collision_probability: 1.0 - libm::pow(1.0 - tau, n - 1.0),
            give_up_probability: frame.given_up,
            throughput_bps: successes * f64::from(self.payload_bytes) * 8.0 / all,
            idle_share: idle / all,
            success_share: success / all,
            collision_share: collision / all,
        }
    }

    /// Mean durations of the three kinds of model slot.
    fn times(&self) -> SlotTimes {
        let [idle, success, collision] = [self.slot, self.success, self.collision].map(Duration::as_secs_f64);
        match self.after_busy {
            AfterBusy::CountsAsSlot => SlotTimes { idle, success, collision, successes: 1.0 },
            AfterBusy::SendersOnly => {
                // With probability 1 / (CWmin + 1) the winner draws zero and sends again at once; then comes one idle slot.
                let successes = 1.0 / (1.0 - 1.0 / f64::from(self.cw_min + 1));
                let success = success * successes + idle;
                SlotTimes { idle, success, collision: collision + idle, successes }
            }
        }
    }

    /// The fixed point of p = 1 - (1 - tau(p))^(n - 1): the right side falls where the left one rises, so there is one.
    fn collision_rate(&self) -> f64 {
        let others = f64::from(self.stations) - 1.0;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..BISECTIONS {
            let guess = f64::midpoint(low, high);
            let frame = self.frame(guess);
            let follows = 1.0 - libm::pow(1.0 - frame.attempts / frame.slots, others);
            if follows > guess { low = guess } else { high = guess }
        }
        low
    }

    /// The life of a frame of whose attempts in contention the share `p` collides.
    fn frame(&self, p: f64) -> FrameLife {
        let after_success = self.frame_after(0.0, p);
        // A frame that follows one that was given up begins after a collision: the share g of them, where g = (1 - g q) c with c, the
        // share of those after a success that are given up, and q, that of undisturbed first attempts after a collision.
        let (given_up, undisturbed) = (after_success.given_up, self.undisturbed(self.cw_min));
        if given_up == 0.0 {
            return after_success;
        }
        self.frame_after(given_up / (1.0 + given_up * undisturbed), p)
    }

    /// Attempts and model slots of a frame, if the share `after_collision` of the frames follows one that was given up.
    fn frame_after(&self, after_collision: f64, p: f64) -> FrameLife {
        let undisturbed = after_collision * self.undisturbed(self.cw_min);
        let (after_success, contends) = (1.0 - after_collision, 1.0 - undisturbed);
        let mut life = FrameLife {
            attempts: contends,
            undisturbed,
            slots: after_success * self.slots_after_success()
                + (contends - after_success) * self.slots_after_collision(self.cw_min),
            given_up: 0.0,
        };
        let (mut reached, mut cw, mut number) = (contends * p, self.cw_min, 1);
        while reached >= f64::EPSILON && self.attempts.is_none_or(|most| number < most) {
            (cw, number) = ((2 * cw + 1).min(self.cw_max), number + 1);
            let contends = reached * (1.0 - self.undisturbed(cw));
            // Where nothing changes any more a geometric series begins.
            let endless = cw == self.cw_max && self.attempts.is_none();
            let rounds = if endless { 1.0 / (1.0 - p * contends / reached) } else { 1.0 };
            life.undisturbed += (reached - contends) * rounds;
            life.attempts += contends * rounds;
            life.slots += contends * rounds * self.slots_after_collision(cw);
            reached = if endless { 0.0 } else { contends * p };
        }
        if self.attempts.is_some() {
            life.given_up = reached;
        }
        life
    }

    /// Values of a backoff after a collision with which a station has begun before anybody who did not collide can: they differ by
    /// less than a slot from the first of these.
    fn early_values(&self) -> f64 {
        let slots = self.head_start.div_floor(self.slot);
        match self.after_busy {
            AfterBusy::CountsAsSlot => slots as f64,
            // The others' counters are at least 1.
            AfterBusy::SendersOnly => (slots + 1) as f64,
        }
    }

    /// The probability of such a backoff.
    fn undisturbed(&self, cw: u32) -> f64 {
        if self.head_start == Duration::ZERO {
            return 0.0;
        }
        (self.early_values() / (f64::from(cw) + 1.0)).min(1.0)
    }

    /// Mean model slots to an attempt in contention after a success, the attempt's own included.
    fn slots_after_success(&self) -> f64 {
        let values = f64::from(self.cw_min) + 1.0;
        match self.after_busy {
            // 0 to CW slots of backoff, and its own.
            AfterBusy::CountsAsSlot => f64::midpoint(values, 1.0),
            // A zero was used in the slot after the success; the others are uniform from 1, of which the first is that slot.
            AfterBusy::SendersOnly => values / 2.0,
        }
    }

    /// Mean model slots to an attempt in contention after a collision, the attempt's own included.
    fn slots_after_collision(&self, cw: u32) -> f64 {
        let values = f64::from(cw) + 1.0;
        match self.after_busy {
            // Of those values that are not early the first is the slot after the collision.
            _ if self.head_start > Duration::ZERO => {
                (values - self.early_values().min(values - 1.0) - 1.0) / 2.0 + 1.0
            }
            AfterBusy::CountsAsSlot => f64::midpoint(values, 1.0),
            // Nobody begins in the slot after a collision: a zero is as good as a one.
            AfterBusy::SendersOnly => (values - 1.0) / 2.0 + 1.0 / values,
        }
    }
}

/// The average attempts and collisions of a frame.
#[derive(Clone, Copy, Debug, Default)]
struct FrameLife {
    /// Attempts in contention with all others.
    attempts: f64,
    /// Attempts before any other station could begin: they succeed.
    undisturbed: f64,
    /// Model slots.
    slots: f64,
    /// Probability that it is discarded.
    given_up: f64,
}

/// Mean durations of model slots in seconds, and successes in one that is a success.
struct SlotTimes {
    idle: f64,
    success: f64,
    collision: f64,
    successes: f64,
}
