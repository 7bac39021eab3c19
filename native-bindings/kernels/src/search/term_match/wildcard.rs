//! Patterns with `*` (any characters), `?` (one character) and `\` (the next character as it is).

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Any,
    One,
    Char(char),
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Wildcard {
    pieces: Vec<Piece>,
    prefix: Vec<u8>,
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
        let prefix = if fold { Vec::new() } else { literal_prefix(&pieces) };
        Wildcard { pieces, prefix, fold }
    }

    /// The pattern as it was understood.
    pub fn pattern(&self) -> String {
        let mut pattern = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Any => pattern.push('*'),
                Piece::One => pattern.push('?'),
                Piece::Char(character) => {
                    if matches!(character, '*' | '?' | '\\') {
                        pattern.push('\\');
                    }
                    pattern.push(*character);
                }
            }
        }
        pattern
    }

    pub fn literal_prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The prefix of a pattern that is a literal and one `*` at its end.
    pub fn as_prefix(&self) -> Option<&[u8]> {
        let is_prefix = matches!(self.pieces.split_last(), Some((Piece::Any, rest))
            if rest.iter().all(|piece| matches!(piece, Piece::Char(_))));
        (is_prefix && !self.fold).then_some(&self.prefix)
    }

    /// Terms that are not UTF-8 match nothing.
    pub fn matches(&self, term: &[u8]) -> bool {
        std::str::from_utf8(term).is_ok_and(|term| {
            if self.fold {
                let folded: Vec<char> = term.chars().flat_map(char::to_lowercase).collect();
                matches_pieces(&self.pieces, &folded)
            } else {
                let characters: Vec<char> = term.chars().collect();
                matches_pieces(&self.pieces, &characters)
            }
        })
    }
}

fn push_char(pieces: &mut Vec<Piece>, character: char, fold: bool) {
    if fold {
        pieces.extend(character.to_lowercase().map(Piece::Char));
    } else {
        pieces.push(Piece::Char(character));
    }
}

fn literal_prefix(pieces: &[Piece]) -> Vec<u8> {
    let mut prefix = String::new();
    for piece in pieces {
        match piece {
            Piece::Char(character) => prefix.push(*character),
            Piece::Any | Piece::One => break,
        }
    }
    prefix.into_bytes()
}

/// On a mismatch only the last `*` is extended: earlier ones need not be, as it can take whatever they would.
fn matches_pieces(pieces: &[Piece], text: &[char]) -> bool {
    let (mut piece, mut at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        match pieces.get(piece) {
            Some(Piece::Any) => {
                retry = Some((piece + 1, at));
                piece += 1;
            }
            Some(Piece::One) => (piece, at) = (piece + 1, at + 1),
            Some(Piece::Char(expected)) if *expected == text[at] => (piece, at) = (piece + 1, at + 1),
            _ => match retry {
                Some((after, start)) => {
                    retry = Some((after, start + 1));
                    (piece, at) = (after, start + 1);
                }
                None => return false,
            },
        }
    }
    pieces[piece..].iter().all(|piece| *piece == Piece::Any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, character by character.
    fn naive(pieces: &[Piece], text: &[char]) -> bool {
        match (pieces.split_first(), text.split_first()) {
            (None, None) => true,
            (Some((Piece::Any, rest)), _) => {
                naive(rest, text) || text.split_first().is_some_and(|(_, tail)| naive(pieces, tail))
            }
            (Some((Piece::One, rest)), Some((_, tail))) => naive(rest, tail),
            (Some((Piece::Char(expected), rest)), Some((found, tail))) => expected == found && naive(rest, tail),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "[ab*?\\\\]{0,8}", text in "[ab]{0,10}") {
            let wildcard = Wildcard::new(&pattern, false);
            let characters: Vec<char> = text.chars().collect();
            let expected = naive(&wildcard.pieces, &characters);
            prop_assert_eq!(wildcard.matches(text.as_bytes()), expected);
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
