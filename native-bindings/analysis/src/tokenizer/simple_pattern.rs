//! `simple_pattern` and `simple_pattern_split`: what a regular expression of Lucene matches are the words, or what lies between
//! them. From every place the longest match counts.

use super::super::params::Params;
use super::super::token::{TokenStream, WORD};
use super::Tokenizer;
use super::automaton::Longest;
use quarry_base::error::Result;
use quarry_base::lucene_regexp;

/// Characters of a pattern, as many as a query may have by default.
const PATTERN_CHARS_MAX: usize = 1_000;

#[derive(Debug)]
pub struct SimplePattern {
    /// `None`: the pattern matches nothing.
    pattern: Option<Longest>,
    splits: bool,
}

impl SimplePattern {
    pub fn new(params: &Params<'_>, splits: bool) -> Result<Self> {
        let pattern = params.text("pattern")?.unwrap_or_default();
        if pattern.is_empty() {
            return Ok(SimplePattern { pattern: None, splits });
        }
        let length = pattern.chars().count();
        if length > PATTERN_CHARS_MAX {
            let reason = format!("its length [{length}] is more than [{PATTERN_CHARS_MAX}] characters");
            return Err(params.wrong("pattern", reason));
        }
        let translated = lucene_regexp::parse(&pattern, &[], false)?.translated();
        let translated =
            translated.ok_or_else(|| params.wrong("pattern", "the operators [~], [&] and [<>] are not supported"))?;
        let automaton = Longest::new(&[translated]);
        let automaton = automaton.ok_or_else(|| params.wrong("pattern", "its automaton would be too large"))?;
        Ok(SimplePattern { pattern: Some(automaton), splits })
    }

    /// Calls `found` with the bounds of each match.
    fn matches(&self, text: &str, mut found: impl FnMut(usize, usize)) -> Result<()> {
        let Some(pattern) = &self.pattern else { return Ok(()) };
        let mut search = pattern.over(text.as_bytes());
        let mut start = 0;
        while start < text.len() {
            let longest = search.at(start)?.filter(|found| found.end > start);
            match longest {
                Some(longest) => {
                    found(start, longest.end);
                    start = longest.end;
                }
                None => start += text[start..].chars().next().map_or(1, char::len_utf8),
            }
        }
        Ok(())
    }
}

impl Tokenizer for SimplePattern {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        if !self.splits {
            return self.matches(text, |start, end| out.push(&text[start..end], start, end, WORD));
        }
        let mut last_end = 0;
        let mut between = |start: usize, end: usize| {
            if start < end {
                out.push(&text[start..end], start, end, WORD);
            }
        };
        self.matches(text, |start, end| {
            between(last_end, start);
            last_end = end;
        })?;
        between(last_end, text.len());
        Ok(())
    }
}
