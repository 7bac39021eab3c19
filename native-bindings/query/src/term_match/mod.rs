//! Which terms of a dictionary a pattern means.
//!
//! A matcher narrows the dictionary to the terms with its literal prefix and decides on each of those.
mod derivative;
mod ending;
pub mod fuzzy;
pub mod regexp;
#[cfg(test)]
mod tests;
pub mod wildcard;

use crate::node::TermBound;
use fuzzy::{FuzzyMatcher, NextNear};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_mapping::version;
use quarry_postings::{FieldPostingsReader, TermEntry, TermIterator};
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
                let begins_so = |term: &str| match term.as_bytes().get(..prefix.len()) {
                    Some(beginning) if term.is_ascii() => beginning.eq_ignore_ascii_case(prefix.as_bytes()),
                    None if term.is_ascii() => false,
                    _ => term.to_lowercase().starts_with(prefix.as_str()),
                };
                std::str::from_utf8(term).is_ok_and(begins_so)
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

    /// Whether the term is one of those that the pattern means.
    pub fn accepts(&mut self, term: &[u8]) -> Result<bool> {
        Ok(term.starts_with(self.literal_prefix()) && self.weigh(term)?.is_some())
    }

    /// Calls `found` with each accepted term in ascending order until it returns `false`.
    pub fn each_term(
        &self,
        postings: &FieldPostingsReader,
        found: impl FnMut(&[u8], TermEntry, f32) -> Result<bool>,
    ) -> Result<()> {
        let prefix = self.literal_prefix();
        let mut walk = Walk { terms: postings.terms_from(prefix)?, prefix, found, looked_at: 0 };
        match self {
            TermMatcher::Fuzzy(fuzzy) => walk.near(fuzzy.clone()),
            TermMatcher::Wildcard(wildcard) => walk.matching(wildcard),
            matcher => {
                let mut matcher = matcher.clone();
                walk.accepted(|term| matcher.weigh(term))
            }
        }
    }
}

/// Terms that are looked at between two looks at the cancellation.
const TERMS_BETWEEN_LOOKS: u32 = 4_096;

/// A walk over the terms with a prefix.
struct Walk<'a, F> {
    terms: TermIterator<'a>,
    prefix: &'a [u8],
    found: F,
    /// Terms that were looked at.
    looked_at: u32,
}

impl<F: FnMut(&[u8], TermEntry, f32) -> Result<bool>> Walk<'_, F> {
    /// All that have a weight.
    #[inline]
    fn accepted(&mut self, mut weigh: impl FnMut(&[u8]) -> Result<Option<f32>>) -> Result<()> {
        while let Some(term) = self.terms.next_term()? {
            // To compare with nothing takes long: its address is that of no memory.
            if !self.prefix.is_empty() && !term.starts_with(self.prefix) {
                break;
            }
            if let Some(weight) = weigh(term)?
                && !self.hand_on(weight)?
            {
                break;
            }
            self.look()?;
        }
        Ok(())
    }

    /// Once in a while: whether somebody cancelled the search.
    #[inline]
    fn look(&mut self) -> Result<()> {
        self.looked_at = self.looked_at.wrapping_add(1);
        if self.looked_at.is_multiple_of(TERMS_BETWEEN_LOOKS) { interrupt::check() } else { Ok(()) }
    }

    /// Those of a pattern. Most are refused by their end: the loop around that must be tight.
    #[inline]
    fn matching(&mut self, wildcard: &Wildcard) -> Result<()> {
        let prefix = self.prefix;
        // What shares the whole prefix with a term that has it need not be held against it.
        while let Some(term) = self.terms.next_unless(|own| own.shared >= prefix.len() && wildcard.refuses(own))? {
            // To compare with nothing takes long: its address is that of no memory.
            if !prefix.is_empty() && !term.starts_with(prefix) {
                break;
            }
            if wildcard.matches(term) && !self.hand_on(1.0)? {
                break;
            }
            self.look()?;
        }
        Ok(())
    }

    /// Those near a text; what cannot be near is passed over.
    fn near(&mut self, mut fuzzy: FuzzyMatcher) -> Result<()> {
        while let Some(term) = self.terms.next_term()? {
            if !self.prefix.is_empty() && !term.starts_with(self.prefix) {
                break;
            }
            match fuzzy.weigh(term) {
                Some(weight) if !self.hand_on(weight)? => break,
                Some(_) => {}
                None => match fuzzy.next_near() {
                    NextNear::Anywhere => {}
                    NextNear::From(least) => self.terms.seek(&least)?,
                    NextNear::Nowhere => break,
                },
            }
            self.look()?;
        }
        Ok(())
    }

    /// The term that the walk is at.
    fn hand_on(&mut self, weight: f32) -> Result<bool> {
        let entry = self.terms.entry()?;
        (self.found)(self.terms.term(), entry, weight)
    }
}
