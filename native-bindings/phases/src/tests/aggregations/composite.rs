//! Pages of composite buckets against all tuples of the documents, sorted.

use super::{aggregate, aggregation, group, random_case, source, sum, values, words};
use serde_json::{Value, json};

/// Missing, whole number or text: in ascending order, missing first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Missing,
    Number(i64),
    Text(String),
}

impl Key {
    fn json(&self) -> Value {
        match self {
            Key::Missing => Value::Null,
            Key::Number(number) => json!(number),
            Key::Text(text) => json!(text),
        }
    }
}

fn keys(document: &Value, field: &str) -> Vec<Key> {
    if field == "k" {
        return words(document).into_iter().map(Key::Text).collect();
    }
    values(document, field).into_iter().filter_map(Value::as_i64).map(Key::Number).collect()
}

fn tuples(document: &Value, missing: bool) -> Vec<(Key, Key)> {
    let mut of_words = keys(document, "k");
    if of_words.is_empty() && missing {
        of_words.push(Key::Missing);
    }
    let numbers = keys(document, "n");
    of_words.iter().flat_map(|word| numbers.iter().map(|number| (word.clone(), number.clone()))).collect()
}

fn plan(size: u32, ascending: bool, missing: bool, after: Option<Value>) -> Value {
    let one = |name: &str, ascending: bool, missing: bool| {
        json!({"name": name, "source": source(name), "keys": "terms", "ascending": ascending,
            "missing_bucket": missing, "missing_first": ascending})
    };
    let composite = json!({"composite": {"size": size, "after": after,
        "sources": [one("k", ascending, missing), one("n", !ascending, false)]}});
    json!([aggregation("c", composite, json!([aggregation("s", json!({"sum": {"source": source("d")}}), json!([]))]))])
}

#[test]
fn pages_are_those_of_all_tuples_in_order() {
    for seed in 400..412 {
        let (shards, live) = random_case(seed);
        let (ascending, missing) = (seed % 2 == 0, seed % 3 == 0);
        let mut expected: Vec<((Key, Key), Vec<Value>)> =
            group(&live, |document| tuples(document, missing)).into_iter().collect();
        expected.sort_by(|(a, _), (b, _)| {
            let order = if ascending { a.0.cmp(&b.0) } else { b.0.cmp(&a.0) };
            order.then(if ascending { b.1.cmp(&a.1) } else { a.1.cmp(&b.1) })
        });
        let mut expected = expected.into_iter();
        let mut after = None;
        for _ in 0..expected.len().div_ceil(7) + 1 {
            let answer = aggregate(&shards, &plan(7, ascending, missing, after)).unwrap();
            let buckets = answer["c"]["buckets"].as_array().unwrap();
            for bucket in buckets {
                let ((word, number), documents) = expected.next().unwrap();
                assert_eq!(bucket["key"], json!({"k": word.json(), "n": number.json()}), "seed {seed}");
                assert_eq!(bucket["doc_count"], json!(documents.len()));
                assert!((bucket["s"]["value"].as_f64().unwrap() - sum(&documents, "d")).abs() < 1e-9);
            }
            let last = buckets.last().map(|bucket| bucket["key"].clone());
            assert_eq!(answer["c"].get("after_key"), last.as_ref());
            let Some(last) = last else { break };
            after = Some(json!([last["k"], last["n"]]));
        }
        assert!(expected.next().is_none(), "seed {seed}");
    }
}

#[test]
fn intervals_are_keys() {
    let (shards, live) = random_case(77);
    let composite = json!({"composite": {"size": 1_000, "sources": [
        {"name": "h", "source": source("n"), "keys": {"histogram": {"interval": 7.0}}, "ascending": true,
            "missing_bucket": false, "missing_first": true},
        {"name": "t", "source": {"field": "t", "format": "yyyy-MM-dd"}, "ascending": true, "missing_bucket": true,
            "missing_first": false, "keys": {"date_histogram": {"interval": {"calendar": "month"}, "offset_ms": 0}}},
    ]}});
    let answer = aggregate(&shards, &json!([aggregation("c", composite, json!([]))])).unwrap();
    let expected = group(&live, |document| {
        let interval = |value: &Value| value.as_i64().unwrap().div_euclid(7) * 7;
        let mut intervals: Vec<i64> = values(document, "n").into_iter().map(interval).collect();
        intervals.sort_unstable();
        intervals.dedup();
        intervals
    });
    let mut found = std::collections::BTreeMap::<i64, usize>::new();
    for bucket in answer["c"]["buckets"].as_array().unwrap() {
        assert!(bucket["key"]["t"].is_null() || bucket["key"]["t"].as_str().unwrap().ends_with("-01"));
        *found.entry(bucket["key"]["h"].as_f64().unwrap() as i64).or_default() +=
            bucket["doc_count"].as_u64().unwrap() as usize;
    }
    let expected: std::collections::BTreeMap<i64, usize> =
        expected.into_iter().map(|(key, documents)| (key, documents.len())).collect();
    assert_eq!(found, expected);
}
