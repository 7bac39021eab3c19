//! `pattern_replace` as a filter: replaces within each token what a regular expression matches.

use super::super::params::Params;
use super::super::token::Token;
use super::{TermFilter, wrong};
use quarry_base::error::Result;
use quarry_base::java_regex;
use regex::Regex;

#[derive(Debug)]
pub struct PatternReplace {
    pattern: Regex,
    replacement: String,
    all: bool,
}

impl PatternReplace {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let pattern = params.text("pattern")?.ok_or_else(|| {
            wrong(format!("pattern is missing for [{}] token filter of type 'pattern_replace'", params.name))
        })?;
        Ok(PatternReplace {
            pattern: java_regex::compile(&pattern, params.text("flags")?.as_deref())?,
            replacement: java_regex::replacement(&params.text("replacement")?.unwrap_or_default()),
            all: params.flag("all", true)?,
        })
    }
}

impl TermFilter for PatternReplace {
    fn apply(&self, token: &mut Token) -> bool {
        let most = if self.all { 0 } else { 1 };
        let replaced = self.pattern.replacen(token.text(), most, self.replacement.as_str()).into_owned();
        token.set_text(&replaced);
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
