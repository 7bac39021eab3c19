//! `pattern_replace`: replaces what a regular expression matches.

use super::super::offsets::FilteredText;
use super::super::params::Params;
use super::{CharFilter, broken};
use quarry_base::error::Result;
use quarry_base::java_regex;
use regex::Regex;

#[derive(Debug)]
pub struct PatternReplace {
    pattern: Regex,
    replacement: String,
}

impl PatternReplace {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let pattern = params.text("pattern")?.filter(|pattern| !pattern.is_empty());
        let pattern = pattern.ok_or_else(|| {
            broken(params, format!("pattern is missing for [{}] char filter of type 'pattern_replace'", params.name))
        })?;
        Ok(PatternReplace {
            pattern: java_regex::compile(&pattern, params.text("flags")?.as_deref())?,
            replacement: java_regex::replacement(&params.text("replacement")?.unwrap_or_default()),
        })
    }
}

impl CharFilter for PatternReplace {
    fn filter(&self, text: &str) -> Result<FilteredText> {
        let mut out = FilteredText::default();
        let mut copied = 0;
        let mut replacement = String::new();
        for captures in self.pattern.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            replacement.clear();
            captures.expand(&self.replacement, &mut replacement);
            out.copy(&text[copied..whole.start()]);
            out.replace(whole.as_str(), &replacement);
            copied = whole.end();
        }
        out.copy(&text[copied..]);
        Ok(out)
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
