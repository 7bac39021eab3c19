//! Blocks: the nested objects of a document are documents of their own, directly before it.
//!
//! Children come before their parent, the root last. The field [`NESTED_PATH_FIELD`] has the path of each child as its term;
//! roots do not have it, and segments without children have no such field.

use super::directory::live_docs::LiveDocs;
use super::reader::FieldReader;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits, window_count};
use quarry_postings::FieldPostingsReader;
use std::sync::{Arc, OnceLock};

/// The name of the field that tells children from roots.
pub const NESTED_PATH_FIELD: &str = "_nested_path";

/// A set of documents of a segment, to go up and down in blocks.
#[derive(Debug, Clone, Copy)]
pub struct DocBits<'a>(&'a [WindowBits]);

impl<'a> DocBits<'a> {
    #[inline]
    pub fn of(windows: &'a [WindowBits]) -> Self {
        DocBits(windows)
    }

    #[inline]
    pub fn contains(self, doc: u32) -> bool {
        self.word(doc as usize / 64) >> (doc % 64) & 1 == 1
    }

    /// The first document of the set from `doc` on.
    #[inline]
    pub fn next(self, doc: u32) -> Option<u32> {
        let mut at = doc as usize / 64;
        let mut word = self.word(at) & (u64::MAX << (doc % 64));
        while word == 0 {
            at += 1;
            if at >= self.0.len() * WINDOW_WORDS {
                return None;
            }
            word = self.word(at);
        }
        Some(at as u32 * 64 + word.trailing_zeros())
    }

    /// The first document of the set in `doc..end`. Looks no further: sparse sets have it far behind a block, and blocks many.
    #[inline]
    pub fn next_before(self, doc: u32, end: u32) -> Option<u32> {
        if doc >= end {
            return None;
        }
        let last = (end - 1) as usize / 64;
        let mut at = doc as usize / 64;
        let mut word = self.word(at) & (u64::MAX << (doc % 64));
        while word == 0 {
            at += 1;
            if at > last {
                return None;
            }
            word = self.word(at);
        }
        Some(at as u32 * 64 + word.trailing_zeros()).filter(|&found| found < end)
    }

    /// The last document of the set before `doc`.
    #[inline]
    pub fn previous(self, doc: u32) -> Option<u32> {
        let mut at = doc as usize / 64;
        let mut word = self.word(at) & !(u64::MAX << (doc % 64));
        while word == 0 {
            at = at.checked_sub(1)?;
            word = self.word(at);
        }
        Some(at as u32 * 64 + 63 - word.leading_zeros())
    }

    /// Where the descendants of a document begin that is one of the set: they end before it.
    #[inline]
    pub fn block_start(self, doc: u32) -> u32 {
        self.previous(doc).map_or(0, |before| before + 1)
    }

    /// The documents of a window; `None` beyond the segment.
    #[inline]
    pub fn window(self, window: u32) -> Option<&'a WindowBits> {
        self.0.get(window as usize)
    }

    #[inline]
    pub fn count(self) -> u32 {
        self.0.iter().flatten().map(|word| word.count_ones()).sum()
    }

    #[inline]
    fn word(self, at: usize) -> u64 {
        self.0.get(at / WINDOW_WORDS).map_or(0, |window| window[at % WINDOW_WORDS])
    }
}

/// What a segment with children knows of its blocks.
#[derive(Debug)]
pub struct Nested {
    /// The roots, as documents that are alive.
    roots: Arc<LiveDocs>,
    /// Paths and the documents that have them, which are read when somebody asks.
    paths: Vec<(Box<str>, OnceLock<Vec<WindowBits>>)>,
}

impl Nested {
    /// What it takes outside of its file, with the paths that somebody asked for.
    pub(super) fn heap_bytes(&self) -> usize {
        let of_path = |(path, windows): &(Box<str>, OnceLock<Vec<WindowBits>>)| {
            path.len() + windows.get().map_or(0, |windows| size_of_val(&**windows))
        };
        self.roots.heap_bytes() + size_of_val(&*self.paths) + self.paths.iter().map(of_path).sum::<usize>()
    }

