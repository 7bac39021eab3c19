//! Snowball's English stemmer ("Porter2", M. F. Porter, 2001), in the version that Lucene ships, on ASCII bytes.
//!
//! The indexing buffer stems each distinct word of a segment once, so this is written for bytes in place; words with
//! other letters go to the `rust-stemmers` crate, which is also what the tests hold this against.

use rust_stemmers::{Algorithm, Stemmer};

/// Stems `word` in place. Words of one or two letters stay.
pub fn stem(word: &mut Vec<u8>) {
    if !word.is_ascii() {
        stem_any(word);
        return;
    }
    if word.len() < 3 || exception(word) {
        return;
    }
    if word[0] == b'\'' {
        word.remove(0);
    }
    let marked = mark_consonant_y(word);
    let mut word = Word::new(word);
    word.apostrophes();
    word.plurals();
    if !is_invariant(word.bytes) {
        word.participles();
        word.final_y();
        word.double_suffixes();
        word.simple_suffixes();
        word.bare_suffixes();
        word.final_e_or_l();
    }
    if marked {
        word.bytes.iter_mut().filter(|byte| **byte == b'Y').for_each(|byte| *byte = b'y');
    }
}

fn stem_any(word: &mut Vec<u8>) {
    if let Ok(text) = std::str::from_utf8(word) {
        let stemmed = Stemmer::create(Algorithm::English).stem(text).into_owned();
        *word = stemmed.into_bytes();
    }
}

/// Words with a stem of their own, or none.
fn exception(word: &mut Vec<u8>) -> bool {
    let stem: &[u8] = match word.as_slice() {
        b"skis" => b"ski",
        b"skies" => b"sky",
        b"dying" => b"die",
        b"lying" => b"lie",
        b"tying" => b"tie",
        b"idly" => b"idl",
        b"gently" => b"gentl",
        b"ugly" => b"ugli",
        b"early" => b"earli",
        b"only" => b"onli",
        b"singly" => b"singl",
        b"sky" | b"news" | b"howe" | b"atlas" | b"cosmos" | b"bias" | b"andes" => return true,
        _ => return false,
    };
    word.clear();
    word.extend_from_slice(stem);
    true
}

/// Words that stay as they are once their plural is cut.
fn is_invariant(word: &[u8]) -> bool {
    matches!(word, b"succeed" | b"proceed" | b"exceed" | b"canning" | b"inning" | b"earring" | b"herring" | b"outing")
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Writes `Y` for each y that counts as a consonant: at the start and behind a vowel.
fn mark_consonant_y(word: &mut [u8]) -> bool {
    let mut marked = false;
    for at in 0..word.len() {
        if word[at] == b'y' && (at == 0 || is_vowel(word[at - 1])) {
            word[at] = b'Y';
            marked = true;
        }
    }
    marked
}

/// A word being stemmed. Suffixes may only be cut within one of two regions of the original word.
struct Word<'a> {
    bytes: &'a mut Vec<u8>,
    /// Behind the first consonant that follows a vowel.
    r1: usize,
    /// The same within the first region.
    r2: usize,
}

impl<'a> Word<'a> {
    fn new(bytes: &'a mut Vec<u8>) -> Self {
        let r1 = if bytes.starts_with(b"gener") || bytes.starts_with(b"arsen") {
            5
        } else if bytes.starts_with(b"commun") {
            6
        } else {
            region_behind(bytes, 0)
        };
        let r2 = region_behind(bytes, r1);
        Word { bytes, r1, r2 }
    }

    fn ends_with(&self, suffix: &[u8]) -> bool {
        self.bytes.ends_with(suffix)
    }

    fn replace(&mut self, cut: usize, by: &[u8]) {
        let length = self.bytes.len() - cut;
        self.bytes.truncate(length);
        self.bytes.extend_from_slice(by);
    }

    fn has_vowel(&self, length: usize) -> bool {
        self.bytes[..length].iter().any(|&byte| is_vowel(byte))
    }

