//! A shard in a directory of its own, driven by bulk bodies.

use crate::Shard;
use crate::config::ShardOptions;
use crate::items::split::{SplitOptions, split_bulk};
use crate::reads::get::{GetOptions, GetResult};
use crate::writes::bulk::{BulkOutcome, BulkRequest};
use quarry_base::error::Result;
use quarry_base::limits::SHARD_DOCUMENTS_MAX;
use quarry_mapping::spec::MappingSpec;
use quarry_query::view::ShardView;
use quarry_segment::stored::{Record, StoredScratch};
use quarry_testing::directory::TestDirectory;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

pub fn options(directory: &Path) -> ShardOptions {
    serde_json::from_value(json!({
        "directory": directory, "index": "test", "indexUuid": "uuid", "shard": 0, "primaryTerm": 1,
        "settings": {
            "durability": "request", "flushThresholdBytes": 1 << 20, "generationThresholdBytes": 1 << 20,
            "gcDeletesMs": 1000, "codec": "default", "replicas": 1,
        },
        "bufferBytes": 1 << 20,
    }))
    .unwrap()
}

fn field(name: &str, field_type: &str) -> Value {
    json!({
        "name": name, "type": field_type, "index": true, "doc_values": field_type != "text", "store": name == "kept",
        "norms": field_type == "text", "index_options": if field_type == "text" { "positions" } else { "docs" },
        "analyzer": if field_type == "text" { json!("standard") } else { Value::Null },
        "search_analyzer": null, "search_quote_analyzer": null, "position_increment_gap": 100, "normalizer": null,
        "ignore_above": null, "null_value": null, "format": null, "scaling_factor": null, "coerce": true,
        "ignore_malformed": false, "copy_to": [], "parent": null,
    })
}

/// A mapping of text `t`, keyword `k`, long `n`, stored keyword `kept`, and whatever is given.
pub fn mapping(members: &Value) -> MappingSpec {
    let mut fields = vec![field("t", "text"), field("k", "keyword"), field("n", "long"), field("kept", "keyword")];
    for name in members["more"].as_array().into_iter().flatten() {
        fields.push(field(name.as_str().unwrap(), "long"));
    }
    let mut spec = json!({
        "version": 1, "dynamic": "true", "date_detection": true, "numeric_detection": false, "dynamic_date_formats": [],
        "source_enabled": true, "source_includes": [], "source_excludes": [], "routing_required": false,
        "fields": fields, "objects": [], "depth_limit": 20,
    });
    for (key, value) in members.as_object().unwrap().iter().filter(|(key, _)| *key != "more") {
        spec[key] = value.clone();
    }
    serde_json::from_value(spec).unwrap()
}

pub fn open(directory: &TestDirectory) -> Result<Shard> {
    Opening::default().open(directory.path())
}

/// What a shard is opened with beside what all have.
#[derive(Debug, Clone)]
pub struct Opening {
    /// Of the mapping.
    pub members: Value,
    /// What the documents of segments are sorted by, as shards are told it.
    pub sort: Value,
    pub documents_max: u32,
}

impl Default for Opening {
    fn default() -> Self {
        Opening { members: json!({}), sort: json!([]), documents_max: SHARD_DOCUMENTS_MAX }
    }
}

impl Opening {
    pub fn options(&self, directory: &Path) -> ShardOptions {
        let mut options = options(directory);
        options.settings.sort = serde_json::from_value(self.sort.clone()).unwrap();
        options.documents_max = self.documents_max;
        options
    }

    pub fn open(&self, directory: &Path) -> Result<Shard> {
        Shard::open(self.options(directory), mapping(&self.members), &json!({}))
    }
}

pub struct Harness {
    pub directory: TestDirectory,
    pub shard: Shard,
    pub now_ms: u64,
    opening: Opening,
}

impl Harness {
    pub fn new() -> Self {
        Self::with_mapping(&json!({}))
    }

    pub fn with_mapping(members: &Value) -> Self {
        Self::create(Opening { members: members.clone(), ..Opening::default() })
    }

    pub fn sorted_by(sort: Value) -> Self {
        Self::create(Opening { sort, ..Opening::default() })
    }

    pub fn create(opening: Opening) -> Self {
        let directory = TestDirectory::new();
        let options = opening.options(directory.path());
        let shard = Shard::create(options, mapping(&opening.members), &json!({})).unwrap();
        Harness { opening, ..Self::of(directory, shard) }
    }

