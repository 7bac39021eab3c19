//! The plain highlighter: fragments of about the same size, cut between tokens, scored by the terms in them
//! (Lucene's `Highlighter` with `SimpleSpanFragmenter` or `SimpleFragmenter`).

use super::found::{self, Place, Terms};
use super::markup::marked;
use super::wanted::Wanted;
use crate::source_texts::{analyzed, units};
use quarry_analysis::Token;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_mapping::MappedField;
use quarry_plan::highlight::{Fragmenter, HighlightField};
use rapidhash::RapidHashMap;

/// Places that are looked at before somebody is asked whether the search was cancelled.
const PLACES_BETWEEN_LOOKS: usize = 4_096;

struct Fragment {
    text: String,
    score: f32,
}

pub(super) fn highlight(
    values: &[String],
    field: &MappedField,
    wanted: &mut [(MappedField, Wanted)],
    options: &HighlightField,
) -> Result<Vec<String>> {
    let mut fragments: Vec<Fragment> = Vec::new();
    for value in values {
        let value = match options.max_analyzer_offset {
            Some(limit) => first_units(value, limit),
            None => value.clone(),
        };
        fragments.extend(of_value(&value, field, wanted, options)?);
    }
    if options.by_score {
        fragments = sorted_by_score(fragments);
    }
    if options.number_of_fragments > 0 {
        fragments.truncate(options.number_of_fragments as usize);
    }
    if fragments.is_empty()
        && let Some(first) = values.first()
    {
        return Ok(no_match(first, field, options.no_match_size)?.into_iter().collect());
    }
    Ok(fragments.into_iter().map(|fragment| fragment.text).collect())
}

fn first_units(text: &str, limit: u32) -> String {
    let cut: Vec<u16> = text.encode_utf16().take(limit as usize).collect();
    String::from_utf16_lossy(&cut)
}

/// Fragments of several values, as Lucene orders them: scores less than a half apart count as the same.
fn sorted_by_score(fragments: Vec<Fragment>) -> Vec<Fragment> {
    let scores: Vec<f32> = fragments.iter().map(|fragment| fragment.score).collect();
    let mut rest: Vec<Option<Fragment>> = fragments.into_iter().map(Some).collect();
    score_order(&scores).into_iter().filter_map(|place| rest[place].take()).collect()
}

/// Whether a score goes before one that it comes behind.
fn is_before(score: f32, other: f32) -> bool {
    (other - score + 0.5).floor() < 0.0
}

/// The places of scores in the order of an insertion sort: each begins at the end and passes those that it [`is_before`], up to the
/// first that it is not. No other sort comes to the same, as that is no order: of three, the second may be as good as both others.
///
/// What a score stops at is larger than all that stand behind it. Such ones, the walls, are looked up by halves, so that the time is
/// n log n, apart from moving walls within their list, which has no more of them than there are scores that differ.
fn score_order(scores: &[f32]) -> Vec<usize> {
    // A ring of nodes: 0 is both ends, and the score at a place is the node behind that number.
    let mut next = vec![0; scores.len() + 1];
    // From the largest to the smallest, as they stand in the ring.
    let mut walls: Vec<usize> = Vec::new();
    for (place, &score) in scores.iter().enumerate() {
        let node = place + 1;
        let passed_from = walls.partition_point(|&wall| !is_before(score, scores[wall - 1]));
        let stop = passed_from.checked_sub(1).map_or(0, |wall| walls[wall]);
        next[node] = next[stop];
        next[stop] = node;
        let larger = walls[..passed_from].partition_point(|&wall| scores[wall - 1] > score);
        walls.splice(larger..passed_from, [node]);
    }
    let linked = std::iter::successors(next.first().copied(), |&node| next.get(node).copied());
    linked.take_while(|&node| node > 0).map(|node| node - 1).collect()
}

