//! Merges the terms and postings of one field.

use super::doc_map::DocMap;
use super::{FieldInput, MergeControl};
use crate::error::Result;
use crate::postings::{
    DecodedTerm, FieldPostings, FieldPostingsReader, FieldPostingsWriter, PostingsOptions, ScoreModel, TermEntry,
    TermIterator, TermPostings,
};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// An ordinal whose term is gone with its last document.
pub(super) const NO_ORDINAL: u32 = u32::MAX;
/// Terms between two looks at the cancel flag.
const CHECK_EVERY: u32 = 1_024;

pub(super) struct MergedTerms {
    pub postings: FieldPostings,
    /// For each input: the new ordinal of each old one.
    pub ordinals: Vec<Vec<u32>>,
    /// Documents with at least one term, where deletions made counting necessary.
    pub doc_count: Option<u32>,
}

/// The next term of one input. Ordered by term, then by input, so that documents come ascending.
struct Head<'a> {
    term: Vec<u8>,
    input: usize,
    entry: TermEntry,
    reader: &'a FieldPostingsReader,
    rest: TermIterator<'a>,
}

impl Head<'_> {
    /// `false` when there is no further term.
    fn advance(&mut self) -> Result<bool> {
        let Some((term, entry)) = self.rest.next()? else { return Ok(false) };
        self.term.clear();
        self.term.extend_from_slice(term);
        self.entry = entry;
        Ok(true)
    }
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.term.cmp(&other.term).then(self.input.cmp(&other.input))
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}

pub(super) fn merge_terms(
    inputs: &[FieldInput<'_>],
    max_doc: u32,
    options: PostingsOptions,
    model: Option<ScoreModel<'_>>,
    control: &MergeControl,
) -> Result<MergedTerms> {
    let mut heads = BinaryHeap::with_capacity(inputs.len());
    for (input, field) in inputs.iter().enumerate() {
        if let Some(head) = field.reader.and_then(|reader| reader.postings()).map(|reader| first_term(reader, input)) {
            heads.extend(head.map_err(|error| field.segment.name_damage(error))?.map(Reverse));
        }
    }
    let counting = inputs.iter().any(|input| input.map.has_deletions());
    let mut merge = TermMerge {
        inputs,
        writer: FieldPostingsWriter::new(max_doc, options, model),
        options,
        next_ordinal: 0,
        ordinals: vec![Vec::new(); inputs.len()],
        seen: if counting { vec![0u64; max_doc.div_ceil(64) as usize] } else { Vec::new() },
        decoded: DecodedTerm::default(),
        merged: DecodedTerm::default(),
    };
    let mut term = Vec::new();
    let mut until_check = CHECK_EVERY;
    while let Some(Reverse(head)) = heads.peek() {
        term.clear();
        term.extend_from_slice(&head.term);
        merge.merge_term(&term, &mut heads)?;
        until_check -= 1;
        if until_check == 0 {
            control.check_cancelled()?;
            until_check = CHECK_EVERY;
        }
    }
    let doc_count = counting.then(|| merge.seen.iter().map(|word| word.count_ones()).sum());
    Ok(MergedTerms { postings: merge.writer.finish()?, ordinals: merge.ordinals, doc_count })
}

fn first_term(reader: &FieldPostingsReader, input: usize) -> Result<Option<Head<'_>>> {
    let mut rest = reader.terms_from(b"")?;
    let Some((term, entry)) = rest.next()? else { return Ok(None) };
    let term = term.to_vec();
    Ok(Some(Head { term, input, entry, reader, rest }))
}

struct TermMerge<'a> {
    inputs: &'a [FieldInput<'a>],
    writer: FieldPostingsWriter<'a>,
    options: PostingsOptions,
    next_ordinal: u32,
    ordinals: Vec<Vec<u32>>,
    /// One bit for each merged document with a term; empty when nothing is deleted.
    seen: Vec<u64>,
    decoded: DecodedTerm,
    merged: DecodedTerm,
}

impl TermMerge<'_> {
    /// Takes `term` from every input that has it.
    fn merge_term(&mut self, term: &[u8], heads: &mut BinaryHeap<Reverse<Head<'_>>>) -> Result<()> {
        self.merged.docs.clear();
        self.merged.freqs.clear();
        self.merged.positions.clear();
        let mut holders = Vec::new();
        while let Some(mut top) = heads.peek_mut().filter(|top| top.0.term == term) {
            let head = &mut top.0;
            let input = &self.inputs[head.input];
            let read = head.reader.read_term(&head.entry, &mut self.decoded);
            read.map_err(|error| input.segment.name_damage(error))?;
            append(&self.decoded, input.map, self.options, &mut self.merged);
            holders.push(head.input);
            if !head.advance().map_err(|error| input.segment.name_damage(error))? {
                PeekMut::pop(top);
            }
        }
        let kept = !self.merged.docs.is_empty();
        let ordinal = if kept { self.next_ordinal } else { NO_ORDINAL };
        for input in holders {
            self.ordinals[input].push(ordinal);
        }
        if kept {
            self.next_ordinal += 1;
            self.add(term)?;
        }
        Ok(())
    }

    fn add(&mut self, term: &[u8]) -> Result<()> {
        if !self.seen.is_empty() {
            for &doc in &self.merged.docs {
                self.seen[doc as usize / 64] |= 1 << (doc % 64);
            }
        }
        let DecodedTerm { docs, freqs, positions } = &self.merged;
        self.writer.add_term(term, TermPostings { docs, freqs, positions })
    }
}

/// Appends what is live of one input's postings, with its documents' new numbers.
fn append(from: &DecodedTerm, map: &DocMap, options: PostingsOptions, to: &mut DecodedTerm) {
    if let Some(shift) = map.shift() {
        to.docs.extend(from.docs.iter().map(|doc| doc + shift));
        if options.freqs {
            to.freqs.extend_from_slice(&from.freqs);
        }
        if options.positions {
            to.positions.extend_from_slice(&from.positions);
        }
        return;
    }
    let mut position = 0;
    for (place, &doc) in from.docs.iter().enumerate() {
        let freq = from.freqs.get(place).copied().unwrap_or(1);
        let start = position;
        position += freq as usize;
        let Some(new_doc) = map.new_doc(doc) else { continue };
        to.docs.push(new_doc);
        if options.freqs {
            to.freqs.push(freq);
        }
        if options.positions {
            to.positions.extend_from_slice(&from.positions[start..position]);
        }
    }
}
