//! Patterns with `*` (any characters), `?` (one character) and `\` (the next character as it is).

use memchr::memmem;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Any,
    One,
    /// Not empty, and none follows another.
    Literal(String),
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Wildcard {
    pieces: Vec<Piece>,
    fold: bool,
}

impl Wildcard {
    /// With `fold` the case of letters does not matter.
    pub fn new(pattern: &str, fold: bool) -> Self {
        let mut pieces = Vec::new();
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            match character {
                '*' if pieces.last() == Some(&Piece::Any) => {}
                '*' => pieces.push(Piece::Any),
                '?' => pieces.push(Piece::One),
                // A lone backslash at the end stands for itself.
                '\\' => push_char(&mut pieces, characters.next().unwrap_or('\\'), fold),
                other => push_char(&mut pieces, other, fold),
            }
        }
        Wildcard { pieces, fold }
    }

    /// The pattern as it was understood.
    pub fn pattern(&self) -> String {
        let mut pattern = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Any => pattern.push('*'),
                Piece::One => pattern.push('?'),
                Piece::Literal(literal) => {
                    for character in literal.chars() {
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
            Some(Piece::Literal(literal)) if !self.fold => literal.as_bytes(),
            _ => b"",
        }
    }

    /// The prefix of a pattern that is a literal and one `*` at its end.
    pub fn as_prefix(&self) -> Option<&[u8]> {
        match self.pieces.as_slice() {
            [Piece::Any] if !self.fold => Some(b""),
            [Piece::Literal(literal), Piece::Any] if !self.fold => Some(literal.as_bytes()),
            _ => None,
        }
    }

    /// Terms that are not UTF-8 match nothing.
    pub fn matches(&self, term: &[u8]) -> bool {
        if !self.fold {
            return self.may_end(term) && std::str::from_utf8(term).is_ok() && matches_pieces(&self.pieces, term);
        }
        std::str::from_utf8(term).is_ok_and(|term| {
            let folded: String = term.chars().flat_map(char::to_lowercase).collect();
            matches_pieces(&self.pieces, folded.as_bytes())
        })
    }

    /// False only where the end of the pattern is not that of the term.
    fn may_end(&self, term: &[u8]) -> bool {
        match self.pieces.last() {
            Some(Piece::Literal(literal)) => term.ends_with(literal.as_bytes()),
            _ => true,
        }
    }
}

fn push_char(pieces: &mut Vec<Piece>, character: char, fold: bool) {
    if !matches!(pieces.last(), Some(Piece::Literal(_))) {
        pieces.push(Piece::Literal(String::new()));
    }
    if let Some(Piece::Literal(literal)) = pieces.last_mut() {
        if fold { literal.extend(character.to_lowercase()) } else { literal.push(character) }
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
            Some(Piece::Literal(literal)) => text[at..].starts_with(literal.as_bytes()).then(|| at + literal.len()),
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
            Piece::Literal(literal) => memmem::find(&text[start..], literal.as_bytes()),
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
