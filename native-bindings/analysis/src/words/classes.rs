//! Code points to the classes of the word rules.
//!
//! The rules name sets of code points (Unicode properties) that overlap. A class is one combination of memberships, so
//! that every code point has exactly one class and a set is a union of classes. The properties come from the tables of
//! `regex-syntax`, save `Line_Break=Complex_Context`, which it does not carry.

use super::super::char_sets::ranges;
use std::sync::OnceLock;

/// A set of code points that the rules name; its bit in a membership mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Set {
    /// Format, Extend and ZWJ: transparent inside a word (WB4).
    Transparent = 1 << 0,
    /// The same without the two presentation selectors.
    TransparentSansSelectors = 1 << 1,
    ZeroWidthJoiner = 1 << 2,
    EmojiSelector = 1 << 3,
    KeyCapBase = 1 << 4,
    KeyCap = 1 << 5,
    EmojiChar = 1 << 6,
    EmojiModifier = 1 << 7,
    EmojiModifierBase = 1 << 8,
    TagSpec = 1 << 9,
    TagTerm = 1 << 10,
    RegionalIndicator = 1 << 11,
    Hangul = 1 << 12,
    Letter = 1 << 13,
    HebrewLetter = 1 << 14,
    Numeric = 1 << 15,
    Katakana = 1 << 16,
    /// MidLetter, MidNumLet, Single_Quote.
    MidLetter = 1 << 17,
    /// MidNum, MidNumLet, Single_Quote.
    MidNumber = 1 << 18,
    ExtendNumLet = 1 << 19,
    Han = 1 << 20,
    Hiragana = 1 << 21,
    SingleQuote = 1 << 22,
    DoubleQuote = 1 << 23,
    ComplexContext = 1 << 24,
}

/// Each set as a class of the regex syntax.
const DEFINITIONS: [(Set, &str); 24] = [
    (Set::Transparent, r"[\p{wb=Format}\p{wb=Extend}\p{wb=ZWJ}]"),
    (Set::TransparentSansSelectors, r"[[\p{wb=Format}\p{wb=Extend}\p{wb=ZWJ}]--[\x{FE0E}\x{FE0F}]]"),
    (Set::ZeroWidthJoiner, r"\p{wb=ZWJ}"),
    (Set::EmojiSelector, r"\x{FE0F}"),
    (Set::KeyCapBase, r"[0-9\#*]"),
    (Set::KeyCap, r"\x{20E3}"),
    (
        Set::EmojiChar,
        r"[\p{Extended_Pictographic}[\p{Emoji}--[\p{wb=Regional_Indicator}0-9\#*©®™\x{3030}\x{303D}\p{Emoji_Modifier}]]]",
    ),
    (Set::EmojiModifier, r"\p{Emoji_Modifier}"),
    (Set::EmojiModifierBase, r"\p{Emoji_Modifier_Base}"),
    (Set::TagSpec, r"[\x{E0020}-\x{E007E}]"),
    (Set::TagTerm, r"\x{E007F}"),
    (Set::RegionalIndicator, r"\p{wb=Regional_Indicator}"),
    (Set::Hangul, r"[\p{Script=Hangul}&&[\p{wb=ALetter}\p{wb=Hebrew_Letter}]]"),
    (Set::Letter, r"[\p{wb=ALetter}\p{wb=Hebrew_Letter}]"),
    (Set::HebrewLetter, r"\p{wb=Hebrew_Letter}"),
    (Set::Numeric, r"[\p{wb=Numeric}\x{FF10}-\x{FF19}]"),
    (Set::Katakana, r"\p{wb=Katakana}"),
    (Set::MidLetter, r"[\p{wb=MidLetter}\p{wb=MidNumLet}\p{wb=Single_Quote}]"),
    (Set::MidNumber, r"[\p{wb=MidNum}\p{wb=MidNumLet}\p{wb=Single_Quote}]"),
    (Set::ExtendNumLet, r"\p{wb=ExtendNumLet}"),
    (Set::Han, r"\p{Script=Han}"),
    (Set::Hiragana, r"\p{Script=Hiragana}"),
    (Set::SingleQuote, r"\p{wb=Single_Quote}"),
    (Set::DoubleQuote, r"\p{wb=Double_Quote}"),
];

