//! Several segments and their deletions to one segment.
//!
//! Field by field: terms in a k-way merge, postings and positions decoded and written anew, columns window by window,
//! ordinals renumbered by the terms' new places. Stored blocks are copied as they are where nothing is deleted. Memory: the
//! inverted index of the largest field, ids, and four bytes for each document of an input with deletions.
//!
//! Segments whose documents are sorted are interleaved by their keys ([`sorted`]), all others follow each other. Who writes a
//! part of the segment asks the [`arrangement`] in which order the documents come. Interleaving takes four bytes for each
//! document, and eight for each turn.

mod arrangement;
mod columns;
mod doc_map;
mod field;
mod sorted;
mod term_heads;
mod terms;
#[cfg(test)]
mod tests;
mod vectors;

use self::arrangement::Arrangement;
pub use self::arrangement::Run;
pub use self::doc_map::DocMap;
use super::column::numeric::NumericColumn;
use super::directory::live_docs::LiveDocs;
use super::id::SegmentId;
use super::ids::Ids;
use super::index_sort::IndexSort;
use super::nested::NESTED_PATH_FIELD;
use super::reader::{FieldReader, SegmentReader};
use super::stored::{StoredCodec, StoredData, StoredScratch, StoredWriter};
pub use super::throttle::MergeControl;
use super::writer::{Features, Format, SegmentWriter, SystemSections};
use quarry_base::error::Result;
use quarry_postings::PAIRS_DOCUMENTS_MIN;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A segment to merge, with the deletions known when the merge starts.
#[derive(Debug, Clone)]
pub struct MergeInput {
    pub segment: Arc<SegmentReader>,
    pub live: Option<Arc<LiveDocs>>,
}

#[derive(Debug)]
pub struct MergeResult {
    /// One per input.
    pub doc_maps: Vec<DocMap>,
    /// How the inputs take turns where they are sorted; empty: one after another.
    pub runs: Vec<Run>,
    pub max_doc: u32,
    /// Length of the file.
    pub bytes: u64,
}

/// One input as one field sees it.
struct FieldInput<'a> {
    segment: &'a SegmentReader,
    /// `None` when the input does not have the field.
    reader: Option<&'a FieldReader>,
    map: &'a DocMap,
}

/// Writes the live documents of `inputs`, one input after another or as they are sorted, as segment `id` to `path` (not
/// fsynced). The inputs' checksums are verified first. Documents deleted meanwhile are the caller's: `DocMap` says where they
/// went. With no live document at all nothing is written and `max_doc` is 0.
pub fn merge(
    inputs: &[MergeInput],
    path: &Path,
    id: SegmentId,
    codec: StoredCodec,
    control: &MergeControl,
) -> Result<MergeResult> {
    control.input_bytes.store(inputs.iter().map(|input| input.segment.bytes()).sum(), Ordering::Relaxed);
    for input in inputs {
        control.check_cancelled()?;
        input.segment.verify_checksums()?;
    }
    let sort = sorted::common_sort(inputs)?;
    let arrangement = match sort {
        None => doc_map::concatenated(inputs)?,
        Some(sort) => sorted::interleaved(inputs, sort, control)?,
    };
    let mut bytes = 0;
    if arrangement.max_doc > 0 {
        let maps = &arrangement.maps;
        let features = Features {
            nested: keeps_children(inputs, maps),
            ranges: keeps(inputs, maps, |field| field.ranges().is_some()),
            sorted: sort.is_some(),
            vectors: keeps(inputs, maps, |field| field.vectors().is_some()),
            dictionaries: codec.takes_dictionaries(),
            pairs: arrangement.max_doc >= PAIRS_DOCUMENTS_MIN,
        };
        let mut writer = SegmentWriter::create_paced(path, id, Format::of(features), Some(control))?;
        merge_fields(inputs, &arrangement, features, control, &mut writer)?;
        let stored = merge_stored(inputs, &arrangement, codec, &mut writer)?;
        bytes = writer.finish(merge_system(inputs, &arrangement, id, stored, sort))?;
    }
    let Arrangement { maps: doc_maps, max_doc, runs } = arrangement;
    Ok(MergeResult { doc_maps, runs: runs.unwrap_or_default(), max_doc, bytes })
}

