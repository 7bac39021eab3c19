//! Sets of characters as Java's `Character` defines them, which is what the API's components are described by.

use regex_syntax::hir::{Class, HirKind};
use std::sync::OnceLock;

/// The code points that a constant pattern (one class or one character in the regex syntax) stands for, ascending.
pub fn ranges(pattern: &'static str) -> Vec<(u32, u32)> {
    let parsed = regex_syntax::parse(pattern).expect("the pattern is a valid constant");
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| (range.start() as u32, range.end() as u32)).collect()
        }
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).expect("a literal of a valid pattern is text");
            text.chars().map(|only| (only as u32, only as u32)).collect()
        }
        other => unreachable!("a set is a class or one character, not {other:?}"),
    }
}

macro_rules! unicode_set {
    ($(#[$doc:meta])* $name:ident, $ascii:expr, $pattern:literal) => {
        $(#[$doc])*
        pub fn $name(character: char) -> bool {
            static RANGES: OnceLock<Vec<(u32, u32)>> = OnceLock::new();
            if character.is_ascii() {
                let ascii: fn(char) -> bool = $ascii;
                return ascii(character);
            }
            let code = character as u32;
            let ranges = RANGES.get_or_init(|| ranges($pattern));
            let after = ranges.partition_point(|&(first, _)| first <= code);
            after > 0 && code <= ranges[after - 1].1
        }
    };
}

unicode_set!(
    /// `Character.isLetter`: categories Lu, Ll, Lt, Lm, Lo.
    is_letter, |c| c.is_ascii_alphabetic(), r"\p{L}"
);
unicode_set!(
    /// `Character.isDigit`: category Nd.
    is_digit, |c| c.is_ascii_digit(), r"\p{Nd}"
);
unicode_set!(
    /// `Character.isWhitespace`: separators but the non-breaking ones, and the control characters for spacing.
    is_whitespace, |c| matches!(c, '\t'..='\r' | '\u{1C}'..=' '), r"[\p{Z}--[\x{A0}\x{2007}\x{202F}]]"
);
unicode_set!(
    /// General category P.
    is_punctuation, |c| c.is_ascii_punctuation() && !is_ascii_symbol(c), r"\p{P}"
);
unicode_set!(
    /// General category S.
    is_symbol, is_ascii_symbol, r"\p{S}"
);

fn is_ascii_symbol(character: char) -> bool {
    matches!(character, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_follow_the_general_category() {
        assert!(is_letter('é') && is_letter('漢') && !is_letter('\u{301}') && !is_letter('5'));
        assert!(is_digit('٣') && !is_digit('½'));
        assert!(is_whitespace('\u{2003}') && is_whitespace('\u{1c}') && !is_whitespace('\u{a0}'));
        assert!(is_punctuation('_') && is_punctuation('«') && !is_punctuation('+'));
        assert!(is_symbol('€') && is_symbol('+') && !is_symbol('-'));
        for code in 0..128u8 {
            let matches = |pattern: &str| regex::Regex::new(pattern).unwrap().is_match(&char::from(code).to_string());
            assert_eq!(is_symbol(char::from(code)), matches(r"\p{S}"));
            assert_eq!(is_punctuation(char::from(code)), matches(r"\p{P}"));
        }
    }
}
