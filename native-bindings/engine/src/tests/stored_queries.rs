//! Queries that documents hold, on their way into segments and through the translog.

use super::harness::{Harness, items, mapping, options};
use crate::Shard;
use crate::stored_queries::PlannedQueries;
use quarry_phases::search::execute;
use quarry_plan as plan;
use serde_json::{Value, json};

fn members() -> Value {
    let field = |name: &str, more: Value| {
        let mut field = json!({
            "name": name, "type": "keyword", "index": true, "doc_values": true, "store": false, "norms": false,
            "index_options": "docs", "analyzer": null, "search_analyzer": null, "search_quote_analyzer": null,
            "position_increment_gap": 100, "normalizer": null, "ignore_above": null, "null_value": null, "format": null,
            "scaling_factor": null, "coerce": true, "ignore_malformed": false, "copy_to": [], "parent": null,
        });
        more.as_object().unwrap().iter().for_each(|(key, value)| field[key] = value.clone());
        field
    };
    json!({"fields": [field("k", json!({})), field("q", json!({"declared_type": "percolator", "doc_values": false}))]})
}

const LINES: [&str; 6] = [
    r#"{"index":{"_id":"1"}}"#,
    r#"{"q": {"term": {"k": "a"}} }"#,
    r#"{"index":{"_id":"2"}}"#,
    r#"{"k":"z"}"#,
    r#"{"index":{"_id":"3"}}"#,
    r#"{"q":{"term":{"gone":"a"}}}"#,
];

