//! What a flushed segment holds, against a slow and obvious inversion of the same documents.

use super::tests::{buffer, field, meta};
use super::*;
use proptest::prelude::*;
use quarry_analysis::Registry;
use quarry_codec::norm;
use quarry_codec::window::{WINDOW_WORDS, WindowBits};
use quarry_postings::DecodedTerm;
use quarry_segment::id::SegmentId;
use quarry_segment::index_sort::{IndexSort, MissingValue, SortField};
use quarry_segment::reader::{FieldStats, SegmentReader, Verify};
use quarry_segment::stored::Record;
use quarry_segment::stored::StoredScratch;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file of this test's own, removed with it.
struct SegmentFile(PathBuf);

impl SegmentFile {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("quarry-buffer-{}-{}.seg", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        SegmentFile(std::env::temp_dir().join(name))
    }
}

impl Drop for SegmentFile {
    fn drop(&mut self) {
        // Nothing to do about a file that is not there.
        let _ = std::fs::remove_file(&self.0);
    }
}

const ID: SegmentId = SegmentId { number: 1, uuid: [7; 16] };

fn flushed(buffer: &mut IndexBuffer, file: &SegmentFile) -> (FlushSummary, Arc<SegmentReader>) {
    let summary = buffer.flush(&file.0, ID).unwrap().expect("there are documents");
    (summary, SegmentReader::open(&file.0, Verify::All).unwrap())
}

#[derive(Debug, Clone)]
struct Document {
    texts: Vec<String>,
    tags: Vec<String>,
    numbers: Vec<i64>,
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let text = proptest::collection::vec("(fox|foxes|the|[a-d]{1,2}|é漢)", 0..6).prop_map(|words| words.join(" "));
    let document = (
        proptest::collection::vec(text, 0..3),
        proptest::collection::vec("[a-c]{1,2}", 0..3),
        proptest::collection::vec(-5i64..5, 0..3),
    );
    let document = document.prop_map(|(texts, tags, numbers)| Document { texts, tags, numbers });
    proptest::collection::vec(document, 1..30)
}

/// Term to document to positions.
type Inverted = BTreeMap<Vec<u8>, BTreeMap<u32, Vec<u32>>>;

/// Terms with positions, and the length of each document that has the field.
fn inverted_texts(documents: &[Document]) -> (Inverted, BTreeMap<u32, u32>) {
    let english = Registry::from_spec(&json!({})).unwrap().analyzer("english").unwrap();
    let (mut terms, mut lengths) = (Inverted::new(), BTreeMap::new());
    for (doc, document) in documents.iter().enumerate() {
        let mut base = 0;
        for text in &document.texts {
            let mut tokens = Vec::new();
            let positions = english.analyze(text, &mut tokens).unwrap();
            *lengths.entry(doc as u32).or_default() += tokens.len() as u32;
            for token in tokens {
                terms.entry(token.term).or_default().entry(doc as u32).or_default().push(base + token.position);
            }
            base += positions + 100;
        }
    }
    (terms, lengths)
}

fn present(reader: &SegmentReader, field: &str) -> Vec<u32> {
    let mut bits: WindowBits = [0; WINDOW_WORDS];
    if let Some(field) = reader.field(field) {
        field.has_value(0, &mut bits);
    }
    (0..reader.max_doc()).filter(|&doc| bits[doc as usize / 64] >> (doc % 64) & 1 == 1).collect()
}

