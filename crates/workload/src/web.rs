//! Web pages, one after the other over a connection that stays, as with HTTP/2 (RFC 9113, 9.1).

use airtcp_plan::{Flow, Workload};

use crate::{Ask, Client, Draws, Purpose, Step};

/// Where the reader of pages is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// The reader reads the page; the next one is asked for at this time.
    Reading { until_ns: u64 },
    /// The main object is being transferred; this many objects are embedded in it.
    Main { objects: u64 },
    /// The browser parses the main object; embedded objects are asked for at this time.
    Parsing { until_ns: u64, objects: u64 },
    /// Embedded objects are being transferred.
    Embedded,
}

/// A client that asks for a page's main object, then for all that is embedded in it, and reads.
#[derive(Clone, Debug)]
pub struct Web {
    page: Draws,
    objects: Draws,
    object: Draws,
    parse: Draws,
    reading: Draws,
    state: State,
    /// The first page counts from here: its connection has to be made.
    first_ns: Option<u64>,
    left: Option<u64>,
    stop_ns: u64,
}

impl Web {
    /// The client of a flow; `None` if it has another workload.
    pub fn new(flow: &Flow, seed: u64, number: u32) -> Option<Self> {
        let Workload::Web { page_bytes, objects, object_bytes, parse_ns, reading_ns, count, .. } =
            flow.workload
        else {
            return None;
        };
        Some(Self {
            page: Draws::new(page_bytes, seed, Purpose::Page, number),
            objects: Draws::new(objects, seed, Purpose::Objects, number),
            object: Draws::new(object_bytes, seed, Purpose::Object, number),
            parse: Draws::new(parse_ns, seed, Purpose::Parse, number),
            reading: Draws::new(reading_ns, seed, Purpose::Reading, number),
            state: State::Reading { until_ns: flow.start_ns },
            first_ns: Some(flow.start_ns),
            left: count,
            stop_ns: flow.stop_ns,
        })
    }

    fn ask_page(&mut self, now_ns: u64) -> Step {
        self.left = self.left.map(|left| left - 1);
        let objects = self.objects.draw();
        self.state = State::Main { objects };
        let begins_ns = Some(self.first_ns.take().unwrap_or(now_ns));
        Step::Ask(Ask { answers: vec![self.page.draw_bytes()], begins_ns, ends: objects == 0, rate_bps: 0 })
    }
}

impl Client for Web {
    fn next(&mut self, now_ns: u64) -> Step {
        match self.state {
            State::Reading { until_ns } if self.left == Some(0) || until_ns.max(now_ns) >= self.stop_ns => {
                Step::End
            }
            State::Reading { until_ns } | State::Parsing { until_ns, .. } if until_ns > now_ns => {
                Step::Wait { until_ns }
            }
            State::Reading { .. } => self.ask_page(now_ns),
            State::Parsing { objects, .. } => {
                self.state = State::Embedded;
                let answers = (0..objects).map(|_| self.object.draw_bytes()).collect();
                Step::Ask(Ask { answers, begins_ns: None, ends: true, rate_bps: 0 })
            }
            State::Main { .. } | State::Embedded => unreachable!("what was asked for has been received"),
        }
    }

    fn received(&mut self, now_ns: u64) -> Option<u64> {
        self.state = match self.state {
            State::Main { objects } if objects > 0 => {
                State::Parsing { until_ns: now_ns.saturating_add(self.parse.draw()), objects }
            }
            _ => State::Reading { until_ns: now_ns.saturating_add(self.reading.draw()) },
        };
        None
    }
}

#[cfg(test)]
mod tests {
    use airtcp_plan::Variate;

    use super::*;
    use crate::client::flow_with;

    fn web(objects: u64, count: Option<u64>) -> Web {
        let constant = |value| Variate::Constant { value };
        let flow = flow_with(Workload::Web {
            request_bytes: 300,
            page_bytes: constant(10_000),
            objects: constant(objects),
            object_bytes: constant(2_000),
            parse_ns: constant(130),
            reading_ns: constant(30_000),
            count,
        });
        Web::new(&flow, 1, 0).unwrap()
    }

    fn ask(answers: Vec<u64>, begins_ns: Option<u64>, ends: bool) -> Step {
        Step::Ask(Ask { answers, begins_ns, ends, rate_bps: 0 })
    }

    #[test]
    fn a_page_is_its_main_object_then_all_embedded_ones_at_once() {
        let mut web = web(3, Some(2));
        // The flow begins at 1000; the connection takes until 1400.
        assert_eq!(web.next(1_400), ask(vec![10_000], Some(1_000), false));
        web.received(2_000);
        assert_eq!(web.next(2_000), Step::Wait { until_ns: 2_130 });
        assert_eq!(web.next(2_130), ask(vec![2_000; 3], None, true));
        web.received(2_900);
        assert_eq!(web.next(2_900), Step::Wait { until_ns: 32_900 });
        assert_eq!(web.next(32_900), ask(vec![10_000], Some(32_900), false));
        web.received(33_000);
        assert_eq!(web.next(33_130), ask(vec![2_000; 3], None, true));
        web.received(33_500);
        assert_eq!(web.next(33_500), Step::End);
    }

    #[test]
    fn a_page_may_have_nothing_embedded() {
        let mut web = web(0, None);
        assert_eq!(web.next(1_000), ask(vec![10_000], Some(1_000), true));
        web.received(1_200);
        assert_eq!(web.next(1_200), Step::Wait { until_ns: 31_200 });
    }

    #[test]
    fn a_page_under_way_at_the_stop_is_completed() {
        let mut web = web(1, None);
        web.next(999_900);
        web.received(1_000_500);
        assert_eq!(web.next(1_000_700), ask(vec![2_000], None, true));
        web.received(1_000_900);
        assert_eq!(web.next(1_000_900), Step::End);
    }
}