    /// Whether the first `length` bytes end in a short syllable.
    fn ends_short(&self, length: usize) -> bool {
        let bytes = &self.bytes[..length];
        match *bytes {
            [first, last] => is_vowel(first) && !is_vowel(last),
            [.., before, vowel, last] => {
                !is_vowel(before) && is_vowel(vowel) && !is_vowel(last) && !matches!(last, b'w' | b'x' | b'Y')
            }
            _ => false,
        }
    }

    /// Replaces the first suffix of `rules` that the word ends with, if it lies in R1. The rules list longer suffixes
    /// before those that they end with.
    fn first_rule(&mut self, rules: &[(&[u8], &[u8])]) -> bool {
        let Some(&(suffix, by)) = rules.iter().find(|(suffix, _)| self.bytes.ends_with(suffix)) else { return false };
        if self.bytes.len() - suffix.len() >= self.r1 {
            self.replace(suffix.len(), by);
        }
        true
    }

    /// Step 0.
    fn apostrophes(&mut self) {
        let suffix = [b"'s'".as_slice(), b"'s", b"'"].into_iter().find(|suffix| self.ends_with(suffix));
        if let Some(suffix) = suffix {
            self.replace(suffix.len(), b"");
        }
    }

    /// Step 1a.
    fn plurals(&mut self) {
        let length = self.bytes.len();
        if self.ends_with(b"sses") {
            self.replace(2, b"");
        } else if self.ends_with(b"ied") || self.ends_with(b"ies") {
            self.replace(if length > 4 { 2 } else { 1 }, b"");
        } else if self.ends_with(b"s") && !self.ends_with(b"us") && !self.ends_with(b"ss") {
            // The vowel must not be the letter right before the s.
            if self.has_vowel(length.saturating_sub(2)) {
                self.bytes.pop();
            }
        }
    }

    /// Step 1b.
    fn participles(&mut self) {
        for suffix in [b"eedly".as_slice(), b"eed"] {
            if self.ends_with(suffix) {
                if self.bytes.len() - suffix.len() >= self.r1 {
                    self.replace(suffix.len(), b"ee");
                }
                return;
            }
        }
        let suffixes = [b"ingly".as_slice(), b"edly", b"ing", b"ed"];
        let Some(suffix) = suffixes.into_iter().find(|suffix| self.ends_with(suffix)) else { return };
        let length = self.bytes.len() - suffix.len();
        if !self.has_vowel(length) {
            return;
        }
        self.bytes.truncate(length);
        if self.ends_with(b"at") || self.ends_with(b"bl") || self.ends_with(b"iz") {
            self.bytes.push(b'e');
        } else if self.ends_in_double() {
            self.bytes.pop();
        } else if length == self.r1 && self.ends_short(length) {
            self.bytes.push(b'e');
        }
    }

    fn ends_in_double(&self) -> bool {
        match self.bytes.as_slice() {
            [.., before, last] => {
                before == last && matches!(last, b'b' | b'd' | b'f' | b'g' | b'm' | b'n' | b'p' | b'r' | b't')
            }
            _ => false,
        }
    }

    /// Step 1c.
    fn final_y(&mut self) {
        if let [_, .., before, last @ (b'y' | b'Y')] = self.bytes.as_mut_slice()
            && !is_vowel(*before)
        {
            *last = b'i';
        }
    }

    /// Step 2.
    fn double_suffixes(&mut self) {
        let known = self.first_rule(&[
            (b"ational", b"ate"),
            (b"tional", b"tion"),
            (b"enci", b"ence"),
            (b"anci", b"ance"),
            (b"abli", b"able"),
            (b"entli", b"ent"),
            (b"izer", b"ize"),
            (b"ization", b"ize"),
            (b"ation", b"ate"),
            (b"ator", b"ate"),
            (b"alism", b"al"),
            (b"aliti", b"al"),
            (b"alli", b"al"),
            (b"fulness", b"ful"),
            (b"ousli", b"ous"),
            (b"ousness", b"ous"),
            (b"iveness", b"ive"),
            (b"iviti", b"ive"),
            (b"biliti", b"ble"),
            (b"bli", b"ble"),
            (b"fulli", b"ful"),
            (b"lessli", b"less"),
        ]);
        if known {
            return;
        }
        match *self.bytes.as_slice() {
            [.., before, b'o', b'g', b'i'] if before == b'l' && self.bytes.len() - 3 >= self.r1 => self.replace(1, b""),
            [.., before, b'l', b'i'] if is_li_ending(before) && self.bytes.len() - 2 >= self.r1 => self.replace(2, b""),
            _ => {}
        }
    }

