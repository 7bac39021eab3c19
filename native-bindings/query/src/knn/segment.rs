//! The nearest vectors of one segment.
//!
//! Its graph is walked where it has one, unless so few documents count that looking at all of these is less work; a walk that has
//! looked at more vectors than count is given up for that as well. Where vectors have codes, these are compared first, and the vectors of the best of them.

use super::among::Among;
use super::{Filters, column, damaged};
use crate::breaker::Reservation;
use crate::node::{KnnNode, SoughtVector};
use crate::scorers::scored::Scored;
use crate::view::SegmentView;
use crate::weight::QueryEnv;
use quarry_base::error::Result;
use quarry_segment::nested::DocBits;
use quarry_segment::vectors::column::{ClosenessTo, VectorColumn};
use quarry_vectors::exact;
use quarry_vectors::graph::layout::Graph;
use quarry_vectors::graph::walk::{Sought, Walked, nearest};
use quarry_vectors::nearest::Near;
use std::cell::Cell;
use std::sync::atomic::Ordering;

/// Most vectors of a segment that are compared after their codes.
const COMPARED_MAX: u32 = 10_000;

/// What is looked for, and among what.
struct Search<'a> {
    column: &'a VectorColumn,
    among: Among<'a>,
    env: &'a QueryEnv<'a>,
    node: &'a KnnNode,
    /// Nested documents of one of these count as one.
    parents: Option<DocBits<'a>>,
    exact: ClosenessTo<'a>,
    /// Vectors and codes so far.
    compared: Cell<u64>,
}

/// The nearest first; equal ones by document.
///
/// Errors: `CircuitBreaking` where there is no memory for it; `TaskCancelled`; damage.
pub(super) fn search(
    segment: &SegmentView,
    env: &QueryEnv,
    node: &KnnNode,
    filters: Filters<'_>,
) -> Result<Vec<Scored>> {
    let Some(column) = column(segment, &node.field, node.measure)? else { return Ok(Vec::new()) };
    // Which documents count, and which vectors a walk has met.
    let mut memory = Reservation::of(env.limits.request_breaker_bytes, "<knn>");
    memory.take(u64::from(segment.max_doc()) / 4 + u64::from(column.count()) * size_of::<u32>() as u64)?;
    let among = Among::new(segment, column, env, filters, node.nested.is_some())?;
    if among.count() == 0 {
        return Ok(Vec::new());
    }
    let Some(exact) = column.closeness_to(node.vector.values()) else {
        return Err(damaged(segment, &node.field, column.format()));
    };
    let parents = match &node.nested {
        Some(nested) => segment.reader.nested_at(&nested.parent)?,
        None => None,
    };
    let search = Search { column, among, env, node, parents, exact, compared: Cell::new(0) };
    let near = search.nearest()?;
    node.compared.fetch_add(search.compared.get(), Ordering::Relaxed);
    let scored = |near: Near| Scored { doc: column.doc(near.ordinal), score: node.measure.score(near.closeness) };
    Ok(near.into_iter().take(node.k as usize).map(scored).collect())
}

impl Search<'_> {
    fn nearest(&self) -> Result<Vec<Near>> {
        let code = self.code();
        let rough = code.as_deref().and_then(|code| self.column.closeness_to_code(code));
        let Some(rough) = rough.filter(|_| self.among.count() > self.compared()) else {
            return self.look(&self.exact, self.node.num_candidates, self.node.k);
        };
        let found = self.look(&rough, self.compared().max(self.node.num_candidates), self.compared())?;
        let mut compared: Vec<Near> = found.into_iter().take(self.compared() as usize).collect();
        compared.iter_mut().for_each(|near| near.closeness = (self.exact)(near.ordinal));
        self.compared.set(self.compared.get() + compared.len() as u64);
        compared.sort_unstable_by(|left, right| right.cmp(left));
        Ok(compared)
    }

    /// How many are compared by their vectors after their codes.
    fn compared(&self) -> u32 {
        let KnnNode { k, oversample, .. } = *self.node;
        ((k as f32 * oversample).ceil() as u32).min(COMPARED_MAX).max(k)
    }

    /// The code of what is looked for, where vectors have some.
    fn code(&self) -> Option<Vec<u8>> {
        let ((quantisation, _), SoughtVector::Floats(vector)) = (self.column.codes()?, &self.node.vector) else {
            return None;
        };
        let mut code = Vec::new();
        quantisation.encode(vector, &mut code);
        Some(code)
    }

    /// The nearest `limit` or more. `breadth`: how many are kept while the graph is walked.
    fn look(&self, closeness: &dyn Fn(u32) -> f32, breadth: u32, limit: u32) -> Result<Vec<Near>> {
        let closeness = |ordinal: u32| {
            self.compared.set(self.compared.get() + 1);
            closeness(ordinal)
        };
        let group = |ordinal: u32| self.group(ordinal);
        let group = self.parents.map(|_| &group as &dyn Fn(u32) -> u32);
        let walked = match self.column.graph() {
            Some(graph) if self.among.count() > breadth => self.walk(graph, &closeness, breadth, group)?,
            _ => None,
        };
        let interrupt = || self.env.check_cancelled();
        match walked {
            Some(near) => Ok(near),
            None => exact::nearest(&closeness, &mut self.among.ordinals(), limit as usize, group, &interrupt),
        }
    }

    /// `None`: it is less work to look at all that count.
    fn walk(
        &self,
        graph: Graph<'_>,
        closeness: &dyn Fn(u32) -> f32,
        breadth: u32,
        group: Option<&dyn Fn(u32) -> u32>,
    ) -> Result<Option<Vec<Near>>> {
        let accepts = |ordinal| self.among.accepts(ordinal);
        let sought = Sought {
            closeness,
            breadth: breadth as usize,
            accepts: if self.among.is_all() { None } else { Some(&accepts) },
            group,
            looks_max: self.among.count() as usize,
        };
        let interrupt = || self.env.check_cancelled();
        Ok(match nearest(graph, &sought, &interrupt)? {
            Walked::Found(near) => Some(near),
            Walked::GaveUp => None,
        })
    }

    /// The document that a vector's document is part of.
    fn group(&self, ordinal: u32) -> u32 {
        let doc = self.column.doc(ordinal);
        self.parents.and_then(|parents| parents.next(doc)).unwrap_or(doc)
    }
}