fn check_texts(reader: &SegmentReader, documents: &[Document]) {
    let (terms, lengths) = inverted_texts(documents);
    assert_eq!(present(reader, "t"), lengths.keys().copied().collect::<Vec<_>>());
    let Some(field) = reader.field("t") else { return };
    let postings = field.postings().unwrap();
    assert_eq!(postings.term_count() as usize, terms.len());
    for (term, expected) in &terms {
        let entry = postings.lookup(term).unwrap().expect("the term is in the dictionary");
        let mut decoded = DecodedTerm::default();
        postings.read_term(&entry, &mut decoded).unwrap();
        assert_eq!(decoded.docs, expected.keys().copied().collect::<Vec<_>>());
        assert_eq!(decoded.freqs, expected.values().map(|positions| positions.len() as u32).collect::<Vec<_>>());
        assert_eq!(decoded.positions, expected.values().flatten().copied().collect::<Vec<_>>());
    }
    for (&doc, &length) in &lengths {
        assert_eq!(field.norms().unwrap()[doc as usize], norm::encode(length));
    }
    assert_eq!(
        field.stats(),
        FieldStats {
            doc_count: lengths.values().filter(|&&length| length > 0).count() as u32,
            sum_doc_freq: terms.values().map(|docs| docs.len() as u64).sum(),
            sum_total_term_freq: lengths.values().map(|&length| u64::from(length)).sum(),
        }
    );
}

