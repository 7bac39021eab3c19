//! Exact phrases in many documents at once: the places of all their positions are found first, and the memory that holds
//! them is on its way before the first are looked at. Then sixteen positions are compared at a time.
//!
//! The two rarest terms decide first; the others are looked up only in documents that still have a start of the phrase.

use crate::topk::phrase::{Slot, keep_followed, to_starts};
use quarry_base::error::{Error, Result};
use quarry_postings::cursor::Located;
use quarry_postings::{POSITION_GROUP, PositionsReader};

/// Documents at once.
pub(crate) const BATCH: usize = 64;
/// Fewer are looked at one after the other: there is too little to do while memory is waited for.
pub(crate) const BATCH_LEAST: usize = 4;

/// A document that still has starts of the phrase.
#[derive(Clone, Copy, Default)]
struct Alive {
    /// Which of the batch.
    index: usize,
    doc: u16,
    starts: usize,
}

/// Room for the documents of a batch.
pub(crate) struct Batch {
    first: [Located; BATCH],
    second: [Located; BATCH],
    /// Documents of the batch that still have starts, and how many: the starts lie one document after another.
    alive: [Alive; BATCH],
    docs: [u16; BATCH],
    starts: Vec<u32>,
    /// Starts and positions of a document with many.
    many: Vec<u32>,
    positions: Vec<u32>,
}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            first: [Located::default(); BATCH],
            second: [Located::default(); BATCH],
            alive: [Alive::default(); BATCH],
            docs: [0; BATCH],
            starts: Vec::new(),
            many: Vec::new(),
            positions: Vec::new(),
        }
    }
}

impl Batch {
    /// Replaces `freqs` by how often the phrase is in each of `docs`, at most `BATCH`. With `any`, one is enough. The slots
    /// have one term each, rarest first.
    pub(crate) fn exact_freqs(
        &mut self,
        slots: &mut [Slot<'_>],
        window: u32,
        docs: &[u16],
        any: bool,
        freqs: &mut [f32],
    ) -> Result<()> {
        let [first, second, others @ ..] = slots else { return Ok(()) };
        first.locate_all(window, docs, &mut self.first)?;
        second.locate_all(window, docs, &mut self.second)?;
        freqs.fill(0.0);
        let mut alive = 0;
        self.starts.clear();
        for (index, &doc) in docs.iter().enumerate() {
            let before = self.starts.len();
            self.add_starts(first, second, index, any && others.is_empty())?;
            self.alive[alive] = Alive { index, doc, starts: self.starts.len() - before };
            alive += usize::from(self.starts.len() > before);
        }
        let last = others.len();
        for (place, slot) in others.iter_mut().enumerate() {
            alive = self.keep_alive(slot, window, alive, any && place + 1 == last)?;
        }
        for alive in &self.alive[..alive] {
            freqs[alive.index] = alive.starts as f32;
        }
        Ok(())
    }

    /// Appends the starts in a document according to the two rarest slots. The one with fewer positions leads.
    #[inline]
    fn add_starts<'a>(&mut self, first: &mut Slot<'a>, second: &mut Slot<'a>, index: usize, any: bool) -> Result<()> {
        let (of_first, of_second) = (&self.first[index], &self.second[index]);
        let (lead, leading, follower, following) = if of_first.freq <= of_second.freq {
            (first, of_first, second, of_second)
        } else {
            (second, of_second, first, of_first)
        };
        if leading.freq as usize > POSITION_GROUP {
            lead.turn_to(*leading);
            follower.turn_to(*following);
            lead.read(&mut self.many)?;
            to_starts(&mut self.many, lead.offset());
            keep_followed(&mut self.many, follower, &mut self.positions, any)?;
            self.starts.append(&mut self.many);
            return Ok(());
        }
        let group = term_of(lead)?.group(leading.start, leading.freq)?;
        // A slot cannot stand before its offset.
        let group = &group[..leading.freq as usize];
        let group = &group[group.iter().take_while(|position| **position < lead.offset()).count()..];
        let mut found = followed(group, lead.offset(), follower, following)?;
        while found != 0 {
            self.starts.push(group[found.trailing_zeros() as usize] - lead.offset());
            found &= found - 1;
        }
        Ok(())
    }

    /// Keeps the starts that the slot follows, of the first `alive` documents, and those that have one; gives their number.
    fn keep_alive(&mut self, slot: &mut Slot<'_>, window: u32, alive: usize, any: bool) -> Result<usize> {
        for (doc, alive) in self.docs.iter_mut().zip(&self.alive[..alive]) {
            *doc = alive.doc;
        }
        slot.locate_all(window, &self.docs[..alive], &mut self.first)?;
        let (mut from, mut to, mut still) = (0, 0, 0);
        for place in 0..alive {
            let mut document = self.alive[place];
            let end = from + document.starts;
            let before = to;
            if document.starts > POSITION_GROUP {
                slot.turn_to(self.first[place]);
                self.many.clear();
                self.many.extend_from_slice(&self.starts[from..end]);
                keep_followed(&mut self.many, slot, &mut self.positions, any)?;
                self.starts[to..to + self.many.len()].copy_from_slice(&self.many);
                to += self.many.len();
            } else {
                let starts = &self.starts[from..end];
                let mut found = followed(starts, 0, slot, &self.first[place])?;
                while found != 0 {
                    self.starts[to] = self.starts[from + found.trailing_zeros() as usize];
                    to += 1;
                    found &= found - 1;
                }
            }
            document.starts = to - before;
            self.alive[still] = document;
            still += usize::from(document.starts > 0);
            from = end;
        }
        Ok(still)
    }
}

#[inline]
fn term_of<'s, 'a>(slot: &'s Slot<'a>) -> Result<&'s PositionsReader<'a>> {
    slot.only_term().ok_or_else(|| Error::internal("alternatives are compared one document at a time"))
}

/// Which of the ascending positions, sixteen at most and each `offset` behind a start of the phrase, the slot follows, as
/// bits.
#[inline]
fn followed(positions: &[u32], offset: u32, slot: &Slot<'_>, located: &Located) -> Result<u32> {
    let mut wanted = [0; POSITION_GROUP];
    for (wanted, position) in wanted.iter_mut().zip(positions) {
        // Only in a damaged list does a position lie before its offset: what comes of that is behind all positions.
        *wanted = position.wrapping_sub(offset).saturating_add(slot.offset());
    }
    term_of(slot)?.find(located.start, located.freq, &wanted[..positions.len()])
}
