//! Documents by their nested ones.

use super::{Boost, Builder, Weight};
use crate::node::NestedNode;
use crate::scorers::block_join::BlockJoinScorer;
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_plan::nested::NestedScore;
use quarry_scores::scorer::WindowScorer;

struct NestedWeight {
    inner: Box<dyn Weight>,
    path: String,
    parent: String,
    /// `None`: nobody asks for scores.
    score: Option<NestedScore>,
}

impl Builder<'_> {
    pub(super) fn nested(&mut self, node: &NestedNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let inner = self.build(&node.query, boost.filter(|_| node.score != NestedScore::None))?;
        let (path, parent) = (node.path.clone(), node.parent.clone());
        Ok(Box::new(NestedWeight { inner, path, parent, score: boost.map(|_| node.score) }))
    }
}

impl Weight for NestedWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let reader = &segment.reader;
        let (Some(children), Some(parents)) = (reader.nested_at(&self.path)?, reader.nested_at(&self.parent)?) else {
            return Ok(None);
        };
        let inner = self.inner.scorer(segment)?;
        let join = |inner| BlockJoinScorer::new(inner, children, parents, self.score, segment.window_count());
        Ok(inner.map(|inner| Box::new(join(inner)) as Box<dyn WindowScorer + 'a>))
    }
}
