//! Segments from lists of documents, written the plain way, and everything in a segment read back the plain way.

use crate::FieldKind;
use crate::column::numeric::NumericColumnWriter;
use crate::column::ordinal::OrdinalColumnWriter;
use crate::column::presence::PresenceData;
use crate::column::range::RangeColumnsWriter;
use crate::directory::live_docs::LiveDocs;
use crate::id::SegmentId;
use crate::ids::IdsWriter;
use crate::reader::{SegmentReader, Verify};
use crate::stored::{Record, StoredCodec, StoredWriter};
use crate::writer::{Features, FieldSections, SegmentWriter, SystemSections};
use proptest::collection::vec;
use proptest::prelude::*;
use quarry_codec::norm;
use quarry_postings::{FieldPostings, FieldPostingsWriter, PostingsOptions, ScoreModel, TermPostings};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const POSITIONS: PostingsOptions = PostingsOptions { freqs: true, positions: true };
const DOCS_ONLY: PostingsOptions = PostingsOptions { freqs: false, positions: false };

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestDocument {
    pub id: String,
    /// Tokens of the field `body`: analysed text with positions and norms.
    pub body: Option<Vec<String>>,
    /// Field `tag`: keyword with ordinals.
    pub tags: Vec<String>,
    /// Field `hidden`: keyword without ordinals.
    pub hidden: Option<String>,
    /// Field `number`.
    pub numbers: Vec<i64>,
    /// Fields `range`, and `network` with the same numbers as addresses; by beginning.
    pub ranges: Vec<(i128, i128)>,
    pub seq_no: i64,
    pub source: Vec<u8>,
}