fn merge_fields(
    inputs: &[MergeInput],
    arrangement: &Arrangement,
    features: Features,
    control: &MergeControl,
    writer: &mut SegmentWriter<'_>,
) -> Result<()> {
    let names: BTreeSet<&str> =
        inputs.iter().flat_map(|input| input.segment.fields()).map(|field| field.name()).collect();
    for name in names.into_iter().filter(|name| features.nested || *name != NESTED_PATH_FIELD) {
        let inputs = field_inputs(inputs, &arrangement.maps, name);
        if let Some(field) = field::merge_field(name, &inputs, arrangement, control)? {
            writer.add_field(field)?;
        }
    }
    Ok(())
}

/// Blocks stay whole: a child is kept where its root is.
fn keeps_children(inputs: &[MergeInput], maps: &[DocMap]) -> bool {
    let keeps_child = |(input, map): (&MergeInput, &DocMap)| {
        let is_child = |doc: &u32| input.segment.nested().is_some_and(|nested| !nested.roots().contains(*doc));
        input.segment.nested().is_some()
            && (0..input.segment.max_doc()).filter(is_child).any(|doc| map.new_doc(doc).is_some())
    };
    inputs.iter().zip(maps).any(keeps_child)
}

/// A live document has one of some fields.
fn keeps(inputs: &[MergeInput], maps: &[DocMap], is_meant: fn(&FieldReader) -> bool) -> bool {
    inputs.iter().zip(maps).any(|(input, map)| {
        let fields = input.segment.fields().iter().filter(|field| is_meant(field));
        fields.into_iter().any(|field| columns::has_live_document(field, input.segment.max_doc(), map))
    })
}

fn field_inputs<'a>(inputs: &'a [MergeInput], maps: &'a [DocMap], name: &str) -> Vec<FieldInput<'a>> {
    let pairs = inputs.iter().zip(maps);
    pairs.map(|(input, map)| FieldInput { segment: &input.segment, reader: input.segment.field(name), map }).collect()
}

/// Ids and numbers of operations, beside what is given.
fn merge_system(
    inputs: &[MergeInput],
    arrangement: &Arrangement,
    id: SegmentId,
    stored: StoredData,
    sort: Option<&IndexSort>,
) -> SystemSections {
    let numeric = |column: fn(&SegmentReader) -> &NumericColumn| {
        let columns: Vec<_> = inputs.iter().map(|input| Some(column(&input.segment))).collect();
        columns::merge_numeric(&columns, arrangement)
    };
    let ids: Vec<&Ids> = inputs.iter().map(|input| input.segment.ids()).collect();
    SystemSections {
        max_doc: arrangement.max_doc,
        ids: columns::merge_ids(&ids, arrangement, id.hash_key()),
        seq_nos: numeric(SegmentReader::seq_nos),
        versions: numeric(SegmentReader::versions),
        primary_terms: numeric(SegmentReader::primary_terms),
        stored,
        sort: sort.cloned(),
    }
}

/// Stored documents, whose blocks go to the file as they come: what is left of them.
fn merge_stored(
    inputs: &[MergeInput],
    arrangement: &Arrangement,
    codec: StoredCodec,
    writer: &mut SegmentWriter<'_>,
) -> Result<StoredData> {
    let mut stored = StoredWriter::new(codec)?;
    writer.start_stored_blocks()?;
    if arrangement.is_interleaved() {
        let mut scratches: Vec<StoredScratch> = inputs.iter().map(|_| StoredScratch::default()).collect();
        arrangement.each_document(|input, doc| {
            stored.add(inputs[input].segment.stored().get(doc, &mut scratches[input])?);
            stored.drain(|blocks| writer.write_stored_blocks(blocks))
        })?;
    } else {
        for (input, map) in inputs.iter().zip(&arrangement.maps) {
            let keep = |doc| map.new_doc(doc).is_some();
            stored.append(input.segment.stored(), keep, |blocks| writer.write_stored_blocks(blocks))?;
        }
    }
    let mut stored = stored.finish();
    writer.write_stored_blocks(&stored.blocks)?;
    stored.blocks = Vec::new();
    writer.end_stored_blocks();
    Ok(stored)
}
