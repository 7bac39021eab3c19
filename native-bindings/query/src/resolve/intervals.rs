//! `intervals`: rules about where words stand.

use super::field::{Target, require_searchable};
use super::script::script_node;
use super::spans::LeafList;
use super::text::token_graph::{Stretch, Words, read_text};
use super::{Resolver, failed_to_create};
use crate::node::{Node, TermBound};
use crate::positional::interval_script::IntervalScript;
use crate::positional::intervals::{IntervalRelation, IntervalTree};
use crate::positional::{LeafTerms, PositionalNode, Tree};
use crate::term_match::TermMatcher;
use crate::term_match::fuzzy::FuzzyMatcher;
use crate::term_match::regexp;
use crate::term_match::regexp::DETERMINIZED_STATES_MAX;
use crate::term_match::wildcard::Wildcard;
use quarry_analysis::Analyzer;
use quarry_base::error::{Error, Result};
use quarry_mapping::MappedField;
use quarry_mapping::spec::{FieldType, IndexOptions};
use quarry_plan::positional::{FilterRelation, IntervalKind, IntervalMode, IntervalRule, IntervalsQuery};
use quarry_plan::query::Bound;
use std::sync::Arc;

/// Terms that a rule on many terms may mean where it does not say how many.
const EXPANSIONS_MAX: u32 = 128;

