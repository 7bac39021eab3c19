//! A shard made of JSON documents, and searches of it.

use crate::search::{SearchResult, execute};
use quarry_analysis::Registry;
use quarry_base::error::Result;
use quarry_buffer::{BUFFER_BYTES_DEFAULT, DocumentMeta, IndexBuffer};
use quarry_mapping::Mapping;
use quarry_mapping::document::stored_query::IndexedQuery;
use quarry_mapping::document::{DocumentHead, Outcome, ParseScratch, parse_document, parse_with_queries};
use quarry_mapping::index_sort;
use quarry_mapping::index_sort::SortFieldSpec;
use quarry_percolate::accept::accept;
use quarry_percolate::stored;
use quarry_plan as plan;
use quarry_plan::request::{SearchLimits, SearchPlan};
use quarry_query::view::ShardView;
use quarry_query::weight::Above;
use quarry_query::weight::QueryEnv;
use quarry_script as script;
use quarry_script::ScriptSettings;
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::id::SegmentId;
use quarry_segment::merge::{MergeControl, MergeInput, merge};
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::stored::StoredCodec;
use quarry_shards::fresh_uuid;
use quarry_testing::directory::TestDirectory;
use serde_json::{Value, json};
use std::sync::{Arc, Once};

/// The moment `now` stands for: 2020-01-02T03:04:05Z.
pub const NOW_MS: i64 = 1_577_934_245_000;

pub fn field(name: &str, kind: &str, more: Value) -> Value {
    let mut field = json!({
        "name": name, "type": kind, "index": true, "doc_values": kind != "text", "store": false, "norms": kind == "text",
        "index_options": if kind == "text" { "positions" } else { "docs" }, "analyzer": null, "search_analyzer": null,
        "search_quote_analyzer": null, "position_increment_gap": 100, "normalizer": null, "ignore_above": null,
        "null_value": null, "format": null, "scaling_factor": null, "coerce": true, "ignore_malformed": false,
        "copy_to": [], "parent": null,
    });
    if kind == "date" || kind == "date_nanos" {
        field["format"] = json!("strict_date_optional_time||epoch_millis");
    }
    for (key, value) in more.as_object().unwrap() {
        field[key] = value.clone();
    }
    field
}

/// A shard and the directory its segments are in.
pub struct Shard {
    pub view: ShardView,
    _directory: TestDirectory,
}

/// `segments` holds the documents of each segment (`_id` is a number from 0 over all of them) and which are deleted.
pub fn shard(fields: Vec<Value>, segments: &[(Vec<Value>, Vec<u32>)]) -> Shard {
    shard_with(fields, Vec::new(), segments)
}

/// As [`shard`], with objects of the mapping.
pub fn shard_with(fields: Vec<Value>, objects: Vec<Value>, segments: &[(Vec<Value>, Vec<u32>)]) -> Shard {
    let mut ids = 0..;
    let mut numbered = |documents: &[Value]| ids.by_ref().zip(documents.iter().cloned()).collect();
    let segments: Vec<_> = segments.iter().map(|(documents, deleted)| (numbered(documents), deleted.clone())).collect();
    sorted_shard(fields, objects, &json!([]), &segments)
}

/// All tests of a process compile more scripts in a few minutes than a node may.
fn lift_compilation_limit() {
    static LIFTED: Once = Once::new();
    LIFTED.call_once(|| script::configure(ScriptSettings { max_compilations: None, ..ScriptSettings::default() }));
}

/// Documents and their `_id`s, and which of them, by their place, are deleted.
pub type NumberedSegment = (Vec<(u64, Value)>, Vec<u32>);

