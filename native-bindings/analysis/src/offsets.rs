//! From places in a filtered text back to places in the text that the user sent.

/// Byte offsets of a text to UTF-16 code units, with a checkpoint each 64 bytes.
pub struct Utf16Index<'a> {
    text: &'a str,
    /// Code units before byte `64 * i`; empty for ASCII, where both counts agree.
    checkpoints: Vec<u32>,
}

const CHECKPOINT: usize = 64;

impl<'a> Utf16Index<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut checkpoints = Vec::new();
        if !text.is_ascii() {
            let mut units = 0;
            for chunk in text.as_bytes().chunks(CHECKPOINT) {
                checkpoints.push(units);
                units += chunk.iter().map(|&byte| units_of_lead(byte)).sum::<u32>();
            }
            checkpoints.push(units);
        }
        Utf16Index { text, checkpoints }
    }

    /// Where the character begins that so many code units are before, or that they are a part of; the end of the text
    /// where it has no more.
    pub fn byte(&self, units: u32) -> usize {
        if self.checkpoints.is_empty() {
            return (units as usize).min(self.text.len());
        }
        let checkpoint = self.checkpoints.partition_point(|&before| before <= units).saturating_sub(1);
        let mut before = self.checkpoints[checkpoint];
        let start = (checkpoint * CHECKPOINT).min(self.text.len());
        for (at, &byte) in (start..).zip(&self.text.as_bytes()[start..]) {
            let own = units_of_lead(byte);
            if own > 0 && before + own > units {
                return at;
            }
            before += own;
        }
        self.text.len()
    }

    /// Code units before `byte`, which lies on a character's start or at the end.
    pub fn units(&self, byte: usize) -> u32 {
        if self.checkpoints.is_empty() {
            return byte as u32;
        }
        let checkpoint = byte / CHECKPOINT;
        let rest = &self.text.as_bytes()[checkpoint * CHECKPOINT..byte];
        self.checkpoints[checkpoint] + rest.iter().map(|&byte| units_of_lead(byte)).sum::<u32>()
    }
}

/// Code units of the character that a byte begins; none for a continuation byte.
fn units_of_lead(byte: u8) -> u32 {
    match byte {
        0x80..=0xBF => 0,
        0xF0.. => 2,
        _ => 1,
    }
}

/// The length of `text` as the API counts it.
pub fn utf16_length(text: &str) -> u32 {
    text.bytes().map(units_of_lead).sum()
}

/// A text that a char filter is writing, and how places in it map to places in the filter's input.
#[derive(Debug, Default)]
pub struct FilteredText {
    pub text: String,
    /// Code units written and read so far.
    written: u32,
    read: u32,
    /// (place in the output, what to add to it), ascending; valid up to the next entry.
    corrections: Vec<(u32, i64)>,
}

impl FilteredText {
    /// Takes input over as it is.
    pub fn copy(&mut self, text: &str) {
        let units = utf16_length(text);
        self.text.push_str(text);
        self.written += units;
        self.read += units;
    }

    /// Writes `replacement` for `original`. Places past the shorter of the two map to the end of `original`, as in
    /// Lucene's char filters.
    pub fn replace(&mut self, original: &str, replacement: &str) {
        let taken = utf16_length(original);
        let given = utf16_length(replacement);
        let shift = i64::from(self.read) - i64::from(self.written);
        for extra in taken..given {
            self.correct_from(self.written + extra, shift - i64::from(extra - taken) - 1);
        }
        if given < taken {
            self.correct_from(self.written + given, shift + i64::from(taken - given));
        }
        self.text.push_str(replacement);
        self.written += given;
        self.read += taken;
    }

    fn correct_from(&mut self, place: u32, shift: i64) {
        match self.corrections.last_mut() {
            Some(last) if last.0 == place => last.1 = shift,
            _ => self.corrections.push((place, shift)),
        }
    }

    /// The place in the input of a place in the output, both in code units.
    pub fn original(&self, place: u32) -> u32 {
        let after = self.corrections.partition_point(|&(from, _)| from <= place);
        let shift = after.checked_sub(1).map_or(0, |index| self.corrections[index].1);
        (i64::from(place) + shift).max(0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn units_agree_with_the_standard_library(text in "\\PC{0,200}") {
            let index = Utf16Index::new(&text);
            for (byte, _) in text.char_indices() {
                let units = index.units(byte);
                prop_assert_eq!(units as usize, text[..byte].encode_utf16().count());
                prop_assert_eq!(index.byte(units), byte);
            }
            prop_assert_eq!(index.byte(utf16_length(&text)), text.len());
            prop_assert_eq!(index.byte(u32::MAX), text.len());
            prop_assert_eq!(index.units(text.len()) as usize, text.encode_utf16().count());
            prop_assert_eq!(utf16_length(&text) as usize, text.encode_utf16().count());
        }
    }

    #[test]
    fn places_behind_a_replacement_move() {
        let mut filtered = FilteredText::default();
        filtered.copy("a ");
        filtered.replace(":)", "_happy_");
        filtered.copy(" b");
        assert_eq!(filtered.text, "a _happy_ b");
        assert_eq!((filtered.original(2), filtered.original(9), filtered.original(10)), (2, 4, 5));

        let mut shorter = FilteredText::default();
        shorter.replace("<b>", "");
        shorter.copy("x");
        shorter.replace("</b>", "");
        assert_eq!((shorter.original(0), shorter.original(1)), (3, 8));
    }
}
