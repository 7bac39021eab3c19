//! Lucene's regular expressions, which are anchored at both ends and have operators of their own, as patterns of the
//! `regex` crate, whose automata take linear time and bounded memory.
//!
//! Kept: `.` `?` `*` `+` `{n,m}` `|` `( )` `[ ]` `"literal"` `@` (any text) `#` (nothing) `\`. Refused by name: `~`, `&`
//! and `<n-m>` where their flags are on.

use crate::error::{Error, Result};
use regex::bytes::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may take.
const COMPILED_BYTES_MAX: usize = 4 << 20;

/// `flags` are the names of Lucene's optional operators that are on; empty means all.
pub fn compile(pattern: &str, flags: &[String], fold: bool) -> Result<Regex> {
    let translated = Translator { pattern, flags, out: String::new(), groups: Vec::new(), atom: 0, is_repeated: false }
        .translate()?;
    RegexBuilder::new(&translated)
        .case_insensitive(fold)
        .dot_matches_new_line(true)
        .size_limit(COMPILED_BYTES_MAX)
        .build()
        .map_err(|error| Error::illegal_argument(format!("[regexp] pattern [{pattern}] cannot be compiled: {error}")))
}

/// The characters of Lucene's `\d`, `\s` and `\w`, which are ASCII.
fn predefined(letter: char) -> Option<&'static str> {
    match letter.to_ascii_lowercase() {
        'd' => Some("0-9"),
        's' => Some(r" \t\n\r"),
        'w' => Some("a-zA-Z0-9_"),
        _ => None,
    }
}

struct Translator<'a> {
    pattern: &'a str,
    flags: &'a [String],
    out: String,
    /// Where each open group begins in `out`.
    groups: Vec<usize>,
    /// Where what a quantifier would repeat begins.
    atom: usize,
    /// The last piece was a quantifier: another one repeats the whole of it, while the crate reads `*?` as lazy.
    is_repeated: bool,
}

