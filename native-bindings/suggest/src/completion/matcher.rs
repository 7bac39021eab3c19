//! How much of a term's form a text stands for.

use crate::plan::Wanted;
use quarry_analysis::Analyzer;
use quarry_base::error::{Error, Result};
use quarry_mapping::completion::forms::forms;
use quarry_mapping::spec::CompletionSpec;
use quarry_query::term_match::regexp;
use quarry_query::term_match::regexp::PrefixRegexp;

/// What a form has to begin with.
pub enum Matcher {
    /// One of these; none is the beginning of another.
    Prefixes(Vec<Vec<u8>>),
    Fuzzy(FuzzyPrefixes),
    Regex(Box<PrefixRegexp>),
}

/// What is known of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Its first bytes are the shortest beginning that is accepted.
    Accepted(usize),
    /// No form with these first bytes is accepted.
    Refused(usize),
    /// It is not accepted, longer ones may be.
    Open,
}

impl Matcher {
    pub fn new(wanted: &Wanted, analyzer: &Analyzer, spec: &CompletionSpec) -> Result<Self> {
        Ok(match wanted {
            Wanted::Prefix { text } => {
                let mut prefixes = forms(analyzer, text, spec)?;
                // They are in order, so that a shorter one stands before those that it is the beginning of.
                prefixes.dedup_by(|later, kept| later.starts_with(kept));
                Matcher::Prefixes(prefixes)
            }
            Wanted::Fuzzy { text, edits, transpositions, min_length, prefix_length, unicode_aware } => {
                let options = FuzzyOptions {
                    edits: usize::from(*edits),
                    transpositions: *transpositions,
                    min_length: *min_length,
                    prefix_length: *prefix_length,
                    unicode_aware: *unicode_aware,
                };
                Matcher::Fuzzy(FuzzyPrefixes::new(&forms(analyzer, text, spec)?, options)?)
            }
            Wanted::Regex { pattern, flags, max_determinized_states } => {
                Matcher::Regex(Box::new(regexp::compile_prefix(pattern, flags, *max_determinized_states)?))
            }
        })
    }

    pub fn verdict(&mut self, form: &[u8]) -> Result<Verdict> {
        Ok(match self {
            Matcher::Prefixes(prefixes) => {
                let found = prefixes.iter().find(|prefix| form.starts_with(prefix));
                found.map_or(Verdict::Open, |prefix| Verdict::Accepted(prefix.len()))
            }
            Matcher::Fuzzy(fuzzy) => fuzzy.verdict(form),
            Matcher::Regex(regex) => match std::str::from_utf8(form) {
                Ok(text) => regex.shortest(text)?.map_or(Verdict::Open, Verdict::Accepted),
                Err(_) => Verdict::Open,
            },
        })
    }

    /// What the beginning of a form adds to its boost: how much it has in common with the text.
    pub fn boost(&self, prefix: &[u8]) -> f32 {
        let Matcher::Fuzzy(fuzzy) = self else { return 0.0 };
        let common = |text: &FuzzyText| text.bytes.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        fuzzy.texts.iter().map(common).max().unwrap_or(0) as f32
    }
}

#[derive(Debug, Clone, Copy)]
pub struct FuzzyOptions {
    pub edits: usize,
    pub transpositions: bool,
    pub min_length: usize,
    pub prefix_length: usize,
    pub unicode_aware: bool,
}

/// Units of a text that is looked for with edits.
const UNITS_MAX: usize = 1_000;

struct FuzzyText {
    bytes: Vec<u8>,
    /// Bytes, or characters.
    units: Vec<u32>,
    /// Units that take no edits: all of a short text.
    exact: usize,
}

/// Texts within some edits of which a form has to begin.
pub struct FuzzyPrefixes {
    texts: Vec<FuzzyText>,
    options: FuzzyOptions,
}

impl FuzzyPrefixes {
    fn new(forms: &[Vec<u8>], options: FuzzyOptions) -> Result<Self> {
        let texts = forms.iter().map(|form| {
            let units: Vec<u32> = units(form, options.unicode_aware).map(|(unit, _)| unit).collect();
            let is_short = units.len() <= options.prefix_length || units.len() < options.min_length;
            let exact = if is_short { units.len() } else { options.prefix_length };
            FuzzyText { bytes: form.clone(), units, exact }
        });
        let texts: Vec<FuzzyText> = texts.collect();
        if texts.iter().any(|text| text.units.len() > UNITS_MAX) {
            return Err(Error::illegal_argument(format!("a fuzzy prefix has at most [{UNITS_MAX}] units")));
        }
        Ok(FuzzyPrefixes { texts, options })
    }

    fn verdict(&self, form: &[u8]) -> Verdict {
        let mut refused = Some(0);
        let mut accepted: Option<usize> = None;
        for text in &self.texts {
            match self.verdict_of(text, form) {
                Verdict::Accepted(length) => accepted = Some(accepted.map_or(length, |known| known.min(length))),
                Verdict::Refused(length) => refused = refused.map(|known: usize| known.max(length)),
                Verdict::Open => refused = None,
            }
        }
        match (accepted, refused) {
            (Some(length), _) => Verdict::Accepted(length),
            (None, Some(length)) => Verdict::Refused(length),
            (None, None) => Verdict::Open,
        }
    }

