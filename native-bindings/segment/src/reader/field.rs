//! One field of an open segment: its sections, opened and held against each other.

use super::FieldStats;
use crate::FieldKind;
use crate::column::numeric::NumericColumn;
use crate::column::ordinal::{OrdinalColumn, OrdinalColumnData};
use crate::column::presence::Presence;
use crate::column::range::RangeColumns;
use crate::completion::weights::Weights;
use crate::metadata::{FieldMetadata, SectionKind};
use crate::vectors::column::VectorColumn;
use crate::writer::FieldSections;
use quarry_base::error::{Error, Result};
use quarry_blocks::reading::raise;
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WindowBits, window_count};
use quarry_postings::{FieldPostingsReader, PostingsOptions};
use std::sync::OnceLock;

/// One field of one segment.
#[derive(Debug)]
pub struct FieldReader {
    metadata: FieldMetadata,
    opened: OnceLock<Opened>,
    /// Opens the sections when somebody asks for the first time; `None`: they are open.
    later: Option<Later>,
    /// It has weights.
    is_completion: bool,
    /// Of its sections.
    bytes: usize,
}

type Opening = dyn Fn(&FieldMetadata) -> Result<Opened> + Send + Sync;

struct Later(Box<Opening>);

impl std::fmt::Debug for Later {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Later")
    }
}

/// The sections.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    postings: Option<FieldPostingsReader>,
    norms: Option<SharedBytes>,
    numeric: Option<NumericColumn>,
    ordinals: Option<OrdinalColumn>,
    presence: Option<Presence>,
    ranges: Option<RangeColumns>,
    vectors: Option<VectorColumn>,
    weights: Option<Weights>,
}

/// Gives the bytes of a section of the field, and names a section in an error.
pub(crate) trait FieldSource {
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

impl Opened {
    pub(crate) fn open(metadata: &FieldMetadata, source: &impl FieldSource, max_doc: u32) -> Result<Self> {
        let postings = open_postings(metadata, source, max_doc)?;
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
        let ranges = open_ranges(metadata, source, max_doc)?;
        let vectors = open_vectors(metadata, source, max_doc)?;
        Ok(Opened { postings, norms, numeric, ordinals, presence, weights, ranges, vectors })
    }

    /// What they take outside of the file.
    fn heap_bytes(&self) -> usize {
        let columns = [
            self.numeric.as_ref().map(NumericColumn::heap_bytes),
            self.ordinals.as_ref().map(OrdinalColumn::heap_bytes),
            self.presence.as_ref().map(Presence::heap_bytes),
            self.ranges.as_ref().map(RangeColumns::heap_bytes),
            self.weights.as_ref().map(Weights::heap_bytes),
        ];
        columns.into_iter().flatten().sum()
    }
}

impl FieldReader {
    /// What it takes outside of its file, itself included; of sections that nobody asked for so far nothing.
    pub(crate) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.name().len() + self.opened.get().map_or(0, Opened::heap_bytes)
    }

    pub(crate) fn open(metadata: FieldMetadata, source: &impl FieldSource, max_doc: u32) -> Result<Self> {
        let opened = Opened::open(&metadata, source, max_doc)?;
        let is_completion = opened.weights.is_some();
        Ok(FieldReader { metadata, opened: opened.into(), later: None, is_completion, bytes: bytes_of(source) })
    }

    /// Its sections are opened by `open` when they are asked for, so that those which nobody asks for are not read.
    pub(crate) fn later(
        metadata: FieldMetadata,
        source: &impl FieldSource,
        open: impl Fn(&FieldMetadata) -> Result<Opened> + Send + Sync + 'static,
    ) -> Self {
        let is_completion = source.bytes(SectionKind::Weights).is_some();
        let (opened, later) = (OnceLock::new(), Some(Later(Box::new(open))));
        FieldReader { metadata, opened, later, is_completion, bytes: bytes_of(source) }
    }

