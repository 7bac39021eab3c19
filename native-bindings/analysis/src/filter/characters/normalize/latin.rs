//! Languages in Latin script, and Serbian, which has two.

/// German: umlauts and their spelling with `e`, and sharp s. An `e` behind a, o, u goes; `u` counts only where it is not itself
/// behind a vowel or `q` (`quelle`, `neue`).
pub fn german(word: Vec<char>) -> Vec<char> {
    #[derive(Clone, Copy, PartialEq)]
    enum Before {
        Other,
        /// Behind it `u` begins no umlaut.
        Vowel,
        /// An `e` that follows makes an umlaut of it.
        Umlaut,
    }
    let mut out = Vec::with_capacity(word.len() + 1);
    let mut before = Before::Other;
    for character in word {
        if character == 'e' && before == Before::Umlaut {
            before = Before::Vowel;
            continue;
        }
        before = match character {
            'a' | 'o' => Before::Umlaut,
            'u' if before == Before::Other => Before::Umlaut,
            'u' | 'e' | 'i' | 'q' | 'y' | 'ä' | 'ö' | 'ü' => Before::Vowel,
            _ => Before::Other,
        };
        match character {
            'ä' => out.push('a'),
            'ö' => out.push('o'),
            'ü' => out.push('u'),
            'ß' => out.extend(['s', 's']),
            other => out.push(other),
        }
    }
    out
}

/// One letter of what Danish, Norwegian and Swedish write as one or as two; the second of the two, if it counts.
fn scandinavian_pair(first: char, second: Option<char>) -> Option<(char, bool)> {
    let is = |letters: &str| second.is_some_and(|second| letters.contains(second));
    Some(match first {
        'ä' => ('æ', false),
        'Ä' => ('Æ', false),
        'ö' => ('ø', false),
        'Ö' => ('Ø', false),
        'a' if is("aAoO") => ('å', true),
        'A' if is("aAoO") => ('Å', true),
        'a' if is("eE") => ('æ', true),
        'A' if is("eE") => ('Æ', true),
        'o' if is("eEoO") => ('ø', true),
        'O' if is("eEoO") => ('Ø', true),
        _ => return None,
    })
}

fn scandinavian_with(word: Vec<char>, finish: fn(char) -> char) -> Vec<char> {
    let mut out = Vec::with_capacity(word.len());
    let mut rest = word.into_iter().peekable();
    while let Some(character) = rest.next() {
        match scandinavian_pair(character, rest.peek().copied()) {
            Some((letter, takes_two)) => {
                out.push(finish(letter));
                if takes_two {
                    rest.next();
                }
            }
            None => out.push(finish(character)),
        }
    }
    out
}

/// `æ`, `ø` and `å` for all their spellings.
pub fn scandinavian(word: Vec<char>) -> Vec<char> {
    scandinavian_with(word, |letter| letter)
}

/// `a` and `o` for all of them.
pub fn scandinavian_folding(word: Vec<char>) -> Vec<char> {
    scandinavian_with(word, |letter| match letter {
        'å' | 'æ' => 'a',
        'Å' | 'Æ' => 'A',
        'ø' => 'o',
        'Ø' => 'O',
        other => other,
    })
}

const SERBIAN: [(char, &str); 35] = [
    ('а', "a"),
    ('б', "b"),
    ('в', "v"),
    ('г', "g"),
    ('д', "d"),
    ('ђ', "dj"),
    ('е', "e"),
    ('ж', "z"),
    ('з', "z"),
    ('и', "i"),
    ('ј', "j"),
    ('к', "k"),
    ('л', "l"),
    ('љ', "lj"),
    ('м', "m"),
    ('н', "n"),
    ('њ', "nj"),
    ('о', "o"),
    ('п', "p"),
    ('р', "r"),
    ('с', "s"),
    ('т', "t"),
    ('ћ', "c"),
    ('у', "u"),
    ('ф', "f"),
    ('х', "h"),
    ('ц', "c"),
    ('ч', "c"),
    ('џ', "dz"),
    ('ш', "s"),
    ('č', "c"),
    ('ć', "c"),
    ('ž', "z"),
    ('š', "s"),
    ('đ', "dj"),
];

/// Serbian, in either script, as plain Latin letters.
pub fn serbian(word: Vec<char>) -> Vec<char> {
    let mut out = Vec::with_capacity(word.len());
    for character in word {
        match SERBIAN.iter().find(|(letter, _)| *letter == character) {
            Some((_, plain)) => out.extend(plain.chars()),
            None => out.push(character),
        }
    }
    out
}
