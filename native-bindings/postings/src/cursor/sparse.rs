//! A short list, decoded whole when opened.

use super::{Decoded, Located, WindowDocs, WindowFreqs, WindowList};
use crate::frequencies::SATURATED;
use crate::positions::PositionsReader;
use crate::simd;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct SparseCursor {
    docs: Vec<u32>,
    freqs: Vec<u8>,
    /// Documents with saturated frequencies, ascending.
    large: Vec<(u32, u32)>,
    bound: f32,
    /// The documents of the window last asked for.
    window: u32,
    range: Range<usize>,
}

impl SparseCursor {
    pub(crate) fn with_capacity(documents: usize, bound: f32) -> Self {
        SparseCursor {
            docs: Vec::with_capacity(documents),
            freqs: Vec::with_capacity(documents),
            large: Vec::new(),
            bound,
            window: NO_MORE_WINDOWS,
            range: 0..0,
        }
    }

    pub(crate) fn push(&mut self, doc: u32, freq: u32) {
        self.docs.push(doc);
        self.freqs.push(u8::try_from(freq).unwrap_or(SATURATED));
        if freq >= u32::from(SATURATED) {
            self.large.push((doc, freq));
        }
    }

    /// Finds the window's documents.
    #[inline]
    fn range(&mut self, window: u32) -> Range<usize> {
        if window != self.window {
            let low = u64::from(window) * WINDOW as u64;
            let forward = self.window != NO_MORE_WINDOWS && window > self.window;
            let from = if forward { self.range.end } else { 0 };
            let below = |bound: u64| move |doc: &u32| u64::from(*doc) < bound;
            let start = from + self.docs[from..].partition_point(below(low));
            let end = start + self.docs[start..].iter().take_while(|doc| below(low + WINDOW as u64)(doc)).count();
            self.range = start..end.min(start + WINDOW);
            self.window = window;
        }
        self.range.clone()
    }

    fn exact(&self, doc: u32) -> Result<u32> {
        let found = self.large.iter().find(|(large, _)| *large == doc);
        found.map(|(_, freq)| *freq).ok_or_else(|| Error::corrupt("a large term frequency is missing"))
    }
}

fn in_window(doc: u32) -> u16 {
    (doc % WINDOW as u32) as u16
}

impl WindowList for SparseCursor {
    #[inline]
    fn next_window(&mut self, window: u32) -> u32 {
        let range = self.range(window);
        self.docs.get(range.start).map_or(NO_MORE_WINDOWS, |doc| doc / WINDOW as u32)
    }

    #[inline]
    fn window_bound(&mut self, window: u32) -> f32 {
        if self.range(window).is_empty() { 0.0 } else { self.bound }
    }

    #[inline]
    fn decode(&mut self, window: u32, above: f32, docs: &mut WindowDocs, freqs: &mut WindowFreqs) -> Result<Decoded> {
        if self.bound <= above {
            return Ok(Decoded::default());
        }
        let count = self.decode_docs(window, docs)?;
        freqs[..count].copy_from_slice(&self.freqs[self.range.clone()]);
        Ok(Decoded { count, has_large: !self.large.is_empty() })
    }

    #[inline]
    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        let range = self.range(window);
        let count = range.len();
        for (out, doc) in docs.iter_mut().zip(&self.docs[range]) {
            *out = in_window(*doc);
        }
        Ok(count)
    }

    #[inline]
    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let range = self.range(window);
        for &doc in &self.docs[range] {
            let doc = in_window(doc);
            bits[usize::from(doc / 64)] |= 1 << (doc % 64);
        }
        Ok(())
    }

    #[inline]
    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<bool> {
        let mut range = self.range(window);
        for (doc, freq) in docs.iter().zip(freqs) {
            while range.start < range.end && in_window(self.docs[range.start]) < *doc {
                range.start += 1;
            }
            let found = range.start < range.end && in_window(self.docs[range.start]) == *doc;
            *freq = if found { self.freqs[range.start] } else { 0 };
        }
        Ok(!self.large.is_empty())
    }

    fn exact_freq(&mut self, window: u32, doc: u16) -> Result<u32> {
        self.exact(window * WINDOW as u32 + u32::from(doc))
    }

    fn locate(&mut self, window: u32, doc: u16, _positions: &PositionsReader<'_>) -> Result<Located> {
        let range = self.range(window);
        let doc = window * WINDOW as u32 + u32::from(doc);
        let at = range.start + self.docs[range].partition_point(|other| *other < doc);
        if self.docs.get(at) != Some(&doc) {
            return Err(Error::internal("positions asked of a document that lacks the term"));
        }
        let large_before = self.large.iter().take_while(|(large, _)| *large < doc);
        let excess =
            large_before.fold(0u32, |sum, (_, freq)| sum.wrapping_add(freq.saturating_sub(u32::from(SATURATED))));
        let start = simd::sum_first(&self.freqs, at).wrapping_add(excess);
        let freq = if self.freqs[at] == SATURATED { self.exact(doc)? } else { u32::from(self.freqs[at]) };
        Ok(Located { freq, start })
    }
}
