//! Patterns whose matches may have to be followed by something that is no part of them: `X(?=Y)`.
//!
//! The engine is linear and cannot look around. It finds `X` and `Y` one after the other instead, with an empty group between them
//! that tells where the match ends. That is the same where the look stands at the very end of the pattern, outside of all
//! alternatives. `Y` has groups of no numbers and reaches [`AHEAD_BYTES_MAX`] at most, so that what is looked at again for each
//! match is bounded. Looks elsewhere are refused by name, as the engine does.

use quarry_base::error::{Error, Result};
use quarry_base::java_regex;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::ops::Range;

/// Bytes of text that what follows a match may have.
const AHEAD_BYTES_MAX: usize = 256;
const LOOK: &str = "(?=";

/// A regular expression of Java's, and whether it looks ahead at its end.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    /// The empty group at which a match ends.
    end_group: Option<usize>,
}

/// A match: where it is, and its groups. The whole of these may be longer than the match.
pub struct Found<'t> {
    pub range: Range<usize>,
    captures: Captures<'t>,
}

impl Pattern {
    /// `flags` as in [`java_regex::compile`].
    pub fn compile(pattern: &str, flags: Option<&str>) -> Result<Self> {
        let reads_plainly = !flags.is_some_and(|flags| flags.contains("COMMENTS") || flags.contains("LITERAL"));
        let Some((matched, ahead)) = reads_plainly.then(|| split(pattern)).flatten() else {
            return Ok(Pattern { regex: java_regex::compile(pattern, flags)?, end_group: None });
        };
        check_ahead(pattern, &java_regex::compile(ahead, flags)?)?;
        let regex = java_regex::compile(&format!("{matched}()(?:{ahead})"), flags)?;
        let end_group = Some(regex.captures_len() - 1);
        Ok(Pattern { regex, end_group })
    }

    /// The groups of a match, the whole included.
    pub fn groups(&self) -> usize {
        self.end_group.unwrap_or_else(|| self.regex.captures_len())
    }

    /// Where the matches in `text` are.
    pub fn ranges<'t>(&'t self, text: &'t str) -> Box<dyn Iterator<Item = Range<usize>> + 't> {
        match self.end_group {
            None => Box::new(self.regex.find_iter(text).map(|found| found.range())),
            Some(_) => Box::new(self.matches(text).map(|found| found.range)),
        }
    }

    /// The matches in `text` with their groups.
    pub fn matches<'t>(&'t self, text: &'t str) -> Box<dyn Iterator<Item = Found<'t>> + 't> {
        let Some(end_group) = self.end_group else {
            let found = |captures: Captures<'t>| Some(Found { range: captures.get(0)?.range(), captures });
            return Box::new(self.regex.captures_iter(text).filter_map(found));
        };
        let mut from = 0;
        Box::new(std::iter::from_fn(move || {
            let captures = self.regex.captures_at(text, from.min(text.len())).filter(|_| from <= text.len())?;
            let range = captures.get(0)?.start()..captures.get(end_group)?.end();
            // After an empty match the next one begins a character later.
            let is_empty = range.is_empty();
            from = range.end + if is_empty { text[range.end..].chars().next().map_or(1, char::len_utf8) } else { 0 };
            Some(Found { range, captures })
        }))
    }

    /// Puts `replacement` (in the syntax of the engine) for the first match, or for all.
    pub fn replaced<'t>(&self, text: &'t str, replacement: &str, all: bool) -> Cow<'t, str> {
        if self.end_group.is_none() {
            return self.regex.replacen(text, usize::from(!all), replacement);
        }
        let most = if all { usize::MAX } else { 1 };
        let (mut out, mut copied) = (String::new(), 0);
        for found in self.matches(text).take(most) {
            out.push_str(&text[copied..found.range.start]);
            found.expand(text, replacement, &mut out);
            copied = found.range.end;
        }
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }
}

impl Found<'_> {
    /// Where group `number` is; 0 is the match.
    pub fn group(&self, number: usize) -> Option<Range<usize>> {
        if number == 0 { Some(self.range.clone()) } else { self.captures.get(number).map(|group| group.range()) }
    }

    /// Appends `replacement` with the groups' texts in it.
    pub fn expand(&self, text: &str, replacement: &str, out: &mut String) {
        let whole = text[self.range.clone()].replace('$', "$$");
        self.captures.expand(&replacement.replace("${0}", &whole), out);
    }
}

