//! The part of a split network that this guest computes.

use std::io;
use std::path::Path;

use airtcp_plan::report::PART_FILE;
use airtcp_plan::{Plan, computed_part};

use crate::failure::{Outcome, because};
use crate::guest_paths::WORK;

/// The nodes whose traffic this guest computes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part(Option<usize>);

impl Part {
    /// The whole network.
    pub(crate) const WHOLE: Self = Self(None);

    /// The part that this guest computes, as its file says. A guest that computes both parts of a split network reads it, too:
    /// then all of its guests are the same up to the epoch.
    ///
    /// # Errors
    /// The file that says it is missing or damaged.
    pub(crate) fn of_this_guest(plan: &Plan) -> Outcome<Self> {
        if plan.split.is_none() {
            return Ok(Self::WHOLE);
        }
        let text = std::fs::read_to_string(Path::new(WORK).join(PART_FILE));
        let part = text.and_then(|text| computed_part(&text).map_err(io::Error::other));
        part.map(Self).map_err(because("the part of this guest can't be read", PART_FILE, "report this"))
    }

    /// Whether this guest computes the node.
    pub(crate) fn has(self, plan: &Plan, node: &str) -> bool {
        self.0.is_none_or(|own| plan.part_of(node) == Some(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_plan::two_hosts_and_a_switch;
    use airtcp_plan::Split;

    #[test]
    fn a_part_has_its_nodes_and_the_whole_has_all() {
        let mut plan = two_hosts_and_a_switch();
        assert!(Part::WHOLE.has(&plan, "a"));
        plan.split = Some(Split { parts: vec![0, 1, 1], lookahead_ns: 1 });
        let names: Vec<_> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
        let of = |part: Part| names.iter().map(|name| part.has(&plan, name)).collect::<Vec<_>>();
        assert_eq!(of(Part(Some(0))), [true, false, false]);
        assert_eq!(of(Part(Some(1))), [false, true, true]);
        assert_eq!(of(Part::WHOLE), [true; 3]);
    }
}
