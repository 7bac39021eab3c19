//! One item of a bulk request in 16 words: the layout is documented in `src/native/descriptor.ts`, which reads and writes
//! the same words.

use super::version::VersionType;
use quarry_base::error::{Error, Result};

/// 32-bit words of one item.
pub const DESCRIPTOR_WORDS: usize = 16;

const AUTO_ID: u32 = 1 << 8;
const HAS_ROUTING: u32 = 1 << 9;
const REQUIRE_ALIAS: u32 = 1 << 10;
const HAS_VERSION: u32 = 1 << 11;
const HAS_IF_SEQ_NO: u32 = 1 << 12;
const HAS_SOURCE_SPEC: u32 = 1 << 13;
const REPEATED: u32 = 1 << 14;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Index,
    Create,
    Update,
    Delete,
}

impl Action {
    /// As the API names it, in bodies and in items.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Index => "index",
            Action::Create => "create",
            Action::Update => "update",
            Action::Delete => "delete",
        }
    }

    fn from_code(code: u32) -> Result<Self> {
        match code {
            0 => Ok(Action::Index),
            1 => Ok(Action::Create),
            2 => Ok(Action::Update),
            3 => Ok(Action::Delete),
            _ => Err(Error::illegal_argument(format!("unknown action code [{code}]"))),
        }
    }
}

/// `if_seq_no` and `if_primary_term`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    pub seq_no: u64,
    pub primary_term: u64,
}

/// One item; texts are borrowed from the strings of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// Position in the list of index names.
    pub index: u32,
    pub action: Action,
    pub id: &'a str,
    /// The id was made for this request, so no document can have it.
    pub auto_id: bool,
    /// The item may have been carried out before.
    pub repeated: bool,
    pub routing: Option<&'a str>,
    pub require_alias: bool,
    pub version: Option<u64>,
    pub version_type: VersionType,
    pub expected: Option<Expected>,
    /// Where the document is in the body.
    pub source: (u32, u32),
    /// `_source` of an update, JSON.
    pub source_spec: Option<&'a str>,
}

fn long(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

fn text(strings: &[u8], offset: u32, length: u32) -> Result<&str> {
    let start = offset as usize;
    let bytes = start.checked_add(length as usize).and_then(|end| strings.get(start..end));
    bytes
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .ok_or_else(|| Error::illegal_argument("an item's text is outside the strings of its request, or not UTF-8"))
}

impl<'a> Item<'a> {
    /// Reads item `at` of a request.
    pub fn read(descriptors: &[u32], strings: &'a [u8], at: usize) -> Result<Self> {
        let start = at.checked_mul(DESCRIPTOR_WORDS);
        let words: &[u32; DESCRIPTOR_WORDS] = start
            .and_then(|start| descriptors.get(start..start.checked_add(DESCRIPTOR_WORDS)?))
            .and_then(|words| words.try_into().ok())
            .ok_or_else(|| Error::illegal_argument(format!("there is no item [{at}] in this request")))?;
        let flags = words[1];
        let given = |flag: u32| flags & flag != 0;
        Ok(Item {
            index: words[0],
            action: Action::from_code(flags & 0xff)?,
            id: text(strings, words[2], words[3])?,
            auto_id: given(AUTO_ID),
            repeated: given(REPEATED),
            routing: if given(HAS_ROUTING) { Some(text(strings, words[4], words[5])?) } else { None },
            require_alias: given(REQUIRE_ALIAS),
            version: given(HAS_VERSION).then(|| long(words[8], words[9])),
            version_type: VersionType::from_code(flags >> 16 & 0xff)?,
            expected: given(HAS_IF_SEQ_NO)
                .then(|| Expected { seq_no: long(words[10], words[11]), primary_term: long(words[12], words[13]) }),
            source: (words[6], words[7]),
            source_spec: if given(HAS_SOURCE_SPEC) { Some(text(strings, words[14], words[15])?) } else { None },
        })
    }

    /// The document's bytes in the body of the request.
    pub fn source_in<'b>(&self, body: &'b [u8]) -> Result<&'b [u8]> {
        let start = self.source.0 as usize;
        let bytes = start.checked_add(self.source.1 as usize).and_then(|end| body.get(start..end));
        bytes.ok_or_else(|| Error::illegal_argument("an item's document is outside the body of its request"))
    }
}

