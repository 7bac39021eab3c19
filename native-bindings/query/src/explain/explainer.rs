//! Explanations along the tree of a resolved query. Each value is what the query's own scorer says for the document.

use super::describe::{Describer, describe_function};
use super::term::explain_term;
use crate::children;
use crate::functions::FunctionScoreNode;
use crate::functions::combine::Factor;
use crate::functions::function::SegmentFunction;
use crate::node::{BoolNode, NestedNode, Node};
use crate::resolve::Resolver;
use crate::view::{SegmentView, ShardView};
use crate::weight::{QueryEnv, score_of, weigh};
use quarry_base::error::Result;
use quarry_codec::window::WINDOW;
use quarry_plan::function_score::{BoostMode, ScoreMode};
use quarry_plan::query::Query;
use quarry_scores::explanation::Explanation;
use quarry_scores::explanation::float;

/// Explains the score of a document of the shard.
pub fn explain(view: &ShardView, env: &QueryEnv, query: &Query, doc: u32) -> Result<Explanation> {
    let node = Resolver::new(view, env).resolve(query)?;
    let (segment, local) = view.locate(doc)?;
    let place = Place { view, env, segment, doc: local };
    place.explain(&node, 1.0)
}

/// A document and where it is.
pub(super) struct Place<'a> {
    pub view: &'a ShardView,
    pub env: &'a QueryEnv<'a>,
    pub segment: &'a SegmentView,
    /// In the segment.
    pub doc: u32,
}

