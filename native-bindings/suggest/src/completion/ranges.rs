//! The terms of a segment that begin with what is looked for: ranges of ordinals, because terms are in order.

use super::contexts::QueryContext;
use super::matcher::{Matcher, Verdict};
use crate::check_cancelled;
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, Result};
use quarry_postings::FieldPostingsReader;
use quarry_segment::completion::key::{FORM_END, context_bytes};
use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of one segment: beginnings that are alike enough, in all contexts.
const RANGES_MAX: usize = 100_000;
/// Terms between two looks at the cancellation.
const CHECK_EVERY: u32 = 1_024;
/// Terms that are read before it is quicker to look a further one up.
const READ_ON: u32 = 16;

/// Terms with one beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct TermRange {
    pub terms: Range<u32>,
    pub boost: f32,
}

/// `contexts`: of a field that has some.
pub fn find(
    postings: &FieldPostingsReader,
    contexts: Option<&[QueryContext]>,
    matcher: &mut Matcher,
    is_cancelled: IsCancelled<'_>,
) -> Result<Vec<TermRange>> {
    let mut walk = Walk { postings, matcher, is_cancelled, until_check: CHECK_EVERY, ranges: Vec::new() };
    match contexts {
        None => walk.context(&[], 0.0)?,
        Some(contexts) => {
            for (context, boost) in known_contexts(postings, contexts, is_cancelled)? {
                walk.context(&context, boost)?;
            }
        }
    }
    Ok(walk.ranges)
}

/// The contexts of the segment that are meant, with their boosts: that of the longest value which they begin with.
fn known_contexts(
    postings: &FieldPostingsReader,
    contexts: &[QueryContext],
    is_cancelled: IsCancelled<'_>,
) -> Result<BTreeMap<Vec<u8>, f32>> {
    let mut known: BTreeMap<Vec<u8>, (usize, f32)> = BTreeMap::new();
    for context in contexts {
        let start = context.start();
        let mut next = Some(start.clone());
        while let Some(from) = next {
            check_cancelled(is_cancelled)?;
            let mut terms = postings.terms_from(&from)?;
            let Some((term, _)) = terms.next()?.filter(|(term, _)| term.starts_with(&start)) else { break };
            let Some(end) = context_bytes(term) else {
                return Err(Error::corrupt("a term of a completion field has no context"));
            };
            let found = known.entry(term[..end].to_vec()).or_insert((context.bytes.len(), context.boost));
            if context.bytes.len() > found.0 {
                *found = (context.bytes.len(), context.boost);
            }
            next = after(&term[..end]).filter(|_| context.is_prefix);
        }
    }
    Ok(known.into_iter().map(|(context, (_, boost))| (context, boost)).collect())
}

/// The least text behind all that begin with this one.
fn after(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte < u8::MAX)?;
    let mut after = prefix[..=last].to_vec();
    after[last] += 1;
    Some(after)
}

fn ordinal_from(postings: &FieldPostingsReader, bound: &[u8]) -> Result<u32> {
    let mut terms = postings.terms_from(bound)?;
    Ok(terms.next()?.map_or(postings.term_count(), |(_, entry)| entry.ordinal))
}

struct Walk<'a> {
    postings: &'a FieldPostingsReader,
    matcher: &'a mut Matcher,
    is_cancelled: IsCancelled<'a>,
    until_check: u32,
    ranges: Vec<TermRange>,
}

impl Walk<'_> {
    /// The terms of one context. `base`: what they begin with.
    fn context(&mut self, base: &[u8], boost: f32) -> Result<()> {
        if let Matcher::Prefixes(prefixes) = self.matcher {
            let wanted: Vec<Vec<u8>> = prefixes.iter().map(|prefix| [base, prefix].concat()).collect();
            return wanted.iter().try_for_each(|prefix| self.add(prefix, boost));
        }
        let mut from = Some(base.to_vec());
        while let Some(start) = from {
            from = self.from(&start, base, boost)?;
        }
        Ok(())
    }

    /// Reads terms from `start` on; gives where to go on, or `None` at the end of the context.
    fn from(&mut self, start: &[u8], base: &[u8], boost: f32) -> Result<Option<Vec<u8>>> {
        let postings = self.postings;
        let mut terms = postings.terms_from(start)?;
        let mut skipped: Option<(Vec<u8>, u32)> = None;
        while let Some((term, _)) = terms.next()?.filter(|(term, _)| term.starts_with(base)) {
            self.until_check -= 1;
            if self.until_check == 0 {
                check_cancelled(self.is_cancelled)?;
                self.until_check = CHECK_EVERY;
            }
            if let Some((prefix, read)) = skipped.as_mut().filter(|(prefix, _)| term.starts_with(prefix)) {
                *read += 1;
                if *read == READ_ON {
                    return Ok(after(prefix));
                }
                continue;
            }
            let rest = &term[base.len()..];
            let form = &rest[..rest.iter().position(|&byte| byte == FORM_END).unwrap_or(rest.len())];
            match self.matcher.verdict(form)? {
                Verdict::Accepted(length) => {
                    let prefix = term[..base.len() + length].to_vec();
                    let boost = boost + self.matcher.boost(&form[..length]);
                    self.add(&prefix, boost)?;
                    return Ok(after(&prefix)
                        .filter(|next| next.starts_with(base) || next.as_slice() < base || base.is_empty()));
                }
                Verdict::Refused(length) => skipped = Some((term[..base.len() + length].to_vec(), 0)),
                Verdict::Open => {}
            }
        }
        Ok(None)
    }

    fn add(&mut self, prefix: &[u8], boost: f32) -> Result<()> {
        let start = ordinal_from(self.postings, prefix)?;
        let end = match after(prefix) {
            Some(bound) => ordinal_from(self.postings, &bound)?,
            None => self.postings.term_count(),
        };
        if start == end {
            return Ok(());
        }
        if self.ranges.len() == RANGES_MAX {
            return Err(Error::illegal_argument(format!(
                "a completion query finds at most [{RANGES_MAX}] beginnings in a segment: make its text longer, or allow \
                 fewer edits or contexts"
            )));
        }
        self.ranges.push(TermRange { terms: start..end, boost });
        Ok(())
    }
}
