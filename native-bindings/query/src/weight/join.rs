//! Documents by their children or parents.

use super::{Boost, Builder, Weight};
use crate::join::JoinNode;
use crate::join::found::{Counting, Found};
use crate::scorers::join::JoinScorer;
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_plan::join::ChildScore;
use quarry_scores::scorer::WindowScorer;

struct JoinWeight {
    found: Found,
    field: String,
    to: Box<dyn Weight>,
    boost: f32,
}

impl Builder<'_> {
    /// What is on the other side is looked for at once: it may be in other segments than the documents that it stands for.
    pub(super) fn join(&mut self, node: &JoinNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let score = if boost.is_some() { node.score } else { ChildScore::None };
        let from = self.build(&node.from, (score != ChildScore::None).then_some(1.0))?;
        let counting = Counting { score, least: node.least, most: node.most };
        let found = Found::by(self.view, self.env, &node.field, from.as_ref(), counting)?;
        let to = self.build(&node.to, None)?;
        Ok(Box::new(JoinWeight { found, field: node.field.clone(), to, boost: boost.unwrap_or(0.0) }))
    }
}

impl Weight for JoinWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some(column) = segment.field(&self.field).and_then(|field| field.ordinals()) else { return Ok(None) };
        let to = self.to.scorer(segment)?;
        let numbers = self.found.ordinals.of_segment(segment.ordinal);
        let join = |to| JoinScorer::new(to, column, numbers, &self.found, self.boost);
        Ok(to.map(|to| Box::new(join(to)) as Box<dyn WindowScorer + 'a>))
    }
}
