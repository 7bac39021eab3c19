//! Merges what is kept by document: columns, norms, presence, ids.

use super::FieldInput;
use super::arrangement::Arrangement;
use super::doc_map::DocMap;
use super::terms::NO_ORDINAL;
use crate::column::numeric::{NumericColumn, NumericColumnData, NumericColumnWriter, NumericWindow};
use crate::column::ordinal::{OrdinalColumnData, OrdinalColumnWriter, OrdinalWindow};
use crate::column::presence::PresenceData;
use crate::column::range::{RangeColumns, RangeColumnsData, RangeColumnsWriter, RangeWindow};
use crate::ids::{Ids, IdsData, IdsWriter};
use crate::reader::FieldReader;
use quarry_codec::window::{WINDOW_WORDS, WindowBits, window_count};
use std::convert::Infallible;

/// No document of a window.
const NOBODY: WindowBits = [0; WINDOW_WORDS];

/// The columns of the inputs; `None` where an input has none.
pub(super) fn merge_numeric(columns: &[Option<&NumericColumn>], arrangement: &Arrangement) -> NumericColumnData {
    let mut writer = NumericColumnWriter::new();
    let load = |input: usize, window, values: &mut NumericWindow| match columns[input] {
        None => NOBODY,
        Some(column) => {
            column.decode_window(window, values);
            values.present
        }
    };
    arrangement.each_value(load, |_, values, doc, new_doc| writer.add(new_doc, values.values_of(doc)));
    writer.finish(arrangement.max_doc)
}

/// `ordinals`: for each input the new ordinal of each old one.
pub(super) fn merge_ordinals(
    inputs: &[FieldInput<'_>],
    ordinals: &[Vec<u32>],
    arrangement: &Arrangement,
) -> OrdinalColumnData {
    let mut writer = OrdinalColumnWriter::new();
    let mut renumbered = Vec::new();
    let load = |input: usize, window, values: &mut OrdinalWindow| {
        let Some(column) = inputs[input].reader.and_then(FieldReader::ordinals) else { return NOBODY };
        column.decode_window(window, values);
        values.present
    };
    arrangement.each_value(load, |input, values, doc, new_doc| {
        renumbered.clear();
        let new_of = |&old: &u32| ordinals[input].get(old as usize).copied();
        renumbered.extend(values.ordinals_of(doc).iter().filter_map(new_of).filter(|&new| new != NO_ORDINAL));
        writer.add(new_doc, &renumbered);
    });
    writer.finish(arrangement.max_doc)
}

/// Of inputs that have the field; `None` when they hold different kinds of ends.
pub(super) fn merge_ranges(inputs: &[FieldInput<'_>], arrangement: &Arrangement) -> Option<RangeColumnsData> {
    let mut columns = inputs.iter().filter_map(|input| input.reader?.ranges());
    let addresses = columns.next()?.has_addresses();
    if columns.any(|column| column.has_addresses() != addresses) {
        return None;
    }
    let mut writer = RangeColumnsWriter::new(addresses);
    let mut ranges = Vec::new();
    let load = |input: usize, window, values: &mut RangeWindow| {
        let Some(column) = inputs[input].reader.and_then(FieldReader::ranges) else { return NOBODY };
        RangeColumns::decode_window(column, window, values);
        *values.present()
    };
    arrangement.each_value(load, |_, values, doc, new_doc| {
        ranges.clear();
        ranges.extend(values.ranges_of(doc));
        writer.add(new_doc, &ranges);
    });
    Some(writer.finish(arrangement.max_doc))
}

/// Whether a document that stays has the field.
pub(super) fn has_live_document(field: &FieldReader, max_doc: u32, map: &DocMap) -> bool {
    (0..window_count(max_doc)).any(|window| {
        let mut bits = [0; WINDOW_WORDS];
        field.has_value(window, &mut bits);
        let mut found = false;
        map.for_each_live(window, &bits, |_, _| found = true);
        found
    })
}

/// One byte per document; zeros for inputs without the field.
pub(super) fn merge_norms(inputs: &[FieldInput<'_>], arrangement: &Arrangement) -> Vec<u8> {
    let mut merged = vec![0; arrangement.max_doc as usize];
    for input in inputs {
        let Some(norms) = input.reader.and_then(FieldReader::norms) else { continue };
        let norms = &norms[..input.segment.max_doc() as usize];
        if let Some(shift) = input.map.shift() {
            merged[shift as usize..][..norms.len()].copy_from_slice(norms);
            continue;
        }
        for (&norm, doc) in norms.iter().zip(0..) {
            if let Some(new_doc) = input.map.new_doc(doc) {
                merged[new_doc as usize] = norm;
            }
        }
    }
    merged
}

/// The merged documents that have the field.
pub(super) fn merge_presence(inputs: &[FieldInput<'_>], arrangement: &Arrangement) -> PresenceData {
    let mut docs = Vec::new();
    let load = |input: usize, window, (): &mut ()| {
        let mut bits = NOBODY;
        if let Some(reader) = inputs[input].reader {
            reader.has_value(window, &mut bits);
        }
        bits
    };
    arrangement.each_value(load, |_, (), _, new_doc| docs.push(new_doc));
    PresenceData::from_docs(docs, arrangement.max_doc)
}

/// `ids`: of each input.
pub(super) fn merge_ids(ids: &[&Ids], arrangement: &Arrangement, hash_key: u64) -> IdsData {
    let mut writer = IdsWriter::new();
    let Ok(()) = arrangement.each_document(|input, doc| {
        writer.add(ids[input].get(doc));
        Ok::<(), Infallible>(())
    });
    writer.finish(hash_key)
}
