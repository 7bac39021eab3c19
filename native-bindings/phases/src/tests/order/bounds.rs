//! Windows that are passed over since nothing in them scores high enough: the best of a page are the best of all.

use crate::tests::fixture::{NOW_MS, Shard, field, shard, try_search};
use quarry_codec::window::WINDOW;
use quarry_testing::Dice;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

fn pick(dice: &mut Dice, words: &[&'static str]) -> &'static str {
    words[dice.below(words.len() as u64) as usize]
}

/// Windows whose values lie in different ranges, some without any, some with several.
fn scene(dice: &mut Dice) -> Shard {
    let fields = vec![
        field("tag", "keyword", json!({})),
        field("n", "integer", json!({})),
        field("d", "double", json!({})),
        field("at", "date", json!({})),
        field("rank", "float", json!({"declared_type": "rank_feature", "index": false})),
    ];
    let segment = |dice: &mut Dice, length: usize| {
        let mut documents = Vec::new();
        let (mut base, mut gaps) = (0, 0);
        for doc in 0..length {
            if doc % WINDOW == 0 {
                (base, gaps) = (dice.below(6) as i64 * 50 - 60, dice.below(3));
            }
            let mut document = json!({"tag": pick(dice, &["a", "b", "c"])});
            if gaps == 0 || dice.below(gaps * 4) > 0 {
                let value = base + dice.below(60) as i64;
                document["n"] = if dice.below(50) == 0 { json!([value, value + 300]) } else { json!(value) };
                document["d"] = json!(value as f64 / 7.0);
                document["at"] = json!(NOW_MS + value * 60_000);
                document["rank"] = json!((value + 61) as f64 / 3.0);
            }
            documents.push(document);
        }
        (documents, vec![1, 5, 900])
    };
    shard(fields, &[segment(dice, 2 * WINDOW + 700), segment(dice, 1_000)])
}

fn function(dice: &mut Dice) -> Value {
    let modifier = pick(dice, &["none", "log1p", "ln2p", "square", "sqrt", "reciprocal"]);
    let field = pick(dice, &["n", "d"]);
    let origin = dice.below(200) as i64 - 50;
    let mode = pick(dice, &["min", "max", "avg", "sum"]);
    let kind = match dice.below(5) {
        0 => json!({"field_value_factor": {"field": field, "factor": 0.5, "modifier": modifier, "missing": 2.0}}),
        1 => {
            json!({"decay": {"field": "n", "shape": "linear", "origin": origin, "scale": 90, "decay": 0.4, "mode": mode}})
        }
        2 => {
            json!({"decay": {"field": "d", "shape": "gauss", "origin": origin, "scale": 20.0, "offset": 3.0, "decay": 0.5}})
        }
        3 => json!({"decay": {"field": "at", "shape": "exp", "origin": null, "scale": "1h", "decay": 0.2}}),
        _ => return json!({"weight": 1.5, "filter": {"term": {"field": "tag", "value": "b"}}}),
    };
    let mut function = json!({"kind": kind});
    if dice.below(3) == 0 {
        function["filter"] = json!({"term": {"field": "tag", "value": "a"}});
    }
    if dice.below(3) == 0 {
        function["weight"] = json!(dice.below(4));
    }
    function
}

fn query(dice: &mut Dice) -> Value {
    let inner =
        [json!({"match_all": {}}), json!({"term": {"field": "tag", "value": "c"}})][dice.below(2) as usize].clone();
    let rank = pick(dice, &["saturation", "log", "sigmoid", "linear"]);
    match dice.below(4) {
        0 => json!({"distance_feature": {"field": "at", "origin": "now", "pivot": "2h"}}),
        1 => {
            let function = match rank {
                "log" => json!({"log": {"scaling_factor": 2.0}}),
                "sigmoid" => json!({"sigmoid": {"pivot": 20.0, "exponent": 0.6}}),
                "saturation" => json!({"saturation": {"pivot": 8.0}}),
                _ => json!({"linear": {}}),
            };
            json!({"rank_feature": {"field": "rank", "function": function}})
        }
        _ => json!({"function_score": {
            "query": inner,
            "functions": (0..=dice.below(3)).map(|_| function(dice)).collect::<Vec<_>>(),
            "score_mode": pick(dice, &["multiply", "sum", "avg", "first", "max", "min"]),
            "boost_mode": pick(dice, &["multiply", "replace", "sum", "avg", "max", "min"]),
        }}),
    }
}

/// `_id`s and scores of the first hits.
fn shown(hits: &[u8], count: usize) -> Vec<(String, f64)> {
    #[derive(Deserialize)]
    struct Hits<'a> {
        #[serde(borrow)]
        hits: Vec<&'a RawValue>,
    }
    let hits: Hits<'_> = serde_json::from_slice(hits).unwrap();
    let hit = |hit: &&RawValue| {
        let hit: Value = serde_json::from_str(hit.get()).unwrap();
        (hit["_id"].as_str().unwrap().to_owned(), hit["_score"].as_f64().unwrap())
    };
    hits.hits.iter().take(count).map(hit).collect()
}

#[test]
fn the_best_of_a_page_are_the_best_of_all() {
    let mut dice = Dice::new(11);
    let fetch = json!({"source": {"enabled": false}});
    for _ in 0..3 {
        let shard = scene(&mut dice);
        for _ in 0..60 {
            let query = query(&mut dice);
            let whole = try_search(&shard, &json!({"query": query, "size": 10_000, "fetch": fetch}));
            for track in [json!("exact"), json!("disabled")] {
                let request = json!({"query": query, "size": 7, "track_total_hits": track});
                let best = try_search(&shard, &request);
                match (&whole, best) {
                    (Ok(whole), Ok(best)) => assert_eq!(shown(&whole.hits, 7), shown(&best.hits, 7), "{query}"),
                    (Err(whole), Err(best)) => assert_eq!(whole.to_string(), best.to_string()),
                    (whole, best) => panic!("{query}: {} but {}", whole.is_ok(), best.is_ok()),
                }
            }
        }
    }
}

#[test]
fn the_best_are_the_same_beside_aggregations_which_see_all() {
    let (mut dice, mut compared) = (Dice::new(12), 0);
    let sum = json!({"sum": {"source": {"field": "d"}}});
    let aggregations = json!([{"name": "sum", "kind": sum, "aggs": []}]);
    for _ in 0..2 {
        let shard = scene(&mut dice);
        for _ in 0..40 {
            let query = query(&mut dice);
            let order = pick(&mut dice, &["asc", "desc"]);
            let key = json!({"field": {"field": "n", "order": order, "missing": "last"}});
            let by = |sort: Value| json!({"query": query, "size": 7, "track_total_hits": "exact", "sort": sort});
            for plain in [by(json!([])), by(json!([key]))] {
                let mut beside = plain.clone();
                beside["aggregations"] = aggregations.clone();
                let alone = json!({"query": query, "size": 0, "aggregations": aggregations});
                let (Ok(plain), Ok(beside)) = (try_search(&shard, &plain), try_search(&shard, &beside)) else {
                    continue;
                };
                let told = |hits: &[u8]| serde_json::from_slice::<Value>(hits).unwrap();
                assert_eq!(told(&plain.hits), told(&beside.hits), "{query}");
                assert_eq!(beside.aggregations, try_search(&shard, &alone).unwrap().aggregations, "{query}");
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}
