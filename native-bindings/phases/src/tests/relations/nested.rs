//! Nested documents against a slow reference that knows nothing of blocks: it walks the JSON.

use crate::tests::fixture::{Shard, field, merged, plan_of, shard_with, try_search};
use quarry_buffer::{BUFFER_BYTES_DEFAULT, DocumentMeta, IndexBuffer};
use quarry_mapping::document::{ParseScratch, parse_document};
use quarry_segment::id::SegmentId;
use quarry_segment::stored::StoredCodec;
use quarry_testing::Dice;
use quarry_testing::directory::TestDirectory;
use serde_json::{Value, json};

fn open(segments: &[(Vec<Value>, Vec<u32>)]) -> Shard {
    let nested = json!({"include_in_parent": false, "include_in_root": false});
    let object = |path: &str| json!({"path": path, "dynamic": "false", "enabled": true, "nested": nested});
    let fields = vec![
        field("n", "integer", json!({})),
        field("a.k", "keyword", json!({})),
        field("a.x", "integer", json!({})),
        field("a.b.y", "integer", json!({})),
    ];
    shard_with(fields, vec![object("a"), object("a.b")], segments)
}

/// A list of values, which is sometimes written without brackets where there is one, and left out where there is none.
fn list(dice: &mut Dice, values: Vec<Value>) -> Option<Value> {
    match values.as_slice() {
        [] if dice.below(2) == 0 => None,
        [value] if dice.below(2) == 0 => Some(value.clone()),
        _ => Some(Value::Array(values)),
    }
}

fn inner(dice: &mut Dice) -> Value {
    let mut object = json!({});
    if dice.below(5) > 0 {
        object["y"] = json!(dice.below(4));
    }
    object
}

fn outer(dice: &mut Dice) -> Value {
    let key = ["p", "q", "r"][dice.below(3) as usize];
    let mut object = json!({"k": key});
    if dice.below(6) > 0 {
        object["x"] = json!(dice.below(6));
    }
    let count = dice.below(4);
    let below = (0..count).map(|_| inner(dice)).collect();
    if let Some(below) = list(dice, below) {
        object["b"] = below;
    }
    object
}

fn document(dice: &mut Dice, most: u64) -> Value {
    let mut root = json!({"n": dice.below(10)});
    let count = dice.below(most + 1);
    let objects = (0..count).map(|_| outer(dice)).collect();
    if let Some(objects) = list(dice, objects) {
        root["a"] = objects;
    }
    root
}

/// The objects of a member, as a list.
fn objects<'v>(value: &'v Value, name: &str) -> Vec<&'v Value> {
    match value.get(name) {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(object) => vec![object],
        None => Vec::new(),
    }
}

/// A shard and what it was made of: live documents by id, in order.
struct Scene {
    shard: Shard,
    documents: Vec<(usize, Value)>,
}

fn scene(seed: u64, sizes: &[(usize, u64)]) -> Scene {
    let mut dice = Dice::new(seed);
    let mut segments = Vec::new();
    let mut documents = Vec::new();
    let mut id = 0;
    for &(count, most) in sizes {
        let own: Vec<Value> = (0..count).map(|_| document(&mut dice, most)).collect();
        let deleted: Vec<u32> = (0..count as u32).filter(|_| dice.below(8) == 0).collect();
        for (place, document) in own.iter().enumerate() {
            if !deleted.contains(&(place as u32)) {
                documents.push((id, document.clone()));
            }
            id += 1;
        }
        segments.push((own, deleted));
    }
    Scene { shard: open(&segments), documents }
}

fn x(object: &Value) -> Option<i64> {
    object["x"].as_i64()
}

/// What a nested object scores by the query of [`scored`]; 0: it does not match.
fn points(object: &Value) -> u32 {
    u32::from(object["k"] == "p") + 2 * u32::from(x(object).is_some_and(|x| x >= 3))
}

fn scored() -> Value {
    json!({"bool": {"should": [
        {"constant_score": {"filter": {"term": {"field": "a.k", "value": "p"}}, "boost": 1.0}},
        {"constant_score": {"filter": {"range": {"field": "a.x", "from": {"value": 3, "inclusive": true}}}, "boost": 2.0}},
    ]}})
}

/// Ids and scores of everything that a query finds, by id.
fn hits(shard: &Shard, query: &Value) -> Vec<(usize, f32)> {
    let result = try_search(shard, &json!({"query": query, "size": 100_000})).unwrap();
    let found: Value = serde_json::from_slice(&result.hits).unwrap();
    let hit = |hit: &Value| {
        let id: usize = hit["_id"].as_str().unwrap().parse().unwrap();
        (id, hit["_score"].as_f64().unwrap() as f32)
    };
    let mut found: Vec<(usize, f32)> = found["hits"].as_array().unwrap().iter().map(hit).collect();
    found.sort_by_key(|(id, _)| *id);
    found
}

