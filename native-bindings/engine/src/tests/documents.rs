//! Answers to single writes and reads, as the API gives them.

use super::harness::{Harness, items, mapping, searchable};
use serde_json::{Value, json};

fn error_of(item: &Value, action: &str) -> (u64, String, String) {
    let item = &item[action];
    let text = |name: &str| item["error"][name].as_str().unwrap().to_string();
    (item["status"].as_u64().unwrap(), text("type"), text("reason"))
}

#[test]
fn writes_are_answered_as_the_api_does() {
    let mut harness = Harness::new();
    let answers = harness.bulk(&[
        r#"{"index":{"_id":"1"}}"#,
        r#"{"n":1}"#,
        r#"{"index":{"_id":"1"}}"#,
        r#"{"n":2}"#,
        r#"{"create":{"_id":"1"}}"#,
        r#"{"n":3}"#,
        r#"{"delete":{"_id":"1"}}"#,
        r#"{"delete":{"_id":"1"}}"#,
        r#"{"create":{"_id":"1"}}"#,
        r#"{"n":4}"#,
    ]);
    assert_eq!(
        answers[0],
        json!({"index": {
            "_index": "test", "_id": "1", "_version": 1, "result": "created",
            "_shards": {"total": 2, "successful": 1, "failed": 0}, "_seq_no": 0, "_primary_term": 1, "status": 201,
        }})
    );
    let short = |at: usize, action: &str| {
        let item = &answers[at][action];
        (item["result"].as_str().unwrap(), item["_version"].as_u64().unwrap(), item["status"].as_u64().unwrap())
    };
    assert_eq!(short(1, "index"), ("updated", 2, 200));
    assert_eq!(short(3, "delete"), ("deleted", 3, 200));
    assert_eq!(short(4, "delete"), ("not_found", 4, 404));
    assert_eq!(short(5, "create"), ("created", 5, 201));
    let conflict = &answers[2]["create"];
    assert_eq!(conflict["status"], 409);
    assert_eq!(
        conflict["error"],
        json!({
            "type": "version_conflict_engine_exception",
            "reason": "[1]: version conflict, document already exists (current version [2])",
            "index_uuid": "uuid", "shard": "0", "index": "test",
        })
    );
}

#[test]
fn a_refused_document_leaves_nothing_behind() {
    let mut harness = Harness::new();
    let answers = harness.bulk(&[
        r#"{"index":{"_id":"1"}}"#,
        r#"{"k":"a","n":"no number"}"#,
        r#"{"index":{"_id":"2"}}"#,
        r#"{"k":"#,
        r#"{"index":{"_id":""}}"#,
        r#"{}"#,
        r#"{"index":{"_id":"3"}}"#,
        r#"{"k":"c"}"#,
    ]);
    let (status, kind, _) = error_of(&answers[0], "index");
    assert_eq!((status, kind.as_str()), (400, "mapper_parsing_exception"));
    assert_eq!(error_of(&answers[1], "index").0, 400);
    assert_eq!(error_of(&answers[2], "index").2, "if _id is specified it must not be empty");
    assert_eq!(answers[3]["index"]["_seq_no"], 0);
    assert!(harness.shard.refresh(harness.now_ms).unwrap());
    assert_eq!(searchable(&harness.shard).keys().collect::<Vec<_>>(), ["3"]);
}

#[test]
fn updates_merge_upsert_and_notice_when_nothing_changes() {
    let mut harness = Harness::new();
    let answers = harness.bulk(&[
        r#"{"update":{"_id":"1"}}"#,
        r#"{"doc":{"n":1}}"#,
        r#"{"update":{"_id":"1"}}"#,
        r#"{"doc":{"n":1},"upsert":{"n":7,"k":"x"},"_source":["n"]}"#,
        r#"{"update":{"_id":"1"}}"#,
        r#"{"doc":{"n":8},"_source":true}"#,
        r#"{"update":{"_id":"1"}}"#,
        r#"{"doc":{"n":8}}"#,
        r#"{"update":{"_id":"1"}}"#,
        r#"{"doc":{"n":8},"detect_noop":false}"#,
        r#"{"update":{"_id":"2"}}"#,
        r#"{"doc":{"n":9},"doc_as_upsert":true}"#,
        r#"{"update":{"_id":"2","if_seq_no":99,"if_primary_term":1}}"#,
        r#"{"doc":{"n":10}}"#,
    ]);
    assert_eq!(
        error_of(&answers[0], "update"),
        (404, "document_missing_exception".into(), "[1]: document missing".into())
    );
    let update = |at: usize| &answers[at]["update"];
    assert_eq!((&update(1)["result"], &update(1)["get"]["_source"]), (&json!("created"), &json!({"n": 7})));
    assert_eq!(update(2)["result"], "updated");
    assert_eq!(
        update(2)["get"],
        json!({"_seq_no": 1, "_primary_term": 1, "found": true, "_source": {"n": 8, "k": "x"}})
    );
    assert_eq!((&update(3)["result"], &update(3)["_version"]), (&json!("noop"), &json!(2)));
    assert_eq!(update(3)["_shards"], json!({"total": 0, "successful": 0, "failed": 0}));
    assert_eq!((&update(4)["result"], &update(4)["_version"]), (&json!("updated"), &json!(3)));
    assert_eq!((&update(5)["result"], &update(5)["status"]), (&json!("created"), &json!(201)));
    assert_eq!(error_of(&answers[6], "update").0, 409);
}