/// As [`shard_with`], with what documents are sorted by (an index's `sort` as the shard gets it) and ids that are given.
pub fn sorted_shard(fields: Vec<Value>, objects: Vec<Value>, sort: &Value, segments: &[NumberedSegment]) -> Shard {
    lift_compilation_limit();
    let directory = TestDirectory::new();
    let registry = Arc::new(
        Registry::from_spec(&json!({"normalizer": {"lower": {"type": "custom", "filter": ["lowercase"]}}})).unwrap(),
    );
    let spec = json!({
        "version": 1, "dynamic": "false", "date_detection": true, "numeric_detection": false, "dynamic_date_formats": [],
        "source_enabled": true, "source_includes": [], "source_excludes": [], "routing_required": false, "fields": fields,
        "objects": objects, "depth_limit": 20,
        "nested_objects_limit": 100_000,
    });
    let mapping = Arc::new(Mapping::new(serde_json::from_value(spec).unwrap(), &registry).unwrap());
    let specs: Vec<SortFieldSpec> = serde_json::from_value(sort.clone()).unwrap();
    let sort = index_sort::resolve(&specs, &mapping).unwrap();
    let mut opened = Vec::new();
    for (number, (documents, deleted)) in segments.iter().enumerate() {
        let mut buffer = IndexBuffer::new(&mapping, StoredCodec::Lz4, BUFFER_BYTES_DEFAULT).unwrap();
        buffer = buffer.sorted_by(sort.clone());
        let mut scratch = ParseScratch::new();
        for (number, document) in documents {
            let source = serde_json::to_vec(document).unwrap();
            let id = number.to_string();
            buffer.begin_document();
            let head = DocumentHead { id: &id, has_routing: true };
            let outcome = parse_document(&mapping, head, &source, &mut buffer, &mut scratch).unwrap();
            assert_eq!(outcome, Outcome::Parsed);
            if !scratch.stored_queries.is_empty() {
                buffer.rollback_document();
                buffer.begin_document();
                let sink = (&mut buffer, indexed_queries(&mapping, &registry, &scratch));
                parse_with_queries(&mapping, head, &source, sink, &mut scratch).unwrap();
            }
            let meta = DocumentMeta {
                id: id.as_bytes(),
                routing: None,
                seq_no: *number,
                version: 1,
                primary_term: 1,
                source: Some(&source),
            };
            buffer.commit_document(meta).unwrap();
        }
        let path = directory.path().join(format!("{number}.seg"));
        let id = SegmentId { number: number as u64, uuid: fresh_uuid() };
        let summary = buffer.flush(&path, id).unwrap().unwrap();
        let reader = SegmentReader::open(&path, Verify::All).unwrap();
        let is_root = |doc: &u32| reader.nested().is_none_or(|nested| nested.roots().contains(*doc));
        let roots: Vec<u32> = (0..reader.max_doc()).filter(is_root).collect();
        let mut live = LiveDocs::all_live(reader.max_doc());
        for &doc in deleted {
            let root = roots[summary.document_of(doc) as usize];
            // Random deletions name a document more than once.
            for part in reader.block_start(root)..=root {
                live.delete(part);
            }
        }
        let live = (!deleted.is_empty()).then(|| Arc::new(live));
        opened.push((reader, live));
    }
    let view = ShardView::new("test".into(), 0, opened, mapping, registry).unwrap();
    Shard { view, _directory: directory }
}

/// Queries of percolator fields, which are plans already.
fn indexed_queries(mapping: &Arc<Mapping>, registry: &Arc<Registry>, scratch: &ParseScratch) -> Vec<IndexedQuery> {
    let view = ShardView::new("test".into(), 0, [], Arc::clone(mapping), Arc::clone(registry)).unwrap();
    let env =
        QueryEnv { now_ms: NOW_MS, limits: SearchLimits::default(), is_cancelled: &|| false, above: Above::NOTHING };
    let indexed = scratch.stored_queries.iter().map(|query| {
        let terms = accept(&view, &env, &query.json).unwrap();
        IndexedQuery { terms, kept: stored::write(&query.json) }
    });
    indexed.collect()
}

/// The same shard with its segments merged to one, or to none where all documents are deleted.
pub fn merged(shard: Shard) -> Shard {
    let Shard { view, _directory: directory } = shard;
    let inputs: Vec<MergeInput> = view
        .segments
        .iter()
        .map(|segment| MergeInput { segment: Arc::clone(&segment.reader), live: segment.deletions.clone() })
        .collect();
    let path = directory.path().join("merged.seg");
    let id = SegmentId { number: 99, uuid: fresh_uuid() };
    let result = merge(&inputs, &path, id, StoredCodec::Lz4, &MergeControl::default()).unwrap();
    let segment = (result.max_doc > 0).then(|| (SegmentReader::open(&path, Verify::All).unwrap(), None));
    let view = ShardView::new("test".into(), 0, segment, view.mapping, view.analysis).unwrap();
    Shard { view, _directory: directory }
}

/// A plan of the request's members over the defaults.
pub fn plan_of(request: &Value) -> SearchPlan {
    let mut plan = json!({
        "query": {"match_all": {}}, "size": 10, "track_total_hits": "exact", "now_ms": NOW_MS,
        "fetch": {"source": {"enabled": false}},
    });
    for (key, value) in request.as_object().unwrap() {
        plan[key] = value.clone();
    }
    plan::from_json(plan.to_string().as_bytes()).unwrap()
}

pub fn try_search(shard: &Shard, request: &Value) -> Result<SearchResult> {
    execute(&shard.view, &plan_of(request), &|| false)
}

/// The `hits` object.
pub fn search(shard: &Shard, request: &Value) -> Value {
    let result = try_search(shard, request).unwrap_or_else(|error| panic!("{request}: {error}"));
    serde_json::from_slice(&result.hits).unwrap()
}

/// The `_id`s of the hits, in order.
pub fn ids(hits: &Value) -> Vec<u32> {
    let id = |hit: &Value| hit["_id"].as_str().unwrap().parse().unwrap();
    hits["hits"].as_array().unwrap().iter().map(id).collect()
}

/// The `_id`s that a query finds, ascending.
pub fn found(shard: &Shard, query: Value) -> Vec<u32> {
    let mut found = ids(&search(shard, &json!({"query": query, "size": 1000})));
    found.sort_unstable();
    found
}

pub fn error_of(shard: &Shard, request: &Value) -> String {
    try_search(shard, request).expect_err("a refusal").to_string()
}