/// `Line_Break=Complex_Context` (class SA of Unicode Standard Annex #14): Thai, Lao, Myanmar, Khmer, Tai, Ahom.
const COMPLEX_CONTEXT: [(u32, u32); 36] = [
    (0x0E01, 0x0E3A),
    (0x0E40, 0x0E4E),
    (0x0E81, 0x0E82),
    (0x0E84, 0x0E84),
    (0x0E86, 0x0E8A),
    (0x0E8C, 0x0EA3),
    (0x0EA5, 0x0EA5),
    (0x0EA7, 0x0EBD),
    (0x0EC0, 0x0EC4),
    (0x0EC6, 0x0EC6),
    (0x0EC8, 0x0ECD),
    (0x0EDC, 0x0EDF),
    (0x1000, 0x103F),
    (0x1050, 0x108F),
    (0x109A, 0x109F),
    (0x1780, 0x17D3),
    (0x17D7, 0x17D7),
    (0x17DC, 0x17DD),
    (0x1950, 0x196D),
    (0x1970, 0x1974),
    (0x1980, 0x19AB),
    (0x19B0, 0x19C9),
    (0x19DA, 0x19DA),
    (0x19DE, 0x19DF),
    (0x1A20, 0x1A5E),
    (0x1A60, 0x1A7C),
    (0x1AA0, 0x1AAD),
    (0xA9E0, 0xA9EF),
    (0xA9FA, 0xA9FE),
    (0xAA60, 0xAAC2),
    (0xAADB, 0xAADF),
    (0x11700, 0x1171A),
    (0x1171D, 0x1172B),
    (0x1173A, 0x1173B),
    (0x1173F, 0x1173F),
    (0x11740, 0x11746),
];

const CODE_POINTS: usize = 0x11_0000;
const BLOCK: usize = 256;

/// The class of every code point, in two stages: blocks of 256 code points, equal blocks stored once.
pub struct Classes {
    block_of: Vec<u16>,
    blocks: Vec<u8>,
    /// Memberships of each class; class 0 is in no set.
    masks: Vec<u32>,
}

impl Classes {
    /// Built at first use, then shared.
    pub fn get() -> &'static Classes {
        static CLASSES: OnceLock<Classes> = OnceLock::new();
        CLASSES.get_or_init(Classes::build)
    }

    #[inline]
    pub fn of(&self, code_point: char) -> u8 {
        let code_point = code_point as usize;
        let block = self.block_of[code_point / BLOCK] as usize;
        self.blocks[block * BLOCK + code_point % BLOCK]
    }

    pub fn count(&self) -> usize {
        self.masks.len()
    }

    pub fn contains(&self, set: Set, class: u8) -> bool {
        self.masks[class as usize] & set as u32 != 0
    }

    fn build() -> Classes {
        let memberships = memberships();
        let mut classes = Classes { block_of: Vec::new(), blocks: Vec::new(), masks: vec![0] };
        for block in memberships.chunks(BLOCK) {
            let codes: Vec<u8> = block.iter().map(|&mask| classes.class_of_mask(mask)).collect();
            let known = classes.blocks.chunks(BLOCK).position(|other| other == codes);
            let number = known.unwrap_or_else(|| {
                classes.blocks.extend_from_slice(&codes);
                classes.blocks.len() / BLOCK - 1
            });
            classes.block_of.push(number as u16);
        }
        classes
    }

    fn class_of_mask(&mut self, mask: u32) -> u8 {
        let known = self.masks.iter().position(|&other| other == mask);
        let class = known.unwrap_or_else(|| {
            self.masks.push(mask);
            self.masks.len() - 1
        });
        u8::try_from(class).expect("the rules' sets overlap in fewer than 256 ways")
    }
}

fn memberships() -> Vec<u32> {
    let mut masks = vec![0u32; CODE_POINTS];
    for (set, pattern) in DEFINITIONS {
        for (first, last) in ranges(pattern) {
            masks[first as usize..=last as usize].iter_mut().for_each(|mask| *mask |= set as u32);
        }
    }
    for (first, last) in COMPLEX_CONTEXT {
        masks[first as usize..=last as usize].iter_mut().for_each(|mask| *mask |= Set::ComplexContext as u32);
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_characters_are_in_their_sets() {
        let classes = Classes::get();
        for (character, set) in [
            ('a', Set::Letter),
            ('5', Set::Numeric),
            ('_', Set::ExtendNumLet),
            ('\'', Set::SingleQuote),
            (':', Set::MidLetter),
            (',', Set::MidNumber),
            ('ア', Set::Katakana),
            ('あ', Set::Hiragana),
            ('漢', Set::Han),
            ('한', Set::Hangul),
            ('ก', Set::ComplexContext),
            ('♥', Set::EmojiChar),
            ('\u{1F3FD}', Set::EmojiModifier),
            ('\u{301}', Set::Transparent),
            ('\u{FF15}', Set::Numeric),
        ] {
            assert!(classes.contains(set, classes.of(character)), "{character:?} is not {set:?}");
        }
        assert_eq!(classes.of(' '), 0);
        assert!(classes.count() < 64);
    }
}
