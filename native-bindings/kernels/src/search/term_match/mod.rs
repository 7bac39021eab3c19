//! Which terms of a dictionary a pattern means.
//!
//! A matcher narrows the dictionary to the terms with its literal prefix and decides on each of those.
mod derivative;
pub mod fuzzy;
pub mod regexp;
mod regexp_syntax;
pub mod wildcard;

use crate::error::Result;
use crate::mapping::version;
use crate::postings::{FieldPostingsReader, TermEntry};
use crate::search::node::TermBound;
use fuzzy::FuzzyMatcher;
use regexp::Regexp;
use wildcard::Wildcard;

/// Decides on the terms of a dictionary in ascending order.
#[derive(Debug, Clone)]
pub enum TermMatcher {
    Prefix(Vec<u8>),
    /// A prefix without regard to the case of letters, lowercased.
    FoldedPrefix(String),
    Wildcard(Wildcard),
    Regexp(Regexp),
    Fuzzy(FuzzyMatcher),
    /// One term without regard to the case of letters, lowercased.
    Folded(String),
    /// A pattern of texts on a dictionary of versions.
    Version(Box<TermMatcher>),
    /// Terms from one to another.
    Between {
        from: Option<TermBound>,
        to: Option<TermBound>,
    },
}

impl TermMatcher {
    /// Every accepted term starts with this.
    fn literal_prefix(&self) -> &[u8] {
        match self {
            TermMatcher::Prefix(prefix) => prefix,
            TermMatcher::Wildcard(wildcard) => wildcard.literal_prefix(),
            TermMatcher::Fuzzy(fuzzy) => fuzzy.literal_prefix(),
            TermMatcher::FoldedPrefix(_)
            | TermMatcher::Regexp(_)
            | TermMatcher::Folded(_)
            | TermMatcher::Version(_)
            | TermMatcher::Between { .. } => b"",
        }
    }

    /// The weight of an accepted term: 1, or less for a term some edits away.
    fn weigh(&mut self, term: &[u8]) -> Result<Option<f32>> {
        let accepted = match self {
            TermMatcher::Prefix(_) => true,
            TermMatcher::FoldedPrefix(prefix) => {
                std::str::from_utf8(term).is_ok_and(|term| term.to_lowercase().starts_with(prefix.as_str()))
            }
            TermMatcher::Wildcard(wildcard) => wildcard.matches(term),
            TermMatcher::Regexp(regex) => regex.matches(term)?,
            TermMatcher::Folded(folded) => std::str::from_utf8(term).is_ok_and(|term| term.to_lowercase() == *folded),
            TermMatcher::Between { from, to } => {
                let above = |bound: &TermBound| term > bound.term.as_slice() || (bound.inclusive && term == bound.term);
                let below = |bound: &TermBound| term < bound.term.as_slice() || (bound.inclusive && term == bound.term);
                from.as_ref().is_none_or(above) && to.as_ref().is_none_or(below)
            }
            TermMatcher::Fuzzy(fuzzy) => return Ok(fuzzy.weigh(term)),
            TermMatcher::Version(pattern) => {
                let text = version::decode(term);
                return if text.as_bytes().starts_with(pattern.literal_prefix()) {
                    pattern.weigh(text.as_bytes())
                } else {
                    Ok(None)
                };
            }
        };
        Ok(accepted.then_some(1.0))
    }

    /// After a term was refused: how many of its bytes were enough for that, where this is known.
    fn dead_prefix(&self) -> Option<usize> {
        match self {
            TermMatcher::Fuzzy(fuzzy) => fuzzy.dead_prefix(),
            _ => None,
        }
    }

    /// Whether the term is one of those that the pattern means.
    pub(crate) fn accepts(&mut self, term: &[u8]) -> Result<bool> {
        Ok(term.starts_with(self.literal_prefix()) && self.weigh(term)?.is_some())
    }

    /// Calls `found` with each accepted term in ascending order until it returns `false`.
    pub fn each_term(
        &self,
        postings: &FieldPostingsReader,
        mut found: impl FnMut(&[u8], TermEntry, f32) -> Result<bool>,
    ) -> Result<()> {
        let mut matcher = self.clone();
        let prefix = self.literal_prefix();
        let mut terms = postings.terms_from(prefix)?;
        while let Some(term) = terms.next_term()? {
            if !term.starts_with(prefix) {
                break;
            }
            if let Some(weight) = matcher.weigh(term)? {
                let entry = terms.entry()?;
                if !found(terms.term(), entry, weight)? {
                    break;
                }
            } else if let Some(length) = matcher.dead_prefix() {
                terms.skip_prefix(length)?;
            }
        }
        Ok(())
    }
}
