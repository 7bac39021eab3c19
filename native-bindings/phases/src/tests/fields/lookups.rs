//! Fields of type `lookup`: hits tell what is to be looked up for them, and nothing else can be done with them.

use crate::reduce::reduce;
use crate::search::{SearchResult, execute, fetch_phase, query_phase};
use crate::tests::fixture::{Shard, field, plan_of, shard};
use quarry_base::error::Result;
use quarry_query::derived::view_of;
use serde_json::{Value, json};

fn books() -> Shard {
    let documents =
        vec![json!({"by": "ann", "n": [1, 2]}), json!({"n": 3}), json!({"by": ["bob", "ann"], "author": "x"})];
    shard(vec![field("by", "keyword", json!({})), field("n", "long", json!({}))], &[(documents, vec![])])
}

fn lookup(name: &str, input: &str) -> Value {
    let lookup = json!({"target_index": "authors", "input_field": input, "target_field": "id",
        "fetch_fields": [{"field": "name"}, {"field": "born", "format": "yyyy"}]});
    json!({"name": name, "lookup": lookup})
}

fn unresolved(values: &[&str]) -> Value {
    json!({"target_index": "authors", "target_field": "id", "values": values,
        "fetch_fields": [{"field": "name"}, {"field": "born", "format": "yyyy"}]})
}

fn with(mut request: Value, runtime: &[Value]) -> Value {
    request["runtime"] = json!(runtime);
    request
}

fn try_search(shard: &Shard, request: &Value) -> Result<SearchResult> {
    let view = view_of(&shard.view, request.to_string().as_bytes(), &|| false)?;
    execute(&view, &plan_of(request), &|| false)
}

fn fields_of(result: &SearchResult) -> Vec<Value> {
    let hits: Value = serde_json::from_slice(&result.hits).unwrap();
    hits["hits"].as_array().unwrap().iter().map(|hit| hit["fields"].clone()).collect()
}

fn showing(fields: &[&str]) -> Value {
    let fields: Vec<Value> = fields.iter().map(|field| json!({"field": field})).collect();
    json!({"fetch": {"source": {"enabled": false}, "fields": fields}})
}

#[test]
fn hits_tell_what_is_to_be_looked_up() {
    let shard = books();
    let request = with(showing(&["author", "n"]), &[lookup("author", "by")]);
    let result = try_search(&shard, &request).unwrap();
    assert!(result.has_lookups);
    let expected = vec![
        json!({"n": [1, 2], "author": unresolved(&["ann"])}),
        json!({"n": [3]}),
        json!({"author": unresolved(&["bob", "ann"])}),
    ];
    assert_eq!(fields_of(&result), expected);
    let view = view_of(&shard.view, request.to_string().as_bytes(), &|| false).unwrap();
    let plan = plan_of(&request);
    let reduced = reduce(&plan, vec![query_phase(&view, &plan, &|| false).unwrap()]).unwrap();
    let fetched = fetch_phase(&view, &plan, &reduced.fetch_list(0).unwrap(), &|| false).unwrap();
    let two_phases = reduced.render(&plan, &[fetched], &[] as &[&[u8]]).unwrap();
    assert_eq!((two_phases.has_lookups, &two_phases.hits), (true, &result.hits));
}

#[test]
fn they_are_told_where_they_are_named_alone() {
    let shard = books();
    let runtime = [lookup("author", "by")];
    let result = try_search(&shard, &with(showing(&["n"]), &runtime)).unwrap();
    assert!(!result.has_lookups);
    let only_second = with(showing(&["author"]), &runtime);
    let query = json!({"term": {"field": "n", "value": 3}});
    let result =
        try_search(&shard, &json!({"query": query, "fetch": only_second["fetch"], "runtime": runtime})).unwrap();
    assert_eq!((result.has_lookups, fields_of(&result)), (false, vec![Value::Null]));
}

#[test]
fn what_they_are_looked_up_by_is_any_field_but_another_of_them() {
    let shard = books();
    let computed = json!({"name": "twice", "type": "long", "context": "long_field",
        "script": {"source": "for (v in doc['n']) { emit(v * 2) } /* lookups */"}});
    let by = |name: &str, input: &str| {
        [lookup(name, input), lookup("other", "author"), lookup("author", "by"), computed.clone()]
    };
    let shown = |input: &str| {
        let found = try_search(&shard, &with(showing(&["of"]), &by("of", input))).unwrap();
        fields_of(&found).first().cloned().unwrap()
    };
    assert_eq!(shown("n"), json!({"of": unresolved(&["1", "2"])}));
    assert_eq!(shown("twice"), json!({"of": unresolved(&["2", "4"])}));
    assert_eq!(shown("_id"), json!({"of": unresolved(&["0"])}));
    assert_eq!(shown("_routing"), Value::Null);
    assert_eq!(shown("author"), Value::Null);
    let missing = try_search(&shard, &with(showing(&["of"]), &by("of", "none"))).unwrap_err();
    assert_eq!(missing.reason, "No field mapping can be found for the field with name [none]");
}

#[test]
fn nothing_else_can_be_done_with_them() {
    let shard = books();
    let query = |query: Value| json!({"query": query});
    let sort = json!({"field": "author", "order": "asc", "missing": "last"});
    for (request, why) in [
        (
            query(json!({"term": {"field": "author", "value": "x"}})),
            "Cannot search on field [author] since it is a lookup field.",
        ),
        (
            query(json!({"terms": {"field": "author", "values": ["x"]}})),
            "Cannot search on field [author] since it is a lookup field.",
        ),
        (
            query(json!({"match": {"field": "author", "query": "x"}})),
            "Field [author] of type [lookup] does not support match queries",
        ),
        (
            query(json!({"range": {"field": "author", "from": {"value": "a", "inclusive": true}}})),
            "Field [author] of type [lookup] does not support range queries",
        ),
        (query(json!({"wildcard": {"field": "author", "value": "x*"}})), "not on [author] which is of type [lookup]"),
        (json!({"sort": [{"field": sort}]}), "Fielddata is not supported on field [author] of type [lookup]"),
        (json!({"collapse": "author"}), "collapse is not supported for the field [author] of the type [lookup]"),
    ] {
        let error = try_search(&shard, &with(request.clone(), &[lookup("author", "by")])).expect_err("a refusal");
        assert!(error.reason.contains(why), "{request}: {error}");
    }
    let exists = with(query(json!({"exists": {"field": "author"}})), &[lookup("author", "by")]);
    assert!(fields_of(&try_search(&shard, &exists).unwrap()).is_empty());
}
