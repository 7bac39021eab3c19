//! Queries and histograms on fields of ranges against a slow reference that walks the JSON.

use crate::search::execute;
use crate::tests::fixture::{Shard, field, ids, plan_of, shard_with};
use quarry_testing::Dice;
use serde_json::{Value, json};

const TYPES: [&str; 3] = ["integer_range", "date_range", "ip_range"];
/// Where the numbers of the reference begin: addresses are `10.0.x.y`.
const LEAST: i64 = -1_000_000;
const MOST: i64 = 1_000_000;

/// An end as a field of the type takes it.
fn end(kind: &str, number: i64) -> Value {
    match kind {
        "ip_range" => json!(format!("10.0.{}.{}", number / 256, number % 256)),
        _ => json!(number),
    }
}

/// Two ends with both of them included, as numbers; and the JSON that means them.
fn random_range(dice: &mut Dice, kind: &str) -> ((i64, i64), Value) {
    let (mut from, mut to) = (dice.below(300) as i64, dice.below(300) as i64);
    if from > to {
        std::mem::swap(&mut from, &mut to);
    }
    let mut range = json!({});
    match dice.below(6) {
        0 => from = LEAST,
        1 if from > 0 => range["gt"] = end(kind, from - 1),
        _ => range["gte"] = end(kind, from),
    }
    match dice.below(6) {
        0 => to = MOST,
        1 => range["lt"] = end(kind, to + 1),
        _ => range["lte"] = end(kind, to),
    }
    ((from, to), range)
}

struct Scene {
    shard: Shard,
    /// Ids and ranges of live documents.
    documents: Vec<(u32, Vec<(i64, i64)>)>,
}

fn scene(dice: &mut Dice, kind: &str, sizes: &[usize]) -> Scene {
    let mut segments = Vec::new();
    let mut documents = Vec::new();
    let mut id = 0;
    for &size in sizes {
        let mut own = Vec::new();
        let mut deleted = Vec::new();
        for place in 0..size as u32 {
            let count = [0, 1, 1, 1, 2, 3][dice.below(6) as usize];
            let ranges: Vec<((i64, i64), Value)> = (0..count).map(|_| random_range(dice, kind)).collect();
            let values: Vec<Value> = ranges.iter().map(|(_, value)| value.clone()).collect();
            own.push(if count == 0 { json!({}) } else { json!({"r": values}) });
            if dice.below(8) == 0 {
                deleted.push(place);
            } else {
                documents.push((id, ranges.into_iter().map(|(ends, _)| ends).collect()));
            }
            id += 1;
        }
        segments.push((own, deleted));
    }
    let format = json!({"format": "epoch_millis"});
    let fields = vec![field("r", kind, if kind == "date_range" { format } else { json!({}) })];
    Scene { shard: shard_with(fields, Vec::new(), &segments), documents }
}

fn found(shard: &Shard, query: &Value) -> Vec<u32> {
    let plan = plan_of(&json!({"query": query, "size": 10_000}));
    let result = execute(&shard.view, &plan, &|| false).unwrap_or_else(|error| panic!("{query}: {error}"));
    let mut found = ids(&serde_json::from_slice(&result.hits).unwrap());
    found.sort_unstable();
    found
}

impl Scene {
    fn expected(&self, matches: impl Fn((i64, i64)) -> bool) -> Vec<u32> {
        let documents = self.documents.iter().filter(|(_, ranges)| ranges.iter().any(|&range| matches(range)));
        documents.map(|(id, _)| *id).collect()
    }
}