    /// Rows of the table of distances between the text and beginnings of the form, until one of these is near enough or none
    /// can be.
    fn verdict_of(&self, text: &FuzzyText, form: &[u8]) -> Verdict {
        let (exact, wanted) = text.units.split_at(text.exact);
        let mut given = units(form, self.options.unicode_aware);
        for unit in exact {
            match given.next() {
                None => return Verdict::Open,
                Some((other, _)) if other == *unit => {}
                Some((_, end)) => return Verdict::Refused(end),
            }
        }
        // Nothing else of the form is read where the text may not be edited.
        let edits = if text.exact == text.units.len() { 0 } else { self.options.edits };
        let exact_bytes: usize = units(form, self.options.unicode_aware).take(exact.len()).last().map_or(0, |it| it.1);
        let mut before: Vec<usize> = Vec::new();
        let mut row: Vec<usize> = (0..=wanted.len()).collect();
        let mut last_unit = None;
        let mut end = exact_bytes;
        loop {
            if row.last().is_some_and(|&distance| distance <= edits) {
                return Verdict::Accepted(end);
            }
            if row.iter().all(|&distance| distance > edits) {
                return Verdict::Refused(end);
            }
            let Some((unit, next_end)) = given.next() else { return Verdict::Open };
            let next = self.next_row(wanted, &row, &before, unit, last_unit);
            before = std::mem::replace(&mut row, next);
            (last_unit, end) = (Some(unit), next_end);
        }
    }

    fn next_row(
        &self,
        wanted: &[u32],
        row: &[usize],
        before: &[usize],
        unit: u32,
        last_unit: Option<u32>,
    ) -> Vec<usize> {
        let mut next = vec![row[0] + 1];
        for column in 1..=wanted.len() {
            let cost = usize::from(wanted[column - 1] != unit);
            let mut cell = (row[column] + 1).min(next[column - 1] + 1).min(row[column - 1] + cost);
            let is_swap = self.options.transpositions
                && column > 1
                && last_unit == Some(wanted[column - 1])
                && wanted[column - 2] == unit;
            if is_swap {
                cell = cell.min(before[column - 2] + 1);
            }
            next.push(cell);
        }
        next
    }
}

/// Bytes or characters, each with where it ends. What is not UTF-8 is taken byte by byte.
fn units(form: &[u8], are_characters: bool) -> Box<dyn Iterator<Item = (u32, usize)> + '_> {
    match std::str::from_utf8(form).ok().filter(|_| are_characters) {
        Some(text) => {
            Box::new(text.char_indices().map(|(place, character)| (u32::from(character), place + character.len_utf8())))
        }
        None => Box::new(form.iter().enumerate().map(|(place, &byte)| (u32::from(byte), place + 1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Restricted edit distance, by its definition.
    fn distance(left: &[u8], right: &[u8], transpositions: bool) -> usize {
        let (Some((&a, left_rest)), Some((&b, right_rest))) = (left.split_last(), right.split_last()) else {
            return left.len().max(right.len());
        };
        let mut best = (distance(left_rest, right_rest, transpositions) + usize::from(a != b))
            .min(distance(left_rest, right, transpositions) + 1)
            .min(distance(left, right_rest, transpositions) + 1);
        if transpositions && left.len() > 1 && right.len() > 1 {
            let (left_cut, right_cut) = (&left[..left.len() - 2], &right[..right.len() - 2]);
            if left[left.len() - 2] == b && right[right.len() - 2] == a {
                best = best.min(distance(left_cut, right_cut, transpositions) + 1);
            }
        }
        best
    }

    fn is_accepted(text: &[u8], form: &[u8], options: FuzzyOptions) -> bool {
        if text.len() <= options.prefix_length || text.len() < options.min_length {
            return text == form;
        }
        let (exact, rest) = text.split_at(options.prefix_length);
        form.strip_prefix(exact).is_some_and(|form| distance(rest, form, options.transpositions) <= options.edits)
    }

    proptest! {
        #[test]
        fn the_shortest_near_beginning_is_accepted(
            texts in proptest::collection::vec("[ab]{1,5}", 1..3),
            form in "[abc]{0,6}",
            (edits, prefix_length, min_length) in (0..=2usize, 0..=2usize, 0..=4usize),
            transpositions: bool,
            unicode_aware: bool,
        ) {
            let options = FuzzyOptions { edits, transpositions, min_length, prefix_length, unicode_aware };
            let forms: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
            let fuzzy = FuzzyPrefixes::new(&forms, options).unwrap();
            let form = form.as_bytes();
            let accepts = |form: &[u8]| forms.iter().any(|text| is_accepted(text, form, options));
            let shortest = (0..=form.len()).find(|&length| accepts(&form[..length]));
            match fuzzy.verdict(form) {
                Verdict::Accepted(length) => prop_assert_eq!(Some(length), shortest),
                Verdict::Open => prop_assert_eq!(shortest, None),
                Verdict::Refused(length) => {
                    prop_assert_eq!(shortest, None);
                    // Nothing that goes on like this is near.
                    for more in ["a", "b", "ab", "ba", "abab", "baba", "aabb"] {
                        let longer = [&form[..length], more.as_bytes()].concat();
                        let known = (0..=longer.len()).find(|&length| accepts(&longer[..length]));
                        prop_assert_eq!(known, None, "{:?}", longer);
                    }
                }
            }
        }
    }
}
