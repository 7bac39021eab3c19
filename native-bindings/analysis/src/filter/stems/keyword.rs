//! `keyword_marker` and `keyword_repeat`: words that stemmers must leave alone.

use crate::filter::selected::stop::WordSet;
use crate::filter::{StreamFilter, TermFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;
use quarry_base::java_regex;
use regex::Regex;

#[derive(Debug)]
pub enum Marker {
    Words(WordSet),
    Pattern(Regex),
}

impl Marker {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("keywords_path")?;
        let ignore_case = params.flag("ignore_case", false)?;
        match (params.list("keywords")?, params.text("keywords_pattern")?) {
            (Some(_), Some(_)) => {
                Err(wrong("cannot specify both `keywords_pattern` and `keywords` or `keywords_path`"))
            }
            (None, Some(pattern)) => Ok(Marker::Pattern(java_regex::compile(&format!("^(?:{pattern})$"), None)?)),
            (Some(words), None) if !words.is_empty() => Ok(Marker::Words(WordSet::new(words, ignore_case)?)),
            _ => Err(wrong(
                "keyword filter requires either `keywords`, `keywords_path`, or `keywords_pattern` to be configured",
            )),
        }
    }
}

impl TermFilter for Marker {
    fn apply(&self, token: &mut Token) -> bool {
        token.keyword |= match self {
            Marker::Words(words) => words.contains(token.text()),
            Marker::Pattern(pattern) => pattern.is_match(token.text()),
        };
        true
    }

    fn knows_keywords(&self) -> bool {
        true
    }
}

/// Every token twice at its position: first as a keyword, then as it was.
#[derive(Debug)]
pub struct Repeat;

impl StreamFilter for Repeat {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let tokens = std::mem::take(&mut stream.tokens);
        stream.tokens = tokens
            .into_iter()
            .flat_map(|token| [Token { keyword: true, ..token.clone() }, Token { keyword: false, ..token }])
            .collect();
        Ok(())
    }

    fn knows_keywords(&self) -> bool {
        true
    }
}
