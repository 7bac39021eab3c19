//! Sets of documents, by windows.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WINDOW_WORDS, WindowBits, window_count};
use quarry_postings::cursor::TermCursor;
use quarry_postings::{FieldPostingsReader, TermEntry};
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};
use quarry_segment::column::ordinal::OrdinalColumn;
use quarry_segment::reader::FieldReader;

/// Documents of a segment that match a filter. Windows ascend, each at most once for `add`.
pub trait DocSet {
    /// An estimate of the number of documents.
    fn cost(&self) -> u64;

    /// The first window `>= window` that may hold a document, or [`NO_MORE_WINDOWS`].
    fn next_window(&mut self, window: u32) -> Result<u32>;

    /// Sets the bit of every document of the window in the set.
    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()>;
}

/// Every document.
pub struct AllDocs {
    pub max_doc: u32,
}

impl DocSet for AllDocs {
    fn cost(&self) -> u64 {
        self.max_doc.into()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(if window < window_count(self.max_doc) { window } else { NO_MORE_WINDOWS })
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        bits::fill(window, self.max_doc, bits);
        Ok(())
    }
}

/// More ranges than this are looked up value by value.
const RANGES_SCANNED_MAX: usize = 8;

/// Documents with a value in one of some ranges (ends included, sorted, disjoint).
pub struct NumberSet<'a> {
    column: &'a NumericColumn,
    ranges: &'a [(i64, i64)],
    windows: u32,
    decoded: NumericWindow,
}

impl<'a> NumberSet<'a> {
    #[inline]
    pub fn new(column: &'a NumericColumn, ranges: &'a [(i64, i64)], max_doc: u32) -> Self {
        NumberSet { column, ranges, windows: window_count(max_doc), decoded: NumericWindow::default() }
    }

    /// The ranges that reach into a window.
    fn ranges_in(&self, window: u32) -> &'a [(i64, i64)] {
        let Some((low, high)) = self.column.window_range(window) else {
            return &[];
        };
        let start = self.ranges.partition_point(|range| range.1 < low);
        let end = self.ranges.partition_point(|range| range.0 <= high);
        self.ranges.get(start..end).unwrap_or(&[])
    }

    fn holds(&self, value: i64, ranges: &[(i64, i64)]) -> bool {
        let after = ranges.partition_point(|range| range.0 <= value);
        after > 0 && ranges[after - 1].1 >= value
    }
}

impl DocSet for NumberSet<'_> {
    fn cost(&self) -> u64 {
        self.column.doc_count().into()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let found = (window..self.windows).find(|&window| !self.ranges_in(window).is_empty());
        Ok(found.unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let ranges = self.ranges_in(window);
        if ranges.len() <= RANGES_SCANNED_MAX {
            for &(low, high) in ranges {
                self.column.match_range(window, low, high, bits);
            }
            return Ok(());
        }
        let mut decoded = std::mem::take(&mut self.decoded);
        self.column.decode_window(window, &mut decoded);
        let mut docs = Vec::new();
        bits::list(&decoded.present, &mut docs);
        for doc in docs {
            if decoded.values_of(doc).iter().any(|&value| self.holds(value, ranges)) {
                bits::set(bits, doc);
            }
        }
        self.decoded = decoded;
        Ok(())
    }
}

/// Documents with an ordinal in `low..=high`.
pub struct OrdinalRange<'a> {
    pub column: &'a OrdinalColumn,
    pub low: u32,
    pub high: u32,
    pub windows: u32,
}

impl DocSet for OrdinalRange<'_> {
    fn cost(&self) -> u64 {
        self.column.doc_count().into()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let reaches = |window: &u32| {
            self.column.window_range(*window).is_some_and(|(low, high)| low <= self.high && high >= self.low)
        };
        Ok((window..self.windows).find(reaches).unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.column.match_range(window, self.low, self.high, bits);
        Ok(())
    }
}

/// Documents with any of a few terms.
pub struct TermUnion<'a> {
    pub cursors: Vec<TermCursor<'a>>,
}

impl DocSet for TermUnion<'_> {
    fn cost(&self) -> u64 {
        self.cursors.iter().map(|cursor| u64::from(cursor.doc_freq())).sum()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(self.cursors.iter_mut().map(|cursor| cursor.next_window(window)).min().unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        for cursor in &mut self.cursors {
            cursor.or_bits(window, bits)?;
        }
        Ok(())
    }
}

/// A bit for each document of the segment: for unions of many terms, which are walked once.
pub struct Bitmap {
    words: Vec<u64>,
    count: u64,
}

impl Bitmap {
    /// The documents of all terms.
    #[inline]
    pub fn union(postings: &FieldPostingsReader, entries: &[TermEntry], max_doc: u32) -> Result<Self> {
        let mut bitmap = Bitmap::empty(max_doc);
        entries.iter().try_for_each(|entry| bitmap.add_term(postings, entry))?;
        Ok(bitmap.counted())
    }

    /// Without documents. What is added is to be counted at the end.
    #[inline]
    pub fn empty(max_doc: u32) -> Self {
        Bitmap { words: vec![0; window_count(max_doc) as usize * WINDOW_WORDS], count: 0 }
    }

    #[inline]
    pub fn add_term(&mut self, postings: &FieldPostingsReader, entry: &TermEntry) -> Result<()> {
        postings.or_documents(entry, &mut self.words)
    }

    #[inline]
    pub fn counted(self) -> Self {
        let count = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        Bitmap { count, ..self }
    }

    fn window(&self, window: u32) -> Option<&[u64]> {
        let start = window as usize * WINDOW_WORDS;
        self.words.get(start..start + WINDOW_WORDS)
    }
}

impl DocSet for Bitmap {
    fn cost(&self) -> u64 {
        self.count
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let windows = (self.words.len() / WINDOW_WORDS) as u32;
        let holds = |window: &u32| self.window(*window).is_some_and(|words| words.iter().any(|&word| word != 0));
        Ok((window..windows).find(holds).unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        if let Some(words) = self.window(window) {
            for (word, more) in bits.iter_mut().zip(words) {
                *word |= more;
            }
        }
        Ok(())
    }
}

/// Documents with a value for any of some fields.
pub struct Existence<'a> {
    pub fields: Vec<&'a FieldReader>,
    pub windows: u32,
}

impl DocSet for Existence<'_> {
    fn cost(&self) -> u64 {
        self.fields.iter().map(|field| u64::from(field.stats().doc_count)).sum()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(if window < self.windows { window } else { NO_MORE_WINDOWS })
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        for field in &self.fields {
            field.has_value(window, bits);
        }
        Ok(())
    }
}

/// Some documents, ascending.
pub struct DocList {
    pub docs: Vec<u32>,
}

impl DocSet for DocList {
    fn cost(&self) -> u64 {
        self.docs.len() as u64
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let first = self.docs.partition_point(|&doc| doc / (WINDOW as u32) < window);
        Ok(self.docs.get(first).map_or(NO_MORE_WINDOWS, |doc| doc / WINDOW as u32))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let first = self.docs.partition_point(|&doc| doc / (WINDOW as u32) < window);
        for doc in self.docs[first..].iter().take_while(|&&doc| doc / WINDOW as u32 == window) {
            bits::set(bits, (doc % WINDOW as u32) as u16);
        }
        Ok(())
    }
}