fn planned() -> PlannedQueries {
    let plan = |field: &str| json!({"term": {"field": field, "value": "a"}}).to_string();
    serde_json::from_value(json!({"max_clauses": 1024, "plans": [
        [r#"{"term": {"k": "a"}}"#, plan("k")], [r#"{"term":{"gone":"a"}}"#, plan("gone")],
    ], "fetched": []}))
    .unwrap()
}

fn found(shard: &mut Shard) -> Value {
    shard.refresh(1).unwrap();
    let plan = json!({
        "query": {"percolate": {"field": "q", "documents": [r#"{"k":"a"}"#]}}, "size": 10, "track_total_hits": "exact",
        "now_ms": 0, "fetch": {"source": {"enabled": false}},
    });
    let result = execute(shard.view(), &plan::from_json(plan.to_string().as_bytes()).unwrap(), &|| false).unwrap();
    let hits: Value = serde_json::from_slice(&result.hits).unwrap();
    hits["hits"].as_array().unwrap().iter().map(|hit| hit["_id"].clone()).collect()
}

#[test]
fn a_batch_waits_for_plans_and_they_outlive_a_crash() {
    let mut harness = Harness::with_mapping(&members());
    let outcome = harness.outcome(&LINES, 0, false);
    assert_eq!(outcome.processed, 0);
    let texts: Value = serde_json::from_slice(&outcome.unplanned.unwrap()).unwrap();
    assert_eq!(texts, json!({"at_hand": [r#"{"term": {"k": "a"}}"#], "later": [r#"{"term":{"gone":"a"}}"#]}));

    harness.shard.add_query_plans(planned());
    let outcome = harness.outcome(&LINES, 0, false);
    assert!(outcome.unmapped.is_none() && outcome.unplanned.is_none());
    let answers = items(&outcome);
    assert_eq!((&answers[0]["index"]["status"], &answers[1]["index"]["status"]), (&json!(201), &json!(201)));
    let error = &answers[2]["index"]["error"];
    assert_eq!(
        (error["type"].as_str(), error["reason"].as_str()),
        (Some("mapper_parsing_exception"), Some("failed to parse"))
    );
    assert_eq!(error["caused_by"]["reason"], "No field mapping can be found for the field with name [gone]");

    // An update keeps the query, whose plan is still known.
    let update = harness.outcome(&[r#"{"update":{"_id":"1"}}"#, r#"{"doc":{"k":"x"}}"#], 0, false);
    assert_eq!(items(&update)[0]["update"]["result"], "updated");

    let Harness { directory, shard, .. } = harness;
    drop(shard);
    let mut shard = Shard::open(options(directory.path()), mapping(&members()), &json!({})).unwrap();
    assert_eq!(found(&mut shard), json!(["1"]));
}

#[test]
fn fetched_values_are_those_of_their_batch() {
    let mut harness = Harness::with_mapping(&members());
    let text = r#"{"terms":{"k":{"index":"i","id":"1","path":"k"}}}"#;
    let index = |id: u32| [format!(r#"{{"index":{{"_id":"{id}"}}}}"#), format!(r#"{{"q":{text}}}"#)];
    let fetched = |value: &str| -> PlannedQueries {
        let plan = json!({"terms": {"field": "k", "values": [value]}}).to_string();
        serde_json::from_value(json!({"max_clauses": 1024, "plans": [], "fetched": [[text, plan]]})).unwrap()
    };
    let both: Vec<String> = index(1).into_iter().chain(index(2)).collect();
    let lines: Vec<&str> = both.iter().map(String::as_str).collect();
    harness.shard.add_query_plans(fetched("a"));
    assert_eq!(harness.outcome(&lines, 0, false).processed, 2);
    assert!(harness.outcome(&lines[2..], 0, false).unplanned.is_none());
    harness.shard.forget_fetched_plans();
    assert!(harness.outcome(&lines[2..], 0, false).unplanned.is_some());
    harness.shard.add_query_plans(fetched("b"));
    assert!(harness.outcome(&lines[2..], 0, false).unplanned.is_none());
    assert_eq!(found(&mut harness.shard), json!(["1"]));
    let Harness { directory, shard, .. } = harness;
    drop(shard);
    // What the translog has is not fetched again.
    let mut shard = Shard::open(options(directory.path()), mapping(&members()), &json!({})).unwrap();
    assert_eq!(found(&mut shard), json!(["1"]));
}

#[test]
fn the_queries_of_a_document_are_bounded_together() {
    let mut members = members();
    members["fields"][1]["name"] = json!("o.q");
    members["objects"] = json!([{
        "path": "o", "dynamic": "false", "enabled": true, "nested": {"include_in_parent": false, "include_in_root": false},
    }]);
    let mut harness = Harness::with_mapping(&members);
    let text = r#"{"term":{"k":"a"}}"#;
    let plan = json!({"term": {"field": "k", "value": "a".repeat(3 << 20)}}).to_string();
    harness.shard.add_query_plans(
        serde_json::from_value(json!({"max_clauses": 1024, "plans": [[text, plan]], "fetched": []})).unwrap(),
    );
    let document = format!(r#"{{"o":[{}]}}"#, vec![format!(r#"{{"q":{text}}}"#); 30].join(","));
    let answers = harness.bulk(&[r#"{"index":{"_id":"1"}}"#, &document]);
    let why = "the queries of a document take more than [67108864] bytes with that of field [o.q]";
    assert_eq!(answers[0]["index"]["error"]["caused_by"]["reason"], why);
}

#[test]
fn a_document_has_one_query_in_a_field() {
    let mut harness = Harness::with_mapping(&members());
    harness.shard.add_query_plans(planned());
    let answers = harness.bulk(&[
        r#"{"index":{"_id":"1"}}"#,
        r#"{"q":[{"term": {"k": "a"}},{"term": {"k": "a"}}]}"#,
        r#"{"index":{"_id":"2"}}"#,
        r#"{"q":"text"}"#,
        r#"{"index":{"_id":"3"}}"#,
        r#"{"q":null}"#,
        r#"{"index":{"_id":"4"}}"#,
        r#"{"q":[]}"#,
    ]);
    let why = |at: usize| answers[at]["index"]["error"]["caused_by"]["reason"].as_str();
    assert_eq!(why(0), Some("a document can only contain one percolator query"));
    assert_eq!((why(1), why(2)), (Some("[_na] query malformed, must start with start_object"), why(1)));
    assert_eq!(answers[3]["index"]["status"], 201);
}
