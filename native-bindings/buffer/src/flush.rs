//! The buffer's documents as one segment file.

use super::field::{FieldBuffer, Values};
use super::invert::{Occurrences, TermLists};
use super::term::TermField;
use super::text::TextField;
use super::{DocumentOrder, FlushSummary, IndexBuffer, Records};
use quarry_base::error::{Error, Result};
use quarry_codec::norm;
use quarry_mapping::spec::{FieldSpec, FieldType, IndexOptions};
use quarry_postings::{FieldPostings, FieldPostingsWriter, PostingsOptions, ScoreModel, TermPostings};
use quarry_segment::column::numeric::{NumericColumnData, NumericColumnWriter};
use quarry_segment::column::ordinal::OrdinalColumnWriter;
use quarry_segment::column::presence::PresenceData;
use quarry_segment::completion::weights::WeightsData;
use quarry_segment::id::SegmentId;
use quarry_segment::ids::IdsWriter;
use quarry_segment::nested::NESTED_PATH_FIELD;
use quarry_segment::stored::StoredWriter;
use quarry_segment::writer::{Features, FieldSections, Format, SegmentWriter, SystemSections};
use quarry_segment::{FieldKind, IGNORED_FIELD, ROUTING_FIELD, STORED_ONLY_FIELD};
use std::path::Path;
use std::sync::Arc;

/// Memory that flushes use and keep.
#[derive(Debug, Default)]
pub struct FlushScratch {
    occurrences: Occurrences,
    lists: TermLists,
}

const KEYWORD_OPTIONS: PostingsOptions = PostingsOptions { freqs: false, positions: false };

impl IndexBuffer {
    /// Writes all documents as one segment to `path` (not synced, see `segment::writer::sync_segment`) and empties the
    /// buffer. `None` when there are no documents. After an error the buffer is empty as well: the documents are in the
    /// translog, and the shard recovers from there.
    pub fn flush(&mut self, path: &Path, id: SegmentId) -> Result<Option<FlushSummary>> {
        self.rollback_document();
        if self.document_count() == 0 {
            return Ok(None);
        }
        let records = std::mem::take(&mut self.records);
        let summary = self.flush_with(&records, path, id);
        self.reuse(records);
        summary.map(Some)
    }

    /// Ends the taking of documents, so that one thread can write them while another still reads what is stored.
    pub fn freeze(mut self) -> FrozenBuffer {
        self.rollback_document();
        let records = Arc::new(std::mem::take(&mut self.records));
        FrozenBuffer { buffer: self, records }
    }

    /// Takes the memory of records that nobody needs any more, for an empty buffer.
    pub fn reuse(&mut self, mut records: Records) {
        records.clear();
        self.records = records;
    }

    fn flush_with(&mut self, records: &Records, path: &Path, id: SegmentId) -> Result<FlushSummary> {
        let written = self.write_segment(records, path, id);
        let summary = written.map(|(file_bytes, order)| FlushSummary {
            document_count: self.document_count(),
            deleted: (0..self.document_count()).filter(|&ordinal| self.is_deleted(ordinal)).collect(),
            order,
            file_bytes,
        });
        self.clear();
        summary
    }

    /// All documents as a segment that no file holds; `None` when there are none.
    pub fn into_memory(mut self, id: SegmentId) -> Result<Option<Vec<u8>>> {
        self.rollback_document();
        if self.document_count() == 0 {
            return Ok(None);
        }
        let records = std::mem::take(&mut self.records);
        let mut writer = SegmentWriter::in_memory(id, self.format())?;
        let order = self.in_order()?;
        let system = self.write_sections(&records, order.as_ref(), &mut writer, id)?;
        writer.finish_in_memory(system).map(Some)
    }

    fn format(&self) -> Format {
        let has_ranges = |field: &FieldBuffer| matches!(&field.values, Values::Range(ranges) if !ranges.is_empty());
        let has_vectors = |field: &FieldBuffer| matches!(&field.values, Values::Vector(vectors) if !vectors.is_empty());
        Format::of(Features {
            nested: !self.nested.is_empty(),
            ranges: self.fields.iter().any(has_ranges),
            sorted: self.sort.is_some(),
            vectors: self.fields.iter().any(has_vectors),
            dictionaries: self.codec.takes_dictionaries(),
            pairs: false,
        })
    }