#[test]
fn an_update_finds_the_document_and_its_routing_wherever_it_is() {
    let mut harness = Harness::new();
    harness.bulk(&[r#"{"index":{"_id":"1","routing":"r"}}"#, r#"{"n":1}"#]);
    for step in 0..4 {
        if step == 1 {
            harness.shard.refresh(harness.now_ms).unwrap();
        }
        let document = format!(r#"{{"doc":{{"k":"{step}"}}}}"#);
        harness.bulk(&[r#"{"update":{"_id":"1"}}"#, &document]);
        let got = harness.get_json("1", "{}");
        assert_eq!((&got["_routing"], &got["_source"]), (&json!("r"), &json!({"n": 1, "k": step.to_string()})));
    }
    harness.shard.refresh(harness.now_ms).unwrap();
    assert_eq!(searchable(&harness.shard).len(), 1);
}

#[test]
fn reads_are_realtime_unless_asked_otherwise() {
    let mut harness = Harness::new();
    harness.bulk(&[r#"{"index":{"_id":"1"}}"#, r#"{"kept":["a","b"],"n":1,"k":"x"}"#]);
    assert_eq!(
        harness.get_json("1", "{}"),
        json!({"_index": "test", "_id": "1", "_version": 1, "_seq_no": 0, "_primary_term": 1, "found": true,
               "_source": {"kept": ["a", "b"], "n": 1, "k": "x"}})
    );
    assert_eq!(harness.get_json("1", r#"{"realtime":false}"#), json!({"_index": "test", "_id": "1", "found": false}));
    harness.shard.refresh(harness.now_ms).unwrap();
    assert_eq!(harness.get_json("1", r#"{"realtime":false}"#)["found"], true);
    assert_eq!(harness.get_json("1", r#"{"source":"k"}"#)["_source"], json!({"k": "x"}));
    let fields = harness.get_json("1", r#"{"storedFields":["kept","n"]}"#);
    assert_eq!((&fields["fields"], &fields["_source"]), (&json!({"kept": ["a", "b"]}), &Value::Null));
    assert_eq!(harness.get("1", r#"{"sourceOnly":true,"source":["n"]}"#).unwrap().body, br#"{"n":1}"#);
    assert!(!harness.get("2", r#"{"sourceOnly":true}"#).unwrap().found);
    let conflict = harness.get("1", r#"{"version":2}"#).unwrap_err();
    assert_eq!(conflict.reason, "[1]: version conflict, current version [1] is different than the one provided [2]");
    harness.bulk(&[r#"{"delete":{"_id":"1"}}"#]);
    assert_eq!(harness.get_json("1", "{}")["found"], false);
    assert_eq!(harness.get_json("1", r#"{"realtime":false}"#)["found"], true);
}

#[test]
fn external_versions_hold_across_deletion_and_refresh() {
    let mut harness = Harness::new();
    let index = |version: u64| format!(r#"{{"index":{{"_id":"1","version":{version},"version_type":"external"}}}}"#);
    let delete = |version: u64| format!(r#"{{"delete":{{"_id":"1","version":{version},"version_type":"external"}}}}"#);
    assert_eq!(harness.bulk(&[&index(5), "{}"])[0]["index"]["_version"], 5);
    assert_eq!(harness.bulk(&[&index(5), "{}"])[0]["index"]["status"], 409);
    assert_eq!(harness.bulk(&[&delete(7)])[0]["delete"]["_version"], 7);
    harness.shard.refresh(harness.now_ms).unwrap();
    assert_eq!(harness.bulk(&[&index(6), "{}"])[0]["index"]["status"], 409);
    // Long after, the deletion is forgotten.
    harness.now_ms += 10_000;
    harness.bulk(&[r#"{"index":{"_id":"2"}}"#, "{}"]);
    harness.shard.refresh(harness.now_ms).unwrap();
    assert_eq!(harness.bulk(&[&index(6), "{}"])[0]["index"]["status"], 201);
}

#[test]
fn a_batch_stops_before_a_document_with_new_fields_and_goes_on_after_the_mapping_has_them() {
    let mut harness = Harness::new();
    let lines = [
        r#"{"index":{"_id":"1"}}"#,
        r#"{"n":1}"#,
        r#"{"index":{"_id":"2"}}"#,
        r#"{"new":2}"#,
        r#"{"index":{"_id":"3"}}"#,
        r#"{"newer":true}"#,
    ];
    let outcome = harness.outcome(&lines, 0, false);
    assert_eq!((outcome.processed, outcome.ends.len()), (1, 1));
    let unmapped: Value = serde_json::from_slice(&outcome.unmapped.unwrap()).unwrap();
    assert_eq!(unmapped, json!([{"path": "new", "kind": "long"}, {"path": "newer", "kind": "boolean"}]));
    harness.shard.update_mapping(mapping(&json!({"more": ["new"], "dynamic": "false", "version": 2}))).unwrap();
    let outcome = harness.outcome(&lines, outcome.processed, true);
    assert_eq!((outcome.processed, outcome.unmapped), (3, None));
    assert_eq!(items_bare(&outcome.items, &outcome.ends)[0]["_seq_no"], 1);
    harness.shard.refresh(harness.now_ms).unwrap();
    assert_eq!(searchable(&harness.shard).len(), 3);
}

#[test]
fn documents_that_are_refused_bring_no_fields() {
    let mut harness = Harness::new();
    let lines = [
        r#"{"index":{"_id":"1"}}"#,
        r#"{"new":2}"#,
        r#"{"index":{"_id":"2"}}"#,
        r#"{"newer":true,"new":"a"}"#,
        r#"{"index":{"_id":"3"}}"#,
        r#"{"newest":4}"#,
    ];
    let with_all = json!({"more": ["new", "newest"], "version": 2});
    let taken = harness.fields_taken(&lines, 0, &with_all).unwrap();
    assert_eq!(taken, json!([{"path": "new", "kind": "long"}, {"path": "newest", "kind": "long"}]));
    let refusal = harness.fields_taken(&lines, 1, &with_all).unwrap_err();
    assert!(refusal.reason.contains("failed to parse field [new] of type [long] in document with id '2'"));
    let outcome = harness.outcome(&lines, 0, false);
    assert_eq!((outcome.processed, outcome.unmapped.is_some()), (0, true), "nothing was written or changed");
}

fn items_bare(bytes: &[u8], ends: &[u32]) -> Vec<Value> {
    let outcome = crate::writes::bulk::BulkOutcome {
        items: bytes.to_vec(),
        ends: ends.to_vec(),
        ..crate::writes::bulk::BulkOutcome::default()
    };
    items(&outcome)
}

#[test]
fn a_required_routing_is_demanded_of_writes_and_reads() {
    let mut harness = Harness::with_mapping(&json!({"routing_required": true}));
    let answers = harness.bulk(&[r#"{"index":{"_id":"1"}}"#, "{}", r#"{"index":{"_id":"1","routing":"r"}}"#, "{}"]);
    assert_eq!(
        error_of(&answers[0], "index"),
        (400, "routing_missing_exception".into(), "routing is required for [test]/[1]".into())
    );
    assert_eq!(answers[1]["index"]["status"], 201);
    assert!(harness.get("1", "{}").is_err());
    assert!(harness.get("1", r#"{"routing":"r"}"#).unwrap().found);
}

#[test]
fn the_source_is_kept_as_the_mapping_says() {
    let mut harness = Harness::with_mapping(&json!({"source_excludes": ["k"]}));
    harness.bulk(&[r#"{"index":{"_id":"1"}}"#, r#"{"k":"a","n":1}"#]);
    assert_eq!(harness.get_json("1", "{}")["_source"], json!({"n": 1}));
    let mut harness = Harness::with_mapping(&json!({"source_enabled": false}));
    let answers = harness.bulk(&[r#"{"index":{"_id":"1"}}"#, "{}", r#"{"update":{"_id":"1"}}"#, r#"{"doc":{"n":1}}"#]);
    assert_eq!(error_of(&answers[1], "update").1, "document_source_missing_exception");
    assert_eq!(harness.get_json("1", "{}")["_source"], Value::Null);
    assert!(!harness.get("1", r#"{"sourceOnly":true}"#).unwrap().found);
}

#[test]
fn a_full_buffer_becomes_a_segment_in_the_middle_of_a_batch() {
    let mut harness = Harness::new();
    let document = format!(r#"{{"t":"{}"}}"#, "many different words 1 2 3 ".repeat(400));
    let ids: Vec<String> = (0..400).map(|id| format!(r#"{{"index":{{"_id":"{id}"}}}}"#)).collect();
    let lines: Vec<&str> = ids.iter().flat_map(|line| [line.as_str(), document.as_str()]).collect();
    let outcome = harness.outcome(&lines, 0, false);
    assert_eq!(outcome.failed, 0);
    assert_eq!(items(&outcome).len(), 400);
    harness.shard.refresh(harness.now_ms).unwrap();
    assert!(harness.shard.view().segments.len() > 1);
    assert_eq!(searchable(&harness.shard).len(), 400);
}
