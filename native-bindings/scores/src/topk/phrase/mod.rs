//! Phrases: which documents have all the terms, and how often at the wanted places.

mod batch;
pub(crate) mod pairs;
mod sloppy;
pub(crate) mod top;

use crate::topk::leaf::{Buffers, window_norms};
use crate::topk::lists::{Common, DocumentList, common_documents, common_window, documents_of};
use crate::topk::phrase::batch::{BATCH, BATCH_LEAST, Batch};
use crate::topk::phrase::sloppy::SloppyMatcher;
use crate::topk::simd::WindowNorms;
use crate::topk::{PhraseClause, PhraseSlot};
use quarry_base::error::{Error, Result};
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits};
use quarry_postings::cursor::{CommonDocs, Located, SATURATED, TermCursor, WindowDocs};
use quarry_postings::{BoundScale, FieldPostingsReader, PositionsReader, TermEntry};

/// One term at one place, with where its positions are in the current document.
struct SlotTerm<'a> {
    cursor: TermCursor<'a>,
    positions: PositionsReader<'a>,
    located: Located,
}

/// One place of a phrase, with one term or several alternatives.
pub(crate) struct Slot<'a> {
    offset: u32,
    terms: Vec<SlotTerm<'a>>,
    doc_freq: u64,
}

impl<'a> Slot<'a> {
    fn open(postings: &'a FieldPostingsReader, slot: &PhraseSlot, first_position: u32) -> Result<Self> {
        let open = |entry: &TermEntry| {
            let (cursor, positions) = (postings.cursor(entry)?, postings.positions(entry)?);
            Ok(SlotTerm { cursor, positions, located: Located::default() })
        };
        let terms = slot.terms.iter().map(open).collect::<Result<Vec<_>>>()?;
        Ok(Slot { offset: slot.position - first_position, terms, doc_freq: slot.doc_freq() })
    }

    /// An upper bound of `score / weight` if the phrase were this slot alone.
    fn factor_bound(&mut self, window: u32, scale: BoundScale) -> f32 {
        self.terms.iter_mut().map(|term| scale.upper(term.cursor.window_bound(window))).sum()
    }

    /// Turns to a document, which has one of the terms, and gives how many positions the slot has in it.
    #[inline]
    pub(crate) fn locate(&mut self, window: u32, doc: u16) -> Result<u32> {
        if let [term] = self.terms.as_mut_slice() {
            term.located = term.cursor.locate(window, doc, &term.positions)?;
            return Ok(term.located.freq);
        }
        let mut sum = 0u32;
        for SlotTerm { cursor, positions, located } in &mut self.terms {
            let mut freq = [0];
            cursor.probe(window, &[doc], &mut freq)?;
            *located = if freq[0] == 0 { Located::default() } else { cursor.locate(window, doc, positions)? };
            sum = sum.saturating_add(located.freq);
        }
        Ok(sum)
    }

    #[inline]
    pub(crate) fn offset(&self) -> u32 {
        self.offset
    }