    /// The length of the file, and the order that the documents were brought into.
    fn write_segment(&mut self, records: &Records, path: &Path, id: SegmentId) -> Result<(u64, Option<DocumentOrder>)> {
        let order = self.in_order()?;
        let mut writer = SegmentWriter::create(path, id, self.format())?;
        let system = self.write_sections(records, order.as_ref(), &mut writer, id)?;
        Ok((writer.finish(system)?, order))
    }

    /// Sorts the documents where they are to be. `None`: they are as they came.
    fn in_order(&mut self) -> Result<Option<DocumentOrder>> {
        self.sort.clone().map_or(Ok(None), |sort| self.sort_documents(&sort))
    }

    /// Writes all fields; what the writer is to be finished with. `order`: the one that everything but the records is in.
    fn write_sections(
        &mut self,
        records: &Records,
        order: Option<&DocumentOrder>,
        writer: &mut SegmentWriter<'_>,
        id: SegmentId,
    ) -> Result<SystemSections> {
        let max_doc = self.document_count();
        for field in &self.fields {
            if let Some(sections) = field_sections(field, max_doc, &mut self.scratch)? {
                writer.add_field(sections)?;
            }
        }
        let names = [(IGNORED_FIELD, &self.ignored), (STORED_ONLY_FIELD, &self.stored_only)];
        for (name, terms) in [(ROUTING_FIELD, &self.routing)].into_iter().chain(names) {
            if !terms.is_empty() {
                writer.add_field(term_sections(name, terms, max_doc, KEYWORD_OPTIONS, true, &mut self.scratch)?)?;
            }
        }
        if !self.nested.is_empty() {
            let paths =
                term_sections(NESTED_PATH_FIELD, &self.nested, max_doc, KEYWORD_OPTIONS, false, &mut self.scratch)?;
            writer.add_field(paths)?;
        }
        let mut stored = StoredWriter::new(self.codec)?;
        match order {
            None => records.iter().for_each(|record| stored.add(record)),
            Some(order) => {
                order.old_docs().iter().try_for_each(|&old| records.get(old).map(|record| stored.add(record)))?;
            }
        }
        Ok(SystemSections {
            max_doc,
            ids: std::mem::take(&mut self.ids).finish(hash_key(&id)),
            seq_nos: system_column(&self.seq_nos),
            versions: system_column(&self.versions),
            primary_terms: system_column(&self.primary_terms),
            stored: stored.finish(),
            sort: self.sort.as_deref().cloned(),
        })
    }

    fn clear(&mut self) {
        self.fields.iter_mut().for_each(FieldBuffer::clear);
        self.routing.clear();
        self.ignored.clear();
        self.stored_only.clear();
        self.nested.clear();
        self.ids = IdsWriter::new();
        self.seq_nos.clear();
        self.versions.clear();
        self.primary_terms.clear();
        self.deleted.clear();
        self.deleted_count = 0;
        self.field_bytes = 0;
    }
}

/// A buffer that takes no more documents.
#[derive(Debug)]
pub struct FrozenBuffer {
    buffer: IndexBuffer,
    records: Arc<Records>,
}

impl FrozenBuffer {
    /// The records of its documents; shared, so that they can be read while the segment is written.
    pub fn records(&self) -> &Arc<Records> {
        &self.records
    }

    /// Writes the segment as [`IndexBuffer::flush`] does. The buffer comes back empty, with its memory.
    pub fn write(self, path: &Path, id: SegmentId) -> (Result<FlushSummary>, IndexBuffer) {
        let FrozenBuffer { mut buffer, records } = self;
        let summary = buffer.flush_with(&records, path, id);
        (summary, buffer)
    }
}

/// The ids' hash key, from bytes that no client knows.
fn hash_key(id: &SegmentId) -> u64 {
    let (low, high) = id.uuid.split_at(8);
    let number = |half: &[u8]| half.iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    number(low) ^ number(high).rotate_left(32)
}

