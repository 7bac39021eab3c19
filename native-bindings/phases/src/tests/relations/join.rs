//! Parents and children against a slow reference that walks the JSON documents.

use crate::tests::fixture::{Shard, error_of, field, found, ids, merged, search, shard, try_search};
use quarry_testing::Dice;
use serde_json::{Value, json};
use std::collections::HashMap;

/// `q` has the children `a` and `c`; `a` has the children `v`.
fn open(segments: &[(Vec<Value>, Vec<u32>)]) -> Shard {
    let relations = json!([{"parent": "q", "children": ["a", "c"]}, {"parent": "a", "children": ["v"]}]);
    let ids = |name: &str| field(name, "keyword", json!({"declared_type": "join_parent", "parent": "j"}));
    let join = field("j", "keyword", json!({"declared_type": "join", "join": {"relations": relations}}));
    shard(vec![field("n", "integer", json!({})), join, ids("j#q"), ids("j#a")], segments)
}

#[derive(Debug, Clone)]
struct Document {
    id: usize,
    kind: &'static str,
    parent: Option<usize>,
    n: i64,
}

struct Scene {
    shard: Shard,
    live: Vec<Document>,
    /// Places in `live` by parent, and by id.
    of_parent: HashMap<usize, Vec<usize>>,
    of_id: HashMap<usize, usize>,
}

fn scene(seed: u64, sizes: &[usize]) -> Scene {
    let mut dice = Dice::new(seed);
    let total: usize = sizes.iter().sum();
    // Children may stand before their parents, and may have parents that were never there.
    let kinds: Vec<&str> = (0..total).map(|_| ["q", "q", "a", "a", "a", "c", "v"][dice.below(7) as usize]).collect();
    let of_kind = |kind: &str| -> Vec<usize> { (0..total).filter(|&id| kinds[id] == kind).collect() };
    let (questions, answers) = (of_kind("q"), of_kind("a"));
    let (mut segments, mut live, mut id) = (Vec::new(), Vec::new(), 0);
    for &size in sizes {
        let deleted: Vec<u32> = (0..size as u32).filter(|_| dice.below(8) == 0).collect();
        let mut documents = Vec::new();
        for place in 0..size as u32 {
            let parents = match kinds[id] {
                "q" => None,
                "v" => Some(&answers),
                _ => Some(&questions),
            };
            let parent = parents.map(|parents| match parents.is_empty() || dice.below(20) == 0 {
                true => 1_000_000,
                false => parents[dice.below(parents.len() as u64) as usize],
            });
            let document = Document { id, kind: kinds[id], parent, n: dice.below(6) as i64 };
            documents.push(match parent {
                None => json!({"j": document.kind, "n": document.n}),
                Some(parent) => json!({"j": {"name": document.kind, "parent": parent.to_string()}, "n": document.n}),
            });
            if !deleted.contains(&place) {
                live.push(document);
            }
            id += 1;
        }
        segments.push((documents, deleted));
    }
    let mut of_parent: HashMap<usize, Vec<usize>> = HashMap::new();
    for (place, document) in live.iter().enumerate() {
        document.parent.into_iter().for_each(|parent| of_parent.entry(parent).or_default().push(place));
    }
    let of_id = live.iter().enumerate().map(|(place, document)| (document.id, place)).collect();
    Scene { shard: open(&segments), live, of_parent, of_id }
}

/// What a document scores by the query of [`scored`]; 0: it does not match.
fn points(document: &Document) -> u32 {
    u32::from(document.n == 1) + 2 * u32::from(document.n >= 3)
}

fn scored() -> Value {
    json!({"bool": {"should": [
        {"constant_score": {"filter": {"term": {"field": "n", "value": 1}}, "boost": 1.0}},
        {"constant_score": {"filter": {"range": {"field": "n", "from": {"value": 3, "inclusive": true}}}, "boost": 2.0}},
    ]}})
}

fn hits(shard: &Shard, query: &Value) -> Vec<(usize, f32)> {
    let found = search(shard, &json!({"query": query, "size": 100_000}));
    let hit = |hit: &Value| (hit["_id"].as_str().unwrap().parse().unwrap(), hit["_score"].as_f64().unwrap() as f32);
    let mut hits: Vec<(usize, f32)> = found["hits"].as_array().unwrap().iter().map(hit).collect();
    hits.sort_by_key(|(id, _)| *id);
    hits
}

