//! The segment file as a whole: what is written is read, and damage anywhere is reported with its place.

pub(crate) mod segments;
pub mod support;
use super::reader::{SegmentReader, Verify};
use super::stored::StoredCodec;
use super::writer::sync_segment;
use crate::dump::dump;
use crate::tests::segments::{documents, write};
use crate::tests::support::{TestDirectory, expect_damage_reported};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quarry_base::error::ErrorCode;
use std::fs;
use std::sync::Arc;

/// The same documents in every run.
fn sample(count: usize) -> Vec<crate::tests::segments::TestDocument> {
    documents(count).new_tree(&mut TestRunner::deterministic()).unwrap().current()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn fields_are_found_by_name_with_their_values(documents in documents(1..300)) {
        let directory = TestDirectory::new();
        let segment = write(directory.path(), 0, &documents, StoredCodec::Lz4);
        prop_assert!(segment.fields().is_sorted_by(|a, b| a.name() < b.name()));
        for field in segment.fields() {
            prop_assert_eq!(segment.field(field.name()).unwrap().stats(), field.stats());
        }
        prop_assert!(segment.field("missing").is_none());
        for (doc, document) in documents.iter().enumerate() {
            prop_assert_eq!(segment.ids().find(document.id.as_bytes()), Some(doc as u32));
            let mut numbers = Vec::new();
            if let Some(column) = segment.field("number").and_then(|field| field.numeric()) {
                column.get(doc as u32, &mut numbers);
            }
            let mut expected = document.numbers.clone();
            expected.sort_unstable();
            prop_assert_eq!(numbers, expected);
        }
        let (first, last) = (documents[0].seq_no, documents[documents.len() - 1].seq_no);
        prop_assert_eq!(segment.seq_no_range(), Some((first, last)));
    }
}

#[test]
fn any_damage_is_reported_with_the_files_name() {
    let directory = TestDirectory::new();
    let segment = write(directory.path(), 7, &sample(60), StoredCodec::Lz4);
    let path = segment.path().to_owned();
    drop(segment);
    expect_damage_reported(&path, 23, || SegmentReader::open(&path, Verify::All).err());
}

#[test]
fn damage_names_section_and_field() {
    let directory = TestDirectory::new();
    let segment = write(directory.path(), 7, &sample(400), StoredCodec::Zstd);
    let path = segment.path().to_owned();
    let whole = fs::read(&path).unwrap();
    let norms = segment.field("body").unwrap().norms().unwrap();
    let at = whole.windows(norms.len()).position(|window| window == norms).unwrap();
    drop(segment);
    let mut damaged = whole.clone();
    damaged[at + 5] ^= 1;
    fs::write(&path, damaged).unwrap();
    SegmentReader::open(&path, Verify::Metadata).expect("a norm is not looked at when a segment is opened");
    let error = SegmentReader::open(&path, Verify::All).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    let expected = format!("[{}]: norms of field [body] at byte {at}: checksum does not match", path.display());
    assert_eq!(error.reason, expected);
}

/// Flips bytes after the checksums were passed by: what a reader of a damaged page meets. Values may be wrong; nothing panics.
#[test]
fn damage_that_was_not_looked_for_never_panics() {
    let directory = TestDirectory::new();
    let segment = write(directory.path(), 7, &sample(60), StoredCodec::Lz4);
    let path = segment.path().to_owned();
    drop(segment);
    let whole = fs::read(&path).unwrap();
    for place in (64..whole.len()).step_by(31) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x55;
        fs::write(&path, &damaged).unwrap();
        let Ok(segment) = SegmentReader::open(&path, Verify::Metadata) else { continue };
        let _ = super::check::check_segment(&segment);
        for document in 0..segment.max_doc() {
            let _ = segment.stored().get(document, &mut super::stored::StoredScratch::default());
        }
    }
}

#[test]
fn an_unfinished_segment_leaves_nothing_behind() {
    let directory = TestDirectory::new();
    let id = super::id::SegmentId { number: 1, uuid: [1; 16] };
    let path = directory.path().join(id.file_name());
    drop(super::writer::SegmentWriter::create(&path, id, super::writer::Format::Plain).unwrap());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_map_outlives_the_removal_of_its_file() {
    let directory = TestDirectory::new();
    let segment = write(directory.path(), 7, &sample(100), StoredCodec::Lz4);
    let before = dump(&segment);
    sync_segment(segment.path()).unwrap();
    fs::remove_file(segment.path()).unwrap();
    assert_eq!(dump(&Arc::clone(&segment)), before);
}

#[test]
fn a_field_that_is_added_twice_is_refused() {
    use super::FieldKind;
    use quarry_postings::PostingsOptions;
    let directory = TestDirectory::new();
    let id = super::id::SegmentId { number: 1, uuid: [1; 16] };
    let mut writer =
        super::writer::SegmentWriter::create(&directory.path().join("_1.seg"), id, super::writer::Format::Plain)
            .unwrap();
    for _ in 0..2 {
        let options = PostingsOptions { freqs: false, positions: false };
        let field = super::writer::FieldSections {
            numeric: Some(super::column::numeric::NumericColumnWriter::new().finish(0)),
            ..super::writer::FieldSections::new("a", FieldKind::Number, options, 0)
        };
        writer.add_field(field).unwrap();
    }
    let empty = || super::column::numeric::NumericColumnWriter::new().finish(0);
    let system = super::writer::SystemSections {
        max_doc: 0,
        ids: super::ids::IdsWriter::new().finish(1),
        seq_nos: empty(),
        versions: empty(),
        primary_terms: empty(),
        stored: super::stored::StoredWriter::new(StoredCodec::Lz4).unwrap().finish(),
        sort: None,
    };
    assert!(writer.finish(system).unwrap_err().reason.contains("[a] was added twice"));
}
