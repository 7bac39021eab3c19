//! The Porter stemmer: M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980), with the two later
//! amendments of its author (`-bli` and `-logi`), as Lucene's PorterStemFilter has it.

/// A letter, of which only those of ASCII are known: any other is a consonant.
trait Letter: Copy + Eq + From<u8> {}

impl Letter for u8 {}
impl Letter for u16 {}

/// A word being stemmed. Suffix rules look at the end; what stands before the suffix under consideration is the stem.
struct Word<'a, L> {
    letters: &'a mut Vec<L>,
}

/// Stems a word in UTF-8 in place. Words of one or two letters stay.
pub fn stem(bytes: &mut Vec<u8>) {
    if bytes.is_ascii() {
        stem_letters(bytes);
    } else if let Ok(text) = std::str::from_utf8(bytes) {
        // Letters are counted in UTF-16, as Java does.
        let mut units: Vec<u16> = text.encode_utf16().collect();
        stem_letters(&mut units);
        *bytes = String::from_utf16_lossy(&units).into_bytes();
    }
}

fn stem_letters<L: Letter>(letters: &mut Vec<L>) {
    if letters.len() <= 2 {
        return;
    }
    let mut word = Word { letters };
    word.plurals();
    word.participles();
    word.final_y();
    word.double_suffixes();
    word.simple_suffixes();
    word.bare_suffixes();
    word.final_e();
    word.double_l();
}

