//! Term and phrase as [`WindowScorer`], for the generic executor.

use super::scorer::WindowScorer;
use super::topk::{PhraseClause, TermClause};
use crate::error::Result;

/// How a leaf scores its matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scoring {
    /// BM25 with the clause's weight.
    Relevance,
    /// The same score for each match; 0 for a filter.
    Constant(f32),
}

/// The documents of one term.
pub fn term_scorer<'a>(_clause: TermClause<'a>, _scoring: Scoring) -> Result<Box<dyn WindowScorer + 'a>> {
    todo!()
}

/// The documents of a phrase.
pub fn phrase_scorer<'a>(_clause: PhraseClause<'a>, _scoring: Scoring) -> Result<Box<dyn WindowScorer + 'a>> {
    todo!()
}
