//! The nearest vectors, looked for when the query is weighed: which documents match depends on all segments.

use super::{Boost, Builder, Weight};
use crate::knn;
use crate::knn::{Filters, FoundDocs};
use crate::node::{FoundNode, KnnNode, NearNode, Node, SoughtVector};
use crate::scorers::near::NearDocs;
use crate::scorers::scored::ScoredDocs;
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_scores::scorer::WindowScorer;
use quarry_vectors::measure::Measure;

struct FoundWeight {
    found: FoundDocs,
    boost: f32,
}

/// All documents with a vector.
struct NearWeight {
    field: String,
    vector: SoughtVector,
    measure: Measure,
    least: f32,
    boost: f32,
}

impl Builder<'_> {
    pub(super) fn near(&mut self, node: &NearNode, boost: Boost) -> Box<dyn Weight> {
        let least = node.similarity.map_or(f32::NEG_INFINITY, |similarity| node.measure.least_score(similarity));
        let (field, vector, measure) = (node.field.clone(), node.vector.clone(), node.measure);
        Box::new(NearWeight { field, vector, measure, least, boost: boost.unwrap_or(0.0) })
    }

    pub(super) fn knn(&mut self, node: &KnnNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let mut build = |filter: &Option<Node>| filter.as_ref().map(|filter| self.build(filter, None)).transpose();
        let (whole, nested) = (build(&node.filter)?, build(&node.nested_filter)?);
        let filters = Filters { whole: whole.as_deref(), nested: nested.as_deref() };
        let found = knn::search(self.view, self.env, node, filters)?;
        Ok(Box::new(FoundWeight { found, boost: boost.unwrap_or(0.0) }))
    }

    /// What an earlier search found.
    pub(super) fn found(&mut self, node: &FoundNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let found = knn::look_up(self.view, node);
        Ok(Box::new(FoundWeight { found, boost: boost.unwrap_or(0.0) }))
    }
}

impl Weight for FoundWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let found = self.found.get(segment.ordinal).filter(|found| !found.is_empty());
        Ok(found.map(|found| Box::new(ScoredDocs::new(found, self.boost)) as Box<dyn WindowScorer + 'a>))
    }
}

impl Weight for NearWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some(column) = knn::column(segment, &self.field, self.measure)? else { return Ok(None) };
        let closeness = column.closeness_to(self.vector.values());
        let near = |closeness| NearDocs::new(column, closeness, self.measure, self.least, self.boost);
        Ok(closeness.map(|closeness| Box::new(near(closeness)) as Box<dyn WindowScorer + 'a>))
    }
}