    #[inline]
    fn opened(&self) -> &Opened {
        match self.opened.get() {
            Some(opened) => opened,
            None => self.open_now(),
        }
    }

    #[cold]
    fn open_now(&self) -> &Opened {
        let opened = match self.later.as_ref().map(|later| later.0(&self.metadata)) {
            Some(Ok(opened)) => opened,
            Some(Err(error)) => raise(error),
            None => Opened::default(),
        };
        // Not in there: it may wait for a worker, which would wait here.
        self.opened.get_or_init(|| opened)
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
    pub(crate) fn of_column(name: &str, column: NumericColumn) -> Self {
        let stats = FieldStats { doc_count: column.doc_count(), ..FieldStats::default() };
        let options = PostingsOptions { freqs: false, positions: false };
        FieldReader {
            metadata: FieldMetadata { name: name.to_owned(), kind: FieldKind::Number, options, term_count: 0, stats },
            opened: Opened { numeric: Some(column), ..Opened::default() }.into(),
            later: None,
            is_completion: false,
            bytes: 0,
        }
    }

    /// The same field with a column of its terms by document.
    pub fn with_ordinals(&self, ordinals: OrdinalColumnData, max_doc: u32) -> Result<Self> {
        let own = self.opened();
        let postings = own.postings.clone();
        let terms = postings.as_ref().map_or(0, FieldPostingsReader::term_count);
        let opened = Opened {
            postings,
            norms: own.norms.clone(),
            ordinals: Some(OrdinalColumn::open(ordinals.bytes.into(), max_doc, terms)?),
            presence: own.presence.clone(),
            ..Opened::default()
        };
        let metadata = self.metadata.clone();
        Ok(FieldReader { metadata, opened: opened.into(), later: None, is_completion: false, bytes: self.bytes })
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
        self.opened().postings.as_ref()
    }

    /// One byte per document, padded with zeros to whole windows.
    #[inline]
    pub fn norms(&self) -> Option<&[u8]> {
        self.opened().norms.as_deref()
    }

    #[inline]
    pub fn numeric(&self) -> Option<&NumericColumn> {
        self.opened().numeric.as_ref()
    }

    #[inline]
    pub fn ordinals(&self) -> Option<&OrdinalColumn> {
        self.opened().ordinals.as_ref()
    }

    /// Which documents have the field, where no column says so.
    #[inline]
    pub fn presence(&self) -> Option<&Presence> {
        self.opened().presence.as_ref()
    }

    /// Of the terms, by ordinal: completion fields only.
    #[inline]
    pub fn weights(&self) -> Option<&Weights> {
        self.opened().weights.as_ref()
    }

    /// Whether it has weights; nothing is read for it.
    #[inline]
    pub fn is_completion(&self) -> bool {
        self.is_completion
    }

    /// Bytes of all sections.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Of fields of kind [`FieldKind::Range`].
    #[inline]
    pub fn ranges(&self) -> Option<&RangeColumns> {
        self.opened().ranges.as_ref()
    }

    /// Of fields of kind [`FieldKind::Vector`].
    #[inline]
    pub fn vectors(&self) -> Option<&VectorColumn> {
        self.opened().vectors.as_ref()
    }

    /// Sets the bit of every document of the window that has the field.
    pub fn has_value(&self, window: u32, bits: &mut WindowBits) {
        let opened = self.opened();
        if let Some(presence) = &opened.presence {
            presence.has_value(window, bits);
        } else if let Some(numeric) = &opened.numeric {
            numeric.has_value(window, bits);
        } else if let Some(ordinals) = &opened.ordinals {
            ordinals.has_value(window, bits);
        } else if let Some(ranges) = &opened.ranges {
            ranges.has_value(window, bits);
        } else if let Some(vectors) = &opened.vectors {
            vectors.has_value(window, bits);
        }
    }
}

fn bytes_of(source: &impl FieldSource) -> usize {
    SectionKind::of_fields().filter_map(|kind| source.bytes(kind)).map(|bytes| bytes.len()).sum()
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
