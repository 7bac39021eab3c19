//! Where a word is cut: at characters that are neither letters nor digits, where the case rises, between letters and digits.

use std::collections::HashMap;

/// What a character counts as. A character may be of several kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(u8);

impl Kind {
    pub const LOWER: Kind = Kind(1);
    pub const UPPER: Kind = Kind(2);
    pub const DIGIT: Kind = Kind(4);
    pub const DELIMITER: Kind = Kind(8);
    pub const ALPHA: Kind = Kind(1 | 2);
    pub const ALPHANUM: Kind = Kind(1 | 2 | 4);

    fn shares(self, other: Kind) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_alpha(self) -> bool {
        self.shares(Kind::ALPHA)
    }

    pub fn is_digit(self) -> bool {
        self.shares(Kind::DIGIT)
    }

    fn is_delimiter(self) -> bool {
        self.shares(Kind::DELIMITER)
    }

    fn of(character: char) -> Kind {
        if character.is_lowercase() {
            Kind::LOWER
        } else if character.is_uppercase() {
            Kind::UPPER
        } else if character.is_numeric() {
            Kind::DIGIT
        } else if character.is_alphabetic() {
            Kind::ALPHA
        } else if character.len_utf16() == 2 {
            Kind::ALPHANUM
        } else {
            Kind::DELIMITER
        }
    }
}

/// One part: characters from, to, and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

#[derive(Debug)]
pub struct Cutter {
    pub split_on_case_change: bool,
    pub split_on_numerics: bool,
    pub stem_english_possessive: bool,
    pub kinds: HashMap<char, Kind>,
}

impl Cutter {
    pub fn parts(&self, text: &[char]) -> Vec<Part> {
        let kind_at = |at: usize| self.kinds.get(&text[at]).copied().unwrap_or_else(|| Kind::of(text[at]));
        let mut parts = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if kind_at(at).is_delimiter() {
                at += 1;
                continue;
            }
            let start = at;
            at += 1;
            while at < text.len() && !self.is_break(kind_at(at - 1), kind_at(at)) {
                at += 1;
            }
            parts.push(Part { start, end: at, kind: kind_at(start) });
            if self.stem_english_possessive && is_possessive(text, at, &kind_at) {
                at += 2;
            }
        }
        parts
    }

    fn is_break(&self, before: Kind, kind: Kind) -> bool {
        if before.shares(kind) {
            return false;
        }
        let both_alpha = before.is_alpha() && kind.is_alpha();
        // A capital belongs to the small letters behind it.
        if both_alpha && (!self.split_on_case_change || before.shares(Kind::UPPER)) {
            return false;
        }
        let crosses = (before.is_alpha() && kind.is_digit()) || (before.is_digit() && kind.is_alpha());
        self.split_on_numerics || !crosses
    }
}

/// Whether `'s` stands at `at`, behind a letter and before no more of the word.
fn is_possessive(text: &[char], at: usize, kind_at: &impl Fn(usize) -> Kind) -> bool {
    matches!(text[at..], ['\'', 's' | 'S', ..])
        && kind_at(at - 1).is_alpha()
        && (at + 2 == text.len() || kind_at(at + 2).is_delimiter())
}