fn system_column(values: &[u64]) -> NumericColumnData {
    let mut writer = NumericColumnWriter::new();
    for (ordinal, &value) in values.iter().enumerate() {
        writer.add(ordinal as u32, &[value as i64]);
    }
    writer.finish(values.len() as u32)
}

/// `None` for a field without values.
pub(super) fn field_sections(
    field: &FieldBuffer,
    max_doc: u32,
    scratch: &mut FlushScratch,
) -> Result<Option<FieldSections>> {
    let spec = &field.spec;
    match &field.values {
        Values::Text(text) if !text.is_empty() => text_sections(spec, text, max_doc, scratch).map(Some),
        Values::Term(terms) if !terms.is_empty() => {
            let options = PostingsOptions { freqs: spec.index_options >= IndexOptions::Freqs, positions: false };
            let mut sections = term_sections(&spec.name, terms, max_doc, options, spec.doc_values, scratch)?;
            if let (Some(_), Some(postings)) = (&spec.completion, &sections.postings) {
                sections.weights = Some(WeightsData::of_terms(postings, max_doc)?);
            }
            Ok(Some(sections))
        }
        Values::Shape(shapes) if !shapes.is_empty() => {
            // The pieces of a document come together by their ordinals.
            let sections = term_sections(&spec.name, &shapes.pieces, max_doc, KEYWORD_OPTIONS, true, scratch)?;
            Ok(Some(FieldSections { numeric: Some(shapes.corners.column(max_doc).0), ..sections }))
        }
        Values::Number(numbers) if !numbers.is_empty() => {
            let (column, doc_count) = numbers.column(max_doc);
            let field = FieldSections::new(&spec.name, FieldKind::Number, KEYWORD_OPTIONS, doc_count);
            Ok(Some(FieldSections { numeric: Some(column), ..field }))
        }
        Values::Range(ranges) if !ranges.is_empty() => {
            let columns = ranges.columns(spec.field_type == FieldType::IpRange, max_doc);
            let field = FieldSections::new(&spec.name, FieldKind::Range, KEYWORD_OPTIONS, columns.doc_count());
            Ok(Some(FieldSections { ranges: Some(columns), ..field }))
        }
        Values::Vector(vectors) if !vectors.is_empty() => {
            let format = spec.vector.and_then(|vector| vector.format());
            let format = format.ok_or_else(|| Error::internal("vectors came before their number of dimensions"))?;
            let data = vectors.data(format)?;
            let field = FieldSections::new(&spec.name, FieldKind::Vector, KEYWORD_OPTIONS, data.doc_count());
            Ok(Some(FieldSections { vectors: Some(data), ..field }))
        }
        _ => Ok(None),
    }
}

fn text_sections(
    spec: &FieldSpec,
    text: &TextField,
    max_doc: u32,
    scratch: &mut FlushScratch,
) -> Result<FieldSections> {
    let options = PostingsOptions {
        freqs: spec.index_options >= IndexOptions::Freqs,
        positions: spec.index_options >= IndexOptions::Positions,
    };
    scratch.occurrences.collect(text);
    let norms = spec.norms.then(|| norms(text, max_doc));
    let doc_count = text.docs.iter().filter(|doc| doc.length > 0).count() as u32;
    let average_length = average_length(text, doc_count, options, scratch);
    let model = norms.as_deref().map(|norms| ScoreModel { norms, average_length });
    let postings = text_postings(text, max_doc, options, model, scratch)?;
    Ok(FieldSections {
        postings: Some(postings),
        norms,
        presence: Some(PresenceData::from_docs(text.docs.iter().map(|doc| doc.ordinal), max_doc)),
        ..FieldSections::new(&spec.name, FieldKind::Text, options, doc_count)
    })
}

/// Documents without the field have the code of length 0.
fn norms(text: &TextField, max_doc: u32) -> Vec<u8> {
    let mut norms = vec![0; max_doc as usize];
    for doc in &text.docs {
        norms[doc.ordinal as usize] = norm::encode(doc.length);
    }
    norms
}