impl Scene {
    fn matching_children(&self, parent: usize, kind: &str) -> Vec<u32> {
        let children = self.of_parent.get(&parent).into_iter().flatten().map(|&place| &self.live[place]);
        children.filter(|it| it.kind == kind).map(points).filter(|&points| points > 0).collect()
    }

    fn has_child(&self, child: &str, parent: &str, mode: &str, (least, most): (usize, usize)) -> Vec<(usize, f32)> {
        let mut expected = Vec::new();
        for document in self.live.iter().filter(|it| it.kind == parent) {
            let scores: Vec<f32> =
                self.matching_children(document.id, child).into_iter().map(|points| points as f32).collect();
            if scores.is_empty() || scores.len() < least || scores.len() > most {
                continue;
            }
            let sum: f32 = scores.iter().sum();
            expected.push((
                document.id,
                3.0 * match mode {
                    "sum" => sum,
                    "avg" => sum / scores.len() as f32,
                    "min" => scores.iter().copied().fold(f32::INFINITY, f32::min),
                    "max" => scores.iter().copied().fold(0.0, f32::max),
                    _ => 1.0,
                },
            ));
        }
        expected
    }

    fn has_parent(&self, parent: &str, with_score: bool) -> Vec<(usize, f32)> {
        let points_of = |id: Option<usize>| {
            let found = &self.live[*self.of_id.get(&id?)?];
            Some(points(found)).filter(|&points| points > 0 && found.kind == parent)
        };
        let children =
            self.live.iter().filter(|it| if parent == "q" { "ac".contains(it.kind) } else { it.kind == "v" });
        children
            .filter_map(|it| {
                Some((
                    it.id,
                    if with_score { points_of(it.parent)? as f32 } else { points_of(it.parent).map(|_| 1.0)? },
                ))
            })
            .collect()
    }
}

fn check(scene: &Scene, shard: &Shard) {
    for (child, parent) in [("a", "q"), ("c", "q"), ("v", "a")] {
        for mode in ["none", "sum", "avg", "min", "max"] {
            for (least, most) in [(1, usize::MAX), (2, usize::MAX), (1, 2), (0, 1)] {
                let mut query =
                    json!({"type": child, "query": scored(), "score_mode": mode, "min_children": least, "boost": 3.0});
                if most < usize::MAX {
                    query["max_children"] = json!(most);
                }
                let expected = scene.has_child(child, parent, mode, (least, most));
                assert_eq!(hits(shard, &json!({"has_child": query})), expected, "{query}");
            }
        }
    }
    for (parent, with_score) in [("q", true), ("q", false), ("a", true), ("a", false)] {
        let query = json!({"has_parent": {"parent_type": parent, "query": scored(), "score": with_score}});
        assert_eq!(hits(shard, &query), scene.has_parent(parent, with_score), "{query}");
    }
}

#[test]
fn joins_are_those_of_a_walk_over_all_documents() {
    for (seed, sizes) in [(1, vec![40]), (2, vec![30, 1, 60]), (3, vec![200, 9_000, 300])] {
        let scene = scene(seed, &sizes);
        check(&scene, &scene.shard);
    }
    let scene = scene(4, &[50, 80, 20]);
    // Documents keep their ids when segments are merged, and the deleted ones go.
    check(&scene, &merged(scene_shard(4)));
}

fn scene_shard(seed: u64) -> Shard {
    scene(seed, &[50, 80, 20]).shard
}

