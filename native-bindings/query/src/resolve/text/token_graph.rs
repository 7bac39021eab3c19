//! Texts as queries take them: words one behind the other and, where synonyms of several words or parts of words lie over them,
//! the readings between two places that every reading goes through.

use crate::weight::too_many_clauses;
use quarry_analysis::{Analyzer, Token};
use quarry_base::error::Result;

/// The words at one place, any of which may stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::resolve) struct Words {
    pub terms: Vec<Vec<u8>>,
    /// Places before it whose words were taken out.
    pub gap: u32,
}

/// A piece of a text that every reading goes through from end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::resolve) enum Stretch {
    Words(Words),
    /// Ways that are not of the same places; each word is one term.
    Readings(Vec<Vec<Words>>),
}

/// Puts every word right behind the one before.
pub(in crate::resolve) fn close_gaps(text: &mut [Stretch]) {
    for stretch in text {
        match stretch {
            Stretch::Words(words) => words.gap = 0,
            Stretch::Readings(readings) => readings.iter_mut().flatten().for_each(|words| words.gap = 0),
        }
    }
}

/// A token as a way from one place to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edge {
    from: u32,
    to: u32,
    gap: u32,
    token: usize,
}

/// Analyses a text. `words_max`: words that all readings have at most, since their number grows with the product of the synonyms.
pub(in crate::resolve) fn read_text(analyzer: &Analyzer, text: &str, words_max: u32) -> Result<Vec<Stretch>> {
    let mut tokens = Vec::new();
    analyzer.analyze(text, &mut tokens)?;
    // Shingles lie over each other at every place: their readings say no more than the words.
    let is_graph =
        tokens.len() > 1 && analyzer.shingles().is_none() && tokens.iter().any(|token| token.position_length > 1);
    stretches(tokens, is_graph, words_max)
}

fn stretches(tokens: Vec<Token>, is_graph: bool, words_max: u32) -> Result<Vec<Stretch>> {
    if is_graph {
        let edges = whole_ways(edges(&tokens));
        // A filter may have taken a word out of the middle of each way.
        if !edges.is_empty() {
            return of_graph(&tokens, &edges, words_max);
        }
    }
    Ok(line(tokens).into_iter().map(Stretch::Words).collect())
}

/// Every place by itself.
fn line(tokens: Vec<Token>) -> Vec<Words> {
    let mut line: Vec<Words> = Vec::new();
    let mut last = None;
    for token in tokens {
        match line.last_mut() {
            Some(words) if last == Some(token.position) => words.terms.push(token.term),
            _ => {
                let gap = token.position - last.map_or(0, |last| last + 1);
                line.push(Words { terms: vec![token.term], gap });
            }
        }
        last = Some(token.position);
    }
    line
}

/// In the order of their beginnings. A word behind a gap begins where the gap does.
fn edges(tokens: &[Token]) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(tokens.len());
    let (mut from, mut position) = (0, None);
    for (token, Token { position: own, position_length: length, .. }) in tokens.iter().enumerate() {
        if position != Some(*own) {
            from = position.map_or(0, |before: u32| before + 1);
            position = Some(*own);
        }
        edges.push(Edge { from, to: own.saturating_add((*length).max(1)), gap: own - from, token });
    }
    edges
}

/// Those that are part of a way from the first place to the last.
fn whole_ways(edges: Vec<Edge>) -> Vec<Edge> {
    let end = edges.iter().map(|edge| edge.to).max().unwrap_or(0);
    let mut reached = vec![false; end as usize + 1];
    let mut leads_on = reached.clone();
    reached[0] = true;
    for edge in &edges {
        reached[edge.to as usize] |= reached[edge.from as usize];
    }
    leads_on[end as usize] = true;
    for edge in edges.iter().rev() {
        leads_on[edge.from as usize] |= leads_on[edge.to as usize];
    }
    let is_whole = |edge: &Edge| reached[edge.from as usize] && leads_on[edge.to as usize];
    edges.into_iter().filter(is_whole).collect()
}

fn of_graph(tokens: &[Token], edges: &[Edge], words_max: u32) -> Result<Vec<Stretch>> {
    let mut stretches = Vec::new();
    let mut left = words_max;
    let mut rest = edges;
    while let Some(first) = rest.first() {
        let mut end = first.to;
        let mut is_crossed = |edge: &&Edge| {
            let is_inside = edge.from < end;
            end = if is_inside { end.max(edge.to) } else { end };
            is_inside
        };
        let count = rest.iter().take_while(|edge| is_crossed(edge)).count();
        let (own, behind) = rest.split_at(count);
        stretches.push(stretch(tokens, own, end, &mut left, words_max)?);
        rest = behind;
    }
    Ok(stretches)
}

fn stretch(tokens: &[Token], edges: &[Edge], end: u32, left: &mut u32, words_max: u32) -> Result<Stretch> {
    let term = |edge: &Edge| tokens[edge.token].term.clone();
    let start = edges[0].from;
    if edges.iter().all(|edge| (edge.from, edge.to) == (start, end)) {
        return Ok(Stretch::Words(Words { terms: edges.iter().map(term).collect(), gap: edges[0].gap }));
    }
    let mut readings = Vec::new();
    let mut open: Vec<Vec<&Edge>> = vec![Vec::new()];
    while let Some(way) = open.pop() {
        let at = way.last().map_or(start, |edge| edge.to);
        if at == end {
            *left = left.checked_sub(way.len() as u32).ok_or_else(|| too_many_clauses(words_max))?;
            readings.push(way.into_iter().map(|edge| Words { terms: vec![term(edge)], gap: edge.gap }).collect());
            continue;
        }
        if way.len() >= *left as usize || open.len() > words_max as usize {
            return Err(too_many_clauses(words_max));
        }
        let first = edges.partition_point(|edge| edge.from < at);
        let behind = edges.partition_point(|edge| edge.from <= at);
        // The last one pushed is gone first.
        for edge in edges[first..behind].iter().rev() {
            open.push([&way[..], &[edge]].concat());
        }
    }
    Ok(Stretch::Readings(readings))
}

