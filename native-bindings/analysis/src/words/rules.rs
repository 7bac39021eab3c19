//! The word rules as a table: which word starts at a place, how long it is and of what type.
//!
//! Lucene's StandardTokenizer is a longest-match scanner over eight patterns; of two equally long matches the earlier
//! pattern wins; a place where none matches is skipped by one character. The patterns are restated here over classes
//! (see [`super::classes`]): each class is one byte, a set is a byte class, and an automaton builder turns the whole into
//! states. What is kept of it is one flat table: state and class to next state.

use super::classes::{Classes, Set};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::{primitives::StateID, syntax};
use regex_automata::{Anchored, MatchKind};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::OnceLock;

/// The token types of StandardTokenizer, in the order of its patterns.
pub const KINDS: [&str; 8] =
    ["<EMOJI>", "<NUM>", "<HANGUL>", "<KATAKANA>", "<ALPHANUM>", "<SOUTHEAST_ASIAN>", "<IDEOGRAPHIC>", "<HIRAGANA>"];

/// The automaton's byte for class 0.
const FIRST_BYTE: u8 = 0x80;
/// "No pattern matches here."
const NO_KIND: u8 = u8::MAX;
/// The state from which nothing can match.
const DEAD: u16 = 0;
const START: u16 = 1;

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Byte offsets.
    pub start: usize,
    pub end: usize,
    /// Index in [`KINDS`].
    pub kind: u8,
}

pub struct WordRules {
    classes: &'static Classes,
    /// `next[state * stride + class]`.
    next: Vec<u16>,
    stride: usize,
    /// The pattern that matches what was read up to a state, or [`NO_KIND`].
    kind: Vec<u8>,
}

