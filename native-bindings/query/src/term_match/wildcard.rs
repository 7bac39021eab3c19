//! Patterns with `*` (any characters), `?` (one character) and `\` (the next character as it is).

use super::ending::Ending;
use memchr::memmem::Finder;
use quarry_postings::OwnBytes;
use smallvec::SmallVec;

#[derive(Debug, Clone)]
enum Piece {
    Any,
    One,
    /// Not empty, and none follows another.
    Literal(Box<Literal>),
}

#[derive(Debug, Clone)]
struct Literal {
    text: String,
    finder: Finder<'static>,
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Wildcard {
    pieces: Vec<Piece>,
    fold: bool,
    /// What a term ends with.
    ending: Ending,
}

impl Wildcard {
    /// With `fold` the case of letters does not matter.
    pub fn new(pattern: &str, fold: bool) -> Self {
        let pieces = pieces_of(pattern, fold);
        let ending = match pieces.last() {
            Some(Piece::Literal(literal)) => Ending::new(literal.text.as_bytes()),
            _ => Ending::new(b""),
        };
        Wildcard { pieces, fold, ending }
    }

    /// The pattern as it was understood.
    pub fn pattern(&self) -> String {
        let mut pattern = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Any => pattern.push('*'),
                Piece::One => pattern.push('?'),
                Piece::Literal(literal) => {
                    for character in literal.text.chars() {
                        if matches!(character, '*' | '?' | '\\') {
                            pattern.push('\\');
                        }
                        pattern.push(character);
                    }
                }
            }
        }
        pattern
    }

    pub fn literal_prefix(&self) -> &[u8] {
        match self.pieces.first() {
            Some(Piece::Literal(literal)) if !self.fold => literal.text.as_bytes(),
            _ => b"",
        }
    }

    /// The prefix of a pattern that is a literal and one `*` at its end.
    pub fn as_prefix(&self) -> Option<&[u8]> {
        match self.pieces.as_slice() {
            [Piece::Any] if !self.fold => Some(b""),
            [Piece::Literal(literal), Piece::Any] if !self.fold => Some(literal.text.as_bytes()),
            _ => None,
        }
    }

    /// Whether the own bytes of a term are enough to refuse it.
    #[inline]
    pub fn refuses(&self, own: OwnBytes<'_>) -> bool {
        !self.fold && self.ending.refuses(own.until, own.length)
    }

    /// Terms that are not UTF-8 match nothing.
    #[inline]
    pub fn matches(&self, term: &[u8]) -> bool {
        if self.fold {
            return self.matches_folded(term);
        }
        self.ending.is_of(term) && std::str::from_utf8(term).is_ok() && matches_pieces(&self.pieces, term)
    }

    fn matches_folded(&self, term: &[u8]) -> bool {
        std::str::from_utf8(term).is_ok_and(|term| {
            if term.is_ascii() {
                let folded: SmallVec<[u8; 64]> = term.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
                return self.ending.is_of(&folded) && matches_pieces(&self.pieces, &folded);
            }
            let folded: String = term.chars().flat_map(char::to_lowercase).collect();
            matches_pieces(&self.pieces, folded.as_bytes())
        })
    }
}

fn pieces_of(pattern: &str, fold: bool) -> Vec<Piece> {
    let (mut pieces, mut literal) = (Vec::new(), String::new());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let operator = match character {
            '*' => Piece::Any,
            '?' => Piece::One,
            // A lone backslash at the end stands for itself.
            '\\' => {
                push_char(&mut literal, characters.next().unwrap_or('\\'), fold);
                continue;
            }
            other => {
                push_char(&mut literal, other, fold);
                continue;
            }
        };
        end_literal(&mut pieces, &mut literal);
        if !matches!((pieces.last(), &operator), (Some(Piece::Any), Piece::Any)) {
            pieces.push(operator);
        }
    }
    end_literal(&mut pieces, &mut literal);
    pieces
}

fn push_char(literal: &mut String, character: char, fold: bool) {
    if fold { literal.extend(character.to_lowercase()) } else { literal.push(character) }
}

fn end_literal(pieces: &mut Vec<Piece>, literal: &mut String) {
    if !literal.is_empty() {
        let text = std::mem::take(literal);
        let finder = Finder::new(text.as_bytes()).into_owned();
        pieces.push(Piece::Literal(Box::new(Literal { text, finder })));
    }
}

/// On a mismatch only the last `*` is extended: earlier ones need not be, as it can take whatever they would. The text is UTF-8, so literals
/// are found between characters only.
fn matches_pieces(pieces: &[Piece], text: &[u8]) -> bool {
    let (mut piece, mut at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let next = match pieces.get(piece) {
            None if at == text.len() => return true,
            None => None,
            Some(Piece::Any) if piece + 1 == pieces.len() => return true,
            Some(Piece::Any) => {
                retry = Some((piece + 1, at));
                Some(at)
            }
            Some(Piece::One) => (at < text.len()).then(|| behind_character(text, at)),
            Some(Piece::Literal(literal)) => {
                text[at..].starts_with(literal.text.as_bytes()).then(|| at + literal.text.len())
            }
        };
        if let Some(next) = next {
            (piece, at) = (piece + 1, next);
            continue;
        }
        let Some((after, start)) = retry.filter(|&(_, start)| start < text.len()) else {
            return false;
        };
        let start = behind_character(text, start);
        let found = match &pieces[after] {
            Piece::Literal(literal) => literal.finder.find(&text[start..]),
            _ => Some(0),
        };
        let Some(skipped) = found else {
            return false;
        };
        retry = Some((after, start + skipped));
        (piece, at) = (after, start + skipped);
    }
}

/// Where the character that begins at `at` ends.
fn behind_character(text: &[u8], at: usize) -> usize {
    let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    at + 1 + text[at + 1..].iter().take_while(|byte| is_inside(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, character by character.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            (['*', rest @ ..], _) => {
                naive(rest, text) || text.split_first().is_some_and(|(_, tail)| naive(pattern, tail))
            }
            (['?', rest @ ..], [_, tail @ ..]) => naive(rest, tail),
            (['\\', wanted, rest @ ..] | [wanted, rest @ ..], [found, tail @ ..]) => {
                wanted == found && naive(rest, tail)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "([ab*?€]|\\\\[*?\\\\a]){0,8}", text in "[ab€é*?\\\\]{0,10}") {
            let wildcard = Wildcard::new(&pattern, false);
            let (wanted, characters): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
            let expected = naive(&wanted, &characters);
            prop_assert_eq!(wildcard.matches(text.as_bytes()), expected);
            prop_assert_eq!(Wildcard::new(&pattern, true).matches(text.as_bytes()), expected);
            prop_assert!(!expected || text.as_bytes().starts_with(wildcard.literal_prefix()));
        }
    }

    #[test]
    fn escapes_and_case() {
        assert!(Wildcard::new(r"a\*b", false).matches(b"a*b"));
        assert!(!Wildcard::new(r"a\*b", false).matches(b"axb"));
        assert!(Wildcard::new("Ab*", true).matches(b"aBc"));
        assert_eq!(Wildcard::new("ab*", false).as_prefix(), Some(&b"ab"[..]));
        assert_eq!(Wildcard::new(r"a\*", false).as_prefix(), None);
    }
}
