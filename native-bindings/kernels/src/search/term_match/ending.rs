//! What a text must end with, compared eight bytes at a time.

/// Terms of a whole dictionary are held against it: nearly all are refused by their last eight bytes.
#[derive(Debug, Clone)]
pub struct Ending {
    bytes: Vec<u8>,
    /// The last eight bytes of the ending, and which bits of them it has.
    last: u64,
    mask: u64,
}

const WORD: usize = size_of::<u64>();

impl Ending {
    pub fn new(bytes: &[u8]) -> Self {
        let mut word = [0; WORD];
        let known = bytes.len().min(WORD);
        word[WORD - known..].copy_from_slice(&bytes[bytes.len() - known..]);
        let mask = if known == 0 { 0 } else { u64::MAX >> (8 * (WORD - known)) };
        Ending { bytes: bytes.to_vec(), last: u64::from_be_bytes(word), mask }
    }

    /// Whether the text ends so.
    #[inline]
    pub fn is_of(&self, text: &[u8]) -> bool {
        match text.last_chunk::<WORD>() {
            Some(word) if (u64::from_be_bytes(*word) & self.mask) != self.last => false,
            Some(_) if self.bytes.len() <= WORD => true,
            _ => text.last() == self.bytes.last() && text.ends_with(&self.bytes) || self.bytes.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_definition(text in "[ab]{0,14}", other in "[ab]{0,12}", length in 0..14usize) {
            let own = &text[text.len().saturating_sub(length)..];
            for ending in [own, &other] {
                prop_assert_eq!(Ending::new(ending.as_bytes()).is_of(text.as_bytes()), text.ends_with(ending));
            }
        }
    }
}
