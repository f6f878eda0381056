//! Log-distance, and a loss for every wall that the straight line crosses (COST 231 final report, 4.7.2, without its
//! losses of floors).
//!
//! A wall is a rectangle without thickness, upright on a line of the ground. What happens at its edges:
//! - The line of sight must have one antenna on each side. An antenna **on** a wall (within a micrometre of its
//!   plane) is on neither side, and a ray **along** a wall does not cross it.
//! - A ray through a wall's **end** counts as passing to the right of it, seen in the direction in which x rises (y,
//!   if it goes along y). So through the end that two walls share it crosses one of them if they go on or make
//!   the corner of a room that it enters, and both or none if it touches the corner from outside: the count is
//!   always that of a ray a hair beside it, the same for all walls and in both directions, and rooms have no gaps.
//! - The **lower** edge belongs to a wall and the **upper** does not: walls on each other have no gap and no overlap.

use airtcp_plan::{FloorPlan, Wall};
use airtcp_units::{Decibel, Metre};

use super::log_distance::LogDistance;
use super::path::Path;
use crate::channel::mobility::Position;

/// Nearer to a wall's plane than this an antenna is on it, in metres: above the rounding of coordinates (1e-10 m at a
/// kilometre), below all that is built.
const ON_WALL_M: f64 = 1e-6;

/// A building.
#[derive(Debug)]
pub(crate) struct MultiWall {
    distance: LogDistance,
    walls: Vec<Barrier>,
}

/// A wall, in metres.
#[derive(Debug)]
struct Barrier {
    line: [[f64; 2]; 2],
    length: f64,
    lower: f64,
    upper: f64,
    loss_db: f64,
}

/// A ray from the lower to the higher end in x (then y), so that both directions compute the same.
#[derive(Debug)]
struct Ray {
    from: [f64; 3],
    to: [f64; 3],
}

impl MultiWall {
    pub(super) fn new(exponent: f64, reference_loss: Option<Decibel>, floor_plan: &FloorPlan) -> Self {
        let distance = LogDistance { exponent, reference_loss, reference_distance_m: 1.0 };
        Self { distance, walls: floor_plan.walls.iter().map(Barrier::new).collect() }
    }

    pub(super) fn loss(&self, path: &Path) -> Decibel {
        let ray = Ray::new(path.places);
        let walls: f64 = self.walls.iter().filter(|w| w.is_crossed_by(&ray)).map(|w| w.loss_db).sum();
        Decibel::new(self.distance.loss(path).get() + walls)
    }
}

impl Barrier {
    fn new(wall: &Wall) -> Self {
        let line = [wall.from_m, wall.to_m].map(|end| end.map(Metre::get));
        let [lower, upper] = wall.height_m.map(Metre::get);
        let [along_x, along_y] = [line[1][0] - line[0][0], line[1][1] - line[0][1]];
        let length = libm::sqrt(along_x * along_x + along_y * along_y);
        Self { line, length, lower, upper, loss_db: wall.loss_db.get() }
    }

    fn is_crossed_by(&self, ray: &Ray) -> bool {
        // Distances of the ray's ends from the wall's plane, with the side as sign.
        let [near, far] = [ray.from, ray.to].map(|p| left_of(self.line, [p[0], p[1]]) / self.length);
        let apart = (near > ON_WALL_M && far < -ON_WALL_M) || (near < -ON_WALL_M && far > ON_WALL_M);
        if !apart || ray.has_left(self.line[0]) == ray.has_left(self.line[1]) {
            return false;
        }
        let height = ray.from[2] + (ray.to[2] - ray.from[2]) * (near / (near - far));
        self.lower <= height && height < self.upper
    }
}

impl Ray {
    fn new(places: [Position; 2]) -> Self {
        let [a, b] = places.map(|p| p.0);
        if (a[0], a[1]) <= (b[0], b[1]) { Self { from: a, to: b } } else { Self { from: b, to: a } }
    }

    /// Whether a point of the ground is to the left of the ray; a point on it is, so that the ray passes right of it.
    fn has_left(&self, point: [f64; 2]) -> bool {
        left_of([self.from, self.to].map(|p| [p[0], p[1]]), point) >= 0.0
    }
}

