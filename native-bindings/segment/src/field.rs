//! One field of an open segment: its sections, opened and held against each other.

use super::FieldKind;
use super::column::numeric::NumericColumn;
use super::column::ordinal::{OrdinalColumn, OrdinalColumnData};
use super::column::presence::Presence;
use super::column::range::RangeColumns;
use super::metadata::{FieldMetadata, SectionKind};
use super::reader::FieldStats;
use super::vectors::column::VectorColumn;
use super::writer::FieldSections;
use crate::completion::weights::Weights;
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WindowBits, window_count};
use quarry_postings::{FieldPostingsReader, PostingsOptions};

/// One field of one segment.
#[derive(Debug)]
pub struct FieldReader {
    metadata: FieldMetadata,
    postings: Option<FieldPostingsReader>,
    norms: Option<SharedBytes>,
    numeric: Option<NumericColumn>,
    ordinals: Option<OrdinalColumn>,
    presence: Option<Presence>,
    ranges: Option<RangeColumns>,
    vectors: Option<VectorColumn>,
    weights: Option<Weights>,
    /// Of its sections.
    bytes: usize,
}

/// Gives the bytes of a section of the field, and names a section in an error.
pub(super) trait FieldSource {
    fn bytes(&self, kind: SectionKind) -> Option<SharedBytes>;
    fn damage(&self, kind: SectionKind, error: Error) -> Error;
}

struct InMemory(Vec<(SectionKind, SharedBytes)>);

impl FieldSource for InMemory {
    fn bytes(&self, kind: SectionKind) -> Option<SharedBytes> {
        self.0.iter().find(|(known, _)| *known == kind).map(|(_, bytes)| bytes.clone())
    }

    fn damage(&self, _kind: SectionKind, error: Error) -> Error {
        Error::internal(format!("a computed column cannot be opened: {}", error.reason))
    }
}

impl FieldReader {
    /// What it takes outside of its file, itself included.
    pub(super) fn heap_bytes(&self) -> usize {
        let columns = [
            self.numeric.as_ref().map(NumericColumn::heap_bytes),
            self.ordinals.as_ref().map(OrdinalColumn::heap_bytes),
            self.presence.as_ref().map(Presence::heap_bytes),
            self.ranges.as_ref().map(RangeColumns::heap_bytes),
            self.weights.as_ref().map(Weights::heap_bytes),
        ];
        size_of::<Self>() + self.name().len() + columns.into_iter().flatten().sum::<usize>()
    }

    pub(super) fn open(metadata: FieldMetadata, source: &impl FieldSource, max_doc: u32) -> Result<Self> {
        let postings = open_postings(&metadata, source, max_doc)?;
        let norms = source.bytes(SectionKind::Norms);
        if norms.as_ref().is_some_and(|norms| norms.len() != window_count(max_doc) as usize * WINDOW) {
            let error = Error::corrupt("is not one byte for each document, padded to whole windows");
            return Err(source.damage(SectionKind::Norms, error));
        }
        let numeric = open_with(source, SectionKind::Numeric, |bytes| NumericColumn::open(bytes, max_doc))?;
        let ordinals = open_with(source, SectionKind::Ordinals, |bytes| {
            let terms = postings.as_ref().ok_or_else(|| Error::corrupt("there is no dictionary to the ordinals"))?;
            OrdinalColumn::open(bytes, max_doc, terms.term_count())
        })?;
        let presence = open_with(source, SectionKind::Presence, |bytes| Presence::open(bytes, max_doc))?;
        let weights = open_with(source, SectionKind::Weights, |bytes| Weights::open(bytes, metadata.term_count))?;
        let bytes = SectionKind::of_fields().filter_map(|kind| source.bytes(kind)).map(|bytes| bytes.len()).sum();
        let ranges = open_ranges(&metadata, source, max_doc)?;
        let vectors = open_vectors(&metadata, source, max_doc)?;
        Ok(FieldReader { metadata, postings, norms, numeric, ordinals, presence, weights, ranges, vectors, bytes })
    }

