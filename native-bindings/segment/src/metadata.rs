//! What a segment file says of itself, between its FlatBuffer (`segment.fbs`) and plain values.

use super::FieldKind;
use super::envelope;
use super::generated::segment as schema;
use super::id::SegmentId;
use super::index_sort::{IndexSort, MissingValue, SortField};
use super::reader::FieldStats;
use super::stored::StoredCodec;
use flatbuffers::{FlatBufferBuilder, ForwardsUOffset, Vector, WIPOffset};
use quarry_base::error::{Error, Result};
use quarry_postings::PostingsOptions;
use std::fmt;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldMetadata {
    pub name: String,
    pub kind: FieldKind,
    pub options: PostingsOptions,
    pub term_count: u32,
    pub stats: FieldStats,
}

/// What a section holds. The numbers are the schema's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    Dictionary = 0,
    Postings = 1,
    Positions = 2,
    Norms = 3,
    Numeric = 4,
    Ordinals = 5,
    Presence = 6,
    Weights = 7,
    RangeBeginnings = 8,
    RangeEnds = 9,
    RangeBeginningsLower = 10,
    RangeEndsLower = 11,
    Vectors = 12,
    VectorGraph = 13,
    Pairs = 14,
    Ids = 16,
    SeqNos = 17,
    Versions = 18,
    PrimaryTerms = 19,
    StoredBlocks = 20,
    StoredIndex = 21,
}

impl SectionKind {
    const ALL: [SectionKind; 21] = [
        SectionKind::Dictionary,
        SectionKind::Postings,
        SectionKind::Positions,
        SectionKind::Norms,
        SectionKind::Numeric,
        SectionKind::Ordinals,
        SectionKind::Presence,
        SectionKind::Weights,
        SectionKind::RangeBeginnings,
        SectionKind::RangeEnds,
        SectionKind::RangeBeginningsLower,
        SectionKind::RangeEndsLower,
        SectionKind::Vectors,
        SectionKind::VectorGraph,
        SectionKind::Pairs,
        SectionKind::Ids,
        SectionKind::SeqNos,
        SectionKind::Versions,
        SectionKind::PrimaryTerms,
        SectionKind::StoredBlocks,
        SectionKind::StoredIndex,
    ];

    fn from_code(code: schema::SectionKind) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == code.0)
    }

    /// Those that belong to fields.
    pub(super) fn of_fields() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| kind.belongs_to_field())
    }

    pub(super) fn belongs_to_field(self) -> bool {
        self < SectionKind::Ids
    }
}