/// Total term frequency over documents with the field, as scoring counts it: without frequencies a term counts once.
fn average_length(text: &TextField, doc_count: u32, options: PostingsOptions, scratch: &mut FlushScratch) -> f32 {
    let terms = 0..text.terms.len() as u32;
    let total: usize = if options.freqs {
        terms.map(|term| scratch.occurrences.of(term).len()).sum()
    } else {
        let documents = |term| scratch.occurrences.of(term).chunk_by(|a, b| a >> 32 == b >> 32).count();
        terms.map(documents).sum()
    };
    if doc_count == 0 { 1.0 } else { (total as f64 / f64::from(doc_count)) as f32 }
}

fn text_postings(
    text: &TextField,
    max_doc: u32,
    options: PostingsOptions,
    model: Option<ScoreModel<'_>>,
    scratch: &mut FlushScratch,
) -> Result<FieldPostings> {
    let FlushScratch { occurrences, lists } = scratch;
    let mut writer = FieldPostingsWriter::new(max_doc, options, model);
    for number in text.terms.sort(&occurrences.present()) {
        lists.take_apart(occurrences.of(number));
        let postings = TermPostings {
            docs: &lists.docs,
            freqs: if options.freqs { &lists.freqs } else { &[] },
            positions: if options.positions { &lists.positions } else { &[] },
        };
        writer.add_term(text.terms.get(number), postings)?;
    }
    writer.finish()
}

/// A field of terms as they are: postings, and ordinals or else which documents have the field.
fn term_sections(
    name: &str,
    field: &TermField,
    max_doc: u32,
    options: PostingsOptions,
    doc_values: bool,
    scratch: &mut FlushScratch,
) -> Result<FieldSections> {
    let by_term = DocumentsByTerm::new(field);
    let mut writer = FieldPostingsWriter::new(max_doc, options, None);
    let mut ordinals = vec![0; field.terms.len()];
    for (ordinal, number) in field.terms.sort(&by_term.present()).into_iter().enumerate() {
        ordinals[number as usize] = ordinal as u32;
        by_term.take_apart(number, &mut scratch.lists);
        let freqs = if options.freqs { scratch.lists.freqs.as_slice() } else { &[] };
        writer.add_term(field.terms.get(number), TermPostings { docs: &scratch.lists.docs, freqs, positions: &[] })?;
    }
    Ok(FieldSections {
        postings: Some(writer.finish()?),
        ordinals: doc_values.then(|| {
            let mut column = OrdinalColumnWriter::new();
            let mut values = Vec::new();
            for (doc, numbers) in field.documents() {
                values.clear();
                values.extend(numbers.iter().map(|&number| ordinals[number as usize]));
                column.add(doc, &values);
            }
            column.finish(max_doc)
        }),
        presence: (!doc_values).then(|| PresenceData::from_docs(field.documents().map(|(doc, _)| doc), max_doc)),
        ..FieldSections::new(name, FieldKind::Term, options, field.documents().count() as u32)
    })
}

/// The documents of each term, by counting sort.
struct DocumentsByTerm {
    ends: Vec<u32>,
    docs: Vec<u32>,
}

impl DocumentsByTerm {
    fn new(field: &TermField) -> Self {
        let mut ends = vec![0u32; field.terms.len()];
        field.numbers.iter().for_each(|&number| ends[number as usize] += 1);
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut docs = vec![0; field.docs.len()];
        for (&doc, &number) in field.docs.iter().zip(&field.numbers) {
            let place = &mut ends[number as usize];
            docs[*place as usize] = doc;
            *place += 1;
        }
        DocumentsByTerm { ends, docs }
    }

    fn of(&self, number: u32) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number as usize - 1] as usize };
        &self.docs[start..self.ends[number as usize] as usize]
    }

    fn present(&self) -> Vec<u32> {
        (0..self.ends.len() as u32).filter(|&number| !self.of(number).is_empty()).collect()
    }

    /// Each document once, with how often the term came.
    fn take_apart(&self, number: u32, lists: &mut TermLists) {
        lists.docs.clear();
        lists.freqs.clear();
        for same in self.of(number).chunk_by(|a, b| a == b) {
            lists.docs.push(same[0]);
            lists.freqs.push(same.len() as u32);
        }
    }
}
