//! Span queries and intervals as text.

use super::describe::text;
use crate::positional::intervals::{IntervalRelation, IntervalTree};
use crate::positional::spans::SpanTree;
use crate::positional::{LeafSpec, LeafTerms, PositionalNode, Tree};

pub(super) fn describe_positional(node: &PositionalNode) -> String {
    match &node.tree {
        Tree::Spans(tree) => describe_spans(tree, &node.leaves),
        Tree::Intervals(tree) => format!("{}:{}", node.field, describe_intervals(tree, &node.leaves)),
    }
}

fn describe_leaf(leaf: Option<&LeafSpec>) -> String {
    match leaf.map(|leaf| &leaf.terms) {
        Some(LeafTerms::Terms(terms)) => terms.iter().map(|term| text(term)).collect::<Vec<_>>().join("|"),
        Some(LeafTerms::Pattern { matcher, .. }) => matcher.describe(),
        None => String::new(),
    }
}

fn describe_spans(tree: &SpanTree, leaves: &[LeafSpec]) -> String {
    let list = |clauses: &[SpanTree]| {
        clauses.iter().map(|clause| describe_spans(clause, leaves)).collect::<Vec<_>>().join(", ")
    };
    match tree {
        SpanTree::Nothing => "spanNothing".to_owned(),
        SpanTree::Leaf(leaf) => {
            let spec = leaves.get(*leaf);
            format!("{}:{}", spec.map_or("", |leaf| leaf.field.as_str()), describe_leaf(spec))
        }
        SpanTree::Or(clauses) => format!("spanOr([{}])", list(clauses)),
        SpanTree::Near { clauses, slop, in_order, .. } => format!("spanNear([{}], {slop}, {in_order})", list(clauses)),
        SpanTree::Not { include, exclude, before, after } => format!(
            "spanNot({}, {}, {before}, {after})",
            describe_spans(include, leaves),
            describe_spans(exclude, leaves)
        ),
        SpanTree::Within { inner, end } => format!("spanFirst({}, {end})", describe_spans(inner, leaves)),
        SpanTree::Containing { big, little } => {
            format!("SpanContaining({}, {})", describe_spans(big, leaves), describe_spans(little, leaves))
        }
        SpanTree::ContainedBy { little, big } => {
            format!("SpanWithin({}, {})", describe_spans(little, leaves), describe_spans(big, leaves))
        }
    }
}

fn describe_intervals(tree: &IntervalTree, leaves: &[LeafSpec]) -> String {
    let list = |parts: &[IntervalTree]| {
        parts.iter().map(|part| describe_intervals(part, leaves)).collect::<Vec<_>>().join(",")
    };
    match tree {
        IntervalTree::Nothing => "NOMATCH".to_owned(),
        IntervalTree::Leaf(leaf) => describe_leaf(leaves.get(*leaf)),
        IntervalTree::Or(parts) => format!("or({})", list(parts)),
        IntervalTree::Ordered(parts) => format!("ORDERED({})", list(parts)),
        IntervalTree::Unordered(parts) => format!("UNORDERED({})", list(parts)),
        IntervalTree::Block(parts) => format!("BLOCK({})", list(parts)),
        IntervalTree::Repeated(inner, count) => {
            format!("UNORDERED({})", vec![describe_intervals(inner, leaves); *count].join(","))
        }
        IntervalTree::MaxGaps(inner, most) => format!("MAXGAPS/{most}({})", describe_intervals(inner, leaves)),
        IntervalTree::Extended(inner, before) => format!("EXTEND({},{before},0)", describe_intervals(inner, leaves)),
        IntervalTree::Chosen(inner, _) => format!("FILTER(script)({})", describe_intervals(inner, leaves)),
        IntervalTree::Filtered(inner, relation, filter) => {
            let name = match relation {
                IntervalRelation::Containing => "CONTAINING",
                IntervalRelation::NotContaining => "NOT_CONTAINING",
                IntervalRelation::ContainedBy => "CONTAINED_BY",
                IntervalRelation::NotContainedBy => "NOT_CONTAINED_BY",
                IntervalRelation::Overlapping => "OVERLAPPING",
                IntervalRelation::NotOverlapping => "NON_OVERLAPPING",
                IntervalRelation::Before => "BEFORE",
                IntervalRelation::After => "AFTER",
            };
            format!("{name}({},{})", describe_intervals(inner, leaves), describe_intervals(filter, leaves))
        }
    }
}
