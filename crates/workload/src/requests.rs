//! Requests, one after the other.

use airtcp_plan::{Flow, Workload};

use crate::{Ask, Client, Draws, Purpose, Step};

/// A client that sends a request, receives the answer, waits for its think time, and sends the next.
#[derive(Clone, Debug)]
pub struct Requests {
    response: Draws,
    think: Draws,
    left: Option<u64>,
    next_ns: u64,
    stop_ns: u64,
}

impl Requests {
    /// The client of a flow; `None` if it has another workload.
    pub fn new(flow: &Flow, seed: u64, number: u32) -> Option<Self> {
        let Workload::Requests { response_bytes, think_ns, count, .. } = flow.workload else { return None };
        Some(Self {
            response: Draws::new(response_bytes, seed, Purpose::Response, number),
            think: Draws::new(think_ns, seed, Purpose::Think, number),
            left: count,
            next_ns: flow.start_ns,
            stop_ns: flow.stop_ns,
        })
    }
}

impl Client for Requests {
    fn next(&mut self, now_ns: u64) -> Step {
        if self.left == Some(0) || self.next_ns.max(now_ns) >= self.stop_ns {
            return Step::End;
        }
        if self.next_ns > now_ns {
            return Step::Wait { until_ns: self.next_ns };
        }
        self.left = self.left.map(|left| left - 1);
        let answers = vec![self.response.draw_bytes()];
        Step::Ask(Ask { answers, begins_ns: Some(now_ns), ends: true, rate_bps: 0 })
    }

    fn received(&mut self, now_ns: u64) -> Option<u64> {
        self.next_ns = now_ns.saturating_add(self.think.draw());
        None
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Variate;

    use super::*;
    use crate::client::flow_with;

    fn requests(count: Option<u64>) -> Requests {
        let flow = flow_with(Workload::Requests {
            request_bytes: 100,
            response_bytes: Variate::Constant { value: 5_000 },
            think_ns: Variate::Constant { value: 300 },
            count,
        });
        Requests::new(&flow, 1, 0).unwrap()
    }

    fn ask(at_ns: u64) -> Step {
        Step::Ask(Ask { answers: vec![5_000], begins_ns: Some(at_ns), ends: true, rate_bps: 0 })
    }

    #[test]
    fn it_asks_as_often_as_it_should_and_thinks_between() {
        let mut client = requests(Some(2));
        assert_eq!(client.next(1_010), ask(1_010));
        client.received(1_500);
        assert_eq!(client.next(1_500), Step::Wait { until_ns: 1_800 });
        assert_eq!(client.next(1_801), ask(1_801));
        client.received(2_000);
        assert_eq!(client.next(2_000), Step::End);
    }

    #[test]
    fn it_asks_nothing_at_or_after_its_stop() {
        let mut client = requests(None);
        assert_eq!(client.next(999_600), ask(999_600));
        client.received(999_700);
        // It would ask at its very stop: it does not wait for it.
        assert_eq!(client.next(999_700), Step::End);
    }
}