impl Place<'_> {
    pub(super) fn describe(&self, node: &Node) -> String {
        Describer::new(&self.view.mapping).describe(node)
    }

    pub(super) fn score(&self, node: &Node, boost: Option<f32>) -> Result<Option<f32>> {
        score_of(self.view, self.env, node, boost, self.segment, self.doc)
    }

    fn explain(&self, node: &Node, boost: f32) -> Result<Explanation> {
        match node {
            Node::Boosted(inner, factor) => self.explain(inner, boost * factor),
            Node::Bool(inner) => self.explain_bool(inner, boost),
            Node::DisMax { nodes, tie_breaker } => self.explain_dis_max(nodes, *tie_breaker, boost),
            Node::FunctionScore(inner) => self.explain_function_score(node, inner, boost),
            Node::Nested(nested) => self.explain_nested(node, nested, boost),
            Node::Boosting { positive, .. } => {
                let details = vec![self.explain(positive, boost)?];
                self.explain_whole(node, boost, details)
            }
            Node::Term { field, term, statistics } => explain_term(self, field, term, *statistics, node, boost),
            Node::Synonyms { .. }
            | Node::Phrase(_)
            | Node::Combined(_)
            | Node::Positional(_)
            | Node::Boolean { .. } => self.explain_weight(node, boost),
            Node::TopTerms(_)
            | Node::Feature(_)
            | Node::Covering { .. }
            | Node::ScriptScore(_)
            | Node::Join(_)
            | Node::Percolate(_)
            | Node::Knn(_)
            | Node::Near(_)
            | Node::Found(_) => self.explain_whole(node, boost, Vec::new()),
            constant => self.explain_constant(constant, boost),
        }
    }

    /// Matches that all score the boost.
    fn explain_constant(&self, node: &Node, boost: f32) -> Result<Explanation> {
        let described = match node {
            Node::All | Node::Constant(_) => self.describe(node),
            other => format!("ConstantScore({})", self.describe(other)),
        };
        Ok(match self.score(node, Some(boost))? {
            Some(score) => {
                let power = if boost == 1.0 { String::new() } else { format!("^{}", float(boost)) };
                Explanation::of(score, format!("{described}{power}"), Vec::new())
            }
            None => Explanation::no_match(format!("{described} doesn't match id {}", self.doc), Vec::new()),
        })
    }

    /// The score, and that of the nested document that matches best.
    fn explain_nested(&self, node: &Node, nested: &NestedNode, boost: f32) -> Result<Explanation> {
        let reader = &self.segment.reader;
        let (score, among) = (self.score(node, Some(boost))?, reader.nested_at(&nested.path)?);
        let (Some(score), Some(among), Some(parents)) = (score, among, reader.nested_at(&nested.parent)?) else {
            return Ok(Explanation::no_match("No matching children", Vec::new()));
        };
        let first = parents.block_start(self.doc);
        let weight = weigh(self.view, self.env, &nested.query, Some(boost))?;
        let matched = children::matching(weight.as_ref(), self.segment, among, first..self.doc)?;
        let best = matched.iter().max_by(|(_, left), (_, right)| left.total_cmp(right));
        let Some((best, _)) = best else { return Ok(Explanation::no_match("No matching children", Vec::new())) };
        let described = format!(
            "Score based on {} child docs in range from {} to {}, using score mode {:?}",
            matched.len(),
            self.segment.doc_base + first,
            self.segment.doc_base + self.doc.saturating_sub(1),
            nested.score,
        );
        let child = Place { doc: *best, ..*self };
        Ok(Explanation::of(score, described, vec![child.explain(&nested.query, boost)?]))
    }

    fn explain_whole(&self, node: &Node, boost: f32, details: Vec<Explanation>) -> Result<Explanation> {
        let described = self.describe(node);
        Ok(match self.score(node, Some(boost))? {
            Some(score) => Explanation::of(score, described, details),
            None => Explanation::no_match(format!("{described} doesn't match id {}", self.doc), details),
        })
    }

    /// Whatever scores by frequency and statistics.
    fn explain_weight(&self, node: &Node, boost: f32) -> Result<Explanation> {
        Ok(match self.score(node, Some(boost))? {
            Some(score) => {
                let described =
                    format!("weight({} in {}) [PerFieldSimilarity], result of:", self.describe(node), self.doc);
                let inner = Explanation::of(score, "score, computed from frequency, statistics and length", Vec::new());
                Explanation::of(score, described, vec![inner])
            }
            None => Explanation::no_match("no matching term", Vec::new()),
        })
    }

    fn explain_bool(&self, node: &BoolNode, boost: f32) -> Result<Explanation> {
        let mut details = Vec::new();
        let mut sum = 0.0;
        let mut failed = false;
        let mut matched = 0u32;
        for clause in &node.must {
            let explained = self.explain(clause, boost)?;
            if explained.is_match {
                sum += explained.value;
                details.push(explained);
            } else {
                failed = true;
                details.push(self.unmet("no match on required clause", clause, explained));
            }
        }
        for clause in &node.filter {
            let explained = self.explain(clause, 1.0)?;
            if explained.is_match {
                let parts = vec![Explanation::of(0.0f32, "# clause", Vec::new()), explained];
                details.push(Explanation::of(0.0f32, "match on required clause, product of:", parts));
            } else {
                failed = true;
                let described = self.describe(clause);
                details.push(Explanation::no_match(format!("no match on required clause ({described})"), Vec::new()));
            }
        }
        for clause in &node.should {
            let explained = self.explain(clause, boost)?;
            if explained.is_match {
                matched += 1;
                sum += explained.value;
                details.push(explained);
            }
        }
        for clause in &node.must_not {
            if self.score(clause, None)?.is_some() {
                failed = true;
                let described = self.describe(clause);
                details.push(Explanation::no_match(format!("match on prohibited clause ({described})"), Vec::new()));
            }
        }
        Ok(if failed {
            Explanation::no_match("Failure to meet condition(s) of required/prohibited clause(s)", details)
        } else if matched == 0 && node.must.is_empty() && node.filter.is_empty() {
            Explanation::no_match("No matching clauses", Vec::new())
        } else if matched < node.min_should {
            let least = node.min_should;
            Explanation::no_match(format!("Failure to match minimum number of optional clauses: {least}"), details)
        } else {
            Explanation::of(sum as f32, "sum of:", details)
        })
    }

    fn unmet(&self, why: &str, clause: &Node, explained: Explanation) -> Explanation {
        Explanation::no_match(format!("{why} ({})", self.describe(clause)), vec![explained])
    }

    /// The score is put together from those of the parts, as their scorer does: each level that asked for its own would score all below it.
    fn explain_dis_max(&self, nodes: &[Node], tie_breaker: f32, boost: f32) -> Result<Explanation> {
        let details = nodes.iter().map(|node| self.explain(node, boost)).collect::<Result<Vec<_>>>()?;
        let details: Vec<Explanation> = details.into_iter().filter(|detail| detail.is_match).collect();
        if details.is_empty() {
            return Ok(Explanation::no_match("No matching clause", Vec::new()));
        }
        let description = if tie_breaker == 0.0 {
            "max of:".to_owned()
        } else {
            format!("max plus {} times others of:", float(tie_breaker))
        };
        let (mut best, mut others) = (0f32, 0f32);
        for score in details.iter().map(|detail| detail.value as f32) {
            others += score.min(best);
            best = best.max(score);
        }
        Ok(Explanation::of(best + others * tie_breaker, description, details))
    }

    fn explain_function_score(&self, node: &Node, inner: &FunctionScoreNode, boost: f32) -> Result<Explanation> {
        let query = self.explain(&inner.query, boost)?;
        if !query.is_match {
            return Ok(query);
        }
        let mut details = Vec::new();
        let mut factor = Factor::new(inner.modes.score);
        let (window, doc) = (self.doc / WINDOW as u32, (self.doc % WINDOW as u32) as u16);
        // Once for all functions.
        let mut inner_score = None;
        for function in &inner.functions {
            let applies = match &function.filter {
                Some(filter) => self.score(filter, None)?.is_some(),
                None => true,
            };
            if !applies || factor.is_settled() {
                continue;
            }
            let weight = function.weight.unwrap_or(1.0);
            let mut valued = SegmentFunction::new(&function.function, self.view, self.segment)?;
            let score = match inner_score {
                Some(score) => score,
                None => *inner_score.insert(self.score(&inner.query, Some(boost))?.unwrap_or_default()),
            };
            let value = valued.value(window, doc, score)? * weight;
            factor.add(value, weight);
            let described = Explanation::of(value, describe_function(&function.function, function.weight), Vec::new());
            details.push(match &function.filter {
                None => described,
                Some(filter) => {
                    let matched = Explanation::of(1.0, format!("match filter: {}", self.describe(filter)), Vec::new());
                    Explanation::of(value, "function score, product of:", vec![matched, described])
                }
            });
        }
        let computed = if details.is_empty() {
            Explanation::of(1.0, "No function matched", Vec::new())
        } else {
            let mode = score_mode_name(inner.modes.score);
            Explanation::of(factor.value(), format!("function score, score mode [{mode}]"), details)
        };
        let most = Explanation::of(inner.modes.max_boost, "maxBoost", Vec::new());
        let limited =
            Explanation::of(factor.value().min(inner.modes.max_boost.into()), "min of:", vec![computed, most]);
        Ok(match self.score(node, Some(boost))? {
            Some(score) => Explanation::of(score, combination(inner.modes.boost), vec![query, limited]),
            None => {
                let least = inner.min_score.unwrap_or_default();
                Explanation::no_match(
                    format!("Score value is too low, expected at least {} but got less", float(least)),
                    vec![query, limited],
                )
            }
        })
    }
}

fn score_mode_name(mode: ScoreMode) -> &'static str {
    match mode {
        ScoreMode::Multiply => "multiply",
        ScoreMode::Sum => "sum",
        ScoreMode::Avg => "avg",
        ScoreMode::First => "first",
        ScoreMode::Max => "max",
        ScoreMode::Min => "min",
    }
}

fn combination(mode: BoostMode) -> &'static str {
    match mode {
        BoostMode::Multiply => "function score, product of:",
        BoostMode::Replace => "function score, replaced by:",
        BoostMode::Sum => "sum of",
        BoostMode::Avg => "avg of",
        BoostMode::Max => "max of",
        BoostMode::Min => "min of",
    }
}
