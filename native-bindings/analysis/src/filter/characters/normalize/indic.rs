//! Languages of India: letters that can be written as several characters, then what one language spells in several ways.

const VIRAMA_OF_HINDI: char = '\u{94D}';
const VIRAMA_OF_BENGALI: char = '\u{9CD}';
const ZERO_WIDTH_JOINER: char = '\u{200D}';

/// First character of a script's block, whose letters lie at the same offsets in all of them.
const DEVANAGARI: u32 = 0x900;
const BENGALI: u32 = 0x980;
const GURMUKHI: u32 = 0xA00;
const GUJARATI: u32 = 0xA80;
const ORIYA: u32 = 0xB00;
const TAMIL: u32 = 0xB80;
const TELUGU: u32 = 0xC00;
const KANNADA: u32 = 0xC80;
const MALAYALAM: u32 = 0xD00;
const BLOCK_LENGTH: u32 = 0x80;
/// Stands for the zero-width joiner in the table below.
const JOINER: u32 = 0xFF;

/// Offsets of characters and of the letter that they make, and where they do (Unicode, chapter "South and Central Asia-I").
/// Longer ones come before their beginnings.
#[rustfmt::skip]
const COMPOSITIONS: &[(&[u32], u32, &[u32])] = &[
    (&[0x05, 0x3E, 0x45], 0x11, &[DEVANAGARI, GUJARATI]),
    (&[0x05, 0x3E, 0x46], 0x12, &[DEVANAGARI]),
    (&[0x05, 0x3E, 0x47], 0x13, &[DEVANAGARI, GUJARATI]),
    (&[0x05, 0x3E, 0x48], 0x14, &[DEVANAGARI, GUJARATI]),
    (&[0x05, 0x3E], 0x06, &[DEVANAGARI, BENGALI, GURMUKHI, GUJARATI, ORIYA]),
    (&[0x05, 0x45], 0x72, &[DEVANAGARI]),
    (&[0x05, 0x45], 0x0D, &[GUJARATI]),
    (&[0x05, 0x46], 0x04, &[DEVANAGARI]),
    (&[0x05, 0x47], 0x0F, &[GUJARATI]),
    (&[0x05, 0x48], 0x10, &[GURMUKHI, GUJARATI]),
    (&[0x05, 0x49], 0x11, &[DEVANAGARI, GUJARATI]),
    (&[0x05, 0x4A], 0x12, &[DEVANAGARI]),
    (&[0x05, 0x4B], 0x13, &[DEVANAGARI, GUJARATI]),
    (&[0x05, 0x4C], 0x14, &[DEVANAGARI, GURMUKHI, GUJARATI]),
    (&[0x06, 0x45], 0x11, &[DEVANAGARI, GUJARATI]),
    (&[0x06, 0x46], 0x12, &[DEVANAGARI]),
    (&[0x06, 0x47], 0x13, &[DEVANAGARI, GUJARATI]),
    (&[0x06, 0x48], 0x14, &[DEVANAGARI, GUJARATI]),
    (&[0x07, 0x57], 0x08, &[MALAYALAM]),
    (&[0x09, 0x41], 0x0A, &[DEVANAGARI]),
    (&[0x09, 0x57], 0x0A, &[TAMIL, MALAYALAM]),
    (&[0x0E, 0x46], 0x10, &[MALAYALAM]),
    (&[0x0F, 0x45], 0x0D, &[DEVANAGARI]),
    (&[0x0F, 0x46], 0x0E, &[DEVANAGARI]),
    (&[0x0F, 0x47], 0x10, &[DEVANAGARI]),
    (&[0x0F, 0x57], 0x10, &[ORIYA]),
    (&[0x12, 0x3E], 0x13, &[MALAYALAM]),
    (&[0x12, 0x4C], 0x14, &[TELUGU, KANNADA]),
    (&[0x12, 0x55], 0x13, &[TELUGU]),
    (&[0x12, 0x57], 0x14, &[TAMIL, MALAYALAM]),
    (&[0x13, 0x57], 0x14, &[ORIYA]),
    (&[0x15, 0x3C], 0x58, &[DEVANAGARI]),
    (&[0x16, 0x3C], 0x59, &[DEVANAGARI, GURMUKHI]),
    (&[0x17, 0x3C], 0x5A, &[DEVANAGARI, GURMUKHI]),
    (&[0x1C, 0x3C], 0x5B, &[DEVANAGARI, GURMUKHI]),
    (&[0x21, 0x3C], 0x5C, &[DEVANAGARI, BENGALI, ORIYA]),
    (&[0x22, 0x3C], 0x5D, &[DEVANAGARI, BENGALI, ORIYA]),
    (&[0x23, 0x4D, JOINER], 0x7A, &[MALAYALAM]),
    (&[0x24, 0x4D, JOINER], 0x4E, &[BENGALI]),
    (&[0x28, 0x3C], 0x29, &[DEVANAGARI]),
    (&[0x28, 0x4D, JOINER], 0x7B, &[MALAYALAM]),
    (&[0x2B, 0x3C], 0x5E, &[DEVANAGARI, GURMUKHI]),
    (&[0x2F, 0x3C], 0x5F, &[DEVANAGARI, BENGALI]),
    (&[0x2C, 0x41, 0x41], 0x0B, &[TELUGU]),
    (&[0x30, 0x3C], 0x31, &[DEVANAGARI]),
    (&[0x30, 0x4D, JOINER], 0x7C, &[MALAYALAM]),
    (&[0x32, 0x4D, JOINER], 0x7D, &[MALAYALAM]),
    (&[0x33, 0x3C], 0x34, &[DEVANAGARI]),
    (&[0x33, 0x4D, JOINER], 0x7E, &[MALAYALAM]),
    (&[0x35, 0x41], 0x2E, &[TELUGU]),
    (&[0x3E, 0x45], 0x49, &[DEVANAGARI, GUJARATI]),
    (&[0x3E, 0x46], 0x4A, &[DEVANAGARI]),
    (&[0x3E, 0x47], 0x4B, &[DEVANAGARI, GUJARATI]),
    (&[0x3E, 0x48], 0x4C, &[DEVANAGARI, GUJARATI]),
    (&[0x3F, 0x55], 0x40, &[KANNADA]),
    (&[0x41, 0x41], 0x42, &[GURMUKHI]),
    (&[0x46, 0x3E], 0x4A, &[TAMIL, MALAYALAM]),
    (&[0x46, 0x42, 0x55], 0x4B, &[KANNADA]),
    (&[0x46, 0x42], 0x4A, &[KANNADA]),
    (&[0x46, 0x46], 0x48, &[MALAYALAM]),
    (&[0x46, 0x55], 0x47, &[TELUGU, KANNADA]),
    (&[0x46, 0x56], 0x48, &[TELUGU, KANNADA]),
    (&[0x46, 0x57], 0x4C, &[TAMIL, MALAYALAM]),
    (&[0x47, 0x3E], 0x4B, &[BENGALI, ORIYA, TAMIL, MALAYALAM]),
    (&[0x47, 0x57], 0x4C, &[BENGALI, ORIYA]),
    (&[0x4A, 0x55], 0x4B, &[KANNADA]),
    (&[0x72, 0x3F], 0x07, &[GURMUKHI]),
    (&[0x72, 0x40], 0x08, &[GURMUKHI]),
    (&[0x72, 0x47], 0x0F, &[GURMUKHI]),
    (&[0x73, 0x41], 0x09, &[GURMUKHI]),
    (&[0x73, 0x42], 0x0A, &[GURMUKHI]),
    (&[0x73, 0x4B], 0x13, &[GURMUKHI]),
];

