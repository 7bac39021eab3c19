//! What a segment's pairs of frequent terms ([`quarry_postings::Pairs`]) say of a phrase.

use crate::topk::phrase::PhraseRun;
use crate::topk::{PhraseClause, PhraseSlot, TermClause};
use quarry_base::error::Result;
use quarry_postings::cursor::TermCursor;
use quarry_postings::{FieldPostingsReader, Pair, TermEntry};

/// A phrase, ready to be walked.
pub(crate) enum OpenPhrase<'a> {
    /// No document has it.
    Nothing,
    /// It is a pair: its documents and frequencies are listed as those of a term are.
    Listed(TermClause<'a>),
    /// Positions are to be read.
    Run(Box<PhraseRun<'a>>),
}

impl<'a> OpenPhrase<'a> {
    pub(crate) fn open(phrase: PhraseClause<'a>) -> Result<Self> {
        let (Some(terms), Some(pairs)) = (single_terms(&phrase), phrase.postings.pairs()) else {
            return Self::run(phrase, Vec::new());
        };
        let (mut listed, mut is_covered) = (Vec::new(), vec![false; terms.len()]);
        for (first, (position, term)) in terms.iter().enumerate() {
            for (second, (_, next)) in terms.iter().enumerate().filter(|(_, (other, _))| *other == position + 1) {
                match pairs.of(term, next)? {
                    Pair::Nowhere => return Ok(Self::Nothing),
                    Pair::Unknown => continue,
                    Pair::Listed(entry) => listed.push(entry),
                }
                (is_covered[first], is_covered[second]) = (true, true);
            }
        }
        if let ([entry], 2) = (listed.as_slice(), terms.len()) {
            let PhraseClause { norms, similarity, weight, .. } = phrase;
            return Ok(Self::Listed(TermClause { postings: pairs.lists(), entry: *entry, norms, similarity, weight }));
        }
        let guides = guides(&terms, &is_covered, phrase.postings, pairs.lists(), &listed)?;
        Self::run(phrase, guides)
    }

    fn run(phrase: PhraseClause<'a>, guides: Vec<TermCursor<'a>>) -> Result<Self> {
        PhraseRun::open(phrase, guides).map(|run| Self::Run(Box::new(run)))
    }
}

/// Positions and terms of an exact phrase without alternatives.
fn single_terms(phrase: &PhraseClause<'_>) -> Option<Vec<(u32, TermEntry)>> {
    let single = |slot: &PhraseSlot| match slot.terms.as_slice() {
        [term] => Some((slot.position, *term)),
        _ => None,
    };
    if phrase.slop > 0 { None } else { phrase.slots.iter().map(single).collect() }
}

/// The lists of pairs, and those of the terms that are in none, rarest first: the phrase is in all of them. None where
/// there are no pairs: the phrase's own lists say the same then.
fn guides<'a>(
    terms: &[(u32, TermEntry)],
    is_covered: &[bool],
    field: &'a FieldPostingsReader,
    pairs: &'a FieldPostingsReader,
    listed: &[TermEntry],
) -> Result<Vec<TermCursor<'a>>> {
    if listed.is_empty() {
        return Ok(Vec::new());
    }
    let mut guides = listed.iter().map(|entry| pairs.cursor(entry)).collect::<Result<Vec<_>>>()?;
    for ((_, term), _) in terms.iter().zip(is_covered).filter(|(_, is_covered)| !**is_covered) {
        guides.push(field.cursor(term)?);
    }
    guides.sort_by_key(TermCursor::doc_freq);
    Ok(guides)
}