    /// `field` is that of the paths. Damage: a path that is no text, a child without a root behind it.
    pub(super) fn open(field: &FieldReader, max_doc: u32) -> Result<Self> {
        let mut windows = LiveDocs::all_live(max_doc).into_windows();
        for (window, roots) in windows.iter_mut().enumerate() {
            let mut children = [0; WINDOW_WORDS];
            field.has_value(window as u32, &mut children);
            roots.iter_mut().zip(children).for_each(|(roots, children)| *roots &= !children);
        }
        let roots = Arc::new(LiveDocs::from_windows(max_doc, windows));
        if max_doc == 0 || !roots.is_live(max_doc - 1) {
            return Err(Error::corrupt("the last nested document is part of no document"));
        }
        let mut paths = Vec::new();
        if let Some(postings) = field.postings() {
            let mut terms = postings.terms_from(b"")?;
            while let Some((path, _)) = terms.next()? {
                let path = std::str::from_utf8(path).map_err(|_| Error::corrupt("a nested path is not UTF-8"))?;
                paths.push((path.into(), OnceLock::new()));
            }
        }
        Ok(Nested { roots, paths })
    }

    #[inline]
    pub fn roots(&self) -> DocBits<'_> {
        DocBits(self.roots.windows())
    }

    /// The roots, as the live documents of a segment in which nothing is deleted.
    #[inline]
    pub fn live_roots(&self) -> &Arc<LiveDocs> {
        &self.roots
    }

    /// The documents at a path; `None` where the segment has none. `field` is that of the paths.
    pub(super) fn at<'a>(&'a self, path: &str, field: &FieldReader) -> Result<Option<DocBits<'a>>> {
        let Some((_, bits)) = self.paths.iter().find(|(known, _)| &**known == path) else { return Ok(None) };
        if let Some(windows) = bits.get() {
            return Ok(Some(DocBits(windows)));
        }
        let Some(postings) = field.postings() else { return Ok(None) };
        let windows = documents_at(path, postings)?;
        Ok(Some(DocBits(bits.get_or_init(|| windows))))
    }

    /// Paths that children have.
    #[inline]
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|(path, _)| &**path)
    }
}

fn documents_at(path: &str, postings: &FieldPostingsReader) -> Result<Vec<WindowBits>> {
    let mut windows = vec![[0; WINDOW_WORDS]; window_count(postings.max_doc()) as usize];
    let Some(entry) = postings.lookup(path.as_bytes())? else { return Ok(windows) };
    let mut cursor = postings.cursor(&entry)?;
    let mut window = cursor.next_window(0);
    while let Some(bits) = windows.get_mut(window as usize) {
        cursor.or_bits(window, bits)?;
        window = cursor.next_window(window + 1);
    }
    Ok(windows)
}

/// The window of a document, and its place in there.
#[inline]
pub fn place_of(doc: u32) -> (u32, u16) {
    (doc / WINDOW as u32, (doc % WINDOW as u32) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn neighbours_are_those_of_a_walk(docs in proptest::collection::btree_set(0u32..20_000, 0..60), at in 0u32..20_500, length in 0u32..9_000) {
            let mut windows = vec![[0u64; WINDOW_WORDS]; 5];
            for &doc in &docs {
                windows[doc as usize / WINDOW][doc as usize % WINDOW / 64] |= 1 << (doc % 64);
            }
            let bits = DocBits(&windows);
            prop_assert_eq!(bits.next(at), docs.range(at..).next().copied());
            prop_assert_eq!(bits.next_before(at, at + length), docs.range(at..at + length).next().copied());
            prop_assert_eq!(bits.previous(at), docs.range(..at).next_back().copied());
            prop_assert_eq!(bits.contains(at), docs.contains(&at));
            prop_assert_eq!(bits.count() as usize, docs.len());
        }
    }
}