impl Scene {
    fn check_scores(&self) {
        for mode in ["avg", "sum", "min", "max", "none"] {
            let query = json!({"nested": {"path": "a", "query": scored(), "score_mode": mode}});
            let mut expected = Vec::new();
            for (id, document) in &self.documents {
                let points: Vec<u32> = objects(document, "a").into_iter().map(points).filter(|&it| it > 0).collect();
                let Some(most) = points.iter().max() else { continue };
                let sum: u32 = points.iter().sum();
                let score = match mode {
                    "avg" => (f64::from(sum) / points.len() as f64) as f32,
                    "sum" => sum as f32,
                    "min" => *points.iter().min().unwrap() as f32,
                    "max" => *most as f32,
                    _ => 0.0,
                };
                expected.push((*id, score));
            }
            assert_eq!(hits(&self.shard, &query), expected, "{mode}");
        }
    }

    fn found(&self, matches: impl Fn(&Value) -> bool) -> Vec<usize> {
        self.documents.iter().filter(|(_, document)| matches(document)).map(|(id, _)| *id).collect()
    }

    fn check_levels(&self) {
        let ids = |query: Value| -> Vec<usize> { hits(&self.shard, &query).into_iter().map(|(id, _)| id).collect() };
        let two = json!({"term": {"field": "a.b.y", "value": 2}});
        let has_two = |object: &Value| objects(object, "b").iter().any(|below| below["y"] == 2);
        let direct = json!({"nested": {"path": "a.b", "query": two}});
        let any = self.found(|document| objects(document, "a").into_iter().any(has_two));
        assert_eq!(ids(direct.clone()), any);
        let both = json!({"nested": {"path": "a", "query": {"bool": {"must": [
            {"term": {"field": "a.k", "value": "p"}}, {"nested": {"path": "a.b", "query": two}},
        ]}}}});
        let together =
            self.found(|document| objects(document, "a").into_iter().any(|it| it["k"] == "p" && has_two(it)));
        assert_eq!(ids(both), together);
        let none = self.found(|document| !objects(document, "a").into_iter().any(has_two));
        assert_eq!(ids(json!({"bool": {"must_not": [direct]}})), none);
        let lacks = json!({"nested": {"path": "a", "query": {"bool": {"must_not": [{"exists": {"field": "a.x"}}]}}}});
        assert_eq!(ids(lacks), self.found(|document| objects(document, "a").iter().any(|it| x(it).is_none())));
        assert_eq!(ids(json!({"match_all": {}})), self.found(|_| true));
        assert_eq!(ids(json!({"term": {"field": "a.k", "value": "p"}})), Vec::<usize>::new());
        let filtered = json!({"bool": {"filter": [
            {"range": {"field": "n", "from": {"value": 8, "inclusive": true}}}, {"nested": {"path": "a", "query": {"match_all": {}}}},
        ]}});
        assert_eq!(
            ids(filtered),
            self.found(|document| document["n"].as_i64() >= Some(8) && !objects(document, "a").is_empty())
        );
    }

    fn check_aggregations(&self) {
        let metric = |field: &str| json!({"source": {"field": field}});
        let one = |name: &str, kind: Value, aggs: Value| json!({"name": name, "kind": kind, "aggs": aggs});
        let terms = json!({"terms": {"source": {"field": "a.k"}, "size": 10, "shard_size": 10, "min_doc_count": 1,
            "shard_min_doc_count": 0, "order": [{"by": "key", "ascending": true}], "show_term_doc_count_error": false}});
        let back =
            one("back", json!({"reverse_nested": {}}), json!([one("n", json!({"sum": metric("n")}), json!([]))]));
        let deeper = one(
            "b",
            json!({"nested": {"path": "a.b"}}),
            json!([
                one("y", json!({"sum": metric("a.b.y")}), json!([])),
                one(
                    "up",
                    json!({"reverse_nested": {"path": "a"}}),
                    json!([one("x", json!({"sum": metric("a.x")}), json!([]))])
                ),
            ]),
        );
        let plan = json!([one("a", json!({"nested": {"path": "a"}}), json!([one("k", terms, json!([back, deeper]))]))]);
        let result = try_search(&self.shard, &json!({"size": 0, "aggregations": plan})).unwrap();
        let found: Value = serde_json::from_slice(&result.aggregations.unwrap()).unwrap();
        let all: Vec<&Value> = self.documents.iter().flat_map(|(_, document)| objects(document, "a")).collect();
        assert_eq!(found["a"]["doc_count"], all.len());
        for key in ["p", "q", "r"] {
            let own: Vec<&&Value> = all.iter().filter(|object| object["k"] == key).collect();
            let buckets = found["a"]["k"]["buckets"].as_array().unwrap();
            let Some(bucket) = buckets.iter().find(|bucket| bucket["key"] == key) else {
                assert!(own.is_empty());
                continue;
            };
            assert_eq!(bucket["doc_count"], own.len());
            let roots = self
                .documents
                .iter()
                .filter(|(_, document)| objects(document, "a").iter().any(|object| object["k"] == key));
            let numbers: Vec<i64> = roots.map(|(_, document)| document["n"].as_i64().unwrap()).collect();
            assert_eq!(bucket["back"]["doc_count"], numbers.len());
            assert_eq!(bucket["back"]["n"]["value"].as_f64(), Some(numbers.iter().sum::<i64>() as f64));
            let below: Vec<&Value> = own.iter().flat_map(|object| objects(object, "b")).collect();
            let sum: i64 = below.iter().filter_map(|object| object["y"].as_i64()).sum();
            assert_eq!(bucket["b"]["doc_count"], below.len());
            assert_eq!(bucket["b"]["y"]["value"].as_f64(), Some(sum as f64));
            let parents: Vec<&&&Value> = own.iter().filter(|object| !objects(object, "b").is_empty()).collect();
            assert_eq!(bucket["b"]["up"]["doc_count"], parents.len());
            let sum: i64 = parents.iter().filter_map(|object| x(object)).sum();
            assert_eq!(bucket["b"]["up"]["x"]["value"].as_f64(), Some(sum as f64));
        }
    }