impl<L: Letter> Word<'_, L> {
    fn is_consonant(&self, at: usize) -> bool {
        let letter = self.letters[at];
        if letter == L::from(b'y') {
            return at == 0 || !self.is_consonant(at - 1);
        }
        !Self::is_one_of(letter, b"aeiou")
    }

    fn is_one_of(letter: L, letters: &[u8]) -> bool {
        letters.iter().any(|&each| L::from(each) == letter)
    }

    /// Porter's m: how often a consonant follows a vowel in the first `length` bytes.
    fn measure(&self, length: usize) -> usize {
        let (mut measure, mut after_vowel) = (0, false);
        for at in 0..length {
            let vowel = !self.is_consonant(at);
            measure += usize::from(after_vowel && !vowel);
            after_vowel = vowel;
        }
        measure
    }

    fn has_vowel(&self, length: usize) -> bool {
        (0..length).any(|at| !self.is_consonant(at))
    }

    fn ends_in_double_consonant(&self) -> bool {
        let length = self.letters.len();
        length >= 2 && self.letters[length - 1] == self.letters[length - 2] && self.is_consonant(length - 1)
    }

    /// Porter's *o: consonant, vowel, consonant other than w, x, y at the end of the first `length` bytes.
    fn ends_short(&self, length: usize) -> bool {
        length >= 3
            && self.is_consonant(length - 3)
            && !self.is_consonant(length - 2)
            && self.is_consonant(length - 1)
            && !Self::is_one_of(self.letters[length - 1], b"wxy")
    }

    fn ends_with(&self, suffix: &str) -> bool {
        let mut rest = self.letters.iter().rev();
        suffix.bytes().rev().all(|letter| rest.next() == Some(&L::from(letter)))
    }

    fn stem_length(&self, suffix: &str) -> usize {
        self.letters.len() - suffix.len()
    }

    fn replace(&mut self, suffix: &str, by: &str) {
        let length = self.stem_length(suffix);
        self.letters.truncate(length);
        self.letters.extend(by.bytes().map(L::from));
    }

    /// Replaces the first suffix of `rules` that the word ends with, if the stem's measure is above `above`.
    fn first_rule(&mut self, rules: &[(&str, &str)], above: usize) {
        if let Some((suffix, by)) = rules.iter().find(|(suffix, _)| self.ends_with(suffix))
            && self.measure(self.stem_length(suffix)) > above
        {
            self.replace(suffix, by);
        }
    }

    /// Step 1a.
    fn plurals(&mut self) {
        if self.ends_with("sses") || self.ends_with("ies") {
            self.replace("es", "");
        } else if self.ends_with("s") && !self.ends_with("ss") {
            self.replace("s", "");
        }
    }

    /// Step 1b.
    fn participles(&mut self) {
        if self.ends_with("eed") {
            if self.measure(self.stem_length("eed")) > 0 {
                self.replace("d", "");
            }
            return;
        }
        let Some(suffix) = ["ed", "ing"].into_iter().find(|suffix| self.ends_with(suffix)) else { return };
        if !self.has_vowel(self.stem_length(suffix)) {
            return;
        }
        self.replace(suffix, "");
        if self.ends_with("at") || self.ends_with("bl") || self.ends_with("iz") {
            self.letters.push(L::from(b'e'));
        } else if self.ends_in_double_consonant() {
            if !self.letters.last().is_some_and(|&last| Self::is_one_of(last, b"lsz")) {
                self.letters.pop();
            }
        } else if self.measure(self.letters.len()) == 1 && self.ends_short(self.letters.len()) {
            self.letters.push(L::from(b'e'));
        }
    }

    /// Step 1c.
    fn final_y(&mut self) {
        if self.ends_with("y") && self.has_vowel(self.letters.len() - 1) {
            self.replace("y", "i");
        }
    }

    /// Step 2.
    fn double_suffixes(&mut self) {
        self.first_rule(
            &[
                ("ational", "ate"),
                ("tional", "tion"),
                ("enci", "ence"),
                ("anci", "ance"),
                ("izer", "ize"),
                ("bli", "ble"),
                ("alli", "al"),
                ("entli", "ent"),
                ("eli", "e"),
                ("ousli", "ous"),
                ("ization", "ize"),
                ("ation", "ate"),
                ("ator", "ate"),
                ("alism", "al"),
                ("iveness", "ive"),
                ("fulness", "ful"),
                ("ousness", "ous"),
                ("aliti", "al"),
                ("iviti", "ive"),
                ("biliti", "ble"),
                ("logi", "log"),
            ],
            0,
        );
    }

    /// Step 3.
    fn simple_suffixes(&mut self) {
        self.first_rule(
            &[
                ("icate", "ic"),
                ("ative", ""),
                ("alize", "al"),
                ("iciti", "ic"),
                ("ical", "ic"),
                ("ful", ""),
                ("ness", ""),
            ],
            0,
        );
    }

    /// Step 4.
    fn bare_suffixes(&mut self) {
        const SUFFIXES: [&str; 19] = [
            "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
            "iti", "ous", "ive", "ize",
        ];
        let Some(suffix) = SUFFIXES.into_iter().find(|suffix| self.ends_with(suffix)) else { return };
        let length = self.stem_length(suffix);
        let holds = suffix != "ion" || self.letters[..length].last().is_some_and(|&last| Self::is_one_of(last, b"st"));
        if holds && self.measure(length) > 1 {
            self.replace(suffix, "");
        }
    }

    /// Step 5a.
    fn final_e(&mut self) {
        if self.ends_with("e") {
            let length = self.letters.len() - 1;
            let measure = self.measure(length);
            if measure > 1 || (measure == 1 && !self.ends_short(length)) {
                self.letters.pop();
            }
        }
    }

    /// Step 5b.
    fn double_l(&mut self) {
        if self.ends_with("ll") && self.measure(self.letters.len() - 1) > 1 {
            self.letters.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_paper() {
        for (word, stemmed) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("ties", "ti"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("troubled", "troubl"),
            ("sized", "size"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("vietnamization", "vietnam"),
            ("triplicate", "triplic"),
            ("electrical", "electr"),
            ("goodness", "good"),
            ("revival", "reviv"),
            ("adoption", "adopt"),
            ("replacement", "replac"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controll", "control"),
            ("roll", "roll"),
            ("apologies", "apolog"),
            ("possibly", "possibl"),
            ("is", "is"),
            ("ion", "ion"),
            // Not of the paper: letters that it does not know.
            ("Straße", "Straße"),
            ("naïve", "naïv"),
            ("cliché", "cliché"),
            ("crêpe", "crêpe"),
            ("électrique", "électriqu"),
            ("caféing", "café"),
            ("blüelly", "blüelli"),
        ] {
            let mut bytes = word.as_bytes().to_vec();
            stem(&mut bytes);
            assert_eq!(String::from_utf8(bytes).unwrap(), stemmed, "{word}");
        }
    }
}
