//! Highlights of each kind, with known answers.

use super::fixture::{Shard, error_of, field, search, shard};
use serde_json::{Value, json};

const FOX: &str = "The quick brown fox is brown.";
const LONG: &str = "The first sentence speaks of nothing at all. Then a quick fox comes along, and jumps over a lazy dog. \
    Nobody saw it. The end of the story is that the fox was quick, and that the dog slept.";

fn library() -> Shard {
    let fields = vec![
        field("text", "text", json!({"analyzer": "standard"})),
        field("vector", "text", json!({"analyzer": "standard", "term_vectors": true})),
        field("stop", "text", json!({"analyzer": "stop"})),
        field("stop.plain", "text", json!({"analyzer": "standard", "parent": "stop"})),
        field("tag", "keyword", json!({"ignore_above": 5})),
    ];
    let documents = vec![
        json!({"text": FOX, "vector": FOX, "stop": "What jumps over the lazy dog?", "tag": ["fox", "much too long"]}),
        json!({"text": [LONG, "a <b>fox</b> again"], "vector": LONG}),
    ];
    shard(fields, &[(documents, vec![])])
}

fn highlight(shard: &Shard, query: Value, field: &str, options: Value) -> Vec<Value> {
    let mut plan = json!({
        "field": field, "kind": "unified", "pre_tags": ["<em>"], "post_tags": ["</em>"], "fragment_size": 100,
        "number_of_fragments": 5, "by_score": false, "html": false, "require_field_match": true, "no_match_size": 0,
        "boundary": "sentence", "boundary_chars": ".,!? \t\n", "boundary_max_scan": 20, "fragmenter": "span",
    });
    for (name, value) in options.as_object().unwrap() {
        plan[name] = value.clone();
    }
    let fetch = json!({"source": {"enabled": false}, "highlight": {"fields": [plan], "max_analyzed_offset": 1000}});
    let hits = search(shard, &json!({"query": query, "fetch": fetch}));
    hits["hits"].as_array().unwrap().iter().map(|hit| hit["highlight"].clone()).collect()
}

fn of(shard: &Shard, id: &str, query: Value, field: &str, options: Value) -> Value {
    let both = json!({"bool": {"must": [query], "filter": [{"ids": {"values": [id]}}]}});
    highlight(shard, both, field, options).first().cloned().unwrap_or_default()[field].clone()
}

fn matching(field: &str, text: &str) -> Value {
    json!({"match": {"field": field, "query": text}})
}

fn phrase(field: &str, text: &str, slop: u32) -> Value {
    json!({"match_phrase": {"field": field, "query": text, "slop": slop}})
}

#[test]
fn unified_passages() {
    let shard = library();
    let marked = "The <em>quick</em> <em>brown</em> <em>fox</em> is <em>brown</em>.";
    assert_eq!(of(&shard, "0", matching("text", "quick brown fox"), "text", json!({})), json!([marked]));
    let found = of(&shard, "1", matching("text", "fox"), "text", json!({}));
    assert_eq!(
        found,
        json!([
            "Then a quick <em>fox</em> comes along, and jumps over a lazy dog. Nobody saw it.",
            "The end of the story is that the <em>fox</em> was quick, and that the dog slept.",
            "a <b><em>fox</em></b> again",
        ])
    );
    let best = of(&shard, "1", matching("text", "fox"), "text", json!({"number_of_fragments": 1, "by_score": true}));
    assert_eq!(best.as_array().unwrap().len(), 1);
    let whole = of(&shard, "1", matching("text", "again"), "text", json!({"number_of_fragments": 0, "html": true}));
    assert_eq!(whole, json!(["a &lt;b&gt;fox&lt;&#x2F;b&gt; <em>again</em>"]));
    let short = of(&shard, "1", matching("text", "jumps"), "text", json!({"fragment_size": 20}));
    let text = short[0].as_str().unwrap().replace("<em>", "").replace("</em>", "");
    assert!(LONG.contains(&text) && text.len() <= 40, "{short}");
}