/// The best fragments of one value, the best first.
fn of_value(
    value: &str,
    field: &MappedField,
    wanted: &mut [(MappedField, Wanted)],
    options: &HighlightField,
) -> Result<Vec<Fragment>> {
    let mut fragments: Vec<Fragment> = Vec::new();
    let mut places = Vec::new();
    let mut terms = Terms::default();
    let placed = [(value.to_owned(), 0)];
    for (other, wanted) in wanted.iter_mut() {
        found::find(&analyzed(other, &placed)?, wanted, &mut terms, &mut places)?;
    }
    if places.is_empty() {
        return Ok(fragments);
    }
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup_by(|later, first| later.start == first.start && later.end == first.end);
    let tokens = analyzed(field, &placed)?;
    let spans = PhraseSpans::of(&tokens, &places, &terms)?;
    let ends = fragment_ends(&tokens, &spans, units(value), options);
    let all: Vec<u16> = value.encode_utf16().collect();
    let slice = |start: u32, end: u32| {
        String::from_utf16_lossy(all.get(start as usize..(end as usize).min(all.len())).unwrap_or(&[]))
    };
    let mut start = 0;
    for end in ends {
        interrupt::check()?;
        let first = places.partition_point(|place| place.start < start);
        let begun = places[first..].iter().take_while(|place| place.start <= end);
        let own: Vec<Place> = begun.filter(|place| place.end <= end).copied().collect();
        let score = distinct_score(&own);
        if score > 0.0 {
            fragments.push(Fragment { text: marked(slice, (start, end), &own, |_| 0, options), score });
        }
        start = end;
    }
    fragments.sort_by(|left, right| right.score.total_cmp(&left.score));
    fragments.truncate(options.number_of_fragments.max(1) as usize);
    Ok(fragments)
}

/// Each term counts once in a fragment.
fn distinct_score(places: &[Place]) -> f32 {
    let mut terms: Vec<(u32, f32)> = places.iter().map(|place| (place.term, place.boost)).collect();
    terms.sort_by_key(|term| term.0);
    terms.dedup_by_key(|(term, _)| *term);
    terms.into_iter().map(|(_, boost)| boost).sum()
}

/// First and last position of a phrase that was found.
type Span = (i64, i64);

/// Where the phrases are that a term is part of.
struct PhraseSpans<'t> {
    terms: &'t Terms,
    /// By the number of the term; by first position, of those that share it the phrase that was found first.
    of_term: RapidHashMap<u32, Vec<Span>>,
}

impl<'t> PhraseSpans<'t> {
    /// Errors: `TaskCancelled`.
    fn of(tokens: &[Token], places: &[Place], terms: &'t Terms) -> Result<Self> {
        let mut spans = PhraseSpans { terms, of_term: RapidHashMap::default() };
        for phrase in phrase_words(tokens, places)?.chunk_by(|left, right| left.phrase == right.phrase) {
            let positions = || phrase.iter().map(|word| word.position);
            let (Some(first), Some(last)) = (positions().min(), positions().max()) else { continue };
            for word in phrase {
                spans.of_term.entry(word.term).or_default().push((first, last));
            }
        }
        for of_term in spans.of_term.values_mut() {
            of_term.sort_by_key(|(first, _)| *first);
            of_term.dedup_by_key(|(first, _)| *first);
        }
        Ok(spans)
    }

    /// Those of the token's term, wherever they are: with first positions that ascend.
    fn of_token(&self, token: &Token) -> &[Span] {
        let number = self.terms.known(&token.term);
        number.and_then(|number| self.of_term.get(&number)).map_or(&[], Vec::as_slice)
    }
}

/// A token of a phrase that was found.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PhraseWord {
    phrase: u32,
    term: u32,
    position: i64,
}

/// The tokens at the places of phrases, phrase by phrase in the order in which they were found.
fn phrase_words(tokens: &[Token], places: &[Place]) -> Result<Vec<PhraseWord>> {
    let offsets = |token: &Token| (token.start_offset, token.end_offset);
    let mut by_offsets: Vec<&Token> = tokens.iter().collect();
    by_offsets.sort_by_key(|token| offsets(token));
    let mut words = Vec::new();
    for part in places.chunks(PLACES_BETWEEN_LOOKS) {
        interrupt::check()?;
        for place in part {
            let Some(phrase) = place.phrase else { continue };
            let at = (place.start, place.end);
            let first = by_offsets.partition_point(|token| offsets(token) < at);
            for token in by_offsets[first..].iter().take_while(|token| offsets(token) == at) {
                words.push(PhraseWord { phrase, term: place.term, position: token.position.into() });
            }
        }
    }
    words.sort_unstable();
    Ok(words)
}

