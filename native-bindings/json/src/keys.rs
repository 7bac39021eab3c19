//! Duplicate keys: the keys of every open object, compared when the object closes.

use super::fault::{Fault, Scan};
use super::string::JsonString;

/// Keys of the objects that are open, innermost last. Reused from document to document.
#[derive(Debug, Default)]
pub struct KeyFrames {
    keys: Vec<Key>,
    /// Decoded text of the keys that hold escapes.
    decoded: String,
}

/// A key by its place: in the scanned text, or in `decoded` when it holds escapes.
#[derive(Debug, Clone, Copy)]
struct Key {
    offset: usize,
    start: usize,
    length: usize,
    is_decoded: bool,
}

/// What [`KeyFrames::open`] returns: where the object's keys begin.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    first_key: usize,
    decoded_length: usize,
}

/// Up to so many keys are compared each with each; more are sorted.
const PAIRWISE_MAX: usize = 12;

impl KeyFrames {
    /// Forgets everything: for use after a fault left frames open.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.decoded.clear();
    }

    pub fn open(&self) -> Frame {
        Frame { first_key: self.keys.len(), decoded_length: self.decoded.len() }
    }

    /// Adds a key of the innermost object; `offset` is where its text starts.
    pub fn add(&mut self, key: JsonString<'_>, offset: usize) {
        if key.escaped {
            let start = self.decoded.len();
            key.decode_onto(&mut self.decoded);
            self.keys.push(Key { offset, start, length: self.decoded.len() - start, is_decoded: true });
        } else {
            self.keys.push(Key { offset, start: offset, length: key.raw.len(), is_decoded: false });
        }
    }

    /// Closes the innermost object; a fault when it held a key twice. `text` is the scanned text.
    pub fn close(&mut self, frame: Frame, text: &str) -> Scan<()> {
        let decoded = &self.decoded;
        let name = |key: &Key| {
            let whole = if key.is_decoded { decoded.as_str() } else { text };
            &whole.as_bytes()[key.start..key.start + key.length]
        };
        let keys = &mut self.keys[frame.first_key..];
        let duplicate = if keys.len() <= PAIRWISE_MAX {
            let mut pairs = (1..keys.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
            pairs.find(|&(first, second)| {
                keys[first].length == keys[second].length && name(&keys[first]) == name(&keys[second])
            })
        } else {
            keys.sort_unstable_by(|a, b| name(a).cmp(name(b)).then(a.offset.cmp(&b.offset)));
            (1..keys.len()).map(|second| (second - 1, second)).find(|&(a, b)| name(&keys[a]) == name(&keys[b]))
        };
        if let Some((_, second)) = duplicate {
            let key = keys[second];
            return Err(duplicate_key(key.offset, &String::from_utf8_lossy(name(&key))));
        }
        self.keys.truncate(frame.first_key);
        self.decoded.truncate(frame.decoded_length);
        Ok(())
    }
}

/// The refusal of a key that an object holds twice.
#[cold]
pub fn duplicate_key(offset: usize, name: &str) -> Fault {
    Fault::new(offset, format!("Duplicate field '{name}'"))
}