    fn check_sorting(&self) {
        for (mode, order) in [("min", "asc"), ("max", "desc"), ("sum", "desc"), ("avg", "asc")] {
            let sort = json!([{"field": {"field": "a.x", "order": order, "mode": mode, "missing": "last", "nested": {
                "path": "a", "filter": {"term": {"field": "a.k", "value": "p"}},
            }}}]);
            let result = try_search(&self.shard, &json!({"sort": sort, "size": 100_000})).unwrap();
            let found: Value = serde_json::from_slice(&result.hits).unwrap();
            let found: Vec<usize> = found["hits"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hit| hit["_id"].as_str().unwrap().parse().unwrap())
                .collect();
            let key = |document: &Value| -> Option<i64> {
                let own = objects(document, "a").into_iter().filter(|object| object["k"] == "p");
                let values: Vec<i64> = own.filter_map(x).collect();
                let sum: i64 = values.iter().sum();
                match mode {
                    _ if values.is_empty() => None,
                    "min" => values.iter().min().copied(),
                    "max" => values.iter().max().copied(),
                    "sum" => Some(sum),
                    _ => Some((sum as f64 / values.len() as f64 + 0.5).floor() as i64),
                }
            };
            let mut expected: Vec<(Option<i64>, usize)> =
                self.documents.iter().map(|(id, document)| (key(document), *id)).collect();
            let last = if order == "asc" { i64::MAX } else { i64::MIN };
            expected.sort_by_key(|(key, _)| {
                let key = key.unwrap_or(last);
                if order == "asc" { i128::from(key) } else { -i128::from(key) }
            });
            assert_eq!(found, expected.into_iter().map(|(_, id)| id).collect::<Vec<_>>(), "{mode}");
        }
    }

    fn check_inner_hits(&self) {
        let inner = json!({"from": 1, "size": 2, "sort": [], "fetch": {"source": {"enabled": true}}});
        let deeper = json!({"name": "deep", "size": 100, "fetch": {"source": {"enabled": true}}});
        let query = json!({"bool": {"must": [
            {"nested": {"path": "a", "query": scored(), "inner_hits": inner}},
            {"nested": {"path": "a.b", "query": {"exists": {"field": "a.b.y"}}, "inner_hits": deeper}},
        ]}});
        let result = try_search(&self.shard, &json!({"query": query, "size": 100})).unwrap();
        let found: Value = serde_json::from_slice(&result.hits).unwrap();
        for hit in found["hits"].as_array().unwrap() {
            let id: usize = hit["_id"].as_str().unwrap().parse().unwrap();
            let document = &self.documents.iter().find(|(known, _)| *known == id).unwrap().1;
            let own = objects(document, "a");
            let mut matched: Vec<(u32, usize)> =
                own.iter().enumerate().map(|(offset, object)| (points(object), offset)).filter(|it| it.0 > 0).collect();
            matched.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
            let shown = &hit["inner_hits"]["a"]["hits"];
            assert_eq!(shown["total"]["value"], matched.len());
            let shown = shown["hits"].as_array().unwrap();
            assert_eq!(shown.len(), matched.len().saturating_sub(1).min(2));
            for (shown, (points, offset)) in shown.iter().zip(&matched[1..]) {
                assert_eq!(shown["_id"], id.to_string());
                assert_eq!(shown["_nested"], json!({"field": "a", "offset": offset}));
                assert_eq!(shown["_score"].as_f64(), Some(f64::from(*points)));
                assert_eq!(shown["_source"], *own[*offset]);
            }
            let mut deep = Vec::new();
            for (outer, object) in own.iter().enumerate() {
                for (offset, below) in
                    objects(object, "b").into_iter().enumerate().filter(|(_, it)| it.get("y").is_some())
                {
                    let identity = json!({"field": "a", "offset": outer, "_nested": {"field": "b", "offset": offset}});
                    deep.push((identity, below.clone()));
                }
            }
            let shown = hit["inner_hits"]["deep"]["hits"]["hits"].as_array().unwrap().iter();
            let shown: Vec<(Value, Value)> =
                shown.map(|hit| (hit["_nested"].clone(), hit["_source"].clone())).collect();
            assert_eq!(shown, deep);
        }
    }