#[test]
fn relations_mean_what_they_say() {
    for seed in 0..30 {
        let mut dice = Dice::new(seed);
        let kind = TYPES[seed as usize % TYPES.len()];
        let scene = scene(&mut dice, kind, &[120, 1, 60]);
        for _ in 0..20 {
            let ((low, high), wanted) = random_range(&mut dice, kind);
            let mut range = json!({"field": "r"});
            for (name, value) in wanted.as_object().unwrap() {
                let side = if name.starts_with('g') { "from" } else { "to" };
                range[side] = json!({"value": value, "inclusive": name.ends_with('e')});
            }
            for relation in ["intersects", "contains", "within"] {
                range["relation"] = json!(relation);
                let expected = scene.expected(|(from, to)| match relation {
                    "intersects" => from <= high && to >= low,
                    "contains" => from <= low && to >= high,
                    _ => from >= low && to <= high,
                });
                assert_eq!(found(&scene.shard, &json!({"range": range})), expected, "seed {seed}: {range}");
            }
            let point = dice.below(300) as i64;
            let term = json!({"term": {"field": "r", "value": end(kind, point)}});
            assert_eq!(found(&scene.shard, &term), scene.expected(|(from, to)| from <= point && point <= to));
        }
        let exists = json!({"exists": {"field": "r"}});
        assert_eq!(found(&scene.shard, &exists), scene.expected(|_| true));
    }
}

#[test]
fn histograms_count_a_document_in_every_bucket_it_reaches_into() {
    for seed in 100..112 {
        let mut dice = Dice::new(seed);
        let kind = ["integer_range", "date_range"][seed as usize % 2];
        let scene = scene(&mut dice, kind, &[90, 40]);
        let (width, low, high) = (1 + dice.below(40) as i64, dice.below(100) as i64, 100 + dice.below(200) as i64);
        let common = json!({"source": {"field": "r"}, "min_doc_count": 1, "keyed": false,
            "order": [{"by": "key", "ascending": true}], "hard_bounds": {"min": low, "max": high}});
        let mut plan = common.clone();
        let name = if kind == "date_range" {
            plan["interval"] = json!({"fixed_ms": width});
            plan["offset_ms"] = json!(0);
            "date_histogram"
        } else {
            plan["interval"] = json!(width as f64);
            plan["offset"] = json!(0.0);
            "histogram"
        };
        let aggregation = json!({"name": "h", "kind": {name: plan}, "aggs": []});
        let request = plan_of(&json!({"query": {"match_all": {}}, "size": 0, "aggregations": [aggregation]}));
        let result = execute(&scene.shard.view, &request, &|| false).unwrap();
        let answer: Value = serde_json::from_slice(&result.aggregations.unwrap()).unwrap();
        let buckets = answer["h"]["buckets"].as_array().unwrap().iter();
        let counts: Vec<(i64, u64)> = buckets
            .map(|bucket| (bucket["key"].as_f64().unwrap() as i64, bucket["doc_count"].as_u64().unwrap()))
            .collect();
        let keys = (low.div_euclid(width)..=high.div_euclid(width)).map(|key| key * width);
        let expected = keys.map(|key| {
            let reaches = |(from, to): (i64, i64)| from < key + width && key <= to;
            (key, scene.expected(reaches).len() as u64)
        });
        let expected: Vec<(i64, u64)> = expected.filter(|(_, count)| *count > 0).collect();
        assert_eq!(counts, expected, "seed {seed}: {kind} by {width} within {low}..={high}");
    }
}

#[test]
fn open_ranges_without_bounds_are_too_many_buckets() {
    let documents = vec![json!({"r": {"gte": 5}})];
    let shard = shard_with(vec![field("r", "long_range", json!({}))], Vec::new(), &[(documents, Vec::new())]);
    let plan = json!({"source": {"field": "r"}, "min_doc_count": 0, "keyed": false, "interval": 1.0, "offset": 0.0,
        "order": [{"by": "key", "ascending": true}]});
    let aggregation = json!({"name": "h", "kind": {"histogram": plan}, "aggs": []});
    let request = plan_of(&json!({"query": {"match_all": {}}, "size": 0, "aggregations": [aggregation]}));
    let error = execute(&shard.view, &request, &|| false).unwrap_err();
    assert!(error.reason.starts_with("Trying to create too many buckets"), "{error}");
}