pub fn documents(count: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<TestDocument>> {
    let word = (0u32..60).prop_map(|number| format!("w{}", number * number % 61));
    let tag = (0u32..30).prop_map(|number| format!("tag-{number:03}"));
    let document = (
        prop::option::weighted(0.9, vec(word, 0..12)),
        vec(tag.clone(), 0..3),
        prop::option::weighted(0.2, tag),
        vec(-50i64..50, 0..3),
        vec((-50i128..50, 0i128..9), 0..3),
        vec(any::<u8>(), 0..60),
    );
    vec(document, count).prop_map(|documents| {
        let numbered = documents.into_iter().enumerate();
        let document = |(number, (body, tags, hidden, numbers, ranges, source))| TestDocument {
            id: format!("id-{number}"),
            body,
            tags,
            hidden,
            numbers,
            ranges: sorted_ranges(ranges),
            seq_no: number as i64 * 2,
            source,
        };
        numbered.map(document).collect()
    })
}

fn sorted_ranges(ranges: Vec<(i128, i128)>) -> Vec<(i128, i128)> {
    let mut ranges: Vec<_> = ranges.into_iter().map(|(from, length)| (from, from + length)).collect();
    ranges.sort_unstable();
    ranges
}

/// Writes the documents as one segment and opens it.
pub fn write(directory: &Path, number: u64, documents: &[TestDocument], codec: StoredCodec) -> Arc<SegmentReader> {
    let id = SegmentId { number, uuid: [number as u8 + 1; 16] };
    let path = directory.join(id.file_name());
    let max_doc = documents.len() as u32;
    let has_ranges = documents.iter().any(|document| !document.ranges.is_empty());
    let mut writer = SegmentWriter::create(
        &path,
        id,
        crate::writer::Format::of(Features {
            ranges: has_ranges,
            dictionaries: codec.takes_dictionaries(),
            ..Features::default()
        }),
    )
    .unwrap();
    let bodies = terms_of(documents, |document| document.body.clone().unwrap_or_default());
    if documents.iter().any(|document| document.body.is_some()) {
        writer.add_field(body_field(documents, &bodies)).unwrap();
    }
    let tags = terms_of(documents, |document| document.tags.clone());
    if !tags.is_empty() {
        writer.add_field(tag_field(documents, &tags)).unwrap();
    }
    let hidden = terms_of(documents, |document| document.hidden.iter().cloned().collect());
    if !hidden.is_empty() {
        writer.add_field(hidden_field(documents, &hidden)).unwrap();
    }
    if documents.iter().any(|document| !document.numbers.is_empty()) {
        writer.add_field(number_field(documents)).unwrap();
    }
    if has_ranges {
        writer.add_field(range_field(documents, "range", false)).unwrap();
        writer.add_field(range_field(documents, "network", true)).unwrap();
    }
    let numeric = |value: fn(&TestDocument) -> i64| {
        let mut column = NumericColumnWriter::new();
        documents.iter().enumerate().for_each(|(doc, document)| column.add(doc as u32, &[value(document)]));
        column.finish(max_doc)
    };
    let mut ids = IdsWriter::new();
    let mut stored = StoredWriter::new(codec).unwrap();
    for document in documents {
        ids.add(document.id.as_bytes());
        let mut record = Vec::new();
        Record::write(&mut record, Some(&document.source), [("stored", &b"true"[..])]);
        stored.add(&record);
    }
    let system = SystemSections {
        max_doc,
        ids: ids.finish(id.hash_key()),
        seq_nos: numeric(|document| document.seq_no),
        versions: numeric(|document| document.seq_no % 3 + 1),
        primary_terms: numeric(|_| 1),
        stored: stored.finish(),
        sort: None,
    };
    let bytes = writer.finish(system).unwrap();
    let reader = SegmentReader::open(&path, Verify::All).unwrap();
    assert_eq!((reader.bytes(), reader.id(), reader.max_doc()), (bytes, id, max_doc));
    reader
}

/// Term to documents, each with its positions.
type Inverted = BTreeMap<String, BTreeMap<u32, Vec<u32>>>;

fn terms_of(documents: &[TestDocument], terms: impl Fn(&TestDocument) -> Vec<String>) -> Inverted {
    let mut inverted = Inverted::new();
    for (doc, document) in documents.iter().enumerate() {
        for (position, term) in terms(document).into_iter().enumerate() {
            inverted.entry(term).or_default().entry(doc as u32).or_default().push(position as u32);
        }
    }
    inverted
}

fn postings(max_doc: u32, terms: &Inverted, options: PostingsOptions, norms: Option<&[u8]>) -> FieldPostings {
    let model = norms.map(|norms| ScoreModel { norms, average_length: 5.0 });
    let mut writer = FieldPostingsWriter::new(max_doc, options, model);
    for (term, documents) in terms {
        let docs: Vec<u32> = documents.keys().copied().collect();
        let freqs: Vec<u32> = documents.values().map(|positions| positions.len() as u32).collect();
        let positions: Vec<u32> = documents.values().flatten().copied().collect();
        let freqs = if options.freqs { &freqs[..] } else { &[] };
        let positions = if options.positions { &positions[..] } else { &[] };
        writer.add_term(term.as_bytes(), TermPostings { docs: &docs, freqs, positions }).unwrap();
    }
    writer.finish().unwrap()
}

fn doc_count(terms: &Inverted) -> u32 {
    let docs: std::collections::BTreeSet<u32> =
        terms.values().flat_map(|documents| documents.keys().copied()).collect();
    docs.len() as u32
}

fn field(name: &str, kind: FieldKind, options: PostingsOptions, terms: &Inverted) -> FieldSections {
    FieldSections::new(name, kind, options, doc_count(terms))
}

fn presence(documents: &[TestDocument], has: impl Fn(&TestDocument) -> bool) -> Option<PresenceData> {
    let docs = documents.iter().enumerate().filter(|(_, document)| has(document)).map(|(doc, _)| doc as u32);
    Some(PresenceData::from_docs(docs, documents.len() as u32))
}

fn body_field(documents: &[TestDocument], terms: &Inverted) -> FieldSections {
    let length = |document: &TestDocument| document.body.as_ref().map_or(0, Vec::len);
    let norms: Vec<u8> = documents.iter().map(|document| norm::encode(length(document) as u32)).collect();
    let postings = Some(postings(documents.len() as u32, terms, POSITIONS, Some(&norms)));
    let presence = presence(documents, |document| document.body.is_some());
    FieldSections { postings, norms: Some(norms), presence, ..field("body", FieldKind::Text, POSITIONS, terms) }
}

fn tag_field(documents: &[TestDocument], terms: &Inverted) -> FieldSections {
    let ordinal: BTreeMap<&String, u32> = terms.keys().zip(0..).collect();
    let mut column = OrdinalColumnWriter::new();
    for (doc, document) in documents.iter().enumerate() {
        let ordinals: Vec<u32> = document.tags.iter().map(|tag| ordinal[tag]).collect();
        column.add(doc as u32, &ordinals);
    }
    let max_doc = documents.len() as u32;
    let postings = Some(postings(max_doc, terms, DOCS_ONLY, None));
    FieldSections {
        postings,
        ordinals: Some(column.finish(max_doc)),
        ..field("tag", FieldKind::Term, DOCS_ONLY, terms)
    }
}

fn hidden_field(documents: &[TestDocument], terms: &Inverted) -> FieldSections {
    let postings = Some(postings(documents.len() as u32, terms, DOCS_ONLY, None));
    let presence = presence(documents, |document| document.hidden.is_some());
    FieldSections { postings, presence, ..field("hidden", FieldKind::Term, DOCS_ONLY, terms) }
}

fn number_field(documents: &[TestDocument]) -> FieldSections {
    let mut column = NumericColumnWriter::new();
    documents.iter().enumerate().for_each(|(doc, document)| column.add(doc as u32, &document.numbers));
    let numeric = column.finish(documents.len() as u32);
    let doc_count = numeric.doc_count();
    let field = field("number", FieldKind::Number, DOCS_ONLY, &Inverted::new());
    FieldSections { doc_count, numeric: Some(numeric), ..field }
}

fn range_field(documents: &[TestDocument], name: &str, addresses: bool) -> FieldSections {
    let mut columns = RangeColumnsWriter::new(addresses);
    documents.iter().enumerate().for_each(|(doc, document)| columns.add(doc as u32, &document.ranges));
    let ranges = columns.finish(documents.len() as u32);
    let doc_count = ranges.doc_count();
    FieldSections { ranges: Some(ranges), ..FieldSections::new(name, FieldKind::Range, DOCS_ONLY, doc_count) }
}

/// Deletes every document whose number `picks` picks.
pub fn deletions(max_doc: u32, picks: impl Fn(u32) -> bool) -> Option<Arc<LiveDocs>> {
    let mut live = LiveDocs::all_live(max_doc);
    (0..max_doc).filter(|&doc| picks(doc)).for_each(|doc| assert!(live.delete(doc)));
    (live.deleted_count() > 0).then(|| Arc::new(live))
}
