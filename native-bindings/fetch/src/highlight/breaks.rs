//! Ends of words and sentences (Unicode Standard Annex 29), and pieces of bounded length between them.

use super::found::FieldText;
use unicode_segmentation::UnicodeSegmentation;

/// Boundaries of a text in UTF-16 code units.
pub(super) trait Boundaries {
    /// The last bound before an offset; 0 where there is none.
    fn preceding(&mut self, offset: u32) -> u32;
    /// The first bound behind an offset; `None` at the end.
    fn following(&mut self, offset: u32) -> Option<u32>;
}

/// All boundaries of a text: ascending, from 0 to its length.
pub(super) struct Breaks {
    bounds: Vec<u32>,
}

impl Breaks {
    pub(super) fn words(text: &str) -> Self {
        Self::of(text.split_word_bounds())
    }

    pub(super) fn sentences(text: &str) -> Self {
        Self::of(text.split_sentence_bounds())
    }

    /// The ends of values: behind each separator.
    pub(super) fn after_separators(text: &FieldText, separator: u16) -> Self {
        let units = &text.units;
        let has_any = char::from_u32(separator.into()).is_some_and(|separator| text.text.contains(separator));
        let mut bounds = vec![0];
        if has_any {
            bounds.extend((1..units.len() as u32).filter(|&at| units[at as usize - 1] == separator));
        }
        bounds.push(units.len() as u32);
        bounds.dedup();
        Breaks { bounds }
    }

    fn of<'a>(pieces: impl Iterator<Item = &'a str>) -> Self {
        let mut bounds = vec![0];
        let mut at = 0;
        for piece in pieces {
            at += piece.encode_utf16().count() as u32;
            bounds.push(at);
        }
        Breaks { bounds }
    }

    /// The last bound before an offset; 0 where there is none.
    pub(super) fn preceding(&self, offset: u32) -> u32 {
        let after = self.bounds.partition_point(|&bound| bound < offset);
        after.checked_sub(1).and_then(|place| self.bounds.get(place)).copied().unwrap_or(0)
    }

    /// The first bound behind an offset; `None` at the end.
    pub(super) fn following(&self, offset: u32) -> Option<u32> {
        self.bounds.get(self.bounds.partition_point(|&bound| bound <= offset)).copied()
    }
}

impl Boundaries for Breaks {
    fn preceding(&mut self, offset: u32) -> u32 {
        Breaks::preceding(self, offset)
    }

    fn following(&mut self, offset: u32) -> Option<u32> {
        Breaks::following(self, offset)
    }
}

/// The bounds of both.
impl<A: Boundaries, B: Boundaries> Boundaries for (A, B) {
    fn preceding(&mut self, offset: u32) -> u32 {
        self.0.preceding(offset).max(self.1.preceding(offset))
    }

    fn following(&mut self, offset: u32) -> Option<u32> {
        let (one, other) = (self.0.following(offset), self.1.following(offset));
        one.into_iter().chain(other).min()
    }
}

/// Cuts passages: whole pieces where they fit in `max`, else parts of them around the place in question.
///
/// The rules are those of Elasticsearch's `BoundedBreakIteratorScanner`.
pub(super) struct Bounded<'a> {
    pub main: &'a mut dyn Boundaries,
    pub inner: &'a mut dyn Boundaries,
    /// The values of the field: no passage holds parts of two.
    pub values: &'a Breaks,
    /// Code units; 0 for no bound.
    pub max: u32,
    window: (u32, u32),
    last_end: Option<u32>,
}

impl<'a> Bounded<'a> {
    pub(super) fn new(
        main: &'a mut dyn Boundaries,
        inner: &'a mut dyn Boundaries,
        values: &'a Breaks,
        max: u32,
    ) -> Self {
        Bounded { main, inner, values, max, window: (0, 0), last_end: None }
    }

    /// The passage around a place; places come in ascending order, each behind the passage before.
    pub(super) fn passage(&mut self, place: u32, length: u32) -> (u32, u32) {
        let offset = place + 1;
        if self.max == 0 {
            return (self.main.preceding(offset), self.main.following(place).unwrap_or(length));
        }
        let (mut start, mut end);
        match self.last_end {
            Some(last) if offset > self.window.0 && offset < self.window.1 => (start, end) = (last, self.window.1),
            _ => {
                start = self.main.preceding(offset);
                end = self.main.following(place).unwrap_or(length);
                let value_end = self.values.following(place).unwrap_or(length);
                while end - start < self.max {
                    match self.main.following(end) {
                        Some(next) if next - start <= self.max && next <= value_end => end = next,
                        _ => break,
                    }
                }
                self.window = (start, end);
            }
        }
        if end - start > self.max {
            if offset.saturating_sub(self.max) > start {
                start = start.max(self.inner.preceding(offset - self.max));
            }
            let remaining = self.max.saturating_sub(offset - start);
            if offset + remaining < self.window.1 {
                end = self.window.1.min(self.inner.following(offset + remaining).unwrap_or(length));
            }
        }
        self.last_end = Some(end);
        (start, end)
    }
}
