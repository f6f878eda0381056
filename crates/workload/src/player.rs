//! A video player: what it asks for when, and what is in its buffer.

use airtcp_plan::{Flow, Workload};

use crate::{Ask, Chooser, Client, Step};

/// A player of a film that comes in segments. Times are nanoseconds; levels of the buffer are playing time.
#[derive(Clone, Debug)]
pub struct Player {
    chooser: Chooser,
    segment_ns: u64,
    resume_ns: u64,
    buffer_ns: u64,
    /// What is left of the film to be asked for; `None`: it has no end.
    left_ns: Option<u64>,
    stop_ns: u64,
    /// Playing begins at this level: the one of the start, then the one after stalls.
    begin_ns: u64,
    playing: bool,
    /// The level at `seen_ns`.
    level_ns: u64,
    seen_ns: u64,
    /// The segment on its way.
    asked: Asked,
}

/// A segment on its way.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    at_ns: u64,
    bytes: u64,
    length_ns: u64,
}

impl Player {
    /// The player of a flow; `None` if it has another workload.
    pub fn new(flow: &Flow) -> Option<Self> {
        let Workload::Video {
            segment_ns,
            ref rates_bps,
            startup_ns,
            resume_ns,
            buffer_ns,
            adaptation,
            length_ns,
            ..
        } = flow.workload
        else {
            return None;
        };
        Some(Self {
            chooser: Chooser::new(rates_bps.clone(), adaptation),
            segment_ns,
            resume_ns,
            buffer_ns,
            left_ns: length_ns,
            stop_ns: flow.stop_ns,
            begin_ns: startup_ns,
            playing: false,
            level_ns: 0,
            seen_ns: flow.start_ns,
            asked: Asked::default(),
        })
    }

    /// Plays until now; what stalls waits for the level at which playing goes on.
    fn play_until(&mut self, now_ns: u64) {
        let passed_ns = now_ns.saturating_sub(self.seen_ns);
        self.seen_ns = now_ns;
        if !self.playing {
            return;
        }
        if passed_ns > self.level_ns {
            self.playing = false;
            self.begin_ns = self.resume_ns;
        }
        self.level_ns = self.level_ns.saturating_sub(passed_ns);
    }

    fn ask(&mut self, now_ns: u64) -> Step {
        let rate_bps = self.chooser.choose(self.level_ns);
        let length_ns = self.left_ns.map_or(self.segment_ns, |left| left.min(self.segment_ns));
        self.left_ns = self.left_ns.map(|left| left - length_ns);
        let bits = u128::from(rate_bps) * u128::from(length_ns);
        let bytes = u64::try_from(bits.div_ceil(8_000_000_000)).unwrap_or(u64::MAX);
        self.asked = Asked { at_ns: now_ns, bytes, length_ns };
        Step::Ask(Ask { answers: vec![bytes], begins_ns: Some(now_ns), ends: true, rate_bps })
    }
}

impl Client for Player {
    fn next(&mut self, now_ns: u64) -> Step {
        self.play_until(now_ns);
        let above_ns = self.level_ns.saturating_sub(self.buffer_ns);
        let next_ns = now_ns.saturating_add(above_ns);
        if self.left_ns == Some(0) || next_ns >= self.stop_ns {
            return Step::End;
        }
        if above_ns > 0 { Step::Wait { until_ns: next_ns } } else { self.ask(now_ns) }
    }

    fn received(&mut self, now_ns: u64) -> Option<u64> {
        self.play_until(now_ns);
        self.chooser.saw(self.asked.bytes, now_ns.saturating_sub(self.asked.at_ns));
        self.level_ns += self.asked.length_ns;
        // Of a film that is all there, nothing more can be waited for.
        self.playing |= self.level_ns >= self.begin_ns || self.left_ns == Some(0);
        Some(self.level_ns)
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Adaptation;

    use super::*;
    use crate::client::flow_with;

    const S: u64 = 1_000_000_000;

    /// Segments of 4 s; playing begins at 8 s, goes on at 4 s; above 10 s nothing is asked for.
    fn player(length_ns: Option<u64>) -> Player {
        let mut flow = flow_with(Workload::Video {
            request_bytes: 300,
            segment_ns: 4 * S,
            rates_bps: vec![1_000_000],
            startup_ns: 8 * S,
            resume_ns: 4 * S,
            buffer_ns: 10 * S,
            adaptation: Adaptation::Fixed {},
            length_ns,
        });
        flow.start_ns = 0;
        flow.stop_ns = 1_000 * S;
        Player::new(&flow).unwrap()
    }

    fn ask(at_ns: u64, bytes: u64) -> Step {
        Step::Ask(Ask { answers: vec![bytes], begins_ns: Some(at_ns), ends: true, rate_bps: 1_000_000 })
    }

    #[test]
    fn it_starts_fills_its_buffer_stalls_and_resumes() {
        let mut player = player(None);
        // 4 s at 1 Mbit/s are 500 kB. Two segments until it plays.
        assert_eq!(player.next(0), ask(0, 500_000));
        assert_eq!(player.received(S), Some(4 * S));
        assert_eq!(player.next(S), ask(S, 500_000));
        assert_eq!(player.received(2 * S), Some(8 * S));
        // It plays from 2 s on: 7 s are left at 3 s, and 4 s more come then.
        assert_eq!(player.next(2 * S), ask(2 * S, 500_000));
        assert_eq!(player.received(3 * S), Some(11 * S));
        // One second above the level.
        assert_eq!(player.next(3 * S), Step::Wait { until_ns: 4 * S });
        assert_eq!(player.next(4 * S), ask(4 * S, 500_000));
        // Its 10 s are over at 14 s; the segment comes at 20 s and is enough to go on.
        assert_eq!(player.received(20 * S), Some(4 * S));
        assert_eq!(player.next(20 * S), ask(20 * S, 500_000));
        assert_eq!(player.received(22 * S), Some(6 * S));
    }

    #[test]
    fn a_segment_at_the_very_end_of_the_buffer_is_no_stall() {
        let mut player = player(None);
        for at in [0, S] {
            player.next(at);
            player.received(at);
        }
        player.next(S);
        // 8 s from 1 s on.
        assert_eq!(player.received(9 * S), Some(4 * S));
        player.next(9 * S);
        assert_eq!(player.received(12 * S), Some(5 * S));
    }

    #[test]
    fn a_film_ends_with_a_shorter_segment() {
        let mut player = player(Some(6 * S));
        assert_eq!(player.next(0), ask(0, 500_000));
        player.received(S);
        assert_eq!(player.next(S), ask(S, 250_000));
        assert_eq!(player.received(2 * S), Some(6 * S));
        // All of it is there, though less than the start asks for: it plays.
        assert!(player.playing);
        assert_eq!(player.next(2 * S), Step::End);
    }

    #[test]
    fn it_asks_for_nothing_after_its_stop() {
        let mut player = player(None);
        player.stop_ns = 4 * S;
        for at in [0, S, 2 * S] {
            assert_eq!(player.next(at), ask(at, 500_000));
            player.received(at + S);
        }
        // It would wait until 4 s.
        assert_eq!(player.next(3 * S), Step::End);
    }
}
