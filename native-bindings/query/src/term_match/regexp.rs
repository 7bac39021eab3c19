//! Lucene's regular expressions, which are anchored at both ends and have operators of their own.
//!
//! A pattern without `~` (complement), `&` (intersection) and `<n-m>` (numbers) becomes one of the `regex` crate, whose
//! automata take linear time and bounded memory. The others are matched by derivatives ([`super::derivative`]), whose
//! states are bounded by `max_determinized_states`.

use super::derivative::Derivatives;
use quarry_base::error::{Error, Result};
use quarry_base::lucene_regexp::parse;
use regex::bytes::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may take.
const COMPILED_BYTES_MAX: usize = 4 << 20;

/// `max_determinized_states` where a request does not say it.
pub const DETERMINIZED_STATES_MAX: u32 = 10_000;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Regexp {
    pattern: String,
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    Linear(Regex),
    Derivatives(Derivatives),
}

impl Regexp {
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Terms that are not UTF-8 match nothing. An error where the pattern takes too many states.
    pub fn matches(&mut self, term: &[u8]) -> Result<bool> {
        match &mut self.engine {
            Engine::Linear(regex) => Ok(regex.is_match(term)),
            Engine::Derivatives(derivatives) => match std::str::from_utf8(term) {
                Ok(term) => {
                    derivatives.matches(term).ok_or_else(|| too_complex(&self.pattern, derivatives.states_max()))
                }
                Err(_) => Ok(false),
            },
        }
    }
}

/// A compiled pattern that texts need only begin with.
#[derive(Debug, Clone)]
pub struct PrefixRegexp(Regexp);

impl PrefixRegexp {
    /// Bytes of the shortest beginning of a text that the pattern matches. Errors as [`Regexp::matches`].
    pub fn shortest(&mut self, text: &str) -> Result<Option<usize>> {
        match &mut self.0.engine {
            Engine::Linear(regex) => Ok(regex.shortest_match(text.as_bytes())),
            Engine::Derivatives(derivatives) => {
                let found = derivatives.shortest(text);
                found.ok_or_else(|| too_complex(&self.0.pattern, derivatives.states_max()))
            }
        }
    }
}

/// As [`compile`] of a pattern that need not match to the end.
pub fn compile_prefix(pattern: &str, flags: &[String], states_max: u32) -> Result<PrefixRegexp> {
    compile_until(pattern, flags, false, states_max, "").map(PrefixRegexp)
}

fn too_complex(pattern: &str, states: u32) -> Error {
    Error::illegal_argument(format!("Determinizing {pattern} would require more than {states} effort."))
}

/// `flags` are the names of Lucene's optional operators that are on; empty means all.
pub fn compile(pattern: &str, flags: &[String], fold: bool, states_max: u32) -> Result<Regexp> {
    compile_until(pattern, flags, fold, states_max, "$")
}

/// `end`: what stands behind the pattern.
fn compile_until(pattern: &str, flags: &[String], fold: bool, states_max: u32, end: &str) -> Result<Regexp> {
    let syntax = parse(pattern, flags, fold)?;
    let engine = match syntax.translated() {
        Some(translated) => {
            let built = RegexBuilder::new(&format!("^(?:{translated}){end}"))
                .case_insensitive(fold)
                .dot_matches_new_line(true)
                .size_limit(COMPILED_BYTES_MAX)
                .build();
            Engine::Linear(built.map_err(|_| too_complex(pattern, states_max))?)
        }
        None => Engine::Derivatives(Derivatives::new(&syntax, fold, states_max)),
    };
    Ok(Regexp { pattern: pattern.to_owned(), engine })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, term: &str) -> bool {
        compile(pattern, &[], false, DETERMINIZED_STATES_MAX).unwrap().matches(term.as_bytes()).unwrap()
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
        assert!(matches("^$", "^$"));
        assert!(matches("\\d+\\.", "42."));
        assert!(!matches("\\D", "4"));
        assert!(matches("[\\d.]+", "4.2"));
        // A quantifier after another one repeats the repetition; it is not a lazy one.
        assert!(matches("ab+?", "a"));
        assert!(matches("(ab){2}?", ""));
        assert!(matches("()", ""));
    }

    #[test]
    fn the_shortest_beginning_is_found() {
        let shortest = |pattern: &str, text: &str| {
            compile_prefix(pattern, &[], DETERMINIZED_STATES_MAX).unwrap().shortest(text).unwrap()
        };
        assert_eq!(shortest("n[ei]v", "nevermind"), Some(3));
        assert_eq!(shortest("n.*d", "nevermind"), Some(9));
        assert_eq!(shortest("", "a"), Some(0));
        assert_eq!(shortest("e", "nevermind"), None);
        assert_eq!(shortest("n<1-3>", "n2x"), Some(2));
        assert_eq!(shortest("a~(b)", "abc"), Some(1));
    }

    #[test]
    fn complement_intersection_and_numbers() {
        assert!(matches("a~bc", "aac"));
        assert!(matches("a~bc", "abbc"));
        assert!(!matches("a~bc", "abc"));
        assert!(matches("aaa.+&.+bbb", "aaabbb"));
        assert!(!matches("aaa.+&.+bbb", "aaab"));
        assert!(matches("foo<1-100>", "foo7"));
        assert!(matches("foo<1-100>", "foo007"));
        assert!(!matches("foo<1-100>", "foo101"));
        assert!(matches("foo<01-10>", "foo07"));
        assert!(!matches("foo<01-10>", "foo7"));
        assert!(matches("~(ab)*", "aba"));
    }

    #[test]
    fn flags_and_faults() {
        for pattern in ["[a", "a\\", "\"a", "(a", "a{2", "a{3,2}", "<a-b>", "(a{1000}){1000}"] {
            assert!(compile(pattern, &[], false, DETERMINIZED_STATES_MAX).is_err(), "{pattern}");
        }
        let none = ["NONE".to_owned()];
        assert!(compile("a~b", &none, false, 100).unwrap().matches(b"a~b").unwrap());
        assert!(compile("A~(b)", &[], true, 100).unwrap().matches(b"ac").unwrap());
        let mut complex = compile("~(.*a.{12})&.*", &[], false, 50).unwrap();
        // Nearly every window of the text is another one, and so is every state.
        let mut state = 1u32;
        let mut letter = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 31 == 1 { 'a' } else { 'b' }
        };
        let text: String = (0..400).map(|_| letter()).collect();
        assert!(complex.matches(text.as_bytes()).is_err());
    }

    #[test]
    fn what_is_excluded_in_either_case_is_excluded_in_both() {
        let mut regexp = compile("or[^a-c]{1,4}", &[], true, 100).unwrap();
        assert!(!regexp.matches(b"orchid").unwrap());
        assert!(!regexp.matches(b"ORCHID").unwrap());
        assert!(regexp.matches(b"Orders").unwrap());
    }

    proptest! {
        /// What both engines can do they do alike.
        #[test]
        fn engines_agree(pattern in "[ab.]{1,3}([?*+|][ab.]{1,2}){0,2}", term in "[abc]{0,5}") {
            let syntax = parse(&pattern, &[], false).unwrap();
            let found = Derivatives::new(&syntax, false, DETERMINIZED_STATES_MAX).matches(&term);
            prop_assert_eq!(found, Some(matches(&pattern, &term)), "{}", pattern);
            let complement = format!("~({pattern})");
            prop_assert_eq!(matches(&complement, &term), !matches(&pattern, &term));
        }
    }
}
