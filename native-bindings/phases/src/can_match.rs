//! Whether a shard can hold a match at all, told from its mapping and from the least and greatest values of its columns.

use crate::ABOVE;
use quarry_base::control::NEVER;
use quarry_base::error::Result;
use quarry_plan::request::CountPlan;
use quarry_query::node::{BoolNode, Node};
use quarry_query::resolve::Resolver;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;

/// `false` only when nothing of the shard matches; costs no more than a look at each segment's columns.
///
/// Errors: a query that does not fit the mapping.
pub fn can_match(view: &ShardView, plan: &CountPlan) -> Result<bool> {
    let env = QueryEnv { now_ms: plan.now_ms, limits: plan.limits.clone(), is_cancelled: NEVER, above: ABOVE };
    let node = Resolver::new(view, &env).resolve(&plan.query)?;
    Ok(may_match(view, &node))
}

fn may_match(view: &ShardView, node: &Node) -> bool {
    match node {
        Node::None => false,
        Node::Numbers { field, ranges } => view.segments.iter().any(|segment| {
            let range = segment.field(field).and_then(|reader| reader.numeric()).and_then(|column| column.range());
            range.is_some_and(|(least, greatest)| ranges.iter().any(|(low, high)| *low <= greatest && least <= *high))
        }),
        Node::NumberBitmap { field, wanted } => view.segments.iter().any(|segment| {
            let range = segment.field(field).and_then(|reader| reader.numeric()).and_then(|column| column.range());
            range.is_some_and(|(least, greatest)| wanted.reaches(least, greatest))
        }),
        Node::Ranges { field, wanted } => view.segments.iter().any(|segment| {
            let columns = segment.field(field).and_then(|reader| reader.ranges());
            columns.is_some_and(|columns| (0..columns.window_count()).any(|window| columns.may_match(window, wanted)))
        }),
        Node::Bool(clauses) => bool_may_match(view, clauses),
        Node::DisMax { nodes, .. } => nodes.iter().any(|node| may_match(view, node)),
        Node::Boosting { positive, .. } => may_match(view, positive),
        Node::ScriptScore(inner) => may_match(view, &inner.inner),
        Node::Nested(nested) => may_match(view, &nested.query),
        Node::Join(join) => may_match(view, &join.from),
        Node::Constant(inner) | Node::Boosted(inner, _) => may_match(view, inner),
        _ => true,
    }
}

fn bool_may_match(view: &ShardView, clauses: &BoolNode) -> bool {
    let required = clauses.must.iter().chain(&clauses.filter);
    let optional = clauses.should.iter().filter(|node| may_match(view, node)).count();
    required.into_iter().all(|node| may_match(view, node)) && optional >= clauses.min_should as usize
}