impl Translator<'_> {
    fn has(&self, flag: &str) -> bool {
        self.flags.is_empty() || self.flags.iter().any(|on| on == flag || on == "ALL")
    }

    fn translate(mut self) -> Result<String> {
        self.out.push_str("^(?:");
        let pattern = self.pattern;
        let mut characters = pattern.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '?' | '*' | '+' => self.quantifier(&character.to_string()),
                '{' => {
                    let count: String = characters.by_ref().take_while(|&next| next != '}').collect();
                    self.quantifier(&format!("{{{count}}}"));
                }
                ')' => {
                    self.atom = self.groups.pop().ok_or_else(|| malformed(pattern, "a group is not open"))?;
                    self.out.push(')');
                    self.is_repeated = false;
                }
                '|' => {
                    self.out.push('|');
                    (self.atom, self.is_repeated) = (self.out.len(), false);
                }
                other => {
                    (self.atom, self.is_repeated) = (self.out.len(), false);
                    self.atom(other, &mut characters)?;
                }
            }
        }
        self.out.push_str(")$");
        Ok(self.out)
    }

    fn quantifier(&mut self, quantifier: &str) {
        if self.is_repeated {
            self.out.insert_str(self.atom, "(?:");
            self.out.push(')');
        }
        self.out.push_str(quantifier);
        self.is_repeated = true;
    }

    fn atom(&mut self, first: char, characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<()> {
        match first {
            '\\' => self.escape(characters.next())?,
            '[' => self.class(characters)?,
            '"' => self.quoted(characters)?,
            '(' => {
                self.groups.push(self.out.len());
                self.out.push_str("(?:");
            }
            '@' if self.has("ANYSTRING") => self.out.push_str("(?:.*)"),
            '#' if self.has("EMPTY") => self.out.push_str(r"[^\s\S]"),
            '~' if self.has("COMPLEMENT") => return Err(unsupported("~")),
            '&' if self.has("INTERSECTION") => return Err(unsupported("&")),
            '<' if self.has("INTERVAL") => return Err(unsupported("<n-m>")),
            '.' => self.out.push('.'),
            other => self.literal(other),
        }
        Ok(())
    }

    fn escape(&mut self, escaped: Option<char>) -> Result<()> {
        let character = escaped.ok_or_else(|| malformed(self.pattern, "it ends with a backslash"))?;
        match predefined(character) {
            Some(class) if character.is_ascii_lowercase() => self.out.push_str(&format!("[{class}]")),
            Some(class) => self.out.push_str(&format!("[^{class}]")),
            None => self.literal(character),
        }
        Ok(())
    }

    fn literal(&mut self, character: char) {
        self.out.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
    }

    fn quoted(&mut self, characters: &mut impl Iterator<Item = char>) -> Result<()> {
        self.out.push_str("(?:");
        loop {
            match characters.next() {
                Some('"') => break,
                Some(character) => self.literal(character),
                None => return Err(malformed(self.pattern, "a quote is not closed")),
            }
        }
        self.out.push(')');
        Ok(())
    }

    /// Lucene's classes hold characters and ranges only: whatever the crate would read into them is escaped.
    fn class(&mut self, characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<()> {
        let pattern = self.pattern;
        self.out.push('[');
        if characters.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut is_empty = true;
        loop {
            let character = characters.next().ok_or_else(|| malformed(pattern, "a bracket is not closed"))?;
            match character {
                ']' if !is_empty => break,
                '-' if !is_empty && characters.peek() != Some(&']') => self.out.push('-'),
                '\\' => {
                    let escaped = characters.next().ok_or_else(|| malformed(pattern, "it ends with a backslash"))?;
                    match predefined(escaped) {
                        Some(class) if escaped.is_ascii_lowercase() => self.out.push_str(class),
                        Some(_) => return Err(unsupported(&format!("[\\{escaped}]"))),
                        None => self.class_literal(escaped),
                    }
                }
                other => self.class_literal(other),
            }
            is_empty = false;
        }
        self.out.push(']');
        Ok(())
    }

    fn class_literal(&mut self, character: char) {
        if !character.is_alphanumeric() && character.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(character);
    }
}

fn malformed(pattern: &str, why: &str) -> Error {
    Error::illegal_argument(format!("[regexp] pattern [{pattern}] is malformed: {why}"))
}

fn unsupported(operator: &str) -> Error {
    Error::illegal_argument(format!("[regexp] operator [{operator}] is not supported"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, term: &str) -> bool {
        compile(pattern, &[], false).unwrap().is_match(term.as_bytes())
    }

    #[test]
    fn patterns_are_anchored_and_have_lucenes_operators() {
        assert!(matches("ab.*", "abc"));
        assert!(!matches("b", "abc"));
        assert!(matches("a|bc", "bc"));
        assert!(!matches("a|bc", "abc"));
        assert!(matches("a{2,3}", "aaa"));
        assert!(matches("\"a.b\"c", "a.bc"));
        assert!(!matches("\"a.b\"c", "axbc"));
        assert!(matches("a@", "anything"));
        assert!(!matches("a#", "a"));
        assert!(matches("[a-c]+", "abc"));
        assert!(matches("[^a-c]+", "xyz"));
        assert!(matches("[a&&b]+", "&"));
        assert!(matches("^$", "^$"));
        assert!(matches("\\d+\\.", "42."));
        assert!(!matches("\\D", "4"));
        assert!(matches("[\\d.]+", "4.2"));
        // A quantifier after another one repeats the repetition; it is not a lazy one.
        assert!(matches("ab+?", "a"));
        assert!(matches("(ab){2}?", ""));
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        for pattern in ["~a", "a&b", "<1-2>", "[a", "a\\", "\"a", "a)", "(a{1000}){1000}"] {
            assert!(compile(pattern, &[], false).is_err(), "{pattern}");
        }
        assert!(compile("a~b", &["NONE".to_owned()], false).unwrap().is_match(b"a~b"));
    }
}
