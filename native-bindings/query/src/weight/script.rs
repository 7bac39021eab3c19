//! Queries that ask scripts.

use super::{Boost, Builder, Weight};
use crate::node::{ScriptNode, ScriptScoreNode};
use crate::script::docs::SegmentDocs;
use crate::script::scorers::{ScriptScoreScorer, ScriptScorer};
use crate::view::{SegmentView, ShardView};
use quarry_base::error::Result;
use quarry_scores::scorer::WindowScorer;

impl Builder<'_> {
    pub(super) fn script(&mut self, node: &ScriptNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let script = BoundScript::new(self.view, node);
        Ok(Box::new(ScriptWeight { script, score: boost.unwrap_or(0.0) }))
    }

    pub(super) fn script_score(&mut self, node: &ScriptScoreNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let script = BoundScript::new(self.view, &node.script);
        let needs_score = script.script.program.uses_score && (boost.is_some() || node.min_score.is_some());
        let inner = self.build(&node.inner, needs_score.then_some(1.0))?;
        Ok(Box::new(ScriptScoreWeight { inner, script, boost: boost.unwrap_or(1.0), min_score: node.min_score }))
    }
}

/// A program with its parameters and the shard that it runs on.
struct BoundScript {
    view: ShardView,
    script: ScriptNode,
}

impl BoundScript {
    fn new(view: &ShardView, node: &ScriptNode) -> Self {
        BoundScript { view: view.clone(), script: node.clone() }
    }
}

struct ScriptWeight {
    script: BoundScript,
    score: f32,
}

impl Weight for ScriptWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let docs = SegmentDocs::new(&self.script.view, segment);
        let ScriptNode { scope, .. } = &self.script.script;
        let instance = self.script.script.instance()?;
        Ok(Some(Box::new(ScriptScorer::new((segment, scope), docs, instance, self.score))))
    }
}

struct ScriptScoreWeight {
    inner: Box<dyn Weight>,
    script: BoundScript,
    boost: f32,
    min_score: Option<f32>,
}

impl Weight for ScriptScoreWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some(inner) = self.inner.scorer(segment)? else { return Ok(None) };
        let docs = SegmentDocs::new(&self.script.view, segment);
        let ScriptNode { scope, .. } = &self.script.script;
        let instance = self.script.script.instance()?;
        let scorer = ScriptScoreScorer::new(inner, (segment, scope), docs, instance, (self.boost, self.min_score));
        Ok(Some(Box::new(scorer)))
    }
}