/// A fragment ends behind a token where the next token begins another one.
fn fragment_ends(tokens: &[Token], spans: &PhraseSpans<'_>, length: u32, options: &HighlightField) -> Vec<u32> {
    let mut ends = Vec::new();
    if options.number_of_fragments > 0 && options.fragment_size > 0 {
        let mut fragmenter = SpanFragmenter::default();
        let (mut fragments, mut last_end) = (1, 0);
        for (place, token) in tokens.iter().enumerate() {
            // Tokens that lie over one another stay together.
            if token.start_offset >= last_end && last_end > 0 {
                let advance = i64::from(token.position) - i64::from(tokens[place - 1].position);
                let may_cut = options.fragmenter == Fragmenter::Simple
                    || (fragmenter.may_cut(advance, spans.of_token(token))
                        && length.saturating_sub(token.end_offset) >= options.fragment_size / 2);
                if may_cut && token.end_offset >= options.fragment_size.saturating_mul(fragments) {
                    ends.push(last_end);
                    fragments += 1;
                }
            }
            last_end = last_end.max(token.end_offset);
        }
    }
    ends.push(length);
    ends
}

/// Keeps phrases in one piece, as far as Lucene's does: it is not asked about the first token, so that its positions lag behind by one,
/// and a phrase is seen to begin at its second word.
struct SpanFragmenter {
    position: i64,
    /// No cut before this position.
    wait_for: Option<i64>,
}

impl Default for SpanFragmenter {
    fn default() -> Self {
        SpanFragmenter { position: -1, wait_for: None }
    }
}

impl SpanFragmenter {
    /// Whether a fragment may begin with the next token, which is so many positions further; first positions of `spans` ascend.
    fn may_cut(&mut self, advance: i64, spans: &[Span]) -> bool {
        self.position += advance;
        if self.wait_for.is_some_and(|end| end > self.position) {
            return false;
        }
        let begun = spans.binary_search_by_key(&self.position, |(first, _)| *first);
        self.wait_for = begun.ok().map(|begun| spans[begun].1 + 1);
        true
    }
}

/// The beginning of a text as far as whole tokens fit.
fn no_match(text: &str, field: &MappedField, size: u32) -> Result<Option<String>> {
    if size == 0 {
        return Ok(None);
    }
    let mut end = 0;
    for token in analyzed(field, &[(text.to_owned(), 0)])? {
        if token.end_offset >= size {
            if token.end_offset == size {
                end = size;
            }
            break;
        }
        end = token.end_offset;
    }
    Ok((end > 0).then(|| first_units(text, end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    /// The slow one, with the same steps as Lucene's.
    fn by_insertion(scores: &[f32]) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::new();
        for (own, &score) in scores.iter().enumerate() {
            let passed = order.iter().rev().take_while(|&&other| is_before(score, scores[other])).count();
            order.insert(order.len() - passed, own);
        }
        order
    }

    #[test]
    fn two_levels_of_many_scores() {
        let scores: Vec<f32> = (0..100_000_u32).map(|place| if place.is_multiple_of(2) { 1.0 } else { 2.0 }).collect();
        let (odd, even) = ((1..100_000).step_by(2), (0..100_000).step_by(2));
        assert_eq!(score_order(&scores), odd.chain(even).collect::<Vec<_>>());
    }

    #[test]
    fn scores_are_ordered_as_by_insertion() {
        for seed in 0..2_000 {
            let mut dice = Dice::new(seed);
            let (count, steps, levels) = (dice.below(60), 1 + dice.below(12), 1 + dice.below(50));
            let scores: Vec<f32> = (0..count).map(|_| (1 + dice.below(levels)) as f32 / steps as f32).collect();
            assert_eq!(score_order(&scores), by_insertion(&scores), "seed {seed}: {scores:?}");
        }
    }
}