impl Resolver<'_> {
    pub(super) fn intervals(&self, query: &IntervalsQuery) -> Result<Node> {
        let mut leaves = LeafList::default();
        let Target::Mapped(field) = self.target(&query.field) else { return Ok(Node::None) };
        let tree = self.interval_tree(&query.rule, field, &mut leaves)?;
        if tree == IntervalTree::Nothing {
            return Ok(Node::None);
        }
        let field = field.spec.name.clone();
        let node = PositionalNode { field, leaves: leaves.leaves, tree: Tree::Intervals(tree) };
        Ok(Node::Positional(Box::new(node)).boosted(query.boost))
    }

    fn interval_tree(&self, rule: &IntervalRule, outer: &MappedField, leaves: &mut LeafList) -> Result<IntervalTree> {
        let field = match &rule.use_field {
            None => outer,
            Some(name) => match self.target(name) {
                Target::Mapped(field) => field,
                _ => return Ok(IntervalTree::Nothing),
            },
        };
        let tree = match &rule.kind {
            IntervalKind::AllOf { intervals, max_gaps, mode } => {
                let parts = self.interval_trees(intervals, outer, leaves)?;
                combined(parts, *max_gaps, *mode)
            }
            IntervalKind::AnyOf { intervals } => {
                let mut parts = self.interval_trees(intervals, outer, leaves)?;
                parts.retain(|part| *part != IntervalTree::Nothing);
                if parts.is_empty() { IntervalTree::Nothing } else { IntervalTree::Or(parts) }
            }
            leaf => {
                require_positions(field)?;
                self.interval_leaf(leaf, field, rule.analyzer.as_deref(), leaves)?
            }
        };
        if let Some(script) = &rule.script {
            let script = script_node(script, "interval", self.scope)?;
            return Ok(IntervalTree::Chosen(Box::new(tree), Arc::new(IntervalScript::new(script))));
        }
        let Some(filter) = &rule.filter else { return Ok(tree) };
        let other = self.interval_tree(&filter.rule, outer, leaves)?;
        Ok(IntervalTree::Filtered(Box::new(tree), relation_of(filter.relation), Box::new(other)))
    }

    fn interval_trees(
        &self,
        rules: &[IntervalRule],
        field: &MappedField,
        leaves: &mut LeafList,
    ) -> Result<Vec<IntervalTree>> {
        rules.iter().map(|rule| self.interval_tree(rule, field, leaves)).collect()
    }

    fn interval_leaf(
        &self,
        kind: &IntervalKind,
        field: &MappedField,
        analyzer: Option<&str>,
        leaves: &mut LeafList,
    ) -> Result<IntervalTree> {
        let name = &field.spec.name;
        let analyzer = self.interval_analyzer(field, analyzer)?;
        let normal =
            |text: &str| -> Result<String> { Ok(String::from_utf8_lossy(&analyzer.normalize(text)?).into_owned()) };
        let (matcher, most) = match kind {
            IntervalKind::Match { query, max_gaps, mode } => {
                let text = read_text(&analyzer, query, self.env.limits.max_clauses)?;
                return Ok(matched_text(name, text, *max_gaps, *mode, leaves));
            }
            IntervalKind::Prefix { prefix } => (TermMatcher::Prefix(normal(prefix)?.into_bytes()), EXPANSIONS_MAX),
            IntervalKind::Wildcard { pattern, max_expansions } => {
                (TermMatcher::Wildcard(Wildcard::new(&normal(pattern)?, false)), *max_expansions)
            }
            IntervalKind::Regexp { pattern, flags, case_insensitive, max_expansions } => {
                let regex = regexp::compile(pattern, flags, *case_insensitive, DETERMINIZED_STATES_MAX);
                let regex = regex.map_err(failed_to_create)?;
                (TermMatcher::Regexp(regex), *max_expansions)
            }
            IntervalKind::Range { from, to } => {
                let bound = |bound: &Bound| -> Result<TermBound> {
                    let term = normal(&super::value::text_of(&bound.value))?.into_bytes();
                    Ok(TermBound { term, inclusive: bound.inclusive })
                };
                let from = from.as_ref().map(bound).transpose()?;
                (TermMatcher::Between { from, to: to.as_ref().map(bound).transpose()? }, EXPANSIONS_MAX)
            }
            IntervalKind::Fuzzy { term, fuzziness, prefix_length, transpositions } => {
                let term = normal(term)?;
                let edits = fuzziness.edits(term.chars().count());
                let matcher = FuzzyMatcher::new(&term, edits, *prefix_length, *transpositions);
                (TermMatcher::Fuzzy(matcher), EXPANSIONS_MAX)
            }
            IntervalKind::AllOf { .. } | IntervalKind::AnyOf { .. } => return Ok(IntervalTree::Nothing),
        };
        Ok(IntervalTree::Leaf(leaves.add(name, LeafTerms::Pattern { matcher, most, is_cut: false })))
    }

    fn interval_analyzer(&self, field: &MappedField, name: Option<&str>) -> Result<Arc<Analyzer>> {
        let found = match name {
            Some(name) => self.view.analysis.analyzer(name),
            None => field.search_analyzer.clone().or_else(|| field.analyzer.clone()),
        };
        found.ok_or_else(|| {
            failed_to_create(Error::illegal_argument(format!("analyzer [{}] not found", name.unwrap_or("default"))))
        })
    }
}

fn require_positions(field: &MappedField) -> Result<()> {
    let name = &field.spec.name;
    if field.spec.field_type != FieldType::Text {
        return Err(failed_to_create(Error::illegal_argument(format!(
            "Can only use interval queries on text fields - not on [{name}] which is of type [{}]",
            field.spec.type_name()
        ))));
    }
    require_searchable(field)?;
    if field.spec.index_options >= IndexOptions::Positions {
        return Ok(());
    }
    Err(failed_to_create(Error::illegal_argument(format!(
        "Cannot create intervals over field [{name}] with no positions indexed"
    ))))
}

/// The words of a text; where the analyzer took some out the next word reaches back to their place.
fn matched_text(
    field: &str,
    text: Vec<Stretch>,
    max_gaps: i32,
    mode: IntervalMode,
    leaves: &mut LeafList,
) -> IntervalTree {
    let parts = text.into_iter().enumerate().map(|(number, stretch)| match stretch {
        Stretch::Words(words) => interval_word(field, words, number == 0, leaves),
        Stretch::Readings(readings) => {
            let reading = |words: Vec<Words>| {
                let words = words.into_iter().enumerate();
                let part = |(at, word)| interval_word(field, word, number == 0 && at == 0, leaves);
                combined(words.map(part).collect(), 0, IntervalMode::Ordered)
            };
            IntervalTree::Or(readings.into_iter().map(reading).collect())
        }
    });
    combined(parts.collect(), max_gaps, mode)
}