impl WordRules {
    /// Built at first use, then shared.
    pub fn get() -> &'static WordRules {
        static RULES: OnceLock<WordRules> = OnceLock::new();
        RULES.get_or_init(WordRules::build)
    }

    /// Calls `found` for each word of `text`. A word is at most `max_length` UTF-16 code units long: the scanner sees no
    /// further than that from where a word starts, and goes on after what it found there.
    pub fn words(&self, text: &str, max_length: usize, mut found: impl FnMut(Word)) {
        let mut at = 0;
        while at < text.len() {
            match self.longest(&text[at..], max_length) {
                Some((length, kind)) => {
                    found(Word { start: at, end: at + length, kind });
                    at += length;
                }
                None => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
    }

    /// Length in bytes and kind of the longest word at the start of `text`.
    #[inline]
    fn longest(&self, text: &str, max_length: usize) -> Option<(usize, u8)> {
        let mut state = START;
        let mut best = None;
        let mut units = 0;
        for (offset, character) in text.char_indices() {
            units += character.len_utf16();
            if units > max_length {
                break;
            }
            state = self.next[state as usize * self.stride + self.classes.of(character) as usize];
            if state == DEAD {
                break;
            }
            let kind = self.kind[state as usize];
            if kind != NO_KIND {
                best = Some((offset + character.len_utf8(), kind));
            }
        }
        best
    }

    fn build() -> WordRules {
        let classes = Classes::get();
        let patterns = patterns(classes);
        // A search for words anywhere would have very many states; a word's start is always known here.
        let anchored = dense::Config::new().match_kind(MatchKind::All).start_kind(StartKind::Anchored);
        let automaton = dense::Builder::new()
            .configure(anchored)
            .thompson(thompson::Config::new().which_captures(WhichCaptures::None))
            .syntax(syntax::Config::new().unicode(false).utf8(false).ignore_whitespace(true))
            .build_many(&patterns)
            .expect("the word rules are constant and small");
        flatten(classes, &automaton)
    }
}

/// Copies the reachable states of `automaton` into the flat table.
fn flatten(classes: &'static Classes, automaton: &impl Automaton) -> WordRules {
    let start = automaton.universal_start_state(Anchored::Yes).expect("the word rules look at nothing around them");
    let mut rules = WordRules { classes, next: Vec::new(), stride: classes.count(), kind: Vec::new() };
    let mut numbers = HashMap::new();
    let mut queue = vec![start];
    numbers.insert(start, START);
    rules.next.resize(rules.stride, DEAD);
    rules.kind.push(NO_KIND);
    let mut done = 0;
    while done < queue.len() {
        let state = queue[done];
        done += 1;
        rules.kind.push(kind_at(automaton, state));
        for class in 0..rules.stride {
            let target = automaton.next_state(state, FIRST_BYTE + class as u8);
            let number = if automaton.is_dead_state(target) {
                DEAD
            } else {
                *numbers.entry(target).or_insert_with(|| {
                    queue.push(target);
                    queue.len() as u16
                })
            };
            rules.next.push(number);
        }
    }
    rules
}

/// The automaton reports a match one byte late; the end of the text counts as that byte.
fn kind_at(automaton: &impl Automaton, state: StateID) -> u8 {
    let at_end = automaton.next_eoi_state(state);
    if !automaton.is_match_state(at_end) {
        return NO_KIND;
    }
    let first = (0..automaton.match_len(at_end)).map(|index| automaton.match_pattern(at_end, index).as_usize()).min();
    first.map_or(NO_KIND, |pattern| pattern as u8)
}

/// The eight patterns, in the order of [`KINDS`], over the bytes of the classes.
fn patterns(classes: &Classes) -> [String; 8] {
    let set = |set: Set| {
        let mut text = String::from("[");
        for class in (0..classes.count() as u8).filter(|&class| classes.contains(set, class)) {
            write!(text, r"\x{:02X}", FIRST_BYTE + class).expect("writing to a string cannot fail");
        }
        text + "]"
    };
    let extended = |of: Set| format!("(?:{}{}*)", set(of), set(Set::Transparent));
    let letter = extended(Set::Letter);
    let numeric = extended(Set::Numeric);
    let katakana = extended(Set::Katakana);
    let hebrew = extended(Set::HebrewLetter);
    let join = extended(Set::ExtendNumLet);
    let numbers = format!("{numeric}(?:(?:{join}*|{}){numeric})*", extended(Set::MidNumber));
    let letters = format!("{letter}(?:(?:{join}*|{}){letter})*", extended(Set::MidLetter));
    let hebrews = format!("{hebrew}(?:{}|{}{hebrew})", extended(Set::SingleQuote), extended(Set::DoubleQuote));
    let part = format!("(?:{katakana}(?:{join}*{katakana})*|(?:{hebrews}|{numbers}|{letters})+)");
    [
        emoji(&set, &extended),
        format!("{join}*{numbers}{join}*"),
        format!("{}+", extended(Set::Hangul)),
        format!("{katakana}+"),
        format!("{join}*{part}(?:{join}+{part})*{join}*"),
        format!("{}+", extended(Set::ComplexContext)),
        extended(Set::Han),
        extended(Set::Hiragana),
    ]
}

/// Emoji sequences of Unicode Technical Standard #51: characters with selectors, modifiers, joiners and tags; key caps;
/// flags.
fn emoji(set: &impl Fn(Set) -> String, extended: &impl Fn(Set) -> String) -> String {
    let plain = |of: Set| format!("{}{}*", set(of), set(Set::TransparentSansSelectors));
    let joiner = set(Set::ZeroWidthJoiner);
    let selector = set(Set::EmojiSelector);
    let element = format!(
        "(?:{joiner}*{character}{selector}?|(?:{joiner}*{base})?{modifier})",
        character = plain(Set::EmojiChar),
        base = plain(Set::EmojiModifierBase),
        modifier = plain(Set::EmojiModifier),
    );
    let sequence = format!("{element}(?:(?:{joiner}{element})*|{}+{})", set(Set::TagSpec), set(Set::TagTerm));
    let key_cap = format!("{}{selector}?{}", plain(Set::KeyCapBase), plain(Set::KeyCap));
    let flag = format!("{}{{2}}", extended(Set::RegionalIndicator));
    format!("{sequence}|{key_cap}|{flag}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(&str, &'static str)> {
        let mut found = Vec::new();
        WordRules::get().words(text, 255, |word| found.push((&text[word.start..word.end], KINDS[word.kind as usize])));
        found
    }

    fn terms(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|(term, _)| term).collect()
    }

    #[test]
    fn letters_digits_and_what_joins_them() {
        assert_eq!(
            terms("can't stop. U.S.A. 3,5 o'clock, 10:30 a:b a.1 x_y __ _a_"),
            ["can't", "stop", "U.S.A", "3,5", "o'clock", "10", "30", "a:b", "a", "1", "x_y", "_a_"]
        );
        assert_eq!(words("12.5"), [("12.5", "<NUM>")]);
        assert_eq!(words("a1"), [("a1", "<ALPHANUM>")]);
    }

    #[test]
    fn scripts_have_their_types() {
        assert_eq!(words("日本"), [("日", "<IDEOGRAPHIC>"), ("本", "<IDEOGRAPHIC>")]);
        assert_eq!(words("ひら"), [("ひ", "<HIRAGANA>"), ("ら", "<HIRAGANA>")]);
        assert_eq!(words("カタカナ"), [("カタカナ", "<KATAKANA>")]);
        assert_eq!(words("안녕하세요"), [("안녕하세요", "<HANGUL>")]);
        assert_eq!(words("การที่ได้"), [("การที่ได้", "<SOUTHEAST_ASIAN>")]);
        assert_eq!(words("Алиса"), [("Алиса", "<ALPHANUM>")]);
        assert_eq!(words("\u{FF11}\u{FF12}"), [("\u{FF11}\u{FF12}", "<NUM>")]);
        assert_eq!(terms("½ ² a²"), ["a"]);
    }

    #[test]
    fn emoji_sequences_are_one_word() {
        let family = "👨\u{200D}👩\u{200D}👧";
        assert_eq!(words(family), [(family, "<EMOJI>")]);
        assert_eq!(words("👍🏽👍"), [("👍🏽", "<EMOJI>"), ("👍", "<EMOJI>")]);
        assert_eq!(words("3\u{FE0F}\u{20E3}"), [("3\u{FE0F}\u{20E3}", "<EMOJI>")]);
        assert_eq!(words("🇫🇷🇩🇪"), [("🇫🇷", "<EMOJI>"), ("🇩🇪", "<EMOJI>")]);
        assert_eq!(words("♥"), [("♥", "<EMOJI>")]);
        assert_eq!(terms("#*"), Vec::<&str>::new());
    }

    #[test]
    fn long_words_are_cut() {
        let mut found = Vec::new();
        WordRules::get().words("abcdefgh ij", 3, |word| found.push((word.start, word.end)));
        assert_eq!(found, [(0, 3), (3, 6), (6, 8), (9, 11)]);
    }
}