/// The words where no reading differs in its places.
pub(in crate::resolve) fn as_line(stretches: &[Stretch]) -> Option<Vec<Words>> {
    let words = stretches.iter().map(|stretch| match stretch {
        Stretch::Words(words) => Some(words.clone()),
        Stretch::Readings(_) => None,
    });
    words.collect()
}

/// Terms with their positions, as a phrase has them.
pub(in crate::resolve) fn with_positions(words: &[Words]) -> Vec<(Vec<Vec<u8>>, u32)> {
    let mut next = 0;
    let place = |words: &Words| {
        let position = next + words.gap;
        next = position + 1;
        (words.terms.clone(), position)
    };
    words.iter().map(place).collect()
}

/// All readings of a whole text, each word one term.
pub(in crate::resolve) fn whole_readings(stretches: &[Stretch], words_max: u32) -> Result<Vec<Vec<Words>>> {
    let mut whole: Vec<Vec<Words>> = vec![Vec::new()];
    for stretch in stretches {
        let ways: Vec<Vec<Words>> = match stretch {
            Stretch::Readings(readings) => readings.clone(),
            Stretch::Words(Words { terms, gap }) => {
                terms.iter().map(|term| vec![Words { terms: vec![term.clone()], gap: *gap }]).collect()
            }
        };
        let longest = ways.iter().map(Vec::len).max().unwrap_or(0) + whole.iter().map(Vec::len).max().unwrap_or(0);
        if whole.len().saturating_mul(ways.len()).saturating_mul(longest) > words_max as usize {
            return Err(too_many_clauses(words_max));
        }
        whole = whole.iter().flat_map(|before| ways.iter().map(move |way| [&before[..], way].concat())).collect();
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_base::error::ErrorCode;

    fn token(term: &str, position: u32, position_length: u32) -> Token {
        Token { term: term.as_bytes().to_vec(), position, position_length, ..Token::word() }
    }

    fn read(tokens: &[(&str, u32, u32)], words_max: u32) -> Result<Vec<Stretch>> {
        let tokens = tokens.iter().map(|&(term, position, length)| token(term, position, length)).collect();
        stretches(tokens, true, words_max)
    }

    fn words(terms: &[&str], gap: u32) -> Words {
        Words { terms: terms.iter().map(|term| term.as_bytes().to_vec()).collect(), gap }
    }

    fn reading(terms: &[&str]) -> Vec<Words> {
        terms.iter().map(|term| words(&[term], 0)).collect()
    }

    #[test]
    fn a_synonym_of_two_words_is_a_reading_between_others() {
        let text = [("in", 0, 1), ("new", 1, 1), ("ny", 1, 2), ("york", 2, 1), ("city", 3, 1), ("town", 3, 1)];
        let readings = Stretch::Readings(vec![reading(&["new", "york"]), reading(&["ny"])]);
        let expected = vec![Stretch::Words(words(&["in"], 0)), readings, Stretch::Words(words(&["city", "town"], 0))];
        assert_eq!(read(&text, 100).unwrap(), expected);
        assert_eq!(as_line(&expected), None);
        let whole = whole_readings(&expected, 100).unwrap();
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[0], reading(&["in", "new", "york", "city"]));
        assert_eq!(whole[3], reading(&["in", "ny", "town"]));
        assert_eq!(whole_readings(&expected, 10).unwrap_err().code, ErrorCode::TooManyClauses);
    }

    #[test]
    fn words_over_one_another_are_no_readings() {
        let text = [("a", 0, 1), ("b", 0, 1), ("c", 2, 1)];
        let expected = vec![Stretch::Words(words(&["a", "b"], 0)), Stretch::Words(words(&["c"], 1))];
        assert_eq!(read(&text, 100).unwrap(), expected);
        let line = as_line(&expected).unwrap();
        assert_eq!(with_positions(&line).iter().map(|(_, position)| *position).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_way_that_lost_a_word_is_left_out() {
        // `york` is gone, and the word behind it begins where it stood.
        let text = [("new", 0, 1), ("ny", 0, 2), ("city", 2, 1)];
        let expected = vec![Stretch::Words(words(&["new"], 0)), Stretch::Words(words(&["city"], 1))];
        assert_eq!(read(&text, 100).unwrap(), expected);
        // Nothing is left of any way.
        let text = [("new", 0, 9), ("city", 2, 1)];
        assert_eq!(read(&text, 100).unwrap().len(), 1);
    }

    #[test]
    fn readings_are_limited() {
        let doubled: Vec<(&str, u32, u32)> = (0..40).flat_map(|at| [("x", at, 1), ("y", at, 2)]).collect();
        assert_eq!(read(&doubled, 1_024).unwrap_err().code, ErrorCode::TooManyClauses);
    }
}
