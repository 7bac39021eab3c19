//! Base 64, for `encodeBase64`, `decodeBase64` and the class `Base64`.

/// Which letters stand for 62 and 63.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    Basic,
    /// For addresses and names of files.
    Url,
}

const BASIC: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Alphabet {
    fn letters(self) -> &'static [u8; 64] {
        match self {
            Alphabet::Basic => BASIC,
            Alphabet::Url => URL,
        }
    }

    fn value(self, letter: u8) -> Option<u32> {
        self.letters().iter().position(|&known| known == letter).map(|place| place as u32)
    }

    pub fn has(self, letter: char) -> bool {
        u8::try_from(letter).is_ok_and(|letter| self.value(letter).is_some())
    }
}

/// With padding.
pub fn encode(bytes: &[u8], alphabet: Alphabet) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0u32, |number, &byte| number << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = alphabet.letters()[(number >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// However it is padded. `None`: not base 64.
pub fn decode(text: &str, alphabet: Alphabet) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut number, mut bits) = (0u32, 0);
    for letter in text.bytes() {
        number = number << 6 | alphabet.value(letter)?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((number >> bits) as u8);
            number &= (1 << bits) - 1;
        }
    }
    Some(out)
}

/// With the padding that it needs, or none at all. `None`: not base 64.
pub fn decode_strictly(text: &str, alphabet: Alphabet) -> Option<Vec<u8>> {
    let letters = text.trim_end_matches('=').len();
    let padding = text.len() - letters;
    let fits = letters % 4 != 1 && (padding == 0 || (padding < 3 && text.len().is_multiple_of(4)));
    if fits { decode(text, alphabet) } else { None }
}
