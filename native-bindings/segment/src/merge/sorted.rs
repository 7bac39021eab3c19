//! The arrangement of inputs whose documents are sorted: a k-way merge by their keys.

use super::MergeInput;
use super::arrangement::{Arrangement, Run};
use super::doc_map::{DocMap, checked_total, no_new_docs};
use super::term_heads::TermHeads;
use crate::index_sort::{IndexSort, SortField, SortKeys};
use crate::sort_keys::SortKeyReader;
use crate::throttle::MergeControl;
use quarry_base::error::{Error, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Documents between two looks at the cancel flag.
const CHECK_EVERY: u32 = 65_536;

/// What all inputs are sorted by; `None`: they are as they came.
///
/// Errors: `Corrupt` where they differ, which segments of one shard never do.
pub(super) fn common_sort(inputs: &[MergeInput]) -> Result<Option<&IndexSort>> {
    let mut sorts = inputs.iter().map(|input| input.segment.sort());
    let first = sorts.next().flatten();
    if sorts.any(|sort| sort != first) {
        return Err(Error::corrupt("segments to merge are sorted by different fields"));
    }
    Ok(first)
}

/// The inputs' live documents by their keys; those that tie by input, then as they were.
pub(super) fn interleaved(inputs: &[MergeInput], sort: &IndexSort, control: &MergeControl) -> Result<Arrangement> {
    let max_doc = checked_total(inputs)?;
    let mut sources = open_sources(inputs, sort)?;
    let mut new_docs: Vec<Vec<u32>> = inputs.iter().map(no_new_docs).collect();
    let mut runs: Vec<Run> = Vec::new();
    let mut heads: BinaryHeap<Reverse<(SortKeys, usize)>> = BinaryHeap::with_capacity(sources.len());
    for (input, source) in sources.iter_mut().enumerate() {
        heads.extend(source.next_keys().map(|keys| Reverse((keys, input))));
    }
    let mut next_doc = 0;
    while let Some(Reverse((_, input))) = heads.pop() {
        let (source, new_docs) = (&mut sources[input], &mut new_docs[input]);
        let start = next_doc;
        // As long as no other input has a document that comes before, nothing moves in the heap.
        loop {
            new_docs[source.doc as usize] = next_doc;
            next_doc += 1;
            source.doc += 1;
            if next_doc % CHECK_EVERY == 0 {
                control.check_cancelled()?;
            }
            let Some(keys) = source.next_keys() else { break };
            let head = Reverse((keys, input));
            if heads.peek().is_some_and(|least| *least > head) {
                heads.push(head);
                break;
            }
        }
        runs.push(Run { input: input as u32, count: next_doc - start });
    }
    let maps = new_docs.into_iter().zip(inputs).map(|(new_docs, input)| DocMap::of_new_docs(new_docs, input)).collect();
    Ok(Arrangement { maps, max_doc, runs: Some(runs) })
}

/// An input and its next document.
struct Source<'a> {
    input: &'a MergeInput,
    keys: SortKeyReader<'a>,
    doc: u32,
}

impl Source<'_> {
    /// Goes on to a live document, perhaps the one it is at: its keys, or `None` at the end.
    fn next_keys(&mut self) -> Option<SortKeys> {
        let live = self.input.live.as_deref();
        while self.doc < self.input.segment.max_doc() {
            if live.is_none_or(|live| live.is_live(self.doc)) {
                return Some(self.keys.keys(self.doc));
            }
            self.doc += 1;
        }
        None
    }
}

fn open_sources<'a>(inputs: &'a [MergeInput], sort: &'a IndexSort) -> Result<Vec<Source<'a>>> {
    let mut ranks: Vec<Vec<Vec<u32>>> = vec![Vec::new(); inputs.len()];
    for field in sort.fields() {
        for (ranks, of_field) in ranks.iter_mut().zip(ranks_of_terms(inputs, field)?) {
            ranks.push(of_field);
        }
    }
    let open = |(input, ranks): (&'a MergeInput, Vec<Vec<u32>>)| {
        Ok(Source { input, keys: SortKeyReader::open(&input.segment, sort, Some(ranks))?, doc: 0 })
    };
    inputs.iter().zip(ranks).map(open).collect()
}

/// For each input and each of its ordinals the rank of the term among those of all inputs; nothing for fields of numbers.
fn ranks_of_terms(inputs: &[MergeInput], field: &SortField) -> Result<Vec<Vec<u32>>> {
    let mut ranks = vec![Vec::new(); inputs.len()];
    if field.is_number() {
        return Ok(ranks);
    }
    let mut heads = TermHeads::open(inputs.iter().map(|input| (&*input.segment, input.segment.field(&field.name))))?;
    let mut term = Vec::new();
    let mut rank = 0u32;
    while heads.peek(&mut term) {
        heads.take(&term, |head| {
            ranks[head.input].push(rank);
            Ok(())
        })?;
        rank += 1;
    }
    Ok(ranks)
}
