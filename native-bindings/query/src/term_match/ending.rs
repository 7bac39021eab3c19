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
/// The bits of so many of the last bytes of a word.
const LAST_BYTES: [u64; WORD + 1] =
    [0, 0xff, 0xffff, 0xff_ffff, 0xffff_ffff, u64::MAX >> 24, u64::MAX >> 16, u64::MAX >> 8, u64::MAX];

impl Ending {
    pub fn new(bytes: &[u8]) -> Self {
        let mut word = [0; WORD];
        let known = bytes.len().min(WORD);
        word[WORD - known..].copy_from_slice(&bytes[bytes.len() - known..]);
        let mask = if known == 0 { 0 } else { u64::MAX >> (8 * (WORD - known)) };
        Ending { bytes: bytes.to_vec(), last: u64::from_be_bytes(word), mask }
    }

    /// Whether a text cannot end so whose last `length` bytes are those of `until`, and of which nothing else is known.
    #[inline]
    pub fn refuses(&self, until: &[u8], length: usize) -> bool {
        let Some(word) = until.last_chunk::<WORD>() else { return self.refuses_short(until, length) };
        (u64::from_be_bytes(*word) ^ self.last) & self.mask & LAST_BYTES[length.min(WORD)] != 0
    }

    #[cold]
    fn refuses_short(&self, until: &[u8], length: usize) -> bool {
        let known = length.min(self.bytes.len());
        until[until.len() - known..] != self.bytes[self.bytes.len() - known..]
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

        #[test]
        fn refuses_by_the_last_bytes_alone(text in "[ab]{0,14}", ending in "[ab]{0,12}", length in 0..14usize) {
            let known = &text[text.len().saturating_sub(length)..];
            let could_end_so = known.ends_with(&ending) || ending.ends_with(known);
            let refuses = Ending::new(ending.as_bytes()).refuses(text.as_bytes(), known.len());
            // Endings of more than eight bytes are refused by these alone.
            prop_assert!(!(refuses && could_end_so));
            prop_assert!(refuses || could_end_so || ending.len().min(known.len()) > WORD);
        }
    }
}
