//! Where the documents of all inputs go: one input after another, or interleaved by a sort.

use super::doc_map::DocMap;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits, is_set, window_count};
use std::convert::Infallible;

/// The next so many kept documents of an input, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub input: u32,
    pub count: u32,
}

/// Made by [`super::doc_map::concatenated`] or [`super::sorted::interleaved`].
#[derive(Debug)]
pub(super) struct Arrangement {
    /// One per input.
    pub maps: Vec<DocMap>,
    /// Documents of the merged segment.
    pub max_doc: u32,
    /// How the inputs take turns; `None`: one after another.
    pub runs: Option<Vec<Run>>,
}

impl Arrangement {
    pub(super) fn is_interleaved(&self) -> bool {
        self.runs.is_some()
    }

    /// Calls `visit(input, old document)` for every kept document, in the order of the merged segment.
    pub(super) fn each_document<E>(&self, mut visit: impl FnMut(usize, u32) -> Result<(), E>) -> Result<(), E> {
        let Some(runs) = &self.runs else {
            for (input, map) in self.maps.iter().enumerate() {
                (0..map.max_doc()).filter(|&doc| map.new_doc(doc).is_some()).try_for_each(|doc| visit(input, doc))?;
            }
            return Ok(());
        };
        let mut next = vec![0u32; self.maps.len()];
        for &Run { input, count } in runs {
            let (input, mut left) = (input as usize, count);
            let map = &self.maps[input];
            while left > 0 && next[input] < map.max_doc() {
                let doc = next[input];
                next[input] += 1;
                if map.new_doc(doc).is_some() {
                    visit(input, doc)?;
                    left -= 1;
                }
            }
        }
        Ok(())
    }

    /// Calls `visit(input, window's values, in-window document, new document)` for every kept document with a value, in the
    /// order of the merged segment. `load(input, window, values)` reads a window and says which documents have one.
    pub(super) fn each_value<W: Default>(
        &self,
        mut load: impl FnMut(usize, u32, &mut W) -> WindowBits,
        mut visit: impl FnMut(usize, &W, u16, u32),
    ) {
        if !self.is_interleaved() {
            let mut values = W::default();
            for (input, map) in self.maps.iter().enumerate() {
                for window in 0..window_count(map.max_doc()) {
                    let present = load(input, window, &mut values);
                    map.for_each_live(window, &present, |doc, new_doc| visit(input, &values, doc, new_doc));
                }
            }
            return;
        }
        let mut open: Vec<OpenWindow<W>> = self.maps.iter().map(|_| OpenWindow::default()).collect();
        let mut new_doc = 0;
        let Ok(()) = self.each_document(|input, doc| {
            let at = &mut open[input];
            let (window, in_window) = (doc / WINDOW as u32, (doc % WINDOW as u32) as u16);
            if at.number != Some(window) {
                at.present = load(input, window, &mut at.values);
                at.number = Some(window);
            }
            if is_set(&at.present, in_window) {
                visit(input, &at.values, in_window, new_doc);
            }
            new_doc += 1;
            Ok::<(), Infallible>(())
        });
    }
}

/// The window of an input that was read last.
struct OpenWindow<W> {
    number: Option<u32>,
    present: WindowBits,
    values: W,
}

impl<W: Default> Default for OpenWindow<W> {
    fn default() -> Self {
        OpenWindow { number: None, present: [0; WINDOW_WORDS], values: W::default() }
    }
}
