//! Stored queries resolved against a mapping. Those that mean the same in each search are kept for later ones.

use super::basis::Basis;
use super::query_cache::{Key, QueryCache};
use super::stored::{StoredQuery, query_of};
use quarry_base::control::NEVER;
use quarry_base::error::Result;
use quarry_query::derived::{names_any, view_of};
use quarry_query::node::{BoolNode, Node};
use quarry_query::resolve::Resolver;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::QueryEnv;
use quarry_segment::stored::StoredScratch;
use std::cell::Cell;
use std::sync::Arc;

/// What all resolved queries that are kept for the next search may take.
const BYTES_MAX: usize = 64 << 20;
/// What a node takes beside its terms.
const NODE_BYTES: usize = size_of::<Node>();

/// A resolved query, and what it was resolved by.
#[derive(Debug)]
pub struct ResolvedQuery {
    node: Node,
    basis: Basis,
    /// Which documents match may depend on what they score.
    scores_decide: bool,
    /// What it takes; `None`: it is for one search.
    settled_bytes: Option<usize>,
}

pub static RESOLVED_QUERIES: QueryCache<ResolvedQuery> = QueryCache::new(BYTES_MAX);

impl ResolvedQuery {
    fn new(view: &ShardView, env: &QueryEnv, stored: &StoredQuery) -> Result<Self> {
        let reads_statistics = Cell::new(false);
        let node = Resolver::new(view, env).telling_statistics(&reads_statistics).resolve(&stored.query)?;
        // Statistics of the documents made such a node what it is.
        let means_the_same = !stored.names_moment() && !reads_statistics.get();
        let settled_bytes = if means_the_same { settled_bytes(&node) } else { None };
        Ok(ResolvedQuery {
            node,
            basis: Basis::new(view, env),
            scores_decide: stored.names_least_score(),
            settled_bytes,
        })
    }

    pub(super) fn node(&self) -> &Node {
        &self.node
    }
}

/// A stored query that is ready to be put to documents.
pub struct CompiledQuery {
    resolved: Arc<ResolvedQuery>,
    /// The documents with the fields computed that the query names; `None`: it names none.
    pub computed: Option<ShardView>,
}

impl CompiledQuery {
    pub fn node(&self) -> &Node {
        &self.resolved.node
    }

    pub fn scores_decide(&self) -> bool {
        self.resolved.scores_decide
    }

    /// The query and what it takes, where it means the same in each search.
    pub fn settled(&self) -> Option<(&Arc<ResolvedQuery>, usize)> {
        let bytes = self.resolved.settled_bytes.filter(|_| self.computed.is_none())?;
        Some((&self.resolved, bytes))
    }
}

/// The query that a document of the shard has in a field, for the documents of `view`; `None` where it has none.
pub(super) fn compiled_query(
    view: &ShardView,
    env: &QueryEnv,
    (segment, doc): (&SegmentView, u32),
    field: &Arc<str>,
    scratch: &mut StoredScratch,
) -> Result<Option<CompiledQuery>> {
    let key = Key { segment: segment.reader.id().uuid, doc, field: Arc::clone(field) };
    if let Some(resolved) = RESOLVED_QUERIES.find(&key).filter(|known| known.basis.fits(view, env)) {
        return Ok(Some(CompiledQuery { resolved, computed: None }));
    }
    let Some(stored) = query_of(segment, field, doc, scratch)? else { return Ok(None) };
    if names_any(view, stored.plan.as_bytes())? {
        let view = view_of(view, stored.plan.as_bytes(), NEVER)?;
        let resolved = Arc::new(ResolvedQuery::new(&view, env, &stored)?);
        return Ok(Some(CompiledQuery { resolved, computed: Some(view) }));
    }
    let resolved = Arc::new(ResolvedQuery::new(view, env, &stored)?);
    if let Some(bytes) = resolved.settled_bytes {
        RESOLVED_QUERIES.keep(&segment.reader, key, Arc::clone(&resolved), bytes);
    }
    Ok(Some(CompiledQuery { resolved, computed: None }))
}

/// What a node takes; `None` where it is not to be kept: it depends on more than the mapping, or nobody knows what it takes.
fn settled_bytes(node: &Node) -> Option<usize> {
    let beside = match node {
        Node::All | Node::None => 0,
        Node::Term { field, term, statistics: None } => field.len() + term.len(),
        Node::Synonyms { field, terms } | Node::Terms { field, terms } => field.len() + bytes_of_terms(terms),
        Node::Phrase(phrase) => {
            phrase.field.len() + phrase.terms.iter().map(|(terms, _)| NODE_BYTES + bytes_of_terms(terms)).sum::<usize>()
        }
        Node::Numbers { field, ranges } => field.len() + size_of_val(ranges.as_slice()),
        Node::Boolean { field, .. } => field.len(),
        Node::Exists { fields } => fields.iter().map(|field| NODE_BYTES + field.len()).sum(),
        Node::Bool(BoolNode { must, filter, should, must_not, .. }) => {
            bytes_of_all([must, filter, should, must_not].into_iter().flatten())?
        }
        Node::DisMax { nodes, .. } => bytes_of_all(nodes)?,
        Node::Boosting { positive, negative, .. } => settled_bytes(positive)? + settled_bytes(negative)?,
        Node::Nested(nested) => nested.path.len() + nested.parent.len() + settled_bytes(&nested.query)?,
        Node::Constant(inner) | Node::Boosted(inner, _) => settled_bytes(inner)?,
        _ => return None,
    };
    Some(NODE_BYTES + beside)
}

fn bytes_of_all<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> Option<usize> {
    nodes.into_iter().map(settled_bytes).sum()
}

fn bytes_of_terms(terms: &[Vec<u8>]) -> usize {
    terms.iter().map(|term| size_of::<Vec<u8>>() + term.len()).sum()
}