/// The items of one request while they are being described.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Descriptors {
    pub words: Vec<u32>,
    pub strings: Vec<u8>,
}

impl Descriptors {
    fn add_text(&mut self, text: &str) -> (u32, u32) {
        let offset = self.strings.len() as u32;
        self.strings.extend_from_slice(text.as_bytes());
        (offset, text.len() as u32)
    }

    /// Appends an item. The strings of a request are bounded by its body, which is far below 4 GiB.
    pub fn push(&mut self, item: &Item<'_>) {
        let (id, id_length) = self.add_text(item.id);
        let (routing, routing_length) = self.add_text(item.routing.unwrap_or_default());
        let (spec, spec_length) = self.add_text(item.source_spec.unwrap_or_default());
        let flag = |condition: bool, flag: u32| if condition { flag } else { 0 };
        let action = item.action as u32
            | flag(item.auto_id, AUTO_ID)
            | flag(item.repeated, REPEATED)
            | flag(item.routing.is_some(), HAS_ROUTING)
            | flag(item.require_alias, REQUIRE_ALIAS)
            | flag(item.version.is_some(), HAS_VERSION)
            | flag(item.expected.is_some(), HAS_IF_SEQ_NO)
            | flag(item.source_spec.is_some(), HAS_SOURCE_SPEC)
            | (item.version_type as u32) << 16;
        let version = item.version.unwrap_or_default();
        let expected = item.expected.unwrap_or(Expected { seq_no: 0, primary_term: 0 });
        let halves = |value: u64| [value as u32, (value >> 32) as u32];
        self.words.extend_from_slice(&[item.index, action, id, id_length, routing, routing_length]);
        self.words.extend_from_slice(&[item.source.0, item.source.1]);
        self.words.extend_from_slice(&halves(version));
        self.words.extend_from_slice(&halves(expected.seq_no));
        self.words.extend_from_slice(&halves(expected.primary_term));
        self.words.extend_from_slice(&[spec, spec_length]);
    }

    pub fn len(&self) -> usize {
        self.words.len() / DESCRIPTOR_WORDS
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn action() -> impl Strategy<Value = Action> {
        prop_oneof![Just(Action::Index), Just(Action::Create), Just(Action::Update), Just(Action::Delete)]
    }

    fn version_type() -> impl Strategy<Value = VersionType> {
        prop_oneof![Just(VersionType::Internal), Just(VersionType::External), Just(VersionType::ExternalGte)]
    }

    proptest! {
        #[test]
        fn what_is_pushed_is_read(
            actions in prop::collection::vec((action(), version_type(), any::<(u32, bool, bool, bool)>()), 1..5),
            id: String, routing: Option<String>, version: Option<u64>, expected: Option<(u64, u64)>,
            source: (u32, u32), source_spec: Option<String>,
        ) {
            let items: Vec<Item<'_>> = actions.iter().map(|&(action, version_type, (index, auto_id, repeated, require_alias))| Item {
                index, action, id: &id, auto_id, repeated, routing: routing.as_deref(), require_alias, version, version_type,
                expected: expected.map(|(seq_no, primary_term)| Expected { seq_no, primary_term }),
                source, source_spec: source_spec.as_deref(),
            }).collect();
            let mut descriptors = Descriptors::default();
            items.iter().for_each(|item| descriptors.push(item));
            prop_assert_eq!(descriptors.len(), items.len());
            for (at, item) in items.iter().enumerate() {
                prop_assert_eq!(&Item::read(&descriptors.words, &descriptors.strings, at).unwrap(), item);
            }
            prop_assert!(Item::read(&descriptors.words, &descriptors.strings, items.len()).is_err());
        }

        #[test]
        fn no_words_make_it_panic(words in prop::collection::vec(any::<u32>(), 0..40), strings: Vec<u8>, at in 0usize..4) {
            if let Ok(item) = Item::read(&words, &strings, at) {
                let _ = item.source_in(&strings);
            }
        }
    }
}