/// Letters written as several characters become one.
pub fn composed(word: Vec<char>) -> Vec<char> {
    let mut out = Vec::with_capacity(word.len());
    let mut at = 0;
    while at < word.len() {
        let (character, length) = composition(&word[at..]).unwrap_or((word[at], 1));
        out.push(character);
        at += length;
    }
    out
}

fn composition(rest: &[char]) -> Option<(char, usize)> {
    let script = rest.first().map(|first| *first as u32 / BLOCK_LENGTH * BLOCK_LENGTH)?;
    let offset = |character: char| match character {
        ZERO_WIDTH_JOINER => Some(JOINER),
        _ => (character as u32).checked_sub(script).filter(|offset| *offset < BLOCK_LENGTH),
    };
    let fits = |parts: &[u32]| {
        rest.len() >= parts.len() && parts.iter().zip(rest).all(|(part, character)| offset(*character) == Some(*part))
    };
    let (parts, letter, _) =
        COMPOSITIONS.iter().find(|(parts, _, scripts)| scripts.contains(&script) && fits(parts))?;
    Some((char::from_u32(script + letter)?, parts.len()))
}

/// Hindi: no nukta, no virama, one nasal sign, short vowels for long ones.
pub fn hindi(word: Vec<char>) -> Vec<char> {
    let mut out = Vec::with_capacity(word.len());
    let mut rest = word.into_iter().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\u{928}' if rest.next_if_eq(&VIRAMA_OF_HINDI).is_some() => out.push('\u{902}'),
            VIRAMA_OF_HINDI | '\u{93C}' | '\u{200C}' | ZERO_WIDTH_JOINER => {}
            other => out.push(hindi_letter(other)),
        }
    }
    out
}

