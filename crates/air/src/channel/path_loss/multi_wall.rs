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

use airtcp_plan::wifi::{FloorPlan, Wall};
use airtcp_units::{Decibel, Metre};

use super::Path;
use super::log_distance::LogDistance;
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
    pub(super) fn new(exponent: f64, reference_loss: Decibel, floor_plan: &FloorPlan) -> Self {
        let distance = LogDistance { exponent, reference_loss, reference_distance_m: 1.0 };
        Self { distance, walls: floor_plan.walls.iter().map(Barrier::new).collect() }
    }

    pub(super) fn loss(&self, path: &Path) -> Decibel {
        let ray = Ray::new(path.places);
        let walls: f64 = self.walls.iter().filter(|w| w.is_crossed_by(&ray)).map(|w| w.loss_db).sum();
        Decibel::new(self.distance.loss(path.distance()).get() + walls)
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