    /// A field that no file holds: its sections stay in memory.
    pub fn in_memory(field: FieldSections, max_doc: u32) -> Result<Self> {
        let postings = field.postings.unwrap_or_default();
        let metadata = FieldMetadata {
            name: field.name,
            kind: field.kind,
            options: field.options,
            term_count: postings.term_count,
            stats: FieldStats {
                doc_count: field.doc_count,
                sum_doc_freq: postings.sum_doc_freq,
                sum_total_term_freq: postings.sum_total_term_freq,
            },
        };
        let mut sections = Vec::new();
        if !postings.dictionary.is_empty() {
            sections.push((SectionKind::Dictionary, postings.dictionary));
            sections.push((SectionKind::Postings, postings.postings));
            sections.push((SectionKind::Positions, postings.positions));
            sections.extend(postings.pairs.map(|pairs| (SectionKind::Pairs, pairs)));
        }
        sections.extend(field.numeric.map(|numeric| (SectionKind::Numeric, numeric.bytes.into())));
        sections.extend(field.ordinals.map(|ordinals| (SectionKind::Ordinals, ordinals.bytes.into())));
        sections.extend(field.presence.map(|presence| (SectionKind::Presence, presence.bytes.into())));
        Self::open(metadata, &InMemory(sections), max_doc)
    }

    /// A column that is the segment's own, as a field.
    pub(super) fn of_column(name: &str, column: NumericColumn) -> Self {
        let stats = FieldStats { doc_count: column.doc_count(), ..FieldStats::default() };
        let options = PostingsOptions { freqs: false, positions: false };
        FieldReader {
            metadata: FieldMetadata { name: name.to_owned(), kind: FieldKind::Number, options, term_count: 0, stats },
            postings: None,
            norms: None,
            numeric: Some(column),
            ordinals: None,
            presence: None,
            ranges: None,
            vectors: None,
            weights: None,
            bytes: 0,
        }
    }

    /// The same field with a column of its terms by document.
    pub fn with_ordinals(&self, ordinals: OrdinalColumnData, max_doc: u32) -> Result<Self> {
        let postings = self.postings.clone();
        let terms = postings.as_ref().map_or(0, FieldPostingsReader::term_count);
        Ok(FieldReader {
            metadata: self.metadata.clone(),
            postings,
            norms: self.norms.clone(),
            numeric: None,
            ordinals: Some(OrdinalColumn::open(ordinals.bytes.into(), max_doc, terms)?),
            presence: self.presence.clone(),
            weights: None,
            ranges: None,
            vectors: None,
            bytes: self.bytes,
        })
    }

    #[inline]
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    #[inline]
    pub fn kind(&self) -> FieldKind {
        self.metadata.kind
    }

    #[inline]
    pub fn options(&self) -> PostingsOptions {
        self.metadata.options
    }

    #[inline]
    pub fn stats(&self) -> FieldStats {
        self.metadata.stats
    }

    #[inline]
    pub fn postings(&self) -> Option<&FieldPostingsReader> {
        self.postings.as_ref()
    }

    /// One byte per document, padded with zeros to whole windows.
    #[inline]
    pub fn norms(&self) -> Option<&[u8]> {
        self.norms.as_deref()
    }

    #[inline]
    pub fn numeric(&self) -> Option<&NumericColumn> {
        self.numeric.as_ref()
    }

    #[inline]
    pub fn ordinals(&self) -> Option<&OrdinalColumn> {
        self.ordinals.as_ref()
    }

    /// Which documents have the field, where no column says so.
    #[inline]
    pub fn presence(&self) -> Option<&Presence> {
        self.presence.as_ref()
    }

    /// Of the terms, by ordinal: completion fields only.
    #[inline]
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Bytes of all sections.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Of fields of kind [`FieldKind::Range`].
    #[inline]
    pub fn ranges(&self) -> Option<&RangeColumns> {
        self.ranges.as_ref()
    }

    /// Of fields of kind [`FieldKind::Vector`].
    #[inline]
    pub fn vectors(&self) -> Option<&VectorColumn> {
        self.vectors.as_ref()
    }