    /// Step 3.
    fn simple_suffixes(&mut self) {
        let known = self.first_rule(&[
            (b"ational", b"ate"),
            (b"tional", b"tion"),
            (b"alize", b"al"),
            (b"icate", b"ic"),
            (b"iciti", b"ic"),
            (b"ical", b"ic"),
            (b"ful", b""),
            (b"ness", b""),
        ]);
        if !known && self.ends_with(b"ative") && self.bytes.len() - 5 >= self.r2 {
            self.replace(5, b"");
        }
    }

    /// Step 4.
    fn bare_suffixes(&mut self) {
        const SUFFIXES: [&[u8]; 18] = [
            b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent", b"ism", b"ate",
            b"iti", b"ous", b"ive", b"ize", b"ion",
        ];
        let Some(suffix) = SUFFIXES.into_iter().find(|suffix| self.bytes.ends_with(suffix)) else { return };
        let length = self.bytes.len() - suffix.len();
        let holds = suffix != b"ion" || matches!(self.bytes[..length].last(), Some(b's' | b't'));
        if holds && length >= self.r2 {
            self.bytes.truncate(length);
        }
    }

    /// Step 5.
    fn final_e_or_l(&mut self) {
        let Some(length) = self.bytes.len().checked_sub(1) else { return };
        let cut = match self.bytes[length] {
            b'e' => length >= self.r2 || (length >= self.r1 && !self.ends_short(length)),
            b'l' => length >= self.r2 && self.bytes[..length].ends_with(b"l"),
            _ => false,
        };
        if cut {
            self.bytes.truncate(length);
        }
    }
}

/// Letters that may stand before a `li` that is cut.
fn is_li_ending(byte: u8) -> bool {
    matches!(byte, b'c' | b'd' | b'e' | b'g' | b'h' | b'k' | b'm' | b'n' | b'r' | b't')
}

/// Behind the first consonant that follows a vowel, from `start` on; the word's end when there is none.
fn region_behind(word: &[u8], start: usize) -> usize {
    let vowel = (start..word.len()).find(|&at| is_vowel(word[at]));
    let consonant = vowel.and_then(|vowel| (vowel..word.len()).find(|&at| !is_vowel(word[at])));
    consonant.map_or(word.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stemmed(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        stem(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    fn oracle(word: &str) -> String {
        Stemmer::create(Algorithm::English).stem(word).into_owned()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn equals_the_snowball_compiler_on_random_words(word in "[a-z']{0,12}") {
            prop_assert_eq!(stemmed(&word), oracle(&word));
        }

        #[test]
        fn equals_the_snowball_compiler_on_built_words(
            start in "[a-z]{0,3}(gener|commun|arsen|succ|exc|pl|y|er|at)?[aeiouy]?[a-z]{0,3}",
            middle in "(at|bl|iz|ation|al|ic|ous|ive|ful|less|ab|og|ent|ll|tt)?",
            end in "(s|es|ies|ied|ing|ed|eed|eedly|edly|ingly|ly|li|ness|ment|ement|ion|ism|ative|ization|biliti|logi|y|'s|'|e)?",
        ) {
            let word = format!("{start}{middle}{end}");
            prop_assert_eq!(stemmed(&word), oracle(&word));
        }
    }

    #[test]
    fn well_known_words() {
        for (word, stem) in [
            ("running", "run"),
            ("generalizations", "general"),
            ("communities", "communiti"),
            ("skies", "sky"),
            ("dying", "die"),
            ("hoping", "hope"),
            ("national", "nation"),
            ("yellowly", "yellowli"),
            ("café", "café"),
        ] {
            assert_eq!(stemmed(word), stem, "{word}");
        }
    }
}