fn check_columns(reader: &SegmentReader, documents: &[Document]) {
    let with = |has: &dyn Fn(&Document) -> bool| -> Vec<u32> {
        documents.iter().enumerate().filter(|(_, document)| has(document)).map(|(doc, _)| doc as u32).collect()
    };
    assert_eq!(present(reader, "k"), with(&|document| !document.tags.is_empty()));
    assert_eq!(present(reader, "bare"), with(&|document| !document.tags.is_empty()));
    assert_eq!(present(reader, "n"), with(&|document| !document.numbers.is_empty()));
    for (doc, document) in documents.iter().enumerate() {
        let mut tags: Vec<&[u8]> = document.tags.iter().map(|tag| tag.as_bytes()).collect();
        tags.sort_unstable();
        tags.dedup();
        let (mut ordinals, mut numbers) = (Vec::new(), Vec::new());
        if let Some(field) = reader.field("k") {
            field.ordinals().unwrap().get(doc as u32, &mut ordinals);
            let mut term = Vec::new();
            for (&ordinal, tag) in ordinals.iter().zip(&tags) {
                term.clear();
                field.postings().unwrap().term(ordinal, &mut term).unwrap();
                assert_eq!(term, *tag);
            }
        }
        assert_eq!(ordinals.len(), tags.len());
        if let Some(field) = reader.field("n") {
            field.numeric().unwrap().get(doc as u32, &mut numbers);
        }
        let mut expected = document.numbers.clone();
        expected.sort_unstable();
        assert_eq!(numbers, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_segment_holds_what_was_committed(batches in proptest::collection::vec(documents(), 1..3)) {
        let bare = field("bare", "keyword", json!({"doc_values": false}));
        let fields = vec![
            field("t", "text", json!({"analyzer": "english"})),
            field("k", "keyword", json!({})),
            bare,
            field("n", "long", json!({})),
        ];
        let mut buffer = buffer(fields);
        for documents in &batches {
            for (doc, document) in documents.iter().enumerate() {
                buffer.begin_document();
                document.texts.iter().for_each(|text| buffer.text(0, text).unwrap());
                for tag in &document.tags {
                    buffer.term(1, tag.as_bytes()).unwrap();
                    buffer.term(2, tag.as_bytes()).unwrap();
                }
                document.numbers.iter().for_each(|&number| buffer.number(3, number).unwrap());
                if doc % 3 == 0 {
                    buffer.rollback_document();
                    buffer.begin_document();
                    document.texts.iter().for_each(|text| buffer.text(0, text).unwrap());
                    for tag in &document.tags {
                        buffer.term(1, tag.as_bytes()).unwrap();
                        buffer.term(2, tag.as_bytes()).unwrap();
                    }
                    document.numbers.iter().for_each(|&number| buffer.number(3, number).unwrap());
                }
                buffer.commit_document(meta(&doc.to_string(), "{}")).unwrap();
            }
            let file = SegmentFile::new();
            let (summary, reader) = flushed(&mut buffer, &file);
            prop_assert_eq!(summary.document_count as usize, documents.len());
            prop_assert_eq!(reader.max_doc() as usize, documents.len());
            check_texts(&reader, documents);
            check_columns(&reader, documents);
        }
    }
}

#[test]
fn system_columns_and_deletions_reach_the_segment() {
    let mut buffer = buffer(vec![]);
    for (ordinal, id) in ["a", "b", "a"].into_iter().enumerate() {
        buffer.begin_document();
        let routing = (ordinal == 1).then_some(b"r".as_slice());
        let meta = DocumentMeta {
            id: id.as_bytes(),
            routing,
            seq_no: 10 + ordinal as u64,
            version: 1 + ordinal as u64,
            primary_term: 2,
            source: (ordinal != 1).then_some(b"{}".as_slice()),
        };
        buffer.commit_document(meta).unwrap();
    }
    buffer.delete(0);
    let file = SegmentFile::new();
    let (summary, reader) = flushed(&mut buffer, &file);
    assert_eq!((summary.document_count, summary.deleted), (3, vec![0]));
    assert_eq!(reader.ids().find(b"a"), Some(2));
    assert_eq!(reader.seq_no_range(), Some((10, 12)));
    assert_eq!(present(&reader, quarry_segment::ROUTING_FIELD), [1]);
    let mut scratch = StoredScratch::default();
    let sources = [Some(b"{}".as_slice()), None, Some(b"{}")];
    for (doc, source) in sources.into_iter().enumerate() {
        let record = Record::parse(reader.stored().get(doc as u32, &mut scratch).unwrap()).unwrap();
        assert_eq!(record.source(), source);
    }
    assert_eq!((buffer.document_count(), buffer.deleted_count()), (0, 0));
    assert_eq!(buffer.flush(&file.0, ID).unwrap(), None);
}

#[test]
fn of_an_id_that_came_again_the_last_is_found_wherever_the_order_puts_it() {
    let least = SortField { name: "n".into(), descending: false, by_greatest: false, missing: MissingValue::Number(0) };
    let sort = IndexSort::new(vec![least]).map(Arc::new);
    let mut buffer = buffer(vec![field("n", "long", json!({}))]).sorted_by(sort);
    for (id, number) in [("a", 9), ("b", 5), ("a", 1), ("c", 7)] {
        buffer.begin_document();
        buffer.number(0, number).unwrap();
        buffer.commit_document(meta(id, &number.to_string())).unwrap();
    }
    buffer.delete(0);
    let file = SegmentFile::new();
    let (summary, reader) = flushed(&mut buffer, &file);
    assert_eq!(summary.deleted, [3]);
    assert_eq!((0..4).map(|ordinal| summary.document_of(ordinal)).collect::<Vec<_>>(), [3, 1, 0, 2]);
    assert_eq!(["a", "b", "c"].map(|id| reader.ids().find(id.as_bytes())), [Some(0), Some(1), Some(2)]);
    let mut scratch = StoredScratch::default();
    let record = Record::parse(reader.stored().get(3, &mut scratch).unwrap()).unwrap();
    assert_eq!(record.source(), Some(b"9".as_slice()));
}

#[test]
fn an_empty_text_exists_without_terms() {
    let mut buffer = buffer(vec![field("t", "text", json!({"norms": false, "index_options": "docs"}))]);
    for text in ["", "x x"] {
        buffer.begin_document();
        buffer.text(0, text).unwrap();
        buffer.commit_document(meta("1", "{}")).unwrap();
    }
    let file = SegmentFile::new();
    let (_, reader) = flushed(&mut buffer, &file);
    let field = reader.field("t").unwrap();
    assert_eq!(present(&reader, "t"), [0, 1]);
    assert_eq!(field.stats(), FieldStats { doc_count: 1, sum_doc_freq: 1, sum_total_term_freq: 1 });
    assert!(field.norms().is_none());
}
