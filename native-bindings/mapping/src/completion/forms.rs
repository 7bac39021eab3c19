//! What an analyzer makes of a text: the words joined, in every way in which its tokens follow each other.

use crate::spec::CompletionSpec;
use quarry_analysis::{Analyzer, Token};
use quarry_base::error::Result;
use quarry_segment::completion::key::{FORM_END, WORD_END};
use std::collections::BTreeMap;

/// Ways of one text, as many as Lucene's completion follows; more are left out.
const FORMS_MAX: usize = 1_024;

/// Forms of a text, each once, ascending; none where the analyzer leaves nothing of it.
pub fn forms(analyzer: &Analyzer, text: &str, spec: &CompletionSpec) -> Result<Vec<Vec<u8>>> {
    let mut tokens = Vec::new();
    let mut end = analyzer.analyze(text, &mut tokens)?;
    if tokens.is_empty() {
        return Ok(Vec::new());
    }
    if !spec.preserve_position_increments {
        end = close_gaps(&mut tokens);
    }
    let mut forms = paths(&tokens, end, spec.preserve_separators);
    forms.sort_unstable();
    forms.dedup();
    Ok(forms)
}

/// Numbers the positions that have tokens from 0; returns how many there are.
fn close_gaps(tokens: &mut [Token]) -> u32 {
    let mut taken: Vec<u32> = tokens.iter().map(|token| token.position).collect();
    taken.dedup();
    let rank = |position: u32| taken.partition_point(|&other| other < position) as u32;
    for token in tokens.iter_mut() {
        let end = rank(token.position.saturating_add(token.position_length));
        token.position = rank(token.position);
        token.position_length = (end - token.position).max(1);
    }
    taken.len() as u32
}

/// Follows the tokens from position 0 to `end`; a position without a token is an empty word.
fn paths(tokens: &[Token], end: u32, has_separators: bool) -> Vec<Vec<u8>> {
    let mut open: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::from([(0, vec![Vec::new()])]);
    let mut finished = Vec::new();
    while let Some((position, mut paths)) = open.pop_first() {
        if position >= end {
            finished.append(&mut paths);
            continue;
        }
        if position > 0 && has_separators {
            paths.iter_mut().for_each(|path| path.push(WORD_END));
        }
        let first = tokens.partition_point(|token| token.position < position);
        let here = &tokens[first..][..tokens[first..].partition_point(|token| token.position == position)];
        let Some((last, others)) = here.split_last() else {
            add(&mut open, position + 1, paths);
            continue;
        };
        for token in others {
            add(&mut open, after(token), paths.iter().map(|path| extended(path.clone(), token)).collect());
        }
        add(&mut open, after(last), paths.into_iter().map(|path| extended(path, last)).collect());
    }
    finished.truncate(FORMS_MAX);
    finished
}

fn after(token: &Token) -> u32 {
    token.position.saturating_add(token.position_length.max(1))
}

fn extended(mut path: Vec<u8>, token: &Token) -> Vec<u8> {
    path.extend(token.term.iter().filter(|&&byte| byte != FORM_END));
    path
}

fn add(open: &mut BTreeMap<u32, Vec<Vec<u8>>>, position: u32, mut paths: Vec<Vec<u8>>) {
    let known = open.entry(position).or_default();
    known.append(&mut paths);
    known.truncate(FORMS_MAX);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(term: &str, position: u32, position_length: u32) -> Token {
        Token { term: term.as_bytes().to_vec(), position, position_length, ..Token::word() }
    }

    fn texts(tokens: &[Token], end: u32) -> Vec<String> {
        let found = paths(tokens, end, true);
        found.into_iter().map(|path| String::from_utf8(path).unwrap().replace('\u{1f}', "|")).collect()
    }

    #[test]
    fn words_are_joined_and_gaps_kept() {
        assert_eq!(texts(&[token("a", 0, 1), token("b", 1, 1)], 2), ["a|b"]);
        assert_eq!(texts(&[token("a", 1, 1), token("b", 3, 1)], 5), ["|a||b|"]);
    }

    #[test]
    fn every_way_through_the_tokens_is_a_form() {
        let tokens = [token("a", 0, 1), token("ab", 0, 2), token("b", 1, 1), token("c", 2, 1)];
        let mut found = texts(&tokens, 3);
        found.sort();
        assert_eq!(found, ["ab|c", "a|b|c"]);
        let many: Vec<Token> = (0..40).flat_map(|at| [token("x", at, 1), token("y", at, 1)]).collect();
        assert_eq!(paths(&many, 40, true).len(), FORMS_MAX);
    }

    #[test]
    fn gaps_are_closed_where_they_do_not_count() {
        let mut tokens = [token("a", 1, 1), token("b", 3, 2)];
        assert_eq!(close_gaps(&mut tokens), 2);
        assert_eq!(texts(&tokens, 2), ["a|b"]);
    }
}
