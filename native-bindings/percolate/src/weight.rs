//! Documents whose stored query matches one that is percolated.

use crate::key_filter::key_filter;
use crate::scorer::PercolateScorer;
use crate::{ALWAYS, Verifier, has_key, key_in, term_of};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_postings::{FieldPostingsReader, TermEntry};
use quarry_query::node::PercolateNode;
use quarry_query::scorers::sets::Bitmap;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::{Boost, QueryEnv, Weight};
use quarry_scores::scorer::WindowScorer;

/// Keys that are looked up between looks for cancellation.
const KEYS_BETWEEN_LOOKS: usize = 4_096;

struct PercolateWeight {
    verifier: Verifier,
    scope: String,
    boost: Boost,
}

/// Weighs a `percolate` query. Errors: see [`Verifier::new`].
pub fn weigh(view: &ShardView, env: &QueryEnv<'_>, node: &PercolateNode, boost: Boost) -> Result<Box<dyn Weight>> {
    let verifier = Verifier::new(view, &node.field, &node.documents, (env.now_ms, &env.limits))?;
    Ok(Box::new(PercolateWeight { verifier, scope: node.scope.clone(), boost }))
}

impl Weight for PercolateWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let field = segment.field(&self.verifier.field);
        let Some(postings) = field.and_then(|field| field.postings()) else { return Ok(None) };
        let entries = self.candidates(segment, postings)?;
        if entries.is_empty() {
            return Ok(None);
        }
        let found = Bitmap::union(postings, &entries, segment.max_doc())?;
        Ok(Some(Box::new(PercolateScorer::new((&self.verifier, &self.scope), segment, found, self.boost))))
    }
}

impl PercolateWeight {
    /// The terms of queries that may match.
    fn candidates(&self, segment: &SegmentView, postings: &FieldPostingsReader) -> Result<Vec<TermEntry>> {
        let mut entries = Vec::new();
        let keys = self.verifier.percolated.keys.as_deref();
        match keys {
            Some(keys) if keys.len() < postings.term_count() as usize => {
                entries.extend(postings.lookup(ALWAYS)?);
                let filter = key_filter(segment, &self.verifier.field, postings)?;
                let may_have = |key| filter.as_ref().is_none_or(|filter| filter.may_have(key));
                for (looked_up, &key) in keys.iter().filter(|&&key| may_have(key)).enumerate() {
                    if looked_up.is_multiple_of(KEYS_BETWEEN_LOOKS) {
                        interrupt::check()?;
                    }
                    entries.extend(postings.lookup(&term_of(key))?);
                }
            }
            keys => {
                let mut terms = postings.terms_from(b"")?;
                while let Some((term, entry)) = terms.next()? {
                    let counts = |keys| key_in(term).is_some_and(|key| has_key(keys, key));
                    if term == ALWAYS || keys.is_none_or(counts) {
                        entries.push(entry);
                    }
                }
            }
        }
        Ok(entries)
    }
}
