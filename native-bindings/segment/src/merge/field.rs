//! Merges one field.

use super::arrangement::Arrangement;
use super::columns;
use super::terms::{self, MergedTerms};
use super::vectors::merge_vectors;
use super::{FieldInput, MergeControl};
use crate::FieldKind;
use crate::completion::weights::WeightsData;
use crate::reader::FieldReader;
use crate::writer::FieldSections;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::norm;
use quarry_postings::{PostingsOptions, ScoreModel};

/// `None` when no live document has the field.
pub(super) fn merge_field(
    name: &str,
    inputs: &[FieldInput<'_>],
    arrangement: &Arrangement,
    control: &MergeControl,
) -> Result<Option<FieldSections>> {
    let Some(kind) = common_kind(name, inputs)? else { return Ok(None) };
    let options = common_options(inputs);
    let all = |has: fn(&FieldReader) -> bool| readers(inputs).all(has);
    // Norms may be switched off for a field that has them: the first merge with such a segment drops them.
    let norms = all(|reader| reader.norms().is_some()).then(|| columns::merge_norms(inputs, arrangement));
    let merged_terms = if readers(inputs).any(|reader| reader.postings().is_some()) {
        let average_length = average_length(inputs);
        let model = norms.as_deref().map(|norms| ScoreModel { norms, average_length });
        Some(terms::merge_terms(inputs, arrangement, options, model, control)?)
    } else {
        None
    };
    let numeric = all(|reader| reader.numeric().is_some()).then(|| {
        let source: Vec<_> = inputs.iter().map(|input| input.reader.and_then(FieldReader::numeric)).collect();
        columns::merge_numeric(&source, arrangement)
    });
    let with_ordinals = merged_terms.as_ref().filter(|_| all(|reader| reader.ordinals().is_some()));
    let ordinals = with_ordinals.map(|terms| columns::merge_ordinals(inputs, &terms.ordinals, arrangement));
    let ranges = (kind == FieldKind::Range).then(|| {
        let mixed = || Error::corrupt(format!("field [{name}] has ranges of different types in segments to merge"));
        columns::merge_ranges(inputs, arrangement).ok_or_else(mixed)
    });
    let ranges = ranges.transpose()?;
    let vectors = (kind == FieldKind::Vector).then(|| merge_vectors(name, inputs, control)).transpose()?;
    let has_column = numeric.is_some() || ordinals.is_some() || ranges.is_some() || vectors.is_some();
    let presence = (!has_column).then(|| columns::merge_presence(inputs, arrangement));
    let doc_count = match (&numeric, &ranges, &vectors) {
        (Some(numeric), ..) => numeric.doc_count(),
        (_, Some(ranges), _) => ranges.doc_count(),
        (.., Some(vectors)) => vectors.doc_count(),
        (None, None, None) => merged_doc_count(inputs, merged_terms.as_ref()),
    };
    let present = presence.as_ref().map_or(doc_count, |presence| presence.doc_count());
    if present == 0 && doc_count == 0 {
        return Ok(None);
    }
    let postings = merged_terms.map(|terms| terms.postings);
    let weighted = postings.as_ref().filter(|_| all(|reader| reader.weights().is_some()));
    let weights = weighted.map(|postings| WeightsData::of_terms(postings, arrangement.max_doc)).transpose()?;
    let name = name.to_owned();
    Ok(Some(FieldSections {
        name,
        kind,
        options,
        doc_count,
        postings,
        norms,
        numeric,
        ordinals,
        presence,
        weights,
        ranges,
        vectors,
    }))
}

fn readers<'a>(inputs: &'a [FieldInput<'a>]) -> impl Iterator<Item = &'a FieldReader> + 'a {
    inputs.iter().filter_map(|input| input.reader)
}

fn common_kind(name: &str, inputs: &[FieldInput<'_>]) -> Result<Option<FieldKind>> {
    let mut kinds = readers(inputs).map(FieldReader::kind);
    let Some(first) = kinds.next() else { return Ok(None) };
    if kinds.any(|kind| kind != first) {
        return Err(Error::new(
            ErrorCode::Internal,
            format!("field [{name}] has different kinds in segments to merge"),
        ));
    }
    Ok(Some(first))
}

/// What all inputs record.
fn common_options(inputs: &[FieldInput<'_>]) -> PostingsOptions {
    let mut options = PostingsOptions { freqs: true, positions: true };
    for reader in readers(inputs) {
        options.freqs &= reader.options().freqs;
        options.positions &= reader.options().positions;
    }
    options
}

/// Documents with at least one term.
fn merged_doc_count(inputs: &[FieldInput<'_>], terms: Option<&MergedTerms>) -> u32 {
    let counted = terms.and_then(|terms| terms.doc_count);
    counted.unwrap_or_else(|| readers(inputs).map(|reader| reader.stats().doc_count).sum())
}

/// The field's average length, for the stored bounds of scores. Exact when nothing is deleted; else the lengths of deleted
/// documents are taken from their norms (exact below 40). Readers scale bounds by the average that is stored with them.
fn average_length(inputs: &[FieldInput<'_>]) -> f32 {
    let (mut tokens, mut documents) = (0u64, 0u64);
    for input in inputs {
        let Some(reader) = input.reader else { continue };
        let stats = reader.stats();
        tokens += stats.sum_total_term_freq;
        documents += u64::from(stats.doc_count);
        let Some(norms) = reader.norms().filter(|_| input.map.has_deletions()) else { continue };
        for (&code, doc) in norms.iter().zip(0..input.segment.max_doc()) {
            if code > 0 && input.map.new_doc(doc).is_none() {
                tokens = tokens.saturating_sub(u64::from(norm::decode(code)));
                documents = documents.saturating_sub(1);
            }
        }
    }
    if tokens == 0 || documents == 0 { 1.0 } else { (tokens as f64 / documents as f64) as f32 }
}