#[test]
fn aggregations_go_to_children_and_back() {
    let scene = scene(7, &[100, 5_000, 400]);
    let below = json!([{"name": "sum", "kind": {"sum": {"source": {"field": "n"}}}, "aggs": []}]);
    let by_n = |inner: Value| {
        json!([{"name": "n", "kind": {"histogram": {"source": {"field": "n"}, "interval": 1.0, "offset": 0.0,
            "min_doc_count": 1, "order": [], "keyed": false}}, "aggs": [inner]}])
    };
    for (kind, from, to) in [("children", "q", "a"), ("parent", "a", "q")] {
        let joined = json!({"name": "other", "kind": {kind: {"type": "a"}}, "aggs": below});
        for (aggs, is_split) in [(json!([joined]), false), (by_n(joined.clone()), true)] {
            let request = json!({"query": {"match_all": {}}, "size": 0, "aggregations": aggs});
            let result = try_search(&scene.shard, &request).unwrap();
            let answer: Value = serde_json::from_slice(&result.aggregations.unwrap()).unwrap();
            for n in 0..6 {
                let is_from = |it: &&Document| it.kind == from && (!is_split || it.n == n);
                let starts: Vec<&Document> = scene.live.iter().filter(is_from).collect();
                let reached: Vec<&Document> = scene.live.iter().filter(|it| it.kind == to).collect();
                let reached: Vec<&&Document> = reached
                    .iter()
                    .filter(|it| {
                        starts.iter().any(|start| match kind {
                            "children" => it.parent == Some(start.id),
                            _ => start.parent == Some(it.id),
                        })
                    })
                    .collect();
                let shown = match is_split {
                    false => &answer["other"],
                    true => match answer["n"]["buckets"].as_array().unwrap().iter().find(|it| it["key"] == n as f64) {
                        Some(bucket) => &bucket["other"],
                        None => continue,
                    },
                };
                assert_eq!(shown["doc_count"], reached.len(), "{kind} {n} {answer}");
                let sum: i64 = reached.iter().map(|it| it.n).sum();
                assert_eq!(shown["sum"]["value"], sum as f64, "{kind} {n}");
            }
        }
    }
}

#[test]
fn children_of_one_parent_and_inner_hits() {
    let documents = [
        json!({"j": "q", "n": 1}),
        json!({"j": {"name": "a", "parent": "0"}, "n": 1}),
        json!({"j": {"name": "a", "parent": 0}, "n": 3}),
        json!({"j": {"name": "c", "parent": "0"}, "n": 3}),
        json!({"j": "q", "n": 3}),
    ];
    let shard = open(&[(documents[..2].to_vec(), vec![]), (documents[2..].to_vec(), vec![])]);
    assert_eq!(found(&shard, json!({"parent_id": {"type": "a", "id": "0"}})), [1, 2]);
    assert_eq!(found(&shard, json!({"parent_id": {"type": "a", "id": "4"}})), [0u32; 0]);
    let inner = json!({"size": 3, "fetch": {"source": {"enabled": false}}});
    let query = json!({"has_child": {"type": "a", "query": scored(), "inner_hits": inner}});
    let hits = search(&shard, &json!({"query": query}));
    let list = &hits["hits"][0]["inner_hits"]["a"]["hits"];
    assert_eq!((ids(list), &list["total"]["value"], &list["max_score"]), (vec![2, 1], &json!(2), &json!(2.0)));
    let query = json!({"has_parent": {"parent_type": "q", "query": {"match_all": {}}, "inner_hits": inner}});
    let hits = search(&shard, &json!({"query": query}));
    assert_eq!(ids(&hits), [1, 2, 3]);
    assert_eq!(ids(&hits["hits"][2]["inner_hits"]["q"]["hits"]), [0]);
}

#[test]
fn what_is_not_related_is_refused_by_name() {
    let shard = open(&[(vec![json!({"j": "q"})], vec![])]);
    let error = |query: Value| error_of(&shard, &json!({"query": query}));
    let child = error(json!({"has_child": {"type": "q", "query": {"match_all": {}}}}));
    assert!(child.contains("[has_child] join field [j] doesn't hold [q] as a child"), "{child}");
    let parent = error(json!({"has_parent": {"parent_type": "v", "query": {"match_all": {}}}}));
    assert!(parent.contains("[has_parent] join field [j] doesn't hold [v] as a parent"), "{parent}");
    let id = error(json!({"parent_id": {"type": "q", "id": "1"}}));
    assert!(id.contains("[parent_id] no relation found for child [q]"), "{id}");
    let ignored = json!({"has_child": {"type": "x", "query": {"match_all": {}}, "ignore_unmapped": true}});
    assert_eq!(found(&shard, ignored), [0u32; 0]);
}
