//! Languages in Arabic script.

const TATWEEL: char = '\u{640}';
const HEH: char = '\u{647}';
const AE: char = '\u{6D5}';
const ZERO_WIDTH_NON_JOINER: char = '\u{200C}';

/// Vowel marks and the stretching of letters.
fn is_decoration(character: char) -> bool {
    character == TATWEEL || ('\u{64B}'..='\u{652}').contains(&character)
}

/// Alef without its signs, one yeh, teh marbuta as heh.
pub fn arabic(word: Vec<char>) -> Vec<char> {
    let plain = |character| match character {
        '\u{622}' | '\u{623}' | '\u{625}' => '\u{627}',
        '\u{649}' => '\u{64A}',
        '\u{629}' => HEH,
        other => other,
    };
    word.into_iter().filter(|character| !is_decoration(*character)).map(plain).collect()
}

/// The Arabic forms of yeh, kaf and heh; no hamza above.
pub fn persian(word: Vec<char>) -> Vec<char> {
    let plain = |character| match character {
        '\u{6CC}' | '\u{6D2}' => '\u{64A}',
        '\u{6A9}' => '\u{643}',
        '\u{6C0}' | '\u{6C1}' => HEH,
        other => other,
    };
    word.into_iter().filter(|character| *character != '\u{654}').map(plain).collect()
}

/// The Kurdish forms of yeh, kaf and rreh; heh that stands for a vowel becomes ae.
pub fn sorani(word: Vec<char>) -> Vec<char> {
    let mut out: Vec<char> = Vec::with_capacity(word.len());
    let last = word.len().saturating_sub(1);
    for (at, character) in word.into_iter().enumerate() {
        match character {
            ZERO_WIDTH_NON_JOINER => {
                if let Some(before) = out.last_mut().filter(|before| **before == HEH) {
                    *before = AE;
                }
            }
            _ if is_decoration(character) || is_format(character) => {}
            HEH if at == last => out.push(AE),
            '\u{64A}' | '\u{649}' => out.push('\u{6CC}'),
            '\u{643}' => out.push('\u{6A9}'),
            '\u{629}' => out.push(AE),
            '\u{6BE}' => out.push(HEH),
            '\u{631}' if out.is_empty() => out.push('\u{695}'),
            '\u{692}' => out.push('\u{695}'),
            other => out.push(other),
        }
    }
    out
}

/// Characters that steer writing and are not written: directions, joiners, marks of order.
fn is_format(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}')
}