fn hindi_letter(character: char) -> char {
    match character {
        '\u{901}' => '\u{902}',
        '\u{929}' => '\u{928}',
        '\u{931}' => '\u{930}',
        '\u{934}' => '\u{933}',
        '\u{958}' => '\u{915}',
        '\u{959}' => '\u{916}',
        '\u{95A}' => '\u{917}',
        '\u{95B}' => '\u{91C}',
        '\u{95C}' => '\u{921}',
        '\u{95D}' => '\u{922}',
        '\u{95E}' => '\u{92B}',
        '\u{95F}' => '\u{92F}',
        '\u{945}' | '\u{946}' | '\u{948}' => '\u{947}',
        '\u{949}' | '\u{94A}' | '\u{94C}' => '\u{94B}',
        '\u{90D}' | '\u{90E}' | '\u{910}' => '\u{90F}',
        '\u{911}' | '\u{912}' | '\u{914}' => '\u{913}',
        '\u{906}' | '\u{972}' => '\u{905}',
        '\u{908}' => '\u{907}',
        '\u{90A}' => '\u{909}',
        '\u{960}' => '\u{90B}',
        '\u{961}' => '\u{90C}',
        '\u{940}' => '\u{93F}',
        '\u{942}' => '\u{941}',
        '\u{944}' => '\u{943}',
        '\u{963}' => '\u{962}',
        other => other,
    }
}

/// Bengali: what sounds alike is written alike. After UzZaman and Khan, "A double metaphone encoding for Bangla" (2005).
pub fn bengali(word: Vec<char>) -> Vec<char> {
    let mut out: Vec<char> = Vec::with_capacity(word.len());
    let mut at = 0;
    while at < word.len() {
        let character = word[at];
        at += 1;
        match character {
            '\u{981}' => {}
            '\u{995}' if word[at..].starts_with(&[VIRAMA_OF_BENGALI, '\u{9BF}']) => {
                if !out.is_empty() {
                    out.push(character);
                }
                out.push('\u{996}');
                at += 2;
            }
            '\u{9AF}' if out.last() == Some(&VIRAMA_OF_BENGALI) => {
                out.pop();
                if out.len() == 1 {
                    out.push('\u{9C7}');
                    at += usize::from(word.get(at) == Some(&'\u{9BE}'));
                }
            }
            '\u{9AC}' if out.last() == Some(&VIRAMA_OF_BENGALI) => {
                out.pop();
                let has_third = out.len() >= 4 && out[out.len() - 2] == VIRAMA_OF_BENGALI;
                if let Some(before) = out.last().copied()
                    && out.len() > 1
                    && !has_third
                {
                    out.push(before);
                }
            }
            '\u{983}' => visarga(&mut out, word.get(at)),
            other => out.push(bengali_letter(other)),
        }
    }
    out
}

/// It doubles what follows it; at the end of a short word it is sounded.
fn visarga(out: &mut Vec<char>, next: Option<&char>) {
    const SHORT: usize = 3;
    match next {
        Some(next) => out.push(*next),
        None if out.len() < SHORT => out.push('\u{9B9}'),
        None => {}
    }
}

fn bengali_letter(character: char) -> char {
    match character {
        '\u{9C0}' => '\u{9BF}',
        '\u{9C2}' => '\u{9C1}',
        '\u{999}' => '\u{982}',
        '\u{9B6}' | '\u{9B7}' => '\u{9B8}',
        '\u{9A3}' => '\u{9A8}',
        '\u{9DC}' | '\u{9DD}' => '\u{9B0}',
        '\u{9CE}' => '\u{9A4}',
        other => other,
    }
}
