//! Shards made of JSON documents, for tests that want to search or aggregate without an engine.

use quarry_analysis::Registry;
use quarry_buffer::{BUFFER_BYTES_DEFAULT, DocumentMeta, IndexBuffer};
use quarry_mapping::Mapping;
use quarry_mapping::document::{Outcome, ParseScratch, parse_document};
use quarry_query::view::ShardView;
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::id::SegmentId;
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::stored::StoredCodec;
pub use quarry_testing::Dice;
pub use quarry_testing::mapping::field;
use quarry_testing::mapping::mapping_spec;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A mapping of these fields that takes no others.
pub fn mapping(fields: Vec<Value>) -> Mapping {
    let spec = serde_json::from_value(mapping_spec(fields)).unwrap();
    Mapping::new(spec, &Registry::from_spec(&json!({})).unwrap()).unwrap()
}

/// What is kept of segments for later searches goes by their ids.
pub fn fresh_uuid() -> [u8; 16] {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Nothing else in a file looks like it.
    (u128::from(NEXT.fetch_add(1, Ordering::Relaxed)) | (0x9e37_79b9_7f4a_7c15 << 64)).to_le_bytes()
}

/// A view of real segment files; they are removed when this is dropped.
pub struct TestShard {
    pub view: ShardView,
    directory: PathBuf,
}

impl TestShard {
    /// One segment for each list of documents, whose ids count up from 0; `deleted` names documents by id.
    pub fn new(mapping: Mapping, segments: &[Vec<Value>], deleted: &[u32]) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let nth = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("quarry-view-{}-{nth}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let mut parts = Vec::new();
        let mut first_id = 0u32;
        for (number, documents) in segments.iter().enumerate() {
            let id = SegmentId { number: number as u64, uuid: fresh_uuid() };
            let path = directory.join(id.file_name());
            write_segment(&mapping, documents, first_id, &path, id);
            let reader = SegmentReader::open(&path, Verify::All).unwrap();
            let mut live = LiveDocs::all_live(reader.max_doc());
            for id in deleted.iter().filter(|id| (first_id..first_id + reader.max_doc()).contains(id)) {
                live.delete(id - first_id);
            }
            first_id += reader.max_doc();
            let live = (live.deleted_count() > 0).then(|| Arc::new(live));
            parts.push((reader, live));
        }
        let registry = Arc::new(Registry::from_spec(&json!({})).unwrap());
        let view = ShardView::new(Arc::from("test"), 0, parts, Arc::new(mapping), registry).unwrap();
        TestShard { view, directory }
    }
}

impl Drop for TestShard {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn write_segment(mapping: &Mapping, documents: &[Value], first_id: u32, path: &std::path::Path, id: SegmentId) {
    let mut buffer = IndexBuffer::new(mapping, StoredCodec::Lz4, BUFFER_BYTES_DEFAULT).unwrap();
    let mut scratch = ParseScratch::new();
    for (place, document) in documents.iter().enumerate() {
        let source = document.to_string();
        let name = (first_id + place as u32).to_string();
        buffer.begin_document();
        let outcome = parse_document(mapping, name.as_str(), source.as_bytes(), &mut buffer, &mut scratch).unwrap();
        assert_eq!(outcome, Outcome::Parsed);
        let meta = DocumentMeta {
            id: name.as_bytes(),
            routing: None,
            seq_no: u64::from(first_id) + place as u64,
            version: 1,
            primary_term: 1,
            source: Some(source.as_bytes()),
        };
        buffer.commit_document(meta).unwrap();
    }
    buffer.flush(path, id).unwrap().unwrap();
}