    fn check(&self) {
        self.check_scores();
        self.check_levels();
        self.check_aggregations();
        self.check_sorting();
        self.check_inner_hits();
        assert_eq!(self.shard.view.doc_count(), self.documents.len() as u64);
    }
}

#[test]
fn random_documents_are_found_by_their_nested_ones() {
    for seed in 0..12 {
        scene(seed, &[(1 + seed as usize * 5, 4), (7, 3), (1, 2)]).check();
    }
}

#[test]
fn blocks_may_span_windows() {
    scene(77, &[(1_800, 5), (3, 9_000), (600, 3)]).check();
}

#[test]
fn merges_keep_blocks_together() {
    let Scene { shard, documents } = scene(5, &[(900, 4), (40, 3), (300, 6)]);
    let shard = merged(shard);
    assert_eq!(shard.view.segments.len(), 1);
    assert_eq!(shard.view.segments[0].root_count(), documents.len() as u32);
    Scene { shard, documents }.check();
}

#[test]
fn only_what_is_there_has_a_format_of_its_own() {
    let plain = open(&[(vec![json!({"n": 1})], vec![])]);
    assert!(plain.view.segments[0].reader.nested().is_none());
    assert!(plain.view.segments[0].live.is_none());
    let merged = merged(open(&[(vec![json!({"n": 1}), json!({"a": {"x": 1}})], vec![1])]));
    assert!(merged.view.segments[0].reader.nested().is_none());
}

#[test]
fn paths_that_are_not_nested_are_refused() {
    let shard = open(&[(vec![json!({"a": {"x": 1}})], vec![])]);
    let refused = |path: &str| {
        let plan = plan_of(&json!({"query": {"nested": {"path": path, "query": {"match_all": {}}}}}));
        crate::search::execute(&shard.view, &plan, &|| false).unwrap_err().reason
    };
    assert_eq!(refused("zz"), "failed to create query: [nested] failed to find nested object under path [zz]");
    let unmapped = json!({"nested": {"path": "zz", "query": {"match_all": {}}, "ignore_unmapped": true}});
    assert_eq!(hits(&shard, &unmapped), []);
}

/// Bytes of the segment that documents make; those that do not fit the mapping are rolled back.
fn segment_of(documents: &[Value]) -> Vec<u8> {
    let view = open(&[]).view;
    let mut buffer = IndexBuffer::new(&view.mapping, StoredCodec::Lz4, BUFFER_BYTES_DEFAULT).unwrap();
    let mut scratch = ParseScratch::new();
    for document in documents {
        let source = document.to_string();
        buffer.begin_document();
        if parse_document(&view.mapping, "id", source.as_bytes(), &mut buffer, &mut scratch).is_err() {
            buffer.rollback_document();
            continue;
        }
        let (id, source) = (source.as_bytes(), Some(source.as_bytes()));
        let meta = DocumentMeta { id, routing: None, seq_no: 1, version: 1, primary_term: 1, source };
        buffer.commit_document(meta).unwrap();
    }
    let directory = TestDirectory::new();
    let path = directory.path().join("0.seg");
    buffer.flush(&path, SegmentId { number: 1, uuid: [1; 16] }).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn documents_that_are_refused_leave_nothing_behind() {
    let mut dice = Dice::new(9);
    let mut with_refused = Vec::new();
    let mut good = Vec::new();
    for _ in 0..200 {
        let document = document(&mut dice, 4);
        with_refused.push(json!({"n": 3, "a": [document.get("a"), {"k": "p", "b": [{"y": 1}, {"y": "none"}]}]}));
        with_refused.push(document.clone());
        with_refused.push(json!({"a": [{"k": "q", "x": 1}, {"b": {"y": 2}}], "n": "none"}));
        good.push(document);
    }
    assert_eq!(segment_of(&with_refused), segment_of(&good));
}
