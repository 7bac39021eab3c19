//! Merges what is kept by document: columns, norms, presence, ids.

use super::FieldInput;
use super::doc_map::DocMap;
use super::terms::NO_ORDINAL;
use crate::segment::column::numeric::{NumericColumn, NumericColumnData, NumericColumnWriter, NumericWindow};
use crate::segment::column::ordinal::{OrdinalColumnData, OrdinalColumnWriter, OrdinalWindow};
use crate::segment::column::presence::PresenceData;
use crate::segment::column::range::{RangeColumns, RangeColumnsData, RangeColumnsWriter, RangeWindow};
use crate::segment::ids::{Ids, IdsData, IdsWriter};
use crate::segment::reader::FieldReader;
use crate::window::{WINDOW_WORDS, window_count};

/// Columns of the inputs in order; `None` where an input has none.
pub(super) fn merge_numeric<'a>(
    columns: impl Iterator<Item = (Option<&'a NumericColumn>, &'a DocMap)>,
    max_doc: u32,
) -> NumericColumnData {
    let mut writer = NumericColumnWriter::new();
    let mut decoded = NumericWindow::default();
    for (column, map) in columns {
        let Some(column) = column else { continue };
        for window in 0..column.window_count() {
            column.decode_window(window, &mut decoded);
            map.for_each_live(window, &decoded.present, |doc, new_doc| writer.add(new_doc, decoded.values_of(doc)));
        }
    }
    writer.finish(max_doc)
}

/// `ordinals`: for each input the new ordinal of each old one.
pub(super) fn merge_ordinals(inputs: &[FieldInput<'_>], ordinals: &[Vec<u32>], max_doc: u32) -> OrdinalColumnData {
    let mut writer = OrdinalColumnWriter::new();
    let mut decoded = OrdinalWindow::default();
    let mut renumbered = Vec::new();
    for (input, new_ordinals) in inputs.iter().zip(ordinals) {
        let Some(column) = input.reader.and_then(|reader| reader.ordinals()) else { continue };
        for window in 0..window_count(input.segment.max_doc()) {
            column.decode_window(window, &mut decoded);
            input.map.for_each_live(window, &decoded.present, |doc, new_doc| {
                renumbered.clear();
                let new_of = |&old: &u32| new_ordinals.get(old as usize).copied();
                renumbered.extend(decoded.ordinals_of(doc).iter().filter_map(new_of).filter(|&new| new != NO_ORDINAL));
                writer.add(new_doc, &renumbered);
            });
        }
    }
    writer.finish(max_doc)
}

/// Of inputs that have the field; `None` when they hold different kinds of ends.
pub(super) fn merge_ranges(inputs: &[FieldInput<'_>], max_doc: u32) -> Option<RangeColumnsData> {
    let columns = || inputs.iter().filter_map(|input| Some((input.reader?.ranges()?, input)));
    let addresses = columns().next()?.0.has_addresses();
    if columns().any(|(column, _)| column.has_addresses() != addresses) {
        return None;
    }
    let mut writer = RangeColumnsWriter::new(addresses);
    let mut decoded = RangeWindow::default();
    let mut ranges = Vec::new();
    for (column, input) in columns() {
        for window in 0..window_count(input.segment.max_doc()) {
            RangeColumns::decode_window(column, window, &mut decoded);
            input.map.for_each_live(window, decoded.present(), |doc, new_doc| {
                ranges.clear();
                ranges.extend(decoded.ranges_of(doc));
                writer.add(new_doc, &ranges);
            });
        }
    }
    Some(writer.finish(max_doc))
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
pub(super) fn merge_norms(inputs: &[FieldInput<'_>]) -> Vec<u8> {
    let mut merged = Vec::new();
    for input in inputs {
        let max_doc = input.segment.max_doc();
        match input.reader.and_then(|reader| reader.norms()) {
            None => merged.resize(merged.len() + input.map.live_count() as usize, 0),
            Some(norms) if !input.map.has_deletions() => merged.extend_from_slice(&norms[..max_doc as usize]),
            Some(norms) => {
                let live = norms.iter().zip(0..max_doc).filter(|(_, doc)| input.map.new_doc(*doc).is_some());
                merged.extend(live.map(|(&norm, _)| norm));
            }
        }
    }
    merged
}

/// The merged documents that have the field, ascending.
pub(super) fn present_docs(inputs: &[FieldInput<'_>]) -> Vec<u32> {
    let mut docs = Vec::new();
    for input in inputs {
        let Some(reader) = input.reader else { continue };
        for window in 0..window_count(input.segment.max_doc()) {
            let mut bits = [0; WINDOW_WORDS];
            reader.has_value(window, &mut bits);
            input.map.for_each_live(window, &bits, |_, new_doc| docs.push(new_doc));
        }
    }
    docs
}

pub(super) fn merge_presence(inputs: &[FieldInput<'_>], max_doc: u32) -> PresenceData {
    PresenceData::from_docs(present_docs(inputs), max_doc)
}

pub(super) fn merge_ids<'a>(inputs: impl Iterator<Item = (&'a Ids, u32, &'a DocMap)>, hash_key: u64) -> IdsData {
    let mut writer = IdsWriter::new();
    for (ids, max_doc, map) in inputs {
        for doc in (0..max_doc).filter(|&doc| map.new_doc(doc).is_some()) {
            writer.add(ids.get(doc));
        }
    }
    writer.finish(hash_key)
}