fn interval_word(field: &str, words: Words, is_first: bool, leaves: &mut LeafList) -> IntervalTree {
    let leaf = match <[Vec<u8>; 1]>::try_from(words.terms) {
        Ok([term]) => leaves.add_term(field, term),
        Err(terms) => leaves.add(field, LeafTerms::Terms(terms)),
    };
    let leaf = IntervalTree::Leaf(leaf);
    if words.gap > 0 && !is_first { IntervalTree::Extended(Box::new(leaf), words.gap.into()) } else { leaf }
}

/// All of the parts.
fn combined(mut parts: Vec<IntervalTree>, max_gaps: i32, mode: IntervalMode) -> IntervalTree {
    if parts.is_empty() || parts.contains(&IntervalTree::Nothing) {
        return IntervalTree::Nothing;
    }
    if parts.len() == 1 {
        return parts.pop().unwrap_or(IntervalTree::Nothing);
    }
    let tree = match mode {
        IntervalMode::Ordered if max_gaps == 0 => return IntervalTree::Block(parts),
        IntervalMode::Ordered => ordered(parts),
        IntervalMode::Unordered => unordered(parts),
        IntervalMode::UnorderedNoOverlap => without_overlap(parts),
    };
    if max_gaps < 0 { tree } else { IntervalTree::MaxGaps(Box::new(tree), max_gaps.into()) }
}

/// A part that is there several times must match at several places.
fn unordered(parts: Vec<IntervalTree>) -> IntervalTree {
    let mut counted: Vec<(IntervalTree, usize)> = Vec::new();
    for part in parts {
        match counted.iter_mut().find(|(known, _)| *known == part) {
            Some((_, count)) => *count += 1,
            None => counted.push((part, 1)),
        }
    }
    one_or_all(counted, IntervalTree::Unordered)
}

/// As [`unordered`] for those that follow one another.
fn ordered(parts: Vec<IntervalTree>) -> IntervalTree {
    let mut counted: Vec<(IntervalTree, usize)> = Vec::new();
    for part in parts {
        match counted.last_mut() {
            Some((known, count)) if *known == part => *count += 1,
            _ => counted.push((part, 1)),
        }
    }
    one_or_all(counted, IntervalTree::Ordered)
}

fn one_or_all(counted: Vec<(IntervalTree, usize)>, all: impl Fn(Vec<IntervalTree>) -> IntervalTree) -> IntervalTree {
    let whole = |(part, count)| if count == 1 { part } else { IntervalTree::Repeated(Box::new(part), count) };
    let mut parts: Vec<IntervalTree> = counted.into_iter().map(whole).collect();
    if parts.len() == 1 { parts.pop().unwrap_or(IntervalTree::Nothing) } else { all(parts) }
}

/// Each part before or behind what the parts before it match.
fn without_overlap(parts: Vec<IntervalTree>) -> IntervalTree {
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or(IntervalTree::Nothing);
    parts.fold(first, |tree, part| {
        let (before, after) = (vec![tree.clone(), part.clone()], vec![part, tree]);
        IntervalTree::Or(vec![ordered(before), ordered(after)])
    })
}

fn relation_of(relation: FilterRelation) -> IntervalRelation {
    match relation {
        FilterRelation::Containing => IntervalRelation::Containing,
        FilterRelation::NotContaining => IntervalRelation::NotContaining,
        FilterRelation::ContainedBy => IntervalRelation::ContainedBy,
        FilterRelation::NotContainedBy => IntervalRelation::NotContainedBy,
        FilterRelation::Overlapping => IntervalRelation::Overlapping,
        FilterRelation::NotOverlapping => IntervalRelation::NotOverlapping,
        FilterRelation::Before => IntervalRelation::Before,
        FilterRelation::After => IntervalRelation::After,
    }
}
