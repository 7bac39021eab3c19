//! Stored queries resolved against a mapping. Those that mean the same in each search are kept for later ones.

use super::query_cache::{Key, QueryCache};
use super::stored::{StoredQuery, query_of};
use crate::analysis::Registry;
use crate::error::Result;
use crate::mapping::Mapping;
use crate::search::collect::control::NEVER;
use crate::search::derived::{names_any, view_of};
use crate::search::node::{BoolNode, Node};
use crate::search::resolve::Resolver;
use crate::search::view::{SegmentView, ShardView};
use crate::search::weight::QueryEnv;
use crate::segment::stored::StoredScratch;
use std::cell::Cell;
use std::sync::{Arc, Weak};

/// What all resolved queries that are kept for the next search may take.
const BYTES_MAX: usize = 64 << 20;
/// What a node takes beside its terms.
const NODE_BYTES: usize = size_of::<Node>();

/// A resolved query, and what it was resolved by.
#[derive(Debug)]
pub struct ResolvedQuery {
    node: Node,
    mapping: Weak<Mapping>,
    analysis: Weak<Registry>,
    max_clauses: u32,
    /// The node is for the documents that it was resolved for: statistics of them made it what it is.
    is_of_documents: bool,
    /// Which documents match may depend on what they score.
    scores_decide: bool,
}

pub static RESOLVED_QUERIES: QueryCache<ResolvedQuery> = QueryCache::new(BYTES_MAX);

impl ResolvedQuery {
    fn new(view: &ShardView, env: &QueryEnv, stored: &StoredQuery) -> Result<Self> {
        let reads_statistics = Cell::new(false);
        let node = Resolver::new(view, env).telling_statistics(&reads_statistics).resolve(&stored.query)?;
        Ok(ResolvedQuery {
            node,
            mapping: Arc::downgrade(&view.mapping),
            analysis: Arc::downgrade(&view.analysis),
            max_clauses: env.limits.max_clauses,
            is_of_documents: reads_statistics.get(),
            scores_decide: stored.names_least_score(),
        })
    }

    fn fits(&self, view: &ShardView, env: &QueryEnv) -> bool {
        std::ptr::eq(self.mapping.as_ptr(), Arc::as_ptr(&view.mapping))
            && std::ptr::eq(self.analysis.as_ptr(), Arc::as_ptr(&view.analysis))
            && self.max_clauses == env.limits.max_clauses
    }
}

/// A stored query that is ready to be put to documents.
pub(in crate::search) struct CompiledQuery {
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
}

/// The queries of documents that are known already, at their places.
pub(super) fn known_queries(
    view: &ShardView,
    env: &QueryEnv,
    segment: &SegmentView,
    docs: impl Iterator<Item = u32>,
    field: &Arc<str>,
) -> Vec<Option<CompiledQuery>> {
    let key = Key { segment: segment.reader.id().uuid, doc: 0, field: Arc::clone(field) };
    let known = RESOLVED_QUERIES.find_each(key, docs).into_iter();
    let fitting = |known: Option<Arc<ResolvedQuery>>| known.filter(|known| known.fits(view, env));
    known.map(|known| fitting(known).map(|resolved| CompiledQuery { resolved, computed: None })).collect()
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
    if let Some(resolved) = RESOLVED_QUERIES.find(&key).filter(|known| known.fits(view, env)) {
        return Ok(Some(CompiledQuery { resolved, computed: None }));
    }
    let Some(stored) = query_of(segment, field, doc, scratch)? else { return Ok(None) };
    if names_any(view, stored.plan.as_bytes())? {
        let view = view_of(view, stored.plan.as_bytes(), NEVER)?;
        let resolved = Arc::new(ResolvedQuery::new(&view, env, &stored)?);
        return Ok(Some(CompiledQuery { resolved, computed: Some(view) }));
    }
    let resolved = Arc::new(ResolvedQuery::new(view, env, &stored)?);
    let means_the_same = !stored.names_moment() && !resolved.is_of_documents;
    if let Some(bytes) = settled_bytes(&resolved.node).filter(|_| means_the_same) {
        RESOLVED_QUERIES.keep(key, Arc::clone(&resolved), bytes);
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
