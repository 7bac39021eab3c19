//! `pattern`: cuts at what a regular expression matches, or keeps what one of its groups matches.

use super::super::ahead;
use super::super::params::Params;
use super::super::token::{TokenStream, WORD};
use super::Tokenizer;
use quarry_base::error::Result;
use std::ops::Range;

#[derive(Debug)]
pub struct Pattern {
    pattern: ahead::Pattern,
    /// `None`: the pattern matches what lies between tokens.
    group: Option<usize>,
}

impl Pattern {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let pattern = params.text("pattern")?.unwrap_or_else(|| r"\W+".to_owned());
        let pattern = ahead::Pattern::compile(&pattern, params.text("flags")?.as_deref())?;
        let group = usize::try_from(params.number("group", -1)?).ok();
        if group.is_some_and(|group| group >= pattern.groups()) {
            return Err(params.wrong("group", "the pattern has no such group"));
        }
        Ok(Pattern { pattern, group })
    }

    /// Cuts at `pattern`.
    pub fn split(pattern: ahead::Pattern) -> Self {
        Pattern { pattern, group: None }
    }
}

impl Tokenizer for Pattern {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        let mut push = |range: Range<usize>| {
            if !range.is_empty() {
                out.push(&text[range.clone()], range.start, range.end, WORD);
            }
        };
        match self.group {
            Some(group) => self.pattern.matches(text).filter_map(|found| found.group(group)).for_each(push),
            None => {
                let mut start = 0;
                for separator in self.pattern.ranges(text) {
                    push(start..separator.start);
                    start = separator.end;
                }
                push(start..text.len());
            }
        }
        Ok(())
    }
}
