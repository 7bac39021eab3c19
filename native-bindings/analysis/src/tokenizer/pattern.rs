//! `pattern`: cuts at what a regular expression matches, or keeps what one of its groups matches.

use super::super::params::Params;
use super::super::token::{TokenStream, WORD};
use super::Tokenizer;
use quarry_base::error::Result;
use quarry_base::java_regex;
use regex::Regex;

#[derive(Debug)]
pub struct Pattern {
    pattern: Regex,
    /// `None`: the pattern matches what lies between tokens.
    group: Option<usize>,
}

impl Pattern {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let pattern = params.text("pattern")?.unwrap_or_else(|| r"\W+".to_owned());
        let pattern = java_regex::compile(&pattern, params.text("flags")?.as_deref())?;
        let group = usize::try_from(params.number("group", -1)?).ok();
        if group.is_some_and(|group| group >= pattern.captures_len()) {
            return Err(params.wrong("group", "the pattern has no such group"));
        }
        Ok(Pattern { pattern, group })
    }

    /// Cuts at `pattern`.
    pub fn split(pattern: Regex) -> Self {
        Pattern { pattern, group: None }
    }
}

impl Tokenizer for Pattern {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        let mut push = |start: usize, end: usize| {
            if start < end {
                out.push(&text[start..end], start, end, WORD);
            }
        };
        match self.group {
            Some(group) => {
                for captures in self.pattern.captures_iter(text) {
                    if let Some(found) = captures.get(group) {
                        push(found.start(), found.end());
                    }
                }
            }
            None => {
                let mut start = 0;
                for separator in self.pattern.find_iter(text) {
                    push(start, separator.start());
                    start = separator.end();
                }
                push(start, text.len());
            }
        }
        Ok(())
    }
}