#[test]
fn phrases_are_marked_where_they_match() {
    let shard = library();
    let (apart, as_one) = ("<em>brown</em> <em>fox</em>", "<em>brown fox</em>");
    for (kind, name, marked) in [("unified", "text", apart), ("plain", "text", apart), ("fvh", "vector", as_one)] {
        let options = json!({"kind": kind, "boundary": if kind == "fvh" { "chars" } else { "sentence" }});
        let expected = json!([format!("The quick {marked} is brown.")]);
        assert_eq!(of(&shard, "0", phrase(name, "brown fox", 0), name, options), expected, "{kind}");
    }
    let sloppy = of(&shard, "0", phrase("text", "quick fox", 1), "text", json!({}));
    assert_eq!(sloppy, json!(["The <em>quick</em> brown <em>fox</em> is brown."]));
    let prefix = of(&shard, "0", json!({"prefix": {"field": "text", "value": "bro"}}), "text", json!({}));
    assert_eq!(prefix, json!(["The quick <em>brown</em> fox is <em>brown</em>."]));
}

#[test]
fn fields_match_each_other_where_they_may() {
    let shard = library();
    let other = matching("vector", "fox");
    assert_eq!(of(&shard, "0", other.clone(), "text", json!({})), Value::Null);
    let any = of(&shard, "0", other, "text", json!({"require_field_match": false}));
    assert_eq!(any, json!(["The quick brown <em>fox</em> is brown."]));
    let both = json!({"multi_match": {"query": "the dog", "fields": [{"field": "stop"}, {"field": "stop.plain"}]}});
    let marked = of(&shard, "0", both, "stop", json!({"matched_fields": ["stop.plain"]}));
    assert_eq!(marked, json!(["What jumps over <em>the</em> lazy <em>dog</em>?"]));
    let keyword =
        of(&shard, "0", matching("text", "fox"), "tag", json!({"require_field_match": false, "kind": "plain"}));
    assert_eq!(keyword, json!(["<em>fox</em>"]));
    let instead = of(&shard, "0", matching("text", "fox"), "text", json!({"query": matching("text", "quick")}));
    assert_eq!(instead, json!(["The <em>quick</em> brown fox is brown."]));
}

#[test]
fn plain_fragments() {
    let shard = library();
    let found = of(&shard, "1", matching("text", "quick fox"), "text", json!({"kind": "plain", "fragment_size": 40}));
    for piece in found.as_array().unwrap() {
        let plain = piece.as_str().unwrap().replace("<em>", "").replace("</em>", "");
        assert!(LONG.contains(&plain) || "a <b>fox</b> again".contains(&plain), "{piece}");
        assert!(piece.as_str().unwrap().contains("<em>"));
    }
    let first = found[0].as_str().unwrap();
    assert!(first.contains("<em>quick</em>") && first.contains("<em>fox</em>"), "{first}");
    let cut = of(&shard, "0", matching("text", "quick"), "text", json!({"kind": "plain", "max_analyzer_offset": 10}));
    assert_eq!(cut, json!(["The <em>quick</em> "]));
}

#[test]
fn without_a_match_the_beginning_is_shown() {
    let shard = library();
    for (kind, expected) in [("unified", "The quick brown"), ("plain", "The quick")] {
        let options = json!({"kind": kind, "no_match_size": 12});
        assert_eq!(of(&shard, "0", matching("tag", "fox"), "text", options), json!([expected]), "{kind}");
    }
}

#[test]
fn what_cannot_be_highlighted_is_refused() {
    let shard = library();
    let plan = |options: Value| {
        let mut field = json!({
            "field": "text", "kind": "fvh", "pre_tags": ["<em>"], "post_tags": ["</em>"], "fragment_size": 100,
            "number_of_fragments": 5, "by_score": false, "html": false, "require_field_match": true, "no_match_size": 0,
            "boundary": "chars", "boundary_chars": " ", "boundary_max_scan": 20, "fragmenter": "span",
        });
        for (name, value) in options.as_object().unwrap() {
            field[name] = value.clone();
        }
        json!({"query": matching("text", "fox"),
            "fetch": {"source": {"enabled": false}, "highlight": {"fields": [field], "max_analyzed_offset": 10}}})
    };
    assert!(error_of(&shard, &plan(json!({}))).contains("should be indexed with term vector with position offsets"));
    let long = error_of(&shard, &plan(json!({"kind": "unified"})));
    assert!(long.contains("The length [29] of field [text] in doc[0]/index[test] has exceeded [10]"), "{long}");
}

fn span(query: Value) -> Value {
    json!({"span": {"query": query, "boost": 1.0}})
}

fn word(text: &str) -> Value {
    json!({"term": {"field": "text", "value": text}})
}

