//! Merges vectors: those of documents that stay, and into the largest graph that loses none the others.

use super::doc_map::DocMap;
use super::{FieldInput, MergeControl};
use crate::vectors::VectorFormat;
use crate::vectors::column::VectorColumn;
use crate::vectors::data::{VectorRows, VectorsData};
use quarry_base::error::{Error, Result};
use quarry_vectors::graph::build::Base;

/// Where a vector of the merged segment comes from.
struct Source {
    new_doc: u32,
    column: u32,
    ordinal: u32,
}

/// Errors: the inputs hold vectors that cannot be compared with each other; the merge was cancelled.
pub(super) fn merge_vectors(name: &str, inputs: &[FieldInput<'_>], control: &MergeControl) -> Result<VectorsData> {
    let of_input = |input: &FieldInput<'_>| input.reader.and_then(|reader| reader.vectors()).cloned();
    let (columns, maps): (Vec<VectorColumn>, Vec<&DocMap>) =
        inputs.iter().filter_map(|input| Some((of_input(input)?, input.map))).unzip();
    let mixed = || Error::corrupt(format!("field [{name}] has vectors of different kinds in segments to merge"));
    let format = newest_format(inputs).ok_or_else(mixed)?;
    if !columns.iter().all(|column| column.format().is_like(&format)) {
        return Err(mixed());
    }
    let mut sources = Vec::new();
    for ((column, map), number) in columns.iter().zip(&maps).zip(0..) {
        let staying = column.docs().iter().zip(0..).filter_map(|(&doc, ordinal)| Some((map.new_doc(doc)?, ordinal)));
        sources.extend(staying.map(|(new_doc, ordinal)| Source { new_doc, column: number, ordinal }));
    }
    // Documents may come in another order than their segments.
    sources.sort_unstable_by_key(|source| source.new_doc);
    let docs = sources.iter().map(|source| source.new_doc).collect();
    let lengths = if format.has_lengths() {
        sources.iter().map(|source| columns[source.column as usize].length(source.ordinal)).collect()
    } else {
        Vec::new()
    };
    let base = largest_whole(&columns, &sources);
    let ordinals = base.map(|base| new_ordinals(base, &columns, &sources)).unwrap_or_default();
    let base_column = base.map(|base| columns[base].clone());
    let base = base_column.as_ref().and_then(|column| Some(Base { graph: column.graph()?, ordinals: &ordinals }));
    let places = sources.iter().map(|source| (source.column, source.ordinal)).collect();
    let interrupt = || control.check_cancelled();
    VectorsData::new(format, VectorRows::Merged { columns, places }, docs, lengths, base, &interrupt)
}

/// What the mapping says now is what the segment with the newest operation was written by, wherever it stands among the others.
fn newest_format(inputs: &[FieldInput<'_>]) -> Option<VectorFormat> {
    let formats = inputs.iter().filter_map(|input| {
        let column = input.reader?.vectors()?;
        let newest = input.segment.seq_nos().range().map(|(_, newest)| newest);
        Some((newest, *column.format()))
    });
    formats.max_by_key(|(newest, _)| *newest).map(|(_, format)| format)
}

/// The column with the largest graph of those whose vectors all stay.
fn largest_whole(columns: &[VectorColumn], sources: &[Source]) -> Option<usize> {
    let mut staying = vec![0u32; columns.len()];
    sources.iter().for_each(|source| staying[source.column as usize] += 1);
    let whole = (0..columns.len()).filter(|&at| columns[at].graph().is_some() && staying[at] == columns[at].count());
    whole.max_by_key(|&at| columns[at].count())
}

/// The new number of each vector of a column.
fn new_ordinals(base: usize, columns: &[VectorColumn], sources: &[Source]) -> Vec<u32> {
    let mut ordinals = vec![0; columns[base].count() as usize];
    for (source, new) in sources.iter().zip(0..) {
        if source.column as usize == base {
            ordinals[source.ordinal as usize] = new;
        }
    }
    ordinals
}
