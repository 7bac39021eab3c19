//! A merge gives what indexing the live documents at once would have given.

use super::{Format, MergeControl, MergeInput, merge};
use crate::check::check_segment;
use crate::dump::dump;
use crate::id::SegmentId;
use crate::reader::{SegmentReader, Verify};
use crate::stored::StoredCodec;
use crate::tests::segments::{TestDocument, deletions, documents, write};
use crate::tests::support::TestDirectory;
use proptest::collection::vec;
use proptest::prelude::*;
use quarry_base::error::ErrorCode;
use quarry_postings::Pair;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const MERGED: SegmentId = SegmentId { number: 50, uuid: [50; 16] };

/// How a part loses documents: none, each n-th, all.
fn losses() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(0u32), 3 => 2u32..9, 1 => Just(1u32)]
}

fn is_deleted(every: u32, doc: u32) -> bool {
    every > 0 && doc.is_multiple_of(every)
}

fn inputs(directory: &Path, parts: &[(Vec<TestDocument>, u32)]) -> Vec<MergeInput> {
    let open = |(number, (documents, every)): (usize, &(Vec<TestDocument>, u32))| MergeInput {
        segment: write(directory, number as u64, documents, StoredCodec::Lz4),
        live: deletions(documents.len() as u32, |doc| is_deleted(*every, doc)),
    };
    parts.iter().enumerate().map(open).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_merge_equals_the_index_of_the_live_documents(
        mut parts in vec((documents(0..150), losses()), 1..5), zstd: bool,
    ) {
        for (part, (documents, _)) in parts.iter_mut().enumerate() {
            documents.iter_mut().for_each(|document| document.id = format!("{part}-{}", document.id));
        }
        let directory = TestDirectory::new();
        let inputs = inputs(directory.path(), &parts);
        let live: Vec<TestDocument> = parts.iter().flat_map(|(documents, every)| {
            documents.iter().enumerate().filter(|(doc, _)| !is_deleted(*every, *doc as u32)).map(|(_, document)| document.clone())
        }).collect();
        let path = directory.path().join(MERGED.file_name());
        let codec = if zstd { StoredCodec::Zstd } else { StoredCodec::Lz4 };
        let control = MergeControl::default();
        let result = merge(&inputs, &path, MERGED, codec, &control).unwrap();
        prop_assert_eq!(result.max_doc as usize, live.len());
        if live.is_empty() {
            prop_assert!(!path.exists());
            return Ok(());
        }
        let merged = SegmentReader::open(&path, Verify::All).unwrap();
        prop_assert_eq!((merged.bytes(), merged.id()), (result.bytes, MERGED));
        prop_assert_eq!(control.bytes_written.load(Ordering::Relaxed), result.bytes);
        let expected = write(directory.path(), 60, &live, codec);
        prop_assert_eq!(dump(&merged), dump(&expected));
        let mut next = 0;
        for (map, (documents, every)) in result.doc_maps.iter().zip(&parts) {
            for doc in 0..documents.len() as u32 {
                let new_doc = (!is_deleted(*every, doc)).then(|| { next += 1; next - 1 });
                prop_assert_eq!(map.new_doc(doc), new_doc);
            }
            prop_assert_eq!(map.new_doc(documents.len() as u32), None);
        }
    }
}

#[test]
fn windows_and_blocks_survive_a_merge_of_larger_segments() {
    let documents = |part: u32, count: u32| -> Vec<TestDocument> {
        let document = |doc: u32| TestDocument {
            id: format!("{part}-{doc}"),
            body: Some(
                (0..doc % 7)
                    .map(|word| format!("common{}", word * (doc % 3)))
                    .chain([format!("rare{}", doc / 50)])
                    .collect(),
            ),
            tags: vec![format!("tag{}", doc % 300)],
            hidden: None,
            numbers: vec![i64::from(doc) * 1_000],
            ranges: Vec::new(),
            seq_no: i64::from(part * 100_000 + doc),
            source: format!("{{\"doc\":{doc}}}").into_bytes(),
        };
        (0..count).map(document).collect()
    };
    let directory = TestDirectory::new();
    let parts = vec![(documents(0, 5_000), 3), (documents(1, 4_500), 0), (documents(2, 10), 1)];
    let inputs = inputs(directory.path(), &parts);
    let path = directory.path().join(MERGED.file_name());
    merge(&inputs, &path, MERGED, StoredCodec::Lz4, &MergeControl::default()).unwrap();
    let merged = SegmentReader::open(&path, Verify::All).unwrap();
    let kept = parts[0].0.iter().enumerate().filter(|(doc, _)| doc % 3 != 0).map(|(_, document)| document);
    let live: Vec<TestDocument> = kept.chain(&parts[1].0).cloned().collect();
    assert!(dump(&merged) == dump(&write(directory.path(), 60, &live, StoredCodec::Lz4)));
}

