//! How shapes lie to each other.

use super::apart::apart;
use super::{Frame, Relation, Shape, sweep};
use ::geo::indexed::PreparedGeometry;
use ::geo::relate::IntersectionMatrix;
use ::geo::{Geometry, Relate};
use quarry_base::error::Result;

/// Two shapes with no more coordinates, multiplied with each other, are held against each other at once.
const EASY_MAX: usize = 1_000_000;
/// Parts of one shape times coordinates of the other, at most.
const PART_STEPS_MAX: usize = 500_000_000;
/// Edges of two shapes that may cross each other, at most: every crossing takes memory.
const MEETINGS_MAX: usize = 4_000_000;

/// A shape that many others are held against.
pub struct Question<'q> {
    shape: &'q Shape,
    held: Held<'q>,
    relation: Relation,
}

/// How the shape of a question is held against others.
enum Held<'q> {
    Whole(PreparedGeometry<'q, &'q Geometry<f64>, f64>),
    Apart(Vec<Shape>),
}

impl<'q> Question<'q> {
    pub fn new(shape: &'q Shape, relation: Relation) -> Self {
        let held = match apart(shape, relation == Relation::Within) {
            Some(parts) => Held::Apart(parts),
            None => Held::Whole(PreparedGeometry::from(&shape.geometry)),
        };
        Question { shape, held, relation }
    }

    /// What the box around a document's shapes says alone; `None`: it depends on the shapes.
    pub fn of_frame(&self, frame: &Frame) -> Option<bool> {
        match self.relation {
            Relation::Intersects if !frame.touches(&self.shape.frame) => Some(false),
            Relation::Disjoint if !frame.touches(&self.shape.frame) => Some(true),
            Relation::Within if !self.shape.frame.holds(frame) => Some(false),
            Relation::Contains if !frame.holds(&self.shape.frame) => Some(false),
            _ => None,
        }
    }

    /// Whether the shapes of a document, of which there is one at least, lie as they are to.
    ///
    /// Errors: `IllegalArgument` for shapes that would take too long.
    pub fn of_shapes(&self, shapes: &[Shape]) -> Result<bool> {
        let mut meets = false;
        for shape in shapes {
            meets = self.meets(shape)?;
            // One shape decides, unless all of them have to lie within.
            if meets != (self.relation == Relation::Within) {
                break;
            }
        }
        Ok(meets != (self.relation == Relation::Disjoint))
    }

    /// What is disjoint does not meet.
    fn meets(&self, shape: &Shape) -> Result<bool> {
        let is_near = match self.relation {
            Relation::Intersects | Relation::Disjoint => self.shape.frame.touches(&shape.frame),
            Relation::Within => self.shape.frame.holds(&shape.frame),
            Relation::Contains => shape.frame.holds(&self.shape.frame),
        };
        if !is_near {
            return Ok(false);
        }
        check_effort(self.shape, shape)?;
        Ok(match (&self.held, apart(shape, self.relation == Relation::Contains)) {
            (Held::Whole(whole), None) => self.fits(&whole.relate(&shape.geometry)),
            (Held::Whole(whole), Some(parts)) => {
                let meets =
                    |part: &Shape| self.shape.frame.touches(&part.frame) && self.fits(&whole.relate(&part.geometry));
                if self.relation == Relation::Within { parts.iter().all(meets) } else { parts.iter().any(meets) }
            }
            (Held::Apart(own), None) => self.parts_meet(own, std::slice::from_ref(shape)),
            (Held::Apart(own), Some(parts)) => self.parts_meet(own, &parts),
        })
    }

    fn parts_meet(&self, own: &[Shape], parts: &[Shape]) -> bool {
        let meet = |own: &Shape, part: &Shape| {
            own.frame.touches(&part.frame) && self.fits(&own.geometry.relate(&part.geometry))
        };
        match self.relation {
            Relation::Intersects | Relation::Disjoint => parts.iter().any(|part| own.iter().any(|own| meet(own, part))),
            Relation::Within => parts.iter().all(|part| own.iter().any(|own| meet(own, part))),
            Relation::Contains => own.iter().all(|own| parts.iter().any(|part| meet(own, part))),
        }
    }

    fn fits(&self, matrix: &IntersectionMatrix) -> bool {
        match self.relation {
            Relation::Intersects | Relation::Disjoint => matrix.is_intersects(),
            Relation::Within => matrix.is_covers(),
            Relation::Contains => matrix.is_coveredby(),
        }
    }
}

/// Refuses two shapes that would take too long, or too much memory, to be held against each other.
fn check_effort(a: &Shape, b: &Shape) -> Result<()> {
    if a.size.coordinates.saturating_mul(b.size.coordinates) <= EASY_MAX {
        return Ok(());
    }
    let steps = |parts: &Shape, of: &Shape| parts.size.parts.saturating_mul(of.size.coordinates);
    if steps(a, b).max(steps(b, a)) > PART_STEPS_MAX {
        return Err(sweep::too_intricate());
    }
    let mut edges = Vec::new();
    sweep::edges_of(&a.geometry, 0, &mut edges);
    sweep::edges_of(&b.geometry, 1, &mut edges);
    let mut meetings = 0;
    sweep::each_pair(&mut edges, |one, other| {
        meetings += usize::from(one.of != other.of);
        if meetings > MEETINGS_MAX { Err(sweep::too_intricate()) } else { Ok(()) }
    })
}