/// What a pattern matches and what has to follow, if it ends in a look ahead that belongs to all of it.
fn split(pattern: &str) -> Option<(&str, &str)> {
    let mut rest = pattern.char_indices();
    let mut open = Vec::new();
    let mut class_depth = 0_u32;
    let mut last_group = None;
    while let Some((at, character)) = rest.next() {
        match character {
            '\\' => {
                if let Some((quote, 'Q')) = rest.next() {
                    let length = pattern[quote..].find("\\E").map_or(pattern.len(), |end| end + 2);
                    while rest.offset() < quote.saturating_add(length).min(pattern.len()) {
                        rest.next();
                    }
                }
            }
            '[' => class_depth += 1,
            ']' => class_depth = class_depth.saturating_sub(1),
            _ if class_depth > 0 => {}
            '(' => open.push(at),
            ')' => last_group = Some((open.pop()?, at)),
            '|' if open.is_empty() => return None,
            _ => {}
        }
    }
    let (start, end) =
        last_group.filter(|&(start, end)| end + 1 == pattern.len() && pattern[start..].starts_with(LOOK))?;
    open.is_empty().then(|| (&pattern[..start], &pattern[start + LOOK.len()..end]))
}

/// Refuses what could be looked at without bound, and groups that would be counted.
fn check_ahead(pattern: &str, ahead: &Regex) -> Result<()> {
    let refused =
        |why: String| Error::illegal_argument(format!("regular expression [{pattern}] cannot be used: {why}"));
    if ahead.captures_len() > 1 {
        return Err(refused("groups inside of (?=...) are not supported".to_owned()));
    }
    let parsed = regex_syntax::parse(ahead.as_str()).map_err(|error| refused(error.to_string()))?;
    if parsed.properties().maximum_len().is_none_or(|longest| longest > AHEAD_BYTES_MAX) {
        return Err(refused(format!("what (?=...) looks at may have [{AHEAD_BYTES_MAX}] bytes at most")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn replaced(pattern: &str, replacement: &str, text: &str) -> String {
        let pattern = Pattern::compile(pattern, None).unwrap();
        pattern.replaced(text, &java_regex::replacement(replacement), true).into_owned()
    }

    #[test]
    fn what_follows_is_no_part_of_the_match() {
        assert_eq!(replaced(r"(\d+)-(?=\d)", "$1_", "My credit card is 123-456-789"), "My credit card is 123_456_789");
        assert_eq!(replaced(r"[a-z](?=[A-Z])", "$0 ", "fooBarBazX"), "foo Bar Baz X");
        assert_eq!(replaced(r"(?=[A-Z])", "-", "éaBC"), "éa-B-C");
        assert_eq!(replaced(r"a+(?=a)", "x", "aaa"), "xa");
        assert_eq!(replaced(r"\b\w(?=o)", "<$0>", "go to so"), "<g>o <t>o <s>o");
        assert_eq!(replaced(r"x(?=$)", "y", "xx"), "xy");
        assert_eq!(replaced(r"\Q(?=\E(?=a)", "!", "(?=a(?=b"), "!a(?=b");
        assert_eq!(replaced("a(?=b)", "$0$0", "a$ab"), "a$aab");
    }

    #[test]
    fn the_first_match_alone() {
        let pattern = Pattern::compile("(a)(?=b)", None).unwrap();
        assert_eq!(pattern.replaced("abab", "<$1>", false), "<a>bab");
        assert_eq!(pattern.groups(), 2);
        assert_eq!(Pattern::compile("(a)b", None).unwrap().groups(), 2);
    }

    #[test]
    fn looks_elsewhere_and_without_bound_are_refused() {
        for pattern in
            ["(?=a)b", "a|b(?=c)", "(a(?=b))", "a(?!b)", "(?<=a)b", "a(?=.*b)", "a(?=(b))", "a(?=b)+", "a(?=b(?=c))"]
        {
            assert!(Pattern::compile(pattern, None).is_err(), "{pattern}");
        }
        assert!(Pattern::compile("a(?=b{300})", None).unwrap_err().reason.contains("[256]"));
        assert!(Pattern::compile("a(?=b)", Some("COMMENTS")).is_err());
        assert!(Pattern::compile("a(?=b)", Some("LITERAL")).is_ok_and(|pattern| pattern.end_group.is_none()));
    }

    proptest! {
        /// One or more letters as long as another follows: by hand, every run loses its last letter.
        #[test]
        fn runs_lose_their_last_letter(text in "[ab ]{0,20}") {
            let pattern = Pattern::compile("[ab]+(?=[ab])", None).unwrap();
            let found: Vec<Range<usize>> = pattern.ranges(&text).collect();
            let mut expected = Vec::new();
            let mut start = 0;
            for run in text.split(' ') {
                if run.len() > 1 {
                    expected.push(start..start + run.len() - 1);
                }
                start += run.len() + 1;
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn any_pattern_and_text_are_taken(pattern in "[ab|()?=\\\\\\[\\]QE]{0,12}", text in "\\PC{0,12}") {
            if let Ok(pattern) = Pattern::compile(&pattern, None) {
                prop_assert!(pattern.ranges(&text).all(|range| text.get(range).is_some()));
                pattern.replaced(&text, "$1", true);
            }
        }
    }
}
