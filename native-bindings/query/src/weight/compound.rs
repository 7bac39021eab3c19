//! Weights of weights.

use super::{Boost, Builder, Shortcut, Weight};
use crate::node::{BoolNode, Node};
use crate::scorers::boolean::{BooleanScorer, Clauses};
use crate::scorers::boosting::BoostingScorer;
use crate::scorers::constant::{ConstantScorer, MatchedDocs};
use crate::scorers::dis_max::DisMaxScorer;
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::topk::TermClause;

type Scorer<'a> = Box<dyn WindowScorer + 'a>;

impl Builder<'_> {
    fn build_all(&mut self, nodes: &[Node], boost: Boost) -> Result<Vec<Box<dyn Weight>>> {
        nodes.iter().map(|node| self.build(node, boost)).collect()
    }

    pub(super) fn constant(&mut self, node: &Node, boost: Boost) -> Result<Box<dyn Weight>> {
        Ok(Box::new(ConstantWeight { inner: self.build(node, None)?, score: boost.unwrap_or(0.0) }))
    }

    pub(super) fn boolean(&mut self, node: &BoolNode, boost: Boost) -> Result<Box<dyn Weight>> {
        Ok(Box::new(BoolWeight {
            must: self.build_all(&node.must, boost)?,
            filter: self.build_all(&node.filter, None)?,
            should: self.build_all(&node.should, boost)?,
            must_not: self.build_all(&node.must_not, None)?,
            min_should: node.min_should,
        }))
    }

    pub(super) fn dis_max(&mut self, nodes: &[Node], tie_breaker: f32, boost: Boost) -> Result<Box<dyn Weight>> {
        Ok(Box::new(DisMaxWeight { parts: self.build_all(nodes, boost)?, tie_breaker }))
    }

    pub(super) fn boosting(
        &mut self,
        positive: &Node,
        negative: &Node,
        negative_boost: f32,
        boost: Boost,
    ) -> Result<Box<dyn Weight>> {
        let (positive, negative) = (self.build(positive, boost)?, self.build(negative, None)?);
        Ok(Box::new(BoostingWeight { positive, negative, negative_boost }))
    }
}

/// Matches of any of the weights, scores added.
pub(super) fn any_of(should: Vec<Box<dyn Weight>>) -> Box<dyn Weight> {
    Box::new(BoolWeight { must: Vec::new(), filter: Vec::new(), should, must_not: Vec::new(), min_should: 1 })
}

struct ConstantWeight {
    inner: Box<dyn Weight>,
    score: f32,
}

impl Weight for ConstantWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Scorer<'a>>> {
        let inner = self.inner.scorer(segment)?;
        Ok(inner.map(|scorer| Box::new(ConstantScorer::new(MatchedDocs { scorer }, self.score)) as Scorer<'a>))
    }
}

struct BoolWeight {
    must: Vec<Box<dyn Weight>>,
    filter: Vec<Box<dyn Weight>>,
    should: Vec<Box<dyn Weight>>,
    must_not: Vec<Box<dyn Weight>>,
    min_should: u32,
}

/// The scorers of all weights; `None` when one of them matches nothing.
fn all_scorers<'a>(weights: &'a [Box<dyn Weight>], segment: &'a SegmentView) -> Result<Option<Vec<Scorer<'a>>>> {
    weights.iter().map(|weight| weight.scorer(segment)).collect()
}

/// The scorers of those weights that can match.
fn some_scorers<'a>(weights: &'a [Box<dyn Weight>], segment: &'a SegmentView) -> Result<Vec<Scorer<'a>>> {
    weights.iter().filter_map(|weight| weight.scorer(segment).transpose()).collect()
}

impl Weight for BoolWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Scorer<'a>>> {
        let (Some(must), Some(filter)) = (all_scorers(&self.must, segment)?, all_scorers(&self.filter, segment)?)
        else {
            return Ok(None);
        };
        let mut should = some_scorers(&self.should, segment)?;
        if should.len() < self.min_should as usize {
            return Ok(None);
        }
        let must_not = some_scorers(&self.must_not, segment)?;
        if must.is_empty() && filter.is_empty() && must_not.is_empty() && should.len() == 1 {
            return Ok(should.pop());
        }
        let clauses = Clauses { must, filter, should, must_not, min_should: self.min_should };
        Ok(Some(Box::new(BooleanScorer::new(clauses))))
    }

    /// Only terms, either all required or any one of them enough.
    fn shortcut<'a>(&'a self, segment: &'a SegmentView) -> Option<Shortcut<'a>> {
        if !self.filter.is_empty() || !self.must_not.is_empty() {
            return None;
        }
        if self.must.is_empty() && self.min_should == 1 {
            let mut clauses = Vec::with_capacity(self.should.len());
            for weight in &self.should {
                match single_term(weight.as_ref(), segment)? {
                    Some(clause) => clauses.push(clause),
                    None => continue,
                }
            }
            return Some(if clauses.is_empty() { Shortcut::Nothing } else { Shortcut::Union(clauses) });
        }
        if !self.should.is_empty() {
            return None;
        }
        let mut clauses = Vec::with_capacity(self.must.len());
        for weight in &self.must {
            match single_term(weight.as_ref(), segment)? {
                Some(clause) => clauses.push(clause),
                None => return Some(Shortcut::Nothing),
            }
        }
        Some(Shortcut::Intersection(clauses))
    }
}

/// The clause of a weight that is one term; `Some(None)` when the segment lacks it; `None` when it is something else.
fn single_term<'a>(weight: &'a dyn Weight, segment: &'a SegmentView) -> Option<Option<TermClause<'a>>> {
    match weight.shortcut(segment)? {
        Shortcut::Nothing => Some(None),
        Shortcut::Union(clauses) => match clauses.as_slice() {
            [clause] => Some(Some(*clause)),
            _ => None,
        },
        Shortcut::Intersection(_) | Shortcut::Phrase(_) | Shortcut::BestOf(_) => None,
    }
}

struct DisMaxWeight {
    parts: Vec<Box<dyn Weight>>,
    tie_breaker: f32,
}

impl Weight for DisMaxWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Scorer<'a>>> {
        let mut parts = some_scorers(&self.parts, segment)?;
        if parts.len() > 1 {
            return Ok(Some(Box::new(DisMaxScorer::new(parts, self.tie_breaker))));
        }
        Ok(parts.pop())
    }

    /// Only unions of terms, of which the best one counts alone.
    fn shortcut<'a>(&'a self, segment: &'a SegmentView) -> Option<Shortcut<'a>> {
        if self.tie_breaker != 0.0 {
            return None;
        }
        let mut unions = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match part.shortcut(segment)? {
                Shortcut::Nothing => {}
                Shortcut::Union(clauses) => unions.push(clauses),
                Shortcut::Intersection(_) | Shortcut::Phrase(_) | Shortcut::BestOf(_) => return None,
            }
        }
        Some(match unions.len() {
            0 => Shortcut::Nothing,
            1 => Shortcut::Union(unions.pop()?),
            _ => Shortcut::BestOf(unions),
        })
    }
}

struct BoostingWeight {
    positive: Box<dyn Weight>,
    negative: Box<dyn Weight>,
    negative_boost: f32,
}

impl Weight for BoostingWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Scorer<'a>>> {
        let Some(positive) = self.positive.scorer(segment)? else {
            return Ok(None);
        };
        Ok(Some(match self.negative.scorer(segment)? {
            Some(negative) => Box::new(BoostingScorer::new(positive, negative, self.negative_boost)),
            None => positive,
        }))
    }
}