/// Distance of a point to the left of a line, times the line's length.
fn left_of([a, b]: [[f64; 2]; 2], point: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])
}

#[cfg(test)]
mod tests {
    use airtcp_units::{Dbm, Hertz};
    use proptest::prelude::*;

    use super::*;

    fn wall(from: [f64; 2], to: [f64; 2]) -> Wall {
        Wall {
            from_m: from.map(Metre::new),
            to_m: to.map(Metre::new),
            height_m: [0.0, 3.0].map(Metre::new),
            loss_db: Decibel::new(1.0),
        }
    }

    fn path(from: [f64; 3], to: [f64; 3]) -> Path {
        Path {
            ends: [0, 1],
            places: [Position(from), Position(to)],
            frequency: Hertz::new(5.18e9),
            sent: Dbm::new(20.0),
        }
    }

    fn building(walls: &[Wall]) -> MultiWall {
        MultiWall::new(0.0, Some(Decibel::new(0.0)), &FloorPlan { walls: walls.to_vec() })
    }

    /// How many walls are crossed, which must be the same in both directions: each loses 1 dB, and nothing else does.
    #[track_caller]
    fn crossed(walls: &[Wall], from: [f64; 3], to: [f64; 3]) -> u32 {
        let building = building(walls);
        let [there, back] = [(from, to), (to, from)].map(|(a, b)| building.loss(&path(a, b)).get());
        assert_eq!(there.to_bits(), back.to_bits());
        there.round() as u32
    }

    /// At half height.
    #[track_caller]
    fn on_ground(walls: &[Wall], [a, b]: [f64; 2], [c, d]: [f64; 2]) -> u32 {
        crossed(walls, [a, b, 1.5], [c, d, 1.5])
    }