impl fmt::Display for SectionKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            SectionKind::Dictionary => "dictionary",
            SectionKind::Postings => "postings",
            SectionKind::Positions => "positions",
            SectionKind::Norms => "norms",
            SectionKind::Numeric => "numeric column",
            SectionKind::Ordinals => "ordinal column",
            SectionKind::Presence => "presence",
            SectionKind::Weights => "weights",
            SectionKind::RangeBeginnings => "column of beginnings",
            SectionKind::RangeEnds => "column of ends",
            SectionKind::RangeBeginningsLower => "column of the lower halves of beginnings",
            SectionKind::RangeEndsLower => "column of the lower halves of ends",
            SectionKind::Vectors => "vectors",
            SectionKind::VectorGraph => "graph of vectors",
            SectionKind::Pairs => "pairs of frequent terms",
            SectionKind::Ids => "_id",
            SectionKind::SeqNos => "_seq_no",
            SectionKind::Versions => "_version",
            SectionKind::PrimaryTerms => "_primary_term",
            SectionKind::StoredBlocks => "stored documents",
            SectionKind::StoredIndex => "stored document index",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionEntry {
    pub kind: SectionKind,
    /// Place among the metadata's fields; `None`: of the segment.
    pub field: Option<usize>,
    pub range: Range<usize>,
    pub checksum: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Metadata {
    pub id: SegmentId,
    pub max_doc: u32,
    pub stored_codec: StoredCodec,
    /// Sorted by name.
    pub fields: Vec<FieldMetadata>,
    /// In the order of the file.
    pub sections: Vec<SectionEntry>,
    pub min_seq_no: i64,
    pub max_seq_no: i64,
    /// `None`: documents are as they came.
    pub sort: Option<IndexSort>,
}

impl Metadata {
    /// What its tables take.
    pub(super) fn heap_bytes(&self) -> usize {
        let names: usize = self.fields.iter().map(|field| field.name.len()).sum();
        size_of_val(&*self.fields) + size_of_val(&*self.sections) + names
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut builder = FlatBufferBuilder::new();
        let mut fields = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let arguments = schema::FieldArgs {
                name: Some(builder.create_string(&field.name)),
                kind: kind_code(field.kind),
                freqs: field.options.freqs,
                positions: field.options.positions,
                doc_count: field.stats.doc_count,
                term_count: field.term_count,
                sum_doc_freq: field.stats.sum_doc_freq,
                sum_total_term_freq: field.stats.sum_total_term_freq,
            };
            fields.push(schema::Field::create(&mut builder, &arguments));
        }
        let sort = self.sort.as_ref().map(|sort| encode_sort(&mut builder, sort));
        let sections: Vec<schema::Section> = self.sections.iter().map(section_code).collect();
        let arguments = schema::SegmentMetadataArgs {
            uuid: Some(builder.create_vector(&self.id.uuid)),
            number: self.id.number,
            max_doc: self.max_doc,
            stored_codec: match self.stored_codec {
                StoredCodec::Lz4 => schema::StoredCodec::Lz4,
                StoredCodec::Zstd => schema::StoredCodec::Zstd,
            },
            fields: Some(builder.create_vector(&fields)),
            sections: Some(builder.create_vector(&sections)),
            min_seq_no: self.min_seq_no,
            max_seq_no: self.max_seq_no,
            sort,
        };
        let root = schema::SegmentMetadata::create(&mut builder, &arguments);
        builder.finish(root, None);
        builder.finished_data().to_vec()
    }

    /// `bounds`: where sections may lie in the file.
    pub(super) fn decode(bytes: &[u8], bounds: &Range<usize>) -> Result<Self> {
        // The count of tables is bounded by the bytes; the depth of the schema is three.
        let options = flatbuffers::VerifierOptions { max_tables: bytes.len(), ..Default::default() };
        let root = flatbuffers::root_with_opts::<schema::SegmentMetadata<'_>>(&options, bytes)
            .map_err(|error| Error::corrupt(format!("metadata: {error}")))?;
        let fields = root.fields().iter().map(|field| decode_field(&field)).collect::<Result<Vec<_>>>()?;
        if !fields.is_sorted_by(|a, b| a.name < b.name) {
            return Err(Error::corrupt("metadata: fields are not sorted by name, or one comes twice"));
        }
        let sections = root
            .sections()
            .iter()
            .map(|section| decode_section(section, &fields, bounds))
            .collect::<Result<Vec<_>>>()?;
        if !sections.is_sorted_by(|a, b| a.range.end <= b.range.start) {
            return Err(Error::corrupt("metadata: sections overlap"));
        }
        Ok(Metadata {
            id: SegmentId { number: root.number(), uuid: envelope::uuid(root.uuid().bytes())? },
            max_doc: root.max_doc(),
            stored_codec: match root.stored_codec() {
                schema::StoredCodec::Lz4 => StoredCodec::Lz4,
                schema::StoredCodec::Zstd => StoredCodec::Zstd,
                other => return Err(Error::corrupt(format!("metadata: unknown stored codec {}", other.0))),
            },
            fields,
            sections,
            min_seq_no: root.min_seq_no(),
            max_seq_no: root.max_seq_no(),
            sort: root.sort().map(|sort| decode_sort(&sort)).transpose()?,
        })
    }

    /// How an error calls a section: `postings of field [title] at byte 4096`.
    pub(super) fn describe(&self, section: &SectionEntry) -> String {
        let start = section.range.start;
        match section.field.and_then(|field| self.fields.get(field)) {
            Some(field) => format!("{} of field [{}] at byte {start}", section.kind, field.name),
            None => format!("{} at byte {start}", section.kind),
        }
    }
}

fn kind_code(kind: FieldKind) -> schema::FieldKind {
    match kind {
        FieldKind::Text => schema::FieldKind::Text,
        FieldKind::Term => schema::FieldKind::Term,
        FieldKind::Number => schema::FieldKind::Number,
        FieldKind::Range => schema::FieldKind::Range,
        FieldKind::Vector => schema::FieldKind::Vector,
    }
}

