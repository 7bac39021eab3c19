//! The documents of a sorted index in their order: which that is, and the buffer rearranged before it is written.

use super::IndexBuffer;
use super::field::{FieldBuffer, Values};
use quarry_base::error::{Error, Result};
use quarry_segment::index_sort::{IndexSort, SortField};

/// Where documents of the buffer go in the segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentOrder {
    /// By ordinal in the buffer.
    new_docs: Vec<u32>,
    /// By document of the segment.
    old_docs: Vec<u32>,
}

impl DocumentOrder {
    /// Of documents with these keys, each row of which has one for each of `count` documents; the first that differs
    /// decides, documents that tie stay as they came. `None`: all do.
    fn of(keys: &[Vec<u64>], count: u32) -> Option<Self> {
        let mut old_docs: Vec<u32> = (0..count).collect();
        let compare = |&a: &u32, &b: &u32| {
            let differing = keys.iter().map(|keys| keys[a as usize].cmp(&keys[b as usize])).find(|order| order.is_ne());
            differing.unwrap_or(std::cmp::Ordering::Equal)
        };
        if old_docs.is_sorted_by(|a, b| compare(a, b).is_le()) {
            return None;
        }
        old_docs.sort_by(compare);
        let mut new_docs = vec![0; old_docs.len()];
        for (&old, new) in old_docs.iter().zip(0..) {
            new_docs[old as usize] = new;
        }
        Some(DocumentOrder { new_docs, old_docs })
    }

    /// By document of the segment: its ordinal in the buffer.
    pub fn old_docs(&self) -> &[u32] {
        &self.old_docs
    }

    /// By ordinal in the buffer: the document of the segment.
    pub fn new_docs(&self) -> &[u32] {
        &self.new_docs
    }

    /// One value for each document.
    fn rearrange<T: Copy>(&self, values: &mut Vec<T>) {
        *values = self.old_docs.iter().map(|&old| values[old as usize]).collect();
    }

    /// Any number of values for each document: `docs` ascends and says whose each of `values` is.
    pub(super) fn rearrange_rows<T: Copy>(&self, docs: &mut Vec<u32>, values: &mut Vec<T>) {
        let mut ends = vec![0u32; self.old_docs.len()];
        docs.iter().for_each(|&doc| ends[doc as usize] += 1);
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        let (mut new_docs, mut new_values) = (Vec::with_capacity(docs.len()), Vec::with_capacity(values.len()));
        for (&old, new) in self.old_docs.iter().zip(0..) {
            let start = (old as usize).checked_sub(1).map_or(0, |before| ends[before]);
            let own = &values[start as usize..ends[old as usize] as usize];
            new_docs.extend(own.iter().map(|_| new));
            new_values.extend_from_slice(own);
        }
        (*docs, *values) = (new_docs, new_values);
    }
}

impl IndexBuffer {
    /// Brings everything but the records into the order of the sort. `None`: it was already, nothing was moved.
    ///
    /// Errors: `Internal` where the buffer holds what an index with this sort cannot.
    pub(super) fn sort_documents(&mut self, sort: &IndexSort) -> Result<Option<DocumentOrder>> {
        if !self.nested.is_empty() {
            return Err(Error::internal("a sorted index has nested documents"));
        }
        let keys = sort.fields().iter().map(|field| self.keys_of(field)).collect::<Result<Vec<_>>>()?;
        let Some(order) = DocumentOrder::of(&keys, self.document_count()) else { return Ok(None) };
        self.fields.iter_mut().for_each(|field| field.rearrange(&order));
        for terms in [&mut self.routing, &mut self.ignored, &mut self.stored_only] {
            terms.rearrange(&order);
        }
        self.ids.rearrange(order.old_docs(), order.new_docs());
        for numbers in [&mut self.seq_nos, &mut self.versions, &mut self.primary_terms] {
            order.rearrange(numbers);
        }
        let deleted = std::mem::take(&mut self.deleted);
        let is_deleted = |old: u32| deleted.get(old as usize / 64).is_some_and(|word| word >> (old % 64) & 1 == 1);
        self.deleted.resize(deleted.len().max(order.old_docs.len().div_ceil(64)), 0);
        for (_, new) in order.old_docs.iter().zip(0u32..).filter(|&(&old, _)| is_deleted(old)) {
            self.deleted[new as usize / 64] |= 1 << (new % 64);
        }
        Ok(Some(order))
    }

    fn keys_of(&self, field: &SortField) -> Result<Vec<u64>> {
        let mut keys = vec![field.missing_key(); self.document_count() as usize];
        let buffer = self.fields.iter().find(|buffer| buffer.name() == field.name);
        match (buffer.map(|buffer: &FieldBuffer| &buffer.values), field.is_number()) {
            (None, _) => {}
            (Some(Values::Number(numbers)), true) => {
                for (doc, values) in numbers.documents() {
                    keys[doc as usize] = field.key_of_numbers(values);
                }
            }
            (Some(Values::Term(terms)), false) => {
                let ranks = terms.ranks();
                let mut own = Vec::new();
                for (doc, numbers) in terms.documents() {
                    own.clear();
                    own.extend(numbers.iter().map(|&number| ranks[number as usize]));
                    keys[doc as usize] = field.key_of_ranks(&own);
                }
            }
            _ => return Err(Error::internal(format!("field [{}] is not of the kind it is sorted by", field.name))),
        }
        Ok(keys)
    }
}
