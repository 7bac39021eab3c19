//! `stop`: removes words of a list and leaves their positions empty.

use super::stop_lists;
use crate::filter::characters::case::lowercase;
use crate::filter::{StreamFilter, TermFilter, TokenFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;
use std::collections::HashSet;

/// A set of words, compared as they are or in lower case.
#[derive(Debug)]
pub struct WordSet {
    words: HashSet<String>,
    ignore_case: bool,
}

impl WordSet {
    /// Entries like `_english_` stand for a whole list, `_none_` for nothing.
    pub fn new(entries: Vec<String>, ignore_case: bool) -> Result<Self> {
        let mut words = HashSet::new();
        for entry in entries {
            match entry.as_str() {
                "_none_" => {}
                named if named.len() > 2 && named.starts_with('_') && named.ends_with('_') => {
                    if let Some(list) = stop_lists::of(&named[1..named.len() - 1]) {
                        words.extend(list);
                        continue;
                    }
                    return Err(wrong(format!("the word list [{named}] is not available, list its words instead")));
                }
                _ if ignore_case => {
                    words.insert(lowercase(&entry));
                }
                _ => {
                    words.insert(entry);
                }
            }
        }
        Ok(WordSet { words, ignore_case })
    }

    pub fn contains(&self, word: &str) -> bool {
        if self.ignore_case { self.words.contains(&lowercase(word)) } else { self.words.contains(word) }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Reads the settings that analyzers and the filter share.
pub fn stop_words(params: &Params<'_>, default: &str, ignore_case: bool) -> Result<WordSet> {
    params.refuse_path("stopwords_path")?;
    let entries = params.list("stopwords")?.unwrap_or_else(|| vec![default.to_owned()]);
    WordSet::new(entries, ignore_case)
}

pub fn stop_filter(params: &Params<'_>) -> Result<TokenFilter> {
    let words = stop_words(params, "_english_", params.flag("ignore_case", false)?)?;
    if params.flag("remove_trailing", true)? {
        Ok(TokenFilter::term(Stop { words }))
    } else {
        Ok(TokenFilter::stream(StopButLast { words }))
    }
}

/// The filter for a list already read.
pub fn from_words(words: WordSet) -> TokenFilter {
    TokenFilter::term(Stop { words })
}

#[derive(Debug)]
struct Stop {
    words: WordSet,
}

impl TermFilter for Stop {
    fn apply(&self, token: &mut Token) -> bool {
        !self.words.contains(token.text())
    }
}

/// `remove_trailing: false`: the text's last word stays even if it is listed, as the user may be typing it.
#[derive(Debug)]
struct StopButLast {
    words: WordSet,
}

impl StreamFilter for StopButLast {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let last = stream.tokens.len().saturating_sub(1);
        let mut index = 0;
        stream.tokens.retain(|token| {
            let keep = index == last || !self.words.contains(token.text());
            index += 1;
            keep
        });
        Ok(())
    }
}