fn encode_sort<'b>(
    builder: &mut FlatBufferBuilder<'b>,
    sort: &IndexSort,
) -> WIPOffset<Vector<'b, ForwardsUOffset<schema::SortField<'b>>>> {
    let mut fields = Vec::with_capacity(sort.fields().len());
    for field in sort.fields() {
        let (missing, missing_number) = match field.missing {
            MissingValue::Number(number) => (schema::MissingValue::Number, number),
            MissingValue::FirstTerm => (schema::MissingValue::FirstTerm, 0),
            MissingValue::LastTerm => (schema::MissingValue::LastTerm, 0),
        };
        let arguments = schema::SortFieldArgs {
            name: Some(builder.create_string(&field.name)),
            descending: field.descending,
            by_greatest: field.by_greatest,
            missing,
            missing_number,
        };
        fields.push(schema::SortField::create(builder, &arguments));
    }
    builder.create_vector(&fields)
}

fn decode_sort(sort: &Vector<'_, ForwardsUOffset<schema::SortField<'_>>>) -> Result<IndexSort> {
    let field = |field: schema::SortField<'_>| {
        Ok(SortField {
            name: field.name().to_owned(),
            descending: field.descending(),
            by_greatest: field.by_greatest(),
            missing: match field.missing() {
                schema::MissingValue::Number => MissingValue::Number(field.missing_number()),
                schema::MissingValue::FirstTerm => MissingValue::FirstTerm,
                schema::MissingValue::LastTerm => MissingValue::LastTerm,
                other => return Err(Error::corrupt(format!("metadata: unknown missing value {}", other.0))),
            },
        })
    };
    let fields = sort.iter().map(field).collect::<Result<Vec<_>>>()?;
    IndexSort::new(fields).ok_or_else(|| Error::corrupt("metadata: a sort without fields"))
}

fn section_code(section: &SectionEntry) -> schema::Section {
    schema::Section::new(
        section.range.start as u64,
        section.range.len() as u64,
        section.checksum,
        section.field.map_or(-1, |field| field as i32),
        schema::SectionKind(section.kind as u8),
    )
}

fn decode_field(field: &schema::Field<'_>) -> Result<FieldMetadata> {
    let kind = match field.kind() {
        schema::FieldKind::Text => FieldKind::Text,
        schema::FieldKind::Term => FieldKind::Term,
        schema::FieldKind::Number => FieldKind::Number,
        schema::FieldKind::Range => FieldKind::Range,
        schema::FieldKind::Vector => FieldKind::Vector,
        other => {
            return Err(Error::corrupt(format!("metadata: field [{}] has unknown kind {}", field.name(), other.0)));
        }
    };
    Ok(FieldMetadata {
        name: field.name().to_owned(),
        kind,
        options: PostingsOptions { freqs: field.freqs(), positions: field.positions() },
        term_count: field.term_count(),
        stats: FieldStats {
            doc_count: field.doc_count(),
            sum_doc_freq: field.sum_doc_freq(),
            sum_total_term_freq: field.sum_total_term_freq(),
        },
    })
}

fn decode_section(section: &schema::Section, fields: &[FieldMetadata], bounds: &Range<usize>) -> Result<SectionEntry> {
    let kind = SectionKind::from_code(section.kind());
    let kind = kind.ok_or_else(|| Error::corrupt(format!("metadata: unknown section kind {}", section.kind().0)))?;
    let field = usize::try_from(section.field()).ok();
    let known = match field {
        Some(field) => kind.belongs_to_field() && field < fields.len(),
        None => section.field() == -1 && !kind.belongs_to_field(),
    };
    if !known {
        return Err(Error::corrupt(format!("metadata: section [{kind}] names field {}", section.field())));
    }
    let start = usize::try_from(section.offset()).unwrap_or(usize::MAX);
    let end = start.saturating_add(usize::try_from(section.length()).unwrap_or(usize::MAX));
    if start < bounds.start || end > bounds.end {
        return Err(Error::corrupt(format!("metadata: section [{kind}] at byte {start} leaves the file")));
    }
    Ok(SectionEntry { kind, field, range: start..end, checksum: section.crc32c() })
}
