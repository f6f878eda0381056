//! Static routes between mesh stations.

use crate::NicId;

/// The next hop between any two stations of a mesh cell.
#[derive(Clone, Debug, Default)]
pub(super) struct MeshRoutes {
    /// Stations in ascending order.
    stations: Vec<NicId>,
    /// Row by row, in the order of `stations`: from, to.
    next: Vec<NicId>,
}

impl MeshRoutes {
    /// Routes (from, to, via) between stations in ascending order; where there is none, the way is direct.
    /// Panics if a route names somebody else.
    pub(super) fn new(stations: &[NicId], routes: &[(NicId, NicId, NicId)]) -> Self {
        let next = stations.iter().flat_map(|_| stations.iter().copied()).collect();
        let mut table = Self { stations: stations.to_vec(), next };
        for &(from, to, via) in routes {
            let place = table.place(from, to);
            table.next[place] = table.stations[table.station(via)];
        }
        table
    }

    fn station(&self, nic: NicId) -> usize {
        self.stations.binary_search(&nic).expect("routes are between stations of one mesh")
    }

    #[inline]
    fn place(&self, from: NicId, to: NicId) -> usize {
        self.station(from) * self.stations.len() + self.station(to)
    }

    /// The neighbour to which `from` sends what is for `to`.
    #[inline]
    pub(super) fn next_hop(&self, from: NicId, to: NicId) -> NicId {
        self.next[self.place(from, to)]
    }

    /// A pair (from, to) whose way never arrives, if there is one.
    pub(super) fn circle(&self) -> Option<(NicId, NicId)> {
        let pairs = self.stations.iter().flat_map(|&from| self.stations.iter().map(move |&to| (from, to)));
        pairs.into_iter().find(|&(from, to)| {
            let mut at = from;
            // A way without circles passes each station at most once.
            (0..self.stations.len()).all(|_| {
                at = self.next_hop(at, to);
                at != to
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NICS: [NicId; 4] = [NicId(3), NicId(5), NicId(6), NicId(9)];

    #[test]
    fn without_a_route_the_way_is_direct() {
        let routes = MeshRoutes::new(&NICS, &[(NicId(3), NicId(9), NicId(5))]);
        assert_eq!(routes.next_hop(NicId(3), NicId(9)), NicId(5));
        assert_eq!(routes.next_hop(NicId(5), NicId(9)), NicId(9));
        assert_eq!(routes.circle(), None);
    }

    #[test]
    fn a_circle_is_found() {
        let there_and_back = [(NicId(3), NicId(9), NicId(5)), (NicId(5), NicId(9), NicId(3))];
        assert_eq!(MeshRoutes::new(&NICS, &there_and_back).circle(), Some((NicId(3), NicId(9))));
        let to_itself = [(NicId(6), NicId(9), NicId(6))];
        assert_eq!(MeshRoutes::new(&NICS, &to_itself).circle(), Some((NicId(6), NicId(9))));
    }
}
