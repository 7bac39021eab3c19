//! `pattern_replace`: replaces what a regular expression matches.

use super::super::ahead::Pattern;
use super::super::offsets::FilteredText;
use super::super::params::Params;
use super::{CharFilter, broken};
use quarry_base::error::Result;
use quarry_base::java_regex;

#[derive(Debug)]
pub struct PatternReplace {
    pattern: Pattern,
    replacement: String,
}

impl PatternReplace {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let pattern = params.text("pattern")?.filter(|pattern| !pattern.is_empty());
        let pattern = pattern.ok_or_else(|| {
            broken(params, format!("pattern is missing for [{}] char filter of type 'pattern_replace'", params.name))
        })?;
        Ok(PatternReplace {
            pattern: Pattern::compile(&pattern, params.text("flags")?.as_deref())?,
            replacement: java_regex::replacement(&params.text("replacement")?.unwrap_or_default()),
        })
    }
}

impl CharFilter for PatternReplace {
    fn filter(&self, text: &str) -> Result<FilteredText> {
        let mut out = FilteredText::default();
        let mut copied = 0;
        let mut replacement = String::new();
        for found in self.pattern.matches(text) {
            replacement.clear();
            found.expand(text, &self.replacement, &mut replacement);
            out.copy(&text[copied..found.range.start]);
            copied = found.range.end;
            out.replace(&text[found.range], &replacement);
        }
        out.copy(&text[copied..]);
        Ok(out)
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