    /// The positions of the slot's term, unless it has alternatives.
    #[inline]
    pub(crate) fn only_term(&self) -> Option<&PositionsReader<'a>> {
        match self.terms.as_slice() {
            [term] => Some(&term.positions),
            _ => None,
        }
    }

    /// Where the positions of the slot's only term are in each of `docs`; their memory is asked for.
    pub(crate) fn locate_all(&mut self, window: u32, docs: &[u16], located: &mut [Located]) -> Result<()> {
        let [term] = self.terms.as_mut_slice() else {
            return Err(Error::internal("alternatives are located one document at a time"));
        };
        term.cursor.locate_all(window, docs, &term.positions, located)?;
        for located in &located[..docs.len()] {
            term.positions.prefetch(located.start);
        }
        Ok(())
    }

    /// Turns to the document in which the slot's only term was located.
    pub(crate) fn turn_to(&mut self, located: Located) {
        self.terms.iter_mut().for_each(|term| term.located = located);
    }

    /// Replaces `out` by the slot's positions in the current document, ascending.
    #[inline]
    pub(crate) fn read(&self, out: &mut Vec<u32>) -> Result<()> {
        let (first, others) = self.terms.split_first().ok_or_else(|| Error::internal("a phrase slot without terms"))?;
        first.positions.read(first.located.start, first.located.freq, out)?;
        if !others.is_empty() {
            let mut more = Vec::new();
            for term in others {
                term.positions.read(term.located.start, term.located.freq, &mut more)?;
                out.append(&mut more);
            }
            out.sort_unstable();
            out.dedup();
        }
        Ok(())
    }

    /// Whether the slot has this position in the current document.
    #[inline]
    fn contains(&self, position: u32) -> Result<bool> {
        for term in &self.terms {
            if term.positions.contains(term.located.start, term.located.freq, position)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl DocumentList for Slot<'_> {
    fn doc_freq(&self) -> u64 {
        self.doc_freq
    }

    fn next_window(&mut self, window: u32) -> u32 {
        let next = self.terms.iter_mut().map(|term| term.cursor.next_window(window)).min();
        next.unwrap_or(quarry_codec::window::NO_MORE_WINDOWS)
    }

    fn stored_bits(&self, window: u32) -> Result<Option<&[u8; WINDOW / 8]>> {
        match self.terms.as_slice() {
            [term] => term.cursor.dense_bits(window),
            _ => Ok(None),
        }
    }

    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        if let [term] = self.terms.as_mut_slice() {
            return term.cursor.decode_docs(window, docs);
        }
        let mut bits = [0; WINDOW_WORDS];
        self.or_bits(window, &mut bits)?;
        Ok(documents_of(&bits, docs))
    }

    fn decode_common_docs(&self, other: &Self, window: u32, common: &mut CommonDocs) -> Result<Option<usize>> {
        match (self.terms.as_slice(), other.terms.as_slice()) {
            ([own], [other]) => own.cursor.decode_common_docs(&other.cursor, window, common),
            _ => Ok(None),
        }
    }

    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.terms.iter_mut().try_for_each(|term| term.cursor.or_bits(window, bits))
    }

    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
        if let [term] = self.terms.as_mut_slice() {
            return term.cursor.probe(window, docs, freqs).map(|_| ());
        }
        let mut own = vec![0; docs.len()];
        freqs[..docs.len()].fill(0);
        for term in &mut self.terms {
            term.cursor.probe(window, docs, &mut own)?;
            for (sum, freq) in freqs.iter_mut().zip(&own) {
                *sum = sum.saturating_add(*freq);
            }
        }
        Ok(())
    }
}

/// Sloppy phrases look at a cancellation after so many documents.
const DOCUMENTS_PER_LOOK: u32 = 64;

/// A phrase while its windows are walked.
pub(crate) struct PhraseRun<'a> {
    /// Its slots rarest first, like `slots`.
    clause: PhraseClause<'a>,
    scale: BoundScale,
    slots: Vec<Slot<'a>>,
    /// Other lists that all of its documents are in, rarest first; none: those of the slots do.
    guides: Vec<TermCursor<'a>>,
    sloppy: Option<SloppyMatcher>,
    /// Kept between documents: starts that still match, and positions of a slot.
    starts: Vec<u32>,
    positions: Vec<u32>,
    batch: Box<Batch>,
    /// Documents whose positions were looked at.
    looked_at: u32,
}

impl<'a> PhraseRun<'a> {
    /// `guides` are two lists or more that together have no document that lacks one of the terms, rarest first; or
    /// none.
    pub(crate) fn open(mut clause: PhraseClause<'a>, guides: Vec<TermCursor<'a>>) -> Result<Self> {
        if clause.slots.len() < 2 || clause.slots.iter().any(|slot| slot.terms.is_empty()) {
            return Err(Error::internal("a phrase of fewer than two places, or with a place without terms"));
        }
        clause.slots.sort_by_key(PhraseSlot::doc_freq);
        let first = clause.slots.iter().map(|slot| slot.position).min().unwrap_or(0);
        let open = |slot| Slot::open(clause.postings, slot, first);
        let slots = clause.slots.iter().map(open).collect::<Result<Vec<_>>>()?;
        let sloppy = (clause.slop > 0).then(|| SloppyMatcher::new(&clause.slots, first, clause.slop));
        let scale = BoundScale::new(clause.similarity, clause.postings.average_length());
        let (starts, positions, batch) = (Vec::new(), Vec::new(), Box::default());
        Ok(PhraseRun { clause, scale, slots, guides, sloppy, starts, positions, batch, looked_at: 0 })
    }

