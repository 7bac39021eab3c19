//! `keep` and `keep_types`: only tokens that are listed, by word or by type.

use super::stop::WordSet;
use crate::filter::{StreamFilter, TermFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;

#[derive(Debug)]
pub struct Keep {
    words: WordSet,
}

impl Keep {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("keep_words_path")?;
        let ignore_case = params.flag("keep_words_case", false)?;
        let words = params
            .list("keep_words")?
            .ok_or_else(|| wrong("keep requires either `keep_words` or `keep_words_path` to be configured"))?;
        Ok(Keep { words: WordSet::new(words, ignore_case)? })
    }
}

impl TermFilter for Keep {
    fn apply(&self, token: &mut Token) -> bool {
        self.words.contains(token.text())
    }
}

#[derive(Debug)]
pub struct KeepTypes {
    types: Vec<String>,
    include: bool,
}

impl KeepTypes {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let types = params.list("types")?.filter(|types| !types.is_empty());
        let types = types.ok_or_else(|| wrong("keep_types requires `types` to be configured"))?;
        let include = match params.text("mode")?.as_deref() {
            None | Some("include") => true,
            Some("exclude") => false,
            Some(other) => {
                return Err(wrong(format!(
                    "`keep_types` tokenfilter mode can only be [include] or [exclude] but was [{other}]."
                )));
            }
        };
        Ok(KeepTypes { types, include })
    }
}

impl StreamFilter for KeepTypes {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        stream.tokens.retain(|token| self.types.iter().any(|kind| kind == token.kind) == self.include);
        Ok(())
    }
}