    /// A room of 4 m by 3 m from the origin.
    fn room() -> Vec<Wall> {
        let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0], [0.0, 0.0]];
        corners.windows(2).map(|ends| wall(ends[0], ends[1])).collect()
    }

    /// 40 dB at 1 m, exponent 2, a brick wall of 10 dB and a door of 3 dB: 40 + 20 + 10 + 3 at 10 m.
    #[test]
    fn losses_add_up() {
        let brick = Wall { loss_db: Decibel::new(10.0), ..wall([3.0, -5.0], [3.0, 5.0]) };
        let door = Wall { loss_db: Decibel::new(3.0), ..wall([6.0, 5.0], [6.0, -5.0]) };
        let aside = Wall { loss_db: Decibel::new(7.0), ..wall([6.0, 5.0], [6.0, 9.0]) };
        let floor_plan = FloorPlan { walls: vec![brick, door, aside] };
        let model = MultiWall::new(2.0, Some(Decibel::new(40.0)), &floor_plan);
        let loss = |to| model.loss(&path([0.0, 0.0, 1.5], to)).get();
        assert!((loss([10.0, 0.0, 1.5]) - 73.0).abs() < 1e-9);
        assert!((loss([5.0, 0.0, 1.5]) - (50.0 + 20.0 * libm::log10(5.0))).abs() < 1e-9);
        assert!((loss([0.2, 0.0, 1.5]) - 40.0).abs() < 1e-9, "nearer than 1 m counts as 1 m");
    }

    #[test]
    fn a_room_is_entered_and_crossed() {
        let [outside, inside, beyond] = [[-2.0, 1.0], [2.0, 1.0], [7.0, 2.0]];
        assert_eq!(on_ground(&room(), outside, inside), 1);
        assert_eq!(on_ground(&room(), outside, beyond), 2);
        assert_eq!(on_ground(&room(), inside, [3.0, 2.0]), 0);
        assert_eq!(on_ground(&room(), outside, [-2.0, 9.0]), 0);
        assert_eq!(on_ground(&room(), [-3.0, 2.0], [3.0, 6.0]), 0, "past a corner");
    }

    #[test]
    fn through_corners_as_a_hair_beside_them() {
        // Into the room through its corner, and across it from corner to corner: 1 and 2 walls.
        assert_eq!(on_ground(&room(), [-1.0, -1.0], [1.0, 1.0]), 1);
        assert_eq!(on_ground(&room(), [-4.0, -3.0], [8.0, 6.0]), 2);
        assert_eq!(on_ground(&room(), [-4.0, 6.0], [8.0, -3.0]), 2);
        // Touching a corner from outside: beside it on the right (below) there are two walls, or none.
        assert_eq!(on_ground(&room(), [-1.0, 4.0 - 2.0], [1.0, 4.0]), 2);
        assert_eq!(on_ground(&room(), [-1.0, 1.0], [1.0, -1.0]), 0);
    }

    #[test]
    fn walls_that_go_on_have_no_gap_and_no_overlap() {
        for turned in [false, true] {
            let second = if turned { wall([9.0, 0.0], [5.0, 0.0]) } else { wall([5.0, 0.0], [9.0, 0.0]) };
            let walls = [wall([1.0, 0.0], [5.0, 0.0]), second];
            for to in [[5.0, 4.0], [7.0, 4.0], [3.0, 4.0]] {
                assert_eq!(on_ground(&walls, [10.0 - to[0], -4.0], to), 1);
            }
        }
        // Ends that binary fractions do not hold.
        let walls = [wall([0.1, 0.3], [0.2, 0.6]), wall([0.2, 0.6], [0.7, 2.1])];
        assert_eq!(on_ground(&walls, [0.2 - 0.3, 0.6 + 0.1], [0.2 + 0.3, 0.6 - 0.1]), 1);
    }

    #[test]
    fn a_free_end_is_passed_on_the_right() {
        let [upper, lower] = [wall([2.0, 0.0], [2.0, 5.0]), wall([2.0, -5.0], [2.0, 0.0])];
        assert_eq!(on_ground(&[upper], [0.0, 0.0], [4.0, 0.0]), 0);
        assert_eq!(on_ground(&[lower], [0.0, 0.0], [4.0, 0.0]), 1);
        // Along y: on the right is where x is larger.
        assert_eq!(on_ground(&[wall([2.0, 2.0], [5.0, 2.0])], [2.0, 0.0], [2.0, 4.0]), 1);
        assert_eq!(on_ground(&[wall([-1.0, 2.0], [2.0, 2.0])], [2.0, 0.0], [2.0, 4.0]), 0);
    }

    #[test]
    fn an_antenna_on_a_wall_is_on_neither_side() {
        let walls = [wall([0.1, 0.3], [0.7, 2.1])];
        let on = [0.4, 1.2];
        assert_eq!(on_ground(&walls, on, [3.0, 0.0]), 0);
        assert_eq!(on_ground(&walls, on, [-3.0, 2.0]), 0);
        assert_eq!(on_ground(&walls, on, [0.1, 0.3]), 0);
        assert_eq!(on_ground(&walls, [0.4 + 1e-5, 1.2], [-3.0, 2.0]), 1);
    }

    #[test]
    fn a_ray_along_a_wall_does_not_cross_it() {
        let walls = [wall([1.0, 1.0], [4.0, 2.0])];
        assert_eq!(on_ground(&walls, [-2.0, 0.0], [7.0, 3.0]), 0);
        assert_eq!(on_ground(&walls, [1.0, 1.0], [2.5, 1.5]), 0);
        assert_eq!(on_ground(&walls, [-2.0, 0.1], [7.0, 3.1]), 0, "beside it");
    }

    #[test]
    fn the_lower_edge_belongs_to_a_wall_and_the_upper_does_not() {
        let walls = [wall([2.0, -5.0], [2.0, 5.0])];
        let level = |height: f64| crossed(&walls, [0.0, 0.0, height], [4.0, 0.0, height]);
        assert_eq!([-0.1, 0.0, 1.5, 2.999, 3.0, 3.1].map(level), [0, 1, 1, 1, 0, 0]);
        let storey = Wall { height_m: [3.0, 6.0].map(Metre::new), ..walls[0].clone() };
        let stacked = [walls[0].clone(), storey];
        for height in [0.0, 1.0, 3.0, 5.9] {
            assert_eq!(crossed(&stacked, [0.0, 1.0, height], [4.0, 2.0, height]), 1);
            // Rising through that height at the wall.
            assert_eq!(crossed(&stacked, [0.0, 1.0, height - 1.0], [4.0, 2.0, height + 1.0]), 1);
        }
    }

    #[test]
    fn a_steep_ray_goes_over_or_under() {
        let walls = [wall([2.0, -5.0], [2.0, 5.0])];
        assert_eq!(crossed(&walls, [0.0, 0.0, 1.0], [4.0, 0.0, 4.0]), 1);
        assert_eq!(crossed(&walls, [0.0, 0.0, 1.0], [4.0, 0.0, 6.0]), 0);
        assert_eq!(crossed(&walls, [0.0, 0.0, 1.0], [4.0, 0.0, -4.0]), 0);
        // A quarter of the way it is at 2 m, or at 6 m from the other side.
        let near = [wall([1.0, -5.0], [1.0, 5.0])];
        assert_eq!(crossed(&near, [0.0, 0.0, 0.0], [4.0, 0.0, 8.0]), 1);
        assert_eq!(crossed(&near, [0.0, 0.0, 8.0], [4.0, 0.0, 0.0]), 0);
        // Straight up, on the wall and beside it.
        assert_eq!(crossed(&walls, [2.0, 0.0, 1.0], [2.0, 0.0, 9.0]), 0);
        assert_eq!(crossed(&walls, [2.1, 0.0, 1.0], [2.1, 0.0, 9.0]), 0);
    }

    /// A point on a grid, so that rays through ends and along walls are frequent.
    fn grid() -> impl Strategy<Value = [f64; 2]> {
        prop::array::uniform2((-4..=8).prop_map(f64::from))
    }

    /// Two different points on that grid.
    fn ends() -> impl Strategy<Value = [[f64; 2]; 2]> {
        prop::array::uniform2(prop::array::uniform2(-4..=8_i32))
            .prop_filter("a wall has two ends", |ends| ends[0] != ends[1])
            .prop_map(|ends| ends.map(|end| end.map(f64::from)))
    }

    proptest! {
        /// A closed room of a convex shape: from inside to outside crosses one wall, from outside to outside none or two.
        #[test]
        fn rooms_are_closed(from in grid(), to in grid()) {
            let place = |[x, y]: [f64; 2]| {
                let inside = x > 0.0 && x < 4.0 && y > 0.0 && y < 3.0;
                let outside = !(0.0..=4.0).contains(&x) || !(0.0..=3.0).contains(&y);
                (inside, outside)
            };
            let ((from_in, from_out), (to_in, to_out)) = (place(from), place(to));
            // On the line of a wall is on neither side of that wall.
            prop_assume!((from_in || from_out) && (to_in || to_out));
            prop_assume!(![0.0, 4.0].contains(&from[0]) && ![0.0, 4.0].contains(&to[0]));
            prop_assume!(![0.0, 3.0].contains(&from[1]) && ![0.0, 3.0].contains(&to[1]));
            let walls = on_ground(&room(), from, to);
            if from_in == to_in {
                prop_assert!(walls == 0 || (walls == 2 && !from_in));
            } else {
                prop_assert_eq!(walls, 1);
            }
        }

        /// Cut anywhere, a wall is still one wall.
        #[test]
        fn a_cut_wall_counts_as_before(
            ends in ends(),
            cut in 1..8_u32,
            from in grid(),
            to in grid(),
        ) {
            let share = f64::from(cut) / 8.0;
            let middle = [0, 1].map(|i| ends[0][i] + share * (ends[1][i] - ends[0][i]));
            let whole = [wall(ends[0], ends[1])];
            let halves = [wall(ends[0], middle), wall(middle, ends[1])];
            prop_assert_eq!(on_ground(&whole, from, to), on_ground(&halves, from, to));
        }

        /// It does not matter which end of a wall is named first.
        #[test]
        fn walls_have_no_direction(ends in ends(), from in grid(), to in grid()) {
            let [one, other] = [[ends[0], ends[1]], [ends[1], ends[0]]].map(|[a, b]| [wall(a, b)]);
            prop_assert_eq!(on_ground(&one, from, to), on_ground(&other, from, to));
        }
    }
}