    pub(crate) fn clause(&self) -> &PhraseClause<'a> {
        &self.clause
    }

    pub(crate) fn norms(&self, window: u32) -> Result<&'a WindowNorms> {
        window_norms(self.clause.norms, window)
    }

    /// The rarest list's documents: no more can match.
    pub(crate) fn cost(&self) -> u64 {
        let rarest = self.guides.first().map(|guide| u64::from(guide.doc_freq()));
        rarest.or_else(|| self.slots.iter().map(|slot| slot.doc_freq).min()).unwrap_or(0)
    }

    #[inline]
    pub(crate) fn next_window(&mut self, window: u32) -> Option<u32> {
        let max_doc = self.clause.postings.max_doc();
        if self.guides.is_empty() {
            common_window(&mut self.slots, Slot::next_window, window, max_doc)
        } else {
            common_window(&mut self.guides, TermCursor::next_window, window, max_doc)
        }
    }

    /// No document of the window scores more.
    pub(crate) fn window_bound(&mut self, window: u32) -> f32 {
        self.clause.weight * self.factor_bound(window)
    }

    /// The same without the weight. A phrase is at most as frequent as its rarest term, except that terms may take part in
    /// several sloppy matches.
    pub(crate) fn factor_bound(&mut self, window: u32) -> f32 {
        if self.sloppy.is_some() {
            return 1.0;
        }
        let scale = self.scale;
        if !self.guides.is_empty() {
            let factors = self.guides.iter_mut().map(|guide| scale.upper(guide.window_bound(window)));
            return factors.fold(1.0, f32::min);
        }
        let factors = self.slots.iter_mut().map(|slot| slot.factor_bound(window, scale));
        factors.fold(1.0, f32::min)
    }

    /// The documents of the window that have all the terms, at the start of the buffers' documents.
    pub(crate) fn candidates(&mut self, window: u32, buffers: &mut Buffers) -> Result<usize> {
        let mut bits = [0; WINDOW_WORDS];
        let common = if self.guides.is_empty() {
            common_documents(window, &mut self.slots, buffers, &mut bits)?
        } else {
            common_documents(window, &mut self.guides, buffers, &mut bits)?
        };
        match common {
            Common::Bits => Ok(documents_of(&bits, &mut buffers.docs)),
            Common::Documents(count) => Ok(count),
        }
    }

    /// Replaces `freqs` by upper bounds of the phrase's frequency in the first `count` documents; `SATURATED` says that
    /// none is known.
    pub(crate) fn freq_bounds(&mut self, window: u32, count: usize, buffers: &mut Buffers) -> Result<()> {
        let Buffers { docs, freqs, .. } = buffers;
        if self.sloppy.is_some() {
            freqs[..count].fill(SATURATED);
            return Ok(());
        }
        freqs[..count].fill(SATURATED);
        let mut own = [0; WINDOW];
        if self.guides.is_empty() {
            self.slots.iter_mut().try_for_each(|slot| lower_to(slot, window, &docs[..count], &mut own, freqs))
        } else {
            self.guides.iter_mut().try_for_each(|guide| lower_to(guide, window, &docs[..count], &mut own, freqs))
        }
    }

    /// How often the phrase is in a document that has all the terms: the number of exact matches, or the sum of
    /// `1 / (1 + distance)` over sloppy ones. With `any`, whether it is there at all is enough. Documents in ascending
    /// order are fastest.
    #[inline]
    pub(crate) fn freq(&mut self, window: u32, doc: u16, any: bool) -> Result<f32> {
        match &mut self.sloppy {
            Some(matcher) => {
                // Frequent words in long texts: a window of them may take long.
                self.looked_at = self.looked_at.wrapping_add(1);
                if self.looked_at.is_multiple_of(DOCUMENTS_PER_LOOK) {
                    interrupt::check()?;
                }
                matcher.freq(&mut self.slots, window, doc, any)
            }
            None => self.exact_freq(window, doc, any).map(|freq| freq as f32),
        }
    }

    /// Replaces `freqs` by [`Self::freq`] in each of `docs`, which ascend and have all the terms. Less work than one after
    /// the other.
    pub(crate) fn freqs(&mut self, window: u32, docs: &[u16], any: bool, freqs: &mut [f32]) -> Result<()> {
        let batched = self.sloppy.is_none() && self.slots.iter().all(|slot| slot.only_term().is_some());
        if !batched || docs.len() < BATCH_LEAST {
            for (doc, freq) in docs.iter().zip(freqs) {
                *freq = self.freq(window, *doc, any)?;
            }
            return Ok(());
        }
        for (docs, freqs) in docs.chunks(BATCH).zip(freqs.chunks_mut(BATCH)) {
            self.batch.exact_freqs(&mut self.slots, window, docs, any, freqs)?;
        }
        Ok(())
    }

    /// Starts of the phrase according to one of the two rarest slots, whichever has fewer positions in the document, are
    /// checked against the other slots.
    #[inline]
    fn exact_freq(&mut self, window: u32, doc: u16, any: bool) -> Result<usize> {
        let [first, second, others @ ..] = self.slots.as_mut_slice() else { return Ok(0) };
        let (mut lead, mut follower) = (first, second);
        if lead.locate(window, doc)? > follower.locate(window, doc)? {
            std::mem::swap(&mut lead, &mut follower);
        }
        lead.read(&mut self.starts)?;
        to_starts(&mut self.starts, lead.offset);
        keep_followed(&mut self.starts, follower, &mut self.positions, any && others.is_empty())?;
        let last = others.len();
        for (place, slot) in others.iter_mut().enumerate() {
            if self.starts.is_empty() {
                return Ok(0);
            }
            slot.locate(window, doc)?;
            keep_followed(&mut self.starts, slot, &mut self.positions, any && place + 1 == last)?;
        }
        Ok(self.starts.len())
    }
}

