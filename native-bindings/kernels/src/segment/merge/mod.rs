//! Several segments and their deletions to one segment.
//!
//! Field by field: terms in a k-way merge, postings and positions decoded and written anew, columns window by window,
//! ordinals renumbered by the terms' new places. Stored blocks are copied as they are where nothing is deleted. Memory: the
//! inverted index of the largest field, ids, and four bytes for each document of an input with deletions.

mod columns;
mod doc_map;
mod field;
mod terms;
#[cfg(test)]
mod tests;

pub use self::doc_map::DocMap;
use super::id::SegmentId;
use super::live_docs::LiveDocs;
use super::nested::NESTED_PATH_FIELD;
use super::reader::{FieldReader, SegmentReader};
use super::stored::{StoredCodec, StoredWriter};
pub use super::throttle::MergeControl;
use super::writer::{Format, SegmentWriter, SystemSections};
use crate::error::Result;
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

/// Writes the live documents of `inputs`, one input after another, as segment `id` to `path` (not fsynced). The inputs'
/// checksums are verified first. Documents deleted meanwhile are the caller's: `DocMap` says where they went. With no live
/// document at all nothing is written and `max_doc` is 0.
pub fn merge(
    inputs: &[MergeInput],
    path: &Path,
    id: SegmentId,
    codec: StoredCodec,
    control: &MergeControl,
) -> Result<MergeResult> {
    let (doc_maps, max_doc) = doc_map::doc_maps(inputs)?;
    control.input_bytes.store(inputs.iter().map(|input| input.segment.bytes()).sum(), Ordering::Relaxed);
    for input in inputs {
        control.check_cancelled()?;
        input.segment.verify_checksums()?;
    }
    if max_doc == 0 {
        return Ok(MergeResult { doc_maps, max_doc, bytes: 0 });
    }
    let has_children = keeps_children(inputs, &doc_maps);
    let format = Format::of(has_children, keeps_ranges(inputs, &doc_maps));
    let mut writer = SegmentWriter::create_paced(path, id, format, Some(control))?;
    let names: BTreeSet<&str> =
        inputs.iter().flat_map(|input| input.segment.fields()).map(|field| field.name()).collect();
    for name in names.into_iter().filter(|name| has_children || *name != NESTED_PATH_FIELD) {
        if let Some(field) = field::merge_field(name, &field_inputs(inputs, &doc_maps, name), max_doc, control)? {
            writer.add_field(field)?;
        }
    }
    let system = merge_system(inputs, &doc_maps, max_doc, id, codec, &mut writer)?;
    let bytes = writer.finish(system)?;
    Ok(MergeResult { doc_maps, max_doc, bytes })
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

/// A live document has a range.
fn keeps_ranges(inputs: &[MergeInput], maps: &[DocMap]) -> bool {
    inputs.iter().zip(maps).any(|(input, map)| {
        let fields = input.segment.fields().iter().filter(|field| field.ranges().is_some());
        fields.into_iter().any(|field| columns::has_live_document(field, input.segment.max_doc(), map))
    })
}

fn field_inputs<'a>(inputs: &'a [MergeInput], maps: &'a [DocMap], name: &str) -> Vec<FieldInput<'a>> {
    let pairs = inputs.iter().zip(maps);
    pairs.map(|(input, map)| FieldInput { segment: &input.segment, reader: input.segment.field(name), map }).collect()
}

/// Ids, numbers of operations and stored documents; the blocks of the latter go to the file as they come.
fn merge_system(
    inputs: &[MergeInput],
    maps: &[DocMap],
    max_doc: u32,
    id: SegmentId,
    codec: StoredCodec,
    writer: &mut SegmentWriter<'_>,
) -> Result<SystemSections> {
    let mut stored = StoredWriter::new(codec)?;
    writer.start_stored_blocks()?;
    for (input, map) in inputs.iter().zip(maps) {
        let keep = |doc| map.new_doc(doc).is_some();
        stored.append(input.segment.stored(), keep, |blocks| writer.write_stored_blocks(blocks))?;
    }
    let mut stored = stored.finish();
    writer.write_stored_blocks(&stored.blocks)?;
    stored.blocks = Vec::new();
    writer.end_stored_blocks();
    let numeric = |column: fn(&SegmentReader) -> &super::column::numeric::NumericColumn| {
        columns::merge_numeric(inputs.iter().zip(maps).map(|(input, map)| (Some(column(&input.segment)), map)), max_doc)
    };
    let ids = inputs.iter().zip(maps).map(|(input, map)| (input.segment.ids(), input.segment.max_doc(), map));
    Ok(SystemSections {
        max_doc,
        ids: columns::merge_ids(ids, id.hash_key()),
        seq_nos: numeric(SegmentReader::seq_nos),
        versions: numeric(SegmentReader::versions),
        primary_terms: numeric(SegmentReader::primary_terms),
        stored,
    })
}
