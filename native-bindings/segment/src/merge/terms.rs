//! Merges the terms and postings of one field.

use super::arrangement::Arrangement;
use super::doc_map::DocMap;
use super::term_heads::TermHeads;
use super::{FieldInput, MergeControl};
use quarry_base::error::Result;
use quarry_postings::{DecodedTerm, FieldPostings, FieldPostingsWriter, PostingsOptions, ScoreModel, TermPostings};

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

pub(super) fn merge_terms(
    inputs: &[FieldInput<'_>],
    arrangement: &Arrangement,
    options: PostingsOptions,
    model: Option<ScoreModel<'_>>,
    control: &MergeControl,
) -> Result<MergedTerms> {
    let mut heads = TermHeads::open(inputs.iter().map(|input| (input.segment, input.reader)))?;
    let max_doc = arrangement.max_doc;
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
        interleaved: arrangement.is_interleaved().then(InterleavedPostings::default),
    };
    let mut term = Vec::new();
    let mut until_check = CHECK_EVERY;
    while heads.peek(&mut term) {
        merge.merge_term(&term, &mut heads)?;
        until_check -= 1;
        if until_check == 0 {
            control.check_cancelled()?;
            until_check = CHECK_EVERY;
        }
    }
    let doc_count = counting.then(|| merge.seen.iter().map(|word| word.count_ones()).sum());
    let postings = merge.writer.finish_with_pairs(&|| control.check_cancelled())?;
    Ok(MergedTerms { postings, ordinals: merge.ordinals, doc_count })
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
    /// Where documents of later inputs may come before those of earlier ones.
    interleaved: Option<InterleavedPostings>,
}

impl TermMerge<'_> {
    /// Takes `term` from every input that has it.
    fn merge_term(&mut self, term: &[u8], heads: &mut TermHeads<'_>) -> Result<()> {
        self.merged.docs.clear();
        self.merged.freqs.clear();
        self.merged.positions.clear();
        let mut holders = Vec::new();
        heads.take(term, |head| {
            head.reader.read_term(&head.entry, &mut self.decoded)?;
            append(&self.decoded, self.inputs[head.input].map, self.options, &mut self.merged);
            holders.push(head.input);
            Ok(())
        })?;
        if let Some(interleaved) = &mut self.interleaved {
            interleaved.put_in_order(&mut self.merged);
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

/// Puts the postings of a term in the order of the documents. Memory kept from term to term.
#[derive(Default)]
struct InterleavedPostings {
    /// Document in the upper half, place among the postings in the lower.
    places: Vec<u64>,
    /// Where the positions of each posting start.
    starts: Vec<usize>,
    ordered: DecodedTerm,
}

impl InterleavedPostings {
    /// `postings` has the documents of one input after another, each ascending.
    fn put_in_order(&mut self, postings: &mut DecodedTerm) {
        if postings.docs.is_sorted() {
            return;
        }
        self.places.clear();
        self.places.extend(postings.docs.iter().zip(0u64..).map(|(&doc, place)| u64::from(doc) << 32 | place));
        // The stable sort makes use of the rows that ascend already.
        self.places.sort();
        self.find_starts(postings);
        let DecodedTerm { docs, freqs, positions } = &mut self.ordered;
        docs.clear();
        freqs.clear();
        positions.clear();
        for &place in &self.places {
            let (doc, place) = ((place >> 32) as u32, place as u32 as usize);
            docs.push(doc);
            freqs.extend(postings.freqs.get(place));
            if let Some(&start) = self.starts.get(place) {
                let freq = postings.freqs.get(place).map_or(1, |&freq| freq as usize);
                positions.extend_from_slice(&postings.positions[start..start + freq]);
            }
        }
        std::mem::swap(postings, &mut self.ordered);
    }

    fn find_starts(&mut self, postings: &DecodedTerm) {
        self.starts.clear();
        if postings.positions.is_empty() {
            return;
        }
        let mut start = 0;
        for &freq in &postings.freqs {
            self.starts.push(start);
            start += freq as usize;
        }
    }
}
