//! `common_grams`: words that say little are joined with their neighbours, so that phrases of them are found quickly.

use crate::filter::selected::stop::WordSet;
use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;

const SEPARATOR: u8 = b'_';

#[derive(Debug)]
pub struct CommonGrams {
    words: WordSet,
    /// For queries: without the words that a gram holds already.
    query_mode: bool,
}

impl CommonGrams {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("common_words_path")?;
        let ignore_case = params.flag("ignore_case", false)?;
        let words = params.list("common_words")?.ok_or_else(|| {
            wrong("missing or empty [common_words] or [common_words_path] configuration for common_grams token filter")
        })?;
        Ok(CommonGrams { words: WordSet::new(words, ignore_case)?, query_mode: params.flag("query_mode", false)? })
    }

    fn gram(&self, first: &Token, second: &Token) -> Option<Token> {
        let is_gram = self.words.contains(first.text()) || self.words.contains(second.text());
        is_gram.then(|| Token {
            term: [&first.term[..], &[SEPARATOR], &second.term[..]].concat(),
            position_length: 2,
            end_offset: second.end_offset,
            kind: "gram",
            ..first.clone()
        })
    }
}

impl StreamFilter for CommonGrams {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let words = std::mem::take(&mut stream.tokens);
        let mut held_by_gram = false;
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1);
            let gram = next.and_then(|next| self.gram(word, next));
            let is_last = next.is_none();
            let is_left_out = self.query_mode && (gram.is_some() || (is_last && held_by_gram));
            if !is_left_out {
                stream.tokens.push(word.clone());
            }
            held_by_gram = gram.is_some();
            stream.tokens.extend(
                gram.map(|gram| Token {
                    position_length: if self.query_mode { 1 } else { gram.position_length },
                    ..gram
                }),
            );
        }
        Ok(())
    }
}
