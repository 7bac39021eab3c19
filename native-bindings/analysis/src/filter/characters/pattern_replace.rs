//! `pattern_replace` as a filter: replaces within each token what a regular expression matches.

use crate::ahead::Pattern;
use crate::filter::{TermFilter, wrong};
use crate::params::Params;
use crate::token::Token;
use quarry_base::error::Result;
use quarry_base::java_regex;

#[derive(Debug)]
pub struct PatternReplace {
    pattern: Pattern,
    replacement: String,
    all: bool,
}

impl PatternReplace {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let pattern = params.text("pattern")?.ok_or_else(|| {
            wrong(format!("pattern is missing for [{}] token filter of type 'pattern_replace'", params.name))
        })?;
        Ok(PatternReplace {
            pattern: Pattern::compile(&pattern, params.text("flags")?.as_deref())?,
            replacement: java_regex::replacement(&params.text("replacement")?.unwrap_or_default()),
            all: params.flag("all", true)?,
        })
    }
}

impl TermFilter for PatternReplace {
    fn apply(&self, token: &mut Token) -> bool {
        let replaced = self.pattern.replaced(token.text(), &self.replacement, self.all).into_owned();
        token.set_text(&replaced);
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