    /// Sets the bit of every document of the window that has the field.
    pub fn has_value(&self, window: u32, bits: &mut WindowBits) {
        if let Some(presence) = &self.presence {
            presence.has_value(window, bits);
        } else if let Some(numeric) = &self.numeric {
            numeric.has_value(window, bits);
        } else if let Some(ordinals) = &self.ordinals {
            ordinals.has_value(window, bits);
        } else if let Some(ranges) = &self.ranges {
            ranges.has_value(window, bits);
        } else if let Some(vectors) = &self.vectors {
            vectors.has_value(window, bits);
        }
    }
}

fn open_postings(
    metadata: &FieldMetadata,
    source: &impl FieldSource,
    max_doc: u32,
) -> Result<Option<FieldPostingsReader>> {
    let Some(dictionary) = source.bytes(SectionKind::Dictionary) else {
        if metadata.term_count > 0 {
            let error = Error::corrupt(format!("is missing, but the field has {} terms", metadata.term_count));
            return Err(source.damage(SectionKind::Dictionary, error));
        }
        return Ok(None);
    };
    let section = |kind| {
        source.bytes(kind).ok_or_else(|| source.damage(kind, Error::corrupt("is missing, but there is a dictionary")))
    };
    let (postings, positions) = (section(SectionKind::Postings)?, section(SectionKind::Positions)?);
    let reader = FieldPostingsReader::open(dictionary, postings, positions, max_doc, metadata.options)
        .map_err(|error| source.damage(SectionKind::Dictionary, error))?;
    if reader.term_count() != metadata.term_count {
        let error = Error::corrupt(format!("has {} terms, not {}", reader.term_count(), metadata.term_count));
        return Err(source.damage(SectionKind::Dictionary, error));
    }
    match source.bytes(SectionKind::Pairs) {
        Some(pairs) => reader.with_pairs(&pairs).map(Some).map_err(|error| source.damage(SectionKind::Pairs, error)),
        None => Ok(Some(reader)),
    }
}

fn open_ranges(metadata: &FieldMetadata, source: &impl FieldSource, max_doc: u32) -> Result<Option<RangeColumns>> {
    let beginnings = source.bytes(SectionKind::RangeBeginnings);
    if beginnings.is_some() != (metadata.kind == FieldKind::Range) {
        let error = Error::corrupt("is missing of a field of ranges, or belongs to another field");
        return Err(source.damage(SectionKind::RangeBeginnings, error));
    }
    let Some(beginnings) = beginnings else { return Ok(None) };
    let needed = |kind| source.bytes(kind).ok_or_else(|| source.damage(kind, Error::corrupt("is missing")));
    let lower = match source.bytes(SectionKind::RangeBeginningsLower) {
        Some(lower) => Some((lower, needed(SectionKind::RangeEndsLower)?)),
        None => None,
    };
    let columns = RangeColumns::open((beginnings, needed(SectionKind::RangeEnds)?), lower, max_doc);
    columns.map(Some).map_err(|error| source.damage(SectionKind::RangeBeginnings, error))
}

fn open_vectors(metadata: &FieldMetadata, source: &impl FieldSource, max_doc: u32) -> Result<Option<VectorColumn>> {
    let column = open_with(source, SectionKind::Vectors, |bytes| VectorColumn::open(bytes, max_doc))?;
    if column.is_some() != (metadata.kind == FieldKind::Vector) {
        let error = Error::corrupt("is missing of a field of vectors, or belongs to another field");
        return Err(source.damage(SectionKind::Vectors, error));
    }
    match (column, source.bytes(SectionKind::VectorGraph)) {
        (Some(column), Some(graph)) => {
            let whole = column.with_graph(graph);
            whole.map(Some).map_err(|error| source.damage(SectionKind::VectorGraph, error))
        }
        (column, _) => Ok(column),
    }
}

fn open_with<T>(
    source: &impl FieldSource,
    kind: SectionKind,
    open: impl FnOnce(SharedBytes) -> Result<T>,
) -> Result<Option<T>> {
    let opened = source.bytes(kind).map(open).transpose();
    opened.map_err(|error| source.damage(kind, error))
}