/// A document of words that are in most documents, and of one that tells it from others.
fn prose(doc: u32) -> TestDocument {
    let words = (0..doc % 9)
        .map(|place| ["of", "the", "of", "to"][((doc / 7 + place * (place + doc % 3)) % 4) as usize].to_owned());
    TestDocument {
        id: doc.to_string(),
        body: Some(words.chain([format!("rare{}", doc / 50)]).collect()),
        tags: Vec::new(),
        hidden: None,
        numbers: Vec::new(),
        ranges: Vec::new(),
        seq_no: i64::from(doc),
        source: b"{}".to_vec(),
    }
}

/// Documents that hold `second` right behind `first`, and how often all of them together do.
fn count_pair(documents: &[&TestDocument], first: &str, second: &str) -> (u32, u64) {
    let in_one = |document: &&TestDocument| {
        let body = document.body.as_deref().unwrap_or_default();
        body.windows(2).filter(|words| words[0] == first && words[1] == second).count() as u64
    };
    let counts: Vec<u64> = documents.iter().map(in_one).filter(|count| *count > 0).collect();
    (counts.len() as u32, counts.iter().sum())
}

#[test]
fn a_merge_into_a_large_segment_lists_the_pairs_of_frequent_terms() {
    let directory = TestDirectory::new();
    let documents = |range: std::ops::Range<u32>| range.map(prose).collect::<Vec<_>>();
    let first = [(documents(0..9_000), 0), (documents(9_000..18_000), 0)];
    let path = directory.path().join(MERGED.file_name());
    merge(&inputs(directory.path(), &first), &path, MERGED, StoredCodec::Lz4, &MergeControl::default()).unwrap();
    let merged = SegmentReader::open(&path, Verify::All).unwrap();
    // Merged again, with one that has none, and with deletions.
    let small = documents(18_000..20_000);
    let again = [
        MergeInput { live: deletions(18_000, |doc| doc.is_multiple_of(11)), segment: Arc::clone(&merged) },
        MergeInput { live: None, segment: write(directory.path(), 3, &small, StoredCodec::Lz4) },
    ];
    let id = SegmentId { number: 51, uuid: [51; 16] };
    let path = directory.path().join(id.file_name());
    merge(&again, &path, id, StoredCodec::Lz4, &MergeControl::default()).unwrap();
    let last = SegmentReader::open(&path, Verify::All).unwrap();
    let whole: Vec<&TestDocument> = first.iter().flat_map(|(documents, _)| documents).collect();
    let live = whole.iter().enumerate().filter(|(doc, _)| !doc.is_multiple_of(11)).map(|(_, document)| *document);
    let live: Vec<&TestDocument> = live.chain(&small).collect();
    for (segment, documents) in [(&merged, whole), (&last, live)] {
        assert_eq!(segment.file()[8], Format::Pairs as u8);
        assert_eq!(check_segment(segment), []);
        let postings = segment.field("body").unwrap().postings().unwrap();
        let entry = |term: &str| postings.lookup(term.as_bytes()).unwrap().unwrap();
        for (first, second) in [("of", "the"), ("the", "of"), ("of", "of"), ("of", "to")] {
            let found = match postings.pair(&entry(first), &entry(second)).unwrap() {
                Pair::Listed(pair) => (pair.doc_freq, pair.total_term_freq),
                Pair::Nowhere => (0, 0),
                Pair::Unknown => panic!("{first} {second}: not listed"),
            };
            assert_eq!(found, count_pair(&documents, first, second), "{first} {second}");
        }
        assert_eq!(postings.pair(&entry("of"), &entry("rare7")).unwrap(), Pair::Unknown);
    }
}

#[test]
fn a_cancelled_merge_leaves_nothing_behind() {
    let directory = TestDirectory::new();
    let document = TestDocument {
        id: "1".to_owned(),
        body: None,
        tags: Vec::new(),
        hidden: None,
        numbers: vec![1],
        ranges: Vec::new(),
        seq_no: 0,
        source: Vec::new(),
    };
    let inputs = inputs(directory.path(), &[(vec![document], 0)]);
    let control = MergeControl::default();
    control.cancelled.store(true, Ordering::Relaxed);
    let path = directory.path().join(MERGED.file_name());
    let error = merge(&inputs, &path, MERGED, StoredCodec::Lz4, &control).unwrap_err();
    assert_eq!(error.code, ErrorCode::TaskCancelled);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_input_stops_the_merge() {
    let directory = TestDirectory::new();
    let document = TestDocument {
        id: "1".to_owned(),
        body: Some(vec!["word".to_owned(); 30]),
        tags: Vec::new(),
        hidden: None,
        numbers: Vec::new(),
        ranges: Vec::new(),
        seq_no: 0,
        source: b"{\"body\":\"word\"}".to_vec(),
    };
    let whole = write(directory.path(), 0, &[document], StoredCodec::Lz4);
    let path = whole.path().to_owned();
    drop(whole);
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|window| window == b"{\"body").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let segment = SegmentReader::open(&path, Verify::Metadata).unwrap();
    let out = directory.path().join(MERGED.file_name());
    let input = MergeInput { segment, live: None };
    let error = merge(&[input], &out, MERGED, StoredCodec::Lz4, &MergeControl::default()).unwrap_err();
    assert!(error.reason.contains("_0.seg") && error.reason.contains("stored documents"), "{error}");
    assert!(!out.exists());
}
