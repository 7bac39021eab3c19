//! `dictionary_decompounder`: words found inside of words.

use crate::filter::selected::stop::WordSet;
use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream, check_made};
use quarry_base::error::Result;

/// Characters of the longest word that is looked for: each place of a word is tried with every length up to it.
const SUBWORD_MAX: usize = 255;

#[derive(Debug)]
pub struct Decompounder {
    words: WordSet,
    min_word_size: usize,
    min_subword_size: usize,
    max_subword_size: usize,
    only_longest_match: bool,
}

impl Decompounder {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("word_list_path")?;
        let words = params.list("word_list")?.ok_or_else(|| {
            wrong(format!("word_list must be provided for [{}], either as a path to a file, or directly", params.name))
        })?;
        Ok(Decompounder {
            words: WordSet::new(words, false)?,
            min_word_size: params.bounded("min_word_size", 5, 0, usize::MAX)?,
            min_subword_size: params.bounded("min_subword_size", 2, 1, SUBWORD_MAX)?,
            max_subword_size: params.bounded("max_subword_size", 15, 1, SUBWORD_MAX)?,
            only_longest_match: params.flag("only_longest_match", false)?,
        })
    }

    fn parts<'a>(&self, text: &'a str, found: &mut Vec<&'a str>) {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        for start in 0..places.len() {
            let longest = (start + self.max_subword_size).min(places.len() - 1);
            let from_here = (start + self.min_subword_size..=longest).map(|end| &text[places[start]..places[end]]);
            let mut known = from_here.filter(|part| self.words.contains(part));
            if self.only_longest_match {
                found.extend(known.next_back());
            } else {
                found.extend(known);
            }
        }
    }
}

impl StreamFilter for Decompounder {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut out = Vec::with_capacity(stream.tokens.len() * 2);
        for token in std::mem::take(&mut stream.tokens) {
            let mut found = Vec::new();
            if token.text().chars().count() >= self.min_word_size {
                self.parts(token.text(), &mut found);
            }
            let parts: Vec<Token> =
                found.into_iter().map(|part| Token { term: part.as_bytes().to_vec(), ..token.clone() }).collect();
            out.push(token);
            out.extend(parts);
            check_made(&out)?;
        }
        stream.tokens = out;
        Ok(())
    }
}