#[test]
fn places_of_words_mark_what_stands_in_them() {
    let shard = library();
    let near =
        |slop: u32| span(json!({"near": {"clauses": [word("quick"), word("fox")], "slop": slop, "in_order": true}}));
    for kind in ["unified", "plain"] {
        let marked = "The <em>quick</em> brown <em>fox</em> is brown.";
        assert_eq!(of(&shard, "0", near(1), "text", json!({"kind": kind})), json!([marked]));
        let not = span(json!({"not": {"include": word("brown"), "exclude": word("fox"), "pre": 1, "post": 1}}));
        assert_eq!(
            of(&shard, "0", not, "text", json!({"kind": kind})),
            json!(["The quick brown fox is <em>brown</em>."])
        );
        let intervals = json!({"intervals": {"field": "text", "boost": 1.0, "rule": {
            "kind": {"match": {"query": "brown is", "max_gaps": 1, "mode": "ordered"}},
        }}});
        let marked = "The quick <em>brown</em> fox <em>is</em> brown.";
        assert_eq!(of(&shard, "0", intervals, "text", json!({"kind": kind})), json!([marked]));
    }
}

#[test]
fn wrappers_show_what_they_wrap() {
    let shard = library();
    let marked = json!(["The quick brown <em>fox</em> is brown."]);
    let fox = || matching("text", "fox");
    let weighted = json!({"functions": [{"filter": matching("text", "quick"), "weight": 2.0}], "query": fox()});
    for query in [
        json!({"function_score": weighted}),
        json!({"constant_score": {"filter": fox(), "boost": 2.0}}),
        json!({"dis_max": {"queries": [fox(), matching("tag", "x")], "tie_breaker": 0.0}}),
        json!({"boosting": {"positive": fox(), "negative": matching("text", "quick"), "negative_boost": 0.5}}),
        json!({"combined_fields": {"fields": [{"field": "text", "boost": 1.0}], "query": "fox"}}),
        json!({"terms_set": {"field": "text", "terms": ["fox"], "minimum_should_match_script": {"source": "1", "lang": "painless", "params": {}}}}),
    ] {
        assert_eq!(of(&shard, "0", query.clone(), "text", json!({})), marked, "{query}");
    }
}

#[test]
fn the_fast_vector_highlighter_leaves_room_and_looks_so_far() {
    let shard = library();
    let fox = || matching("vector", "fox");
    let first = of(&shard, "1", fox(), "vector", json!({"kind": "fvh", "boundary": "chars", "phrase_limit": 1}));
    assert_eq!(first.as_array().unwrap().len(), 1);
    let options =
        json!({"kind": "fvh", "boundary": "chars", "boundary_max_scan": 0, "fragment_size": 12, "fragment_offset": 1});
    let close = of(&shard, "1", fox(), "vector", options);
    assert!(close[0].as_str().unwrap().len() < 30, "{close}");
}

/// A text of some thousand words, every one of which is found.
const PAIRS: usize = 2_000;

fn pairs() -> Shard {
    let fields = vec![
        field("text", "text", json!({"analyzer": "standard"})),
        field("vector", "text", json!({"analyzer": "standard", "term_vectors": true})),
    ];
    let text = "x y ".repeat(PAIRS);
    shard(fields, &[(vec![json!({"text": text, "vector": text})], vec![])])
}

#[test]
fn plain_fragments_of_thousands_of_phrases() {
    let options =
        json!({"kind": "plain", "fragment_size": 40, "number_of_fragments": 1_000, "max_analyzer_offset": 1_000_000});
    let found = of(&pairs(), "0", phrase("text", "x y", 0), "text", options);
    let pieces: Vec<&str> = found.as_array().unwrap().iter().map(|piece| piece.as_str().unwrap()).collect();
    // 8,000 characters in pieces of 40, none of which begins between where a phrase is seen to begin and its end.
    assert_eq!(pieces.len(), 200);
    assert!(pieces[1..].iter().all(|piece| piece.starts_with(" <em>y</em> <em>x</em>")));
    assert_eq!(pieces.concat(), "<em>x</em> <em>y</em> ".repeat(PAIRS));
}

#[test]
fn vector_fragments_of_thousands_of_words_and_phrases() {
    let shard = pairs();
    let marked = |query: Value, limit: usize| {
        let options = json!({"kind": "fvh", "number_of_fragments": 0, "phrase_limit": limit});
        let found = of(&shard, "0", query, "vector", options);
        found[0].as_str().unwrap().matches("<em>").count()
    };
    for limit in [1, 7, PAIRS] {
        assert_eq!(marked(matching("vector", "x"), limit), limit);
        assert_eq!(marked(phrase("vector", "x y", 0), limit), limit);
    }
    assert_eq!(marked(matching("vector", "x"), 2 * PAIRS), PAIRS);
}
