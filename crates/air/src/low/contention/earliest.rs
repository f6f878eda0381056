//! The earliest of many instants that change one at a time.

use airtcp_units::Instant;

use super::GroupId;

/// A winner tree: each node is the earlier of its two children, the leaves are the groups' next accesses.
#[derive(Clone, Debug)]
pub(super) struct Earliest {
    /// The root at 1, the children of `n` at `2n` and `2n + 1`, the leaves in the second half.
    nodes: Vec<Instant>,
    /// Time of the root, which is asked for most often.
    at: Instant,
}

impl Earliest {
    /// The far future for each group.
    pub(super) fn new(groups: usize) -> Self {
        let nodes = vec![Instant::FAR_FUTURE; 2 * groups.next_power_of_two()];
        Self { nodes, at: Instant::FAR_FUTURE }
    }

    #[inline]
    pub(super) fn at(&self) -> Instant {
        self.at
    }

    /// The first group that has the earliest instant.
    #[inline]
    pub(super) fn group(&self) -> GroupId {
        let mut node = 1;
        while 2 * node < self.nodes.len() {
            node *= 2;
            if self.nodes[node] != self.at {
                node += 1;
            }
        }
        GroupId::from(node - self.nodes.len() / 2)
    }

    #[inline]
    pub(super) fn set(&mut self, group: GroupId, at: Instant) {
        if self.nodes.len() == 2 {
            (self.nodes[1], self.at) = (at, at);
            return;
        }
        self.set_leaf(self.nodes.len() / 2 + usize::from(group), at);
    }

    fn set_leaf(&mut self, mut node: usize, at: Instant) {
        self.nodes[node] = at;
        while node > 1 {
            node /= 2;
            let earlier = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
            if self.nodes[node] == earlier {
                break;
            }
            self.nodes[node] = earlier;
        }
        self.at = self.nodes[1];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_minimum(leaves in 1..9_usize, sets in prop::collection::vec((0..9_usize, 0..20_u64), 1..40)) {
            let mut earliest = Earliest::new(leaves);
            let mut list = vec![Instant::FAR_FUTURE; leaves];
            for (leaf, at) in sets {
                let (leaf, at) = (leaf % leaves, Instant::from_nanos(at));
                earliest.set(GroupId::from(leaf), at);
                list[leaf] = at;
                let min = *list.iter().min().expect("there is a leaf");
                prop_assert_eq!(earliest.at(), min);
                prop_assert_eq!(Some(usize::from(earliest.group())), list.iter().position(|&at| at == min));
            }
        }
    }
}
