//! The sort keys of a segment's documents, read from its columns.

use super::column::numeric::{NumericColumn, NumericWindow};
use super::column::ordinal::{OrdinalColumn, OrdinalWindow};
use super::index_sort::{IndexSort, SortField, SortKeys};
use super::reader::{FieldReader, SegmentReader};
use quarry_base::error::{Error, Result};
use quarry_codec::window::WINDOW;

enum Values<'a> {
    /// No document has the field.
    Absent,
    Numbers(&'a NumericColumn, Box<NumericWindow>),
    Terms {
        column: &'a OrdinalColumn,
        window: Box<OrdinalWindow>,
        /// Of the segment's own ordinals among the terms of several segments; `None`: the ordinals are the ranks.
        ranks: Option<Vec<u32>>,
    },
}

/// Reads the keys of documents; cheapest in ascending order.
pub(super) struct SortKeyReader<'a> {
    fields: Vec<(&'a SortField, Values<'a>)>,
    /// The window that is decoded.
    window: Option<u32>,
}

impl<'a> SortKeyReader<'a> {
    /// `ranks`: for each field of the sort the ranks of the segment's ordinals, empty for fields of numbers; none of all
    /// where keys are compared within the segment only.
    ///
    /// Errors: `Corrupt` where the segment has a field without the column that it would be sorted by.
    pub(super) fn open(segment: &'a SegmentReader, sort: &'a IndexSort, ranks: Option<Vec<Vec<u32>>>) -> Result<Self> {
        let mut ranks = ranks.map(Vec::into_iter);
        let open = |field: &'a SortField| {
            let ranks = ranks.as_mut().map(|ranks| ranks.next().unwrap_or_default());
            let values = match segment.field(&field.name) {
                None => Values::Absent,
                Some(reader) => values_of(field, reader, ranks).ok_or_else(|| segment.name_damage(no_column(field)))?,
            };
            Ok((field, values))
        };
        let fields = sort.fields().iter().map(open).collect::<Result<Vec<_>>>()?;
        Ok(SortKeyReader { fields, window: None })
    }

    /// The keys of a document of the segment.
    pub(super) fn keys(&mut self, doc: u32) -> SortKeys {
        let (window, in_window) = (doc / WINDOW as u32, (doc % WINDOW as u32) as u16);
        if self.window != Some(window) {
            self.decode(window);
        }
        self.fields.iter().map(|(field, values)| key_of(field, values, in_window)).collect()
    }

    fn decode(&mut self, window: u32) {
        for (_, values) in &mut self.fields {
            match values {
                Values::Absent => {}
                Values::Numbers(column, decoded) => column.decode_window(window, decoded),
                Values::Terms { column, window: decoded, .. } => column.decode_window(window, decoded),
            }
        }
        self.window = Some(window);
    }
}

fn values_of<'a>(field: &SortField, reader: &'a FieldReader, ranks: Option<Vec<u32>>) -> Option<Values<'a>> {
    if field.is_number() {
        return reader.numeric().map(|column| Values::Numbers(column, Box::default()));
    }
    reader.ordinals().map(|column| Values::Terms { column, window: Box::default(), ranks })
}

fn key_of(field: &SortField, values: &Values<'_>, doc: u16) -> u64 {
    match values {
        Values::Absent => field.missing_key(),
        Values::Numbers(_, window) => field.key_of_numbers(window.values_of(doc)),
        Values::Terms { window, ranks: None, .. } => field.key_of_ranks(window.ordinals_of(doc)),
        Values::Terms { window, ranks: Some(ranks), .. } => {
            // Ranks ascend with the ordinals: the ordinal that decides has the rank that decides.
            let ordinals = window.ordinals_of(doc);
            let deciding = if field.by_greatest { ordinals.last() } else { ordinals.first() };
            let rank = deciding.and_then(|&ordinal| ranks.get(ordinal as usize).copied());
            field.key_of_ranks(rank.as_slice())
        }
    }
}

fn no_column(field: &SortField) -> Error {
    Error::corrupt(format!("field [{}], which the documents are sorted by, has no column of its values", field.name))
}

/// Whether the documents of a sorted segment are in its order.
pub(super) fn check_order(segment: &SegmentReader) -> Result<()> {
    let Some(sort) = segment.sort() else { return Ok(()) };
    let mut reader = SortKeyReader::open(segment, sort, None)?;
    let mut last = SortKeys::new();
    for doc in 0..segment.max_doc() {
        let keys = reader.keys(doc);
        if keys < last {
            return Err(Error::corrupt(format!("document {doc} is not in the order of the segment's sort")));
        }
        last = keys;
    }
    Ok(())
}
