//! `pattern_capture`: what the groups of regular expressions match within a token, all at its position.

use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::token::{Token, TokenStream, check_made};
use quarry_base::error::Result;
use quarry_base::java_regex;
use regex::Regex;
use std::ops::Range;

/// Expressions of one filter.
const PATTERNS_MAX: usize = 64;
/// Bytes that all groups together may match in one token.
const CAPTURED_BYTES_MAX: usize = 16 << 20;

#[derive(Debug)]
pub struct PatternCapture {
    patterns: Vec<Regex>,
    preserve_original: bool,
}

impl PatternCapture {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let patterns = params.list_of_rules("patterns")?.ok_or_else(|| {
            wrong(format!("required setting 'patterns' is missing for token filter [{}]", params.name))
        })?;
        if patterns.len() > PATTERNS_MAX {
            return Err(params.wrong("patterns", format!("there are more than [{PATTERNS_MAX}]")));
        }
        let flags = params.text("flags")?;
        let compile = |pattern: &String| java_regex::compile(pattern, flags.as_deref());
        Ok(PatternCapture {
            patterns: patterns.iter().map(compile).collect::<Result<_>>()?,
            preserve_original: params.flag("preserve_original", true)?,
        })
    }

    /// What the groups match, by where it begins: of those that come next in each expression always the first. An error
    /// where it is too much.
    fn captures(&self, text: &str) -> Result<Vec<Range<usize>>> {
        let is_whole = |range: &Range<usize>| self.preserve_original && *range == (0..text.len());
        let is_taken = |range: &Range<usize>| !range.is_empty() && !is_whole(range);
        let mut bytes = 0;
        let mut of_pattern = |pattern: &Regex| -> Result<_> {
            let mut taken = Vec::new();
            for found in pattern.captures_iter(text) {
                let groups = found.iter().skip(1).flatten().map(|group| group.range());
                taken.extend(groups.filter(is_taken).inspect(|range| bytes += range.len()));
                if bytes > CAPTURED_BYTES_MAX {
                    return Err(wrong(format!(
                        "the patterns of a token filter capture more than [{CAPTURED_BYTES_MAX}] bytes of one token"
                    )));
                }
            }
            Ok(taken.into_iter().peekable())
        };
        let mut left: Vec<_> = self.patterns.iter().map(&mut of_pattern).collect::<Result<_>>()?;
        let mut merged = Vec::new();
        loop {
            let starts =
                left.iter_mut().enumerate().filter_map(|(at, next)| next.peek().map(|range| (range.start, at)));
            let Some((_, first)) = starts.min() else { return Ok(merged) };
            merged.extend(left[first].next());
        }
    }
}

impl StreamFilter for PatternCapture {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut out = Vec::with_capacity(stream.tokens.len() * 2);
        for mut token in std::mem::take(&mut stream.tokens) {
            let captures = self.captures(token.text())?;
            // The rest of a token is small, and the same in all that are made of it.
            let term = std::mem::take(&mut token.term);
            let parts = captures.iter().map(|range| Token { term: term[range.clone()].to_vec(), ..token.clone() });
            let parts: Vec<Token> = parts.collect();
            if self.preserve_original || captures.is_empty() {
                out.push(Token { term, ..token });
            }
            out.extend(parts);
            check_made(&out)?;
        }
        stream.tokens = out;
        Ok(())
    }
}
