//! Where the documents of a merge's inputs go.

use super::MergeInput;
use super::arrangement::Arrangement;
use crate::directory::live_docs::LiveDocs;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::DOCUMENTS_MAX;
use quarry_codec::window::{WINDOW, WindowBits};

/// A deleted document in a list of new documents.
const GONE: u32 = u32::MAX;

/// From documents of one input to documents of the merged segment.
#[derive(Debug, Clone)]
pub struct DocMap {
    /// New number of the input's first live document.
    base: u32,
    max_doc: u32,
    live_count: u32,
    /// New document of each old one, ascending; `None` when nothing is deleted and all are shifted by `base`.
    new_docs: Option<Vec<u32>>,
}

impl DocMap {
    fn new(base: u32, max_doc: u32, live: Option<&LiveDocs>) -> Self {
        let Some(live) = live.filter(|live| live.deleted_count() > 0) else {
            return DocMap { base, max_doc, live_count: max_doc, new_docs: None };
        };
        let mut next = base;
        let new_docs = (0..max_doc).map(|doc| {
            if !live.is_live(doc) {
                return GONE;
            }
            next += 1;
            next - 1
        });
        let new_docs = new_docs.collect();
        DocMap { base, max_doc, live_count: next - base, new_docs: Some(new_docs) }
    }

    /// Of an input whose documents do not stay together; begun by [`no_new_docs`].
    pub(super) fn of_new_docs(new_docs: Vec<u32>, input: &MergeInput) -> Self {
        let live_count = live_count(input);
        DocMap { base: 0, max_doc: input.segment.max_doc(), live_count, new_docs: Some(new_docs) }
    }

    /// Documents of the input, deleted ones included.
    pub(super) fn max_doc(&self) -> u32 {
        self.max_doc
    }

    /// `None`: it was deleted when the merge started, or there is no such document.
    #[inline]
    pub fn new_doc(&self, old_doc: u32) -> Option<u32> {
        if old_doc >= self.max_doc {
            return None;
        }
        match &self.new_docs {
            None => Some(self.base + old_doc),
            Some(new_docs) => Some(new_docs[old_doc as usize]).filter(|&doc| doc != GONE),
        }
    }

    /// Documents of the input that are in the merged segment.
    pub fn live_count(&self) -> u32 {
        self.live_count
    }

    /// Everything is kept: documents are only shifted, by this much.
    pub(super) fn shift(&self) -> Option<u32> {
        self.new_docs.is_none().then_some(self.base)
    }

    pub(super) fn has_deletions(&self) -> bool {
        self.live_count < self.max_doc
    }

    /// Calls `visit(in-window document, new document)` for the live ones among `bits` of a window, ascending.
    pub(super) fn for_each_live(&self, window: u32, bits: &WindowBits, mut visit: impl FnMut(u16, u32)) {
        let first = window * WINDOW as u32;
        for (index, &word) in bits.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let in_window = index as u32 * 64 + rest.trailing_zeros();
                rest &= rest - 1;
                if let Some(new_doc) = self.new_doc(first + in_window) {
                    visit(in_window as u16, new_doc);
                }
            }
        }
    }
}

/// One input after another.
pub(super) fn concatenated(inputs: &[MergeInput]) -> Result<Arrangement> {
    let max_doc = checked_total(inputs)?;
    let mut base = 0;
    let maps = inputs.iter().map(|input| {
        let map = DocMap::new(base, input.segment.max_doc(), input.live.as_deref());
        base += map.live_count;
        map
    });
    Ok(Arrangement { maps: maps.collect(), max_doc, runs: None })
}

/// Documents that stay, of all inputs.
pub(super) fn checked_total(inputs: &[MergeInput]) -> Result<u32> {
    let mut total = 0u32;
    for input in inputs {
        if input.live.as_deref().is_some_and(|live| live.max_doc() != input.segment.max_doc()) {
            return Err(Error::new(ErrorCode::Internal, "live docs do not fit the segment to merge"));
        }
        let sum = total.checked_add(live_count(input)).filter(|&sum| sum <= DOCUMENTS_MAX);
        total = sum.ok_or_else(|| Error::illegal_argument("merged segment would have too many documents"))?;
    }
    Ok(total)
}

fn live_count(input: &MergeInput) -> u32 {
    input.live.as_deref().map_or(input.segment.max_doc(), LiveDocs::live_count)
}

/// A row for the new documents of an input: all are gone until they get a number.
pub(super) fn no_new_docs(input: &MergeInput) -> Vec<u32> {
    vec![GONE; input.segment.max_doc() as usize]
}