/// Lowers bounds of frequencies to those of a list.
fn lower_to<L: DocumentList>(
    list: &mut L,
    window: u32,
    docs: &[u16],
    own: &mut [u8; WINDOW],
    bounds: &mut [u8],
) -> Result<()> {
    list.probe(window, docs, own)?;
    for (bound, freq) in bounds[..docs.len()].iter_mut().zip(own) {
        *bound = (*freq).min(*bound);
    }
    Ok(())
}

/// So few starts are looked for one at a time among a slot's packed positions; for more, the positions are unpacked.
const FEW_STARTS: usize = 6;

/// Positions of a slot to the places where the phrase would start; a slot cannot stand before its offset.
pub(crate) fn to_starts(positions: &mut Vec<u32>, offset: u32) {
    if offset > 0 {
        positions.retain_mut(|position| {
            let start = position.checked_sub(offset);
            *position = start.unwrap_or_default();
            start.is_some()
        });
    }
}

/// Keeps the starts after which the slot, turned to the same document, has its place; with `any`, one of them.
#[inline]
pub(crate) fn keep_followed(starts: &mut Vec<u32>, slot: &Slot<'_>, positions: &mut Vec<u32>, any: bool) -> Result<()> {
    let few = starts.len() <= FEW_STARTS;
    if !few {
        slot.read(positions)?;
    }
    let (mut kept, mut at) = (0, 0);
    for index in 0..starts.len() {
        let start = starts[index];
        let wanted = start.saturating_add(slot.offset);
        let found = if few {
            slot.contains(wanted)?
        } else {
            at += positions[at..].iter().take_while(|position| **position < wanted).count();
            positions.get(at) == Some(&wanted)
        };
        starts[kept] = start;
        kept += usize::from(found);
        if any && found {
            break;
        }
    }
    starts.truncate(kept);
    Ok(())
}