    /// A shard of the usual mapping that was made some other way.
    pub fn of(directory: TestDirectory, shard: Shard) -> Self {
        Harness { directory, shard, now_ms: 1_000_000, opening: Opening::default() }
    }

    /// Runs the lines as a bulk on the index; the body gets its newlines here.
    pub fn outcome(&mut self, lines: &[&str], from: usize, bare: bool) -> BulkOutcome {
        self.with_request(lines, from, bare, |shard, request| shard.bulk(request)).unwrap()
    }

    /// What of the lines' new fields would stay under this mapping.
    pub fn fields_taken(&mut self, lines: &[&str], from: usize, members: &Value) -> Result<Value> {
        let json =
            self.with_request(lines, from, false, |shard, request| shard.fields_taken(mapping(members), request))?;
        Ok(serde_json::from_slice(&json).unwrap())
    }

    fn with_request<T>(
        &mut self,
        lines: &[&str],
        from: usize,
        bare: bool,
        run: impl FnOnce(&mut Shard, &BulkRequest<'_>) -> Result<T>,
    ) -> Result<T> {
        let body = lines.join("\n") + "\n";
        let options = SplitOptions { index: Some("test".into()), ..SplitOptions::default() };
        let split = split_bulk(body.as_bytes(), &options, b"eleven byte").unwrap();
        let selection: Vec<u32> = (0..split.items.len() as u32).collect();
        let request = BulkRequest {
            body: body.as_bytes(),
            descriptors: &split.items.words,
            strings: &split.items.strings,
            selection: &selection,
            from,
            now_ms: self.now_ms,
            forced_refresh: false,
            bare,
        };
        run(&mut self.shard, &request)
    }

    /// The parsed items.
    pub fn bulk(&mut self, lines: &[&str]) -> Vec<Value> {
        let outcome = self.outcome(lines, 0, false);
        assert!(outcome.unmapped.is_none());
        items(&outcome)
    }

    pub fn get(&mut self, id: &str, options: &str) -> Result<GetResult> {
        let options: GetOptions = serde_json::from_str(options).unwrap();
        self.shard.get(id, &options)
    }

    pub fn get_json(&mut self, id: &str, options: &str) -> Value {
        serde_json::from_slice(&self.get(id, options).unwrap().body).unwrap()
    }

    pub fn sync(&self) {
        self.shard.sync_state().sync_now().unwrap();
    }

    /// The directory as a crash of the process would leave it now: what was logged is in its files, synced or not.
    pub fn copy(&self) -> TestDirectory {
        self.shard.sync_state().wait_for_queue();
        self.directory.copy()
    }

    /// Stops without a flush, then recovers what is on disk: everything that was logged.
    pub fn crash(self) -> Self {
        let Harness { directory, shard, now_ms, opening } = self;
        drop(shard);
        let shard = opening.open(directory.path()).unwrap();
        Harness { directory, shard, now_ms, opening }
    }
}

pub fn items(outcome: &BulkOutcome) -> Vec<Value> {
    let mut start = 0;
    let mut parsed = Vec::new();
    for &end in &outcome.ends {
        parsed.push(serde_json::from_slice(&outcome.items[start..end as usize]).unwrap());
        start = end as usize;
    }
    assert_eq!(start, outcome.items.len());
    parsed
}

/// What searches see: version, sequence number and source by id; no id may come twice.
pub fn searchable(shard: &Shard) -> BTreeMap<String, (u64, u64, String)> {
    searchable_in(shard.view())
}

pub fn searchable_in(view: &ShardView) -> BTreeMap<String, (u64, u64, String)> {
    let mut documents = BTreeMap::new();
    let mut scratch = StoredScratch::default();
    for segment in view.segments.iter() {
        let reader = &segment.reader;
        for doc in 0..segment.max_doc() {
            if segment.live.as_ref().is_some_and(|live| !live.is_live(doc)) {
                continue;
            }
            let id = String::from_utf8(reader.ids().get(doc).to_vec()).unwrap();
            let record = Record::parse(reader.stored().get(doc, &mut scratch).unwrap()).unwrap();
            let source = String::from_utf8(record.source().unwrap().to_vec()).unwrap();
            let version = reader.versions().first(doc).unwrap() as u64;
            let seq_no = reader.seq_nos().first(doc).unwrap() as u64;
            assert!(documents.insert(id, (version, seq_no, source)).is_none(), "a document is there twice");
        }
    }
    documents
}
